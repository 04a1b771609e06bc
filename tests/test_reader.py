"""Masks read as runs and as buffers: the same results, to the byte."""
import gzip, random, zlib

import nibabel
import numpy
import pytest

from support import assay, save, without_provenance

SHAPE = (64, 48, 40)


def blobs(seed, labels=1, dtype=numpy.uint8):
    """A few boxes, one over the other, in a volume that is mostly empty."""
    generator = numpy.random.default_rng(seed)
    out = numpy.zeros(SHAPE, dtype)
    for number in range(8):
        low = [generator.integers(0, n - 12) for n in SHAPE]
        size = generator.integers(1, 12, 3)
        out[tuple(slice(a, a + n) for a, n in zip(low, size))] = 1 + number % labels
    return out


def metaimage(path, voxels):
    packed = zlib.compress(numpy.asfortranarray(voxels).tobytes("F"))
    path.write_bytes(("ObjectType = Image\nNDims = 3\nBinaryData = True\nCompressedData = True\n"
                      f"CompressedDataSize = {len(packed)}\nElementType = MET_UCHAR\n"
                      f"DimSize = {' '.join(map(str, voxels.shape))}\nElementSpacing = 1 1 1\n"
                      "ElementDataFile = LOCAL\n").encode() + packed)


def nrrd(path, voxels):
    path.write_bytes(("NRRD0004\ntype: uchar\ndimension: 3\nencoding: gzip\n"
                      f"sizes: {' '.join(map(str, voxels.shape))}\n"
                      "space: left-posterior-superior\nspace origin: (0,0,0)\n"
                      "space directions: (1,0,0) (0,1,0) (0,0,1)\n\n").encode() +
                     gzip.compress(voxels.tobytes("F")))


def results(folder, *options, status=0):
    """The results of every reader; they must not differ."""
    texts = {}
    for reader in ("runs", "buffer", "auto"):
        out = folder / f"{reader}.json"
        assay("score", folder / "pred", folder / "ref", "--out", out, "--reader", reader, *options,
              status=status)
        texts[reader] = without_provenance(out)
    assert texts["runs"] == texts["buffer"] == texts["auto"]
    return texts["runs"]


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "<i2", ">i2", "<i4", "<f4", ">f8", "<i8"])
@pytest.mark.parametrize("options", [
    ["--metrics", "paper"], ["--metrics", "all"], ["--labels", "all", "--metrics", "all"],
    ["--labels", "1,2", "--region", "both=1,2", "--ignore-label", "3", "--metrics", "all"]])
def test_every_voxel_type(tmp_path, dtype, options):
    for number in range(3):
        for side, seed in (("ref", number), ("pred", number + 10)):
            voxels = blobs(seed, labels=3).astype(dtype)
            image = nibabel.Nifti1Image(voxels, numpy.eye(4), dtype=dtype)
            (tmp_path / side).mkdir(exist_ok=True)
            nibabel.save(image, tmp_path / side / f"{number}.nii.gz")
    results(tmp_path, *options)


def test_scaled_values_and_thresholds(tmp_path):
    for side, seed in (("ref", 1), ("pred", 2)):
        image = nibabel.Nifti1Image(blobs(seed).astype(numpy.int16), numpy.eye(4))
        image.header.set_slope_inter(0.25, 0)
        (tmp_path / side).mkdir()
        nibabel.save(image, tmp_path / side / "a.nii.gz")
    results(tmp_path)
    results(tmp_path, "--foreground", "nonzero")
    results(tmp_path, "--threshold", "0.2")


def test_flipped_and_permuted_predictions(tmp_path):
    for number, axes in enumerate([(0, 1, 2), (2, 0, 1), (1, 0, 2)]):
        save(tmp_path / f"ref/{number}.nii.gz", blobs(number, 2))
        turn = numpy.array([[axes.index(i), -1 if i == number else 1] for i in range(3)])
        moved = nibabel.Nifti1Image(blobs(number + 5, 2), numpy.eye(4)).as_reoriented(turn)
        (tmp_path / "pred").mkdir(exist_ok=True)
        nibabel.save(moved, tmp_path / f"pred/{number}.nii.gz")
    results(tmp_path, "--metrics", "all")
    results(tmp_path, "--labels", "all", "--metrics", "all")


def test_other_formats_and_mixed_pairs(tmp_path):
    for side in ("pred", "ref"):
        (tmp_path / side).mkdir()
    metaimage(tmp_path / "pred/a.mha", blobs(1))
    nrrd(tmp_path / "pred/b.nrrd", blobs(2))
    numpy.savez_compressed(tmp_path / "pred/c.npz", blobs(3))
    save(tmp_path / "pred/d.nii", blobs(4))
    for number, name in enumerate("abcd"):
        save(tmp_path / f"ref/{name}.nii.gz", blobs(number + 20))
    results(tmp_path, "--metrics", "all", "--allow-affine-mismatch")
    results(tmp_path, "--labels", "all", "--allow-affine-mismatch")


def test_damaged_files_are_refused_with_the_same_words(tmp_path):
    generator = random.Random(3)
    for number in range(40):
        save(tmp_path / f"ref/{number}.nii.gz", blobs(number))
        path = save(tmp_path / f"pred/{number}.nii.gz", blobs(number + 50))
        content = bytearray(path.read_bytes())
        if number % 3 == 0:
            content = content[:generator.randrange(20, len(content))]
        elif number % 3 == 1:
            content[generator.randrange(12, len(content))] ^= 1 << generator.randrange(8)
        else:
            content += b"more"
        path.write_bytes(content)
    assert "damaged" in results(tmp_path, status=3)


def test_values_that_are_no_labels_name_their_voxel(tmp_path):
    voxels = blobs(1).astype(numpy.float32)
    voxels[7, 8, 9] = 0.5
    save(tmp_path / "pred/a.nii.gz", voxels)
    save(tmp_path / "ref/a.nii.gz", blobs(2))
    for side in ("pred", "ref"):
        save(tmp_path / side / "b.nii.gz", blobs(3))
    assert "(7, 8, 9)" in results(tmp_path, "--labels", "all", status=3)
    voxels[7, 8, 9] = numpy.nan
    save(tmp_path / "pred/a.nii.gz", voxels)
    assert "(7, 8, 9)" in results(tmp_path, status=3)


def test_maps_of_probabilities(tmp_path):
    voxels = blobs(1).astype(numpy.float32)
    voxels[voxels > 0] = 0.75
    voxels[3, 3, 3] = 0.25
    save(tmp_path / "pred/a.nii.gz", voxels)
    save(tmp_path / "ref/a.nii.gz", blobs(2))
    results(tmp_path, "--threshold", "0.5", "--metrics", "all")
    for side in ("pred", "ref"):
        save(tmp_path / side / "b.nii.gz", blobs(3))
    assert "is a map" in results(tmp_path, status=3)

"""What is said of files that are no images, or not models, where one was expected."""
import struct

import pytest

from support import BOX, assay, mask, save

PNG = (b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 1, 1, 8, 0, 0, 0, 0)
       + b"\0" * 20)
JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 60
DICOM = b"\0" * 128 + b"DICM" + b"\0" * 40
NO_JPEG = ("JPEG changes the values of pixels, so they are not the labels that were saved; save "
           "masks as PNG or TIFF")


def folder_of(path, content, count, name="slice{}"):
    path.mkdir(parents=True)
    for number in range(count):
        (path / name.format(number)).write_bytes(content)


@pytest.mark.parametrize("content, kind, remedy",
                         [
                             (JPEG, "JPEG", NO_JPEG),
                             (DICOM, "DICOM",
                              "convert to NIfTI first, for example with dcm2niix, or with dcmqi if "
                              "they are DICOM SEG")])
def test_a_folder_of_other_images(tmp_path, content, kind, remedy):
    folder_of(tmp_path / "pred/case1", content, 24)
    save(tmp_path / "ref/a.nii.gz", mask(BOX))
    expected = f"holds 24 {kind} files, which assay does not read; {remedy}\n"
    assert (assay("score", "pred", "ref", cwd=tmp_path, status=2).stderr
            == f"assay: pred: {expected}")
    assert assay("score", "ref", "pred", cwd=tmp_path,
                 status=2).stderr.endswith(f"assay: pred: {expected}")
    save(tmp_path / "pred/case2.nii.gz", mask(BOX))
    assert "matches a reference" in assay("score", "pred", "ref", cwd=tmp_path, status=2).stderr


def test_one_other_image(tmp_path):
    (tmp_path / "p.jpg").write_bytes(JPEG)
    save(tmp_path / "r.nii.gz", mask(BOX))
    said = assay("score", "p.jpg", "r.nii.gz", cwd=tmp_path, status=2).stderr.splitlines()[0]
    assert (
        said
        == "not scored: r: prediction p.jpg: is a JPEG file, and assay reads NIfTI, MetaImage,"
        f" NRRD, NumPy's .npy, NumPy's .npz, PNG, TIFF, DICOM, OME-Zarr; {NO_JPEG}"
    )


@pytest.mark.parametrize("command",
                         [["evaluate", "x.nii.gz", "data"],
                          ["predict", "x.nii.gz", "data", "--out", "out"],
                          ["model", "show", "x.nii.gz"]], ids=lambda command: command[0])
def test_an_image_where_a_model_is_expected(tmp_path, command):
    for name in ("x.nii.gz", "data/images/a.nii.gz", "data/labels/a.nii.gz"):
        save(tmp_path / name, mask(BOX))
    said = assay(*command, cwd=tmp_path, status=2).stderr
    assert said == ("assay: x.nii.gz: is an image (NIfTI), where a model is expected; the model "
                    "comes first, then the images: "
                    "assay evaluate MODEL DATA, assay predict MODEL IMAGE…\n")


def test_a_picture_where_a_model_is_expected(tmp_path):
    (tmp_path / "x.png").write_bytes(PNG)
    save(tmp_path / "a.nii.gz", mask(BOX))
    assert ("x.png: is an image (PNG), where a model is expected"
            in assay("predict", "x.png", "a.nii.gz", "--out", "o", cwd=tmp_path, status=2).stderr)


def test_a_header_without_voxels(tmp_path):
    save(tmp_path / "r.nii.gz", mask(BOX))
    save(tmp_path / "p.hdr", mask(BOX))
    (tmp_path / "p.img").rename(tmp_path / "q.img")
    said = assay("score", "p.hdr", "r.nii.gz", cwd=tmp_path, status=2).stderr.splitlines()[0]
    assert said == ("not scored: r: prediction p.hdr: is only the header of an image; its voxels "
                    "should be in p.img or p.img.gz next to it, which does not exist; copy that "
                    "file there")
    said = assay("score", "q.img", "r.nii.gz", cwd=tmp_path, status=2).stderr.splitlines()[0]
    assert said == ("not scored: r: prediction q.img: holds only the voxels of an image; its "
                    "header should be in q.hdr next to it, which does not exist; copy that file "
                    "there")


def test_a_metaimage_without_voxels(tmp_path):
    save(tmp_path / "r.nii.gz", mask(BOX))
    (tmp_path / "p.mhd").write_text("ObjectType = Image\nNDims = 3\nDimSize = 10 9 8\nElementType "
                                    "= MET_UCHAR\nElementDataFile = p.raw\n")
    said = assay("score", "p.mhd", "r.nii.gz", cwd=tmp_path, status=2).stderr
    assert (
        "p.mhd: is only the header of an image; its voxels should be in p.raw next to it, which"
        " does not exist; copy that file there"
        in said
    )

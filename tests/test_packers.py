"""Masks as runs, packed by every program that people pack them with: the same voxels, to the bit.

The packers are pigz, igzip (ISA-L) and zopfli; libdeflate and zlib are tried in
assay/image/runs/inflate_runs_test.cpp. A packer that is not installed is left out.
"""
import gzip, json, shutil, struct, subprocess

import nibabel
import numpy
import pytest

from support import PROGRAM, data_folder, save
from test_memory import measured
from test_reader import blobs, metaimage, nrrd

DUMP = PROGRAM.parent / "dump_image"
PACKERS = {
    "gzip": ["gzip", "-nc"],
    **{f"pigz -{level}": ["pigz", "-nc", f"-{level}"] for level in (0, 1, 6, 9)},
    "pigz -11": ["pigz", "-nc", "-I", "1", "-11"],
    "pigz in small blocks": ["pigz", "-nc", "-p", "4", "-b", "128"],
    "pigz, independent blocks": ["pigz", "-nci", "-p", "4", "-b", "128"],
    "pigz, run lengths": ["pigz", "-ncU"],
    "pigz, Huffman": ["pigz", "-ncH"],
    **{f"igzip -{level}": ["igzip", "-nc", f"-{level}"] for level in range(4)},
    "zopfli": ["zopfli", "--i1", "-c"],
}
SLOW = ("pigz -11", "zopfli")


def dumped(path, folder):
    """What is in a file read as runs: a JSON object, and the values."""
    done = subprocess.run([DUMP, path, folder / "values", "runs"], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, f"{path}: {done.stderr}"
    return json.loads(done.stdout), numpy.fromfile(folder / "values")


def noise(dtype):
    generator = numpy.random.default_rng(3)
    return (generator.random((40, 40, 40)) * 200).astype(dtype)


IMAGES = {
    "mask": lambda: blobs(1),
    "zeros": lambda: numpy.zeros((90, 70, 60), numpy.uint8),
    "ones": lambda: numpy.ones((50, 40, 30), numpy.uint8),
    "labels": lambda: blobs(2, 7),
    "shorts": lambda: blobs(3, 300, numpy.int16),
    "floats": lambda: blobs(4, 3, numpy.float32),
    "doubles": lambda: blobs(5, 2, numpy.float64),
    "big endian": lambda: blobs(6, 2).astype(">i4"),
    "noise": lambda: noise(numpy.uint8),
    "noisy floats": lambda: noise(numpy.float32),
}


def real_masks(most_bytes):
    files = {path: gzip.decompress(path.read_bytes()) for path in data_folder().glob("**/*.nii.gz")}
    return [files[path] for path in sorted(files) if len(files[path]) <= most_bytes]


@pytest.mark.parametrize("packer", PACKERS)
def test_every_packer(tmp_path, packer):
    command = PACKERS[packer]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    files = []
    for name, make in IMAGES.items():
        files.append(save(tmp_path / f"{name}.nii", make()))
    most_bytes = 1_000_000 if packer in SLOW else 5_000_000
    for number, content in enumerate(real_masks(most_bytes)):
        path = tmp_path / f"real{number}.nii"
        path.write_bytes(content)
        if len(nibabel.load(path).shape) == 3:
            files.append(path)
    runs = 0
    for file in files:
        packed = file.with_suffix(".nii.gz")
        packed.write_bytes(subprocess.run([*command, file], capture_output=True, check=True,
                                          timeout=60).stdout)
        found, values = dumped(packed, tmp_path)
        expected = nibabel.load(file).get_fdata(dtype=numpy.float64).ravel("F")
        assert numpy.array_equal(values, expected, equal_nan=True), file.name
        runs += found["runs"] is not None
    assert runs >= 8  # only noise turns out to be too busy


@pytest.mark.parametrize("write", [metaimage, nrrd, lambda path, voxels:
                                   numpy.savez_compressed(path, voxels)],
                         ids=["a.mha", "a.nrrd", "a.npz"])
def test_other_formats_are_read_as_runs(tmp_path, write, request):
    path = tmp_path / request.node.callspec.id
    voxels = blobs(7)
    write(path, voxels)
    found, values = dumped(path, tmp_path)
    order = "C" if path.suffix == ".npz" else "F"
    assert found["runs"] == 1 + numpy.count_nonzero(numpy.diff(voxels.ravel(order)))
    assert values.sum() == voxels.sum() and found["foreground"] == numpy.count_nonzero(voxels)


def nifti_of_zeros(shape, voxels):
    """A gzip file of many members: a header of that shape, then that many zeros."""
    head = nibabel.Nifti1Image(numpy.zeros((1, 1, 1), numpy.uint8), numpy.eye(4)).to_bytes()[:352]
    head = bytearray(head)
    struct.pack_into("<8h", head, 40, 3, *shape, 1, 1, 1, 1)
    members, rest = divmod(voxels, 1 << 24)
    return (gzip.compress(bytes(head)) + gzip.compress(bytes(1 << 24)) * members
            + gzip.compress(bytes(rest)))


def test_a_gigabyte_of_zeros_needs_little_memory(tmp_path):
    for side in ("pred", "ref"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.nii.gz").write_bytes(nifti_of_zeros((1024,) * 3, 1024**3))
    _, _, peak = measured("score", tmp_path / "pred", tmp_path / "ref", "--json", "--metrics",
                          "paper")
    assert peak < 40e6


@pytest.mark.parametrize("surplus", [-1, 1, 10 * 1024**3])
def test_more_or_less_than_the_header_states_is_refused(tmp_path, surplus):
    for name, voxels in (("a", 300**3 + surplus), ("b", 300**3)):
        for side in ("pred", "ref"):
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / f"{name}.nii.gz").write_bytes(nifti_of_zeros((300,) * 3, voxels))
    out, _, peak = measured("score", tmp_path / "pred", tmp_path / "ref", "--json", "--reader",
                            "runs", "--metrics", "paper", status=3)
    bad, good = json.loads(out)["cases"]
    assert good["status"] == "ok" and bad["status"] == "failed"
    assert "damaged" in bad["error"] or "header states" in bad["error"], bad["error"]
    _, _, of_program = measured("--version")
    assert peak - of_program < 45e6  # one volume, for the reader that says what is wrong

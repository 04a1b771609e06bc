"""Images as assay reads them against images as nibabel reads them: every number must be equal.

Needs /usr/bin/python3 with nibabel, numpy and pytest. ASSAY_BIN_DIR says where dump_image is.
"""
import gzip
import itertools
import json
import os
import pathlib
import subprocess

import pytest

np = pytest.importorskip("numpy")
nib = pytest.importorskip("nibabel")

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMP = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "dump_image"
pytestmark = pytest.mark.skipif(not DUMP.exists(), reason=f"{DUMP} is not built")

TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]
IMAGES = {1: (nib.Nifti1Image, nib.Nifti1Pair), 2: (nib.Nifti2Image, nib.Nifti2Pair)}


def read_by_assay(path, folder):
    run = subprocess.run([DUMP, path, folder / "values"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    header = json.loads(run.stdout)
    values = np.fromfile(folder / "values", dtype="f8").reshape(header["shape"], order="F")
    return header, values


def random_affine(rng):
    """Any rotation, spacing, mirroring and place."""
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    affine = np.eye(4)
    affine[:3, :3] = rotation * rng.uniform(0.1, 5, 3) * rng.choice([-1, 1], 3)
    affine[:3, 3] = rng.uniform(-200, 200, 3)
    return affine


def random_voxels(rng, dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4)).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def random_image(rng, version, dtype, order, single=True):
    shape = tuple(int(n) for n in rng.integers(1, 9, rng.integers(2, 4)))
    if rng.random() < 0.2:
        shape = shape[:3] + (1,) * (4 - len(shape[:3]))
    kind = IMAGES[version][0 if single else 1]
    header = kind.header_class(endianness=order)
    header.set_data_dtype(np.dtype(dtype).newbyteorder(order))
    affine = random_affine(rng)
    image = kind(random_voxels(rng, dtype, shape), affine, header)
    sform, qform = rng.choice([0, 1, 2], 2)
    image.set_sform(random_affine(rng), int(sform))
    image.set_qform(affine, int(qform))
    return image


SCALINGS = [(1, 0), (0, 5), (np.nan, 1), (0.1, 0), (-2.5, 7), (1, -3), (3e-5, 1e4)]


def patch_scaling(path, version, order, slope, inter):
    """Writes scl_slope and scl_inter into a file: nibabel sets them itself when it saves."""
    data = bytearray(path.read_bytes())
    at, fmt = (112, "f4") if version == 1 else (176, "f8")
    new = np.array([slope, inter], dtype=np.dtype(fmt).newbyteorder(order)).tobytes()
    data[at:at + len(new)] = new
    path.write_bytes(data)


def expect_equal(path, folder):
    image = nib.load(path)
    header, values = read_by_assay(path, folder)
    expected = image.get_fdata(dtype=np.float64)
    expected = expected.reshape((expected.shape + (1,))[:3] if expected.ndim < 3
                                else expected.shape[:3])
    assert list(expected.shape) == header["shape"]
    np.testing.assert_array_equal(np.array(header["affine"]), image.affine[:3])
    np.testing.assert_array_equal(values, expected)
    assert header["foreground"] == int((expected > 0).sum())


@pytest.mark.parametrize("version,dtype,order", itertools.product([1, 2], TYPES, "<>"))
def test_single_files(tmp_path, version, dtype, order):
    rng = np.random.default_rng([version, TYPES.index(dtype), ord(order)])
    for i in range(4):
        path = tmp_path / f"{i}.nii"
        random_image(rng, version, dtype, order).to_filename(path)
        patch_scaling(path, version, order, *rng.choice(SCALINGS))
        expect_equal(path, tmp_path)
        compressed = tmp_path / f"gz{i}.nii.gz"
        compressed.write_bytes(gzip.compress(path.read_bytes()))
        expect_equal(compressed, tmp_path)


@pytest.mark.parametrize("version,order", itertools.product([1, 2], "<>"))
def test_pairs(tmp_path, version, order):
    rng = np.random.default_rng([version, ord(order), 7])
    for dtype in TYPES:
        path = tmp_path / f"{dtype}.img"
        random_image(rng, version, dtype, order, single=False).to_filename(path)
        patch_scaling(path.with_suffix(".hdr"), version, order, 1, 0)
        expect_equal(path, tmp_path)


@pytest.mark.parametrize("version", [1, 2])
def test_extensions_are_skipped(tmp_path, version):
    rng = np.random.default_rng(version)
    image = random_image(rng, version, "i2", "<")
    image.header.extensions.append(nib.nifti1.Nifti1Extension("comment", b"x" * 1000))
    image.to_filename(tmp_path / "a.nii.gz")
    expect_equal(tmp_path / "a.nii.gz", tmp_path)


@pytest.mark.parametrize("unit,factor", [("meter", 1000.0), ("micron", 0.001), ("mm", 1.0)])
def test_units_become_millimetres(tmp_path, unit, factor):
    image = nib.Nifti1Image(np.ones((2, 3, 4), "u1"), np.diag([2.0, 3, 4, 1]))
    image.header.set_xyzt_units(unit)
    image.to_filename(tmp_path / "a.nii")
    header, _ = read_by_assay(tmp_path / "a.nii", tmp_path)
    np.testing.assert_array_equal(np.array(header["affine"]), image.affine[:3] * factor)


def test_what_nibabel_refuses_is_refused(tmp_path):
    (tmp_path / "a.nii").write_text("text")
    run = subprocess.run([DUMP, tmp_path / "a.nii", tmp_path / "v"], capture_output=True, text=True)
    assert run.returncode == 2
    assert "is not a supported image format" in run.stderr

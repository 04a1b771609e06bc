"""NIfTI files with mutated headers, as assay and nibabel read them: the same voxels at the same
place, or a sentence. A bounded number of seeded files; ASSAY_FUZZ_SECONDS makes the search go
on for so long.

Where the two differ on purpose:
- assay refuses what is not one image of three axes, voxels that are not numbers, axes that do not
  span a volume, and a header that contradicts its file; nibabel often returns something.
- nibabel refuses some headers for fields that say nothing about voxels or their place.
- assay applies the unit of length, nibabel leaves it to the caller.
- nibabel ignores a form whose code it does not know (the standard has 0 to 5); to assay every code
  above 0 means that the form is there.
"""
import gzip
import itertools
import json
import os
import pathlib
import subprocess
import time
import warnings

import pytest

np = pytest.importorskip("numpy")
nib = pytest.importorskip("nibabel")

ROOT = pathlib.Path(__file__).resolve().parents[2]
DUMP = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "dump_image"
pytestmark = pytest.mark.skipif(not DUMP.exists(), reason=f"{DUMP} is not built")
SECONDS = float(os.environ.get("ASSAY_FUZZ_SECONDS", "0"))
UNITS = {0: 1.0, 1: 1000.0, 2: 1.0, 3: 0.001}

# Where the fields are: name, offset, type and count, for NIfTI-1 and NIfTI-2.
FIELDS = {1: [("dim", 40, "i2", 8), ("datatype", 70, "i2", 1), ("bitpix", 72, "i2", 1),
              ("pixdim", 76, "f4", 8), ("vox_offset", 108, "f4", 1), ("scl_slope", 112, "f4", 1),
              ("scl_inter", 116, "f4", 1), ("xyzt_units", 123, "u1", 1),
              ("qform_code", 252, "i2", 1), ("sform_code", 254, "i2", 1),
              ("quatern_b", 256, "f4", 6), ("srow_x", 280, "f4", 12)],
          2: [("datatype", 12, "i2", 1), ("bitpix", 14, "i2", 1), ("dim", 16, "i8", 8),
              ("pixdim", 104, "f8", 8), ("vox_offset", 168, "i8", 1), ("scl_slope", 176, "f8", 1),
              ("scl_inter", 184, "f8", 1), ("qform_code", 344, "i4", 1),
              ("sform_code", 348, "i4", 1), ("quatern_b", 352, "f8", 6),
              ("srow_x", 400, "f8", 12), ("xyzt_units", 500, "i4", 1)]}
NUMBERS = [0, 1, -1, 2, 3, 4, 7, 8, 0.5, -2.5, 1e-3, 1e10, 1e30, 1e-30, np.nan, np.inf, -np.inf, 16,
           64, 256, 512, 768, 32767, -32768, 352, 544]


def seeds(count):
    """So many seeds, or as many as the time allows."""
    start = time.monotonic()
    for seed in itertools.count():
        if seed >= count and time.monotonic() - start >= SECONDS:
            return
        yield seed


def whole_image(rng, version):
    dtype = np.dtype(str(rng.choice(["u1", "i2", "i4", "f4", "f8", "u2"])))
    shape = tuple(int(n) for n in rng.integers(1, 5, 3))
    values = rng.integers(0, 100, shape).astype(dtype)
    affine = np.eye(4)
    affine[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0] * rng.uniform(0.5, 3, 3)
    affine[:3, 3] = rng.uniform(-50, 50, 3)
    kind = nib.Nifti1Image if version == 1 else nib.Nifti2Image
    image = kind(values, affine)
    image.set_sform(affine, int(rng.integers(0, 3)))
    image.set_qform(affine, int(rng.integers(0, 3)))
    return image.to_bytes()


def put(data, offset, kind, number):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = np.array(number, dtype="f8").astype(np.dtype(kind).newbyteorder("<"))
    data[offset:offset + value.nbytes] = value.tobytes()


def mutated(rng, data, version):
    """One to three fields with another number, or a byte or the length changed."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        way = rng.random()
        if way < 0.85:
            name, offset, kind, count = FIELDS[version][int(rng.integers(len(FIELDS[version])))]
            place = offset + int(rng.integers(count)) * np.dtype(kind).itemsize
            put(data, place, kind, NUMBERS[int(rng.integers(len(NUMBERS)))])
        elif way < 0.95:
            data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        else:
            del data[int(rng.integers(len(data))):]
    return bytes(data)


def read_by_assay(path, folder):
    run = subprocess.run([DUMP, path, folder / "values"], capture_output=True, text=True,
                         timeout=60)
    if run.returncode == 2:
        assert run.stderr.startswith(str(path)) and len(run.stderr) > len(str(path)) + 10
        return None
    assert run.returncode == 0, run.stderr
    header = json.loads(run.stdout)
    return header, np.fromfile(folder / "values", dtype="f8").reshape(header["shape"], order="F")


def raw_code(path, kind, name):
    """A field before nibabel mends it."""
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    return kind(data[:kind.template_dtype.itemsize], check=False)[name]


def read_by_nibabel(path):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            image = nib.load(path)
            values = image.get_fdata(dtype=np.float64)
        except Exception:  # nibabel raises whatever NumPy does
            return None
    unit = UNITS.get(int(image.header["xyzt_units"]) & 7, 1.0)
    known = all(0 <= int(raw_code(path, type(image.header), name)) <= 5
                for name in ("qform_code", "sform_code"))
    return image.affine[:3] * unit if known else None, values


def test_mutated_headers_are_read_as_nibabel_reads_them(tmp_path):
    tally = {"same": 0, "only assay refuses": 0, "only nibabel refuses": 0, "both refuse": 0}
    for seed in seeds(300):
        rng = np.random.default_rng([9, seed])
        version = int(rng.integers(1, 3))
        data = mutated(rng, whole_image(rng, version), version)
        name = "a.nii.gz" if rng.random() < 0.3 else "a.nii"
        path = tmp_path / name
        path.write_bytes(gzip.compress(data, mtime=0) if name.endswith("gz") else data)
        ours, theirs = read_by_assay(path, tmp_path), read_by_nibabel(path)
        if ours is None or theirs is None:
            tally["both refuse" if ours is theirs else
                  "only assay refuses" if ours is None else "only nibabel refuses"] += 1
            continue
        header, values = ours
        affine, expected = theirs
        expected = expected.reshape((expected.shape + (1, 1))[:3] if expected.ndim < 3 else
                                    expected.shape[:3])
        assert list(expected.shape) == header["shape"], seed
        np.testing.assert_array_equal(values, expected, err_msg=str(seed))
        # The sum of products may be rounded in another order: a few units in the last place.
        if affine is not None:
            np.testing.assert_allclose(np.array(header["affine"]), affine, rtol=1e-6, atol=1e-6,
                                       err_msg=str(seed))
        tally["same"] += 1
    print(tally)
    assert tally["same"] > 50 and tally["only nibabel refuses"] < tally["same"], tally

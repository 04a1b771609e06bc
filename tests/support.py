"""What the tests share: running the program, making images, the reference vectors, real files."""
import base64, json, os, pathlib, pty, select, subprocess, unicodedata

import nibabel
import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin")) / "assay"
VECTORS = ROOT / "tests/vectors"

BOX = numpy.s_[2:6, 2:6, 2:6]
SHAPE = (10, 9, 8)


def assay(*arguments, cwd=None, status=0, **options):
    """Runs the program; its exit status must be `status`."""
    command = [PROGRAM, *map(str, arguments)]
    options = {"text": True, "capture_output": True, "timeout": 60, "stdin": subprocess.DEVNULL,
               **options}
    done = subprocess.run(command, cwd=cwd, **options)
    assert done.returncode == status, (f"exit {done.returncode}, not {status}\n{done.stdout}\n"
                                       f"{done.stderr}")
    return done


def on_a_terminal(*arguments, **options):
    """The exit status, and what a terminal receives."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=theirs,
                          stderr=theirs, **options) as process:
        os.close(theirs)
        seen = b""
        while True:
            if not select.select([ours], [], [], 60)[0]:
                process.kill()
                raise AssertionError("nothing came for a minute")
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
    os.close(ours)
    return process.returncode, seen.replace(b"\r\n", b"\n")


def strict(text):
    """JSON as the standard has it."""
    def refuse(token):
        raise AssertionError(f"{token} is no JSON")
    return json.loads(text, parse_constant=refuse)


def score(*arguments, status=0, cwd=None):
    """The result of `assay score --json`."""
    return strict(assay("score", *arguments, "--json", status=status, cwd=cwd).stdout)


def save(path, voxels, affine=None, dtype=None):
    """Writes a NIfTI file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    voxels = numpy.asarray(voxels)
    voxels = voxels.astype(dtype or (numpy.uint8 if voxels.dtype == bool else voxels.dtype))
    nibabel.save(nibabel.Nifti1Image(voxels, numpy.eye(4) if affine is None else affine), path)
    return path


def mask(*boxes, shape=SHAPE, dtype=numpy.uint8):
    """Zeros with boxes of 1, 2, 3 ..."""
    out = numpy.zeros(shape, dtype)
    for label, box in enumerate(boxes, 1):
        out[box] = label
    return out


def random_mask(seed, shape=SHAPE, share=0.3):
    return (numpy.random.default_rng(seed).random(shape) < share).astype(numpy.uint8)


def cohort(folder, ids, prediction="pred/{}.nii.gz", reference="ref/{}.nii.gz", shape=SHAPE):
    """Random pairs, the same for the same ids."""
    for number, name in enumerate(ids):
        save(folder / reference.format(name), random_mask(number, shape))
        save(folder / prediction.format(name),
             random_mask(number, shape) ^ random_mask(number + 1000, shape, 0.1))
    return folder / "pred", folder / "ref"


def counts(prediction, reference):
    p, r = numpy.asarray(prediction) > 0, numpy.asarray(reference) > 0
    return {"tp": int((p & r).sum()), "fp": int((p & ~r).sum()), "fn": int((~p & r).sum()),
            "tn": int((~p & ~r).sum())}


def dice(prediction, reference):
    c = counts(prediction, reference)
    return 2 * c["tp"] / (2 * c["tp"] + c["fp"] + c["fn"])


def evidence(result, case=0, label="foreground"):
    found = result["cases"][case]["label"][label]["evidence"]
    return {key: found[key] for key in ("tp", "fp", "fn", "tn")}


def vectors(name):
    """A file of tests/vectors, parsed."""
    return json.loads((VECTORS / f"{name}.json").read_text())


def not_in_both_unicodes():
    """The code points that Unicode 14, which assay follows, or this Python's Unicode does not
    assign. A newer or older Python cannot say what assay should make of those; Python 3.11 can, for
    all."""
    if unicodedata.unidata_version == "14.0.0":
        return set()
    out = {code for code in range(0x110000) if unicodedata.category(chr(code)) == "Cn"}
    listed = json.loads((ROOT / "tests/unicode_14_unassigned.json").read_text())
    for word in " ".join(listed["ranges"]).split():
        first, _, last = word.partition("-")
        out.update(range(int(first, 16), int(last or first, 16) + 1))
    return out


def data_folder():
    """The folder of real files, which are not part of the project."""
    return pathlib.Path(os.environ.get("ASSAY_TEST_DATA") or ROOT.parent / "shared/data").absolute()


def real_data(path):
    """A real file or folder; skips where it is absent."""
    found = data_folder() / path
    if not found.exists():
        pytest.skip(f"needs real data: set ASSAY_TEST_DATA to a folder that has {path}")
    return found


def unpacked(case, side, shape=None):
    bits = numpy.unpackbits(numpy.frombuffer(
        base64.b64decode(case[f"{side}_bits_b64"]), numpy.uint8))
    shape = shape or case["shape"]
    return bits[: numpy.prod(shape)].reshape(shape)


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def without_provenance(path):
    """The bytes of a results file before its last key, `provenance`."""
    text = pathlib.Path(path).read_text()
    head, found, _ = text.rpartition('"provenance"')
    assert found
    return head


# A prediction and a reference with two labels each.
LABELS = (mask(numpy.s_[1:5, 1:5, 1:5], numpy.s_[5:8, 2:6, 2:6]),
          mask(numpy.s_[2:6, 1:5, 1:5], numpy.s_[6:8, 2:6, 2:6]))


def of(label):
    return [numpy.isin(side, label) for side in LABELS]

"""--max-memory: images that need more are refused by their header, before anything is allocated,
and cases that do not fit together wait for one another."""
import json, re, subprocess, sys, tempfile

import numpy
import pytest

from networks import OF_THRESHOLD, threshold_network
from support import PROGRAM, assay, save, strict, without_provenance


# A small process of its own: a child begins with the memory of whoever started it.
WITH_PEAK = """import resource, subprocess, sys
done = subprocess.run(sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
open(sys.argv[1], 'w').write(str(peak))
sys.exit(done.returncode)
"""


def measured(*arguments, status=0):
    """What the program printed, and the most memory it had, in bytes."""
    with tempfile.NamedTemporaryFile("r") as peak:
        command = [sys.executable, "-c", WITH_PEAK, peak.name, PROGRAM, *map(str, arguments)]
        done = subprocess.run(command, text=True, capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        assert done.returncode == status, done.stderr
        return done.stdout, done.stderr, int(peak.read())


def blocks(shape, dtype="u1", labels=1):
    """Boxes of labels in a large image, which gzip makes small."""
    out = numpy.zeros(shape, dtype, order="F")
    third = [n // 3 for n in shape]
    for label in range(1, labels + 1):
        low = [n // 4 + label for n in shape]
        out[tuple(slice(a, a + b // labels + 1) for a, b in zip(low, third))] = label
    return out


def pair(folder, name, shape, dtype="u1", labels=1, ending=".nii.gz"):
    for side, moved in (("pred", 1), ("ref", 0)):
        save(folder / side / f"{name}{ending}", numpy.roll(blocks(shape, dtype, labels), moved, 0))
    return folder / "pred", folder / "ref"


LARGE = (512, 512, 400)  # 105 MB


def test_a_large_image_fails_and_the_others_go_on(tmp_path):
    pair(tmp_path, "large", LARGE)
    sides = pair(tmp_path, "small", (20, 20, 20))
    assert (tmp_path / "pred/large.nii.gz").stat().st_size < 1_000_000
    out, err, peak = measured("score", *sides, "--max-memory", "90M", "--json", "--jobs", 2,
                              "--reader", "buffer", status=3)
    result = strict(out)
    large, small = result["cases"]
    assert (large["status"], small["status"]) == ("failed", "ok")
    assert re.fullmatch(
        r"reference large\.nii\.gz: has 512x512x400 voxels of 1 byte, for which about \d\d\d MB of "
        r"memory are needed, more than the limit of 90 MB; raise --max-memory if the machine has "
        r"more, or crop the image", large["error"]), large["error"]
    assert large["culprit"] == "nobody" and "not scored: large" in err
    assert peak < 90e6
    assert strict(measured("score", *sides, "--max-memory", "1G", "--json")[0])["num_samples"] == 2


def test_a_large_image_of_few_runs_needs_little(tmp_path):
    sides = pair(tmp_path, "large", LARGE)
    out, _, peak = measured("score", *sides, "--max-memory", "90M", "--json")
    assert strict(out)["num_samples"] == 1 and peak < 90e6


def test_an_image_of_too_many_runs_is_refused_like_any_other(tmp_path):
    stripes = numpy.zeros(LARGE, "u1", order="F")
    stripes[::3] = 1
    for side in ("pred", "ref"):
        save(tmp_path / side / "a.nii.gz", stripes)
    assert (tmp_path / "ref/a.nii.gz").stat().st_size * 100 < stripes.size  # tried as runs
    _, err, peak = measured("score", tmp_path / "pred", tmp_path / "ref", "--max-memory", "90M",
                            status=2)
    assert re.search(r"has 512x512x400 voxels of 1 byte, for which about \d\d\d MB", err), err
    assert peak < 90e6


def test_a_prediction_that_alone_is_too_large_is_the_models_fault(tmp_path):
    save(tmp_path / "pred/a.nii.gz", blocks(LARGE))
    save(tmp_path / "ref/a.nii.gz", blocks((20, 20, 20)))
    pair(tmp_path, "b", (20, 20, 20))
    out, _, peak = measured("score", tmp_path / "pred", tmp_path / "ref", "--max-memory", "90M",
                            "--reader", "buffer", "--json", status=3)
    case = strict(out)["cases"][0]
    assert case["error"].startswith("prediction a.nii.gz: has 512x512x400 voxels")
    assert case["culprit"] == "model" and peak < 90e6


def test_a_missing_prediction_of_a_large_reference_costs_nothing(tmp_path):
    pair(tmp_path, "a", (20, 20, 20))
    save(tmp_path / "ref/large.nii.gz", blocks(LARGE))
    out, _, peak = measured("score", tmp_path / "pred", tmp_path / "ref", "--max-memory", "90M",
                            "--json", status=3)
    assert strict(out)["cases"][1]["diagonal_mm"] == pytest.approx(
        sum(n * n for n in LARGE) ** 0.5, rel=0.01)
    assert peak < 90e6


def test_cases_share_the_memory_and_the_results_stay_equal(tmp_path):
    for name in "abcdefghijkl":  # many, so that a busy machine holds enough of them at once, too
        sides = pair(tmp_path, name, (256, 256, 400 + ord(name) % 3))
    peaks = {}
    for limit, jobs in (("200M", 1), ("200M", 12), ("4G", 12)):
        out = tmp_path / f"{limit}-{jobs}.json"
        _, _, peaks[limit, jobs] = measured("score", *sides, "--labels", 1, "--max-memory", limit,
                                            "--jobs", jobs, "--reader", "buffer", "--out", out)
    files = [without_provenance(tmp_path / f"{limit}-{jobs}.json") for limit, jobs in peaks]
    assert files[0] == files[1] == files[2]
    assert peaks["200M", 12] < 200e6 < peaks["4G", 12], peaks


DTYPES = {"words": "i2", "labels": "i2", "floats": "f4"}


@pytest.mark.parametrize("metrics", ["overlap", "standard", "lesion", "all"])
@pytest.mark.parametrize("kind", ["bytes", "words", "labels", "floats", "turned", "plain", "runs",
                                  "runs of labels"])
def test_the_estimate_lies_above_what_is_used(tmp_path, metrics, kind):
    shape = (320, 320, 320)
    flipped = numpy.diag([-1.0, 1, 1, 1])
    flipped[0, 3] = shape[0] - 1
    sides = pair(tmp_path, "a", shape, DTYPES.get(kind, "u1"), labels=3 if "labels" in kind else 1,
                 ending=".nii" if kind == "plain" else ".nii.gz")
    if kind == "turned":
        save(tmp_path / "pred/a.nii.gz", blocks(shape)[::-1], flipped)
    options = ["--metrics", metrics, "--jobs", 1,
               "--reader", "auto" if "runs" in kind else "buffer"]
    if "labels" in kind:
        options += ["--labels", "1,2,3"]
    refused = assay("score", *sides, *options, "--max-memory", "1M", status=2).stderr
    estimate = float(re.search(r"about (\d+) MB", refused)[1]) * 1e6
    _, _, peak = measured("score", *sides, *options, "--json")
    print(f"{metrics} {kind}: estimate {estimate / 1e6:.0f} MB, measured {peak / 1e6:.0f} MB, "
          f"ratio {estimate / peak:.2f}")
    assert peak <= estimate <= 2.5 * peak


def test_maps_of_probabilities_need_more(tmp_path):
    shape = (160, 160, 160)
    save(tmp_path / "pred/a.nii.gz", numpy.random.default_rng(1).random(shape).astype("f4"))
    save(tmp_path / "ref/a.nii.gz", blocks(shape))
    options = [tmp_path / "pred", tmp_path / "ref", "--metrics", "probability"]
    refused = assay("score", *options, "--max-memory", "1M", status=2).stderr
    _, _, peak = measured("score", *options, "--json")
    assert peak <= float(re.search(r"about (\d+) MB", refused)[1]) * 1e6 <= 2.5 * peak


def test_predictions_are_held_to_it(tmp_path):
    model = threshold_network(tmp_path / "model/weights.safetensors")
    save(tmp_path / "in/large.nii.gz", numpy.zeros((256, 256, 256), "f4"))
    save(tmp_path / "in/small.nii.gz", numpy.zeros((9, 8, 7), "f4"))
    out, _, peak = measured("predict", model, tmp_path / "in", "--recipe", "none", *OF_THRESHOLD,
                            "--out", tmp_path / "out", "--max-memory", "60M", "--json", status=3)
    errors = [image.get("error") for image in json.loads(out)["images"]]
    assert "256x256x256 voxels of 4 bytes" in errors[0] and not errors[1]
    assert peak < 90e6


@pytest.mark.parametrize("size, status",
                         [("8G", 0), ("500M", 0), ("1.5GB", 0), ("2GiB", 0), ("1000000000", 0),
                          ("64 MiB", 0), ("", 2), ("x", 2), ("-1G", 2), ("0", 2), ("8", 2),
                          ("8X", 2), ("8GG", 2), ("nan", 2), ("1e99", 2)])
def test_sizes(tmp_path, size, status):
    sides = pair(tmp_path, "a", (9, 8, 7))
    done = assay("score", *sides, "--max-memory", size, status=status)
    if status:
        assert "is not a size of at least 1 MB; write, for example" in done.stderr or size == ""

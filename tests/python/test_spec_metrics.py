"""assay.spec.metrics: the specification's test section as data, its vectors, and its formulas in
torch as oracle."""
import math
import warnings

import numpy as np
import pytest

from assay import spec
from spec_vectors import cases, close, described, from_counts, mask, reference, unpacked
from support import vectors

CUBE = (10, 10, 10)
ALL = [(0, 10)] * 3
LOW, HIGH = [(0, 5), (0, 10), (0, 10)], [(5, 10), (0, 10), (0, 10)]
CORE = [(3, 7)] * 3
INF = math.inf


def random_pair(seed, shape=(8, 8, 8)):
    chance = np.random.default_rng(seed)
    return [(chance.random(shape) > 0.5).astype(np.float32) for _ in range(2)]


# (prediction, target), then Dice, AVD and MCC.
SECTION_3_1 = {
    "perfect overlap": (mask(CUBE, ALL), mask(CUBE, ALL), 1.0, 0.0, 0.0),
    "no overlap": (mask(CUBE, LOW), mask(CUBE, HIGH), 1e-9, 0.0, -1.0),
    "partial overlap": (mask(CUBE, [(2, 8)] * 3), mask(CUBE, [(4, 10)] * 3), 128 / 432, 0.0,
                        (64 * 632 - 152**2) / (216 * 784)),
    "empty masks": (mask(CUBE), mask(CUBE), 1.0, 0.0, 0.0),
    "perfect volume": (mask(CUBE, CORE), mask(CUBE, CORE), 1.0, 0.0, 1.0),
    "double volume": (mask(CUBE, ALL), mask(CUBE, LOW), 2 / 3, 1.0, 0.0),
    "half volume": (mask(CUBE, LOW), mask(CUBE, ALL), 2 / 3, 0.5, 0.0),
    "empty target": (mask(CUBE, ALL), mask(CUBE), 1e-9, INF, 0.0),
    "inverse": (mask(CUBE, CORE, inverted=True), mask(CUBE, CORE), 1e-9, 936 / 64 - 1, -1.0),
}


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16, np.uint8, np.int64, bool])
@pytest.mark.parametrize("name", SECTION_3_1)
def test_of_the_specification(name, kind):
    pred, target, dice, avd, mcc = SECTION_3_1[name]
    pred, target = pred.astype(kind), target.astype(kind)
    found = spec.SegmentationMetrics().compute_single(pred, target)
    assert close(found, {"dice": dice, "avd": avd, "mcc": mcc}, 1e-6), found
    assert found["dice"] == spec.dice_coefficient(pred, target)
    assert found["avd"] == spec.average_volume_difference(pred, target)
    assert found["mcc"] == spec.matthews_correlation_coefficient(pred, target)
    assert all(type(value) is float for value in found.values())


@pytest.mark.parametrize("seed", range(10))
def test_ranges(seed):
    pred, target = random_pair(seed)
    assert 0 <= spec.dice_coefficient(pred, target) <= 1
    assert -1 <= spec.matthews_correlation_coefficient(pred, target) <= 1


def test_a_random_prediction_has_an_mcc_near_zero():
    assert abs(spec.matthews_correlation_coefficient(*random_pair(42, (100, 100, 100)))) < 0.1


def test_a_batch():
    metrics = spec.SegmentationMetrics()
    preds, targets = random_pair(1, (4, 8, 8, 8))
    each = [metrics.compute_single(p, t) for p, t in zip(preds, targets)]
    full, means = metrics.compute_with_stats(preds, targets), metrics.compute_batch(preds, targets)
    assert list(full) == list(means) == ["dice", "avd", "mcc"]
    for key, found in full.items():
        assert found.name == key.upper()
        assert found.values == [one[key] for one in each] and len(found.values) == 4
        assert found.mean == pytest.approx(means[key]) == pytest.approx(np.mean(found.values))
        assert found.std == pytest.approx(np.std(found.values, ddof=0))


def test_an_infinite_avd_reaches_the_mean_without_a_warning():
    preds, targets = np.ones((2, 4, 4, 4)), np.stack([np.ones((4, 4, 4)), np.zeros((4, 4, 4))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = spec.SegmentationMetrics().compute_with_stats(preds, targets)["avd"]
    assert found.values == [0.0, INF] and found.mean == INF and math.isnan(found.std)


def test_counts_and_shapes():
    pred, target = mask(CUBE, LOW), mask(CUBE, [(4, 10), (0, 10), (0, 10)])
    found = spec.compute_confusion_matrix(pred[None], target)
    assert found == {"tp": 100, "tn": 0, "fp": 400, "fn": 500}
    assert all(type(count) is int for count in found.values())
    assert (spec.compute_confusion_matrix(np.asfortranarray(pred), np.asfortranarray(target))
            == found)
    assert spec.compute_confusion_matrix(np.asfortranarray(pred), target) == found
    assert (spec.compute_confusion_matrix(pred[::2], target[::2])
            == {"tp": 100, "tn": 0, "fp": 200, "fn": 200})


@pytest.mark.parametrize("call, error, words",
                         [
                             (lambda: spec.dice_coefficient(np.ones(8), np.ones(1)), ValueError,
                              "as many voxels"),
                             (lambda: spec.dice_coefficient(np.full(8, np.nan), np.ones(8)),
                              ValueError, "pred holds NaN"),
                             (lambda: spec.dice_coefficient(np.array(["a"]), np.ones(1)), TypeError,
                              "pred must hold numbers"),
                             (lambda: spec.SegmentationMetrics().compute_batch(
                                 np.ones((2, 3)), np.ones((3, 3))), ValueError, "as many samples"),
                             (lambda: spec.SegmentationMetrics().compute_batch(
                                 np.ones((0, 3)), np.ones((0, 3))), ZeroDivisionError,
                              "no samples"),
                         ])
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


# Masks of other values, as the specification adds them up: prediction, target, Dice, AVD, MCC.
NOT_BINARY = [
    ([0, 255, 255], [0, 255, 255], 255.0, 0.0, 1.0),
    ([0.5, 0.25, 0], [1.0, 0, 0], 2 * 0.5 / 1.75, 0.25, 0.5),
    ([-1, 1, 0, 0], [1, 0, 1, 0], -1.0, 1.0, 0.0),
    ([0.5, 1.5], [1.0, 0.0], 1 / 3, 1.0, 0.0),
]


@pytest.mark.parametrize("pred, target, dice, avd, mcc", NOT_BINARY)
def test_other_values_are_added_up_with_a_warning(pred, target, dice, avd, mcc):
    pred, target = np.array(pred, np.float32), np.array(target, np.float32)
    with pytest.warns(UserWarning, match="other than 0 and 1"):
        found = spec.SegmentationMetrics().compute_single(pred, target)
    assert close(found, {"dice": dice, "avd": avd, "mcc": mcc}, 1e-6), found


def test_metric_result_is_printed():
    assert str(spec.MetricResult("DICE", 0.876, 0.016, [])) == "0.876 (0.016)"


FUNCTIONS = {
    "metrics_dice": spec.dice_coefficient,
    "metrics_avd": spec.average_volume_difference,
    "metrics_mcc": spec.matthews_correlation_coefficient,
}


@pytest.mark.parametrize("case", cases(*FUNCTIONS))
def test_vectors(case):
    given = case["input"]
    pair = (from_counts(given["confusion"]) if "confusion" in given
            else (described(given["pred"]), described(given["target"])))
    found = FUNCTIONS[case["category"]](*pair)
    assert close(found, case["expected"], case["tolerance"])
    if "original_output" in case:
        assert found == pytest.approx(case["original_output"], rel=1e-6)


@pytest.mark.parametrize("case", cases("metrics_batch"))
def test_vectors_of_batches(case):
    preds, targets = (np.stack([described(each) for each in case["input"][side]])
                      for side in ("preds", "targets"))
    found = spec.SegmentationMetrics().compute_with_stats(preds, targets)
    assert close({key: vars(value) for key, value in found.items()}, case["expected"],
                 case["tolerance"])


@pytest.mark.parametrize("case", cases("metric_format"))
def test_vectors_of_formats(case):
    assert str(spec.MetricResult("x", values=[], **case["input"])) == case["expected"]


@pytest.mark.parametrize("entry", reference("metrics_masks", "cases"))
def test_reference_masks(entry):
    pred, target = unpacked(entry, "pred"), unpacked(entry, "target")
    assert spec.compute_confusion_matrix(pred, target) == entry["confusion"]
    assert close(spec.SegmentationMetrics().compute_single(pred, target), entry["spec"], 1e-12)


@pytest.mark.parametrize("entry", reference("metrics_large_boxes"))
def test_reference_boxes(entry):
    pair = (mask(entry["shape"], entry[f"{side}_box"], dtype=np.uint8)
            for side in ("pred", "target"))
    assert close(spec.SegmentationMetrics().compute_single(*pair), entry["spec"], 1e-12)


@pytest.mark.parametrize("entry", reference("mcc_from_counts"))
def test_reference_mcc(entry):
    if sum(entry[key] for key in ("tp", "fp", "fn", "tn")) > 5e7:
        # Too many voxels to make; the formula alone, which does not overflow as the specification's
        # does.
        counts = [entry[key] for key in ("tp", "fp", "fn", "tn")]
        found = spec.metrics._mcc(spec.metrics._Evidence(*counts, 0, 0, 0, True))
        assert found == pytest.approx(entry["mcc_float64"], abs=1e-6)
    else:
        assert (spec.matthews_correlation_coefficient(*from_counts(entry))
                == entry["mcc_spec_float32"])


def test_reference_statistics():
    entry = vectors("specification-reference")["compute_with_stats"]
    found = spec.SegmentationMetrics().compute_with_stats(
        unpacked(entry, "pred"), unpacked(entry, "target"))
    for key, expected in entry["result"].items():
        assert str(found[key]) == expected.pop("str")
        assert close(vars(found[key]), expected, 1e-12)


def in_torch(torch, pred, target, smooth):
    """The specification's formulas, in its own single precision."""
    p, t = pred.flatten().float(), target.flatten().float()
    dice = ((2.0 * (p * t).sum() + smooth) / (p.sum() + t.sum() + smooth)).item()
    volumes = pred.sum().float().item(), target.sum().float().item()
    avd = (abs(volumes[0] - volumes[1]) / volumes[1] if volumes[1]
           else (INF if volumes[0] > 0 else 0.0))
    p, t = pred.flatten().bool(), target.flatten().bool()
    tp, tn, fp, fn = ((a & b).sum().float() for a, b in ((p, t), (~p, ~t), (p, ~t), (~p, t)))
    below = torch.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return {"dice": dice, "avd": avd,
            "mcc": 0.0 if below == 0 else ((tp * tn - fp * fn) / below).item()}


@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "uint8", "bool"])
@pytest.mark.parametrize("seed", range(12))
def test_equals_torch_to_the_last_bit(seed, kind):
    torch = pytest.importorskip("torch")
    chance = np.random.default_rng(seed)
    shape = tuple(chance.integers(1, 30, 3))
    pred, target = (torch.from_numpy(chance.random(shape) < chance.choice([0, 0.01, 0.3, 1]))
                    for _ in range(2))
    pred, target = pred.to(getattr(torch, kind)), target.to(getattr(torch, kind))
    for smooth in (1e-6, 1.0):
        assert (spec.SegmentationMetrics(smooth).compute_single(pred[None], target)
                == in_torch(torch, pred, target, smooth))


def test_tensors_and_arrays_agree():
    torch = pytest.importorskip("torch")
    preds, targets = random_pair(3, (3, 6, 5, 4))
    tensors = torch.from_numpy(preds).requires_grad_(), torch.from_numpy(targets)
    metrics = spec.SegmentationMetrics()
    assert metrics.compute_with_stats(*tensors) == metrics.compute_with_stats(preds, targets)

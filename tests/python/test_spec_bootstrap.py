"""assay.spec.bootstrap: accuracy of labels of any kind, and the bootstrap against NumPy's own
loop."""
import math

import numpy as np
import pytest

from assay import spec
from spec_vectors import cases, close, reference

METRICS = {"accuracy": spec.accuracy, "balanced_accuracy": spec.balanced_accuracy}

# Predictions, truths, accuracy, balanced accuracy.
SCORES = [
    ("abcde", "abcde", 1.0, 1.0),
    ("ababa", "abcde", 0.4, 0.4),
    ("aaaaa", "aaaab", 0.8, 0.5),
    ([None, "b"], ["a", "b"], 0.5, 0.5),
    ([-1, 2, 3], [1, 2, 2], 1 / 3, 0.25),
    (["3", "x"], ["3", "3"], 0.5, 0.5),  # a class that only predictions have is no class
]


@pytest.mark.parametrize("predictions, truths, plain, balanced", SCORES)
def test_scores(predictions, truths, plain, balanced):
    predictions, truths = list(predictions), list(truths)
    assert spec.accuracy(predictions, truths) == pytest.approx(plain)
    assert spec.balanced_accuracy(predictions, truths) == pytest.approx(balanced)
    assert spec.accuracy(np.array(predictions, object), tuple(truths)) == pytest.approx(plain)


def by_numpy(predictions, truths, metric_fn, n_replicates, seed):
    """The specification's algorithm."""
    chance, size, scores = np.random.default_rng(seed), len(predictions), []
    for _ in range(n_replicates):
        chosen = chance.choice(size, size=size, replace=True)
        scores.append(metric_fn([predictions[i] for i in chosen], [truths[i] for i in chosen]))
    return {"mean": np.mean(scores), "std": np.std(scores, ddof=1),
            "ci_lower": np.percentile(scores, 2.5), "ci_upper": np.percentile(scores, 97.5),
            "n_replicates": n_replicates}


def exact_match_of_first_half(predictions, truths):
    """A metric of the user's own that depends on order."""
    half = max(1, len(truths) // 2)
    return sum(p == t for p, t in zip(predictions[:half], truths[:half])) / half


@pytest.mark.parametrize("metric_fn", [*METRICS.values(), exact_match_of_first_half])
@pytest.mark.parametrize("size, seed", [(1, 0), (7, 42), (60, 123), (40, 2**70)])
def test_equals_numpy(metric_fn, size, seed):
    chance = np.random.default_rng(size)
    truths = [f"class {i}" for i in chance.integers(0, 4, size)]
    predictions = [t if chance.random() < 0.6 else "class 9" for t in truths]
    found = spec.bootstrap_metric(predictions, truths, metric_fn, n_replicates=120, seed=seed)
    assert close(vars(found), by_numpy(predictions, truths, metric_fn, 120, seed), 1e-12)


def test_the_metric_is_given_lists_and_its_errors_come_through():
    def picky(predictions, truths):
        assert type(predictions) is list and type(truths) is list
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        spec.bootstrap_metric(["a"], ["a"], picky)


def test_fields_and_defaults():
    assert spec.BootstrapResult(0.5, 0.1, 0.4, 0.6).n_replicates == 1000
    assert spec.bootstrap_metric([1, 2, 3], [1, 2, 3], spec.accuracy).n_replicates == 1000
    assert math.isnan(spec.bootstrap_metric([1, 2, 3], [1, 2, 2], spec.accuracy,
                                            n_replicates=1).std)


@pytest.mark.parametrize("case", cases("accuracy", "balanced_accuracy"))
def test_vectors_of_scores(case):
    assert close(METRICS[case["category"]](**case["input"]), case["expected"], case["tolerance"])


@pytest.mark.parametrize("case", cases("bootstrap"))
def test_vectors(case):
    given = dict(case["input"])
    metric_fn = METRICS[given.pop("metric", "accuracy")]
    if "raises" in case["expected"]:
        with pytest.raises(ValueError, match=case["expected"]["message_contains"]):
            spec.bootstrap_metric(**given, metric_fn=metric_fn)
        with pytest.raises(ValueError, match=case["expected"]["message_contains"]):
            metric_fn(given["predictions"], given["truths"])
        return
    assert close(vars(spec.bootstrap_metric(**given, metric_fn=metric_fn)), case["expected"],
                 case["tolerance"])


@pytest.mark.parametrize("entry", reference("bootstrap"))
def test_reference(entry):
    found = spec.bootstrap_metric(entry["predictions"], entry["truths"], METRICS[entry["metric"]],
                                  entry["n_replicates"], entry["seed"])
    expected = {key: entry[key] for key in ("mean", "ci_lower", "ci_upper", "n_replicates")}
    assert close(vars(found), {**expected, "std": entry["std_ddof1"]}, 1e-12)
    assert (METRICS[entry["metric"]](entry["predictions"], entry["truths"])
            == pytest.approx(entry["point"]))

# SPDX-License-Identifier: Apache-2.0
"""Accuracy of a classifier and its bootstrap, on NumPy's own random stream."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core, _stats

Metric = Callable[[list, list], float]


@dataclass
class BootstrapResult:
    """Mean and standard deviation (ddof 1) of the replicates, and their 2.5th and 97.5th
    percentiles.

    If classes are rare, replicates miss some of them, and the mean differs from the metric of the
    data itself. `assay.bootstrap_metric` also gives the latter, as `point`.
    """

    mean: float
    std: float
    ci_lower: float
    ci_upper: float
    n_replicates: int = 1000


def _checked(predictions: Sequence, truths: Sequence) -> None:
    if len(predictions) == 0 or len(truths) == 0:
        raise ValueError("Inputs must not be empty: give a prediction and a truth for each item")
    if len(predictions) != len(truths):
        raise ValueError(f"predictions and truths must have the same length, not "
                         f"{len(predictions)} and {len(truths)}")


def _codes(
    predictions: Sequence[Hashable], truths: Sequence[Hashable]
) -> tuple[np.ndarray, np.ndarray]:
    """Labels of any kind as whole numbers."""
    _checked(predictions, truths)
    seen: dict[Hashable, int] = {}
    p, t = ([seen.setdefault(label, len(seen)) for label in side] for side in (predictions, truths))
    return np.array(p, dtype=np.int64), np.array(t, dtype=np.int64)


def accuracy(predictions: Sequence[Hashable], truths: Sequence[Hashable]) -> float:
    """The share of items whose prediction is the truth."""
    return _core.accuracy(*_codes(predictions, truths))


def balanced_accuracy(predictions: Sequence[Hashable], truths: Sequence[Hashable]) -> float:
    """The mean over the true classes of the share of correct items in each (mean recall)."""
    return _core.balanced_accuracy(*_codes(predictions, truths))


def _named(metric_type: str) -> Metric:
    known: dict[str, Metric] = {"accuracy": accuracy, "balanced_accuracy": balanced_accuracy}
    if metric_type not in known:
        raise ValueError(f"unknown metric {metric_type!r} (known: {', '.join(known)})")
    return known[metric_type]


class MetricsCalculator:
    """Accuracy and balanced accuracy of labels of any kind.

    The specification names the class but not its methods. For a question without a label, pass any
    value that is not among the truths, such as None; it counts as wrong. `assay.qa_score` also
    gives the other policy, and bounds.
    """

    accuracy = staticmethod(accuracy)
    balanced_accuracy = staticmethod(balanced_accuracy)

    @staticmethod
    def compute(
        predictions: Sequence[Hashable], truths: Sequence[Hashable], metric_type: str = "accuracy"
    ) -> float:
        """Either metric, by the name that a task or an item gives it."""
        return _named(metric_type)(predictions, truths)


def bootstrap_metric(
    predictions: list[str],
    truths: list[str],
    metric_fn: Metric,
    n_replicates: int = 1000,
    seed: int = 42,
) -> BootstrapResult:
    """Bootstrap of a metric: N pairs drawn with replacement, `n_replicates` times.

    `accuracy` and `balanced_accuracy` of this module are scored by counting; any other function is
    called with two lists, once for every replicate and once more for the data. Items are assumed to
    be independent and are drawn by their position. `assay.bootstrap_metric` can resample clusters,
    such as slides.

    Args:
        predictions: Predicted labels.
        truths: True labels.
        metric_fn: Function of (predictions, truths).
        n_replicates: How many resamples to draw.
        seed: The seed of `numpy.random.default_rng`.

    Returns:
        BootstrapResult.
    """
    _checked(predictions, truths)
    if metric_fn in (accuracy, balanced_accuracy):
        found = _stats.bootstrap_metric(
            *_codes(predictions, truths), metric_fn.__name__, n_replicates, seed
        )
    else:

        def resampled(indices: np.ndarray) -> float:
            chosen = indices.astype(np.int64).tolist()
            return float(metric_fn([predictions[i] for i in chosen], [truths[i] for i in chosen]))

        numbers = np.arange(len(truths), dtype=np.float64)
        found = _stats.bootstrap(numbers, resampled, replicates=n_replicates, seed=seed)
    return BootstrapResult(found.mean, found.std, found.ci_lower, found.ci_upper,
                           found.n_replicates)


class BootstrapEvaluator:
    """`bootstrap_metric` with fixed settings: mean ± standard deviation, as the paper reports them.

    The specification names the class but not its methods. If classes are rare, the mean of the
    replicates differs from the score of the data. Publish the `point` of `assay.bootstrap_metric`
    or the point estimate of `assay.qa_score`.
    """

    def __init__(self, n_replicates: int = 1000, seed: int = 42) -> None:
        if n_replicates < 1:
            raise ValueError(f"n_replicates must be 1 or more, not {n_replicates}")
        self.n_replicates, self.seed = n_replicates, seed

    def evaluate(
        self,
        predictions: Sequence[Hashable],
        truths: Sequence[Hashable],
        metric_type: Metric | str = "accuracy",
    ) -> BootstrapResult:
        """Bootstrap of a metric, given by its name or as a function of (predictions, truths)."""
        metric = _named(metric_type) if isinstance(metric_type, str) else metric_type
        return bootstrap_metric(predictions, truths, metric, self.n_replicates, self.seed)

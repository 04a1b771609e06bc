# SPDX-License-Identifier: Apache-2.0
"""Question answering on whole slides: the specification's models, its reading of answers, and its metrics.

`extract_label` is the specification's code with all its traps: the article in "a lesion" is option A, the first number
in the prose is an answer, options match inside words. `assay.extract_label` reads what was asked for first.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import _core
from . import bootstrap
from .bootstrap import BootstrapResult

BENCHMARK_TASKS = {
    "tcga": {"questions": 221, "classes": 30, "metric": "balanced_accuracy"},
    "panda": {"questions": 197, "classes": 6, "metric": "balanced_accuracy"},
    "gtex": {"questions": 191, "classes": 20, "metric": "balanced_accuracy"},
    "tcga_expert_vqa": {"questions": 128, "metric": "accuracy"},
    "tcga_slidebench": {"questions": 197, "metric": "accuracy"},
}


@dataclass(kw_only=True)
class BenchmarkItem:
    """One question of the table."""

    benchmark_name: str
    benchmark_id: str
    image_path: str
    prompt: str
    options: list[str] | None = None
    metric_type: str
    truth_label: int
    wsi_path: str


@dataclass(kw_only=True)
class BenchmarkResult:
    """What became of one question. A cost of 0 can also mean that it is unknown; `assay qa` says null then."""

    item_id: str
    prediction: str
    predicted_label: int | None = None
    truth_label: int
    correct: bool
    cost_usd: float = 0.0
    total_tokens: int = 0
    trajectory_file: str
    error: str | None = None


@dataclass(frozen=True)
class ExtractedAnswer:
    """A label, and the answer without white space around it."""

    label: int | None
    raw: str


def extract_label(
    prediction: str, *, benchmark_name: str, options: list[str] | None
) -> ExtractedAnswer:
    """Return a canonical integer label for scoring.

    Multiple-choice tasks use labels from 1, PANDA its ISUP grades. Numbers are not checked: "Gleason 7" is
    grade 7 here. Use `assay.extract_label` for numbers that one publishes.
    """
    label, raw, _, _ = _core.extract_label(prediction, benchmark_name, list(options or ()), "spec")
    return ExtractedAnswer(label, raw)


class MetricsCalculator:
    """Accuracy and balanced accuracy of labels; a prediction of None or -1 is wrong."""

    @staticmethod
    def accuracy(predictions: Sequence, truths: Sequence) -> float:
        """The share of items whose prediction is the truth."""
        return bootstrap.accuracy(predictions, truths)

    @staticmethod
    def balanced_accuracy(predictions: Sequence, truths: Sequence) -> float:
        """The mean over the true classes of the share of their items that are right."""
        return bootstrap.balanced_accuracy(predictions, truths)

    @classmethod
    def compute(cls, predictions: Sequence, truths: Sequence, metric_type: str = "accuracy") -> float:
        """Either of them, by name."""
        return _metric(metric_type)(predictions, truths)


class BootstrapEvaluator:
    """Mean and standard deviation of a metric over resamples of the items, as the paper reports them."""

    def __init__(self, n_replicates: int = 1000, seed: int = 42) -> None:
        if n_replicates < 1:
            raise ValueError("n_replicates must be 1 or more")
        self.n_replicates = n_replicates
        self.seed = seed

    def evaluate(
        self, predictions: Sequence, truths: Sequence, metric_type: str = "accuracy"
    ) -> BootstrapResult:
        """The bootstrap of accuracy or balanced accuracy, by name."""
        return bootstrap.bootstrap_metric(
            predictions, truths, _metric(metric_type), self.n_replicates, self.seed
        )


def _metric(name: str):
    metrics = {"accuracy": bootstrap.accuracy, "balanced_accuracy": bootstrap.balanced_accuracy}
    if name not in metrics:
        raise ValueError(f"unknown metric {name!r} (known: {', '.join(metrics)})")
    return metrics[name]

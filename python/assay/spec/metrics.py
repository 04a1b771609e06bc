# SPDX-License-Identifier: Apache-2.0
"""Dice, AVD and MCC of binary masks, with the specification's smoothing and empty-mask values.

Masks are NumPy arrays or torch CPU tensors of any shape. The core counts voxels as exact integers.
The formulas then run in single precision, as in the specification, so that scores agree with it
(and so do the ties between scores that a rank test sees). `assay.metrics` gives the exact ratios
and None where a metric is undefined.
"""
from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._arrays import array, pair

Array = Any  # numpy.ndarray or torch.Tensor; torch is not imported just for a type hint


@dataclass
class MetricResult:
    """Single metric result with statistics; `std` divides by n (ddof 0)."""

    name: str
    mean: float
    std: float
    values: list[float]

    def __str__(self) -> str:
        """Format as 'mean (std)'."""
        return f"{self.mean:.3f} ({self.std:.3f})"


class _Evidence(NamedTuple):
    """Counts of voxels that are not 0, and sums of the values. For masks of 0 and 1 the sums follow
    from the counts."""

    tp: int
    fp: int
    fn: int
    tn: int
    both: float
    pred: float
    target: float
    is_binary: bool


def _is_binary(values: np.ndarray) -> bool:
    if values.dtype.kind == "b" or values.size == 0:
        return True
    if values.dtype.kind in "iu":
        return bool(values.max() <= 1 and values.min() >= 0)
    return bool(((values == 0) | (values == 1)).all())


def _flat(pred: Array, target: Array) -> tuple[np.ndarray, np.ndarray]:
    """Both in one dimension. (1, D, H, W) goes with (D, H, W); different sizes are refused."""
    a, b = array(pred, "pred"), array(target, "target")
    if a.size != b.size:
        raise ValueError(
            f"pred has shape {a.shape}, target has {b.shape}; they must have as many voxels"
        )
    if a.shape == b.shape:
        a, b = pair(a, b)
    return a.reshape(-1), b.reshape(-1)


def _evidence(pred: Array, target: Array) -> _Evidence:
    a, b = _flat(pred, target)
    if _is_binary(a) and _is_binary(b):
        tp, fp, fn, tn = _core.count(a, b, None)
        return _Evidence(tp, fp, fn, tn, tp, tp + fp, tp + fn, True)
    x, y = a.astype(np.float64), b.astype(np.float64)
    for name, values in (("pred", x), ("target", y)):
        if np.isnan(values).any():
            raise ValueError(f"{name} holds NaN, which a mask cannot contain")
    counts = _core.count(x != 0, y != 0, None)
    return _Evidence(*counts, float(x @ y), float(x.sum()), float(y.sum()), False)


def _warn_of_values(evidence: _Evidence) -> None:
    if not evidence.is_binary:
        warnings.warn(
            "a mask holds values other than 0 and 1, and the specification's Dice and AVD add them "
            "up as "
            "they are; pass mask > 0, or use assay.dice_coefficient",
            stacklevel=3,
        )


def _dice(e: _Evidence, smooth: float) -> float:
    with np.errstate(invalid="ignore", divide="ignore"):
        above = np.float32(2 * e.both) + np.float32(smooth)
        return float(above / (np.float32(e.pred) + np.float32(e.target) + np.float32(smooth)))


def _avd(e: _Evidence) -> float:
    pred, target = float(np.float32(e.pred)), float(np.float32(e.target))
    if target == 0:
        return float("inf") if pred > 0 else 0.0
    return abs(pred - target) / target


def _mcc(e: _Evidence) -> float:
    tp, fp, fn, tn = (np.float32(count) for count in e[:4])
    with np.errstate(over="ignore"):
        denominator = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    if denominator == 0:
        return 0.0
    if not np.isfinite(denominator):  # beyond single precision: gigapixel masks
        return float(_core.scores(e[:4], 0.0, "mcc", "metrics-reloaded", 1.0)["mcc"])
    return float((tp * tn - fp * fn) / denominator)


def dice_coefficient(pred: Array, target: Array, smooth: float = 1e-6) -> float:
    """Compute DICE coefficient: (2 |A ∩ B| + smooth) / (|A| + |B| + smooth).

    The smoothing leaks: a missed lesion scores 1e-6 / |B| instead of 0. `assay.dice_coefficient` is
    exact and has its own rule for two empty masks.

    Args:
        pred: Predicted binary mask (B, D, H, W) or (D, H, W).
        target: Ground truth binary mask (as many voxels as pred).
        smooth: Smoothing factor to avoid division by zero.

    Returns:
        DICE coefficient in [0, 1].
    """
    evidence = _evidence(pred, target)
    _warn_of_values(evidence)
    return _dice(evidence, smooth)


def average_volume_difference(pred: Array, target: Array) -> float:
    """Compute Average Volume Difference: |V_pred - V_true| / V_true.

    Infinite when only the target is empty, and then so is every mean that it enters;
    `assay.metrics` gives None there.

    Args:
        pred: Predicted binary mask.
        target: Ground truth binary mask.

    Returns:
        AVD (0 = perfect, higher = worse).
    """
    evidence = _evidence(pred, target)
    _warn_of_values(evidence)
    return _avd(evidence)


def matthews_correlation_coefficient(pred: Array, target: Array) -> float:
    """Compute Matthews Correlation Coefficient; every value but 0 is foreground.

    0 where it is undefined: if a mask, or both, is empty or full. `assay.metrics` gives None there.

    Args:
        pred: Predicted binary mask.
        target: Ground truth binary mask.

    Returns:
        MCC in [-1, 1] (1 = perfect, 0 = random, -1 = inverse).
    """
    return _mcc(_evidence(pred, target))


def compute_confusion_matrix(pred: Array, target: Array) -> dict[str, int]:
    """Compute confusion matrix elements; every value but 0 is foreground.

    Args:
        pred: Predicted binary mask.
        target: Ground truth binary mask.

    Returns:
        Dictionary with tp, tn, fp, fn counts.
    """
    e = _evidence(pred, target)
    return {"tp": e.tp, "tn": e.tn, "fp": e.fp, "fn": e.fn}


def metric_results(samples: list[dict[str, float]]) -> dict[str, MetricResult]:
    """The samples' scores as one MetricResult per metric. Without samples the mean is NaN, as in
    NumPy."""
    results = {}
    for key in ("dice", "avd", "mcc"):
        values = [sample[key] for sample in samples]
        with np.errstate(invalid="ignore"):  # infinity minus infinity: the std is NaN
            mean = float(np.mean(values)) if values else float("nan")
            std = float(np.std(values)) if values else float("nan")
        results[key] = MetricResult(name=key.upper(), mean=mean, std=std, values=values)
    return results


class SegmentationMetrics:
    """Compute all segmentation metrics for batch evaluation.

    Usage:
        metrics = SegmentationMetrics()
        results = metrics.compute_batch(predictions, targets)
    """

    def __init__(self, smooth: float = 1e-6) -> None:
        """Initialize metrics calculator.

        Args:
            smooth: Smoothing factor for DICE computation.
        """
        self.smooth = smooth

    def compute_single(self, pred: Array, target: Array) -> dict[str, float]:
        """Compute all metrics for a single sample.

        Args:
            pred: Predicted binary mask (D, H, W) or (1, D, H, W).
            target: Ground truth binary mask (same shape).

        Returns:
            Dictionary with dice, avd, mcc values.
        """
        evidence = _evidence(pred, target)
        _warn_of_values(evidence)
        return {"dice": _dice(evidence, self.smooth), "avd": _avd(evidence), "mcc": _mcc(evidence)}

    def compute_samples(self, preds: Array, targets: Array) -> list[dict[str, float]]:
        """The metrics of each sample of a batch."""
        a, b = array(preds, "preds"), array(targets, "targets")
        if a.ndim == 0 or b.ndim == 0 or a.shape[0] != b.shape[0]:
            raise ValueError(
                f"preds has shape {a.shape}, targets has {b.shape}; they must have as many samples"
            )
        return [self.compute_single(p, t) for p, t in zip(a, b)]

    def compute_batch(self, preds: Array, targets: Array) -> dict[str, float]:
        """Compute mean metrics for a batch.

        Args:
            preds: Predicted masks (B, D, H, W).
            targets: Ground truth masks (B, D, H, W).

        Returns:
            Dictionary with mean dice, avd, mcc values.
        """
        samples = self.compute_samples(preds, targets)
        if not samples:
            raise ZeroDivisionError("preds holds no samples, so there is no mean")
        return {key: sum(each[key] for each in samples) / len(samples) for key in samples[0]}

    def compute_with_stats(self, preds: Array, targets: Array) -> dict[str, MetricResult]:
        """Compute metrics with mean, std, and per-sample values.

        Args:
            preds: Predicted masks (B, D, H, W).
            targets: Ground truth masks (B, D, H, W).

        Returns:
            Dictionary with MetricResult for each metric.
        """
        return metric_results(self.compute_samples(preds, targets))

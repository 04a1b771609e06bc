# SPDX-License-Identifier: Apache-2.0
"""Metrics of two masks. Foreground is a value above 0; masks of {0, 1}, {0, 255} and booleans give the same."""
import math

from . import _core
from ._arrays import array, pair


def confusion_matrix(pred, target):
    """Counts of two masks as dict(tp, tn, fp, fn)."""
    tp, fp, fn, tn = _core.count(*pair(pred, target), None)
    return {"tp": tp, "tn": tn, "fp": fp, "fn": fn}


def dice_coefficient(pred, target, smooth=0.0):
    """2 TP / (2 TP + FP + FN); 1.0 for two empty masks. `smooth` is added to numerator and denominator."""
    tp, fp, fn, _ = _core.count(*pair(pred, target), None)
    below = 2 * tp + fp + fn + smooth
    return (2 * tp + smooth) / below if below else 1.0


def average_volume_difference(pred, target):
    """|V_pred - V_target| / V_target; 0.0 for two empty masks, inf when only the target is empty."""
    tp, fp, fn, _ = _core.count(*pair(pred, target), None)
    if tp + fn == 0:
        return math.inf if fp else 0.0
    return abs(fp - fn) / (tp + fn)


def matthews_correlation_coefficient(pred, target):
    """Matthews correlation coefficient; 0.0 where it is undefined (a mask that is empty or full)."""
    counts = _core.count(*pair(pred, target), None)
    found = _core.scores(counts, 0.0, "mcc", "metrics-reloaded", 1.0)["mcc"]
    return 0.0 if found is None else found


def metrics(pred, ref, spacing=(1, 1, 1), label=None, metrics="all", convention="metrics-reloaded", nsd_tolerance=1.0,
            beta=1.0):
    """Metrics of one pair of masks as a dict, None where a metric is undefined.

    `label` scores the voxels equal to it instead of all above 0; `metrics` is a group ("paper", "overlap", "all"), names with
    commas, or a list of names; `spacing` is the voxel size in mm.
    """
    prediction, reference = pair(pred, ref, ("pred", "ref"))
    names = metrics if isinstance(metrics, str) else ",".join(metrics)
    sizes = [float(x) for x in array(spacing, "spacing").ravel()]
    if len(sizes) < prediction.ndim or not all(x > 0 and math.isfinite(x) for x in sizes):
        raise ValueError(f"spacing needs a positive size in mm for each of the {prediction.ndim} axes, not {spacing!r}")
    counts = _core.count(prediction, reference, None if label is None else float(label))
    return _core.scores(counts, math.prod(sizes) / 1000, names, convention, float(beta))

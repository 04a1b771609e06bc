# SPDX-License-Identifier: Apache-2.0
"""Metrics of two masks. Foreground is a value above 0; masks of {0, 1}, {0, 255} and booleans give the same."""
from __future__ import annotations

import json
import math

from . import _core
from ._arrays import array, oriented_pair, pair

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Any, Iterable, Sequence

    from numpy.typing import ArrayLike


def metric_table() -> list[dict[str, Any]]:
    """Every metric as a dict: key, title, group, formula, unit, direction, range, empty, worst, note, reference."""
    return json.loads(_core.metric_table())["metrics"]


_ROWS = {row["key"]: row for row in metric_table()}


def _described(name):
    """Puts what the metric table says of a metric behind the function's own sentence."""

    def add(function):
        row = _ROWS[name]
        function.__doc__ = (f"{row['title']}: {row['formula']}.\n\n    {function.__doc__}\n\n    {row['note']}\n"
                            f"    Definition: {row['reference']}.\n    ")
        return function

    return add


def confusion_matrix(pred: ArrayLike, target: ArrayLike) -> dict[str, int]:
    """Counts of two masks as dict(tp, tn, fp, fn)."""
    tp, fp, fn, tn = _core.count(*pair(pred, target), None)
    return {"tp": tp, "tn": tn, "fp": fp, "fn": fn}


@_described("dice")
def dice_coefficient(pred: ArrayLike, target: ArrayLike, smooth: float = 0.0) -> float:
    """1.0 for two empty masks. `smooth` is added to numerator and denominator."""
    tp, fp, fn, _ = _core.count(*pair(pred, target), None)
    below = 2 * tp + fp + fn + smooth
    return (2 * tp + smooth) / below if below else 1.0


@_described("avd")
def average_volume_difference(pred: ArrayLike, target: ArrayLike) -> float:
    """0.0 for two empty masks, inf when only the target is empty."""
    tp, fp, fn, _ = _core.count(*pair(pred, target), None)
    if tp + fn == 0:
        return math.inf if fp else 0.0
    return abs(fp - fn) / (tp + fn)


@_described("mcc")
def matthews_correlation_coefficient(pred: ArrayLike, target: ArrayLike) -> float:
    """0.0 where it is undefined (a mask that is empty or full)."""
    counts = _core.count(*pair(pred, target), None)
    found = _core.scores(counts, 0.0, "mcc", "metrics-reloaded", 1.0)["mcc"]
    return 0.0 if found is None else found


def _label(label):
    """The label as the exact number that it is."""
    if label is None:
        return None
    found = float(label)
    if found != label:  # NaN, and whole numbers that a double cannot hold
        raise ValueError(f"label must be a number that 64 bits hold exactly, not {label!r}")
    return found


def _sizes(spacing, axes):
    """The sizes of a voxel in mm; what is flat counts as 1 mm thick unless a third size is given."""
    sizes = [float(x) for x in array(spacing, "spacing").ravel()]
    if len(sizes) not in (axes, max(axes, 3)) or not all(x > 0 and math.isfinite(x) for x in sizes):
        raise ValueError(f"spacing needs a positive size in mm for each of the {axes} axes, not {spacing!r}")
    return sizes


def _tolerances(tolerances):
    """Millimetres above 0, one or several."""
    found = [float(x) for x in array(tolerances, "nsd_tolerance").ravel()]
    if not found or not all(x > 0 and math.isfinite(x) for x in found):
        raise ValueError(f"nsd_tolerance must be above 0 mm, not {tolerances!r}")
    return found


def metrics(pred: ArrayLike, ref: ArrayLike, spacing: Sequence[float] = (1, 1, 1), label: float | None = None,
            metrics: str | Iterable[str] = "all", convention: str = "metrics-reloaded", nsd_tolerance: float | Sequence[float] = 1.0,
            beta: float = 1.0) -> dict[str, float | None]:
    """Metrics of one pair of masks as a dict, None where a metric is undefined.

    `label` scores the voxels equal to it instead of all above 0; `metrics` is a group ("paper", "overlap", "boundary", "lesion", "all"),
    names with commas, or a list of names; `spacing` is the voxel size in mm; `convention` settles what definitions leave open.
    `nsd_tolerance` is in mm; further ones add keys such as "nsd@2mm". Lesions are found by any voxel in common, with 26
    neighbours. Arrays of more than three axes have no surfaces and no lesions here: those metrics are None.
    """
    prediction, reference, reversed_axes = oriented_pair(pred, ref, ("pred", "ref"))
    names = metrics if isinstance(metrics, str) else ",".join(metrics)
    sizes = _sizes(spacing, prediction.ndim)
    of_axes = sizes[: prediction.ndim]
    settings = {"metrics": names, "convention": convention, "beta": float(beta), "voxel_ml": math.prod(sizes) / 1000,
                "nsd_tolerance": _tolerances(nsd_tolerance)}
    return _core.metrics(prediction, reference, _label(label), of_axes[::-1] if reversed_axes else of_axes, settings)


metrics.__doc__ = f"{metrics.__doc__}\n    The metrics:\n\n" + "\n".join(
    f"    {name:<21} {row['title']}" + (f", {row['unit']}" if row["unit"] else "") + f": {row['formula']}"
    for name, row in _ROWS.items())

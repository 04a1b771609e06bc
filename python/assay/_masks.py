# SPDX-License-Identifier: Apache-2.0
"""Metrics of two masks. Foreground is a value above 0; masks of {0, 1}, {0, 255} and booleans give
the same."""
from __future__ import annotations

import json
import math

import numpy as np

from . import _core
from ._arrays import array, oriented_pair, pair, whole

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Any, Iterable, Sequence

    from numpy.typing import ArrayLike

    Counts = int | ArrayLike


def metric_table() -> list[dict[str, Any]]:
    """Every metric as a dict: key, title, group, formula, unit, direction, range, empty, failure,
    note, reference."""
    return json.loads(_core.metric_table())["metrics"]


_ROWS = {row["key"]: row for row in metric_table()}


def _described(name):
    """Adds what the metric table says about a metric to the function's docstring."""

    def add(function):
        row = _ROWS[name]
        function.__doc__ = (f"{row['title']}: {row['formula']}.\n\n    {function.__doc__}\n\n    "
                            f"{row['note']}\n"
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


def _counts(values, name):
    """Whole numbers of 0 or more: one as it is, several as an array."""
    if np.ndim(values) == 0:
        found = whole(values, name)
        if found >= 1 << 60:
            raise ValueError(f"{name} must be below 2**60")
        return np.int64(found)
    found = array(values, name)
    if (found.size
        and not (found.min() >= 0 and found.max() < 1 << 60
                 and np.array_equal(found, np.floor(found)))):
        raise ValueError(f"{name} must hold whole numbers of 0 or more")
    return found.astype(np.int64)


def scores(*, tp: Counts, fp: Counts, fn: Counts, tn: Counts,
           metrics: str | Iterable[str] = "overlap", convention: str = "metrics-reloaded",
           beta: float = 1.0, voxel_ml: float | ArrayLike = 0.001) -> dict[str, Any]:
    """Metrics of overlap and volume from counts of voxels, None where a metric is undefined.

    Counts may be arrays of one shape, for example with one entry per case; the values are then
    arrays, NaN where undefined. `voxel_ml` is the volume of a voxel for the metrics in ml; the
    default is that of a voxel of 1 × 1 × 1 mm. The counts may come from `confusion_matrix`, as in
    `scores(**confusion_matrix(pred, ref))`, or from the `evidence` of a result. The names in
    `metrics` are those of `assay.metrics`.

    >>> scores(tp=5760, fp=640, fn=640, tn=124032, metrics="dice,recall")
    {'dice': 0.9, 'recall': 0.9}
    """
    names = metrics if isinstance(metrics, str) else ",".join(metrics)
    names = "overlap" if names == "all" else names  # all metrics that follow from counts
    given = [_counts(tp, "tp"), _counts(fp, "fp"), _counts(fn, "fn"), _counts(tn, "tn"),
             _volumes(voxel_ml)]

    def of_one(tp, fp, fn, tn, volume):
        return _core.scores((int(tp), int(fp), int(fn), int(tn)), float(volume), names, convention,
                            float(beta))

    if all(np.ndim(each) == 0 for each in given):
        return of_one(*given)
    try:
        same = np.broadcast_arrays(*given)
    except ValueError:
        shapes = ", ".join(str(np.shape(each)) for each in given[:4])
        raise ValueError(f"tp, fp, fn and tn must have the same shape, not {shapes}") from None
    rows = [of_one(*each) for each in zip(*(each.ravel() for each in same))]
    keys = list(rows[0]) if rows else list(of_one(0, 0, 0, 0, 0))
    return {key: np.array([row[key] for row in rows], dtype=float).reshape(same[0].shape)
            for key in keys}


def _volumes(voxel_ml):
    found = np.asarray(array(voxel_ml, "voxel_ml"), dtype=float)
    if not np.all((found > 0) & np.isfinite(found)):
        raise ValueError(f"voxel_ml must be a volume above 0 ml, not {voxel_ml!r}")
    return found


def _label(label):
    """The label as an exact number."""
    if label is None:
        return None
    found = float(label)
    if found != label:  # NaN, and whole numbers that a double cannot hold
        raise ValueError(f"label must be a number that 64 bits hold exactly, not {label!r}")
    return found


def _sizes(spacing, axes):
    """The sizes of a voxel in mm; a flat array counts as 1 mm thick unless a third size is given.

    One number is the size along every axis. With more than three axes, three sizes are those of the
    spatial axes.
    """
    given = array(spacing, "spacing")
    sizes = [float(x) for x in given.ravel()] * (min(axes, 3) if given.ndim == 0 else 1)
    if len(sizes) not in (axes, 3) or not all(x > 0 and math.isfinite(x) for x in sizes):
        raise ValueError(f"spacing needs a positive size in mm for each of the {axes} axes, or one "
                         f"number for all, not {spacing!r}")
    return sizes


def _tolerances(tolerances):
    """One or several distances in millimetres, 0 or more."""
    found = [float(x) + 0.0 for x in array(tolerances, "nsd_tolerance").ravel()]  # -0 is 0
    if not found or not all(x >= 0 and math.isfinite(x) for x in found):
        raise ValueError(f"nsd_tolerance must be 0 mm or more, not {tolerances!r}")
    return found


def _number(value, name, least=-math.inf, most=math.inf):
    """A finite number within limits."""
    found = float(value)
    if not (least <= found <= most and math.isfinite(found)):
        raise ValueError(
            f"{name} must be"
            f" {f'from {least:g} to {most:g}' if math.isfinite(most) else f'{least:g} or more'},"
            f" not {value!r}"
        )
    return found


def _class_map(classes, label):
    """The probability of the label in each voxel. Without a label, the probability of any label
    but 0."""
    if label is None:
        return np.minimum(classes[1:].sum(axis=0, dtype=classes.dtype), 1)
    if label != int(label) or not 0 <= label < len(classes):
        raise ValueError(f"label must be one of the {len(classes)} classes, from 0 to "
                         f"{len(classes) - 1}, not {label:g}")
    return classes[int(label)]


def _read(pred, ref, label, threshold):
    """The prediction and the reference to compare, the label to compare them by, and the map of
    probabilities if there is one."""
    prediction, reference = array(pred, "pred"), array(ref, "ref")
    is_real = prediction.dtype.kind == "f"
    if (is_real and prediction.ndim == reference.ndim + 1
        and prediction.shape[1:] == reference.shape):
        chance, likeliest = _class_map(prediction, label), prediction.argmax(axis=0)
    else:
        chance, likeliest = (prediction if is_real and label is None else None), prediction
    if threshold is None:
        return likeliest, reference, label, chance
    if chance is None:
        raise ValueError("threshold needs probabilities: pred must hold real numbers, with a "
                         "leading axis of classes if there is a label")
    # an array, so that NumPy compares in double precision even if the map is in single
    limit = np.full((1,) * chance.ndim, _number(threshold, "threshold", 0, 1))
    return chance >= limit, reference if label is None else reference == label, None, chance


def metrics(pred: ArrayLike, ref: ArrayLike, spacing: float | Sequence[float] = (1, 1, 1),
            label: float | None = None, metrics: str | Iterable[str] = "all",
            convention: str = "metrics-reloaded", nsd_tolerance: float | Sequence[float] = 1.0,
            beta: float = 1.0, connectivity: int | None = None, lesion_rule: str | None = None,
            min_lesion_ml: float | None = None,
            threshold: float | None = None) -> dict[str, float | None]:
    """Metrics of one pair of masks as a dict, None where a metric is undefined.

    `label` scores the voxels equal to it instead of all above 0. `metrics` is a group ("standard",
    "paper", "overlap", "boundary", "lesion", "probability", "all"), names separated by commas, or a
    list of names. `spacing` is the voxel size in mm, one number if it is the same along every axis.
    `convention` settles what definitions leave open. `nsd_tolerance` is in mm; further tolerances
    add keys such as "nsd@2mm". `lesion_rule` ("any", "brats", "anima", "iou"), `connectivity` (6,
    18, 26) and `min_lesion_ml` say what a lesion is and when it is found (default: the
    convention's, or "any", 26 and 0).

    An array of two axes is measured in its plane. One with a third axis of length 1 is measured in
    its plane too, except under conventions whose tool measures it in space (docs/conventions.md).
    For arrays of more than three axes, the metrics of surfaces and lesions are None.

    Real numbers from 0 to 1 are a map of probabilities. `threshold` turns it into a mask. Without a
    threshold, every value above 0 is foreground. A warning says so if the array is a map, that is,
    if it holds several values besides 0 that are not all whole. With a leading axis of classes,
    class k is the probability of label k, and the most likely class is the prediction. "all"
    includes the probability metrics only if there are probabilities.
    """
    if connectivity not in (None, 6, 18, 26):
        raise ValueError(f"connectivity must be 6, 18 or 26, not {connectivity!r}")
    compared, reference, label, chance = _read(pred, ref, _label(label), threshold)
    prediction, reference, reversed_axes = oriented_pair(compared, reference, ("pred", "ref"))
    if chance is not None:
        chance = (prediction if chance is compared else np.asfortranarray(chance).T if reversed_axes
                  else np.ascontiguousarray(chance))
    names = metrics if isinstance(metrics, str) else ",".join(metrics)
    sizes = _sizes(spacing, prediction.ndim)
    of_axes = sizes[: prediction.ndim]
    settings = {"metrics": names, "convention": convention, "beta": float(beta),
                "voxel_ml": math.prod(sizes) / 1000, "nsd_tolerance": _tolerances(nsd_tolerance),
                "lesion_rule": lesion_rule,
                "connectivity": None if connectivity is None else int(connectivity),
                "min_lesion_ml": None if min_lesion_ml is None
                                 else _number(min_lesion_ml, "min_lesion_ml", 0),
                "probabilities": chance}
    found = _core.metrics(prediction, reference, label, of_axes[::-1] if reversed_axes else of_axes,
                          settings)
    if label is None and any(_ROWS.get(key, {}).get("group") != "probability" for key in found):
        _warn_of_maps(pred=prediction, ref=reference)
    return found


def _warn_of_maps(**arrays):
    """Warns when a map is treated as if it were a mask."""
    for name, values in arrays.items():
        if _core.is_map(values):
            import warnings

            warnings.warn(f"{name} is a map, not a mask: it holds several values besides 0 that "
                          f"are not all whole, and every value "
                          f"above 0 counted as foreground; {_REMEDIES[name]}", stacklevel=3)


_REMEDIES = {"pred": "give threshold=, such as 0.5, or pass pred != 0",
             "ref": "pass ref >= 0.5, for example, or ref != 0"}


metrics.__doc__ = f"{metrics.__doc__}\n    The metrics:\n\n" + "\n".join(
    f"    {name:<21} {row['title']}" + (f", {row['unit']}" if row["unit"] else "")
    + f": {row['formula']}"
    for name, row in _ROWS.items())

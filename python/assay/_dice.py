# SPDX-License-Identifier: Apache-2.0
"""Dice of batches (B, C, ...), as used in training code.

Policies: "assay" scores every sample and class and applies `if_empty` per entry; "mipcandy-doc",
"mipcandy-1.1.1" and "mipcandy-1.1.2" reproduce that package.
"""
from __future__ import annotations

import numpy as np

from . import _core
from ._arrays import array

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import ArrayLike

    Reduction = Literal["mean", "median", "sum", "none"]
    Policy = Literal["assay", "mipcandy-doc", "mipcandy-1.1.1", "mipcandy-1.1.2"]


def _batch(outputs, labels, kind, what):
    """Two contiguous arrays of rank 2 or more with the same shape and type."""
    a, b = array(outputs, "outputs"), array(labels, "labels")
    if a.shape != b.shape:
        raise ValueError(f"outputs and labels must have the same shape, not {a.shape} and "
                         f"{b.shape}")
    if a.dtype != b.dtype:
        raise TypeError(f"outputs and labels must have the same dtype, not {a.dtype} and {b.dtype}")
    if a.dtype.kind != kind:
        raise TypeError(f"{what}, not {a.dtype}")
    if a.ndim < 2:
        raise ValueError(f"outputs and labels must have shape (B, C, ...), not {a.shape}")
    return np.ascontiguousarray(a), np.ascontiguousarray(b)


def binary_dice(outputs: ArrayLike, labels: ArrayLike, *, if_empty: float = 1,
                reduction: Reduction = "mean", policy: Policy = "assay") -> float | np.ndarray:
    """Dice of boolean masks (B, 1, ...); `reduction` is mean, median, sum or none."""
    a, b = _batch(outputs, labels, "b", "binary_dice needs boolean arrays")
    return _core.binary_dice(a, b, float(if_empty), reduction, policy)


def dice_similarity_coefficient(outputs: ArrayLike, labels: ArrayLike, *, if_empty: float = 1,
                                reduction: Reduction = "mean",
                                policy: Policy = "assay") -> float | np.ndarray:
    """Dice per sample and class of one-hot float arrays (B, N, ...)."""
    a, b = _batch(outputs, labels, "f", "dice_similarity_coefficient needs float arrays")
    return _core.dice_similarity_coefficient(a, b, float(if_empty), reduction, policy)


def soft_dice(outputs: ArrayLike, labels: ArrayLike, *, smooth: float = 1, batch_dice: bool = True,
              reduction: Reduction = "mean", policy: Policy = "assay") -> float | np.ndarray:
    """(2 Σpg + smooth) / (Σp + Σg + smooth): per class over batch and space, or per sample and
    class without `batch_dice`."""
    a, b = _batch(outputs, labels, "f", "soft_dice needs float arrays")
    return _core.soft_dice(a, b, float(smooth), bool(batch_dice), reduction, policy)


def soft_dice_grad(outputs: ArrayLike, labels: ArrayLike, *, smooth: float = 1,
                   batch_dice: bool = True, reduction: Reduction = "mean", policy: Policy = "assay",
                   grad_output: ArrayLike = 1.0) -> np.ndarray:
    """The gradient of `soft_dice` with respect to `outputs`, times `grad_output` (an array if
    `reduction` is "none").

    Soft Dice is symmetric: with the arguments swapped, this is the gradient with respect to
    `labels`.
    """
    a, b = _batch(outputs, labels, "f", "soft_dice_grad needs float arrays")
    upstream = np.ascontiguousarray(array(grad_output, "grad_output"), dtype=np.float64).ravel()
    return _core.soft_dice_grad(a, b, float(smooth), bool(batch_dice), reduction, policy, upstream)


def do_reduction(x: ArrayLike, method: Reduction) -> float | np.ndarray:
    """The mean, median or sum of all scores; "none" returns them unchanged."""
    values = array(x, "x")
    found = _core.reduce(np.ascontiguousarray(values, dtype=np.float64).ravel(), method, "assay")
    return found.reshape(values.shape) if method == "none" else found

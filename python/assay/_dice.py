# SPDX-License-Identifier: Apache-2.0
"""Dice of batches (B, C, ...), as training code has them.

Policies: "assay" scores every sample and class and puts `if_empty` in per entry; "mipcandy-doc", "mipcandy-1.1.1" and
"mipcandy-1.1.2" reproduce that package.
"""
import numpy as np

from . import _core
from ._arrays import array


def _batch(outputs, labels, kinds, what):
    """Two contiguous arrays of rank 2 or more with the same shape and type."""
    a, b = array(outputs, "outputs"), array(labels, "labels")
    if a.shape != b.shape:
        raise ValueError(f"outputs and labels must have the same shape, not {a.shape} and {b.shape}")
    if a.dtype != b.dtype:
        raise TypeError(f"outputs and labels must have the same dtype, not {a.dtype} and {b.dtype}")
    if a.dtype.kind not in kinds:
        raise TypeError(f"{what}, not {a.dtype}")
    if a.ndim < 2:
        raise ValueError(f"outputs and labels must have shape (B, C, ...), not {a.shape}")
    if a.dtype.kind == "f" and a.itemsize > 8:
        raise TypeError(f"{what} of at most 64 bits, not {a.dtype}")
    return np.ascontiguousarray(a), np.ascontiguousarray(b)


def binary_dice(outputs, labels, *, if_empty=1, reduction="mean", policy="assay"):
    """Dice of boolean masks (B, 1, ...); `reduction` is mean, median, sum or none."""
    a, b = _batch(outputs, labels, "b", "binary_dice needs boolean arrays")
    return _core.binary_dice(a, b, float(if_empty), reduction, policy)


def dice_similarity_coefficient(outputs, labels, *, if_empty=1, reduction="mean", policy="assay"):
    """Dice per sample and class of one-hot float arrays (B, N, ...)."""
    a, b = _batch(outputs, labels, "f", "dice_similarity_coefficient needs float arrays")
    return _core.dice_similarity_coefficient(a, b, float(if_empty), reduction, policy)


def soft_dice(outputs, labels, *, smooth=1, batch_dice=True, reduction="mean", policy="assay"):
    """(2 Σpg + smooth) / (Σp + Σg + smooth): per class over batch and space, or per sample and class."""
    a, b = _batch(outputs, labels, "f", "soft_dice needs float arrays")
    return _core.soft_dice(a, b, float(smooth), bool(batch_dice), reduction, policy)


def soft_dice_grad(outputs, labels, *, smooth=1, batch_dice=True, reduction="mean", policy="assay", grad_output=1.0):
    """The gradient of `soft_dice` by `outputs`, times `grad_output` (an array where reduction is "none")."""
    a, b = _batch(outputs, labels, "f", "soft_dice_grad needs float arrays")
    upstream = np.ascontiguousarray(array(grad_output, "grad_output"), dtype=np.float64).ravel()
    return _core.soft_dice_grad(a, b, float(smooth), bool(batch_dice), reduction, policy, upstream)


def do_reduction(x, method):
    """The mean, median or sum of all scores; "none" gives them back."""
    values = array(x, "x")
    found = _core.reduce(np.ascontiguousarray(values, dtype=np.float64).ravel(), method, "assay")
    return found.reshape(values.shape) if method == "none" else found

# SPDX-License-Identifier: Apache-2.0
"""Dice of batches (B, C, ...) by the rules of the Dice family's documentation.

Tensors give tensors (with a gradient from `soft_dice`), NumPy arrays give numbers and arrays. The
rules are odd in places: one empty class decides for the whole batch, soft Dice adds up all classes
so that the background dominates, and the median of an even number of scores is the lower of the two
in the middle. The functions of the same names in `assay` score every sample and class.
"""
from __future__ import annotations

import difflib
import functools
from typing import Any, Literal, get_args

import numpy as np

from .. import _core
from .._arrays import array

Array = Any  # numpy.ndarray or torch.Tensor; torch is not imported just for a type hint
Reduction = Literal["mean", "median", "sum", "none"]

POLICY = "mipcandy-doc"


def _is_tensor(x: Any) -> bool:
    return hasattr(x, "detach") and hasattr(x, "device")


def _type_name(dtype: Any) -> str:
    """One name for torch's and NumPy's types."""
    text = str(dtype)
    return text[len("torch."):] if text.startswith("torch.") else np.dtype(dtype).name


def _args_check(
    outputs: Array, labels: Array, *, dtype: Any = None, device: Any = None
) -> tuple[Any, Any]:
    """Validate that `outputs` and `labels` are compatible in shape, dtype, and device.

    Returns:
        The (dtype, device) of both; the device of a NumPy array is "cpu".

    Raises:
        ValueError: The shapes differ.
        TypeError: The types differ, or are not `dtype`.
        RuntimeError: The devices differ, or are not `device`.
    """
    shapes = tuple(outputs.shape), tuple(labels.shape)
    if shapes[0] != shapes[1]:
        raise ValueError(f"outputs and labels must have the same shape, not {shapes[0]} and "
                         f"{shapes[1]}")
    types = _type_name(outputs.dtype), _type_name(labels.dtype)
    if types[0] != types[1]:
        raise TypeError(f"outputs and labels must have the same dtype, not {types[0]} and "
                        f"{types[1]}")
    if dtype is not None and types[0] != _type_name(dtype):
        raise TypeError(f"outputs and labels must be {_type_name(dtype)}, not {types[0]}")
    where = getattr(outputs, "device", "cpu")
    devices = str(where), str(getattr(labels, "device", "cpu"))
    if devices[0] != devices[1]:
        raise RuntimeError(f"outputs and labels must be on the same device, not {devices[0]} and "
                           f"{devices[1]}")
    if device is not None and devices[0] != str(device):
        raise RuntimeError(f"outputs and labels must be on {device}, not {devices[0]}")
    return outputs.dtype, where


def _batch(outputs: Array, labels: Array, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    a = outputs if _is_tensor(outputs) else array(outputs, "outputs")
    b = labels if _is_tensor(labels) else array(labels, "labels")
    _args_check(a, b, dtype=dtype)
    if a.ndim < 2:
        raise ValueError(f"outputs and labels must have shape (B, C, ...), not {tuple(a.shape)}")
    return tuple(np.ascontiguousarray(array(x, name))
                 for x, name in ((a, "outputs"), (b, "labels")))


def _like(outputs: Array, scores: Any) -> Any:
    """A tensor if the inputs were tensors."""
    if not _is_tensor(outputs):
        return scores
    import torch

    return torch.as_tensor(scores, dtype=torch.float32)


def do_reduction(x: Array, method: Reduction) -> Any:
    """The mean, median or sum of all elements; "none" returns them unchanged.

    The median of an even number of scores is the lower of the two in the middle, as torch has it:
    0.8 for the documentation's example, which claims 0.825. `assay.do_reduction` gives 0.825.
    """
    if method not in get_args(Reduction):
        near = difflib.get_close_matches(str(method), get_args(Reduction), 1)
        hint = f"did you mean {near[0]!r}?" if near else f"use {', '.join(get_args(Reduction))}"
        raise ValueError(f"unknown reduction {method!r}; {hint}")
    if method == "none":
        return x
    if _is_tensor(x):
        return getattr(x, method)()
    values = np.ascontiguousarray(array(x, "x"), dtype=np.float64).ravel()
    return _core.reduce(values, method, POLICY)


def binary_dice(
    outputs: Array, labels: Array, *, if_empty: float = 1, reduction: Reduction = "mean"
) -> Any:
    """Dice of boolean masks (B, 1, ...), then reduced over the batch.

    A sample that is empty on both sides scores `if_empty`, as in the documentation's example of two
    samples (0.9). If every sample is empty, the result is `if_empty` whatever the reduction.

    Raises:
        TypeError: The masks are not boolean.
    """
    a, b = _batch(outputs, labels, "bool")
    scores = _core.binary_dice(a, b, float(if_empty), "none", POLICY)
    if isinstance(scores, np.ndarray):  # NaN: 0 / 0, a sample without foreground
        scores = np.where(np.isnan(scores), float(if_empty), scores)
    return do_reduction(_like(outputs, scores), reduction)


def dice_similarity_coefficient(
    outputs: Array, labels: Array, *, if_empty: float = 1, reduction: Reduction = "mean"
) -> Any:
    """2 TP / (2 TP + FP + FN) per sample and class of one-hot float32 arrays (B, N, ...), then
    reduced.

    One class of one sample without any foreground makes the whole result `if_empty`: by default a
    perfect score, however bad the rest is. `assay.dice_similarity_coefficient` uses `if_empty` for
    that entry only.

    Raises:
        TypeError: The arrays are not float32.
    """
    a, b = _batch(outputs, labels, "float32")
    scores = _core.dice_similarity_coefficient(a, b, float(if_empty), "none", POLICY)
    return do_reduction(_like(outputs, scores), reduction)


@functools.lru_cache(maxsize=None)
def _autograd() -> Any:
    """Soft Dice as a function that torch can differentiate; created for the first tensor."""
    import torch

    def gradient(a: Any, b: Any, context: Any, upstream: Any) -> Any:
        arrays = (np.ascontiguousarray(x.detach().numpy()) for x in (a, b))
        weights = upstream.detach().double().reshape(-1).numpy()
        return torch.from_numpy(_core.soft_dice_grad(
            *arrays, *context.settings, "none", POLICY, weights))

    class SoftDice(torch.autograd.Function):
        @staticmethod
        def forward(context, outputs, labels, smooth, batch_dice):
            context.save_for_backward(outputs, labels)
            context.settings = smooth, batch_dice
            a, b = _batch(outputs, labels, "float32")
            return _like(outputs, _core.soft_dice(a, b, smooth, batch_dice, "none", POLICY))

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(context, upstream):
            p, g = context.saved_tensors
            needs_p, needs_g = context.needs_input_grad[:2]
            by_p = gradient(p, g, context, upstream) if needs_p else None
            by_g = gradient(g, p, context, upstream) if needs_g else None  # the score is symmetric
            return by_p, by_g, None, None

    return SoftDice


def soft_dice(
    outputs: Array,
    labels: Array,
    *,
    smooth: float = 1,
    batch_dice: bool = True,
    reduction: Reduction = "mean",
) -> Any:
    """(2 Σpg + smooth) / (Σp + Σg + smooth) of float32 arrays (B, C, ...); differentiable for
    tensors.

    No sigmoid or softmax is applied. With `batch_dice` there is one score of the whole batch and
    all classes; without it, there is one per sample and class before reduction. `assay.soft_dice`
    keeps classes apart.

    Args:
        outputs: Probabilities.
        labels: Ground truth.
        smooth: Added to numerator and denominator.
        batch_dice: One score of the whole batch.
        reduction: Aggregation of the scores.

    Raises:
        TypeError: The arrays are not float32.
    """
    if _is_tensor(outputs) and _is_tensor(labels):
        scores = _autograd().apply(outputs, labels, float(smooth), bool(batch_dice))
    else:
        a, b = _batch(outputs, labels, "float32")
        scores = _like(outputs,
                       _core.soft_dice(a, b, float(smooth), bool(batch_dice), "none", POLICY))
    return do_reduction(scores, reduction)

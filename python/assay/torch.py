# SPDX-License-Identifier: Apache-2.0
"""Soft Dice that torch can differentiate; for tensors on the CPU. Needs torch."""
from __future__ import annotations

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from . import _core
from ._dice import _batch

__all__ = ["soft_dice"]


class _SoftDice(torch.autograd.Function):
    """The sums of the forward pass are all that the gradients need besides the tensors."""

    @staticmethod
    def forward(ctx, outputs, labels, smooth, batch_dice, reduction, policy):
        a, b = _batch(outputs, labels, "f", "soft_dice needs float tensors")
        ctx.sums = _core.soft_sums(a, b, batch_dice, policy)
        ctx.settings = (smooth, reduction, policy)
        ctx.save_for_backward(outputs, labels)
        return torch.as_tensor(_core.soft_score(ctx.sums, *ctx.settings), dtype=outputs.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        upstream = grad_output.detach().double().contiguous().numpy().ravel()
        gradients = [None, None]
        # The gradient with respect to one side is a linear function of the other side.
        for side, other in enumerate(reversed(ctx.saved_tensors)):
            if ctx.needs_input_grad[side]:
                values = np.ascontiguousarray(other.detach().numpy())
                gradients[side] = torch.from_numpy(_core.soft_gradient(
                    ctx.sums, values, *ctx.settings, upstream))
        return (*gradients, None, None, None, None)


def soft_dice(outputs: torch.Tensor, labels: torch.Tensor, *, smooth: float = 1,
              batch_dice: bool = True, reduction: str = "mean",
              policy: str = "assay") -> torch.Tensor:
    """`assay.soft_dice` of two tensors (B, C, ...) as a tensor of the same type, with gradients for
    outputs and labels.

    It is a score: train with `1 - soft_dice(probabilities, one_hot)`. Apply sigmoid or softmax
    yourself first.
    """
    for name, tensor in (("outputs", outputs), ("labels", labels)):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{name} must be a tensor, not {type(tensor).__name__}; "
                            f"assay.soft_dice takes arrays")
    return _SoftDice.apply(outputs, labels, float(smooth), bool(batch_dice), reduction, policy)

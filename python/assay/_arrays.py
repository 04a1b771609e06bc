# SPDX-License-Identifier: Apache-2.0
"""What callers pass as arrays: NumPy's own, torch's CPU tensors, anything that NumPy can view."""
from __future__ import annotations

import operator

import numpy as np


def array(x, name: str = "array") -> np.ndarray:
    """A view of `x`; only lists, foreign byte orders and misaligned memory are copied. Another device's tensor is refused."""
    if type(x) is not np.ndarray:
        x = _viewed(x, name)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, not {x.dtype}")
    if x.itemsize > 8:
        raise TypeError(f"{name} must hold numbers of at most 64 bits, not {x.dtype}")
    if not x.dtype.isnative:
        return x.astype(x.dtype.newbyteorder("="))
    return x if x.flags.aligned else x.copy(order="K")


def _viewed(x, name):
    """Anything but a plain array."""
    device = getattr(x, "device", None)
    if device is not None and hasattr(x, "detach"):
        if getattr(device, "type", str(device)) != "cpu":
            raise RuntimeError(f"{name} is on device {device}; move it to the CPU first: {name}.cpu()")
        try:
            return x.detach().numpy()
        except TypeError:  # a type that NumPy does not have
            raise TypeError(f"{name} is of type {x.dtype}, which NumPy cannot view; convert it first: {name}.float()") from None
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise ValueError(f"{name} has masked entries; say what they mean before scoring: {name}.filled(0)")
    try:
        return np.asarray(x)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{name} is no array: its rows have different lengths") from None


def pair(prediction, reference, names: tuple[str, str] = ("pred", "target")) -> tuple[np.ndarray, np.ndarray]:
    """Both as contiguous arrays of the same shape and the same order of values; the axes may be reversed."""
    a, b, _ = oriented_pair(prediction, reference, names)
    return a, b


def oriented_pair(prediction, reference, names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray, bool]:
    """The same, and whether the axes are reversed."""
    a, b = array(prediction, names[0]), array(reference, names[1])
    if a.shape != b.shape:
        raise ValueError(f"{names[0]} has shape {a.shape}, {names[1]} has {b.shape}; they must have the same shape")
    if a.flags.c_contiguous and b.flags.c_contiguous:
        return a, b, False
    if a.flags.f_contiguous or b.flags.f_contiguous:
        return np.asfortranarray(a).T, np.asfortranarray(b).T, True
    return np.ascontiguousarray(a), np.ascontiguousarray(b), False


def vector(values, name: str = "values") -> np.ndarray:
    """One dimension of float64."""
    found = array(values, name)
    if found.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {found.ndim}")
    return np.ascontiguousarray(found, dtype=np.float64)


def labels(values, name: str) -> np.ndarray:
    """One dimension of whole numbers."""
    found = array(values, name)
    if found.dtype.kind == "f" and not np.array_equal(found, np.rint(found)):
        raise ValueError(f"{name} must be whole numbers")
    if found.dtype.kind == "u" and found.size and found.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} must be below 2**63")
    if found.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {found.ndim}")
    return np.ascontiguousarray(found, dtype=np.int64)


def whole(value, name: str) -> int:
    """A whole number from 0 on, of any size."""
    found = operator.index(value)
    if found < 0:
        raise ValueError(f"{name} must be 0 or more, not {found}")
    return found


def codes(values, size: int, name: str = "clusters") -> list[int]:
    """Any values as small whole numbers, in order of first appearance."""
    if values is None:
        return []
    seen: dict = {}
    found = [seen.setdefault(value, len(seen)) for value in np.asarray(values).tolist()]
    if len(found) != size:
        raise ValueError(f"{name} must have one entry for each of the {size} items, not {len(found)}")
    return found

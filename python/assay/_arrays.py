# SPDX-License-Identifier: Apache-2.0
"""What callers pass as arrays: NumPy's own, torch's CPU tensors, anything that NumPy can view."""
import numpy as np


def array(x, name="array"):
    """A view of `x`; only lists and the like are copied. A tensor on another device is refused."""
    device = getattr(x, "device", None)
    if device is not None and hasattr(x, "detach"):
        kind = getattr(device, "type", str(device))
        if kind != "cpu":
            raise RuntimeError(f"{name} is on device {device}; move it to the CPU first: {name}.cpu()")
        return x.detach().numpy()
    found = np.asarray(x)
    if found.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, not {found.dtype}")
    if not found.dtype.isnative:
        found = found.astype(found.dtype.newbyteorder("="))
    return found


def pair(prediction, reference, names=("pred", "target")):
    """Both as contiguous arrays of the same shape and the same order of values."""
    a, b = array(prediction, names[0]), array(reference, names[1])
    if a.shape != b.shape:
        raise ValueError(f"{names[0]} has shape {a.shape}, {names[1]} has {b.shape}; they must have the same shape")
    if a.flags.c_contiguous and b.flags.c_contiguous:
        return a, b
    if a.flags.f_contiguous and b.flags.f_contiguous:
        return a.T, b.T
    return np.ascontiguousarray(a), np.ascontiguousarray(b)


def vector(values, name="values"):
    """One dimension of float64."""
    found = np.ascontiguousarray(array(values, name), dtype=np.float64)
    if found.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {found.ndim}")
    return found


def labels(values, name):
    """One dimension of whole numbers."""
    found = array(values, name)
    if found.dtype.kind == "f":
        if not np.array_equal(found, np.rint(found)):
            raise ValueError(f"{name} must be whole numbers")
    if found.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {found.ndim}")
    return np.ascontiguousarray(found, dtype=np.int64)


def codes(values, size, name="clusters"):
    """Any values as small whole numbers, in order of first appearance."""
    if values is None:
        return []
    seen = {}
    found = [seen.setdefault(value, len(seen)) for value in np.asarray(values).tolist()]
    if len(found) != size:
        raise ValueError(f"{name} must have one entry for each of the {size} items, not {len(found)}")
    return found

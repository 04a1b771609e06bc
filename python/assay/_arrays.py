# SPDX-License-Identifier: Apache-2.0
"""What callers pass as arrays: NumPy arrays, torch CPU tensors, and anything that NumPy can
view."""
from __future__ import annotations

import operator

import numpy as np


def array(x, name: str = "array") -> np.ndarray:
    """A view of `x`; only lists, foreign byte orders and misaligned memory are copied. A tensor on
    another device is refused."""
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
    """A NumPy view of anything but a plain array."""
    device = getattr(x, "device", None)
    if device is not None and hasattr(x, "detach"):
        if getattr(device, "type", str(device)) != "cpu":
            raise RuntimeError(f"{name} is on device {device}; move it to the CPU first: "
                               f"{name}.cpu()")
        try:
            return x.detach().numpy()
        except TypeError:  # a type that NumPy does not have
            raise TypeError(f"{name} is of type {x.dtype}, which NumPy cannot view; convert it "
                            f"first: {name}.float()") from None
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise ValueError(f"{name} has masked entries; say what they mean before scoring: "
                         f"{name}.filled(0)")
    try:
        return np.asarray(x)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{name} is not an array: its rows have different lengths") from None


def pair(prediction, reference,
         names: tuple[str, str] = ("pred", "target")) -> tuple[np.ndarray, np.ndarray]:
    """Both as contiguous arrays of the same shape and memory order. Their axes may be reversed, to
    avoid a copy of arrays in Fortran order."""
    a, b, _ = oriented_pair(prediction, reference, names)
    return a, b


def oriented_pair(prediction, reference,
                  names: tuple[str, str]) -> tuple[np.ndarray, np.ndarray, bool]:
    """The same as `pair`, and whether the axes are reversed."""
    a, b = array(prediction, names[0]), array(reference, names[1])
    if a.shape != b.shape:
        raise ValueError(f"{names[0]} has shape {a.shape}, {names[1]} has {b.shape}; they must "
                         f"have the same shape")
    if a.flags.c_contiguous and b.flags.c_contiguous:
        return a, b, False
    if a.flags.f_contiguous or b.flags.f_contiguous:
        return np.asfortranarray(a).T, np.asfortranarray(b).T, True
    return np.ascontiguousarray(a), np.ascontiguousarray(b), False


def vector(values, name: str = "values") -> np.ndarray:
    """A contiguous array of float64 with one dimension."""
    found = array(values, name)
    if found.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {found.ndim}")
    return np.ascontiguousarray(found, dtype=np.float64)


def label_pair(predictions, truths) -> tuple[np.ndarray, np.ndarray]:
    """Labels of any kind as whole numbers, the same number for the same label. A prediction of None
    counts as wrong."""
    sides = _labels(predictions, "predictions"), _labels(truths, "truths")
    if all(isinstance(side, np.ndarray) for side in sides):
        return sides
    p, t = (side if isinstance(side, list) else side.tolist() for side in sides)
    if None in t:
        raise ValueError(f"truths[{t.index(None)}] is None; leave out the items without a truth")
    _refuse_strangers(p, t)
    numbers = {label: number for number, label in enumerate(_ordered(dict.fromkeys([*t, *p])))}
    p, t = (np.array([numbers[label] for label in side], dtype=np.int64) for side in (p, t))
    return p, t


def _labels(values, name):
    """Whole numbers as an array, other labels as a list."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} must be a list of labels, not {values!r}")
    if hasattr(values, "__array__"):
        found = _viewed(values, name)
        if found.ndim != 1:
            raise ValueError(f"{name} must have one dimension, not {found.ndim}")
        if found.dtype.kind in "biu" and np.can_cast(found.dtype, np.int64):
            return np.ascontiguousarray(found, dtype=np.int64)
        found = found.tolist()
    else:  # not through NumPy, which turns [1, "a"] into text
        found = list(values)
        if all(type(label) is int and abs(label) < 1 << 63 for label in found):
            return np.array(found, dtype=np.int64)
    for number, label in enumerate(found):
        _check_label(label, f"{name}[{number}]")
    return found


def _check_label(label, name):
    """Labels are compared by value; probabilities and missing values are not labels."""
    try:
        hash(label)
    except TypeError:  # a list
        raise TypeError(f"{name} is {label!r}, which cannot be compared as a label; give text or "
                        f"numbers") from None
    try:
        is_missing = bool(label != label)  # NaN
    except TypeError:  # pandas' NA
        is_missing = True
    if is_missing:
        raise ValueError(f"{name} is {label!r}; leave the item out, or predict None for an item "
                         f"without an answer")
    if isinstance(label, (float, np.floating)) and label != np.rint(label):
        raise ValueError(f"{name} is {label!r}; labels that are numbers must be whole numbers")


def _refuse_strangers(predictions, truths):
    """Refuses text on one side and numbers on the other: no label could ever agree, and the score
    would be 0 only because of a type."""
    kinds = [{"text" if isinstance(label, (str, bytes)) else "numbers"
              if isinstance(label, _NUMBERS) else "other" for label in side if label is not None}
             for side in (predictions, truths)]
    if {frozenset(kind) for kind in kinds} == {frozenset({"text"}), frozenset({"numbers"})}:
        of = dict(zip(("predictions", "truths"), (next(iter(kind)) for kind in kinds)))
        raise ValueError(f"predictions are {of['predictions']} and truths are {of['truths']}, so "
                         f"no label can agree; "
                         "convert one of them, for example with list(map(str, truths))")


_NUMBERS = (int, float, np.number, np.bool_)


def _ordered(values):
    """In ascending order if the values have one, so that sums over classes run in scikit-learn's
    order."""
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def whole(value, name: str) -> int:
    """A whole number of 0 or more, of any type and size; 4.0 is one."""
    try:
        found = operator.index(value)
    except TypeError:
        found = _whole_float(value, name)
    if found < 0:
        raise ValueError(f"{name} must be 0 or more, not {found}")
    return found


def _whole_float(value, name):
    try:
        if not isinstance(value, (str, bytes)) and float(value).is_integer():
            return int(value)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name} must be a whole number, not {value!r}")


def codes(values, size: int, name: str = "clusters") -> list[int]:
    """Any values as small whole numbers, in order of first appearance."""
    if values is None:
        return []
    seen: dict = {}
    found = [seen.setdefault(value, len(seen)) for value in np.asarray(values).tolist()]
    if len(found) != size:
        raise ValueError(f"{name} must have one entry for each of the {size} items, not "
                         f"{len(found)}")
    return found

"""Vectors that were made by running the specifications' code, and masks described by boxes."""
import base64
import math

import numpy as np
import pytest

from support import vectors


def cases(*categories):
    """One parameter per case of these categories."""
    chosen = [case for case in vectors("specification-cases")["cases"]
              if case["category"] in categories]
    assert {case["category"] for case in chosen} == set(categories)
    return [pytest.param(case, id=case["id"]) for case in chosen]


def reference(*keys):
    """One parameter per entry of a list in the reference file."""
    found = vectors("specification-reference")
    for key in keys:
        found = found[key]
    return [pytest.param(entry, id=f"{keys[0]}-{number}") for number, entry in enumerate(found)]


def number(x):
    """Vectors have "inf", "-inf" and "nan" as strings."""
    return float(x) if isinstance(x, str) else x


def close(found, expected, tolerance=1e-6):
    """Structures of numbers, texts and truths; a dict needs only the expected keys."""
    if isinstance(expected, dict):
        return all(close(found[key], value, tolerance) for key, value in expected.items())
    if isinstance(expected, list):
        return (len(found) == len(expected)
                and all(close(f, e, tolerance) for f, e in zip(found, expected)))
    if isinstance(expected, bool) or expected is None:
        return found is expected
    if isinstance(expected, str) and expected not in ("inf", "-inf", "nan"):
        return found == expected
    expected = number(expected)
    if math.isnan(expected):
        return math.isnan(found)
    return found == expected or abs(found - expected) <= tolerance


def mask(shape, *boxes, inverted=False, dtype=np.float32):
    """Ones inside half-open boxes."""
    out = np.zeros(shape, dtype)
    for box in boxes:
        out[tuple(slice(*side) for side in box)] = 1
    return 1 - out if inverted else out


def described(entry, dtype=np.float32):
    """A mask as a vector describes it."""
    return mask(entry["shape"], *entry["boxes"], inverted=entry["inverted"], dtype=dtype)


def unpacked(entry, side):
    bits = np.unpackbits(np.frombuffer(base64.b64decode(entry[f"{side}_bits_b64"]), np.uint8))
    return bits[: math.prod(entry["shape"])].reshape(entry["shape"])


def from_counts(counts):
    """A pair of flat masks with these counts."""
    tp, fp, fn, tn = (counts[key] for key in ("tp", "fp", "fn", "tn"))
    return (np.repeat([True, True, False, False], [tp, fp, fn, tn]),
            np.repeat([True, False, True, False], [tp, fp, fn, tn]))

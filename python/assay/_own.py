# SPDX-License-Identifier: Apache-2.0
"""The user's own metrics: functions of two masks, declared like the built-in metrics."""
from __future__ import annotations

import functools
import os
import sys

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping

_DIRECTIONS = ("higher", "lower", "zero", "neither")
_LONGEST_MESSAGE = 300


def metric(function: Callable[..., Any] | None = None, *, better: str, name: str | None = None,
           title: str = "", equation: str = "", unit: str = "",
           range: tuple[float | None, float | None] = (None, None),
           empty: Mapping[str, float | str | None] | None = None, failure: float | None = None,
           note: str = "", reference: str = "") -> Any:
    """Declares a function of two masks as a metric for the `metrics=` of `score` and `evaluate`.

    `function(prediction, reference, spacing=…, label=…)` gets two read-only bool arrays on one grid
    (axes x, y, z as in `read_image`), the voxel size in mm along these axes, and the key of the
    label. It need not have the last two parameters. It returns a number, or None where the metric
    has no value. If it raises, or returns anything else, the value is undefined
    (`own_metric_failed`) and the message is kept.

    `better` is "higher", "lower", "zero" (the nearer to zero the better) or "neither". `range` is
    the lowest and the highest value; None means no limit. `empty` says what holds for empty masks.
    Its keys are "both", "reference" and "prediction", and its values a number, None (undefined) or
    "call" (call the function). Without a rule, two empty masks are undefined, and the function is
    called if only one is empty. `failure` is the value of a missing prediction (default: the worse
    end of the range).

    >>> @assay.metric(better="higher", range=(0, 1))  # doctest: +SKIP
    ... def overlap(prediction, reference):
    ...     return (prediction & reference).sum() / reference.sum()
    >>> assay.score("predictions", "labelsTr", metrics=["dice", overlap])  # doctest: +SKIP
    """
    declared = {"name": name, "title": title, "equation": equation, "unit": unit, "better": better,
                "range": tuple(range), "empty": dict(empty or {}), "failure": failure,
                "note": note, "reference": reference}
    if better not in _DIRECTIONS:
        raise ValueError(f"better must be one of {', '.join(_DIRECTIONS)}, not {better!r}")
    return OwnMetric(function, declared) if function is not None else (
        lambda function: OwnMetric(function, declared))


class OwnMetric:
    """A declared metric; calling it calls the function."""

    def __init__(self, function, declared):
        if not callable(function):
            raise TypeError(f"a metric is a function of two masks, not "
                            f"{type(function).__name__}")
        functools.update_wrapper(self, function)
        self.function = function
        self.declared = {**declared, "name": declared["name"] or _name_of(function)}
        self._keywords = _keywords_of(function)

    @property
    def name(self):
        return self.declared["name"]

    def __call__(self, *arguments, **keywords):
        return self.function(*arguments, **keywords)

    def __repr__(self):
        return f"<assay metric {self.name}>"

    def __reduce__(self):
        """Pickled by name if it has replaced its function in the module, else by its parts."""
        found = sys.modules.get(self.function.__module__)
        for part in getattr(self.function, "__qualname__", "").split("."):
            found = getattr(found, part, None)
        return (self.function.__qualname__ if found is self
                else (OwnMetric, (self.function, self.declared)))

    def measure(self, prediction, reference, spacing, label):
        """(value, None), (None, None) if there is no value, or (None, message) after a failure."""
        given = {"spacing": spacing, "label": label}
        try:
            found = self.function(prediction, reference,
                                  **{key: given[key] for key in self._keywords})
        except Exception as error:
            return None, _message(error)
        if found is None:
            return None, None
        try:
            if isinstance(found, (str, bytes)):
                raise TypeError
            return float(found), None
        except (TypeError, ValueError):
            return None, f"it returned {type(found).__name__}, which is not a number"

    def declaration(self):
        """The declaration as JSON. It has a hash of the source, so that a resumed run notices a
        changed function."""
        import json

        low, high = (None if x is None or abs(x) == float("inf") else x
                     for x in self.declared["range"])
        return json.dumps({**self.declared, "range": [low, high], "kind": "function",
                           "sha256": _source_hash(self.function)})


def split(settings: dict[str, Any]) -> tuple[dict[str, Any], list[OwnMetric]]:
    """The settings with functions in `metrics` replaced by their names, and these functions."""
    given = settings.get("metrics")
    if callable(given):
        given = [given]
    if given is None or isinstance(given, (str, os.PathLike)) or not any(map(callable, given)):
        return settings, []
    own = [_declared(each) for each in given if callable(each)]
    names = [each.name if isinstance(each, OwnMetric) else each for each in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"there are two metrics called {twice}; give one another name")
    return {**settings, "metrics": names}, own


def _declared(function):
    if isinstance(function, OwnMetric):
        return function
    name = getattr(function, "__name__", type(function).__name__)
    raise ValueError(f"the function {name} does not say whether higher or lower is better; a "
                     f"number whose direction is not known cannot be compared. Declare it: "
                     f"assay.metric({name}, better=\"higher\")")


def _name_of(function):
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        raise ValueError("the function has no name of its own; give one with name=")
    return name.lower()


def _keywords_of(function):
    """Which of `spacing` and `label` the function takes."""
    import inspect

    both = ("spacing", "label")
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return both  # some built-in functions have no signature
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return both
    return tuple(key for key in both if key in parameters)


def _message(error):
    """What went wrong, and where in the user's file."""
    import traceback

    text = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST_MESSAGE]
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({os.path.basename(frames[-1].filename)} line {frames[-1].lineno})"


def _source_hash(function):
    """The hash of its source, or of its compiled form; "" if neither is known."""
    import hashlib
    import inspect

    inner = inspect.unwrap(function.func if isinstance(function, functools.partial) else function)
    try:
        content = inspect.getsource(inner).encode()
    except (OSError, TypeError):
        code = getattr(inner, "__code__", None)
        if code is None:
            return ""
        content = code.co_code + repr(code.co_consts).encode()
    return hashlib.sha256(content).hexdigest()

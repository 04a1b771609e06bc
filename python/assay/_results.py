# SPDX-License-Identifier: Apache-2.0
"""What functions return: small classes with named fields.

They are written like dataclasses, and the stub beside this file declares them as such; but making dataclasses takes longer
than importing all the rest of the package.
"""
from __future__ import annotations


class _Result:
    """Read-only fields in the order of the annotations. Shows itself as text, and as a table in notebooks."""

    _unpacks = ()  # the fields that `a, b = result` gives
    _hidden = ()  # fields that repr leaves out

    def __init_subclass__(cls):
        cls._fields = tuple(cls.__annotations__)
        if cls._unpacks:
            cls.__iter__ = lambda self: iter([getattr(self, name) for name in self._unpacks])

    def __init__(self, *values, **named):
        given = {**dict(zip(self._fields, values)), **named}
        missing = [name for name in self._fields if name not in given and not hasattr(type(self), name)]
        unknown = [name for name in given if name not in self._fields]
        if len(values) > len(self._fields) or missing or unknown:
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(self._fields)}")
        self.__dict__.update((name, given[name] if name in given else getattr(type(self), name)) for name in self._fields)

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is read-only")

    __delattr__ = __setattr__

    def __eq__(self, other):
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((type(self), repr(self)))

    def __repr__(self):
        shown = (f"{name}={value!r}" for name, value in self.__dict__.items() if name not in self._hidden)
        return f"{type(self).__name__}({', '.join(shown)})"

    def _repr_html_(self):
        import html

        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{html.escape(_short(value))}</td></tr>"
                       for name, value in self.__dict__.items() if name not in self._hidden)
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"

    def as_dict(self):
        """The fields as a plain dict."""
        return {name: value.as_dict() if isinstance(value, _Result) else value for name, value in self.__dict__.items()}


def _short(value):
    """Numbers as people read them."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_short, value))
    return str(value)


class WilcoxonResult(_Result):
    """Unpacks like SciPy's: `statistic, pvalue = wilcoxon(x, y)`."""
    statistic: float
    pvalue: float
    n: int
    zeros: int
    ties: int
    method: str
    policy: str
    warning: str | None = None
    _unpacks = ("statistic", "pvalue")


class McNemarResult(_Result):
    """Unpacks to statistic, pvalue."""
    statistic: float
    pvalue: float
    _unpacks = ("statistic", "pvalue")


class ComparisonResult(_Result):
    """One model against the reference; differences are model - reference."""
    model_name: str
    p_value: float
    corrected_p_value: float
    is_significant: bool
    effect_size: float | None = None
    difference: float | None = None
    ci95: tuple[float, float] | None = None
    verdict: str | None = None
    test: WilcoxonResult | None = None
    _hidden = ("test",)


class Interval(_Result):
    """Unpacks to estimate, lower, upper."""
    estimate: float
    lower: float
    upper: float
    _unpacks = ("estimate", "lower", "upper")


class TostResult(_Result):
    """`lower` and `upper` are (t, p, degrees of freedom) of the two one-sided tests."""
    pvalue: float
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


class FriedmanResult(_Result):
    """Unpacks to statistic, pvalue."""
    statistic: float
    pvalue: float
    f: float
    f_pvalue: float
    kendall_w: float
    mean_ranks: list[float]
    _unpacks = ("statistic", "pvalue")


class NemenyiResult(_Result):
    """`pvalues` has a row and a column per model."""
    critical_difference: float
    pvalues: list[list[float]]
    mean_ranks: list[float]


class BootstrapResult(_Result):
    """`mean` and `std` (ddof 1) are of the replicates; `point` is the statistic of the data itself."""
    mean: float
    std: float
    ci_lower: float
    ci_upper: float
    n_replicates: int
    point: float


class ExtractedAnswer(_Result):
    """`rule` is the one that fired, or why none did; `span` is (begin, end) in the characters of `raw`."""
    label: int | None
    raw: str
    rule: str
    span: tuple[int, int]


class VoteResult(_Result):
    """`counts` has the votes of each label in order of first appearance; `tied`: another label has as many as the winner."""
    label: int | None
    prediction: str | None
    counts: dict[int, int]
    tied: bool


class ParityResult(_Result):
    """Is the paper reached? `parity_level` is strict, acceptable, minimum, failed or not_assessable."""
    model: str
    dice_mean: float | None
    dice_std: float | None
    avd_mean: float | None
    mcc_mean: float | None
    parity_level: str
    details: dict
    report: dict = {}
    _hidden = ("report",)

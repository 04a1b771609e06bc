# SPDX-License-Identifier: Apache-2.0
"""What functions return: small classes with named fields.

Where the peer's result is a tuple (SciPy's tests, statsmodels' `ttost_paired`), ours is one too:
the same fields in the same order unpack, index and compare, and every other field is an attribute.
The classes are written like dataclasses, and the stub next to this file declares them, but creating
dataclasses takes longer than importing all the rest of the package.
"""
from __future__ import annotations

from operator import itemgetter


class _Result:
    """Read-only fields in the order of the annotations. Printed as text, and as a table in
    notebooks."""

    _hidden = ()  # fields that repr leaves out
    _absent = ()  # fields that do not exist where they do not apply, as in SciPy

    def __init_subclass__(cls):
        cls._names = tuple(cls.__annotations__)  # the names of all fields
        cls._defaults = {name: vars(cls)[name] for name in cls._names if name in vars(cls)}
        cls._fields = vars(cls).get("_fields", cls._names)

    @classmethod
    def _filled(cls, values, named):
        """The fields by name, in order."""
        given = {**dict(zip(cls._names, values)), **named}
        missing = [name for name in cls._names
                   if name not in {*given, *cls._defaults, *cls._absent}]
        unknown = [name for name in given if name not in cls._names]
        if len(values) > len(cls._names) or missing or unknown:
            raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._names)}")
        every = {**cls._defaults, **given}
        return {name: every[name] for name in cls._names if name in every}

    def __new__(cls, *values, **named):
        self = object.__new__(cls)
        self.__dict__.update(cls._filled(values, named))
        return self

    def _items(self):
        return self.__dict__.items()

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is read-only")

    __delattr__ = __setattr__

    def __reduce__(self):
        return _rebuilt, (type(self), dict(self._items()))

    def __eq__(self, other):
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((type(self), repr(self)))

    def __repr__(self):
        shown = (f"{name}={value!r}" for name, value in self._items() if name not in self._hidden)
        return f"{type(self).__name__}({', '.join(shown)})"

    def _repr_html_(self):
        import html

        rows = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td>{html.escape(_short(value))}</td></tr>"
            for name, value in self._items()
            if name not in self._hidden
        )
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"

    def as_dict(self):
        """The fields as a plain dict."""
        return {name: value.as_dict() if isinstance(value, _Result) else value
                for name, value in self._items()}


class _TupleResult(_Result, tuple):
    """A tuple of the fields in `_fields`; the others are attributes and do not take part in
    comparisons."""

    def __init_subclass__(cls):
        super().__init_subclass__()
        for place, name in enumerate(cls._fields):
            setattr(cls, name, property(itemgetter(place)))

    def __new__(cls, *values, **named):
        filled = cls._filled(values, named)
        self = tuple.__new__(cls, [filled.pop(name) for name in cls._fields])
        self.__dict__.update(filled)
        return self

    def _items(self):
        return {**dict(zip(self._fields, self)), **self.__dict__}.items()

    def _replace(self, **changes):
        return type(self)(**{**dict(self._items()), **changes})

    _asdict = _Result.as_dict
    __eq__ = tuple.__eq__
    __hash__ = tuple.__hash__


def _rebuilt(cls, fields):
    """What pickle and copy call."""
    return cls(**fields)


def _short(value):
    """Numbers as people read them."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_short, value))
    return str(value)


class WilcoxonResult(_TupleResult):
    """The tuple (statistic, pvalue), as SciPy's. `zstatistic` exists only if the normal
    approximation was used."""
    statistic: float
    pvalue: float
    n: int
    zeros: int
    ties: int
    method: str
    policy: str
    warning: str | None = None
    zstatistic: float
    _fields = ("statistic", "pvalue")
    _absent = ("zstatistic",)


class McNemarResult(_TupleResult):
    """The tuple (statistic, pvalue)."""
    statistic: float
    pvalue: float


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


class Interval(_TupleResult):
    """The tuple (estimate, lower, upper)."""
    estimate: float
    lower: float
    upper: float


class ConfidenceInterval(_TupleResult):
    """The tuple (low, high), as SciPy's."""
    low: float
    high: float


class TostResult(_TupleResult):
    """The tuple (pvalue, lower, upper), as statsmodels'; the last two are (t, p, degrees of
    freedom) of the one-sided tests."""
    pvalue: float
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


class BlandAltmanResult(_Result):
    """Limits of agreement of x - y; `lower` and `upper` are bias ± 1.96 SD, each with its own
    interval."""
    bias: Interval
    lower: Interval
    upper: Interval
    sd: float
    n: int


class IccResult(_TupleResult):
    """The tuple (estimate, lower, upper)."""
    estimate: float
    lower: float
    upper: float
    kind: str
    cases: int
    raters: int
    _fields = ("estimate", "lower", "upper")


class DeLongResult(_Result):
    """Areas under the ROC curve; for a single classifier, the other fields are None."""
    auroc_a: Interval
    auroc_b: Interval | None
    difference: Interval | None
    z: float | None
    pvalue: float | None
    positives: int
    negatives: int


class FriedmanResult(_TupleResult):
    """The tuple (statistic, pvalue), as SciPy's."""
    statistic: float
    pvalue: float
    f: float
    f_pvalue: float
    kendall_w: float
    mean_ranks: list[float]
    _fields = ("statistic", "pvalue")


class NemenyiResult(_Result):
    """`pvalues` has a row and a column per model."""
    critical_difference: float
    pvalues: list[list[float]]
    mean_ranks: list[float]


class BootstrapResult(_Result):
    """`mean` and `std` (ddof 1) are those of the replicates; `point` is the statistic of the data
    itself."""
    mean: float
    std: float
    ci_lower: float
    ci_upper: float
    n_replicates: int
    point: float

    @property
    def confidence_interval(self) -> ConfidenceInterval:
        """(ci_lower, ci_upper) under SciPy's name."""
        return ConfidenceInterval(self.ci_lower, self.ci_upper)

    @property
    def standard_error(self) -> float:
        """`std` under SciPy's name."""
        return self.std


class ExtractedAnswer(_Result):
    """`rule` is the rule that fired, or why none did; `span` is (begin, end), counted in characters
    of `raw`."""
    label: int | None
    raw: str
    rule: str
    span: tuple[int, int]


class VoteResult(_Result):
    """`counts` has the votes of each label in order of first appearance; `tied` says whether
    another label has as many votes as the winner."""
    label: int | None
    prediction: str | None
    counts: dict[int, int]
    tied: bool


class ParityResult(_Result):
    """Do the results match the paper? `parity_level` is strict, acceptable, minimum, failed or
    not_assessable."""
    model: str
    dice_mean: float | None
    dice_std: float | None
    avd_mean: float | None
    mcc_mean: float | None
    parity_level: str
    details: dict
    report: dict = {}
    _hidden = ("report",)

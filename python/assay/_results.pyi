# SPDX-License-Identifier: Apache-2.0
# The classes as type checkers see them. _results.py defines them without the dataclasses module.
from dataclasses import dataclass
from typing import Any

from typing_extensions import Self  # type checkers know it for every Python

class _Result:
    def as_dict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

class _TupleResult(_Result):
    _fields: tuple[str, ...]
    def __new__(cls, *values: Any, **named: Any) -> Self: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _replace(self, **changes: Any) -> Self: ...

class WilcoxonResult(_TupleResult, tuple[float, float]):
    statistic: float
    pvalue: float
    n: int
    zeros: int
    ties: int
    method: str
    policy: str
    warning: str | None = ...
    zstatistic: float

class McNemarResult(_TupleResult, tuple[float, float]):
    statistic: float
    pvalue: float

@dataclass(frozen=True)
class ComparisonResult(_Result):
    model_name: str
    p_value: float
    corrected_p_value: float
    is_significant: bool
    effect_size: float | None = ...
    difference: float | None = ...
    ci95: tuple[float, float] | None = ...
    verdict: str | None = ...
    test: WilcoxonResult | None = ...

class Interval(_TupleResult, tuple[float, float, float]):
    estimate: float
    lower: float
    upper: float

class ConfidenceInterval(_TupleResult, tuple[float, float]):
    low: float
    high: float

class TostResult(_TupleResult,
                 tuple[float, tuple[float, float, float], tuple[float, float, float]]):
    pvalue: float
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]

@dataclass(frozen=True)
class BlandAltmanResult(_Result):
    bias: Interval
    lower: Interval
    upper: Interval
    sd: float
    n: int

class IccResult(_TupleResult, tuple[float, float, float]):
    estimate: float
    lower: float
    upper: float
    kind: str
    cases: int
    raters: int

@dataclass(frozen=True)
class DeLongResult(_Result):
    auroc_a: Interval
    auroc_b: Interval | None
    difference: Interval | None
    z: float | None
    pvalue: float | None
    positives: int
    negatives: int

class FriedmanResult(_TupleResult, tuple[float, float]):
    statistic: float
    pvalue: float
    f: float
    f_pvalue: float
    kendall_w: float
    mean_ranks: list[float]

@dataclass(frozen=True)
class NemenyiResult(_Result):
    critical_difference: float
    pvalues: list[list[float]]
    mean_ranks: list[float]

@dataclass(frozen=True)
class BootstrapResult(_Result):
    mean: float
    std: float
    ci_lower: float
    ci_upper: float
    n_replicates: int
    point: float
    @property
    def confidence_interval(self) -> ConfidenceInterval: ...
    @property
    def standard_error(self) -> float: ...

@dataclass(frozen=True)
class ExtractedAnswer(_Result):
    label: int | None
    raw: str
    rule: str
    span: tuple[int, int]

@dataclass(frozen=True)
class VoteResult(_Result):
    label: int | None
    prediction: str | None
    counts: dict[int, int]
    tied: bool

@dataclass(frozen=True)
class ParityResult(_Result):
    model: str
    dice_mean: float | None
    dice_std: float | None
    avd_mean: float | None
    mcc_mean: float | None
    parity_level: str
    details: dict[str, Any]
    report: dict[str, Any] = ...

# SPDX-License-Identifier: Apache-2.0
# The classes as type checkers see them; the file beside this one makes them without the dataclasses module.
from dataclasses import dataclass
from typing import Any, Iterator

class _Result:
    def as_dict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@dataclass(frozen=True)
class WilcoxonResult(_Result):
    statistic: float
    pvalue: float
    n: int
    zeros: int
    ties: int
    method: str
    policy: str
    warning: str | None = ...
    def __iter__(self) -> Iterator[float]: ...

@dataclass(frozen=True)
class McNemarResult(_Result):
    statistic: float
    pvalue: float
    def __iter__(self) -> Iterator[float]: ...

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

@dataclass(frozen=True)
class Interval(_Result):
    estimate: float
    lower: float
    upper: float
    def __iter__(self) -> Iterator[float]: ...

@dataclass(frozen=True)
class TostResult(_Result):
    pvalue: float
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]

@dataclass(frozen=True)
class FriedmanResult(_Result):
    statistic: float
    pvalue: float
    f: float
    f_pvalue: float
    kendall_w: float
    mean_ranks: list[float]
    def __iter__(self) -> Iterator[float]: ...

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

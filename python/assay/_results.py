# SPDX-License-Identifier: Apache-2.0
"""What functions return: small classes with named fields."""
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Optional, Tuple


class _Result:
    def as_dict(self) -> Dict[str, Any]:
        """The fields as a plain dict."""
        return asdict(self)


@dataclass(frozen=True)
class WilcoxonResult(_Result):
    """Unpacks like SciPy's: `statistic, pvalue = wilcoxon(x, y)`."""
    statistic: float
    pvalue: float
    n: int
    zeros: int
    ties: int
    method: str
    policy: str
    warning: Optional[str] = None

    def __iter__(self):
        return iter((self.statistic, self.pvalue))


@dataclass(frozen=True)
class McNemarResult(_Result):
    statistic: float
    pvalue: float

    def __iter__(self):
        return iter((self.statistic, self.pvalue))


@dataclass(frozen=True)
class ComparisonResult(_Result):
    """One model against the reference; differences are model - reference."""
    model_name: str
    p_value: float
    corrected_p_value: float
    is_significant: bool
    effect_size: Optional[float] = None
    difference: Optional[float] = None
    ci95: Optional[Tuple[float, float]] = None
    verdict: Optional[str] = None
    test: Optional[WilcoxonResult] = field(default=None, repr=False)


@dataclass(frozen=True)
class Interval(_Result):
    """Unpacks to estimate, lower, upper."""
    estimate: float
    lower: float
    upper: float

    def __iter__(self):
        return iter((self.estimate, self.lower, self.upper))


@dataclass(frozen=True)
class TostResult(_Result):
    """`lower` and `upper` are (t, p, degrees of freedom) of the two one-sided tests."""
    pvalue: float
    lower: Tuple[float, float, float]
    upper: Tuple[float, float, float]


@dataclass(frozen=True)
class FriedmanResult(_Result):
    statistic: float
    pvalue: float
    f: float
    f_pvalue: float
    kendall_w: float
    mean_ranks: List[float]

    def __iter__(self):
        return iter((self.statistic, self.pvalue))


@dataclass(frozen=True)
class NemenyiResult(_Result):
    critical_difference: float
    pvalues: List[List[float]]
    mean_ranks: List[float]


@dataclass(frozen=True)
class BootstrapResult(_Result):
    """`mean` and `std` (ddof 1) are of the replicates; `point` is the statistic of the data itself."""
    mean: float
    std: float
    ci_lower: float
    ci_upper: float
    n_replicates: int
    point: float


@dataclass(frozen=True)
class ParityResult(_Result):
    """Is the paper reached? `parity_level` is strict, acceptable, minimum, failed or not_assessable."""
    model: str
    dice_mean: Optional[float]
    dice_std: Optional[float]
    avd_mean: Optional[float]
    mcc_mean: Optional[float]
    parity_level: str
    details: Dict[str, Any]
    report: Dict[str, Any] = field(default_factory=dict, repr=False)

# SPDX-License-Identifier: Apache-2.0
"""Paired tests, corrections, effect sizes and the bootstrap. Formulas and policies: docs/comparison.md."""
from __future__ import annotations

import numpy as np

from . import _core
from ._arrays import array, codes, labels, vector, whole
from ._results import (BootstrapResult, ComparisonResult, FriedmanResult, Interval, McNemarResult, NemenyiResult, TostResult,
                       WilcoxonResult)

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Callable, Hashable, Literal, Mapping, Sequence

    from numpy.typing import ArrayLike

    WilcoxonPolicy = Literal["exact", "scipy-1.10", "scipy-1.14", "scipy-1.15", "r"]
    Correction = Literal["holm", "bonferroni", "hochberg", "hommel", "bh", "by", "holm-sidak"]
    Clusters = Sequence[Hashable] | None


def _differences(x, y):
    a = vector(x, "x")
    if y is None:
        return a
    b = vector(y, "y")
    if a.shape != b.shape:
        raise ValueError(f"x has {a.size} values and y {b.size}; pairs need as many")
    return a - b


def wilcoxon(x: ArrayLike, y: ArrayLike | None = None, *, zero_method: Literal["wilcox", "pratt", "zsplit"] = "wilcox",
             correction: bool = False, alternative: Literal["two-sided", "greater", "less"] = "two-sided",
             method: Literal["auto", "exact", "approx", "asymptotic"] = "auto", policy: WilcoxonPolicy = "exact",
             tie_tolerance: float = 0.0) -> WilcoxonResult:
    """Wilcoxon signed-rank test of x - y (or of x).

    The default policy is the exact conditional distribution with ties and zeros; "scipy-1.10", "scipy-1.14", "scipy-1.15" and
    "r" give what those programs give.
    """
    chosen = None if policy == "r" and correction is False else bool(correction)
    return WilcoxonResult(**_core.wilcoxon(_differences(x, y), zero_method, chosen, alternative, method, policy,
                                           float(tie_tolerance)))


def adjust(pvalues: ArrayLike, method: Correction = "holm", alpha: float = 0.05) -> np.ndarray:
    """Corrected p-values: holm, bonferroni, hochberg, hommel, bh, by, holm-sidak."""
    return np.array(_core.adjust(vector(pvalues, "pvalues"), method, float(alpha))[0])


def holm(pvalues: ArrayLike, alpha: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Holm's step-down correction: (corrected p-values, which are rejected)."""
    corrected, reject = _core.adjust(vector(pvalues, "pvalues"), "holm", float(alpha))
    return np.array(corrected), np.array(reject, dtype=bool)


def hodges_lehmann(d: ArrayLike, level: float = 0.95) -> Interval:
    """The median of all pairwise means of the differences, with its exact interval."""
    return Interval(*_core.hodges_lehmann(vector(d, "d"), float(level)))


def rank_biserial(d: ArrayLike) -> float:
    """(R+ - R-) / (R+ + R-) of the non-zero differences."""
    return _core.rank_biserial(vector(d, "d"))


def probability_of_superiority(d: ArrayLike) -> float:
    """P(d > 0) + P(d = 0) / 2."""
    return _core.probability_of_superiority(vector(d, "d"))


def cohens_dz(d: ArrayLike) -> float:
    """Mean over standard deviation (ddof 1) of the differences."""
    return _core.cohens_dz(vector(d, "d"))


def tost_paired(x: ArrayLike, y: ArrayLike, margin: float) -> TostResult:
    """Two one-sided t tests that the mean of x - y lies within ±margin."""
    return TostResult(**_core.tost_paired(vector(x, "x"), vector(y, "y"), float(margin)))


def mcnemar(b: int, c: int, method: Literal["exact", "mid-p", "corrected", "uncorrected"] = "exact") -> McNemarResult:
    """McNemar's test; b and c count what only one of the two got right. Methods: exact, mid-p, corrected, uncorrected."""
    return McNemarResult(*_core.mcnemar(whole(b, "b"), whole(c, "c"), method))


def _table(table):
    found = np.ascontiguousarray(array(table, "table"), dtype=np.float64)
    if found.ndim != 2:
        raise ValueError(f"the table must have a row per case and a column per model, not {found.ndim} dimensions")
    return found.tolist()


def friedman(table: ArrayLike) -> FriedmanResult:
    """Friedman's test with Iman and Davenport's correction; a row per case, a column per model, higher is better."""
    return FriedmanResult(**_core.friedman(_table(table)))


def nemenyi(table: ArrayLike, alpha: float = 0.05) -> NemenyiResult:
    """Pairwise p-values and the critical difference of mean ranks."""
    return NemenyiResult(**_core.nemenyi(_table(table), float(alpha)))


def compare_models_to_reference(reference: ArrayLike, models: Mapping[str, ArrayLike], alpha: float = 0.05,
                                policy: WilcoxonPolicy = "exact", margin: float | None = None) -> list[ComparisonResult]:
    """Every model of {name: scores} against the reference, Holm-corrected."""
    found = _core.compare_models(vector(reference, "reference"), [(str(k), vector(v, k)) for k, v in models.items()],
                                 float(alpha), policy, margin, False)
    results = []
    for one in found:
        estimate, lower, upper = one.pop("difference")
        test = WilcoxonResult(**one.pop("test"))
        results.append(ComparisonResult(**one, difference=estimate, ci95=(lower, upper), test=test))
    return results


def default_rng_choice(seed: int, n: int, size: int) -> np.ndarray:
    """numpy.random.default_rng(seed).choice(n, size), for seeds of any size."""
    return _core.default_rng_choice(str(whole(seed, "seed")), whole(n, "n"), whole(size, "size")).astype(np.int64)


def bootstrap(values: ArrayLike, statistic: str | Callable[[np.ndarray], float] = "mean", *, replicates: int = 1000,
              seed: int = 42, method: Literal["percentile", "bca", "basic"] = "percentile", level: float = 0.95,
              clusters: Clusters = None) -> BootstrapResult:
    """Bootstrap of a statistic ("mean", "median", "std", "sum" or a function of an array) on NumPy's own random stream."""
    data = vector(values)
    return BootstrapResult(**_core.bootstrap(data, statistic, whole(replicates, "replicates"), str(whole(seed, "seed")),
                                             method, float(level), codes(clusters, data.size)))


def bootstrap_metric(predictions: ArrayLike, truths: ArrayLike,
                     metric: Literal["accuracy", "balanced_accuracy"] = "accuracy", n_replicates: int = 1000,
                     seed: int = 42, clusters: Clusters = None, *, method: Literal["percentile", "bca", "basic"] = "percentile",
                     level: float = 0.95) -> BootstrapResult:
    """Bootstrap of "accuracy" or "balanced_accuracy" of a classifier."""
    p, t = labels(predictions, "predictions"), labels(truths, "truths")
    return BootstrapResult(**_core.bootstrap_metric(p, t, metric, whole(n_replicates, "n_replicates"),
                                                    str(whole(seed, "seed")), method, float(level), codes(clusters, t.size)))


def accuracy(predictions: ArrayLike, truths: ArrayLike) -> float:
    """The share of items whose prediction is the truth."""
    return _core.accuracy(labels(predictions, "predictions"), labels(truths, "truths"))


def balanced_accuracy(predictions: ArrayLike, truths: ArrayLike) -> float:
    """The mean over the true classes of the share of their items that are right."""
    return _core.balanced_accuracy(labels(predictions, "predictions"), labels(truths, "truths"))

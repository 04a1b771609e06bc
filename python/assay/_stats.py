# SPDX-License-Identifier: Apache-2.0
"""Paired tests, corrections, effect sizes and the bootstrap. Formulas and policies:
docs/comparison.md."""
from __future__ import annotations

import numpy as np

from . import _core
from ._arrays import array, codes, label_pair, vector, whole
from ._results import (BootstrapResult, ComparisonResult, FriedmanResult, Interval, McNemarResult,
                       NemenyiResult, TostResult, WilcoxonResult)

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Callable, Hashable, Iterable, Literal, Mapping, Sequence, overload

    from numpy.typing import ArrayLike

    WilcoxonPolicy = Literal["exact", "scipy-1.10", "scipy-1.14", "scipy-1.15", "r"]
    WilcoxonMethod = Literal["auto", "exact", "approx", "asymptotic"]
    McNemarMethod = Literal["exact", "mid-p", "corrected", "uncorrected"]
    Clusters = Sequence[Hashable] | None


def _differences(x, y):
    a = vector(x, "x")
    if y is None:
        return a
    b = vector(y, "y")
    if a.shape != b.shape:
        raise ValueError(f"x has {a.size} values and y {b.size}; pairs need the same number")
    return a - b


def wilcoxon(x: ArrayLike, y: ArrayLike | None = None,
             zero_method: Literal["wilcox", "pratt", "zsplit"] = "wilcox", correction: bool = False,
             alternative: Literal["two-sided", "greater", "less"] = "two-sided",
             method: WilcoxonMethod = "auto", *, policy: WilcoxonPolicy = "exact",
             tie_tolerance: float = 0.0, mode: WilcoxonMethod | None = None) -> WilcoxonResult:
    """Wilcoxon signed-rank test of x - y (or of x). Arguments and result are SciPy's.

    The default policy is the exact conditional distribution with ties and zeros; "scipy-1.10",
    "scipy-1.14", "scipy-1.15" and "r" give what those programs give. The result has `zstatistic`
    where the normal approximation was used, and no such attribute elsewhere. `mode` is an older
    name of `method`.

    >>> statistic, pvalue = wilcoxon([5, 4, 3, 2, 1], [1, 1, 1, 1, 2], "pratt")
    >>> statistic, pvalue
    (1.5, 0.1875)
    """
    if mode is not None:
        if method != "auto":
            raise TypeError("wilcoxon() got both method and mode, an older name of the same "
                            "argument; give method only")
        method = mode
    chosen = None if policy == "r" and correction is False else bool(correction)
    return WilcoxonResult(**_core.wilcoxon(_differences(x, y), zero_method, chosen, alternative,
                                           method, policy, float(tie_tolerance)))


def _adjusted(pvalues, method, alpha):
    if not isinstance(method, str):
        raise TypeError(f"method must be the name of a correction, not {method!r}")
    corrected, reject = _core.adjust(vector(pvalues, "pvalues"), method.lower(), float(alpha))
    return np.array(corrected, dtype=float), np.array(reject, dtype=bool)


if TYPE_CHECKING:
    @overload
    def adjust(pvalues: ArrayLike, method: str = ..., alpha: None = ...) -> np.ndarray: ...
    @overload
    def adjust(pvalues: ArrayLike, method: str = ..., *,
               alpha: float) -> tuple[np.ndarray, np.ndarray]:
        ...
    @overload
    def adjust(pvalues: ArrayLike, method: str, alpha: float) -> tuple[np.ndarray, np.ndarray]: ...


def adjust(pvalues: ArrayLike, method: str = "holm",
           alpha: float | None = None) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """P-values corrected for the number of tests. With `alpha`, returns (corrected p-values, which
    are rejected), as `holm` does.

    The methods holm, bonferroni, sidak, hochberg, hommel and holm-sidak control the chance of any
    false rejection (FWER). bh, by, gbs, tsbh and tsbky control the expected share of false ones
    among the rejections (FDR). statsmodels' names (fdr_bh, simes-hochberg, fdr_tsbky, ...) mean the
    same here. The two-stage methods tsbh and tsbky depend on alpha, which is 0.05 by default.

    >>> adjust([0.01, 0.04, 0.03], "fdr_bh")
    array([0.03, 0.04, 0.04])
    """
    found = _adjusted(pvalues, method, 0.05 if alpha is None else alpha)
    return found[0] if alpha is None else found


def holm(pvalues: ArrayLike, alpha: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Holm's step-down correction: (corrected p-values, which are rejected)."""
    return _adjusted(pvalues, "holm", alpha)


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
    """Two one-sided t tests of whether the mean of x - y lies within ±margin."""
    return TostResult(**_core.tost_paired(vector(x, "x"), vector(y, "y"), float(margin)))


def mcnemar(b: int | ArrayLike, c: int | None = None, method: McNemarMethod | None = None, *,
            exact: bool | None = None, correction: bool | None = None) -> McNemarResult:
    """McNemar's test of two classifiers on the same items, from two counts or from a 2 x 2 table.

    `b` and `c` count the items that only one of the two got right; in a table they are the cells
    off the diagonal. The methods are exact (the default), mid-p, corrected and uncorrected.
    statsmodels' `exact=False` is "corrected", or "uncorrected" with `correction=False`.

    >>> mcnemar(4, 12) == mcnemar([[50, 4], [12, 30]])
    True
    """
    b, c = _discordant(b) if c is None else (whole(b, "b"), whole(c, "c"))
    if max(b, c) >= 1 << 53:
        raise ValueError("the counts must be below 2**53")
    return McNemarResult(*_core.mcnemar(b, c, _mcnemar_method(method, exact, correction)))


def _discordant(table):
    """The cells off the diagonal of a 2 x 2 table."""
    cells = np.asarray(table)
    if cells.shape != (2, 2):
        raise ValueError(f"mcnemar needs two counts or a table of 2 x 2 counts, not shape "
                         f"{cells.shape}")
    names = ("table[0][0]", "table[0][1]", "table[1][0]", "table[1][1]")
    return [whole(cell, name) for cell, name in zip(cells.ravel().tolist(), names)][1:3]


def _mcnemar_method(method, exact, correction):
    if exact is None and correction is None:
        return "exact" if method is None else method
    if method is not None:
        raise TypeError("give method, or statsmodels' exact and correction, not both")
    if exact is None or exact:
        return "exact"
    return "uncorrected" if correction is False else "corrected"


def _table(table):
    found = np.ascontiguousarray(array(table, "table"), dtype=np.float64)
    if found.ndim != 2:
        raise ValueError(f"the table must have a row per case and a column per model, not "
                         f"{found.ndim} dimensions")
    return found.tolist()


def friedman(table: ArrayLike) -> FriedmanResult:
    """Friedman's test with Iman and Davenport's correction. The table has a row per case and a
    column per model; higher is better."""
    return FriedmanResult(**_core.friedman(_table(table)))


def nemenyi(table: ArrayLike, alpha: float = 0.05) -> NemenyiResult:
    """Nemenyi's test: pairwise p-values and the critical difference of mean ranks."""
    return NemenyiResult(**_core.nemenyi(_table(table), float(alpha)))


def compare_models_to_reference(reference: ArrayLike, models: Mapping[str, ArrayLike],
                                alpha: float = 0.05, policy: WilcoxonPolicy = "exact",
                                margin: float | None = None) -> list[ComparisonResult]:
    """Every model of {name: scores} against the reference, Holm-corrected."""
    found = _core.compare_models(vector(reference, "reference"),
                                 [(str(k), vector(v, k)) for k, v in models.items()], float(alpha),
                                 policy, margin, False)
    results = []
    for one in found:
        estimate, lower, upper = one.pop("difference")
        test = WilcoxonResult(**one.pop("test"))
        results.append(ComparisonResult(**one, difference=estimate, ci95=(lower, upper), test=test))
    return results


def default_rng_choice(seed: int, n: int, size: int) -> np.ndarray:
    """numpy.random.default_rng(seed).choice(n, size), for seeds of any size."""
    return _core.default_rng_choice(str(whole(seed, "seed")), whole(n, "n"),
                                    whole(size, "size")).astype(np.int64)


def bootstrap(values: ArrayLike, statistic: str | Callable[[np.ndarray], float] = "mean", *,
              replicates: int = 1000, seed: int = 42,
              method: Literal["percentile", "bca", "basic"] = "percentile", level: float = 0.95,
              clusters: Clusters = None) -> BootstrapResult:
    """Bootstrap of a statistic ("mean", "median", "std", "sum" or a function of an array) on
    NumPy's own random stream."""
    data = vector(values)
    return BootstrapResult(**_core.bootstrap(
        data, statistic, whole(replicates, "replicates"), str(whole(seed, "seed")), method,
        float(level), codes(clusters, data.size)))


def bootstrap_metric(predictions: Iterable[Hashable], truths: Iterable[Hashable],
                     metric: Literal["accuracy", "balanced_accuracy"] = "accuracy",
                     n_replicates: int = 1000, seed: int = 42, clusters: Clusters = None, *,
                     method: Literal["percentile", "bca", "basic"] = "percentile",
                     level: float = 0.95) -> BootstrapResult:
    """Bootstrap of "accuracy" or "balanced_accuracy" of a classifier; labels as in `accuracy`."""
    p, t = label_pair(predictions, truths)
    return BootstrapResult(**_core.bootstrap_metric(
        p, t, metric, whole(n_replicates, "n_replicates"), str(whole(seed, "seed")), method,
        float(level), codes(clusters, t.size)))


def accuracy(predictions: Iterable[Hashable], truths: Iterable[Hashable]) -> float:
    """The share of items whose prediction is the truth.

    Labels may be text, whole numbers, booleans, or anything that can be compared, also mixed. A
    prediction of None means no answer and counts as wrong. NaN and fractions are refused, and so
    is text on one side against numbers on the other.

    >>> accuracy(["cat", "dog", None], ["cat", "cat", "dog"])
    0.3333333333333333
    """
    return _core.accuracy(*label_pair(predictions, truths))


def balanced_accuracy(predictions: Iterable[Hashable], truths: Iterable[Hashable]) -> float:
    """The mean over the true classes of the share of correct items in each (mean recall); labels as
    in `accuracy`."""
    return _core.balanced_accuracy(*label_pair(predictions, truths))

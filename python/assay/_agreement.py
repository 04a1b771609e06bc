# SPDX-License-Identifier: Apache-2.0
"""Agreement of measurements, and areas under ROC curves. Methods and references:
docs/agreement.md."""
from __future__ import annotations

import numpy as np

from . import _core
from ._arrays import array, vector
from ._results import BlandAltmanResult, DeLongResult, IccResult, Interval

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Literal

    from numpy.typing import ArrayLike


def bland_altman(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> BlandAltmanResult:
    """Bland and Altman's limits of agreement of x - y, with confidence intervals for the bias and
    for each limit.

    The limits are always bias ± 1.96 SD; `level` applies to the intervals only. The intervals of
    the limits are exact for normal differences (Carkeet 2015). With fewer than three pairs they
    are NaN. Pairs must be independent. If a subject has several pairs, reduce them to one first.

    >>> found = bland_altman([10.1, 12.4, 8.8, 15.0, 11.2], [10.0, 12.0, 9.1, 14.2, 11.0])
    >>> [round(value, 2) for value in found.bias]
    [0.24, -0.26, 0.74]
    >>> [round(value, 2) for value in found.upper]
    [1.03, 0.61, 2.65]
    """
    found = _core.bland_altman(vector(x, "x"), vector(y, "y"), float(level))
    for name in ("bias", "lower", "upper"):
        found[name] = Interval(*found[name])
    return BlandAltmanResult(**found)


_KINDS = {"agreement": 0, "icc(a,1)": 0, "icc(2,1)": 0, "icc2": 0, "consistency": 1, "icc(c,1)": 1,
          "icc(3,1)": 1, "icc3": 1}


def icc(ratings: ArrayLike, kind: Literal["agreement", "consistency"] = "agreement",
        level: float = 0.95) -> IccResult:
    """Intraclass correlation of single measurements: a row per case, a column per rater or model.

    "agreement" is ICC(A,1), also called ICC(2,1): a constant offset between raters lowers it.
    "consistency" is ICC(C,1), also called ICC(3,1): an offset does not. Intervals are McGraw and
    Wong's (1996).

    The ratings of Shrout and Fleiss (1979):

    >>> judges = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8],
    ...           [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> round(icc(judges).estimate, 2), round(icc(judges, "consistency").estimate, 2)
    (0.29, 0.71)
    """
    place = _KINDS.get(str(kind).lower().replace(" ", ""))
    if place is None:
        raise ValueError(f"kind must be 'agreement' or 'consistency', not {kind!r}")
    table = np.asarray(array(ratings, "ratings"), dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"ratings must have a row per case and a column per rater, not "
                         f"{table.ndim} dimensions")
    found = _core.icc(table.T.tolist(), float(level))[place]
    return IccResult(*found, kind=("agreement", "consistency")[place], cases=table.shape[0],
                     raters=table.shape[1])


def delong(truths: ArrayLike, scores_a: ArrayLike, scores_b: ArrayLike | None = None,
           level: float = 0.95) -> DeLongResult:
    """Areas under the ROC curve with DeLong's intervals; for two classifiers on the same cases,
    also their difference and its test.

    `truths` holds 0 and 1, or booleans; higher scores mean that 1 is more likely. At least two
    cases of each class are needed, and cases must be independent. If the variance is 0, as for an
    area of 1, the interval is NaN, and a difference has no p-value.

    >>> truths = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> found = delong(truths, [1, 2, 3, 5, 4, 6, 7, 8], [3, 1, 4, 6, 2, 5, 7, 8])
    >>> found.auroc_a.estimate, found.auroc_b.estimate, round(found.pvalue, 2)
    (0.9375, 0.75, 0.16)
    """
    is_positive = _positives(truths)
    a = vector(scores_a, "scores_a")
    count = {"positives": sum(is_positive), "negatives": len(is_positive) - sum(is_positive)}
    if scores_b is None:
        area = Interval(*_core.roc_area(a, is_positive, float(level)))
        return DeLongResult(auroc_a=area, auroc_b=None, difference=None, z=None, pvalue=None,
                            **count)
    found = _core.delong(a, vector(scores_b, "scores_b"), is_positive, float(level))
    for name in ("auroc_a", "auroc_b", "difference"):
        found[name] = Interval(*found[name])
    return DeLongResult(**found, **count)


def _positives(truths):
    found = array(truths, "truths")
    if found.ndim != 1:
        raise ValueError(f"truths must have one dimension, not {found.ndim}")
    if not np.isin(found, (0, 1)).all():
        raise ValueError("truths must hold 0 and 1, or booleans; for other labels compare first: "
                         "truths == 2")
    return found.astype(bool).tolist()

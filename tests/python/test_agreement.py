"""Agreement and areas under ROC curves against independent computations, and what is refused."""
import doctest
import math
import pathlib

import numpy as np
import pytest

import assay
from assay import _agreement

# Shrout and Fleiss 1979
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_the_examples():
    result = doctest.testmod(_agreement)
    assert result.attempted == 8 and result.failed == 0


def test_the_page():
    page = pathlib.Path(__file__).resolve().parents[2] / "docs/agreement.md"
    result = doctest.testfile(str(page), module_relative=False, parser=Blocks())
    assert result.attempted == 3 and result.failed == 0


class Blocks(doctest.DocTestParser):
    """A fence ends an example."""

    def parse(self, string, name="<string>"):
        return super().parse(string.replace("```", ""), name)


def test_limits_of_agreement():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    x = rng.normal(50, 10, 30)
    y = x + rng.normal(1, 2, 30)
    found = assay.bland_altman(x, y)
    d = x - y
    n, bias, sd = len(d), d.mean(), d.std(ddof=1)
    assert (found.n, found.sd) == (30, pytest.approx(sd))
    np.testing.assert_allclose(found.bias,
                               (bias, *stats.t.interval(0.95, n - 1, bias, sd / n**0.5)),
                               rtol=1e-12)
    for limit, z in ((found.lower, -1.96), (found.upper, 1.96)):
        ends = bias + stats.nct.ppf([0.025, 0.975], n - 1, z * n**0.5) * sd / n**0.5
        np.testing.assert_allclose(limit, (bias + z * sd, *ends), rtol=1e-8)
    narrow = assay.bland_altman(x, y, level=0.5)
    assert narrow.upper.estimate == found.upper.estimate and narrow.upper.upper < found.upper.upper
    assert math.isnan(assay.bland_altman([1, 2], [0, 0]).upper.lower)


def test_intraclass_correlation():
    ratings = np.array(JUDGES, float)
    n, k = ratings.shape
    grand = ratings.mean()
    rows = k * ((ratings.mean(1) - grand) ** 2).sum() / (n - 1)
    columns = n * ((ratings.mean(0) - grand) ** 2).sum() / (k - 1)
    rest = ((ratings - ratings.mean(1)[:, None] - ratings.mean(0)
             + grand) ** 2).sum() / ((n - 1) * (k - 1))
    agreement, consistency = assay.icc(JUDGES), assay.icc(JUDGES, kind="consistency")
    assert agreement.estimate == pytest.approx(
        (rows - rest) / (rows + (k - 1) * rest + k * (columns - rest) / n), rel=1e-12)
    assert consistency.estimate == pytest.approx((rows - rest) / (rows + (k - 1) * rest), rel=1e-12)
    assert (agreement.kind, agreement.cases, agreement.raters) == ("agreement", 6, 4)
    assert np.round(agreement, 3).tolist() == [0.290, 0.019, 0.761]  # psych::ICC of R
    assert np.round(consistency, 3).tolist() == [0.715, 0.342, 0.946]
    assert assay.icc(JUDGES, "ICC(2,1)") == agreement and assay.icc(JUDGES, "ICC3") == consistency


def components(truths, scores):
    """DeLong's, by their definition."""
    wins = [[np.sign(p - n) / 2 + 0.5 for n in scores[~truths]] for p in scores[truths]]
    return np.mean(wins, axis=1), np.mean(wins, axis=0)


def test_areas_under_roc_curves():
    rng = np.random.default_rng(2)
    truths = rng.random(40) < 0.4
    a, b = (np.round(rng.normal(truths * shift, 1), 1) for shift in (1.5, 0.7))
    found = assay.delong(truths, a, b)
    (pa, na), (pb, nb) = components(truths, a), components(truths, b)
    variance = (pa - pb).var(ddof=1) / len(pa) + (na - nb).var(ddof=1) / len(na)
    difference = pa.mean() - pb.mean()
    assert found.auroc_a.estimate == pytest.approx(pa.mean(), rel=1e-12)
    np.testing.assert_allclose(found.difference,
                               difference + 1.959963984540054 * variance**0.5 * np.array(
                                   [0, -1, 1]), rtol=1e-10)
    assert found.z == pytest.approx(difference / variance**0.5, rel=1e-10)
    assert found.pvalue == pytest.approx(math.erfc(abs(found.z) / 2**0.5), rel=1e-10)
    assert (found.positives, found.negatives) == (truths.sum(), (~truths).sum())
    alone = assay.delong(truths.astype(int), a)
    assert alone.auroc_a == found.auroc_a and alone.auroc_b is None and alone.pvalue is None
    perfect = assay.delong([0, 0, 1, 1], [1, 2, 3, 4]).auroc_a
    assert perfect.estimate == 1 and math.isnan(perfect.lower)


def test_what_is_refused():
    for call, said in ((lambda: assay.bland_altman([1, np.nan], [1, 2]), "finite values"),
                       (lambda: assay.bland_altman([1, 2], [1]), "differ in length"),
                       (lambda: assay.bland_altman([1, 2], [1, 3], level=95), "between 0 and 1"),
                       (lambda: assay.icc(JUDGES, "absolute"), "'agreement' or 'consistency'"),
                       (lambda: assay.icc([1, 2]), "a row per case"),
                       (lambda: assay.icc([[1, 2]]), "at least two cases"),
                       (lambda: assay.delong([0, 1, 2], [1, 2, 3]), "0 and 1"),
                       (lambda: assay.delong([0, 0, 1], [1, 2, 3]), "two positive"),
                       (lambda: assay.delong([0, 0, 1, 1], [1, 2, 3, np.nan]), "NaN")):
        with pytest.raises(ValueError, match=said):
            call()

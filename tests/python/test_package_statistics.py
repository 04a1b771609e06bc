"""Statistics of the package against SciPy and NumPy, and what each function says to bad input."""
import json
import math

import numpy as np
import pytest

import assay

scipy = pytest.importorskip("scipy.stats")


def samples(seed=0, n=20, ties=False):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(0.2, 1, n), rng.normal(0, 1, n)
    return (x.round(1), y.round(1)) if ties else (x, y)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_wilcoxon_exact_equals_scipy(alternative):
    x, y = samples()
    expected = scipy.wilcoxon(x, y, alternative=alternative, mode="exact")
    statistic, pvalue = assay.wilcoxon(x, y, alternative=alternative, policy="scipy-1.10",
                                       method="exact")
    assert (statistic, pvalue) == (expected.statistic, pytest.approx(expected.pvalue, rel=1e-12))
    assert (assay.wilcoxon(x - y, alternative=alternative).pvalue
            == pytest.approx(expected.pvalue, rel=1e-12))


@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_approx_equals_scipy(zero_method, correction):
    x, y = samples(1, 40, ties=True)
    expected = scipy.wilcoxon(x, y, zero_method=zero_method, correction=correction, mode="approx")
    found = assay.wilcoxon(x, y, zero_method=zero_method, correction=correction, method="approx",
                           policy="scipy-1.10")
    assert (found.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
            and found.statistic == expected.statistic)
    assert found.ties > 0 and found.policy == "scipy-1.10"


def test_corrections_equal_statsmodels():
    p = np.random.default_rng(3).random(12) ** 3
    corrected, reject = assay.holm(p)
    order = np.argsort(p)
    by_hand = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(12, 0, -1)))
    np.testing.assert_allclose(corrected[order], by_hand, rtol=1e-14)
    assert reject.dtype == bool and np.array_equal(reject, corrected <= 0.05)
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    names = {"hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by", "gbs": "fdr_gbs",
             "tsbh": "fdr_tsbh", "tsbky": "fdr_tsbky"}
    for name in set(multitest.multitest_alias) - {"lfdr", "lfdr_sl"}:
        for alpha in (0.01, 0.05, 0.3):
            theirs = multitest.multipletests(p, alpha, method=name)
            ours = assay.adjust(p, name, alpha=alpha)
            np.testing.assert_allclose(ours[0], theirs[1], rtol=1e-12, err_msg=name)
            np.testing.assert_array_equal(ours[1], theirs[0], err_msg=name)
    for ours, theirs in names.items():
        np.testing.assert_array_equal(assay.adjust(p, ours), assay.adjust(p, theirs))


SIX = [0.001, 0.008, 0.039, 0.041, 0.042, 0.6]
BY_STATSMODELS = {  # multipletests(SIX, 0.05, method) of statsmodels 0.15.0
    "bonferroni": ([0.006, 0.048, 0.234, 0.246, 0.252, 1], 2),
    "sidak": ([0.005985019985006, 0.047050178756346, 0.21233721621145, 0.2221217239721,
               0.22697586321836, 0.995904], 2),
    "holm-sidak": ([0.005985019985006, 0.039365099552768, 0.147108962559, 0.147108962559,
                    0.147108962559, 0.6], 2),
    "holm": ([0.006, 0.04, 0.156, 0.156, 0.156, 0.6], 2),
    "simes-hochberg": ([0.006, 0.04, 0.084, 0.084, 0.084, 0.6], 2),
    "hommel": ([0.006, 0.04, 0.078, 0.082, 0.084, 0.6], 2),
    "fdr_bh": ([0.006, 0.024, 0.0504, 0.0504, 0.0504, 0.6], 2),
    "fdr_by": ([0.0147, 0.0588, 0.12348, 0.12348, 0.12348, 1], 1),
    "fdr_gbs": ([0.006006006006006, 0.020161290322581, 0.054110301768991, 0.054110301768991,
                 0.054110301768991, 0.25], 2),
    "fdr_tsbh": ([0.004, 0.016, 0.0336, 0.0336, 0.0336, 0.4], 5),
    "fdr_tsbky": ([0.0042, 0.0168, 0.03528, 0.03528, 0.03528, 0.42], 5),
}


@pytest.mark.parametrize("name", BY_STATSMODELS)
def test_adjust_knows_statsmodels_names(name):
    expected, rejected = BY_STATSMODELS[name]
    found = assay.adjust(SIX, name)
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    corrected, reject = assay.adjust(SIX, name.upper(), alpha=0.05)
    np.testing.assert_array_equal(corrected, found)
    assert reject.dtype == bool and reject.tolist() == [True] * rejected + [False] * (6 - rejected)


def test_adjust_with_alpha_is_holm():
    for ours, theirs in zip(assay.adjust(SIX, "holm", alpha=0.01), assay.holm(SIX, 0.01)):
        np.testing.assert_array_equal(ours, theirs)
    assert [each.size for each in assay.adjust([], "sidak", alpha=0.05)] == [0, 0]


def test_other_tests_equal_scipy():
    table = np.random.default_rng(4).random((15, 4))
    statistic, pvalue = assay.friedman(table)
    expected = scipy.friedmanchisquare(*table.T)
    assert (statistic, pvalue) == (pytest.approx(expected.statistic),
                                   pytest.approx(expected.pvalue))
    assert np.array(assay.nemenyi(table).pvalues).shape == (4, 4)
    statistic, pvalue = assay.mcnemar(4, 12)
    assert pvalue == pytest.approx(scipy.binomtest(4, 16).pvalue)
    x, y = samples(5)
    found = assay.tost_paired(x, y, 0.5)
    lower = scipy.ttest_1samp(x - y + 0.5, 0, alternative="greater").pvalue
    upper = scipy.ttest_1samp(x - y - 0.5, 0, alternative="less").pvalue
    assert found.pvalue == pytest.approx(max(lower, upper), rel=1e-9)


def test_effect_sizes_by_definition():
    d = samples(6, 11)[0]
    i, j = np.triu_indices(11)
    estimate, lower, upper = assay.hodges_lehmann(d)
    assert estimate == pytest.approx(np.median((d[i] + d[j]) / 2)) and lower < estimate < upper
    ranks = scipy.rankdata(abs(d))
    assert assay.rank_biserial(d) == pytest.approx(
        (ranks[d > 0].sum() - ranks[d < 0].sum()) / ranks.sum())
    assert assay.cohens_dz(d) == pytest.approx(d.mean() / d.std(ddof=1))
    assert assay.probability_of_superiority(d) == pytest.approx((d > 0).mean())


@pytest.mark.parametrize("seed", [0, 42, 2**32, 2**200 + 1])
def test_random_streams_are_numpys(seed):
    for n, size in ((1, 3), (10, 50), (2**40, 9)):
        assert np.array_equal(assay.default_rng_choice(seed, n, size),
                              np.random.default_rng(seed).choice(n, size))


def test_bootstrap_equals_a_loop_over_numpy():
    values = samples(7, 30)[0]
    rng = np.random.default_rng(42)
    replicates = np.array([np.median(values[rng.choice(30, 30)]) for _ in range(500)])
    for statistic in ("median", np.median, lambda x: float(np.median(x))):
        found = assay.bootstrap(values, statistic, replicates=500)
        assert (found.mean == pytest.approx(replicates.mean())
                and found.std == pytest.approx(replicates.std(ddof=1)))
        assert ((found.ci_lower, found.ci_upper)
                == pytest.approx(tuple(np.percentile(replicates, [2.5, 97.5]))))
        assert found.point == pytest.approx(np.median(values)) and found.n_replicates == 500
    truths, predictions = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 0, 2]
    assert assay.accuracy(predictions, truths) == pytest.approx(4 / 6)
    assert assay.balanced_accuracy(predictions, truths) == pytest.approx((2 / 3 + 1 / 2 + 1) / 3)
    found = assay.bootstrap_metric(predictions, truths, "balanced_accuracy", n_replicates=50,
                                   clusters=list("aabbcc"))
    assert 0 <= found.ci_lower <= found.ci_upper <= 1
    with pytest.raises(ZeroDivisionError):  # what the caller's own function raises comes through
        assay.bootstrap(values, lambda x: 1 / 0)


def test_models_against_a_reference():
    rng = np.random.default_rng(8)
    reference = rng.random(25)
    models = {"better": reference + rng.random(25) * 0.1,
              "same": reference + rng.normal(0, 0.01, 25)}
    results = assay.compare_models_to_reference(reference, models)
    assert [r.model_name for r in results] == ["better", "same"] and results[0].is_significant
    raw = [assay.wilcoxon(values, reference).pvalue for values in models.values()]
    assert [r.p_value for r in results] == raw
    np.testing.assert_allclose([r.corrected_p_value for r in results], assay.holm(raw)[0])
    assert results[0].effect_size == 1.0


BAD = [
    (lambda: assay.wilcoxon([1, 2, 3], [1, 2]), ValueError, "x has 3 values and y 2"),
    (lambda: assay.wilcoxon([[1, 2]]), ValueError, "one dimension"),
    (lambda: assay.wilcoxon([1, math.nan, 2]), ValueError, "NaN"),
    (lambda: assay.wilcoxon([]), ValueError, ""),
    (lambda: assay.wilcoxon(["a", "b"]), TypeError, "must hold numbers"),
    (lambda: assay.wilcoxon([1, 2], policy="scipy"), ValueError, "policy"),
    (lambda: assay.wilcoxon([1, 2], alternative="both"), ValueError, "alternative"),
    (lambda: assay.holm([0.1, 2]), ValueError, ""),
    (lambda: assay.adjust([0.1], "holms"), ValueError, "did you mean"),
    (lambda: assay.adjust([0.1], 3), TypeError, "name of a correction"),
    (lambda: assay.wilcoxon([1, 2], method="exact", mode="approx"), TypeError, "method only"),
    (lambda: assay.wilcoxon([1, 2], None, "dummy"), ValueError, "zero method"),
    (lambda: assay.mcnemar(-1, 2), ValueError, "b must be 0 or more"),
    (lambda: assay.mcnemar(1.5, 2), TypeError, "b must be a whole number"),
    (lambda: assay.mcnemar("4", 2), TypeError, "b must be a whole number"),
    (lambda: assay.mcnemar(4), ValueError, "two counts or a table of 2 x 2"),
    (lambda: assay.mcnemar([[1, 2, 3]]), ValueError, "two counts or a table of 2 x 2"),
    (lambda: assay.mcnemar([[1, 2], [-3, 4]]), ValueError, r"table\[1\]\[0\] must be 0 or more"),
    (lambda: assay.mcnemar([[1, 2], [3.5, 4]]), TypeError,
     r"table\[1\]\[0\] must be a whole number"),
    (lambda: assay.mcnemar(1 << 60, 2), ValueError, "below"),
    (lambda: assay.mcnemar(1, 2, "exact", exact=True), TypeError, "not both"),
    (lambda: assay.friedman([1, 2, 3]), ValueError, "row per case"),
    (lambda: assay.default_rng_choice(-1, 3, 3), ValueError, "seed must be 0 or more"),
    (lambda: assay.bootstrap([1, 2], "mode"), ValueError, "statistic must be"),
    (lambda: assay.bootstrap([1, 2, 3], clusters=[1, 2]), ValueError, "clusters"),
    (lambda: assay.accuracy([0.5], [1]), ValueError, "whole numbers"),
    (lambda: assay.accuracy(["1"], [1]), ValueError, "predictions are text and truths are numbers"),
    (lambda: assay.accuracy([1], [None]), ValueError, "without a truth"),
    (lambda: assay.accuracy([1], [math.nan]), ValueError, "truths.0. is nan"),
    (lambda: assay.accuracy([[1]], [1]), TypeError, "cannot be compared as a label"),
    (lambda: assay.accuracy("abc", ["a", "b", "c"]), TypeError, "list of labels"),
    (lambda: assay.accuracy(None, [1]), TypeError, "list of labels"),
    (lambda: assay.accuracy(np.ones((2, 2)), [1]), ValueError, "one dimension"),
    (lambda: assay.accuracy([1, 2], [1]), ValueError, ""),
    (lambda: assay.compare_models_to_reference([1, 2], {"a": [1]}), ValueError, ""),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_input(number):
    call, error, words = BAD[number]
    with pytest.raises(error, match=words) as caught:
        call()
    assert "incompatible function arguments" not in str(caught.value)


def test_nan_and_nothing_follow_the_policy():
    found = assay.wilcoxon([1, math.nan, 2], policy="scipy-1.10")
    assert math.isnan(found.statistic) and math.isnan(found.pvalue)


def test_results_show_themselves():
    found = assay.wilcoxon([1.0, 2, 3, 4, 5, 6, -7])
    assert repr(found).startswith("WilcoxonResult(statistic=7.0, pvalue=")
    assert "<td>7</td>" in found._repr_html_() and "WilcoxonResult" in found._repr_html_()
    assert (found == assay.wilcoxon([1.0, 2, 3, 4, 5, 6, -7])
            and hash(found) == hash(assay.wilcoxon([1.0, 2, 3, 4, 5, 6, -7])))
    assert json.loads(json.dumps(found.as_dict()))["n"] == 7
    with pytest.raises(AttributeError, match="read-only"):
        found.pvalue = 0
    with pytest.raises(TypeError, match="fields"):
        assay.McNemarResult(1)
    import copy
    import pickle

    assert pickle.loads(pickle.dumps(found)) == found == copy.deepcopy(found)

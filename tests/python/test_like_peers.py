"""Results index, unpack and compare as their peers' do, and arguments mean what they mean there."""
import collections
import copy
import math
import pickle

import numpy as np
import pytest

import assay

scipy = pytest.importorskip("scipy.stats")

X = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135]
Y = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145]


def tuples():
    """Every result that is a tuple, and the fields that it has as one."""
    x, y = np.array(X, float), np.array(Y, float)
    return [
        (assay.wilcoxon(x, y), "statistic pvalue"),
        (assay.mcnemar(4, 12), "statistic pvalue"),
        (assay.friedman(np.random.default_rng(0).random((9, 3))), "statistic pvalue"),
        (assay.tost_paired(x, y, 5), "pvalue lower upper"),
        (assay.hodges_lehmann(x - y), "estimate lower upper"),
        (assay.bootstrap(x, replicates=50).confidence_interval, "low high"),
    ]


@pytest.mark.parametrize("number", range(6))
def test_results_are_tuples(number):
    found, names = tuples()[number]
    names = names.split()
    assert isinstance(found, tuple) and len(found) == len(names) and found._fields == tuple(names)
    first, *rest = found
    assert first == found[0] == getattr(found, names[0]) and rest == list(found[1:])
    assert found == tuple(found) and hash(found) == hash(tuple(found)) and found != (1,)
    assert found[-1] in found and found.index(found[-1]) == len(names) - 1
    assert np.asarray(found, dtype=object).shape[0] == len(names)
    for again in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found),
                  found._replace()):
        assert (type(again) is type(found) and again == found
                and again.as_dict() == found.as_dict() == found._asdict())
    with pytest.raises(AttributeError):
        setattr(found, names[0], 0)


def test_a_result_compares_as_scipy_s():
    ours, theirs = (assay.wilcoxon(X, Y, policy="scipy-1.10", method="approx"),
                    scipy.wilcoxon(X, Y, mode="approx"))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert ours[0] == theirs[0] and len(ours) == len(theirs) and ours._fields == theirs._fields
    statistic, pvalue = ours
    assert (statistic, pvalue) == (ours.statistic, ours.pvalue) and ours.n == 10 and ours.zeros == 1
    assert sorted([assay.wilcoxon(X, Y), assay.wilcoxon([1.0, 2])])[0][0] == 0


def test_results_make_tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([assay.wilcoxon(X, Y), assay.wilcoxon(Y, X)])
    assert list(frame.columns) == ["statistic", "pvalue"] and len(frame) == 2


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("correction", [False, True])
def test_arguments_of_wilcoxon_are_scipy_s(zero_method, alternative, correction):
    given = (X, Y, zero_method, correction, alternative, "approx")
    theirs, ours = scipy.wilcoxon(*given), assay.wilcoxon(*given, policy="scipy-1.10")
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert ours.zstatistic == pytest.approx(theirs.zstatistic, rel=1e-12)
    assert ours == assay.wilcoxon(X, Y, zero_method, correction, alternative, mode="approx",
                                  policy="scipy-1.10")
    assert (assay.wilcoxon(X, Y, zero_method).statistic
            == scipy.wilcoxon(X, Y, zero_method).statistic)


def test_zstatistic_is_there_where_the_method_is_approximate():
    assert (not hasattr(assay.wilcoxon(X, Y), "zstatistic")
            and "zstatistic" not in repr(assay.wilcoxon(X, Y)))
    found = assay.wilcoxon(X, Y, method="approx")
    assert found.method == "asymptotic" and found.as_dict()["zstatistic"] == found.zstatistic
    assert 2 * scipy.norm.cdf(found.zstatistic) == pytest.approx(found.pvalue)
    # too many for the exact distribution
    assert hasattr(assay.wilcoxon(np.arange(1.0, 700)), "zstatistic")
    nothing = assay.wilcoxon([], policy="scipy-1.10", method="approx")
    assert math.isnan(nothing.zstatistic) and math.isnan(nothing[0])


def test_a_bootstrap_has_scipy_s_names():
    found = assay.bootstrap(np.arange(20.0), replicates=100)
    low, high = found.confidence_interval
    assert (low, high) == (found.ci_lower, found.ci_upper) == (
        found.confidence_interval.low, found.confidence_interval.high)
    # SciPy's is none either
    assert found.standard_error == found.std and not isinstance(found, tuple)


INTEGERS = [int, np.int8, np.uint8, np.int64, np.uint64, np.float32, float]


@pytest.mark.parametrize("kind", INTEGERS)
def test_mcnemar_takes_integers_of_any_type(kind):
    assert assay.mcnemar(kind(4), kind(12)) == assay.mcnemar(4, 12)
    cells = [[50, 4], [12, 30]]
    assert (assay.mcnemar(np.array(cells, dtype=kind)) == assay.mcnemar(cells)
            == assay.mcnemar(4, 12))
    assert assay.mcnemar(np.uint8(200), np.uint8(100)) == assay.mcnemar(200, 100)  # no sum of bytes


def test_mcnemar_takes_tables_as_statsmodels_does():
    pandas = pytest.importorskip("pandas")
    first = [True] * 54 + [False] * 42
    second = [True] * 50 + [False] * 4 + [True] * 12 + [False] * 30
    table = pandas.crosstab(pandas.Series(first), pandas.Series(second))
    assert table.values.tolist() == [[30, 12], [4, 50]]
    assert assay.mcnemar(table) == assay.mcnemar(4, 12) == assay.mcnemar(4, 12, "exact")
    assert assay.mcnemar(table, exact=False) == assay.mcnemar(4, 12, "corrected")
    assert (assay.mcnemar(table, exact=False, correction=False)
            == assay.mcnemar(4, 12, "uncorrected"))
    assert (assay.mcnemar(table, exact=True, correction=False)
            == assay.mcnemar(table, method="exact"))
    theirs = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar
    for given in ({}, {"exact": False}, {"exact": False, "correction": False}):
        one, other = assay.mcnemar(table, **given), theirs(table, **given)
        assert tuple(one) == (pytest.approx(other.statistic), pytest.approx(other.pvalue))


LABELS = {
    "text": (["cat", "dog", "cat", "cow"], ["cat", "cat", "cow", "cow"]),
    "integers": ([1, 2, 1, 3], [1, 1, 3, 3]),
    "booleans": ([True, False, True, True], [True, True, False, False]),
    "numpy text": (np.array(["a", "bb", "a", "c"]), np.array(["a", "a", "c", "c"])),
    "objects": (np.array(["a", 2, "a", "c"], dtype=object),
                np.array(["a", "a", 2, "c"], dtype=object)),
    "numpy scalars": ([np.int64(1), np.uint8(2), np.int16(1), np.int8(3)], (1, 1, 3, 3)),
    "whole floats": (np.array([1.0, 2, 1, 3]), np.array([1, 1, 3, 3], dtype=np.uint64)),
    "huge": ([2**70, 1, 2**70, 3], [2**70, 2**70, 3, 3]),
    "tuples": ([(1, 2), (3,), (1, 2), ()], [(1, 2), (1, 2), (), ()]),
    "deques": (collections.deque("abac"), collections.deque("aacc")),
}


@pytest.mark.parametrize("name", LABELS)
def test_accuracy_takes_any_labels(name):
    given = LABELS[name]
    p, t = map(list, given)
    right = [a == b for a, b in zip(p, t)]
    assert assay.accuracy(*given) == sum(right) / 4
    shares = [np.mean([r for r, truth in zip(right, t) if truth == each])
              for each in dict.fromkeys(t)]
    assert assay.balanced_accuracy(*given) == pytest.approx(np.mean(shares), abs=1e-15)
    assert (assay.bootstrap_metric(*given, "balanced_accuracy", n_replicates=20).point
            == assay.balanced_accuracy(*given))
    assert assay.accuracy(iter(p), iter(t)) == sum(right) / 4


def test_labels_of_arrays_series_and_tensors():
    pandas = pytest.importorskip("pandas")
    p, t = np.array(["a", "b", "a"]), np.array(["a", "a", "b"])
    for kind in (list, tuple, pandas.Series, pandas.Categorical, pandas.Index,
                 lambda x: x.astype(object)):
        assert assay.accuracy(kind(p), kind(t)) == 1 / 3, kind
    with pytest.raises(ValueError, match="predictions.1. is (<NA>|nan); leave the item out"):
        assay.accuracy(pandas.array([1, None, 2], dtype="Int64"), [1, 1, 2])


def test_mixed_labels_and_missing_answers():
    assert assay.accuracy([1, "a", None, 2.0], [1, "a", 3, 2]) == 0.75
    assert assay.balanced_accuracy([1, "a", None], [1, "b", "b"]) == 0.5
    assert assay.accuracy([None, None], ["a", "b"]) == 0


def test_accuracies_equal_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    for names in (np.array(["x", "yy", "z"]), np.arange(3), np.array([False, True, True])):
        p, t = names[rng.integers(0, 3, 500)], names[rng.integers(0, 3, 500)]
        assert assay.accuracy(p, t) == sklearn.accuracy_score(t, p)
        assert assay.balanced_accuracy(p, t) == sklearn.balanced_accuracy_score(t, p)

"""Statistics of the package against SciPy on random and hostile samples: the same numbers, or both
refuse. A bounded number of seeded samples; ASSAY_FUZZ_SECONDS makes the search go on for so long.
"""
import importlib.metadata
import itertools
import math
import os
import time
import warnings

import numpy as np
import pytest

import assay

scipy = pytest.importorskip("scipy.stats")
VERSION = tuple(map(int, importlib.metadata.version("scipy").split(".")[:2]))
#: The policy of the SciPy that is installed: each is named after the first release that it is for.
POLICY = next(f"scipy-{major}.{minor}" for major, minor in ((1, 15), (1, 14), (1, 10))
              if VERSION >= (major, minor) or minor == 10)
SECONDS = float(os.environ.get("ASSAY_FUZZ_SECONDS", "0"))


def seeds(count):
    """So many seeds, or as many as the time allows."""
    start = time.monotonic()
    for seed in itertools.count():
        if seed >= count and time.monotonic() - start >= SECONDS:
            return
        yield seed


def sample(rng, most=40):
    """Values as people and adversaries have them: ties, zeros, huge, tiny, equal, NaN."""
    n = int(rng.integers(1, most))
    kind = rng.integers(10)
    x = rng.normal(size=n)
    if kind == 0:
        return x.round(1)
    if kind == 1:
        return rng.integers(-3, 4, n).astype(float)
    if kind == 2:
        return np.where(rng.random(n) < 0.5, 0.0, x)
    if kind == 3:
        return x * 10.0 ** rng.integers(-300, 300)
    if kind == 4:
        return np.full(n, rng.choice([0.0, -0.0, 1.0, -0.3, 1e-320]))
    if kind == 5:
        return np.where(rng.random(n) < 0.1, np.nan, x)
    if kind == 6:
        return np.abs(x)
    if kind == 7:
        return 1 + np.ldexp(rng.integers(-4, 5, n).astype(float), -52)
    return x


def outcome(call):
    """What a call gives, with NaN as None; "refused" when it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = call()
        except (ValueError, ZeroDivisionError):
            return "refused"
    return tuple(None if math.isnan(value) else float(value) for value in np.ravel(found))


def expect_close(ours, theirs, what, rel=1e-9):
    assert (ours == "refused") == (theirs == "refused"), (what, ours, theirs)
    if ours == "refused":
        return
    assert len(ours) == len(theirs), what
    for a, b in zip(ours, theirs):
        assert (a is None) == (b is None), (what, ours, theirs)
        if a is not None:
            assert a == pytest.approx(b, rel=rel, abs=1e-300), (what, ours, theirs)


def expect_least(ours, theirs, d, what):
    """SciPy 1.15 and later take an upper tail as 1 minus a sum, which may round to 0. All
    differences have one sign then, and the exact p-value is the least that there is."""
    assert (d > 0).all() or (d < 0).all(), what
    assert ours[0] == theirs[0] and ours[1] in (2.0 ** -len(d), 2.0 ** (1 - len(d))), (what, ours)


def test_wilcoxon_is_scipy_s():
    for seed in seeds(600):
        rng = np.random.default_rng([1, seed])
        d = sample(rng, 70)
        zero_method = str(rng.choice(["wilcox", "pratt", "zsplit"]))
        alternative = str(rng.choice(["two-sided", "greater", "less"]))
        mode = str(rng.choice(["auto", "exact", "approx"]))
        correction = bool(rng.random() < 0.5)
        what = (seed, d.tolist(), zero_method, alternative, mode, correction)
        theirs = outcome(lambda: tuple(scipy.wilcoxon(
            d, zero_method=zero_method, correction=correction, alternative=alternative,
            method=mode))[:2])
        ours = outcome(lambda: tuple(assay.wilcoxon(
            d, zero_method=zero_method, correction=correction, alternative=alternative, method=mode,
            policy=POLICY))[:2])
        if theirs != "refused" and theirs[1] == 0.0:
            expect_least(ours, theirs, d, what)
        else:
            expect_close(ours, theirs, what)


def walsh_median(d):
    i, j = np.triu_indices(len(d))
    return np.median((d[i] / 2 + d[j] / 2))


def test_effects_are_their_definitions():
    for seed in seeds(300):
        rng = np.random.default_rng([2, seed])
        d = sample(rng)
        if np.isnan(d).any():
            assert outcome(lambda: assay.hodges_lehmann(d)) == "refused"
            continue
        what = (seed, d.tolist())
        estimate = outcome(lambda: (assay.hodges_lehmann(d).estimate, ))
        expect_close(estimate, (walsh_median(d), ), what, 1e-12)
        ranks = scipy.rankdata(np.abs(d[d != 0]))
        signs = np.sign(d[d != 0])
        if len(ranks):
            expect_close(outcome(lambda: (assay.rank_biserial(d), )),
                         ((ranks * signs).sum() / ranks.sum(), ), what)
        expect_close(outcome(lambda: (assay.probability_of_superiority(d), )),
                     ((np.sum(d > 0) + np.sum(d == 0) / 2) / len(d), ), what)


def test_equivalence_is_two_t_tests():
    for seed in seeds(200):
        rng = np.random.default_rng([3, seed])
        x, y = rng.normal(size=(2, int(rng.integers(3, 30)))) * 10.0 ** rng.integers(-6, 6)
        margin = float(np.abs(rng.normal()) * np.abs(x - y).mean() + 1e-9)
        upper = scipy.ttest_1samp(x - y, margin, alternative="less").pvalue
        lower = scipy.ttest_1samp(x - y, -margin, alternative="greater").pvalue
        found = assay.tost_paired(x, y, margin)
        expect_close((found.pvalue, ), (max(upper, lower), ), (seed, x.tolist(), y.tolist()), 1e-7)


def test_mcnemar_is_a_binomial_test():
    for seed in seeds(300):
        rng = np.random.default_rng([4, seed])
        most = 10 ** int(rng.integers(1, 5))
        b, c = (int(n) for n in rng.integers(0, most, 2))
        if b + c == 0:
            continue
        expect_close((assay.mcnemar(b, c).pvalue, ), (scipy.binomtest(b, b + c).pvalue, ), (b, c))
        corrected = (abs(b - c) - 1) ** 2 / (b + c)
        expect_close(tuple(assay.mcnemar(b, c, "corrected")),
                     (corrected, scipy.chi2.sf(corrected, 1)), (b, c))


def test_friedman_is_scipy_s():
    for seed in seeds(200):
        rng = np.random.default_rng([5, seed])
        cases, models = int(rng.integers(2, 30)), int(rng.integers(3, 8))
        table = rng.normal(size=(cases, models))
        if rng.random() < 0.5:
            table = table.round()
        theirs = outcome(lambda: tuple(scipy.friedmanchisquare(*table.T)))
        ours = outcome(lambda: tuple(assay.friedman(table)))
        if None in theirs:  # every row is one tie: no rank, no test
            assert ours == "refused" or None in ours or ours == (0.0, 1.0), (seed, ours)
            continue
        expect_close(ours, theirs, (seed, table.tolist()))


def test_corrections_are_monotone_and_holm_is_by_hand():
    for seed in seeds(200):
        rng = np.random.default_rng([6, seed])
        p = rng.random(int(rng.integers(1, 40))) ** rng.integers(1, 9)
        p[rng.random(p.size) < 0.2] = rng.choice([0.0, 1.0, p[0]])
        order = np.argsort(p, kind="stable")
        by_hand = np.empty(p.size)
        by_hand[order] = np.minimum(1, np.maximum.accumulate(
            p[order] * np.arange(p.size, 0, -1)))
        np.testing.assert_allclose(assay.holm(p)[0], by_hand, rtol=1e-13, err_msg=str(seed))
        for method in ("bonferroni", "hochberg", "hommel", "bh", "by", "holm-sidak", "sidak"):
            found = assay.adjust(p, method)
            assert (found >= p - 1e-15).all() and (found <= 1).all(), (seed, method)
            assert (np.diff(found[order]) >= -1e-15).all(), (seed, method)


def test_draws_are_numpy_s():
    for seed in seeds(200):
        rng = np.random.default_rng([7, seed])
        start = int(rng.integers(0, 2**63)) << int(rng.integers(0, 100))
        n = int(rng.choice([1, 2, 3, 255, 256, 257, 65537, 2**31, 2**32 - 1, 2**32, 2**40]))
        size = int(rng.integers(0, 50))
        np.testing.assert_array_equal(assay.default_rng_choice(start, n, size),
                                      np.random.default_rng(start).choice(n, size),
                                      err_msg=str((start, n, size)))


def test_bootstrap_is_numpy_s():
    for seed in seeds(40):
        rng = np.random.default_rng([8, seed])
        x = sample(rng)
        if np.isnan(x).any() or np.ptp(x) == 0 or not np.isfinite(x.sum()):
            continue
        draws = np.random.default_rng(seed)
        means = [x[draws.choice(x.size, x.size)].mean() for _ in range(200)]
        found = assay.bootstrap(x, replicates=200, seed=seed)
        expect_close((found.ci_lower, found.ci_upper), tuple(np.percentile(means, [2.5, 97.5])),
                     (seed, x.tolist()), 1e-12)

"""assay.spec.statistics: the specification's test section as data, its vectors, SciPy and
statsmodels as oracles."""
import dataclasses
import json
import math
import warnings

import numpy as np
import pytest

from assay import spec
from spec_vectors import cases, close, reference

FIVE = [0.8, 0.85, 0.9, 0.82, 0.88]


def normal(*means, std=0.05, size=50):
    """Samples of NumPy's old generator, seeded as the specification's tests seed it."""
    chance = np.random.RandomState(42)
    return [chance.normal(mean, std, size) for mean in means]


# Reference, model, and the open or closed range that the p-value must be in.
SECTION_3_2 = {
    "identical": (FIVE, FIVE, lambda p: p == 1.0),
    "different": (*normal(0.8, 0.7), lambda p: p < 0.05),
    "similar": (*normal(0.8, 0.8), lambda p: 0 < p <= 1),
}


@pytest.mark.parametrize("name", SECTION_3_2)
def test_wilcoxon(name):
    ours, theirs, holds = SECTION_3_2[name]
    found = spec.wilcoxon_test(np.array(ours), np.array(theirs))
    assert type(found) is float and holds(found)


# p-values, alpha, corrected, significant.
HOLM = [
    ([0.03], 0.05, [0.03], [True]),
    ([0.01, 0.03, 0.05, 0.1], 0.05, [0.04, 0.09, 0.1, 0.1], [True, False, False, False]),
    ([0.3, 0.4, 0.5], 0.05, [0.9, 0.9, 0.9], [False] * 3),
    ([0.01, 0.011, 0.012], 0.05, [0.03] * 3, [True] * 3),  # monotone, unlike the fallback
    ([0.05], 0.05, [0.05], [True]),  # <=
    ([0.04], 0.01, [0.04], [False]),
    # NaN is never significant
    ([0.9, math.nan, 0.01], 0.05, [1.0, math.nan, 0.03], [False, False, True]),
    ([], 0.05, [], []),
]


@pytest.mark.parametrize("p_values, alpha, corrected, significant", HOLM)
def test_holm(p_values, alpha, corrected, significant):
    found = spec.holm_bonferroni_correction(p_values, alpha)
    assert close(found[0], corrected, 1e-12)
    assert len(found[1]) == len(significant) and all(f is s for f, s in zip(found[1], significant))
    json.dumps(found)


def test_every_model_is_compared():
    models = {"model_a": np.array(FIVE) - 0.1, "model_b": np.array(FIVE) - 0.01}
    found = spec.compare_models_to_reference(np.array(FIVE), models)
    assert [each.model_name for each in found] == ["model_a", "model_b"]
    assert [(each.p_value, each.corrected_p_value) for each in found] == [(0.0625, 0.125)] * 2
    assert all(each.is_significant is False and each.effect_size is None for each in found)
    json.dumps([dataclasses.asdict(each) for each in found])


def test_a_clear_difference_is_significant():
    ours, worse, similar = normal(0.85, 0.70, 0.84, std=0.02)
    found = {each.model_name: each
             for each in spec.compare_models_to_reference(
                 ours, {"worse": worse, "similar": similar})}
    assert found["worse"].is_significant is True
    assert spec.compare_models_to_reference(ours, {}) == []


def test_the_shortcut_hides_a_consistent_difference():
    ours = np.linspace(0.7, 0.9, 75)
    assert spec.wilcoxon_test(ours, ours - 1e-6) == 1.0
    assert spec.compare_to_reference(ours, {"m": ours - 1e-6})["m"]["p_value"] < 1e-10


def test_the_guide_of_the_paper_reports_corrected_values():
    ours, worse, similar = normal(0.85, 0.70, 0.84, std=0.02)
    models = {"worse": worse, "similar": similar}
    found = spec.compare_to_reference(ours, models)
    expected = spec.compare_models_to_reference(ours, models)
    assert found == {e.model_name: {"p_value": e.corrected_p_value, "significant": e.is_significant}
                     for e in expected}
    with pytest.raises(ValueError, match="all differences are zero"):
        spec.compare_to_reference(FIVE, {"same": FIVE})


def test_infinity_and_nan():
    assert math.isnan(spec.wilcoxon_test([0.1, math.nan, 0.3], [0.2, 0.4, 0.1]))
    assert spec.wilcoxon_test([1, math.inf], [1, math.inf]) == 1.0  # allclose
    with pytest.raises(ValueError, match="pair 2 of 3 is infinite on both sides"):
        spec.wilcoxon_test([1, math.inf, 2], [3, math.inf, 1])
    with pytest.raises(ValueError, match="has 2 values and model_scores 3"):
        spec.wilcoxon_test([1, 2], [1, 2, 3])
    found = spec.compare_models_to_reference([0.1, 0.2, 0.3], {"m": [math.nan, 0.2, 0.1]})[0]
    assert math.isnan(found.corrected_p_value) and found.is_significant is False


@pytest.mark.parametrize("case", cases("wilcoxon"))
def test_vectors_wilcoxon(case):
    found, expected = (spec.wilcoxon_test(case["input"]["reference"], case["input"]["model"]),
                       case["expected"])
    assert (found < expected["max"] if isinstance(expected, dict)
            else close(found, expected, case["tolerance"]))


@pytest.mark.parametrize("case", cases("holm"))
def test_vectors_holm(case):
    found = spec.holm_bonferroni_correction(case["input"]["p_values"], case["input"]["alpha"])
    assert close(dict(zip(("corrected", "significant"), found)), case["expected"],
                 case["tolerance"])


@pytest.mark.parametrize("case", cases("compare_models"))
def test_vectors_compare_models(case):
    found = spec.compare_models_to_reference(case["input"]["reference"], case["input"]["models"])
    assert close([vars(each) for each in found], case["expected"], case["tolerance"])


@pytest.mark.parametrize("case", cases("results_table"))
def test_vectors_results_table(case):
    stars = case["input"].get("significant", {})
    comparisons = ([spec.ComparisonResult(name, 0.01, 0.01, star) for name, star in stars.items()]
                   or None)
    found = spec.format_results_table(case["input"]["results"], comparisons)
    # One vector is a whole table, one a single row of it.
    assert found == case["expected"] or case["expected"] in found.split("\n")


@pytest.mark.parametrize("entry", reference("wilcoxon", "cases"))
def test_reference_wilcoxon(entry):
    assert (spec.wilcoxon_test(entry["x"], entry["y"])
            == pytest.approx(entry["spec_p_scipy1_10"], rel=1e-9))


@pytest.mark.parametrize("entry", reference("holm"))
def test_reference_holm(entry):
    found = spec.holm_bonferroni_correction(entry["p"], entry["alpha"])
    assert close(found[0], entry["corrected"], 1e-12) and found[1] == entry["reject"]


@pytest.mark.parametrize("entry", reference("compare_models"))
def test_reference_compare_models(entry):
    found = spec.compare_models_to_reference(entry["reference"], entry["models"])
    named = [{"model": f.model_name, "p": f.p_value, "corrected": f.corrected_p_value,
              "significant": f.is_significant}
             for f in found]
    assert close(named, entry["result"], 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_equals_scipy(seed):
    scipy = pytest.importorskip("scipy")
    stats = pytest.importorskip("scipy.stats")
    if not scipy.__version__.startswith(("1.9.", "1.10.")):
        pytest.skip("SciPy of another generation")
    chance = np.random.default_rng(seed)
    size, digits = int(chance.integers(5, 90)), int(chance.integers(1, 6))
    ours, theirs = (chance.normal(0.8, 0.1, size).round(digits) for _ in range(2))
    if np.allclose(ours, theirs):
        pytest.skip("equal samples")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy's word on zeros
        expected = stats.wilcoxon(ours, theirs, alternative="two-sided").pvalue
    assert spec.wilcoxon_test(ours, theirs) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_equals_statsmodels(seed):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    chance = np.random.default_rng(seed)
    p_values = (chance.random(int(chance.integers(1, 15))) ** 4).round(4)
    reject, corrected, _, _ = multitest.multipletests(p_values, alpha=0.05, method="holm")
    found = spec.holm_bonferroni_correction(list(p_values))
    assert found == (list(corrected), list(reject))

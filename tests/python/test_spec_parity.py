"""assay.spec.parity: the specification's test section as data, its edges in doubles, its vectors
and words."""
import json
import logging
import math
import warnings

import numpy as np
import pytest

from assay import spec
from assay.spec import parity
from spec_vectors import cases, close, reference


def results(dice, avd, mcc, std=0.0, key="mean_dice"):
    return {"summary": {key: dice, "std_dice": std},
            "test_results": [{"test_dice": dice, "test_avd": avd, "test_mcc": mcc}]}


def summary(dice=0.876, std=0.016, avd=0.245, mcc=0.76):
    return {"summary": {"test_mean_dice": dice, "test_std_dice": std, "test_mean_avd": avd,
                        "test_mean_mcc": mcc}}


SECTION_4 = [
    (results(0.876, 0.245, 0.760, 0.016), "strict"),
    (results(0.865, 0.28, 0.75, 0.020), "acceptable"),
    (results(0.852, 0.35, 0.70, 0.025), "minimum"),
    (results(0.80, 0.50, 0.60, 0.05), "failed"),
]

# The documented bounds are inclusive; in doubles and without slack some are not reached.
EDGES = [
    (summary(dice=0.886), "acceptable"),
    (summary(dice=0.866), "acceptable"),
    (summary(avd=0.265), "acceptable"),
    (summary(avd=0.225), "strict"),
    (summary(mcc=0.780), "acceptable"),
    (summary(mcc=0.740), "acceptable"),
    (summary(std=0.03), "strict"),
    (summary(std=0.0301), "acceptable"),
    (summary(dice=0.95, avd=0.1, mcc=0.9), "acceptable"),
    (summary(dice=0.85, avd=0.9, mcc=0.1), "minimum"),
    # section 8 prints "acceptable"
    (summary(dice=0.8712, std=0.0189, avd=0.2523, mcc=0.7542), "strict"),
    (summary()["summary"], "strict"),  # without the word "summary"
]


@pytest.mark.parametrize("given, level", SECTION_4 + EDGES)
def test_levels(given, level):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert spec.validate_parity(given).parity_level == level


def test_folds_are_averaged_with_ddof_0(tmp_path):
    rows = [{"test_dice": d, "test_avd": d / 4, "test_mcc": d - 0.1} for d in (0.80, 0.85, 0.93)]
    path = tmp_path / "experiment_results.json"
    path.write_text(json.dumps({"test_results": rows}))
    for given in (path, str(path), {"test_results": rows}):
        found = spec.validate_parity(given)
        assert (found.dice_mean == pytest.approx(0.86)
                and found.dice_std == pytest.approx(np.std([0.80, 0.85, 0.93])))
        assert (found.avd_mean, found.mcc_mean) == (pytest.approx(0.215), pytest.approx(0.76))
    json.dumps(vars(found))
    assert type(found.dice_mean) is float and found.details["dice"]["acceptable"] in (True, False)


def test_missing_values_are_invented_aloud(caplog):
    with pytest.warns(UserWarning, match="avd_mean = 0.3 and mcc_mean = 0.7 are invented"):
        with caplog.at_level(logging.WARNING, "assay.spec.parity"):
            found = spec.validate_parity({"summary": {"mean_dice": 0.876}})
    assert "No test metrics found" in caplog.text
    assert ((found.avd_mean, found.mcc_mean, found.dice_std, found.parity_level)
            == (0.3, 0.7, 0.0, "minimum"))
    with pytest.warns(UserWarning, match="no mcc_mean"):
        assert spec.validate_parity({"val_mean_dice": 0.9, "val_std_dice": 0.1,
                                     "avd_mean": 0.2}).dice_mean == 0.9
    with pytest.warns(UserWarning):
        assert spec.validate_parity({}).parity_level == "failed"


def test_an_unknown_variant_is_meshnet_26():
    with pytest.warns(UserWarning, match="unknown variant 'meshnet_27'.*compared with meshnet_26"):
        found = spec.validate_parity(summary(), "meshnet_27")
    assert found.model == "meshnet_27" and found.details == spec.validate_parity(summary()).details


@pytest.mark.parametrize("given, error, words",
                         [
                             ({"summary": {"test_mean_dice": 0.876}}, TypeError,
                              "no test_std_dice, test_mean_avd, test_mean_mcc"),
                             ({"test_results": [{"test_dice": 1, "test_avd": 1, "test_mcc": 1},
                                                {"test_dice": 1}]}, ValueError,
                              "row 2 of 2 has no test_avd"),
                             (summary(dice="0.9"), TypeError, "test_mean_dice must be a number"),
                             ({"summary": []}, TypeError, "summary a dict"),
                         ])
def test_refusals(given, error, words):
    with pytest.raises(error, match=words):
        spec.validate_parity(given)


def test_files_that_are_not_results(tmp_path):
    (tmp_path / "a.json").write_text("nothing")
    with pytest.raises(ValueError, match="a.json is not a JSON file"):
        spec.validate_parity(tmp_path / "a.json")
    with pytest.raises(OSError):
        spec.validate_parity(tmp_path / "absent.json")


@pytest.mark.parametrize("level, sign",
                         [("strict", "✅"), ("acceptable", "✅"), ("minimum", "⚠️"),
                          ("failed", "❌")])
def test_a_result_is_printed(level, sign):
    found = spec.ParityResult("meshnet_26", 0.8712, 0.0189, 0.25, 0.75, level, {})
    assert str(found) == f"{sign} meshnet_26: DICE=0.8712±0.0189 (parity: {level})"


TABLE = """\
| Model | Parameters | DICE (↑) | AVD (↓) | MCC (↑) | Parity |
|-------|------------|----------|---------|---------|--------|
| meshnet_26 (paper) | 147,474 | 0.876 (0.016) | 0.245 (0.036) | 0.760 (0.030) | ref |
| meshnet_16 (paper) | 56,194 | 0.873 (0.007) | 0.249 (0.033) | 0.757 (0.013) | ref |
| meshnet_5 (paper) | 5,682 | 0.848 (0.023) | 0.280 (0.060) | 0.708 (0.042) | ref |
|---|---|---|---|---|---|
| meshnet_26 (ours) | - | 0.870 (0.000) | 0.250 | 0.760 | ✅ strict |
| meshnet_26 (ours) | - | 0.852 (0.025) | 0.350 | 0.700 | ⚠️ minimum |"""


def test_the_table(tmp_path):
    given = [results(0.87, 0.25, 0.76, 0.02), summary(0.852, 0.025, 0.35, 0.70)]
    assert spec.generate_benchmark_table(given, tmp_path / "table.md") == TABLE
    assert (tmp_path / "table.md").read_text(encoding="utf-8") == TABLE
    assert [path.name for path in tmp_path.iterdir()] == ["table.md"]


# Scores, then what is found against a paper of 0.876 (0.016).
COMPARISONS = [
    ([0.876] * 5, {"p_value": 1.0, "wilcoxon_statistic": 0.0, "significant": False, "cohens_d": 0.0,
                   "interpretation": "negligible", "conclusion": "STATISTICALLY EQUIVALENT"}),
    # within allclose of the mean
    ([0.876 + 1e-9] * 5, {"p_value": 1.0, "wilcoxon_statistic": 0.0}),
    ([0.70, 0.72, 0.71, 0.69, 0.73, 0.6],
     {"p_value": 0.03125, "significant": True, "interpretation": "large",
      "conclusion": "STATISTICALLY DIFFERENT (p=0.0312)"}),
    # one run shows nothing
    ([0.5], {"p_value": 1.0, "significant": False, "conclusion": "STATISTICALLY EQUIVALENT"}),
    ([0.9, math.nan],
     {"p_value": math.nan, "significant": False, "conclusion": "STATISTICALLY DIFFERENT (p=nan)"}),
]


@pytest.mark.parametrize("scores, expected", COMPARISONS)
def test_the_comparison_with_the_paper(scores, expected):
    found = spec.run_statistical_comparison(scores, 0.876, 0.016)
    assert close(found, expected, 1e-6), found
    assert found["test_type"] == "Wilcoxon signed-rank" and found["significant"] in (True, False)
    json.dumps(found)


def test_no_spread_is_called_large():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = spec.run_statistical_comparison([0.876] * 3, 0.876, 0.0)
        assert math.isnan(found["cohens_d"]) and found["interpretation"] == "large"
        assert spec.run_statistical_comparison([0.5] * 3, 0.876, 0.0)["cohens_d"] == -math.inf
    with pytest.raises(ValueError, match="our_results is empty"):
        spec.run_statistical_comparison([], 0.876, 0.016)


@pytest.mark.parametrize("case", cases("parity"))
def test_vectors(case):
    given, expected = case["input"], case["expected"]
    arguments = [given["results"]] + ([given["variant"]] if "variant" in given else [])
    if isinstance(expected, dict) and "raises" in expected:
        with pytest.raises(TypeError):
            spec.validate_parity(*arguments)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = spec.validate_parity(*arguments)
    if isinstance(expected, str):  # of a later edition, which has words for the signs
        for ours, theirs in (("✅", "[ACCEPTABLE]"), ("±", "+/-")):
            expected = expected.replace(theirs, ours)
        assert str(found) == expected
    else:
        assert close(vars(found), expected, case["tolerance"])


@pytest.mark.parametrize("case", cases("benchmark_table"))
def test_vectors_of_tables(case):
    """The vector is of a later edition: other headings, and words for the signs."""
    found = spec.generate_benchmark_table(case["input"]["results"]).split("\n")
    expected = case["expected"].replace("[OK]", "✅").split("\n")
    assert found[2:] == expected[2:]


@pytest.mark.parametrize("case", cases("stat_comparison"))
def test_vectors_of_comparisons(case):
    if "cohens_d" in case["input"]:
        assert parity._interpret_cohens_d(case["input"]["cohens_d"]) == case["expected"]
        return
    found = spec.run_statistical_comparison(**case["input"])
    assert (close(found, case["expected"], case["tolerance"])
            and close(found, case["original_output"], 1e-9))


@pytest.mark.parametrize("entry", reference("parity"))
def test_reference(entry):
    found = spec.validate_parity({"summary": entry["summary"]}, entry["variant"])
    assert found.parity_level == entry["level"] and found.details == entry["details"]


@pytest.mark.parametrize("entry", reference("stat_comparison_vs_paper"))
def test_reference_comparisons(entry):
    found = spec.run_statistical_comparison(entry["our_results"], entry["paper_mean"],
                                            entry["paper_std"])
    expected = {key: value for key, value in entry["result"].items() if key != "scipy_ge_1_15_p"}
    assert close(found, expected, 1e-9) and set(found) == set(expected)

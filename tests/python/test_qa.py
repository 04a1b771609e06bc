"""Answers and votes from Python, and the specification's names for them."""
import json

import pytest

import assay
from assay import spec
from spec_vectors import cases

ORGANS = ["Lung", "Breast", "Colon", "Liver"]


def test_extract_label_says_why_and_where():
    found = assay.extract_label('  Größe 3; {"answer": "Colon"}\n', benchmark_name="tcga",
                                options=ORGANS)
    assert (found.label, found.rule) == (3, "json")
    assert found.raw[slice(*found.span)] == '"Colon"'
    assert assay.extract_label("A or B", benchmark_name="tcga", options=ORGANS).label is None
    assert assay.extract_label("A or B", benchmark_name="tcga", options=ORGANS,
                               rules="giant").label == 1


@pytest.mark.parametrize("options", [None, [], ()])
def test_no_options(options):
    assert assay.extract_label("2", benchmark_name="tcga", options=options).label == 2


def test_unknown_rules():
    with pytest.raises(ValueError, match="unknown rules 'gaint'; did you mean 'giant'"):
        assay.extract_label("2", benchmark_name="tcga", options=None, rules="gaint")


def test_majority_vote():
    vote = assay.majority_vote([2, None, 1, 1, 2], ["b", "?", "a", "a", "b"])
    assert (vote.label, vote.prediction, vote.counts, vote.tied) == (2, "b", {2: 2, 1: 2}, True)
    assert assay.majority_vote([None, None]).label is None


@pytest.mark.parametrize("case", cases("majority_vote"))
def test_votes_of_the_original_project(case):
    labels, predictions, expected = (case["input"]["labels"], case["input"]["predictions"],
                                     case["expected"])
    if isinstance(expected, dict):
        with pytest.raises(ValueError, match=expected["message_contains"]):
            assay.majority_vote(labels, predictions)
    else:
        vote = assay.majority_vote(labels, predictions)
        assert [vote.prediction, vote.label] == expected


def results(run, labels):
    return {"run_id": run, "benchmark_name": "tcga_slidebench", "model_name": run, "config": {},
            "metrics": {}, "timestamp": "",
            "results": [{"item_id": str(i), "prediction": str(label), "predicted_label": label,
                         "truth_label": 1, "correct": label == 1, "error": None}
                        for i, label in enumerate(labels)]}


def test_score_and_compare_take_dicts():
    first, second = results("a", [1, 2, 1, 1]), results("b", [1, 1, 1, 2])
    scored = assay.qa_score(first)
    assert ((scored["schema"], scored["metrics"]["point_estimate"], scored["total_cost_usd"])
            == ("assay.qa/1", 0.75, None))
    assert len(assay.qa_score([first, second])["benchmarks"]) == 2
    compared = assay.qa_compare(first, second)["benchmarks"][0]
    assert (compared["first"], compared["second"]) == ("a", "b")
    assert [flip["item_id"] for flip in compared["flips"]["won"]] == ["1"]
    json.dumps(compared)


def test_specification_names():
    assert (spec.extract_label(" This is a 3. ", benchmark_name="tcga", options=ORGANS)
            == spec.ExtractedAnswer(1, "This is a 3."))
    assert spec.BENCHMARK_TASKS["panda"] == {
        "questions": 197, "classes": 6, "metric": "balanced_accuracy"}
    item = spec.BenchmarkItem(benchmark_name="tcga", benchmark_id="1", image_path="a.svs",
                              prompt="?", metric_type="accuracy", truth_label=1, wsi_path="/a.svs")
    result = spec.BenchmarkResult(item_id="1", prediction="1", truth_label=1, correct=True,
                                  trajectory_file="t.json")
    assert (item.options is None
            and (result.predicted_label, result.cost_usd, result.error) == (None, 0.0, None))
    assert spec.MetricsCalculator.balanced_accuracy([1, 1, 1], [1, 1, 2]) == 0.5
    assert spec.MetricsCalculator.compute([1, -1], [1, 2]) == 0.5
    found = spec.BootstrapEvaluator(n_replicates=100, seed=42).evaluate(
        [1, 2, 2], [1, 2, 1], "balanced_accuracy")
    assert found == spec.bootstrap_metric([1, 2, 2], [1, 2, 1], spec.balanced_accuracy, 100, 42)
    with pytest.raises(ValueError, match="unknown metric"):
        spec.MetricsCalculator.compute([1], [1], "kappa")

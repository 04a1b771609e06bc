"""Failures of a model count in `assay compare`: leaving a structure out must never win."""
import json

import numpy
import pytest
import scipy.stats

from comparisons import compare, entry, write
from support import assay, mask, save

LEFT, RIGHT = numpy.s_[2:7, 2:9, 2:9], numpy.s_[9:14, 2:9, 2:9]
SHAPE = (16, 12, 12)


def scored(folder, model, predictions, reference=None):
    """A results file of one model; predictions by case."""
    reference = mask(LEFT, RIGHT, shape=SHAPE) if reference is None else reference
    for name, prediction in predictions.items():
        save(folder / "ref" / f"{name}.nii.gz",
             reference[name] if isinstance(reference, dict) else reference)
        if prediction is not None:
            save(folder / model / f"{name}.nii.gz", prediction)
    assay("score", folder / model, folder / "ref", "--labels", "1,2", "--out",
          folder / f"{model}.json", "--quiet",
          status=3 if any(x is None for x in predictions.values()) else 0)
    return folder / f"{model}.json"


def eroded(case):
    """Both labels, a little too small."""
    return mask(numpy.s_[2:7, 2:9, 3:9], numpy.s_[9:14, 2 + case % 2:9, 2:9], shape=SHAPE)


def ids(n):
    return [f"case-{i:02}" for i in range(n)]


def two_models(folder, n=10):
    """One finds both structures, the other the first alone, and that perfectly."""
    good = scored(folder, "good", {name: eroded(i) for i, name in enumerate(ids(n))})
    misses = scored(folder, "misses", {name: mask(LEFT, shape=SHAPE) for name in ids(n)})
    return [good, misses]


def test_missing_a_structure_does_not_win(tmp_path):
    files = two_models(tmp_path)
    result = compare(*files)
    for metric in ("mcc", "hd95", "nsd", "dice"):
        got = entry(result, metric, "misses")
        assert (got["standing"], got["n"]) == ("worse", 10), got
        ranks = {m["model_name"]: m["rank"] for m in result["ranking"][metric]["models"]}
        assert ranks == {"good": 1, "misses": 2}
    diagonal = json.loads(files[0].read_text())["cases"][0]["diagonal_mm"]
    means = {m["model_name"]: m["metrics"] for m in result["models"]}
    assert (means["misses"]["hd95"]["mean"] == pytest.approx(diagonal / 2)
            and means["misses"]["mcc"]["mean"] == 0.5)
    assert means["misses"]["hd95"]["failures"] == 10 and means["good"]["hd95"]["failures"] == 0
    assert result["settings"]["undefined"] == "worst"


def test_failure_rates_are_compared(tmp_path):
    files = two_models(tmp_path)
    got = entry(compare(*files), "mcc", "misses")["failures"]
    assert got == {"model": 10, "baseline": 0, "only_model": 10, "only_baseline": 0,
                   "p_value": pytest.approx(scipy.stats.binomtest(0, 10).pvalue),
                   "corrected_p_value": got["p_value"]}
    screen = assay("compare", *files).stdout
    lines = [line for line in screen.splitlines() if line.startswith("failures (")]
    assert lines == ["failures (hd95, mcc): misses failed in 10 of 10 cases (100 %), good in 0 (0 "
                     "%); exact McNemar test, "
                     "p = 0.002."]
    assert "failures of a model are counted" in screen
    assert (entry(compare(files[0], files[0].with_name("copy.json")), "mcc",
                  "copy")["failures"]["p_value"] is None
            if not files[0].with_name("copy.json").write_text(
                files[0].read_text().replace('"good"', '"copy"'))
            else True)


def test_excluding_failures_says_what_it_hides(tmp_path):
    files = two_models(tmp_path)
    done = assay("compare", *files, "--undefined", "exclude")
    assert ("hd95: --undefined exclude hides the cases in which a model failed: misses (10)"
            in done.stderr)
    result = compare(*files, "--undefined", "exclude")
    assert entry(result, "hd95", "misses")["n"] == 0 and entry(result, "dice", "misses")["n"] == 10
    assert result["settings"]["undefined"] == "exclude"


def test_a_missing_prediction_is_a_failure_too(tmp_path):
    names = ids(8)
    good = scored(tmp_path, "good", {name: eroded(i) for i, name in enumerate(names)})
    lost = scored(tmp_path, "lost",
                  {name: None if i < 3 else mask(LEFT, RIGHT, shape=SHAPE)
                   for i, name in enumerate(names)})
    result = compare(good, lost)
    assert result["cases"]["matched"] == 8
    means = {m["model_name"]: m["metrics"]["dice"]["mean"] for m in result["models"]}
    assert means["lost"] == pytest.approx(5 / 8) and means["good"] > means["lost"]
    assert entry(result, "dice", "lost")["failures"]["only_model"] == 3
    assert "--intersect" in assay("compare", good, lost, "--undefined", "exclude", status=2).stderr
    left = compare(good, lost, "--undefined", "exclude", "--intersect")
    assert left["cases"]["matched"] == 5 and len(left["cases"]["left_out"]) == 3


def test_what_is_nobody_s_fault_is_left_out_for_all(tmp_path):
    """Both masks of label 2 are empty in a case: MCC has no value there, and nobody failed."""
    names = ids(8)
    references = {name: mask(LEFT, shape=SHAPE) if i == 0 else mask(LEFT, RIGHT, shape=SHAPE)
                  for i, name in enumerate(names)}
    first = {name: eroded(i) if i else mask(numpy.s_[2:7, 2:9, 3:9], shape=SHAPE)
             for i, name in enumerate(names)}
    a = scored(tmp_path, "a", first, references)
    b = scored(tmp_path, "b", references, references)
    result = compare(a, b, "--label", "2", "--metric", "mcc,dice")
    assert ({e["n"] for e in result["metrics"]["mcc"]} == {7}
            and {e["n"] for e in result["metrics"]["dice"]} == {8})
    assert any(
        "mcc of label 2: 1 case of 8 left out for all models, because there is no value for a (1), "
        "b (1)" in note
        for note in result["notes"]
    )
    table = assay("compare", a, b, "--label", "2", "--metric", "mcc,dice").stdout
    assert "mcc, label 2 ↑" in table and "dice of label 2: " in table
    # the average is over label 1 there
    assert entry(compare(a, b, "--metric", "mcc"), "mcc", "b")["n"] == 8


def test_other_tools_infinite_distances_are_failures(tmp_path):
    a, b = numpy.linspace(3, 4, 10), numpy.linspace(3, 4, 10) - 0.5
    b[:3] = numpy.inf
    files = [write(tmp_path / f"{name}.csv", ids(10), {"hd95": values})
             for name, values in (("a", a), ("b", b))]
    result = compare(*files)
    assert (entry(result, "hd95", "b")["n"] == 10
            and entry(result, "hd95", "b")["failures"]["model"] == 3)
    assert any(
        "the files do not say what failures count as; those of b (3) count as the worst value" in n
        for n in result["notes"]
    )
    assert result["models"][1]["metrics"]["hd95"]["max"] == 4
    assert entry(compare(*files, "--undefined", "exclude"), "hd95", "b")["n"] == 7

"""One file per structure: a missing file makes that structure missing, not its case."""
import csv, json

import numpy
import pytest

from support import assay, dice, random_mask, save, score, strict, without_provenance

PATTERN = "{id}/{label}.nii.gz"
OPTIONS = ["pred", "ref", "--pred-pattern", PATTERN, "--ref-pattern", PATTERN]
STRUCTURES = ["kidney", "liver", "spleen"]
IDS = ["a", "b", "c"]


@pytest.fixture
def cohort(tmp_path):
    """Three cases of three structures; the prediction of b's liver is missing."""
    for number, (case, structure) in enumerate((c, s) for c in IDS for s in STRUCTURES):
        save(tmp_path / f"pred/{case}/{structure}.nii.gz", random_mask(number))
        save(tmp_path / f"ref/{case}/{structure}.nii.gz", random_mask(number + 50))
    (tmp_path / "pred/b/liver.nii.gz").unlink()
    return tmp_path


def expected(case, structure):
    number = IDS.index(case) * 3 + STRUCTURES.index(structure)
    return dice(random_mask(number), random_mask(number + 50))


def test_only_the_structure_is_missing(cohort):
    done = assay("score", *OPTIONS, "--metrics", "dice,hd95", "--json", cwd=cohort, status=3)
    assert done.stderr == "not scored: b: there is no prediction of liver\n"
    result = strict(done.stdout)
    assert result["ledger"] == {"expected": 3, "scored": 3, "failed": 0, "missing_prediction": 0,
                                "missing_reference": 0,
                                "undefined": {"dice": {"cases": 1, "by_model": 1},
                                              "hd95": {"cases": 1, "by_model": 1}},
                                "missing_structures": 1}
    b = result["cases"][1]
    assert b["status"] == "ok"
    # The average of the case is undefined because of that label, by the model's fault.
    assert b["undefined"]["dice"] == {"reason": "missing_prediction", "culprit": "model",
                                      "label": "liver"}
    assert result["dice"]["values"][1] is None and result["metrics"]["dice"]["n"] == 2
    assert b["label"]["liver"] == {"dice": None, "hd95": None, "status": "missing_prediction",
                                   "undefined": {"dice": "missing_prediction",
                                                 "hd95": "missing_prediction"}}
    for structure in ("kidney", "spleen"):
        assert b["label"][structure]["dice"] == pytest.approx(expected("b", structure))
    assert result["labels"]["liver"]["status"] == {"ok": 2, "missing_prediction": 1}
    assert result["labels"]["liver"]["metrics"]["dice"]["undefined"] == {"missing_prediction": 1}
    assert result["labels"]["liver"]["metrics"]["dice"]["n"] == 2
    with_failures = numpy.mean([expected("a", "liver"), 0, expected("c", "liver")])
    assert (result["labels"]["liver"]["metrics"]["dice"]["mean_with_failures"]
            == pytest.approx(with_failures))


def test_the_table_says_so(cohort):
    done = assay("score", *OPTIONS, cwd=cohort, status=3)
    assert done.stdout.splitlines()[0].startswith(
        "pred: 3 of 3 cases scored · 1 structure without prediction")
    assert "means without and with the model's failures (1 missing structure)" in done.stdout


def test_it_may_count_as_worst(cohort):
    result = score(*OPTIONS, "--metrics", "dice,hd95", "--missing", "worst", cwd=cohort, status=3)
    liver = result["cases"][1]["label"]["liver"]
    assert (liver["dice"] == 0 and liver["status"] == "missing_prediction"
            and liver["undefined"] == {})
    assert liver["hd95"] == pytest.approx(numpy.linalg.norm([10, 9, 8]), rel=0.2)
    three = [expected("b", "kidney"), 0, expected("b", "spleen")]
    averages = ([numpy.mean([expected(case, s) for s in STRUCTURES]) for case in "ac"]
                + [numpy.mean(three)])
    assert result["metrics"]["dice"]["mean"] == pytest.approx(numpy.mean(averages))


def test_it_may_be_an_error(cohort):
    done = assay("score", *OPTIONS, "--missing", "error", "--out", "r.json", cwd=cohort, status=2)
    assert (
        done.stderr.splitlines()[-1]
        == "assay: not every case could be scored, and --missing error was asked for; nothing was"
        " written"
    )
    assert not (cohort / "r.json").exists()


def test_csv_and_nnunets_summary(cohort):
    assay("score", *OPTIONS, "--metrics", "dice,hd95", "--csv", "long.csv", "--format", "nnunet",
          "--out", "summary.json", cwd=cohort, status=3)
    rows = [row for row in csv.DictReader(open(cohort / "long.csv"))
            if row["case"] == "b" and row["label"] == "liver"]
    assert [(row["metric"], row["value"], row["status"]) for row in rows] == [
        ("dice", "", "missing_prediction"), ("hd95", "", "missing_prediction")]
    b = json.loads((cohort / "summary.json").read_text())["metric_per_case"][1]
    assert list(b["metrics"]) == ["kidney", "spleen"]


def test_a_structure_that_turns_up_is_scored_by_the_resumed_run(cohort):
    command = ["score", *OPTIONS, "--out", "r.json"]
    assay(*command, cwd=cohort, status=3)
    first = without_provenance(cohort / "r.json")
    assert ("3 cases were taken from the journal"
            in assay(*command, "--resume", cwd=cohort, status=3).stderr)
    assert without_provenance(cohort / "r.json") == first
    save(cohort / "pred/b/liver.nii.gz", random_mask(4))
    assert "2 cases were taken from the journal" in assay(*command, "--resume", cwd=cohort).stderr
    assert json.loads((cohort / "r.json").read_text())["ledger"]["scored"] == 3


def test_a_case_without_any_structure_is_missing(cohort):
    for structure in ("kidney", "spleen"):
        (cohort / f"pred/b/{structure}.nii.gz").unlink()
    save(cohort / "pred/b/other.nii.gz", random_mask(1))
    result = score(*OPTIONS, cwd=cohort, status=3)
    assert (result["ledger"]["missing_prediction"] == 1
            and "missing_structures" not in result["ledger"])


def test_compare_counts_a_missing_structure_as_the_models_failure(cohort):
    metrics = "dice,hd95"
    assay("score", *OPTIONS, "--metrics", metrics, "--model", "lost", "--out", "lost.json",
          cwd=cohort, status=3)
    save(cohort / "pred/b/liver.nii.gz", random_mask(4))
    assay("score", *OPTIONS, "--metrics", metrics, "--model", "whole", "--out", "whole.json",
          cwd=cohort)
    result = strict(assay("compare", "whole.json", "lost.json", "--metric", "dice", "--label",
                          "liver", "--json", cwd=cohort).stdout)
    (found,) = result["metrics"]["dice"]
    assert found["n"] == 3, "the failure has a value"


# ---- A reference that is missing ----------------------------------------------------------------

@pytest.fixture
def unreferenced(cohort):
    """Every structure is predicted; the reference of b's liver is missing."""
    save(cohort / "pred/b/liver.nii.gz", random_mask(4))
    (cohort / "ref/b/liver.nii.gz").unlink()
    return cohort


def test_a_missing_reference_loses_only_its_structure(unreferenced):
    done = assay("score", *OPTIONS, "--metrics", "dice,hd95", "--json", cwd=unreferenced, status=3)
    assert done.stderr == "not scored: b: there is no reference of liver\n"
    result = strict(done.stdout)
    assert result["ledger"] == {"expected": 3, "scored": 3, "failed": 0, "missing_prediction": 0,
                                "missing_reference": 0, "missing_reference_structures": 1}
    b = result["cases"][1]
    assert b["status"] == "ok" and b["undefined"] == {}
    assert b["label"]["liver"] == {"dice": None, "hd95": None, "status": "missing_reference",
                                   "undefined": {"dice": "missing_reference",
                                                 "hd95": "missing_reference"}}
    # Nobody's fault: the average of the case is over what can be judged.
    assert result["dice"]["values"][1] == pytest.approx(
        numpy.mean([expected("b", s) for s in ("kidney", "spleen")]))
    liver = result["labels"]["liver"]
    assert (liver["status"] == {"ok": 2, "missing_reference": 1}
            and liver["metrics"]["dice"]["failures"] == 0)
    assert liver["metrics"]["dice"]["undefined"] == {"missing_reference": 1}
    table = assay("score", *OPTIONS, cwd=unreferenced, status=3).stdout
    assert table.splitlines()[0].startswith("pred: 3 of 3 cases scored · 1 structure without "
                                            "reference")


def test_a_missing_reference_is_never_counted_as_a_failure(unreferenced):
    excluded, worst = (score(*OPTIONS, "--metrics", "dice,hd95", "--missing", rule,
                             cwd=unreferenced, status=3)
                       for rule in ("exclude", "worst"))
    assert (worst["metrics"] == excluded["metrics"]
            and worst["cases"][1]["label"]["liver"]["status"] == "missing_reference")
    assay("score", *OPTIONS, "--missing", "error", cwd=unreferenced, status=2)


def test_a_structure_without_both_files_is_nobodys_fault(unreferenced):
    (unreferenced / "pred/b/liver.nii.gz").unlink()
    result = score(*OPTIONS, cwd=unreferenced, status=3)
    assert result["cases"][1]["label"]["liver"]["status"] == "missing_reference"
    assert (result["ledger"]["missing_reference_structures"] == 1
            and "missing_structures" not in result["ledger"])


def test_a_case_without_a_common_structure_has_no_prediction(unreferenced):
    (unreferenced / "ref/b/kidney.nii.gz").unlink(), (
        unreferenced / "pred/b/spleen.nii.gz").unlink()
    result = score(*OPTIONS, cwd=unreferenced, status=3)
    assert result["ledger"]["missing_prediction"] == 1 and result["ledger"]["scored"] == 2


def test_a_missing_reference_is_kept_by_the_journal_and_read_by_compare(unreferenced):
    command = ["score", *OPTIONS, "--metrics", "dice,hd95", "--out", "r.json", "--csv", "long.csv"]
    assay(*command, cwd=unreferenced, status=3)
    first = without_provenance(unreferenced / "r.json")
    assert ("3 cases were taken from the journal"
            in assay(*command, "--resume", cwd=unreferenced, status=3).stderr)
    assert without_provenance(unreferenced / "r.json") == first
    rows = [row for row in csv.DictReader(open(unreferenced / "long.csv"))
            if row["case"] == "b" and row["label"] == "liver"]
    assert {(row["value"], row["status"]) for row in rows} == {("", "missing_reference")}
    assay(*command[:-3], "o.json", "--model", "other", cwd=unreferenced, status=3)
    found = strict(assay("compare", "r.json", "o.json", "--metric", "dice,hd95", "--label", "liver",
                         "--json", cwd=unreferenced).stdout)
    assert [pair[0]["n"] for pair in found["metrics"].values()] == [2, 2]
    found = strict(assay("compare", "r.json", "o.json", "--json", cwd=unreferenced).stdout)
    assert {pair[0]["n"] for pair in found["metrics"].values()} == {3}

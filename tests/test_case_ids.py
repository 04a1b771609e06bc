"""What cases are called, and the columns that a table adds to them by that name."""
import json

import pytest

from support import assay, random_mask, save, score, strict


def bids(folder, scans):
    """A BIDS tree of references and one of predictions; a scan is 'sub-14' or 'sub-14_ses-2'."""
    for seed, scan in enumerate(scans):
        name = f"{scan.replace('_', '/')}/anat/{scan}"
        save(folder / f"ref/{name}_label-lesion_mask.nii.gz", random_mask(seed))
        save(folder / f"pred/{name}_desc-unet_mask.nii.gz",
             random_mask(seed) ^ random_mask(seed + 99, share=0.1))
    return folder / "pred", folder / "ref"


@pytest.mark.parametrize("scans",
                         [["sub-13", "sub-14"], ["sub-13_ses-1", "sub-14_ses-1", "sub-14_ses-2"],
                          ["sub-13", "sub-14_ses-1", "sub-14_ses-2"],
                          ["sub-1_run-1", "sub-1_run-2"]])
def test_ids_of_a_bids_tree_are_entities(tmp_path, scans):
    result = score(*bids(tmp_path, scans))
    assert [case["id"] for case in result["cases"]] == scans
    assert result["cases"][0]["reference"].startswith(scans[0].replace("_", "/") + "/anat/")


def test_ids_do_not_depend_on_predictions(tmp_path):
    pred, ref = bids(tmp_path, ["sub-1", "sub-2"])
    save(pred / "sub-3/anat/sub-3_desc-unet_mask.nii.gz", random_mask(9))
    save(pred / "sub-2/ses-2/anat/sub-2_ses-2_run-7_mask.nii.gz", random_mask(9))
    (pred / "sub-1/anat/sub-1_desc-unet_mask.nii.gz").unlink()
    (pred / "sub-2/ses-2/anat/sub-2_ses-2_run-7_mask.nii.gz").unlink()
    result = score(pred, ref, status=3)
    assert [(case["id"], case.get("reason")) for case in result["cases"]] == [
        ("sub-1", "missing_prediction"), ("sub-2", None), ("sub-3", "missing_reference")]


def test_a_pattern_wins(tmp_path):
    pred, ref = bids(tmp_path, ["sub-1", "sub-2"])
    result = score(pred, ref, "--pred-pattern", "{id}/anat/*_mask.nii.gz", "--ref-pattern",
                   "{id}/anat/*_mask.nii.gz")
    assert [case["id"] for case in result["cases"]] == ["sub-1", "sub-2"]
    result = score(pred, ref, "--ref-pattern", "{id}_label-lesion_mask.nii.gz")
    assert [case["id"] for case in result["cases"]] == ["sub-1/anat/sub-1", "sub-2/anat/sub-2"]


def as_written_by_0_1(result, path):
    """The same results with the ids that version 0.1 gave: paths without ending."""
    for case in result["cases"]:
        case["id"] = case["reference"].removesuffix(".nii.gz")
    result["model_name"] = "old"
    path.write_text(json.dumps(result))
    return path


def test_compare_matches_paths_to_entities(tmp_path):
    pair = bids(tmp_path, [f"sub-{i}_ses-{j}" for i in range(4) for j in (1, 2)])
    result = score(*pair, "--out", tmp_path / "new.json")
    old = as_written_by_0_1(result, tmp_path / "old.json")
    told = strict(assay("compare", old, tmp_path / "new.json", "--json").stdout)
    assert told["cases"]["matched"] == 8 and not told["cases"]["left_out"]


def test_the_report_shows_images_of_both_spellings(tmp_path):
    pred, ref = bids(tmp_path, ["sub-1", "sub-2"])
    old = as_written_by_0_1(score(pred, ref, "--out", tmp_path / "new.json"), tmp_path / "old.json")
    told = strict(assay("report", old, tmp_path / "new.json", "--predictions", pred, "--references",
                        ref, "--out", tmp_path / "r.html", "--json").stdout)
    assert told["cases"] == 2 and sorted(told["shown"]) == ["sub-1", "sub-2"]


# ---- Groups -------------------------------------------------------------------------------------

def groups_of(result):
    return {case["id"]: case["groups"] for case in result["cases"]}


def test_participants_of_a_bids_tree(tmp_path):
    pair = bids(tmp_path, ["sub-13_ses-1", "sub-14_ses-1", "sub-14_ses-2"])
    table = tmp_path / "participants.tsv"
    table.write_text("participant_id\tage\tsite\nsub-14\t61\tBasel\nsub-13\tn/a\tBern\n"
                     "sub-99\t3\tUlm\n")
    done = assay("score", *pair, "--groups", table, "--json")
    assert groups_of(strict(done.stdout)) == {"sub-13_ses-1": {"age": "n/a", "site": "Bern"},
                                              "sub-14_ses-1": {"age": "61", "site": "Basel"},
                                              "sub-14_ses-2": {"age": "61", "site": "Basel"}}
    assert "warning" not in done.stderr


def test_a_row_of_a_session_wins_over_that_of_its_subject(tmp_path):
    pair = bids(tmp_path, ["sub-1_ses-1", "sub-1_ses-2"])
    (tmp_path / "g.csv").write_text("id,scanner\nsub-1,old\nsub-1_ses-2,new\n")
    found = groups_of(score(*pair, "--groups", tmp_path / "g.csv"))
    assert [groups["scanner"] for groups in found.values()] == ["old", "new"]


def test_cases_without_a_row_are_a_warning(tmp_path):
    pair = bids(tmp_path, ["sub-1", "sub-2", "sub-3"])
    (tmp_path / "g.csv").write_text("id,site\nsub-1,A\nsub-2,B\n")
    done = assay("score", *pair, "--groups", tmp_path / "g.csv", "--json")
    assert groups_of(strict(done.stdout))["sub-3"] == {"site": ""}
    assert "g.csv: 1 of 3 cases have no row, such as sub-3; their groups are empty" in done.stderr
    assert done.stderr.startswith("warning: --groups: ")


def test_no_row_of_any_case_is_an_error_with_both_spellings(tmp_path):
    pair = bids(tmp_path, ["sub-1", "sub-2"])
    (tmp_path / "g.csv").write_text("id,site\nsub-001,A\nsub-002,B\n")
    done = assay("score", *pair, "--groups", tmp_path / "g.csv", "--out", tmp_path / "r.json",
                 status=2)
    assert ("none of its ids is the id of a case: it has 'sub-001', and a case is called 'sub-1'"
            in done.stderr)
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize("text, says",
                         [("name,site\na,A\n", "has no column 'id' or 'participant_id'"),
                          ("id,site\nsub-1,A\nsub-1,B\n", "the case id 'sub-1' occurs twice"),
                          ("id,site\n", "lists no case")])
def test_tables_of_no_use(tmp_path, text, says):
    pair = bids(tmp_path, ["sub-1"])
    (tmp_path / "g.csv").write_text(text)
    assert f"g.csv: {says}" in assay("score", *pair, "--groups", tmp_path / "g.csv",
                                     status=2).stderr


@pytest.mark.parametrize("option", ["--groups", "--manifest"])
def test_compare_says_when_no_group_matched(tmp_path, option):
    for name in ("a", "b"):
        rows = "".join(f"sub-{i},0.{i}{name == 'b':d}\n" for i in range(1, 8))
        (tmp_path / f"{name}.csv").write_text("id,dice\n" + rows)
    table = tmp_path / "participants.tsv"
    table.write_text("participant_id\tsite\n" + "".join(f"sub-00{i}\tA\n" for i in range(1, 8)))
    done = assay("compare", "a.csv", "b.csv", option, table, cwd=tmp_path)
    assert ("none of its ids is the id of a case: it has 'sub-001', and a case is called 'sub-1'"
            in done.stderr)
    table.write_text("participant_id\tsite\n" + "".join(
        f"sub-{i}\t{'AB'[i % 2]}\n" for i in range(1, 8)))
    told = strict(assay("compare", "a.csv", "b.csv", option, table, "--json", cwd=tmp_path).stdout)
    assert [part["value"] for part in told["subgroups"]] == ["A", "B"]

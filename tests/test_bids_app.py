"""assay bids-app: participants one by one, then the group, as derivatives of a BIDS dataset."""
import json
import shutil

import pytest

from own_programs import WELL, write_metric
from support import assay, listing, random_mask, save, strict, without_provenance

SUBJECTS = ["01", "02", "03", "A4"]
MODEL = "lesion-net"


def name(subject, session, kind):
    return f"sub-{subject}/ses-{session}/anat/sub-{subject}_ses-{session}_{kind}"


@pytest.fixture
def dataset(tmp_path):
    """Four participants with two sessions each, references, and a model's masks."""
    root = tmp_path / "ds"
    for number, subject in enumerate(SUBJECTS):
        for session in ("a", "b"):
            seed = 2 * number + (session == "b")
            save(root / "derivatives/manual" / name(subject, session, "desc-manual_mask.nii.gz"),
                 random_mask(seed))
            save(root / f"derivatives/{MODEL}" / name(subject, session, "desc-auto_mask.nii.gz"),
                 random_mask(seed + 40))
            save(root / f"derivatives/{MODEL}" / name(subject, session, "desc-preproc_T1w.nii.gz"),
                 random_mask(seed))
    save(root / "sub-01/anat/sub-01_T1w.nii.gz", random_mask(1))
    (root / "participants.tsv").write_text("participant_id\tsite\n" + "".join(
        f"sub-{subject}\t{'AB'[number % 2]}\n" for number, subject in enumerate(SUBJECTS)))
    return root


def app(dataset, level, *options, status=0, predictions=MODEL, out="out"):
    return assay("bids-app", dataset, dataset.parent / out, level, "--predictions", predictions,
                 "--metrics", "dice,hd95", *options, status=status)


def rows(path):
    header, *lines = path.read_text().splitlines()
    return [dict(zip(header.split("\t"), line.split("\t"))) for line in lines]


def test_group_equals_score_over_everything(dataset, tmp_path):
    for subject in SUBJECTS[::-1]:  # one job each, in any order
        app(dataset, "participant", "--participant-label", subject)
    done = app(dataset, "group")
    assert "8 of 8 cases scored" in done.stdout
    for folder in (MODEL, "manual"):
        for image in (dataset / "derivatives" / folder).rglob("*_T1w.nii.gz"):
            image.unlink()  # score takes every image
    assay("score", dataset / f"derivatives/{MODEL}", dataset / "derivatives/manual", "--groups",
          dataset / "participants.tsv", "--metrics", "dice,hd95", "--out", tmp_path / "whole.json")
    assert without_provenance(tmp_path / "out/desc-lesionnet_results.json") == without_provenance(
        tmp_path / "whole.json")


def test_derivatives_are_named_and_described_as_bids_wants(dataset, tmp_path):
    app(dataset, "participant")
    app(dataset, "group")
    out = tmp_path / "out"
    found = [path for path in listing(out) if not path.startswith(".") and "." in path]
    assert found == sorted(
        ["dataset_description.json", "desc-lesionnet_metrics.json", "desc-lesionnet_metrics.tsv",
         "desc-lesionnet_results.json"]
        + [name(subject, session, "desc-lesionnet_metrics.tsv")
           for subject in SUBJECTS for session in "ab"])
    described = strict((out / "dataset_description.json").read_text())
    assert described["DatasetType"] == "derivative" and described["GeneratedBy"][0]["Version"]
    whole = rows(out / "desc-lesionnet_metrics.tsv")
    assert whole[0].keys() == strict((out / "desc-lesionnet_metrics.json").read_text()).keys()
    single = [row for path in sorted(out.glob("sub-*/ses-*/anat/*.tsv")) for row in rows(path)]
    assert single == whole
    assert whole[2]["participant_id"] == "sub-02" and whole[2]["site"] == "B"
    cases = strict((out / "desc-lesionnet_results.json").read_text())["cases"]
    assert [float(row["dice"]) for row in whole] == [
        case["label"]["foreground"]["dice"] for case in cases]


def test_options_of_other_apps_are_understood(dataset, tmp_path):
    done = app(dataset, "participant", "--participant_label", "sub-01", "02", "--n_cpus", 1,
               "--mem_mb", 4000, "--skip_bids_validation", "-w", tmp_path / "work")
    assert "2 of 4 participants, 4 cases scored" in done.stdout
    assert not (tmp_path / "out/.assay").exists()
    assert len(list((tmp_path / "work").rglob("*.jsonl"))) == 2


def test_missing_participants_are_named_with_the_command(dataset):
    app(dataset, "participant", "--participant-label", "01,A4")
    err = app(dataset, "group", status=2).stderr
    assert "2 participants of 4 not scored yet" in err
    assert "participant --participant-label 02,03" in err
    done = app(dataset, "group", "--partial", status=3)
    assert "4 of 4 cases scored" in done.stdout
    assert "warning: participants 02,03 are missing" in done.stderr


def test_sessions_restrict_the_cohort(dataset, tmp_path):
    app(dataset, "participant", "--session-label", "b")
    app(dataset, "group", "--session-label", "ses-b")
    cases = [row["case_id"] for row in rows(tmp_path / "out/desc-lesionnet_metrics.tsv")]
    assert cases == [f"sub-{subject}_ses-b" for subject in SUBJECTS]
    assert "no case belongs to session ses-c" in app(dataset, "participant", "--session-label", "c",
                                                status=2).stderr


def test_resume_skips_what_is_done_and_unchanged(dataset):
    app(dataset, "participant")
    save(dataset / f"derivatives/{MODEL}" / name("02", "a", "desc-auto_mask.nii.gz"),
         random_mask(99))
    done = app(dataset, "participant", "--resume")
    assert "2 cases scored, 0 failed; 3 had been scored before" in done.stdout


def test_a_failed_case_is_told_and_kept(dataset, tmp_path):
    path = dataset / f"derivatives/{MODEL}" / name("03", "b", "desc-auto_mask.nii.gz")
    path.write_bytes(b"no image")
    done = app(dataset, "participant", status=3)
    assert "not scored: sub-03_ses-b" in done.stderr
    app(dataset, "group", status=3)
    row = rows(tmp_path / "out" / name("03", "b", "desc-lesionnet_metrics.tsv"))[0]
    assert row["status"] == "failed" and row["dice"] == "n/a"


def test_new_participants_need_the_participant_level_again(dataset):
    app(dataset, "participant")
    for folder, kind in ((MODEL, "desc-auto"), ("manual", "desc-manual")):
        save(dataset / f"derivatives/{folder}" / name("05", "a", f"{kind}_mask.nii.gz"),
             random_mask(7))
    assert "the dataset has changed" in app(dataset, "group", status=2).stderr
    app(dataset, "participant")
    assert "9 of 9 cases scored" in app(dataset, "group").stdout


def test_several_models_are_kept_apart(dataset, tmp_path):
    shutil.copytree(dataset / f"derivatives/{MODEL}", dataset / "derivatives/other")
    both = ("--predictions", "other", "--references", "manual")
    app(dataset, "participant", *both)
    app(dataset, "group", *both)
    for model in ("lesionnet", "other"):
        assert len(rows(tmp_path / f"out/desc-{model}_metrics.tsv")) == 8


def test_a_metric_of_ones_own_is_a_column_of_the_derivatives(dataset, tmp_path):
    """Each participant by itself, then the group, which equals one run over everything."""
    table = dataset / "participants.tsv"
    table.write_text(table.read_text().replace("site", "my_dice"))  # a group of the same name
    own = ("--own-metric", write_metric(tmp_path / "own"))
    for subject in SUBJECTS:
        app(dataset, "participant", "--participant-label", subject, *own)
    app(dataset, "group", *own)
    out = tmp_path / "out"
    whole = rows(out / "desc-lesionnet_metrics.tsv")
    assert [float(row["my_dice"]) for row in whole] == pytest.approx(
        [float(row["dice"]) for row in whole], abs=1e-12)
    assert [row["group_my_dice"] for row in whole] == list("AABBAABB")
    described = strict((out / "desc-lesionnet_metrics.json").read_text())
    assert whole[0].keys() == described.keys()
    assert described["my_dice"] == {"LongName": "my_dice", "Description": "own command"}
    for image in (dataset / f"derivatives/{MODEL}").rglob("*_T1w.nii.gz"):
        image.unlink()  # score takes every image
    assay("score", dataset / f"derivatives/{MODEL}", dataset / "derivatives/manual", "--groups",
          table, "--metrics", "dice,hd95", *own, "--out", tmp_path / "whole.json")
    assert without_provenance(out / "desc-lesionnet_results.json") == without_provenance(
        tmp_path / "whole.json")


def test_a_metric_of_ones_own_that_fails_is_told_at_both_levels(dataset, tmp_path):
    answer = f'''
    if question["case"].startswith("sub-02"):
        print(json.dumps({{"error": "no luck"}}), flush=True)
    else:
        {WELL}
'''
    own = ("--own-metric", write_metric(tmp_path / "own", answer.strip()))
    sentence = "warning: the metric my_dice failed 2 times; the first: case sub-02_ses-a"
    done = app(dataset, "participant", *own, status=3)
    assert sentence in done.stderr and "no luck" in done.stderr and "2 failed" in done.stdout
    assert sentence in app(dataset, "group", *own, status=3).stderr
    row = rows(tmp_path / "out" / name("02", "a", "desc-lesionnet_metrics.tsv"))[0]
    assert row["my_dice"] == "n/a" and float(row["dice"]) > 0
    write_metric(tmp_path / "own")  # mended: only what failed is computed again
    done = app(dataset, "participant", *own, "--resume")
    assert "2 cases scored, 0 failed; 3 had been scored before" in done.stdout
    app(dataset, "group", *own)


def test_participants_with_another_declaration_do_not_fit(dataset, tmp_path):
    for subjects, better in (("01,02", "higher"), ("03,A4", "lower")):
        file = write_metric(tmp_path / "own", declared=f'better = "{better}"\n')
        app(dataset, "participant", "--participant-label", subjects, "--own-metric", file)
    done = app(dataset, "group", "--own-metric", file, status=2)
    assert "were scored with other settings" in done.stderr


@pytest.mark.parametrize("options, sentence", [
    (["participant", "--predictions", "nowhere"], "nowhere: no such folder, nor is there one"),
    (["participant"], "ds/derivatives has lesion-net, manual"),
    (["subject", "--predictions", MODEL], "'subject' is not a level"),
    (["group", "--predictions", MODEL], "has no scored participants of lesion-net"),
    (["group", "--predictions", MODEL, "--participant-label", "01"], "joins all participants"),
    (["participant", "--predictions", MODEL, "--participant-label", "9"],
     "there is no participant sub-9"),
    (["participant", "--predictions", MODEL, "--shard", "1/2"], "drop --shard"),
    (["participant", "--predictions", MODEL, "--out", "x"], "OUT is the second argument"),
])
def test_what_cannot_be_is_refused(dataset, options, sentence):
    err = assay("bids-app", dataset, dataset.parent / "out", *options, status=2).stderr
    assert sentence in err
    assert not list(dataset.parent.glob("out/*"))


def test_several_references_are_listed(dataset):
    shutil.copytree(dataset / "derivatives/manual", dataset / "derivatives/rater2")
    err = app(dataset, "participant", status=2).stderr
    assert "(manual, rater2)" in err and "--references manual" in err


def test_json_says_what_was_done(dataset):
    done = app(dataset, "participant", "--participant-label", "01", "--json")
    assert json.loads(done.stdout) == {"participants": 1, "already_scored": 0, "cases": 2,
                                       "failed": 0}

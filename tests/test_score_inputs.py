"""Which files and voxels `assay score` takes, through the real program."""
import json

import nibabel
import numpy
import pytest

from support import (BOX, LABELS, assay, cohort, counts, dice, evidence, mask, of, random_mask,
                     save, score, strict)


# ---- Which files --------------------------------------------------------------------------------

def test_a_single_pair(tmp_path):
    p, r = random_mask(1), random_mask(2)
    result = score(save(tmp_path / "p.nii.gz", p), save(tmp_path / "case7.nii", r))
    assert result["schema"] == "assay.segmentation/1"
    assert result["model_name"] == "p"
    (case,) = result["cases"]
    assert (case["id"], case["status"]) == ("case7", "ok")
    assert (case["prediction"], case["reference"]) == ("p.nii.gz", "case7.nii")
    assert evidence(result) == counts(p, r)
    assert case["label"]["foreground"]["dice"] == pytest.approx(dice(p, r), abs=1e-15)
    assert result["ledger"] == {"expected": 1, "scored": 1, "failed": 0, "missing_prediction": 0,
                                "missing_reference": 0}


def test_folders_pair_by_name_and_sort_by_id(tmp_path):
    result = score(*cohort(tmp_path, ["b", "a", "c"]))
    assert [case["id"] for case in result["cases"]] == ["a", "b", "c"]
    assert result["model_name"] == "pred"
    assert result["num_samples"] == 3
    assert result["dice"]["values"] == [case["label"]["foreground"]["dice"]
                                        for case in result["cases"]]


def test_positions_and_options_are_the_same(tmp_path):
    pred, ref = cohort(tmp_path, ["a"])
    first, second = score(pred, ref), score("--pred", pred, "--ref", ref)
    assert first["cases"] == second["cases"]


def test_nested_folders_keep_their_path_in_the_id(tmp_path):
    result = score(*cohort(tmp_path, ["site1/a", "site2/a"]))
    assert [case["id"] for case in result["cases"]] == ["site1/a", "site2/a"]


def test_paths_are_relative_to_the_roots(tmp_path):
    pred, ref = cohort(tmp_path, ["site1/a"])
    (case,) = score(pred, ref)["cases"]
    assert case["prediction"] == case["reference"] == "site1/a.nii.gz"


def test_a_manifest_names_files_and_groups(tmp_path):
    cohort(tmp_path, ["x", "y"])
    manifest = tmp_path / "cases.csv"
    manifest.write_text('id,prediction,site,reference,age\nsecond,pred/y.nii.gz,B,ref/y.nii.gz,61\n'
                        'first,pred/x.nii.gz,"A, north",ref/x.nii.gz,\n')
    result = score("--manifest", manifest)
    assert [case["id"] for case in result["cases"]] == ["first", "second"]
    assert result["cases"][0]["groups"] == {"site": "A, north", "age": ""}
    assert result["cases"][1]["groups"] == {"site": "B", "age": "61"}


def test_a_manifest_below_roots(tmp_path):
    pred, ref = cohort(tmp_path, ["x", "y"])
    manifest = tmp_path / "elsewhere" / "cases.csv"
    manifest.parent.mkdir()
    manifest.write_text("id,prediction,reference\r\n1,x.nii.gz,x.nii.gz\r\n2,y.nii.gz,y.nii.gz\r\n")
    result = score("--manifest", manifest, "--pred", pred, "--ref", ref)
    assert result["num_samples"] == 2
    assert result["model_name"] == "pred"


def test_patterns(tmp_path):
    cohort(tmp_path, ["s1", "s2"], "pred/{}_v3_mask.nii.gz", "ref/truth-{}.nii.gz")
    save(tmp_path / "pred/s1_v3_probabilities.nii.gz", mask(BOX))
    result = score(tmp_path / "pred", tmp_path / "ref", "--pred-pattern", "{id}_*_mask.nii.gz",
                   "--ref-pattern", "truth-{id}.nii.gz")
    assert [case["id"] for case in result["cases"]] == ["s1", "s2"]


def test_one_file_per_structure(tmp_path):
    expected = {}
    for number, (case, structure) in enumerate(
            [("a", "liver"), ("a", "spleen"), ("b", "liver"), ("b", "spleen")]):
        p, r = random_mask(number), random_mask(number + 50)
        save(tmp_path / f"pred/{case}/{structure}.nii.gz", p)
        save(tmp_path / f"ref/{case}/{structure}.nii.gz", r)
        expected[case, structure] = dice(p, r)
    pattern = "{id}/{label}.nii.gz"
    result = score(tmp_path / "pred", tmp_path / "ref", "--pred-pattern", pattern, "--ref-pattern",
                   pattern)
    assert set(result["labels"]) == {"liver", "spleen"}
    for case in result["cases"]:
        for structure in ("liver", "spleen"):
            assert (case["label"][structure]["dice"]
                    == pytest.approx(expected[case["id"], structure]))


def test_bids_names(tmp_path):
    for subject in ("01", "02"):
        name = f"sub-{subject}/ses-1/anat/sub-{subject}_ses-1"
        save(tmp_path / f"pred/{name}_space-T1w_desc-unet_mask.nii.gz", random_mask(int(subject)))
        save(tmp_path / f"ref/{name}_label-lesion_mask.nii.gz", random_mask(int(subject)))
    result = score(tmp_path / "pred", tmp_path / "ref")
    assert result["dice"]["values"] == [1, 1]
    assert [case["id"] for case in result["cases"]] == ["sub-01", "sub-02"]
    assert (result["cases"][0]["reference"]
            == "sub-01/ses-1/anat/sub-01_ses-1_label-lesion_mask.nii.gz")


@pytest.mark.parametrize("prediction, reference", [
    ("pred_{}", "gt_{}"), ("{}_pred", "{}_gt"), ("model-x_{}_seg", "{}"), ("{}", "labels_{}_final"),
])
def test_common_prefixes_and_suffixes_are_dropped(tmp_path, prediction, reference):
    ids = ["10", "11", "19", "2"]
    pred, ref = cohort(tmp_path, ids, f"pred/{prediction}.nii.gz", f"ref/{reference}.nii.gz")
    result = score(pred, ref)
    assert result["ledger"]["scored"] == 4
    for case in result["cases"]:
        number = {reference.format(i): prediction.format(i) + ".nii.gz" for i in ids}
        assert case["prediction"] == number[case["id"]]


def test_the_model_may_be_named(tmp_path):
    assert (score(*cohort(tmp_path, ["a"]), "--model", "U-Net, \"large\"")["model_name"]
            == 'U-Net, "large"')


def test_names_outside_ascii(tmp_path):
    result = score(*cohort(tmp_path, ["Käse", "漢字", "a b"]))
    assert {case["id"] for case in result["cases"]} == {"Käse", "漢字", "a b"}


# ---- Which voxels -------------------------------------------------------------------------------

@pytest.fixture
def two_labels(tmp_path):
    return save(tmp_path / "pred/a.nii.gz", LABELS[0]), save(tmp_path / "ref/a.nii.gz", LABELS[1])


def test_foreground_is_what_is_above_zero(tmp_path):
    p, r = mask(BOX).astype(numpy.int16), mask(BOX).astype(numpy.float32) * 0.25
    p[0, 0, 0] = -3
    result = score(save(tmp_path / "p.nii", p), save(tmp_path / "r.nii", r))
    assert evidence(result) == counts(mask(BOX), mask(BOX))


def test_labels(two_labels):
    result = score(*two_labels, "--labels", "2,1")
    assert list(result["labels"]) == ["2", "1"] or list(result["labels"]) == ["1", "2"]
    for label in (1, 2):
        assert evidence(result, label=str(label)) == counts(*of(label))
        assert result["labels"][str(label)]["members"] == [label]
    mean = numpy.mean([dice(*of(1)), dice(*of(2))])
    assert result["dice"]["values"] == [pytest.approx(mean, abs=1e-15)]
    assert result["settings"]["label_average"] == "mean over labels 2, 1"


def test_all_labels(two_labels):
    result = score(*two_labels, "--labels", "all")
    assert list(result["labels"]) == ["1", "2"]
    assert evidence(result, label="2") == counts(*of(2))


def test_all_labels_of_a_cohort_with_an_empty_case(tmp_path):
    save(tmp_path / "pred/a.nii.gz", mask(BOX))
    save(tmp_path / "ref/a.nii.gz", mask(BOX))
    save(tmp_path / "pred/b.nii.gz", mask())
    save(tmp_path / "ref/b.nii.gz", mask())
    result = score(tmp_path / "pred", tmp_path / "ref", "--labels", "all")
    assert result["cases"][1]["label"]["1"]["status"] == "both_empty"
    assert evidence(result, 1, "1") == counts(mask(), mask())


def test_all_labels_where_there_is_none(tmp_path):
    result = score(save(tmp_path / "p.nii", mask()), save(tmp_path / "r.nii", mask()), "--labels",
                   "all")
    assert result["num_samples"] == result["ledger"]["scored"] == 1
    assert result["dice"]["values"] == [None]


def test_regions(two_labels):
    result = score(*two_labels, "--labels", "1", "--region", "whole=1,2", "--region", "core=2")
    assert set(result["labels"]) == {"1", "whole", "core"}
    assert result["labels"]["whole"]["members"] == [1, 2]
    assert evidence(result, label="whole") == counts(*of([1, 2]))
    assert evidence(result, label="core") == counts(*of(2))


def test_an_ignored_label_leaves_every_count(two_labels):
    result = score(*two_labels, "--labels", "1", "--ignore-label", "2")
    keep = LABELS[1] != 2
    p, r = of(1)
    assert evidence(result, label="1") == counts(p[keep], r[keep])


def test_an_ignored_label_and_foreground(tmp_path):
    p, r = random_mask(5), LABELS[1]
    result = score(save(tmp_path / "p.nii", p), save(tmp_path / "r.nii", r), "--ignore-label", "2")
    assert evidence(result) == counts(p[r != 2], r[r != 2])


DATASETS = {
    "version 1": ({"0": "background", "1": "edema", "2": "core"}, {"1": "edema", "2": "core"},
                  None),
    "version 2": ({"background": 0, "edema": 1, "core": 2}, {"1": "edema", "2": "core"}, None),
    "regions": ({"background": 0, "whole": [1, 2], "core": 2}, {"whole": "whole", "2": "core"},
                None),
    "ignore": ({"background": 0, "edema": 1, "ignore": 2}, {"1": "edema"}, 2),
}


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "named"])
@pytest.mark.parametrize("name", DATASETS)
def test_dataset_json(tmp_path, two_labels, name, beside):
    labels, names, ignored = DATASETS[name]
    path = tmp_path / ("pred" if beside else ".") / "dataset.json"
    path.write_text(json.dumps({"channel_names": {"0": "T1"}, "labels": labels,
                                "file_ending": ".nii.gz"}))
    result = score(tmp_path / "pred", tmp_path / "ref",
                   *([] if beside else ["--dataset-json", path]))
    assert {key: entry["name"] for key, entry in result["labels"].items()} == names
    assert result["settings"]["ignore_label"] == ignored
    if name == "regions":
        assert evidence(result, label="whole") == counts(*of([1, 2]))


def test_what_was_found_by_itself_is_said(tmp_path, two_labels):
    (tmp_path / "pred/dataset.json").write_text('{"labels": {"background": 0, "a": 1}}')
    said = assay("score", tmp_path / "pred", tmp_path / "ref").stderr
    assert f"labels from {tmp_path}/pred/dataset.json" in said


def test_threshold_includes_its_value(tmp_path):
    p = numpy.linspace(0, 1, 11, dtype=numpy.float32).reshape(11, 1, 1)
    r = (numpy.arange(11) >= 3).astype(numpy.uint8).reshape(11, 1, 1)
    result = score(save(tmp_path / "p.nii", p), save(tmp_path / "r.nii", r), "--threshold", "0.5")
    assert evidence(result) == {"tp": 6, "fp": 0, "fn": 2, "tn": 3}
    assert result["settings"]["threshold"] == 0.5


def test_volumes_come_from_the_reference_grid(tmp_path):
    affine = numpy.diag([2, 2, 2.5, 1])
    result = score(save(tmp_path / "p.nii", mask(BOX), affine),
                   save(tmp_path / "r.nii", mask(BOX), affine), "--metrics",
                   "volume_reference_ml,dice")
    label = result["cases"][0]["label"]["foreground"]
    assert label["evidence"]["voxel_ml"] == pytest.approx(0.01)
    assert label["volume_reference_ml"] == pytest.approx(0.64)


# ---- Grids --------------------------------------------------------------------------------------

@pytest.mark.parametrize("code", ["LAS", "PSR", "IPL", "RAS", "SAR"])
def test_flips_and_permutations_are_resolved(tmp_path, code):
    affine = numpy.diag([1.5, 2, 3, 1]).astype(float)
    affine[:3, 3] = [-20, 4, 7]
    p, r = random_mask(3), random_mask(4)
    reference = save(tmp_path / "r.nii.gz", r, affine)
    moved = nibabel.Nifti1Image(p, affine).as_reoriented(
        nibabel.orientations.ornt_transform(nibabel.orientations.io_orientation(affine),
                                            nibabel.orientations.axcodes2ornt(code)))
    nibabel.save(moved, tmp_path / "p.nii.gz")
    result = score(tmp_path / "p.nii.gz", reference)
    assert evidence(result) == counts(p, r)
    assert "warnings" not in result["cases"][0]


@pytest.mark.parametrize("shift, outcome",
                         [(0.0009, "equal"), (0.05, "warning"), (0.099, "warning"),
                          (0.11, "failed")])
def test_shifted_grids(tmp_path, shift, outcome):
    affine = numpy.eye(4)
    affine[0, 3] = shift
    p, r = save(tmp_path / "pred/a.nii", mask(BOX), affine), save(tmp_path / "ref/a.nii", mask(BOX))
    save(tmp_path / "pred/b.nii", mask(BOX))
    save(tmp_path / "ref/b.nii", mask(BOX))
    done = assay("score", p.parent, r.parent, "--json", status=3 if outcome == "failed" else 0)
    case = strict(done.stdout)["cases"][0]
    assert (("warnings" in case, case["status"])
            == (outcome == "warning", "failed" if outcome == "failed" else "ok"))
    if outcome == "failed":
        assert "prediction: 10x9x8" in case["error"] and "reference: 10x9x8" in case["error"]
        assert "--allow-affine-mismatch" in case["error"]


def test_an_affine_mismatch_may_be_allowed(tmp_path):
    affine = numpy.diag([-1, 1, 1, 1.0])
    p, r = random_mask(1), random_mask(2)
    result = score(save(tmp_path / "p.nii", p, affine), save(tmp_path / "r.nii", r),
                   "--allow-affine-mismatch")
    assert evidence(result) == counts(p, r)
    assert "storage order" in result["cases"][0]["warnings"][0]

"""assay score, end to end: files in, results out."""
import csv, json, math, os, re, signal, subprocess, time, zlib

import nibabel
import numpy
import pytest
import scipy.stats

from support import (BOX, PROGRAM, assay, cohort, counts, dice, evidence, listing, mask, random_mask, save, score, shared,
                     strict, unpacked, without_provenance)


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
    assert result["ledger"] == {"expected": 1, "scored": 1, "failed": 0, "missing_prediction": 0, "missing_reference": 0}


def test_folders_pair_by_name_and_sort_by_id(tmp_path):
    result = score(*cohort(tmp_path, ["b", "a", "c"]))
    assert [case["id"] for case in result["cases"]] == ["a", "b", "c"]
    assert result["model_name"] == "pred"
    assert result["num_samples"] == 3
    assert result["dice"]["values"] == [case["label"]["foreground"]["dice"] for case in result["cases"]]


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
    for number, (case, structure) in enumerate([("a", "liver"), ("a", "spleen"), ("b", "liver"), ("b", "spleen")]):
        p, r = random_mask(number), random_mask(number + 50)
        save(tmp_path / f"pred/{case}/{structure}.nii.gz", p)
        save(tmp_path / f"ref/{case}/{structure}.nii.gz", r)
        expected[case, structure] = dice(p, r)
    pattern = "{id}/{label}.nii.gz"
    result = score(tmp_path / "pred", tmp_path / "ref", "--pred-pattern", pattern, "--ref-pattern", pattern)
    assert set(result["labels"]) == {"liver", "spleen"}
    for case in result["cases"]:
        for structure in ("liver", "spleen"):
            assert case["label"][structure]["dice"] == pytest.approx(expected[case["id"], structure])


def test_bids_names(tmp_path):
    for subject in ("01", "02"):
        name = f"sub-{subject}/ses-1/anat/sub-{subject}_ses-1"
        save(tmp_path / f"pred/{name}_space-T1w_desc-unet_mask.nii.gz", random_mask(int(subject)))
        save(tmp_path / f"ref/{name}_label-lesion_mask.nii.gz", random_mask(int(subject)))
    result = score(tmp_path / "pred", tmp_path / "ref")
    assert result["dice"]["values"] == [1, 1]
    assert result["cases"][0]["id"] == "sub-01/ses-1/anat/sub-01_ses-1_label-lesion_mask"


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
    assert score(*cohort(tmp_path, ["a"]), "--model", "U-Net, \"large\"")["model_name"] == 'U-Net, "large"'


def test_names_outside_ascii(tmp_path):
    result = score(*cohort(tmp_path, ["Käse", "漢字", "a b"]))
    assert {case["id"] for case in result["cases"]} == {"Käse", "漢字", "a b"}


# ---- Which voxels -------------------------------------------------------------------------------

LABELS = (mask(numpy.s_[1:5, 1:5, 1:5], numpy.s_[5:8, 2:6, 2:6]), mask(numpy.s_[2:6, 1:5, 1:5], numpy.s_[6:8, 2:6, 2:6]))


@pytest.fixture
def two_labels(tmp_path):
    return save(tmp_path / "pred/a.nii.gz", LABELS[0]), save(tmp_path / "ref/a.nii.gz", LABELS[1])


def of(label):
    return [numpy.isin(side, label) for side in LABELS]


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
    assert result["settings"]["label_average"] == "mean over foreground labels"


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
    result = score(save(tmp_path / "p.nii", mask()), save(tmp_path / "r.nii", mask()), "--labels", "all")
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
    "version 1": ({"0": "background", "1": "edema", "2": "core"}, {"1": "edema", "2": "core"}, None),
    "version 2": ({"background": 0, "edema": 1, "core": 2}, {"1": "edema", "2": "core"}, None),
    "regions": ({"background": 0, "whole": [1, 2], "core": 2}, {"whole": "whole", "2": "core"}, None),
    "ignore": ({"background": 0, "edema": 1, "ignore": 2}, {"1": "edema"}, 2),
}


@pytest.mark.parametrize("beside", [True, False], ids=["beside", "named"])
@pytest.mark.parametrize("name", DATASETS)
def test_dataset_json(tmp_path, two_labels, name, beside):
    labels, names, ignored = DATASETS[name]
    path = tmp_path / ("pred" if beside else ".") / "dataset.json"
    path.write_text(json.dumps({"channel_names": {"0": "T1"}, "labels": labels, "file_ending": ".nii.gz"}))
    result = score(tmp_path / "pred", tmp_path / "ref", *([] if beside else ["--dataset-json", path]))
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
    result = score(save(tmp_path / "p.nii", mask(BOX), affine), save(tmp_path / "r.nii", mask(BOX), affine),
                   "--metrics", "volume_reference_ml,dice")
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


@pytest.mark.parametrize("shift, outcome", [(0.0009, "equal"), (0.05, "warning"), (0.099, "warning"), (0.11, "failed")])
def test_shifted_grids(tmp_path, shift, outcome):
    affine = numpy.eye(4)
    affine[0, 3] = shift
    p, r = save(tmp_path / "pred/a.nii", mask(BOX), affine), save(tmp_path / "ref/a.nii", mask(BOX))
    save(tmp_path / "pred/b.nii", mask(BOX))
    save(tmp_path / "ref/b.nii", mask(BOX))
    done = assay("score", p.parent, r.parent, "--json", status=3 if outcome == "failed" else 0)
    case = strict(done.stdout)["cases"][0]
    assert ("warnings" in case, case["status"]) == (outcome == "warning", "failed" if outcome == "failed" else "ok")
    if outcome == "failed":
        assert "prediction: 10x9x8" in case["error"] and "reference: 10x9x8" in case["error"]
        assert "--allow-affine-mismatch" in case["error"]


def test_an_affine_mismatch_may_be_allowed(tmp_path):
    affine = numpy.diag([-1, 1, 1, 1.0])
    p, r = random_mask(1), random_mask(2)
    result = score(save(tmp_path / "p.nii", p, affine), save(tmp_path / "r.nii", r), "--allow-affine-mismatch")
    assert evidence(result) == counts(p, r)
    assert "storage order" in result["cases"][0]["warnings"][0]


# ---- Empty masks and missing cases --------------------------------------------------------------

EMPTY = [  # prediction empty, reference empty, status, values, reasons
    (False, False, "ok", {"dice": 1, "iou": 1, "avd": 0, "mcc": 1}, {}),
    (True, True, "both_empty", {"dice": 1, "iou": 1, "avd": 0, "mcc": None}, {"mcc": "zero_denominator"}),
    (False, True, "reference_empty", {"dice": 0, "iou": 0, "avd": None, "mcc": None},
     {"avd": "reference_empty", "mcc": "zero_denominator"}),
    (True, False, "prediction_empty", {"dice": 0, "iou": 0, "avd": 1, "mcc": None}, {"mcc": "zero_denominator"}),
]


@pytest.mark.parametrize("no_prediction, no_reference, status, values, reasons", EMPTY)
def test_empty_masks(tmp_path, no_prediction, no_reference, status, values, reasons):
    result = score(save(tmp_path / "p.nii", mask(*[] if no_prediction else [BOX])),
                   save(tmp_path / "r.nii", mask(*[] if no_reference else [BOX])), "--metrics", "dice,iou,avd,mcc")
    label = result["cases"][0]["label"]["foreground"]
    assert label["status"] == status
    assert {key: label[key] for key in values} == values
    assert label["undefined"] == reasons
    for key, why in reasons.items():
        assert result["metrics"][key]["undefined"] == {why: 1}
        assert result["metrics"][key]["mean"] is None
    assert result["mcc"]["values"] == [values["mcc"]]


@pytest.mark.parametrize("convention, both, reference", [
    ("metrics-reloaded", 1, 0), ("spec", 1, pytest.approx(1e-6 / 64)), ("monai", None, None), ("nnunet", None, 0)])
def test_conventions(tmp_path, convention, both, reference):
    save(tmp_path / "pred/both.nii", mask())
    save(tmp_path / "ref/both.nii", mask())
    save(tmp_path / "pred/reference.nii", mask(BOX))
    save(tmp_path / "ref/reference.nii", mask())
    result = score(tmp_path / "pred", tmp_path / "ref", "--convention", convention)
    assert result["settings"]["convention"] == convention
    assert result["dice"]["values"] == [both, reference]


def test_infinity_is_no_json_but_has_a_reason(tmp_path):
    """--convention spec without --compat: the JSON stays valid, and says why a number is missing."""
    result = score(save(tmp_path / "p.nii", mask(BOX)), save(tmp_path / "r.nii", mask()), "--convention", "spec")
    label = result["cases"][0]["label"]["foreground"]
    assert label["avd"] is None
    assert label["undefined"] == {"avd": "reference_empty"}


@pytest.fixture
def with_missing(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b", "c"])
    (pred / "b.nii.gz").unlink()
    return pred, ref


def test_missing_predictions_are_excluded_and_named(with_missing):
    done = assay("score", *with_missing, "--json", status=3)
    assert "not scored: b: there is no prediction for the reference b.nii.gz" in done.stderr
    result = strict(done.stdout)
    assert result["ledger"] == {"expected": 3, "scored": 2, "failed": 0, "missing_prediction": 1, "missing_reference": 0}
    assert result["num_samples"] == len(result["dice"]["values"]) == 2
    assert [case["status"] for case in result["cases"]] == ["ok", "failed", "ok"]
    assert result["cases"][1]["error"]


def test_missing_predictions_may_count_as_worst(with_missing):
    excluded, worst = score(*with_missing, status=3), score(*with_missing, "--missing", "worst", status=3)
    assert worst["metrics"]["dice"]["mean"] == pytest.approx(excluded["metrics"]["dice"]["mean"] * 2 / 3)
    for result in (excluded, worst):
        assert result["metrics"]["dice"]["mean_scored_only"] == pytest.approx(excluded["metrics"]["dice"]["mean"])
        assert result["metrics"]["dice"]["mean_missing_as_worst"] == pytest.approx(worst["metrics"]["dice"]["mean"])


def test_a_broken_reference_is_not_the_models_fault(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (ref / "b.nii.gz").write_bytes(b"")
    result = score(pred, ref, "--missing", "worst", status=3)
    assert result["ledger"]["failed"] == 1
    assert result["metrics"]["dice"]["mean"] == result["cases"][0]["label"]["foreground"]["dice"]


def test_both_means_are_printed_when_they_differ(with_missing):
    assert "worst" in assay("score", *with_missing, status=3).stdout


def test_missing_predictions_may_be_an_error(with_missing, tmp_path):
    done = assay("score", *with_missing, "--missing", "error", "--out", tmp_path / "r.json", status=2)
    assert "not scored: b" in done.stderr and done.stdout == ""
    assert not list(tmp_path.glob("r.json*"))


def test_a_missing_reference(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (ref / "a.nii.gz").unlink()
    result = score(pred, ref, status=3)
    assert result["ledger"]["missing_reference"] == 1


# ---- The specification --------------------------------------------------------------------------

SPECIFICATION = '''
import json
from dataclasses import asdict, dataclass
from pathlib import Path

@dataclass
class MetricResult:
    name: str
    mean: float
    std: float
    values: list[float]

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.std:.3f})"

@dataclass
class EvaluationResult:
    model_name: str
    dice: MetricResult
    avd: MetricResult
    mcc: MetricResult
    num_samples: int

    def to_dict(self) -> dict:
        return {
            "model_name": self.model_name,
            "dice": asdict(self.dice),
            "avd": asdict(self.avd),
            "mcc": asdict(self.mcc),
            "num_samples": self.num_samples,
        }

    @classmethod
    def load(cls, path):
        data = json.loads(Path(path).read_text())
        return cls(
            model_name=data["model_name"],
            dice=MetricResult(**data["dice"]),
            avd=MetricResult(**data["avd"]),
            mcc=MetricResult(**data["mcc"]),
            num_samples=data["num_samples"],
        )
'''


@pytest.mark.parametrize("options", [[], ["--compat", "spec"], ["--metrics", "recall"], ["--labels", "1"]])
def test_the_specifications_reader_reads_our_file(tmp_path, options):
    names = {}
    exec(SPECIFICATION, names)
    assay("score", *cohort(tmp_path, ["a", "b", "c"]), "--out", tmp_path / "r.json", *options)
    loaded = names["EvaluationResult"].load(tmp_path / "r.json")
    assert loaded.num_samples == len(loaded.dice.values) == 3
    assert (loaded.dice.name, loaded.avd.name, loaded.mcc.name) == ("DICE", "AVD", "MCC")
    for metric in (loaded.dice, loaded.avd, loaded.mcc):
        assert metric.mean == pytest.approx(numpy.mean(metric.values), abs=1e-14)
        assert metric.std == pytest.approx(numpy.std(metric.values), abs=1e-14)


def python_json(done):
    return json.loads(done.stdout)


def spec_number(x):
    return math.inf if x == "inf" else x


def check_spec(tmp_path, cases, name):
    for i, (p, r, _) in enumerate(cases):
        save(tmp_path / f"pred/{i:04}.nii", p)
        save(tmp_path / f"ref/{i:04}.nii", r)
    result = python_json(assay("score", tmp_path / "pred", tmp_path / "ref", "--compat", "spec", "--json"))
    assert result["num_samples"] == len(cases)
    for key in ("dice", "avd", "mcc"):
        for i, (_, _, expected) in enumerate(cases):
            assert result[key]["values"][i] == pytest.approx(spec_number(expected[key]), abs=1e-6), (name, i, key)
    return result


def test_the_specifications_numbers(tmp_path):
    vectors = json.loads(shared("vectors/seed-reference.json").read_text())["metrics_masks"]["cases"]
    cases = [(unpacked(v, "pred"), unpacked(v, "target"), v["seed"]) for v in vectors]
    result = check_spec(tmp_path, cases, "masks")
    assert any(math.isinf(x) for x in result["avd"]["values"])
    assert math.isinf(result["avd"]["mean"])
    assert math.isnan(result["avd"]["std"])


def test_the_specifications_numbers_on_large_boxes(tmp_path):
    def box(shape, ranges):
        out = numpy.zeros(shape, numpy.uint8)
        out[tuple(slice(a, b) for a, b in ranges)] = 1
        return out
    vectors = json.loads(shared("vectors/seed-reference.json").read_text())["metrics_large_boxes"]
    cases = [(box(v["shape"], v["pred_box"]), box(v["shape"], v["target_box"]), v["seed"]) for v in vectors]
    check_spec(tmp_path, cases, "boxes")


def test_the_specifications_statistics(tmp_path):
    vector = json.loads(shared("vectors/seed-reference.json").read_text())["compute_with_stats"]
    ps, rs = unpacked(vector, "pred"), unpacked(vector, "target")
    expected = [{key: vector["result"][key]["values"][i] for key in vector["result"]} for i in range(len(ps))]
    result = check_spec(tmp_path, list(zip(ps, rs, expected)), "statistics")
    for key, values in vector["result"].items():
        assert result[key]["mean"] == pytest.approx(values["mean"], abs=1e-6)
        assert result[key]["std"] == pytest.approx(values["std"], abs=1e-6)


def test_the_specifications_tokens(tmp_path):
    done = assay("score", save(tmp_path / "p.nii", mask(BOX)), save(tmp_path / "r.nii", mask()), "--compat", "spec", "--json")
    assert re.search(r'"avd": \{\s*"name": "AVD",\s*"mean": Infinity,\s*"std": NaN,\s*"values": \[\s*Infinity', done.stdout)
    assert json.loads(done.stdout)["mcc"]["values"] == [0]


# ---- Pairs with known answers -------------------------------------------------------------------

def expected_pairs():
    path = shared("data/nifti-pairs/expected.json")
    return {pair["name"]: pair for pair in json.loads(path.read_text())["pairs"]}, path.parent


NIFTI_PAIRS = ["plain", "i16", "f32", "scl_slope", "big_endian", "orientation_PSR", "orientation_LAS", "empty_pred", "empty_gt",
               "both_empty", "multilabel", "4d_singleton", "shape_mismatch", "affine_mismatch"]


def test_all_known_pairs_are_tried():
    assert set(expected_pairs()[0]) == set(NIFTI_PAIRS)


@pytest.mark.parametrize("name", NIFTI_PAIRS)
def test_nifti_pairs(name):
    pairs, folder = expected_pairs()
    pair = pairs[name]
    files = folder / pair["pred"], folder / pair["target"]
    if name.endswith("mismatch"):
        said = assay("score", *files, status=2).stderr
        assert pair["pred"].removesuffix(".nii.gz") in said or pair["target"].removesuffix(".nii.gz") in said
        if name == "shape_mismatch":
            assay("score", *files, "--allow-affine-mismatch", status=2)
            return
    allowed = ["--allow-affine-mismatch"] if name == "affine_mismatch" else []
    expected = pair.get("canonical_gt0") or pair.get("expected") or pair["foreground"]
    result = score(*files, *allowed)
    assert evidence(result) == expected["confusion"]
    label, c = result["cases"][0]["label"]["foreground"], expected["confusion"]
    empty = {"p": c["tp"] + c["fp"] == 0, "r": c["tp"] + c["fn"] == 0}
    assert label["dice"] == pytest.approx(expected["dice"], abs=1e-6)
    assert label["avd"] == (None if empty["r"] and not empty["p"] else pytest.approx(expected["avd"], abs=1e-12))
    assert label["mcc"] == (None if any(empty.values()) else pytest.approx(expected["mcc"], abs=1e-6))
    for key, values in pair.get("per_label", {}).items():
        by_label = score(*files, "--labels", "1,2,3")
        assert evidence(by_label, label=key) == values["confusion"]
        assert by_label["cases"][0]["label"][key]["dice"] == pytest.approx(values["dice"], abs=1e-6)


SEGMENTATION_PAIRS = [
    ("meshmetrics/example_3d_pred_mask", "meshmetrics/example_3d_ref_mask"),
    ("meshmetrics/example_2d_pred_mask", "meshmetrics/example_2d_ref_mask"),
    ("panoptica_spine/unmatched_instance_pred", "panoptica_spine/unmatched_instance_ref"),
    ("panoptica_spine/matched_instance_pred", "panoptica_spine/matched_instance_ref"),
    ("panoptica_spine/semantic_pred", "panoptica_spine/semantic_ref"),
]


@pytest.mark.parametrize("prediction, reference", SEGMENTATION_PAIRS)
def test_segmentation_pairs(prediction, reference):
    folder = shared("data/segmentation-pairs")
    p, r = folder / f"{prediction}.nii.gz", folder / f"{reference}.nii.gz"
    values = [numpy.asarray(nibabel.load(path).dataobj) for path in (p, r)]
    result = score(p, r, "--labels", "all")
    labels = sorted(set(numpy.unique(values[0])) | set(numpy.unique(values[1])) - {0})
    assert list(result["labels"]) == [str(int(label)) for label in labels if label != 0]
    for label in result["labels"]:
        assert evidence(result, label=label) == counts(*(v == int(label) for v in values))


# ---- Results ------------------------------------------------------------------------------------

def test_summaries(tmp_path):
    result = score(*cohort(tmp_path, [f"{i:02}" for i in range(9)]), "--metrics", "dice,avd,mcc,recall")
    for key, got in result["metrics"].items():
        values = numpy.array([case["label"]["foreground"][key] for case in result["cases"]])
        n = len(values)
        assert got["n"] == n and got["undefined"] == {} and got["ci_method"] == "t"
        expected = {"mean": values.mean(), "std": values.std(ddof=1), "median": numpy.median(values),
                    "q25": numpy.percentile(values, 25), "q75": numpy.percentile(values, 75),
                    "min": values.min(), "max": values.max()}
        for statistic, x in expected.items():
            assert got[statistic] == pytest.approx(x, rel=1e-13), (key, statistic)
        interval = scipy.stats.t.interval(0.95, n - 1, values.mean(), values.std(ddof=1) / math.sqrt(n))
        assert got["ci95"] == pytest.approx(interval, rel=1e-10)
        if key in ("dice", "avd", "mcc"):
            assert result[key]["std"] == pytest.approx(values.std(), rel=1e-13)
            assert result[key]["values"] == list(values)
    assert [result["metrics"][k]["direction"] for k in ("dice", "avd", "mcc")] == ["higher", "lower", "higher"]
    assert result["labels"]["foreground"]["metrics"]["dice"] == {
        key: x for key, x in result["metrics"]["dice"].items()}


def test_one_case_has_no_spread(tmp_path):
    got = score(*cohort(tmp_path, ["a"]))
    assert (got["metrics"]["dice"]["std"], got["metrics"]["dice"]["ci95"]) == (None, None)
    assert got["dice"]["std"] == 0


def test_keys_stand_in_the_contracts_order(tmp_path):
    result = score(*cohort(tmp_path, ["a"]))
    assert list(result) == ["schema", "model_name", "dice", "avd", "mcc", "num_samples", "metrics", "labels", "cases",
                            "ledger", "settings", "provenance"]
    assert list(result["dice"]) == ["name", "mean", "std", "values"]


def test_json_alone_on_standard_output(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (pred / "b.nii.gz").write_bytes(b"")
    for options in ([], ["--verbose"], ["--quiet"], ["--out", tmp_path / "r.json"]):
        done = assay("score", pred, ref, "--json", *options, status=3)
        assert strict(done.stdout)["ledger"]["failed"] == 1
        assert "b" in done.stderr and "\x1b" not in done.stderr


def test_quiet_is_quiet(tmp_path):
    done = assay("score", *cohort(tmp_path, ["a"]), "--quiet", "--out", tmp_path / "r.json")
    assert (done.stdout, done.stderr) == ("", "")


def test_out_may_be_a_file_or_a_folder(tmp_path):
    pred, ref = cohort(tmp_path, ["a"])
    (tmp_path / "there").mkdir()
    for out, path in [("r.json", "r.json"), ("there", "there/mine.json"), ("new/deep/", "new/deep/mine.json")]:
        said = assay("score", pred, ref, "--model", "mine", "--out", out, cwd=tmp_path).stderr
        assert f"results: {path}" in said
        assert strict((tmp_path / path).read_text())["model_name"] == "mine"
        assert (tmp_path / f"{path}.journal").exists()


def test_a_model_name_cannot_leave_the_folder(tmp_path):
    pred, ref = cohort(tmp_path, ["a"])
    (tmp_path / "there").mkdir()
    assay("score", pred, ref, "--model", "a/../../b", "--out", "there", cwd=tmp_path)
    assert listing(tmp_path / "there") == ["a_.._.._b.json", "a_.._.._b.json.journal"]


def test_long_csv(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b,c", "d"])
    (pred / "d.nii.gz").unlink()
    save(ref / "a.nii.gz", mask())
    result = score(pred, ref, "--csv", tmp_path / "long.csv", status=3)
    with open(tmp_path / "long.csv", newline="") as file:
        assert file.readline() == "model,case,label,metric,value,status\n"
        file.seek(0)
        rows = list(csv.DictReader(file))
    found = {(row["case"], row["metric"]): row for row in rows}
    assert found["a", "avd"]["value"] == "" and found["a", "avd"]["status"] == "reference_empty"
    assert float(found["b,c", "dice"]["value"]) == result["cases"][1]["label"]["foreground"]["dice"]
    assert found["b,c", "dice"]["status"] == "ok" and found["b,c", "dice"]["model"] == "pred"
    assert [row["status"] for row in rows if row["case"] == "d"] == ["missing_prediction"]


def test_nnunets_summary(tmp_path):
    for name, p, r in [("a", *LABELS), ("b", mask(), mask(BOX))]:
        save(tmp_path / f"pred/{name}.nii.gz", p)
        save(tmp_path / f"ref/{name}.nii.gz", r)
    done = assay("score", tmp_path / "pred", tmp_path / "ref", "--labels", "1,2", "--region", "whole=1,2",
                 "--format", "nnunet", "--out", f"{tmp_path}/out/", "--json")
    summary = strict((tmp_path / "out/summary.json").read_text())
    assert strict(done.stdout) == summary
    assert set(summary) == {"foreground_mean", "mean", "metric_per_case"}
    assert set(summary["mean"]) == {"1", "2", "(1, 2)"}
    first = summary["metric_per_case"][0]
    assert set(first) == {"metrics", "prediction_file", "reference_file"}
    c = counts(*of(1))
    assert first["metrics"]["1"] == {
        "Dice": pytest.approx(dice(*of(1))), "IoU": pytest.approx(c["tp"] / (c["tp"] + c["fp"] + c["fn"])),
        "TP": c["tp"], "FP": c["fp"], "FN": c["fn"], "TN": c["tn"], "n_pred": c["tp"] + c["fp"], "n_ref": c["tp"] + c["fn"]}
    # Label 2 is nowhere in case b: nnU-Net has no Dice there, and its mean leaves the case out.
    assert summary["metric_per_case"][1]["metrics"]["2"]["Dice"] is None
    assert summary["mean"]["2"]["Dice"] == first["metrics"]["2"]["Dice"]
    assert summary["mean"]["1"]["TP"] == c["tp"] / 2
    assert summary["foreground_mean"]["Dice"] == pytest.approx(
        numpy.mean([summary["mean"][key]["Dice"] for key in summary["mean"]]))


def test_provenance(tmp_path):
    from_here = score(*cohort(tmp_path, ["a"]))["provenance"]
    assert {"assay", "commit", "command", "started", "finished", "inputs_sha256"} <= set(from_here)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", from_here["started"])
    assert re.fullmatch(r"[0-9a-f]{64}", from_here["inputs_sha256"])


def test_anonymous_results_name_no_place(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (pred / "b.nii.gz").write_bytes(b"")
    assay("score", pred, ref, "--anonymous", f"--out={tmp_path}/r.json", status=3)
    for path in (tmp_path / "r.json", tmp_path / "r.json.journal"):
        assert str(tmp_path) not in path.read_text(), path.name
    result = strict((tmp_path / "r.json").read_text())
    assert "host" not in result["provenance"]
    assert result["cases"][1]["error"].startswith("prediction b.nii.gz: ")


# ---- Same bytes, journal, resume ----------------------------------------------------------------

def journal_records(path):
    records = []
    for line in path.read_text().splitlines():
        found = re.fullmatch(r'\{"crc32": "([0-9a-f]{8})", "record": (.*)\}', line)
        assert found and int(found[1], 16) == zlib.crc32(found[2].encode())
        records.append(strict(line)["record"])
    return records


def test_the_journal(tmp_path):
    assay("score", *cohort(tmp_path, ["a", "b"]), "--out", tmp_path / "r.json")
    header, *cases = journal_records(tmp_path / "r.json.journal")
    assert header["kind"] == "header"
    assert {"settings_sha256", "inputs_sha256", "version"} <= set(header)
    assert sorted(case["id"] for case in cases) == ["a", "b"]


def test_any_number_of_jobs_gives_the_same_bytes(tmp_path):
    pred, ref = cohort(tmp_path, [f"{i:02}" for i in range(23)])
    (pred / "07.nii.gz").write_bytes(b"")
    (pred / "11.nii.gz").unlink()
    texts = set()
    for jobs in (1, 2, 5):
        assay("score", pred, ref, "--labels", "all", "--metrics", "all", "--jobs", jobs, "--out", tmp_path / f"{jobs}.json", status=3)
        texts.add(without_provenance(tmp_path / f"{jobs}.json"))
    assert len(texts) == 1


@pytest.fixture(scope="module")
def slow_cohort(tmp_path_factory):
    """Many links to two large files: slow to score, cheap to make."""
    folder = tmp_path_factory.mktemp("slow")
    rng = numpy.random.default_rng(0)
    for side in ("pred", "ref"):
        file = save(folder / f"{side}.nii.gz", (rng.random((160, 160, 160)) < 0.4).astype(numpy.uint8))
        (folder / side).mkdir()
        for i in range(60):
            os.link(file, folder / side / f"{i:03}.nii.gz")
    assay("score", folder / "pred", folder / "ref", "--out", folder / "whole.json")
    return folder


def ended_midway(slow_cohort, out, number):
    """Starts scoring and sends a signal once some cases are in the journal."""
    run = subprocess.Popen([PROGRAM, "score", slow_cohort / "pred", slow_cohort / "ref", "--out", out, "--jobs", "2"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    journal = out.parent / (out.name + ".journal")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and run.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") >= 4:
            break
        time.sleep(0.01)
    assert run.poll() is None, "the run was over before it could be interrupted"
    run.send_signal(number)
    _, said = run.communicate(timeout=30)
    lines = journal.read_bytes().count(b"\n")
    assert 4 <= lines < 61 and not out.exists()
    return run.returncode, said


def check_resumed(slow_cohort, out):
    done = assay("score", slow_cohort / "pred", slow_cohort / "ref", "--out", out, "--resume")
    taken = int(re.search(r"(\d+) cases were taken from the journal", done.stderr)[1])
    assert 3 <= taken < 60
    assert without_provenance(out) == without_provenance(slow_cohort / "whole.json")
    assert len(journal_records(out.parent / (out.name + ".journal"))) == 61


def test_resume_after_kill(slow_cohort, tmp_path):
    assert ended_midway(slow_cohort, tmp_path / "r.json", signal.SIGKILL)[0] == -signal.SIGKILL
    journal = tmp_path / "r.json.journal"
    journal.write_bytes(journal.read_bytes() + b'{"crc32": "0000')  # a torn last line is ignored
    check_resumed(slow_cohort, tmp_path / "r.json")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_can_be_resumed(slow_cohort, tmp_path, number):
    status, said = ended_midway(slow_cohort, tmp_path / "r.json", number)
    assert status == 130
    assert re.search(r"interrupted after \d+ of 60 cases; the same command with --resume goes on", said)
    check_resumed(slow_cohort, tmp_path / "r.json")


def test_resume_without_a_journal_starts_afresh(tmp_path):
    assay("score", *cohort(tmp_path, ["a"]), "--out", tmp_path / "r.json", "--resume")


@pytest.mark.parametrize("change", [["--labels", "1"], ["--metrics", "dice,recall"], ["--missing", "worst"],
                                    ["--convention", "monai"], ["--threshold", "0.5"]])
def test_resume_refuses_other_settings(tmp_path, change):
    pred, ref = cohort(tmp_path, ["a", "b"])
    assay("score", pred, ref, "--out", tmp_path / "r.json")
    before = listing(tmp_path), (tmp_path / "r.json").read_bytes(), (tmp_path / "r.json.journal").read_bytes()
    said = assay("score", pred, ref, "--out", tmp_path / "r.json", "--resume", *change, status=2).stderr
    assert "r.json.journal: this journal was begun with other settings; run without --resume to start over" in said
    assert before == (listing(tmp_path), (tmp_path / "r.json").read_bytes(), (tmp_path / "r.json.journal").read_bytes())


def test_resume_refuses_other_cases(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    assay("score", pred, ref, "--out", tmp_path / "r.json")
    cohort(tmp_path, ["a", "b", "c"])
    assert "for other cases" in assay("score", pred, ref, "--out", tmp_path / "r.json", "--resume", status=2).stderr


def test_resume_scores_changed_files_again(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b", "c"])
    (pred / "c.nii.gz").write_bytes(b"")
    assay("score", pred, ref, "--out", tmp_path / "r.json", status=3)
    save(pred / "b.nii.gz", random_mask(77))
    save(pred / "c.nii.gz", random_mask(78))
    said = assay("score", pred, ref, "--out", tmp_path / "r.json", "--resume").stderr
    assert "1 cases were taken" in said or "1 case was taken" in said
    assay("score", pred, ref, "--out", tmp_path / "fresh.json")
    assert without_provenance(tmp_path / "r.json") == without_provenance(tmp_path / "fresh.json")


def test_resume_takes_groups_from_the_manifest_as_it_is_now(tmp_path):
    cohort(tmp_path, ["a"])
    manifest = tmp_path / "cases.csv"
    for site in ("wrong", "right"):
        manifest.write_text(f"id,prediction,reference,site\na,pred/a.nii.gz,ref/a.nii.gz,{site}\n")
        assay("score", "--manifest", manifest, "--out", tmp_path / "r.json", *["--resume"] * (site == "right"))
    assert strict((tmp_path / "r.json").read_text())["cases"][0]["groups"] == {"site": "right"}


def test_a_damaged_journal_is_not_trusted(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    assay("score", pred, ref, "--out", tmp_path / "r.json")
    journal = tmp_path / "r.json.journal"
    header, first, last = journal.read_bytes().splitlines(keepends=True)
    damaged = header + first.replace(b'"kind"', b'"kine"') + last
    journal.write_bytes(damaged)
    said = assay("score", pred, ref, "--out", tmp_path / "r.json", "--resume", status=2).stderr
    assert said == f"assay: {journal}: line 2 is damaged; restore the file, or delete it to start over\n"
    assert journal.read_bytes() == damaged


def test_two_runs_cannot_share_a_journal(slow_cohort, tmp_path):
    out = tmp_path / "r.json"
    command = [PROGRAM, "score", slow_cohort / "pred", slow_cohort / "ref", "--out", out, "--jobs", "1"]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (tmp_path / "r.json.journal").exists():
        assert run.poll() is None
        time.sleep(0.005)
    time.sleep(0.05)
    said = assay(*command[1:], status=2).stderr
    assert "another assay process is writing this journal" in said
    run.send_signal(signal.SIGINT)
    assert run.wait(30) == 130

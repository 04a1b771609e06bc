"""Empty masks, missing cases, and the specification's numbers, through the real program."""
import json, math, re

import nibabel
import numpy
import pytest

from support import (BOX, assay, cohort, counts, evidence, mask, real_data, save, score, strict,
                     unpacked, vectors)


# ---- Empty masks and missing cases --------------------------------------------------------------

EMPTY = [  # prediction empty, reference empty, status, values, reasons
    (False, False, "ok", {"dice": 1, "iou": 1, "avd": 0, "mcc": 1}, {}),
    (True, True, "both_empty", {"dice": 1, "iou": 1, "avd": 0, "mcc": None},
     {"mcc": "zero_denominator"}),
    (False, True, "reference_empty", {"dice": 0, "iou": 0, "avd": None, "mcc": None},
     {"avd": "reference_empty", "mcc": "zero_denominator"}),
    (True, False, "prediction_empty", {"dice": 0, "iou": 0, "avd": 1, "mcc": None},
     {"mcc": "zero_denominator"}),
]


@pytest.mark.parametrize("no_prediction, no_reference, status, values, reasons", EMPTY)
def test_empty_masks(tmp_path, no_prediction, no_reference, status, values, reasons):
    result = score(save(tmp_path / "p.nii", mask(*[] if no_prediction else [BOX])),
                   save(tmp_path / "r.nii", mask(*[] if no_reference else [BOX])), "--metrics",
                   "dice,iou,avd,mcc")
    label = result["cases"][0]["label"]["foreground"]
    assert label["status"] == status
    assert {key: label[key] for key in values} == values
    assert label["undefined"] == reasons
    for key, why in reasons.items():
        assert result["metrics"][key]["undefined"] == {why: 1}
        assert result["metrics"][key]["mean"] is None
    assert result["mcc"]["values"] == [values["mcc"]]


@pytest.mark.parametrize("convention, both, reference",
                         [
                             ("metrics-reloaded", 1, 0), ("spec", 1, pytest.approx(1e-6 / 64)),
                             ("monai", None, None), ("nnunet", None, 0)])
def test_conventions(tmp_path, convention, both, reference):
    save(tmp_path / "pred/both.nii", mask())
    save(tmp_path / "ref/both.nii", mask())
    save(tmp_path / "pred/reference.nii", mask(BOX))
    save(tmp_path / "ref/reference.nii", mask())
    result = score(tmp_path / "pred", tmp_path / "ref", "--convention", convention)
    assert result["settings"]["convention"] == convention
    assert result["dice"]["values"] == [both, reference]


def test_infinity_is_no_json_but_has_a_reason(tmp_path):
    """--convention spec without --compat: the JSON stays valid, and says why a number is
    missing."""
    result = score(save(tmp_path / "p.nii", mask(BOX)), save(tmp_path / "r.nii", mask()),
                   "--convention", "spec")
    label = result["cases"][0]["label"]["foreground"]
    assert label["avd"] is None
    assert label["undefined"] == {"avd": "reference_empty", "hd95": "reference_empty"}


@pytest.fixture
def with_missing(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b", "c"])
    (pred / "b.nii.gz").unlink()
    return pred, ref


def test_missing_predictions_are_excluded_and_named(with_missing):
    done = assay("score", *with_missing, "--json", status=3)
    assert "not scored: b: there is no prediction for the reference b.nii.gz" in done.stderr
    result = strict(done.stdout)
    assert result["ledger"] == {"expected": 3, "scored": 2, "failed": 0, "missing_prediction": 1,
                                "missing_reference": 0}
    assert result["num_samples"] == len(result["dice"]["values"]) == 2
    assert [case["status"] for case in result["cases"]] == ["ok", "failed", "ok"]
    assert result["cases"][1]["error"]


def test_missing_predictions_may_count_as_worst(with_missing):
    excluded, worst = (score(*with_missing, status=3),
                       score(*with_missing, "--missing", "worst", status=3))
    assert (worst["metrics"]["dice"]["mean"]
            == pytest.approx(excluded["metrics"]["dice"]["mean"] * 2 / 3))
    for result in (excluded, worst):
        assert (result["metrics"]["dice"]["mean_scored_only"]
                == pytest.approx(excluded["metrics"]["dice"]["mean"]))
        assert (result["metrics"]["dice"]["mean_missing_as_worst"]
                == pytest.approx(worst["metrics"]["dice"]["mean"]))


def test_a_broken_reference_is_not_the_models_fault(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (ref / "b.nii.gz").write_bytes(b"")
    result = score(pred, ref, "--missing", "worst", status=3)
    assert result["ledger"]["failed"] == 1
    assert result["metrics"]["dice"]["mean"] == result["cases"][0]["label"]["foreground"]["dice"]


def test_both_means_are_printed_when_they_differ(with_missing):
    assert ("model's failures (1 missing prediction)"
            in assay("score", *with_missing, status=3).stdout)


def test_missing_predictions_may_be_an_error(with_missing, tmp_path):
    done = assay("score", *with_missing, "--missing", "error", "--out", tmp_path / "r.json",
                 status=2)
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


@pytest.mark.parametrize("options",
                         [[], ["--compat", "spec"], ["--metrics", "recall"], ["--labels", "1"]])
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
    result = python_json(assay("score", tmp_path / "pred", tmp_path / "ref", "--compat", "spec",
                               "--json"))
    assert result["num_samples"] == len(cases)
    for key in ("dice", "avd", "mcc"):
        for i, (_, _, expected) in enumerate(cases):
            assert result[key]["values"][i] == pytest.approx(
                spec_number(expected[key]), abs=1e-6), (name, i, key)
    return result


def test_the_specifications_numbers(tmp_path):
    masks = vectors("specification-reference")["metrics_masks"]["cases"]
    cases = [(unpacked(v, "pred"), unpacked(v, "target"), v["spec"]) for v in masks]
    result = check_spec(tmp_path, cases, "masks")
    assert any(math.isinf(x) for x in result["avd"]["values"])
    assert math.isinf(result["avd"]["mean"])
    assert math.isnan(result["avd"]["std"])


def test_the_specifications_numbers_on_large_boxes(tmp_path):
    def box(shape, ranges):
        out = numpy.zeros(shape, numpy.uint8)
        out[tuple(slice(a, b) for a, b in ranges)] = 1
        return out
    boxes = vectors("specification-reference")["metrics_large_boxes"]
    cases = [(box(v["shape"], v["pred_box"]), box(v["shape"], v["target_box"]), v["spec"])
             for v in boxes]
    check_spec(tmp_path, cases, "boxes")


def test_the_specifications_statistics(tmp_path):
    vector = vectors("specification-reference")["compute_with_stats"]
    ps, rs = unpacked(vector, "pred"), unpacked(vector, "target")
    expected = [{key: vector["result"][key]["values"][i] for key in vector["result"]}
                for i in range(len(ps))]
    result = check_spec(tmp_path, list(zip(ps, rs, expected)), "statistics")
    for key, values in vector["result"].items():
        assert result[key]["mean"] == pytest.approx(values["mean"], abs=1e-6)
        assert result[key]["std"] == pytest.approx(values["std"], abs=1e-6)


def test_the_specifications_tokens(tmp_path):
    done = assay("score", save(tmp_path / "p.nii", mask(BOX)), save(tmp_path / "r.nii", mask()),
                 "--compat", "spec", "--json")
    assert re.search(r'"avd": \{\s*"name": "AVD",\s*"mean": Infinity,\s*"std": NaN,\s*"values": '
                     r'\[\s*Infinity', done.stdout)
    assert json.loads(done.stdout)["mcc"]["values"] == [0]


# ---- Pairs with known answers -------------------------------------------------------------------

def expected_pairs():
    path = real_data("nifti-pairs/expected.json")
    return {pair["name"]: pair for pair in json.loads(path.read_text())["pairs"]}, path.parent


NIFTI_PAIRS = ["plain", "i16", "f32", "scl_slope", "big_endian", "orientation_PSR",
               "orientation_LAS", "empty_pred", "empty_gt", "both_empty", "multilabel",
               "4d_singleton", "shape_mismatch", "affine_mismatch"]


def test_all_known_pairs_are_tried():
    assert set(expected_pairs()[0]) == set(NIFTI_PAIRS)


@pytest.mark.parametrize("name", NIFTI_PAIRS)
def test_nifti_pairs(name):
    pairs, folder = expected_pairs()
    pair = pairs[name]
    files = folder / pair["pred"], folder / pair["target"]
    if name.endswith("mismatch"):
        said = assay("score", *files, status=2).stderr
        assert (pair["pred"].removesuffix(".nii.gz") in said
                or pair["target"].removesuffix(".nii.gz") in said)
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
    assert label["avd"] == (None if empty["r"] and not empty["p"]
                            else pytest.approx(expected["avd"], abs=1e-12))
    assert label["mcc"] == (None if any(empty.values())
                            else pytest.approx(expected["mcc"], abs=1e-6))
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
    folder = real_data("segmentation-pairs")
    p, r = folder / f"{prediction}.nii.gz", folder / f"{reference}.nii.gz"
    values = [numpy.asarray(nibabel.load(path).dataobj) for path in (p, r)]
    result = score(p, r, "--labels", "all")
    labels = sorted(set(numpy.unique(values[0])) | set(numpy.unique(values[1])) - {0})
    assert list(result["labels"]) == [str(int(label)) for label in labels if label != 0]
    for label in result["labels"]:
        assert evidence(result, label=label) == counts(*(v == int(label) for v in values))

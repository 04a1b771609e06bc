"""assay score: the average of a case, what leaves it undefined, and what the model's failures
count."""
import json, math

import numpy
import pytest

from support import BOX, LABELS, assay, counts, dice, mask, of, save, score, strict

FAR = numpy.s_[7:9, 7:9, 5:7]
DIAGONAL = math.sqrt(10**2 + 9**2 + 8**2)


def pairs(folder, **cases):
    """Folders of predictions and references; a prediction of None is missing."""
    for name, (prediction, reference) in cases.items():
        if prediction is not None:
            save(folder / f"pred/{name}.nii.gz", prediction)
        save(folder / f"ref/{name}.nii.gz", reference)
    return folder / "pred", folder / "ref"


def two(first, second):
    """A label map with boxes of 1 and 2; None leaves one out."""
    out = mask()
    for label, box in ((1, first), (2, second)):
        if box is not None:
            out[box] = label
    return out


@pytest.fixture
def hallucination(tmp_path):
    """Both masks lack label 1; label 2 is a false alarm in case a, and right in case b."""
    return pairs(tmp_path, a=(two(None, FAR), mask()), b=(two(BOX, FAR), two(BOX, FAR)))


def test_a_hallucinated_lesion_leaves_the_average_undefined(hallucination):
    """HD95 of the case was 0, the value of the label that is empty on both sides."""
    result = score(*hallucination, "--labels", "1,2")
    case = result["cases"][0]
    assert case["label"]["1"]["hd95"] == 0 and case["label"]["2"]["hd95"] is None
    assert case["undefined"]["hd95"] == {"reason": "reference_empty", "culprit": "model",
                                         "label": "2"}
    assert case["undefined"]["mcc"] == {"reason": "zero_denominator", "culprit": "model",
                                        "label": "2"}
    assert "dice" not in case["undefined"] and case["diagonal_mm"] == pytest.approx(DIAGONAL)
    assert result["cases"][1]["undefined"] == {}
    block = result["metrics"]["hd95"]
    assert (block["n"] == 1 and block["undefined"] == {"reference_empty": 1}
            and block["failures"] == 1)
    assert block["mean"] == 0 and block["mean_with_failures"] == pytest.approx(DIAGONAL / 4)
    assert block["failure_counts_as"] == "image diagonal"
    assert result["avd"]["values"] == [None, 0] and result["mcc"]["values"] == [None, 1]
    assert result["ledger"]["undefined"] == {
        key: {"cases": 1, "by_model": 1} for key in ("hd95", "avd", "mcc")}
    ledger = result["ledger"]
    assert ledger["expected"] == ledger["scored"] + ledger["failed"] + ledger[
        "missing_prediction"] + ledger["missing_reference"]


def test_the_table_names_the_label_and_both_means(hallucination):
    out = assay("score", *hallucination, "--labels", "1,2").stdout
    assert "1 reference_empty of label 2" in out
    assert "means without and with the model's failures (1 false alarm)" in out
    assert (
        f"hd95: 0.000 over 1 case, {DIAGONAL / 4:.3f} with 1 failure counted as the image's"
        " diagonal"
        in out
    )
    assert "mcc: 1.000 over 1 case, 0.500 with 1 failure counted as 0" in out and "dice:" not in out


def test_nobodys_fault_leaves_the_mean_of_a_case_and_is_counted(tmp_path):
    """Case a has no label 2 on either side: its MCC is that of label 1 alone, and the table says
    so."""
    result = score(*pairs(tmp_path, a=(two(BOX, None), two(BOX, None)),
                          b=(two(BOX, FAR), two(BOX, FAR))), "--labels", "1,2")
    assert result["mcc"]["values"] == [1, 1] and result["metrics"]["mcc"]["undefined"] == {}
    assert result["metrics"]["mcc"]["label_values_left_out"] == {"zero_denominator": 1}
    assert result["metrics"]["mcc"]["failures"] == 0 and "undefined" not in result["ledger"]
    out = assay("score", tmp_path / "pred", tmp_path / "ref", "--labels", "1,2").stdout
    assert "values of labels left out of the means of cases: mcc: 1 zero_denominator" in out
    assert "model's failures" not in out


def test_a_model_that_misses_a_structure_is_not_better_for_it(tmp_path):
    found = two(BOX, FAR)
    result = score(*pairs(tmp_path, a=(two(BOX, None), found), b=(two(BOX, None), found)),
                   "--labels", "1,2")
    for key in ("mcc", "hd95"):
        assert result["metrics"][key]["n"] == 0 and result["metrics"][key]["failures"] == 2, key
    assert result["metrics"]["mcc"]["mean_with_failures"] == 0.5
    assert result["labels"]["2"]["metrics"]["mcc"]["failures"] == 2
    assert result["labels"]["2"]["metrics"]["mcc"]["mean_with_failures"] == 0
    assert result["labels"]["1"]["metrics"]["mcc"]["failures"] == 0


def test_failures_count_with_missing_worst(tmp_path):
    folders = pairs(tmp_path, alarm=(mask(BOX), mask()), lost=(None, mask(BOX)),
                    missed=(mask(), mask(BOX)), right=(mask(BOX), mask(BOX)))
    result = score(*folders, "--metrics", "mcc,hd95,precision,recall,avd,rvd", "--missing", "worst",
                   status=3)
    found = {case["id"]: case["label"]["foreground"] for case in result["cases"]}
    assert [found[name]["mcc"] for name in ("alarm", "lost", "missed", "right")] == [0, 0, 0, 1]
    assert [found[name]["recall"] for name in ("alarm", "lost", "missed", "right")] == [0, 0, 0, 1]
    assert ([found[name]["precision"] for name in ("alarm", "lost", "missed", "right")]
            == [0, 0, 0, 1])
    assert [found[name]["avd"] for name in ("alarm", "lost", "missed", "right")] == [1, 1, 1, 0]
    assert [found[name]["rvd"] for name in ("alarm", "lost", "missed", "right")] == [1, -1, -1, 0]
    assert result["metrics"]["mcc"]["mean"] == result["metrics"]["mcc"][
        "mean_with_failures"] == 0.25
    excluded = score(*folders, "--metrics", "mcc,hd95", status=3)["metrics"]
    assert (excluded["mcc"]["mean"] == 1 and excluded["mcc"]["failures"] == 3
            and excluded["mcc"]["mean_with_failures"] == 0.25)
    assert excluded["hd95"]["mean_with_failures"] == pytest.approx(3 * DIAGONAL / 4)


def test_a_failed_case_says_whose_fault_it_is(tmp_path):
    pred, ref = pairs(tmp_path, a=(mask(BOX), mask(BOX)), b=(mask(BOX), mask(BOX)),
                      c=(None, mask(BOX)))
    (ref / "b.nii.gz").write_bytes(b"")
    cases = score(pred, ref, status=3)["cases"]
    assert [case.get("culprit") for case in cases] == [None, "nobody", "model"]
    assert cases[2]["diagonal_mm"] == pytest.approx(DIAGONAL)


# ---- Labels and regions -------------------------------------------------------------------------

REGIONS = ["--region", "whole=1,2", "--region", "core=2"]


def test_labels_and_regions_are_never_mixed(tmp_path):
    folders = pairs(tmp_path, a=LABELS)
    mixed = score(*folders, "--labels", "1,2", *REGIONS)
    assert mixed["dice"]["values"] == [pytest.approx((dice(*of(1)) + dice(*of(2))) / 2)]
    assert (mixed["settings"]["label_average"] == "mean over labels 1, 2"
            and mixed["settings"]["averaged"] == ["1", "2"])
    assert ({key: label["kind"] for key, label in mixed["labels"].items()}
            == {"1": "label", "2": "label", "whole": "region", "core": "region"})
    regions = score(*folders, *REGIONS)
    assert regions["dice"]["values"] == [pytest.approx((dice(*of([1, 2])) + dice(*of(2))) / 2)]
    assert regions["settings"]["label_average"] == "mean over regions whole, core"
    out = assay("score", *folders, "--labels", "1,2", *REGIONS).stdout
    assert "mean over labels 1, 2\n" in out and "\nlabel 1\n" in out and "\nregion whole\n" in out


def test_regions_of_nnunet_are_regions_even_of_one_label(tmp_path):
    """dataset.json with a list is a training by regions; an entry of one label is one of them."""
    folders = pairs(tmp_path, a=LABELS)
    (tmp_path / "pred/dataset.json").write_text(
        json.dumps({"labels": {"background": 0, "whole": [1, 2], "core": 2}}))
    result = score(*folders)
    assert result["settings"]["averaged"] == ["whole", "2"]
    assert result["dice"]["values"] == [pytest.approx((dice(*of([1, 2])) + dice(*of(2))) / 2)]


# ---- Averages that differ are not compared -------------------------------------------------------

@pytest.fixture
def scored_in_two_ways(tmp_path):
    folders = pairs(tmp_path, a=LABELS, b=LABELS[::-1])
    assay("score", *folders, "--model", "one", "--labels", "1,2", *REGIONS, "--out", "labels.json",
          cwd=tmp_path)
    assay("score", *folders, "--model", "two", *REGIONS, "--out", "regions.json", cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", ["compare", "report"])
def test_averages_over_different_keys_are_refused(scored_in_two_ways, command):
    said = assay(command, "labels.json", "regions.json", status=2, cwd=scored_in_two_ways).stderr
    assert (
        "labels.json is over labels 1, 2, that of regions.json is over regions whole, core" in said
    )
    assert "--label" in said and "--region" in said
    assay(command, "labels.json", "regions.json", "--label", "whole", cwd=scored_in_two_ways)


def test_folds_over_different_keys_are_refused(scored_in_two_ways):
    for fold, name in enumerate(["labels", "regions"]):
        to = scored_in_two_ways / f"run/fold_{fold}/results.json"
        to.parent.mkdir(parents=True)
        text = (scored_in_two_ways / f"{name}.json").read_text()
        to.write_text(text.replace('"id": "a"',
                                   f'"id": "a{fold}"').replace('"id": "b"', f'"id": "b{fold}"'))
    said = assay("folds", "run", status=2, cwd=scored_in_two_ways).stderr
    assert "over labels 1, 2" in said and "over regions whole, core" in said


def test_a_file_of_0_1_is_averaged_again(scored_in_two_ways):
    """0.1 averaged labels and regions together, and wrote no kind, culprit or averaged keys."""
    result = strict((scored_in_two_ways / "labels.json").read_text())
    for label in result["labels"].values():
        del label["kind"]
    for key in ("dice", "avd", "mcc"):
        result[key]["values"] = [0.123] * 2
    result["settings"] = {"label_average": "mean over foreground labels",
                          "convention": "metrics-reloaded"}
    (scored_in_two_ways / "old.json").write_text(json.dumps({**result, "model_name": "old"}))
    found = strict(assay("compare", "labels.json", "old.json", "--metric", "dice,avd,mcc", "--json",
                         cwd=scored_in_two_ways).stdout)
    for key, pairs_of in found["metrics"].items():
        assert pairs_of[0]["mean_difference"] == 0, key
    assert "over labels 1, 2" in assay("compare", "old.json", "regions.json", status=2,
                                       cwd=scored_in_two_ways).stderr


def test_parity_averages_a_file_of_0_1_again(scored_in_two_ways):
    new = strict((scored_in_two_ways / "labels.json").read_text())
    old = json.loads(json.dumps(new))
    for key in ("dice", "avd", "mcc"):
        old[key].update(mean=0.123, std=0.0, values=[0.123] * 2)
    old["cases"].append({"id": "z", "status": "failed", "reason": "missing_prediction",
                         "label": {label: {"dice": 0.0, "avd": 1.0, "mcc": 0.0,
                                           "status": "counted_as_worst"}
                                   for label in old["cases"][0]["label"]}})
    old["settings"] = {"label_average": "mean over foreground labels",
                       "convention": "metrics-reloaded"}
    (scored_in_two_ways / "old.json").write_text(json.dumps(old))
    parity = lambda name: strict(assay("parity", f"{name}.json", "--json",
                                       cwd=scored_in_two_ways).stdout)
    found, expected = parity("old"), parity("labels")
    for key in ("dice_mean", "dice_std", "avd_mean", "mcc_mean"):
        assert found[key] == pytest.approx(expected[key], rel=1e-12), key
    said = [warning for warning in found["warnings"] if warning.startswith("dice: ")]
    assert said == [f"dice: this file of version 0.1 averages labels and regions together; its "
                    f"mean was 0.123, and is {new['dice']['mean']} "
                    "over labels 1, 2"]


# ---- Reports ------------------------------------------------------------------------------------

def test_the_report_says_what_was_undefined_and_what_the_average_is_over(hallucination, tmp_path):
    assay("score", *hallucination, "--labels", "1,2", "--out", "r.json", cwd=tmp_path)
    assay("report", "r.json", "--out", "r.html", cwd=tmp_path)
    page = (tmp_path / "r.html").read_text()
    assert "Every value was defined." not in page
    assert "The value of a case is the unweighted mean over labels 1, 2." in page
    assert "1 of AVD (1 by the model)" in page
    assert "0.500 with 1\u00a0failure" in page  # MCC


def test_every_value_was_defined_only_if_every_value_was(tmp_path):
    """MCC of label 2 is undefined through nobody's fault; the average of the case is defined."""
    folders = pairs(tmp_path, a=(two(BOX, None), two(BOX, None)), b=(two(BOX, FAR), two(BOX, FAR)))
    assay("score", *folders, "--labels", "1,2", "--out", "r.json", cwd=tmp_path)
    assay("report", "r.json", "--out", "r.html", cwd=tmp_path)
    page = (tmp_path / "r.html").read_text()
    assert "Every value was defined." not in page
    assert "leave out labels that are undefined through no fault of the model: 1 of mcc." in page
    assay("score", *folders, "--metrics", "dice", "--labels", "1,2", "--out", "d.json",
          cwd=tmp_path)
    assay("report", "d.json", "--metric", "dice", "--out", "d.html", cwd=tmp_path)
    assert "Every value was defined." in (tmp_path / "d.html").read_text()


# ---- Intervals ----------------------------------------------------------------------------------

def nearly_perfect(folder):
    """Two perfect cases and one with an error: the interval of Student's t goes beyond 1, and below
    0."""
    worse = mask(BOX)
    worse[2, 2, 2] = 0
    return pairs(folder, a=(mask(BOX), mask(BOX)), b=(mask(BOX), mask(BOX)), c=(worse, mask(BOX)))


def test_intervals_stay_in_the_range_of_their_metric(tmp_path):
    result = score(*nearly_perfect(tmp_path), "--metrics", "dice,hd95,avd,mcc,recall,precision")
    for key, (low, high) in {"dice": (0, 1), "recall": (0, 1), "mcc": (-1, 1),
                             "avd": (0, math.inf)}.items():
        block = result["metrics"][key]
        assert low <= block["ci95"][0] <= block["mean"] <= block["ci95"][1] <= high, key
        assert block["ci_clipped"] is True and block["ci_method"] == "t", key
    assert (result["metrics"]["precision"]["ci95"] == [1, 1]
            and result["metrics"]["precision"]["ci_clipped"] is False)
    assert result["labels"]["foreground"]["metrics"]["dice"]["ci95"][1] == 1
    out = assay("score", tmp_path / "pred", tmp_path / "ref", "--metrics", "dice").stdout
    assert " – 1.000  3 " in out


def test_bca_intervals(tmp_path):
    """The interval is the one of assay.bootstrap's method: 2000 resamples of the cases, seed 42."""
    folders = nearly_perfect(tmp_path)
    first, second = (score(*folders, "--metrics", "dice", "--ci", "bca")["metrics"]["dice"]
                     for _ in range(2))
    assert first == second and first["ci_method"] == "bca" and first["ci_clipped"] is False
    assert first["min"] <= first["ci95"][0] < first["mean"] < first["ci95"][1] <= 1
    assert "intervals by BCa bootstrap" in assay("score", *folders, "--ci", "bca").stdout
    assert ("--ci: 'normal' is not one of t|bca"
            in assay("score", *folders, "--ci", "normal", status=2).stderr)


def test_one_case_has_no_interval(tmp_path):
    folders = pairs(tmp_path, a=(mask(BOX), mask(BOX)))
    for how in ("t", "bca"):
        assert score(*folders, "--ci", how)["metrics"]["dice"]["ci95"] is None


def test_compared_models_have_intervals_in_range(tmp_path):
    folders = nearly_perfect(tmp_path)
    for name in ("one", "two"):
        assay("score", *folders, "--model", name, "--out", f"{name}.json", cwd=tmp_path)
    found = strict(assay("compare", "one.json", "two.json", "--metric", "dice", "--json",
                         cwd=tmp_path).stdout)
    for model in found["models"] if isinstance(found["models"], list) else found["models"].values():
        block = model["metrics"]["dice"]
        assert block["ci95"][1] == 1 and block["ci_clipped"] is True

"""What is a mask, a map or a label: images whose numbers would mislead are refused or warned of."""
import numpy
import pytest

from networks import OF_THRESHOLD, threshold_network
from support import (BOX, SHAPE, assay, counts, evidence, mask, random_mask, save, score, strict,
                     without_provenance)

BOTH_OPTIONS = ("give --threshold T, such as 0.5, to count every value >= T, or --foreground "
                "nonzero to count every value but 0")


def a_map(seed=1, dtype=numpy.float32):
    """A map that is right at 0.5 and wrong at 0."""
    reference = random_mask(seed)
    noise = numpy.random.default_rng(seed).uniform(0.01, 0.4, SHAPE)
    return numpy.where(reference, 0.9 - noise / 4, noise).astype(dtype), reference


def pair(folder, prediction, reference, name="a"):
    return (save(folder / f"pred/{name}.nii.gz", prediction),
            save(folder / f"ref/{name}.nii.gz", reference))


# ---- Maps ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64])
def test_a_map_is_not_scored_as_a_mask(tmp_path, dtype):
    chance, reference = a_map(dtype=dtype)
    files = pair(tmp_path, chance, reference)
    done = assay("score", *files, "--json", status=2)
    assert done.stdout == ""
    first, last = done.stderr.splitlines()
    assert first.startswith("not scored: a: prediction a.nii.gz: is a map, not a mask: it holds "
                            "several values besides 0, such as ")
    assert first.endswith(BOTH_OPTIONS) and "at voxel (0, 0, 0)" in first
    assert last == "assay: no case could be scored; nothing was written"
    assert evidence(score(*files, "--threshold", "0.5")) == counts(chance >= 0.5, reference)
    result = score(*files, "--foreground", "nonzero")
    assert evidence(result) == counts(chance != 0, reference)
    assert result["settings"]["foreground"] == "nonzero"


def test_one_map_in_a_cohort_fails_alone(tmp_path):
    chance, reference = a_map()
    pair(tmp_path, reference, reference)
    pair(tmp_path, chance, reference, "b")
    result = score(tmp_path / "pred", tmp_path / "ref", status=3)
    assert [case["status"] for case in result["cases"]] == ["ok", "failed"]
    assert BOTH_OPTIONS in result["cases"][1]["error"]
    assert "foreground" not in result["settings"]


def test_a_reference_that_is_a_map(tmp_path):
    chance, reference = a_map()
    files = pair(tmp_path, reference, chance)
    assert f"reference a.nii.gz: is a map, not a mask" in assay("score", *files, status=2).stderr
    result = score(*files, "--threshold", "0.5")
    assert evidence(result) == counts(reference, chance >= 0.5)
    assert (result["cases"][0]["warnings"]
            == ["the reference is a map; its foreground is value >= 0.5, as in the prediction"])
    assert evidence(score(*files, "--foreground", "nonzero")) == counts(reference, chance != 0)


@pytest.mark.parametrize("value", [0.7, 1, 255, 1e-3])
def test_one_value_besides_0_is_a_mask(tmp_path, value):
    p, r = random_mask(1), random_mask(2)
    result = score(*pair(tmp_path, p.astype(numpy.float32) * value,
                         r.astype(numpy.float64) * value))
    assert evidence(result) == counts(p, r) and "warnings" not in result["cases"][0]


def test_whole_numbers_are_labels_whatever_they_are_stored_as(tmp_path):
    p = mask(numpy.s_[1:5, 1:5, 1:5], numpy.s_[5:8, 2:6, 2:6]).astype(numpy.float32)
    assert evidence(score(*pair(tmp_path, p, p.astype(numpy.uint8)))) == counts(p, p)


def test_a_slope_makes_a_map_of_integers(tmp_path):
    import nibabel
    image = nibabel.Nifti1Image(numpy.round(a_map()[0] * 250).astype(numpy.uint8), numpy.eye(4))
    image.header.set_slope_inter(1 / 250, 0)
    _, reference = pair(tmp_path, mask(BOX), mask(BOX))
    nibabel.save(image, tmp_path / "pred/a.nii.gz")
    assert "is a map, not a mask" in assay("score", tmp_path / "pred/a.nii.gz", reference,
                                           status=2).stderr


def test_labels_and_regions_refuse_maps_too(tmp_path):
    chance, reference = a_map()
    for sides in ((chance, reference), (reference, chance)):
        files = pair(tmp_path, *sides)
        for options in (["--labels", "1"], ["--region", "whole=1,2"], ["--labels", "all"],
                        ["--ignore-label", "3"]):
            said = assay("score", *files, *options, status=2).stderr
            assert ("which is not a whole number" in said
                    and "--threshold T or --foreground nonzero" in said)


def test_probability_metrics_need_no_mask(tmp_path):
    chance, reference = a_map()
    files = pair(tmp_path, chance, reference)
    result = score(*files, "--metrics", "probability")
    label = result["cases"][0]["label"]["foreground"]
    assert label["auroc"] == 1 and list(label["evidence"]) == ["voxel_ml"]
    # No number of the file comes from the foreground that nobody defined.
    assert result["dice"] == {"name": "DICE", "mean": None, "std": None, "values": [None]}
    assert BOTH_OPTIONS in assay("score", *files, "--metrics", "dice,auroc", status=2).stderr
    cut = score(*files, "--metrics", "probability", "--threshold", "0.5")
    assert cut["dice"]["mean"] == 1 and cut["cases"][0]["label"]["foreground"]["auroc"] == 1


def test_a_volume_per_class_is_no_map(tmp_path):
    chance, reference = a_map()
    both = numpy.stack([1 - chance, chance], axis=-1)
    assert evidence(score(*pair(tmp_path, both, reference))) == counts(chance > 0.5, reference)


def test_contradictions_are_refused(tmp_path):
    pair(tmp_path, mask(BOX), mask(BOX))
    for options, said in ((["--threshold", "0.5"],
                           "--threshold and --foreground nonzero contradict each other"),
                          (["--labels", "1"], "--foreground nonzero makes one mask of each image"),
                          (["--ignore-label", "1"],
                           "--foreground nonzero makes one mask of each image")):
        done = assay("score", tmp_path / "pred", tmp_path / "ref", "--foreground", "nonzero",
                     *options, status=2)
        assert said in done.stderr


def test_nonzero_counts_negative_values_and_ignores_a_dataset_json(tmp_path):
    p = mask(BOX).astype(numpy.int16)
    p[0, 0, 0] = -3
    files = pair(tmp_path, p, mask(BOX))
    (tmp_path / "pred/dataset.json").write_text('{"labels": {"background": 0, "a": 1}}')
    assert evidence(score(*files, "--foreground", "nonzero")) == counts(p != 0, mask(BOX))


def test_evaluate_refuses_references_that_are_maps(tmp_path):
    model = threshold_network(tmp_path / "tiny.safetensors")
    chance, reference = a_map()
    for name, voxels in (("a", reference), ("b", chance)):
        save(tmp_path / f"data/images/{name}.nii.gz", chance)
        save(tmp_path / f"data/labels/{name}.nii.gz", voxels)
    common = ["evaluate", model, tmp_path / "data", "--recipe", "none", *OF_THRESHOLD, "--no-cache",
              "--json"]
    for space in ("native", "model"):
        result = strict(assay(*common, "--space", space, status=3).stdout)
        assert ("is a map, not a mask" in result["cases"][1]["error"]
                and "--foreground nonzero" in result["cases"][1]["error"])
        result = strict(assay(*common, "--space", space, "--foreground", "nonzero").stdout)
        assert evidence(result, 1) == counts(chance > 0.5, chance != 0)


# ---- Oddities -----------------------------------------------------------------------------------

def test_many_values_in_8_bits_are_pointed_out(tmp_path):
    eight_bits, reference = (numpy.random.default_rng(1).integers(
        0, 256, SHAPE).astype(numpy.uint8), mask(BOX))
    files = pair(tmp_path, eight_bits, reference)
    done = assay("score", *files)
    assert done.stderr == ("warning: a: the prediction holds more than 128 different values in 8 "
                           "bits, like a map of probabilities scaled to 0-255, and every value "
                           "above 0 counts as foreground; if it is a map, give --threshold T, such "
                           "as 128\n")
    for options in (["--threshold", "128"], ["--foreground", "nonzero"], ["--labels", "all"]):
        assert "128 different values" not in assay("score", *files, *options).stderr
    few = pair(tmp_path, eight_bits // 2, reference)
    assert assay("score", *few).stderr == ""
    said = assay("score", *pair(tmp_path, reference, eight_bits)).stderr
    assert ("the reference holds more than 128" in said
            and said.endswith("if it is a map, turn it into a mask\n"))


@pytest.mark.parametrize("dtype", [numpy.int8, numpy.int16, numpy.float32])
def test_negative_values_alone_are_pointed_out(tmp_path, dtype):
    files = pair(tmp_path, mask(BOX).astype(dtype) * dtype(-1), mask(BOX))
    assert assay("score", *files).stderr == (
        "warning: a: the prediction holds only negative values and 0, and foreground is value > 0; "
        "if the negative values mean foreground, give --foreground nonzero\n")
    assert assay("score", *files, "--foreground", "nonzero").stderr == ""
    assert assay("score", *pair(tmp_path, mask().astype(dtype), mask(BOX))).stderr == ""


# ---- Labels that do not occur -------------------------------------------------------------------

@pytest.fixture
def two_labels(tmp_path):
    for name in "ab":
        pair(tmp_path, mask(numpy.s_[1:4], numpy.s_[5:7]), mask(numpy.s_[1:3], numpy.s_[5:8]), name)
    return tmp_path


@pytest.mark.parametrize("options, absent", [
    (["--labels", "7"], "label 7 occurs"),
    (["--labels", "1,7,9"], "label 7 and label 9 occur"),
    (["--region", "whole=1,2", "--region", "odd=7,8"], "region odd occurs"),
])
def test_a_label_that_occurs_nowhere(two_labels, options, absent):
    done = assay("score", "pred", "ref", *options, "--out", "r.json", "--csv", "r.csv",
                 cwd=two_labels, status=2)
    assert done.stderr == (f"assay: {absent} in no prediction and no reference of these cases; "
                           f"labels that do occur: 1, 2 in "
                           "predictions, 1, 2 in references; nothing was written\n")
    assert (done.stdout == ""
            and sorted(path.name for path in two_labels.iterdir()) == ["pred", "ref"])


def test_a_resumed_run_knows_its_labels(two_labels):
    save(two_labels / "ref/c.nii.gz", mask(BOX))  # without prediction, so that the journal stays
    command = ["score", "pred", "ref", "--labels", "2,3", "--out", "r.json"]
    save(two_labels / "pred/a.nii.gz", mask(BOX) * 3)
    assay(*command, cwd=two_labels, status=3)
    whole = without_provenance(two_labels / "r.json")
    done = assay(*command, "--resume", cwd=two_labels, status=3)
    assert "2 cases were taken from the journal" in done.stderr
    assert "warning: label 3 occurs in predictions only, never in a reference" in done.stderr
    assert without_provenance(two_labels / "r.json") == whole


def test_labels_of_a_dataset_json_may_be_absent(two_labels):
    (two_labels / "pred/dataset.json").write_text(
        '{"labels": {"background": 0, "a": 1, "b": 2, "c": 3, "d": 4}}')
    done = assay("score", "pred", "ref", "--json", cwd=two_labels)
    warning = "label 3 (c) and label 4 (d) are empty in every prediction and every reference"
    assert f"warning: {warning}\n" in done.stderr
    assert strict(done.stdout)["warnings"] == [warning]


def test_a_label_that_only_predictions_have(two_labels):
    save(two_labels / "pred/b.nii.gz", mask(numpy.s_[1:4], numpy.s_[5:7], numpy.s_[8:9]))
    for labels in ("1,3", "all"):
        done = assay("score", "pred", "ref", "--labels", labels, "--json", cwd=two_labels)
        assert "warning: label 3 occurs in predictions only, never in a reference\n" in done.stderr
        assert strict(done.stdout)["cases"][1]["label"]["3"]["status"] == "reference_empty"


def test_no_label_in_common(tmp_path):
    p = mask(*(numpy.s_[k:k + 1] for k in range(6))).astype(numpy.int16)
    r = mask(*(numpy.s_[k:k + 1] for k in range(8))).astype(numpy.int16)
    p[p > 0] += 18
    r[r > 0] += 25
    pair(tmp_path, p, r)
    done = assay("score", "pred", "ref", "--labels", "all", cwd=tmp_path)
    assert done.stderr.splitlines() == ["warning: predictions and references have no label in "
                                        "common (19-24 against 26-33); check that both sides "
                                        "number their "
                                        "labels in the same way"]
    assert done.stdout.startswith("pred: 1 of 1 cases scored")


# ---- Swapped sides ------------------------------------------------------------------------------

def test_swapped_folders_are_pointed_out_in_the_first_line(tmp_path):
    save(tmp_path / "labelsTr/a_1.nii.gz", mask(BOX))
    save(tmp_path / "predictions/a.nii.gz", mask(BOX))
    said = assay("score", "labelsTr", "predictions", cwd=tmp_path).stderr
    warning = ("predictions and references look swapped: 'labelsTr' was given as the prediction, "
               "'predictions' as the reference; "
               "the prediction comes first")
    assert said.splitlines()[0] == f"warning: {warning}"
    assert score("labelsTr", "predictions", cwd=tmp_path)["warnings"] == [warning]
    assert assay("score", "predictions", "labelsTr", "--quiet", cwd=tmp_path).stderr == ""
    assert "swapped" not in assay("score", "predictions", "labelsTr", cwd=tmp_path).stderr


def test_what_nnunet_leaves_beside_predictions_is_a_sign(tmp_path):
    pair(tmp_path, mask(BOX), mask(BOX))
    (tmp_path / "pred").rename(tmp_path / "first")
    (tmp_path / "ref").rename(tmp_path / "second")
    assert assay("score", "first", "second", cwd=tmp_path).stderr == ""
    (tmp_path / "second/plans.json").write_text("{}")
    said = assay("score", "first", "second", cwd=tmp_path).stderr
    assert said.startswith("warning: predictions and references look swapped: 'first' was given as "
                           "the prediction, 'second/plans.json'")
    (tmp_path / "first/plans.json").write_text("{}")
    assert assay("score", "first", "second", cwd=tmp_path).stderr == ""

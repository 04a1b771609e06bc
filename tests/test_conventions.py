"""Conventions under other tools' names: slices, pictures, what they cover, and their lesions."""
import numpy
import pytest

from support import assay, mask, save, score, strict

SQUARE, MOVED = numpy.s_[1:6, 1:6], numpy.s_[2:7, 1:6]


def cohort(folder, prediction, reference):
    save(folder / "pred/a.nii.gz", prediction), save(folder / "ref/a.nii.gz", reference)
    return folder / "pred", folder / "ref"


def values(folders, *options):
    return score(*folders, *options)["cases"][0]["label"]["foreground"]


# 8x8x1 voxels, a square of 5x5 moved by one: MONAI 1.6.1, medpy 0.5.2, panoptica 2.1.7 and
# surface-distance 0.1 give these.
IN_SPACE = {"monai": ("assd", 0.2), "medpy": ("assd", 0.2), "panoptica": ("assd", 0.2),
            "deepmind": ("masd", 0.1157370697)}


@pytest.mark.parametrize("convention", IN_SPACE)
def test_a_slice_is_measured_in_space_by_the_tools_that_do_so(tmp_path, convention):
    key, expected = IN_SPACE[convention]
    slices = cohort(tmp_path / "slice", mask(SQUARE, shape=(8, 8, 1)), mask(MOVED, shape=(8, 8, 1)))
    assert (values(slices, "--metrics", key, "--convention", convention)[key]
            == pytest.approx(expected, abs=1e-7))
    assert values(slices, "--metrics", key)[key] == 0.5
    pictures = cohort(tmp_path / "picture", mask(SQUARE, shape=(8, 8)), mask(MOVED, shape=(8, 8)))
    assert values(pictures, "--metrics", key, "--convention", convention)[key] == pytest.approx(0.5)


def test_a_prediction_of_three_axes_fits_a_reference_of_two(tmp_path):
    folders = cohort(tmp_path, mask(SQUARE, shape=(8, 8, 1)), mask(MOVED, shape=(8, 8)))
    assert values(folders, "--metrics", "assd", "--convention", "monai")["assd"] == 0.5


def test_what_a_convention_does_not_cover_is_said(tmp_path):
    folders = cohort(tmp_path, mask(numpy.s_[2:6, 2:6, 2:6]), mask(numpy.s_[3:6, 2:6, 2:6]))
    done = assay("score", *folders, "--metrics", "dice,mcc,nsd", "--convention", "medpy", "--json")
    assert ("note: convention medpy does not cover mcc, nsd; these values are assay's own\n"
            in done.stderr)
    assert strict(done.stdout)["settings"]["outside_convention"] == ["mcc", "nsd"]
    done = assay("score", *folders, "--metrics", "dice,hd95", "--convention", "medpy", "--json")
    assert ("does not cover" not in done.stderr
            and strict(done.stdout)["settings"]["outside_convention"] == [])
    assert "does not cover" not in assay("score", *folders, "--metrics", "all").stderr


def test_panoptica_matches_at_half(tmp_path):
    half = cohort(tmp_path, mask(numpy.s_[2:4, 2, 2]), mask(numpy.s_[2:6, 2, 2]))
    result = score(*half, "--metrics", "pq,sq,rq,lesion_recall", "--convention", "panoptica")
    found = result["cases"][0]["label"]["foreground"]
    assert (found["pq"], found["sq"], found["rq"], found["lesion_recall"]) == (0.5, 0.5, 1.0, 1.0)
    assert result["settings"]["lesions"] == {
        "rule": "iou", "connectivity": 26, "min_ml": 0, "iou_limit": ">= 0.5"}
    found = values(half, "--metrics", "pq,sq,rq,lesion_recall", "--lesion-rule", "iou")
    assert (found["pq"], found["sq"], found["rq"], found["lesion_recall"]) == (0, None, 0, 0)


def test_lesions_are_the_convention_s_unless_others_are_asked_for(tmp_path):
    folders = cohort(tmp_path, mask(numpy.s_[2:6, 2:6, 2:6]), mask(numpy.s_[3:6, 2:6, 2:6]))
    lesions = lambda *options: score(*folders, "--metrics", "lesion_f1",
                                     *options)["settings"]["lesions"]
    assert lesions() == {"rule": "any", "connectivity": 26, "min_ml": 0, "iou_limit": "> 0.5"}
    assert (lesions("--convention", "brats2023")
            == {"rule": "brats", "connectivity": 26, "min_ml": 0.05, "iou_limit": "> 0.5"})
    assert lesions("--convention", "brats2023", "--lesion-rule", "any", "--min-lesion-ml", "0",
                   "--connectivity",
                   "6") == {"rule": "any", "connectivity": 6, "min_ml": 0, "iou_limit": "> 0.5"}


def test_the_table_lists_what_is_covered():
    table = strict(assay("metrics", "--json").stdout)
    covers = {row["name"]: row["covers"] for row in table["conventions"]}
    assert (covers["metrics-reloaded"] == "all"
            and covers["deepmind"] == ["dice", "hd", "hd95", "masd", "nsd"])
    assert "covers dice, hd, hd95, masd, nsd\n" in assay("metrics").stdout


@pytest.mark.parametrize("prediction",
                         [numpy.s_[2:6, 2, 2], numpy.s_[2:5, 2, 3], numpy.s_[0:0, 2, 2]])
def test_a_lesion_that_is_too_small_to_count_is_neither_missed_nor_found(tmp_path, prediction):
    """Of 4 mm3, below the 50 of BraTS: its scoring gives 1 and 0, whether the prediction touches
    it, lies beside it or is empty."""
    folders = cohort(tmp_path, mask(prediction), mask(numpy.s_[2:6, 2, 2]))
    found = values(folders, "--metrics", "lesion_dice,lesion_hd95,lesion_f1", "--convention",
                   "brats2023")
    assert (found["lesion_dice"], found["lesion_hd95"], found["lesion_f1"]) == (1, 0, 1)


@pytest.mark.parametrize("voxels, expected", [(6, 1.0), (7, 0.0)])
def test_brats_counts_lesions_above_50_mm3_whatever_the_voxel(tmp_path, voxels, expected):
    """A missed lesion of 8 mm3 voxels: 48 mm3 are left out, 56 mm3 count. 50 mm3 are no whole
    number of voxels."""
    affine = numpy.diag([2.0, 1.0, 4.0, 1.0])
    save(tmp_path / "pred/a.nii.gz", mask(numpy.s_[0:0, 2, 2], shape=(9, 5, 5)), affine)
    save(tmp_path / "ref/a.nii.gz", mask(numpy.s_[1:1 + voxels, 2, 2], shape=(9, 5, 5)), affine)
    assert values((tmp_path / "pred", tmp_path / "ref"), "--metrics", "lesion_dice", "--convention",
                  "brats2023")["lesion_dice"] == expected

"""Lesion-wise metrics against SciPy and by hand."""
import numpy
import pytest

import shapes
from support import assay, mask, save, score, strict, without_provenance


def speckled(seed, shape=(30, 28, 26), share=0.06):
    noise = shapes.ndimage.gaussian_filter(numpy.random.default_rng(seed).random(shape), 1.0)
    return noise >= numpy.quantile(noise, 1 - share)


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lesions")
    cases = {}
    for n in range(8):
        r = speckled(n)
        p = (r & (numpy.random.default_rng(n).random(
            r.shape) < 0.9)) ^ (speckled(100 + n, share=0.02))
        spacing = [(1.0, 1.0, 1.0), (0.5, 0.5, 2.0)][n % 2]
        affine = numpy.diag([*spacing, 1.0])
        affine[:3, 3] = [-10, 5, 20]
        save(folder / f"pred/case{n}.nii.gz", p,
             affine), save(folder / f"ref/case{n}.nii.gz", r, affine)
        cases[f"case{n}"] = p, r, spacing
    return folder, cases


def scored(cohort, *options):
    folder, _ = cohort
    result = score(folder / "pred", folder / "ref", *options)
    return {case["id"]: case["label"]["foreground"] for case in result["cases"]}


@pytest.mark.parametrize("connectivity", [6, 18, 26])
@pytest.mark.parametrize("least", [0, 4])
def test_counts_of_the_any_rule_equal_scipy(cohort, connectivity, least):
    for name, found in scored(cohort, "--metrics",
                              "lesion_f1,lesion_precision,lesion_recall,lesion_count_difference",
                              "--connectivity", connectivity, "--min-lesion-ml",
                              least * 0.0005).items():
        p, r, spacing = cohort[1][name]
        c = shapes.any_counts(p, r, connectivity, numpy.ceil(least * 0.5 / numpy.prod(spacing)))
        lesions = found["lesions"]
        assert ((lesions["detected"], lesions["missed"], lesions["false"])
                == (c["detected"], c["missed"], c["false"])), name
        assert found["lesion_f1"] == pytest.approx(
            c["detected"] / (c["detected"] + (c["false"] + c["missed"]) / 2))
        assert found["lesion_recall"] == pytest.approx(c["detected"] / c["references"])
        assert found["lesion_precision"] == pytest.approx(1 - c["false"] / c["predictions"])
        assert found["lesion_count_difference"] == abs(c["predictions"] - c["references"])


def test_panoptic_quality_equals_scipy(cohort):
    for name, found in scored(cohort, "--metrics", "pq,sq,rq", "--lesion-rule", "iou").items():
        p, r, _ = cohort[1][name]
        for key, value in shapes.panoptic(p, r, 26).items():
            assert found[key] == (None if value is None else pytest.approx(value)), (name, key)


@pytest.mark.parametrize("least_mm3", [0, 5])
def test_the_brats_rule_equals_its_method(cohort, least_mm3):
    for name, found in scored(cohort, "--metrics", "lesion_dice,lesion_hd95", "--lesion-rule",
                              "brats", "--convention", "brats2023", "--min-lesion-ml",
                              least_mm3 / 1000).items():
        p, r, spacing = cohort[1][name]
        for key, value in shapes.brats(p, r, spacing, least_mm3).items():
            assert found[key] == pytest.approx(value, rel=1e-9), (name, key)


def test_the_anima_rule_equals_the_definition(cohort):
    for name, found in scored(cohort, "--metrics", "lesion_precision,lesion_recall,lesion_f1",
                              "--lesion-rule", "anima", "--connectivity", "6").items():
        p, r, _ = cohort[1][name]
        expected = shapes.anima(p, r, 6)
        for key, value in expected.items():
            assert found[key] == pytest.approx(value), (name, key)
        both = list(expected.values())
        assert found["lesion_f1"] == pytest.approx(
            2 * both[0] * both[1] / sum(both) if sum(both) else 0)


@pytest.fixture
def by_hand(tmp_path):
    """Two lesions in the reference, one found exactly and one missed; one false alarm of two
    voxels."""
    r = mask(numpy.s_[1:4, 1:4, 1:4]) | mask(numpy.s_[7:9, 6:8, 5:7])
    p = mask(numpy.s_[1:4, 1:4, 1:4]) | mask(numpy.s_[7:9, 1:2, 1:2])
    affine = numpy.diag([2.0, 1.0, 1.0, 1.0])
    return save(tmp_path / "p.nii.gz", p, affine), save(tmp_path / "r.nii.gz", r, affine)


def test_the_list_says_where_each_lesion_is_and_what_found_it(by_hand):
    result = score(*by_hand, "--metrics", "lesion")
    found = result["cases"][0]["label"]["foreground"]
    assert found["lesions"]["reference"] == [
        {"lesion": 1, "volume_ml": 0.054, "centroid_mm": [4, 2, 2], "detected": True,
         "matched_with": [1], "dice": 1, "hd95": 0},
        {"lesion": 2, "volume_ml": 0.016, "centroid_mm": [15, 6.5, 5.5], "detected": False,
         "matched_with": [], "dice": 0}]
    assert [row["true"] for row in found["lesions"]["prediction"]] == [True, False]
    diagonal = numpy.linalg.norm([20, 9, 8])
    expected = {"lesion_precision": 0.5, "lesion_recall": 0.5, "lesion_f1": 0.5,
                "lesion_dice": 1 / 3, "lesion_hd95": 2 * diagonal / 3, "lesion_count_difference": 0,
                "pq": 0.5, "sq": 1, "rq": 0.5}
    for key, value in expected.items():
        assert found[key] == pytest.approx(value), key
    bins = result["labels"]["foreground"]["lesion_sensitivity"]
    assert bins[0] == {"from_ml": 0, "below_ml": 0.1, "lesions": 2, "detected": 1,
                       "sensitivity": 0.5}
    assert bins[4] == {"from_ml": 100, "below_ml": None, "lesions": 0, "detected": 0,
                       "sensitivity": None}


def test_the_rule_stands_in_the_settings_and_above_the_table(by_hand):
    options = ["--metrics", "lesion_f1", "--lesion-rule", "anima", "--connectivity", "6",
               "--min-lesion-ml", "0.003"]
    assert (score(*by_hand, *options)["settings"]["lesions"]
            == {"rule": "anima", "connectivity": 6, "min_ml": 0.003, "iou_limit": "> 0.5"})
    assert ("lesions: rule anima, 6 neighbours, at least 0.003 mL"
            in assay("score", *by_hand, *options).stdout)


def test_a_lesion_of_exactly_the_least_volume_stays(by_hand):
    def counts(least):
        lesions = score(*by_hand, "--metrics", "lesion_f1", "--min-lesion-ml",
                        least)["cases"][0]["label"]["foreground"]["lesions"]
        return lesions["reference_count"], lesions["prediction_count"]
    assert (counts(0.004) == (2, 2) and counts(0.0041) == (2, 1) and counts(0.016) == (2, 1)
            and counts(0.017) == (1, 1))


def test_empty_masks(tmp_path):
    box, none = mask(numpy.s_[2:6, 2:6, 2:6]), mask()
    for name, p, r in (("both", none, none), ("missed", none, box), ("ghost", box, none)):
        save(tmp_path / f"pred/{name}.nii.gz", p), save(tmp_path / f"ref/{name}.nii.gz", r)
    result = score(tmp_path / "pred", tmp_path / "ref", "--metrics", "lesion")
    found = {c["id"]: c["label"]["foreground"] for c in result["cases"]}
    assert found["both"]["lesion_f1"] == 1 and found["both"]["lesion_count_difference"] == 0
    assert found["both"]["undefined"]["lesion_recall"] == "both_empty"
    assert found["missed"]["lesion_f1"] == found["ghost"]["lesion_f1"] == 0
    assert (found["missed"]["lesion_recall"] == 0
            and found["missed"]["undefined"]["lesion_precision"] == "prediction_empty")
    assert (found["ghost"]["lesion_precision"] == 0
            and found["ghost"]["undefined"]["lesion_recall"] == "reference_empty")
    assert found["ghost"]["lesion_count_difference"] == 1
    assert found["missed"]["lesion_hd95"] == pytest.approx(numpy.linalg.norm([10, 9, 8]))


def test_lesions_survive_the_journal(cohort, tmp_path):
    folder, _ = cohort
    out = tmp_path / "r.json"
    run = ["score", folder / "pred", folder / "ref", "--metrics", "lesion", "--out", out]
    assay(*run, "--keep-journal")
    before = without_provenance(out)
    out.unlink()
    journal = tmp_path / "r.json.journal"
    lines = journal.read_text().splitlines(True)
    journal.write_text("".join(lines[:4]))
    assay(*run, "--resume")
    assert without_provenance(out) == before
    strict(out.read_text())


def test_a_mask_of_nothing_but_specks_does_not_hang(tmp_path):
    x, y, z = numpy.indices((48, 48, 48))
    save(tmp_path / "p.nii.gz",
         (x + y + z) % 2 == 0), save(tmp_path / "r.nii.gz", (x + y + z) % 2 == 1)
    found = score(tmp_path / "p.nii.gz", tmp_path / "r.nii.gz", "--metrics", "lesion",
                  "--connectivity", "6")["cases"][0]["label"]["foreground"]
    assert (found["lesions"]["reference_count"] == 48**3 // 2
            and len(found["lesions"]["reference"]) == 1000)
    assert found["lesion_f1"] == 0

"""Metrics by the names that people use, the same for every command; results have the keys."""
import pytest

from support import assay, cohort, save, score, random_mask, strict

NAMES = {"DSC": "dice", "f1": "dice", "Jaccard": "iou", "sensitivity": "recall", "TPR": "recall",
         "PPV": "precision", "tnr": "specificity", "Hausdorff": "hd", "hausdorff95": "hd95",
         "HD95": "hd95", "surface_dice": "nsd", "NSD": "nsd", "HD99": "hd99",
         "hausdorff 99": "hd99", "hd97.5": "hd97.5", "NSD@2mm": "nsd@2mm",
         "Surface Dice @ 2 mm": "nsd@2mm", "PAPER": "dice avd mcc dice_macro"}


@pytest.mark.parametrize("typed", NAMES)
def test_names_that_people_use(tmp_path, typed):
    pair = save(tmp_path / "p.nii", random_mask(1)), save(tmp_path / "r.nii", random_mask(2))
    assert list(score(*pair, "--metrics", typed)["metrics"]) == NAMES[typed].split()


def test_a_list_with_spaces_and_repetitions(tmp_path):
    pair = save(tmp_path / "p.nii", random_mask(1)), save(tmp_path / "r.nii", random_mask(2))
    assert (list(score(*pair, "--metrics", "Dice, DSC, Sensitivity")["metrics"])
            == ["dice", "recall"])


@pytest.mark.parametrize("typed, says, never",
                         [
                             ("asd",
                              ["assd (Average symmetric surface distance",
                               "or masd (Mean average surface distance"], "avd"),
                             ("Average Surface Distance", ["choose assd (", "or masd ("],
                              "did you mean"),
                             ("auc", ["choose auroc (", "or average_precision ("], "did you mean"),
                             ("auprc", ["did you mean average_precision (Average precision: "],
                              "auroc"),
                             ("dise", ["did you mean 'dice'?"], "choose"),
                             ("haussdorff", ["did you mean 'hd'?"], "choose"),
                         ])
def test_suggestions_go_by_meaning_before_spelling(typed, says, never):
    told = assay("score", "p", "r", "--metrics", typed, status=2).stderr
    assert told.startswith(f"assay: there is no metric '{typed}'")
    assert all(words in told for words in says) and never not in told


@pytest.fixture
def two_files(tmp_path):
    def write(name, shift):
        rows = "".join(f"c{i},{0.5 + 0.04 * i + shift},{9 - i - shift},{i}\n" for i in range(8))
        (tmp_path / name).write_text("id,DSC,HD95 (mm),Expert rating\n" + rows)
        return tmp_path / name
    return write("a.csv", 0), write("b.csv", 0.01)


def test_compare_takes_the_same_names(two_files):
    told = strict(assay("compare", *two_files, "--metric", "F1,Hausdorff95,expert_rating",
                        "--margin", "dsc=0.2", "--lower-is-better", "Expert Rating",
                        "--json").stdout)
    assert list(told["metrics"]) == ["dice", "hd95", "Expert rating"]
    assert told["metrics"]["dice"][0]["verdict"] != "different"


def test_compare_suggests_what_the_files_have(two_files):
    assert ("has no metric 'dsk'; did you mean 'dice'?"
            in assay("compare", *two_files, "--metric", "dsk", status=2).stderr)
    told = assay("compare", *two_files, "--metric", "asd", status=2).stderr
    assert "has no metric 'asd' (it has: " in told


def test_report_takes_the_same_names(two_files, tmp_path):
    told = strict(assay("report", *two_files, "--metric", "F1", "--out", tmp_path / "r.html",
                        "--json").stdout)
    assert told["models"] == ["a", "b"]


def test_the_table_lists_the_synonyms():
    rows = {row["key"]: row["synonyms"]
            for row in strict(assay("metrics", "--json").stdout)["metrics"]}
    assert "DSC" in rows["dice"] and "Hausdorff" in rows["hd"]
    assert "also called PPV" in assay("metrics").stdout

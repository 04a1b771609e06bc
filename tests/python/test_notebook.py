"""Results in notebooks: a dict in every respect that also shows itself as a table and a
drawing."""
import copy
import json
import pickle
import xml.etree.ElementTree as ElementTree

import pytest

import assay
from support import cohort

IDS = [f"sub-{i:02}" for i in range(8)]


@pytest.fixture
def found(tmp_path):
    pred, ref = cohort(tmp_path, IDS)
    return assay.score(pred, ref, metrics=["dice", "mcc"], model="mine <b>")


def parsed(html):
    """Well-formed, without scripts, and nothing from elsewhere."""
    assert "<script" not in html and "http" not in html and "url(" not in html
    return ElementTree.fromstring(html.replace("<br>", "<br/>"))


def test_a_result_is_a_dict_in_every_respect(found):
    assert isinstance(found, dict) and isinstance(found, assay.Result)
    plain = json.loads(json.dumps(found))
    assert plain == found and type(plain) is dict
    assert repr(found) == repr(plain)
    again = pickle.loads(pickle.dumps(found))
    assert again == found and isinstance(again, assay.Result)
    assert copy.deepcopy(found) == found


def test_a_score_shows_its_means_and_its_cases(found):
    tree = parsed(found._repr_html_())
    cells = [" ".join(cell.itertext()) for cell in tree.iter("td")]
    mean, (low, high) = found["metrics"]["dice"]["mean"], found["metrics"]["dice"]["ci95"]
    assert cells[0] == f"{mean:.3f} {low:.3f} to {high:.3f}"
    assert "8 cases expected, 8 scored" in "".join(tree.itertext())
    assert len(list(tree.iter("circle"))) == 8
    heads = ["".join(cell.itertext()) for cell in tree.iter("th")]
    assert heads[:3] == ["model", "dice ↑", "mcc ↑"] and heads[3] == "mine <b>"


def test_labels_have_rows_of_their_own(tmp_path):
    pred, ref = cohort(tmp_path, IDS)
    found = assay.score(pred, ref, labels="all", metrics=["dice"])
    if len(found["labels"]) == 1:
        found["labels"]["second"] = found["labels"][next(iter(found["labels"]))]
    rows = ["".join(cell.itertext()) for cell in parsed(found._repr_html_()).iter("th")]
    assert f"mean of {len(found['labels'])} labels" in rows
    assert rows[-1] == (list(found["labels"].values())[-1]["name"]
                        or list(found["labels"])[-1])


def test_a_comparison_shows_who_is_better(tmp_path):
    pred, ref = cohort(tmp_path, IDS)
    ours = assay.score(ref, ref, model="ours", metrics=["dice"])
    theirs = assay.score(pred, ref, model="theirs", metrics=["dice"])
    found = assay.compare([theirs, ours], baseline="theirs")
    words = "".join(parsed(found._repr_html_()).itertext())
    assert "Compared with theirs on 8 cases" in words and "better 1.000" in words
    assert "theirs baseline" in words


def test_what_has_no_table_is_printed_as_a_dict(found):
    assert assay.Result({"schema": "assay.power/1"})._repr_html_() is None
    found["metrics"] = None
    assert found._repr_html_() is None


def test_a_result_writes_its_page(found, tmp_path):
    page = tmp_path / "page.html"
    said = found.report(page, title="Mine")
    assert said["report"] == str(page) and "<title>Mine</title>" in page.read_text()


def test_a_page_says_what_changed_since_an_older_result(found, tmp_path):
    older = copy.deepcopy(found)
    said = found.report(tmp_path / "page.html", since=older)
    assert said["since"]["metrics"]["dice"]["same"] == 8

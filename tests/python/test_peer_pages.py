"""docs/peers: assay's columns are what assay computes, and ranks are those that challengeR
documents. The columns of the peers themselves come from `make test-peers`."""
import pathlib
import sys

import numpy as np
import pytest
import scipy.stats

import assay

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
import examples
import inspect_answers


@pytest.mark.parametrize("name", examples.PAGES)
def test_the_columns_of_assay_are_what_assay_computes(name):
    page = examples.PAGES[name]
    heads, lines = examples.table_of(name)
    assert [head.split(" ")[0] for head in heads] == [
        head.split(" ")[0] for head in examples.columns(page)]
    wanted = [[example.name, f"`{key}`", *map(examples.shown, ours)]
              for example, key, ours in examples.rows(page)]
    assert [[*cells[:2], *cells[3:]] for cells in lines] == wanted


@pytest.mark.parametrize("name", ["monai", "nnunet", "panoptica"])
def test_the_peer_and_its_convention_agree_on_the_page(name):
    assert all(cells[2] == cells[3] for cells in examples.table_of(name)[1])


def test_the_numbers_on_the_page_of_inspect():
    text = examples.path("inspect").read_text()
    for value in inspect_answers.score_with_assay().values():
        assert f"| {examples.shown(value)} | {examples.shown(value)} |" in text


def test_ranks_are_those_that_challenger_documents():
    """Three models; mean, then rank; and rank in each case, then mean."""
    rng = np.random.default_rng(8)
    values = rng.uniform(0.5, 0.9, (12, 3)).round(2)
    files = []
    for column, model in enumerate("abc"):
        cases = {f"case_{i:02}": float(value) for i, value in enumerate(values[:, column])}
        files.append(pathlib.Path(f"{model}.csv"))
        files[-1].write_text("id,dice\n" + "".join(f"{k},{v}\n" for k, v in cases.items()))
    ranking = assay.compare(files, baseline="a", metric="dice")["ranking"]["dice"]
    found = {row["model_name"]: row for row in ranking["models"]}
    of_means = scipy.stats.rankdata(-values.mean(axis=0))
    mean_ranks = scipy.stats.rankdata(-values, axis=1).mean(axis=0)
    assert [found[model]["rank"] for model in "abc"] == list(of_means)
    assert [found[model]["mean_rank"] for model in "abc"] == pytest.approx(mean_ranks)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

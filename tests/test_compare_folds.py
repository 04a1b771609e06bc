"""`assay compare --folds`: what a cross-validation says of algorithms, not only of trained
models."""
import json

import numpy
import pytest
import scipy.stats

from comparisons import compare, entry, write
from support import assay, strict

ABOUT = "about these trained models, not about the algorithms that trained them"


def files(folder, n=30, folds=5, column="outer_fold", names="abc", seed=4):
    """Models tested in folds; a training is lucky or not for all cases of its fold."""
    rng = numpy.random.default_rng(seed)
    fold = numpy.arange(n) % folds
    base = rng.uniform(0.6, 0.9, n)
    values = {m: base + rng.normal(0, 0.02, folds)[fold] + rng.normal(0, 0.02, n) for m in names}
    ids = [f"sub-{i:03}" for i in range(n)]
    return (fold, values,
            [write(folder / f"{m}.csv", ids, {"dice": values[m]}, {column: fold}) for m in names])


def corrected_t(d, fold):
    """Nadeau and Bengio (2003), equation by equation."""
    folds = numpy.unique(fold)
    means = numpy.array([d[fold == f].mean() for f in folds])
    share = numpy.mean([(fold == f).sum() / (fold != f).sum() for f in folds])
    error = means.std(ddof=1) * (1 / len(folds) + share) ** 0.5
    t = means.mean() / error
    reach = scipy.stats.t.ppf(0.975, len(folds) - 1) * error
    return (t, 2 * scipy.stats.t.sf(abs(t), len(folds) - 1),
            [means.mean() - reach, means.mean() + reach])


@pytest.mark.parametrize("n, folds", [(30, 5), (31, 3), (41, 10)])
def test_the_numbers_are_those_of_the_paper(tmp_path, n, folds):
    fold, values, paths = files(tmp_path, n=n, folds=folds)
    result = compare(*paths, "--baseline", "a", "--folds", "outer_fold")
    want = {m: corrected_t(values[m] - values["a"], fold) for m in "bc"}
    p = sorted(want[m][1] for m in "bc")
    holm = {p[0]: min(1, 2 * p[0]), p[1]: max(p[1], min(1, 2 * p[0]))}
    for m in "bc":
        got = entry(result, "dice", m)["algorithms"]
        t, pvalue, limits = want[m]
        assert (got["folds"], got["df"]) == (folds, folds - 1)
        assert got["t"] == pytest.approx(t) and got["p_value"] == pytest.approx(pvalue)
        assert got["ci95"] == pytest.approx(limits)
        assert got["corrected_p_value"] == pytest.approx(holm[pvalue])
        assert got["verdict"] == ("different" if holm[pvalue] <= 0.05 else "inconclusive")
    assert result["settings"]["folds"] == ["outer_fold"]
    screen = assay("compare", *paths, "--baseline", "a", "--folds", "outer_fold").stdout
    assert f"over {folds} folds, the algorithm of b" in screen and "Nadeau and Bengio" in screen


def test_folds_are_no_subgroups_and_a_note_says_what_the_tests_are_about(tmp_path):
    _, _, paths = files(tmp_path)
    run = assay("compare", *paths, "--baseline", "a")
    assert (ABOUT in run.stderr and "--folds outer_fold" in run.stderr
            and "subgroup" not in run.stdout)
    assert "algorithms" not in run.stdout
    result = compare(*paths, "--baseline", "a")
    assert result["subgroups"] == [] and any(ABOUT in note for note in result["notes"])
    assert len(compare(*paths, "--baseline", "a", "--by", "outer_fold")["subgroups"]) == 5
    assert "algorithms" not in entry(result, "dice", "b")


def test_pooled_cross_validations(tmp_path):
    """Files of `assay folds`: restarts were averaged there, and folds are a column."""
    rng = numpy.random.default_rng(0)
    for model in "ab":
        for fold in range(3):
            for restart in range(2):
                folder = tmp_path / model / f"fold_{fold}_restart_{restart}"
                folder.mkdir(parents=True)
                dice = list(rng.uniform(0.5, 0.9, 4))
                (folder / "results.json").write_text(json.dumps(
                    {"outer_fold": fold, "restart": restart, "test_dice": float(numpy.mean(dice)),
                     "per_subject_dice": dice,
                     "subject_ids": [f"s{fold}{i}" for i in range(4)]}))
        assay("folds", tmp_path / model, "--out", tmp_path / f"{model}.json")
    run = assay("compare", tmp_path / "a.json", tmp_path / "b.json", "--folds", "outer_fold",
                "--json")
    result = strict(run.stdout)
    got = result["metrics"]["dice"][0]["algorithms"]
    assert (got["folds"], got["test_share"]) == (3, 0.5)
    cases = {m: {c["id"]: c for c in json.loads((tmp_path / f"{m}.json").read_text())["cases"]}
             for m in "ab"}
    ids = sorted(cases["a"])
    d = numpy.array([cases["b"][i]["dice"] - cases["a"][i]["dice"] for i in ids])
    assert got["t"] == pytest.approx(corrected_t(
        d, numpy.array([cases["a"][i]["outer_fold"] for i in ids]))[0])
    assert any(ABOUT in note for note in result["notes"])


def test_one_fold_is_refused(tmp_path):
    _, _, paths = files(tmp_path, folds=1)
    said = assay("compare", *paths, "--baseline", "a", "--folds", "outer_fold", status=2).stderr
    assert "all cases are in one fold" in said and "at least two trainings" in said


def test_alpha_sets_the_interval_of_algorithms(tmp_path):
    _, _, paths = files(tmp_path, names="ab")
    usual, strict = (compare(*paths, "--folds", "outer_fold",
                             *options)["metrics"]["dice"][0]["algorithms"]
                     for options in ((), ("--alpha", "0.01")))
    assert usual["ci"] == usual["ci95"] == strict["ci95"] and strict["ci_level"] == 0.99
    assert strict["ci"][0] < usual["ci"][0] and strict["ci"][1] > usual["ci"][1]
    assert "99 % CI" in strict["sentence"] and "95 % CI" not in strict["sentence"]

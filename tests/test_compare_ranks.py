"""Ranks of `assay compare`: three rules, how stable they are, and what clusters do to them."""
import random

import numpy
import pytest
import scipy.stats

from comparisons import compare, models, write
from support import assay

SHIFT = (0, 0.004, -0.002, 0.03)


def four(folder, n=40, each=4):
    """Four models whose cases come in clusters; their scores, and the cluster of each case."""
    values = models(folder, n=n, names="abcd", shift=SHIFT)
    ids = [f"sub-{i:03}" for i in range(n)]
    subject = [f"s{i // each}" for i in range(n)]
    write(folder / "cases", ids, {}, {"subject": subject})
    return numpy.array([values[m]["dice"] for m in "abcd"]), numpy.array(subject)


def files(folder):
    return [*(folder / f"{m}.csv" for m in "abcd"), "--baseline", "a", "--metric", "dice"]


def wins(scores, alpha=0.05):
    """Models that each beats: one-sided exact tests of all ordered pairs, Holm."""
    pairs = [(a, b) for a in range(len(scores)) for b in range(len(scores)) if a != b]
    p = [scipy.stats.wilcoxon(scores[a], scores[b], alternative="greater", method="exact").pvalue
         for a, b in pairs]
    out = [0] * len(scores)
    for place, k in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[k] * (len(p) - place) > alpha:
            break
        out[pairs[k][0]] += 1
    return out


def column(ranking, key):
    return [model[key] for model in ranking["models"]]


def test_the_three_rankings_and_tau_are_those_of_scipy(tmp_path):
    scores, _ = four(tmp_path)
    got = compare(*files(tmp_path))["ranking"]["dice"]
    assert column(got, "rank") == list(scipy.stats.rankdata(-scores.mean(axis=1)))
    middle = scipy.stats.rankdata(-scores, axis=0).mean(axis=1)
    assert column(got, "mean_rank") == pytest.approx(middle)
    assert column(got, "rank_of_mean_rank") == list(scipy.stats.rankdata(middle))
    assert column(got, "wins") == wins(scores) and max(wins(scores)) > 0
    assert column(got, "rank_by_tests") == list(scipy.stats.rankdata([-w for w in wins(scores)]))
    rng = numpy.random.default_rng(42)
    taus = [scipy.stats.kendalltau(scores.mean(axis=1),
                                   scores[:, rng.choice(40, 40)].mean(axis=1)).statistic
            for _ in range(1000)]
    assert got["kendall_tau"]["mean"] == pytest.approx(numpy.mean(taus))
    assert got["kendall_tau"]["middle95"] == pytest.approx(numpy.percentile(taus, [2.5, 97.5]))
    assert got["blocks"] == {"are": "cases", "n": 40} and got["not_resampled"] is None
    screen = assay("compare", *files(tmp_path)).stdout
    assert "resamples of the cases" in screen and "Kendall's τ" in screen and "by tests" in screen


def test_blocks_are_clusters_where_there_are_any(tmp_path):
    scores, subject = four(tmp_path)
    means = numpy.array([[row[subject == s].mean() for s in dict.fromkeys(subject)]
                         for row in scores])
    options = [*files(tmp_path), "--manifest", tmp_path / "cases", "--cluster", "subject"]
    result = compare(*options)
    got = result["ranking"]["dice"]
    assert got["blocks"] == {"are": "clusters", "n": 10} and got["n"] == 40
    assert got["friedman"]["statistic"] == pytest.approx(
        scipy.stats.friedmanchisquare(*means).statistic)
    assert column(got, "mean_rank") == pytest.approx(
        scipy.stats.rankdata(-means, axis=0).mean(axis=1))
    assert column(got, "wins") == wins(means)
    k = scipy.stats.studentized_range.ppf(0.95, 4, numpy.inf) / 2 ** 0.5 * (4 * 5 / (6 * 10)) ** 0.5
    assert got["nemenyi_critical_difference"] == pytest.approx(k, rel=1e-6)
    screen = assay("compare", *options).stdout
    assert "resamples of the clusters" in screen and "blocks are the 10 clusters" in screen
    assert "of the cases (seed" not in screen

    # The interval of a model's mean: residuals summed by cluster, t with nine degrees of freedom.
    summary = result["models"][0]["metrics"]["dice"]
    sums = numpy.array([(scores[0][subject == s] - scores[0].mean()).sum()
                        for s in dict.fromkeys(subject)])
    error = (10 / 9 * (sums ** 2).sum()) ** 0.5 / 40
    reach = scipy.stats.t.ppf(0.975, 9) * error
    assert summary["ci_method"] == "cluster-t"
    assert summary["ci95"] == pytest.approx([scores[0].mean() - reach, scores[0].mean() + reach])


def test_fewer_than_six_clusters_give_no_interval_and_fewer_than_ten_no_stability(tmp_path):
    four(tmp_path, each=8)
    result = compare(*files(tmp_path), "--manifest", tmp_path / "cases", "--cluster", "subject")
    assert all(m["metrics"]["dice"]["ci95"] is None for m in result["models"])
    got = result["ranking"]["dice"]
    assert "fewer than ten clusters" in got["not_resampled"] and got["kendall_tau"] is None
    assert column(got, "wins") == [None] * 4 and "friedman" not in got


def test_two_models_have_ranks_and_no_stability(tmp_path):
    values = models(tmp_path)
    result = compare(tmp_path / "a.csv", tmp_path / "b.csv", "--metric", "dice")
    got = result["ranking"]["dice"]
    means = [values[m]["dice"].mean() for m in "ab"]
    assert column(got, "rank") == list(scipy.stats.rankdata([-x for x in means]))
    assert "with two models" in got["not_resampled"]
    for key in ("probability_best", "rank_ci95", "places"):
        assert column(got, key) == [None, None]
    screen = assay("compare", tmp_path / "a.csv", tmp_path / "b.csv").stdout
    assert ("with two models" in screen and "resamples" not in screen
            and "by mean rank" not in screen)


def test_nine_cases_have_ranks_and_no_stability(tmp_path):
    models(tmp_path, n=9)
    options = [*sorted(tmp_path.glob("*.csv")), "--baseline", "a", "--metric", "dice"]
    got = compare(*options)["ranking"]["dice"]
    assert "fewer than ten cases" in got["not_resampled"] and column(got, "places") == [None] * 3
    screen = assay("compare", *options).stdout
    assert "by mean rank" in screen and "fewer than ten cases" in screen and "first" not in screen


@pytest.mark.parametrize("cluster", [[], ["--cluster", "subject"]])
def test_the_order_of_the_rows_changes_no_number(tmp_path, cluster):
    """The bootstrap draws from the cases by id, in whatever order the files list them."""
    four(tmp_path)
    options = [*files(tmp_path), "--manifest", tmp_path / "cases", *cluster]
    before = compare(*options)
    for seed, path in enumerate(sorted(tmp_path.glob("*.csv"))):
        head, *rows = path.read_text().splitlines()
        random.Random(seed).shuffle(rows)
        path.write_text("\n".join([head, *rows]) + "\n")
    after = compare(*options)
    for key in ("metrics", "ranking", "subgroups"):
        assert after[key] == before[key], key
    assert [m["metrics"] for m in after["models"]] == [m["metrics"] for m in before["models"]]


def test_ranks_by_tests_say_when_nobody_could_win(tmp_path):
    """One-sided, six cases reach 1/64, and Holm asks 0.05 / 12 of the first of twelve ordered
    pairs."""
    for n, said in ((6, True), (8, False)):
        models(tmp_path, n=n, names="abcd", shift=(0, 0.2, 0.4, 0.6))
        screen = assay("compare", *(tmp_path / f"{name}.csv" for name in "abcd"), "--baseline", "a",
                       "--metric", "dice").stdout
        assert ("no model could win by tests: 6 cases are too few for 12 ordered pairs"
                in screen) == said

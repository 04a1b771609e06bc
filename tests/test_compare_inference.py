"""The claims of `assay compare`: what they are about, and how often they may be false."""
import numpy
import pytest
import scipy.stats

from comparisons import compare, entry, write
from support import assay


def files_of(folder, values, metric="dice", groups=None):
    """A file for each model of {name: scores}, or of {name: {metric: scores}}."""
    out = []
    for name, scores in values.items():
        columns = scores if isinstance(scores, dict) else {metric: scores}
        ids = [f"case-{i:03}" for i in range(len(next(iter(columns.values()))))]
        out.append(write(folder / f"{name}.csv", ids, columns, groups))
    return out


# ---- equivalence --------------------------------------------------------------------------------

def test_failures_forbid_equivalence(tmp_path):
    """The pseudo-median hardly sees that one case of ten fails; the mean does."""
    rng = numpy.random.default_rng(3)
    a = rng.beta(40, 6, 60)
    b = a + rng.normal(0, 0.01, 60)
    b[::10] = 0
    got = entry(compare(*files_of(tmp_path, {"a": a, "b": b}), "--margin", "0.02"), "dice", "b")
    assert got["verdict"] == "inconclusive" and got["tost_p_value"] > 0.5
    low, high = got["equivalence"]["pseudo_median_ci"]
    assert -0.02 < low < high < 0.02 and got["equivalence"]["mean_difference_ci"][0] < -0.02
    assert "A difference of 0.020 or more cannot be excluded" in got["sentence"]


def hall(d, limit):
    """One-sided t test, that the mean is above the limit, with Hall's correction for skewness, less
    one standard error of that."""
    n, ratio = len(d), (d.mean() - limit) / d.std(ddof=1)
    g = (scipy.stats.skew(d, bias=False)
         - numpy.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))))
    return scipy.stats.t.sf(numpy.sqrt(n) * (
        ratio + g * ratio ** 2 / 3 + g ** 2 * ratio ** 3 / 27 + g / (6 * n)), n - 1)


def test_equivalence_is_two_one_sided_tests_of_mean_and_pseudo_median(tmp_path):
    rng = numpy.random.default_rng(4)
    a = rng.beta(40, 6, 40)
    d = rng.normal(0.002, 0.012, 40)
    got = entry(compare(*files_of(tmp_path, {"a": a, "b": a + d}), "--margin", "0.01"), "dice", "b")
    d = (a + d) - a
    expected = max(scipy.stats.ttest_1samp(d, -0.01, alternative="greater").pvalue,
                   scipy.stats.ttest_1samp(d, 0.01, alternative="less").pvalue, hall(d, -0.01),
                   hall(-d, -0.01),
                   scipy.stats.wilcoxon(d + 0.01, alternative="greater", mode="exact").pvalue,
                   scipy.stats.wilcoxon(d - 0.01, alternative="less", mode="exact").pvalue)
    assert got["tost_p_value"] == pytest.approx(expected, rel=1e-9)
    block = got["equivalence"]
    assert (block["p_value"] == block["corrected_p_value"] == got["tost_p_value"]
            and block["ci_level"] == pytest.approx(0.9))
    assert block["mean_difference_ci"] == pytest.approx(
        scipy.stats.t.interval(0.9, 39, d.mean(), scipy.stats.sem(d)))
    assert got["verdict"] == "equivalent"
    assert "is equivalent to a within ±0.010" in got["sentence"] and "90 % CI" in got["sentence"]
    assert "With 40 pairs, failures rarer than 7 % may not have been seen." in got["sentence"]


def test_a_sentence_about_a_margin_names_its_test_and_unit(tmp_path):
    rng = numpy.random.default_rng(4)
    a = rng.uniform(3, 9, 40)
    files = files_of(tmp_path,
                     {"a": a, "b": a + rng.normal(0.5, 0.5, 40), "c": a + rng.normal(2, 0.5, 40)},
                     metric="hd95")
    b, c = compare(*files, "--baseline", "a", "--margin", "1")["metrics"]["hd95"]
    assert b["verdict"] == "equivalent" and b["is_significant"]
    assert "b is equivalent to a within ±1.000 mm. Difference of means" in b["sentence"]
    assert (
        "(one-sided tests against the margin), n = 40. They do differ (corrected p < 0.001), but by"
        " less"
        in b["sentence"]
    )
    assert b["sentence"].count("unadjusted 90 % CI") == 2
    assert c["sentence"].startswith("hd95: c is worse than a. Hodges–Lehmann")
    assert c["sentence"].endswith("Equivalence within ±1.000 mm is not shown (two one-sided tests, "
                                  "corrected p = 1.000).")


def test_equal_values_are_equivalent_and_say_what_was_not_seen(tmp_path):
    a = numpy.random.default_rng(4).beta(40, 6, 20)
    files = files_of(tmp_path, {"a": a, "b": a})
    got = entry(compare(*files, "--margin", "0.01"), "dice", "b")
    assert (got["verdict"] == "equivalent"
            and got["sentence"] == ("dice: b and a agree on all 20 pairs. They are equivalent "
                                    "within ±0.010 (two one-sided tests, p < 0.001). "
                                    "With 20 pairs, failures rarer than 14 % may not have been "
                                    "seen."))
    assert entry(compare(*files), "dice", "b")["sentence"] == "dice: b and a agree on all 20 pairs."


def test_equivalence_is_corrected_for_the_number_of_models(tmp_path):
    rng = numpy.random.default_rng(5)
    a = rng.beta(40, 6, 30)
    values = {"a": a} | {f"m{k}": a + rng.normal(0.004, 0.011, 30) for k in range(8)}
    got = compare(*files_of(tmp_path, values), "--baseline", "a", "--margin",
                  "0.01")["metrics"]["dice"]
    alone = [each["equivalence"]["p_value"] for each in got]
    order = numpy.argsort(alone)
    holm = numpy.maximum.accumulate(numpy.minimum(1, numpy.sort(alone) * (8 - numpy.arange(8))))
    assert [got[k]["equivalence"]["corrected_p_value"] for k in order] == pytest.approx(list(holm))
    assert ([each["verdict"] == "equivalent" for each in got]
            == [each["equivalence"]["corrected_p_value"] <= 0.05 for each in got])
    assert sum(p <= 0.05 for p in alone) > sum(p <= 0.05 for p in holm)


# ---- one test for sign and interval -------------------------------------------------------------

def test_no_data_could_be_significant(tmp_path):
    a = numpy.linspace(0.8, 0.9, 6)
    values = {"a": a} | {f"m{k}": a - 0.11 - 0.001 * numpy.arange(6) * (k + 1) for k in range(3)}
    got = compare(*files_of(tmp_path, values), "--baseline", "a")["metrics"]["dice"]
    for each in got:
        assert (each["verdict"] == "inconclusive" and not each["can_be_significant"]
                and each["family"] == 3)
        assert ("With 6 pairs, no result could be significant after correction for 3 tests"
                in each["sentence"])
        assert "unadjusted 95 % CI" in each["sentence"]
    one = entry(compare(*files_of(tmp_path, {"a": a, "m": values["m0"]})), "dice", "m")
    assert (one["can_be_significant"] and one["is_significant"]
            and "unadjusted" not in one["sentence"])


def test_significant_alone_but_not_after_correction(tmp_path):
    rng = numpy.random.default_rng(8)
    a = rng.beta(40, 6, 20)
    values = {
        "a": a,
        "m": a + 0.008 * numpy.array([-1.5, -1.7, -2.2, -0.4] + [1, 0.3, 2, 1.6] * 4),
    } | {f"n{k}": a + rng.normal(0, 0.02, 20) for k in range(6)}
    got = entry(compare(*files_of(tmp_path, values), "--baseline", "a"), "dice", "m")
    assert got["p_value"] <= 0.05 < got["corrected_p_value"] and got["ci95"][0] > 0
    assert ("significant alone" in got["sentence"]
            and "but not after correction for 7 tests" in got["sentence"])


def test_zeros_are_dropped_from_test_and_interval_alike(tmp_path):
    rng = numpy.random.default_rng(9)
    a = rng.beta(20, 3, 100)
    b = a + numpy.where(numpy.arange(100) % 10 < 6, 0, rng.normal(0.02, 0.015, 100))
    got = entry(compare(*files_of(tmp_path, {"a": a, "b": b})), "dice", "b")
    d = (b - a)[b != a]
    walsh = numpy.sort(((d[:, None] + d) / 2)[numpy.triu_indices(len(d))])
    assert got["p_value"] < 1e-5 and got["ci95"][0] > 0
    assert got["difference"] == pytest.approx(numpy.median(walsh))
    # as many means below as above the interval
    k = int(numpy.searchsorted(walsh, got["ci95"][0] - 1e-12))
    assert walsh[-1 - k] == pytest.approx(got["ci95"][1])
    assert f"over the {len(d)} of 100 pairs that differ" in got["sentence"]


def test_alpha_changes_the_interval(tmp_path):
    rng = numpy.random.default_rng(10)
    a = rng.beta(40, 6, 30)
    files = files_of(tmp_path, {"a": a, "b": a + rng.normal(0.01, 0.02, 30)})
    usual, strict = (entry(compare(*files, "--alpha", alpha), "dice", "b")
                     for alpha in ("0.05", "0.01"))
    assert usual["ci"] == usual["ci95"] == strict["ci95"] and strict["ci_level"] == 0.99
    assert strict["ci"][0] < usual["ci"][0] < usual["ci"][1] < strict["ci"][1]
    assert "99 % CI" in strict["sentence"] and "95 % CI" not in strict["sentence"]


# ---- several metrics ----------------------------------------------------------------------------

def many(rng, n, models, metrics=("dice", "nsd", "mcc")):
    base = rng.beta(40, 6, n)
    return {f"m{k}": {metric: base + rng.normal(0, 0.02, n) for metric in metrics}
            for k in range(models)}


def test_the_family_is_named(tmp_path):
    files = files_of(tmp_path, many(numpy.random.default_rng(11), 20, 4))
    screen = assay("compare", *files, "--baseline", "m0").stdout
    assert "after Holm correction for 3 models, each column by itself" in screen
    assert (
        "with 3 columns, the chance of at least one false sign can be above 0.05; --correct metrics"
        " limits it"
        in screen
    )
    together = assay("compare", *files, "--baseline", "m0", "--correct", "metrics").stdout
    assert ("after max-T correction for 3 models in 3 columns together" in together
            and "false sign" not in together)
    assert "simultaneous 95 % CI" in together


def test_max_t_over_all_models_and_metrics(tmp_path):
    """Against all 2^9 flips in NumPy."""
    rng = numpy.random.default_rng(12)
    values = many(rng, 9, 3, ("dice", "nsd"))
    values["m2"]["dice"] = values["m0"]["dice"] + 0.03 + rng.normal(0, 0.005, 9)
    result = compare(*files_of(tmp_path, values), "--baseline", "m0", "--correct", "metrics")
    scores = {}
    for metric in ("dice", "nsd"):
        for model in ("m1", "m2"):
            d = values[model][metric] - values["m0"][metric]
            scores[metric, model] = numpy.sign(d) * scipy.stats.rankdata(abs(d))
    flips = numpy.array([[1 if number >> i & 1 else -1 for i in range(9)] for number in range(512)])
    table = numpy.array(list(scores.values()))
    largest = (abs(flips @ table.T) / numpy.sqrt((table ** 2).sum(1))).max(1)
    for (metric, model), row in scores.items():
        observed = abs(row.sum()) / numpy.sqrt((row ** 2).sum())
        got = entry(result, metric, model)
        assert got["corrected_p_value"] == pytest.approx(numpy.mean(largest >= observed - 1e-9))
        assert got["family"] == 4 and got["is_significant"] == (got["corrected_p_value"] <= 0.05)
        low, high = got["simultaneous_ci"]
        assert got["is_significant"] == (low > 0 or high < 0)
    assert (result["settings"]["correction"] == "max-t"
            and result["settings"]["family"].endswith("in all metrics"))


@pytest.mark.parametrize("options, said",
                         [(["--correction", "bh"], "drop --correction"),
                          (["--compat", "spec"], "drop --compat")])
def test_max_t_is_a_correction_of_its_own(tmp_path, options, said):
    files = files_of(tmp_path, many(numpy.random.default_rng(13), 8, 2))
    assert said in assay("compare", *files, "--correct", "metrics", *options, status=2).stderr


# ---- subgroups and clusters ---------------------------------------------------------------------

def test_signs_in_some_groups_only_are_put_into_perspective(tmp_path):
    rng = numpy.random.default_rng(14)
    site = ["A"] * 30 + ["B"] * 12 + ["C"] * 8
    a = rng.beta(40, 6, 50)
    b = a + 0.02 + rng.normal(0, 0.025, 50)
    files = files_of(tmp_path, {"a": a, "b": b}, groups={"site": site})
    result = compare(*files)
    parts = [entry(part, "dice", "b")["is_significant"] for part in result["subgroups"]]
    assert any(parts) and not all(parts)
    (test,) = result["interactions"]
    groups = [(b - a)[[s == name for s in site]] for name in "ABC"]
    expected = scipy.stats.kruskal(*groups)
    assert ((test["kruskal_wallis_h"], test["p_value"])
            == pytest.approx((expected.statistic, expected.pvalue)))
    assert (
        "No evidence that it does, so a sign in only some groups does not mean that the groups"
        " differ"
        in assay("compare", *files).stdout
    )


def test_untested_interactions_are_said(tmp_path):
    """Clusters that span the groups leave no interaction test; signs must not pass without a
    word."""
    rng = numpy.random.default_rng(14)
    a = rng.beta(40, 6, 60)
    b = a + numpy.where(numpy.arange(60) % 2, 0.05, 0.0) + rng.normal(0, 0.01, 60)
    groups = {"site": ["AB"[i % 2] for i in range(60)], "scan": [f"x{i // 4}" for i in range(60)]}
    files = files_of(tmp_path, {"a": a, "b": b}, groups=groups)
    screen = assay("compare", *files, "--cluster", "scan").stdout
    assert (
        "Whether the difference depends on site was not tested, because some clusters have cases of"
        " several groups"
        in screen
    )
    assert "n = 15 clusters" in screen


def test_cases_that_share_a_subject_are_pointed_out(tmp_path):
    rng = numpy.random.default_rng(14)
    a = rng.beta(40, 6, 24)
    files = files_of(tmp_path, {"a": a, "b": a + rng.normal(0, 0.01, 24)},
                     groups={"Subject": [f"s{i // 3}" for i in range(24)]})
    result = compare(*files)
    assert any("the 24 cases come from 8 subjects ('Subject') but are tested as independent" in note
               and "--cluster Subject" in note
               for note in result["notes"])
    assert result["subgroups"] == []
    assert not any("come from" in note for note in compare(*files, "--cluster", "Subject")["notes"])


def test_a_fold_is_not_a_metric(tmp_path):
    rng = numpy.random.default_rng(14)
    a = rng.beta(40, 6, 24)
    files = files_of(tmp_path, {"a": a, "b": a + 0.01}, metric="my_score",
                     groups={"fold": [i % 3 for i in range(24)]})
    assert list(compare(*files)["metrics"]) == ["my_score"]


def test_the_mean_difference_has_a_cluster_robust_error(tmp_path):
    rng = numpy.random.default_rng(15)
    subject = numpy.repeat(numpy.arange(8), [3, 9, 4, 5, 6, 2, 7, 4])
    a = rng.beta(40, 6, 40)
    d = rng.normal(0, 0.02, 8)[subject] + rng.normal(0, 0.01, 40)
    files = files_of(tmp_path, {"a": a, "b": a + d}, groups={"subject": [f"s{s}" for s in subject]})
    got = entry(compare(*files, "--cluster", "subject"), "dice", "b")
    d = (a + d) - a
    residuals = numpy.array([(d[subject == s] - d.mean()).sum() for s in range(8)])
    error = numpy.sqrt(8 / 7 * (residuals ** 2).sum()) / 40
    assert got["mean_difference"] == pytest.approx(d.mean())
    assert got["mean_difference_ci95"] == pytest.approx(
        d.mean() + numpy.array([-1, 1]) * scipy.stats.t.ppf(0.975, 7) * error)
    means = numpy.array([(a + d)[subject == s].mean() - a[subject == s].mean() for s in range(8)])
    assert (got["p_value"] == pytest.approx(scipy.stats.wilcoxon(means, mode="exact").pvalue)
            and got["n"] == 8)

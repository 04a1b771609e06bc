"""`assay compare` through the real program, held against SciPy."""
import csv, io, json

import numpy
import pytest
import scipy.stats

from comparisons import compare, entry, models, write
from support import assay, real_data, strict, vectors


def holm(pvalues):
    """Step-down by the definition: the i-th smallest of m against alpha / (m - i)."""
    corrected, largest = [0.0] * len(pvalues), 0.0
    for i, place in enumerate(sorted(range(len(pvalues)), key=pvalues.__getitem__)):
        largest = max(largest, (len(pvalues) - i) * pvalues[place])
        corrected[place] = min(1.0, largest)
    return corrected


# ---- numbers ------------------------------------------------------------------------------------

@pytest.mark.parametrize("metric", ["dice", "avd", "mcc"])
def test_p_values_are_scipy_s_corrected_by_holm(tmp_path, metric):
    values = models(tmp_path)
    result = compare(*sorted(tmp_path.glob("*.csv")), "--baseline", "a")
    raw = [scipy.stats.wilcoxon(values["a"][metric], values[m][metric], method="exact").pvalue
           for m in "bc"]
    corrected = holm(raw)
    for i, model in enumerate("bc"):
        got = entry(result, metric, model)
        assert got["p_value"] == pytest.approx(raw[i], rel=1e-12)
        assert got["corrected_p_value"] == pytest.approx(corrected[i], rel=1e-12)
        assert got["is_significant"] == (corrected[i] <= 0.05)
        assert ((got["n"], got["zeros"], got["ties"], got["policy"], got["method"])
                == (40, 0, 0, "exact", "exact"))


def test_effects_and_summaries(tmp_path):
    values = models(tmp_path)
    result = compare(tmp_path / "a.csv", tmp_path / "b.csv")
    got = entry(result, "dice", "b")
    d = values["b"]["dice"] - values["a"]["dice"]
    walsh = numpy.add.outer(d, d)[numpy.triu_indices(len(d))] / 2
    ranks = scipy.stats.rankdata(abs(d))
    assert got["difference"] == pytest.approx(numpy.median(walsh), rel=1e-12)
    assert got["ci95"][0] < got["difference"] < got["ci95"][1]
    assert got["effect_size"] == pytest.approx(
        (ranks[d > 0].sum() - ranks[d < 0].sum()) / ranks.sum())
    assert got["mean_difference"] == pytest.approx(d.mean())
    assert got["mean_difference_ci95"] == pytest.approx(
        scipy.stats.t.interval(0.95, len(d) - 1, d.mean(), scipy.stats.sem(d)))
    assert got["cohens_dz"] == pytest.approx(d.mean() / d.std(ddof=1))
    assert got["probability_of_superiority"] == pytest.approx((d > 0).mean())
    summary = result["models"][1]["metrics"]["dice"]
    assert summary["mean"] == pytest.approx(values["b"]["dice"].mean())
    assert summary["std"] == pytest.approx(values["b"]["dice"].std(ddof=1))


def test_ranks_are_those_of_numpy_s_resamples(tmp_path):
    values = models(tmp_path, shift=(0, 0.004, -0.002))
    result = compare(*sorted(tmp_path.glob("*.csv")), "--baseline", "a")["ranking"]["dice"]
    scores = numpy.array([values[m]["dice"] for m in "abc"])
    rng = numpy.random.default_rng(42)
    first = numpy.zeros(3)
    for _ in range(1000):
        first[scores[:, rng.choice(40, 40)].mean(axis=1).argmax()] += 1
    assert [m["probability_best"] for m in result["models"]] == pytest.approx(first / 1000)
    ranks = scipy.stats.rankdata(-scores, axis=0)
    assert [m["mean_rank"] for m in result["models"]] == pytest.approx(ranks.mean(axis=1))
    assert (result["friedman"]["statistic"]
            == pytest.approx(scipy.stats.friedmanchisquare(*scores).statistic))


@pytest.mark.parametrize("policy, options",
                         [("scipy-1.10", {}), ("scipy-1.15", {"method": "approx"})])
def test_policies(tmp_path, policy, options):
    if policy == "scipy-1.10" and not scipy.__version__.startswith("1.10"):
        pytest.skip("this SciPy is not 1.10")
    d = numpy.round(numpy.random.default_rng(3).normal(0.01, 0.05, 30), 2)  # ties and zeros
    a = numpy.full(30, 0.5)
    ids = [f"{i:02}" for i in range(30)]
    write(tmp_path / "a.csv", ids, {"dice": a})
    write(tmp_path / "b.csv", ids, {"dice": a + d})
    got = entry(compare(tmp_path / "a.csv", tmp_path / "b.csv", "--policy", policy), "dice", "b")
    want = scipy.stats.wilcoxon(a, a + d, **options)
    assert got["p_value"] == pytest.approx(want.pvalue, rel=1e-10)
    assert got["policy"] == policy and got["zeros"] == int((a == a + d).sum())


def test_the_specification_s_comparison(tmp_path):
    for case in vectors("specification-reference")["compare_models"]:
        ids = [f"{i:03}" for i in range(len(case["reference"]))]
        files = [write(tmp_path / "ref.csv", ids, {"dice": case["reference"]})]
        files += [write(tmp_path / f"{name}.csv", ids, {"dice": scores})
                  for name, scores in case["models"].items()]
        result = compare(*files, "--baseline", "ref", "--compat", "spec")
        for want in case["result"]:
            got = entry(result, "dice", want["model"])
            assert got["p_value"] == pytest.approx(want["p"], rel=1e-12)
            assert got["corrected_p_value"] == pytest.approx(want["corrected"], rel=1e-12)
            assert got["is_significant"] == want["significant"]


def test_ties_that_rounding_broke_can_be_mended(tmp_path):
    ids = [f"{i}" for i in range(8)]
    write(tmp_path / "a.csv", ids, {"dice": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]})
    write(tmp_path / "b.csv", ids, {"dice": [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]})
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert entry(compare(*files), "dice", "b")["ties"] < 8  # 0.3 - 0.2 is not 0.2 - 0.1
    assert entry(compare(*files, "--tie-tolerance", "1e-9"), "dice", "b")["ties"] == 8
    assert "--tie-tolerance" in assay("compare", *files, "--tie-tolerance", "-1", status=2).stderr


def test_restarts_of_a_real_run(tmp_path):
    runs = [real_data(f"arc-runs/fold_0_restart_{r}/results.json") for r in (0, 1)]
    values = [json.loads(run.read_text()) for run in runs]
    assert values[0]["subject_ids"] == values[1]["subject_ids"]
    got = entry(compare(*runs), "dice", "fold_0_restart_1")
    d = numpy.array(values[1]["per_subject_dice"]) - numpy.array(values[0]["per_subject_dice"])
    assert (got["n"], got["zeros"]) == (75, int((d == 0).sum()))
    assert got["mean_difference"] == pytest.approx(d.mean())
    assert got["p_value"] == pytest.approx(scipy.stats.wilcoxon(d, method="approx").pvalue,
                                           rel=0.05)


# ---- words --------------------------------------------------------------------------------------

@pytest.mark.parametrize("shift, spread, margin, verdict",
                         [
                             (0.05, 0.01, None, "different"), (0.0, 0.01, None, "inconclusive"),
                             (0.0, 0.01, "0.02", "equivalent"),
                             (0.0, 0.2, "0.02", "inconclusive"),
                             (0.005, 0.02, "dice=0.02", "equivalent"),
                             (0.05, 0.01, "0.02", "different")])
def test_verdicts(tmp_path, shift, spread, margin, verdict):
    rng = numpy.random.default_rng(5)
    a = rng.uniform(0.6, 0.9, 50)
    ids = [f"{i:02}" for i in range(50)]
    noise = rng.normal(0, spread, 50)
    write(tmp_path / "a.csv", ids, {"dice": a})
    write(tmp_path / "b.csv", ids, {"dice": a + shift + noise - noise.mean()})
    options = [] if margin is None else ["--margin", margin]
    got = entry(compare(tmp_path / "a.csv", tmp_path / "b.csv", *options), "dice", "b")
    assert got["verdict"] == verdict, got
    assert verdict in got["sentence"] or verdict == "different"


def test_forms(tmp_path):
    models(tmp_path)
    files = sorted(tmp_path.glob("*.csv"))
    screen = assay("compare", *files, "--baseline", "a").stdout
    assert "a (baseline)" in screen and "corrected p" in screen and "ranks, with 1000" in screen
    markdown = assay("compare", *files, "--baseline", "a", "--format", "markdown").stdout
    assert markdown.splitlines()[0] == "| model | dice ↑ | avd ↓ | mcc ↑ |"
    latex = assay("compare", *files, "--baseline", "a", "--format", "latex").stdout
    assert r"\toprule" in latex and r"\bottomrule" in latex and latex.count(r" & ") == 4 * 3
    table = list(csv.DictReader(io.StringIO(assay(
        "compare", *files, "--baseline", "a", "--format", "csv").stdout)))
    assert len(table) == 9 and {row["model"] for row in table} == {"a", "b", "c"}
    spec = assay("compare", *files, "--baseline", "a", "--compat", "spec").stdout.splitlines()
    assert spec[:2] == ["| Model | DICE (↑) | AVD (↓) | MCC (↑) | Sig? |",
                        "|-------|----------|---------|---------|------|"]
    paper = assay("compare", *files, "--baseline", "a", "--with-paper").stdout
    assert "MeshNet-26 (paper)" in paper and "147,474" in paper and "V-Net (paper)" in paper
    assert strict(assay("compare", *files, "--baseline", "a", "--format",
                        "json").stdout)["baseline"] == "a"


@pytest.mark.parametrize("name, start",
                         [("t.md", "| model"), ("t.tex", "% needs"), ("t.csv", "metric,"),
                          ("t.json", "{")])
def test_out_follows_the_extension(tmp_path, name, start):
    models(tmp_path)
    assay("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--out", f"{tmp_path}/out/", "--quiet")
    assert strict((tmp_path / "out/comparison.json").read_text())["schema"] == "assay.comparison/1"
    assay("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / name, "--quiet")
    assert (tmp_path / name).read_text().startswith(start)


def test_same_bytes_for_any_number_of_jobs(tmp_path):
    models(tmp_path)
    texts = []
    for jobs in (1, 2, 7):
        result = compare(*sorted(tmp_path.glob("*.csv")), "--baseline", "b", "--jobs", jobs)
        del result["provenance"]
        texts.append(json.dumps(result))
    assert texts[0] == texts[1] == texts[2]


def test_groups_from_a_manifest_and_clusters(tmp_path):
    models(tmp_path)
    ids = [f"sub-{i:03}" for i in range(40)]
    write(tmp_path / "cases", ids, {},
          {"site": ["A", "B"] * 20, "subject": [f"s{i // 2}" for i in range(40)]})
    files = [tmp_path / "a.csv", tmp_path / "b.csv", "--manifest", tmp_path / "cases"]
    result = compare(*files)
    assert ([(s["column"], s["value"], s["cases"]) for s in result["subgroups"]]
            == [("site", "A", 20), ("site", "B", 20)])
    clustered = entry(compare(*files, "--cluster", "subject"), "dice", "b")
    assert clustered["n"] == 20 and clustered["design_effect"] > 0
    assert compare(*files, "--by", "none")["subgroups"] == []
    assert "no results file has a group column 'sites'; did you mean 'site'?" in assay(
        "compare", *files, "--by", "sites", status=2).stderr
    assert "--groups FILE adds some" in assay(
        "compare", *files[:2], "--by", "site", status=2).stderr


# ---- bad input ----------------------------------------------------------------------------------

def test_different_cases(tmp_path):
    write(tmp_path / "a.csv", ["x", "y", "z"], {"dice": [0.5, 0.6, 0.7]})
    write(tmp_path / "b.csv", ["y", "z", "w"], {"dice": [0.5, 0.6, 0.7]})
    done = assay("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / "r.json",
                 status=2)
    assert "'x' has no score of b" in done.stderr and "--intersect" in done.stderr
    assert not (tmp_path / "r.json").exists()
    result = compare(tmp_path / "a.csv", tmp_path / "b.csv", "--intersect")
    assert result["cases"]["matched"] == 2
    assert sorted(x["id"] for x in result["cases"]["left_out"]) == ["w", "x"]


def test_a_model_with_itself_and_identical_values(tmp_path):
    path = write(tmp_path / "a.csv", [f"{i}" for i in range(9)],
                 {"dice": numpy.linspace(0.5, 0.9, 9)})
    assert "cannot be compared with itself" in assay("compare", path, path, status=2).stderr
    copy = tmp_path / "b.csv"
    copy.write_bytes(path.read_bytes())
    got = entry(compare(path, copy), "dice", "b")
    assert (got["p_value"], got["verdict"], got["zeros"]) == (1, "inconclusive", 9)
    assert entry(compare(path, copy, "--margin", "0.01"), "dice", "b")["verdict"] == "equivalent"


def test_one_case(tmp_path):
    write(tmp_path / "a.csv", ["x"], {"dice": [0.5]})
    write(tmp_path / "b.csv", ["x"], {"dice": [0.6]})
    got = entry(compare(tmp_path / "a.csv", tmp_path / "b.csv"), "dice", "b")
    assert ((got["n"], got["p_value"], got["verdict"]) == (1, 1, "too_few_pairs")
            and "too few" in got["warning"])


def test_missing_and_infinite_values(tmp_path):
    for name, extra in (("a", "[0.5, NaN, 0.7, 0.8, 0.9, 0.6, 0.65, 0.75]"),
                        ("b", "[0.6, 0.7, Infinity, 0.9, 0.95, 0.7, 0.7, 0.8]")):
        blocks = ", ".join(f'"{k}": {{"name": "X", "mean": NaN, "std": 0, "values": {extra}}}'
                           for k in ("dice", "avd", "mcc"))
        (tmp_path / f"{name}.json").write_text(f'{{"model_name": "{name}", {blocks}, '
                                               f'"num_samples": 8}}')
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    assert "--by-position" in assay("compare", *files, status=2).stderr
    got = entry(compare(*files, "--by-position"), "dice", "b")
    assert (got["n"], got["undefined"]) == (6, 2)


def test_by_position_refuses_files_with_different_ids(tmp_path):
    """Each lacks another case, so that their third values are not of the same case."""
    files = [write(tmp_path / f"{name}.csv", ids, {"dice": [0.5, 0.6, 0.7]})
             for name, ids in (("a", ["1", "2", "4"]), ("b", ["1", "2", "3"]))]
    said = assay("compare", *files, "--by-position", status=2).stderr
    assert "b.csv both have case ids, which differ; drop the option to pair cases by id" in said
    write(files[1], ["1", "2", "4"], {"dice": [0.6, 0.7, 0.8]})
    assert entry(compare(*files, "--by-position"), "dice", "b")["n"] == 3


@pytest.mark.parametrize("options, says", [
    (["--baseline", "aa"], "no model is called 'aa'; did you mean 'a'?"),
    (["--baseline", "a", "--metric", "dise"], "did you mean 'dice'?"),
    (["--baseline", "a", "--label", "7"], "has no label '7'"),
    (["--baseline", "a", "--lower-is-better", "foo"],
     "--lower-is-better: no file has a metric 'foo'"),
    (["--baseline", "a", "--alpha", "2"], "--alpha must be between 0 and 1"),
    (["--baseline", "a", "--margin", "x"], "'x' is not a number"),
    (["--baseline", "a", "--margin", "0"], "--margin must be above 0"),
    (["--baseline", "a", "--policy", "scipy"], "'scipy' is not one of exact|"),
    (["--baseline", "a", "--replicates", "0"], "--replicates must be"),
    ([], "which of the 3 models is the baseline"),
])
def test_refusals(tmp_path, options, says):
    models(tmp_path)
    done = assay("compare", *sorted(tmp_path.glob("*.csv")), *options, status=2)
    assert says in done.stderr and done.stdout == "" and len(
        done.stderr.splitlines()) <= 2, done.stderr


def test_unreadable_inputs(tmp_path):
    good = write(tmp_path / "a.csv", ["x"], {"dice": [0.5]})
    for name, content in (("empty.json", b""),
                          ("cut.json", b'{"schema": "assay.segmentation/1", "cas'),
                          ("other.json", b'{"schema": "assay.qa/1"}'),
                          ("noise.json", bytes(range(256)))):
        (tmp_path / name).write_bytes(content)
        done = assay("compare", good, tmp_path / name, status=2)
        assert name in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert "absent.json" in assay("compare", good, tmp_path / "absent.json", status=2).stderr
    assert "at least two" in assay("compare", status=2).stderr
    done = assay("compare", good, good, "--out", good, status=2)
    assert good.read_text().startswith("id,dice")


def test_more_columns_than_anybody_reads_are_refused(tmp_path):
    """In time that grows with the file: 40,000 columns took 42 seconds."""
    columns = {f"m{i}": [0.5, 0.25, 0.75] for i in range(40_000)}
    files = [write(tmp_path / f"{model}.csv", list("xyz"), columns) for model in "ab"]
    done = assay("compare", *files, status=2)
    assert done.stderr == ("assay: would compare 40000 columns; at most 5000 can be compared at a "
                           "time: choose some with --metric and --label\n")
    result = compare(*files, "--metric", "m7,m39999")
    assert list(result["metrics"]) == ["m7", "m39999"]
    for shown in (files, files[:1]):
        done = assay("report", *shown, "--out", tmp_path / "r.html", status=2)
        assert "has 40000 columns; a report shows at most 5000" in done.stderr

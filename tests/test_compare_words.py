"""What `assay compare` says, and what it must not say."""
import csv, io, json, re, shutil, subprocess

import numpy
import pytest

from comparisons import compare, entry, models, write
from support import assay, strict

IDS = [f"case-{i:02}" for i in range(20)]


def pair(folder, a, b, metric="dice"):
    """Files of two models with these values."""
    ids = [f"case-{i:02}" for i in range(len(a))]
    return [write(folder / "a.csv", ids, {metric: a}), write(folder / "b.csv", ids, {metric: b})]


def long_table(path, model, scores, ids=IDS):
    """One row per value: scores by metric and label."""
    lines = ["model,case,label,metric,value"]
    for (metric, label), values in scores.items():
        lines += [f"{model},{case},{label},{metric},{value!r}"
                  for case, value in zip(ids, map(float, values))]
    path.write_text("\n".join(lines) + "\n")
    return path


def brats(folder, names=("base", "worse", "other")):
    """Dice and HD95 of three regions; 'worse' has a larger HD95 in every case."""
    rng = numpy.random.default_rng(2)
    files = []
    for number, name in enumerate(names):
        scores = {}
        for label in ("WT", "TC", "ET"):
            scores["dice", label] = 0.8 + 0.1 * rng.random(len(IDS))
            scores["hd95", label] = 3 + rng.random(len(IDS)) + (0.9 if name == "worse" else 0)
        files.append(long_table(folder / f"{name}.csv", name, scores))
    return files


# ---- few pairs ----------------------------------------------------------------------------------

@pytest.mark.parametrize("n, zeros", [(1, 0), (2, 0), (5, 0), (5, 2), (6, 0), (6, 3)])
@pytest.mark.parametrize("alpha", ["0.05", "0.1"])
def test_below_six_pairs_there_is_a_p_value_and_nothing_else(tmp_path, n, zeros, alpha):
    a = numpy.linspace(0.5, 0.8, n)
    b = a + 0.1 + numpy.arange(n) / 100
    b[:zeros] = a[:zeros]
    files = pair(tmp_path, a, b)
    result = compare(*files, "--margin", "0.5", "--alpha", alpha)
    got = entry(result, "dice", "b")
    assert got["n"] == n and 0 < got["p_value"] <= 1
    ranks = result["ranking"]["dice"]["models"]
    if n < 6:
        assert ((got["verdict"], got["ci95"], got["mean_difference_ci95"])
                == ("too_few_pairs", None, None))
        assert not got["is_significant"] and "too few pairs" in got["sentence"]
    else:
        assert got["verdict"] != "too_few_pairs"
        assert (got["ci95"] is None) == (n - zeros < 6)  # too few pairs that differ
    assert all(rank[key] is None for rank in ranks
               for key in ("probability_best", "rank_ci95", "places"))
    screen = assay("compare", *files).stdout
    assert ("95 % CI" in screen) == (n - zeros >= 6)


def test_few_clusters_and_few_cases_of_a_subgroup_are_few_pairs(tmp_path):
    models(tmp_path, n=40, names="ab", shift=(0, 0.05))
    ids = [f"sub-{i:03}" for i in range(40)]
    groups = {"subject": [f"s{i // 10}" for i in range(40)], "site": ["A"] * 36 + ["B"] * 4}
    write(tmp_path / "cases", ids, {}, groups)
    files = [tmp_path / "a.csv", tmp_path / "b.csv", "--manifest", tmp_path / "cases", "--metric",
             "dice"]
    clustered = compare(*files, "--cluster", "subject", "--by", "none")
    assert ((entry(clustered, "dice", "b")["n"], entry(clustered, "dice", "b")["verdict"])
            == (4, "too_few_pairs"))
    assert clustered["ranking"]["dice"]["models"][0]["probability_best"] is None
    by_site = {s["value"]: s["metrics"]["dice"][0]["verdict"] for s in compare(*files)["subgroups"]
               if s["column"] == "site"}
    assert by_site == {"A": "different", "B": "too_few_pairs"}


# ---- directions ---------------------------------------------------------------------------------

def test_a_significant_difference_says_better_or_worse(tmp_path):
    rng = numpy.random.default_rng(3)
    a, noise = rng.uniform(3, 4, 20), rng.normal(0, 0.02, 20)
    for name, shift, sign, side in (("low", -0.4, "▲", "better"), ("high", 0.4, "▼", "worse")):
        files = pair(tmp_path, a, a + shift + noise, "hd95")
        options = [*files, "--format"]
        assert f"){sign}" in assay("compare", *files).stdout
        assert f"){sign} |" in assay("compare", *options, "markdown").stdout
        latex = {"▲": r"$^{\blacktriangle}$", "▼": r"$^{\blacktriangledown}$"}[sign]
        assert f"){latex}" in assay("compare", *options, "latex").stdout
        rows = list(csv.DictReader(io.StringIO(assay("compare", *options, "csv").stdout)))
        assert [row["standing"] for row in rows] == ["", side]
        assert entry(compare(*files), "hd95", "b")["standing"] == side
        # the note explains the signs, and there is no bare star
        for form in ("table", "markdown", "latex"):
            text = assay("compare", *options, form).stdout
            assert "better" in text and "worse" in text and "*" not in text
        spec = assay("compare", *files, "--compat", "spec").stdout
        assert spec.splitlines()[3].endswith("| * |") and "▲" not in spec and "▼" not in spec


def test_no_sign_without_significance(tmp_path):
    a = numpy.linspace(0.5, 0.9, 20)
    b = a + numpy.resize([0.01, -0.01], 20)
    files = pair(tmp_path, a, b)
    assert (")▲" not in assay("compare", *files).stdout
            and entry(compare(*files), "dice", "b")["standing"] is None)


def test_the_report_has_signs_too(tmp_path):
    a = numpy.linspace(3, 4, 20)
    files = pair(tmp_path, a, a + 0.4 + numpy.arange(20) / 100, "hd95")
    assay("report", *files, "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert '<b class="chip worse">worse</b>' in page
    assert "Better and worse than the baseline" in page


# ---- estimates ----------------------------------------------------------------------------------

def test_the_estimate_is_named_and_the_difference_of_means_is_beside_it(tmp_path):
    a = numpy.full(12, 5.0)
    change = -numpy.array([0.4] * 9 + [0.5, 0.6, -1.0])
    files = pair(tmp_path, a, a + change, "hd95")
    got = entry(compare(*files), "hd95", "b")
    assert (got["difference"] == pytest.approx(-0.4)
            and got["mean_difference"] == pytest.approx(change.mean()))
    assert "Hodges–Lehmann difference -0.400 mm (95 % CI " in got["sentence"]
    assert f"difference of means {change.mean():.3f} mm" in got["sentence"]
    assert got["sentence"] in assay("compare", *files).stdout


def test_the_estimate_is_of_the_pairs_that_differ(tmp_path):
    a = numpy.full(30, 0.8)
    b = a - numpy.array([0.0] * 22 + [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08])
    got = entry(compare(*pair(tmp_path, a, b)), "dice", "b")
    assert got["is_significant"] and got["standing"] == "worse" and got["zeros"] == 22
    assert got["difference"] == pytest.approx(-0.045) and got["ci95"][1] < 0
    assert ("b is worse than a" in got["sentence"]
            and "over the 8 of 30 pairs that differ" in got["sentence"])


def test_means_that_point_the_other_way_are_pointed_out(tmp_path):
    a = numpy.full(20, 0.8)
    b = a + numpy.array([0.01 + i / 1000 for i in range(19)] + [-0.7])
    got = entry(compare(*pair(tmp_path, a, b)), "dice", "b")
    assert got["standing"] == "better" and got["mean_difference"] < 0
    assert "The means point the other way" in got["sentence"]
    for form in ("table", "markdown", "latex"):
        assert ("b in dice: mean and sign point in opposite directions"
                in assay("compare", *pair(tmp_path, a, b), "--format", form).stdout)


def test_one_model_has_nothing_to_be_corrected_for(tmp_path):
    a = numpy.random.default_rng(1).uniform(0.6, 0.9, 20)
    screen = assay("compare", *pair(tmp_path, a, a - numpy.arange(1, 21) / 1000)).stdout
    assert "correct" not in screen and "p ≤ 0.05 (Wilcoxon signed-rank test" in screen


def test_options_keep_their_dashes_in_latex(tmp_path):
    a = numpy.random.default_rng(1).uniform(0.6, 0.9, 20)
    files = [write(tmp_path / f"{name}.csv", [f"c{i}" for i in range(20)],
                   {"dice": a + x, "mcc": a - x})
             for name, x in (("a", 0), ("b", 0.01))]
    text = assay("compare", *files, "--format", "latex").stdout
    assert "-{}-correct metrics" in text and "--correct" not in text


# ---- metrics by labels --------------------------------------------------------------------------

def test_one_table_of_several_metrics_and_labels(tmp_path):
    files = [*brats(tmp_path), "--baseline", "base", "--metric", "dice,hd95", "--label", "WT,TC,ET"]
    markdown = assay("compare", *files, "--format", "markdown").stdout.splitlines()
    assert markdown[0] == ("| model | dice WT ↑ | dice TC ↑ | dice ET ↑ | hd95 WT (mm) ↓ | hd95 TC "
                           "(mm) ↓ | hd95 ET (mm) ↓ |")
    worse = next(line for line in markdown if line.startswith("| worse "))
    assert worse.count("▼") == 3 and worse.split("|")[2].count("▼") == 0
    latex = assay("compare", *files, "--format", "latex").stdout
    assert (r"\multicolumn{3}{c}{dice $\uparrow$} & \multicolumn{3}{c}{hd95 (mm) $\downarrow$}"
            in latex)
    assert "model & WT & TC & ET & WT & TC & ET" in latex
    rows = list(csv.DictReader(io.StringIO(assay("compare", *files, "--format", "csv").stdout)))
    assert (len(rows) == 18
            and {(r["metric"], r["label"], r["unit"], r["direction"]) for r in rows} == {
                (m, label, *rest) for m, *rest in (("dice", "", "higher"), ("hd95", "mm", "lower"))
                for label in ("WT", "TC", "ET")})
    result = compare(*files)
    assert [(e["model_name"], e["label"]) for e in result["metrics"]["hd95"]] == [
        (model, label) for label in ("WT", "TC", "ET") for model in ("worse", "other")]
    assert (set(result["models"][0]["metrics"]["dice"]["labels"])
            == set(result["ranking"]["hd95"]["labels"])
            == {"WT", "TC", "ET"})
    assert result["settings"]["label"] == ["WT", "TC", "ET"]
    screen = assay("compare", *files).stdout
    assert "labels WT, TC, ET" in screen and "hd95 of TC: worse is worse than base" in screen


def test_each_column_is_what_its_label_alone_gives(tmp_path):
    files = [*brats(tmp_path), "--baseline", "base", "--metric", "hd95"]
    together = compare(*files, "--label", "WT,ET")["metrics"]["hd95"]
    for label in ("WT", "ET"):
        alone = compare(*files, "--label", label)["metrics"]["hd95"]
        assert alone == [e for e in together if e["label"] == label]


def test_a_label_is_named_in_every_table_and_file(tmp_path):
    files = [*brats(tmp_path), "--baseline", "base", "--label", "WT"]
    for form in ("table", "markdown", "latex", "csv", "json"):
        assert "WT" in assay("compare", *files, "--format", form).stdout
    assert "dice WT ↑" in assay("compare", *files).stdout
    assay("report", *files, "--out", tmp_path / "r.html")
    assert "Judged by Dice of WT on" in (tmp_path / "r.html").read_text()
    assert ("has no label 'XX' (it has: WT, TC, ET)"
            in assay("compare", *files[:-1], "WT,XX", status=2).stderr)


DOCUMENT = r"""\documentclass{%s}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,amssymb,graphicx}
\begin{document}
\begin{table}\centering\caption{A table.}
\input{table}
\end{table}
\end{document}
"""


@pytest.mark.parametrize("document_class", ["article", "[twocolumn]{article}"])
@pytest.mark.parametrize("options",
                         [[], ["--label", "WT"], ["--metric", "dice,hd95", "--label", "WT,TC,ET"],
                          ["--with-paper"]], ids=["averages", "label", "labels", "paper"])
def test_latex_compiles_and_fits_the_line(tmp_path, options, document_class):
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed (Debian: texlive-latex-base, "
                    "texlive-latex-recommended)")
    files = brats(tmp_path, names=("base_0", "a model & its 50 % friends", "other#1"))
    assay("compare", *files, "--baseline", "base_0", *options, "--out", tmp_path / "table.tex")
    (tmp_path / "paper.tex").write_text(DOCUMENT.replace(
        "{%s}", document_class if "{" in document_class else "{%s}" % document_class))
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
                          cwd=tmp_path, capture_output=True, text=True, errors="replace",
                          timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "Overfull" not in done.stdout and (tmp_path / "paper.pdf").stat().st_size > 5000


# ---- the same cases -----------------------------------------------------------------------------

def test_means_are_of_the_cases_of_the_test_beside_them(tmp_path):
    """The baseline has a value where the others have none, and a much worse one."""
    a, b, c = (numpy.array(x) for x in ([10.0] * 12, [9.0] * 12, [11.0] * 12))
    a[:2] = 30, 31
    b[:2] = numpy.nan
    ids = [f"case-{i:02}" for i in range(12)]
    holes = {name: numpy.linspace(0.5, 0.9, 12) for name in "abc"}
    holes["c"][:3] = numpy.nan
    files = [write(tmp_path / f"{name}.csv", ids, {"hd95": values, "dice": holes[name]})
             for name, values in zip("abc", (a, b, c))]
    result = compare(*files, "--baseline", "a", "--metric", "hd95")
    assert [m["metrics"]["hd95"]["mean"] for m in result["models"]] == [10, 9, 11]
    assert {m["metrics"]["hd95"]["n"]
            for m in result["models"]} == {e["n"] for e in result["metrics"]["hd95"]} == {10}
    assert [e["mean_difference"] for e in result["metrics"]["hd95"]] == [-1, 1]
    screen = assay("compare", *files, "--baseline", "a", "--metric", "hd95,dice").stdout
    assert re.search(r"^cases \(n\) +10 +9$", screen, re.M), screen


# ---- which metrics ------------------------------------------------------------------------------

def columns(folder, *names):
    """Files of two models with these metrics."""
    rng = numpy.random.default_rng(4)
    return [write(folder / f"{model}.csv", IDS, {name: rng.random(len(IDS)) for name in names})
            for model in "ab"]


@pytest.mark.parametrize("scored, compared",
                         [
                             (["iou", "dice", "hd95", "precision"], ["dice", "hd95"]),
                             (["mcc", "nsd", "dice", "avd", "hd95"],
                              ["dice", "nsd", "hd95", "avd", "mcc"]),
                             (["assd", "lesion_f1"], ["assd", "lesion_f1"])])
def test_what_was_scored_is_compared(tmp_path, scored, compared):
    files = columns(tmp_path, *scored)
    assert list(compare(*files)["metrics"]) == compared
    assay("report", *files, "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    head = page.partition('<table class="headline">')[2].partition("</thead>")[0]
    assert re.findall(r'data-metric="([^"]+)"', head) == compared


def test_names_of_metrics_may_be_others_and_none_is_lost(tmp_path):
    files = columns(tmp_path, "dice", "hd95")
    assert list(compare(*files, "--metric", "Hausdorff95,DSC")["metrics"]) == ["hd95", "dice"]
    assert entry(compare(*files, "--margin", "DSC=0.4"), "dice", "b")["margin"] == 0.4
    for command in ("compare", "report"):
        done = assay(command, *files, "--margin", "mcc=0.1", status=2, cwd=tmp_path)
        assert (
            "--margin: 'mcc' is not compared (compared: dice, hd95); choose metrics with --metric"
            in done.stderr
        )
        assert "has no metric 'mcc'" in assay(command, *files, "--metric", "dice,mcc", status=2,
                                              cwd=tmp_path).stderr
    done = assay("report", files[0], "--margin", "0.1", status=2, cwd=tmp_path)
    assert "--margin: nothing is compared" in done.stderr


def test_one_model_is_shown_by_what_was_asked_for(tmp_path):
    file = columns(tmp_path, "dice", "hd95", "iou")[0]
    for options, shown in (([], ["Dice", "HD95 (mm)"]),
                           (["--metric", "iou,hd95"], ["IoU", "HD95 (mm)"])):
        assay("report", file, *options, "--out", tmp_path / "r.html")
        head = (tmp_path / "r.html").read_text().partition(
            '<table class="headline">')[2].partition("</thead>")[0]
        assert re.findall(r'data-metric=[^>]*>([^<]+?) <', head) == shown

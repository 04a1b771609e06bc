"""`assay qa score` and `assay qa compare` through the real program, held against NumPy and
SciPy."""
import collections, csv, itertools, json

import numpy
import pytest
import scipy.stats

from support import assay, real_data, strict, without_provenance

OPTIONS = ["Lung", "Breast", "Colon", "Liver"]


def result(item, answer, label, truth, error=None):
    return {"item_id": item, "prediction": answer, "predicted_label": label, "truth_label": truth,
            "correct": label == truth, "cost_usd": 0.01, "total_tokens": 100,
            "trajectory_file": "t.json", "error": error}


def write(path, results, benchmark="tcga_slidebench", model="m"):
    """The specification's results file."""
    path.write_text(json.dumps({"run_id": path.stem, "benchmark_name": benchmark,
                                "model_name": model, "config": {"mode": "giant"},
                                "results": results, "metrics": {}, "total_cost_usd": 0.0,
                                "total_tokens": 0, "timestamp": "t"}))
    return path


def random_run(path, seed, n=120, right=0.6, **names):
    chance = numpy.random.default_rng(seed)
    truths = numpy.random.default_rng(0).integers(1, 5, n)
    labels = [int(t) if chance.random() < right else int(chance.integers(1, 5)) for t in truths]
    failed = chance.random(n) < 0.1
    rows = [result(str(i), f"Option {l}", None if f else l, int(t))
            for i, (l, t, f) in enumerate(zip(labels, truths, failed))]
    return (write(path, rows, **names),
            numpy.array([-1 if f else l for l, f in zip(labels, failed)]), truths)


def table(path, n, slides):
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["benchmark_name", "benchmark_id", "image_path", "answer", "options"])
        truths = numpy.random.default_rng(0).integers(1, 5, n)
        for i in range(n):
            rows.writerow(["tcga_slidebench", i, f"s{i % slides}.svs", truths[i], str(OPTIONS)])
    return path


def score(*arguments, status=0):
    return strict(assay("qa", "score", *arguments, "--json", status=status).stdout)


def test_bootstrap_is_numpy_s(tmp_path):
    path, labels, truths = random_run(tmp_path / "r_results.json", 1)
    got = score(path, status=3)["metrics"]
    chance, n = numpy.random.default_rng(42), len(truths)
    draws = [chance.choice(n, size=n, replace=True) for _ in range(1000)]
    values = [float(numpy.mean(labels[d] == truths[d])) for d in draws]
    assert got["point_estimate"] == pytest.approx(numpy.mean(labels == truths), abs=1e-15)
    assert got["bootstrap_mean"] == pytest.approx(numpy.mean(values), abs=1e-14)
    assert got["bootstrap_std"] == pytest.approx(numpy.std(values, ddof=1), abs=1e-14)
    assert ([got["bootstrap_ci_lower"], got["bootstrap_ci_upper"]]
            == pytest.approx(list(numpy.percentile(values, [2.5, 97.5]))))
    assert (got["format_string"]
            == f"{numpy.mean(values) * 100:.1f}% ± {numpy.std(values, ddof=1) * 100:.1f}%")
    wilson = scipy.stats.binomtest(int((labels == truths).sum()), n).proportion_ci(method="wilson")
    assert (got["failures_are_wrong"]["wilson_ci95"]
            == pytest.approx([wilson.low, wilson.high], abs=1e-12))


def test_ledger_policies_and_exit_status(tmp_path):
    rows = [result("1", "1", 1, 1), result("2", "?", None, 1), result("3", "", None, 2, "boom"),
            result("4", "2", 2, 2)]
    path = write(tmp_path / "r_results.json", rows)
    got = score(path, status=3)
    ledger = got["ledger"]
    assert ledger["expected"] == sum(count for name, count in ledger.items()
                                     if name != "expected") == 4
    assert (ledger["scored"], ledger["unparsed"], ledger["errored"]) == (2, 1, 1)
    assert (got["metrics"]["n_errors"], got["metrics"]["n_extraction_failures"]) == (1, 1)
    assert (got["metrics"]["point_estimate"],
            score(path, "--policy", "scored", status=3)["metrics"]["point_estimate"]) == (0.5, 1.0)
    assert ((got["metrics"]["best_if_failures_right"], got["metrics"]["worst_if_failures_wrong"])
            == (1.0, 0.5))
    partial = assay("qa", "score", path, status=3).stdout.splitlines()[0]
    assert ("of 4 questions, 3 answered; counting the others as wrong, accuracy 50.0 % "
            "(2 of 4 right)" in partial)
    partial = assay("qa", "score", path, "--policy", "scored", status=3).stdout.splitlines()[0]
    assert ("of 4 questions, 3 answered; of those with a label, accuracy 100.0 % (2 of 2 right)"
            in partial)
    page = tmp_path / "page.html"
    assay("report", path, "--out", page)
    assert "4 (of 4, 3 answered)" in page.read_text()
    write(path, rows[:2])
    assert ": accuracy 50.0 % (1 of 2 right)" in assay(
        "qa", "score", path, status=3).stdout, "unparsed is answered"
    write(path, rows[:1])
    assert score(path)["ledger"]["scored"] == 1


def test_answers_are_read_again_with_the_table(tmp_path):
    questions = table(tmp_path / "t.csv", 3, 2)
    truths = numpy.random.default_rng(0).integers(1, 5, 3)
    path = write(tmp_path / "r_results.json",
                 [result("0", f"This is a case; option {truths[0]}", 1, int(truths[0]))])
    refused = assay("qa", "score", path, "--rules", "giant", status=2).stderr
    assert "has no options" in refused and "--table" in refused
    got = score(path, "--table", questions, status=3)
    assert ((got["ledger"]["scored"], got["ledger"]["skipped"], got["results"][0]["rule"])
            == (1, 2, "option"))
    assert got["results"][0]["predicted_label"] == truths[0] and got["config"]["rules"] == "assay"
    # the article
    assert score(path, "--table", questions, "--rules", "giant",
                 status=3)["results"][0]["predicted_label"] == 1
    out = tmp_path / "again.json"
    assay("qa", "score", path, "--table", questions, "--out", out, status=3)
    assay("qa", "score", out, "--out", tmp_path / "third.json", status=3)
    assert without_provenance(out) == without_provenance(tmp_path / "third.json")


def test_folders_and_outputs(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    for number, benchmark in enumerate(["tcga_slidebench", "mine"]):
        random_run(run / f"{benchmark}_results.json", number, benchmark=benchmark)
    got = score(run, status=3)
    assert ((got["schema"], [each["benchmark_name"] for each in got["benchmarks"]])
            == ("assay.qa-scores/1", ["mine", "tcga_slidebench"]))
    assay("qa", "score", run, "--out", tmp_path / "out", "--csv", tmp_path / "items.csv", "--quiet",
          status=3)
    assert len(list((tmp_path / "out").glob("*_results.json"))) == 2
    rows = list(csv.DictReader(open(tmp_path / "items.csv")))
    assert len(rows) == 240 and {row["outcome"] for row in rows} == {"scored", "unparsed"}
    assert "is an input" in assay("qa", "score", run / "mine_results.json", "--out",
                                  run / "mine_results.json", status=2).stderr
    (tmp_path / "empty").mkdir()
    assert "has no *_results.json" in assay("qa", "score", tmp_path / "empty", status=2).stderr
    assert "does not exist" in assay("qa", "score", tmp_path / "absent.json", status=2).stderr


def test_headline_interval_is_wilson_s(tmp_path):
    # 11 of 12 right
    path = write(tmp_path / "r_results.json",
                 [result(str(i), "1", 1 if i else 2, 1) for i in range(12)])
    got = score(path)["metrics"]
    wilson = scipy.stats.binomtest(11, 12).proportion_ci(method="wilson")
    assert got["ci95"] == pytest.approx([wilson.low, wilson.high], abs=1e-12)
    assert got["bootstrap_ci_upper"] == 1.0  # the percentile interval, kept as specified
    text = assay("qa", "score", path).stdout
    assert "accuracy 91.7 % (11 of 12 right), 95 % interval 64.6 – 98.5 % (Wilson)\n" in text
    assert (
        f"as specified: bootstrap mean ± SD {got['bootstrap_mean'] * 100:.1f} ±"
        f" {got['bootstrap_std'] * 100:.1f} % (1000 resamples"
        in text
    )


def test_questions_that_share_slides_are_not_independent(tmp_path):
    n, slides = 80, 20  # slides of four questions, all right or all wrong
    truths = numpy.random.default_rng(0).integers(1, 5, n)
    rows = [result(str(i), f"Option {t if i % slides < 12 else t % 4 + 1}", None, int(t))
            for i, t in enumerate(truths)]
    path = write(tmp_path / "r_results.json", rows)
    done = assay("qa", "score", path, "--table", table(tmp_path / "t.csv", n, slides))
    got = score(path, "--table", tmp_path / "t.csv")["metrics"]["failures_are_wrong"]
    assert ((got["ci_unit"], got["design_effect"], got["effective_n"])
            == ("slide", pytest.approx(4), pytest.approx(20)))
    plain = got["wilson_ci95"]
    assert got["ci95"][0] < plain[0] - 0.09 and got["ci95"][1] > plain[1] + 0.07
    assert "(Wilson, by 20 slides)" in done.stdout
    assert "80 questions share 20 slides: they count as 20 independent ones" in done.stdout


def test_one_slide_has_no_interval_by_slide(tmp_path):
    rows = [result(str(i), "?", None, 1) for i in range(12)]
    path = write(tmp_path / "r_results.json", rows)
    questions = table(tmp_path / "t.csv", 12, 1)
    for row, truth in zip(rows, numpy.random.default_rng(0).integers(1, 5, 12)):
        row.update(prediction=f"Option {truth}", truth_label=int(truth))
    write(path, rows)
    got = score(path, "--table", questions)["metrics"]
    assert got["one_slide"] is True and got["failures_are_wrong"]["bootstrap_by_slide"] is None
    text = assay("qa", "score", path, "--table", questions).stdout
    assert (
        "all 12 questions are on one slide: the interval is about questions on this slide, and"
        " there is none by slide"
        in text
    )
    both = assay("qa", "compare", path, path, "--table", questions).stdout
    assert "all 12 questions are on one slide, so this says nothing about other slides" in both


def voted(path, votes, truth=2):
    """Results of `assay qa run` with several runs: a row of labels for each question."""
    items = [{**result(str(i), str(majority(labels)), majority(labels), truth), "outcome": "scored",
              "rule": "json", "span": [0, 1], "slide": "", "options": OPTIONS,
              "votes": [{"run": k, "prediction": str(label), "label": label, "rule": "json",
                         "span": [0, 1], "outcome": "scored", "cost_usd": 0, "total_tokens": 1,
                         "calls": 1, "trajectory_file": "", "error": None}
                        for k, label in enumerate(labels)]}
             for i, labels in enumerate(votes)]
    path.write_text(json.dumps({"schema": "assay.qa/1", "run_id": "r", "benchmark_name": "mine",
                                "model_name": "m", "config": {}, "results": items,
                                "metrics": {"metric_type": "accuracy"}, "timestamp": "t"}))
    return path


def majority(labels):
    counts = collections.Counter(labels)
    return next(label for label in labels if counts[label] == max(counts.values()))


def test_majorities_are_means_over_subsets_of_runs(tmp_path):
    votes = numpy.random.default_rng(3).integers(1, 4, (40, 5)).tolist()
    got = score(voted(tmp_path / "r_results.json", votes), "--rules", "assay")["metrics"]
    for k in range(1, 6):
        scores = [numpy.mean([majority([row[r] for r in runs]) == 2 for row in votes])
                  for runs in itertools.combinations(range(5), k)]
        assert got["majority_at"][k - 1] == pytest.approx(numpy.mean(scores), abs=1e-12)
        assert got["majority_subsets"][k - 1] == len(scores)
        assert got["majority_at_std"][k - 1] == (
            pytest.approx(numpy.std(scores, ddof=1), abs=1e-12) if len(scores) > 1 else None)
    by_run = [numpy.mean([row[r] == 2 for row in votes]) for r in range(5)]
    assert (got["run_scores"] == pytest.approx(by_run)
            and got["majority_at"][0] == pytest.approx(numpy.mean(by_run)))
    assert got["majority_at"][4] == got["point_estimate"]
    line = next(line
                for line in assay("qa", "score", tmp_path / "r_results.json").stdout.splitlines()
                if "maj@1" in line)
    assert (
        f"maj@1 {numpy.mean(by_run) * 100:.1f} ± {numpy.std(by_run, ddof=1) * 100:.1f} %" in line
        and "subsets of 5 runs" in line
    )


def test_runs_that_only_some_questions_have_do_not_vote(tmp_path):
    got = score(voted(tmp_path / "r_results.json", [[1, 2, 2], [2, 2]]), "--rules",
                "assay")["metrics"]
    assert (len(got["majority_at"]), got["runs_left_out"], got["run_scores"]) == (2, 1, [0.5, 1.0])
    assert ("without 1 run that only some questions have"
            in assay("qa", "score", tmp_path / "r_results.json").stdout)


def test_compare_is_mcnemar_and_a_paired_bootstrap(tmp_path):
    a, first, truths = random_run(tmp_path / "a_results.json", 1, right=0.5, model="a")
    b, second, _ = random_run(tmp_path / "b_results.json", 2, right=0.7, model="b")
    questions = table(tmp_path / "t.csv", len(truths), 40)
    done = strict(assay("qa", "compare", a, b, "--table", questions, "--json").stdout)
    got = done["benchmarks"][0]
    x, y = first == truths, second == truths
    only_first, only_second = int((x & ~y).sum()), int((~x & y).sum())
    assert ((got["all"]["only_first_right"], got["all"]["only_second_right"])
            == (only_first, only_second))
    assert (got["all"]["mcnemar"]["p_value"]
            == pytest.approx(scipy.stats.binomtest(only_first, only_first + only_second).pvalue))
    chance, n = numpy.random.default_rng(42), len(truths)
    values = [float(numpy.mean(y[d])) - float(numpy.mean(x[d]))
              for d in (chance.choice(n, size=n) for _ in range(1000))]
    assert got["all"]["difference"]["mean"] == pytest.approx(numpy.mean(values), abs=1e-14)
    assert got["all"]["difference"]["std"] == pytest.approx(numpy.std(values, ddof=1), abs=1e-14)
    assert got["all"]["difference_by_slide"]["point"] == got["all"]["difference"]["point"]
    assert (len(got["flips"]["lost"]), len(got["flips"]["won"])) == (only_first, only_second)
    both = (first != -1) & (second != -1)
    assert (got["scored_by_both"]["n"] == both.sum()
            and got["scored_by_both"]["first"] == pytest.approx(x[both].mean()))
    rows = list(csv.DictReader(assay("qa", "compare", a, b, "--format", "csv").stdout.splitlines()))
    assert len(rows) == only_first + only_second
    assert assay("qa", "compare", a, b, "--format",
                 "markdown").stdout.startswith("| benchmark | n |")
    assert "| 99 % CI |" in assay("qa", "compare", a, b, "--format", "markdown", "--alpha",
                                  "0.01").stdout


def rare_class(path, labels, model):
    """Balanced accuracy (tcga): 90 questions of a common class, 10 of each of three rare ones."""
    truths = [1] * 90 + [2] * 10 + [3] * 10 + [4] * 10
    return write(path,
                 [result(str(i), str(l), l, t)
                  for i, (l, t) in enumerate(zip(labels(truths), truths))], benchmark="tcga",
                 model=model)


def test_compare_tests_the_metric_that_it_reports(tmp_path):
    """The second run gains on the common class and loses on the rare ones: accuracy is equal,
    balanced accuracy is not."""
    a = rare_class(tmp_path / "a_results.json",
                   lambda truths: [2 if i < 18 else t for i, t in enumerate(truths)], "a")
    b = rare_class(tmp_path / "b_results.json",
                   lambda truths: [1 if i >= 90 and i % 10 < 6 else t
                                   for i, t in enumerate(truths)], "b")
    got = strict(assay("qa", "compare", a, b, "--json").stdout)["benchmarks"][0]["all"]
    assert (got["mcnemar"]["p_value"] == 1.0
            and got["difference"]["point"] == pytest.approx((0.2 - 3 * 0.6) / 4))
    test = got["test"]
    assert ((test["name"], test["unit"], test["units"], test["is_significant"])
            == ("stratified sign-flip test", "question", 36, True))
    assert test["p_value"] < 1e-3 and got["difference_interval"][1] < 0
    chance = numpy.random.default_rng(1)
    units = numpy.r_[numpy.full(18, 1 / 90), numpy.full(18, -1 / 10)]
    flips = (numpy.abs((chance.integers(0, 2, (200000, 36)) * 2 - 1) @ units)
             >= abs(units.sum()) - 1e-9)
    assert test["p_value"] == pytest.approx(flips.mean(), abs=5e-4)
    text = assay("qa", "compare", a, b).stdout
    assert ("stratified sign-flip test of balanced accuracy: p = " in text
            and "; b is worse" in text
            and "McNemar" not in text)


def test_compare_flips_slides_that_have_several_questions(tmp_path):
    """Two slides of 30 questions decide: as 60 questions significant, as two slides not."""
    n, slides = 240, 8
    truths = numpy.random.default_rng(0).integers(1, 5, n)
    labels = lambda right: [result(str(i), "", int(t if right(i % slides) else t % 4 + 1), int(t))
                            for i, t in enumerate(truths)]
    a = write(tmp_path / "a_results.json", labels(lambda slide: slide > 2), model="a")
    b = write(tmp_path / "b_results.json", labels(lambda slide: slide > 0), model="b")
    questions = table(tmp_path / "t.csv", n, slides)
    got = strict(assay("qa", "compare", a, b, "--table", questions,
                       "--json").stdout)["benchmarks"][0]["all"]
    assert (got["mcnemar"]["p_value"] < 1e-15
            and (got["test"]["name"], got["test"]["unit"]) == ("clustered McNemar test", "slide"))
    assert ((got["test"]["units"], got["test"]["p_value"], got["test"]["least_p_value"])
            == (2, 0.5, 0.5))
    low, high = got["difference_interval"]
    assert low <= 0 < 0.25 < high
    text = assay("qa", "compare", a, b, "--table", questions).stdout
    assert (
        "no difference can be shown, because only 2 slides tell them apart and p cannot fall below"
        " 0.500"
        in text
    )


def test_compare_corrects_over_benchmarks(tmp_path):
    raw = []
    for side, right in (("a", 0.5), ("b", 0.66)):
        (tmp_path / side).mkdir()
        for seed, benchmark in enumerate(["one", "two", "three"]):
            random_run(tmp_path / side / f"{benchmark}_results.json", 10 * seed + (side == "b"),
                       right=right, benchmark=benchmark, model=side)
    done = strict(assay("qa", "compare", tmp_path / "a", tmp_path / "b", "--json").stdout)
    raw = [each["all"]["test"]["p_value"] for each in done["benchmarks"]]
    order, running, want = numpy.argsort(raw), 0.0, [0.0] * 3
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (3 - rank) * raw[i]))
        want[i] = running
    assert ([each["all"]["test"]["corrected_p_value"] for each in done["benchmarks"]]
            == pytest.approx(want))
    assert (done["settings"]["correction"], done["settings"]["family"],
            done["settings"]["alpha"]) == ("holm", 3, 0.05)
    text = assay("qa", "compare", tmp_path / "a", tmp_path / "b").stdout
    assert text.count("after Holm's correction for 3 benchmarks") >= 3
    assert "--alpha must" in assay("qa", "compare", tmp_path / "a", tmp_path / "b", "--alpha", "1",
                                   status=2).stderr


@pytest.mark.parametrize("first, second, names", [
    ("a/m_results.json", "b/m_results.json", ["m (a/m_results.json)", "m (b/m_results.json)"]),
    ("a", "b/", ["m (a)", "m (b)"]),
    ("a", "./a", ["m (first)", "m (second)"]),
])
def test_runs_of_one_model_are_told_apart(tmp_path, first, second, names):
    for seed, folder in enumerate("ab"):
        (tmp_path / folder).mkdir()
        random_run(tmp_path / folder / "m_results.json", seed, n=20)
    runs = [f"{tmp_path}/{first}", f"{tmp_path}/{second}"]
    got = strict(assay("qa", "compare", *runs, "--json").stdout)["benchmarks"][0]
    assert [got["first"], got["second"]] == names
    heading = [n if n.endswith(f"({place})") else f"{n} ({place})"
               for n, place in zip(names, ("first", "second"))]
    assert f"{heading[1]} against {heading[0]}" in assay("qa", "compare", *runs).stdout


def test_compare_refuses_different_items(tmp_path):
    a, _, _ = random_run(tmp_path / "a_results.json", 1, n=20)
    b, _, _ = random_run(tmp_path / "b_results.json", 1, n=19)
    assert "--intersect" in assay("qa", "compare", a, b, status=2).stderr
    got = strict(assay("qa", "compare", a, b, "--intersect", "--json").stdout)["benchmarks"][0]
    assert (got["all"]["n"], got["left_out"]["only_first"]) == (19, ["19"])
    other = write(tmp_path / "c_results.json", [result("1", "1", 1, 1)], benchmark="tcga")
    assert "only" in assay("qa", "compare", a, other, status=2).stderr


def test_the_authors_lines(tmp_path):
    questions = table(tmp_path / "t.csv", 2, 2)
    truth = int(numpy.random.default_rng(0).integers(1, 5, 2)[0])
    lines = tmp_path / "run.jsonl"
    lines.write_text(json.dumps({"benchmark": "tcga_slidebench", "conv_id": "0", "status": "ok",
                                 "prediction": OPTIONS[truth - 1]}) + "\n")
    assert "--table" in assay("qa", "score", lines, status=2).stderr
    got = score(lines, "--table", questions, status=3)
    assert ((got["ledger"]["scored"], got["ledger"]["skipped"], got["results"][0]["correct"])
            == (1, 1, True))


def test_the_published_table_is_scored_at_once(tmp_path):
    questions = real_data("multipathqa/MultiPathQA.csv")
    lines = tmp_path / "run.jsonl"
    with open(questions, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))

    def answered(row):
        key = "isup_grade" if row["benchmark_name"] == "panda" else "answer"
        return {"benchmark": row["benchmark_name"], "conv_id": row["benchmark_id"], "status": "ok",
                "prediction": json.dumps({key: row["answer"]})}

    lines.write_text("".join(json.dumps(answered(row)) + "\n" for row in rows))
    got = score(lines, "--table", questions)
    assert [each["metrics"]["point_estimate"] for each in got["benchmarks"]] == [1.0] * 5
    assert sum(each["ledger"]["expected"] for each in got["benchmarks"]) == 934
    assay("qa", "score", lines, "--table", questions, "--out", tmp_path / "run", "--quiet")
    assay("qa", "score", tmp_path / "run", "--quiet")

"""assay parity: the paper's numbers, reached or not, and why; alias validate."""
import csv, io, json, re

import numpy
import pytest
import scipy.stats

from support import assay, cohort, real_data, strict, vectors

PAPER = {"test_mean_dice": 0.876, "test_std_dice": 0.016, "test_mean_avd": 0.245,
         "test_mean_mcc": 0.760}
NOISE = re.compile(r"terminate|what\(\)|std::|Traceback|nlohmann|should not have "
                   r"happened|exception", re.I)


def results(folder, content, name="results.json"):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def summary(folder, **changes):
    return results(folder, {"summary": {**PAPER, **changes}})


def parity(path, *arguments, status=0):
    return strict(assay("parity", path, "--json", *arguments, status=status).stdout)


# ---- The level -----------------------------------------------------------------------------------

@pytest.mark.parametrize("command", ["parity", "validate"])
def test_the_papers_own_numbers_are_strict(tmp_path, command):
    done = assay(command, summary(tmp_path))
    assert "Parity level: STRICT" in done.stdout and done.stderr == ""


def test_the_result_has_the_contracts_names(tmp_path):
    found = parity(summary(tmp_path, test_mean_avd=0.30))
    assert found["schema"] == "assay.parity/1" and found["model"] == "meshnet_26"
    assert found["parity_level"] == "acceptable" and found["meets_or_exceeds"] is False
    assert ([found[key] for key in ("dice_mean", "dice_std", "avd_mean", "mcc_mean")]
            == [0.876, 0.016, 0.30, 0.76])
    details = found["details"]
    assert list(details) == ["dice", "dice_std", "avd", "mcc"]
    assert (details["avd"]["diff"] == 0.30 - 0.245
            and details["avd"]["pct_diff"] == 100 * (0.30 - 0.245) / 0.245)
    assert (details["dice"]["minimum"] is True
            and details["dice_std"] == {"achieved": 0.016, "paper": 0.016, "acceptable": True})
    assert found["sources"]["avd"] == {"value": 0.3, "place": "summary.test_mean_avd",
                                       "missing": None}
    assert ({"explanation", "checklist", "comparison", "macro", "benchmark_table", "spreads"}
            <= set(found))


@pytest.mark.parametrize("compat", [False, True], ids=["assay", "spec"])
def test_every_vector_through_the_program(tmp_path, compat):
    for case in vectors("specification-reference")["parity"]:
        path = results(tmp_path, {"summary": case["summary"]})
        found = parity(path, "--variant", case["variant"],
                       *(["--compat", "spec"] if compat else []))
        assert found["parity_level"] == case["level"]
        for metric, wanted in case["details"].items():
            assert {key: found["details"][metric][key] for key in wanted} == wanted


@pytest.mark.parametrize("field, value, raw",
                         [("test_mean_dice", 0.886, "acceptable"),
                          ("test_mean_dice", 0.866, "acceptable"),
                          ("test_mean_avd", 0.265, "acceptable"),
                          ("test_mean_avd", 0.225, "strict"),
                          ("test_mean_mcc", 0.780, "acceptable"),
                          ("test_mean_mcc", 0.740, "acceptable")])
def test_bounds_are_inclusive(tmp_path, field, value, raw):
    path = summary(tmp_path, **{field: value})
    assert parity(path)["parity_level"] == "strict"
    assert parity(path, "--compat", "spec")["parity_level"] == raw


def test_require_answers_with_the_exit_status(tmp_path):
    path = summary(tmp_path, test_mean_avd=0.30)
    assay("parity", path, "--require", "acceptable")
    assay("parity", path, "--require", "minimum", "--quiet")
    done = assay("parity", path, "--require", "strict", "--quiet", status=1)
    assert done.stdout == "" and done.stderr == "required: strict, found: acceptable\n"


# ---- What is missing -----------------------------------------------------------------------------

@pytest.mark.parametrize("content",
                         [{}, {"summary": {}}, {"foo": 1}, {"summary": {"test_mean_dice": 0.876}}])
def test_nothing_is_invented(tmp_path, content):
    path = results(tmp_path, content)
    found = parity(path)
    assert (found["parity_level"] == "not_assessable" and found["avd_mean"] is None
            and found["meets_or_exceeds"] is None)
    assay("parity", path, "--require", "minimum", status=1)


@pytest.mark.parametrize("token", ["Infinity", "NaN", "-Infinity", "null", '"0.2"', "true"])
def test_a_value_that_is_none_is_named(tmp_path, token):
    path = results(tmp_path,
                   json.dumps({"summary": {**PAPER, "test_mean_avd": "X"}}).replace('"X"', token))
    found = parity(path)
    assert found["parity_level"] == "not_assessable" and found["avd_mean"] is None
    assert found["sources"]["avd"]["missing"].startswith("summary.test_mean_avd is ")
    assert any("summary.test_mean_avd is " in text for text in found["explanation"])


def test_compat_invents_as_specified_and_says_so(tmp_path):
    path = results(tmp_path, {"summary": {"mean_dice": 0.876}})
    done = assay("validate", path, "--compat", "spec", "--json")
    found = json.loads(done.stdout)
    assert ((found["avd_mean"], found["mcc_mean"], found["dice_std"], found["parity_level"])
            == (0.3, 0.7, 0.0, "minimum"))
    assert done.stderr.count("nobody measured") == 3
    assert "stops there" in assay("validate", results(tmp_path, {"test_mean_dice": 0.8}),
                                  "--compat", "spec", status=2).stderr


# ---- Where the numbers stand ---------------------------------------------------------------------

def experiment():
    """3 outer folds, 2 restarts, 5 subjects each, as the original system writes them."""
    rng, folds = numpy.random.default_rng(7), []
    for fold in range(3):
        runs = []
        for restart in range(2):
            dice = rng.normal(0.87, 0.2, 5)
            runs.append({"outer_fold": fold, "restart": restart, "test_dice": dice.mean(),
                         "test_avd": 0.25, "test_mcc": 0.76, "per_subject_dice": dice.tolist(),
                         "subject_ids": [f"sub-{fold}{i}" for i in range(5)]})
        folds.append({"outer_fold": fold, "runs": runs})
    return {"config": {"parameters": 147474, "dilations": [1, 2, 4, 8, 16, 16, 8, 4, 2, 1]},
            "folds": folds}


def test_spreads_are_numpys_and_named(tmp_path):
    content = experiment()
    found = parity(results(tmp_path, content))
    runs = [[run["test_dice"] for run in fold["runs"]] for fold in content["folds"]]
    subjects = [numpy.mean([run["per_subject_dice"] for run in fold["runs"]], axis=0)
                for fold in content["folds"]]
    spreads = {each["over"]: each for each in found["spreads"]}
    assert (spreads["runs"]["std"] == pytest.approx(numpy.std(runs), rel=1e-14)
            and spreads["runs"]["used"])
    assert spreads["outer_folds"]["std"] == pytest.approx(
        numpy.std(numpy.mean(runs, axis=1)), rel=1e-14)
    assert spreads["subjects"]["std"] == pytest.approx(numpy.std(subjects), rel=1e-14)
    assert [spreads[over]["n"] for over in ("subjects", "runs", "outer_folds")] == [15, 6, 3]
    assert (found["comparison"]["over"] == "subjects"
            and found["comparison"]["our_mean"] == pytest.approx(numpy.mean(subjects)))
    assert [item["answer"] for item in found["minimum_viable"]][1:] == ["yes", "yes"]
    assert [item["answer"] for item in found["checklist"]][2:5] == ["no", "yes", "yes"]
    assert (found["efficiency"]["dice_per_million_parameters"]
            == pytest.approx(found["dice_mean"] / 0.147474))


def test_a_real_run(tmp_path):
    path = real_data("arc-runs/fold_0_restart_0/results.json")
    run = json.loads(path.read_text())
    found = parity(path)
    assert found["parity_level"] == "failed" and found["dice_mean"] == run["test_dice"]
    assert found["dice_std"] == pytest.approx(numpy.std(run["per_subject_dice"]), rel=1e-14)
    assert (found["sources"]["dice_std"]["over"] == "subjects"
            and found["sources"]["dice_std"]["n"] == 75)
    assert (found["consistency"]["achieved"]["as_foreground"]
            and not found["consistency"]["paper"]["as_foreground"])
    low, high = found["macro"]["estimated"]
    assert 0.82 < low < high < 0.84 and found["macro"]["measured"] is False
    assert found["comparison"]["verdict"] == "different" and found["comparison"]["n"] == 75


def test_two_real_runs_by_hand(tmp_path):
    runs = [json.loads(real_data(f"arc-runs/fold_0_restart_{i}/results.json").read_text())
            for i in (0, 1)]
    found = parity(results(tmp_path, {"folds": [{"outer_fold": 0, "runs": runs}]}))
    assert found["dice_mean"] == pytest.approx(numpy.mean([run["test_dice"] for run in runs]))
    assert (found["sources"]["dice_std"]["over"] == "runs"
            and found["details"]["dice_std"]["acceptable"])
    pooled = numpy.mean([run["per_subject_dice"] for run in runs], axis=0)
    assert found["comparison"]["our_std"] == pytest.approx(numpy.std(pooled))


@pytest.mark.parametrize("restarts", ["mean", "best"])
def test_what_folds_writes(tmp_path, restarts):
    assay("folds", real_data("arc-runs"), "--restarts", restarts, "--out", tmp_path / "e.json",
          "--quiet")
    folds = json.loads((tmp_path / "e.json").read_text())["summary"]
    done = assay("parity", tmp_path / "e.json", "--json")
    found = strict(done.stdout)
    assert (found["dice_mean"] == folds["test_mean_dice"]
            and found["dice_std"] == folds["test_std_dice_per_run"])
    assert ({each["over"]: each["std"] for each in found["spreads"]}["subjects"]
            == folds["test_std_dice"])
    assert found["comparison"]["our_std"] == pytest.approx(folds["test_std_dice"])
    assert ("optimistic" in done.stderr) == (restarts == "best")


def test_folds_and_parity_name_the_sd_over_runs(tmp_path):
    screen = assay("folds", real_data("arc-runs"), "--out", tmp_path / "e.json").stdout
    spread = json.loads((tmp_path / "e.json").read_text())["summary"]["spread"]["runs"]["dice"]
    text = assay("parity", tmp_path / "e.json").stdout
    found = next(x for x in strict(assay("parity", tmp_path / "e.json", "--json").stdout)["spreads"]
                 if x["over"] == "runs")
    assert (found["ddof"], spread["ddof"]) == (0, 1) and found["std"] < spread["std"]
    assert found["std_ddof_1"] == pytest.approx(spread["std"])
    assert f"over runs, n = {spread['n']}, ddof 0 as specified" in text
    assert f"With ddof 1, as 'assay folds' prints it, it is {spread['std']:.4f}." in text
    assert "Every SD here has ddof 1; 'assay parity' judges the SD over runs with ddof 0" in screen
    assert f"specified: {found['std']:.3f}." in screen


# ---- Against the paper's mean --------------------------------------------------------------------

def scored(folder, dice):
    dice = [float(value) for value in dice]
    return results(folder,
                   {"dice": {"mean": numpy.mean(dice), "std": numpy.std(dice), "values": dice},
                    "avd": {"mean": 0.245}, "mcc": {"mean": 0.76}})


def skewed(mean, n=150):
    """Most cases high, one in eight a failure: the median is far above the mean."""
    values = [0.3 if i % 8 == 0 else 0.9 + 0.0005 * (i % 50) for i in range(n)]
    return numpy.array(values) + mean - numpy.mean(values)


def test_a_mean_on_the_papers_is_not_different(tmp_path):
    path = scored(tmp_path, skewed(0.876))
    found = parity(path)["comparison"]
    assert ((found["verdict"], found["significant"], found["test_type"], found["method"])
            == ("inconclusive", False, "bootstrap-t", "bootstrap-t"))
    assert found["difference"] == pytest.approx(0, abs=1e-12) and found["p_value"] > 0.5
    assert found["interval"][0] < 0 < found["interval"][1] and found["wilcoxon_statistic"] is None
    assert found["interval"][0] < found["tost_interval"][0] < found["tost_interval"][1] < found[
        "interval"][1]
    specified = parity(path, "--compat", "spec")["comparison"]
    assert (specified["test_type"] == "Wilcoxon signed-rank" and specified["p_value"] < 1e-6
            and specified["verdict"] == "different")


def test_failures_are_not_equivalent(tmp_path):
    path = scored(tmp_path,
                  [0.0 if i % 15 == 0 else 0.876 + 0.0001 * (i % 7 - 3) for i in range(90)])
    assert parity(path, "--compat", "spec")["comparison"]["verdict"] == "equivalent"
    found = parity(path)["comparison"]
    assert (found["our_mean"] == pytest.approx(0.8176, abs=1e-3)
            and found["verdict"] != "equivalent"
            and found["tost_p_value"] > 0.05)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_no_verdict_below_six(tmp_path, n):
    path = scored(tmp_path, [0.60 + 0.001 * i for i in range(n)])
    done = assay("parity", path)
    assert (f"no verdict is given below 6 values, and there {'is' if n == 1 else 'are'} {n}"
            in done.stdout)
    found = parity(path)
    assert ((found["comparison"]["verdict"], found["comparison"]["interval"])
            == ("inconclusive", None))
    assert found["checklist"][-1]["answer"] == "cannot_be_checked"


def test_the_papers_own_error_counts(tmp_path):
    path = scored(tmp_path, skewed(0.84, 80))
    exact = parity(path)
    assert any("taken as exact, because the number of values in it is not known" in text
               for text in exact["explanation"])
    paper = results(tmp_path, {"net": {"dice_mean": 0.876, "dice_std": 0.2, "dice_n": 80}},
                    "paper.json")
    found = parity(path, "--paper", paper)
    welch = scipy.stats.ttest_ind_from_stats(
        0.84, numpy.std(skewed(0.84, 80), ddof=1), 80, 0.876, 0.2, 80, equal_var=False)
    assert (found["comparison"]["test_type"] == "Welch's t"
            and found["comparison"]["p_value"] == pytest.approx(welch.pvalue, rel=1e-9))
    assert found["paper"]["dice_n"] == found["comparison"]["paper_n"] == 80
    assert parity(path, "--paper-n", "30")["comparison"]["test_type"] == "Welch's t"
    for few in ("0", "1"):
        assert ("--paper-n must be 2 or more"
                in assay("parity", path, "--paper-n", few, status=2).stderr)
    wrong = results(tmp_path, {"net": {"dice_mean": 0.876, "dice_n": 1.5}}, "paper.json")
    assert ("dice_n is not a whole number of 2 or more"
            in assay("parity", path, "--paper", wrong, status=2).stderr)


def test_any_number_of_threads_gives_the_same(tmp_path):
    path = scored(tmp_path, skewed(0.85))
    assert parity(path, "--jobs", "1")["comparison"] == parity(path, "--jobs", "3")["comparison"]


# ---- Papers --------------------------------------------------------------------------------------

def test_the_list_is_the_reference_file():
    rows = json.loads(real_data("paper_reference_values.json").read_text())["meshnet_paper_table1"]
    found = strict(assay("parity", "--list", "--json").stdout)["models"]
    assert len(found) == len(rows) == 14
    for mine, row in zip(found, rows):
        for key in ("model", "parameters", "dice_mean", "dice_std", "avd_mean", "avd_std",
                    "mcc_mean", "mcc_std"):
            assert mine[key] == row[key]
        assert ([mine[f"{m}_differs"] for m in ("dice", "avd", "mcc")]
                == [bool(row[f"{m}_sig"]) for m in ("dice", "avd", "mcc")])
        assert (mine["dice_per_million_parameters"]
                == pytest.approx(row["dice_mean"] / row["parameters"] * 1e6))


@pytest.mark.parametrize("form, start",
                         [("table", "key "), ("markdown", "| key |"), ("latex", "% needs"),
                          ("csv", "key,model,")])
def test_the_list_in_every_form(tmp_path, form, start):
    text = assay("parity", "--list", "--format", form).stdout
    assert text.startswith(start) and text.count("MeshNet-16") == 1
    if form == "csv":
        assert [row["key"] for row in csv.DictReader(io.StringIO(text))][-1] == "v_net"
    assay("parity", "--list", "--format", form, "--out", tmp_path / "out")
    assert (tmp_path / "out").read_text() == text


def test_another_paper(tmp_path):
    paper = results(tmp_path,
                    {"net": {"parameters": 10, "dice_mean": 0.70, "dice_std": 0.05},
                     "other": {"dice_mean": 0.5}, "tolerances": {"dice": 0.02},
                     "limits": {"acceptable": {"dice": 0.65}, "minimum": {"dice": 0.6}}},
                    "paper.json")
    path = summary(tmp_path, test_mean_dice=0.69)
    assert parity(path, "--paper", paper)["parity_level"] == "strict"
    assert parity(path, "--paper", paper, "--variant", "other")["parity_level"] == "acceptable"
    assert ("did you mean 'other'? (known: net, other)"
            in assay("parity", path, "--paper", paper, "--variant", "othr", status=2).stderr)
    assert "paper.json: no published models" in assay(
        "parity", path, "--paper", results(tmp_path, {}, "paper.json"), status=2).stderr


# ---- Files ---------------------------------------------------------------------------------------

def test_out_and_output_are_one_option(tmp_path):
    path = summary(tmp_path)
    assay("parity", path, "--output", tmp_path / "a.md")
    assay("parity", path, "--out", tmp_path / "b.md", "--quiet")
    table = (tmp_path / "a.md").read_text()
    assert (table == (tmp_path / "b.md").read_text()
            and table.splitlines()[-1].endswith("| 0.876 (0.016) | 0.245 | 0.760 | strict |"))
    assay("parity", path, "--out", tmp_path / "c.json")
    assert strict((tmp_path / "c.json").read_text())["benchmark_table"] + "\n" == table
    assert "name different files" in assay("parity", path, "--out", "x", "--output", "y",
                                           cwd=tmp_path, status=2).stderr
    assert "is an input" in assay("parity", path, "--out", path, status=2).stderr


def test_the_same_input_gives_the_same_bytes(tmp_path):
    path = results(tmp_path, experiment())
    texts = [assay("parity", path, "--json", "--anonymous").stdout.rpartition('"provenance"')[0]
             for _ in range(2)]
    assert texts[0] == texts[1] != ""


def test_a_model_description_beside(tmp_path):
    model = results(tmp_path, {"model": {"parameters": 147473, "layers": [{"dilation": 1}]}},
                    "model.json")
    found = parity(summary(tmp_path), "--model-json", model)
    assert [item["answer"] for item in found["minimum_viable"]] == ["yes", "no", "no"]


# ---- Bad input -----------------------------------------------------------------------------------

@pytest.mark.parametrize("content, said",
                         [
                             ('{"summary": {"test_mean_dice": 0.8',
                              "not valid JSON at line 1, column"), ("", "not valid JSON"),
                             ("[1, 2]", "not an object of results"),
                             ('{"schema": "assay.comparison/1"}', "holds 'assay.comparison/1'"),
                             (b"\xff\xfe\x00".decode("latin1"), "not valid JSON")])
def test_a_file_that_is_none(tmp_path, content, said):
    done = assay("parity", results(tmp_path, content), "--out", tmp_path / "out.json", status=2)
    assert said in done.stderr and "results.json" in done.stderr and done.stdout == ""
    assert (len(done.stderr.splitlines()) == 1 and not NOISE.search(done.stderr)
            and not (tmp_path / "out.json").exists())


@pytest.mark.parametrize("arguments, said",
                         [
                             (["absent.json"], "absent.json"), ([], "give a results file"),
                             (["results.json", "--variant", "meshnet_62"],
                              "meshnet_26, meshnet_16"),
                             (["results.json", "--require", "failed"],
                              "is not one of strict|acceptable|minimum"),
                             (["results.json", "--alpha", "2"], "--alpha must"),
                             (["results.json", "--margin", "0"], "--margin must"),
                             (["results.json", "--format", "csv"], "needs --list"),
                             (["results.json", "--paper", "absent.json"], "absent.json"),
                             (["results.json", "--model-json", "results.json"],
                              "has none of parameters")])
def test_wrong_usage(tmp_path, arguments, said):
    summary(tmp_path)
    done = assay("parity", *arguments, cwd=tmp_path, status=2)
    assert said in done.stderr and done.stdout == "" and not NOISE.search(done.stderr)


def test_names_from_files_cannot_drive_a_terminal(tmp_path):
    paper = results(tmp_path, {"\x1b[31mnet": {"dice_mean": 0.7}}, "paper.json")
    done = assay("parity", summary(tmp_path), "--paper", paper)
    assert "\x1b" not in done.stdout + done.stderr


def test_macro_dice_follows_from_stored_counts(tmp_path):
    """The default metrics do not have dice_macro; the counts of every case do."""
    pred, ref = cohort(tmp_path, ["a", "b", "c"])
    assay("score", pred, ref, "--out", tmp_path / "plain.json")
    assay("score", pred, ref, "--metrics", "paper", "--out", tmp_path / "paper.json")
    plain, paper = (strict(assay("parity", tmp_path / f"{name}.json", "--json").stdout)["macro"]
                    for name in ("plain", "paper"))
    assert plain["measured"] and plain["dice_macro"] == paper["dice_macro"]
    assert plain["dice_std"] == pytest.approx(paper["dice_std"], rel=1e-12)

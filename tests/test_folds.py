"""assay folds: runs of a cross-validation against an independent NumPy computation, and bad
trees."""
import json, math, os, shutil

import numpy
import pytest

from support import assay, listing, real_data, strict, without_provenance

METRICS = ("dice", "avd", "mcc")


def write_run(folder, outer, restart, ids, seed=None, **changes):
    """A run as the original system writes it; `changes` replace or (None) drop fields."""
    random = numpy.random.default_rng([outer, restart] if seed is None else seed)
    lists = {f"per_subject_{metric}": random.random(len(ids)).tolist() for metric in METRICS}
    run = {"outer_fold": outer, "restart": restart, "seed": 42 + restart, "final_train_loss": 0.06,
           "checkpoint_path": "final.pt", "duration_seconds": 12.5, **lists,
           "subject_indices": list(range(len(ids))), "subject_ids": list(ids)}
    run |= {f"test_{metric}": float(numpy.mean(lists[f"per_subject_{metric}"]))
            for metric in METRICS}
    run = {key: value for key, value in (run | changes).items() if value is not None}
    path = folder / f"fold_{outer}_restart_{restart}" / "results.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run))
    return run


def ids(outer, count=5):
    return [f"sub-{outer}{i}" for i in range(count)]


def experiment(folder, folds=3, restarts=4):
    """Folds of different sizes."""
    return {o: [write_run(folder, o, r, ids(o, 5 + o)) for r in range(restarts)]
            for o in range(folds)}


def folds(*arguments, status=0):
    return strict(assay("folds", *arguments, "--json", status=status).stdout)


def expected(runs, metric, rule=numpy.mean):
    """The spreads by their definitions: (values over subjects, over runs, over outer folds, within
    folds)."""
    key = f"per_subject_{metric}"
    subjects, means, of_folds, squares, degrees = [], [], [], 0, 0
    for outer in sorted(runs):
        table = numpy.array([[dict(zip(run["subject_ids"], run[key]))[i]
                              for i in runs[outer][0]["subject_ids"]]
                             for run in runs[outer]], float)
        subjects.append(rule(table, axis=0))
        of_folds.append(subjects[-1].mean())
        means.append(table.mean(axis=1))
        squares += ((means[-1] - means[-1].mean()) ** 2).sum()
        degrees += len(table) - 1
    return (numpy.concatenate(subjects), numpy.concatenate(means), numpy.array(of_folds),
            math.sqrt(squares / degrees))


def check(result, runs, rule=numpy.mean):
    summary, near = result["summary"], lambda x: pytest.approx(x, rel=1e-12, abs=1e-15)
    for metric in METRICS:
        subjects, means, of_folds, within = expected(runs, metric, rule)
        assert summary[f"test_mean_{metric}"] == near(subjects.mean())
        assert summary[f"test_std_{metric}"] == near(subjects.std())
        assert summary[f"test_median_{metric}"] == near(numpy.median(subjects))
        assert summary[f"test_iqr_{metric}"] == near(numpy.percentile(subjects, [25, 75]).tolist())
        assert summary[f"test_mean_{metric}_per_run"] == near(means.mean())
        assert summary[f"test_std_{metric}_per_run"] == near(means.std())
        for name, values in (("subjects", subjects), ("runs", means), ("outer_folds", of_folds)):
            spread = summary["spread"][name][metric]
            assert (spread["n"], spread["ddof"], spread["undefined"]) == (len(values), 1, 0)
            assert spread["mean"] == near(values.mean())
            assert spread["std"] == (near(values.std(ddof=1)) if len(values) > 1 else None)
        assert summary["spread"]["restarts"][metric]["std"] == near(within)
    assert summary["num_test_subjects"] == len(result["cases"]) == len(expected(runs, "dice")[0])


@pytest.mark.parametrize("name, rule", [("mean", numpy.mean), ("median", numpy.median)])
def test_the_real_runs_equal_numpy(name, rule):
    folder = real_data("arc-runs")
    runs = {0: [json.loads(path.read_text()) for path in sorted(folder.glob("*/results.json"))]}
    result = folds(folder, "--restarts", name)
    check(result, runs, rule)
    assert result["ledger"]["expected"] == result["ledger"]["read"] == 2
    assert len(result["cases"]) == 75 and result["model_name"] == "arc-runs"


def test_the_best_real_restart_is_optimistic():
    result = folds(real_data("arc-runs"), "--restarts", "best")
    first = result["folds"][0]
    assert (first["chosen_restart"] == 0
            and result["summary"]["test_mean_dice"] == first["best_dice"])
    assert result["summary"]["test_mean_dice"] > result["summary"]["test_mean_dice_per_run"]
    assert (result["summary"]["optimistic"] is True
            and any("optimistic" in note for note in result["notes"]))


@pytest.mark.parametrize("name, rule", [("mean", numpy.mean), ("median", numpy.median)])
def test_an_experiment_of_three_folds_equals_numpy(tmp_path, name, rule):
    runs = experiment(tmp_path)
    result = folds(tmp_path, "--restarts", name)
    check(result, runs, rule)
    for fold in result["folds"]:
        means = [run["test_dice"] for run in runs[fold["outer_fold"]]]
        assert fold["num_restarts"] == 4
        assert fold["mean_dice"] == pytest.approx(numpy.mean(means), rel=1e-12)
        assert fold["std_dice"] == pytest.approx(numpy.std(means), rel=1e-12)
        assert fold["best_dice"] == max(run["test_dice"] for run in fold["runs"])
        for run, source in zip(fold["runs"], runs[fold["outer_fold"]]):
            for key in ("outer_fold", "restart", "seed", "subject_ids", "per_subject_avd",
                        "final_train_loss"):
                assert run[key] == source[key]


def test_best_takes_the_restart_with_the_highest_mean_dice(tmp_path):
    runs = experiment(tmp_path)
    result = folds(tmp_path, "--restarts", "best")
    values = {case["id"]: case for case in result["cases"]}
    for outer, of_fold in runs.items():
        best = max(of_fold, key=lambda run: run["test_dice"])
        assert result["folds"][outer]["chosen_restart"] == best["restart"]
        for i, subject in enumerate(best["subject_ids"]):
            assert ([values[subject][metric] for metric in METRICS]
                    == [best[f"per_subject_{metric}"][i] for metric in METRICS])
            assert values[subject]["outer_fold"] == outer
    assert "OPTIMISTIC" in assay("folds", tmp_path, "--restarts", "best").stdout
    assert "OPTIMISTIC" not in assay("folds", tmp_path).stdout


def test_restarts_pair_by_id_and_not_by_position(tmp_path):
    first = write_run(tmp_path, 0, 0, ["a", "b"], per_subject_dice=[0.2, 0.4], test_dice=None)
    second = write_run(tmp_path, 0, 1, ["b", "a"], per_subject_dice=[0.6, 0.0], test_dice=None)
    result = folds(tmp_path)
    assert [(case["id"], case["dice"]) for case in result["cases"]] == [("a", 0.1), ("b", 0.5)]
    check(result, {0: [first, second]})


def test_indices_pair_files_without_ids(tmp_path):
    write_run(tmp_path, 0, 0, ["a", "b"], per_subject_dice=[0.2, 0.4], subject_indices=[8, 3],
              subject_ids=None)
    write_run(tmp_path, 0, 1, ["a", "b"], per_subject_dice=[0.6, 0.0], subject_indices=[3, 8],
              subject_ids=None)
    assert ([(c["id"], c["dice"]) for c in folds(tmp_path)["cases"]]
            == [("index_3", 0.5), ("index_8", 0.1)])
    write_run(tmp_path, 0, 1, ["a", "b"], subject_indices=None)
    said = assay("folds", tmp_path, status=2).stderr
    assert ("fold_0_restart_0/results.json: has no subject_ids" in said
            and "fold_0_restart_1" in said)


def test_the_same_file_again_apart_from_provenance(tmp_path):
    experiment(tmp_path / "runs")
    for name in ("a.json", "b.json"):
        assay("folds", tmp_path / "runs", "--out", tmp_path / name)
    assert without_provenance(tmp_path / "a.json") == without_provenance(tmp_path / "b.json")
    moved = shutil.copytree(tmp_path / "runs", tmp_path / "elsewhere" / "runs")
    assay("folds", moved, "--out", tmp_path / "c.json")
    assert without_provenance(tmp_path / "a.json") == without_provenance(tmp_path / "c.json")
    shas = {strict((tmp_path / f"{x}.json").read_text())["provenance"]["inputs_sha256"]
            for x in "abc"}
    assert len(shas) == 1


def test_out_is_a_file_or_a_folder_and_nothing_else_is_written(tmp_path):
    experiment(tmp_path / "runs", 1, 1)
    before = listing(tmp_path / "runs")
    assay("folds", tmp_path / "runs")
    assay("folds", tmp_path / "runs", "--out", f"{tmp_path}/made/")
    assert (listing(tmp_path / "made") == ["experiment_results.json"]
            and listing(tmp_path / "runs") == before)
    source = tmp_path / "runs/fold_0_restart_0/results.json"
    assert "is an input" in assay("folds", tmp_path / "runs", "--out", source, status=2).stderr
    quiet = assay("folds", tmp_path / "runs", "--quiet", "--out", f"{tmp_path}/made/")
    assert quiet.stdout == quiet.stderr == ""


def test_fold_folders_can_be_given_themselves(tmp_path):
    runs = experiment(tmp_path / "runs", 2, 2)
    together = folds(tmp_path / "runs")
    apart = folds(*sorted((tmp_path / "runs").iterdir()))
    assert apart["summary"] == together["summary"] and apart["model_name"] == "runs"
    check(apart, runs)
    # One folder per outer fold, as when machines share the work.
    for outer in (0, 1):
        for restart in (0, 1):
            name = f"fold_{outer}_restart_{restart}"
            shutil.copytree(tmp_path / "runs" / name, tmp_path / f"machine{outer}" / name)
    assert (folds(tmp_path / "machine0", tmp_path / "machine1", "--model", "m")["summary"]
            == together["summary"])
    assert ("outer fold 0, restart 0 is given twice"
            in assay("folds", tmp_path / "runs", tmp_path / "machine0", status=2).stderr)


def test_one_folder_per_fold_is_one_restart(tmp_path):
    write_run(tmp_path, 0, 0, ids(0))
    (tmp_path / "fold_0_restart_0").rename(tmp_path / "fold_0")
    result = folds(tmp_path)
    assert result["summary"]["spread"]["runs"]["dice"]["n"] == 1
    assert result["summary"]["test_std_dice_per_run"] is None
    assert "only one run, so the spread of training is unknown" in assay("folds", tmp_path).stdout


def write_summary(folder, fold, cases):
    """nnU-Net's summary.json of {id: {label: (tp, fp, fn, tn)}}."""
    def metrics(tp, fp, fn, tn):
        union = 2 * tp + fp + fn
        return {"Dice": 2 * tp / union if union else math.nan,
                "IoU": tp / (tp + fp + fn) if union else math.nan, "TP": tp, "FP": fp, "FN": fn,
                "TN": tn, "n_pred": tp + fp, "n_ref": tp + fn}
    listed = [{"metrics": {label: metrics(*c) for label, c in labels.items()},
               "prediction_file": f"/p/{name}.nii.gz", "reference_file": f"/r/{name}.nii.gz"}
              for name, labels in cases.items()]
    path = folder / f"fold_{fold}" / "validation" / "summary.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"foreground_mean": {}, "mean": {}, "metric_per_case": listed}))


def test_the_folds_of_nnunet_are_one_experiment(tmp_path):
    random = numpy.random.default_rng(5)
    cases = {fold: {f"case_{fold}{i}": {"1": random.integers(1, 500, 4).tolist()} for i in range(4)}
             for fold in range(5)}
    cases[2]["case_2x"] = {"1": [0, 0, 0, 1000]}  # both masks empty: NaN there
    cases[3]["case_3x"] = {"1": [0, 7, 0, 1000]}  # the reference is empty
    for fold, of_fold in cases.items():
        write_summary(tmp_path / "trainer", fold, of_fold)
    result = folds(tmp_path / "trainer")
    assert result["config"]["metrics"] == ["dice", "avd", "mcc", "dice_macro"]
    assert (result["ledger"]["read"] == 5 and len(result["cases"]) == 22
            and result["model_name"] == "trainer")
    found = {case["id"]: case for case in result["cases"]}
    for of_fold in cases.values():
        for name, labels in of_fold.items():
            tp, fp, fn, tn = labels["1"]
            if tp + fn == 0:
                continue
            assert found[name]["dice"] == 2 * tp / (2 * tp + fp + fn)
            assert found[name]["avd"] == pytest.approx(abs(fp - fn) / (tp + fn), rel=1e-12)
            both = (2 * tp / (2 * tp + fp + fn) + 2 * tn / (2 * tn + fp + fn)) / 2
            assert found[name]["dice_macro"] == pytest.approx(both, rel=1e-12)
    assert found["case_2x"]["dice"] is None and found["case_3x"]["avd"] is None
    spread = result["summary"]["spread"]
    assert spread["subjects"]["dice"]["n"] == 21 and spread["outer_folds"]["dice"]["n"] == 5
    means = [numpy.mean([found[name]["dice"] for name in of_fold
                         if found[name]["dice"] is not None])
             for of_fold in cases.values()]
    assert (spread["outer_folds"]["dice"]["std"]
            == pytest.approx(numpy.std(means, ddof=1), rel=1e-12))


def test_a_model_trained_on_all_cases_has_no_test(tmp_path):
    write_summary(tmp_path, "all", {"a": {"1": [5, 1, 1, 9]}})
    assert "fold_all: was trained on every case" in assay("folds", tmp_path, status=2).stderr
    assert ("fold_all: was trained on every case"
            in assay("folds", tmp_path / "fold_all", status=2).stderr)
    write_summary(tmp_path, 0, {"a": {"1": [5, 1, 1, 9]}})
    done = assay("folds", tmp_path, "--json")
    assert "fold_all: left out" in done.stderr and len(strict(done.stdout)["cases"]) == 1


def test_experiments_can_be_compared(tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        write_run(tmp_path / name, 0, 0, ids(0, 12), seed=seed)
        assay("folds", tmp_path / name, "--out", tmp_path / f"{name}.json")
    result = strict(assay("compare", tmp_path / "a.json", tmp_path / "b.json", "--json").stdout)
    assert result["metrics"]["dice"][0]["n"] == 12


def test_missing_runs_are_named_and_recorded(tmp_path):
    experiment(tmp_path, 3, 2)
    shutil.rmtree(tmp_path / "fold_1_restart_1")
    (tmp_path / "fold_2_restart_0" / "results.json").unlink()
    done = assay("folds", tmp_path, "--json", status=3)
    assert "missing: outer fold 1, restart 1: there is no folder for it" in done.stderr
    assert "missing: outer fold 2, restart 0: its folder holds neither" in done.stderr
    ledger = strict(done.stdout)["ledger"]
    assert ((ledger["expected"], ledger["read"], ledger["missing"], ledger["unreadable"])
            == (6, 4, 2, 0))
    assert ([(run["outer_fold"], run["restart"]) for run in ledger["missing_runs"]]
            == [(1, 1), (2, 0)])


def test_a_gap_in_the_folds_is_missing(tmp_path):
    write_run(tmp_path, 0, 0, ids(0))
    write_run(tmp_path, 2, 0, ids(2))
    ledger = folds(tmp_path, status=3)["ledger"]
    assert [run["outer_fold"] for run in ledger["missing_runs"]] == [1]


@pytest.mark.parametrize("damage, says",
                         [
                             (lambda text: text[:200], "not valid JSON"),
                             (lambda text: "", "not valid JSON"),
                             (lambda text: text.replace('"outer_fold": 1', '"outer_fold": 0'),
                              "says outer_fold 0, but its folder says 1"),
                             (lambda text: text.replace('"subject_ids": [',
                                                        '"subject_ids": ["extra", '),
                              "subject_ids has 7 entries"),
                             (lambda text: '{"test_dice": 0.5}', "has means only"),
                             (lambda text: '{"schema": "assay.qa/1"}', "assay.qa/1"),
                         ])
def test_an_unreadable_run_does_not_stop_the_rest(tmp_path, damage, says):
    experiment(tmp_path, 2, 2)
    path = tmp_path / "fold_1_restart_0" / "results.json"
    path.write_text(damage(path.read_text()))
    done = assay("folds", tmp_path, "--json", status=3)
    assert f"not read: {path}: " in done.stderr and says in done.stderr
    ledger = strict(done.stdout)["ledger"]
    assert (ledger["read"], ledger["unreadable"]) == (3, 1)
    assert ledger["unreadable_runs"][0]["file"] == f"{tmp_path.name}/fold_1_restart_0/results.json"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_closed_folder_is_an_unreadable_run(tmp_path):
    experiment(tmp_path, 2, 1)
    (tmp_path / "fold_1_restart_0").chmod(0)
    assert folds(tmp_path, status=3)["ledger"]["unreadable"] == 1
    (tmp_path / "fold_1_restart_0").chmod(0o755)


def test_no_readable_run_is_an_error_and_writes_nothing(tmp_path):
    write_run(tmp_path / "runs", 0, 0, ids(0))
    (tmp_path / "runs/fold_0_restart_0/results.json").write_text("{")
    done = assay("folds", tmp_path / "runs", "--out", tmp_path / "x.json", status=2)
    assert "not valid JSON" in done.stderr and "no run could be read" in done.stderr
    assert not (tmp_path / "x.json").exists()


def test_undefined_values_are_dropped_per_metric_and_counted(tmp_path):
    nan, inf = math.nan, math.inf
    write_run(tmp_path, 0, 0, list("abc"), per_subject_avd=[inf, 0.2, nan],
              per_subject_dice=[0.1, 0.2, 0.3], test_avd=inf, test_dice=0.2)
    write_run(tmp_path, 0, 1, list("abc"), per_subject_avd=[inf, 0.4, 0.5],
              per_subject_dice=[0.1, 0.2, 0.3], test_avd=inf, test_dice=0.2)
    done = assay("folds", tmp_path, "--json")
    assert "note: avd: 3 values of runs were left out" in done.stderr
    result = strict(done.stdout)
    assert [case["avd"] for case in result["cases"]] == [None, pytest.approx(0.3), 0.5]
    avd = result["summary"]["spread"]["subjects"]["avd"]
    assert ((avd["n"], avd["undefined"]) == (2, 1)
            and result["summary"]["undefined_values"]["avd"] == 3)
    assert result["folds"][0]["runs"][0]["undefined"] == {"avd": 2}
    assert result["summary"]["spread"]["subjects"]["dice"]["n"] == 3


def add_summary(folder):
    (folder / "validation").mkdir()
    shutil.copy(folder / "results.json", folder / "validation/summary.json")


@pytest.mark.parametrize("change, says",
                         [
                             (lambda tree: write_run(tree, 0, 1,
                                                     ["sub-00", "sub-01", "sub-02", "sub-03",
                                                      "x"]),
                              "fold_0_restart_1/results.json: lacks subject sub-04, which"),
                             (lambda tree: write_run(tree, 1, 0, ["sub-00", "z"]),
                              "subject sub-00 is tested in outer fold 0"),
                             (lambda tree: write_run(tree, 0, 1, ["a", "a"]),
                              "subject a is listed twice"),
                             (lambda tree: (tree / "fold_0").mkdir(),
                              "outer fold 0, restart 0 is given twice"),
                             (lambda tree: add_summary(tree / "fold_0_restart_0"),
                              "holds both results.json and validation/summary.json"),
                         ])
def test_runs_that_do_not_belong_together(tmp_path, change, says):
    write_run(tmp_path, 0, 0, ids(0))
    change(tmp_path)
    assert says in assay("folds", tmp_path, "--out", tmp_path / "x.json", status=2).stderr
    assert not (tmp_path / "x.json").exists()


def test_copies_and_foreign_means_are_pointed_out(tmp_path):
    write_run(tmp_path, 0, 0, ids(0), seed=1)
    write_run(tmp_path, 0, 1, ids(0), seed=1, test_avd=99.0)
    said = assay("folds", tmp_path).stderr
    assert ("every value equals that of" in said
            and "test_avd is not the mean of per_subject_avd" in said)


def test_folders_without_folds_and_usage(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    for arguments, says in [(["empty"], "contains no folder named fold_0_restart_0 or fold_0"),
                            (["absent"], "no such folder"),
                            (["file"], "is a file"), ([], "give the folder"),
                            (["empty", "--restarts", "bets"], "did you mean 'best'?")]:
        assert says in assay("folds", *arguments, cwd=tmp_path, status=2).stderr


def test_the_current_folder_has_a_name_too(tmp_path):
    experiment(tmp_path / "mine", 1, 1)
    done = assay("folds", ".", "--json", cwd=tmp_path / "mine")
    assert strict(done.stdout)["model_name"] == "mine"
    done = assay("folds", ".", "--json", cwd=tmp_path / "mine" / "fold_0_restart_0")
    assert strict(done.stdout)["model_name"] == "mine"

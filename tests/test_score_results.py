"""What `assay score` writes, and how a run survives, through the real program."""
import csv, math, os, re, signal, subprocess, time, zlib

import numpy
import pytest
import scipy.stats

from support import (BOX, LABELS, PROGRAM, assay, cohort, counts, dice, listing, mask, of,
                     random_mask, save, score, strict, without_provenance)


# ---- Results ------------------------------------------------------------------------------------

def test_summaries(tmp_path):
    result = score(*cohort(tmp_path, [f"{i:02}" for i in range(9)]), "--metrics",
                   "dice,avd,mcc,recall")
    for key, got in result["metrics"].items():
        values = numpy.array([case["label"]["foreground"][key] for case in result["cases"]])
        n = len(values)
        assert got["n"] == n and got["undefined"] == {} and got["ci_method"] == "t"
        expected = {"mean": values.mean(), "std": values.std(ddof=1),
                    "median": numpy.median(values), "q25": numpy.percentile(values, 25),
                    "q75": numpy.percentile(values, 75), "min": values.min(), "max": values.max()}
        for statistic, x in expected.items():
            assert got[statistic] == pytest.approx(x, rel=1e-13), (key, statistic)
        interval = scipy.stats.t.interval(0.95, n - 1, values.mean(),
                                          values.std(ddof=1) / math.sqrt(n))
        assert got["ci95"] == pytest.approx(interval, rel=1e-10)
        if key in ("dice", "avd", "mcc"):
            assert result[key]["std"] == pytest.approx(values.std(), rel=1e-13)
            assert result[key]["values"] == list(values)
    assert ([result["metrics"][k]["direction"] for k in ("dice", "avd", "mcc")]
            == ["higher", "lower", "higher"])
    assert result["labels"]["foreground"]["metrics"]["dice"] == {
        key: x for key, x in result["metrics"]["dice"].items()}


def test_one_case_has_no_spread(tmp_path):
    got = score(*cohort(tmp_path, ["a"]))
    assert (got["metrics"]["dice"]["std"], got["metrics"]["dice"]["ci95"]) == (None, None)
    assert got["dice"]["std"] == 0


def test_keys_stand_in_the_contracts_order(tmp_path):
    result = score(*cohort(tmp_path, ["a"]))
    assert list(result) == ["schema", "model_name", "dice", "avd", "mcc", "num_samples", "metrics",
                            "labels", "cases", "ledger", "settings", "provenance"]
    assert list(result["dice"]) == ["name", "mean", "std", "values"]


def test_json_alone_on_standard_output(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (pred / "b.nii.gz").write_bytes(b"")
    for options in ([], ["--verbose"], ["--quiet"], ["--out", tmp_path / "r.json"]):
        done = assay("score", pred, ref, "--json", *options, status=3)
        assert strict(done.stdout)["ledger"]["failed"] == 1
        assert "b" in done.stderr and "\x1b" not in done.stderr


def test_quiet_is_quiet(tmp_path):
    done = assay("score", *cohort(tmp_path, ["a"]), "--quiet", "--out", tmp_path / "r.json")
    assert (done.stdout, done.stderr) == ("", "")


def test_out_may_be_a_file_or_a_folder(tmp_path):
    pred, ref = cohort(tmp_path, ["a"])
    (tmp_path / "there").mkdir()
    for out, path in [("r.json", "r.json"), ("there", "there/mine.json"),
                      ("new/deep/", "new/deep/mine.json")]:
        said = assay("score", pred, ref, "--model", "mine", "--out", out, cwd=tmp_path).stderr
        assert f"results: {path}" in said
        assert strict((tmp_path / path).read_text())["model_name"] == "mine"
        assert not (tmp_path / f"{path}.journal").exists()


def test_out_makes_its_folder_and_leaves_none_behind(tmp_path):
    pred, ref = cohort(tmp_path, ["a"])
    assay("score", pred, ref, "--out", "new/deep/r.json", "--csv", "tables/long.csv", cwd=tmp_path)
    assert (listing(tmp_path / "new") == ["deep", "deep/r.json"]
            and listing(tmp_path / "tables") == ["long.csv"])
    (pred / "a.nii.gz").write_bytes(b"")
    assay("score", pred, ref, "--out", "failed/r.json", "--csv", "failed/too/long.csv",
          cwd=tmp_path, status=2)
    assay("score", pred, "absent", "--out", "failed/", cwd=tmp_path, status=2)
    assert not (tmp_path / "failed").exists()


def test_every_command_makes_the_folder_of_its_output(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("id,dice\n" + "".join(
            f"c{i},0.{i}{name == 'b':d}\n" for i in range(1, 9)))
    commands = {"metrics": ["metrics"], "docs": ["docs", "cli"],
                "compare": ["compare", "a.csv", "b.csv"], "report": ["report", "a.csv", "b.csv"],
                "split": ["split", "a.csv", "--outer", "2", "--inner", "2"],
                "recipe": ["recipe", "show", "none"]}
    for name, command in commands.items():
        assay(*command, "--out", f"{name}/deep/file.out", cwd=tmp_path)
        assert (tmp_path / name / "deep/file.out").stat().st_size > 0, name
    assay("compare", "a.csv", "absent.csv", "--out", "none/at/all.json", cwd=tmp_path, status=2)
    assert not (tmp_path / "none").exists()


def test_a_model_name_cannot_leave_the_folder(tmp_path):
    pred, ref = cohort(tmp_path, ["a"])
    (tmp_path / "there").mkdir()
    assay("score", pred, ref, "--model", "a/../../b", "--out", "there", cwd=tmp_path)
    assert listing(tmp_path / "there") == ["a_.._.._b.json"]


def test_long_csv(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b,c", "d"])
    (pred / "d.nii.gz").unlink()
    save(ref / "a.nii.gz", mask())
    result = score(pred, ref, "--csv", tmp_path / "long.csv", status=3)
    with open(tmp_path / "long.csv", newline="") as file:
        assert file.readline() == "model,case,label,metric,value,status\n"
        file.seek(0)
        rows = list(csv.DictReader(file))
    found = {(row["case"], row["metric"]): row for row in rows}
    assert found["a", "avd"]["value"] == "" and found["a", "avd"]["status"] == "reference_empty"
    assert float(found["b,c", "dice"]["value"]) == result["cases"][1]["label"]["foreground"]["dice"]
    assert found["b,c", "dice"]["status"] == "ok" and found["b,c", "dice"]["model"] == "pred"
    assert [row["status"] for row in rows if row["case"] == "d"] == ["missing_prediction"]


def test_long_csv_has_the_groups(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b", "c"])
    (pred / "c.nii.gz").unlink()
    (tmp_path / "groups.csv").write_text('id,site,status\na,"Basel, CH",acute\nb,Bern,\n')
    assay("score", pred, ref, "--groups", tmp_path / "groups.csv", "--metrics", "dice", "--csv",
          tmp_path / "long.csv", status=3)
    lines = (tmp_path / "long.csv").read_text().splitlines()
    assert lines[0] == "model,case,label,metric,value,status,site,group_status"
    assert (lines[1].endswith(',ok,"Basel, CH",acute') and lines[2].endswith(",ok,Bern,")
            and lines[3] == "pred,c,,,,missing_prediction,,")
    (tmp_path / "other.csv").write_text("\n".join(lines).replace("pred,", "other,"))
    assay("compare", tmp_path / "long.csv", tmp_path / "other.csv", "--cluster", "site")


def test_nnunets_summary(tmp_path):
    for name, p, r in [("a", *LABELS), ("b", mask(), mask(BOX))]:
        save(tmp_path / f"pred/{name}.nii.gz", p)
        save(tmp_path / f"ref/{name}.nii.gz", r)
    done = assay("score", tmp_path / "pred", tmp_path / "ref", "--labels", "1,2", "--region",
                 "whole=1,2", "--format", "nnunet", "--out", f"{tmp_path}/out/", "--json")
    summary = strict((tmp_path / "out/summary.json").read_text())
    assert strict(done.stdout) == summary
    assert set(summary) == {"foreground_mean", "mean", "metric_per_case"}
    assert set(summary["mean"]) == {"1", "2", "(1, 2)"}
    first = summary["metric_per_case"][0]
    assert set(first) == {"metrics", "prediction_file", "reference_file"}
    c = counts(*of(1))
    assert first["metrics"]["1"] == {
        "Dice": pytest.approx(dice(*of(1))),
        "IoU": pytest.approx(c["tp"] / (c["tp"] + c["fp"] + c["fn"])),
        "TP": c["tp"], "FP": c["fp"], "FN": c["fn"], "TN": c["tn"], "n_pred": c["tp"] + c["fp"],
        "n_ref": c["tp"] + c["fn"]}
    # Label 2 is nowhere in case b: nnU-Net has no Dice there, and its mean leaves the case out.
    assert summary["metric_per_case"][1]["metrics"]["2"]["Dice"] is None
    assert summary["mean"]["2"]["Dice"] == first["metrics"]["2"]["Dice"]
    assert summary["mean"]["1"]["TP"] == c["tp"] / 2
    assert summary["foreground_mean"]["Dice"] == pytest.approx(
        numpy.mean([summary["mean"][key]["Dice"] for key in summary["mean"]]))


def test_provenance(tmp_path):
    from_here = score(*cohort(tmp_path, ["a"]))["provenance"]
    assert {"assay", "commit", "command", "started", "finished", "inputs_sha256"} <= set(from_here)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", from_here["started"])
    assert re.fullmatch(r"[0-9a-f]{64}", from_here["inputs_sha256"])
    assert re.fullmatch(r"[0-9a-f]{64}", from_here["settings_sha256"])


def test_results_name_the_roots_of_their_files(tmp_path):
    pred, ref = cohort(tmp_path, ["a"])
    expected = {"prediction": str(pred), "reference": str(ref)}
    assert score("pred/", "./ref", cwd=tmp_path)["provenance"]["roots"] == expected
    assert score("pred/a.nii.gz", "ref/a.nii.gz", cwd=tmp_path)["provenance"]["roots"] == expected
    (tmp_path / "cases.csv").write_text("id,prediction,reference\na,pred/a.nii.gz,a.nii.gz\n")
    assert (score("--manifest", "cases.csv", "--ref", "ref", cwd=tmp_path)["provenance"]["roots"]
            == {"prediction": str(tmp_path), "reference": str(ref)})
    assert "roots" not in score(pred, ref, "--anonymous")["provenance"]


def test_anonymous_results_name_no_place(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (pred / "b.nii.gz").write_bytes(b"")
    assay("score", pred, ref, "--anonymous", f"--out={tmp_path}/r.json", status=3)
    for path in (tmp_path / "r.json", tmp_path / "r.json.journal"):
        assert str(tmp_path) not in path.read_text(), path.name
    result = strict((tmp_path / "r.json").read_text())
    assert "host" not in result["provenance"]
    assert result["cases"][1]["error"].startswith("prediction b.nii.gz: ")


# ---- Same bytes, journal, resume ----------------------------------------------------------------

def journal_records(path):
    records = []
    for line in path.read_text().splitlines():
        found = re.fullmatch(r'\{"crc32": "([0-9a-f]{8})", "record": (.*)\}', line)
        assert found and int(found[1], 16) == zlib.crc32(found[2].encode())
        records.append(strict(line)["record"])
    return records


def test_the_journal(tmp_path):
    assay("score", *cohort(tmp_path, ["a", "b"]), "--out", tmp_path / "r.json", "--keep-journal")
    header, *cases = journal_records(tmp_path / "r.json.journal")
    assert header["kind"] == "header"
    assert {"settings_sha256", "inputs_sha256", "version"} <= set(header)
    assert sorted(case["id"] for case in cases) == ["a", "b"]


def test_any_number_of_jobs_gives_the_same_bytes(tmp_path):
    pred, ref = cohort(tmp_path, [f"{i:02}" for i in range(23)])
    (pred / "07.nii.gz").write_bytes(b"")
    (pred / "11.nii.gz").unlink()
    texts = set()
    for jobs in (1, 2, 5):
        assay("score", pred, ref, "--labels", "all", "--metrics", "all", "--jobs", jobs, "--out",
              tmp_path / f"{jobs}.json", status=3)
        texts.add(without_provenance(tmp_path / f"{jobs}.json"))
    assert len(texts) == 1


@pytest.fixture(scope="module")
def slow_cohort(tmp_path_factory):
    """Many links to two large files: slow to score, cheap to make."""
    folder = tmp_path_factory.mktemp("slow")
    rng = numpy.random.default_rng(0)
    for side in ("pred", "ref"):
        file = save(folder / f"{side}.nii.gz",
                    (rng.random((160, 160, 160)) < 0.4).astype(numpy.uint8))
        (folder / side).mkdir()
        for i in range(60):
            os.link(file, folder / side / f"{i:03}.nii.gz")
    assay("score", folder / "pred", folder / "ref", "--out", folder / "whole.json")
    return folder


def ended_midway(slow_cohort, out, number):
    """Starts scoring and sends a signal once some cases are in the journal."""
    run = subprocess.Popen([PROGRAM, "score", slow_cohort / "pred", slow_cohort / "ref", "--out",
                            out, "--jobs", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    journal = out.parent / (out.name + ".journal")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and run.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") >= 4:
            break
        time.sleep(0.01)
    assert run.poll() is None, "the run was over before it could be interrupted"
    run.send_signal(number)
    _, said = run.communicate(timeout=30)
    lines = journal.read_bytes().count(b"\n")
    assert 4 <= lines < 61 and not out.exists()
    return run.returncode, said


def check_resumed(slow_cohort, out):
    done = assay("score", slow_cohort / "pred", slow_cohort / "ref", "--out", out, "--resume",
                 "--keep-journal")
    taken = int(re.search(r"(\d+) cases? \w+ taken from the journal", done.stderr)[1])
    assert 3 <= taken < 60
    assert without_provenance(out) == without_provenance(slow_cohort / "whole.json")
    assert len(journal_records(out.parent / (out.name + ".journal"))) == 61


def test_resume_after_kill(slow_cohort, tmp_path):
    assert ended_midway(slow_cohort, tmp_path / "r.json", signal.SIGKILL)[0] == -signal.SIGKILL
    journal = tmp_path / "r.json.journal"
    journal.write_bytes(journal.read_bytes() + b'{"crc32": "0000')  # a torn last line is ignored
    check_resumed(slow_cohort, tmp_path / "r.json")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_can_be_resumed(slow_cohort, tmp_path, number):
    status, said = ended_midway(slow_cohort, tmp_path / "r.json", number)
    assert status == 130
    assert re.search(r"interrupted after \d+ of 60 cases; add --resume to the same command to "
                     r"continue", said)
    check_resumed(slow_cohort, tmp_path / "r.json")


def test_resume_without_a_journal_starts_afresh(tmp_path):
    assay("score", *cohort(tmp_path, ["a"]), "--out", tmp_path / "r.json", "--resume")


@pytest.mark.parametrize("change",
                         [["--labels", "1"], ["--metrics", "dice,recall"], ["--missing", "worst"],
                          ["--convention", "monai"], ["--threshold", "0.5"]])
def test_resume_refuses_other_settings(tmp_path, change):
    pred, ref = cohort(tmp_path, ["a", "b"])
    def files():
        return {name: (tmp_path / name).read_bytes() for name in listing(tmp_path)
                if "r.json" in name}
    for options, says in [([],
                           "r.json: these results were made with other settings; run without "
                           "--resume to start over"),
                          (["--keep-journal"],
                           "r.json.journal: this journal was begun with other settings; run "
                           "without")]:
        assay("score", pred, ref, "--out", tmp_path / "r.json", *options)
        before = files()
        assert says in assay("score", pred, ref, "--out", tmp_path / "r.json", "--resume", *change,
                             status=2).stderr
        assert before == files() and len(before) == 1 + len(options)


def test_a_complete_run_is_recognised(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    command = ["score", pred, ref, "--labels", "1", "--region", "whole=1", "--out",
               tmp_path / "r.json"]
    first = assay(*command)
    before = (tmp_path / "r.json").read_bytes(), (tmp_path / "r.json").stat().st_mtime_ns
    again = assay(*command, "--resume")
    assert again.stderr == ("note: this run is complete: the results have these settings, and no "
                            "file has changed since; "
                            "nothing was scored again\n")
    # the same tables; what needs every case is left out
    assert first.stdout.startswith(again.stdout)
    assert assay(*command, "--resume", "--json").stdout.encode() == before[0]
    assert before == ((tmp_path / "r.json").read_bytes(), (tmp_path / "r.json").stat().st_mtime_ns)
    assert not (tmp_path / "r.json.journal").exists()


@pytest.mark.parametrize("change", ["file", "group", "model", "csv"])
def test_a_run_that_would_differ_is_not_complete(tmp_path, change):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (tmp_path / "g.csv").write_text("id,site\na,A\nb,B\n")
    command = ["score", pred, ref, "--groups", tmp_path / "g.csv", "--out", tmp_path / "r.json",
               "--resume"]
    assay(*command)
    if change == "file":
        save(pred / "b.nii.gz", random_mask(77))
    if change == "group":
        (tmp_path / "g.csv").write_text("id,site\na,A\nb,C\n")
    extra = {"model": ["--model", "other"],
             "csv": ["--csv", tmp_path / "new/long.csv"]}.get(change, [])
    assert "this run is complete" not in assay(*command, *extra).stderr
    assert "this run is complete" in assay(*command, *extra).stderr


def test_a_run_with_failures_keeps_its_journal(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    (pred / "b.nii.gz").write_bytes(b"")
    command = ["score", pred, ref, "--out", tmp_path / "r.json"]
    assay(*command, status=3)
    assert (tmp_path / "r.json.journal").exists()
    said = assay(*command, "--resume", status=3).stderr
    assert "taken from the journal" in said and "this run is complete" not in said
    save(pred / "b.nii.gz", random_mask(5))
    assay(*command, "--resume")
    assert not (tmp_path / "r.json.journal").exists()


def test_a_run_without_a_structure_is_not_complete(tmp_path):
    for side in ("pred", "ref"):
        for structure in ("liver", "spleen"):
            save(tmp_path / f"{side}/a/{structure}.nii.gz", random_mask(1))
    (tmp_path / "pred/a/spleen.nii.gz").unlink()
    pattern = "{id}/{label}.nii.gz"
    command = ["score", tmp_path / "pred", tmp_path / "ref", "--pred-pattern", pattern,
               "--ref-pattern", pattern, "--out", tmp_path / "r.json"]
    assay(*command, status=3)
    for _ in range(2):  # with its journal, and without
        assert "this run is complete" not in assay(*command, "--resume", status=3).stderr
        (tmp_path / "r.json.journal").unlink()


def test_resume_refuses_other_cases(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    assay("score", pred, ref, "--out", tmp_path / "r.json")
    cohort(tmp_path, ["a", "b", "c"])
    assert "for other cases" in assay("score", pred, ref, "--out", tmp_path / "r.json", "--resume",
                                      status=2).stderr


def test_resume_scores_changed_files_again(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b", "c"])
    (pred / "c.nii.gz").write_bytes(b"")
    assay("score", pred, ref, "--out", tmp_path / "r.json", status=3)
    save(pred / "b.nii.gz", random_mask(77))
    save(pred / "c.nii.gz", random_mask(78))
    said = assay("score", pred, ref, "--out", tmp_path / "r.json", "--resume").stderr
    assert "1 cases were taken" in said or "1 case was taken" in said
    assay("score", pred, ref, "--out", tmp_path / "fresh.json")
    assert without_provenance(tmp_path / "r.json") == without_provenance(tmp_path / "fresh.json")


def test_resume_takes_groups_from_the_manifest_as_it_is_now(tmp_path):
    cohort(tmp_path, ["a"])
    manifest = tmp_path / "cases.csv"
    for site in ("wrong", "right"):
        manifest.write_text(f"id,prediction,reference,site\na,pred/a.nii.gz,ref/a.nii.gz,{site}\n")
        assay("score", "--manifest", manifest, "--out", tmp_path / "r.json",
              *["--resume"] * (site == "right"))
    assert strict((tmp_path / "r.json").read_text())["cases"][0]["groups"] == {"site": "right"}


def test_a_damaged_journal_is_not_trusted(tmp_path):
    pred, ref = cohort(tmp_path, ["a", "b"])
    assay("score", pred, ref, "--out", tmp_path / "r.json", "--keep-journal")
    (tmp_path / "r.json").unlink()
    journal = tmp_path / "r.json.journal"
    header, first, last = journal.read_bytes().splitlines(keepends=True)
    damaged = header + first.replace(b'"kind"', b'"kine"') + last
    journal.write_bytes(damaged)
    said = assay("score", pred, ref, "--out", tmp_path / "r.json", "--resume", status=2).stderr
    assert said == (f"assay: {journal}: line 2 is damaged; 'assay qa salvage {journal}' keeps "
                    "every intact record, and without --resume the run starts over\n")
    assert journal.read_bytes() == damaged


def test_two_runs_cannot_share_a_journal(slow_cohort, tmp_path):
    out = tmp_path / "r.json"
    command = [PROGRAM, "score", slow_cohort / "pred", slow_cohort / "ref", "--out", out, "--jobs",
               "1"]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (tmp_path / "r.json.journal").exists():
        assert run.poll() is None
        time.sleep(0.005)
    time.sleep(0.05)
    said = assay(*command[1:], status=2).stderr
    assert "another assay process is writing this journal" in said
    run.send_signal(signal.SIGINT)
    assert run.wait(30) == 130

"""assay qa status and qa salvage: a look into runs that go on, were killed or are damaged, and
scores before the end."""
import json, os, pty, random, signal, subprocess, time, zlib

import pytest

import support
from qa_runs import Server, answered, journal, prices, results, run, slides, table  # noqa: F401
from support import assay, strict


def begin(questions, slides, out, server, *options):
    command = [support.PROGRAM, "qa", "run", questions, "--wsi-root", slides, "--out", out,
               "--base-url", server.url, "--model", "m", *map(str, options)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def status(run, *options, code=0):
    return strict(assay("qa", "status", run, "--json", *options, status=code).stdout)


def wait_for(run, sign):
    """Looks at a run until `sign` holds."""
    while True:
        if (run / "run.journal").exists() and (run / "run.journal").stat().st_size:
            seen = status(run)
            if sign(seen):
                return seen
        time.sleep(0.02)


def line_of(record):
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
    return b'{"crc32": "%08x", "record": %s}\n' % (zlib.crc32(text), text)


def as_version_0_1(run):
    """Leaves what version 0.1 would have written: no events, no list of questions, no results."""
    path = run / "run.journal"
    header = path.read_bytes().split(b"\n")[0] + b"\n"
    path.write_bytes(header + b"".join(line_of(record) for record in journal(run)
                                       if record["kind"] != "event"))
    (run / "questions.json").unlink()
    for file in run.glob("*_results.json"):
        file.unlink()


def test_a_run_is_seen_while_it_runs_when_it_was_killed_and_after_its_end(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 24, benchmark=None,
                      benchmark_name=lambda i: "demo" if i % 3 else "other")
    options = ["--crops", 2, "--crop", "0,0,64,64", "--delay-ms", 30, "--fault-on",
               "#1:=refused,#2:=context"]
    arguments = ["--max-steps", 4, "--concurrency", 3, "--prices", prices(tmp_path), "--budget-usd",
                 50]
    with Server(tmp_path, *options) as server:
        process = begin(questions, slides, tmp_path / "run", server, *arguments)
        seen = wait_for(tmp_path / "run", lambda s: s["done"] >= 5 and s["calls"]["in_flight"])
        assert (seen["state"] == "running" and seen["expected"] == 24 and seen["model"] == "m"
                and seen["mode"] == "giant")
        assert ({b["benchmark_name"]: b["expected"] for b in seen["benchmarks"]}
                == {"other": 8, "demo": 16})
        assert seen["cost"]["reserved_usd"] > 0 and seen["cost"]["budget_usd"] == 50
        assert seen["cost"]["projected_usd"] > seen["cost"]["spent_usd"] > 0
        assert (seen["calls_per_minute"] > 0 and seen["tokens_per_minute"] > 0
                and seen["seconds_left"] > 0)
        process.kill()
        process.wait()
        killed = status(tmp_path / "run")
        assert (killed["state"] == "killed" and killed["cost"]["reserved_usd"] == 0
                and killed["done"] >= seen["done"])
        records = journal_so_far(tmp_path / "run")
        calls = [r for r in records if r["kind"] == "call" and "reply" in r]
        assert killed["calls"]["answered"] == len(calls)
        assert killed["cost"]["spent_usd"] == pytest.approx(sum(r["cost_usd"] for r in calls))
        assert killed["calls"]["tokens"] == sum(sum(
            r["usage"][k] or 0 for k in ("input", "cache_write", "cache_read", "output"))
                                                for r in calls)
        check_scores_of_a_killed_run(tmp_path, killed)
        run(questions, slides, tmp_path / "run", server, *arguments, status=3)
        ended = status(tmp_path / "run")
        run(questions, slides, tmp_path / "whole", server, *arguments, status=3)
    assert (ended["state"] == "ended" and ended["stopped"] is None
            and ended["done"] == ended["expected"] == 24)
    assert (ended["starts"] == 2 and ended["calls"]["in_flight"] == 0
            and ended["calls"]["failed"] >= 1)
    assert list(ended["call_errors"]) and "context" in list(ended["call_errors"])[0]
    for name in ("demo", "other"):
        read = results(tmp_path / "run", name)
        assert read == results(tmp_path / "whole", name), "nobody was disturbed by looking"
        seen = next(b for b in ended["benchmarks"] if b["benchmark_name"] == name)
        assert seen["right"] == sum(item["correct"] for item in read["results"])
        assert all(seen["outcomes"][key] == read["ledger"][key]
                   for key in ("scored", "refused", "errored", "unparsed"))
    done = assay("qa", "score", tmp_path / "run", status=3)
    assert "unfinished" not in done.stdout + done.stderr
    text = assay("qa", "status", tmp_path / "run").stdout
    assert "24 of 24" in text and "spent" in text and "1 refused" in text and "1 errored" in text


def journal_so_far(run):
    """The records of a journal whose last line may be torn."""
    text = (run / "run.journal").read_bytes()
    return [json.loads(line)["record"] for line in text[:text.rfind(b"\n")].split(b"\n")][1:]


def check_scores_of_a_killed_run(folder, killed):
    done = assay("qa", "score", folder / "run", "--json", status=3)
    scored = {b["benchmark_name"]: b for b in strict(done.stdout)["benchmarks"]}
    for seen in killed["benchmarks"]:
        name = seen["benchmark_name"]
        assert scored[name]["unfinished"] == {"done": seen["done"], "expected": seen["expected"]}
        assert scored[name]["ledger"]["expected"] == seen["expected"]
        assert scored[name]["ledger"]["scored"] == seen["outcomes"]["scored"]
        assert scored[name]["ledger"]["skipped"] == seen["expected"] - seen["done"]
        assert (f"unfinished: {seen['done']} of {seen['expected']} questions of {name}"
                in done.stderr)
    assert "unfinished run:" in assay("qa", "score", folder / "run", status=3).stdout
    again = assay("qa", "score", folder / "run", "--rules", "giant", "--out", folder / "scored",
                  status=3)
    assert len(list((folder / "scored").iterdir())) == 2 and "unfinished" in again.stdout
    assert (
        strict((next((folder / "scored").glob("demo*"))).read_text())["unfinished"]["expected"]
        == 16
    )
    noted = assay("report", folder / "run", "--out", folder / "page.html")
    assert ("the run is unfinished" in noted.stderr
            and "is unfinished" in (folder / "page.html").read_text())


def test_results_of_an_earlier_start_are_not_taken_for_those_of_a_killed_one(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 30)
    with Server(tmp_path, "--delay-ms", 30) as server:
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", "--max-items", 3,
            status=3)
        before = strict(assay("qa", "score", tmp_path / "run", "--json",
                              status=3).stdout)["benchmarks"][0]
        assert "unfinished" not in before and before["ledger"]["scored"] == 3
        process = begin(questions, slides, tmp_path / "run", server, "--mode", "thumbnail",
                        "--concurrency", 2)
        wait_for(tmp_path / "run", lambda s: s["done"] >= 6)
        process.kill()
        process.wait()
    after = strict(assay("qa", "score", tmp_path / "run", "--json", status=3).stdout)["benchmarks"]
    assert len(after) == 1 and after[0]["unfinished"]["expected"] == 30
    assert after[0]["ledger"]["scored"] == status(tmp_path / "run")["done"] >= 6


def test_watching_ends_with_the_run(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 12)
    with Server(tmp_path, "--delay-ms", 200) as server:
        process = begin(questions, slides, tmp_path / "run", server, "--mode", "thumbnail",
                        "--concurrency", 1)
        wait_for(tmp_path / "run", lambda s: s["done"] >= 1)
        watched = assay("qa", "status", tmp_path / "run", "--watch", "--every", 0.05)
        assert process.wait() == 0
    lines = watched.stdout.splitlines()
    assert sum(" running, " in line and "attempts done" in line for line in lines) >= 1
    assert "12 of 12" in watched.stdout and "\x1b" not in watched.stdout, (
        "the last view is whole, and not for a terminal")
    views = [strict(line)
             for line in assay("qa", "status", tmp_path / "run", "--watch",
                               "--json").stdout.splitlines()]
    assert [view["state"] for view in views] == ["ended"]
    assert "--every" in assay("qa", "status", tmp_path / "run", "--watch", "--every", 0,
                              status=2).stderr


def test_a_run_that_waits_says_until_when(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 4)
    with Server(tmp_path, "--always", "429", "--retry-after-ms", 3600000) as server:
        process = begin(questions, slides, tmp_path / "run", server, "--mode", "thumbnail",
                        "--concurrency", 2)
        seen = wait_for(tmp_path / "run", lambda s: s["waiting"]["calls"])
        assert (3000 < seen["waiting"]["until"] - time.time() < 3700
                and seen["waiting"]["status"] == 429)
        assert seen["calls"]["rate_limited"] == seen["calls"]["failed"] >= 1
        assert "waiting: " in assay("qa", "status", tmp_path / "run").stdout
        process.send_signal(signal.SIGINT)
        process.wait()


def test_events_are_few(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 40)
    with Server(tmp_path, "--fault-rate", 0.3, "--fault-kinds", "429,500", "--seed", 3) as server:
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", "--retries", 30,
            "--first-wait", 0.001)
    events = [record["event"] for record in journal(tmp_path / "run")
              if record["kind"] == "event" and record["event"] != "pulse"]
    assert events == ["start", "stop"], "short waits are not recorded"


def test_journals_of_version_0_1_are_read_and_continued(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 6)
    with Server(tmp_path) as server:
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", "--max-items", 4,
            status=3)
        as_version_0_1(tmp_path / "run")
        seen = status(tmp_path / "run")
        assert seen["state"] == "unknown" and seen["done"] == 4 and seen["expected"] is None
        assert seen["benchmarks"][0]["right"] is None and seen["calls_per_minute"] is None
        assert "version 0.1" in assay("qa", "status", tmp_path / "run").stdout
        assert "--table" in assay("qa", "score", tmp_path / "run", status=2).stderr
        scored = strict(assay("qa", "score", tmp_path / "run", "--table", questions, "--json",
                              status=3).stdout)["benchmarks"][0]
        assert (scored["unfinished"] == {"done": 4, "expected": 6}
                and scored["ledger"]["scored"] == 4)
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail")
        assert len(server.calls()) == 6
    assert status(tmp_path / "run")["benchmarks"][0]["right"] == 6


def test_what_cannot_be_looked_at_is_one_sentence(tmp_path):
    assert "is not there" in assay("qa", "status", tmp_path, status=2).stderr
    assert "give a run" in assay("qa", "status", status=2).stderr
    (tmp_path / "run.journal").write_text("")
    assert status(tmp_path)["done"] == 0


def test_the_line_on_a_terminal_has_dollars_and_errors(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 12)
    leader, follower = pty.openpty()
    with Server(tmp_path, "--delay-ms", 20, "--faults", "2=500,3=500") as server:
        command = [support.PROGRAM, "qa", "run", questions, "--wsi-root", slides, "--out",
                   tmp_path / "run", "--base-url", server.url, "--model", "m", "--mode",
                   "thumbnail", "--prices", prices(tmp_path, input=1000), "--budget-usd", "500",
                   "--first-wait", "0.01", "--concurrency", "1"]
        process = subprocess.Popen(list(map(str, command)), stderr=follower,
                                   stdout=subprocess.DEVNULL)
        os.close(follower)
        said = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:
                break
            if not part:
                break
            said += part
        assert process.wait() == 0
        os.close(leader)
    lines = said.decode().split("\r")
    assert any("/12" in line and "of $500.00" in line and "2 retries" in line
               for line in lines), lines


# ---- Damage -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory, slides):
    """A run with a budget, the server that answered it, and what it says."""
    folder = tmp_path_factory.mktemp("finished")
    questions = table(folder / "t.csv", 6)
    arguments = ["--max-steps", 3, "--prices", prices(folder), "--budget-usd", 50, "--concurrency",
                 2]
    with Server(folder, "--crops", 1, "--crop", "0,0,64,64") as server:
        run(questions, slides, folder / "run", server, *arguments)
        yield folder, questions, arguments, server


def test_results_never_replace_the_files_of_a_run(tmp_path, finished):
    target = copy_of(finished, tmp_path / "run")
    for name, said in (("run.journal", "is a journal"), ("questions.json", "is an input")):
        before = (target / name).read_bytes()
        for command in (["qa", "score", target], ["qa", "compare", target, target],
                        ["report", target]):
            assert said in assay(*command, "--out", target / name, status=2).stderr
        assert said in assay("qa", "score", target, "--csv", target / name, status=2).stderr
        assert (target / name).read_bytes() == before


def copy_of(finished, target):
    import shutil
    shutil.copytree(finished[0] / "run", target)
    return target


def test_damage_anywhere_is_salvaged_and_the_run_goes_on(tmp_path, slides, finished):
    folder, questions, arguments, server = finished
    whole = (folder / "run/run.journal").read_bytes()
    answers = [(item["item_id"], item["prediction"]) for item in results(folder / "run")["results"]]
    spent = sum(record["cost_usd"] for record in answered(folder / "run"))
    chance = random.Random(1)
    places = [3, 30, whole.index(b'"kind":"settings"') + 10, whole.index(b'"event":"start"') + 3]
    places += [chance.randrange(whole.rindex(b"\n", 0, -1)) for _ in range(6)]
    for number, place in enumerate(places):
        target = copy_of(finished, tmp_path / f"run{number}")
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:]
        (target / "run.journal").write_bytes(damaged)
        refused = run(questions, slides, target, server, *arguments, status=2)
        assert f"assay qa salvage {target}" in refused.stderr and "delete it" not in refused.stderr
        assert status(target, code=3)["damaged_lines"]
        listed = strict(assay("qa", "salvage", target, "--dry-run", "--json", status=3).stdout)
        assert ((target / "run.journal").read_bytes() == damaged
                and listed["damaged_journal"] is None)
        said = strict(assay("qa", "salvage", target, "--json", status=3).stdout)
        assert (said["kept"] >= whole.count(b"\n") - 2 and len(said["lost"]) <= 1
                and not said["lost_settings"])
        assert (target / "run.journal.damaged").read_bytes() == damaged
        after = status(target)
        assert after["cost"]["spent_usd"] + after["cost"][
            "possible_usd"] >= spent - 1e-9, "no money is forgotten"
        before = len(server.calls())
        run(questions, slides, target, server, *arguments)
        assert ([(item["item_id"], item["prediction"]) for item in results(target)["results"]]
                == answers)
        assert len(server.calls()) == before, ("ended attempts are not asked again, and others "
                                               "follow from their calls")


def test_a_lost_call_of_a_half_done_question_is_asked_again(tmp_path, slides, finished):
    folder, questions, arguments, server = finished
    target = copy_of(finished, tmp_path / "run")
    records = [record for record in journal(target)
               if not (record["kind"] == "attempt" and record["item"] == "2")]
    lost = next(i for i, r in enumerate(records)
                if r["kind"] == "call" and r["item"] == "2" and r["step"] == 1)
    lines = ([(target / "run.journal").read_bytes().split(b"\n")[0] + b"\n"]
             + [line_of(record) for record in records])
    lines[lost + 1] = lines[lost + 1].replace(b'"reply"', b'"rEply"')
    (target / "run.journal").write_bytes(b"".join(lines))
    said = assay("qa", "salvage", target, status=3).stdout
    assert (f"lost: line {lost + 2} " in said and "call of demo/2, run 0, step 1" in said
            and "paid for again" in said)
    before = len(server.calls())
    run(questions, slides, target, server, *arguments)
    assert 1 <= len(server.calls()) - before <= 2
    assert [item["correct"] for item in results(target)["results"]] == [True] * 6


def test_what_is_not_damaged_is_left_alone(tmp_path, finished):
    target = copy_of(finished, tmp_path / "run")
    whole = (target / "run.journal").read_bytes()
    for text, words in [(whole, "nothing needs to be done"),
                        (whole[:-20], "the last line is torn")]:
        (target / "run.journal").write_bytes(text)
        assert words in assay("qa", "salvage", target).stdout
        assert ((target / "run.journal").read_bytes() == text
                and not (target / "run.journal.damaged").exists())


def test_two_salvages_keep_two_damaged_files(tmp_path, finished):
    target = copy_of(finished, tmp_path / "run")
    for name in ("run.journal.damaged", "run.journal.damaged-2"):
        text = (target / "run.journal").read_bytes()
        (target / "run.journal").write_bytes(text.replace(b'"kind":"sent"', b'"kind":"sEnt"', 1))
        assay("qa", "salvage", target, status=3)
        assert (target / name).exists()
    assert [r["lost"] for r in journal(target) if r.get("event") == "salvage"] == [1, 1]


@pytest.mark.parametrize("content, words",
                         [
                             (b"", "is empty"), (b"my notes\nand more\n", "is not a journal"),
                             (b"\0" * 5000, "no intact record"),
                             (b"{}\n{}\n", "no intact record")])
def test_what_holds_nothing_is_refused_and_kept(tmp_path, slides, finished, content, words):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/run.journal").write_bytes(content)
    assert words in assay("qa", "salvage", tmp_path / "run", status=2).stderr
    assert (tmp_path / "run/run.journal").read_bytes() == content
    if content.startswith((b"my", b"{}")):
        _, questions, arguments, server = finished
        run(questions, slides, tmp_path / "run", server, *arguments, status=2)
        assert (
            tmp_path / "run/run.journal"
        ).read_bytes() == content, "somebody's file is not overwritten"


def test_a_running_run_is_not_salvaged(tmp_path, slides):
    with Server(tmp_path, "--delay-ms", 300) as server:
        process = begin(table(tmp_path / "t.csv", 20), slides, tmp_path / "run", server, "--mode",
                        "thumbnail", "--concurrency", 1)
        wait_for(tmp_path / "run", lambda s: s["state"] == "running")
        assert "another assay process" in assay("qa", "salvage", tmp_path / "run", status=2).stderr
        process.kill()
        process.wait()
    assert "is not there" in assay("qa", "salvage", tmp_path / "nowhere", status=2).stderr


def test_lost_settings_keep_the_answers_but_end_the_run(tmp_path, slides, finished):
    folder, questions, arguments, server = finished
    target = copy_of(finished, tmp_path / "run")
    as_version_0_1(target)
    text = (target / "run.journal").read_bytes()
    (target / "run.journal").write_bytes(text.replace(b'"kind":"settings"', b'"kind":"sEttings"'))
    assert "the settings of the run are lost" in assay("qa", "salvage", target, status=3).stdout
    kept = (target / "run.journal").read_bytes()
    assert ("settings of this run are lost"
            in run(questions, slides, target, server, *arguments, status=2).stderr)
    assert (target / "run.journal").read_bytes() == kept
    scored = strict(assay("qa", "score", target, "--table", questions,
                          "--json").stdout)["benchmarks"][0]
    assert scored["ledger"]["scored"] == 6


def test_journals_of_score_can_be_salvaged(tmp_path):
    support.cohort(tmp_path, ["a", "b", "c", "d"])
    score = ["score", tmp_path / "pred", tmp_path / "ref", "--out", tmp_path / "r.json"]
    assay(*score, "--keep-journal", "--jobs", 1)  # in order: a damaged last line is a torn one
    expected = json.loads((tmp_path / "r.json").read_text())["cases"]
    path = tmp_path / "r.json.journal"
    path.write_bytes(path.read_bytes().replace(b'"id":"b"', b'"id":"x"', 1))
    (tmp_path / "r.json").unlink()
    refused = assay(*score, "--resume", status=2).stderr
    assert f"assay qa salvage {path}" in refused and "without --resume" in refused
    said = assay("qa", "salvage", path, status=3).stdout
    assert "lost: line " in said and "it is scored again" in said and "3 records kept" in said
    assay(*score, "--resume")
    assert json.loads((tmp_path / "r.json").read_text())["cases"] == expected

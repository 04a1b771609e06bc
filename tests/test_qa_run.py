"""assay qa run through the program: protocols, faults, resume, answers that are there already."""
import json, os, random, re, signal, subprocess, time

import pytest

import support
from qa_runs import Server, answered, prices, results, run, slides, table  # noqa: F401
from support import assay


PROTOCOLS = [("openai", "chat"), ("openai", "responses"), ("anthropic", "messages")]


@pytest.mark.parametrize("agent, api", PROTOCOLS)
def test_every_protocol_navigates_and_is_scored(tmp_path, slides, agent, api):
    with Server(tmp_path, "--crops", 2) as server:
        run(table(tmp_path / "t.csv"), slides, tmp_path / "run", server, "--agent", agent, "--api",
            api, "--max-steps", 5)
        calls = server.calls()
    assert len(calls) == 24 and sorted({call["images"] for call in calls}) == [1, 2, 3]
    read = results(tmp_path / "run")
    assert (read["schema"] == "assay.qa/1"
            and read["ledger"]["expected"] == read["ledger"]["scored"] == 8)
    assert all(item["correct"] for item in read["results"])
    assert all(record["usage"]["input"] > 0 and record["request_id"]
               for record in answered(tmp_path / "run"))
    first = read["results"][0]
    trajectory = json.loads((tmp_path / "run" / first["trajectory_file"]).read_text())
    images = [image["sha256"] for turn in trajectory["turns"] for image in turn["images"]]
    assert (len(images) == 3
            and all((tmp_path / "run/crops" / f"{sha}.jpg").exists() for sha in images))
    assert "base64" not in json.dumps(trajectory)


@pytest.mark.parametrize("mode, calls, images",
                         [("thumbnail", 8, 1), ("patch", 8, 1), ("patch_vote", 40, 1)])
def test_modes_without_navigation(tmp_path, slides, mode, calls, images):
    with Server(tmp_path) as server:
        run(table(tmp_path / "t.csv"), slides, tmp_path / "run", server, "--mode", mode,
            "--patches", 5)
        assert (len(server.calls()) == calls
                and {call["images"] for call in server.calls()} == {images})
    assert results(tmp_path / "run")["ledger"]["scored"] == 8


def test_faults_that_pass_are_survived(tmp_path, slides):
    kinds = "429,500,529,cut,drop,garbage,error200"
    with Server(tmp_path, "--crops", 1, "--fault-rate", 0.4, "--fault-kinds", kinds, "--seed",
                5) as server:
        run(table(tmp_path / "t.csv"), slides, tmp_path / "run", server, "--max-steps", 3,
            "--retries", 30, "--first-wait", 0.01)
        seen = {call["fault"] for call in server.calls()}
    assert len(seen) >= 6
    assert all(item["correct"] for item in results(tmp_path / "run")["results"])


@pytest.mark.parametrize("fault, words",
                         [("401", "key"), ("quota", "quota"), ("parameter", "temperature"),
                          ("model", "model")])
def test_errors_that_stay_stop_the_run_and_say_what_to_change(tmp_path, slides, fault, words):
    with Server(tmp_path, "--always", fault) as server:
        done = run(table(tmp_path / "t.csv", 40), slides, tmp_path / "run", server, "--concurrency",
                   2, status=2)
        assert len(server.calls()) <= 2
    assert words in done.stderr and "stopped:" in done.stderr
    assert not (tmp_path / "run").exists(), "nothing was answered, so nothing is left"


def test_refused_and_truncated_are_their_own_classes(tmp_path, slides):
    with Server(tmp_path, "--fault-on", "#1:=refused,#2:=truncated,#3:=context") as server:
        run(table(tmp_path / "t.csv"), slides, tmp_path / "run", server, "--mode", "thumbnail",
            status=3)
    ledger = results(tmp_path / "run")["ledger"]
    assert ((ledger["scored"], ledger["refused"], ledger["truncated"], ledger["errored"])
            == (5, 1, 1, 1))
    assert ledger["expected"] == 8


def test_errors_are_retried_on_request_only(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path, "--faults", "3=context") as server:
        for status, retry, calls in [(3, [], 8), (3, [], 8), (0, ["--retry-errors"], 9),
                                     (0, ["--retry-errors"], 9)]:
            run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", *retry,
                status=status)
            assert len(server.calls()) == calls


def test_few_items_first_then_all_then_more_runs(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path) as server:
        for extra, status, calls in [(["--max-items", 3], 3, 3), (["--concurrency", 1], 0, 8),
                                     (["--runs", 3], 0, 24)]:
            run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", *extra,
                status=status)
            assert len(server.calls()) == calls
    assert all(len(item["votes"]) == 3 for item in results(tmp_path / "run")["results"])


def test_changed_settings_are_refused_by_name(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path) as server:
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail")
        done = run(questions, slides, tmp_path / "run", server, "--mode", "giant", "--max-steps", 3,
                   status=2)
        assert ('mode was "thumbnail", is now "giant"' in done.stderr
                and "max_steps was 20, is now 3" in done.stderr)
        table(questions, 9)
        assert "table_sha256" in run(questions, slides, tmp_path / "run", server, "--mode",
                                     "thumbnail", status=2).stderr
        assert len(server.calls()) == 8


def test_request_json_reaches_every_body_and_is_part_of_the_settings(tmp_path, slides):
    (tmp_path / "extra.json").write_text('{"temperature": 0, "max_completion_tokens": null, '
                                         '"max_tokens": 77}')
    questions = table(tmp_path / "t.csv", 2)
    with Server(tmp_path) as server:
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", "--request-json",
            tmp_path / "extra.json")
        assert "request_json" in run(questions, slides, tmp_path / "run", server, "--mode",
                                     "thumbnail", status=2).stderr
    assert results(tmp_path / "run")["config"]["request_json"]["max_tokens"] == 77


def test_keys_are_in_no_file_and_no_message(tmp_path, slides):
    secret = "sk-proj-verysecret1234567890"
    environment = {**os.environ, "MY_KEY": secret}
    questions = table(tmp_path / "t.csv", 3)
    with Server(tmp_path, "--key", secret) as server:
        done = run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail",
                   "--api-key-env", "MY_KEY", "--verbose", env=environment)
    with Server(tmp_path, "--key", "another") as server:
        refused = run(questions, slides, tmp_path / "run2", server, "--mode", "thumbnail",
                      "--api-key-env", "MY_KEY", env=environment, status=2)
    assert "MY_KEY" in refused.stderr
    text = done.stdout + done.stderr + refused.stdout + refused.stderr
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.suffix != ".jpg":
            text += path.read_text(errors="replace")
    assert secret not in text
    missing = assay("qa", "run", questions, "--wsi-root", slides, "--out", tmp_path / "r3",
                    "--model", "m", "--api-key-env", "NO_SUCH_KEY", status=2)
    assert "NO_SUCH_KEY" in missing.stderr and not (tmp_path / "r3").exists()


def test_dry_run_writes_nothing_and_never_blocks_the_run(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path) as server:
        done = run(questions, slides, tmp_path / "run", server, "--dry-run", "--prices",
                   prices(tmp_path), "--json")
        estimate = support.strict(done.stdout)
        assert (estimate["attempts"] == 8 and estimate["calls"] == [8, 160]
                and estimate["cost_usd"][0] > 0)
        assert not (tmp_path / "run").exists() and not server.calls()
        run(questions, slides, tmp_path / "run", server, "--max-steps", 3)
    environment = {name: value for name, value in os.environ.items()
                   if not name.endswith("_API_KEY")}
    done = assay("qa", "run", questions, "--model", "m", "--dry-run", env=environment)
    assert "8 attempts" in done.stdout and "--prices" in done.stdout, (
        "neither key nor slides are needed to plan")


@pytest.mark.parametrize("agent, api", PROTOCOLS)
def test_probe_makes_one_call_with_two_pictures(tmp_path, slides, agent, api):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path) as server:
        options = ["--probe", "--agent", agent, "--api", api, "--model", "m", "--base-url",
                   server.url, "--prices", prices(tmp_path)]
        done = assay("qa", "check", questions, "--wsi-root", slides, *options)
        assert [call["images"] for call in server.calls()] == [2]
    assert "label: 1" in done.stderr and "cost: $0.00" in done.stderr
    with Server(tmp_path, "--always", "401") as server:
        done = assay("qa", "check", questions, "--wsi-root", slides, "--probe", "--model", "m",
                     "--base-url", server.url, status=3)
    assert "probe:" in done.stderr and "key" in done.stderr


def test_missing_slides_are_in_the_ledger(tmp_path, slides):
    questions = table(tmp_path / "t.csv",
                      image_path=lambda i: "absent.svs" if i == 2 else "slide.tiff")
    with Server(tmp_path) as server:
        done = run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", status=3)
    assert "demo/2" in done.stderr
    read = results(tmp_path / "run")
    assert read["ledger"]["missing"] == 1 and read["results"][2]["error"]


def test_requests_per_minute_are_kept(tmp_path, slides):
    with Server(tmp_path) as server:
        started = time.monotonic()
        run(table(tmp_path / "t.csv", 6), slides, tmp_path / "run", server, "--mode", "thumbnail",
            "--rpm", 300)
        assert time.monotonic() - started >= 5 * 60 / 300


def test_answers_that_are_there_already(tmp_path):
    (tmp_path / "answers.csv").write_text("benchmark_id,prediction\n" + "".join(
        f'{i},"{{""answer"": {i % 4 + 1}}}"\n' for i in range(7)))
    questions = table(tmp_path / "t.csv")
    options = ["--agent", "replay", "--predictions"]
    assay("qa", "run", questions, "--out", tmp_path / "one", *options, tmp_path / "answers.csv",
          status=3)
    read = results(tmp_path / "one")
    assert read["ledger"]["scored"] == 7 and "no answer" in read["results"][7]["error"]
    assay("qa", "run", questions, "--out", tmp_path / "two", *options, tmp_path / "one", status=3)
    done = assay("qa", "run", questions, "--out", tmp_path / "two", *options, tmp_path / "one",
                 "--json", status=3)
    assert support.strict(done.stdout)["cost_usd"] is None
    assert ([item["predicted_label"] for item in results(tmp_path / "two")["results"]]
            == [*(i % 4 + 1 for i in range(7)), None])


def test_ctrl_c_finishes_cleanly(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 40)
    with Server(tmp_path, "--delay-ms", 50, "--crops", 3) as server:
        command = [support.PROGRAM, "qa", "run", questions, "--wsi-root", slides, "--out",
                   tmp_path / "run", "--base-url", server.url, "--model", "m", "--max-steps", "5",
                   "--concurrency", "4"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        while len(server.calls()) < 20:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 130 and "nothing is lost" in said
        seen = len(server.calls())
        assert len(answered(tmp_path / "run")) == seen, "calls under way are waited for and kept"
        read = results(tmp_path / "run")
        assert 0 < read["ledger"]["skipped"] < 40
        classes = ("input", "cache_write", "cache_read", "output")
        tokens = sum(record["usage"][name] or 0 for record in answered(tmp_path / "run")
                     for name in classes)
        assert sum(item["total_tokens"] or 0
                   for item in read["results"]) == tokens, (
                       "half-done questions have used tokens, too")
        run(questions, slides, tmp_path / "run", server, "--max-steps", 5)
        assert len(server.calls()) == 160


def test_killed_at_fifty_moments_nothing_is_lost_or_paid_twice(tmp_path, slides):
    """kill -9, inside items of up to 20 steps too: no journalled call is seen twice, and the
    results are the undisturbed ones."""
    questions = table(tmp_path / "t.csv", 40)
    arguments = ["--max-steps", "20", "--concurrency", "4", "--prices", str(prices(tmp_path)),
                 "--quiet"]
    with Server(tmp_path, "--crops", 18, "--crop", "0,0,64,64", "--delay-ms", 15) as server:
        run(questions, slides, tmp_path / "whole", server, *arguments)
        before = len(server.calls())
        assert before == 40 * 19
        command = [support.PROGRAM, "qa", "run", questions, "--wsi-root", slides, "--out",
                   tmp_path / "run", "--base-url", server.url, "--model", "m", *arguments]
        moments, kills, known = random.Random(7), 0, set()
        while kills < 50:
            process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            try:
                process.wait(timeout=moments.uniform(0.02, 0.14))
                break  # it got to its end between two kills
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1
            finally:
                process.stderr.close()
            sent = {f"req-{call['sequence']}": call["sha256"] for call in server.calls()}
            fresh = [call["sha256"] for call in server.calls()[before:]]
            assert not known & set(fresh), "a call that was on disk was made again"
            before = len(server.calls())
            if ((tmp_path / "run/run.journal").exists()
                and (tmp_path / "run/run.journal").stat().st_size):
                known = {sent[record["request_id"]] for record in answered_so_far(tmp_path / "run")}
        run(questions, slides, tmp_path / "run", server, *arguments)
        assert not known & {call["sha256"] for call in server.calls()[before:]}
    assert kills >= 30, f"only {kills} kills came in time"
    assert results(tmp_path / "run") == results(tmp_path / "whole")
    places = [(r["item"], r["step"], r["try"]) for r in answered(tmp_path / "run")]
    assert len(places) == len(set(places)) == 40 * 19


def answered_so_far(run):
    """Like answered(), but a torn last line is left out: a killed process may leave one."""
    text = (run / "run.journal").read_bytes()
    records = []
    for line in text[:text.rfind(b"\n") + 1].split(b"\n")[:-1]:
        try:
            records.append(json.loads(line)["record"])
        except ValueError:
            assert line is text[:text.rfind(b"\n")].split(b"\n")[-1]
    return [record for record in records if record["kind"] == "call" and "reply" in record]


def test_damaged_journals_are_refused(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path) as server:
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail")
        path = tmp_path / "run/run.journal"
        path.write_bytes(path.read_bytes().replace(b'"item":"3"', b'"item":"4"', 1))
        assert re.search(r"line \d+ is damaged",
                         run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail",
                             status=2).stderr)
        assert len(server.calls()) == 8


@pytest.mark.parametrize("arguments, words",
                         [
                             ([], "give a table"), (["t.csv"], "--out"),
                             (["t.csv", "--out", "r"], "--wsi-root"),
                             (["t.csv", "--out", "r", "--wsi-root", "."], "--model"),
                             (["no.csv", "--out", "r", "--wsi-root", ".", "--model", "m"],
                              "no.csv"),
                             (["t.csv", "--out", "r", "--wsi-root", "absent", "--model", "m",
                               "--base-url", "http://127.0.0.1:9"], "absent"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--model", "m",
                               "--base-url", "ftp://x"], "http"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--model", "m",
                               "--budget-usd", "5"], "--prices"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--model", "m",
                               "--max-steps", "0"], "--max-steps"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--model", "m",
                               "--concurrency", "0"], "--concurrency"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--model", "m",
                               "--budget-usd", "-1", "--prices", "p"], "--budget-usd"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--base-url",
                               "http://127.0.0.1:9", "--model", "m", "--benchmark", "dem"],
                              "did you mean 'demo'"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--agent", "command"],
                              "--command"),
                             (["t.csv", "--out", "r", "--agent", "replay"], "--predictions"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--agent", "anthropic",
                               "--api", "chat", "--model", "m"],
                              "API 'chat' of the agent 'anthropic' (known"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--model", "m",
                               "--base-url", "http://user:secret@127.0.0.1:9"], "--base-url"),
                             (["t.csv", "--out", "r", "--wsi-root", ".", "--model", "m",
                               "--api-key-env", "sk-secret-1"], "--api-key-env"),
                         ])
def test_wrong_usage_is_one_sentence_and_writes_nothing(tmp_path, arguments, words):
    table(tmp_path / "t.csv")
    environment = {name: value for name, value in os.environ.items()
                   if not name.endswith("_API_KEY")}
    done = assay("qa", "run", *arguments, cwd=tmp_path, status=2,
                 env={**environment, "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"})
    assert (words in done.stderr and len(done.stderr.strip().splitlines()) <= 2
            and "secret" not in done.stderr)
    assert not (tmp_path / "r").exists()


def test_published_table_end_to_end(tmp_path):
    """934 questions, answered by replay with the truth, by all five benchmarks."""
    published = support.real_data("multipathqa/MultiPathQA.csv")
    import csv
    rows = list(csv.DictReader(open(published, encoding="utf-8-sig")))
    with open(tmp_path / "answers.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["benchmark_name", "benchmark_id", "prediction"])
        for row in rows:
            key = "isup_grade" if row["benchmark_name"] == "panda" else "answer"
            answer = row["answer"] if row["answer"].isdigit() else json.dumps(row["answer"])
            writer.writerow([row["benchmark_name"], row["benchmark_id"], f'{{"{key}": {answer}}}'])
    assay("qa", "run", published, "--agent", "replay", "--predictions", tmp_path / "answers.csv",
          "--out", tmp_path / "run")
    counts = {}
    for name in ("tcga", "panda", "gtex", "tcga_expert_vqa", "tcga_slidebench"):
        read = results(tmp_path / "run", name)
        assert all(item["correct"] for item in read["results"])
        counts[name] = read["ledger"]["scored"]
    assert counts == {"tcga": 221, "panda": 197, "gtex": 191, "tcga_expert_vqa": 128,
                      "tcga_slidebench": 197}


def test_published_table_through_a_server(tmp_path, slides):
    """934 questions with pictures over HTTP; every slide of the table is a name of the same small
    one."""
    published = support.real_data("multipathqa/MultiPathQA.csv")
    import csv
    root = tmp_path / "wsi"
    root.mkdir()
    for name in {row["image_path"]
                 for row in csv.DictReader(open(published, encoding="utf-8-sig"))}:
        os.link(slides / "slide.tiff", root / name)
    with Server(tmp_path, "--fault-rate", 0.02, "--fault-kinds", "429,500,cut", "--seed",
                9) as server:
        done = run(published, root, tmp_path / "run", server, "--mode", "thumbnail",
                   "--concurrency", 16, "--first-wait", 0.01, "--json", timeout=120)
        calls = server.calls()
    report = support.strict(done.stdout)
    assert report["calls"] == len(calls) and len(calls) - report["retried"] == 934
    assert {call["images"] for call in calls} == {1}
    read = {name: results(tmp_path / "run", name)
            for name in ("tcga", "panda", "gtex", "tcga_expert_vqa", "tcga_slidebench")}
    assert sum(each["ledger"]["scored"] for each in read.values()) == 934
    assert all(each["config"]["table_sha256"] and each["config"]["prompts_sha256"]
               for each in read.values())
    assert len(list((tmp_path / "run/crops").iterdir())) == 1, "one picture, stored once"

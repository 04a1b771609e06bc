"""Answers that cannot be used: a run that stops early, and questions that are asked again."""
import json, zlib

import pytest

from qa_runs import Server, answered, journal, prices, results, run, slides, table  # noqa: F401

PROTOCOLS = {"chat": ["--api", "chat"], "responses": ["--api", "responses"],
             "messages": ["--agent", "anthropic"]}


@pytest.mark.parametrize("api", PROTOCOLS)
def test_a_run_that_is_cut_off_from_the_start_stops_and_says_what_to_change(tmp_path, slides, api):
    with Server(tmp_path, "--always", "truncated") as server:
        done = run(table(tmp_path / "t.csv", 60), slides, tmp_path / "run", server, "--concurrency",
                   4, *PROTOCOLS[api], status=3)
        assert 8 <= len(server.calls()) <= 8 + 4
        assert len(answered(tmp_path / "run")) == len(server.calls()), "what was paid for is kept"
    said = done.stderr
    assert ("stopped: none of the first answers can be used (8 cut off)" in said
            and "--max-output-tokens above 8192" in said)
    assert ("--ask-again truncated" in said
            and {"chat": "reasoning_effort", "responses": '"effort"',
                 "messages": "thinking"}[api] in said)
    ledger = results(tmp_path / "run")["ledger"]
    assert 8 <= ledger["truncated"] <= 12 and ledger["truncated"] + ledger["skipped"] == 60


@pytest.mark.parametrize("mode, again", [("thumbnail", "unparsed"), ("giant", "errored")])
def test_empty_answers_stop_the_run(tmp_path, slides, mode, again):
    with Server(tmp_path, "--answer", "") as server:
        done = run(table(tmp_path / "t.csv", 60), slides, tmp_path / "run", server, "--concurrency",
                   1, "--mode", mode, status=3)
        assert len(server.calls()) == 8
    assert "(8 empty)" in done.stderr and again in done.stderr


def test_patches_that_are_all_refused_stop_the_run_before_it_has_asked_them_all(tmp_path, slides):
    with Server(tmp_path, "--always", "refused") as server:
        done = run(table(tmp_path / "t.csv", 20), slides, tmp_path / "run", server, "--concurrency",
                   1, "--mode", "patch_vote", status=3)
        assert len(server.calls()) == 8
    assert "(8 refused)" in done.stderr


def test_a_short_run_says_it_too_and_keep_going_goes_on(tmp_path, slides):
    with Server(tmp_path, "--always", "refused") as server:
        options = ["--mode", "thumbnail", "--concurrency", 1]
        assert "(3 refused)" in run(table(tmp_path / "t.csv", 3), slides, tmp_path / "a", server,
                                    *options, status=3).stderr
        done = run(table(tmp_path / "t.csv", 20), slides, tmp_path / "b", server, *options,
                   "--keep-going", status=3)
    assert "stopped" not in done.stderr and results(tmp_path / "b")["ledger"]["refused"] == 20


def test_some_answers_that_are_cut_off_stop_nothing(tmp_path, slides):
    with Server(tmp_path, "--fault-on",
                ",".join(f"#{i}:=truncated" for i in range(1, 20))) as server:
        run(table(tmp_path / "t.csv", 20), slides, tmp_path / "run", server, "--mode", "thumbnail",
            "--concurrency", 1, status=3)
    assert results(tmp_path / "run")["ledger"]["truncated"] == 19


def test_truncated_answers_are_asked_again_with_a_larger_limit(tmp_path, slides):
    """Only they are, only the call that was cut off is, and both limits are in the journal and in
    the results."""
    questions = table(tmp_path / "t.csv")
    options = ["--max-steps", 4, "--prices", prices(tmp_path)]
    with Server(tmp_path, "--crops", 2, "--faults", "5=truncated,6=truncated") as server:
        run(questions, slides, tmp_path / "run", server, *options, "--concurrency", 1, status=3)
        assert results(tmp_path / "run")["ledger"]["truncated"] == 2
        before = len(server.calls())
        larger = ["--max-output-tokens", 32000, "--request-json", '{"reasoning_effort": "low"}']
        run(questions, slides, tmp_path / "run", server, *options, *larger, status=3)
        assert len(server.calls()) == before, "nothing is asked again that was not asked for"
        run(questions, slides, tmp_path / "run", server, *options, *larger, "--ask-again",
            "truncated")
        fresh = server.calls()[before:]
    # The first was cut off at its second step, the second at its first.
    assert (sorted(call["turns"] for call in fresh) == [0, 1, 1, 2, 2]
            and {call["limit"] for call in fresh} == {32000})
    read = results(tmp_path / "run")
    assert read["ledger"]["scored"] == 8
    kept = answered(tmp_path / "run")
    assert ([call["asked_with"]["max_output_tokens"] for call in kept]
            == [8192] * before + [32000] * 5)
    asked = {entry["max_output_tokens"]: entry for entry in read["config"]["asked_with"]}
    assert (asked[8192]["calls"], asked[32000]["calls"]) == (before, 5)
    assert (asked[32000]["request_json"] == {"reasoning_effort": "low"}
            and "request_json" not in asked[8192])
    assert asked[8192]["prices"] == {"input": 1.0, "output": 2.0, "cache_write": 1.0,
                                     "cache_read": 1.0, "image_tokens": 500}
    assert read["total_cost_usd"] == pytest.approx(
        sum(call["cost_usd"] for call in kept)), "both tries are paid for"


def test_each_end_can_be_asked_again(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    thumbnail = ["--mode", "thumbnail", "--concurrency", 1]
    with Server(tmp_path, "--faults", "2=refused,3=truncated,4=context") as server:
        run(questions, slides, tmp_path / "run", server, *thumbnail, status=3)
        for again, left in [("refused", 2), ("truncated,errored", 0)]:
            run(questions, slides, tmp_path / "run", server, *thumbnail, "--ask-again", again,
                status=3 if left else 0)
        assert len(server.calls()) == 11
    with Server(tmp_path, "--answer", "Hard to say.") as server:
        run(questions, slides, tmp_path / "unread", server, *thumbnail, status=3)
    with Server(tmp_path) as server:
        run(questions, slides, tmp_path / "unread", server, *thumbnail, "--ask-again", "refused",
            status=3)
        run(questions, slides, tmp_path / "unread", server, *thumbnail, "--ask-again", "unparsed")
    assert results(tmp_path / "unread")["ledger"]["scored"] == 8
    done = run(questions, slides, tmp_path / "unread", server, *thumbnail, "--ask-again",
               "truncate", status=2)
    assert "did you mean 'truncated'" in done.stderr


def test_what_is_asked_again_counts_as_before_until_it_has_a_new_end(tmp_path, slides):
    """A selection, a second cut-off, a stop: the results keep what the journal knows."""
    questions = table(tmp_path / "t.csv")
    options = ["--mode", "thumbnail", "--concurrency", 1]
    with Server(tmp_path, "--fault-on",
                ",".join(f"#{i}:=truncated" for i in range(1, 8))) as server:
        run(questions, slides, tmp_path / "run", server, *options, status=3)
        assert results(tmp_path / "run")["ledger"]["truncated"] == 7
        run(questions, slides, tmp_path / "run", server, *options, "--ask-again", "truncated",
            "--max-items", 3, status=3)
        assert len(server.calls()) == 10
        ledger = results(tmp_path / "run")["ledger"]
        assert (ledger["truncated"], ledger["skipped"]) == (7, 0)
    with Server(tmp_path, "--always", "401") as server:
        run(questions, slides, tmp_path / "run", server, *options, "--ask-again", "truncated",
            status=3)
    ledger = results(tmp_path / "run")["ledger"]
    assert (ledger["truncated"], ledger["skipped"]) == (7, 0)


def test_asking_again_in_vain_stops_early_as_well(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 40)
    options = ["--mode", "thumbnail", "--concurrency", 1]
    with Server(tmp_path, "--fault-on",
                ",".join(f"#{i}:=truncated" for i in range(1, 40))) as server:
        run(questions, slides, tmp_path / "run", server, *options, status=3)
        before = len(server.calls())
        done = run(questions, slides, tmp_path / "run", server, *options, "--ask-again",
                   "truncated", status=3)
        assert len(server.calls()) == before + 8 and "(8 cut off)" in done.stderr


def as_written_by_0_1(path):
    """The journal without what that version did not write."""
    lines = []
    for line in path.read_text().splitlines():
        record = json.loads(line)["record"]
        record.pop("asked_with", None)
        if record["kind"] == "settings":
            record["settings"].pop("image_detail")
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        lines.append('{"crc32": "%08x", "record": %s}\n' % (zlib.crc32(text.encode()), text))
    path.write_text("".join(lines))


def test_a_journal_of_version_0_1_goes_on(tmp_path, slides):
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path, "--crops", 2, "--faults", "2=truncated") as server:
        options = ["--agent", "anthropic", "--max-steps", 4]
        run(questions, slides, tmp_path / "run", server, *options, "--max-items", 3,
            "--concurrency", 1, status=3)
        before = len(server.calls())
        as_written_by_0_1(tmp_path / "run/run.journal")
        done = run(questions, slides, tmp_path / "run", server, *options, "--image-detail", "low",
                   "--api", "messages", status=2)
        assert "--image-detail" in done.stderr
        run(questions, slides, tmp_path / "run", server, *options, "--max-output-tokens", 9000,
            "--ask-again", "truncated")
        assert len(server.calls()) == before + 2 + 5 * 3
    read = results(tmp_path / "run")
    assert read["ledger"]["scored"] == 8
    assert [(entry["max_output_tokens"], entry["calls"])
            for entry in read["config"]["asked_with"]] == [(8192, before), (9000, 17)]


def test_other_parts_of_request_json_may_not_change(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 2)
    with Server(tmp_path) as server:
        options = ["--mode", "thumbnail", "--request-json"]
        run(questions, slides, tmp_path / "run", server, *options,
            '{"temperature": 0, "max_completion_tokens": 500}')
        run(questions, slides, tmp_path / "run", server, *options,
            '{"temperature": 0, "reasoning_effort": "high"}')
        done = run(questions, slides, tmp_path / "run", server, *options, '{"temperature": 1}',
                   status=2)
        assert 'request_json was {"temperature":0}, is now {"temperature":1}' in done.stderr

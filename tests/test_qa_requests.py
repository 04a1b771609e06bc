"""What `assay qa run` sends besides the question: headers, details of images, marks for caches; and
how long it waits."""
import json, os

import pytest

import support
from qa_runs import Server, answered, journal, prices, results, run, slides, table  # noqa: F401
from support import assay

SECRET = "5ecret-of-azure-0123456789"


def everything_written(folder):
    return "".join(path.read_text(errors="replace") for path in folder.rglob("*")
                   if path.is_file() and path.suffix != ".jpg")


@pytest.mark.parametrize("spelling",
                         [["--header", "api-key=AZURE_KEY"], ["--header=api-key=AZURE_KEY"],
                          ["--header", f"api-key={SECRET}"]])
def test_an_azure_deployment_works_with_its_own_header(tmp_path, slides, spelling):
    environment = {**os.environ, "AZURE_KEY": SECRET, "OPENAI_API_KEY": "sk-of-somebody-else"}
    questions = table(tmp_path / "t.csv", 2)
    with Server(tmp_path, "--key", SECRET, "--key-header", "api-key") as server:
        server.url = server.url.replace("/v1",
                                        "/openai/deployments/gpt-x?api-version=2025-04-01-preview")
        done = run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", *spelling,
                   "--verbose", env=environment)
        paths = {call["path"] for call in server.calls()}
        assert not any(call["bearer"]
                       for call in server.calls()), ("the key of another provider is not sent")
        refused = run(questions, slides, tmp_path / "r2", server, "--mode", "thumbnail", "--header",
                      "api-key=wrong-secret-1", status=2)
    assert paths == {"/openai/deployments/gpt-x/chat/completions?api-version=2025-04-01-preview"}
    assert "--header" in refused.stderr and "wrong-secret-1" not in refused.stderr
    text = everything_written(tmp_path) + done.stdout + done.stderr
    assert SECRET not in text and "sk-of-somebody-else" not in text
    command = json.loads((tmp_path / "run/demo_results.json").read_text())["provenance"]["command"]
    assert any("AZURE_KEY" in word or "api-key=[hidden]" in word for word in command)


def test_headers_are_added_and_replace_those_of_the_protocol(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 2)
    with Server(tmp_path, "--key", "gateway-key-1") as server:
        run(questions, slides, tmp_path / "run", server, "--agent", "anthropic", "--mode",
            "thumbnail", "--header", "X-Api-Key=GATEWAY", "--header",
            "anthropic-beta=context-1m-2025-08-07",
            env={**os.environ, "GATEWAY": "gateway-key-1", "ANTHROPIC_API_KEY": "another"})
        assert {call["beta"] for call in server.calls()} == {"context-1m-2025-08-07"}
    command = json.loads((tmp_path / "run/demo_results.json").read_text())["provenance"]["command"]
    assert "anthropic-beta=context-1m-2025-08-07" in command, (
        "what changes an answer and is no secret stays")


@pytest.mark.parametrize("header, words",
                         [("api-key", "NAME=VALUE"), ("a b=c", "NAME=VALUE"),
                          ("api-key=NO_SUCH_KEY_1", "NO_SUCH_KEY_1 is not set"),
                          ("x=a\nb", "control character")])
def test_headers_that_are_none(tmp_path, slides, header, words):
    done = assay("qa", "run", table(tmp_path / "t.csv", 2), "--wsi-root", slides, "--out",
                 tmp_path / "r", "--model", "m", "--base-url", "http://127.0.0.1:9", "--header",
                 header, status=2)
    assert words in done.stderr and not (tmp_path / "r").exists()


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_the_detail_of_images(tmp_path, slides, api):
    questions = table(tmp_path / "t.csv", 2)
    with Server(tmp_path) as server:
        options = ["--mode", "thumbnail", "--api", api]
        run(questions, slides, tmp_path / "run", server, *options, "--image-detail", "low")
        assert {call["detail"] for call in server.calls()} == {"low"}
        done = run(questions, slides, tmp_path / "run", server, *options, status=2)
        assert (
            'image_detail was "low", is now null' in done.stderr
        ), "it changes what the model sees"
    done = assay("qa", "run", questions, "--wsi-root", slides, "--out", tmp_path / "r", "--agent",
                 "anthropic", "--model", "m", "--base-url", "http://127.0.0.1:9", "--image-detail",
                 "low", status=2)
    assert "--image-detail" in done.stderr


# ---- Caches --------------------------------------------------------------------------------------


@pytest.mark.parametrize("options, marked",
                         [([], {True}), (["--no-cache"], {False}),
                          (["--mode", "thumbnail"], {False}),
                          (["--mode", "patch_vote", "--patches", 3], {False})])
def test_a_conversation_that_grows_is_marked_for_the_cache(tmp_path, slides, options, marked):
    with Server(tmp_path, *([] if "--mode" in options else ["--crops", 2])) as server:
        run(table(tmp_path / "t.csv", 2), slides, tmp_path / "run", server, "--agent", "anthropic",
            "--max-steps", 4, *options)
        assert {call["cache_marked"] for call in server.calls()} == marked


def test_reads_from_and_writes_to_a_cache_are_priced(tmp_path, slides):
    usage = {"input_tokens": 100, "cache_creation_input_tokens": 2000,
             "cache_read_input_tokens": 30000, "output_tokens": 50}
    # Anthropic's writes cost a quarter more
    for row, cost in [({}, (100 * 4 + 2000 * 5 + 30000 * 4 + 50 * 8) / 1e6),
                      ({"cache_write": 6, "cache_read": 0.4},
                       (100 * 4 + 2000 * 6 + 30000 * 0.4 + 50 * 8) / 1e6)]:
        out = tmp_path / str(len(row))
        with Server(tmp_path, "--usage", json.dumps(usage)) as server:
            run(table(tmp_path / "t.csv", 1), slides, out, server, "--agent", "anthropic", "--mode",
                "thumbnail", "--prices", prices(tmp_path, input=4, output=8, **row))
        assert answered(out)[0]["cost_usd"] == pytest.approx(cost)
    openai = {"chat": {"prompt_tokens": 1000, "completion_tokens": 10,
                       "prompt_tokens_details": {"cached_tokens": 800}},
              "responses": {"input_tokens": 1000, "output_tokens": 10,
                            "input_tokens_details": {"cached_tokens": 800}}}
    for api, usage in openai.items():
        with Server(tmp_path, "--usage", json.dumps(usage)) as server:
            run(table(tmp_path / "t.csv", 1), slides, tmp_path / api, server, "--api", api,
                "--mode", "thumbnail", "--prices", prices(tmp_path, cache_read=0.1))
        assert answered(tmp_path / api)[0]["cost_usd"] == pytest.approx((200 + 80 + 20) / 1e6)


# ---- Estimates -----------------------------------------------------------------------------------


def estimate(folder, slides, *options, **row):
    done = assay("qa", "run", table(folder / "t.csv", 4), "--wsi-root", slides, "--model", "m",
                 "--dry-run", "--json", "--prices", prices(folder, **row), *options)
    return support.strict(done.stdout)


def test_an_estimate_is_a_range_with_its_assumptions(tmp_path, slides):
    """By hand: four attempts of one call each, so nothing is repeated."""
    read = estimate(tmp_path, slides, "--mode", "thumbnail", "--max-output-tokens", 1000)
    assert (read["calls"] == [4, 4]
            and read["cost_usd"][0] == read["cost_usd"][1] < read["worst_usd"])
    assert ("300 tokens" in read["assumptions"]["cost_usd"]
            and "--max-output-tokens" in read["assumptions"]["worst_usd"])
    # The output alone: 1000 tokens at $2 per million, in four calls; 500 tokens of the image at $1.
    assert read["worst_usd"] > 4 * (1000 * 2 + 500) / 1e6
    with Server(tmp_path) as server:
        run(tmp_path / "t.csv", slides, tmp_path / "run", server, "--mode", "thumbnail",
            "--max-output-tokens", 1000, "--prices", prices(tmp_path))
    reserved = sum(record["worst_usd"] for record in journal(tmp_path / "run")
                   if record["kind"] == "sent")
    assert reserved == pytest.approx(read["worst_usd"],
                                     rel=0.05), "it is what the budget sets aside"


def test_caches_make_an_estimate_lower_but_not_its_worst_case(tmp_path, slides):
    options = ["--agent", "anthropic", "--max-steps", 20, "--fixed-steps"]
    dear = estimate(tmp_path, slides, *options, "--no-cache", cache_write=1.25, cache_read=0.1)
    cheap = estimate(tmp_path, slides, *options, cache_write=1.25, cache_read=0.1)
    assert (cheap["cost_usd"][1] < 0.4 * dear["cost_usd"][1]
            and cheap["worst_usd"] == dear["worst_usd"])
    single = estimate(tmp_path, slides, "--agent", "anthropic", "--mode", "thumbnail",
                      cache_write=1.25, cache_read=0.1)
    assert single["cost_usd"] == estimate(tmp_path, slides, "--agent", "anthropic", "--mode",
                                          "thumbnail", "--no-cache")["cost_usd"]


# ---- Patience ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["500", "429", "drop"])
def test_an_outage_is_waited_out(tmp_path, slides, kind):
    """The first 12 calls fail: more than four workers with one retry each would make."""
    questions = table(tmp_path / "t.csv")
    with Server(tmp_path, "--faults", ",".join(f"{i}={kind}" for i in range(1, 13)),
                "--retry-after-ms", 0) as server:
        options = ["--mode", "thumbnail", "--retries", 1, "--first-wait", 0.001]
        done = run(questions, slides, tmp_path / "run", server, *options, "--patience", "10m",
                   "--concurrency", 4)
        assert len(server.calls()) == 12 + 8
    assert ("waiting: no call has been answered" in done.stderr
            and "the server answers again" in done.stderr)
    assert "up to 10 min" in done.stderr
    tried = [record["item"] for record in journal(tmp_path / "run") if record["kind"] == "sent"]
    assert len(tried) == 20


def test_patience_ends(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 20)
    with Server(tmp_path, "--always", "529") as server:
        done = run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail",
                   "--first-wait", 0.01, "--concurrency", 2, "--patience", "0.5s", status=2)
        assert "got no answer" in done.stderr and len(server.calls()) < 40


def test_one_question_that_always_fails_does_not_use_up_patience(tmp_path, slides):
    questions = table(tmp_path / "t.csv", 30)
    with Server(tmp_path, "--fault-on", "#3:=500", "--delay-ms", 5) as server:
        run(questions, slides, tmp_path / "run", server, "--mode", "thumbnail", "--first-wait",
            0.001, "--retries", 2, "--concurrency", 4, "--patience", "1s", status=3)
    ledger = results(tmp_path / "run")["ledger"]
    assert (ledger["scored"], ledger["errored"]) == (29, 1)


@pytest.mark.parametrize("fault", ["401", "quota"])
def test_no_patience_with_keys_and_quotas(tmp_path, slides, fault):
    with Server(tmp_path, "--always", fault) as server:
        run(table(tmp_path / "t.csv", 20), slides, tmp_path / "run", server, "--concurrency", 2,
            "--patience", "1h", status=2)
        assert len(server.calls()) <= 2


@pytest.mark.parametrize("time", ["1", "h", "-1h", "1d", "1h30m", "0s"])
def test_patience_is_a_time(tmp_path, slides, time):
    done = assay("qa", "run", table(tmp_path / "t.csv"), "--wsi-root", slides, "--out",
                 tmp_path / "r", "--model", "m", "--base-url", "http://127.0.0.1:9",
                 f"--patience={time}", status=2)
    assert "90s, 30m or 1h" in done.stderr and not (tmp_path / "r").exists()

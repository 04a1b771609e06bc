"""`assay qa run` against LiteLLM's proxy, and the official clients against our test server.

Both ends of the protocols are held to software that others wrote. tools/peers.sh installs it and
runs this file with pytest; everything stays on loopback.
"""
import json, os, pathlib, signal, socket, subprocess, sys, time, urllib.request

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from qa_runs import Server, answered, results, slides, table  # noqa: E402, F401
from support import ROOT, assay  # noqa: E402

ENVIRONMENT = pathlib.Path(os.environ.get("ASSAY_MODEL_SERVERS", ROOT / "build/peers/servers"))
KEY = "sk-loopback"
PROTOCOLS = [("openai", "chat"), ("openai", "responses"), ("anthropic", "messages")]
FAULTS = {"limited": "litellm.RateLimitError", "long": "litellm.ContextWindowExceededError",
          "broken": "litellm.InternalServerError"}

if not (ENVIRONMENT / "bin/litellm").exists():
    pytest.skip("LiteLLM is not installed; tools/peers.sh installs it if the Python package index "
                "can be reached", allow_module_level=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def model(name, **parameters):
    return {"model_name": name,
            "litellm_params": {"model": "openai/gpt-4o", "api_key": "none", **parameters}}


class Proxy:
    """LiteLLM on loopback. Its models answer by themselves, or by asking our server."""

    def __init__(self, folder, backend):
        models = [model("mock", mock_response="The answer is 2."),
                  model("unpriced", model="openai/unheard-of", mock_response="The answer is 2."),
                  model("forwarded", api_base=backend),
                  model("translated", model="hosted_vllm/m", api_base=backend),
                  *(model(name, mock_response=text) for name, text in FAULTS.items())]
        settings = {"model_list": models, "general_settings": {"master_key": KEY},
                    "litellm_settings": {"num_retries": 0, "telemetry": False}}
        config = folder / "litellm.json"  # JSON is YAML
        config.write_text(json.dumps(settings))
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/v1"
        environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*",
                       "DISABLE_ADMIN_UI": "True", "LITELLM_TELEMETRY": "False"}
        self.log = open(folder / "litellm.log", "w")
        self.process = subprocess.Popen(
            [ENVIRONMENT / "bin/litellm", "--config", config, "--host", "127.0.0.1", "--port",
             str(port), "--telemetry", "False"], env=environment, stdout=self.log,
            stderr=subprocess.STDOUT, cwd=folder, start_new_session=True)

    def wait(self):
        for _ in range(600):
            try:
                urllib.request.urlopen(self.url.removesuffix("/v1") + "/health/liveliness").read()
                return self
            except OSError:
                assert self.process.poll() is None, pathlib.Path(self.log.name).read_text()[-2000:]
                time.sleep(0.2)
        raise AssertionError(pathlib.Path(self.log.name).read_text()[-2000:])

    def end(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(timeout=30)
        self.log.close()

    def price(self, api, name):
        """What LiteLLM says that one call costs."""
        path, body = {
            "chat": ("chat/completions", {"messages": [{"role": "user", "content": "hi"}]}),
            "responses": ("responses", {"input": "hi"}),
            "messages": ("messages", {"max_tokens": 9,
                                      "messages": [{"role": "user", "content": "hi"}]})}[api]
        request = urllib.request.Request(
            f"{self.url}/{path}", json.dumps({"model": name, **body}).encode(),
            {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            cost = response.headers.get("x-litellm-response-cost")
        return float(cost) if cost else None


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("litellm")
    with Server(folder, "--crops", 2) as server:
        started = Proxy(folder, server.url)
        try:
            started.backend = server
            yield started.wait()
        finally:
            started.end()


def ask(tmp_path, slides, proxy, agent, api, name, *options, status=0, key=KEY, count=8):
    """A run against the proxy; options come last, so that they may repeat --model."""
    url = proxy.url.removesuffix("/v1") if api == "messages" else proxy.url
    return assay("qa", "run", table(tmp_path / "t.csv", count), "--wsi-root", slides, "--out",
                 tmp_path / "run", "--base-url", url, "--agent", agent, "--api", api, "--model",
                 name, "--api-key-env", "LITELLM_KEY", *options, status=status, timeout=120,
                 env={**os.environ, "LITELLM_KEY": key})


@pytest.mark.parametrize("agent, api", PROTOCOLS)
def test_mock_answers_are_scored_and_counted(tmp_path, slides, proxy, agent, api):
    ask(tmp_path, slides, proxy, agent, api, "mock", "--mode", "thumbnail")
    read = results(tmp_path / "run")
    assert read["ledger"]["scored"] == 8 and sum(item["correct"] for item in read["results"]) == 2
    tokens = {"chat": (10, 20), "responses": (36, 87), "messages": (2095, 503)}[api]  # of LiteLLM
    for record in answered(tmp_path / "run"):
        assert (record["usage"]["input"], record["usage"]["output"]) == tokens
        assert record["request_id"] and record["model"] == "mock"
    price = proxy.price(api, "mock")
    assert read["total_cost_usd"] == (price and pytest.approx(8 * price))
    assert (price is None) == (api == "messages"), "LiteLLM does not price its mocks of messages"


def test_a_price_of_ones_own_comes_first(tmp_path, slides, proxy):
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"mock": {"input": 1, "output": 2, "image_tokens": 500}}))
    ask(tmp_path, slides, proxy, "openai", "chat", "mock", "--mode", "thumbnail", "--prices",
        prices)
    assert results(tmp_path / "run")["total_cost_usd"] == pytest.approx(8 * (10 + 2 * 20) / 1e6)


def test_a_model_without_a_price_has_no_cost(tmp_path, slides, proxy):
    ask(tmp_path, slides, proxy, "openai", "chat", "unpriced", "--mode", "thumbnail", count=2)
    assert results(tmp_path / "run")["total_cost_usd"] is None


@pytest.mark.parametrize("agent, api", PROTOCOLS)
def test_a_conversation_with_pictures_goes_through(tmp_path, slides, proxy, agent, api):
    """LiteLLM reads our requests and asks our own server as OpenAI's client; messages it translates
    into chat completions."""
    before = len(proxy.backend.calls())
    name = "translated" if api == "messages" else "forwarded"
    ask(tmp_path, slides, proxy, agent, api, name, "--max-steps", 5, count=4)
    assert all(item["correct"] for item in results(tmp_path / "run")["results"])
    calls = proxy.backend.calls()[before:]
    assert sorted(call["images"] for call in calls) == [1] * 4 + [2] * 4 + [3] * 4
    assert all(record["usage"]["output"] > 0 for record in answered(tmp_path / "run"))


@pytest.mark.parametrize("agent, api", PROTOCOLS)
def test_a_wrong_key_stops_the_run(tmp_path, slides, proxy, agent, api):
    done = ask(tmp_path, slides, proxy, agent, api, "mock", key="sk-wrong-wrong", status=2)
    assert "check the key" in done.stderr and "wrong-wrong" not in done.stderr


@pytest.mark.parametrize("agent, api", PROTOCOLS)
def test_a_model_that_the_proxy_does_not_know_stops_the_run(tmp_path, slides, proxy, agent, api):
    done = ask(tmp_path, slides, proxy, agent, api, "unheard-of", status=2)
    assert "check --model" in done.stderr


@pytest.mark.parametrize("agent, api", [PROTOCOLS[0], PROTOCOLS[2]])  # no such mocks of responses
@pytest.mark.parametrize("name, calls, words", [
    ("limited", 3, "status 429"), ("broken", 3, "status 500"), ("long", 1, "ContextWindow")])
def test_errors_are_retried_or_not(tmp_path, slides, proxy, agent, api, name, calls, words):
    logged = len(pathlib.Path(proxy.log.name).read_text())
    done = ask(tmp_path, slides, proxy, agent, api, name, "--mode", "thumbnail", "--retries", 2,
               "--first-wait", 0.01, count=1, status=3)
    read = results(tmp_path / "run")
    assert read["ledger"]["errored"] == 1 and words in read["results"][0]["error"], done.stderr
    path = "messages" if api == "messages" else "chat/completions"
    asked = pathlib.Path(proxy.log.name).read_text()[logged:].count(f'"POST /v1/{path} HTTP/1.1"')
    assert asked == calls


@pytest.fixture(scope="module")
def clients():
    def call(*arguments):
        done = subprocess.run([ENVIRONMENT / "bin/python", HERE / "official_clients.py",
                               *map(str, arguments)], text=True, capture_output=True, timeout=120,
                              env={**os.environ, "NO_PROXY": "*"})
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    return call


def test_official_clients_accept_our_replies(tmp_path, clients):
    with Server(tmp_path) as server:
        found = clients(server.url)
        assert [call["images"] for call in server.calls()] == [1, 1, 1]
    for name, end in (("chat", "stop"), ("responses", "completed"), ("messages", "end_turn")):
        assert found[name]["text"] == '{"answer":2}' and found[name]["end"] == end, found
        assert found[name]["input"] > 100 and found[name]["output"] > 10
    for name in ("chat", "responses"):
        assert found[name]["total"] == found[name]["input"] + found[name]["output"]
        assert found[name]["request_id"].startswith("req-")


@pytest.mark.parametrize("fault, errors, status", [
    ("401", "AuthenticationError", 401), ("429", "RateLimitError", 429),
    ("context", "BadRequestError", 400), ("500", "InternalServerError", 500)])
def test_official_clients_understand_our_errors(tmp_path, clients, fault, errors, status):
    with Server(tmp_path, "--always", fault) as server:
        found = clients(server.url)
    assert {reply["error"] for reply in found.values()} == {errors}, found
    assert {reply["status"] for reply in found.values()} == {status}
    assert all(reply["code"] for reply in found.values())


def test_official_clients_understand_refusal_and_truncation(tmp_path, clients):
    for fault, ends in (("truncated", ("length", "incomplete", "max_tokens")),
                        ("refused", ("content_filter", "incomplete", "refusal"))):
        with Server(tmp_path, "--always", fault) as server:
            found = clients(server.url)
        assert tuple(found[name]["end"] for name in ("chat", "responses", "messages")) == ends


def test_the_key_of_official_clients_is_where_we_look_for_it(tmp_path, clients):
    with Server(tmp_path, "--key", "sk-right") as server:
        assert all("text" in reply for reply in clients(server.url, "sk-right").values())
        assert all(reply["status"] == 401 for reply in clients(server.url, "sk-left").values())

"""The examples of docs/qa-agents.md, run against servers that answer in each provider's shape.

Shapes are those of the providers' public documentation: path, query, header of the key, usage, and
errors. What a provider refuses, these servers refuse as well.
"""
import http.server, json, os, re, shlex, threading

import pytest

from qa_runs import answered, results, slides, table  # noqa: F401
from support import ROOT, assay

PAGE = (ROOT / "docs/qa-agents.md").read_text()
SECRET = "sk-loopback-0123456789"
USAGE = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}


def commands(provider):
    """The commands of a provider's example, as words."""
    block = re.search(rf"^### {provider}\n\n```sh\n(.*?)```", PAGE, re.M | re.S)[1]
    lines = block.replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines]


def openai_error(message, kind="invalid_request_error", code=None):
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def google_error(code, message, status):
    return [{"error": {"code": code, "message": message, "status": status}}]


def chat_reply(text="The answer is 2.", usage=USAGE, **more):
    choice = {"index": 0, "finish_reason": "stop",
              "message": {"role": "assistant", "content": text}}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "served",
            "choices": [choice], "usage": usage, **more}


MESSAGES_REPLY = {"id": "msg_1", "type": "message", "role": "assistant", "model": "served",
                  "stop_reason": "end_turn", "stop_sequence": None,
                  "content": [{"type": "text", "text": "The answer is 2."}],
                  "usage": {"input_tokens": 1000, "output_tokens": 50}}
FILTERED = {"hate": {"filtered": False, "severity": "safe"}}
SENT = {"model", "messages", "max_completion_tokens"}


class Provider:
    """What a provider expects of a request, and what it answers."""

    def __init__(self, path, key_header, reply, *, key="Bearer " + SECRET, fields=SENT,
                 headers=(), usage=(1000, 50), cost=None):
        self.path, self.key_header, self.key, self.fields = path, key_header, key, fields
        self.reply, self.headers, self.usage, self.cost = reply, dict(headers), usage, cost


THINKING = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1350}
OPENROUTER = {**USAGE, "cost": 0.0125, "is_byok": False,
              "cost_details": {"upstream_inference_cost": None},
              "prompt_tokens_details": {"cached_tokens": 0},
              "completion_tokens_details": {"reasoning_tokens": 0}}
PRICED = (1000 * 1 + 50 * 2) / 1e6
EXAMPLES = {
    ("Gemini", 0): Provider("/v1beta/openai/chat/completions", "authorization",
                            chat_reply(usage=THINKING), usage=(1000, 350),
                            cost=(1000 * 1 + 350 * 2) / 1e6),
    ("OpenRouter", 0): Provider("/api/v1/chat/completions", "authorization",
                                chat_reply(usage=OPENROUTER, provider="Anthropic"), cost=0.0125,
                                fields=SENT | {"provider"}),
    ("Azure", 0): Provider(
        "/openai/deployments/DEPLOYMENT/chat/completions?api-version=2024-10-21", "api-key",
        chat_reply(prompt_filter_results=[{"prompt_index": 0, "content_filter_results": FILTERED}]),
        key=SECRET, cost=PRICED),
    ("vLLM", 0): Provider("/v1/chat/completions", None,
                          chat_reply(usage={**USAGE, "prompt_tokens_details": None},
                                     prompt_logprobs=None, kv_transfer_params=None)),
    ("Ollama", 0): Provider("/v1/chat/completions", None,
                            chat_reply(system_fingerprint="fp_ollama"),
                            fields={"model", "messages", "max_tokens"}),
    ("LiteLLM", 0): Provider("/v1/chat/completions", "authorization", chat_reply(), cost=0.003,
                             headers={"x-litellm-response-cost": "0.003"}),
    ("LiteLLM", 1): Provider("/v1/messages", "x-api-key", MESSAGES_REPLY, key=SECRET, cost=0.003,
                             fields={"model", "messages", "max_tokens", "system"},
                             headers={"x-litellm-response-cost": "0.003"}),
}
CREDENTIALS = ("authorization", "api-key", "x-api-key", "x-goog-api-key")


class Served(http.server.ThreadingHTTPServer):
    """Answers every request with `answer(request, body)`: status, headers, value."""

    def __init__(self, answer):
        self.answer, self.requests = answer, []
        super().__init__(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()},
                                     body))
        status, headers, value = self.server.answer(len(self.server.requests))
        text = json.dumps(value).encode()
        self.send_response(status)
        for name, content in {**headers, "content-type": "application/json"}.items():
            self.send_header(name, content)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def run_example(tmp_path, slides, words, server, *options, status=0, count=4):
    """The command of the page, one call at a time, with its host, files and key replaced."""
    if "--concurrency" in words:
        at = words.index("--concurrency")
        words = words[:at] + words[at + 2:]
    model = words[words.index("--model") + 1]
    (tmp_path / "prices.json").write_text(json.dumps({model: {"input": 1, "output": 2,
                                                              "image_tokens": 900}}))
    places = {"MultiPathQA.csv": table(tmp_path / "t.csv", count), "slides": slides,
              "run": tmp_path / "run", "prices.json": tmp_path / "prices.json"}
    assert words[:4] == ["assay", "qa", "run", "MultiPathQA.csv"]
    address = f"http://127.0.0.1:{server.server_address[1]}"
    words = ["qa", "run", *(re.sub(r"^https?://[^/]+", address, str(places.get(word, word)))
                            for word in words[3:])]
    keys = {name: SECRET for name in re.findall(r"\b[A-Z_]+_API_KEY\b", " ".join(words))}
    environment = {name: value for name, value in os.environ.items()
                   if not name.endswith("_API_KEY")}
    return assay(*words, "--mode", "thumbnail", "--concurrency", 1, *options, status=status,
                 env={**environment, **keys})


@pytest.mark.parametrize("name, number", EXAMPLES, ids=lambda x: str(x))
def test_the_example_is_scored(tmp_path, slides, name, number):
    provider = EXAMPLES[name, number]
    with Served(lambda _: (200, provider.headers, provider.reply)) as server:
        run_example(tmp_path, slides, commands(name)[number], server)
    assert len(server.requests) == 4
    for path, headers, body in server.requests:
        assert path == provider.path
        given = {header: headers[header] for header in CREDENTIALS if header in headers}
        assert given == ({provider.key_header: provider.key} if provider.key_header else {})
        assert set(body) <= provider.fields and provider.fields - {"system"} <= set(body)
        assert "/9j/" in json.dumps(body["messages"]), "a JPEG"
    read = results(tmp_path / "run")
    assert read["ledger"]["scored"] == 4 and sum(item["correct"] for item in read["results"]) == 1
    assert read["total_cost_usd"] == (provider.cost and pytest.approx(4 * provider.cost))
    for record in answered(tmp_path / "run"):
        assert (record["usage"]["input"], record["usage"]["output"]) == provider.usage
        assert record["model"] == "served"
    for file in (tmp_path / "run").rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


def test_every_example_is_run():
    names = re.findall(r"^### (\w+)$", PAGE[PAGE.index("## Examples by provider"):], re.M)
    assert {(name, i) for name in names for i in range(len(commands(name)))} == set(EXAMPLES)


QUOTA = ("You exceeded your current quota, please check your plan and billing details. Please "
         "retry in 0.02s.")
CONTEXT = ("This model's maximum context length is 4096 tokens. However, you requested 9000 tokens "
           "(8000 in the messages, 1000 in the completion).")
BLOCKED = {"error": {"message": "The response was filtered due to the prompt triggering Azure "
                                "OpenAI's content management policy.", "type": None,
                     "param": "prompt", "code": "content_filter", "status": 400,
                     "innererror": {"code": "ResponsibleAIPolicyViolation"}}}
FLAGGED = {"error": {"code": 403, "message": "anthropic/claude requires moderation on Anthropic. "
                                             "Your input was flagged for \"graphic\".",
                     "metadata": {"reasons": ["graphic"], "flagged_input": "Question",
                                  "provider_name": "Anthropic"}}}
UPSTREAM = {"error": {"code": 502, "message": "Provider returned error",
                      "metadata": {"provider_name": "Anthropic", "raw": "overloaded"}}}
DENIED = {"error": {"code": "401", "message": "Access denied due to invalid subscription key or "
                                              "wrong API endpoint."}}
VLLM_CONTEXT = {"object": "error", "message": CONTEXT, "type": "BadRequestError", "param": None,
                "code": 400}
NO_KEY = "API key not valid. Please pass a valid API key."
NO_FIELD = "Invalid JSON payload received. Unknown name \"seed\": Cannot find field."
# What the server says to the first call, and what becomes of the run: fatal stops it, item and
# refused concern one question, again is retried.
ERRORS = {
    "Gemini key": (400, {}, google_error(400, NO_KEY, "INVALID_ARGUMENT"), "fatal",
                   "check the key"),
    "Gemini field": (400, {}, google_error(400, NO_FIELD, "INVALID_ARGUMENT"), "fatal",
                     "change or drop the parameter"),
    "Gemini quota": (429, {}, google_error(429, QUOTA, "RESOURCE_EXHAUSTED"), "again", ""),
    "OpenRouter credit": (402, {}, {"error": {"code": 402, "message": "Insufficient credits."}},
                          "fatal", "no credit"),
    "OpenRouter moderation": (403, {}, FLAGGED, "refused", ""),
    "OpenRouter upstream": (200, {}, UPSTREAM, "again", ""),
    "Azure key": (401, {}, DENIED, "fatal", "check the key"),
    "Azure deployment": (404, {}, {"error": {"code": "DeploymentNotFound",
                                             "message": "The API deployment does not exist."}},
                         "fatal", "check --base-url"),
    "Azure filter": (400, {}, BLOCKED, "refused", ""),
    "Azure limit": (429, {"retry-after": "0"}, {"error": {"code": "429", "message": "Requests have "
                                                          "exceeded the rate limit. Please retry "
                                                          "after 0 seconds."}}, "again", ""),
    "vLLM key": (401, {}, {"error": "Unauthorized"}, "fatal", "check the key"),
    "vLLM context": (400, {}, VLLM_CONTEXT, "item", "maximum context length"),
    "vLLM model": (404, {}, {"error": {"message": "The model `m` does not exist.", "code": 404,
                                       "type": "NotFoundError", "param": "model"}}, "fatal",
                   "--model"),
    "Ollama model": (404, {}, openai_error('model "m" not found, try pulling it first',
                                           "not_found_error"), "fatal", "check --model"),
    "LiteLLM key": (400, {}, openai_error("No connected db.", "no_db_connection", "400"), "fatal",
                    "check the key"),
    "LiteLLM limit": (429, {}, openai_error("litellm.RateLimitError: slow down", "throttling_error",
                                            "429"), "again", ""),
    "LiteLLM context": (400, {}, openai_error("litellm.ContextWindowExceededError: prompt is too "
                                              "long", "invalid_request_error", "400"), "item",
                        "too long"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_in_the_providers_words(tmp_path, slides, case):
    status, headers, error, fate, words = ERRORS[case]
    name = case.split()[0]
    provider = EXAMPLES[name, 0]

    def answer(number):
        return (status, headers, error) if number == 1 else (200, {}, provider.reply)

    exits = {"fatal": 2, "item": 3, "refused": 3, "again": 0}
    with Served(answer) as server:
        done = run_example(tmp_path, slides, commands(name)[0], server, "--first-wait",
                           0.01, status=exits[fate])
    assert words in done.stderr
    assert len(server.requests) == {"fatal": 1, "item": 4, "refused": 4, "again": 5}[fate]
    if fate != "fatal":
        ledger = results(tmp_path / "run")["ledger"]
        assert ledger["scored"] == (4 if fate == "again" else 3)
        assert ledger["errored"] == (fate == "item") and ledger["refused"] == (fate == "refused")

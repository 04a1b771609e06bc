"""Keys that a server repeats reach no file and no terminal: whole, in part, masked, encoded, in
errors, answers and headers."""
import base64, http.server, json, os, subprocess, threading, urllib.parse

import pytest

from qa_runs import slides, table  # noqa: F401
from support import PROGRAM

KEY = "sk-proj-Qz7Wx91LmNp+/uT4vB8kR2sY6"
PLAIN = "Zk4Tq8Wm1Xc7Vb3Nn9Ll5"  # like no provider's
ANSWER = '{"answer": 2}'


class Hostile:
    """Answers every call with what `reply(key)` makes: status, headers, body."""

    def __init__(self, reply):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                given = self.headers["Authorization"] or self.headers["x-secret-header"]
                status, headers, body = reply(given.removeprefix("Bearer "))
                body = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def answer(text, **more):
    return {"id": "call-1", "model": "m", "usage": {"prompt_tokens": 5, "completion_tokens": 5},
            "choices": [{"message": {"content": text}, "finish_reason": "stop"}], **more}


def error(message, code="invalid_api_key"):
    return {"error": {"message": message, "code": code, "type": code, "param": message}}


def masked(key):
    return key[:12] + "*" * 12 + key[-4:]


REPLIES = {
    "refused": lambda key: (401, {}, error(f"Incorrect API key provided: {key}.")),
    "masked": lambda key: (401, {}, error(f"Incorrect API key provided: {masked(key)}. Why?")),
    "short ends": lambda key: (400, {}, error(f"no {key[:4]}****{key[-4:]} here", "other")),
    "in part": lambda key: (400, {}, error(f"starts with {key[:10]}, ends with {key[-9:]}", "x")),
    "as the code": lambda key: (400, {}, error("no", key)),
    "a page": lambda key: (502, {}, f"<html>Authorization: Bearer {key}</html>".encode()),
    "not JSON": lambda key: (200, {}, f"key={key} {urllib.parse.quote(key, safe='')}".encode()),
    "answered": lambda key: (200, {}, answer(f"{ANSWER} {key} {key[5:15]}")),
    "escaped": lambda key: (200, {}, json.dumps(answer(f"{ANSWER} {key}")).replace(
        key, "".join(f"\\u{ord(c):04x}" for c in key)).encode()),
    "address": lambda key: (200, {}, answer(f"{ANSWER} ?k={urllib.parse.quote(key, safe='')}")),
    "base64": lambda key: (200, {}, answer(
        f"{ANSWER} {base64.b64encode(b'user:' + key.encode()).decode()}")),
    "ids": lambda key: (200, {"x-request-id": key, "x-echo": key},
                        answer(ANSWER, id=key, model=f"m {key}", provider=key)),
    "ending": lambda key: (200, {}, {**answer(ANSWER), "choices": [
        {"message": {"content": ANSWER}, "finish_reason": key}]}),
    "refusal": lambda key: (200, {}, {**answer(""), "choices": [
        {"message": {"content": "", "refusal": f"never for {key}"}, "finish_reason": "stop"}]}),
}


def ask(questions, slides, out, server, *options, **variables):
    """A run that may end in any way."""
    return subprocess.run(
        [PROGRAM, "qa", "run", questions, "--wsi-root", slides, "--out", out, "--base-url",
         server.url, "--model", "m", "--mode", "thumbnail", "--retries", "0", "--verbose",
         *options],
        env={**os.environ, **variables}, text=True, capture_output=True, timeout=60,
        stdin=subprocess.DEVNULL)


def forms(key):
    """What must not be found: every part of the key, plain or encoded."""
    quoted = urllib.parse.quote(key, safe="")
    encoded = base64.b64encode(b"user:" + key.encode()).decode().rstrip("=")[8:]
    for text in (key, quoted, encoded):
        for at in range(len(text) - 7):
            yield text[at:at + 8].encode()
    yield (key[:4] + "**").encode()
    yield ("**" + key[-4:]).encode()


def assert_kept(folder, done, key):
    texts = {"the terminal": (done.stdout + done.stderr).encode()}
    for path in folder.rglob("*"):
        if path.is_file():
            texts[path.name] = path.read_bytes()
    for name, text in texts.items():
        for part in forms(key):
            assert part not in text, (name, part)


@pytest.mark.parametrize("kind", REPLIES)
@pytest.mark.parametrize("key", [KEY, PLAIN], ids=["known", "unknown"])
def test_a_key_reaches_no_file(tmp_path, slides, kind, key):
    for how, options, variables in (
            ("key", ["--api-key-env", "MY_KEY"], {"MY_KEY": key}),
            ("header", ["--header", "x-secret-header=MY_HEADER"], {"MY_HEADER": key})):
        out = tmp_path / how
        with Hostile(REPLIES[kind]) as server:
            done = ask(table(tmp_path / "t.csv", 2), slides, out, server, *options, **variables)
        assert done.returncode in (0, 2, 3), done
        assert_kept(tmp_path / how, done, key)
        if kind in ("answered", "address", "base64", "escaped"):
            assert done.returncode == 0 and list(out.glob("trajectories/*")), done.stderr
            journal = (out / "run.journal").read_text()
            assert "[key]" in journal


def test_other_words_stay(tmp_path, slides):
    reply = lambda key: (200, {}, answer(ANSWER + " adenocarcinoma, Gleason 3+4; **sure**..."))
    with Hostile(reply) as server:
        done = ask(table(tmp_path / "t.csv", 1), slides, tmp_path / "run", server, "--header",
                   "x-title=adenocarcinoma-study", "--api-key-env", "MY_KEY", MY_KEY=KEY)
    assert done.returncode in (0, 3), done
    assert "adenocarcinoma, Gleason 3+4; **sure**..." in (tmp_path / "run/run.journal").read_text()

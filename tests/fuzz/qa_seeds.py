"""Seeds of the fuzzers of question answering: what servers, models and journals say."""
import json

from text_seeds import journal_line


def reply_seeds():
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
             "prompt_tokens_details": {"cached_tokens": 3},
             "completion_tokens_details": {"reasoning_tokens": 2}, "cost": 0.01,
             "cost_details": {"upstream_inference_cost": 0.009}, "is_byok": False}
    chat = {"id": "c1", "model": "m", "provider": "p", "usage": usage,
            "choices": [{"finish_reason": "stop",
                         "message": {"content": '{"reasoning": "r", "action": {"action_type": '
                                                '"final_answer", "answer_text": "B"}}'}}]}
    responses = {"id": "r1", "status": "completed", "model": "m",
                 "output": [{"type": "reasoning"},
                            {"type": "message", "content": [{"type": "output_text", "text": "A"}]}],
                 "usage": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13,
                           "input_tokens_details": {"cached_tokens": 1},
                           "output_tokens_details": {"reasoning_tokens": 1}}}
    messages = {"id": "m1", "type": "message", "model": "m", "stop_reason": "end_turn",
                "content": [{"type": "thinking"}, {"type": "text", "text": "{\"answer\": 2}"}],
                "usage": {"input_tokens": 7, "cache_creation_input_tokens": 2,
                          "cache_read_input_tokens": 1, "output_tokens": 3}}
    http = lambda body, head=b"200": head + b"\n\n" + (
        body if isinstance(body, bytes) else json.dumps(body).encode())
    but = lambda **changed: http({**chat, **changed})
    yield "chat", http(chat)
    yield "responses", http(responses)
    yield "messages", http(messages)
    yield "request_id", http(chat, b"200\nx-request-id: q\nrequest-id: s\ncf-ray: t")
    yield "no_choices", but(choices=[])
    yield "choice_error", but(choices=[{"error": {"code": 502, "message": "upstream"}}])
    yield "parts", but(choices=[{"message": {"content": [{"text": "a"}, 1, {"text": None}]}}])
    yield "refusal", but(choices=[{"message": {"content": None, "refusal": "no"}}])
    yield "length", but(choices=[{"finish_reason": "length", "message": {"content": ""}}])
    yield "large_counts", but(usage={"prompt_tokens": 2**63 - 1, "completion_tokens": 2**63 - 1})
    yield "huge_counts", but(usage={"prompt_tokens": 1e300, "completion_tokens": -1})
    yield "huge_cost", http(chat).replace(b"0.01", b"1e999")
    yield "own_key", but(usage={**usage, "is_byok": True})
    yield ("incomplete",
           http({**responses, "status": "incomplete",
                 "incomplete_details": {"reason": "max_output_tokens"}}))
    yield ("messages_error",
           http({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
                b"529"))
    yield ("rate_limit",
           http({"error": {"message": "Please try again in 6m0.5s.", "code": "rate_limit_exceeded",
                           "type": "tokens"}},
                b"429\nretry-after: 3\nx-ratelimit-remaining-tokens: 0\n"
                b"x-ratelimit-reset-tokens: 1m2s"))
    yield ("retry_date",
           http(b"{}", b"503\nretry-after: Wed, 21 Oct 2015 07:28:00 GMT\n"
                b"date: Wed, 21 Oct 2015 07:27:00 GMT"))
    yield "retry_milliseconds", http(b"{}", b"429\nretry-after-ms: 1e3")
    yield ("parameter",
           http({"error": {"message": "Unsupported parameter", "param": "temperature",
                           "code": "unsupported_parameter"}}, b"400"))
    yield ("metadata",
           http({"error": {"code": 429, "message": "Provider returned error",
                           "metadata": {"raw": "{\"error\": {\"message\": \"slow down\"}}",
                                        "provider_name": "P"}}}, b"429"))
    yield "key", http({"error": {"message": "Incorrect API key: sk-abcdefghijklmnop"}}, b"401")
    yield "page", http(b"<html><body>Bad gateway</body></html>", b"502")
    yield "text", http(b"\xff\xfe\x00 not JSON", b"200")
    yield "nested", http(b'{"choices": ' + b"[" * 5000)
    yield "nested_error", http(b'{"error": ' + b'{"error": ' * 5000, b"500")
    yield "surrogate", http(chat).replace(b'"B', b'"\\ud800')
    yield "empty", b""


def agent_seeds():
    yield ("whole",
           b'{"item_id": "1", "prediction": "B", "model": "m", "provider": "p", "request_id": "q", '
           b'"cost_usd": 0.01, "usage": {"input": 10, "cache_read": 1, "cache_write": 2, '
           b'"output": 3, "reasoning": 1}}')
    yield "prediction", b'{"prediction": "{\\"answer\\": 2}"}'
    yield "error", b'{"error": "out of memory\\u001b[31m"}'
    yield "other_item", b'{"item_id": "2", "prediction": "B"}'
    yield "no_prediction", b'{"item_id": "1"}'
    yield "types", b'{"prediction": 3, "usage": [1], "model": {}}'
    yield "model_type", b'{"prediction": "x", "model": 3}'
    yield ("large",
           b'{"prediction": "x", "usage": {"input": 9223372036854775807, "output": '
           b'9223372036854775807, "cache_read": 9223372036854775807}, "cost_usd": 1e308}')
    yield "not_finite", b'{"prediction": "x", "cost_usd": NaN, "usage": {"input": 1e300}}'
    yield "list", b'["prediction"]'
    yield "bytes", b'{"prediction": "\xff"}'
    yield "nested", b'{"prediction": ' + b"[" * 5000
    yield "empty", b""


def answer_seeds():
    options = b'["Lung", "Breast", "3", "None of the above"]\n'
    for name, said in {
            "object": b'{"answer": 2}', "fenced": b'I think.\n```json\n{"answer": "Breast"}\n```',
            "boxed": rb"Therefore $\boxed{B}$", "letter": b"(B) Breast", "last": b"Answer: 3",
            "negated": b"It is not Lung; it is Breast, rather than 3.",
            "statement": b"The correct answer is **B**.", "two": b"Lung or Breast",
            "crop": b'{"reasoning": "r", "action": {"action_type": "crop", "x": 1, "y": 2, '
                    b'"width": 3, "height": 4}}',
            "crop_large": b'{"action": {"action_type": "crop", "x": 1e300, "y": '
                          b'-9223372036854775808, "width": 18446744073709551615, "height": 0}}',
            "final": b'{"action": {"action_type": "final_answer", "answer_text": "B"}}',
            "number": b"99999999999999999999999", "grade": b"Grade group 4 of 5",
            "gleason": b"Gleason 4+3=7, ISUP 3",
            "braces": b"{" * 3000, "brackets": b'{"answer": ' + b"[" * 3000,
            "surrogate": b'{"answer": "\\ud800"}', "bytes": b"\xff\xf0\x9f\x98 A",
            "letters": "Réponse : \u202eB\u202c – „Brust“".encode(), "empty": b""}.items():
        yield name, options + said
    yield "python", b"('Lung', \"O'B\", 3)\nO'B"
    yield "bars", b"Lung|Breast|\nBreast"
    yield "no_options", b"\n4"
    yield "bad_options", b"{}\nA"


def trajectory_seeds():
    region = {"x": 0, "y": 0, "width": 10, "height": 10}
    turn = {"step_index": 0, "images": [{"sha256": "00", "region": region, "width": 5, "height": 5,
                                         "kind": "thumbnail"}],
            "prompt": "<x-fuzz>p", "response": "r</script><x-fuzz>", "problem": "none",
            "region": region, "model": "m", "request_id": "q",
            "usage": {"input": 1, "output": 2, "cache_read": None}, "cost_usd": 0.5}
    whole = {"schema": "assay.trajectory/1", "benchmark": "b", "item_id": "1", "run": 0,
             "wsi_path": "a.svs", "slide_width": 100, "slide_height": 200,
             "question": "Which?<x-fuzz>", "turns": [turn, {**turn, "step_index": 1, "images": []}],
             "final_answer": "B", "outcome": "scored", "error": None}
    but = lambda **changed: json.dumps({**whole, **changed}).encode()
    yield "whole", but()
    yield "no_turns", but(turns=[])
    yield "turns_type", but(turns=[1])
    yield "run_type", but(run=-1)
    yield "large", but(slide_width=1e300)
    yield "largest", but(slide_width=2**63 - 1, slide_height=-2**63)
    yield ("large_region",
           but(turns=[{**turn, "region": {"x": 2**63 - 1, "y": -2**63, "width": 2**63 - 1,
                                          "height": 2**53}}]))
    yield ("negative_image",
           but(turns=[{**turn, "images": [{"sha256": "../x", "region": region, "width": -1,
                                           "height": -1, "kind": "<x-fuzz>"}]}]))
    yield "no_size", but(slide_width=0, slide_height=0)
    yield "usage", but(turns=[{**turn, "usage": {"input": 2**63 - 1, "output": 2**63 - 1}}])
    yield "cost", but(turns=[{**turn, "cost_usd": -1e308}, {**turn, "cost_usd": -1e308}])
    yield "other_schema", but(schema="assay.qa/1")
    yield "surrogate", but(question="\ud800")
    yield "cut", but()[:300]
    yield "nested", b'{"schema": "assay.trajectory/1", "turns": ' + b"[" * 5000
    yield "list", b"[]"
    yield "empty", b""


def prices_seeds():
    row = {"input": 1.25, "output": 10, "cache_read": 0.1, "cache_write": 2, "image_tokens": 1000}
    one = lambda **changed: json.dumps({"m*": {**row, **changed}, "m1": row}).encode()
    yield "whole", one()
    yield "negative", one(input=-1)
    yield "text", one(output="10")
    yield "infinite", one().replace(b"1.25", b"1e999")
    yield "nan", one().replace(b"1.25", b"NaN")
    yield "large", one(input=1e308, output=1e308)
    yield "tokens", one(image_tokens=1e300)
    yield "tokens_fraction", one(image_tokens=1.5)
    yield "unknown", one(inptu=1)
    yield "twice", b'{"m": {"input": 1, "output": 2}, "m": {"input": 3, "output": 4}}'
    yield "no_output", b'{"m": {"input": 1}}'
    yield "row_type", b'{"m": 3, "": {"input": 1, "output": 2}}'
    yield "list", b'[{"input": 1}]'
    yield "nested", b'{"m": ' + b"[" * 5000
    yield "empty", b""


def questions_seeds():
    item = {"benchmark": "t", "id": "1", "slide": "a.svs", "truth": 1, "options": 0}
    whole = {"schema": "assay.qa-questions/1", "table_sha256": "00",
             "benchmarks": [{"benchmark_name": "t", "metric_type": "accuracy"}],
             "options": [["A", "B"], []],
             "items": [item, {**item, "id": "2", "selected": False, "problem": "absent",
                              "ambiguous": True, "options": 1}]}
    but = lambda **changed: json.dumps({**whole, **changed}).encode()
    yield "whole", but()
    yield "no_items", but(items=[])
    yield "metric", but(benchmarks=[{"benchmark_name": "t", "metric_type": "kappa"}])
    yield "options_place", but(items=[{**item, "options": 7}])
    yield "options_large", but(items=[{**item, "options": 1e300}])
    yield "truth", but(items=[{**item, "truth": -2**63}])
    yield "selected", but(items=[{**item, "selected": 1}])
    yield "options_type", but(options=[["A", 1]])
    yield "items_type", but(items={"a": 1})
    yield "other_schema", but(schema="x")
    yield "cut", but()[:99]
    yield "nested", b'{"schema": ' + b"[" * 5000
    yield "empty", b""


def qa_journal_seeds():
    line = lambda **record: journal_line(json.dumps(record, separators=(",", ":")).encode())
    key = {"benchmark": "t", "item": "1", "run": 0}
    settings = {"model": "m", "table_sha256": "00", "max_output_tokens": 5, "price_input": 1}
    header = line(kind="header", settings_sha256="s", inputs_sha256="i", version="0.1.0")
    named = line(kind="settings", settings=settings)
    sent = line(kind="sent", **key, step=0, **{"try": 0}, worst_usd=0.5, margin_usd=0.1)
    facts = {"kind": "call", **key, "step": 0, "try": 0, "request_sha256": "00", "seconds": 1.5}
    reply = {"reply": {"kind": "answer", "text": "{\"answer\": 1}"}, "finish_reason": "stop",
             "model": "m", "provider": "p", "request_id": "q",
             "usage": {"input": 1, "output": 2, "cache_read": None}, "cost_usd": 0.25,
             "asked_with": {"max_output_tokens": 5}}
    call = line(**facts, **reply)
    failed = line(**facts, failure="429", possible_usd=0.5, perhaps_charged=True)
    attempt = line(kind="attempt", **key, outcome="scored", prediction="1", error="",
                   trajectory_file="x.json")
    start = line(kind="event", event="start", at_s=1e9, timestamp="t", host="h", rules="assay",
                 runs=1, attempts=2, done=0, budget_usd=None, settings=settings)
    stop = line(kind="event", event="stop", at_s=1e9 + 60, why="", interrupted=False)
    pulse = line(kind="event", event="pulse", at_s=1e9 + 10)
    wait = line(kind="event", event="wait", at_s=1e9 + 20, until_s=1e9 + 30, status=429)
    whole = header + named + start + sent + call + pulse + wait + attempt + stop
    yield "whole", whole
    yield "under_way", header + named + start + sent + pulse
    yield "failed", header + named + sent + failed + sent + call + attempt
    yield ("salvaged",
           header + named + line(kind="event", event="salvage", at_s=1e9, lost=2, possible_usd=0.1,
                                 unknown_calls=1))
    yield "joined", whole.replace(b"}\n{", b"}{", 3)
    yield "no_header", named + sent + call
    yield "no_settings", header + sent + call + attempt
    yield "damaged", whole.replace(b'{"crc32": "', b'{"crc33": "', 4)[:-40]
    yield "torn", whole[:-30]
    yield ("large",
           header + named + line(**facts, **{**reply, "usage": {
               "input": 2**63 - 1, "output": 2**63 - 1, "cache_read": 2**63 - 1}}) * 2)
    yield ("huge",
           header + named + line(**{**facts, "step": 1e300}, **reply)
           + line(**facts, **{**reply, "usage": {"input": 1e300}, "cost_usd": -1}))
    yield ("times",
           header + named + start + line(kind="event", event="wait", at_s=-1e308, until_s=1e308,
                                         status=2**40)
           + line(kind="event", event="pulse", at_s=1e308))
    yield "outcome", header + attempt.replace(b"scored", b"lost")
    yield "other_event", header + line(kind="event", event="later")
    yield "other_kind", header + line(kind="later")
    yield "nested", header + journal_line(b'{"kind": "settings", "settings": ' + b"[" * 5000)
    yield "empty", b""


def qa_lists_seeds():
    yield "answers", b"benchmark_name,benchmark_id,prediction,run\nt,1,B,0\nt,1,A,1\n"
    yield "ids", b"id,answer\n1,B\n"
    yield "twice", b"benchmark_name,benchmark_id,prediction\nt,1,B\nt,1,A\n"
    yield "run_number", b"id,response,run\n1,B,-1\n"
    yield "run_large", b"id,response,run\n1,B,99999999999999999999\n"
    yield "items", b"t/1\n\n 2 \r\n"
    yield "items_table", b"benchmark_name,benchmark_id\nt,1\n"
    yield ("archives",
           b"benchmark_name,benchmark_id,image_path,is_valid,file_id,answer,options\n"
           b"tcga,1,a.svs,True,8d4a,1,A|B\ngtex,2,GTEX-1117F-0126.tiff,True,,1,\n"
           b"panda,3,0005f7aaab2800f6170c399693a96917.tiff,True,,1,\n")
    yield "slides", b"benchmark_name,image_path\ntcga,../a.svs\n"
    yield ("results",
           b'[{"benchmark_name": "t", "benchmark_id": "1", "prediction": "B"}]')
    yield "cut", b'id,"prediction\n1,B'
    yield "nested", b"[" * 5000
    yield "empty", b""

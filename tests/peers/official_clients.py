"""Calls a server with the official clients and prints what they understood, as JSON.

usage: official_clients.py BASE_URL        (http://127.0.0.1:PORT/v1; run by model_servers.py)

The clients accept almost any reply, so each reply is also validated against the client's own types.
"""
import base64, json, sys

import anthropic
import openai
from anthropic.types import Message
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(60)).decode()
QUESTION = "Question #5: how many?"


def chat(client, model="m"):
    url = {"url": f"data:image/jpeg;base64,{JPEG}"}
    content = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": url}]
    raw = client.chat.completions.with_raw_response.create(
        model=model, messages=[{"role": "user", "content": content}], max_completion_tokens=100)
    ChatCompletion.model_validate_json(raw.http_response.content)
    reply = raw.parse()
    return {"text": reply.choices[0].message.content, "end": reply.choices[0].finish_reason,
            "input": reply.usage.prompt_tokens, "output": reply.usage.completion_tokens,
            "total": reply.usage.total_tokens, "request_id": reply._request_id}


def responses(client, model="m"):
    content = [{"type": "input_text", "text": QUESTION},
               {"type": "input_image", "image_url": f"data:image/jpeg;base64,{JPEG}"}]
    raw = client.responses.with_raw_response.create(
        model=model, store=False, input=[{"role": "user", "content": content}])
    Response.model_validate_json(raw.http_response.content)
    reply = raw.parse()
    return {"text": reply.output_text, "end": reply.status, "input": reply.usage.input_tokens,
            "output": reply.usage.output_tokens, "total": reply.usage.total_tokens,
            "request_id": reply._request_id}


def messages(client, model="m"):
    source = {"type": "base64", "media_type": "image/jpeg", "data": JPEG}
    content = [{"type": "text", "text": QUESTION}, {"type": "image", "source": source}]
    raw = client.messages.with_raw_response.create(
        model=model, max_tokens=100, messages=[{"role": "user", "content": content}])
    Message.model_validate_json(raw.http_response.content)
    reply = raw.parse()
    return {"text": reply.content[0].text, "end": reply.stop_reason,
            "input": reply.usage.input_tokens, "output": reply.usage.output_tokens}


def attempt(call, *arguments):
    """What a call gives, or the class of the client's error, its status and its code."""
    try:
        return call(*arguments)
    except (openai.APIError, anthropic.APIError) as error:
        body = error.body if isinstance(error.body, dict) else {}
        return {"error": type(error).__name__, "status": getattr(error, "status_code", None),
                "code": body.get("code") or body.get("error", {}).get("type")}


def main():
    url = sys.argv[1]
    key = sys.argv[2] if len(sys.argv) > 2 else "none"
    of_openai = openai.OpenAI(base_url=url, api_key=key, max_retries=0)
    of_anthropic = anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key=key, max_retries=0)
    print(json.dumps({"chat": attempt(chat, of_openai), "responses": attempt(responses, of_openai),
                      "messages": attempt(messages, of_anthropic)}))


if __name__ == "__main__":
    main()

import json

import anthropic
from journey import ADD, ADD_SCHEMA, OUTPUT_MAX, PICTURE, SCHEMA, loop, prompt, said, total

PROTOCOL = "claude"
ROOT = anthropic.Anthropic(base_url="http://localhost", api_key="none", max_retries=0)


def text_of(message):
    return next((block.text for block in message.content if block.type == "text"), None)


def chat(client, asked, **more):
    return text_of(client.messages.create(**{**asked, "messages": said("chat"), **more}))


def stream(client, asked):
    with client.messages.stream(**asked, messages=said("stream")) as events:
        return text_of(events.get_final_message())


def vision(client, asked):
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    content = [{"type": "image", "source": source}, {"type": "text", "text": prompt("vision")}]
    return chat(client, asked, messages=[{"role": "user", "content": content}])


def schema(client, asked):
    output_config = {"format": {"type": "json_schema", "schema": SCHEMA}}
    return json.loads(chat(client, asked, messages=said("schema"), output_config=output_config))


def tool_loop(client, asked):
    messages = said("loop")
    thinking = {"type": "enabled", "budget_tokens": OUTPUT_MAX // 2}
    tools = [{**ADD, "input_schema": ADD_SCHEMA}]

    def turn():
        message = client.messages.create(
            **asked, messages=messages, tools=tools, thinking=thinking
        )
        messages.append({"role": "assistant", "content": message.content})
        messages.append({"role": "user", "content": []})
        calls = [block for block in message.content if block.type == "tool_use"]
        thoughts = [block.thinking for block in message.content if block.type == "thinking"]
        return calls, text_of(message), next(iter(thoughts), None)

    def answer(call):
        result = {"type": "tool_result", "tool_use_id": call.id, "content": total(**call.input)}
        messages[-1]["content"].append(result)

    return loop(turn, answer)


ASKS = {"chat": chat, "stream": stream, "vision": vision, "schema": schema, "loop": tool_loop}
KINDS = list(ASKS)


def observe(job):
    client = ROOT.copy(base_url=job["baseURL"].removesuffix("/v1"), api_key=job["apiKey"])
    return ASKS[job["kind"]](client, {"model": job["model"], "max_tokens": OUTPUT_MAX})

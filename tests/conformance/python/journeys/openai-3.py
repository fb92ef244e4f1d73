import json

import openai
from journey import ADD, ADD_SCHEMA, OUTPUT_MAX, PICTURE_URL, SCHEMA, loop, prompt, said, total

ROOT = openai.OpenAI(base_url="http://localhost", api_key="none", max_retries=0)


def chat(client, model, messages=None, **more):
    messages = messages or said("chat")
    answer = client.chat.completions.create(model=model, messages=messages, **more)
    return answer.choices[0].message.content


def stream(client, model):
    with client.chat.completions.stream(model=model, messages=said("stream")) as events:
        return events.get_final_completion().choices[0].message.content


def vision(client, model):
    picture = {"type": "image_url", "image_url": {"url": PICTURE_URL}}
    content = [{"type": "text", "text": prompt("vision")}, picture]
    return chat(client, model, [{"role": "user", "content": content}])


def schema(client, model):
    named = {"name": "place", "schema": SCHEMA, "strict": True}
    response_format = {"type": "json_schema", "json_schema": named}
    return json.loads(chat(client, model, said("schema"), response_format=response_format))


def tool_loop(client, model):
    messages = said("loop")
    tools = [{"type": "function", "function": {**ADD, "parameters": ADD_SCHEMA}}]

    def turn():
        answer = client.chat.completions.create(
            model=model,
            messages=messages,
            tools=tools,
            reasoning_effort="high",
            max_completion_tokens=OUTPUT_MAX,
        )
        message = answer.choices[0].message
        messages.append(message)
        thought = getattr(message, "reasoning_content", None)
        return message.tool_calls, message.content, thought

    def answer(call):
        content = total(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": content})

    return loop(turn, answer)


def embeddings(client, model):
    return client.embeddings.create(model=model, input="Do embeddings.").data[0].embedding


def response(client, model):
    return client.responses.create(model=model, input=prompt("chat")).output_text


ASKS = {
    "chat": chat,
    "stream": stream,
    "vision": vision,
    "schema": schema,
    "loop": tool_loop,
    "embeddings": embeddings,
    "response": response,
}
KINDS = list(ASKS)


def observe(job):
    return ASKS[job["kind"]](ROOT.copy(base_url=job["baseURL"], api_key=job["apiKey"]), job["model"])

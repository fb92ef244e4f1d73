import base64
import json

from google import genai
from google.genai import types
from journey import PICTURE, SCHEMA, prompt, total

PROTOCOL = "gemini"


def chat(models, model):
    return models.generate_content(model=model, contents=prompt("chat")).text


def stream(models, model):
    chunks = models.generate_content_stream(model=model, contents=prompt("stream"))
    return "".join(chunk.text or "" for chunk in chunks)


def vision(models, model):
    picture = types.Part.from_bytes(data=base64.b64decode(PICTURE), mime_type="image/png")
    return models.generate_content(model=model, contents=[picture, prompt("vision")]).text


def schema(models, model):
    config = {"response_mime_type": "application/json", "response_json_schema": SCHEMA}
    answer = models.generate_content(model=model, contents=prompt("schema"), config=config)
    return json.loads(answer.text)


def tool_loop(models, model):
    """By the SDK's own loop, which calls the function and sends its result."""

    def add(n: float) -> str:
        """Adds up"""
        return total(n)

    answer = models.generate_content(
        model=model,
        contents=prompt("loop"),
        config=types.GenerateContentConfig(
            tools=[add],
            max_output_tokens=40_000,
            thinking_config=types.ThinkingConfig(thinking_budget=24_576, include_thoughts=True),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(
                maximum_remote_calls=30
            ),
        ),
    )
    parts = [
        part for content in answer.automatic_function_calling_history for part in content.parts
    ]
    thoughts = [part.text for part in parts if part.thought]
    rounds = sum(1 for part in parts if part.function_response)
    return {"rounds": rounds, "text": answer.text, "thought": next(iter(thoughts), None)}


def embeddings(models, model):
    return models.embed_content(model=model, contents="Do embeddings.").embeddings[0].values


ASKS = {
    "chat": chat,
    "stream": stream,
    "vision": vision,
    "schema": schema,
    "loop": tool_loop,
    "gemini-embeddings": embeddings,
}
KINDS = list(ASKS)


def observe(job):
    at = types.HttpOptions(base_url=job["baseURL"].removesuffix("/v1"))
    client = genai.Client(api_key=job["apiKey"], http_options=at)
    return ASKS[job["kind"]](client.models, job["model"])

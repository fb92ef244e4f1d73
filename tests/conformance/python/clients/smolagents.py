from openai import OpenAI
from request import MESSAGES, error_of
from smolagents import OpenAIModel, tool

ROOT = OpenAI(base_url="http://localhost", api_key="none", max_retries=0)
KINDS = ["chat", "stream", "tools", "tools-stream"]


@tool
def weather(city: str) -> str:
    """The weather of a city

    Args:
        city: its name
    """
    return f"sunny in {city}"


def observe(job):
    model = OpenAIModel(
        model_id=job["model"],
        client=ROOT.copy(base_url=job["baseURL"], api_key=job["apiKey"]),
        retry=False,
    )
    asked = {"tools_to_call_from": [weather]} if job["kind"].startswith("tools") else {}
    deltas = []
    try:
        if "stream" not in job["kind"]:
            answer = model.generate(MESSAGES, **asked)
            return {"content": answer.content, "calls": answer.tool_calls, "usage": answer.token_usage}
        for delta in model.generate_stream(MESSAGES, **asked):
            deltas.append(str(delta))
        return {"deltas": deltas}
    except Exception as error:
        return {"deltas": deltas, "error": error_of(error)}

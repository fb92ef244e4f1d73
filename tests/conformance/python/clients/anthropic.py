import anthropic
from request import MESSAGES, PARAMETERS, error_of

PROTOCOL = "claude"
KINDS = ["chat", "stream", "tools", "tools-stream"]
TOOLS = [{"name": "weather", "description": "The weather of a city", "input_schema": PARAMETERS}]
ROOT = anthropic.Anthropic(base_url="http://localhost", api_key="none", max_retries=0)


def observe(job):
    client = ROOT.copy(base_url=job["baseURL"].removesuffix("/v1"), api_key=job["apiKey"])
    asked = {"model": job["model"], "max_tokens": 1000, "messages": MESSAGES}
    if job["kind"].startswith("tools"):
        asked["tools"] = TOOLS
    events = []
    try:
        if "stream" not in job["kind"]:
            return {"answer": client.messages.create(**asked).model_dump()}
        with client.messages.stream(**asked) as stream:
            for event in stream:
                events.append(event.model_dump())
            return {"events": events, "final": stream.get_final_message().model_dump()}
    except Exception as error:
        return {"events": events, "error": error_of(error)}

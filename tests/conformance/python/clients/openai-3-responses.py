import openai
from request import MESSAGES, TOOLS, error_of

PROTOCOL = "responses"
KINDS = ["chat", "stream", "tools", "tools-stream"]
ROOT = openai.OpenAI(base_url="http://localhost", api_key="none", max_retries=0)
FUNCTIONS = [{"type": "function", "strict": False, **tool["function"]} for tool in TOOLS]


def observe(job):
    client = ROOT.copy(base_url=job["baseURL"], api_key=job["apiKey"])
    asked = {"model": job["model"], "input": MESSAGES}
    if job["kind"].startswith("tools"):
        asked["tools"] = FUNCTIONS
    events = []
    try:
        if "stream" not in job["kind"]:
            return {"answer": client.responses.create(**asked).model_dump()}
        with client.responses.stream(**asked) as stream:
            for event in stream:
                events.append(event.model_dump())
            return {"events": events, "final": stream.get_final_response().model_dump()}
    except Exception as error:
        return {"events": events, "error": error_of(error)}

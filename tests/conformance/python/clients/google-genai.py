from google import genai
from google.genai import types
from request import PARAMETERS

PROTOCOL = "gemini"
KINDS = ["chat", "stream", "tools", "tools-stream"]
WEATHER = types.FunctionDeclaration(
    name="weather", description="The weather of a city", parameters_json_schema=PARAMETERS
)
TOOLS = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[WEATHER])])


def observe(job):
    at = types.HttpOptions(base_url=job["baseURL"].removesuffix("/v1"))
    client = genai.Client(api_key=job["apiKey"], http_options=at)
    asked = {
        "model": job["model"],
        "contents": "What is the weather?",
        "config": TOOLS if job["kind"].startswith("tools") else None,
    }
    chunks = []
    try:
        if "stream" not in job["kind"]:
            return {"answer": shown(client.models.generate_content(**asked))}
        for chunk in client.models.generate_content_stream(**asked):
            chunks.append(shown(chunk))
        return {"chunks": chunks}
    except genai.errors.APIError as error:
        seen = {"code": error.code, "status": error.status, "message": error.message}
        return {"chunks": chunks, "error": {**seen, "details": error.details}}


def shown(answer):
    return answer.model_dump(mode="json", exclude={"sdk_http_response"})

import dataclasses

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition
from openai import AsyncOpenAI
from request import PARAMETERS, error_of

ROOT = AsyncOpenAI(base_url="http://localhost", api_key="none", max_retries=0)
KINDS = ["chat", "stream", "tools", "tools-stream"]
WEATHER = ToolDefinition(
    name="weather", description="The weather of a city", parameters_json_schema=PARAMETERS
)


async def observe(job):
    client = ROOT.copy(base_url=job["baseURL"], api_key=job["apiKey"])
    model = OpenAIChatModel(job["model"], provider=OpenAIProvider(openai_client=client))
    tools = [WEATHER] if job["kind"].startswith("tools") else []
    asked = {
        "model": model,
        "messages": [ModelRequest.user_text_prompt("What is the weather?")],
        "model_request_parameters": ModelRequestParameters(function_tools=tools),
    }
    events = []
    try:
        if "stream" not in job["kind"]:
            return shown(await model_request(**asked))
        async with model_request_stream(**asked) as stream:
            async for event in stream:
                events.append(plain(event))
            return {"events": events, **shown(stream.get())}
    except Exception as error:
        return {"events": events, "error": error_of(error)}


def shown(response):
    return {
        "parts": [plain(part) for part in response.parts],
        "usage": plain(response.usage),
        "details": response.provider_details,
        "finish": response.finish_reason,
    }


VARYING = ("timestamp", "provider_url", "provider_name")


def plain(value):
    if dataclasses.is_dataclass(value):
        return {
            field.name: plain(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.name not in VARYING
        }
    return value

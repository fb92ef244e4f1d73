from agents import Agent, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from request import error_of

set_tracing_disabled(True)

ROOT = AsyncOpenAI(base_url="http://localhost", api_key="none", max_retries=0)
KINDS = ["chat", "stream", "tools", "tools-stream"]


@function_tool
def weather(city: str) -> str:
    """The weather of a city"""
    return f"sunny in {city}"


async def observe_agent(job, model_type):
    """What an agent shows of an answer, by either of the models that it knows."""
    client = ROOT.copy(base_url=job["baseURL"], api_key=job["apiKey"])
    agent = Agent(
        name="tested",
        model=model_type(job["model"], client),
        tools=[weather] if job["kind"].startswith("tools") else [],
        tool_use_behavior="stop_on_first_tool",
    )
    events = []
    try:
        if "stream" not in job["kind"]:
            return shown(await Runner.run(agent, "What is the weather?"))
        streamed = Runner.run_streamed(agent, "What is the weather?")
        async for event in streamed.stream_events():
            if event.type == "raw_response_event":
                events.append(event.data.type)
        return {"events": events, **shown(streamed)}
    except Exception as error:
        return {"events": events, "error": error_of(error)}


def shown(result):
    answers = [
        {"output": [item.model_dump() for item in answer.output], "usage": usage_of(answer.usage)}
        for answer in result.raw_responses
    ]
    return {"final": result.final_output, "answers": answers}


def usage_of(usage):
    return [usage.requests, usage.input_tokens, usage.output_tokens, usage.total_tokens]

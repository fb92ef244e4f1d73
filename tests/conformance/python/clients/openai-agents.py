from agent_client import KINDS, observe_agent
from agents import OpenAIChatCompletionsModel

__all__ = ["KINDS", "observe"]


async def observe(job):
    return await observe_agent(job, OpenAIChatCompletionsModel)

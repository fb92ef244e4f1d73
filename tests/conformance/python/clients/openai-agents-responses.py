from agent_client import KINDS, observe_agent
from agents import OpenAIResponsesModel

__all__ = ["KINDS", "observe"]
PROTOCOL = "responses"


async def observe(job):
    return await observe_agent(job, OpenAIResponsesModel)

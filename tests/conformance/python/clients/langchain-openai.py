from langchain_openai import ChatOpenAI
from request import ALL_KINDS, MESSAGES, TOOLS, error_of

KINDS = ALL_KINDS
SHOWN = ["content", "tool_calls", "tool_call_chunks", "usage_metadata", "response_metadata"]


def observe(job):
    chat = ChatOpenAI(
        model=job["model"],
        api_key=job["apiKey"],
        base_url=job["baseURL"],
        max_retries=0,
        stream_usage=job["kind"] == "stream-usage",
    )
    bound = chat.bind_tools(TOOLS) if job["kind"].startswith("tools") else chat
    chunks = []
    try:
        if "stream" not in job["kind"]:
            return shown(bound.invoke(MESSAGES))
        for chunk in bound.stream(MESSAGES):
            chunks.append(shown(chunk))
        return {"chunks": chunks}
    except Exception as error:
        return {"chunks": chunks, "error": error_of(error)}


def shown(message):
    return {name: getattr(message, name, None) for name in SHOWN}

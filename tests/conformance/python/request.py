"""The same question in every client."""

MESSAGES = [{"role": "user", "content": "What is the weather?"}]
PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The weather of a city",
            "parameters": PARAMETERS,
        },
    }
]
ALL_KINDS = ["chat", "stream", "stream-usage", "tools", "tools-stream"]


def body_of(kind, model):
    """The body of a kind, as OpenAI's own clients send it."""
    body = {"model": model, "messages": MESSAGES}
    if kind.startswith("tools"):
        body["tools"] = TOOLS
    if "stream" in kind:
        body["stream"] = True
    if kind == "stream-usage":
        body["stream_options"] = {"include_usage": True}
    return body


def error_of(error):
    """What an error of a vendor's package shows; its text only where it has no status."""
    status = getattr(error, "status_code", None) or getattr(error, "http_status", None)
    seen = {"name": type(error).__name__, "status": status}
    for name in ("code", "type", "param", "body"):
        seen[name] = getattr(error, name, None)
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for name in ("retry-after", "retry-after-ms", "x-should-retry"):
        seen[name] = headers.get(name)
    return seen if status else {**seen, "message": str(error)}

from journey import ADD, ADD_SCHEMA, OUTPUT_MAX, PICTURE_URL, SCHEMA, loop, prompt, said, total
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI, OpenAIEmbeddings


def chat(model):
    return model.invoke(prompt("chat")).content


def stream(model):
    return "".join(chunk.content for chunk in model.stream(prompt("stream")))


def vision(model):
    picture = {"type": "image_url", "image_url": {"url": PICTURE_URL}}
    content = [{"type": "text", "text": prompt("vision")}, picture]
    return model.invoke([HumanMessage(content=content)]).content


def schema(model):
    titled = {"title": "place", "description": "A place", **SCHEMA}
    return model.with_structured_output(titled, method="json_schema").invoke(prompt("schema"))


def tool_loop(model):
    messages = said("loop")
    bound = model.bind_tools([{"type": "function", "function": {**ADD, "parameters": ADD_SCHEMA}}])

    def turn():
        message = bound.invoke(messages)
        messages.append(message)
        return message.tool_calls, message.content, None

    def answer(call):
        messages.append(ToolMessage(total(**call["args"]), tool_call_id=call["id"]))

    seen = loop(turn, answer)
    return {"rounds": seen["rounds"], "text": seen["text"]}


ASKS = {"chat": chat, "stream": stream, "vision": vision, "schema": schema, "loop": tool_loop}
KINDS = [kind if kind != "loop" else "agent-loop" for kind in ASKS] + ["embeddings"]


def observe(job):
    named = {"model": job["model"], "api_key": job["apiKey"], "base_url": job["baseURL"]}
    if job["kind"] == "embeddings":
        # Counting tokens beforehand would fetch OpenAI's vocabulary.
        embeddings = OpenAIEmbeddings(**named, max_retries=0, check_embedding_ctx_length=False)
        return embeddings.embed_query("Do embeddings.")
    model = ChatOpenAI(**named, max_retries=0, max_completion_tokens=OUTPUT_MAX)
    return ASKS[job["kind"].removeprefix("agent-")](model)

import openai
from request import ALL_KINDS, body_of, error_of

KINDS = ALL_KINDS
# Its connections serve all jobs: to make a client costs more than an answer.
ROOT = openai.OpenAI(base_url="http://localhost", api_key="none", max_retries=0)


def observe(job):
    """What a version of the official `openai` package shows of an answer: objects, chunks, errors."""
    client = ROOT.copy(base_url=job["baseURL"], api_key=job["apiKey"])
    chunks = []
    try:
        body = body_of(job["kind"], job["model"])
        extra = {"stream_options": body.pop("stream_options")} if "stream_options" in body else None
        answer = client.chat.completions.create(**body, extra_body=extra)
        if "stream" not in job["kind"]:
            return {"answer": answer.model_dump()}
        for chunk in answer:
            chunks.append(chunk.model_dump())
        return {"chunks": chunks}
    except Exception as error:
        return {"chunks": chunks, "error": error_of(error)}

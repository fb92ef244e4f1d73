import openai
from request import ALL_KINDS, body_of, error_of

KINDS = ALL_KINDS


def observe(job):
    chunks = []
    try:
        body = body_of(job["kind"], job["model"])
        at = {"api_base": job["baseURL"], "api_key": job["apiKey"]}
        answer = openai.ChatCompletion.create(**body, **at)
        if "stream" not in job["kind"]:
            return {"answer": answer.to_dict_recursive()}
        for chunk in answer:
            chunks.append(chunk.to_dict_recursive())
        return {"chunks": chunks}
    except Exception as error:
        return {"chunks": chunks, "error": {**error_of(error), "body": getattr(error, "json_body", None)}}

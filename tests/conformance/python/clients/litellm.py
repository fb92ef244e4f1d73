import os

# Its table of prices is read from the package, not from the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # noqa: E402
from openai import OpenAI  # noqa: E402
from request import ALL_KINDS, body_of, error_of  # noqa: E402

litellm.telemetry = False
litellm.suppress_debug_info = True

ROOT = OpenAI(base_url="http://localhost", api_key="none", max_retries=0)
KINDS = ALL_KINDS
VARYING = ("id", "created")


def observe(job):
    body = body_of(job["kind"], f"openai/{job['model']}")
    chunks = []
    try:
        answer = litellm.completion(
            **body, client=ROOT.copy(base_url=job["baseURL"], api_key=job["apiKey"]), max_retries=0
        )
        if "stream" not in job["kind"]:
            return {"answer": shown(answer)}
        for chunk in answer:
            chunks.append(shown(chunk))
        return {"chunks": chunks}
    except Exception as error:
        return {"chunks": chunks, "error": error_of(error)}


def shown(answer):
    return {name: value for name, value in answer.model_dump().items() if name not in VARYING}

"""A program with the client that is generated from the OpenAPI document: the package `tollgate_api`."""

import json
import sys

from tollgate_api import Client
from tollgate_api.api.log import get_log
from tollgate_api.api.token import get_token, post_token
from tollgate_api.api.user import post_user_login
from tollgate_api.models import Failure, GetLogType, PostTokenBody, PostUserLoginBody

base_url, username, password = sys.argv[1:]
client = Client(base_url=base_url)


def log_in(secret: str):
    return post_user_login.sync(
        client=client, body=PostUserLoginBody(username=username, password=secret)
    )


wrong = log_in(password + "-not")
refused = wrong.code if isinstance(wrong, Failure) else None

answer = log_in(password)
assert not isinstance(answer, Failure), answer
# The session stands in the cookies of the client beneath.
client.get_httpx_client().headers["New-Api-User"] = str(answer.data.id)

log = get_log.sync(client=client, p=1, page_size=10, type_=GetLogType.VALUE_2)
assert not isinstance(log, Failure), log

made = post_token.sync(client=client, body=PostTokenBody(name="by python", unlimited_quota=True))
assert not isinstance(made, Failure), made
tokens = get_token.sync(client=client, p=0, size=10)
assert not isinstance(tokens, Failure), tokens

print(
    json.dumps(
        {
            "refused": refused,
            "id": answer.data.id,
            "models": [row.model_name for row in log.data.items],
            "token": made.data.id,
        }
    )
)

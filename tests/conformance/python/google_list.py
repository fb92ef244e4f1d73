"""Reads a stream as one JSON list, as Google's own generated client does over REST, and prints what it reads:
`python google_list.py <host:port> <key> <model>`. A line is the reason, the text and the output tokens of an item;
the last one says that the list has ended."""

import json
import sys

from google.ai import generativelanguage_v1beta as google
from google.ai.generativelanguage_v1beta.services.generative_service import transports
from google.auth.credentials import AnonymousCredentials

host, key, model = sys.argv[1:]
rest = transports.GenerativeServiceRestTransport(
    host=host, url_scheme="http", credentials=AnonymousCredentials()
)
hello = google.Content(role="user", parts=[google.Part(text="hello")])
asked = google.GenerateContentRequest(model=f"models/{model}", contents=[hello])
client = google.GenerativeServiceClient(transport=rest)
for item in client.stream_generate_content(asked, metadata=[("x-goog-api-key", key)], timeout=60):
    [candidate] = item.candidates
    text = "".join(part.text for part in candidate.content.parts)
    output = item.usage_metadata.candidates_token_count
    print(json.dumps([candidate.finish_reason.name, text, output]), flush=True)
print(json.dumps("end"), flush=True)

"""One client's process: `python run.py clients/openai-3` reads jobs from standard input, a JSON array of
`{ id, protocol, baseURL, apiKey, model, kind }`, and writes a JSON line `{ id, seen }` for each."""

import asyncio
import importlib.util
import inspect
import json
import os
import pathlib
import signal
import sys

JOB_SECONDS = 20
LOOP = asyncio.new_event_loop()


def client_of(name):
    path = pathlib.Path(__file__).parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location("client", path)
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    return client


def late(*_):
    raise TimeoutError(f"no answer within {JOB_SECONDS} s")


def observed(client, job):
    signal.alarm(JOB_SECONDS)
    try:
        seen = client.observe(job)
        return LOOP.run_until_complete(seen) if inspect.isawaitable(seen) else seen
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    finally:
        signal.alarm(0)


signal.signal(signal.SIGALRM, late)
tested = client_of(sys.argv[1])
for job in json.load(sys.stdin):
    if job["protocol"] == getattr(tested, "PROTOCOL", "openai") and job["kind"] in tested.KINDS:
        line = {"id": job["id"], "seen": observed(tested, job)}
        print(json.dumps(line, default=str), flush=True)
# Threads and loops that a library left running do not keep the process.
os._exit(0)

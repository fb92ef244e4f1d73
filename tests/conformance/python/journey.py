"""What each journey asks: the same as journey.js asks."""

PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=="
)
PICTURE_URL = f"data:image/png;base64,{PICTURE}"
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
ADD = {"name": "add", "description": "Adds up"}
ADD_SCHEMA = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
OUTPUT_MAX = 4000


def prompt(kind):
    return f"Do {kind}."


def said(kind):
    return [{"role": "user", "content": prompt(kind)}]


def total(n):
    return f"sum {n:g}"


def loop(turn, answer):
    """Runs a loop of tools until the model calls none; `turn` gives calls, text and thought."""
    rounds, seen = 0, None
    while True:
        calls, text, thought = turn()
        seen = seen or thought
        if not calls:
            return {"rounds": rounds, "text": text, "thought": seen}
        rounds += 1
        for call in calls:
            answer(call)

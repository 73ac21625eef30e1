"""What a schema's fault is called in a :class:`~gym_imagetools.errors.DataError`."""

from __future__ import annotations

from pydantic import ValidationError

MAX_SHOWN_CHARS = 80
"""A faulty value may be a picture of megabytes; this much of it is shown."""


def shown(value: object) -> str:
    """Return a value as it may stand in an error: its ``repr``, cut to a readable length."""
    # A slice first: the repr of a long text would otherwise be built in full.
    text = repr(value[:MAX_SHOWN_CHARS] if isinstance(value, str) else value)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}..."


def first_fault(error: ValidationError) -> str:
    """Return the first fault of a failed validation as one sentence naming field and value."""
    fault = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(str(part) for part in fault["loc"])
    problem = fault["msg"].removeprefix("Value error, ")
    if not field:
        return problem
    if fault["type"] == "missing":
        return f"Expected the field `{field}`, got none; add it."
    if fault["type"] == "extra_forbidden":
        return f"Expected only known fields, got `{field}`; remove it or correct its name."
    return f"Expected `{field}` to be usable ({problem}), got {shown(fault['input'])}; correct it."

"""JSON schemas of the tools, made from their argument models.

Importing this module loads no image library.
"""

from __future__ import annotations

import inspect
from typing import Any

from gym_imagetools.tools.arguments import ARGUMENTS, ToolArgs

JsonSchema = dict[str, Any]

_SHARED_FIELDS = ("label", "img_idx")


def describe(model: type[ToolArgs]) -> str:
    """Return the description of the tool whose arguments the model holds."""
    return inspect.getdoc(model) or ""


def parameters_of(model: type[ToolArgs]) -> JsonSchema:
    """Return the JSON schema of a tool's parameters: flat, without titles or references.

    What a tool needs of its own comes first, what all tools share last.
    """
    schema = model.model_json_schema()
    names = sorted(schema["properties"], key=lambda name: name in _SHARED_FIELDS)
    return {
        "type": "object",
        "properties": {name: _flat(schema["properties"][name]) for name in names},
        "required": [name for name in names if name in schema.get("required", ())],
    }


def _flat(field: JsonSchema) -> JsonSchema:
    """Drop titles and what says that null stands for a missing value."""
    variants = [kind for kind in field.get("anyOf", ()) if kind.get("type") != "null"]
    merged = {**(variants[0] if variants else {}), **field}
    return {
        key: value
        for key, value in merged.items()
        if key not in ("title", "anyOf") and not (key == "default" and value in (None, "", []))
    }


PARAMETERS: dict[str, JsonSchema] = {
    name: parameters_of(model) for name, model in ARGUMENTS.items()
}
"""The JSON schema of each tool's parameters, by the tool's name."""


def function_tool(name: str, model: type[ToolArgs]) -> JsonSchema:
    """Return a tool as the OpenAI Responses API takes it.

    Args:
        name: What a model calls it by.
        model: The model of its arguments.
    """
    return {
        "type": "function",
        "name": name,
        "description": describe(model),
        "parameters": parameters_of(model),
        "strict": False,
    }


FUNCTION_TOOLS: list[JsonSchema] = [function_tool(name, model) for name, model in ARGUMENTS.items()]
"""The tools as the OpenAI Responses API takes them."""

"""What a model reads when its turn is malformed: what was expected, and what to do."""

from __future__ import annotations

NO_CALL_BLOCK = (
    "Expected a tool call as one complete <tool_call> … </tool_call> block, got tags of one "
    "outside of a block. Write the whole block, or none of its tags."
)
ESCAPED_TAG = (
    "Expected the tags of a tool call as they are, got them escaped (&lt;tool_call&gt;). "
    "Write <tool_call> and </tool_call>."
)
NOT_A_CALL = (
    "Expected a JSON object or <function=…> after <tool_call>, got something else. "
    "Write one call in each block."
)
UNCLOSED_FUNCTION = (
    "Expected </function> and </tool_call> after <function=…>, got none. Close the call."
)
UNCLOSED_JSON = "Expected </tool_call> right after the JSON of a call, got none. Close the call."
UNCLOSED_FENCE = (
    "Expected ``` after the JSON of a call that began with ```, got none. Write no code fences."
)
NO_TOOL_NAME = "Expected the name of a tool in the call, got none. Name the tool."
TAG_IN_CALL = (
    "Expected no tags of calls or reasoning inside of a call, got one. "
    "Close each call before you open another."
)
UNCLOSED_PARAMETER = (
    "Expected </parameter> before the next <parameter=…>, got none. Close each parameter."
)
REPEATED_PARAMETER = (
    "Expected each parameter once in a call, got one twice with different values. "
    "Write one call for each value."
)
NO_ARGUMENTS_KEY = (
    'Expected the key "arguments" in the call, got "parameters". '
    'Write {"name": …, "arguments": {…}}.'
)
NOT_AN_OBJECT = "Expected the arguments as a JSON object, got something else."
NOT_JSON = "Expected arguments made of text, numbers, lists and objects, got another kind of value."
UNCLOSED_REASONING = (
    "Expected </think> after <think>, got none. Close your reasoning, then call a tool or answer."
)
STRAY_END_OF_REASONING = (
    "Expected </think> once, at the end of your reasoning, got one more. "
    "Write each call after your reasoning."
)
CALL_IN_REASONING = (
    "Expected the tool call after </think>, got it inside of your reasoning. "
    "Close your reasoning, then write the call."
)
TOO_DEEP = "Expected a value of few brackets, got one nested too deep. Write a flat value."
TOO_LONG_NUMBER = "Expected numbers of a few digits, got an endless one. Write a short number."
TOO_MANY_PARTS = "Expected a short value, got one of too many parts. Write a short value."
TOO_MANY_TAGS = "Expected a turn with a few tool calls, got too many tags. Write fewer calls."
NOT_A_TURN = (
    "Expected an assistant turn: text, a call with name and arguments, a message, or a reply's "
    "output items."
)
NOT_TEXT = "Expected the content of a message as text, got something else."
NOT_THE_ASSISTANT = "Expected a message of the assistant, got one of another role."
NOT_ONE_CHOICE = "Expected a completion with one choice, got none or several."
NOT_A_FUNCTION_CALL = "Expected a function call with a name and arguments, got something else."


def broken_json(problem: str, position: int) -> str:
    """Say that the JSON of a call cannot be decoded.

    Args:
        problem: What the decoder says, such as ``Expecting value``.
        position: Where it says so, counted from 0.
    """
    return (
        'Expected {"name": …, "arguments": {…}} as valid JSON, got a broken one '
        f"({problem} at character {position}). Write the call again."
    )


class Malformed(Exception):
    """What a model wrote cannot be read; the message is one of the sentences above.

    It never leaves the package ``parsing``: it becomes ``Turn.error``.
    """

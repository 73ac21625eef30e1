"""Tokens that stand for pictures or end a block, and how text is kept from holding them.

Chat templates write text and pictures into one string, and servers then count the placeholders
in it. A model that writes ``<|image_pad|>`` would add a picture that does not exist, and one that
writes ``</tool_response>`` would speak as its own tool. So one mark is put behind the opening
bracket: ``<~|image_pad|>`` is still readable, and is no token of any model.
"""

from __future__ import annotations

import re

MARK = "~"
"""Stands behind the opening bracket of a defused token; needs no escape in JSON."""

_IN_ANGLES = (
    r"images?|img|video|audio|(?:image|video|audio)_pad|(?:image|audio)_soft_token|"
    r"image_placeholder|imagehere|img_context|im_patch|(?:im|vision)_(?:start|end)|"
    r"(?:start|end)_of_(?:image|audio|video|turn|utterance)|fake_token_around_image|"
    r"global-img|row_\d{1,3}_col|bos|eos|s|pad|unk|mask"
)
_IN_SQUARES = (
    r"img|img_break|img_end|audio|begin_audio|inst|system_prompt|available_tools|"
    r"tool_results|tool_content"
)


def _compile(in_angles: str) -> re.Pattern[str]:
    """Return the pattern of a token: its bracket, the marks it has already, and the rest."""
    return re.compile(
        rf"([<\[])({MARK}*+)("
        r"\|[^<>|\n]{1,64}\|?>"  # <|im_end|>, <|image_1|>, <|channel>
        r"|\uff5c[^<>\uff5c\n]{1,64}\uff5c>"  # the same with full-width bars
        rf"|/?(?:{in_angles})(?:[-_ ]?\d{{1,4}})?\|?\s?/?>"  # <image>, </s>, <image 1>, <img/>
        rf"|/?(?:{_IN_SQUARES})\])",
        re.IGNORECASE,
    )


_TOKEN = _compile(_IN_ANGLES)
_TOKEN_OR_REPLY_TAG = _compile(rf"{_IN_ANGLES}|tool_response|tool_output")


def defuse(text: str, *, reply_tags: bool = True) -> str:
    """Return the text without live placeholder or control tokens.

    The markup of tool calls is left alone. :func:`restore` takes the marks out again.

    Args:
        text: What a model or a tool wrote.
        reply_tags: Whether ``<tool_response>`` tags count as tokens too; False for text in
            which the environment wrote them itself.
    """
    pattern = _TOKEN_OR_REPLY_TAG if reply_tags else _TOKEN
    return pattern.sub(rf"\1\2{MARK}\3", text)


def restore(text: str) -> str:
    """Return the text that :func:`defuse` was given (with ``reply_tags=True``)."""
    return _TOKEN_OR_REPLY_TAG.sub(lambda token: token[1] + token[2][1:] + token[3], text)


def escape_brackets(json_text: str) -> str:
    """Return JSON that means the same and holds no angle bracket: nothing in it is markup."""
    return json_text.replace("<", "\\u003c").replace(">", "\\u003e")

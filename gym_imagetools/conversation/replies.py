"""What the environment answered to a turn: results of calls, and the pictures that go with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gym_imagetools.conversation.calls import OpenCall
from gym_imagetools.conversation.dialects import Shown
from gym_imagetools.conversation.placeholders import escape_brackets
from gym_imagetools.prompts import replies
from gym_imagetools.tool_output_images import split_tool_output_images

NOT_EXECUTED = "Not executed."


@dataclass(frozen=True)
class Result:
    """The result of one call.

    Attributes:
        call_id: The id under which the environment answers the call.
        is_ok: Whether the call was run and succeeded.
        output: The reply of the tool as the environment gave it.
        text: The same without the pictures it listed.
        made: The pictures of the observation that the call made.
        listed: The pictures that the reply listed.
    """

    call_id: str
    is_ok: bool
    output: str
    text: str
    made: tuple[Shown, ...] = ()
    listed: tuple[Shown, ...] = ()


def read_results(
    tool_results: Sequence[Mapping[str, Any]], urls: Sequence[str], *, take_listed: bool
) -> list[Result]:
    """Read the entries of ``info["tool_results"]`` and give each call its pictures.

    Args:
        tool_results: The entries of one turn.
        urls: The pictures of the observation. Each result names the indices of its own; where
            their number does not fit, no call is given a picture.
        take_listed: Whether pictures listed under ``tool_output_images`` are taken out.

    Raises:
        pydantic.ValidationError: A tool listed pictures in a malformed way.
    """
    indices = [_new_indices(entry["output"]) for entry in tool_results]
    left = iter(urls if sum(map(len, indices)) == len(urls) else ())
    results = []
    for entry, own in zip(tool_results, indices, strict=True):
        made = tuple(Shown(url, f"img_idx {index}") for index, url in zip(own, left, strict=False))
        results.append(_read_result(entry, made, take_listed))
    return results


def answer_calls(
    calls: Iterable[OpenCall], results: Sequence[Result]
) -> tuple[list[tuple[OpenCall, Result]], list[Result]]:
    """Return an answer to every call in order, and the results that answer none.

    A call finds its result by its id. One that came without an id takes the first result that
    is left. What a cut turn called is answered as cut off, in place of the one refusal that the
    environment has for the whole turn. Any other call without a result was not executed.
    """
    calls = tuple(calls)
    is_cut = any(call.is_cut for call in calls)
    left = [result for result in results if result.is_ok or not is_cut]
    answers = []
    for call in calls:
        ids = [result.call_id for result in left]
        if call.call_id in ids:
            found = left.pop(ids.index(call.call_id))
        elif left and not call.has_own_id:
            found = left.pop(0)
        else:
            is_excused = call.is_whole and not is_cut
            found = _refusal(call, NOT_EXECUTED if is_excused else replies.CUT_OFF)
        answers.append((call, found))
    return answers, left


def _read_result(entry: Mapping[str, Any], made: tuple[Shown, ...], take_listed: bool) -> Result:
    output: str = entry["output"]
    text, images = split_tool_output_images(output) if take_listed else (output, [])
    return Result(
        call_id=entry["call_id"],
        is_ok=entry["ok"],
        output=output,
        # Splitting wrote the JSON anew, without the escapes that kept labels from being markup.
        text=text if text == output else escape_brackets(text),
        made=made,
        listed=tuple(Shown(image.image_url, image.label or "") for image in images),
    )


def _refusal(call: OpenCall, reason: str) -> Result:
    output = replies.error_json(reason)
    return Result(call.call_id, is_ok=False, output=output, text=output)


def _new_indices(output: str) -> list[Any]:
    """Return the indices of the pictures a call made; none for a reply of another kind."""
    try:
        reply = json.loads(output)
    except (ValueError, RecursionError):
        return []
    indices = reply.get("new_img_indices") if isinstance(reply, dict) else None
    return indices if isinstance(indices, list) else []

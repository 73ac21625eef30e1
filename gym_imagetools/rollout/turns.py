"""The turns of a record: what was said, what the environment answered, and how each call went."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gym_imagetools.contract import Duplicate
from gym_imagetools.parsing import parse_turn
from gym_imagetools.prompts import replies
from gym_imagetools.rollout.records import RolloutRecord
from gym_imagetools.types import Message, ToolCall, Turn

Outcome = Literal["ran", "refused", "not run", "scored"]
"""What became of a call; ``scored`` where the environment scores calls and runs none."""

_OPENING, _CLOSING = "<tool_response>\n", "\n</tool_response>"
_NOT_RUN = frozenset(
    {
        replies.NOT_RUN_AFTER_ERROR,
        replies.NOT_RUN_OVER_LIMIT,
        replies.NOT_RUN_NO_CALLS_LEFT,
        replies.NOT_RUN_PIVOT,
        replies.CUT_OFF,
    }
)


@dataclass(frozen=True)
class RecordedCall:
    """One call of a turn.

    Attributes:
        call: The call as it was parsed.
        outcome: What became of it.
        reply: The JSON object it was answered with; empty where the record holds none.
    """

    call: ToolCall
    outcome: Outcome
    reply: Mapping[str, Any]

    @property
    def duplicate(self) -> Duplicate:
        """Whether it repeated an earlier call, as its reply warned."""
        warning = self.reply.get("warning", "")
        if not warning:
            return ""
        return "exact" if warning == replies.exact_duplicate() else "near"


@dataclass(frozen=True)
class RecordedTurn:
    """One assistant turn.

    Attributes:
        said: The items of the assistant.
        answer: The items of the environment; none after a turn that ended the episode.
        turn: The turn as it is parsed.
        calls: Its calls, in their order.
        reward: The pay of the step.
    """

    said: tuple[Message, ...]
    answer: tuple[Message, ...]
    turn: Turn
    calls: tuple[RecordedCall, ...]
    reward: float

    @property
    def is_malformed(self) -> bool:
        """Whether the markup of its calls could not be read."""
        return bool(self.turn.error)

    @property
    def answer_text(self) -> str:
        """What the environment answered, as text."""
        return "\n".join(text for item in self.answer for text in texts_of(item))

    @property
    def pictures(self) -> tuple[str, ...]:
        """References of the pictures that the environment showed."""
        return tuple(url for item in self.answer for url in pictures_of(item))


def read_turns(record: RolloutRecord) -> tuple[RecordedTurn, ...]:
    """Return the turns of a record.

    Args:
        record: The record.

    Raises:
        ValueError: Its items are not one turn for each of ``step_rewards``.
    """
    halves = list(_halves(record.response.output))
    if len(halves) == len(record.step_rewards) - 1 and (not halves or halves[-1][1]):
        # An answer of no items at all leaves nothing behind.
        halves.append(((), ()))
    if not halves or len(halves) != len(record.step_rewards):
        raise ValueError(
            f"Expected {len(record.step_rewards)} assistant turns, one for each of `step_rewards`, "
            f"got {len(halves)} in `response.output`."
        )
    turns: list[RecordedTurn] = []
    num_ran = 0
    for (said, answer), reward in zip(halves, record.step_rewards, strict=True):
        turn = parse_turn(list(said))
        is_last = len(turns) == len(halves) - 1
        if is_last and record.ending == "invalid_call":
            calls = _calls_of_the_end(turn, record.image_tools_call_count - num_ran)
        else:
            unanswered: Outcome = "scored" if is_last and record.ending == "answered" else "not run"
            calls = tuple(_answered_calls(turn, list(_replies(answer)), unanswered))
        num_ran += sum(call.outcome == "ran" for call in calls)
        turns.append(RecordedTurn(said, answer, turn, calls, reward))
    return tuple(turns)


def action_of(record: RolloutRecord, turn: RecordedTurn) -> Any:
    """Return a recorded turn as an action that plays it again.

    Args:
        record: The record.
        turn: One of its turns.
    """
    items = list(turn.said)
    # Only the last turn of an episode has no answer.
    if record.ending == "incomplete" and not turn.answer:
        return {"output": items, "status": "incomplete"}
    return items


def texts_of(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of an input or output item, in their order."""
    for content in (item.get("content"), item.get("output"), item.get("summary")):
        if isinstance(content, str):
            yield content
        elif isinstance(content, list):
            texts = (part.get("text", part.get("refusal")) for part in _parts(content))
            yield from (text for text in texts if isinstance(text, str))


def pictures_of(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the references of an item's pictures, in their order."""
    for content in (item.get("content"), item.get("output")):
        if isinstance(content, list):
            urls = (part.get("image_url") for part in _parts(content))
            yield from (url for url in urls if isinstance(url, str))


def _parts(content: list[Any]) -> Iterator[Mapping[str, Any]]:
    return (part for part in content if isinstance(part, Mapping))


def _halves(
    output: Iterable[Message],
) -> Iterator[tuple[tuple[Message, ...], tuple[Message, ...]]]:
    """Yield what was said and what was answered, turn by turn."""
    said: list[Message] = []
    answer: list[Message] = []
    for item in output:
        if not _is_an_answer(item):
            if answer:
                yield tuple(said), tuple(answer)
                said, answer = [], []
            said.append(item)
        else:
            answer.append(item)
    if said or answer:
        yield tuple(said), tuple(answer)


def _is_an_answer(item: Mapping[str, Any]) -> bool:
    if "role" in item:
        return bool(item["role"] != "assistant")
    return str(item.get("type", "")).endswith("call_output")


def _replies(answer: Iterable[Message]) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON reply to each call that was answered."""
    for item in answer:
        is_output = str(item.get("type", "")).endswith("call_output")
        for text in texts_of(item):
            for block in [text] if is_output else _blocks(text):
                yield _as_object(block)


def _blocks(text: str) -> Iterator[str]:
    """Yield what stands between the tags of replies; their JSON holds no ``<`` itself."""
    for part in text.split(_OPENING)[1:]:
        yield part.partition(_CLOSING)[0]


def _as_object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _answered_calls(
    turn: Turn, found: Sequence[Mapping[str, Any]], unanswered: Outcome
) -> Iterator[RecordedCall]:
    for index, call in enumerate(turn.calls):
        reply = found[index] if index < len(found) else {}
        yield RecordedCall(call, _outcome(turn, reply, unanswered), reply)


def _outcome(turn: Turn, reply: Mapping[str, Any], unanswered: Outcome) -> Outcome:
    if turn.error or reply.get("ok") is False:
        return "not run" if reply.get("error") in _NOT_RUN else "refused"
    return "ran" if reply.get("ok") is True else unanswered


def _calls_of_the_end(turn: Turn, num_ran: int) -> tuple[RecordedCall, ...]:
    """Return the calls of a turn that ended its episode: some ran, one was refused."""

    def outcome(index: int) -> Outcome:
        if index < num_ran:
            return "ran"
        return "refused" if index == num_ran else "not run"

    return tuple(RecordedCall(call, outcome(index), {}) for index, call in enumerate(turn.calls))

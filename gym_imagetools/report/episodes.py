"""Records as the page's script reads them: short keys, and each text and picture held once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

from gym_imagetools.monitor.episode import EpisodeFigures, read_figures
from gym_imagetools.render.wording import ENDINGS
from gym_imagetools.report.marks import Gaze, Mark, SizeOf, new_picture, pictures_named
from gym_imagetools.rollout.pictures import REFERENCE
from gym_imagetools.rollout.records import RolloutRecord
from gym_imagetools.rollout.turns import (
    RecordedCall,
    RecordedTurn,
    pictures_of,
    read_turns,
    texts_of,
)

MAX_TEXT_CHARS = 20_000
"""A page shows this much of a text; the record has all of it."""

MAX_PICTURES = 6
"""As many as a tool takes; a model may name more."""

_DATA_URL = re.compile(r"data:image/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=]*")


class Shelf:
    """Values that many episodes share, each once; episodes hold their numbers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def put(self, value: str) -> int:
        """Return the number of a value."""
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[str]:
        """The values by their numbers."""
        return list(self._numbers)


class EpisodeReader:
    """Turns records into the page's data.

    Args:
        size_of: Returns the size in pixels of a picture by its reference, where it is known.
    """

    def __init__(self, size_of: Any) -> None:
        self._size_of = size_of
        self._texts = Shelf()
        self._pictures = Shelf()

    @property
    def texts(self) -> list[str]:
        """The texts of the prompts."""
        return self._texts.values

    @property
    def pictures(self) -> list[str]:
        """The references of all pictures."""
        return self._pictures.values

    def read(self, record: RolloutRecord) -> tuple[EpisodeFigures, dict[str, Any]]:
        """Return the figures of a record, and its data.

        Args:
            record: The record.

        Raises:
            ValueError: Its turns cannot be told apart.
        """
        figures = read_figures(record)
        messages = record.responses_create_params.input
        sources = [url for message in messages for url in pictures_of(message)]
        store = [self._picture(url) for url in (*sources, *record.image_tools_output_paths)]
        gaze = Gaze(len(sources), self._sizes_of(sources))
        data = {
            "group": record.group,
            "member": record.rollout_index,
            "task": record.task_id,
            "family": record.family,
            "level": figures.difficulty,
            "reward": record.reward,
            "base": record.base_reward,
            "aux": record.image_tools_aux_reward,
            "components": record.reward_components,
            "right": figures.is_right,
            "calls": figures.num_calls,
            "errors": figures.num_errors,
            "ending": ENDINGS[record.ending],
            "answer": bounded(record.extracted_answer),
            "expected": bounded(record.expected_answer),
            "policy": record.response.model,
            "prompt": [self._message(message) for message in messages],
            "sources": len(sources),
            "store": store,
            "refusal": record.is_refusal,
            "turns": [
                {**self._turn(turn, gaze), "thought": thought}
                for turn, thought in zip(read_turns(record), _thoughts(record), strict=False)
            ],
        }
        return figures, data

    def _sizes_of(self, sources: list[str]) -> SizeOf:
        return lambda index: self._size_of(sources[index]) if index < len(sources) else None

    def _message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        who = message.get("role") or message.get("type") or ""
        texts = [*texts_of(message)]
        if message.get("type") == "function_call":
            texts.append(f"{message.get('name')} {message.get('arguments')}")
        return {
            "who": str(who),
            "texts": [self._texts.put(bounded(text)) for text in texts],
            "pictures": [self._picture(url) for url in pictures_of(message)],
        }

    def _turn(self, turn: RecordedTurn, gaze: Gaze) -> dict[str, Any]:
        return {
            "reward": turn.reward,
            "said": [piece for item in turn.said for piece in _said(item)],
            "calls": [_call(call, gaze) for call in turn.calls],
            "malformed": bounded(turn.turn.error),
            "answer": bounded(turn.answer_text),
            "pictures": [self._picture(url) for url in turn.pictures],
        }

    def _picture(self, url: str) -> int:
        """Return the number of a picture; whatever is no picture of a run has the empty one."""
        is_known = REFERENCE.fullmatch(url) or _DATA_URL.fullmatch(url)
        return self._pictures.put(url if is_known else "")


def bounded(text: str) -> str:
    """Return a text of at most ``MAX_TEXT_CHARS``, and what was left out in words."""
    left_out = len(text) - MAX_TEXT_CHARS
    if left_out <= 0:
        return text
    half = MAX_TEXT_CHARS // 2
    return f"{text[:half]}\n… {left_out:,} characters left out …\n{text[-half:]}"


def _thoughts(record: RolloutRecord) -> Iterator[str]:
    """Yield what a model thought before each turn, as far as its server showed it."""
    yield from (bounded(facts.reasoning) for facts in record.turn_facts)
    yield from repeat("")


def _said(item: Mapping[str, Any]) -> Iterable[dict[str, str]]:
    """Yield the texts of an assistant's item; calls are shown with what became of them."""
    kind = str(item.get("type", "message"))
    if kind != "function_call":
        for text in texts_of(item):
            yield {"kind": "reasoning" if kind == "reasoning" else "text", "text": bounded(text)}


def _call(call: RecordedCall, gaze: Gaze) -> dict[str, Any]:
    on = pictures_named(call.call.arguments, gaze.num_pictures)
    marks = gaze.look(call)
    arguments = json.dumps(call.call.arguments, ensure_ascii=False, default=str)
    return {
        "name": bounded(call.call.name),
        "arguments": bounded(arguments),
        "outcome": call.outcome,
        "repeat": call.duplicate,
        "error": bounded(str(call.reply.get("error", ""))),
        "reply": bounded(json.dumps(call.reply, ensure_ascii=False)) if call.reply else "",
        "on": on[:MAX_PICTURES],
        "made": new_picture(call),
        "marks": [_mark(mark) for mark in marks],
    }


def _mark(mark: Mark) -> list[float]:
    return [mark.picture, *(round(value, 1) for value in mark.box)]

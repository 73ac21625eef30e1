"""Replays recorded episodes through the environment, and tells where they come out otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import gymnasium as gym

from gym_imagetools.errors import GenerationError
from gym_imagetools.policies.policy import Env
from gym_imagetools.rollout.assignment import Assignment
from gym_imagetools.rollout.pictures import PictureFolder
from gym_imagetools.rollout.records import RolloutRecord, make_record
from gym_imagetools.rollout.session import Session
from gym_imagetools.rollout.turns import RecordedTurn, action_of, read_turns

GRADES = (
    "reward",
    "reward_components",
    "reward_scores",
    "base_reward",
    "image_tools_aux_reward",
    "step_rewards",
    "extracted_answer",
    "expected_answer",
)
"""The fields that grading decides: what a changed grader changes."""

_OUTCOMES = (
    *GRADES,
    "task_id",
    "family",
    "ending",
    "image_tools_call_count",
    "image_tools_error_count",
    "image_tools_output_paths",
    "image_tools_generation_image_paths",
)
_CONTEXT_CHARS, _SHOWN_CHARS = 24, 120


@dataclass(frozen=True)
class Difference:
    """One figure or text that came out otherwise.

    Attributes:
        field: What differs, such as ``reward`` or ``turn 2: answer``.
        recorded: What the record holds, in short.
        replayed: What the replay gave, in short.
    """

    field: str
    recorded: str
    replayed: str


@dataclass(frozen=True)
class Replay:
    """A record beside what its turns give today.

    Attributes:
        record: The record.
        replayed: The record of the replay; None where it could not be played.
        problem: Why it could not be played; "" where it was.
        differences: Where the two differ; the problem alone where there was one.
    """

    record: RolloutRecord
    replayed: RolloutRecord | None
    problem: str
    differences: tuple[Difference, ...]

    def regraded(self) -> RolloutRecord:
        """Return the record with the grades of the replay.

        Raises:
            ValueError: It could not be played.
        """
        if self.replayed is None:
            raise ValueError(f"Expected a record that can be played, got one with {self.problem}")
        plain = self.record.model_dump(by_alias=True)
        kept = {key: plain[key] for key in plain if key not in self.record.reward_components}
        grades = {key: getattr(self.replayed, key) for key in GRADES}
        return RolloutRecord.model_validate({**kept, **grades, **grades["reward_components"]})


class Replayer(AbstractContextManager["Replayer"]):
    """Replays records; makes each environment once. Use it in a ``with`` statement."""

    def __init__(self) -> None:
        self._envs: dict[str, Env] = {}
        # Pictures are compared by the names that their bytes give them.
        self._folder = TemporaryDirectory()
        self._pictures = PictureFolder(Path(self._folder.name))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the environments."""
        for env in self._envs.values():
            env.close()
        self._folder.cleanup()

    def replay(self, record: RolloutRecord) -> Replay:
        """Play the turns of a record again, and compare.

        Args:
            record: The record. Whatever is wrong with it is the ``problem`` of the result.
        """
        try:
            recorded = read_turns(record)
            replayed = self._play(record, recorded)
        except (ValueError, GenerationError, gym.error.Error) as error:
            problem = str(error)
            return Replay(record, None, problem, (Difference("cannot be played", "", problem),))
        return Replay(record, replayed, "", tuple(_differences(record, recorded, replayed)))

    def replay_all(self, records: Iterable[RolloutRecord]) -> Iterator[Replay]:
        """Replay the records, one after the other.

        Args:
            records: The records of a run.
        """
        return map(self.replay, records)

    def _play(self, record: RolloutRecord, turns: tuple[RecordedTurn, ...]) -> RolloutRecord:
        env = self._env(record.env_id, record.env_kwargs)
        where = Assignment(
            record.task_index, record.rollout_index, record.seed, record.task_id, policy_seed=0
        )
        session = Session(env, where)
        for turn in turns:
            if session.is_over:
                break
            session.play(action_of(record, turn))
        return make_record(session.rollout(record.response.model), self._pictures)

    def _env(self, env_id: str, keywords: Mapping[str, Any]) -> Env:
        key = json.dumps([env_id, keywords], sort_keys=True)
        if key not in self._envs:
            self._envs[key] = _made(env_id, keywords)
        return self._envs[key]

    def __enter__(self) -> Self:
        """Return the replayer."""
        return self


def _made(env_id: str, keywords: Mapping[str, Any]) -> Env:
    try:
        # Gymnasium's checker does not survive a reset that failed, and other records follow.
        return gym.make(env_id, disable_env_checker=True, **keywords)
    except TypeError as error:
        # A keyword that the id does not take. Gymnasium adds the place in the code to it.
        raise ValueError(str(error.__context__ or error)) from None


def _differences(
    record: RolloutRecord, recorded: tuple[RecordedTurn, ...], replayed: RolloutRecord
) -> Iterator[Difference]:
    """Yield the differences: what was asked first, then the answers, then the outcome."""
    asked, asks = record.responses_create_params, replayed.responses_create_params
    yield from _compare("prompt", asked.input, asks.input)
    yield from _compare("tools", asked.tools, asks.tools)
    turns = read_turns(replayed)
    yield from _compare("turns", len(recorded), len(turns))
    for number, (one, other) in enumerate(zip(recorded, turns, strict=False), start=1):
        if one.answer_text != other.answer_text:
            yield from _compare(f"turn {number}: answer", one.answer_text, other.answer_text)
        elif one.pictures != other.pictures:
            yield from _compare(f"turn {number}: pictures", one.pictures, other.pictures)
        else:
            yield from _compare(f"turn {number}: answer items", one.answer, other.answer)
    for field in _OUTCOMES:
        yield from _compare(field, getattr(record, field), getattr(replayed, field))


def _compare(field: str, recorded: Any, replayed: Any) -> Iterator[Difference]:
    if isinstance(recorded, Mapping) and isinstance(replayed, Mapping):
        for key in {**recorded, **replayed}:
            yield from _compare(f"{field}.{key}", recorded.get(key), replayed.get(key))
    elif recorded != replayed:
        yield Difference(field, *_shown(_line(recorded), _line(replayed)))


def _line(value: Any) -> str:
    return str(value).replace("\n", "↵")


def _shown(one: str, other: str) -> tuple[str, str]:
    """Return two texts from shortly before the place where they part."""
    pairs = enumerate(zip(one, other, strict=False))
    parting = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(0, parting - _CONTEXT_CHARS) if max(len(one), len(other)) > _SHOWN_CHARS else 0
    return _part(one, start), _part(other, start)


def _part(text: str, start: int) -> str:
    shown = text[start : start + _SHOWN_CHARS]
    cut = text[start + _SHOWN_CHARS :]
    return ("…" if start else "") + shown + ("…" if cut else "")

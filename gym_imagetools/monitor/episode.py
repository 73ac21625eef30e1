"""One episode in figures: what tables and comparisons need of a record, and no text of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gym_imagetools.contract import Ending, is_right
from gym_imagetools.rollout.records import RolloutRecord
from gym_imagetools.rollout.turns import RecordedTurn, read_turns

OTHER_TOOLS = "(unknown)"
"""Stands for names that no tool of the environment has: they are whatever a model writes."""


@dataclass(frozen=True)
class ToolFigures:
    """How often one tool was called.

    Attributes:
        calls: Calls that were written.
        refused: Calls that were refused.
        duplicates: Calls that repeated an earlier one.
    """

    calls: int = 0
    refused: int = 0
    duplicates: int = 0

    def __add__(self, other: ToolFigures) -> ToolFigures:
        """Return the sums."""
        return ToolFigures(
            self.calls + other.calls,
            self.refused + other.refused,
            self.duplicates + other.duplicates,
        )


@dataclass(frozen=True)
class EpisodeFigures:
    """One episode.

    Attributes:
        group: Names its group: the rollouts of one task that belong together.
        task_id: The name of the task.
        family: The kind of task.
        difficulty: Its level as text; "" where it has none.
        reward: The pay of the episode.
        components: The pay of each objective.
        is_right: Whether the first objective scored fully.
        answer: The answer that was read; "" where there was none.
        ending: How the episode ended.
        num_turns: Assistant turns.
        num_calls: Executed calls, duplicates included.
        num_errors: Refused turns and failed calls, malformed ones included.
        num_malformed: Turns whose markup could not be read.
        tools: The calls by the tool's name, executed or not.
        usage: Token counts by name, where the endpoint told them.
    """

    group: str
    task_id: str
    family: str
    difficulty: str
    reward: float
    components: Mapping[str, float]
    is_right: bool
    answer: str
    ending: Ending
    num_turns: int
    num_calls: int
    num_errors: int
    num_malformed: int
    tools: Mapping[str, ToolFigures]
    usage: Mapping[str, float] = field(default_factory=dict)

    @property
    def num_duplicates(self) -> int:
        """Executed calls that repeated an earlier one."""
        return sum(tool.duplicates for tool in self.tools.values())

    @property
    def num_invalid(self) -> int:
        """Errors other than malformed markup."""
        return max(self.num_errors - self.num_malformed, 0)

    @property
    def has_calls(self) -> bool:
        """Whether a call was at least tried."""
        return bool(self.tools or self.num_calls or self.num_errors)


def read_figures(record: RolloutRecord) -> EpisodeFigures:
    """Return the figures of a record.

    Args:
        record: The record.

    Raises:
        ValueError: Its turns cannot be told apart.
    """
    turns = read_turns(record)
    return EpisodeFigures(
        group=record.group,
        task_id=record.task_id,
        family=record.family,
        difficulty=difficulty_of(record),
        reward=record.reward,
        components=record.reward_components,
        is_right=is_right(record.reward_scores),
        answer=record.extracted_answer,
        ending=record.ending,
        num_turns=len(turns),
        num_calls=record.image_tools_call_count,
        num_errors=record.image_tools_error_count,
        num_malformed=sum(turn.is_malformed for turn in turns),
        tools=_tools(turns, known=_declared(record)),
        usage=record.usage or {},
    )


def difficulty_of(record: RolloutRecord) -> str:
    """Return the level of a record's task, from its id or the keywords; "" where it has none.

    Args:
        record: The record.
    """
    _, _, place = record.task_id.partition("/")
    level, separator, _ = place.partition("/")
    if separator and level.isdigit():
        return level
    given = record.env_kwargs.get("difficulty", "")
    return str(given) if isinstance(given, int) else ""


def _tools(turns: Iterable[RecordedTurn], known: frozenset[str]) -> dict[str, ToolFigures]:
    tools: dict[str, ToolFigures] = {}
    for turn in turns:
        for call in turn.calls:
            name = call.call.name if call.call.name in known else OTHER_TOOLS
            one = ToolFigures(1, call.outcome == "refused", bool(call.duplicate))
            tools[name] = tools.get(name, ToolFigures()) + one
    return tools


def _declared(record: RolloutRecord) -> frozenset[str]:
    names = (tool.get("name") for tool in record.responses_create_params.tools)
    return frozenset(name for name in names if isinstance(name, str))

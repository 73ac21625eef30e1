"""One episode: the turns so far, the pictures on the bench, and what each turn is answered."""

from __future__ import annotations

from dataclasses import dataclass, field

from gym_imagetools.contract import (
    CallResult,
    Ending,
    call_id_of,
    join_notices,
    plain_arguments,
    refused_call,
)
from gym_imagetools.episode.record import CallRecord
from gym_imagetools.episode.workbench import Workbench
from gym_imagetools.errors import ToolError
from gym_imagetools.excerpt import excerpt
from gym_imagetools.prompts import replies
from gym_imagetools.types import Picture, Task, ToolCall, Turn


@dataclass(frozen=True)
class Reply:
    """What the environment answers to a turn.

    Attributes:
        results: One entry a call, or one for a refused turn.
        records: The calls that were executed.
        notice: What is said beside the results.
        error: Why the turn was refused or which fault its failed call had; "" for a good turn.
        is_invalid: Whether the error counts and is fined (a cut reply is not).
    """

    results: tuple[CallResult, ...] = ()
    records: tuple[CallRecord, ...] = ()
    notice: str = ""
    error: str = ""
    is_invalid: bool = False

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures that the executed calls made."""
        return tuple(record.picture for record in self.records)

    @property
    def text(self) -> str:
        """The reply as a model that reads markup sees it."""
        responses = (replies.tool_response(result["output"]) for result in self.results)
        return join_notices(*responses, self.notice)


@dataclass(frozen=True)
class Exchange:
    """A turn and its reply as people see them later; long texts are kept in part.

    Attributes:
        said: What the model said beside its calls; the whole text where there are none.
        records: The calls that were executed.
        error: Why something was refused; "" when nothing was.
        notice: What the reply said beside the results.
    """

    said: str
    records: tuple[CallRecord, ...]
    error: str
    notice: str


@dataclass
class Episode:
    """The state of one running episode; small, picklable, and free of pixels.

    Attributes:
        task: The task that is played.
        bench: The pictures and the calls so far.
        exchanges: The turns and their replies.
        num_errors: Refused turns and failed calls so far.
        ending: How the episode ended; "" while it runs.
        score: The grade of the last turn, once the episode has ended.
    """

    task: Task
    bench: Workbench
    exchanges: list[Exchange] = field(default_factory=list)
    num_errors: int = 0
    ending: Ending = ""
    score: float = 0.0

    @property
    def turn(self) -> int:
        """Assistant turns so far."""
        return len(self.exchanges)

    def play(self, turn: Turn) -> Reply:
        """Run what the turn asks for and return the answer to it.

        Args:
            turn: The turn, already narrowed to what may run.
        """
        reply = self._answer(turn)
        self.num_errors += reply.is_invalid
        said = excerpt(turn.prose or ("" if turn.calls else turn.text))
        self.exchanges.append(Exchange(said, reply.records, excerpt(reply.error), reply.notice))
        return reply

    def _answer(self, turn: Turn) -> Reply:
        if turn.incomplete:
            return self._refuse(turn, replies.CUT_OFF, is_invalid=False)
        if turn.error:
            return self._refuse(turn, turn.error, is_invalid=True)
        return self._run(turn)

    def _refuse(self, turn: Turn, reason: str, *, is_invalid: bool) -> Reply:
        call = turn.calls[0] if turn.calls else ToolCall("", {})
        call_id = call_id_of(call, self.turn + 1, 0)
        result = refused_call(call, call_id, replies.error_json(reason))
        return Reply((result,), notice=turn.notice, error=reason, is_invalid=is_invalid)

    def _run(self, turn: Turn) -> Reply:
        """Run the calls in order; after one that fails, the later ones are not run (rule 6)."""
        records: list[CallRecord] = []
        results: list[CallResult] = []
        error = ""
        for index, call in enumerate(turn.calls):
            call_id = call_id_of(call, self.turn + 1, index)
            if error:
                not_run = replies.error_json(replies.NOT_RUN_AFTER_ERROR)
                results.append(refused_call(call, call_id, not_run))
                continue
            try:
                record, output = self.bench.run(call)
            except ToolError as fault:
                error = str(fault)
                results.append(refused_call(call, call_id, replies.error_json(error)))
            else:
                records.append(record)
                results.append(
                    CallResult(
                        call_id=call_id,
                        name=call.name,
                        arguments=plain_arguments(call.arguments),
                        ok=True,
                        duplicate=record.repeat.kind,
                        output=output,
                    )
                )
        return Reply(tuple(results), tuple(records), turn.notice, error, is_invalid=bool(error))

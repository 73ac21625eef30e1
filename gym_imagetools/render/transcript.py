"""The episode as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent

from gym_imagetools.episode import Episode, Exchange
from gym_imagetools.render.wording import ENDINGS, call_words, repeat_words


def render_ansi(episode: Episode) -> str:
    """Return the transcript of the episode so far.

    Args:
        episode: The running or ended episode.
    """
    task = episode.task
    sizes = ", ".join("x".join(map(str, picture.size)) for picture in task.pictures) or "none"
    lines = [f"{task.task_id}   pictures: {sizes}", f"Q: {_indented(task.question, 3)}"]
    next_picture = len(task.pictures)
    for number, exchange in enumerate(episode.exchanges, start=1):
        lines += [
            f"{number:>3}. {_indented(line, 5)}" for line in _turn_lines(exchange, next_picture)
        ]
        next_picture += len(exchange.records)
    lines.append(_last_line(episode))
    return "\n".join(lines)


def _turn_lines(exchange: Exchange, next_picture: int) -> Iterator[str]:
    has_reply = bool(exchange.records or exchange.error or exchange.notice)
    if exchange.said:
        yield f"{'said' if has_reply else 'answer'}: {exchange.said}"
    for index, record in enumerate(exchange.records, start=next_picture):
        width, height = record.picture.size
        note = f"   ({repeat_words(record)})" if record.repeat.kind else ""
        yield f"{call_words(record)} -> #{index} {width}x{height}{note}"
    if exchange.error:
        yield f"refused: {exchange.error}"
    if exchange.notice:
        yield f"told: {exchange.notice}"


def _indented(text: str, num_columns: int) -> str:
    """Return a text whose further lines stand below its first."""
    return indent(text, " " * num_columns).lstrip()


def _last_line(episode: Episode) -> str:
    if not episode.ending:
        return "... running"
    expected = episode.task.expected_answer
    return f"{ENDINGS[episode.ending]}: score {episode.score:g}, expected {expected!r}"

r"""Grades the letter of a multiple-choice answer.

Fields of a row (NeMo Gym's):

- ``options``: a list of ``{letter: text}``. ``expected_answer``: one of the letters.
- ``grading_mode``: how the letter is given:

  - ``strict_single_letter_boxed`` (default): the last box holds a letter (``B``, ``b``, ``(B)``,
    ``\text{B}``) or a letter with its own option's text (``B: dog``);
  - ``lenient_boxed``: or the whole text of one option. As a box may hold text here, a letter is
    a capital;
  - ``lenient_answer_colon``: the first ``Answer:`` is followed by a letter or an option's text,
    and no later one contradicts it;
  - ``lenient_answer_colon_md``: the last ``Answer:`` with a readable letter counts, Markdown and
    an explanation may stand around it.

- ``template_metadata``: ``output_regex`` (one pattern or a list of them, tried before the mode)
  captures a letter or an option's text; ``answer_prefix`` is another marker beside ``Answer:``.

A letter that is not offered, the article "a", the pronoun "I" and a letter in a formula name no
option; a statement that names several options, or denies the one it names, scores 0.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from gym_imagetools.graders.choices import MAX_LENGTH, Options
from gym_imagetools.graders.extraction import last_box, unwrap_text
from gym_imagetools.graders.fields import Fields, bad_field, bad_gold, choice_field, gold_text
from gym_imagetools.graders.grader import Grader, judge, no_answer
from gym_imagetools.graders.patterns import RowPattern
from gym_imagetools.graders.payload import Reading, names_several, read_payload, reads_as_word
from gym_imagetools.types import Score

_ANSWER_COLON = re.compile(r"(?<![A-Za-z])answer\s*:\s*(.+)", re.IGNORECASE)
_ANSWER_COLON_MD = re.compile(
    r"(?<![A-Za-z])answer[*_]{0,2}\s*[:\uff1a][*_\s]{0,2}(.+)", re.IGNORECASE
)


@dataclass(frozen=True)
class Mcqa(Grader):
    """Grades the choice of one option; see the module's text.

    Attributes:
        gold: The right letter, upper case.
        options: What is offered; empty only when patterns read the letter.
        grading_mode: A key of :data:`GRADING_MODES`.
        patterns: The patterns of the row's template.
        answer_prefix: The marker of the row's template; "" for none.
    """

    gold: str
    options: Options
    grading_mode: str = "strict_single_letter_boxed"
    patterns: tuple[RowPattern, ...] = ()
    answer_prefix: str = ""

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Make the grader of a row; see :meth:`Grader.from_fields`."""
        options = Options.from_fields(fields)
        template = fields.get("template_metadata")
        if template is None:
            template = {}
        if not isinstance(template, dict):
            raise bad_field("template_metadata", "an object", template)
        grader = cls(
            gold=gold_text(fields).upper(),
            options=options,
            grading_mode=choice_field(
                fields, "grading_mode", tuple(GRADING_MODES), cls.grading_mode
            ),
            patterns=_read_patterns(template),
            answer_prefix=_read_prefix(template),
        )
        grader._check()
        return grader

    def grade_reply(self, reply: str) -> Score:
        """Grade a reply; see :meth:`Grader.grade_reply`."""
        reading = self._match_patterns(reply) or GRADING_MODES[self.grading_mode](self, reply)
        if reading is None:
            return no_answer("no option named")
        if reading.fault:
            return Score(0.0, reading.letter, reading.fault)
        return judge(reading.letter == self.gold, reading.letter)

    def _check(self) -> None:
        if self.gold in self.options:
            return
        if self.options.texts or not self.patterns:
            letters = ", ".join(self.options.texts) or "(`options` offers none)"
            raise bad_gold(f"one of the options {letters}", self.gold)
        if not re.fullmatch("[A-Z]", self.gold):
            raise bad_gold("one letter", self.gold)

    def _match_patterns(self, reply: str) -> Reading | None:
        for pattern in self.patterns:
            match = pattern.find_last(reply)
            if match and (letter := self._captured_letter(reply, match.start, match.end)):
                line = reply[match.start : match.start + 200].partition("\n")[0]
                several = names_several(line, self.options)
                return Reading(letter, "several options named" if several else "")
        return None

    def _captured_letter(self, reply: str, start: int, end: int) -> str | None:
        captured = reply[start:end].strip()
        letter = unicodedata.normalize("NFKC", captured)
        if not re.fullmatch("[A-Za-z]", letter):
            return self.options.named_by_text(captured)
        start = reply.index(captured, start)
        rest = reply[start + 1 : start + 200].partition("\n")[0]
        if re.match(r"\w", rest) or (start and re.match(r"\w", reply[start - 1])):
            return None  # the first letter of a word
        if self.options.has_text(letter.upper(), rest):
            return letter.upper()
        if reads_as_word(letter, rest):
            return None
        return self.options.offered(letter) if self.options.texts else letter.upper()


def _strict_boxed(grader: Mcqa, reply: str) -> Reading | None:
    return _read_box(grader, reply, any_case=True)


def _lenient_boxed(grader: Mcqa, reply: str) -> Reading | None:
    content = last_box(reply)
    if content is None:
        return None
    strict = _read_box(grader, reply, any_case=False)
    return strict or Reading.of(grader.options.named_by_text(content))


def _answer_colon(grader: Mcqa, reply: str) -> Reading | None:
    statements = [match[1] for match in _ANSWER_COLON.finditer(reply)]
    first = _read_statement(grader, statements[0]) if statements else None
    if first is None:
        return None
    if any(_contradicts(grader, statement, first) for statement in statements[1:]):
        return Reading(first, "a later answer contradicts the first")
    return Reading(first)


def _contradicts(grader: Mcqa, statement: str, letter: str) -> bool:
    """Tell whether a statement names another option, several of them, or denies this one."""
    if read := _read_statement(grader, statement):
        return read != letter
    reading = read_payload(statement, grader.options)
    return reading is not None and (reading.fault != "" or reading.letter != letter)


def _answer_colon_md(grader: Mcqa, reply: str) -> Reading | None:
    for payload in reversed(_payloads(reply, grader.answer_prefix)):
        if reading := read_payload(payload, grader.options):
            return reading
    return _strict_boxed(grader, reply) if grader.answer_prefix else None


GRADING_MODES: dict[str, Callable[[Mcqa, str], Reading | None]] = {
    "strict_single_letter_boxed": _strict_boxed,
    "lenient_boxed": _lenient_boxed,
    "lenient_answer_colon": _answer_colon,
    "lenient_answer_colon_md": _answer_colon_md,
}


def _read_box(grader: Mcqa, reply: str, *, any_case: bool) -> Reading | None:
    content = last_box(reply)
    if content is None:
        return None
    return Reading.of(grader.options.named_by_letter(content, any_case=any_case))


def _read_statement(grader: Mcqa, statement: str) -> str | None:
    if len(statement) > MAX_LENGTH:
        return None
    text = unicodedata.normalize("NFKC", unwrap_text(statement))
    if len(text) == 1 and (letter := grader.options.offered(text)):
        return letter
    return grader.options.named_by_text(text)


def _payloads(text: str, prefix: str) -> list[str]:
    """Return what follows each marker to the end of its line, in the order of the text."""
    found = [(match.start(), match[1]) for match in _ANSWER_COLON_MD.finditer(text)]
    if prefix:
        literal = re.escape(prefix).replace(":", "[:\uff1a]")
        marker = re.compile(literal + r"\s*(.*)", re.IGNORECASE)
        found += [(match.start(), match[1]) for match in marker.finditer(text)]
    return [payload for _, payload in sorted(found)]


def _read_patterns(template: dict[str, Any]) -> tuple[RowPattern, ...]:
    sources = template.get("output_regex")
    if sources is None:
        return ()
    name = "template_metadata.output_regex"
    return tuple(
        RowPattern.compile(name, source)
        for source in (sources if isinstance(sources, list) else [sources])
    )


def _read_prefix(template: dict[str, Any]) -> str:
    prefix = template.get("answer_prefix")
    if prefix is None:
        return ""
    if not isinstance(prefix, str):
        raise bad_field("template_metadata.answer_prefix", "text", prefix)
    return prefix

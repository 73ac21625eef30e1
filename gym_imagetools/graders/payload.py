"""Reads the option that a sentence after ``Answer:`` names."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from gym_imagetools.graders.choices import MAX_LENGTH, Options

# The letters by which options are called in other scripts, as the reference's data use them.
_SCRIPTS = str.maketrans(
    {letter: f" {latin}" for letters in ("أبجد", "অবডঢ") for letter, latin in zip(
        letters, "ABCD", strict=True)}
)  # fmt: skip

_DECORATION = "*_` \t\r\n.,;:"

_LETTER = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])")
_LIST_SEPARATOR = re.compile(r"\s*[/|&,;]\s*|\s+(?:or|and)\s+|\s+", re.IGNORECASE)
_LEADING_LETTER = re.compile(r"([A-Za-z])(?![A-Za-z0-9])")
_CAPITAL = re.compile(r"\b[A-Z]\b")
_NEXT_WORD = re.compile(r"\s+([A-Za-z]+)|['\u2019][A-Za-z]")
_FOLLOWERS = frozenset(
    {"because", "since", "as", "is", "was", "are", "seems", "fits", "matches", "due", "for"}
    | {"given", "and", "or", "but", "to", "through", "then"}
)
"""Words that may follow "A" or "I" when it is an option's letter."""

_FORMULA = re.compile(r"\s*[-+*/^=<>]\s*(?:\d|\\|[A-Za-z]\b)")
_ABBREVIATION = re.compile(r"\.\s+([a-z]+)")
_HEDGE = re.compile(
    r"^\W*(?:and|to|through|then|also|plus|with)\b"
    r"|\b(?:or|maybe|perhaps|possibly|alternatively|either)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|except|either|both|all|any|none|between|through|or|and)\b|n['\u2019]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The option a reply names.

    Attributes:
        letter: The option's letter.
        fault: Why it cannot score although a letter was read; "" for none.
    """

    letter: str
    fault: str = ""

    @classmethod
    def of(cls, letter: str | None) -> Reading | None:
        """Return the reading of a letter, None for None."""
        return cls(letter) if letter else None


def read_payload(payload: str, options: Options) -> Reading | None:
    """Return the option that a payload names, or None.

    A payload that opens with a letter names that option (``B because ...``); one that opens
    with a letter that is not offered says something else. In any other, the letter is the one
    capital that stands alone (``the choice is B``), unless it is denied.

    Args:
        payload: The rest of a line after its marker, as written.
        options: What is offered.
    """
    if len(payload) > MAX_LENGTH:
        return None
    text = unicodedata.normalize("NFKC", payload).translate(_SCRIPTS).strip(_DECORATION)
    if _is_list(text, options):
        return None
    lead = _LEADING_LETTER.match(text)
    if lead is None:
        return _read_lone_capital(text, options)
    rest = text[1:]
    letter = options.offered(lead[1])
    if letter is None:
        return None
    if not options.opens_with_text(letter, rest.lstrip(" :.)-]")):
        if reads_as_word(lead[1], rest):
            return _read_lone_capital(rest, options)
        if _FORMULA.match(rest) or _is_abbreviation(rest):
            return None
    hedge = _HEDGE.search(rest)
    if hedge and _capitals(rest[hedge.end() :], options) - {letter}:
        return Reading(letter, "several options named")
    return Reading(letter)


def reads_as_word(letter: str, rest: str) -> bool:
    """Tell whether the letter is the article "a" or the pronoun "I" before ``rest``."""
    if letter.upper() not in "AI" or not (following := _NEXT_WORD.match(rest)):
        return False
    return following[1] is None or following[1].lower() not in _FOLLOWERS


def _is_list(text: str, options: Options) -> bool:
    """Tell whether two different options stand side by side as in ``A, B`` or ``A or B``."""
    letters = [match for match in _LETTER.finditer(text) if options.offered(match[0])]
    return any(
        left[0].upper() != right[0].upper()
        and _LIST_SEPARATOR.fullmatch(text, left.end(), right.start())
        for left, right in pairwise(letters)
    )


def _is_abbreviation(rest: str) -> bool:
    following = _ABBREVIATION.match(rest)
    return following is not None and following[1] not in _FOLLOWERS


def _read_lone_capital(text: str, options: Options) -> Reading | None:
    if _DENIAL.search(text):
        return None
    capitals = _capitals(text, options)
    return Reading(capitals.pop()) if len(capitals) == 1 else None


def _capitals(text: str, options: Options) -> set[str]:
    """Return the offered capitals that stand alone and are no words."""
    return {
        match[0]
        for match in _CAPITAL.finditer(text)
        if match[0] in options and not reads_as_word(match[0], text[match.end() : match.end() + 40])
    }

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
_ARTICLE_OR_PRONOUN = re.compile(r"(?:a|I)(?:\s+[A-Za-z]{3,}|['\u2019][a-z])")
_LEADING_LETTER = re.compile(r"([A-Za-z])(?![A-Za-z0-9])")
_CAPITAL = re.compile(r"(?<![A-Za-z0-9])[A-Z](?![A-Za-z0-9])")
_SMALL = re.compile(r"(?<![\w.'\u2019])(?<!\d\s)[a-z](?!\w|['\u2019.]\w)")
_NEXT_WORD = re.compile(r"\s+([A-Za-z]+)|['\u2019][A-Za-z]")
_FOLLOWERS = frozenset(
    {"because", "since", "as", "is", "was", "are", "seems", "fits", "matches", "due", "for"}
    | {"given", "and", "or", "but", "to", "through", "then"}
)
"""Words that may follow "A" or "I" when it is an option's letter."""

_FORMULA = re.compile(r"\s*[-+*/^=<>]\s*(?:\d|\\|[A-Za-z]\b)")
_ABBREVIATION = re.compile(r"\.\s+([a-z]+)")
_REASON = re.compile(
    r"\b(?:because|since|given|due\s+to)\b.*?"
    r"(?=[;?!]|\.\s|$|\b[A-Za-z]\s+(?:because|since|given|due)\b)",
    re.IGNORECASE | re.DOTALL,
)
_HEDGE = re.compile(
    r"\b(?:or|maybe|perhaps|possibly|alternatively|either|otherwise|else|unless|if|failing\s+that)\b",
    re.IGNORECASE,
)
_WRONG = (
    r"(?:not|never|no|nope|neither|nor|wrong|incorrect|false|untrue|invalid|impossible|unlikely"
    r"|excluded|eliminated|rejected|discarded|refuted|disproved|ruled\s+out|out)\b"
)
_VERB = (
    r"(?:is|was|are|were|be|being|been|would|could|can|should|must|may|might|will|does|did|has|had"
    r"|seems?|looks?|appears?|sounds?)"
)
_NEGATED_VERB = r"(?:\w+n['\u2019]t|cannot|fails?|failed)\b"
_DENIED_LETTER = re.compile(
    # right behind the letter: "A isn't", "A, which would be wrong", "A can definitely not be"
    rf"[\s)\]*_\"'`,(\u2013-]*(?:(?:which|that|it)\s+)?(?:{_NEGATED_VERB}"
    rf"|{_VERB}\s+(?:\w+\s+){{0,2}}{_WRONG})"
    # "A not", "A, not this one"; "A. Not enough light" begins a sentence of its own
    r"|[\s,?(*_]+(?:not|never)\b"
    # nothing but the verdict: "A: wrong", "A (incorrect)", "A? No."
    rf"|\W*{_WRONG}\s*(?:[,.;:!?)\]*_]|$)"
    # anywhere, of the answer: "A, but this is wrong"
    r"|.*\b(?:it|this|that|which|answer|option|choice)(?:\s+(?:is|was)|['\u2019]s)\s+(?:\w+\s+)?"
    r"(?:wrong|incorrect|false|not\s+(?:it|right|correct|true|the\s+(?:\w+\s+)?"
    r"(?:answer|option|choice|one)))\b",
    re.IGNORECASE | re.DOTALL,
)
_DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|except|either|both|all|any|none|between|through|or|and"
    r"|wrong|incorrect|false|impossible|excluded|eliminated|rejected|out|cannot|but|other\s+than"
    r"|rather\s+than|instead\s+of|without|otherwise|unless|if)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_SEVERAL, _DENIED = "several options named", "the option is denied"
_UNREADABLE = "opens with a letter that is not offered"


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
    """Return the option that a payload names, or None when it says nothing about the options.

    A payload that opens with a letter names that option (``B because ...``); one that opens
    with a letter that is not offered says something else. In any other, the letter is the one
    capital that stands alone (``the choice is B``). A payload that names a second option or
    denies the one it names has a fault. Only a reason may speak of other options
    (``C because B is wrong``).

    Args:
        payload: The rest of a line after its marker, as written.
        options: What is offered.
    """
    if len(payload) > MAX_LENGTH:
        return None
    text = unicodedata.normalize("NFKC", payload).translate(_SCRIPTS).strip(_DECORATION)
    lead = _LEADING_LETTER.match(text)
    letter = options.offered(lead[1]) if lead else None
    if lead is None or letter is None:
        if names_several(text, options):
            return Reading("", _SEVERAL)
        if lead is None:
            return _read_lone_capital(text, options)
        # "I think it is B" without an option I: the reference reads no letter there (golden row
        # mcqa-lenient_answer_colon_md-024), yet an earlier answer is no longer the last word.
        is_other = reads_as_word(lead[1], text[1:]) and _read_lone_capital(text[1:], options)
        return Reading("", _UNREADABLE) if is_other else None
    rest = text[1:]
    after_text = options.after_text(letter, rest.lstrip(" :.)-]*_\\}"))
    if after_text is not None:
        return Reading(letter, _fault(letter, after_text, options))
    if names_several(text, options):
        return Reading("", _SEVERAL)
    if reads_as_word(lead[1], rest):
        return _read_lone_capital(rest, options)
    if _FORMULA.match(rest) or _is_abbreviation(rest):
        return None
    return Reading(letter, _fault(letter, rest, options))


def names_several(text: str, options: Options) -> bool:
    """Tell whether two different options stand side by side as in ``A, B`` or ``A or B``.

    A reason does not count (``C because A, B and D are wrong``), nor does a second letter that is
    the article or the pronoun (``B, a dog``).
    """
    text = _REASON.sub(" ", text)
    letters = [match for match in _LETTER.finditer(text) if options.offered(match[0])]
    return any(
        left[0].upper() != right[0].upper()
        and _LIST_SEPARATOR.fullmatch(text, left.end(), right.start())
        and not _ARTICLE_OR_PRONOUN.match(text, right.start())
        for left, right in pairwise(letters)
    )


def reads_as_word(letter: str, rest: str) -> bool:
    """Tell whether the letter is the article "a" or the pronoun "I" before ``rest``."""
    if letter.upper() not in "AI" or not (following := _NEXT_WORD.match(rest)):
        return False
    return following[1] is None or following[1].lower() not in _FOLLOWERS


def _fault(letter: str, rest: str, options: Options) -> str:
    """Return why a statement that opens with a letter does not name just that option."""
    if options.named_by_text(rest.lstrip(" :.)-]")) not in (None, letter):
        return _SEVERAL
    plain = _REASON.sub(" ", rest)
    if _mentions(plain, options) - {letter}:
        return _SEVERAL
    if hedge := _HEDGE.search(rest):
        tail = rest[hedge.end() :]
        others = _mentions(tail, options) | {options.named_by_text(tail) or letter}
        if others - {letter}:
            return _SEVERAL
    return _DENIED if _DENIED_LETTER.match(plain) else ""


def _is_abbreviation(rest: str) -> bool:
    following = _ABBREVIATION.match(rest)
    return following is not None and following[1] not in _FOLLOWERS


def _read_lone_capital(text: str, options: Options) -> Reading | None:
    capitals = _standing_alone(_CAPITAL, text, options)
    if not capitals:
        return None
    if len(capitals) > 1 or _mentions(text, options) != capitals:
        return Reading("", _SEVERAL)
    return Reading("", _DENIED) if _DENIAL.search(text) else Reading(capitals.pop())


def _mentions(text: str, options: Options) -> set[str]:
    """Return the options that a text speaks of, by letters of either case."""
    return _standing_alone(_CAPITAL, text, options) | _standing_alone(_SMALL, text, options)


def _standing_alone(letter: re.Pattern[str], text: str, options: Options) -> set[str]:
    """Return the offered letters (upper case) that stand alone and are no words."""
    return {
        match[0].upper()
        for match in letter.finditer(text)
        if options.offered(match[0])
        and not reads_as_word(match[0], text[match.end() : match.end() + 40])
    }

r"""Notation: brings the many ways to write one answer to one form.

Two answers are the same when their forms are equal. Everything here only changes how an answer
is written (Unicode, TeX, quotes, separators), never what it says: no letters are taken out of
words, and no units are dropped.
"""

from __future__ import annotations

import re
import unicodedata

from gym_imagetools.graders.numbers import UNIT, read_tex_groups, ungroup

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT_RUN = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_VULGAR_FRACTION = re.compile(r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])")
_MINUS = re.compile(r"\u2212|\u2013(?=\s?[\d.])")  # U+2212, and an en dash before a number
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}

_STYLE_OR_BRACE = re.compile(
    r"\\(?:boxed|fbox|textbf|textit|texttt|textrm|text|mathrm|mathbf|mathit|mathsf|mathbb"
    r"|mathcal|emph|url)(?P<open>\{)|[{}]"
)
_TOKEN = r"(?:\{([^{}\\]*)\}|([^\s{}\\]))"
_TEX_FRACTION = re.compile(rf"\\[dt]?frac\s*{_TOKEN}\s*{_TOKEN}")
_TEX_ROOT = re.compile(rf"\\sqrt\s*{_TOKEN}")
_TEX_POWER = re.compile(r"\^\{([^{}\\]*)\}")
_TEX_SYMBOLS = (
    (re.compile(r"\\left(?![a-z])|\\right(?![a-z])|\\!|\\[()\[\]]|\\?\$"), ""),
    (re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-z]))|\\degree(?![a-z])"), "°"),
    (re.compile(r"\\pi(?![a-z])"), "π"),
    (re.compile(r"\\infty(?![a-z])"), "∞"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\[,;:]"), " "),
)
_INFINITY = re.compile(r"\binf(?:inity)?\b")
_LETTER_IN_BRACKETS = re.compile(r"\((\w)\)")

_TYPESET_UNIT = re.compile(
    rf"\s*(?:\\[,;: ])?\s*\\(?:text|textrm|mathrm|textbf)\{{\s*{UNIT}\s*\}}$|\\%$"
)

_STATES = {
    "alabama": "al", "alaska": "ak", "arizona": "az", "arkansas": "ar", "california": "ca",
    "colorado": "co", "connecticut": "ct", "delaware": "de", "district of columbia": "dc",
    "florida": "fl", "georgia": "ga", "hawaii": "hi", "idaho": "id", "illinois": "il",
    "indiana": "in", "iowa": "ia", "kansas": "ks", "kentucky": "ky", "louisiana": "la",
    "maine": "me", "maryland": "md", "massachusetts": "ma", "michigan": "mi", "minnesota": "mn",
    "mississippi": "ms", "missouri": "mo", "montana": "mt", "nebraska": "ne", "nevada": "nv",
    "new hampshire": "nh", "new jersey": "nj", "new mexico": "nm", "new york": "ny",
    "north carolina": "nc", "north dakota": "nd", "ohio": "oh", "oklahoma": "ok", "oregon": "or",
    "pennsylvania": "pa", "rhode island": "ri", "south carolina": "sc", "south dakota": "sd",
    "tennessee": "tn", "texas": "tx", "utah": "ut", "vermont": "vt", "virginia": "va",
    "washington": "wa", "west virginia": "wv", "wisconsin": "wi", "wyoming": "wy",
}  # fmt: skip
_STATE = re.compile(rf"\b(?:{'|'.join(sorted(_STATES, key=len, reverse=True))})\b")


def fold(text: str) -> str:
    """Return the text in one Unicode form, in lower case, without quotes and full stops around it.

    Powers stay powers (``x²`` becomes ``x^2``, never ``x2``), fractions stay fractions, and the
    minus sign U+2212 and an en dash before a number become ``-``.
    """
    text = _MINUS.sub("-", text)
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^" + run[0].translate(_SUPERSCRIPTS), text)
    text = _VULGAR_FRACTION.sub(" ", text)
    text = unicodedata.normalize("NFKC", text).replace("\u2044", "/")
    if len(text) >= 2 and _QUOTES.get(text[0]) == text[-1]:
        text = text[1:-1]
    text = text.lower()
    return text.rstrip(".!?") or text


def plain(text: str) -> str:
    r"""Return folded text with its TeX read: ``\frac{1}{2}`` is ``1/2``, ``\text{red}`` is ``red``.

    White space is reduced to single spaces. A unit or any other word stays.
    """
    text = read_tex_groups(text)
    if "\\" in text or "$" in text or "^{" in text:
        text = _read_tex(_drop_styles(text))
    text = re.sub(r"√\s*\(?(\w+)\)?", r"√\1", text)
    text = " ".join(text.split())
    return _LETTER_IN_BRACKETS.sub(r"\1", text) if len(text) == 3 else text


def spellings(text: str) -> frozenset[str]:
    """Return the forms of a plain text; two answers are the same when they share one.

    Commas and semicolons are white space, with true thousands groups read as one number or
    left alone, and the names of the United States' states are their abbreviations.
    """
    text = _STATE.sub(lambda match: _STATES[match[0]], _INFINITY.sub("∞", text))
    return frozenset(_words(form) for form in (text, ungroup(text)))


def drop_typeset_unit(text: str) -> str:
    r"""Return the text without a unit that TeX sets beside a number: ``5\text{ cm}``, ``5\%``."""
    return _TYPESET_UNIT.sub("", text.strip())


def _words(text: str) -> str:
    """Join the words of a text by single spaces.

    The joining ``and`` of a long list falls away as its commas do; in a short text, where it is
    more than a tenth of what is said, it stays.
    """
    text = text.replace(",", " ").replace(";", " ")
    without = re.sub(r"\band\b", " ", text)
    return " ".join((without if len(without) >= 0.9 * len(text) else text).split())


def _drop_styles(text: str) -> str:
    """Remove styling commands and their braces; one whose brace is missing loses its command."""
    kept: list[str] = []
    styles: list[bool] = []
    position = 0
    for token in _STYLE_OR_BRACE.finditer(text):
        if token["open"]:
            styles.append(True)
        elif token[0] == "{":
            styles.append(False)
            continue
        elif not (styles and styles.pop()):
            continue
        kept.append(text[position : token.start()])
        position = token.end()
    return "".join([*kept, text[position:]])


def _read_tex(text: str) -> str:
    for pattern, replacement in _TEX_SYMBOLS:
        text = pattern.sub(replacement, text)
    text = _TEX_POWER.sub(r"^\1", text)
    text = _TEX_ROOT.sub(lambda match: "√" + (match[1] or match[2]), text)
    return _TEX_FRACTION.sub(lambda match: f" {match[1] or match[2]}/{match[3] or match[4]}", text)

r"""Look-alikes: answers that math-verify takes for the expected one although they are not.

math-verify multiplies letters, so that ``tac`` is ``cat``, drops units, so that 5 kg is 5 lb, and
drops a relation in front of a number, so that ``\le 5`` is 5.
"""

from __future__ import annotations

import re

from gym_imagetools.graders.blank import TEX_SPACE
from gym_imagetools.graders.extraction import TEXT_STYLES
from gym_imagetools.graders.items import split_items
from gym_imagetools.graders.notation import fold, plain
from gym_imagetools.graders.numbers import read_number, read_quantity

_LETTERS = r"[^\W\d_]"
_WORD = re.compile(rf"{_LETTERS}{{2,}}")
_WORDS_ONLY = re.compile(rf"{_LETTERS}(?:[^\W_]|[\s'\u2019.,;&])*")
_WORDS_WITH_SIGNS = re.compile(rf"{_LETTERS}(?:[^\W_]|[\s'\u2019.,;&()/:\"!?-])*")
_FUNCTIONS = frozenset(
    {"sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"}
    | {"log", "ln", "lg", "exp", "sqrt", "abs", "max", "min", "gcd", "lcm", "mod", "det", "lim"}
    | {"floor", "ceil", "pi", "inf", "infty", "infinity", "oo"}
)
_VARIABLES = frozenset("xyz")

_EQUATION = re.compile(r"(?<![<>!:\\=])=(?!=)")
_RELATION = re.compile(
    r"[<>≤≥≠≈≃≅\u223c≲≳¬]"
    r"|\\(?:n?(?:le|ge)(?:q|qq|qslant)?|[lg]t|ne|neq|neg|not|n?less|n?gtr|less(?:sim|approx)"
    r"|gtr(?:sim|approx)|n?sim|simeq|n?cong|approx(?:eq)?|doteq|asymp|equiv|ll|gg|prec|succ"
    r"|propto|lnot)(?![A-Za-z])"
    r"|\b(?:not|about|around|roughly|nearly|almost|least|most|up to|under|below|above|beyond"
    r"|less|fewer|lower|smaller|more|greater|larger|higher|or so)\b",
    re.IGNORECASE,
)
_PLUS_MINUS = re.compile(r"±|∓|\\(?:pm|mp)(?![A-Za-z])")
_SEVERAL = re.compile(rf"[,;]|\bor\b|{_PLUS_MINUS.pattern}")
_TUPLE = re.compile(r"[(\[].*,.*[)\]]", re.DOTALL)
_SIZE = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])")
_OPENING = ("(", "[", "{", "\\{")

_STYLED = rf"\\(?:{TEXT_STYLES}) ?\{{[^{{}}]*\}}"
_TYPESET_UNIT = re.compile(
    rf"[\d)}}] ?({_STYLED}(?:(?:\^(?:\{{-?\d+\}}|\d)| |/|\*|\\cdot(?![A-Za-z]))*{_STYLED})*"
    r"(?:\^(?:\{-?\d+\}|\d))?)"
)
_WRITTEN_UNIT = re.compile(rf"[\d)}}] ({_LETTERS}{{2,}}(?: {_LETTERS}+|/{_LETTERS}+|\^\d)*)")
_GLUED_UNIT = re.compile(rf"[\d.,/ ]*\d({_LETTERS}{{2,}})\.?")
_CONNECTIVES = frozenset({"and", "or", "to", "by", "if", "for", "when", "where"})


def is_wording(gold: str) -> bool:
    r"""Tell whether an expected answer is words rather than mathematics.

    It begins with a letter, holds two or more letters in a row and no operators. TeX commands,
    names of functions and products of x, y and z are no words. Other letters in a row are
    (``ab``): a row that means a product marks it, as ``a b`` or ``a \cdot b``.
    """
    text = _wording(gold)
    words = [word for word in _WORD.findall(text) if _is_word(word)]
    if not words:
        return False
    if _WORDS_ONLY.fullmatch(text):
        return True
    return max(map(len, words)) > 2 and _WORDS_WITH_SIGNS.fullmatch(text) is not None


def is_same_wording(answer: str, gold: str) -> bool:
    """Compare as text, in either case; the items of a list may come in any order."""
    return sorted(split_items(_wording(answer))) == sorted(split_items(_wording(gold)))


def is_look_alike(answer: str, gold: str) -> bool:
    """Tell whether an answer that math-verify takes for equal is another one all the same.

    Two numbers written as decimals are equal only exactly, a unit must be the expected one, a
    relation or a hedge (``> 5``, ``about 5``) is no value, and ``(1,2)`` is no list of two.
    """
    return (
        (_EQUATION.search(answer) is not None and not _EQUATION.search(gold))
        or (_has_relation(answer) and not _has_relation(gold))
        or (_PLUS_MINUS.search(answer) is not None and not _SEVERAL.search(gold))
        or (_is_tuple(answer) and not _bare(gold).startswith(_OPENING))
        or _has_other_unit(answer, gold)
        or _is_other_number(answer, gold)
    )


def _wording(text: str) -> str:
    return plain(fold(TEX_SPACE.sub(" ", text))).rstrip(".!? ")


def _is_word(word: str) -> bool:
    return word not in _FUNCTIONS and not _VARIABLES.issuperset(word)


def _has_relation(text: str) -> bool:
    return _RELATION.search(text) is not None


def _is_tuple(text: str) -> bool:
    return _TUPLE.fullmatch(_bare(text)) is not None


def _bare(text: str) -> str:
    return _SIZE.sub("", text).strip()


def _has_other_unit(answer: str, gold: str) -> bool:
    """Compare units where both have one.

    A unit that only the answer has is read as typesetting, and so is the noun of a count
    (``7`` is ``7 apples``), as the reference does; the measures that
    :mod:`~gym_imagetools.graders.numbers` knows must not be left out.
    """
    found, expected = _units(answer), _units(gold)
    if found and expected and found != expected:
        return True
    quantity = read_quantity(plain(gold))
    if quantity is None or quantity.unit in ("", "%", "°"):  # the signs are math-verify's matter
        return False
    given = read_quantity(plain(answer))
    return given is None or given.unit != quantity.unit


def _units(text: str) -> set[str]:
    text = _spaced(text)
    if glued := _GLUED_UNIT.fullmatch(text):
        return {_unit(glued[1])} if _is_word(glued[1]) else set()
    units = {_unit(match[1]) for match in _TYPESET_UNIT.finditer(text)}
    units |= {_unit(match[1]) for match in _WRITTEN_UNIT.finditer(text) if _is_word(match[1])}
    return {unit for unit in units if unit and unit not in _CONNECTIVES}


def _unit(text: str) -> str:
    """Return the form in which units are compared; in lower case, as the reference reads them."""
    return re.sub(r"[\s{}^.]|\\cdot", "", plain(fold(text)))


def _is_other_number(answer: str, gold: str) -> bool:
    """Compare two decimals exactly; two fractions too."""
    answer, gold = plain(answer), plain(gold)
    numbers = read_number(answer), read_number(gold)
    return None not in numbers and ("/" in answer) == ("/" in gold) and numbers[0] != numbers[1]


def _spaced(text: str) -> str:
    """Return the text with single spaces for TeX's spaces and all other white space."""
    return " ".join(TEX_SPACE.sub(" ", text).split())

"""Exact numbers and quantities: what counts as the same number, and the same unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_DIGITS = 100
"""A number written with more characters is compared as text only (run-away digits)."""

_TEX_GROUP_MARK = re.compile(r"(?<=\d)(?:\{,\}|\\,)(?=\d{3}(?!\d))")
_GROUPED = re.compile(r"(?<![\d.])(?<!\d[,_])[1-9]\d{0,2}(?:[,_]\d{3})+(?![\d,_])")
_BRACKETED = re.compile(r"[(\[{]")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_FRACTION = re.compile(r"([+-]?)(?:(\d+) )?(\d+)\s*/\s*(\d+)")

_LENGTHS = r"(?:cm|mm|km|m)(?:\^?[23])?"
UNIT = rf"(?:{_LENGTHS}|kg|%|°)"
"""The units that are told apart, as the reference knows them."""

_QUANTITY = re.compile(rf"(?P<sign>[+-]?)(?P<coin>[€£]?)(?P<number>[^€£]*?)\s*(?P<unit>{UNIT})?")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with the unit it was written with; "" for none."""

    value: Fraction
    unit: str


def read_tex_groups(text: str) -> str:
    r"""Return the text with TeX's marks of thousands groups (``7{,}250``, ``7\,250``) as commas."""
    return _TEX_GROUP_MARK.sub(",", text)


def ungroup(text: str) -> str:
    """Return the text with the separators of true thousands groups removed.

    ``1,234`` is a group; ``4,7`` and ``1,2`` are not. Inside of brackets a comma separates the
    parts of a tuple, so a text with brackets keeps its commas.
    """
    if _BRACKETED.search(text):
        return text
    return _GROUPED.sub(lambda match: re.sub("[,_]", "", match[0]), text)


def read_number(text: str) -> Fraction | None:
    """Return the number that the whole text is, exactly, or None.

    Reads decimals, exponents (``4.2e1``), fractions (``1/2``, ``1 1/2``) and thousands groups.
    Text of more than 100 characters is not read, so that no answer costs more than its length.
    """
    text = text.strip()
    if len(text) > MAX_DIGITS:
        return None
    text = ungroup(text)
    if _DECIMAL.fullmatch(text):
        return Fraction(text)
    match = _FRACTION.fullmatch(text)
    if match is None or int(match[4]) == 0:
        return None
    value = int(match[2] or 0) + Fraction(int(match[3]), int(match[4]))
    return -value if match[1] == "-" else value


def read_quantity(text: str) -> Quantity | None:
    """Return the number and unit that the whole text is, or None."""
    if len(text) > MAX_DIGITS or not (match := _QUANTITY.fullmatch(text.strip())):
        return None
    value = read_number(match["sign"] + match["number"])
    if value is None or (match["coin"] and match["unit"]):
        return None
    return Quantity(value, match["coin"] or (match["unit"] or "").replace("^", ""))


def is_close(value: Fraction, gold: Fraction, tolerance: float, relative_tolerance: float) -> bool:
    """Tell whether two numbers are equal within the wider of the two tolerances."""
    bound = max(Fraction(tolerance), Fraction(relative_tolerance) * abs(gold))
    return abs(value - gold) <= bound

r"""Tells text that shows something from text that only looks empty.

White space, characters without a glyph (U+200B, U+FEFF, U+00AD, ...) and TeX that sets nothing
(``\!``, ``\ ``, ``~``, ``{ }``, ``\text{}``, ``$$``) show nothing.
"""

from __future__ import annotations

import re
import unicodedata

from gym_imagetools.graders.extraction import TEXT_STYLES

TEX_SPACE = re.compile(r"\\(?:[,;:!>\s]|q?quad(?![A-Za-z])|\\)|(?<!\\)~")
"""TeX's spaces and line breaks, as written."""

_TEX_NOTHING = re.compile(
    rf"{TEX_SPACE.pattern}|\\[()\[\]]|\\(?:displaystyle|left|right|boxed|fbox|{TEXT_STYLES})"
    r"(?![A-Za-z])|\\\Z|\\[hv]?(?:phantom|space)\*?\s*\{[^{}]*\}|(?<!\\)[{}$]"
)
_CATEGORIES_WITHOUT_GLYPH = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def is_blank(text: str) -> bool:
    """Tell whether a text, read as TeX, shows nothing at all."""
    return not any(map(_has_glyph, _TEX_NOTHING.sub("", text)))


def _has_glyph(character: str) -> bool:
    return not (
        unicodedata.category(character) in _CATEGORIES_WITHOUT_GLYPH
        or character in _FILLERS
        or any(ord(character) in selectors for selectors in _VARIATION_SELECTORS)
    )

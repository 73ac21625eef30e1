"""The options of a multiple-choice question, and how text names one of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from gym_imagetools.graders.blank import TEX_SPACE
from gym_imagetools.graders.extraction import TEXT_STYLES
from gym_imagetools.graders.fields import Fields, bad_field

MAX_LENGTH = 10_000
"""A longer text names no option: nobody writes that much to choose one."""

_DECORATION = " \t\r\n*_`\"'"
_STYLED = re.compile(rf"\\(?:{TEXT_STYLES})\s*\{{([^{{}}]*)\}}")
_MAX_LAYERS = 8
_LONE_LETTER = re.compile(r"(?:[\s(\[{<\\,$]|\\left)*([A-Za-z])(?:[\s)\]}>.,:;!?\\$]|\\right)*")
_LABELLED_TEXT = re.compile(r"[(\[]?\s*([A-Za-z])\s*(?:[)\]]\s*)?[:).\]\-\u2013]\s*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Options:
    """What a question offers.

    Attributes:
        texts: Letter (upper case) to the option's text in :func:`same_text` form.
    """

    texts: Mapping[str, str]

    @classmethod
    def from_fields(cls, fields: Fields) -> Options:
        """Read NeMo Gym's ``options``: a list of ``{letter: text}``; null text offers nothing.

        Raises:
            DataError: If it is no such list, or offers a letter twice.
        """
        expected = 'a list like [{"A": "cat"}, {"B": "dog"}] with each letter once'
        rows = fields.get("options")
        if rows is None:
            return cls({})
        if not isinstance(rows, list | tuple) or not all(isinstance(r, Mapping) for r in rows):
            raise bad_field("options", expected, rows)
        texts: dict[str, str] = {}
        for letter, text in (item for row in rows for item in row.items()):
            if not isinstance(letter, str) or not isinstance(text, str | None):
                raise bad_field("options", expected, rows)
            if text is None or not re.fullmatch("[A-Za-z]", letter):
                continue
            if letter.upper() in texts:
                raise bad_field("options", expected, rows)
            texts[letter.upper()] = same_text(text)
        return cls(texts)

    def __contains__(self, letter: object) -> bool:
        """Whether this upper-case letter is offered."""
        return letter in self.texts

    def offered(self, letter: str) -> str | None:
        """Return the letter in upper case when it is offered."""
        return letter.upper() if letter.upper() in self.texts else None

    def named_by_text(self, text: str) -> str | None:
        """Return the letter of the one option whose whole text this is."""
        if len(text) > MAX_LENGTH:
            return None
        text = same_text(text)
        letters = [letter for letter, option in self.texts.items() if option == text and text]
        return letters[0] if len(letters) == 1 else None

    def has_text(self, letter: str, text: str) -> bool:
        """Tell whether ``text`` is the whole text of the option ``letter``."""
        text = same_text(text)
        return bool(text) and self.texts.get(letter) == text

    def after_text(self, letter: str, text: str) -> str | None:
        """Return what follows the whole text of the option ``letter``, with which text begins."""
        option = self.texts.get(letter, "")
        text = " ".join(undecorated(text).split())
        rest = text[len(option) :]
        is_opening = option != "" and text[: len(option)].lower() == option
        return rest if is_opening and not rest[:1].isalnum() else None

    def named_by_letter(self, text: str, *, any_case: bool) -> str | None:
        """Return the letter that the whole text names.

        It stands alone (``B``, ``(B)``, ``B.``) or labels its own option (``B: dog``). A letter
        in a formula or before any other text (``B - 3``, ``C. coli``) names nothing.

        Args:
            text: The content of a box.
            any_case: Read lower-case letters too.
        """
        if len(text) > MAX_LENGTH:
            return None
        text = undecorated(text)
        if lone := _LONE_LETTER.fullmatch(text):
            letter = lone[1]
        elif (labelled := _LABELLED_TEXT.fullmatch(text)) and self.has_text(
            labelled[1].upper(), labelled[2]
        ):
            letter = labelled[1]
        else:
            return None
        return self.offered(letter) if any_case or letter.isupper() else None


def undecorated(text: str) -> str:
    """Return the text in NFKC form without TeX's styles and without ``$``, quotes and Markdown."""
    text = unicodedata.normalize("NFKC", text).strip(_DECORATION + "$")
    if "\\" in text:
        text = TEX_SPACE.sub(" ", text)
        for _ in range(_MAX_LAYERS):
            text = _STYLED.sub(r"\1", text)
    return text.strip(_DECORATION + "$")


def same_text(text: str) -> str:
    """Return the form in which texts of options are compared."""
    return " ".join(undecorated(text).lower().rstrip(".!").split())

"""Regular expressions that a data row brings along, run within a deadline."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from gym_imagetools.errors import DataError

_PROBE_TIMEOUT_S = 0.2
_SEARCH_TIMEOUT_S = 1.0
_PROBE_UNITS = ("a", "A", "0", " ", "\n", "a ", "ab", "(", "\\", "a,")
_PROBE_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Match:
    """The last match of a pattern.

    Attributes:
        captured: What the first group that took part captured; the whole match without groups.
        start: Where that begins in the text.
    """

    captured: str
    start: int

    @property
    def end(self) -> int:
        """Where the captured text ends."""
        return self.start + len(self.captured)


@dataclass(frozen=True, slots=True)
class RowPattern:
    """A checked pattern; letters match in either case.

    Attributes:
        pattern: The compiled expression.
    """

    pattern: regex.Pattern[str]

    @classmethod
    def compile(cls, field: str, source: object) -> RowPattern:
        """Compile the pattern of a row and try it on texts that make bad patterns explode.

        Args:
            field: The name of the row's field, for the error.
            source: The pattern as the row gives it.

        Raises:
            DataError: If it is no text, does not compile, or takes far too long.
        """
        if not isinstance(source, str) or not source:
            raise DataError(f"Expected `{field}` to be a regular expression, got {source!r}.")
        try:
            pattern = regex.compile(source, regex.IGNORECASE)
        except regex.error as error:
            raise DataError(
                f"Expected `{field}` to compile, got {source!r} ({error}); correct the row."
            ) from error
        compiled = cls(pattern)
        compiled._probe(field)
        return compiled

    def find_last(self, text: str) -> Match | None:
        """Return the last match, or None when there is none or the search takes too long.

        A search that takes too long is the row's fault, but it must not raise on what a model
        wrote; probing when the row is loaded makes it unlikely.
        """
        try:
            return self._find_last(text, _SEARCH_TIMEOUT_S)
        except TimeoutError:
            return None

    def _find_last(self, text: str, timeout_s: float) -> Match | None:
        last = None
        for match in self.pattern.finditer(text, timeout=timeout_s):
            last = match
        if last is None:
            return None
        taken = (n for n in range(1, self.pattern.groups + 1) if last.start(n) >= 0)
        group = next(taken, 0)
        return Match(last.group(group), last.start(group))

    def _probe(self, field: str) -> None:
        for unit in _PROBE_UNITS:
            try:
                self._find_last(unit * (_PROBE_LENGTH // len(unit)) + "!", _PROBE_TIMEOUT_S)
            except TimeoutError:
                raise DataError(
                    f"Expected `{field}` to be fast on any text, got {self.pattern.pattern!r}, "
                    "which backtracks without end; make its repetitions unambiguous."
                ) from None

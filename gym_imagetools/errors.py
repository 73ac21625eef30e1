"""The exceptions of the package: faults of a model, of the data, and of a puzzle's generator."""

from __future__ import annotations


class ToolError(Exception):
    """A model called a tool wrongly; its message is the reply the model reads.

    Never leaves ``env.step``. It names what was expected and what came, and holds no path, no
    host and no Python type name.
    """


class DataError(ValueError):
    """A row, a picture or a setting of the data cannot be used.

    Raised for the programmer before an episode starts: when an environment is made, or by
    ``reset`` when a picture that was fine before has gone bad. Its message names the row or the
    keyword and what to do about it.
    """


class GenerationError(RuntimeError):
    """A puzzle's generator could not satisfy its own conditions for this seed.

    The environment moves on to a derived seed and counts the attempt in the task's metadata.
    """

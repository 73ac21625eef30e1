"""How a command ends when its user asked for what cannot be done: one line, no traceback."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import gymnasium as gym
import typer

USAGE_EXIT_CODE = 2
CHECK_FAILED_EXIT_CODE = 1


def fail(message: str) -> typer.Exit:
    """Print one line on stderr and return the exit to raise.

    Args:
        message: What was expected, what came, and what to do.
    """
    line = " ".join(message.split())
    typer.echo(f"Error: {line}", err=True)
    return typer.Exit(USAGE_EXIT_CODE)


@contextmanager
def told_to_the_user(*kinds: type[Exception]) -> Iterator[None]:
    """Turn errors that the user can mend into a line on stderr and exit code 2.

    Args:
        kinds: What may be raised here by what the user wrote: ``DataError`` and ``OSError``
            while a command runs, ``ValueError`` and ``TypeError`` where keywords are read.
    """
    caught: tuple[type[Exception], ...] = (*kinds, OSError, gym.error.Error)
    try:
        yield
    except caught as error:
        raise fail(str(error)) from None


@contextmanager
def warnings_on_stderr() -> Iterator[None]:
    """Print each warning of the block as one line on stderr, without the place in the code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        finally:
            for warning in caught:
                typer.echo(f"Warning: {warning.message}", err=True)

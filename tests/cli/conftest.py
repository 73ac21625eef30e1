from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from gym_imagetools.cli import app

Run = Callable[..., Any]


@pytest.fixture
def run(monkeypatch) -> Run:
    """Runs the command line in this process, on a terminal of 120 columns."""
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def refused(run):
    """Runs a command that must end with one line on stderr; returns the line."""

    def run_and_read(*words) -> str:
        result = run(*words)
        assert result.exit_code == 2, result.output
        assert isinstance(result.exception, SystemExit)
        (line,) = [line for line in result.stderr.splitlines() if not line.startswith("Warning: ")]
        assert line.startswith("Error: ")
        return line

    return run_and_read

from __future__ import annotations

import pytest

from tests.envs.play import IDS, PUZZLE_IDS, TOOL_IDS, make


@pytest.fixture(params=IDS)
def env_id(request):
    """Every registered id."""
    return request.param


@pytest.fixture
def env(env_id):
    """The made environment of every registered id."""
    return make(env_id)


@pytest.fixture(params=TOOL_IDS)
def tool_id(request):
    """Every id whose episodes have image tools."""
    return request.param


@pytest.fixture(params=PUZZLE_IDS)
def puzzle_id(request):
    """Every id of procedural puzzles."""
    return request.param

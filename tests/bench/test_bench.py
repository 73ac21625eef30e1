"""The benchmark measures what it says; its figures themselves are no matter of tests."""

import json
import platform

import numpy as np
import pytest
from typer.testing import CliRunner

from gym_imagetools.bench import (
    episodes,
    floors,
    page,
    parts,
    peer,
    pictures,
    puzzles,
    scaling,
    tools,
    turns,
)
from gym_imagetools.bench.table import Figure, as_json
from gym_imagetools.bench.timing import Timing, time_in_turn
from gym_imagetools.cli import app
from gym_imagetools.tools import TOOLS


def test_functions_are_timed_in_turn_and_warmed_up_first():
    seen = []
    actions = {name: lambda name=name: seen.append(name) for name in "ab"}
    timings = time_in_turn(actions, num_runs=3, min_ms=0.0)
    assert {name: len(timing.runs_ms) for name, timing in timings.items()} == {"a": 3, "b": 3}
    assert "".join(seen[-6:]) == "ababab"


def test_ratios_are_taken_run_by_run():
    ours, theirs = Timing((1.0, 2.0, 4.0)), Timing((2.0, 4.0, 16.0))
    assert theirs.ratio_to(ours) == 2.0
    assert (ours.median_ms, ours.spread) == (2.0, 1.5)


FIGURES = [
    Figure("tools", "flip 9x9", 0.1234, "ms", 0.5),
    Figure("tools", "flip 9x9", 4.2, "x", 0.1, "reference / ours >= 4", True),
    Figure("tools", "flip 9x9, ours / floor", 1.4, "x", 0.1, "ours / floor <= 1.3", False),
    Figure("parts", "cold: step, zoom", 3.0, "ms"),
    Figure("parts", "warm: step, zoom", 2.5, "ms"),
    Figure("parts", "floor: step, zoom", 2.0, "ms"),
    Figure("parts", "cold: step, answer", 0.5, "ms"),
    Figure("puzzles", "Maze level 1", 70.0, "ms", 0.1, "< 60 ms", False),
    Figure("puzzles", "Maze level 1, 95th percentile", 90.0, "ms"),
]
MARKS = ("machine", "asks", "tools", "parts", "puzzles")


def test_figures_are_written_as_json():
    assert json.loads(json.dumps(as_json(FIGURES)))[1]["is_met"] is True


def test_the_parts_of_a_page_are_written_anew_and_the_rest_stays():
    blank = "".join(
        f"# {mark}\n<!-- {mark}:begin -->\nOUTDATED\n<!-- {mark}:end -->\n" for mark in MARKS
    )
    filled = page.fill_page(blank, FIGURES)
    assert "OUTDATED" not in filled
    assert [line for line in filled.splitlines() if line.startswith("#")] == [
        f"# {mark}" for mark in MARKS
    ]
    for row in (
        "| tools | flip 9x9, ours / floor | ours / floor <= 1.3 | 1.4 x | not met |",
        "| flip 9x9 | 0.123 | 4.2 |",
        "| step, zoom | 3.00 | 2.50 | 2.00 | 1.50 |",
        "| step, answer | 0.50 |  |  |  |",
        "| all | 3.50 | 2.50 | 2.00 | 1.75 |",
        "| Maze | **70 (90)** |",
    ):
        assert row in filled
    assert page.fill_page(filled, FIGURES).split("machine:end")[1] == filled.split("machine:end")[1]


def test_parts_without_figures_stay_as_they_are():
    text = "<!-- tools:begin -->\nOUTDATED\n<!-- tools:end -->"
    assert page.fill_page(text, FIGURES[3:]) == text


def test_the_machine_is_described_without_paths_and_names_of_hosts():
    words = page.describe_machine()
    assert f"Python {platform.python_version()}" in words
    assert "numpy" in words
    assert "/" not in words
    assert platform.node() not in words


def test_the_photo_is_the_same_every_time_and_has_edges_and_grain():
    first = pictures.photo(256, 192)
    pictures.photo.cache_clear()
    assert np.array_equal(first, pictures.photo(256, 192))
    assert first.std() > 20
    assert not np.array_equal(first, pictures.photo(256, 192, seed=1))


@pytest.mark.parametrize("num_dots", [10, 2_000])
def test_the_dots_are_counted(num_dots):
    picture = pictures.dots(256, 192, num_dots)
    (tool, arguments) = ("count_objects_tool", {"min_size": 1})
    assert tools.run_tool(tool, arguments, [picture]).result["count"] == num_dots


def test_every_tool_has_a_call_and_every_call_an_ask():
    assert {tool for tool, _ in tools.CALLS.values()} == set(TOOLS)
    assert tools.CALLS.keys() == tools.ASKED_RATIO.keys() == floors.FLOORS.keys()


NOT_THE_WHOLE = {"diff", "side by side", "count objects", "find colour"}
"""Tools whose floor leaves out numbers, or asks the library's way for what we measure ourselves."""


class FakePeer:
    def open(self, pictures):
        return lambda tool, arguments: lambda: sum(range(20_000))

    def parse(self, text):
        return sum(range(20_000))


def test_tools_are_measured_beside_a_peer(monkeypatch):
    monkeypatch.setattr(tools, "SIZES_PX", ((64, 48),))
    monkeypatch.setattr(tools, "_USUAL_PX", (1024, 48))
    monkeypatch.setattr(tools, "_measure_noise", lambda num_runs: ())
    figures = list(tools.measure(FakePeer(), num_runs=1))
    beside = [figure for figure in figures if figure.ask == "reference / ours >= 1"]
    assert len(beside) == len(tools.CALLS)
    assert all(figure.is_met == (figure.value >= 1.0) for figure in beside)
    floors = [figure for figure in figures if figure.ask == "ours / floor <= 1.3"]
    assert len(floors) == len(tools.CALLS)
    assert all(figure.is_met == (figure.value <= 1.3) for figure in floors)


@pytest.mark.parametrize("name", [name for name in tools.CALLS if name not in NOT_THE_WHOLE])
def test_a_floor_makes_the_picture_that_the_tool_makes(name):
    sources = [pictures.photo(1024, 768), pictures.photo(1024, 768, seed=1)]
    tool, arguments = tools.CALLS[name]
    made = tools.run_tool(tool, arguments, sources).pixels
    assert np.array_equal(floors.FLOORS[name](sources), made)


def test_a_cold_and_a_warm_episode_and_the_floor_have_the_same_parts():
    figures = list(parts.measure(num_runs=1))
    by_kind = {}
    for figure in figures:
        kind, _, part = figure.name.partition(": ")
        by_kind.setdefault(kind, []).append(part)
    assert by_kind["cold"] == by_kind["warm"]
    assert [*by_kind["floor"], "step, answer"] == by_kind["cold"]


def test_episodes_are_measured_beside_a_peer(monkeypatch):
    monkeypatch.setattr(episodes, "_ASKED", {(64, 48): 2.2})
    figures = list(episodes.measure(FakePeer(), num_runs=1))
    assert [figure.unit for figure in figures] == ["ms", "ms", "x", "ms"]
    assert figures[2].ask == "reference / ours >= 2.2"


def test_a_slow_family_shows_at_its_median_and_its_95th_percentile(monkeypatch):
    monkeypatch.setattr(puzzles, "FAMILIES", ("Maze",))
    figures = list(puzzles.measure(num_runs=1))
    assert len(figures) == 2 * len(puzzles.LEVELS)
    assert figures[1].name == "Maze level 1, 95th percentile"
    assert figures[1].value >= figures[0].value


def test_the_95th_percentile_leaves_five_of_a_hundred_above():
    assert Timing(tuple(float(i) for i in range(100))).p95_ms == 94.0
    assert Timing((3.0, 1.0, 2.0)).p95_ms == 3.0


def test_growth_is_measured_on_every_degenerate_text(monkeypatch):
    monkeypatch.setattr(turns, "_LENGTHS", (500, 1000, 2000))
    figures = list(turns.measure(None, num_runs=1))
    assert len(figures) == 1 + 2 * len(turns.DEGENERATE)


def test_memory_and_threads_are_measured_on_real_episodes(monkeypatch):
    held, caches = scaling.measure_memory(num_episodes=4, group_size=2)
    assert held.value > 0
    assert held.is_met
    assert caches.is_met
    monkeypatch.setattr(scaling, "_LEVEL", 1)
    (ratio,) = scaling.measure_vector(num_runs=1)
    assert ratio.value > 0


def test_the_command_writes_json_and_fills_in_a_page(monkeypatch, tmp_path):
    monkeypatch.setattr(turns, "_LENGTHS", (500, 1000, 2000))
    out = tmp_path / "bench.json"
    tables = tmp_path / "page.md"
    tables.write_text("<!-- asks:begin -->\n<!-- asks:end -->\n")
    command = ["bench", "turns", "--runs", "1", "--json", str(out), "--page", str(tables)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "| turns | 1 MB of prose | <= 10 ms |" in tables.read_text()
    assert {figure["section"] for figure in json.loads(out.read_text())} == {"turns"}
    assert "a turn of" in result.output


def test_a_peer_out_of_reach_is_left_out_with_one_line(monkeypatch):
    def refuse():
        raise peer.PeerUnavailable("no registry")

    monkeypatch.setattr(turns, "_LENGTHS", (500, 1000, 2000))
    monkeypatch.setattr(peer, "open_peer", refuse)
    result = CliRunner().invoke(app, ["bench", "turns", "--runs", "1", "--peer"])
    assert result.exit_code == 0
    assert "The reference is left out: no registry" in result.output


def test_an_unknown_section_is_refused():
    result = CliRunner().invoke(app, ["bench", "speed"])
    assert result.exit_code == 2
    assert "speed: no section of tools" in result.output

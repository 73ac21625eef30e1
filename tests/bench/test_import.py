"""What an import loads, counted in modules: what is not loaded costs no time."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"cv2", "PIL", "simplejpeg", "pybase64", "pydantic", "jinja2", "regex", "typer", "rich"}
NEVER_BY_AN_EPISODE = {"openai", "httpx", "sympy", "math_verify", "scipy", "jinja2", "rich"}
HOSTS = {
    "torch",
    "transformers",
    "trl",
    "ray",
    "datasets",
    "mcp",
    "verifiers",
    "nemo_gym",
    "fastapi",
}


def packages_loaded_by(code: str) -> dict[str, int]:
    """Return the packages that a fresh Python loads for the code, and of how many modules."""
    program = f"import sys\n{code}\nprint(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counts: dict[str, int] = {}
    for module in done.stdout.split():
        package = module.partition(".")[0]
        counts[package] = counts.get(package, 0) + 1
    return counts


def test_the_package_loads_gymnasium_and_a_handful_of_its_own_modules():
    without = packages_loaded_by("import gymnasium")
    loaded = packages_loaded_by("import gym_imagetools")
    foreign = set(loaded) - set(without) - sys.stdlib_module_names
    assert foreign == {"gym_imagetools"}
    assert loaded["gym_imagetools"] <= 6
    assert not (HEAVY | HOSTS | NEVER_BY_AN_EPISODE) & set(loaded)


@pytest.mark.parametrize("env_id", ["Dataset", "Maze", "Pivot", "Weather"])
def test_an_episode_loads_no_client_no_algebra_and_no_host(env_id):
    loaded = packages_loaded_by(
        f"import gymnasium, gym_imagetools; env = gymnasium.make('ImageTools/{env_id}-v0'); "
        "env.reset(seed=1); env.get_wrapper_attr('prompt'); env.step('No idea.')"
    )
    assert not (HOSTS | NEVER_BY_AN_EPISODE) & set(loaded)


@pytest.mark.parametrize(
    "module", ["parsing", "types", "errors", "coordinates", "advantages", "metrics", "spaces"]
)
def test_what_needs_no_picture_loads_no_image_library(module):
    loaded = packages_loaded_by(f"import gym_imagetools.{module}")
    assert not ({"cv2", "PIL", "simplejpeg"} | HOSTS | NEVER_BY_AN_EPISODE) & set(loaded)


def test_only_the_families_that_are_played_are_loaded():
    modules = packages_loaded_by(
        "import gymnasium, gym_imagetools; gymnasium.make('ImageTools/Maze-v0').reset(seed=1)\n"
        "families = [m for m in sys.modules if m.startswith('gym_imagetools.puzzles.families.')]\n"
        "assert families == ['gym_imagetools.puzzles.families.maze'], families"
    )
    assert "gym_imagetools" in modules

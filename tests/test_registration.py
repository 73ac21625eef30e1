"""The ids: registered by the import, once, and cheaply."""

import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

import gym_imagetools
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.registration import NAMESPACE, register_envs

ROOT = Path(__file__).parents[1]


def fresh_python(code):
    out = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return out.stdout.split()


def test_every_family_and_the_four_others_have_an_id():
    ids = {name for name in gym.registry if name.startswith(f"{NAMESPACE}/")}
    names = [*FAMILIES, "Mixed", "Dataset", "Pivot", "Weather"]
    assert ids == {f"{NAMESPACE}/{name}-v0" for name in names}


def test_to_register_again_changes_nothing():
    before = dict(gym.registry)
    register_envs()
    assert dict(gym.registry) == before
    assert gym_imagetools.__version__


def test_the_module_in_the_id_makes_the_import_needless():
    code = "import gymnasium as g; print(g.make('gym_imagetools:ImageTools/Weather-v0').spec.id)"
    assert fresh_python(code) == ["ImageTools/Weather-v0"]


def test_the_import_alone_loads_nothing_heavy():
    loaded = fresh_python("import sys, gym_imagetools; print(*sys.modules)")
    assert not {"cv2", "openai", "sympy", "math_verify", "PIL", "pydantic"} & set(loaded)


def test_an_episode_loads_no_client_and_no_algebra():
    loaded = fresh_python(
        "import sys, gymnasium as g, gym_imagetools; e = g.make('ImageTools/Maze-v0'); "
        r"e.reset(seed=1); e.step('\boxed{3}'); print(*sys.modules)"
    )
    assert "gym_imagetools.puzzles.families.maze" in loaded
    assert not {"openai", "sympy", "math_verify", "torch"} & set(loaded)


def test_a_wrong_id_names_the_close_ones():
    with pytest.raises(gym.error.Error, match="Maze"):
        gym.make(f"{NAMESPACE}/Mase-v0")

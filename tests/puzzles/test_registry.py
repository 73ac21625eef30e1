from __future__ import annotations

import re
import subprocess
import sys

import pytest

from gym_imagetools.puzzles import registry
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.registry import family, generate


@pytest.mark.parametrize(
    ("wrong", "right"), [("maze", "Maze"), ("Mase", "Maze"), ("CrowdSensus", "CrowdCensus")]
)
def test_a_near_miss_is_answered_with_the_name_that_was_meant(wrong, right):
    for ask in (family, lambda name: generate(name, 0, 1)):
        with pytest.raises(ValueError, match=rf"{wrong!r}; did you mean '{right}'\?"):
            ask(wrong)


@pytest.mark.parametrize("name", ["", "Chess", "ImageTools/Maze-v0x"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(ValueError, match="Expected the name of a puzzle family"):
        family(name)


def test_a_name_that_leads_to_no_family_is_the_programmers_fault(monkeypatch):
    monkeypatch.setitem(FAMILIES, "Odd", "collections:OrderedDict")
    with pytest.raises(TypeError, match="'Odd'"):
        registry.family("Odd")


def test_names_are_the_class_names_in_camel_case():
    for name, place in FAMILIES.items():
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", name)
        assert place.startswith("gym_imagetools.puzzles.families.")
        assert place.endswith(f":{name}")


def test_listing_names_imports_no_family():
    code = (
        "import sys; from gym_imagetools.puzzles.families import FAMILIES; "
        "modules = {place.split(':')[0] for place in FAMILIES.values()}; "
        "sys.exit(bool(modules & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

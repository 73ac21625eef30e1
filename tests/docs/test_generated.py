"""What the pages say of the code is what the code says: `make docs` writes it."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_docs.py"
spec = importlib.util.spec_from_file_location("make_docs", SCRIPT)
make_docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_docs)


@pytest.mark.parametrize("path", make_docs.pages(), ids=lambda path: path.name)
def test_the_page_is_what_the_code_writes(path):
    assert path.read_text(encoding="utf-8") == make_docs.pages()[path], "run `make docs`"


def test_no_environment_lacks_its_page():
    from gym_imagetools.registration import ENTRIES

    folder = make_docs.ROOT / "docs" / "environments"
    names = {env_id.removeprefix("ImageTools/").removesuffix("-v0") for env_id in ENTRIES}
    assert {make_docs.page_name(name) for name in names} == {p.name for p in folder.glob("*.md")}

"""Every Python block of the README and the pages runs, page by page, as a reader would run it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
# The recipes of hosts run where their packages are: see tests/hosts.
HOSTS = ROOT / "docs" / "hosts.md"
WITH_CODE = [
    page for page in PAGES if page != HOSTS and BLOCK.search(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.name)
def test_the_python_blocks_of_a_page_run(page, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    exec(compile("\n".join(blocks), str(page), "exec"), {"__name__": page.stem})


def test_the_first_block_of_the_readme_is_the_ten_line_loop():
    first = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    assert "gym.make(" in first
    assert "env.step(" in first
    assert len(first.splitlines()) <= 12


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target

"""Write what the pages say of the code, so that it stands in one place: the code.

- the table of ids in the README, and the keywords in ``docs/environments/dataset.md``
- ``docs/tools.md``: the ten tools and their arguments
- ``docs/puzzles.md`` and a page for each puzzle family in ``docs/environments/``

Usage: python scripts/make_docs.py
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from gym_imagetools.cli.envs import env_lines, markdown_table
from gym_imagetools.puzzles.families import FAMILIES
from gym_imagetools.puzzles.puzzle import Family
from gym_imagetools.puzzles.registry import family, generate
from gym_imagetools.settings import RANGES, EpisodeSettings
from gym_imagetools.tools.arguments import ARGUMENTS
from gym_imagetools.tools.schemas import PARAMETERS, describe
from gym_imagetools.types import Task

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "images" / "puzzles"
EXAMPLE_SEEDS, EXAMPLE_LEVEL = 12, 1
ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*?)(?=^ {4}\w+: |\Z)", re.MULTILINE | re.DOTALL)


def attributes_of(documented: type) -> dict[str, str]:
    """Return the texts under ``Attributes:`` of a class's docstring, by attribute."""
    _, _, section = (inspect.getdoc(documented) or "").partition("Attributes:\n")
    return {name: " ".join(text.split()) for name, text in ATTRIBUTE.findall(section)}


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def code(value: Any) -> str:
    """Return a value as code, texts in double quotes."""
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def keyword_table() -> str:
    """Return the keywords of the image-tools ids."""
    meanings = attributes_of(EpisodeSettings)
    rows = [
        [f"`{field.name}`", code(field.default), RANGES[field.name].words, meanings[field.name]]
        for field in dataclasses.fields(EpisodeSettings)
    ]
    rows.append(["`render_mode`", "`None`", "None, 'rgb_array' or 'ansi'", "What `render` draws."])
    return table(["keyword", "default", "range", "meaning"], rows)


def tools_page() -> str:
    """Return ``docs/tools.md``."""
    parts = [
        "# The ten image tools",
        "Coordinates are thousandths of the picture, 0 to 1000 from its top left corner. Pictures "
        "are counted from 0: those of the question first, then every picture a tool has made. "
        "Every result holds its arguments, `label`, the index or indices it read, and `size` "
        "[width, height] of the new picture. A picture above 4096 pixels a side is shrunk.",
        "A box with a coordinate above 1000 that lies inside the picture is read as pixels; any "
        "other value is clamped to 0..1000. A box of fractions is refused.",
    ]
    for name, model in ARGUMENTS.items():
        schema = PARAMETERS[name]
        rows = [
            [
                f"`{argument}`",
                "required" if argument in schema["required"] else code(part.get("default", "")),
                part["description"],
            ]
            for argument, part in schema["properties"].items()
        ]
        parts += [f"## {name}", describe(model), table(["argument", "default", ""], rows)]
    return "\n\n".join(parts) + "\n"


def puzzles_page() -> str:
    """Return ``docs/puzzles.md``."""
    rows = []
    for name in FAMILIES:
        kind = family(name)
        page = f"[{name}](environments/{page_name(name)})"
        tools = ", ".join(f"`{tool}`" for tool in kind.useful_tools)
        rows.append([page, kind.group, kind.summary, kind.answer_type, tools])
    intro = (
        "Tasks without end, drawn from a seed, with answers that are proven: an independent "
        "solver agrees, blind guesses stay at chance, and a scripted tool user solves every one "
        "while it sees only what a model sees. The picture that is delivered is a preview of at "
        "most 512 pixels a side; the tools work on the full one."
    )
    head = ["family", "group", "question", "answer", "useful tools"]
    return "\n\n".join(["# The puzzles", intro, table(head, rows)]) + "\n"


def page_name(name: str) -> str:
    """Return the file name of an id's page: ``views_3d.md`` for ``Views3D``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])", "_", name).lower() + ".md"


def family_page(name: str) -> str:
    """Return the page of one puzzle family."""
    kind = family(name)
    groups = [" or ".join(f"`{tool}`" for tool in group) for group in kind.necessary_tools]
    needed = "; ".join(groups)
    parts = [
        f"# ImageTools/{name}-v0",
        kind.summary,
        table(
            ["", ""],
            [
                ["Action space", "`TurnSpace`: one assistant turn, in any form"],
                [
                    "Observation space",
                    "`Dict(text=TextSpace(), images=PicturesSpace(max_side=512))`",
                ],
                ["Make", f'`gymnasium.make("ImageTools/{name}-v0", difficulty=1)`'],
                ["Group", kind.group],
                ["Answer", kind.answer_type],
            ],
        ),
        "## Description",
        inspect.getdoc(type(kind)) or "",
        "Actions, observations, rewards and episode ends are those of "
        "[Dataset-v0](dataset.md). The delivered picture is a preview of at most 512 pixels a "
        "side; the tools work on the full one.",
        "## Tools",
        f"Useful: {', '.join(f'`{tool}`' for tool in kind.useful_tools)}. From difficulty "
        f"{kind.tools_needed_from} on the preview does not decide the answer. Needed then: "
        f"{needed}.",
        "## Arguments",
        table(
            ["keyword", "default", ""],
            [
                ["`difficulty`", "`1`", "1 to 5, see below"],
                ["`split`", '`"train"`', 'or `"eval"`: two halves of the seeds that never meet'],
            ],
        ),
        "All other keywords are those of [Dataset-v0](dataset.md#arguments), with "
        '`preview_max_side=512` and `crop_format="png"` as defaults. '
        '`reset(options={"task": i})` plays seed `i`.',
        *example_parts(name),
        *level_parts(kind),
        "## Version history",
        "- v0: the first version.",
    ]
    return "\n\n".join(parts) + "\n"


def example_parts(name: str) -> Iterator[str]:
    """Return the picture of a family's levels, and a question and its answer in each form."""
    yield "## Examples"
    picture = PICTURES / page_name(name).replace(".md", ".webp")
    if picture.exists():
        yield f"![{name} at difficulty 1 to 5](../images/puzzles/{picture.name})"
    for task in one_of_each_form(name):
        yield f"> {task.question}"
        yield f"Answer: `\\boxed{{{task.expected_answer}}}` (`{task.task_id}`)"


def one_of_each_form(name: str) -> list[Task]:
    """Return the first puzzles of a family, one for each form of its question."""
    forms: dict[tuple[str, str], Task] = {}
    for seed in range(EXAMPLE_SEEDS):
        task = generate(name, seed, EXAMPLE_LEVEL)
        forms.setdefault((task.metadata.get("form", ""), task.grader), task)
    return [forms[form] for form in sorted(forms)]


def level_parts(kind: Family) -> Iterator[str]:
    """Return the table of levels, where the family's module has one."""
    levels = getattr(sys.modules[type(kind).__module__], "LEVELS", ())
    if not levels or not dataclasses.is_dataclass(levels[0]):
        return
    meanings = attributes_of(type(levels[0]))
    rows = [
        [
            meanings.get(field.name, field.name).rstrip("."),
            *(str(getattr(level, field.name)) for level in levels),
        ]
        for field in dataclasses.fields(levels[0])
    ]
    yield "## Levels"
    yield table(["difficulty", *map(str, range(1, len(levels) + 1))], rows)


def with_part(page: str, mark: str, text: str) -> str:
    """Return a page with what stands between its ``mark:begin`` and ``mark:end`` replaced."""
    begin, end = f"<!-- {mark}:begin -->", f"<!-- {mark}:end -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{text}\n{end}{after}"


@cache
def pages() -> dict[Path, str]:
    """Return the whole text of every page that the code writes or fills in."""
    readme, dataset = ROOT / "README.md", ROOT / "docs" / "environments" / "dataset.md"
    texts = {
        readme: with_part(readme.read_text("utf-8"), "envs", markdown_table(env_lines())),
        dataset: with_part(dataset.read_text("utf-8"), "keywords", keyword_table()),
        ROOT / "docs" / "tools.md": tools_page(),
        ROOT / "docs" / "puzzles.md": puzzles_page(),
    }
    environments = ROOT / "docs" / "environments"
    return texts | {environments / page_name(name): family_page(name) for name in FAMILIES}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")

"""Write the samples that ship with the package: twelve rows with their pictures, eight pivots.

The rows have the categories of the smoke run that was published for the reference, in its order.
Played with the settings of that run, the demonstration of each row pays what the row of the
published table was paid: the same answers right and wrong, calls, repeats, faults and endings.

A pivot is one decision about a picture of the rows, with the call that is right there.

Usage: python scripts/make_sample.py [FOLDER]
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sample_drawings import DRAWINGS

FOLDER = Path(__file__).parent.parent / "gym_imagetools" / "rows" / "sample"
SEED = 2026

LETTER = "Answer with the letter in \\boxed{}."
OPTIONS = [[250 * i, 640, 250 * (i + 1), 1000] for i in range(4)]
"""Where the options A to D are in most pictures, in thousandths."""


@dataclass(frozen=True)
class Script:
    """One row: its question, and the turns that play it.

    Attributes:
        category: The category of the published table.
        question: What is asked about the picture.
        turns: What the assistant writes, turn by turn.
    """

    category: str
    question: str
    turns: list[str]


def call(thought: str, tool: str, **arguments: Any) -> str:
    """Return a turn that thinks a sentence and calls a tool."""
    parameters = "".join(
        f"<parameter={name}>\n{value if isinstance(value, str) else json.dumps(value)}\n"
        "</parameter>\n"
        for name, value in arguments.items()
    )
    return f"{thought}\n<tool_call>\n<function={tool}>\n{parameters}</function>\n</tool_call>"


def zoom(thought: str, box: list[int], img_idx: int = 0) -> str:
    """Return a turn that zooms in on a region."""
    return call(thought, "image_zoom_in_tool", bbox_2d=box, img_idx=img_idx)


def crop(thought: str, box: list[int], img_idx: int = 0) -> str:
    """Return a turn that crops a region."""
    return call(thought, "image_crop_tool", bbox_2d=box, img_idx=img_idx)


def zoom_options(letters: str = "ABCD") -> list[str]:
    """Return turns that zoom in on some options."""
    return [zoom(f"Option {letter} up close.", OPTIONS["ABCD".index(letter)]) for letter in letters]


def cell(number: int) -> list[int]:
    """Return the region of a numbered cell of the picture with twenty patterns."""
    row, column = divmod(number - 1, 5)
    x, y = (76 + 122 * column) / 640, (70 + 117 * row) / 480
    return [round(1000 * edge) for edge in (x - 0.09, y - 0.12, x + 0.09, y + 0.12)]


SCRIPTS = (
    Script(
        "Paper Folding",
        "A square sheet is folded twice and then punched, as the upper row shows. Which option "
        f"shows the sheet unfolded again? {LETTER}",
        [
            zoom("Where exactly are the holes?", [680, 70, 930, 380]),
            "The inner hole stays near the middle after unfolding. \\boxed{C}",
        ],
    ),
    Script(
        "3D Pattern Completion",
        "The blue block should be a full cube of 3 by 3 by 3. Which piece, put in just as it is "
        f"drawn, completes it? {LETTER}",
        [
            zoom("First the gap in the block.", [300, 20, 700, 600]),
            crop("Now the pieces.", [0, 640, 1000, 1000]),
            "The gap runs along the upper edge and goes down at the corner. \\boxed{C}",
        ],
    ),
    Script(
        "3D Views",
        "Which option shows the stack of cubes as it is seen from the front, in the direction of "
        f"the arrow? {LETTER}",
        [
            zoom("The stack up close.", [300, 20, 700, 540]),
            *zoom_options(),
            crop("The step on the left.", [320, 160, 450, 460]),
            crop("The low steps on the right.", [500, 240, 680, 540]),
            call("Option A, seen from behind.", "image_flip_tool", axis="horizontal", img_idx=2),
            call("A beside C.", "image_side_by_side_tool", img_indices=[2, 4], labels=["A", "C"]),
            call("The upper faces.", "count_objects_tool", color=[170, 212, 178], img_idx=0),
            call("The arrow.", "find_color_tool", color=[211, 78, 66], img_idx=0),
            call("The colour of a side.", "color_at_tool", point_2d=[360, 300], img_idx=0),
            call("The stack tilted.", "image_rotate_tool", degrees=30, img_idx=1),
            "The tower stands in the middle, the lower step at its right. \\boxed{A}",
        ],
    ),
    Script(
        "Rotation Patterns",
        "From one disc to the next the figure turns by the same angle. Which option comes next? "
        f"{LETTER}",
        [
            zoom("The four discs.", [0, 150, 830, 400]),
            *zoom_options("C"),
            zoom("Option C once more.", [505, 640, 755, 1000]),
            zoom("And option A.", OPTIONS[0]),
        ],
    ),
    Script(
        "Connect the lines",
        "At which number does the line that starts at C end? Answer with the number in \\boxed{}.",
        [
            zoom("The left third.", [0, 100, 350, 900]),
            zoom("The middle.", [350, 100, 650, 900]),
            zoom("The right third.", [650, 100, 1000, 900]),
            crop("The crossings in the middle.", [420, 250, 560, 650]),
            zoom("The middle again.", [350, 100, 650, 900]),
            crop("The crossings on the right.", [620, 250, 860, 750]),
        ],
    ),
    Script(
        "Recognize numbers and letters",
        "Dots of another colour form three signs. What do they read, from left to right? Answer "
        "in \\boxed{}.",
        ["The orange dots form a K, a 7 and a 4. \\boxed{K74}"],
    ),
    Script(
        "Find the same",
        "Just two of the numbered patterns are the same, without turning or mirroring. Which? "
        "Answer with both numbers, the smaller first, in the form \\boxed{3, 14}.",
        [
            *(zoom(f"Pattern {number}.", cell(number)) for number in range(1, 21)),
            call("6 beside 17.", "image_side_by_side_tool", img_indices=[6, 17]),
            "Patterns 6 and 17 are the same. \\boxed{6, 17}",
        ],
    ),
    Script(
        "Maze",
        f"From which gate does a way lead to the red dot? {LETTER}",
        [
            zoom("Around the dot.", [220, 210, 540, 460]),
            zoom("Around gate B.", [560, 0, 920, 320]),
            crop("The way between them.", [300, 80, 760, 420]),
            "From B the way goes down and left to the dot. \\boxed{B}",
        ],
    ),
    Script(
        "Count Same Patterns",
        "How many of the hooks on the right are the same as the one in the red frame, without "
        "turning or mirroring? Answer with the number in \\boxed{}.",
        [
            zoom("The hook in the frame.", [40, 380, 200, 620]),
            zoom("The upper half of the field.", [240, 40, 1000, 500]),
            zoom("The lower half of the field.", [240, 500, 1000, 960]),
            call("How many there are.", "count_objects_tool", color=[236, 170, 60], img_idx=0),
            "I count seven of them. \\boxed{7}",
        ],
    ),
    Script(
        "Mirroring Patterns",
        "The pattern stands before a mirror, the blue line. Which option is its mirror image? "
        f"{LETTER}",
        [
            crop("The pattern alone.", [165, 70, 465, 470]),
            call("Mirrored.", "image_flip_tool", axis="vertical", img_idx=1),
            zoom("Option B up close.", [260, 590, 490, 850]),
            call("Both together.", "image_side_by_side_tool", img_indices=[2, 3]),
            "The mirrored pattern looks like option B. \\boxed{B}",
        ],
    ),
    Script(
        "2D Pattern Completion",
        f"Which option fills the red frame, so that the pattern goes on? {LETTER}",
        [
            zoom("Around the frame.", [380, 120, 640, 480]),
            *zoom_options(),
            crop("A part of the pattern without a gap.", [260, 290, 430, 480]),
            call("It beside option C.", "image_side_by_side_tool", img_indices=[6, 4]),
            "The arcs of option C meet those around the frame. \\boxed{C}",
        ],
    ),
    Script(
        "Pattern and Color Completion",
        f"Which option belongs in the cell with the question mark? {LETTER}",
        [
            zoom("The nine cells.", [300, 30, 700, 550]),
            crop("The last row.", [310, 370, 690, 540]),
            crop("The last column.", [560, 30, 690, 540]),
            call("The colour on the diagonal.", "color_at_tool", point_2d=[500, 250], img_idx=0),
            *zoom_options("AB"),
            zoom("Option B again.", OPTIONS[1]),
            zoom("And option C.", OPTIONS[2]),
        ],
    ),
)


@dataclass(frozen=True)
class Pivot:
    """One decision.

    Attributes:
        picture: The name of the drawing.
        request: What the user asks for.
        tool: The tool that is right, or ``__answer__``.
        arguments: Its arguments.
        before: What was said and replied since the question, assistant and user in turn.
    """

    picture: str
    request: str
    tool: str
    arguments: dict[str, Any]
    before: tuple[str, ...] = ()


PIVOTS = (
    Pivot(
        "maze",
        "Look closely at the surroundings of the red dot.",
        "image_zoom_in_tool",
        {"bbox_2d": [220, 210, 540, 460], "factor": 3, "img_idx": 0, "label": "the red dot"},
    ),
    Pivot(
        "paper_folding",
        "Cut out the fourth option, the rightmost one in the lower row.",
        "image_crop_tool",
        {"bbox_2d": OPTIONS[3], "img_idx": 0, "label": "option D"},
    ),
    Pivot(
        "rotation_patterns",
        "Show me the picture turned by a quarter turn against the clock.",
        "image_rotate_tool",
        {"degrees": 90, "img_idx": 0},
    ),
    Pivot(
        "mirroring_patterns",
        "What does this picture look like in a mirror that swaps left and right?",
        "image_flip_tool",
        {"axis": "horizontal", "img_idx": 0},
    ),
    Pivot(
        "count_same_patterns",
        "How many separate objects of the colour rgb(236, 170, 60) are there?",
        "count_objects_tool",
        {"color": [236, 170, 60], "tolerance": 40, "img_idx": 0},
    ),
    Pivot(
        "pattern_and_color_completion",
        "Which colour has the exact middle of the picture's upper half?",
        "color_at_tool",
        {"point_2d": [500, 250], "img_idx": 0},
    ),
    Pivot(
        "connect_the_lines",
        "Where in the picture is pure red, rgb(255, 0, 0)?",
        "find_color_tool",
        {"color": [255, 0, 0], "tolerance": 30, "img_idx": 0},
    ),
    Pivot(
        "maze",
        "From which gate does a way lead to the red dot? Answer with the letter in \\boxed{}.",
        "__answer__",
        {"answer": "B"},
        (
            "From B the way goes down and left, and nothing stops it before the dot.",
            "Good. Now give your answer.",
        ),
    ),
)


def make_row(script: Script, picture: str, answer: str) -> dict[str, Any]:
    """Return a row in the form of NeMo Gym."""
    content = [
        {"type": "input_text", "text": script.question},
        {"type": "input_image", "image_url": picture},
    ]
    return {
        "responses_create_params": {
            "input": [{"type": "message", "role": "user", "content": content}]
        },
        "category": script.category,
        "grader": "string_match",
        "extraction_mode": "boxed",
        "expected_answer": answer,
        "demonstration": script.turns,
        "metadata": {"license": "Apache-2.0"},
    }


def make_pivot(pivot: Pivot) -> dict[str, Any]:
    """Return a decision in the form of NeMo Gym's pivot rows."""
    content = [
        {"type": "input_text", "text": pivot.request},
        {"type": "input_image", "image_url": f"{pivot.picture}.png"},
    ]
    since = [
        {"type": "message", "role": role, "content": text}
        for role, text in zip(("assistant", "user"), pivot.before, strict=False)
    ]
    first = {"type": "message", "role": "user", "content": content}
    return {
        "responses_create_params": {"input": [first, *since]},
        "expected_action": {"name": pivot.tool, "arguments": pivot.arguments},
        "metadata": {"license": "Apache-2.0"},
    }


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as JSONL."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_sample(folder: Path) -> None:
    """Draw the pictures and write them with their rows; the same ones every time."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for i, (script, draw) in enumerate(zip(SCRIPTS, DRAWINGS, strict=True)):
        drawn = draw(np.random.default_rng([SEED, i]))
        picture = f"{draw.__name__}.png"
        drawn.image.save(folder / picture, optimize=True)
        rows.append(make_row(script, picture, drawn.answer))
    write_lines(folder / "rows.jsonl", rows)
    write_lines(folder / "pivots.jsonl", [make_pivot(pivot) for pivot in PIVOTS])


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

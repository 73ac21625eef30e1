from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

MakeRow = Callable[..., dict[str, Any]]
WriteRows = Callable[..., Path]


def png(width: int = 40, height: int = 30, color: tuple[int, int, int] = (200, 30, 30)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), color).save(buffer, format="PNG")
    return buffer.getvalue()


def data_url(data: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(data).decode()


@pytest.fixture
def picture_url() -> Callable[..., str]:
    return lambda *size: data_url(png(*size))


@pytest.fixture
def make_row() -> MakeRow:
    """Makes a usable row; keywords replace its fields, and None drops one."""

    def make(picture: str | None = None, **fields: Any) -> dict[str, Any]:
        content = [
            {"type": "input_text", "text": "What colour?"},
            {"type": "input_image", "image_url": picture or data_url(png())},
        ]
        row = {
            "responses_create_params": {"input": [{"role": "user", "content": content}]},
            "grader": "string_match",
            "extraction_mode": "boxed",
            "expected_answer": "red",
            **fields,
        }
        return {name: value for name, value in row.items() if value is not None}

    return make


@pytest.fixture
def write_rows(tmp_path: Path) -> WriteRows:
    """Writes rows (or raw lines) as a JSONL file beside a picture `a.png`."""

    def write(*rows: dict[str, Any] | str, name: str = "rows.jsonl") -> Path:
        (tmp_path / "a.png").write_bytes(png())
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path = tmp_path / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    return write

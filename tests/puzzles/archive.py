"""What has been measured, packed for the repository: a compressed file a family.

Hours of measuring are worth keeping: a fresh clone goes on where the last machine stopped, and the
page of the verification can be written again from what stands behind it.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

from gym_imagetools.puzzles.families import FAMILIES
from tests.puzzles.shards import code_key

ARCHIVE = Path(__file__).parent / "measured"
"""Where the repository keeps what has been measured."""


def unpack(archive: Path, folder: Path) -> None:
    """Write what is packed into a folder of shards, where it is not there already.

    Args:
        archive: Holds ``<family>.json.xz``; it may be missing.
        folder: Holds shards as ``<family>/<level>/<name>.json``.
    """
    for packed in sorted(archive.glob("*.json.xz")):
        for place, text in json.loads(lzma.decompress(packed.read_bytes())).items():
            path = folder / place
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")


def pack(folder: Path, archive: Path) -> None:
    """Pack the shards that were measured with the code as it is; others are dropped.

    Args:
        folder: As for :func:`unpack`.
        archive: As for :func:`unpack`.
    """
    archive.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        shards = sorted((folder / family).glob(f"*/*-{code_key(family)}.json"))
        packed = archive / f"{family}.json.xz"
        if not shards:
            packed.unlink(missing_ok=True)
            continue
        texts = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in shards}
        content = lzma.compress(json.dumps(texts).encode(), preset=9)
        if not packed.exists() or packed.read_bytes() != content:
            packed.write_bytes(content)

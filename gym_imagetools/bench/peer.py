"""The reference, NeMo Gym's image tools, measured in the same run.

Its wheel is downloaded by pip without being installed (it asks for a newer Python than we do), and
its one file of tools is loaded from a temporary folder. It decodes its source at every call, writes
each picture to disk, and reads and encodes it once more for the message; that is what is timed.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from PIL import Image

from gym_imagetools.images.encode import encode
from gym_imagetools.types import Pixels

PACKAGE = "nemo-gym==0.7.0"
_PYTHON_VERSION = "3.13.14"
_TOOLS = "resources_servers/image_tools/base.py"
_SETTINGS = {"crop_format": "jpeg", "crop_jpeg_quality": 95, "crop_max_pixels": 1_048_576}


class PeerUnavailable(Exception):
    """The reference cannot be measured here; the message says why."""


Served = Callable[[str, dict[str, Any]], Callable[[], str]]
"""Makes a call of tool and arguments, which returns the picture as a message shows it."""


class Peer:
    """The reference's tools.

    Args:
        folder: A temporary folder, for the wheel and for the pictures the reference writes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._module = _load(_downloaded(folder))

    def open(self, pictures: Sequence[Pixels]) -> Served:
        """Write the source pictures as JPEG files, and return what makes calls on them.

        Args:
            pictures: The source pictures.
        """
        paths = []
        for index, pixels in enumerate(pictures):
            path = self._folder / f"source_{index}_{pixels.shape[1]}.jpg"
            path.write_bytes(encode(pixels, "jpeg", 95))
            paths.append(str(path))

        def call(tool: str, arguments: dict[str, Any]) -> Callable[[], str]:
            return lambda: self._message(tool, arguments, paths)

        return call

    def parse(self, text: str) -> Any:
        """Read a turn as the reference does."""
        calls = self._module.parse_image_tool_calls(text)
        return calls, self._module.has_malformed_image_tool_markup(text)

    def _message(self, tool: str, arguments: dict[str, Any], paths: list[str]) -> str:
        made = self._module.execute_image_tool(
            tool, arguments, paths, self._folder / "out", **_SETTINGS
        )
        with Image.open(made["path"]) as picture:
            buffer = io.BytesIO()
            picture.convert("RGB").save(buffer, format="JPEG")
        Path(made["path"]).unlink()
        return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


def open_peer() -> tuple[Peer, tempfile.TemporaryDirectory[str]]:
    """Return the reference, and the folder that must be kept as long as it is used.

    Raises:
        PeerUnavailable: The registry is out of reach, or a library of the reference is missing.
    """
    folder = tempfile.TemporaryDirectory(prefix="gym_imagetools_peer_")
    try:
        return Peer(Path(folder.name)), folder
    except PeerUnavailable:
        folder.cleanup()
        raise


def _downloaded(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PACKAGE]
    command += ["--only-binary=:all:", "--python-version", _PYTHON_VERSION, "--dest", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise PeerUnavailable(f"{PACKAGE} could not be downloaded: {last}")
    with zipfile.ZipFile(wheels[0]) as wheel:
        return Path(wheel.extract(_TOOLS, folder))


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference_image_tools", path)
    if spec is None or spec.loader is None:
        raise PeerUnavailable(f"{path.name} of {PACKAGE} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        importlib.import_module("scipy.ndimage")
    except ImportError as error:
        raise PeerUnavailable(f"{PACKAGE} needs {error.name}: install it to compare") from error
    return module

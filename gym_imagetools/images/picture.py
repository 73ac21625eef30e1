"""Source pictures: the bytes of a file as a recipe for pixels, and where they are read from."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from weakref import WeakValueDictionary

from gym_imagetools.errors import DataError
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.images.data_url import decode_data_url, is_inline
from gym_imagetools.images.decode import decode
from gym_imagetools.images.header import MAX_PIXELS, read_header
from gym_imagetools.types import Pixels

MAX_FILE_BYTES = 3 * MAX_PIXELS
"""The largest file that is read: no picture needs more than its own raw pixels."""

_KEY_BYTES = 16


@dataclass(frozen=True, slots=True, weakref_slot=True)
class EncodedPicture:
    """A picture as the bytes of its file; episodes that read the same file hold the same bytes.

    Attributes:
        data: The bytes of a PNG, JPEG, GIF or WebP file.
        size: Width and height in pixels, upright.
        key: BLAKE2b of the bytes as hex: equal bytes, equal pixels.
    """

    data: bytes = field(repr=False, compare=False)
    size: tuple[int, int]
    key: str

    @classmethod
    def from_bytes(cls, data: bytes) -> EncodedPicture:
        """Make a picture of the bytes of a file; only the header is checked.

        Args:
            data: The bytes of a PNG, JPEG, GIF or WebP file.

        Returns:
            The picture.

        Raises:
            DataError: The bytes are of another kind, the header is damaged, or the picture is
                empty or too large.
        """
        key = blake2b(data, digest_size=_KEY_BYTES).hexdigest()
        picture = _ALIVE.get(key)
        if picture is None:
            picture = _ALIVE.setdefault(key, cls(data, read_header(data).size, key))
        return picture

    def load(self) -> Pixels:
        """Return the pixels, read-only, from the shared cache or decoded anew.

        Returns:
            Pixels of shape (height, width, 3).

        Raises:
            DataError: The picture is cut or damaged after its header.
        """
        return PIXELS.get(self.key, lambda: decode(self.data))


# The episodes of a group read one file: the first picture made of its bytes serves all of them.
_ALIVE: WeakValueDictionary[str, EncodedPicture] = WeakValueDictionary()


def read_picture(source: str, *, root: Path | None) -> EncodedPicture:
    """Read a picture that a data row names. Never touches the network.

    Args:
        source: A base64 ``data:`` URL (or the base64 alone), or the path of a file inside
            ``root``, relative to it or absolute.
        root: The folder that files are read from; None where only data URLs are taken.

    Returns:
        The picture.

    Raises:
        DataError: Another URL, a path outside of ``root`` (after ``..`` and links are followed),
            no regular file, a file above :data:`MAX_FILE_BYTES`, or no usable picture. The
            message holds neither path nor host.
    """
    if is_inline(source):
        return EncodedPicture.from_bytes(decode_data_url(source))
    if "://" in source or source[:5].lower() == "file:":
        raise DataError(
            "Expected a data: URL or a file inside data_root, got another URL; nothing is "
            "fetched, so store the picture beside the rows."
        )
    if root is None:
        raise DataError(
            "Expected a data: URL, got a file, but there is no folder to read it from; "
            "pass data_root."
        )
    return EncodedPicture.from_bytes(_read_file(_path_inside(root, source)))


def _path_inside(root: Path, source: str) -> Path:
    try:
        folder = root.resolve(strict=True)
        path = (folder / source).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        # Missing, a loop of links (RuntimeError before Python 3.13), or a null character.
        raise DataError(
            "Expected a picture file inside data_root, got a name of no file there; "
            "check the row and data_root."
        ) from None
    if not path.is_relative_to(folder):
        raise DataError(
            "Expected a picture file inside data_root, got one outside of it; move it there."
        )
    return path


def _read_file(path: Path) -> bytes:
    try:
        # Asked first, since opening a pipe would wait for its writer.
        if not path.is_file():
            raise DataError("Expected a picture file, got a folder or a device.")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError:
        raise DataError("Expected a readable picture file, got one that cannot be read.") from None
    if len(data) > MAX_FILE_BYTES:
        raise DataError(f"Expected a file of at most {MAX_FILE_BYTES:,} bytes; scale the picture.")
    return data

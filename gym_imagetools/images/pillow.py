"""Pixels out of Pillow's memory: one pass, in which other threads go on.

Pillow keeps a colour picture at four bytes a pixel. Its own way to numpy packs them to three,
copies the result twice and holds the interpreter's lock all the while. The Arrow C data interface
(https://arrow.apache.org/docs/format/CDataInterface.html), which Pillow offers since 11.3, lends
the memory as it is, and OpenCV packs it.
"""

from __future__ import annotations

import ctypes

import cv2
import numpy as np
from PIL import Image

from gym_imagetools.types import Pixels


class _ArrowArray(ctypes.Structure):
    """The head of the interface's ``struct ArrowArray``, as far as it is read here."""


_ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_ArrowArray))),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def rgb_pixels(image: Image.Image) -> Pixels:
    """Return the pixels of an RGB image, the same as ``numpy.asarray``.

    Args:
        image: Of mode ``RGB``.
    """
    try:
        _, capsule = image.__arrow_c_array__()
    except ValueError:  # a picture of more than 16 MB lies in several pieces
        return np.asarray(image)
    pixels = _ArrowArray.from_address(_pointer_of(capsule, b"arrow_array")).children[0].contents
    memory = (ctypes.c_uint8 * pixels.length).from_address(pixels.buffers[1])
    lent = np.frombuffer(memory, dtype=np.uint8).reshape(image.height, image.width, 4)
    return cv2.cvtColor(lent, cv2.COLOR_RGBA2RGB).astype(np.uint8, copy=False)

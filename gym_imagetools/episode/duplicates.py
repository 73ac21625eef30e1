"""Which calls repeat an earlier one: as the reference judges it, and as the strict policy does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gym_imagetools.episode.record import NEW, CallRecord, Repeat, SourceRegion
from gym_imagetools.episode.store import PictureStore
from gym_imagetools.scoring.ledgers import RewardPolicy
from gym_imagetools.scoring.overlap import iou
from gym_imagetools.tools.arguments import (
    ColorAtArgs,
    CountObjectsArgs,
    CropArgs,
    FindColorArgs,
    RotateArgs,
    ZoomArgs,
)

Judge = Callable[[CallRecord, Sequence[CallRecord], PictureStore, float], Repeat]
"""Judges a call by the earlier ones and the pictures in the store before it."""


def as_written(
    call: CallRecord, earlier: Sequence[CallRecord], store: PictureStore, threshold: float
) -> Repeat:
    """Judge by the text of the call, as the reference does (rule 8).

    ``exact``: the same name and arguments. ``near``: a zoom or crop whose box overlaps an
    earlier one of the same tool on the same picture index, from ``threshold`` on.
    """
    if any(record.signature == call.signature for record in earlier):
        return Repeat("exact")
    if not isinstance(call.arguments, ZoomArgs | CropArgs):
        return NEW
    box, index = call.arguments.bbox_2d, call.arguments.img_idx
    for record in earlier:
        arguments = record.arguments
        if type(arguments) is type(call.arguments) and arguments.image_indices == (index,):
            overlap = iou(arguments.bbox_2d, box)
            if overlap >= threshold:
                return Repeat("near", overlap)
    return NEW


def as_done(
    call: CallRecord, earlier: Sequence[CallRecord], store: PictureStore, threshold: float
) -> Repeat:
    """Judge by what the call does (strict policy).

    ``exact``: the same canonical arguments (defaults filled, label dropped, degrees modulo 360),
    or a picture of a part of a source that the store already holds, the same way up. ``near``:
    zoom and crop are one tool, and their boxes are compared as regions of the source picture.
    """
    canonical = _canonical(call)
    if any(_canonical(record) == canonical for record in earlier):
        return Repeat("exact")
    if any(_finds_the_same(call, record) for record in earlier):
        return Repeat("exact")
    # A measuring tool is called for its facts: a picture like another makes it no repeat.
    if not call.arguments.measures and _is_held(call, store):
        return Repeat("exact")
    if call.region is None or not _is_look(call):
        return NEW
    for record in earlier:
        region = record.region
        if region is not None and _is_look(record) and region.source == call.region.source:
            overlap = iou(region.box_px, call.region.box_px)
            if overlap >= threshold:
                return Repeat("near", overlap)
    return NEW


JUDGES: dict[RewardPolicy, Judge] = {"reference": as_written, "strict": as_done}


def _is_look(record: CallRecord) -> bool:
    return isinstance(record.arguments, ZoomArgs | CropArgs)


def _canonical(record: CallRecord) -> dict[str, Any]:
    arguments = record.arguments.model_dump(exclude={"label"})
    if isinstance(record.arguments, ColorAtArgs):
        # The region is the patch around the pixel that was read.
        arguments["point_2d"] = record.region
    if isinstance(record.arguments, RotateArgs):
        arguments["degrees"] = record.arguments.degrees % 360
    return {"tool": record.name, **arguments}


def _finds_the_same(call: CallRecord, earlier: CallRecord) -> bool:
    """Whether a search for a colour repeats one, with bounds that make no difference."""
    mine, other = call.arguments, earlier.arguments
    if not isinstance(mine, CountObjectsArgs | FindColorArgs) or type(mine) is not type(other):
        return False
    is_same_search = (mine.img_idx, mine.color) == (other.img_idx, other.color)
    return is_same_search and np.array_equal(call.picture.load(), earlier.picture.load())


def _is_held(call: CallRecord, store: PictureStore) -> bool:
    """Whether the store holds the call's picture: the same pixels of the same part of a source.

    Two parts that happen to look alike are two looks: before, nobody could know.
    """
    shown = SourceRegion.of(call.picture.size, call.frame)
    return any(
        held.key == call.picture.key
        or (
            held.size == call.picture.size
            and _is_same_part(shown, SourceRegion.of(held.size, frame), len(store))
            and np.array_equal(held.load(), call.picture.load())
        )
        for held, frame in zip(store, store.frames, strict=True)
    )


def _is_same_part(shown: SourceRegion, held: SourceRegion, index: int) -> bool:
    """Whether two regions are one; pictures of several sources lie on no source to tell by."""
    return shown.source == index or shown.is_as(held)

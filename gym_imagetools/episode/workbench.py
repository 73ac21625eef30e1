"""Runs the calls of one episode on its pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gym_imagetools.episode.duplicates import JUDGES
from gym_imagetools.episode.record import CallRecord, Repeat, SourceRegion, signature_of
from gym_imagetools.episode.store import DerivedPicture, PictureStore, run_on
from gym_imagetools.errors import ToolError
from gym_imagetools.images.cache import PIXELS
from gym_imagetools.prompts import replies
from gym_imagetools.scoring.ledgers import RewardPolicy
from gym_imagetools.tools import ToolResult, ToolSettings
from gym_imagetools.tools.arguments import ColorAtArgs, CropArgs, ZoomArgs, parse_arguments
from gym_imagetools.types import Picture, ToolCall


class Workbench:
    """The pictures and the executed calls of one episode.

    Args:
        pictures: The pictures of the task.
        settings: Sizes and resampling of zooms.
        reward_policy: Chooses how repeated calls are judged.
        duplicate_iou_threshold: Overlap from which a region repeats an earlier one.
    """

    def __init__(
        self,
        pictures: Iterable[Picture],
        *,
        settings: ToolSettings,
        reward_policy: RewardPolicy,
        duplicate_iou_threshold: float,
    ) -> None:
        self.store = PictureStore(pictures)
        self.records: list[CallRecord] = []
        self._settings = settings
        self._judge = JUDGES[reward_policy]
        self._threshold = duplicate_iou_threshold

    def run(self, call: ToolCall) -> tuple[CallRecord, str]:
        """Run a call, add its picture to the store, and remember it.

        Args:
            call: The call as the model wrote it.

        Returns:
            The record of the call, and the JSON of the reply.

        Raises:
            ToolError: The call cannot be done; nothing is added or remembered.
        """
        if not self.store:
            raise ToolError(replies.NO_PICTURES)
        arguments = parse_arguments(call.name, call.arguments, len(self.store))
        pictures = {index: self.store[index] for index in arguments.image_indices}
        result = run_on(arguments, pictures, self._settings)
        height, width = result.pixels.shape[:2]
        picture = DerivedPicture(
            arguments, tuple(pictures.items()), self._settings, (width, height)
        )
        PIXELS.get(picture.key, lambda: result.pixels)
        frame = self.store.frame_of(result)
        looks = isinstance(arguments, ZoomArgs | CropArgs | ColorAtArgs)
        region = SourceRegion.of(picture.size, frame) if looks else None
        signature = signature_of(call.name, call.arguments)
        record = CallRecord(arguments, signature, picture, frame, region)
        repeat = self._judge(record, self.records, self.store, self._threshold)
        if repeat != record.repeat:
            record = replace(record, repeat=repeat)
        output = replies.result_json(_reply(result, len(self.store), repeat))
        self.store.add(picture, frame)
        self.records.append(record)
        return record, output


def _reply(result: ToolResult, new_index: int, repeat: Repeat) -> dict[str, Any]:
    warning = {
        "": "",
        "exact": replies.exact_duplicate(),
        "near": replies.near_duplicate(repeat.iou),
    }[repeat.kind]
    reply: dict[str, Any] = {"ok": True, **result.result, "new_img_indices": [new_index]}
    return {**reply, "warning": warning} if warning else reply

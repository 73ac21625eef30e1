"""The entry points of the registered ids: they build an environment and its wrappers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from functools import partial, wraps
from inspect import Parameter, signature
from typing import Any, Literal

import gymnasium as gym

from gym_imagetools.envs import ImageToolsEnv, PivotEnv, WeatherEnv
from gym_imagetools.envs.delivery import Delivery
from gym_imagetools.envs.image_tools import answers_only, any_last_turn
from gym_imagetools.envs.pivot import Scoring
from gym_imagetools.episode import Workbench
from gym_imagetools.rows import Data, RowSource, read_row
from gym_imagetools.rows.pivot import read_pivot_row
from gym_imagetools.rows.reader import PIVOT_SAMPLE
from gym_imagetools.rows.source import OnDataError, Order
from gym_imagetools.rows.weather import read_weather_row
from gym_imagetools.scoring.pivot_settings import PivotSettings, RewardMode
from gym_imagetools.settings import RANGES, EpisodeSettings, check_range, choice, optional
from gym_imagetools.tasks.curriculum import AdaptiveDifficulty
from gym_imagetools.tasks.sources import MixedSource, PuzzleSource, TaskSource
from gym_imagetools.tasks.split import Split
from gym_imagetools.tasks.weather import WeatherSource
from gym_imagetools.tools import ToolSettings
from gym_imagetools.wrappers import (
    RewardCap,
    RewardComponents,
    StepLimit,
    ToolCallLimit,
    ToolUseReward,
)

Env = gym.Env[dict[str, Any], Any]
PUZZLE_PREVIEW_MAX_SIDE = 512
"""Puzzles hide what decides them below this size: a tool must be used to see it."""


Factory = Callable[..., Env]


def entry_point(env_class: type[gym.Env[Any, Any]]) -> Callable[[Factory], Factory]:
    """Make a function an entry point of Gymnasium for environments of a class.

    ``gymnasium.make`` reads the render modes from the entry point, but lets others pass.

    Args:
        env_class: The class whose metadata holds.
    """
    render_modes = optional(choice(*env_class.metadata["render_modes"]))

    def mark(build: Factory) -> Factory:
        known = _keywords_of(build)

        @wraps(build)
        def checked(*, render_mode: str | None = None, **keywords: Any) -> Env:
            check_range("render_mode", render_mode, render_modes)
            _refuse_unknown(keywords, known)
            return build(render_mode=render_mode, **keywords)

        checked.metadata = env_class.metadata  # type: ignore[attr-defined]
        return checked

    return mark


def _keywords_of(build: Factory) -> list[str]:
    """Return the names of all keywords of an entry point, those of the settings among them."""
    named = [
        parameter.name
        for parameter in signature(build).parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD
    ]
    takes_settings = len(named) < len(signature(build).parameters)
    return named + [field.name for field in fields(EpisodeSettings) if takes_settings]


def _refuse_unknown(keywords: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raise ``TypeError`` for a keyword that the id does not take, as a function would."""
    for keyword in keywords:
        if keyword not in known:
            close = get_close_matches(keyword, known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"This id takes no keyword {keyword!r}.{hint}")


@entry_point(ImageToolsEnv)
def puzzle(
    *,
    family: str,
    difficulty: int = 1,
    split: Split = "train",
    render_mode: str | None = None,
    **keywords: Any,
) -> Env:
    """Build the environment of one puzzle family.

    Args:
        family: The name of the family; the id sets it.
        difficulty: 1 to 5.
        split: ``train`` or ``eval``: the two halves of the seeds.
        render_mode: ``rgb_array``, ``ansi`` or None.
        keywords: Those of :class:`~gym_imagetools.settings.EpisodeSettings`.
    """
    source = PuzzleSource(family, difficulty, split)
    return _image_tools(source, render_mode, _for_puzzles(keywords))


@entry_point(ImageToolsEnv)
def mixed(
    *,
    families: Sequence[str] | None = None,
    weights: Sequence[float] | Mapping[str, float] | None = None,
    difficulty: int | Literal["adaptive"] | AdaptiveDifficulty = 1,
    split: Split = "train",
    render_mode: str | None = None,
    **keywords: Any,
) -> Env:
    """Build the environment of a mixture of puzzle families.

    Args:
        families: The names of the families; None for all.
        weights: How often each comes, in their order or by name; None for equal weights.
        difficulty: 1 to 5, ``adaptive``, or a controller that several environments share.
        split: ``train`` or ``eval``: the two halves of the seeds.
        render_mode: ``rgb_array``, ``ansi`` or None.
        keywords: Those of :class:`~gym_imagetools.settings.EpisodeSettings`.
    """
    source = MixedSource(families, weights, difficulty, split)
    return _image_tools(source, render_mode, _for_puzzles(keywords))


@entry_point(ImageToolsEnv)
def dataset(
    *,
    data: Data = None,
    data_root: str | None = None,
    order: Order = "shuffle",
    on_data_error: OnDataError = "raise",
    render_mode: str | None = None,
    **keywords: Any,
) -> Env:
    """Build the environment of data rows.

    Args:
        data: Path of a JSONL file, list of rows, or data entry; None for the packaged sample.
        data_root: The folder of the pictures; None for that of the row file.
        order: ``shuffle`` or ``sequential``.
        on_data_error: ``raise``, or ``skip`` to pass over bad rows.
        render_mode: ``rgb_array``, ``ansi`` or None.
        keywords: Those of :class:`~gym_imagetools.settings.EpisodeSettings`.
    """
    source = RowSource(data, data_root, order, on_data_error, read_row)
    return _image_tools(source, render_mode, keywords)


@entry_point(PivotEnv)
def pivot(
    *,
    data: Data = None,
    data_root: str | None = None,
    order: Order = "shuffle",
    on_data_error: OnDataError = "raise",
    reward_mode: RewardMode = PivotSettings.reward_mode,
    argument_threshold: float | Mapping[str, float] = PivotSettings.argument_threshold,
    numeric_tolerance: float = PivotSettings.numeric_tolerance,
    enable_target_match: bool = PivotSettings.enable_target_match,
    penalize_extra_tool_calls: bool = PivotSettings.penalize_extra_tool_calls,
    unify_region_inspect_tools: bool = PivotSettings.unify_region_inspect_tools,
    scoring: Scoring = "arguments",
    preview_max_side: int | None = None,
    render_mode: str | None = None,
) -> Env:
    """Build the environment of demonstrated decisions.

    Args:
        data: Path of a JSONL file, list of rows, or data entry; None for the packaged sample.
        data_root: The folder of the pictures; None for that of the row file.
        order: ``shuffle`` or ``sequential``.
        on_data_error: ``raise``, or ``skip`` to pass over bad rows.
        reward_mode: ``binary`` or ``continuous``.
        argument_threshold: Closeness that counts as a match, or a dict of it by family.
        numeric_tolerance: Difference that numbers may have.
        enable_target_match: Whether the pictures must be the same ones.
        penalize_extra_tool_calls: Whether a turn with several calls earns nothing.
        unify_region_inspect_tools: Whether zoom and crop are one decision.
        scoring: ``arguments`` or ``execution``.
        preview_max_side: Longest side of a delivered picture in pixels; None for full size.
        render_mode: ``ansi`` or None.
    """
    check_range("preview_max_side", preview_max_side, RANGES["preview_max_side"])
    check_range("scoring", scoring, choice("arguments", "execution"))
    settings = PivotSettings(
        reward_mode=reward_mode,
        argument_threshold=argument_threshold,
        numeric_tolerance=numeric_tolerance,
        enable_target_match=enable_target_match,
        penalize_extra_tool_calls=penalize_extra_tool_calls,
        unify_region_inspect_tools=unify_region_inspect_tools,
    )
    rows = PIVOT_SAMPLE if data is None else data
    return PivotEnv(
        RowSource(rows, data_root, order, on_data_error, read_pivot_row),
        settings=settings,
        scoring=scoring,
        delivery=Delivery(preview_max_side),
        render_mode=render_mode,
    )


@entry_point(WeatherEnv)
def weather(
    *,
    data: Data = None,
    data_root: str | None = None,
    order: Order = "shuffle",
    on_data_error: OnDataError = "raise",
    split: Split = "train",
    render_mode: str | None = None,
) -> Env:
    """Build the environment of weather questions.

    Args:
        data: Path of a JSONL file, list of rows, or data entry; None for generated questions.
        data_root: Unused by rows of text; accepted as for other rows.
        order: ``shuffle`` or ``sequential``, for rows.
        on_data_error: ``raise``, or ``skip`` to pass over bad rows.
        split: ``train`` or ``eval``: the two halves of the seeds of generated questions.
        render_mode: ``ansi`` or None.
    """
    if data is None:
        return WeatherEnv(WeatherSource(split), render_mode=render_mode)
    source = RowSource(data, data_root, order, on_data_error, read_weather_row)
    return WeatherEnv(source, render_mode=render_mode)


def _for_puzzles(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Add what is different for puzzles: small previews, and colours that stay exact."""
    return {
        "preview_max_side": PUZZLE_PREVIEW_MAX_SIDE,
        "crop_format": "png",
        **keywords,
    }


def _image_tools(source: TaskSource, render_mode: str | None, keywords: Mapping[str, Any]) -> Env:
    """Build the environment and its stack of wrappers, inside out."""
    settings = EpisodeSettings(**keywords)
    env: Env = ImageToolsEnv(
        source,
        workbench=partial(
            Workbench,
            settings=ToolSettings(
                settings.crop_min_pixels, settings.crop_max_pixels, settings.resample
            ),
            reward_policy=settings.reward_policy,
            duplicate_iou_threshold=settings.duplicate_iou_threshold,
        ),
        is_graded=answers_only if settings.reward_policy == "strict" else any_last_turn,
        terminate_on_invalid_tool_call=settings.terminate_on_invalid_tool_call,
        delivery=Delivery(
            settings.preview_max_side, settings.crop_format, settings.crop_jpeg_quality
        ),
        prompt_format=settings.prompt_format,
        render_mode=render_mode,
    )
    env = ToolCallLimit(
        env,
        max_tool_calls=settings.max_tool_calls,
        max_tool_calls_per_turn=settings.max_tool_calls_per_turn,
        force_final_after_duplicate=settings.force_final_after_duplicate,
    )
    env = StepLimit(env, max_steps=settings.num_steps)
    env = ToolUseReward(
        env,
        tool_success_reward=settings.tool_success_reward,
        tool_success_reward_cap=settings.tool_success_reward_cap,
        invalid_tool_call_penalty=settings.invalid_tool_call_penalty,
        duplicate_tool_call_penalty=settings.duplicate_tool_call_penalty,
        reward_policy=settings.reward_policy,
    )
    env = RewardCap(env, reward_cap=settings.reward_cap)
    return RewardComponents(env, foreign_rewards=False)

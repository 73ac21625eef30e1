"""Families of tools: how the arguments of two calls are compared.

======== ============================================= =========================================
family   tools                                         compared
======== ============================================= =========================================
bbox     image_zoom_in_tool, image_crop_tool           ``bbox_2d`` by intersection over union
point    color_at_tool                                 ``point_2d`` by distance
color    find_color_tool, count_objects_tool           ``color`` by closeness of the channels
scalar   image_rotate_tool, image_flip_tool            ``degrees`` modulo 360, or ``axis``
pair     image_diff_tool, image_overlay_tool           ``img_idx_a``, ``img_idx_b``, ``alpha``
multi    image_side_by_side_tool                       ``img_indices`` in any order
answer   ``__answer__``                                the answer, by the row's grader
unknown  every other name                              the name alone
======== ============================================= =========================================
"""

from __future__ import annotations

ANSWER = "__answer__"
"""Stands for the decision to answer where a demonstrated call names its tool."""

REGION_INSPECT = "<region_inspect>"
"""The one name of zoom and crop, NeMo Gym's: they look at the same region."""

REGION_TOOLS = frozenset({"image_zoom_in_tool", "image_crop_tool"})

FAMILIES = {
    "image_zoom_in_tool": "bbox",
    "image_crop_tool": "bbox",
    "color_at_tool": "point",
    "find_color_tool": "color",
    "count_objects_tool": "color",
    "image_rotate_tool": "scalar",
    "image_flip_tool": "scalar",
    "image_diff_tool": "pair",
    "image_overlay_tool": "pair",
    "image_side_by_side_tool": "multi",
    ANSWER: "answer",
}


def family_of(name: str) -> str:
    """Return the family of a tool, ``unknown`` for a name that is no tool's."""
    return FAMILIES.get(name, "unknown")


def decision_of(name: str, *, unify: bool) -> str:
    """Return what choosing a tool decides: its name, or with ``unify`` one for zoom and crop."""
    stripped = name.strip()
    return REGION_INSPECT if unify and stripped in REGION_TOOLS else stripped

"""Motion planning: shape curves, the virtual robot aligned along them, gait segments that extend them."""

from pushpoint.planning.curves.alignment import Aligner, Alignment, align, default_look_ahead
from pushpoint.planning.curves.curve import ShapeCurve, slopes_of
from pushpoint.planning.curves.motion import (
    AlongCurve,
    MovingPoints,
    OnCurve,
    OnMovingPoints,
    Progress,
    ShapeProgress,
    advance_head,
)
from pushpoint.planning.curves.segments import (
    GaitSegment,
    concatenated,
    helix,
    joined,
    rolling_arc,
    segment_from_function,
    segment_from_points,
    sidewinding,
    stairs_down,
    stairs_up,
    vertical_wave,
)

__all__ = [
    "Aligner",
    "Alignment",
    "AlongCurve",
    "GaitSegment",
    "MovingPoints",
    "OnCurve",
    "OnMovingPoints",
    "Progress",
    "ShapeCurve",
    "ShapeProgress",
    "advance_head",
    "align",
    "concatenated",
    "default_look_ahead",
    "helix",
    "joined",
    "rolling_arc",
    "segment_from_function",
    "segment_from_points",
    "sidewinding",
    "slopes_of",
    "stairs_down",
    "stairs_up",
    "vertical_wave",
]

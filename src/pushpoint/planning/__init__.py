"""Motion planning: shape curves with a virtual robot along them, and paths through pegs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.lazy_names import lazy_names

if TYPE_CHECKING:
    from pushpoint.planning.curves.align import align as align, align_sequence as align_sequence
    from pushpoint.planning.curves.alignment import (
        Aligner as Aligner,
        Alignment as Alignment,
        default_look_ahead as default_look_ahead,
    )
    from pushpoint.planning.curves.curve import ShapeCurve as ShapeCurve
    from pushpoint.planning.curves.fit import CurveFit as CurveFit, fit_to_curve as fit_to_curve
    from pushpoint.planning.curves.hermite import advance_head as advance_head, slopes_of as slopes_of
    from pushpoint.planning.curves.motion import AlongCurve as AlongCurve, OnCurve as OnCurve
    from pushpoint.planning.curves.moving import AlongMovingCurve as AlongMovingCurve, OnMovingPoints as OnMovingPoints
    from pushpoint.planning.curves.moving_points import (
        ClosingHelix as ClosingHelix,
        MovingPoints as MovingPoints,
        PointsOverTime as PointsOverTime,
        SegmentBlend as SegmentBlend,
        TravellingWave as TravellingWave,
    )
    from pushpoint.planning.curves.progress import Progress as Progress, ShapeProgress as ShapeProgress
    from pushpoint.planning.curves.segments import (
        GaitSegment as GaitSegment,
        concatenated as concatenated,
        helix as helix,
        joined as joined,
        rolling_arc as rolling_arc,
        segment_from_function as segment_from_function,
        segment_from_points as segment_from_points,
        sidewinding as sidewinding,
        stairs_down as stairs_down,
        stairs_up as stairs_up,
        vertical_wave as vertical_wave,
    )
    from pushpoint.planning.curves.skeleton import Skeleton as Skeleton
    from pushpoint.planning.pegs.fields import peg_field as peg_field
    from pushpoint.planning.pegs.paths import PegPlan as PegPlan, plan_path as plan_path

else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "curves.align": ("align", "align_sequence"),
            "curves.alignment": ("Aligner", "Alignment", "default_look_ahead"),
            "curves.curve": ("ShapeCurve",),
            "curves.fit": ("CurveFit", "fit_to_curve"),
            "curves.hermite": ("advance_head", "slopes_of"),
            "curves.motion": ("AlongCurve", "OnCurve"),
            "curves.moving": ("AlongMovingCurve", "OnMovingPoints"),
            "curves.moving_points": (
                "ClosingHelix",
                "MovingPoints",
                "PointsOverTime",
                "SegmentBlend",
                "TravellingWave",
            ),
            "curves.progress": ("Progress", "ShapeProgress"),
            "curves.segments": (
                "GaitSegment",
                "concatenated",
                "helix",
                "joined",
                "rolling_arc",
                "segment_from_function",
                "segment_from_points",
                "sidewinding",
                "stairs_down",
                "stairs_up",
                "vertical_wave",
            ),
            "curves.skeleton": ("Skeleton",),
            "pegs.fields": ("peg_field",),
            "pegs.paths": ("PegPlan", "plan_path"),
        },
    )

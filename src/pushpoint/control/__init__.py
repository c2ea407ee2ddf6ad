"""Controllers: feedback on measurements, path following, force mapping, shape curves, or constant torques."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.lazy_names import lazy_names

if TYPE_CHECKING:
    from pushpoint.control.constant_torque import ConstantTorque as ConstantTorque
    from pushpoint.control.continuous_resolution import ContinuousResolution as ContinuousResolution
    from pushpoint.control.hybrid import HybridController as HybridController, LeaderFollower as LeaderFollower
    from pushpoint.control.loaded import Loaded as Loaded
    from pushpoint.control.neural.policy import NeuralPolicy as NeuralPolicy, write_policy as write_policy
    from pushpoint.control.path_following import (
        HeadingHold as HeadingHold,
        LineOfSight as LineOfSight,
        PathSteering as PathSteering,
        SidewindingLineOfSight as SidewindingLineOfSight,
        SpeedController as SpeedController,
    )
    from pushpoint.control.peg_contacts import ContactRule as ContactRule
    from pushpoint.control.policy_files import Learned as Learned, learned as learned, policy_names as policy_names
    from pushpoint.control.pushed_aside import PushedAside as PushedAside
    from pushpoint.control.rails import (
        ForceMappingController as ForceMappingController,
        RailGains as RailGains,
        ShapePropagation as ShapePropagation,
    )
    from pushpoint.control.ray_steering import RaySteering as RaySteering
    from pushpoint.control.shape_curve_follower import ShapeCurveFollower as ShapeCurveFollower
    from pushpoint.control.steering import (
        CombinedSteering as CombinedSteering,
        HeadingController as HeadingController,
        Steering as Steering,
        TurnSchedule as TurnSchedule,
    )
    from pushpoint.control.touch_policy import TouchPolicy as TouchPolicy

else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "constant_torque": ("ConstantTorque",),
            "continuous_resolution": ("ContinuousResolution",),
            "hybrid": ("HybridController", "LeaderFollower"),
            "loaded": ("Loaded",),
            "neural.policy": ("NeuralPolicy", "write_policy"),
            "path_following": (
                "HeadingHold",
                "LineOfSight",
                "PathSteering",
                "SidewindingLineOfSight",
                "SpeedController",
            ),
            "peg_contacts": ("ContactRule",),
            "policy_files": ("Learned", "learned", "policy_names"),
            "pushed_aside": ("PushedAside",),
            "rails": ("ForceMappingController", "RailGains", "ShapePropagation"),
            "ray_steering": ("RaySteering",),
            "shape_curve_follower": ("ShapeCurveFollower",),
            "steering": ("CombinedSteering", "HeadingController", "Steering", "TurnSchedule"),
            "touch_policy": ("TouchPolicy",),
        },
    )

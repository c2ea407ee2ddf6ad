"""Controllers: what closes the loop, or commands torques."""

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.force_mapping_controller import ContactRule, ForceMappingController, RailGains
from pushpoint.control.hybrid import HybridController, LeaderFollower
from pushpoint.control.pd_propagation import ShapePropagation
from pushpoint.control.shape_curve_follower import HeadingController, ShapeCurveFollower, TurnSchedule

__all__ = [
    "ConstantTorque",
    "ContactRule",
    "ContinuousResolution",
    "ForceMappingController",
    "HeadingController",
    "HybridController",
    "LeaderFollower",
    "RailGains",
    "ShapeCurveFollower",
    "ShapePropagation",
    "TurnSchedule",
]

"""Controllers: what closes the loop, or commands torques."""

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import HeadingController, TurnSchedule

__all__ = ["ConstantTorque", "HeadingController", "ShapeCurveFollower", "TurnSchedule"]

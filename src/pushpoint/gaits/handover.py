"""What lets one gait go over into another while the robot moves: its phase goes on, and no reference jumps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, remainder
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.engine.signals import Fade
from pushpoint.gaits.waves import WaveGait
from pushpoint.model.spatial_robot import AnyRobot


@dataclass(frozen=True, kw_only=True)
class HandedOver(Gait):
    """A gait that begins with the angles and rates of the one before, from which it departs within some time."""

    __repr__ = brief

    gait: Gait
    """The gait that takes over."""
    fade: Fade
    """How far the references before were from its own, and how this fades."""

    @property
    def rate(self) -> float:
        """References per second [Hz]."""
        return self.gait.rate

    @property
    def hold(self) -> bool:
        """Whether each reference is held until the next."""
        return self.gait.hold

    @property
    def prescribed(self) -> bool:
        """Whether the joints follow the references exactly."""
        return self.gait.prescribed

    @property
    def period(self) -> float | None:
        """Duration of one cycle of the gait [s]; None without cycles."""
        return self.gait.period

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at given times [s], shape (n_times, n_joints)."""
        angle, rate = self.gait.references(time, robot)
        more, faster = self.fade.at(time)
        return angle + more, rate + faster


def phase_going_on(before: Any, after: Any, time: float) -> float:
    """What must be added to the phase of a gait that takes over at a time [s], so that its waves go on where they are.

    Zero unless both are waves of one kind: others have no phase in common.
    """
    if not isinstance(before, WaveGait) or type(before) is not type(after):
        return 0.0
    return (before.angular_frequency - after.angular_frequency) * time


def ahead(gait: Any, phase: float) -> Any:
    """The same gait ahead by a phase [rad]; unchanged if it is none of waves or the phase is zero."""
    if not phase or not isinstance(gait, WaveGait):
        return gait
    return replace(gait, phase=remainder(gait.phase + phase, 2 * pi))

"""Slithering with one end of the body lifted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pushpoint.errors import InvalidModel
from pushpoint.gaits.waves import Swing, WaveGait
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, Count, Spread
from pushpoint.model.spatial_robot import AnyRobot


@register("lifted-slithering")
@dataclass(frozen=True, kw_only=True, repr=False)
class LiftedSlithering(WaveGait):
    """Lateral undulation with the tail or the head lifted and held still, for example to look around.

        yaw = offset + ramp(t) amplitude sin(w t + k phase_shift + phase), 0 in the lifted part
        pitch = -lift in the joint that begins the lifted part, +lift in the middle of it: an S; 0 elsewhere

    k counts joints from the head. The pitch axis nearest to each place bends, and the end of the body is level again.
    Hirose 1993 lifts the head in this way; Tesch et al. 2009 call such a posture over a gait a scripted motion.
    """

    amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    phase_shift: Angle
    """Phase difference between neighbouring joints, from the head [rad]; < 0 sends waves from head to tail."""
    lift: Spread
    """Slope of the part that rises [rad], >= 0."""
    lifted: Count = 4
    """Number of links that are lifted [-]."""
    end: Literal["tail", "head"] = "tail"
    """Which end is lifted."""
    offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 turns left."""

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        joints = robot.n_links - 1
        if self.lifted >= joints:
            raise InvalidModel("gait.lifted", self.lifted, f"at most {joints - 1} links of {robot.n_links}")
        at_tail = self.end == "tail"

        def inward(j: int) -> int:
            """Joints between joint j and the lifted end."""
            return j if at_tail else joints - 1 - j

        first, middle = self.lifted - 1, self.lifted // 2 - 1
        still = tuple(float(inward(j) >= first) for j in range(joints))
        pitching = [axis.link_behind for axis in robot.axes if axis.name == "pitch"]
        posture = [0.0] * joints
        if pitching and self.lift:
            posture[min(pitching, key=lambda j: abs(inward(j) - first))] -= self.lift
            posture[min(pitching, key=lambda j: abs(inward(j) - middle))] += self.lift if middle >= 0 else 0.0
        bend = tuple(self.offset * part for part in still)
        yaw = Swing(self.amplitude, self.phase_shift, self.phase, envelope=still, posture=bend)
        return yaw, Swing(posture=tuple(posture))

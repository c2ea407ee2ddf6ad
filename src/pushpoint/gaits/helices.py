"""Gaits of a body that is wound into a helix and rolls about its own axis: on the ground, around a pole, in a pipe.

A helix of radius R that rises by 2 pi p per turn has the curvature R / (R^2 + p^2) and the torsion p / (R^2 + p^2). The
body does not twist, so the direction in which it bends turns along it with the torsion. Each axis makes up for the bend
of the body from half-way to the axis of its name behind it to half-way to the one before it:

    yaw = A cos(u), pitch = -A sin(u), u = w t + k phase_shift + phase,
    A = 2 curvature sin(torsion d / 2) / torsion, phase_shift = -torsion l,

where d is the distance between two axes of one name, l that between two joints, and k counts joints from the head.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import atan2, cos, pi, sin
from typing import Annotated, Literal

import numpy as np

from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.gaits.axes import joint_spacing, stride_of
from pushpoint.gaits.waves import Swing, WaveGait
from pushpoint.gaits.wound import PipeAxis, start_of, touching
from pushpoint.model.checks import between, real
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.joints import UP
from pushpoint.model.kinds import register
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.quantities import Length
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.model.terrain import Pipe

Rise = Annotated[float, real("m")]
"""What a helix rises by per turn [m]; > 0: right-handed."""


def pipe_axis(obstacle: Obstacle) -> PipeAxis | None:
    """The axis of a peg, upward from the ground, or of a pipe; None for anything else."""
    if isinstance(obstacle, Peg):
        return PipeAxis(np.array([obstacle.x, obstacle.y, 0.0]), np.array(UP, dtype=float))
    return PipeAxis(np.array(obstacle.start), obstacle.axis) if isinstance(obstacle, Pipe) else None


def helix_waves(robot: AnyRobot, radius: float, rise: float, phase: float) -> tuple[Swing, Swing]:
    """The waves of a body whose axis is a helix of a radius [m] that rises by `rise` per turn [m]."""
    p = rise / (2 * pi)
    curvature, torsion = radius / (radius**2 + p**2), p / (radius**2 + p**2)
    spacing = joint_spacing(robot)
    bends = {}
    for name in ("yaw", "pitch"):
        between_axes = stride_of(robot, name) * spacing
        bends[name] = curvature * (2 * sin(torsion * between_axes / 2) / torsion if torsion else between_axes)
    shift = -torsion * spacing
    return Swing(bends["yaw"], shift, phase + pi / 2), Swing(-bends["pitch"], shift, phase)


@register("helical-rolling")
@dataclass(frozen=True, kw_only=True, repr=False)
class HelicalRolling(WaveGait):
    """Helical rolling: the body is a helix that lies on the ground, and rolls about its own axis.

        yaw = ramp(t) A cos(w t + k phase_shift + phase), pitch = -ramp(t) A sin(w t + k phase_shift + phase)

    k counts joints from the head. Amplitude and phase shift follow from the radius and the rise of the helix, as above.
    The helix touches the ground once per turn and moves across the body there, at w times the radius of a link if
    nothing slips; a tight one moves mostly along its axis. After Tesch et al. 2009.
    """

    helix_radius: Length
    """Radius of the helix, to the axis of the body [m]."""
    helix_rise: Rise
    """What the helix rises by per turn [m]; > 0: right-handed."""

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        yaw, pitch = helix_waves(robot, self.helix_radius, self.helix_rise, self.phase)
        if max(abs(yaw.amplitude), abs(pitch.amplitude)) > pi:
            allowed = "so wide that the joints of this robot bend by at most 180 deg"
            raise InvalidModel("gait.helix_radius", self.helix_radius, allowed, unit="m")
        return yaw, pitch


@register("pipe-crawling")
@dataclass(frozen=True, kw_only=True, repr=False)
class PipeCrawling(WaveGait):
    """Climbs a pole or crawls in a pipe: the body is wound around it as a helix, holds on and rolls about its own axis.

    As `HelicalRolling`. The helix is that in which the body touches the pipe, but tighter outside, or wider inside, by
    `squeeze`: the servos press the body against the pipe. Without slip it moves along the pipe at

        v = w r cos(lambda), tan(lambda) = rise / (2 pi R),

    where r is the radius of a link and R that of the helix. w > 0 climbs outside and goes down inside a right-handed
    helix whose head is up. A world without a start begins wound around its first peg, or along its first pipe. A soft
    start would open the helix first. After Tesch et al. 2009 and Rollinson and Choset 2016.
    """

    pipe_radius: Length
    """Radius of the pole, or inner radius of the pipe [m]."""
    helix_rise: Rise
    """What the helix rises by per turn [m]; > 0: right-handed."""
    side: Literal["outside", "inside"] = "outside"
    """Whether the body is wound around a pole, or lies inside a pipe."""
    squeeze: Annotated[float, between(0, 0.9, "-")] = 0.1
    """Share by which the helix of the references is tighter (outside) or wider (inside) than that of the body [-]."""
    clearance: Length = 0.05
    """Distance from the ground, or from the start of the pipe, to the body at the start [m]."""

    def touching_radius(self, robot: AnyRobot) -> float:
        """Radius of the helix in which a body touches the pipe [m]."""
        body = max(link.radius for link in robot.links)
        radius = self.pipe_radius + (body if self.side == "outside" else -body)
        if not radius > 0.0:
            raise InvalidModel(
                "gait.pipe_radius", self.pipe_radius, f"more than {body:g}, the radius of a link", unit="m"
            )
        return radius

    def speed(self, robot: AnyRobot) -> float:
        """How fast the robot moves along the pipe if nothing slips [m/s]; > 0: toward its head."""
        slope = atan2(self.helix_rise / (2 * pi), self.touching_radius(robot))
        body = max(link.radius for link in robot.links)
        sign = 1.0 if (self.side == "outside") == (self.helix_rise > 0) else -1.0
        return sign * self.angular_frequency * body * cos(slope)

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> SpatialStart | None:
        """Wound around the first peg of the environment, or along its first pipe; None if there is none."""
        pipes = [pipe_axis(each) for each in (environment.obstacles if environment else ())]
        pipe = next((each for each in pipes if each is not None), None)
        if pipe is None or not isinstance(robot, SpatialRobot):
            return None
        angle = touching(robot, self._posture(robot), self.pipe_radius, outside=self.side == "outside")
        return start_of(robot, angle, pipe, self.clearance)

    def _posture(self, robot: SpatialRobot) -> Callable[[float], np.ndarray]:
        """Returns the joint angles at time zero for a radius of the helix [m]."""
        coil = HelicalRolling(
            helix_radius=self.pipe_radius, helix_rise=self.helix_rise, angular_frequency=0.0, phase=self.phase
        )
        return lambda radius: replace(coil, helix_radius=radius).first_reference(robot)

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        tighter = 1.0 - self.squeeze if self.side == "outside" else 1.0 + self.squeeze
        return helix_waves(robot, tighter * self.touching_radius(robot), self.helix_rise, self.phase)

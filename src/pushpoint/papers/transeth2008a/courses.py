"""The course of Transeth2008a as printed; the track of a serpenoid body that does not slip sideways, and pegs along it.

A body whose joints follow (71) of Transeth2008a and that glides along itself stays on one curve: a serpenoid, whose
direction is a cosine of arc length. Its inflections lie on the centre line. There the body is steepest, and a peg
beside it pushes forward best (VII-B). Half a wave separates one inflection from the next, and pegs change sides there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.engine.planar.kinematics import directions
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.planar.start import Start
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Peg
from pushpoint.model.planar_robot import PlanarRobot

CENTERS = (
    (0.0507, 0.1761),
    (0.4215, 0.0029),
    (0.8037, 0.1851),
    (1.1532, 0.0031),
    (1.5298, 0.1783),
    (1.8877, 0.0020),
    (2.2588, 0.1745),
)
"""Centres of the obstacles, Transeth2008a, VIII-D.2 [m]."""
RADIUS = 0.125
"""Radius of the obstacles [m]. The printed 0.0125 m is a misprint: they are cut from 0.25 m pipe, VIII-C."""


def obstacles(*, friction: float = 0.0, restitution: float = 0.0) -> tuple[Peg, ...]:
    """The seven obstacles of Transeth2008a (VIII-D.2), numbered from left to right as in the paper.

    The paper's model has no friction at the obstacles; its robot moves toward +x.
    """
    return tuple(Peg(x=x, y=y, radius=RADIUS, friction=friction, restitution=restitution) for x, y in CENTERS)


POINTS = 40001
BEHIND, AHEAD = 1.5, 4.5


@dataclass(frozen=True)
class SerpenoidTrack:
    """The curve through a robot's middle link at time zero."""

    s: np.ndarray
    """Arc length from the middle of that link [m]."""
    points: np.ndarray
    """The curve [m], shape (n, 2)."""
    angle: np.ndarray
    """Its direction [rad]."""
    half_wave: float
    """Arc length of half a wave [m]."""
    steepest: float
    """Arc length of an inflection where the curve runs to the left at its steepest [m]."""

    def at(self, s: float) -> tuple[np.ndarray, float]:
        """Point and direction at arc length s."""
        point = np.array([np.interp(s, self.s, self.points[:, axis]) for axis in range(2)])
        return point, float(np.interp(s, self.s, self.angle))

    def foot(self, center: tuple[float, float], near: float) -> float:
        """Arc length of the point nearest to `center`, searched within half a wave around `near`."""
        chosen = np.abs(self.s - near) <= self.half_wave / 2
        distance = np.hypot(*(self.points[chosen] - np.array(center)).T)
        return float(self.s[chosen][np.argmin(distance)])

    def inflection(self, number: int) -> float:
        """Arc length of the inflection `number` half-waves from the steepest one; odd ones run to the right."""
        return self.steepest + number * self.half_wave

    def peg(self, number: int, radius: float, shift: float, distance: float) -> Peg:
        """A peg `distance` beside the curve, `shift` half-waves from an inflection, on the side that pushes forward."""
        point, angle = self.at(self.inflection(number) + shift * self.half_wave)
        side = 1.0 if number % 2 == 0 else -1.0
        x, y = point + side * distance * np.array([-np.sin(angle), np.cos(angle)])
        return Peg(x=float(x), y=float(y), radius=radius)


def track_of(robot: PlanarRobot, gait: LateralUndulation, link: int, position: tuple[float, float]) -> SerpenoidTrack:
    """The track of a uniform robot posed by gait.link_angles, with the centre of `link` at `position`."""
    length = robot.links[link].length
    delta = abs(gait.phase_shift)
    # A straight link is a chord of the curve: its angle is the curve's mean direction over its length.
    chord = gait.amplitude / (2 * np.sin(delta / 2))
    swing = chord * (delta / 2) / np.sin(delta / 2)
    behind_head = robot.n_links - 1 - link
    s = np.linspace(-BEHIND, AHEAD, POINTS)
    angle = swing * np.cos((behind_head - 0.5 - s / length) * delta)
    steps = np.diff(s)[:, None] * (directions(angle[1:]) + directions(angle[:-1])) / 2
    points = np.concatenate((np.zeros((1, 2)), np.cumsum(steps, axis=0)))
    start = np.array([np.interp(0.0, s, points[:, axis]) for axis in range(2)])
    return SerpenoidTrack(
        s=s,
        points=points - start + np.array(position),
        angle=angle,
        half_wave=np.pi / delta * length,
        steepest=(behind_head - 0.5) * length,
    )


def clearance(
    robot: PlanarRobot, pegs: list[Peg], gait: LateralUndulation, link: int, position: tuple[float, float]
) -> float:
    """Smallest gap between pegs and the robot posed by gait.link_angles [m]."""
    pose = Start(link_angles=tuple(gait.link_angles(robot)), link=link, position=position).pose(robot)
    return float(link_obstacle_distance(robot, pegs, pose["center"], pose["theta"]).min())

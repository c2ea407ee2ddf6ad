"""Where and how a planar robot starts."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.planar.kinematics import link_positions, rigid_velocities
from pushpoint.engine.planar.ranges import link_obstacle_distance, nearest_pair
from pushpoint.errors import InvalidModel, StartOverlap
from pushpoint.model.checks import Many, Whole, check_fields, real, store, whole
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Angles, AngularRate, AngularRates, Phase, Phases


def plain_number(link: Any) -> Any:
    """A link's index as an int, if it is a whole number of any type; anything else unchanged, to fail later."""
    try:
        return link if isinstance(link, bool) else operator.index(link)
    except TypeError:
        return link


def whole_link(link: Any, n_links: int) -> int | None:
    """Returns the index of a link, or None; raises InvalidModel if there is no such link."""
    allowed = Whole(0, n_links - 1, f"0 to {n_links - 1} for {n_links} links")
    return None if link is None else whole("start.link", link, allowed)


def counted(field: str, values: Sequence[float], count: int, words: str) -> np.ndarray:
    """Returns numbers as an array, shape (count,); raises InvalidModel if there are more or fewer."""
    if len(values) != count:
        raise InvalidModel(f"start.{field}", len(values), f"{count} {words}")
    return np.array(values, dtype=float)


@dataclass(frozen=True, kw_only=True)
class Start:
    """Posture, position and velocity of a planar robot at time zero.

    For example:

        pp.Start(heading=0.3, link=0, position=(-1.0, 0.0))  # the tail's centre of mass at x = -1 m
    """

    __repr__ = brief

    link_angles: Phases | None = None
    """Angles of all links [rad], from tail to head. They replace joint_angles, heading and link_angle."""
    joint_angles: Angles | None = None
    """Joint angles [rad], from tail to head; default: the controller's angles at time zero."""
    heading: Phase = 0.0
    """Direction of the body [rad]: the angle about which a gait swings; with joint_angles, the mean link angle."""
    link: int | None = None
    """Index of the link whose centre of mass is at `position`; default: the whole robot's centre of mass is."""
    link_angle: Phase | None = None
    """Angle of that link [rad]. The other links follow from the joint angles. It replaces heading."""
    position: Annotated[Sequence[float], real("m"), Many(2, "2 numbers")] = (0.0, 0.0)
    """Position of that centre of mass [m]."""
    velocity: Annotated[Sequence[float], real("m/s"), Many(2, "2 numbers")] = (0.0, 0.0)
    """Velocity of the whole robot's centre of mass [m/s], also if `link` is given."""
    spin: AngularRate = 0.0
    """Angular velocity of the tail [rad/s], counter-clockwise. Joint rates add to it toward the head.

    Without joint rates the robot turns as one body about its centre of mass, which moves with `velocity`.
    """
    joint_rates: AngularRates | None = None
    """Joint rates [rad/s], from tail to head; default: zero."""

    def __post_init__(self) -> None:
        store(self, link=plain_number(self.link))
        check_fields(self, "start")
        if self.link_angle is None:
            return
        if self.link is None:
            raise InvalidModel("start.link", None, "given with link_angle: the link that has this angle")
        if self.link_angles is not None:
            raise InvalidModel("start.link_angle", self.link_angle, "left out if link_angles are given", unit="rad")
        if self.heading:
            raise InvalidModel("start.heading", self.heading, "0 if link_angle is given", unit="rad")

    def pose(self, robot: PlanarRobot, posture: np.ndarray | None = None) -> dict[str, Any]:
        """Centre, link angles and velocities; `posture` holds the controller's link angles about heading zero [rad]."""
        return {name: values[0] for name, values in start_poses(robot, [self], [posture]).items()}

    def theta(self, robot: PlanarRobot, posture: np.ndarray | None) -> np.ndarray:
        """Angles of all links [rad], shape (n_links,)."""
        words = f"angles for {robot.n_links} links"
        number = whole_link(self.link, robot.n_links)
        if self.link_angles is not None:
            return counted("link_angles", self.link_angles, robot.n_links, words)
        if self.joint_angles is None:
            found = self.heading + (np.zeros(robot.n_links) if posture is None else posture)
        else:
            joints = counted("joint_angles", self.joint_angles, robot.n_joints, words)
            found = np.concatenate(([0.0], np.cumsum(joints)))
            found = found + self.heading - float(found @ robot.column("length")) / robot.length
        return found if self.link_angle is None else found + (self.link_angle - found[number])

    def rates(self, robot: PlanarRobot) -> np.ndarray:
        """Joint rates [rad/s], shape (n_joints,)."""
        if self.joint_rates is None:
            return np.zeros(robot.n_joints)
        return counted("joint_rates", self.joint_rates, robot.n_joints, f"rates for {robot.n_links} links")


def start_poses(
    robot: PlanarRobot, starts: Sequence[Start], postures: Sequence[np.ndarray | None]
) -> dict[str, np.ndarray]:
    """Start.pose of many worlds with one robot, worlds first."""
    theta = np.stack([start.theta(robot, posture) for start, posture in zip(starts, postures, strict=True)])
    center, velocity = (np.array([getattr(start, name) for start in starts]) for name in ("position", "velocity"))
    held = np.array([k for k, start in enumerate(starts) if start.link is not None], dtype=int)
    if held.size:
        numbers = [starts[k].link for k in held.tolist()]
        center[held] -= link_positions(robot, np.zeros(2), theta[held])[np.arange(len(held)), numbers]
    rates = np.cumsum([start.rates(robot) for start in starts], axis=1)
    omega = np.array([[start.spin] for start in starts]) + np.pad(rates, ((0, 0), (1, 0)))
    return {"center": center, "theta": theta, "v": rigid_velocities(robot, theta, omega, velocity), "omega": omega}


TOUCHING = 1e-9
"""Overlap that still counts as touching [m]: round-off of a start in contact."""


def check_clear(
    world: int, robot: PlanarRobot, environment: Environment, center: np.ndarray, theta: np.ndarray
) -> None:
    """Raises StartOverlap if a link overlaps an obstacle, or another link that it can touch; names the deepest."""
    if robot.self_contact:
        apart, one, other = nearest_pair(robot, center, theta)
        if apart < -TOUCHING:
            raise StartOverlap(world, one, None, -apart, other_link=other)
    if not environment.obstacles:
        return
    gap = link_obstacle_distance(robot, environment.obstacles, center, theta)
    link, obstacle = np.unravel_index(np.argmin(gap), gap.shape)
    if gap[link, obstacle] < -TOUCHING:
        raise StartOverlap(world, int(link), int(obstacle), float(-gap[link, obstacle]))

"""How MuJoCo's soft contacts are set in exported files, and by how much they miss the set-valued laws.

MuJoCo lets a contact yield: its acceleration obeys a + R f = -b v - k d r, with the regularisation R = A (1 - d) / d
for the inverse mass A that the contact feels, b = 2 / (d t) and k = 1 / (d t)^2 for a time constant t and an impedance
d. At rest (a = 0) a body of inverse mass A therefore sinks in by r = g (1 - d) t^2, and where friction is at its limit
it creeps at v = mu g (1 - d) / (d b) / impratio, for MuJoCo divides the R of friction by impratio.
"""

from __future__ import annotations

import math

import numpy as np

from pushpoint.interchange.robots.mjcf import loads
from pushpoint.model import inertia
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot, SpatialLink

IMPEDANCE = 0.95
"""d, the same at all depths [-]."""
TIME_CONSTANT = 0.01
"""t, unless the time step demands more [s]."""
STEPS = 2.0
"""Time steps that the time constant must last at least [-]."""
FRICTION_RATIO = 10.0
"""impratio: how much stiffer friction is than the normal direction [-]."""

QUICK = 0.25
"""Largest part of a radian that the fastest servo may swing in a time step, which MuJoCo takes explicitly [rad]."""


def file_step(robot: AnyRobot, dt: float) -> float:
    """A time step that divides one of pushpoint [s], short enough for the stiffest servo.

    The frequency is that of the link in front of a joint that the servo turns, with the other end held.
    """
    about = np.array([max(moments_of(link)) + link.mass * (link.length / 2) ** 2 for link in robot.links])
    stiffness = robot.motor_column("stiffness")
    ahead = [axis.link_behind + 1 for axis in robot.axes]
    fastest = float(np.sqrt(stiffness / about[ahead]).max(initial=0.0))
    return dt / max(1, math.ceil(fastest * dt / QUICK))


def moments_of(link: PlanarLink | SpatialLink) -> tuple[float, float, float]:
    """Moments of inertia about x, y, z; those that a planar link lacks are those of its box, as far as they can be."""
    if isinstance(link, SpatialLink):
        x, y, z = link.inertia
        return x, y, z
    box = inertia.box(link.mass, max(link.length, 2 * link.radius), 2 * link.radius)
    return min(box.x, 2 * link.inertia), link.inertia, link.inertia


def time_constant(dt: float) -> float:
    """The time constant of contacts at a time step [s]."""
    return max(TIME_CONSTANT, STEPS * dt)


def friction_ratio(robot: AnyRobot) -> float:
    """impratio [-]."""
    return loads.FRICTION_RATIO if isinstance(robot, PlanarRobot) else FRICTION_RATIO


def sinking(robot: AnyRobot, gravity: float, dt: float) -> float:
    """How far a link that lies on one contact sinks in [m]."""
    if isinstance(robot, PlanarRobot):
        return loads.RESTING_DEPTH if gravity else 0.0
    return gravity * (1 - IMPEDANCE) * time_constant(dt) ** 2


def creeping(robot: AnyRobot, friction: float, gravity: float, dt: float) -> float:
    """How fast a link creeps whose friction is at its limit [m/s]."""
    if isinstance(robot, PlanarRobot):
        heaviest = float((robot.column("mass") * loads.inverse_masses(robot)).max())
        yielding = (1 - loads.IMPEDANCE) / loads.IMPEDANCE / loads.FRICTION_RATIO
        return friction * gravity * heaviest / loads.ENDS * yielding / loads.SLIP_DECAY
    yielding = (1 - IMPEDANCE) / IMPEDANCE / FRICTION_RATIO
    return friction * gravity * yielding * IMPEDANCE * time_constant(dt) / 2

"""Our own scenarios: limp robots, another order of axes, starts by the pose of a head, uneven ground."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians

import numpy as np

from pushpoint.engine.planar.start import Start
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import Hold
from pushpoint.model import inertia
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.joints import Cardan
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import Box, HeightField
from pushpoint.papers.ours.spatial import rolling_ground
from pushpoint.papers.transeth2008b.scenarios import sidewinder
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.world import World

SLOPE = radians(25)
"""Steeper than the angle of friction, atan 0.4 = 22 deg."""
SLOPE_FRICTION = 0.4
STOP = radians(60)
"""End stops of the limp robot, to either side."""
BUMP_SEED = 11
HEIGHT, SPACING, SIZE = 0.05, 0.2, 3.0
"""Highest bump, distance of the grid's points and half the width of the field [m]."""
LEAN = radians(-25)
"""Pitch of the leaning robot's head: nose up."""


@experiment("ours", paper="bodies", duration=2.0)
def limp_on_a_slope() -> World:
    """A limp robot tumbles down a slope.

    It has no controller, so its motors are off. Its body is bent and lies along the slope, which is steeper than the
    angle of friction: it slides and rolls down, and its joints give way up to their end stops.
    """
    stopped = Motor(lower=-STOP, upper=STOP)
    robot = replace(
        aiko(),
        joints=Cardan(yaw=stopped, pitch=stopped),
        self_contact=True,
        name="aiko-limp",
        source="Transeth2008b, VIII-A; end stops are ours",
    )
    bend = np.where([axis.name == "yaw" for axis in robot.axes], radians(15), 0.0)
    ground = Ground(friction=Isotropic(SLOPE_FRICTION), slope=SLOPE)
    start = SpatialStart(joint_angles=bend.tolist(), heading=pi / 2)
    return World(robot, Environment(ground=ground), start=start)


def yaw_first_aiko() -> SpatialRobot:
    """Aiko with the yaw axis of each cardan joint on the rear link."""
    link, servo = aiko().links[0], aiko().chain[0]
    assert isinstance(servo, Cardan)
    joint = Cardan(yaw=servo.yaw, pitch=servo.pitch, first="yaw")
    return SpatialRobot.uniform(11, link, joint, name="aiko-yaw-first", source="Transeth2008b, VIII-A; order is ours")


@experiment("gait of Transeth2008b, VIII-E; the order of the axes is ours", paper="bodies", duration=6.0)
def yaw_first() -> World:
    """Sidewinding with the yaw axes first: nearly as with pitch first.

    Where one of the two angles of a joint is small, the order of its axes hardly matters.
    """
    robot = yaw_first_aiko()
    return World(robot, Environment(ground=rolling_ground(0.5)), sidewinder())


@experiment("ours", paper="bodies", duration=2.0)
def leaning() -> World:
    """A robot leans on a box: it starts by the pose of its head.

    The head is above the box, nose up. The straight body follows from it and is lowered until it touches. It drops onto
    the edge of the box and stays there, held by friction.
    """
    robot = aiko()
    box = Box(center=(0.35, 0.0, 0.15), size=(0.3, 0.6, 0.3), friction=0.8)
    start = SpatialStart(link=robot.n_links - 1, yaw_pitch_roll=(0.0, LEAN, 0.0), position=(0.35, 0.0))
    return World(robot, Environment(ground=rolling_ground(0.8), obstacles=[box]), Hold(), start)


def slim_robot() -> PlanarRobot:
    """Twenty links of 5 cm with the inertia of uniform capsules."""
    mass, length, radius = 0.1, 0.05, 0.012
    link = PlanarLink(length=length, mass=mass, inertia=inertia.capsule(mass, length, radius).z, radius=radius)
    return PlanarRobot.uniform(20, link, Motor(stiffness=4.0, damping=0.05), name="slim", source="ours")


@experiment("ours", paper="bodies", duration=3.0)
def around_a_peg() -> World:
    """A limp robot is thrown around a peg: it starts by the angle of its head.

    Half of the body lies around the peg, the other half straight behind. Thrown along its straight half, it unwinds
    from the peg until friction stops it.
    """
    robot = slim_robot()
    peg = Peg(x=0.0, y=0.0, radius=0.12, friction=0.1)
    # Links of a regular polygon about the peg: their middles are at the peg's radius and the link's, and a little.
    away = peg.radius + robot.links[0].radius + 0.001
    turn = 2 * float(np.arctan2(robot.links[0].length / 2, away))
    joints = [0.0] * 8 + [turn] * 11
    start = Start(joint_angles=joints, link=19, link_angle=pi, position=(0.0, away), velocity=(-1.2, 0.0))
    return World(robot, Environment(ground=Ground(friction=Isotropic(0.1)), obstacles=[peg]), start=start)


@experiment("gait of Transeth2008b, VIII-E; the ground is ours", paper="bodies", duration=6.0)
def on_bumps(seed: int = BUMP_SEED) -> World:
    """Sidewinding on bumps: it starts as it lies on them, tipped until it stands firmly."""
    count = round(2 * SIZE / SPACING) + 1
    heights = HEIGHT * np.random.default_rng(seed).random((count, count))
    field = HeightField(heights=heights.round(3), spacing=SPACING, origin=(-SIZE, -SIZE))
    ground = Ground(friction=Isotropic(0.5), rolling=rolling_ground(0.5).rolling, heights=field)
    return World(aiko(), Environment(ground=ground), sidewinder())


SCENARIOS = listed(limp_on_a_slope, yaw_first, leaning, around_a_peg, on_bumps, paper="bodies")

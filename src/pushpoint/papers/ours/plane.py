"""Our own scenarios in the plane: hollow polygons, friction that falls with speed, links that touch, range sensors."""

from __future__ import annotations

from math import radians

from pushpoint.control.ray_steering import RaySteering
from pushpoint.engine.planar.start import Start
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg, Polygon
from pushpoint.model.friction import Elliptic, Isotropic, Varying
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.sensors import Channel, RangeSensor, Sensors
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.world import World

SCALES = Elliptic(along=0.05, across=0.5)
"""Friction of a skin that glides forward and holds sideways."""
LOOK = radians(35)
"""How far the two rays on the head point to either side."""
CURL, TIGHTER = radians(52), (0.75, 1.25)
"""Joint angle in the middle of a coil [rad], and how it grows from tail to head [-]: 572 deg in all."""


def twelve_links(*, self_contact: bool = False, self_friction: float = 0.0) -> PlanarRobot:
    """A robot of twelve links of 8 cm, a metre long in all."""
    return PlanarRobot(
        links=(PlanarLink(length=0.08, mass=0.2, inertia=1.5e-4, radius=0.025),) * 12,
        motors=Motor(stiffness=20.0, damping=0.2, torque_limit=3.0),
        self_contact=self_contact,
        self_friction=self_friction,
        name="twelve-links",
        source="ours",
    )


def wave() -> LateralUndulation:
    """A wave of one length over the body."""
    return LateralUndulation(
        amplitude=radians(28), angular_frequency=radians(200), phase_shift=radians(-32), soft_start=1.0
    )


@experiment("ours", paper="plane", duration=12.0)
def hollow_course() -> World:
    """Undulation past an L-shaped block into a U-shaped dead end.

    Each of the two obstacles is one polygon that is bent inward. The robot grazes the L, enters the U and gets stuck in
    it.
    """
    block = [(0.7, -0.45), (1.4, -0.45), (1.4, -0.3), (0.85, -0.3), (0.85, 0.03), (0.7, 0.03)]
    bay = [(1.6, -0.45), (2.9, -0.45), (2.9, 0.45), (1.6, 0.45), (1.6, 0.3), (2.75, 0.3), (2.75, -0.3), (1.6, -0.3)]
    obstacles = [Polygon(vertices=block, friction=0.1), Polygon(vertices=bay, friction=0.1)]
    return World(twelve_links(), Environment(ground=Ground(friction=SCALES), obstacles=obstacles), wave())


@experiment("ours; the law is that of Stribeck", paper="plane", duration=6.0)
def stribeck() -> World:
    """Undulation on ground whose friction falls with the speed, by half above some cm/s."""
    law = Varying(law=Elliptic(along=0.05, across=0.25), stick_ratio=2.0, stribeck_speed=0.03)
    return World(twelve_links(), Environment(ground=Ground(friction=law)), wave())


@experiment("ours", paper="plane", duration=4.0)
def curl() -> World:
    """A robot coils up and its head slides along its own body.

    Without self_contact the head would pass through the other links.
    """
    robot = twelve_links(self_contact=True, self_friction=0.2)
    # A wave that stands still: its soft start is the coiling.
    coil = LateralUndulation(
        amplitude=CURL, envelope=TIGHTER, angular_frequency=0.0, phase_shift=0.0, phase=radians(90), soft_start=3.0
    )
    return World(robot, Environment(ground=Ground(friction=Isotropic(0.2))), coil)


@experiment("ours", paper="plane", duration=40.0)
def room() -> World:
    """Two range sensors on the head steer a robot around a room.

    The room is a polygon with a hole, and a block and a peg stand in it. The robot bends to the side on which its two
    noisy rays see more room.
    """
    outside = [(-2.2, -1.7), (2.2, -1.7), (2.2, 1.7), (-2.2, 1.7)]
    inside = [(-2.0, -1.0), (-1.5, -1.5), (1.6, -1.5), (2.0, -1.1), (2.0, 1.0), (1.5, 1.5), (-1.5, 1.5), (-2.0, 1.0)]
    block = [(-0.7, -0.3), (0.7, -0.3), (0.7, 0.3), (-0.7, 0.3)]
    obstacles = [Polygon(vertices=outside, holes=[inside]), Polygon(vertices=block), Peg(x=1.5, y=0.0, radius=0.05)]
    rays = [RangeSensor(position=(0.04, 0.0), azimuth=side * LOOK, reach=1.2) for side in (1.0, -1.0)]
    sensors = Sensors(rays=rays, ray_range=Channel(noise=0.01, quantum=0.005), seed=1)
    place = Environment(ground=Ground(friction=SCALES), obstacles=obstacles)
    steering = RaySteering(gait=wave(), gain=0.2, largest=radians(9))
    return World(twelve_links(), place, steering, Start(position=(-0.6, -0.95)), sensors)


SCENARIOS = listed(hollow_course, stribeck, curl, room, paper="plane")

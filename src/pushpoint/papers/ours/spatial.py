"""Our own scenarios in space: the course of Transeth2008a, stairs and rubble."""

from __future__ import annotations

from math import atan2, cos, hypot, radians, sin

import numpy as np

from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import Hold
from pushpoint.model.catalogue import aiko, aiko_planar
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.joints import Cardan
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box, Stairs
from pushpoint.papers.transeth2008a.scenarios import FRICTION, MIDDLE_AT, MIDDLE_LINK, gait, large_pegs
from pushpoint.papers.transeth2008b.scenarios import ROLLING, sidewinder
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.world import World

RISE, RUN = 0.17, 0.29
"""A step of ordinary stairs: twice the rise plus the run is 0.63 m."""
STAIR_FRICTION = 0.8
FALL = 0.01
"""Gap between the robot and the edges of the steps at the start [m]."""
RUBBLE_FRICTION = 0.5
RUBBLE_SEED = 0
PIECES = 60


def upright_aiko_planar() -> SpatialRobot:
    """aiko_planar in space: cardan joints with its servo on both axes. The pitch axes hold the body level.

    The inertia about the link's own axis, which the planar model does not need, is that of a uniform cylinder.
    """
    flat = aiko_planar()
    link, motor = flat.links[0], flat.motors[0]  # type: ignore[index]
    inertia = (link.mass * link.radius**2 / 2, link.inertia, link.inertia)
    upright = SpatialLink(
        length=link.length, mass=link.mass, inertia=inertia, radius=link.radius, side_length=link.side_length
    )
    return SpatialRobot.uniform(
        flat.n_links,
        upright,
        Cardan(yaw=motor, pitch=motor),
        name="aiko-planar-in-space",
        source="Transeth2008a, VIII-A; ours: inertia of a uniform cylinder about the axis, the same servo for pitch",
    )


def rolling_ground(friction: float) -> Ground:
    """Ground with the rolling friction that all our spatial scenarios use."""
    return Ground(friction=Isotropic(friction), rolling=ROLLING)


@experiment("Transeth2008a, VIII-D.2, in space", paper="spatial", duration=10.0)
def obstacle_aided() -> World:
    """The seven-obstacle course in space: as in the plane.

    A robot that could lift itself passes the obstacles of Transeth2008a in the same way.
    """
    course = Environment(ground=rolling_ground(FRICTION), obstacles=large_pegs())
    return World(upright_aiko_planar(), course, gait(), SpatialStart(link=MIDDLE_LINK, position=MIDDLE_AT))


@experiment("Transeth2008b, IX: stairs as further work", paper="spatial", duration=4.0)
def stairs_rest(friction: float = STAIR_FRICTION) -> World:
    """A robot dropped on stairs comes to rest on the steps.

    It holds itself straight, with its tail above the floor. It touches the edges of the steps, whose line rises by
    atan(rise / run): like a body on an incline of that angle, it rests if the friction exceeds rise / run.
    """
    robot = aiko()
    slope = atan2(RISE, RUN)
    # Its middle is above the second step, the tail above the floor, the head above the fourth step.
    middle = 0.33
    height = RISE + middle * RISE / RUN + (robot.links[0].radius + FALL) * hypot(RISE, RUN) / RUN
    stairs = Stairs(foot=(0.0, 0.0), steps=6, rise=RISE, run=RUN, friction=friction)
    start = SpatialStart(
        joint_angles=(0.0,) * robot.n_joints,
        orientation=(cos(slope / 2), 0.0, -sin(slope / 2), 0.0),
        position=(middle, 0.0, height),
    )
    return World(robot, Environment(ground=rolling_ground(friction), obstacles=[stairs]), Hold(), start)


def pieces(seed: int) -> list[Box]:
    """Boxes scattered at random over 2 m by 2 m beside the robot.

    They are 2 to 6 cm high, 8 to 20 cm wide, tilted by up to 5 deg and half sunk into the ground, in whole millimetres
    and tenths of a degree, as in a file.
    """
    random = np.random.default_rng(seed)

    def length(low: float, high: float) -> float:
        return round(random.uniform(low, high), 3)

    def angle(low: float, high: float) -> float:
        return radians(round(random.uniform(low, high), 1))

    return [
        Box(
            center=(length(-1.0, 1.0), length(0.25, 2.25), 0.0),
            size=(length(0.08, 0.2), length(0.08, 0.2), 2 * length(0.02, 0.06)),
            yaw=angle(0.0, 180.0),
            pitch=angle(-5.0, 5.0),
            roll=angle(-5.0, 5.0),
            friction=RUBBLE_FRICTION,
        )
        for _ in range(PIECES)
    ]


@experiment("gait of Transeth2008b, VIII-E; rubble is our own", paper="spatial", duration=20.0)
def rubble(seed: int = RUBBLE_SEED) -> World:
    """Sidewinding onto rubble: sixty random boxes, up to 6 cm high."""
    robot = aiko()
    place = Environment(ground=rolling_ground(RUBBLE_FRICTION), obstacles=pieces(seed))
    start = SpatialStart(joint_angles=(0.0,) * robot.n_joints, position=(0.0, 0.0, robot.links[0].radius))
    return World(robot, place, sidewinder(), start)


SCENARIOS = listed(obstacle_aided, stairs_rest, rubble, paper="spatial")

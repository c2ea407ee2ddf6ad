"""Liljeback2014 on uneven ground: down stairs (IV-E), and beyond the paper up stairs and up a pole."""

from __future__ import annotations

from math import pi

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.model.catalogue import liljeback2014, yaw_pitch_16
from pushpoint.model.environment import Peg
from pushpoint.model.terrain import Stairs
from pushpoint.papers.liljeback2014 import claims as checked
from pushpoint.papers.liljeback2014.scenarios import floor, following
from pushpoint.papers.writing import listed
from pushpoint.planning.curves.motion import AlongCurve
from pushpoint.planning.curves.moving import OnMovingPoints
from pushpoint.planning.curves.moving_points import ClosingHelix, MovingPoints
from pushpoint.planning.curves.segments import stairs_down, stairs_up
from pushpoint.scenarios.scenario import Scenario

STEP_SIZE = 0.2
"""Depth and height of a step, IV-E [m]."""
STEPS = 14
STAIR_FRICTION = 0.7
STAIR_SPEED = 0.2
"""Speed of the virtual robot along its curve [m/s]; not given in the text."""
POLE_RADIUS, POLE_FRICTION = 0.1, 0.8
GRIP = 0.03
"""How far inside the touching body the virtual one is wound [m]."""
CLEAR = 0.04
"""Gap around the pole at the start [m]."""
CLOSING = 1.0
"""Time in which the body closes around the pole [s]."""
TURN_RISE = 0.06
"""Rise of the helix per turn [m]."""
TURNS, PER_TURN = 2.6, 12
POLE_LOOK_AHEAD = 0.108
"""Just above the robot's longest link [m]: a longer one would wind it tighter than the curve."""


def down_stairs(friction: float = STAIR_FRICTION, speed: float = STAIR_SPEED) -> Scenario:
    """The robot of IV-E on stairs. It starts on the steps, bent like them, and keeps that pattern in place."""
    segment = stairs_down(STEP_SIZE, STEP_SIZE, half_height=liljeback2014().links[0].radius)
    first = 6
    origin = segment.points[0] + STEP_SIZE * np.array([first, 0.0, STEPS - first])
    motion = AlongCurve(segment=segment, speed=speed, origin=tuple(origin.tolist()))
    flight = Stairs(
        foot=((STEPS - 1) * STEP_SIZE, 0.0), heading=pi, steps=STEPS, rise=STEP_SIZE, run=STEP_SIZE, friction=friction
    )
    return following(
        stairs,
        ShapeCurveFollower(motion=motion),
        "IV-E, Fig. 10",
        environment=floor(friction, flight),
        duration=7.5,
        claims=(checked.LA7,),
    )


def stairs() -> Scenario:
    """A robot bent like a staircase crawls down it.

    Steps of 0.2 m; the bends run back along the body.
    """
    return down_stairs()


def stairs_up_scenario() -> Scenario:
    """A robot bent like a staircase crawls up, and slides back.

    Beyond the paper: it slides back by a step and stays behind its virtual robot.
    """
    segment = stairs_up(STEP_SIZE, STEP_SIZE, half_height=liljeback2014().links[0].radius)
    first = 5
    origin = segment.points[0] + STEP_SIZE * np.array([first, 0.0, first + 1])
    motion = AlongCurve(segment=segment, speed=STAIR_SPEED, origin=tuple(origin.tolist()))
    flight = Stairs(foot=(0.0, 0.0), steps=STEPS, rise=STEP_SIZE, run=STEP_SIZE, friction=1.0)
    return following(
        stairs_up_scenario,
        ShapeCurveFollower(motion=motion),
        "IV-E, the other way",
        environment=floor(1.0, flight),
        duration=6.0,
    )


def winding(clear: float, grip: float, body_radius: float, link: float) -> MovingPoints:
    """A helix around the pole that closes within CLOSING."""
    touching = POLE_RADIUS + body_radius
    helix = ClosingHelix(
        outer=touching + clear,
        inner=touching - grip,
        closing=CLOSING,
        rise=TURN_RISE,
        turns=TURNS,
        per_turn=PER_TURN,
        bottom=body_radius + 0.05,
        look_ahead=POLE_LOOK_AHEAD,
        link=link,
    )
    return MovingPoints(points=helix, head=float(int(PER_TURN * TURNS)), curve="smooth")


def pipe() -> Scenario:
    """A robot winds itself around an upright pipe and climbs.

    It rolls about its own helix.
    """
    robot = yaw_pitch_16()
    moving = winding(CLEAR, GRIP, robot.links[1].radius, robot.length / robot.n_links)
    motion = OnMovingPoints(moving=moving, roll_rate=-pi, period=2.0)
    follower = ShapeCurveFollower(motion=motion, look_ahead=POLE_LOOK_AHEAD, rate=60.0)
    pole = Peg(x=0.0, y=0.0, radius=POLE_RADIUS, friction=POLE_FRICTION)
    return following(
        pipe,
        follower,
        "beyond the paper; the robot is that of Carnegie Mellon",
        robot=robot,
        environment=floor(POLE_FRICTION, pole),
        duration=8.0,
    )


SCENARIOS = listed(stairs, stairs_up_scenario, pipe)

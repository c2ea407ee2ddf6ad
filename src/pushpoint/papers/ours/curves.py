"""Our own scenarios of shape curves: frames raised and rolled, points that move, a head that passes the vertical.

Where nothing else is said, robot, floor and gaits are those of Liljeback2014. Its section III-E names three ways of
moving along a curve, of which the paper simulates the first. Here are the others, and turns about other axes.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians, tan
from typing import Any

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import Steering, TurnSchedule
from pushpoint.engine.settings import Settings
from pushpoint.model.catalogue import liljeback2014, yaw_pitch_16
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.model.wheels import Wheels
from pushpoint.papers.writing import experiment, listed
from pushpoint.planning.curves.motion import AlongCurve, Motion, OnCurve
from pushpoint.planning.curves.moving import AlongMovingCurve, OnMovingPoints
from pushpoint.planning.curves.moving_points import MovingPoints, SegmentBlend, TravellingWave
from pushpoint.planning.curves.segments import rolling_arc, segment_from_function, segment_from_points, sidewinding
from pushpoint.worlds.world import World

STEP = Settings(dt=1.0 / 1200.0)
"""A time step that divides the period of 30 commands per second."""
FRICTION = 0.5
SPEED = 0.5
"""Speed of the head along the curve, that of the paper's sidewinding [m/s]."""
LINK = 0.08
"""Length of a link [m]."""
LIFT = LINK / 3.0
"""Height of the sidewinding wave, the paper's [m]."""
SLOPE = radians(12.0)
"""Slope of the hill [rad]."""
FOOT, FOOT_WIDTH = 0.5, 0.1
"""Where the hill begins, and over which length its foot is rounded [m]."""
LOOP = 0.18
"""Radius of an upright circle that the body's head follows [m]."""
LEFTWARD, UPWARD, ROLLWARD = (0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)
"""Axes about which the shape frame turns left, is raised, and rolls."""


def following(
    motion: Motion[Any], steering: Steering[Any] | None = None, rolling: Steering[Any] | None = None
) -> World:
    """The paper's robot on its floor, with a follower."""
    straight = TurnSchedule()
    follower = ShapeCurveFollower(motion=motion, steering=steering or straight, rolling=rolling or straight)
    return World(liljeback2014(), Environment(ground=Ground(friction=Isotropic(FRICTION))), follower)


def cycle() -> float:
    """Duration of a cycle of the paper's sidewinding [s]."""
    return float(AlongCurve(segment=sidewinding(liljeback2014()), speed=SPEED).period or 0.0)


def wave(period: float, ahead: int = 3) -> MovingPoints:
    """The paper's sidewinding as a wave that runs back through points, with the head at the last but `ahead`."""
    length = float(sidewinding(liljeback2014()).displacement[0])
    points = TravellingWave(length=length, width=3.0 * LINK, height=LIFT, period=period, ahead=ahead)
    return MovingPoints(points=points, head=16.0)


@experiment("ours; Liljeback2014, III-E.2, with the frame raised", paper="curves", duration=5.0, settings=STEP)
def raised_head() -> World:
    """A robot raises its head and looks level from above.

    The curve is a straight line. Its frame is raised by 50° and then lowered again while the head advances, so that two
    bends run back along the body.
    """
    line = segment_from_points([(0.0, 0.0, 0.0), (LINK, 0.0, 0.0)], "straight")
    bends = TurnSchedule(until=(0.2, 1.2, 2.6, 3.6), rates=(0.0, radians(50.0), 0.0, -radians(50.0)), axis=UPWARD)
    return following(AlongCurve(segment=line, speed=0.2, curve="smooth"), bends)


def on_wheels() -> SpatialRobot:
    """A robot of yaw and pitch joints in turn, with an axle under every link."""
    robot, wheels = yaw_pitch_16(), Wheels(rolling_resistance=0.01, side_limit=0.9)
    links = tuple(replace(link, wheels=(wheels,)) for link in robot.links)
    return replace(robot, links=links, name="yaw-pitch-16-on-wheels", source=f"{robot.source}; ours: wheels")


def hill() -> HeightField:
    """Level ground that becomes a slope toward x: a hyperbola with both as its asymptotes."""
    x = np.arange(-3.0, 4.0, 0.1) - FOOT
    height = tan(SLOPE) * (x + np.sqrt(x * x + FOOT_WIDTH**2)) / 2.0
    return HeightField(heights=np.repeat(height[:, None], 21, axis=1), spacing=0.1, origin=(-3.0, -1.0))


@experiment("ours; Liljeback2014, III-E.2, with the frame raised", paper="curves", duration=6.0, settings=STEP)
def up_a_slope() -> World:
    """A robot on wheels winds from level ground up a slope.

    The frame of its curve is raised by the angle of the slope when the head comes to the foot, and the bend stays there
    while the body passes. In a level frame the robot stops at the foot.
    """
    robot = on_wheels()
    length, width = 0.6 * robot.length, 0.1 * robot.length
    flat = segment_from_function(lambda part: (length * part, width * float(np.sin(2.0 * pi * part)), 0.0))
    raised = TurnSchedule(until=(1.1, 2.1), rates=(0.0, SLOPE), axis=UPWARD)
    follower = ShapeCurveFollower(motion=AlongCurve(segment=flat, speed=0.35, curve="smooth"), steering=raised)
    return World(robot, Environment(ground=Ground(friction=Isotropic(0.3), heights=hill())), follower)


@experiment("ours; Liljeback2014, III-D, through the vertical", paper="curves", duration=6.0, settings=STEP)
def over_the_top() -> World:
    """A head goes up, over backward and down: twice through the vertical.

    The curve leads straight on and then once around a circle that stands upright. The head's side is handed on where
    it is vertical, so that no joint jumps.
    """
    angle = np.linspace(0.0, 2.0 * pi, 13)[1:]
    around = np.stack([LOOP * np.sin(angle), np.zeros(12), LOOP * (1.0 - np.cos(angle))], axis=-1)
    ahead = [(-0.3, 0.0, 0.0), (-0.2, 0.0, 0.0), (-0.1, 0.0, 0.0), (0.0, 0.0, 0.0)]
    after = [(0.1 * k, 0.0, 0.0) for k in range(1, 31)]
    path = segment_from_points([*ahead, *around.tolist(), *after], "loop")
    line = segment_from_points([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)], "straight")
    return following(AlongCurve(segment=path, lead=line, speed=0.2, curve="smooth"))


@experiment("ours; Liljeback2014, III-E, way 2 steered", paper="curves", duration=12.0, settings=STEP)
def steered_wave() -> World:
    """Sidewinding by moving points, steered to the left.

    The head stays where it is on the curve. A turn of the frame begins at the head and runs back with the wave.
    """
    left = TurnSchedule(until=(3.0, 8.0), rates=(0.0, radians(22.5)), axis=LEFTWARD)
    return following(OnMovingPoints(moving=wave(cycle()), period=cycle()), left)


@experiment("ours; Liljeback2014, III-E, way 3", paper="curves", duration=8.0, settings=STEP)
def both_ways() -> World:
    """Sidewinding with half the motion from the head, half from the points.

    The head advances at half its speed, and the wave runs back at half its own: way 3 of the paper.
    """
    return following(OnMovingPoints(moving=wave(2.0 * cycle(), ahead=24), speed=SPEED / 2.0, period=cycle()))


@experiment("ours; Liljeback2014, III-E, way 3 on a growing curve", paper="curves", duration=10.0, settings=STEP)
def changing_sides() -> World:
    """Sidewinding to the left that becomes sidewinding to the right.

    While the curve grows, its control points sink where they were high and rise where they were low.
    """
    left, right = (sidewinding(liljeback2014(), height=height) for height in (LIFT, -LIFT))
    change = SegmentBlend(first=left, second=right, begin=4.0, duration=2.0)
    return following(AlongMovingCurve(segment=change, speed=SPEED))


@experiment("ours; Liljeback2014, IV-D, with the roll commanded", paper="curves", duration=4.5, settings=STEP)
def roll_and_return() -> World:
    """Lateral rolling, two turns there and two back.

    The roll angle of the body about its curve follows a schedule.
    """
    arc = rolling_arc(liljeback2014())
    turns = TurnSchedule(until=(2.0, 4.0), rates=(-2.0 * pi, 2.0 * pi))
    return following(OnCurve(points=arc.points.tolist()), rolling=turns)


@experiment("ours; Liljeback2014, III-E.2, with the frame rolled", paper="curves", duration=10.0, settings=STEP)
def rolled_frame() -> World:
    """Sidewinding that rolls onto its back and goes on.

    From 3 s to 6 s the shape frame rolls by half a turn, and the robot rolls with it, head first.
    """
    roll = TurnSchedule(until=(3.0, 6.0), rates=(0.0, pi / 3.0), axis=ROLLWARD)
    return following(AlongCurve(segment=sidewinding(liljeback2014()), speed=SPEED, curve="smooth"), roll)


SCENARIOS = listed(
    raised_head,
    up_a_slope,
    over_the_top,
    steered_wave,
    both_ways,
    changing_sides,
    roll_and_return,
    rolled_frame,
    paper="curves",
)

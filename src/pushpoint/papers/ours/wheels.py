"""Our own scenarios: robots on passive wheels, in the plane, on a slope and over waves of the ground."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians

import numpy as np

from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import acm_iii, acm_iii_planar
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.joints import Cardan
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.world import World

FLOOR = Environment(ground=Ground(friction=Isotropic(0.5)))
"""What the body would rub on if it touched."""
SLOPE = radians(5)
SLIPPERY = 0.15
"""A low side limit [-]."""
WAVE_LENGTH, WAVE_HEIGHT = 0.8, 0.02
"""Waves of the ground: from crest to crest, and from the lowest to the highest ground [m]."""
SPRING = Motor(stiffness=10.0, damping=0.5)
"""At a pitch axis."""
SPACING, BEHIND, AHEAD, ASIDE = 0.05, 1.6, 4.4, 0.8
"""Grid of the field, and how far it reaches [m]."""


def serpenoid(offset: float = 0.0) -> LateralUndulation:
    """One wave along the 20 links of the ACM III; links swing by 55 deg."""
    return LateralUndulation(
        amplitude=0.3, angular_frequency=pi, phase_shift=-2 * pi / 20, offset=offset, soft_start=1.0
    )


@experiment("robot after S. Hirose, Biologically Inspired Robots, 1993; the gait is ours", paper="wheels", duration=6.0)
def acm_iii_scenario() -> World:
    """The ACM III on its wheels: it follows its own track.

    A serpenoid wave runs along the body. The wheels do not slip sideways, so that every link rolls where the one in
    front of it has rolled.
    """
    return World(acm_iii_planar(), FLOOR, serpenoid())


@experiment("ours", paper="wheels", duration=8.0)
def turning() -> World:
    """The ACM III turns: an offset of all joints bends its track into a circle."""
    return World(acm_iii_planar(), FLOOR, serpenoid(offset=0.06))


@experiment("ours", paper="wheels", duration=6.0)
def slipping() -> World:
    """The ACM III on wheels that hardly hold: it slips sideways and falls behind its wave."""
    robot = acm_iii_planar()
    wheels = tuple(replace(each, side_limit=SLIPPERY) for each in robot.links[0].wheels)
    links = tuple(replace(link, wheels=wheels) for link in robot.links)
    return World(replace(robot, links=links), FLOOR, serpenoid())


@experiment("ours", paper="wheels", duration=6.0)
def up_a_slope() -> World:
    """The ACM III in space climbs a slope of 5 degrees on its wheels.

    Free wheels would roll down. Those of bent links hold against each other, and the wave carries the body up.
    """
    return World(acm_iii(), Environment(ground=Ground(friction=Isotropic(0.5), slope=SLOPE)), serpenoid())


def sprung_acm() -> SpatialRobot:
    """The ACM III in space with springs at its joints' pitch axes, so that its wheels follow the ground.

    With free pitch axes it would fold up and down: each link has one axle, and each joint lets it tip.
    """
    rigid = acm_iii()
    joint = Cardan(yaw=rigid.motors[0], pitch=SPRING)
    return SpatialRobot.uniform(
        20, rigid.links[0], joint, name="acm-iii-sprung", source=f"{rigid.source}; sprung pitch"
    )


@experiment("ours", paper="wheels", duration=6.0)
def over_waves() -> World:
    """A robot on wheels over waves of the ground, with springs at its pitch axes."""
    x, y = np.arange(-BEHIND, AHEAD, SPACING), np.arange(-ASIDE, ASIDE + SPACING / 2, SPACING)
    level = WAVE_HEIGHT / 2 * (1.0 - np.cos(2 * pi * x / WAVE_LENGTH))
    heights = np.repeat(level.round(5)[:, None], len(y), axis=1)
    field = HeightField(heights=heights, spacing=SPACING, origin=(-BEHIND, -ASIDE))
    return World(sprung_acm(), Environment(ground=Ground(friction=Isotropic(0.5), heights=field)), serpenoid())


SCENARIOS = listed(acm_iii_scenario, turning, slipping, up_a_slope, over_waves, paper="wheels")

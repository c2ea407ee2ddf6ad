"""The course of the closed loop: a sine through pegs that stand behind its flanks, and robots to drive along it.

Holden2014 shows one frozen instant, a robot in the shape of a sine held by five pegs. This is the same sine, laid out
over several body lengths.
"""

from __future__ import annotations

from math import cos, pi, radians, sin, tan

import numpy as np

from pushpoint.mapping.rails import Path
from pushpoint.model.environment import Peg
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

STEEPEST_DEG = 43.0
"""Angle between the sine and its axis where it crosses it."""
WAVE = 0.7
"""Length of one wave along the axis, for the robot of fifteen links [m]."""
WAVES = 7
"""Waves of the course."""
PEG_RADIUS = 0.02
CLEARANCE = 0.5e-3
"""Gap between the pegs and a body on the sine [m]; links are chords of it and may come nearer by a part of this."""
POINTS_PER_WAVE = 60


def fifteen_links() -> PlanarRobot:
    """A light robot of fifteen equal links, 1.5 m long."""
    mass, length = 0.3, 0.1
    link = PlanarLink(length=length, mass=mass, inertia=mass * length**2 / 12, radius=0.03)
    motor = Motor(stiffness=80.0, damping=4.0, torque_limit=4.0)
    return PlanarRobot.uniform(
        15, link, motor, name="fifteen-links", source="ours; the gains of the motors are tuned for shape propagation"
    )


def uneven_links(seed: int = 1) -> PlanarRobot:
    """Fifteen links of equal radius but random lengths, masses and centres of mass, about as light."""
    rng = np.random.default_rng(seed)
    links = []
    for _ in range(15):
        length, mass, offset = rng.uniform(0.07, 0.13), rng.uniform(0.15, 0.6), rng.uniform(-0.2, 0.2)
        inertia = mass * length**2 / 12
        links.append(PlanarLink(length=length, mass=mass, inertia=inertia, radius=0.03, mass_offset=offset * length))
    return PlanarRobot(links=tuple(links), motors=Motor(torque_limit=4.0), name="uneven-links", source="ours, random")


def sine_path(wave: float = WAVE, steepest: float = radians(STEEPEST_DEG)) -> Path:
    """A sine along the x axis from the origin, whose flanks have a given steepness [rad]."""
    x = np.linspace(0.0, WAVES * wave, WAVES * POINTS_PER_WAVE + 1)
    return Path(np.column_stack((x, tan(steepest) * wave / (2 * pi) * np.sin(2 * pi * x / wave))))


def flank_pegs(
    radius: float,
    *,
    wave: float = WAVE,
    steepest: float = radians(STEEPEST_DEG),
    clearance: float = CLEARANCE,
    friction: float = 0.0,
) -> tuple[Peg, ...]:
    """Pegs beside the steepest places of the sine, where they push a body of a given radius [m] forward.

    A body that climbs to the left is pushed forward by a peg to its left, one that climbs to the right by one to its
    right.
    """
    away = radius + PEG_RADIUS + clearance
    pegs = []
    for k in range(2 * WAVES + 1):
        side = (-1.0) ** k
        x, y = k * wave / 2 - away * sin(steepest), side * away * cos(steepest)
        pegs.append(Peg(x=x, y=y, radius=PEG_RADIUS, friction=friction))
    return tuple(pegs)

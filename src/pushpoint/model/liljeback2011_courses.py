"""Random courses for robots that feel their way, as dense as those of Liljeback2011 and like them unknown to the robot.

The robot stands among the pegs in the shape of a wave of random phase, so that it has something to push from when it
begins; nothing touches it yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.courses import CourseFull, random_pegs
from pushpoint.model.environment import Peg
from pushpoint.model.keep_out import Posture, Rectangle
from pushpoint.model.robot import Robot

DENSITY = 5.5
"""Pegs per area wanted [1/m^2]: as many as find room beside the robot in most courses."""
RADIUS = (0.10, 0.15)
"""Smallest and largest radius [m]; the paper's diameters are 20 and 30 cm."""
AREA = Rectangle(x=(-1.4, 1.4), y=(-0.5, 0.5))
"""Where the pegs' centres lie [m]: the robot's length behind its head and as much in front of it; the paper's width."""
CLEARANCE = 0.16
"""Least distance between two pegs [m]: the robot, 0.14 m thick, can pass between any two."""
START_AMPLITUDE, START_SHIFT = 0.5, 0.71
"""Wave of the joints at the start, and its phase from joint to joint [rad]."""
START_GAP = 3e-3
"""Distance left between the robot and the pegs at the start [m]."""
STREAM = 2011
"""Keeps the draws of the start apart from those of the pegs, which have the plain seed."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """Pegs, and how the robot stands among them."""

    pegs: tuple[Peg, ...]
    """The obstacles, from left to right."""
    link_angles: tuple[float, ...]
    """Angles of the links at the start [rad], tail to head; the head link's centre is at the origin."""


def random_course(robot: Robot, seed: int, *, friction: float) -> Course:
    """The course of a seed for this robot; friction is that of the pegs [-].

    Where the pegs wanted find no room, there are fewer.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidModel("random_course: seed", seed, "a whole number >= 0")
    phase = np.random.default_rng((STREAM, int(seed))).uniform(0.0, 2.0 * pi)
    joints = START_AMPLITUDE * np.sin(phase - START_SHIFT * np.arange(robot.n_joints))
    theta = np.concatenate(([0.0], np.cumsum(joints)))
    angles = tuple((theta - theta.mean()).tolist())
    head = robot.n_links - 1
    stance = Posture(robot=robot, link_angles=angles, link=head, position=(0.0, 0.0), gap=START_GAP)
    density = DENSITY
    while True:
        try:
            pegs = random_pegs(
                density=density,
                radius=RADIUS,
                area=AREA,
                seed=int(seed),
                clearance=CLEARANCE,
                keep_out=stance,
                friction=friction,
            )
        except CourseFull as full:
            density = min(full.placed, full.wanted - 1) / AREA.size
            continue
        return Course(pegs=pegs, link_angles=angles)

"""Random courses for robots that feel their way, like those of Liljeback2011 and unknown to the robot.

The field of pegs is made first, as dense as the paper's environments; then the robot is laid into it, as the paper's:
in the shape of a wave, clear of the pegs but with some of them near by on both sides, so that it has something to push
from. Every figure below is one of the paper's three environments; none was chosen by what a controller makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.courses import CourseFull, random_pegs
from pushpoint.model.environment import Peg
from pushpoint.model.keep_out import Posture, Rectangle
from pushpoint.model.planar_robot import PlanarRobot

RADIUS = (0.10, 0.15)
"""Smallest and largest radius [m]; the paper's diameters are 20 and 30 cm."""
CLEARANCE = 0.22
"""Least distance between two pegs [m]: that of the paper's. The robot, 0.14 m thick, passes between any two."""
DENSITY = 4.0
"""Pegs per area wanted [1/m^2]. The median gap between neighbours is then 24 cm, as in the paper."""
AREA = Rectangle(x=(-1.8, 1.6), y=(-0.8, 0.8))
"""Where the pegs' centres lie [m]: around the robot, its length of 1.4 m and more ahead, half of it to the sides."""
HEAD_WITHIN = 0.25
"""How far the head link may be laid from the middle, along x and along y [m]."""
START_AMPLITUDE, START_SHIFT = 0.5, 0.71
"""Wave of the joints at the start, and its phase from joint to joint [rad]."""
START_GAP = 3e-3
"""Distance left between the robot and the pegs at the start [m]."""
NEAR, LEAST_NEAR = 0.06, 3
"""So many pegs are so near the robot at the start [m], as in each of the paper's environments, not all on one side."""
PLACES, FIELDS = 1000, 100
"""Places tried for the robot in a field, and fields tried [-]."""
STREAM = 2011
"""Keeps these draws apart from other uses of a seed."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """Pegs, and how the robot lies among them."""

    pegs: tuple[Peg, ...]
    """The obstacles, from left to right."""
    link_angles: tuple[float, ...]
    """Angles of the links at the start [rad], tail to head; the head link's centre is at the origin."""


def random_course(robot: PlanarRobot, seed: int, *, friction: float) -> Course:
    """The course of a seed for this robot; friction is that of the pegs [-]."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidModel("random_course: seed", seed, "a whole number >= 0")
    random = np.random.default_rng((STREAM, int(seed)))
    for _ in range(FIELDS):
        pegs = _field(int(random.integers(2**32)), friction)
        for _ in range(PLACES):
            stance = _stance(robot, random)
            if _lies_well(stance, pegs):
                return Course(pegs=_moved(pegs, stance.position), link_angles=tuple(stance.link_angles))
    raise InvalidModel("random_course: robot", robot.name, f"one that can lie among pegs {CLEARANCE} m apart")


def _field(seed: int, friction: float) -> tuple[Peg, ...]:
    """Pegs of the density wanted, or fewer where they find no room."""
    density = DENSITY
    while True:
        try:
            return random_pegs(
                density=density, radius=RADIUS, area=AREA, seed=seed, clearance=CLEARANCE, friction=friction
            )
        except CourseFull as full:
            density = min(full.placed, full.wanted - 1) / AREA.size


def _stance(robot: PlanarRobot, random: np.random.Generator) -> Posture:
    """The robot in the shape of a wave of random phase, heading for +x on the whole, its head near the middle."""
    phase = random.uniform(0.0, 2.0 * pi)
    joints = START_AMPLITUDE * np.sin(phase - START_SHIFT * np.arange(robot.n_joints))
    theta = np.concatenate(([0.0], np.cumsum(joints)))
    x, y = random.uniform(-HEAD_WITHIN, HEAD_WITHIN, 2).tolist()
    angles = tuple((theta - theta.mean()).tolist())
    return Posture(robot=robot, link_angles=angles, link=robot.n_links - 1, position=(x, y))


def _lies_well(stance: Posture, pegs: tuple[Peg, ...]) -> bool:
    """Whether the robot is clear of the pegs and has enough of them near by, on both sides."""
    centers = np.array([(peg.x, peg.y) for peg in pegs])
    gaps = stance.distance(centers) - np.array([peg.radius for peg in pegs])
    near = gaps < NEAR
    if gaps.min() < START_GAP or near.sum() < LEAST_NEAR:
        return False
    return len(set(_sides(stance, centers[near]).tolist())) == 2


def _sides(stance: Posture, points: np.ndarray) -> np.ndarray:
    """On which side of the robot points lie: +1 left or -1 right of the link whose centre is nearest, shape (n,)."""
    along = np.stack((np.cos(stance.link_angles), np.sin(stance.link_angles)), axis=-1)
    steps = stance.robot.column("length")[:, None] * along
    middle = np.cumsum(steps, axis=0) - steps / 2
    to_point = points[:, None] - (middle - middle[-1] + np.array(stance.position))
    nearest = np.linalg.norm(to_point, axis=-1).argmin(axis=1)
    x, y = to_point[np.arange(len(points)), nearest].T
    return np.sign(along[nearest, 0] * y - along[nearest, 1] * x)


def _moved(pegs: tuple[Peg, ...], head: tuple[float, float]) -> tuple[Peg, ...]:
    """The pegs as seen from the head link's centre."""
    return tuple(Peg(x=peg.x - head[0], y=peg.y - head[1], radius=peg.radius, friction=peg.friction) for peg in pegs)

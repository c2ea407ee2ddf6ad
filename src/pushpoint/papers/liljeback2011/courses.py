"""The environments of Liljeback2011 as printed, random courses like them, and free starts among obstacles.

The listed poses overlap obstacles, so the robot is moved to the nearest free one.

A random course is unknown to the robot, which has to feel its way. First the field of pegs is made, as dense as the
paper's environments. Then the robot is placed in it as in the paper: in the shape of a wave, clear of the pegs but with
some of them close by on both sides, so that it has something to push against. All numbers below come from the paper's
three environments; none was chosen by how a controller performs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, radians
from typing import Any, NamedTuple

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions, rear_joints
from pushpoint.engine.planar.ranges import Outlines
from pushpoint.engine.planar.start import Start
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.checks import non_negative
from pushpoint.model.courses import CourseFull, Posture, Rectangle, random_pegs
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarRobot

_CM = {
    # environment: x, y, diameter of every obstacle [cm]
    1: ((-123.9, 20.2, 30), (-89.6, -15.7, 20), (-48.4, 13.2, 30), (-8.2, -23.5, 30), (-0.6, 24.8, 20)),
    2: ((-90.9, -20.3, 30), (-35.5, 4.2, 30), (5.1, -28.9, 30), (31.7, 15.9, 30)),
    # Four positions are printed, but five diameters. All five are 30 cm, so the one without a position is left out.
    3: ((-93.1, -61.7, 30), (-79.4, -6.3, 30), (-17.4, -18.9, 30), (14.6, 24.3, 30)),
}
_DEG = {
    1: (49, 43, 6, 14, -19, -20, -3, 16, 11, 1),
    2: (58, 47, 25, -14, -35, -27, -12, 3, 28, 25),
    3: (-4, -4, -2, 15, 30, 65, 40, 29, -3, -22),
}


def obstacles(environment: int, *, friction: float = 0.0, restitution: float = 0.0) -> tuple[Peg, ...]:
    """The obstacles of environment 1, 2 or 3 of Liljeback2011 (IV-C). The head starts at the origin, facing +x.

    The coefficient of friction is not printed. Environment 3 has four printed positions and five diameters: here it has
    four obstacles.
    """
    return tuple(
        Peg(x=x / 100, y=y / 100, radius=diameter / 200, friction=friction, restitution=restitution)
        for x, y, diameter in _CM[_known(environment)]
    )


def printed_link_angles(environment: int) -> tuple[float, ...]:
    """Angles of the ten links at the start [rad], from tail to head: Liljeback2011 (IV-C), "approximately".

    With the head link at the origin, this pose overlaps obstacles by centimetres, so no robot stood exactly like this.
    """
    return tuple(radians(angle) for angle in _DEG[_known(environment)])


def _known(environment: int) -> int:
    if environment not in _CM:
        raise UnknownName("environment of Liljeback2011", str(environment), map(str, _CM))
    return environment


RADIUS = (0.10, 0.15)
"""Smallest and largest radius [m]; the paper's diameters are 20 and 30 cm."""
CLEARANCE = 0.22
"""Least distance between two pegs [m], as in the paper. The robot, 0.14 m thick, fits between any two."""
DENSITY = 4.0
"""Wanted pegs per area [1/m^2]. The median gap between neighbours is then 24 cm, as in the paper."""
AREA = Rectangle(x=(-1.8, 1.6), y=(-0.8, 0.8))
"""Where the pegs' centres lie [m]: around the robot, at least its length of 1.4 m ahead, half of it to the sides."""
HEAD_WITHIN = 0.25
"""How far the head link may be from the middle, along x and along y [m]."""
START_AMPLITUDE, START_SHIFT = 0.5, 0.71
"""Amplitude of the joints' wave at the start, and its phase difference between joints [rad]."""
START_GAP = 3e-3
"""Distance left between the robot and the pegs at the start [m]."""
NEAR, LEAST_NEAR = 0.06, 3
"""At least this many pegs are this close to the robot at the start [m], as in the paper, not all on one side."""
PLACES, FIELDS = 1000, 100
"""Positions tried for the robot in a field, and fields tried [-]."""
AT_ONCE = 100
"""Positions that are looked at together [-]."""
STANCES = np.array([[0.0, -HEAD_WITHIN, -HEAD_WITHIN], [2.0 * pi, HEAD_WITHIN, HEAD_WITHIN]])
"""Smallest and largest phase of the wave [rad] and position of the head [m]."""
ROUNDING = 1e-9
"""More than numbers differ by that are worked out in another order [m]."""
STREAM = 2011
"""Keeps these random numbers apart from other uses of a seed."""


class PegField(NamedTuple):
    """How large the pegs of a random course are, and how near to each other. The defaults are the paper's."""

    radius: tuple[float, float] = RADIUS
    """Smallest and largest radius [m]."""
    clearance: float = CLEARANCE
    """Least distance between two pegs [m]."""
    density: float = DENSITY
    """Wanted pegs per area [1/m^2]; fewer if they do not fit."""


AS_PUBLISHED = PegField()


class RandomCourse(NamedTuple):
    """Pegs, and the robot's start among them."""

    pegs: tuple[Peg, ...]
    """The obstacles, from left to right."""
    start: Start
    """The start, with the head link's centre at the origin."""


def random_course(robot: PlanarRobot, seed: int, *, friction: float, field: PegField = AS_PUBLISHED) -> RandomCourse:
    """The course of a seed for this robot; `friction` is that of the pegs [-]."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidModel("random_course: seed", seed, "a whole number >= 0")
    random = np.random.default_rng((STREAM, int(seed)))
    for _ in range(FIELDS):
        pegs = _pegs(int(random.integers(2**32)), friction, field)
        for _ in range(PLACES // AT_ONCE):
            numbers = random.uniform(STANCES[0], STANCES[1], (AT_ONCE, 3))
            for phase, x, y in numbers[_may_lie_well(robot, numbers, pegs)].tolist():
                stance = _stance(robot, phase, (x, y))
                if _lies_well(stance, pegs):  # then the pegs relative to the head link's centre
                    moved = tuple(replace(peg, x=peg.x - x, y=peg.y - y) for peg in pegs)
                    return RandomCourse(moved, Start(link_angles=stance.link_angles, link=stance.link))
    raise InvalidModel("random_course: robot", robot.name, f"one that can lie among pegs {field.clearance} m apart")


def _pegs(seed: int, friction: float, field: PegField) -> tuple[Peg, ...]:
    """Pegs of the wanted density, or fewer if they do not fit."""
    wanted: dict[str, Any] = {"radius": field.radius, "area": AREA, "clearance": field.clearance, "friction": friction}
    density = field.density
    while True:
        try:
            return random_pegs(density=density, seed=seed, **wanted)
        except CourseFull as full:
            density = min(full.placed, full.wanted - 1) / AREA.size


def _postures(robot: PlanarRobot, phase: np.ndarray) -> np.ndarray:
    """Link angles in the shape of waves of these phases, facing +x on average [rad], shape (..., n_links)."""
    joints = START_AMPLITUDE * np.sin(phase[..., None] - START_SHIFT * np.arange(robot.n_joints))
    theta = np.concatenate((np.zeros((*phase.shape, 1)), np.cumsum(joints, axis=-1)), axis=-1)
    return np.asarray(theta - theta.mean(axis=-1, keepdims=True))


def _stance(robot: PlanarRobot, phase: float, position: tuple[float, float]) -> Posture:
    """The robot in the shape of a wave, with its head at a position."""
    angles = tuple(_postures(robot, np.array(phase)).tolist())
    return Posture(robot=robot, link_angles=angles, link=robot.n_links - 1, position=position)


def _may_lie_well(robot: PlanarRobot, stances: np.ndarray, pegs: tuple[Peg, ...]) -> np.ndarray:
    """Which of many stances (phase, x, y) are clear of the pegs and have enough of them close by, up to rounding.

    Most are not, and are sorted out here together: first those with a peg on a link's middle.
    """
    x, y, radius = np.array([(peg.x, peg.y, peg.radius) for peg in pegs]).T
    theta = _postures(robot, stances[:, 0])
    along = np.cos(theta), np.sin(theta)
    thick, half = robot.column("radius"), robot.column("side_length") / 2
    places = []
    for e, head in zip(along, stances[:, 1:].T, strict=True):
        steps = robot.column("length") * e
        middle = np.cumsum(steps, axis=1) - steps / 2
        mass = middle[:, -1] + robot.column("mass_offset")[-1] * e[:, -1]
        places.append(middle + (head - mass)[:, None])
    reach = radius + thick[:, None] + START_GAP - ROUNDING
    away = [place[:, :, None] - peg for place, peg in zip(places, (x, y), strict=True)]
    clear = np.flatnonzero((away[0] ** 2 + away[1] ** 2 >= reach**2).all(axis=(1, 2)))
    dx, dy = (part[clear] for part in away)
    cos, sin = (part[clear][:, :, None] for part in along)
    beyond = np.clip(dx * cos + dy * sin, -half[:, None], half[:, None])
    gaps = (np.hypot(dx - beyond * cos, dy - beyond * sin) - thick[:, None]).min(axis=1) - radius
    fits = (gaps.min(axis=1) >= START_GAP - ROUNDING) & ((gaps < NEAR + ROUNDING).sum(axis=1) >= LEAST_NEAR)
    return np.asarray(clear[fits])


def _lies_well(stance: Posture, pegs: tuple[Peg, ...]) -> bool:
    """Whether the robot is clear of the pegs and has enough of them close by, on both sides."""
    centers = np.array([(peg.x, peg.y) for peg in pegs])
    gaps = stance.distance(centers) - np.array([peg.radius for peg in pegs])
    near = centers[gaps < NEAR]
    return bool(gaps.min() >= START_GAP and len(near) >= LEAST_NEAR and len(np.unique(_sides(stance, near))) == 2)


def _sides(stance: Posture, points: np.ndarray) -> np.ndarray:
    """On which side of the robot points lie: +1 left or -1 right of the link whose centre is nearest, shape (n,)."""
    along = np.stack((np.cos(stance.link_angles), np.sin(stance.link_angles)), axis=-1)
    steps = stance.robot.column("length")[:, None] * along
    middle = np.cumsum(steps, axis=0) - steps / 2
    to_point = points[:, None] - (middle - middle[-1] + np.array(stance.position))
    nearest = np.linalg.norm(to_point, axis=-1).argmin(axis=1)
    x, y = to_point[np.arange(len(points)), nearest].T
    return np.sign(along[nearest, 0] * y - along[nearest, 1] * x)


GAP = 1e-3
"""Distance left between the robot and the obstacles [m]."""
MOST_ITERATIONS = 300


@dataclass(frozen=True, kw_only=True)
class FreeStart:
    """A start clear of all obstacles, and how far it is from the given one."""

    start: Start
    """The start that is used."""
    overlap: float
    """How deep the given start overlaps an obstacle [m]; 0 if it is clear and used unchanged."""
    moved: float
    """Largest displacement of a joint or an end of the body [m]."""
    turned: float
    """Largest turn of a link [rad]."""

    @property
    def note(self) -> str:
        """One sentence about what was done."""
        if self.moved == 0.0:
            return "the start is as asked"
        return (
            f"the start asked for overlaps an obstacle by {1e3 * self.overlap:.0f} mm: the robot stands in the nearest "
            f"free pose, its joints moved by up to {1e3 * self.moved:.0f} mm, its links turned by up to "
            f"{np.degrees(self.turned):.0f} deg"
        )


def free_start(robot: PlanarRobot, environment: Environment, start: Start, gap: float = GAP) -> FreeStart:
    """The start itself if it is clear of obstacles, else the nearest pose that is, at rest.

    Nearest means the smallest sum of squared displacements of all joints and both ends, among poses that keep a gap [m]
    and the joints' limits. It is found by descent from the start, so a body woven between pegs stays woven.

    Raises:
        InvalidModel: There is no free pose nearby.
    """
    non_negative("gap", gap, "m")
    pose = start.pose(robot)
    asked = np.concatenate((pose["center"], pose["theta"]))
    outlines, before = Outlines(environment.obstacles), _points(robot, asked)
    lower, upper = robot.motor_column("lower"), robot.motor_column("upper")
    limited = np.isfinite(lower) & np.isfinite(upper)

    def clear(pose: np.ndarray) -> np.ndarray:
        return outlines.distances(robot, pose[:2], pose[2:]).ravel()

    def within_limits(pose: np.ndarray) -> np.ndarray:
        joints = np.diff(pose[2:])[limited]
        return np.concatenate((upper[limited] - joints, joints - lower[limited]))

    if not environment.obstacles or clear(asked).min() >= 0.0:
        return FreeStart(start=start, overlap=0.0, moved=0.0, turned=0.0)
    from scipy.optimize import minimize  # here, because it takes time to load

    # In decimetres, so that objective and constraints are of the same order as the angles.
    found = minimize(
        lambda pose: 100.0 * ((_points(robot, pose) - before) ** 2).sum(),
        asked,
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda pose: 10.0 * (clear(pose) - gap)},
            {"type": "ineq", "fun": within_limits},
        ],
        options={"maxiter": MOST_ITERATIONS, "ftol": 1e-9},
    ).x
    if clear(found).min() < 0.5 * gap:
        raise InvalidModel("start", f"{-1e3 * clear(asked).min():.3g} mm deep in an obstacle", "near a free pose")
    return FreeStart(
        start=Start(link_angles=tuple(found[2:].tolist()), position=tuple(found[:2].tolist())),
        overlap=float(-clear(asked).min()),
        moved=float(np.linalg.norm(_points(robot, found) - before, axis=1).max()),
        turned=float(np.abs(found[2:] - asked[2:]).max()),
    )


def perturbed(start: Start, spread: float, seed: int, robot: PlanarRobot) -> Start:
    """The start with every link turned by a normally distributed angle of the given spread [rad]; the head stays."""
    pose = start.pose(robot)
    theta = pose["theta"] + spread * np.random.default_rng(seed).standard_normal(robot.n_links)
    head = link_positions(robot, pose["center"], pose["theta"])[-1]
    return Start(link_angles=tuple(theta.tolist()), link=robot.n_links - 1, position=tuple(head.tolist()))


def _points(robot: PlanarRobot, pose: np.ndarray) -> np.ndarray:
    """Joints and both ends of the body [m], shape (n_links + 1, 2)."""
    rear = rear_joints(robot, pose[:2], pose[2:])
    tip = rear[-1] + robot.links[-1].length * np.array([np.cos(pose[-1]), np.sin(pose[-1])])
    return np.concatenate((rear, tip[None]))

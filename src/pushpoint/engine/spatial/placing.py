"""Puts a spatial robot down on what lies below it: lowers it, and lays it along a slope or on uneven ground."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pushpoint.engine.sharing import Shared
from pushpoint.engine.spatial.kinematics import BodyPosture, link_poses, product
from pushpoint.engine.spatial.obstacles import solids_near
from pushpoint.engine.spatial.packing import ground_normal
from pushpoint.engine.spatial.ranges import flat_gaps, ground_gaps, nearest_solid, reaches_of, surface_gaps
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import HeightField

NEAR_ENOUGH = 1e-9
"""Remaining gap of a robot that is placed on the ground [m]."""
ROUND_OFF = 1e-15
"""The same, relative to the largest coordinate [-]: rounding allows nothing finer."""
MOST_ROUNDS = 10000
SLACK = 1e-6
"""How much farther obstacles are looked for than necessary [m]: rounding."""
LEVEL = (1.0, 0.0, 0.0, 0.0)
MOST_TIPPED = 0.2
"""Largest turn of one round in which a robot tips on uneven ground [rad]."""
LEAST_TIPPED = 1e-5
"""A robot that tips by less has found its place [rad]."""
LOWER = 1e-6
"""A robot that tips must come to lie this much lower [m]."""
GRID, ZOOMS = 17, 8
"""Tilts per axis and rounds of the search for the one that lets a robot sink deepest; each round is 4 times finer."""

Place = Callable[[np.ndarray], np.ndarray]
"""The centre of mass of a robot whose tail has this orientation; its height does not matter."""


def put_down(
    robot: SpatialRobot,
    environments: Sequence[Environment],
    posture: BodyPosture,
    center: np.ndarray,
    step: float | None = None,
) -> np.ndarray:
    """Centres of mass at the height at which robots just touch the ground or an obstacle on it, shape (n_worlds, 3).

    `step` is how far they are first lifted if they overlap them [m]; default: the length of the robot.
    """
    lying, steps = np.array(center), np.full(len(center), robot.length if step is None else step)
    beneath = Beneath(robot, environments, posture)
    gap = beneath.gaps(lying)
    rows = np.flatnonzero(gap <= 0.0)
    while rows.size:
        lying[rows, 2] += steps[rows]
        steps[rows] *= 2
        gap[rows] = beneath.gaps(lying, rows)
        rows = rows[gap[rows] <= 0.0]
    # Moving down by the gap cannot hit anything, since nothing is nearer than the gap.
    rows = np.arange(len(lying))
    for _ in range(MOST_ROUNDS):
        rows = rows[gap[rows] >= np.maximum(NEAR_ENOUGH, ROUND_OFF * np.abs(lying[rows]).max(axis=1))]
        if not rows.size:
            break
        lying[rows, 2] -= gap[rows]
        gap[rows] = beneath.gaps(lying, rows)
    return lying


class Beneath:
    """How far robots in their postures are above the ground and the obstacles on it, world by world."""

    def __init__(
        self, robot: SpatialRobot, environments: Sequence[Environment], posture: BodyPosture, *, endless: bool = False
    ) -> None:
        """`endless`: whether obstacles of unlimited height count; where all are such pegs, they never do."""
        self._robot, self._posture, self._environments = robot, posture, environments
        self._endless = endless
        own = Shared(environments)
        self._up = own.stack(lambda environment: ground_normal(environment.ground))
        self._uneven = own.stack(lambda environment: environment.ground.heights is not None)
        self._littered = own.stack(lambda each: bool(each.others) or not np.isnan(each.pegs.height).all())

    def gaps(self, center: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """The smallest distance [m] of the robots of some worlds; default: all. `center` is that of all worlds."""
        rows = np.arange(len(center)) if rows is None else rows
        posture = BodyPosture(*(part[rows] for part in self._posture))
        places, frames = posture.at(center[rows]), posture.frames
        found = flat_gaps(self._robot, self._up[rows], places, frames).min(axis=-1)
        for k in np.flatnonzero(self._uneven[rows] | self._littered[rows]):
            environment = self._environments[rows[k]]
            found[k] = nearest_to(self._robot, environment, places[k], frames[k], endless=self._endless)[0]
        return found


def nearest_obstacle(
    robot: SpatialRobot, environment: Environment, center: np.ndarray, tail: np.ndarray, angle: np.ndarray
) -> tuple[float, int, int | None]:
    """The smallest distance between a link and anything [m], that link, and the obstacle (None for the ground)."""
    return nearest_to(robot, environment, *link_poses(robot, center, tail, angle))


def nearest_to(
    robot: SpatialRobot, environment: Environment, places: np.ndarray, frames: np.ndarray, *, endless: bool = True
) -> tuple[float, int, int | None]:
    """The same for links in these poses; `endless`: whether pegs of unlimited height count."""
    ground = ground_gaps(robot, environment, places, frames)
    # Whatever is farther than the ground does not matter.
    middle = places.mean(axis=0)
    reach = np.linalg.norm(places - middle, axis=1) + np.abs(robot.column("mass_offset")) + reaches_of(robot)
    found = solids_near(environment, middle, max(float(ground.min()), 0.0) + reach.max() + SLACK, endless=endless)
    gap, link, row = nearest_solid(robot, [solid for solid, _ in found], places, frames)
    if ground.min() <= gap:
        return float(ground.min()), int(ground.argmin()), None
    return gap, link, found[row][1]


def upright_on(ground: Ground) -> tuple[float, ...]:
    """The shortest rotation from straight up to the normal of a plane ground, a quaternion."""
    return _shortest(ground_normal(ground))


def _shortest(normal: np.ndarray) -> tuple[float, ...]:
    """The shortest rotation from straight up to a unit vector, a quaternion (w, x, y, z)."""
    turn = np.array([1.0 + normal[2], -normal[1], normal[0], 0.0])
    return tuple(float(part) for part in turn / np.linalg.norm(turn))


def rest_on_field(
    robot: SpatialRobot,
    environment: Environment,
    field: HeightField,
    place: Place,
    tail: np.ndarray,
    angle: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass and orientation of the tail of a robot as it rests on uneven ground with its joints locked.

    As `tail` lies on a level floor, it is turned by the plane that fits the ground below best, lowered, and tipped as
    it would fall, until it lies as deep as it can.
    """

    def lowered(center: np.ndarray, tail: np.ndarray, step: float | None = None) -> np.ndarray:
        posture = BodyPosture.of(robot, tail[None], angle[None])
        return put_down(robot, [environment], posture, center[None], step)[0]

    around = link_poses(robot, place(tail), tail, angle)[0]
    tail = product(np.array(_shortest(_fitting_normal(field, around, robot.column("radius")))), tail)
    center = lowered(place(tail), tail)
    most = MOST_TIPPED
    while most > LEAST_TIPPED:
        points, gaps = surface_gaps(robot, field, *link_poses(robot, center, tail, angle))
        tilt, sinks = _deepest_tilt((points - center)[:, :2], gaps, float(robot.column("radius").max()), most)
        if sinks < LOWER:
            break
        tipped = product(_small_turn(tilt), tail)
        at = place(tipped) * (1.0, 1.0, 0.0) + (0.0, 0.0, center[2])
        lying = lowered(at, tipped, sinks)
        if lying[2] < center[2] - LOWER:
            center, tail = lying, tipped
        else:
            most /= 4  # contacts move as it tips, so a long step may lead past the place
    return center, tail


def _fitting_normal(field: HeightField, places: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Normal of the plane that fits the ground below links best, also to their sides; upward, shape (3,)."""
    sides = radii[:, None] * np.stack((np.cos(AROUND), np.sin(AROUND)))[:, None]
    x, y = (places[:, :2].T[:, :, None] + sides).reshape(2, -1)
    columns = np.stack((np.ones_like(x), x - x.mean(), y - y.mean()), axis=1)
    _, *slope = np.linalg.lstsq(columns, height_at(field, x, y), rcond=None)[0]
    normal = np.array([-slope[0], -slope[1], 1.0])
    return normal / np.linalg.norm(normal)


AROUND = np.arange(8) * np.pi / 4
"""Directions from a link in which the ground below it is looked at [rad]."""


def height_at(field: HeightField, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights of the ground at places x, y [m], shape (n,)."""
    columns, rows = field.heights.shape
    u = np.clip((x - field.origin[0]) / field.spacing, 0.0, columns - 1.0)
    v = np.clip((y - field.origin[1]) / field.spacing, 0.0, rows - 1.0)
    i, j = (np.minimum(np.floor(at), count - 2).astype(int) for at, count in ((u, columns), (v, rows)))
    s, t, z = u - i, v - j, field.heights
    near, far = z[i, j] * (1 - s) + z[i + 1, j] * s, z[i, j + 1] * (1 - s) + z[i + 1, j + 1] * s
    return np.asarray(near * (1 - t) + far * t)


def _deepest_tilt(places: np.ndarray, gaps: np.ndarray, radius: float, most: float) -> tuple[np.ndarray, float]:
    """The small tilt, rise per way along x and y, with which points above the ground let their origin sink deepest [m].

    To first order a tilt (a, b) lifts the point at (x, y) by a x + b y, so the origin can sink by the least of
    gap + a x + b y: a concave function, whose maximum has points on all sides of the origin touch the ground. A body
    that is narrower than a link's radius is not tipped sideways, because round links cannot stand on so little.
    """
    _, axes = np.linalg.eigh(places.T @ places)
    across, along = places @ axes[:, 0], places @ axes[:, 1]
    grid = np.linspace(-1.0, 1.0, GRID)
    wide = np.abs(across).max() > radius
    counts = gaps < 2.0 * most * np.abs(places).sum(axis=1).max()  # others are too high to touch
    across, along, gaps = across[counts], along[counts], gaps[counts]
    best, reach, deepest = np.zeros(2), most, 0.0
    for _ in range(ZOOMS):
        a, b = best[1] + reach * grid, (best[0] + reach * grid if wide else np.zeros(1))
        sink = np.min(gaps + a[:, None, None] * along + b[None, :, None] * across, axis=-1)
        row, column = np.unravel_index(int(sink.argmax()), sink.shape)
        best, reach, deepest = np.array([b[column], a[row]]), reach / 4, float(sink[row, column])
    return axes @ best, deepest


def _small_turn(tilt: np.ndarray) -> np.ndarray:
    """The rotation that tilts a level plane by a rise per way along x and y, a quaternion."""
    normal = np.array([-tilt[0], -tilt[1], 1.0])
    return np.array(_shortest(normal / np.linalg.norm(normal)))

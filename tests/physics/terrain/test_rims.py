"""Links in random poses against cylinders, tubes and wedges: the contact found is that of the nearest points.

Oracles: for convex solids the nearest points by alternating projections onto both bodies (Cheney and Goldstein, 1959);
for a tube the smallest distance over many points of the link's axis, narrowed down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.spatial.engine import Contact, contacts, stepper_in
from pushpoint.engine.stepper import Stepper

DEPTH = 1e-4
WEIGHTLESS = pp.Ground(gravity=0.0)
ROUND = pp.SpatialLink(length=0.3, mass=1.0, inertia=(5e-4, 8e-3, 8e-3), radius=0.03)
SQUARE = pp.SpatialLink(
    length=0.3, mass=1.0, inertia=(2e-3, 8e-3, 8e-3), radius=0.03, side_length=0.28, shape="square", corner_radius=0.003
)
LINKS = {"round": (ROUND, 0.03, np.array([0.15, 0.0, 0.0])), "square": (SQUARE, 0.003, np.array([0.14, 0.027, 0.027]))}
"""A link, the radius by which its core is rounded, and half the edges of that core [m]."""
PEG = pp.Peg(x=0.0, y=0.0, radius=0.08, height=5.0)
RAMP = pp.Ramp(foot=(-0.1, 0.05), heading=0.3, length=0.25, rise=0.15, width=0.2)

Projection = Callable[[np.ndarray], np.ndarray]


def onto_peg(point: np.ndarray) -> np.ndarray:
    """The nearest point of PEG."""
    rho = max(float(np.hypot(point[0], point[1])), 1e-300)
    flat = point[:2] * min(1.0, PEG.radius / rho)
    return np.array([*flat, min(point[2], 5.0)])


def onto_ramp(point: np.ndarray) -> np.ndarray:
    """The nearest point of RAMP: in its own axes, of a triangle and of its width."""
    turn = Rotation.from_euler("Z", RAMP.heading)
    x, y, z = turn.inv().apply(point - np.array([*RAMP.foot, 0.0]))
    corners = np.array([(0.0, 0.0), (RAMP.length, 0.0), (RAMP.length, RAMP.rise)])
    flat = np.array([x, z])
    if 0.0 <= z <= RAMP.rise * x / RAMP.length and x <= RAMP.length:
        best = flat
    else:
        sides = [(corners[k], corners[(k + 1) % 3] - corners[k]) for k in range(3)]
        feet = [a + np.clip((flat - a) @ d / (d @ d), 0.0, 1.0) * d for a, d in sides]
        best = min(feet, key=lambda foot: float(np.linalg.norm(foot - flat)))
    return np.asarray(
        turn.apply([best[0], np.clip(y, -RAMP.width / 2, RAMP.width / 2), best[1]]) + np.array([*RAMP.foot, 0.0])
    )


def nearest(center: np.ndarray, turn: Rotation, core: np.ndarray, onto: Projection) -> tuple[np.ndarray, np.ndarray]:
    """Nearest points of a link's core and of a solid."""
    p = center
    for _ in range(2000):
        q = onto(p)
        after = center + turn.apply(np.clip(turn.inv().apply(q - center), -core, core))
        if float(np.abs(after - p).max()) < 1e-13:
            break
        p = after
    return p, onto(p)


def start_at(center: np.ndarray, turn: Rotation) -> dict[str, np.ndarray]:
    """At rest, in the words of `SpatialStart.pose`."""
    none = np.zeros(0)
    tail = turn.as_quat(scalar_first=True)
    return {
        "center": center,
        "tail": tail,
        "angle": none,
        "rate": none,
        "v": np.zeros((1, 3)),
        "omega": np.zeros((1, 3)),
    }


def pressed(
    random: np.random.Generator, shape: str, onto: Projection, middle: np.ndarray
) -> tuple[np.ndarray, Rotation, np.ndarray]:
    """Centre and turn of a link that is DEPTH deep in a solid, with the normal there toward the link."""
    _, rounding, core = LINKS[shape]
    while True:
        turn, center = Rotation.random(rng=random), middle + random.uniform(-0.2, 0.2, 3)
        p, q = nearest(center, turn, core, onto)
        distance = float(np.linalg.norm(p - q))
        if distance > 1e-2 and (q[2] > 1e-3):
            n = (p - q) / distance
            moved = center + (rounding - DEPTH - distance) * n
            p, q = nearest(moved, turn, core, onto)
            if q[2] > 1e-3 and float(np.linalg.norm(p - q)) > 1e-3 * rounding:
                return moved, turn, (p - q) / float(np.linalg.norm(p - q))


SOLIDS: dict[str, tuple[pp.Obstacle, Projection, np.ndarray]] = {
    "peg": (PEG, onto_peg, np.array([0.0, 0.0, 4.95])),
    "ramp": (RAMP, onto_ramp, np.array([0.02, 0.09, 0.1])),
}


@pytest.fixture(scope="module", params=[(solid, shape) for solid in SOLIDS for shape in LINKS], ids="-".join)
def touching(request: pytest.FixtureRequest) -> tuple[Stepper, list[np.ndarray]]:
    """Links in random poses, pressed into a solid, after their first step, and the normals there."""
    name, shape = request.param
    obstacle, onto, middle = SOLIDS[name]
    random = np.random.default_rng(1)
    poses = [pressed(random, shape, onto, middle) for _ in range(10)]
    robot = pp.SpatialRobot(links=(LINKS[shape][0],), joints=())
    # Deep below the ground nothing else touches.
    place = pp.Environment(ground=pp.Ground(gravity=0.0, heights=DEEP), obstacles=[obstacle])
    stepper = stepper_in(robot, place, [start_at(center, turn) for center, turn, _ in poses])
    stepper.advance(1)
    return stepper, [n for _, _, n in poses]


DEEP = pp.HeightField(heights=np.full((2, 2), -10.0), spacing=1.0)


class TestConvex:
    def test_depth_is_that_of_the_nearest_points(self, touching: tuple[Stepper, list[np.ndarray]]) -> None:
        found = touching[0].totals("penetration")
        np.testing.assert_allclose(found, DEPTH, rtol=0, atol=2e-6)  # m: what alternating projections reach

    def test_a_contact_has_their_normal(self, touching: tuple[Stepper, list[np.ndarray]]) -> None:
        stepper, normals = touching
        found: list[list[Contact]] = [[] for _ in normals]
        for contact in contacts(stepper):
            found[contact.world].append(contact)
        for mine, n in zip(found, normals, strict=True):
            assert max(float(contact.normal @ n) for contact in mine) > 1.0 - 1e-4  # a hundredth of a radian


PIPE = pp.Pipe(start=(0.0, 0.0, 5.0), end=(0.25, 0.1, 5.2), radius=0.12, thickness=0.02)


def from_tube(points: np.ndarray) -> np.ndarray:
    """Distances of points, shape (n, 3), from PIPE [m]; negative inside its wall."""
    along = (points - np.array(PIPE.start)) @ PIPE.axis
    rho = np.linalg.norm(points - np.array(PIPE.start) - along[:, None] * PIPE.axis, axis=1)
    across = np.abs(rho - 0.13) - 0.01
    beyond = np.abs(along - PIPE.length / 2) - PIPE.length / 2
    outside = np.hypot(np.maximum(across, 0.0), np.maximum(beyond, 0.0))
    return np.asarray(outside + np.minimum(np.maximum(across, beyond), 0.0))


def least_distance(center: np.ndarray, turn: Rotation) -> float:
    """Of the axis of ROUND from PIPE [m]."""
    low, high = -0.15, 0.15
    for _ in range(6):
        s = np.linspace(low, high, 401)
        distances = from_tube(center + turn.apply(np.outer(s, [1.0, 0.0, 0.0])))
        best, step = s[distances.argmin()], s[1] - s[0]
        low, high = max(best - 2 * step, -0.15), min(best + 2 * step, 0.15)
    return float(distances.min())


def test_a_link_in_on_and_through_a_pipe() -> None:
    random = np.random.default_rng(5)
    poses, depths = [], []
    middle = (np.array(PIPE.start) + np.array(PIPE.end)) / 2
    while len(poses) < 40:
        center, turn = middle + random.uniform(-0.25, 0.25, 3), Rotation.random(rng=random)
        rough = from_tube(center + turn.apply(np.outer(np.linspace(-0.15, 0.15, 31), [1.0, 0.0, 0.0]))).min()
        if not 0.02 < rough < 0.04:
            continue
        depth = 0.03 - least_distance(center, turn)
        if 1e-5 < depth < 2e-3:
            poses.append(start_at(center, turn))
            depths.append(depth)
    robot = pp.SpatialRobot(links=(ROUND,), joints=())
    stepper = stepper_in(robot, pp.Environment(ground=WEIGHTLESS, obstacles=[PIPE]), poses)
    stepper.advance(1)
    np.testing.assert_allclose(stepper.totals("penetration"), depths, rtol=0, atol=1e-9)  # m
    assert len({contact.feature for contact in contacts(stepper)}) > 6  # both ends, the side, rims inside and outside


def least_from_peg(center: np.ndarray, turn: Rotation) -> float:
    """Distance of the axis of ROUND from PEG [m], which is convex along the axis."""

    def at(s: float) -> float:
        point = center + turn.apply([s, 0.0, 0.0])
        return float(np.linalg.norm(point - onto_peg(point)))

    between = minimize_scalar(at, bounds=(-0.15, 0.15), method="bounded", options={"xatol": 1e-9}).fun
    return min(at(-0.15), at(0.15), float(between))


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_level_links_beside_and_across_a_rim(precision: Literal["float64", "float32"]) -> None:
    # Tangents and chords of the rim, level or nearly so: the minima of the distance lie together or far apart.
    random = np.random.default_rng(0)
    poses, depths = [], []
    while len(poses) < 60:
        turn = Rotation.from_euler("ZY", [random.uniform(-3.0, 3.0), random.choice([0.0, 1e-6, 1e-3])])
        aside, along = random.choice([0.08, 0.0800001, 0.085, 0.05, 0.0]), random.uniform(-0.1, 0.1)
        center = turn.apply([along, aside, 0.0]) + np.array([0.0, 0.0, random.uniform(4.99, 5.025)])
        distance = least_from_peg(center, turn)
        if 1e-3 < distance < 0.0299:
            poses.append(start_at(center, turn))
            depths.append(0.03 - distance)
    robot, place = pp.SpatialRobot(links=(ROUND,), joints=()), pp.Environment(ground=WEIGHTLESS, obstacles=[PEG])
    stepper = stepper_in(robot, place, poses, pp.Settings(precision=precision))
    stepper.advance(1)
    np.testing.assert_allclose(stepper.totals("penetration"), depths, rtol=0, atol=3e-6)  # m: single precision at 5 m

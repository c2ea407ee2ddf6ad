"""The grid over obstacles: every peg is in its cell, and a link never misses a peg that a plain search finds."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from oracles.engine import stepper_in_poses
from pushpoint.engine.planar.kinematics import rear_joints
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.state import State
from pushpoint.engine.stepper import Stepper
from pushpoint.engine.tables.grids import CELLS_PER_OBSTACLE, ENTRIES_PER_OBSTACLE, grids_of
from pushpoint.kernels.planar.structs import FEATURES
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

ACTIVE_GAP = 1e-6  # m: contacts exist below this


class Grid(NamedTuple):
    """The grid of one environment."""

    origin: np.ndarray
    cell: float
    columns: int
    rows: int
    start: np.ndarray
    obstacles: np.ndarray


def grids_over(boxes: list[tuple[np.ndarray, np.ndarray]]) -> list[Grid]:
    """Grids over the boxes of several environments, made at once."""
    counts = np.array([len(low) for low, _ in boxes])
    made = grids_of(*(np.concatenate([np.zeros((0, 2)), *corner]) for corner in zip(*boxes, strict=True)), counts)
    starts, obstacles = (
        np.split(whole, np.cumsum(each)[:-1])
        for whole, each in ((made.starts, made.cells), (made.obstacles, made.entries))
    )
    cells = zip(made.origin, made.cell.tolist(), made.columns.tolist(), made.rows.tolist(), strict=True)
    return [Grid(*cell, *rest) for cell, *rest in zip(cells, starts, obstacles, strict=True)]


def listed(grid: Grid, column: int, row: int) -> list[int]:
    cell = row * grid.columns + column
    return list(grid.obstacles[grid.start[cell] : grid.start[cell + 1]])


def assert_sound(pegs: np.ndarray) -> Grid:
    """Every peg is listed in all cells that its box reaches into and in no other, ascending and once per cell."""
    low, high = pegs[:, :2] - pegs[:, 2:], pegs[:, :2] + pegs[:, 2:]
    (grid,) = grids_over([(low, high)])
    assert grid.start.shape == (grid.columns * grid.rows + 1,)
    assert (grid.start[0], grid.start[-1]) == (0, len(grid.obstacles)) and (np.diff(grid.start) >= 0).all()
    wanted: dict[tuple[int, int], list[int]] = {}
    for k in range(len(pegs)):
        a = np.floor((low[k] - grid.origin) / grid.cell).astype(int)
        b = np.floor((high[k] - grid.origin) / grid.cell).astype(int)
        for column in range(a[0], b[0] + 1):
            for row in range(a[1], b[1] + 1):
                wanted.setdefault((column, row), []).append(k)
    assert sum(map(len, wanted.values())) == len(grid.obstacles) <= ENTRIES_PER_OBSTACLE * len(pegs)
    for (column, row), rows in wanted.items():
        assert listed(grid, column, row) == rows
    return grid


coordinate = st.floats(-1e3, 1e3)
peg_rows = st.lists(st.tuples(coordinate, coordinate, st.floats(1e-3, 2.0)), min_size=1, max_size=40)


@given(rows=peg_rows)
@settings(deadline=None, max_examples=60)
def test_every_peg_is_in_its_cell(rows: list[tuple[float, float, float]]) -> None:
    assert_sound(np.array(rows))


def test_one_peg_is_one_cell() -> None:
    grid = assert_sound(np.array([[3.0, -2.0, 0.1]]))
    assert set(grid.obstacles) == {0} and grid.cell == pytest.approx(0.2)


def test_one_long_wall_does_not_fill_the_grid() -> None:
    low = np.array([[0.0, 0.0], *([x, 1.0] for x in np.arange(0.0, 100.0, 1.0))])
    high = np.array([[100.0, 0.01], *([x + 0.05, 1.05] for x in np.arange(0.0, 100.0, 1.0))])
    (grid,) = grids_over([(low, high)])
    assert len(grid.obstacles) <= ENTRIES_PER_OBSTACLE * len(low)


def test_pegs_in_one_place_share_a_cell() -> None:
    grid = assert_sound(np.array([[1.0, 1.0, 0.1]] * 4))
    assert listed(grid, 0, 0) == [0, 1, 2, 3]


def test_no_pegs_is_an_empty_cell() -> None:
    (grid,) = grids_over([(np.zeros((0, 2)), np.zeros((0, 2)))])
    assert (grid.columns, grid.rows, list(grid.start), len(grid.obstacles)) == (1, 1, [0, 0], 0)


def test_grids_made_at_once_are_those_made_one_by_one() -> None:
    """Dense and sparse fields, an even and an odd number of boxes, none at all, and a long wall among pegs."""
    rng = np.random.default_rng(5)
    boxes = []
    for count, wide in ((7, 1.0), (0, 1.0), (40, 100.0), (1, 3.0), (0, 1.0), (30, 0.1)):
        low = rng.uniform(-wide, wide, (count, 2))
        boxes.append((low, low + rng.uniform(0.01, 0.2, (count, 2))))
    boxes[2][1][3] += (80.0, 0.0)
    for whole, (low, high) in zip(grids_over(boxes), boxes, strict=True):
        (alone,) = grids_over([(low, high)])
        assert all(np.array_equal(a, b) for a, b in zip(whole, alone, strict=True))


@pytest.mark.parametrize("distance", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, -1.0), (-0.6, 0.8)])
def test_far_outlier_costs_no_memory(distance: float, direction: tuple[float, float]) -> None:
    rng = np.random.default_rng(1)
    pegs = np.column_stack([rng.uniform(0, 5, (100, 2)), np.full(100, 0.05)])
    pegs[37, :2] = distance * np.array(direction)
    grid = assert_sound(pegs)
    assert grid.columns * grid.rows <= 2 * CELLS_PER_OBSTACLE * len(pegs) + 2 * 4097  # 4096 cells along a thin strip


def test_many_pegs_are_spread_thin() -> None:
    rng = np.random.default_rng(2)
    pegs = np.column_stack([rng.uniform(0, 40, (7000, 2)), np.full(7000, 0.05)])
    grid = assert_sound(pegs)
    assert np.diff(grid.start).max() < 12  # a quarter of a peg per cell in the mean
    assert grid.columns * grid.rows < 5 * len(pegs)


LINK = PlanarLink(length=0.12, mass=0.4, inertia=6e-4, radius=0.03, side_length=0.1, mass_offset=0.01)
ROBOT = PlanarRobot.uniform(5, LINK, Motor(stiffness=3.0, damping=0.05))


def gaps(theta: np.ndarray, center: np.ndarray, pegs: np.ndarray) -> np.ndarray:
    """Surface distances of every link and every peg [m], shape (n_links, n_pegs), by looking at all of them."""
    e = np.column_stack([np.cos(theta), np.sin(theta)])
    rear = rear_joints(ROBOT, center, theta)
    to_peg = pegs[None, :, :2] - rear[:, None]
    along = np.clip(np.einsum("ipx,ix->ip", to_peg, e), 0.01, 0.11)
    return np.linalg.norm(to_peg - along[..., None] * e[:, None], axis=-1) - pegs[:, 2] - LINK.radius


def midpoint_gaps(state: State, w: int, pegs: np.ndarray, dt: float) -> np.ndarray:
    """Gaps half a step ahead, where the engine decides about contacts."""
    velocity = ROBOT.column("mass") @ state.v[w] / ROBOT.mass
    return gaps(state.theta[w] + dt / 2 * state.omega[w], state.center[w] + dt / 2 * velocity, pegs)


def field(rng: np.random.Generator, count: int, theta: np.ndarray) -> np.ndarray:
    """Random pegs around the origin, clear of a robot in this posture there."""
    width = 0.12 * np.sqrt(count)
    pegs = np.column_stack([rng.uniform(-width, width, (count, 2)), rng.uniform(0.004, 0.06, count)])
    return pegs[gaps(theta, np.zeros(2), pegs).min(axis=0) > 1e-3]


def environment(pegs: np.ndarray) -> Environment:
    obstacles = [Peg(x=x, y=y, radius=r, friction=0.2) for x, y, r in pegs]
    return Environment(ground=Ground(friction=Isotropic(0.1)), obstacles=obstacles)


def thrown(rng: np.random.Generator, speed: float, dt: float = 1e-3, worlds: int = 2) -> tuple[Stepper, list]:
    """Robots thrown into random fields of pegs, each its own."""
    poses, fields = [], []
    for _ in range(worlds):
        start = Start(
            joint_angles=rng.uniform(-0.6, 0.6, 4),
            heading=rng.uniform(-3, 3),
            velocity=speed * rng.normal(size=2),
            spin=3 * speed * rng.normal(),
            joint_rates=3 * speed * rng.normal(size=4),
        )
        poses.append(start.pose(ROBOT))
        fields.append(field(rng, int(rng.integers(20, 120)), poses[-1]["theta"]))
    settings = Settings(dt=dt, on_failure="record")
    return stepper_in_poses([ROBOT] * worlds, [environment(pegs) for pegs in fields], poses, settings), fields


def contact_pairs(state: State, w: int, first_peg: int) -> set[tuple[int, int]]:
    return {
        (i, int(key) // int(FEATURES) - first_peg)
        for i in range(ROBOT.n_links)
        for key in state.contact_key[w, i, : state.n_contacts[w, i]]
    }


@pytest.mark.parametrize("speed", [0.3, 2.0, 8.0])
@given(seed=st.integers(0, 2**31))
@settings(deadline=None, max_examples=6)
def test_contacts_are_those_a_plain_search_finds(speed: float, seed: int) -> None:
    stepper, fields = thrown(np.random.default_rng(seed), speed)
    for _ in range(150):
        before = stepper.state()
        stepper.advance(1)
        after, statuses = stepper.state(), stepper.statuses()
        for w, pegs in enumerate(fields):
            if statuses[w] is Status.RUNNING:
                gap = midpoint_gaps(before, w, pegs, 1e-3)
                found = contact_pairs(after, w, int(stepper.first_obstacle[w]))
                assert found == {(int(i), int(p)) for i, p in np.argwhere(gap <= ACTIVE_GAP)}


def test_robots_thrown_at_pegs_do_touch_them() -> None:
    touched = 0
    for seed in range(4):
        stepper, _ = thrown(np.random.default_rng(seed), 2.0)
        stepper.advance(150)
        touched += int((np.linalg.norm(stepper.totals("obstacle"), axis=-1) > 0).sum())
    assert touched > 8  # links; otherwise the property above would say nothing


@given(seed=st.integers(0, 2**31))
@settings(deadline=None, max_examples=8)
def test_order_of_the_pegs_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose = Start(joint_angles=rng.uniform(-0.6, 0.6, 4), velocity=rng.normal(size=2)).pose(ROBOT)
    pegs = field(rng, 80, pose["theta"])
    orders = [np.arange(len(pegs)), rng.permutation(len(pegs))]
    tight = Settings(tolerance=1e-9)
    runs = [stepper_in_poses([ROBOT], [environment(pegs[order])], [pose], tight) for order in orders]
    for run in runs:
        run.advance(60)
    a, b = runs
    np.testing.assert_allclose(b.state().center, a.state().center, atol=1e-7)
    np.testing.assert_allclose(b.totals("obstacle"), a.totals("obstacle"), atol=1e-5)
    assert b.totals("penetration") == pytest.approx(a.totals("penetration"), abs=1e-7)


@pytest.mark.parametrize("place", [(50.0, 0.0), (-50.0, 0.0), (0.0, 50.0), (0.0, -50.0), (-40.0, 60.0), (60.0, 60.0)])
def test_robot_outside_the_grid_touches_nothing(place: tuple[float, float]) -> None:
    rng = np.random.default_rng(3)
    pegs = np.column_stack([rng.uniform(-1, 1, (50, 2)), np.full(50, 0.05)])
    pose = Start(position=place, velocity=(1.0, 1.0)).pose(ROBOT)
    stepper = stepper_in_poses([ROBOT], [environment(pegs)], [pose], Settings())
    stepper.advance(100)
    assert stepper.statuses() == [Status.RUNNING] and not stepper.state().n_contacts.any()
    assert not stepper.totals("obstacle").any()


@pytest.mark.parametrize("corner", [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0), (-1.0, 0.0)])
def test_robot_at_the_rim_of_the_grid_meets_its_pegs(corner: tuple[float, float]) -> None:
    # Pegs at the corners span the grid; the robot comes in from outside, its side ahead.
    rim = [(x, y, 0.05) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)]
    outward = np.array(corner) / np.hypot(*corner)
    place = np.array(corner) + 0.12 * outward
    across = np.arctan2(outward[1], outward[0]) + np.pi / 2
    pose = Start(joint_angles=np.zeros(4), heading=across, position=place, velocity=-outward).pose(ROBOT)
    stepper = stepper_in_poses([ROBOT], [environment(np.array(rim))], [pose], Settings())
    stepper.advance(60)  # 60 mm, of which 40 mm are free
    push = stepper.totals("obstacle")[0].sum(axis=0) @ outward
    assert push > 0.1  # N s: a good part of 2 kg at 1 m/s
    pegs = {tuple(np.round(rim[int(stepper.state().contact_key[0, i, 0]) // int(FEATURES)][:2])) for i in range(5)
            if stepper.state().n_contacts[0, i]}  # fmt: skip
    assert pegs <= {corner}


FAR = """
import pushpoint as pp
link = pp.PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=0.03)
course = pp.Environment(obstacles=[pp.Peg(x=0.0, y=0.0, radius={radius})])
gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=3.0, phase_shift=-1.0)
start = pp.Start(position=({x}, {y}))
run = pp.simulate(pp.PlanarRobot.uniform(4, link), course, gait, duration=0.01, start=start)
print(run.attrs["status"], float(run.obstacle_load.sum()))
"""


@pytest.mark.parametrize(("radius", "x", "y"), [(0.1, 1e10, 0.0), (1e-9, 5.0, 5.0)])
def test_robot_more_cells_away_than_a_whole_number_holds(radius: float, x: float, y: float) -> None:
    code = FAR.format(radius=radius, x=x, y=y)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "finished 0.0")

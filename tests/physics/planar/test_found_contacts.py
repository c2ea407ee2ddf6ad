"""Links touch exactly the obstacles that a plain search over all of them finds: pegs, walls and polygons, mixed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from oracles.engine import stepper_in_poses
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.state import State
from pushpoint.engine.stepper import Stepper
from pushpoint.kernels.planar.structs import FEATURES
from pushpoint.model.environment import Environment, Ground, Peg, Polygon, Wall
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

DT = 1e-3
ACTIVE_GAP = 1e-6  # m: contacts exist below this
SHORT = PlanarLink(length=0.12, mass=0.4, inertia=6e-4, radius=0.03, side_length=0.1, mass_offset=0.01)
ROUND = PlanarLink(length=0.08, mass=0.3, inertia=3e-4, radius=0.035, side_length=0.0)
ROBOT = PlanarRobot(links=(SHORT, SHORT, ROUND, SHORT), motors=Motor(stiffness=3.0, damping=0.05))


def random_obstacle(random: np.random.Generator, width: float) -> Obstacle:
    x, y = random.uniform(-width, width, 2)
    kind, friction = random.integers(3), float(random.choice([0.0, 0.3]))
    if kind == 0:
        return Peg(x=x, y=y, radius=random.uniform(0.004, 0.06), friction=friction)
    if kind == 1:
        end = (x + random.normal(0.0, 0.15), y + random.normal(0.0, 0.15))
        return Wall(start=(x, y), end=end, thickness=random.uniform(0.004, 0.04), friction=friction)
    angles = np.sort(random.uniform(0.0, 2 * np.pi, random.integers(3, 13)))
    a, b = random.uniform(0.01, 0.15, 2)
    return Polygon(
        vertices=np.column_stack((x + a * np.cos(angles), y + b * np.sin(angles))).tolist(), friction=friction
    )


def thrown(random: np.random.Generator, speed: float) -> tuple[Stepper, list[Obstacle]]:
    """A robot thrown into a random field."""
    pose = Start(
        joint_angles=random.uniform(-0.6, 0.6, 3),
        heading=random.uniform(-3, 3),
        velocity=speed * random.normal(size=2),
        spin=3 * speed * random.normal(),
        joint_rates=3 * speed * random.normal(size=3),
    ).pose(ROBOT)
    count = int(random.integers(20, 80))
    field = [random_obstacle(random, 0.12 * np.sqrt(count)) for _ in range(count)]
    gaps = link_obstacle_distance(ROBOT, field, pose["center"], pose["theta"]).min(axis=0)
    clear = [obstacle for obstacle, gap in zip(field, gaps, strict=True) if gap > 1e-3]
    environment = Environment(ground=Ground(friction=Isotropic(0.1)), obstacles=clear)
    return stepper_in_poses([ROBOT], [environment], [pose], Settings(dt=DT, on_failure="record")), clear


def midpoint_gaps(state: State, field: list[Obstacle]) -> np.ndarray:
    """Gaps half a step ahead, where the engine decides about contacts, shape (n_links, n_obstacles)."""
    velocity = ROBOT.column("mass") @ state.v[0] / ROBOT.mass
    center, theta = state.center[0] + DT / 2 * velocity, state.theta[0] + DT / 2 * state.omega[0]
    return link_obstacle_distance(ROBOT, field, center, theta)


def touched(state: State) -> set[tuple[int, int]]:
    return {
        (i, int(key) // int(FEATURES))
        for i in range(ROBOT.n_links)
        for key in state.contact_key[0, i, : state.n_contacts[0, i]]
    }


@pytest.mark.parametrize("speed", [0.3, 2.0, 8.0])
@given(seed=st.integers(0, 2**31))
@settings(deadline=None, max_examples=8)
def test_contacts_are_those_a_plain_search_finds(speed: float, seed: int) -> None:
    stepper, field = thrown(np.random.default_rng(seed), speed)
    for _ in range(150):
        before = stepper.state()
        stepper.advance(1)
        if stepper.statuses() != [Status.RUNNING]:
            return
        gap = midpoint_gaps(before, field)
        assert touched(stepper.state()) == {(int(i), int(o)) for i, o in np.argwhere(gap <= ACTIVE_GAP)}


def test_thrown_robots_touch_all_kinds_and_do_not_pass_through_them() -> None:
    kinds: set[type] = set()
    running = 0
    for seed in range(12):
        stepper, field = thrown(np.random.default_rng(seed), 1.0)
        for _ in range(20):
            stepper.advance(20)
            kinds |= {type(field[o]) for _, o in touched(stepper.state())}
        if stepper.statuses() == [Status.RUNNING]:
            running += 1
            # No link has come to lie inside an obstacle: at most the overlap of a hit, 2 m/s for a step.
            assert midpoint_gaps(stepper.state(), field).min() > -2e-3
    assert kinds == {Peg, Wall, Polygon}
    assert running == 12

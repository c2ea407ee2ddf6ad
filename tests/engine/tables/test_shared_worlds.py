"""Worlds that share robots and courses, and pegs in columns: the same arrays and starts as each thing by itself."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import warp as wp

import pushpoint as pp
from pushpoint.description.shapes import write_obstacle, write_obstacles
from pushpoint.engine.sharing import Shared, portions, runs
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import StartBeyondStop, StartOverlap
from pushpoint.worlds.world import poses_of

GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
ROBOTS = {"planar": pp.catalogue.aiko_planar(), "spatial": pp.catalogue.aiko()}
SQUARE = [(6.0, 1.0), (7.0, 1.0), (7.0, 2.0), (6.0, 2.0)]
BAY = [(0, 5), (1, 5), (1, 6), (0, 6), (0, 5.9), (0.9, 5.9), (0.9, 5.1), (0, 5.1)]
OTHERS: dict[str, list[pp.Obstacle]] = {
    "planar": [pp.Wall(start=(5.0, 5.0), end=(6.0, 5.5)), pp.Polygon(vertices=SQUARE), pp.Polygon(vertices=BAY)],
    "spatial": [
        pp.Stairs(foot=(6.0, 0.0), steps=3, rise=0.05, run=0.2, width=1.0),
        pp.Box(center=(4.0, 5.0, 0.1), size=(0.3, 0.2, 0.2), friction=0.3),
    ],
}


@dataclass(frozen=True, kw_only=True)
class Post(pp.Peg):
    """A peg that is packed as any other obstacle: row by row, from its hulls and solids."""


def course(kind: str, seed: int, peg: type[pp.Peg] = pp.Peg) -> pp.Environment:
    """Pegs of many frictions and heights with other obstacles in between."""
    rng = np.random.default_rng(seed)
    turn, way = rng.uniform(0.0, 2 * np.pi, 12), rng.uniform(1.5, 4.0, 12)
    heights = rng.choice([None, 0.05, 0.3], 12) if kind == "spatial" else [None] * 12
    friction, rebound = rng.choice([0.0, 0.2, 0.5], 12), rng.choice([0.0, 0.4], 12)
    pegs: list[pp.Obstacle] = [
        peg(x=x, y=y, radius=r, height=z, friction=mu, restitution=e)
        for x, y, r, z, mu, e in zip(
            way * np.cos(turn), way * np.sin(turn), rng.uniform(0.02, 0.1, 12), heights, friction, rebound, strict=True
        )
    ]
    for number, other in zip((0, 5, 5), OTHERS[kind], strict=False):
        pegs.insert(number, other)
    return pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2)), obstacles=pegs)


def worlds_of(kind: str, seed: int = 0) -> list[pp.World]:
    """Two courses and one without obstacles, two robots, several starts."""
    start: Any = pp.SpatialStart if kind == "spatial" else pp.Start
    robot, places = ROBOTS[kind], [course(kind, seed), pp.Environment(), course(kind, seed + 1)]
    heavy = replace(robot, links=tuple(replace(link, mass=2 * link.mass) for link in robot.links))
    return [
        pp.World(
            heavy if k % 4 == 3 else robot, places[k % 3], GAIT if k % 2 else None, start(heading=0.1 * k, link=k % 3)
        )
        for k in range(8)
    ]


def arrays_of(worlds: list[pp.World]) -> dict[str, bytes]:
    """All constant arrays of the kernels."""
    stepper = Stepper([world.robot for world in worlds], [world.environment for world in worlds], pp.Settings())
    parts = {name: getattr(stepper, name) for name in ("_numerics", "_model", "_obstacles", "_drive")}
    return {
        f"{part}.{name}": value.numpy().tobytes() if isinstance(value, wp.array) else value
        for part, struct in parts.items()
        for name, value in ((name, getattr(struct, name)) for name in struct._cls.vars)
    }


@pytest.mark.parametrize("kind", ROBOTS)
class TestPacking:
    def test_pegs_in_columns_are_the_rows_of_their_hulls_and_solids(self, kind: str) -> None:
        in_columns, one_by_one = (
            arrays_of([pp.World(ROBOTS[kind], course(kind, seed, peg)) for seed in (3, 4)]) for peg in (pp.Peg, Post)
        )
        assert in_columns == one_by_one

    def test_shared_objects_are_packed_as_equal_ones(self, kind: str) -> None:
        shared = worlds_of(kind)
        assert arrays_of(shared) == arrays_of([copy.deepcopy(world) for world in shared])

    def test_worlds_in_a_row_are_packed_as_alone(self, kind: str) -> None:
        """Rows of obstacles follow each other, world by world."""
        worlds = worlds_of(kind)
        whole = Stepper([w.robot for w in worlds], [w.environment for w in worlds], pp.Settings())
        rows, grids = whole._obstacles.obstacles.numpy(), whole._obstacles.grids.numpy()
        for w, world in enumerate(worlds):
            own = Stepper([world.robot], [world.environment], pp.Settings())._obstacles
            mine = rows[grids["first"][w] : grids["last"][w]]
            assert len(mine) == own.grids.numpy()["last"][0]
            for name in ("radius", "restitution", "deepest"):
                assert np.array_equal(mine[name], own.obstacles.numpy()[name])


@pytest.mark.parametrize("kind", ROBOTS)
class TestStarts:
    def test_poses_of_a_batch_are_those_of_its_worlds(self, kind: str) -> None:
        worlds = worlds_of(kind)
        batch = [*worlds, *worlds[:3]]
        for world, found in zip(batch, poses_of(batch), strict=True):
            alone = world.pose()
            assert found.keys() == alone.keys()
            assert all(found[name].tobytes() == alone[name].tobytes() for name in alone)

    @pytest.mark.parametrize("peg", [pp.Peg, Post])
    def test_the_first_world_that_overlaps_is_named(self, kind: str, peg: type[pp.Peg]) -> None:
        robot = ROBOTS[kind]
        far, near = ([peg(x=9.0, y=9.0, radius=0.1), peg(x=0.0, y=y, radius=0.05)] for y in (1.0, 0.02))
        worlds = [pp.World(robot, pp.Environment(obstacles=pegs)) for pegs in (far, far, near, near)]
        with pytest.raises(StartOverlap) as told:
            poses_of(worlds)
        assert (told.value.world, told.value.obstacle) == (2, 1)
        with pytest.raises(StartOverlap) as alone:
            worlds[2].pose(2)
        assert str(alone.value) == str(told.value)

    def test_errors_come_in_the_order_of_the_worlds(self, kind: str) -> None:
        """A joint beyond its stop in one world, an overlap in the next: whichever world comes first is told."""
        motor = pp.Motor(stiffness=10.0, lower=-0.2, upper=0.2)
        joints: Any = {"joints": pp.Cardan(yaw=motor, pitch=motor)} if kind == "spatial" else {"motors": motor}
        robot: Any = replace(ROBOTS[kind], **joints)
        start: Any = pp.SpatialStart if kind == "spatial" else pp.Start
        bent = start(joint_angles=(0.3, *[0.0] * (robot.n_joints - 1)))
        peg = pp.Peg(x=0.0, y=0.02, radius=0.05)
        beyond = pp.World(robot, pp.Environment(), start=bent)
        blocked = pp.World(robot, pp.Environment(obstacles=[peg]))
        with pytest.raises(StartBeyondStop):
            poses_of([beyond, blocked])
        with pytest.raises(StartOverlap):
            poses_of([blocked, beyond])


def test_a_batch_is_described_as_its_worlds() -> None:
    worlds = worlds_of("spatial")
    again = pp.world_of(pp.simulate([*worlds, worlds[2]], 0.001))
    assert isinstance(again, tuple)
    for made, given in zip(again, [*worlds, worlds[2]], strict=True):
        assert made.environment == given.environment and made.start == given.start and made.robot == given.robot


def test_pegs_are_described_as_any_obstacle() -> None:
    pegs = (pp.Peg(x=1.0, y=2.0, radius=0.3, friction=0.5), pp.Peg(x=0.0, y=-0.0, radius=1.0, height=0.0))
    assert write_obstacles(pegs) == [write_obstacle(peg) for peg in pegs]
    assert [list(each) for each in write_obstacles(pegs)] == [list(write_obstacle(peg)) for peg in pegs]


def test_columns_hold_the_plain_pegs() -> None:
    pegs = [pp.Peg(x=1.0, y=2.0, radius=0.3, height=0.4, friction=0.5, restitution=0.6), pp.Peg(x=7, y=8, radius=9)]
    place = pp.Environment(obstacles=[pegs[0], Post(x=0.0, y=0.0, radius=1.0), pegs[1]])
    assert place.pegs.number.tolist() == [0, 2] and list(place.others) == [1]
    assert np.array(place.pegs[1:]).T.tolist()[0] == [1.0, 2.0, 0.3, 0.4, 0.5, 0.6]
    assert np.isnan(place.pegs.height[1]) and place.pegs.x.tolist() == [1.0, 7.0]


def test_shared_objects_are_told_apart_by_identity() -> None:
    a, b = [1, 2], [1, 2]
    shared = Shared([b, a, b, a, a])
    assert shared.parts[0] is b and shared.parts[1] is a
    assert (shared.which.tolist(), shared.first) == ([0, 1, 0, 1, 1], [0, 1])
    assert [rows.tolist() for rows in shared.members()] == [[0, 2], [1, 3, 4]]
    table = np.array([10, 20, 21])  # one row of b, two of a
    assert table[shared.rows([1, 2])].tolist() == [10, 20, 21, 10, 20, 21, 20, 21]


def test_runs_and_portions() -> None:
    assert runs(np.array([5, 0, 7]), np.array([2, 0, 3])).tolist() == [5, 6, 7, 8, 9]
    sizes = np.array([150_000, 100_000, 10, 10, 900_000, 5])
    parts = list(portions(sizes))
    assert np.concatenate(parts).tolist() == list(range(6)) and len(parts) > 2

"""Worlds put into the place of others: the same motion, to the last bit, as in a batch that was made with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.worlds.world import poses_of

SETTINGS = pp.Settings(dt=2e-3)
PLANAR, SPATIAL = pp.catalogue.aiko_planar(), pp.catalogue.aiko()
SQUARE = [(0.3, 0.2), (0.5, 0.2), (0.5, 0.4), (0.3, 0.4)]
BAY = [(-2, 5), (1, 5), (1, 6), (-2, 6), (-2, 5.9), (0.9, 5.9), (0.9, 5.1), (-2, 5.1)]


def planar_world(seed: int) -> pp.World:
    """A robot between pegs, walls and polygons on ground of its own; some worlds are empty, some robots heavier."""
    rng = np.random.default_rng(seed)
    obstacles: list[pp.Obstacle] = [
        pp.Peg(x=x, y=y, radius=r, friction=mu)
        for x, y, r, mu in zip(
            rng.uniform(-0.6, 0.6, 9),
            rng.choice([-1, 1], 9) * rng.uniform(0.12, 0.3, 9),
            rng.uniform(0.02, 0.06, 9),
            rng.choice([0.0, 0.3], 9),
            strict=True,
        )
    ][: int(rng.integers(2, 10))]
    obstacles[1:1] = [pp.Polygon(vertices=SQUARE), pp.Polygon(vertices=BAY)][: seed % 3]
    obstacles += [pp.Wall(start=(-0.5, -0.5), end=(1.0, -0.4))] * (seed % 2)
    patch = pp.Region.rectangle(x=(-0.2, 0.3), y=(-1.0, 1.0), friction=pp.Elliptic(along=0.1, across=0.1 * (1 + seed)))
    ground = pp.Ground(friction=pp.Isotropic(0.2 + 0.01 * seed), regions=[patch] * (seed % 3))
    robot = PLANAR
    if seed % 4 == 3:
        robot = replace(PLANAR, links=tuple(replace(link, mass=1.5 * link.mass) for link in PLANAR.links))
    return pp.World(robot, pp.Environment(ground=ground, obstacles=[] if seed % 5 == 4 else obstacles))


def spatial_world(seed: int) -> pp.World:
    """A robot on plain or uneven ground, between columns, boxes and stairs; some robots are heavier."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-0.6, 0.6, 5), rng.choice([-1, 1], 5) * rng.uniform(0.12, 0.16, 5)
    obstacles: list[pp.Obstacle] = [pp.Peg(x=x[k], y=y[k], radius=0.05, friction=0.3) for k in range(seed % 3)]
    obstacles += [pp.Box(center=(x[k], y[k], 0.05), size=(0.1, 0.08, 0.1), friction=0.1 * k) for k in range(2, 5)]
    if seed % 3 == 1:
        obstacles.insert(1, pp.Stairs(foot=(1.5, 0.0), steps=2, rise=0.05, run=0.2, width=1.0))
    heights = pp.HeightField(heights=rng.uniform(0.0, 0.01, (20, 20 + seed)), spacing=0.2, origin=(-2.0, -2.0))
    ground = pp.Ground(friction=pp.Isotropic(0.3 + 0.01 * seed), heights=heights if seed % 2 else None)
    robot = SPATIAL
    if seed % 4 == 3:
        robot = replace(SPATIAL, links=tuple(replace(link, mass=1.5 * link.mass) for link in SPATIAL.links))
    if seed % 2:
        obstacles = []
    return pp.World(robot, pp.Environment(ground=ground, obstacles=obstacles))


MAKE: dict[str, Any] = {"planar": planar_world, "spatial": spatial_world}


def stepper_of(worlds: list[pp.World], **form: Any) -> Stepper:
    return Stepper([world.robot for world in worlds], [world.environment for world in worlds], SETTINGS, **form)


def swing(stepper: Stepper, turns: int, worlds: int) -> None:
    """Bends the robots, each in its own way."""
    for k in range(turns):
        shift = np.arange(worlds)[:, None] + 0.7 * np.arange(stepper.n_joints)
        stepper.use_command(pp.Command(joint_angle=0.5 * np.sin(0.5 * k + shift)), 10)
        stepper.advance(10)


def put(stepper: Stepper, rows: list[int], worlds: list[pp.World]) -> None:
    stepper.replace(np.array(rows), [world.robot for world in worlds], [world.environment for world in worlds])


def assert_same_motion(one: Stepper, other: Stepper) -> None:
    """All of the state is equal, but for the rows of obstacles that contacts are named by."""
    a, b = one.state(), other.state()
    for name in type(a).names():
        if name != "contact_key":
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize(("kind", "planes"), [("planar", False), ("planar", True), ("spatial", False)])
def test_worlds_in_others_places_move_as_in_a_new_batch(kind: str, planes: bool) -> None:
    """Courses that need more and less room, other laws, terrains and masses, several times over."""
    worlds = [MAKE[kind](seed) for seed in range(3)]
    stepper = stepper_of(worlds, planes=planes)
    stepper.load(stepper.initial(poses_of(worlds)))
    swing(stepper, 2, 3)
    touched = False
    for turn, rows in enumerate(([1], [0, 2], [2], [0, 1, 2])):
        new = [MAKE[kind](3 * turn + row + 3) for row in rows]
        for row, world in zip(rows, new, strict=True):
            worlds[row] = world
        put(stepper, rows, new)
        fresh = stepper_of(worlds, planes=planes)
        for each in (stepper, fresh):
            each.load(fresh.initial(poses_of(worlds)))
            swing(each, 6, 3)
        assert_same_motion(stepper, fresh)
        touched |= bool(fresh.totals("obstacle").any())
    assert touched


@pytest.mark.parametrize("kind", MAKE)
def test_contacts_go_on_with_their_obstacles(kind: str) -> None:
    """In the middle of a motion worlds are replaced by equal ones: it continues to the last bit as if nothing was."""
    worlds = [MAKE[kind](seed) for seed in (6, 2, 8)]
    stepper, other = (stepper_of(worlds) for _ in range(2))
    for each in (stepper, other):
        each.load(other.initial(poses_of(worlds)))
        swing(each, 3, 3)
    state, first = (
        other.state(),
        other._engine.FIRST_KEY + other._engine.FEATURES * len(worlds[0].environment.obstacles),
    )
    held = np.arange(state.contact_key.shape[2]) < state.n_contacts[..., None]
    assert (held & (state.contact_key >= first))[1:].any()
    put(stepper, [1], [worlds[1]])  # every world gets a block of its own, so that rows of obstacles move
    put(stepper, [2, 0], [worlds[2], worlds[0]])
    for each in (stepper, other):
        swing(each, 4, 3)
    assert_same_motion(stepper, other)


def test_tables_that_worlds_share_are_separated_when_they_differ() -> None:
    """In planes, equal robots on equal ground are there once: other courses leave it so, a heavier robot does not."""
    ground = pp.Ground(friction=pp.Isotropic(0.2))

    def place(x: float) -> pp.Environment:
        return pp.Environment(ground=ground, obstacles=[pp.Peg(x=x, y=0.14, radius=0.05)])

    worlds = [pp.World(PLANAR, place(0.1 * k)) for k in range(3)]
    stepper = stepper_of(worlds, planes=True)
    heavy = replace(PLANAR, links=tuple(replace(link, mass=1.5 * link.mass) for link in PLANAR.links))
    for new, shared in ((pp.World(PLANAR, place(0.15)), True), (pp.World(heavy, place(0.25)), False)):
        worlds[1] = new
        put(stepper, [1], [new])
        assert stepper._records.shared is shared
        fresh = stepper_of(worlds, planes=True)
        for each in (stepper, fresh):
            each.load(fresh.initial(poses_of(worlds)))
            swing(each, 6, 3)
        assert_same_motion(stepper, fresh)
        assert fresh.totals("obstacle")[1].any()


def test_samples_of_new_obstacles() -> None:
    """Loads on obstacles stand in the order of the worlds' obstacles, whatever room the worlds have."""
    worlds = [MAKE["planar"](seed) for seed in (5, 7, 6)]
    stepper, found = stepper_of([worlds[0], worlds[2], worlds[2]]), []
    put(stepper, [1], [worlds[1]])
    for each in (stepper, stepper_of(worlds)):
        each.load(each.initial(poses_of(worlds)))
        each.new_samples(5, 10, wanted=("load_on", "v"))
        swing(each, 4, 3)
        found.append(each.samples()["load_on"])
        np.testing.assert_array_equal(
            each.first_obstacle, np.cumsum([0, *(len(w.environment.obstacles) for w in worlds)])
        )
    assert found[1].any()
    np.testing.assert_array_equal(*found)


def test_room_does_not_grow_without_need() -> None:
    """Four hundred new frictions and courses: tables stay as large as a few times what is in use."""
    worlds = [MAKE["planar"](seed) for seed in range(3)]
    stepper = stepper_of(worlds)
    put(stepper, [0], [worlds[0]])
    for k in range(400):
        ground = pp.Ground(friction=pp.Isotropic(0.2 + 1e-4 * k))
        put(
            stepper,
            [k % 3],
            [pp.World(PLANAR, pp.Environment(ground=ground, obstacles=worlds[k % 3].environment.obstacles))],
        )
    tables = stepper._tables
    assert len(tables.model.laws) < 40
    assert len(stepper._records._views) < 100
    most = max(len(world.environment.obstacles) for world in worlds)
    assert tables.blocks["obstacles"] <= 2 * (most + 2)


class TestRefused:
    def test_another_number_of_links(self) -> None:
        stepper = stepper_of([planar_world(0)])
        with pytest.raises(InvalidModel, match="worlds: number of links"):
            put(
                stepper,
                [0],
                [pp.World(replace(PLANAR, links=PLANAR.links[:-1], motors=PLANAR.motors[:-1]), pp.Environment())],
            )

    def test_self_contact_that_the_others_do_not_have(self) -> None:
        stepper = stepper_of([planar_world(0)])
        with pytest.raises(InvalidModel, match=r"selves of a robot = .* at most 1"):
            put(stepper, [0], [pp.World(replace(PLANAR, self_contact=True), pp.Environment())])

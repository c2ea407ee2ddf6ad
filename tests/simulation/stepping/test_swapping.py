"""Worlds put into a Simulator's slots, and worlds that wait: everything as in a new Simulator, to the last bit."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel, StartOverlap

DT = pp.Settings(dt=5e-3)
RATE = 20.0
PLANAR, SPATIAL = pp.catalogue.aiko_planar(), pp.catalogue.aiko()
NOISY = pp.Sensors(
    joint_angle=pp.Channel(noise=0.01),
    contact_normal_force=pp.Channel(noise=0.1, delay=0.1),
    imu_angular_rate=pp.Channel(noise=0.1, rate=10.0),
)

ODD = replace(NOISY, joint_angle=pp.Channel(rate=7.0))


def sensors_of(seed: int) -> pp.Sensors:
    """Perfect ones, noisy ones, and noisy ones with a longer delay."""
    if seed % 3 == 0:
        return pp.Sensors()
    return replace(NOISY, seed=seed, joint_angle=pp.Channel(noise=0.01, delay=0.05 * (seed % 4)))


def planar_world(seed: int) -> pp.World:
    """Pegs on both sides of the robot; sometimes none, sometimes a heavier robot with weaker motors."""
    rng = np.random.default_rng(seed)
    count = 0 if seed % 5 == 4 else int(rng.integers(2, 9))
    x, y = rng.uniform(-0.6, 0.6, count), rng.choice([-1, 1], count) * rng.uniform(0.15, 0.3, count)
    pegs = [pp.Peg(x=a, y=b, radius=0.05, friction=0.3) for a, b in zip(x, y, strict=True)]
    robot = PLANAR
    if seed % 4 == 3:
        links = tuple(replace(link, mass=1.3 * link.mass) for link in PLANAR.links)
        robot = replace(PLANAR, links=links, motors=replace(PLANAR.motors[0], torque_limit=4.0))
    ground = pp.Ground(friction=pp.Isotropic(0.2 + 0.02 * seed))
    start = pp.Start(heading=0.05 * (seed % 3), position=(0.01 * seed, 0.0))
    return pp.World(robot, pp.Environment(ground=ground, obstacles=pegs), None, start, sensors_of(seed))


def spatial_world(seed: int) -> pp.World:
    """Boxes beside the robot, or uneven ground."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 6))
    x, y = rng.uniform(-0.6, 0.6, count), rng.choice([-1, 1], count) * rng.uniform(0.12, 0.16, count)
    boxes = [pp.Box(center=(a, b, 0.05), size=(0.1, 0.08, 0.1)) for a, b in zip(x, y, strict=True)]
    field = pp.HeightField(heights=rng.uniform(0.0, 0.01, (20, 20)), spacing=0.2, origin=(-2.0, -2.0))
    ground = pp.Ground(friction=pp.Isotropic(0.3), heights=field if seed % 2 else None)
    place = pp.Environment(ground=ground, obstacles=[] if seed % 2 else boxes)
    return pp.World(SPATIAL, place, None, None, sensors_of(seed))


MAKE: dict[str, Any] = {"planar": planar_world, "spatial": spatial_world}


def wave(simulator: pp.Simulator, turn: int) -> pp.Command:
    """Another bend in every world."""
    n_joints = simulator.worlds[0].robot.n_joints
    shift = np.arange(len(simulator.worlds))[:, None] + 0.7 * np.arange(n_joints)
    return pp.Command(joint_angle=0.5 * np.sin(0.4 * turn + shift))


def assert_same(one: pp.Measurement, other: pp.Measurement, rows: Any = slice(None)) -> None:
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert (a is None) == (b is None), field.name
        if a is not None:
            np.testing.assert_array_equal(a[rows], b[rows], err_msg=field.name)


def assert_same_state(one: Any, other: Any, rows: Any = slice(None)) -> None:
    for name in (name for name in type(one).names() if name != "contact_key"):
        np.testing.assert_array_equal(getattr(one, name)[rows], getattr(other, name)[rows], err_msg=name)


class TestNewWorlds:
    @pytest.mark.parametrize("kind", MAKE)
    def test_act_as_in_a_new_simulator(self, kind: str) -> None:
        """Measurements with noise and delays, states and health, after several swaps in a mixed batch."""
        worlds = [MAKE[kind](seed) for seed in range(4)]
        simulator = pp.Simulator(worlds, rate=RATE, settings=DT, most_obstacles=10)
        simulator.reset()
        for turn in range(3):
            simulator.step(wave(simulator, turn))
        felt = 0.0
        for turn, rows in enumerate(([2], [0, 3], [0, 1, 2, 3], [1])):
            new = [MAKE[kind](4 + 4 * turn + row) for row in rows]
            mask = np.isin(np.arange(4), rows)
            first = simulator.reset(mask, new)
            for row, world in zip(rows, new, strict=True):
                worlds[row] = world
            fresh = pp.Simulator(worlds, rate=RATE, settings=DT)
            assert_same(first, fresh.reset(), mask)
            for step in range(8):
                now, expected = (each.step(wave(each, step)) for each in (simulator, fresh))
                assert_same(now, expected, mask)
                felt = max(felt, float(np.abs(expected.contact_normal_force[mask]).max()))
            assert_same_state(simulator.state, fresh.state, mask)
            for row in rows:
                assert simulator.health[row] == fresh.health[row]
        assert felt > 0.1
        assert simulator.worlds == tuple(worlds)

    def test_leave_the_others_alone(self) -> None:
        """The others go on as if nothing had happened, and so does their noise."""
        worlds = [planar_world(seed) for seed in range(4)]
        one, other = (pp.Simulator(worlds, rate=RATE, settings=DT, most_obstacles=10) for _ in range(2))
        kept, before = np.array([True, False, True, True]), one.reset()
        other.reset()
        for turn in range(12):
            if turn in (3, 7):
                last = one.reset(~kept, [planar_world(turn)])
                assert_same(last, before, kept)
            before, expected = one.step(wave(one, turn)), other.step(wave(other, turn))
            assert_same(before, expected, kept)
        assert_same_state(one.state, other.state, kept)

    def test_come_back_at_the_next_reset(self) -> None:
        worlds = [planar_world(seed) for seed in range(3)]
        simulator = pp.Simulator(worlds, rate=RATE, settings=DT)
        simulator.reset(np.array([False, True, False]), [replace(planar_world(6), sensors=pp.Sensors())])
        first = simulator.state.center[1].copy()
        simulator.step(wave(simulator, 0))
        simulator.reset()
        np.testing.assert_array_equal(simulator.state.center[1], first)

    def test_are_the_same_however_often_the_slot_was_used(self) -> None:
        """The same worlds in the same order give the same bits: episodes are repeatable."""
        seen = []
        for _ in range(2):
            simulator = pp.Simulator([planar_world(0)] * 2, rate=RATE, settings=DT, most_obstacles=10)
            trace = []
            for seed in range(6):
                trace.append(simulator.reset(np.array([False, True]), [planar_world(seed)]))
                trace += [simulator.step(wave(simulator, turn)) for turn in range(3)]
            seen.append(trace)
        for a, b in zip(*seen, strict=True):
            assert_same(a, b)


class TestRefusals:
    def test_more_obstacles_than_there_is_room_for(self) -> None:
        few, many = (pp.Environment(obstacles=[pp.Peg(x=1.0 + k, y=1.0, radius=0.1) for k in range(n)]) for n in (2, 3))
        simulator = pp.Simulator([pp.World(PLANAR, few)], settings=DT)
        message = r"worlds\[0\]: obstacles = 3, must be at most 2, the most_obstacles of this Simulator"
        with pytest.raises(InvalidModel, match=message):
            simulator.reset(worlds=[pp.World(PLANAR, many)])
        with pytest.raises(InvalidModel, match="most_obstacles = 1, must be at least 2"):
            pp.Simulator([pp.World(PLANAR, few)], settings=DT, most_obstacles=1)
        pp.Simulator([pp.World(PLANAR, few)], settings=DT, most_obstacles=3).reset(worlds=[pp.World(PLANAR, many)])

    @pytest.mark.parametrize(
        ("worlds", "message"),
        {
            "too few": ([planar_world(0)], "worlds = 1, must be 2, one for each world that is reset"),
            "no worlds": ([None, None], r"worlds\[0\]"),
            "another kind": ([spatial_world(0)] * 2, "worlds: robots"),
            "fewer links": (
                [pp.World(pp.PlanarRobot.uniform(4, PLANAR.links[0], PLANAR.motors[0]), pp.Environment())] * 2,
                "worlds: number of links",
            ),
            "a range": (
                [pp.World(PLANAR, pp.Environment(), sensors=pp.Sensors(range=pp.Channel()))] * 2,
                r"worlds\[0\].sensors.range = 'given', must be left out",
            ),
            "a rate that does not fit": (
                [planar_world(0), pp.World(PLANAR, pp.Environment(), sensors=ODD)],
                r"worlds\[1\].sensors.joint_angle.rate = 7",
            ),
        }.values(),
    )  # fmt: skip
    def test_worlds_that_do_not_fit(self, worlds: Any, message: str) -> None:
        """Nothing has changed afterwards."""
        old = [planar_world(1), planar_world(2)]
        simulator, other = (pp.Simulator(old, rate=RATE, settings=DT, most_obstacles=20) for _ in range(2))
        with pytest.raises(InvalidModel, match=message):
            simulator.reset(worlds=worlds)
        assert_same(simulator.reset(), other.reset())
        assert_same(simulator.step(wave(simulator, 0)), other.step(wave(other, 0)))

    def test_a_start_inside_an_obstacle_names_the_slot(self) -> None:
        simulator = pp.Simulator([planar_world(0)] * 3, rate=RATE, settings=DT, most_obstacles=20)
        inside = pp.World(PLANAR, pp.Environment(obstacles=[pp.Peg(x=0.0, y=0.0, radius=0.1)]))
        with pytest.raises(StartOverlap, match="world 2"):
            simulator.reset(np.array([False, False, True]), [inside])

    @pytest.mark.parametrize("mask", [np.array([True]), np.array([1, 0, 1]), "all"])
    def test_wrong_masks(self, mask: Any) -> None:
        simulator = pp.Simulator([planar_world(0)] * 3, rate=RATE, settings=DT)
        with pytest.raises(InvalidModel, match="active"):
            simulator.step(wave(simulator, 0), active=mask)
        with pytest.raises(InvalidModel, match="mask"):
            simulator.reset(mask, [planar_world(1)])


class TestParked:
    @pytest.mark.parametrize("kind", MAKE)
    def test_worlds_have_never_been_stepped(self, kind: str) -> None:
        """World by world the same as worlds that run through without waiting, with noise and delays."""
        worlds = [MAKE[kind](seed) for seed in (1, 2, 5)]
        simulator, through = (pp.Simulator(worlds, rate=RATE, settings=DT) for _ in range(2))
        simulator.reset()
        through.reset()
        expected = [through.step(wave(through, turn)) for turn in range(6)]
        done, last, rng = np.zeros(3, dtype=int), None, np.random.default_rng(0)
        while (done < 6).any():
            active = (done < 6) & (rng.random(3) < 0.6)
            commands = [wave(simulator, int(turn)).joint_angle[w] for w, turn in enumerate(done)]
            now = simulator.step(pp.Command(joint_angle=np.array(commands)), active)
            done += active
            for w in np.flatnonzero(active):
                assert_same(now, expected[done[w] - 1], int(w))
            for w in np.flatnonzero(~active) if last is not None else ():
                assert_same(now, last, int(w))
            last = now
        assert_same_state(simulator.state, through.state)
        assert simulator.health == through.health

    def test_nobody_moves(self) -> None:
        simulator = pp.Simulator([planar_world(1)] * 2, rate=RATE, settings=DT)
        first = simulator.reset()
        assert_same(simulator.step(wave(simulator, 0), active=np.zeros(2, dtype=bool)), first)
        assert simulator.state.step.tolist() == [0, 0]

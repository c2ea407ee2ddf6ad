"""Controllers that differ from world to world in one call: bit for bit what each does alone; exchanged controllers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import radians
from typing import Any

import numpy as np
import pytest

from oracles.controllers import measured
from pushpoint.control import (
    ContinuousResolution,
    ForceMappingController,
    HybridController,
    LeaderFollower,
    ShapeCurveFollower,
    ShapePropagation,
)
from pushpoint.engine.batching import form, pick, stack
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.catalogue import liljeback2011, liljeback2014
from pushpoint.model.environment import Environment
from pushpoint.papers.holden2014.courses import fifteen_links, rail_course, sine_path
from pushpoint.papers.registry import scenario
from pushpoint.planning import AlongCurve, sidewinding
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.stepping.controllers import Controllers
from pushpoint.worlds.world import World

ROBOT = liljeback2011()
N = ROBOT.n_joints
HEAVY_HEAD = replace(ROBOT, links=(*ROBOT.links[:-1], replace(ROBOT.links[-1], mass=3.0)))
PLACE = scenario("liljeback2011/environment-1").world

FOLLOWERS = [LeaderFollower(), LeaderFollower(head_angle=radians(35)), LeaderFollower(swing=0.2)]
HYBRIDS = [
    HybridController(),
    HybridController(gain=0.11, jam_angle=radians(10)),
    HybridController(jam_time=0.3, resolution_time=0.6, follower=LeaderFollower(head_angle=radians(40))),
]
CONTINUOUS = [
    ContinuousResolution(),
    ContinuousResolution(gain=0.1, amplitude=0.5, reflex_limit=0.4, head_share=0.2),
    ContinuousResolution(phase_shift=0.5, speed=0.1, heading_gain=0.3, head_angle=0.4, swing=0.1, longest_travel=0.3),
]
FAMILIES = {"followers": FOLLOWERS, "hybrids": HYBRIDS, "continuous": CONTINUOUS}


def worlds(family: list[Any]) -> list[World]:
    """Every controller with two robots, at the start of the published course and with no obstacles about."""
    places = [(ROBOT, PLACE.environment, PLACE.start), (HEAVY_HEAD, Environment(), Start())]
    return [World(robot, place, control, start) for control in family for robot, place, start in places]


def random_measurements(count: int, n_worlds: int) -> list[Measurement]:
    draw = np.random.default_rng(8)
    return [
        measured(
            N,
            time=[k / 20.0] * n_worlds,
            joint_angle=draw.uniform(-0.8, 0.8, (n_worlds, N)),
            contact_normal_force=draw.normal(0.0, 10.0, (n_worlds, N + 1)),
            imu_heading=draw.uniform(-1.0, 1.0, n_worlds),
        )
        for k in range(count)
    ]


def sent(batch: list[World], measurements: list[Measurement], check: Callable[..., None]) -> np.ndarray:
    asked = Controllers(batch)
    everywhere = np.ones(len(batch), dtype=bool)
    return np.array([asked.ask(each, everywhere, check).joint_angle for each in measurements])


@pytest.mark.parametrize("name", FAMILIES)
def test_worlds_with_parameters_and_bodies_of_their_own_are_asked_in_one_call(name: str) -> None:
    batch = worlds(FAMILIES[name])
    calls: list[int] = []
    seen = random_measurements(80, len(batch))
    together = sent(batch, seen, lambda command, rows: calls.append(len(rows)))
    assert calls == [len(batch)] * 80
    for w, world in enumerate(batch):
        alone = sent([world], [pick(each, [w]) for each in seen], lambda command, rows: None)
        np.testing.assert_array_equal(together[:, w], alone[:, 0], err_msg=f"world {w}")
    differ = np.ptp(together[:, ::2], axis=1).max(axis=0)
    assert (differ > 0.0).all(), "parameters of their own must make a difference"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_batch_with_different_parameters_runs_as_its_worlds_alone(name: str) -> None:
    settings = Settings(dt=2e-3)
    batch = worlds(FAMILIES[name])
    both = simulate(batch, 4.0, settings=settings)
    for w, world in enumerate(batch):
        alone = simulate(world, 4.0, settings=settings)
        for name in ("joint_reference", "link_position", "contact_normal_force"):
            np.testing.assert_array_equal(both[name].isel(world=w), alone[name], err_msg=f"{name} of world {w}")
    assert float(np.abs(both.contact_normal_force).max()) > 0.1


def test_lines_of_different_length_are_asked_apart() -> None:
    fast = LeaderFollower(speed=0.1)
    batch = [World(ROBOT, Environment(), control) for control in (FOLLOWERS[0], fast, FOLLOWERS[1], fast)]
    calls: list[int] = []
    together = sent(batch, random_measurements(40, 4), lambda command, rows: calls.append(len(rows)))
    assert calls == [2] * 80
    for w, world in enumerate(batch):
        seen = [pick(each, [w]) for each in random_measurements(40, 4)]
        np.testing.assert_array_equal(together[:, w], sent([world], seen, lambda command, rows: None)[:, 0])


def test_memories_come_back_in_their_types() -> None:
    bound = HybridController().bind(ROBOT)
    memory = stack([bound.memory()] * 3)
    _, after = bound.command(random_measurements(1, 3)[0], memory)
    assert type(after) is type(memory) and type(after.follower) is type(memory.follower)
    assert form(after) == form(memory)


def begun(controller: Any) -> tuple[Any, Any]:
    """A bound controller, and what it remembers of one world after a command."""
    bound = controller.bind(ROBOT)
    _, kept = bound.command(random_measurements(1, 1)[0], stack([bound.memory()]))
    return bound, pick(kept, 0)


def test_an_exchanged_controller_goes_on_where_the_other_was() -> None:
    for family in FAMILIES.values():
        of, memory = begun(family[0])
        assert family[1].bind(ROBOT).adopt(memory, of) is memory
    follower, past = begun(LeaderFollower())
    hybrid = HybridController().bind(ROBOT).adopt(past, follower)
    np.testing.assert_array_equal(hybrid.follower.line, past.line)
    assert hybrid.mode == 0 and np.isnan(hybrid.reference).all()


def test_an_exchanged_controller_that_cannot_go_on_begins_anew() -> None:
    follower, past = begun(LeaderFollower())
    longer = LeaderFollower(speed=0.02).bind(ROBOT)
    assert form(longer.adopt(past, follower)) == form(longer.memory()) and not longer.adopt(past, follower).begun
    continuous = ContinuousResolution().bind(ROBOT)
    assert not continuous.adopt(past, follower).begun


def test_controllers_on_rails_and_curves_go_on_along_the_same_way() -> None:
    path, robot = sine_path(), fifteen_links()
    place = rail_course(robot)
    for kind in (ShapePropagation, ForceMappingController):
        of = kind(path=path).bind(robot, place)
        memory = of.memory()._replace(**{"real" if kind is ShapePropagation else "head": np.array(1.9)})
        assert kind(path=path, speed=0.2).bind(robot, place).adopt(memory, of) is memory
        assert kind(path=sine_path()).bind(robot, place).adopt(memory, of) is memory  # the same path, read from a file
        elsewhere = kind(path=sine_path(steepest=0.4)).bind(robot, place)
        assert elsewhere.adopt(memory, of) is not memory
    snake = liljeback2014()
    slow, fast = (ShapeCurveFollower(motion=AlongCurve(segment=sidewinding(snake), speed=v)) for v in (0.3, 0.5))
    bound = slow.bind(snake)
    memory = bound.memory()
    assert fast.bind(snake).adopt(memory, bound).motion is memory.motion


def test_the_environment_is_given_to_those_who_need_it() -> None:
    robot = fifteen_links()
    place = rail_course(robot)
    pegs = place.obstacles
    mapping = ForceMappingController(path=sine_path())
    assert mapping.needs == {"pose", "environment"}
    knowing = replace(mapping, pegs=pegs, ground=mapping.bind(robot, place).ground)
    assert knowing.needs == {"pose"} and knowing.bind(robot).pegs == mapping.bind(robot, place).pegs


def test_a_world_without_a_start_begins_where_its_controller_says() -> None:
    robot = fifteen_links()
    for kind in (ShapePropagation, ForceMappingController):
        controller = kind(path=sine_path(), head=1.7)
        world = World(robot, rail_course(robot), controller)
        assert world.start == controller.start(robot) != Start()


@dataclass(frozen=True)
class Recall:
    """A memory that is a dataclass."""

    count: np.ndarray


@dataclass(frozen=True, eq=False)
class Lean(Controller[Recall]):
    """Leans by an angle times the count of its turns, on some joints."""

    batches = True

    angle: float
    joints: tuple[float, ...]

    def memory(self) -> Recall:
        return Recall(np.array(0))

    def command(self, measurement: Measurement, memory: Recall) -> tuple[Command, Recall]:
        assert isinstance(memory, Recall)
        lean = np.asarray(self.angle)[..., None] * memory.count[:, None] * np.array(self.joints)
        return Command(joint_angle=lean), Recall(memory.count + 1)


def test_what_is_neither_float_nor_array_is_never_mixed() -> None:
    everywhere, ends = (1.0,) * N, (1.0, *(0.0,) * (N - 2), 1.0)
    family = [Lean(0.1, everywhere), Lean(0.2, everywhere), Lean(0.1, ends), Lean(0.2, tuple(ends))]
    calls: list[list[int]] = []
    batch = [World(ROBOT, Environment(), control) for control in family]
    found = sent(batch, random_measurements(3, 4), lambda command, rows: calls.append(rows.tolist()))
    assert calls == [[0, 1], [2, 3]] * 3
    for w, control in enumerate(family):
        np.testing.assert_array_equal(found[2, w], 2 * control.angle * np.array(control.joints))

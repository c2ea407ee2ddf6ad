"""Violent worlds: a seed is a world, and every law of a motor, every terrain and every place beside a field occurs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pushpoint.bench.random_worlds import ROBOTS, RandomWorld, run_cases
from pushpoint.bench.violent_worlds import (
    PLANAR_ROBOTS,
    PLANAR_TERRAINS,
    TERRAINS,
    TIME_STEPS,
    violent_case,
    violent_planar_case,
)
from pushpoint.description.experiments import write_experiment
from pushpoint.worlds.world import Experiment

KINDS = (violent_case, violent_planar_case)
Maker = Callable[[int], RandomWorld]


@pytest.fixture(scope="module")
def spatial() -> list[RandomWorld]:
    return [violent_case(seed) for seed in range(100)]


@pytest.fixture(scope="module")
def planar() -> list[RandomWorld]:
    return [violent_planar_case(seed) for seed in range(100)]


def told(case: RandomWorld) -> tuple[Any, ...]:
    return case.seed, case.robot, case.dt, case.terrain, write_experiment(Experiment((case.world,), 1.0, name="told"))


@pytest.mark.parametrize("make", KINDS)
def test_a_seed_always_makes_the_same_world(make: Maker) -> None:
    for seed in (0, 3, 77):
        assert told(make(seed)) == told(make(seed))


def test_every_kind_occurs(spatial: list[RandomWorld], planar: list[RandomWorld]) -> None:
    for cases, robots, terrains in ((spatial, ROBOTS, TERRAINS), (planar, PLANAR_ROBOTS, PLANAR_TERRAINS)):
        assert {case.robot for case in cases} == set(range(len(robots)))
        assert {case.terrain for case in cases} == set(terrains)
        assert {case.dt for case in cases} == set(TIME_STEPS)
        motors = [motor for case in cases for motor in case.world.robot.motors]
        for field, without in (
            ("torque_limit", np.inf),
            ("speed_limit", np.inf),
            ("backlash", 0.0),
            ("lower", -np.inf),
        ):
            assert 0.05 < np.mean([getattr(motor, field) != without for motor in motors]) < 0.95, field
        told = [type(case.world.controller).__name__ for case in cases]
        assert "ConstantTorque" in told and len(set(told)) > 1
        assert any(getattr(case.world.controller, "prescribed", False) for case in cases)
    assert {case.world.robot.self_contact for case in spatial} == {False, True}


def test_links_start_beside_height_fields(spatial: list[RandomWorld]) -> None:
    outside = 0
    for case in spatial:
        field = case.world.environment.ground.heights
        if field is None:
            continue
        center = case.world.pose()["center"]
        ends = np.array(field.origin) + field.spacing * (np.array(field.heights.shape) - 1)
        outside += bool((center[:2] < field.origin).any() or (center[:2] > ends).any())
    assert outside > 5


def test_imposed_motion_begins_without_a_jump(spatial: list[RandomWorld], planar: list[RandomWorld]) -> None:
    for case in (*spatial, *planar):
        if getattr(case.world.controller, "prescribed", False):
            first = case.world.controller.first_reference(case.world.robot)
            np.testing.assert_allclose(case.world.start.joint_angles, first, rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", KINDS)
def test_a_planar_and_a_spatial_outcome_tell_the_same(make: Maker) -> None:
    case = next(case for case in map(make, range(20)) if case.dt == 1e-3)
    (outcome,) = run_cases([case], duration=0.02)
    assert (outcome.seed, outcome.status, outcome.finite, outcome.steps) == (case.seed, "finished", True, 20)
    assert outcome.allowed > 1e-3
    start = replace(case.world.start, velocity=(50.0,) * len(case.world.start.velocity))
    (fast,) = run_cases([replace(case, world=replace(case.world, start=start))], duration=0.001)
    assert fast.allowed > 50.0 * case.dt

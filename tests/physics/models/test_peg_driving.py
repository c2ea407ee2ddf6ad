"""Planned paths, driven: what statics calls good all the way is travelled, what it calls bad is not.

One field of each density, of seeds below 100, on which planner and controllers were tuned; the share of the fields that
were held out is printed by benchmarks/pegs/driving.py.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from benchmarks.pegs.trials import (
    ARRIVED,
    TUNED_MAPPING,
    TUNED_SERVOS,
    MappingSetting,
    PegDrive,
    ServoSetting,
    drivable_shape,
    drive_worlds,
    make_plan,
)

from pushpoint.papers.ours.pegs import GOAL, field, fifteen_links
from pushpoint.planning.pegs.paths import PegPlan

ROBOT = fifteen_links()
GOOD = ((0, 6.8), (4, 5.0))
"""Seeds and densities of plans that are bad nowhere."""
POOR = ((12, 6.8), (12, 5.0))
"""Of paths found by a planner that does not ask for pushing."""


@cache
def plans(of: tuple[tuple[int, float], ...], variant: str) -> list[PegPlan]:
    return [make_plan(seed, density, variant) for seed, density in of]


def driven(of: tuple[tuple[int, float], ...], variant: str, setting: MappingSetting | ServoSetting) -> list[PegDrive]:
    found = plans(of, variant)
    places = [field(seed, density) for seed, density in of]
    return drive_worlds([setting.world(ROBOT, place, one.path) for place, one in zip(places, found, strict=True)])


@cache
def mapped() -> list[PegDrive]:
    return driven(GOOD, "planned", TUNED_MAPPING)


def test_paths_that_are_bad_nowhere_are_driven_to_the_goal() -> None:
    for plan, drive in zip(plans(GOOD, "planned"), mapped(), strict=True):
        assert plan.bad == 0.0
        np.testing.assert_allclose(
            plan.path.at(np.array(plan.path.length))[0], GOAL, atol=1e-9
        )  # m: the path ends there
        assert drive.arrived and drive.miss < ARRIVED
        way = plan.path.length - ROBOT.length
        assert drive.time == pytest.approx((way - drive.miss) / 0.1, rel=0.1)  # s, at the speed asked for


@pytest.mark.slow
def test_paths_that_are_bad_at_a_fifth_of_the_places_are_not() -> None:
    for plan, drive in zip(plans(POOR, "unscored"), driven(POOR, "unscored", TUNED_MAPPING), strict=True):
        assert drivable_shape(plan) and plan.bad > 0.2
        assert not drive.arrived and drive.miss > 2 * ARRIVED


def test_the_mapping_needs_less_torque_than_servos_where_both_arrive() -> None:
    servos = driven(GOOD, "planned", TUNED_SERVOS)
    pairs = [(a, b) for a, b in zip(mapped(), servos, strict=True) if a.arrived and b.arrived]
    assert pairs
    ratio = [a.squared_torque_per_metre / b.squared_torque_per_metre for a, b in pairs]
    assert np.median(ratio) <= 0.85  # asked for


def test_the_measures_of_a_drive_are_those_of_its_definition() -> None:
    for plan, drive in zip(plans(GOOD, "planned"), mapped(), strict=True):
        assert drive.way == pytest.approx(plan.path.length - ROBOT.length - drive.miss)
        # Statics has the least squared torques of all that balance the ground: driving cannot be much below.
        assert drive.squared_torque_per_metre > 0.7 * plan.quality.cost.mean() / 0.1
        assert 0.0 < drive.peak_torque <= 4.0 + 1e-9  # N m, of the motors

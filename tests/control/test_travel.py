"""Where a robot travels: closed forms on circles, with a swing within each cycle."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.control.travel import CycleTravel, no_travel, within_half_a_turn
from pushpoint.engine.batching import stack

TICKS = 60
STEP = 0.4 / TICKS
"""A stride of 0.4 m per cycle."""


def along_arc(curvature: float, cycles: int, *, told: float = 0.0, swing: float = 0.02) -> tuple[CycleTravel, float]:
    """CycleTravel along an arc of which a share `told` of the curvature was commanded, and the direction at the end."""
    travel = stack([no_travel(TICKS)])
    for k in range(cycles * TICKS + 1):
        way = k * STEP
        turn = curvature * way
        arc = np.array([np.sin(turn), 1.0 - np.cos(turn)]) / curvature if curvature else np.array([way, 0.0])
        aside = swing * np.sin(2 * np.pi * k / TICKS) * np.array([-np.sin(turn), np.cos(turn)])
        travel = travel.moved((arc + aside)[None], np.array([told * turn]))
        drift = travel.drift(0.4)
        if k < cycles * TICKS:
            travel = travel.drifted(STEP * drift)
    return travel, curvature * cycles * TICKS * STEP


def test_nothing_is_known_before_a_whole_cycle():
    travel = stack([no_travel(TICKS)])
    for k in range(TICKS + 1):
        assert not travel.whole[0]
        travel = travel.moved(np.array([[0.01 * k, 0.0]]), np.zeros(1))
    assert travel.whole[0] and travel.stride[0] == pytest.approx([0.01 * TICKS, 0.0])


def test_the_swing_is_taken_out_of_a_straight_way():
    travel, _ = along_arc(0.0, 3)
    np.testing.assert_allclose(travel.here[0], [3 * 0.4 + STEP / 2, 0.0], atol=1e-12)  # half a command ahead
    assert travel.drift(0.4)[0] == pytest.approx(0.0, abs=1e-12)
    assert travel.direction(travel.drift(0.4), STEP)[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("curvature", [0.5, -0.5, 0.1])
def test_a_turn_of_its_own_is_found_as_drift(curvature):
    """The free direction of an arc turns by its curvature; the lag of first order has gone after eight distances."""
    travel, end = along_arc(curvature, 10)
    drift = travel.drift(0.4)
    assert drift[0] == pytest.approx(curvature, rel=2e-3)
    now = travel.direction(drift, STEP)[0]
    assert within_half_a_turn(now - end) == pytest.approx(0.0, abs=2e-3)


@pytest.mark.parametrize("curvature", [0.5, -0.5])
def test_a_turn_that_was_commanded_is_no_drift_and_its_direction_is_that_of_now(curvature):
    travel, end = along_arc(curvature, 10, told=1.0)
    assert abs(travel.drift(0.4)[0]) < 2e-3  # the mean direction of an arc is that of its chord
    assert within_half_a_turn(travel.direction(np.zeros(1), STEP)[0] - end) == pytest.approx(0.0, abs=2e-3)


def test_an_answer_that_comes_late_is_awaited():
    """A robot that turned at once by what it was told `late` commands ago, and has drifted at a constant rate since."""
    late, rate, drift = 20, 0.004, -0.001
    travel, place = stack([no_travel(TICKS, late)]), np.zeros(2)
    for k in range(12 * TICKS):
        direction = rate * max(k - late, 0) + drift * k
        travel = travel.moved(place[None], np.array([rate * k]))
        found = travel.drift(TICKS)
        place = place + STEP * np.array([np.cos(direction), np.sin(direction)])
        told = travel.direction(found, 1.0)[0]
        travel = travel.drifted(found)
    assert found[0] == pytest.approx(drift, rel=0.02)
    later = rate * k + drift * (k + late)  # when the turns up to now have been answered
    assert within_half_a_turn(told - later) == pytest.approx(0.0, abs=5e-3)

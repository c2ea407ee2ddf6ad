"""The direction of travel of a sidewinding robot is led along a path."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control.path_following.followed import trace_along
from pushpoint.engine.batching import stack

TICKS = 20


class Seen:
    """Positions of the robots."""

    def __init__(self, *places: tuple[float, float]) -> None:
        self.center_of_mass = np.array([(*place, 0.1) for place in places])


def angle_after(steering: pp.control.PathSteering, direction: float, start: tuple[float, float]) -> float:
    """Angle of the frame after three cycles of a robot that travels in a direction, with a swing [rad]."""
    memory, psi = stack([steering.begin(TICKS)]), np.zeros(1)
    for k in range(3 * TICKS):
        swing = 0.2 * np.sin(2 * np.pi * k / TICKS)
        way = 0.02 * k
        place = (start[0] + way * np.cos(direction) + swing, start[1] + way * np.sin(direction) + swing)
        psi, memory = steering.turn(np.array([k / TICKS]), 1.0 / TICKS, Seen(place), memory)
    return float(psi[0])


LINE = pp.mapping.Path(np.array([(0.0, 0.0), (5.0, 0.0)]))


def test_a_robot_on_its_line_and_in_its_direction_is_left_alone():
    steering = pp.control.PathSteering(path=LINE, look_ahead=2.0)
    # The swing is taken out by means over a cycle; what is left is the first cycle, before they are known.
    assert angle_after(steering, 0.0, (0.0, 0.0)) == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize(
    ("direction", "start", "sign"), [(0.5, (0.0, 0.0), -1), (-0.5, (0.0, 0.0), 1), (0.0, (0, 1), -1)]
)
def test_a_robot_beside_its_line_is_turned_back(direction, start, sign):
    steering = pp.control.PathSteering(path=LINE, look_ahead=2.0)
    assert sign * angle_after(steering, direction, start) > 0.1


def test_it_is_a_heading_controller_with_the_line_of_sight():
    """Far beside a line the wanted direction is across it."""
    steering = pp.control.PathSteering(path=LINE, look_ahead=2.0, fastest=10.0)
    toward = pp.control.HeadingController(direction=-np.pi / 2, fastest=10.0)
    memory, psi = stack([toward.begin(TICKS)]), np.zeros(1)
    for k in range(3 * TICKS):
        psi, memory = toward.turn(np.array([k / TICKS]), 1.0 / TICKS, Seen((0.02 * k, 1e6)), memory)
    memory, led = stack([steering.begin(TICKS)]), np.zeros(1)
    for k in range(3 * TICKS):
        led, memory = steering.turn(np.array([k / TICKS]), 1.0 / TICKS, Seen((0.02 * k, 1e6)), memory)
    assert led[0] == pytest.approx(psi[0], rel=1e-4)


def test_worlds_are_steered_as_alone():
    steering = pp.control.PathSteering(path=LINE, look_ahead=2.0, integral_gain=0.1)
    memory = stack([steering.begin(TICKS)] * 2)
    alone = [stack([steering.begin(TICKS)]) for _ in range(2)]
    for k in range(2 * TICKS):
        t, places = np.full(2, k / TICKS), [(0.02 * k, 0.3), (0.01 * k, -0.2 + 0.01 * k)]
        psi, memory = steering.turn(t, 1.0 / TICKS, Seen(*places), memory)
        for w, place in enumerate(places):
            one, alone[w] = steering.turn(t[:1], 1.0 / TICKS, Seen(place), alone[w])
            assert one[0] == psi[w]


def test_a_motion_without_cycles_is_refused():
    with pytest.raises(pp.errors.InvalidModel, match="a motion that has cycles"):
        pp.control.PathSteering(path=LINE, look_ahead=2.0).begin(0)


@pytest.mark.slow
def test_a_robot_along_a_shape_curve_settles_on_its_line():
    chosen = pp.scenario("paths/sidewinding-line")
    run = pp.simulate(chosen.world, 60.0, settings=chosen.settings, record=pp.Record(rate=25.0))
    assert float(pp.measures.settling_distance(run)) < 15.0
    # Left alone, it turns right by 3 deg/s and goes round in circles.
    free = replace(chosen.world, controller=replace(chosen.world.controller, steering=pp.control.TurnSchedule()))
    alone = pp.simulate(free, 20.0, settings=chosen.settings, record=pp.Record(rate=25.0))
    track = chosen.world.controller.steering.guide.track
    assert np.abs(trace_along(track, alone.center_of_mass.values[:, :2]).aside).max() > 1.0

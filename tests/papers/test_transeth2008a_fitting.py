"""Transeth2008a, VIII-B and V-B.2: what the wave must fit, how hard it touches, and what a smoothed law does."""

from __future__ import annotations

from functools import cache
from math import pi, radians, sin
from typing import Any

import numpy as np
import pytest
import xarray

from pushpoint.control.pushed_aside import BoundPush
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.papers.registry import scenario
from pushpoint.papers.transeth2008a.fitting import (
    AMPLITUDES,
    TOUCH_FREQUENCIES,
    fitted_wave,
    touch_impulses,
    wave_effects,
)
from pushpoint.papers.transeth2008a.scenarios import FRICTION, pegs_for
from pushpoint.papers.transeth2008a.stiction import SMOOTHINGS
from pushpoint.plots import sweep_map
from pushpoint.scenarios.claim import Verdict


@cache
def run_of(name: str) -> Any:
    return scenario(f"transeth2008a/{name}").run()


def test_push_per_contact_force_is_the_sine_of_the_steepest_angle_less_what_lies_beside_it() -> None:
    # Contacts are without friction: each force is square to its link and pushes by the sine of the link's angle. The
    # steepest link of a wave has A / (2 sin(delta / 2)); obstacles stand near that place, at the same phase for all.
    share = wave_effects(run_of("force-over-amplitude"))["push per contact force [%]"][: 1 + len(AMPLITUDES)]
    steepest = np.array([40.0, *AMPLITUDES]) / (2 * sin(radians(25)))
    ratio = share / 100.0 / np.sin(np.radians(steepest))
    assert (ratio < 1.0).all()  # no force pushes more than square to the steepest link
    np.testing.assert_allclose(ratio, ratio[0], rtol=0.06)  # of all amplitudes alike: the posture alone decides


def test_a_wave_among_obstacles_for_another_starts_clear_of_them() -> None:
    pegs = pegs_for(-50.0)
    for world in (fitted_wave(pegs, amplitude_deg=25.0), fitted_wave(pegs, -65.0)):
        pose = world.start.pose(world.robot)
        gap = link_obstacle_distance(world.robot, pegs, pose["center"], pose["theta"]).min()
        assert gap > 0.0
    assert fitted_wave(pegs).start.position == pytest.approx((0.52, 0.16))  # its own wave stays where Fig. 14 has it


def test_a_touch_is_a_contact_that_was_open_a_sample_before() -> None:
    time = np.arange(0.0, 20.0, 1e-3)
    force = np.zeros((len(TOUCH_FREQUENCIES), time.size, 1))
    force[:, 100:103, 0], force[:, 200, 0] = (30.0, 5.0, 40.0), -20.0  # a touch that lasts, and one from the other side
    force[:, -1, 0] = 99.0  # after two periods: does not count
    runs = xarray.Dataset({"contact_normal_force": (("world", "time", "link"), force)}, coords={"time": time})
    for hits in touch_impulses(runs):
        np.testing.assert_allclose(hits, (0.03, 0.02))  # N s


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_the_smoothed_law_balances_the_push_where_its_formula_says(share: float) -> None:
    # mu (2/pi) atan(v / e) = share mu has v = e tan(share pi / 2), whatever the mass: the law itself, at that speed.
    smoothing, mass = SMOOTHINGS[0], np.array([2.0, 3.0])
    v = smoothing * np.tan(share * pi / 2)
    brake = FRICTION * 2 / pi * np.arctan(v / smoothing)
    controller = BoundPush(smoothing=smoothing, mass=mass)
    here = np.array([[0.0, v / controller.rate]])
    seen: Any = type("Seen", (), {"center_of_mass": here})
    command, _ = controller.command(seen, np.array([[0.0, 0.0, 1.0]]))
    expected = 9.81 * mass * (0.5 * FRICTION - brake)
    np.testing.assert_allclose(command.link_load[0, :, 1], expected, atol=1e-12)  # N


def test_a_map_of_a_sweep_has_a_number_in_every_cell() -> None:
    swept = scenario("transeth2008a/speed-over-spacing")
    speeds = np.linspace(-0.05, 0.15, 35)
    rows, columns = {"spacing [m]": list("abcde")}, {"shift [deg]": list("1234567")}
    figure = sweep_map(swept, speeds, rows, columns, Verdict(verdict="reproduced"))
    axes = next(each for each in figure.axes if each.get_label() == "speed")
    assert [text.get_text() for text in axes.texts] == [f"{100 * v:.1f}" for v in speeds]

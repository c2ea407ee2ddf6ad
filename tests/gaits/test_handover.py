"""One gait goes over into another: angles and rates without a jump, and the phase goes on."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.signals import Fade
from pushpoint.gaits.handover import HandedOver, Takeover, ahead, gait_of, phase_going_on

ROBOT = pp.catalogue.aiko_planar()
SPATIAL = pp.catalogue.aiko()
OLD = pp.gaits.LateralUndulation(amplitude=0.7, angular_frequency=1.4, phase_shift=-0.9, phase=0.4, soft_start=1.0)
NEW = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=2.3, phase_shift=-0.5, offset=0.1)
BEGIN, LASTS = 3.0, 0.8
H = 1e-6
"""Time step of differences [s]."""


def check_rates(gait: pp.Gait, times: np.ndarray) -> None:
    """Rates are the derivatives of the angles."""
    early, late = (gait.references(times + side * H, ROBOT)[0] for side in (-1.0, 1.0))
    assert np.allclose(gait.references(times, ROBOT)[1], (late - early) / (2 * H), atol=1e-7)  # [rad/s]; differences


def test_a_gait_takes_over_without_a_jump() -> None:
    gait = HandedOver(gait=NEW, begin=BEGIN, lasts=LASTS, before=OLD)
    ends = np.array([BEGIN]), np.array([BEGIN + LASTS])
    for one, other, time in ((gait, OLD, ends[0]), (gait, NEW, ends[1]), (gait, NEW, ends[1] + 5.0)):
        for found, wanted in zip(one.references(time, ROBOT), other.references(time, ROBOT), strict=True):
            assert np.allclose(found, wanted, rtol=0.0, atol=1e-14)
    check_rates(gait, BEGIN + LASTS * np.linspace(0.01, 0.99, 23))
    between = np.array([BEGIN + LASTS / 2])
    halves = (OLD.references(between, ROBOT)[0] + NEW.references(between, ROBOT)[0]) / 2
    assert np.allclose(gait.references(between, ROBOT)[0], halves, atol=1e-14)  # half of each in the middle


def test_a_difference_fades_from_its_angle_and_rate_to_rest() -> None:
    fade = Fade(begin=BEGIN, lasts=LASTS, angle=np.array([0.3, -0.1]), rate=np.array([2.0, 0.0]))
    assert np.array_equal(np.concatenate(fade.at(BEGIN)), [0.3, -0.1, 2.0, 0.0])
    assert np.allclose(np.concatenate(fade.at(BEGIN + LASTS)), 0.0, atol=1e-14)  # rounding of the time
    assert not np.concatenate(fade.at(BEGIN + 10.0)).any()
    # Cubics through both ends: a (1 + 2 q) (1 - q)^2 at a quarter, and v T r (1 - r)^2 with T = 0.5 s, r = 0.2 / T.
    assert fade.at(BEGIN + LASTS / 4)[0] == pytest.approx([0.3 * 0.84375 + 2.0 * 0.5 * 0.4 * 0.36, -0.1 * 0.84375])
    plain = HandedOver(gait=pp.gaits.Hold(), begin=BEGIN, lasts=LASTS, fade=_for_all(fade))
    check_rates(plain, BEGIN + LASTS * np.linspace(0.01, 0.99, 23))


@pytest.mark.parametrize("lasts", [0.2, 0.5, 4.0, 60.0])
def test_a_difference_in_rate_leads_nowhere_far_however_long_the_change_takes(lasts: float) -> None:
    fade = Fade(begin=0.0, lasts=lasts, angle=np.zeros(1), rate=np.ones(1))
    angle, rate = fade.at(np.linspace(0.0, lasts, 20_001))
    shorter = min(lasts, 0.5)
    assert angle.max() == pytest.approx(4.0 / 27.0 * shorter, rel=1e-3)  # the top of s (1 - s)^2, at a third
    assert np.trapezoid(rate[:, 0], dx=lasts / 20_000) == pytest.approx(0.0, abs=1e-3 * shorter)  # rest at the end


def _for_all(fade: Fade) -> Fade:
    return replace(fade, angle=np.full(ROBOT.n_joints, 0.3), rate=np.full(ROBOT.n_joints, 2.0))


@pytest.mark.parametrize(
    ("robot", "gait"),
    [
        (ROBOT, OLD),
        (
            SPATIAL,
            pp.gaits.Sidewinding(yaw_amplitude=0.5, pitch_amplitude=0.2, angular_frequency=1.0, phase_shift=-0.6),
        ),
        (SPATIAL, pp.gaits.SinusLifting(yaw_amplitude=0.5, pitch_amplitude=0.1, angular_frequency=1.2, phase_shift=-1)),
        (SPATIAL, pp.gaits.Rolling(amplitude=0.3, angular_frequency=2.0)),
    ],
)
def test_with_another_frequency_the_waves_go_on_where_they_are(robot: Any, gait: Any) -> None:
    quicker = replace(gait, angular_frequency=2.7 * gait.angular_frequency)
    time = np.array([123.4])
    going_on = ahead(quicker, phase_going_on(gait, quicker, 123.4))
    before, after = gait.references(time, robot), going_on.references(time, robot)
    assert np.allclose(after[0], before[0], rtol=0.0, atol=1e-11)  # [rad]; rounding of phases of hundreds of radians
    assert np.allclose(after[1], 2.7 * before[1], rtol=0.0, atol=1e-10)
    plainly = quicker.references(time, robot)[0]
    assert np.abs(plainly - before[0]).max() > 0.05  # replaced as it is, it would jump
    assert abs(going_on.phase) <= pi


def test_gaits_of_other_kinds_have_no_phase_in_common() -> None:
    assert phase_going_on(OLD, pp.gaits.Hold(), 3.0) == 0.0
    assert phase_going_on(None, OLD, 3.0) == 0.0
    assert ahead(pp.gaits.Hold(), 1.0) == pp.gaits.Hold()


def test_a_change_during_a_change_begins_where_that_one_is() -> None:
    third = pp.gaits.Hold(joint_angles=[0.2] * ROBOT.n_joints)
    stages = [
        Takeover(0, 0.0, 0.0, 0.0, None),
        Takeover(1, 0.0, BEGIN, LASTS, None),
        Takeover(2, 0.0, BEGIN + 0.3, LASTS, None),
    ]
    gait = gait_of(stages, [OLD, NEW, third])
    only_two = gait_of(stages[:2], [OLD, NEW, third])
    now = np.array([BEGIN + 0.3])
    for found, wanted in zip(gait.references(now, ROBOT), only_two.references(now, ROBOT), strict=True):
        assert np.allclose(found, wanted, rtol=0.0, atol=1e-14)
    check_rates(gait, BEGIN + np.linspace(0.31, 1.2, 19))
    assert gait_of(stages[:1], [OLD]) is OLD

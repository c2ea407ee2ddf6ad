"""What actions command: waves are those of the gaits, joints and torques their ranges."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control.neural.acting import KINDS, Acted, WaveRanges
from pushpoint.engine.signals import Measurement

RATE = 20.0
RANGES = WaveRanges(
    amplitude=(0.1, 0.5),
    frequency=(0.2, 1.0),
    phase_shift=(0.3, 0.9),
    bend=(-0.2, 0.4),
    pitch_amplitude=(0.0, 0.3),
    pitch_lead=(-pi, pi),
)


def measured(angle: np.ndarray) -> Measurement:
    """A measurement of which only the joint angles matter."""
    nothing = np.zeros(len(angle))
    return Measurement(
        time=nothing,
        joint_angle=angle,
        joint_rate=angle,
        joint_torque=angle,
        contact_normal_force=nothing,
        imu_angular_rate=nothing,
        imu_acceleration=nothing,
        imu_heading=nothing,
    )


def commanded(kind: str, robot: object, actions: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, Acted]:
    """References of a row of actions of one world, and what is remembered at its end."""
    made = KINDS[kind](robot, RANGES, RATE)  # type: ignore[index, arg-type]
    memory, found = made.begin(measured(start)), []
    for action in actions:
        command, memory = made.command(action[None], memory)
        found.append(command.joint_angle[0])  # type: ignore[index]
    return np.array(found), memory


def test_a_wave_in_the_plane_is_lateral_undulation() -> None:
    robot = pp.catalogue.aiko_planar()
    amplitude, frequency, shift, bend = 0.3 + 0.2 * 0.5, 0.6 + 0.4 * -0.25, 0.6 + 0.3 * 0.1, 0.1 + 0.3 * -0.5
    gait = pp.gaits.LateralUndulation(
        amplitude=amplitude, angular_frequency=2 * pi * frequency, phase_shift=-shift, offset=bend
    )
    found, memory = commanded("wave", robot, np.tile([0.5, -0.25, 0.1, -0.5], (30, 1)), np.zeros((1, 10)))
    # It begins at some phase; from there on it is the gait, a phase of w t later.
    began = memory.phase[0] - 30 * 2 * pi * frequency / RATE
    time = (np.arange(1, 31) / RATE) + began / (2 * pi * frequency)
    np.testing.assert_allclose(found, gait.references(time, robot)[0], atol=1e-12)  # round-off of 30 sums


def test_a_wave_in_space_is_sidewinding() -> None:
    robot = pp.catalogue.yaw_pitch_16()
    gait = pp.gaits.Sidewinding(
        yaw_amplitude=0.3, pitch_amplitude=0.15, angular_frequency=2 * pi * 0.6, phase_shift=-0.6, pitch_lead=pi / 2,
        yaw_offset=0.1,
    )  # fmt: skip
    found, memory = commanded("wave", robot, np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.5], (20, 1)), np.zeros((1, 16)))
    began = memory.phase[0] - 20 * 2 * pi * 0.6 / RATE
    time = (np.arange(1, 21) / RATE) + began / (2 * pi * 0.6)
    np.testing.assert_allclose(found, gait.references(time, robot)[0], atol=1e-12)


@pytest.mark.parametrize("phase", [-2.0, 0.3, 3.0])
def test_a_wave_begins_at_the_phase_of_the_body(phase: float) -> None:
    robot = pp.catalogue.liljeback2011()
    ranges = WaveRanges(amplitude=(0.2, 0.4), frequency=(0.5, 0.5), phase_shift=(2 * pi / 9,) * 2)  # one whole wave
    made = KINDS["wave"](robot, ranges, RATE)
    memory = made.begin(measured(made.posture(phase)[None]))
    assert np.exp(1j * memory.phase[0]) == pytest.approx(np.exp(1j * phase), abs=1e-12)


def test_joints_and_bends_are_shares_of_the_range() -> None:
    robot = pp.catalogue.liljeback2011()  # 45 degrees to either side
    action = np.linspace(-1.0, 1.0, 9)
    found, _ = commanded("joints", robot, action[None], np.zeros((1, 9)))
    np.testing.assert_allclose(found[0], action * pi / 4, atol=1e-15)
    still, _ = commanded("bends", robot, np.zeros((1, 10)), np.full((1, 9), 0.1))
    bent, _ = commanded("bends", robot, np.concatenate(([0.0], action * 0.2))[None], np.full((1, 9), 0.1))
    np.testing.assert_allclose(bent - still, action[None] * 0.2 * pi / 4, atol=1e-15)
    beyond, _ = commanded("bends", robot, np.ones((1, 10)), np.zeros((1, 9)))
    assert np.abs(beyond).max() == pi / 4


def test_torques_are_shares_of_the_limits() -> None:
    robot = pp.catalogue.liljeback2011()  # 4 N m
    made = KINDS["torque"](robot, RANGES, RATE)
    command, _ = made.command(np.full((2, 9), -0.5), made.begin(measured(np.zeros((2, 9)))))
    assert command.joint_angle is None and np.array_equal(command.joint_torque, np.full((2, 9), -2.0))
    with pytest.raises(pp.errors.InvalidModel, match=r"env.action = 'torque', must be another one for a robot whose"):
        KINDS["torque"](pp.catalogue.aiko_planar(), RANGES, RATE)

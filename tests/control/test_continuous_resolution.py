"""Jam resolution as a continuous action, against its formula written again in the letters of Liljeback2011."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import measured_link_angles
from pushpoint.engine.batching import stack
from pushpoint.engine.signals import Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko, liljeback2011

ROBOT = liljeback2011()
N = 10
LIMIT = math.radians(45)
PLAIN = ContinuousResolution(
    amplitude=0.70, phase_shift=0.71, speed=0.12, gain=0.10, reflex_limit=1.2, head_share=0.3, heading_gain=0.1,
    head_angle=math.radians(50), swing=0.14, longest_travel=0.82,
)  # fmt: skip
"""Parameters of round numbers, whatever the tuned ones are."""


def seen(joint_angle: Any, heading: Any = 0.0, force: Any = 0.0) -> Measurement:
    """What worlds with these joint angles, head angles and contact forces measure."""
    joints = np.atleast_2d(np.asarray(joint_angle, dtype=float))
    worlds = len(joints)
    zero = np.zeros(worlds)
    return Measurement(
        time=zero,
        joint_angle=joints,
        joint_rate=0 * joints,
        joint_torque=0 * joints,
        contact_normal_force=np.broadcast_to(force, (worlds, N)),
        imu_angular_rate=zero,
        imu_acceleration=np.zeros((worlds, 2)),
        imu_heading=np.broadcast_to(np.asarray(heading, dtype=float), worlds),
    )


def asked(controller: ContinuousResolution, measurements: list[Measurement]) -> tuple[np.ndarray, list[Any]]:
    bound = controller.bind(ROBOT)
    memory = stack([bound.memory()] * len(measurements[0].time))
    references, memories = [], []
    for measurement in measurements:
        command, memory = bound.command(measurement, memory)
        references.append(command.joint_angle)
        memories.append(memory)
    return np.array(references), memories


def paper_reference(
    c: ContinuousResolution, psi: float, theta: np.ndarray, f: np.ndarray, theta_ref: float
) -> np.ndarray:
    """phi_ref of joints 1 .. n-1 for one world, in the paper's letters: phi_i = theta_i - theta_{i+1}."""
    phi = np.empty(N - 1)
    for i in range(1, N):  # the paper counts from 1
        reflex = c.gain * (-f[i - 1] * math.cos(theta[i - 1]) + f[i] * math.cos(theta[i]))
        reflex = min(max(reflex, -c.reflex_limit), c.reflex_limit)
        if i == N - 1:
            phi[i - 1] = theta[i - 1] - theta_ref + c.head_share * reflex
        else:
            wave = c.amplitude * math.sin(psi - c.phase_shift * (N - 1 - i))
            phi[i - 1] = wave + c.heading_gain * float(np.mean(theta)) + reflex
    return np.clip(phi, -LIMIT, LIMIT)


def test_references_follow_the_formula_in_the_paper_s_letters() -> None:
    controller = PLAIN
    draw = np.random.default_rng(1)
    theta, f = draw.uniform(-0.5, 0.5, (30, N)), draw.normal(0, 6, (30, N))
    references, memories = asked(
        controller, [seen(np.diff(one), one[-1], force) for one, force in zip(theta, f, strict=True)]
    )
    limited = 0
    for k in range(30):
        psi, side = float(memories[k].phase[0]), float(memories[k].side[0])
        expected = paper_reference(controller, psi, theta[k], f[k], side * math.radians(50))
        np.testing.assert_allclose(references[k, 0], -expected, atol=1e-12)
        limited += int((np.abs(expected) < LIMIT).sum())
    assert limited > 30  # enough of them lie within the limits


def test_the_wave_runs_at_v_ref_and_never_stops() -> None:
    _, memories = asked(PLAIN, [seen(np.zeros(N - 1), 0.0, 50.0)] * 41)
    phase = np.array([float(memory.phase[0]) for memory in memories])
    np.testing.assert_allclose(np.diff(phase), 0.71 * 0.12 / 0.14 / 20.0)  # beta v_ref / 2l at 20 Hz


def test_the_wave_begins_where_the_body_s_own_wave_is() -> None:
    controller = replace(PLAIN, heading_gain=0.0)
    lags = 0.71 * np.arange(N - 2, -1, -1)
    for phase in (-2.5, -0.4, 0.0, 1.3, 3.0):
        body = -0.5 * np.sin(phase - lags)
        references, _ = asked(controller, [seen(body)])
        wave = np.clip(-0.70 * np.sin(phase - lags), -LIMIT, LIMIT)
        # Over nine joints, two harmonics are not quite orthogonal: within a tenth of the amplitude.
        np.testing.assert_allclose(references[0, 0, :-1], wave[:-1], atol=0.07)


def test_the_head_changes_sides_at_the_swing_and_after_the_stretch() -> None:
    controller = PLAIN
    # Straight along x the offset is zero: only the stretch of 0.82 m, 137 commands of 6 mm, changes sides.
    _, memories = asked(controller, [seen(np.zeros(N - 1))] * 300)
    sides = np.array([float(memory.side[0]) for memory in memories])
    np.testing.assert_array_equal(np.flatnonzero(np.diff(sides)) + 1, [137, 274])
    assert sides[0] == -1.0
    # Straight but turned right by 30 degrees the head is 0.63 sin(-30 deg) m beside the centre: left at once.
    _, memories = asked(controller, [seen(np.zeros(N - 1), math.radians(-30))] * 2)
    assert memories[0].side[0] == 1.0 and memories[0].travel[0] == 0.0


def test_without_gain_it_feels_nothing_and_reversed_it_turns_the_other_way() -> None:
    theta = np.linspace(0.2, -0.2, N)
    push = np.zeros(N)
    push[4] = 2.0

    def effect(gain: float) -> np.ndarray:
        controller = replace(PLAIN, gain=gain, amplitude=0.2)  # far from the joint limits
        free, _ = asked(controller, [seen(np.diff(theta), theta[-1])])
        touched, _ = asked(controller, [seen(np.diff(theta), theta[-1], push)])
        return np.asarray(touched - free)

    assert np.abs(effect(0.0)).max() == 0.0
    assert np.abs(effect(0.1)).max() > 0.1
    np.testing.assert_allclose(effect(-0.1), -effect(0.1), atol=1e-12)


def test_worlds_in_a_batch_are_commanded_as_if_alone() -> None:
    controller = ContinuousResolution()
    draw = np.random.default_rng(5)
    angles, heading = draw.uniform(-0.7, 0.7, (50, 3, N - 1)), draw.uniform(-1, 1, (50, 3))
    force = draw.normal(0, 10, (50, 3, N))
    together, _ = asked(controller, [seen(*parts) for parts in zip(angles, heading, force, strict=True)])
    for w in range(3):
        alone, _ = asked(controller, [seen(angles[k, w], heading[k, w], force[k, w]) for k in range(50)])
        np.testing.assert_array_equal(together[:, w], alone[:, 0])
    assert measured_link_angles(seen(angles[0], heading[0])).shape == (3, N)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("amplitude", -0.1),
        ("phase_shift", 0.0),
        ("speed", math.nan),
        ("gain", math.inf),
        ("reflex_limit", -1.0),
        ("head_share", 1.5),
        ("longest_travel", 0.0),
        ("rate", 0.0),
    ],
)
def test_what_cannot_work_is_refused(field: str, value: float) -> None:
    with pytest.raises(InvalidModel, match=rf"^controller\.{field} = "):
        ContinuousResolution(**{field: value})


def test_it_is_for_planar_robots() -> None:
    with pytest.raises(InvalidModel, match=r"= 'SpatialRobot', must be a PlanarRobot$"):
        ContinuousResolution().bind(aiko())

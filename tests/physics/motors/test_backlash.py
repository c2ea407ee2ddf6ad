"""Backlash of width w: a slow joint follows its reference with a dead band of exactly w; no hold in it, flanks beyond.

The reference goes up and down in a triangle. Spin friction on the ground holds the front link with a torque f; the rear
link's own friction is twice that, so that it never moves. While the joint turns the motor gives f: it lags its
reference by w/2 + f/K, and on the way back leads it by as much. The loop of angle against reference is w + 2 f/K wide.
"""

from __future__ import annotations

import numpy as np
import pytest

from oracles.pivot import FRONT, INERTIA, joint, pivot, watch
from pushpoint.engine.signals import Command
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Ground
from pushpoint.model.motor import Motor

DT = 1e-3
K = 20.0
SPIN = 4e-3  # m
HOLD = SPIN * FRONT.mass * 9.81  # N m: f, 0.02
ROUGH = Ground(spin=SPIN)
SLOW = 0.05  # rad/s


def triangle(t: np.ndarray, top: float, slope: float) -> np.ndarray:
    """From 0 up to `top`, down to -top and so on."""
    phase = (slope * t / top + 1.0) % 4.0
    return top * (np.where(phase < 2.0, phase, 4.0 - phase) - 1.0)


def follow(stepper: Stepper, top: float, duration: float) -> dict[str, np.ndarray]:
    """Reference, angle and torque at every step of a slow triangle; its slope is the reference rate."""
    t = DT * np.arange(round(duration / DT) + 1)
    reference = triangle(t, top, SLOW)
    nodes = reference[None, :, None]
    stepper.use_table(nodes, np.zeros_like(nodes), 1, [False])
    return {"reference": reference[1:], **watch(stepper, len(t) - 1)}


@pytest.mark.parametrize("width", [0.0, 0.01, 0.1])
@pytest.mark.parametrize("damping", [0.1, 0.5])
def test_loop_is_as_wide_as_the_play(damping: float, width: float) -> None:
    top = 0.2
    stepper = pivot(Motor(stiffness=K, damping=damping, backlash=width), ground=ROUGH)
    seen = follow(stepper, top, 9 * top / SLOW)
    cycle = slice(round(1.5 * top / SLOW / DT), None)
    up = np.gradient(seen["reference"]) > 0
    middle = np.abs(seen["reference"]) < 0.05  # rad: there the joint is under way in both directions
    lag = seen["reference"] - seen["angle"]
    rising, falling = lag[cycle][(up & middle)[cycle]], lag[cycle][(~up & middle)[cycle]]
    # The table gives the servo reference rates of zero, so that damping adds a lag of D rate/K.
    drag = damping * SLOW / K
    np.testing.assert_allclose(rising - HOLD / K - drag, width / 2, rtol=0, atol=1e-9)  # rad: what is left of the turn
    np.testing.assert_allclose(falling + HOLD / K + drag, -width / 2, rtol=0, atol=1e-9)
    assert stepper.totals("unconverged") == 0


def test_no_torque_in_the_play_and_the_servos_stiffness_beyond() -> None:
    # At the turn of the reference the joint stands still and the torque goes from f to 0, stays 0 over w, goes to -f.
    width, top = 0.1, 0.2
    stepper = pivot(Motor(stiffness=K, damping=0.2, backlash=width), ground=ROUGH)
    seen = follow(stepper, top, 3 * top / SLOW)
    turn = round(top / SLOW / DT)
    after = slice(turn + 20, turn + round((width + 1.9 * HOLD / K) / SLOW / DT))  # 20 steps to a halt
    angle, torque = seen["angle"][after], seen["motor"][after]
    np.testing.assert_allclose(angle, angle[0], atol=1e-8)  # rad: it stands still, up to the tolerance
    error = seen["reference"][after] - angle
    np.testing.assert_allclose(torque, K * (error - np.clip(error, -width / 2, width / 2)), atol=1e-6)  # N m: tolerance
    silent = np.abs(torque) < 1e-12
    assert silent.sum() * SLOW * DT == pytest.approx(width, abs=2 * SLOW * DT)  # rad: a step at either end
    assert (np.diff(np.flatnonzero(silent)) == 1).all()


@pytest.mark.parametrize("load", [-0.05, -0.4, 0.4])
def test_load_rests_on_one_flank(load: float) -> None:
    # A couple T on the joint: angle = reference + sign(T) w/2 + T/K.
    width = 0.06
    stepper = pivot(Motor(stiffness=K, damping=0.2, backlash=width))
    couple = np.array([[[0.0, 0.0, -load], [0.0, 0.0, load]]])
    for reference in (0.0, 0.1, -0.2):
        stepper.use_command(Command(joint_angle=np.array([[reference]]), link_load=couple), 1_000_000)
        stepper.advance(4000)
        angle, rate = joint(stepper)
        assert angle == pytest.approx(reference + np.sign(load) * width / 2 + load / K, abs=1e-6)
        assert abs(rate) < 1e-6


def test_load_within_the_play_is_thrown_from_flank_to_flank() -> None:
    # Load reversed: the joint falls freely through the play, w = T t^2/(2 I), before the other flank takes it.
    width, load = 0.1, 0.02
    stepper = pivot(Motor(stiffness=K, damping=0.2, backlash=width))
    for sign in (1.0, -1.0):
        couple = sign * np.array([[[0.0, 0.0, -load], [0.0, 0.0, load]]])
        stepper.use_command(Command(joint_angle=np.zeros((1, 1)), link_load=couple), 1_000_000)
        if sign > 0:
            stepper.advance(3000)
    seen = watch(stepper, 200)
    free = np.abs(seen["motor"]) < 1e-9
    first = int(np.flatnonzero(free)[0])
    time = DT * (np.flatnonzero(~free[first:])[0] + first)
    # It also has to unload the flank, T/K, at first: the time of the fall is known to that and to a step.
    assert time == pytest.approx(np.sqrt(2 * width * INERTIA / load), rel=0.1)
    np.testing.assert_allclose(seen["other"][free], -load, rtol=1e-6)


def test_free_joint_drifts_through_the_play_and_turns_at_the_flank() -> None:
    width, rate = 0.1, 0.4
    soft = 0.5  # N m/rad: so that the turn, half a period pi sqrt(I/K), takes many steps
    stepper = pivot(Motor(stiffness=soft, backlash=width), angle=-width / 2 + 1e-9, rate=rate, dt=1e-4)
    stepper.use_command(Command(joint_angle=np.zeros((1, 1))), 1_000_000)
    seen = watch(stepper, 6000)
    inside = np.abs(seen["angle"]) < width / 2
    np.testing.assert_array_equal(seen["motor"][inside], 0.0)
    crossing = round(width / rate / 1e-4)
    np.testing.assert_allclose(seen["rate"][: crossing - 2], rate, rtol=1e-12)
    outside = np.flatnonzero(~inside)
    turn = (np.flatnonzero(np.diff(outside) > 1)[0] + 1 if (np.diff(outside) > 1).any() else len(outside)) * 1e-4
    assert turn == pytest.approx(np.pi * np.sqrt(INERTIA / soft), abs=3e-4)  # s: a step at either end
    back = seen["rate"][outside[0] + round(turn / 1e-4) + 5]
    # The scheme takes the torque at the end of the step, which costs dt K/(2 I) per time: 0.3 % of the rate.
    assert back == pytest.approx(-rate, rel=2 * 1e-4 * soft / (2 * INERTIA) * turn)


def test_joint_at_rest_in_its_play_is_left_alone() -> None:
    stepper = pivot(Motor(stiffness=K, damping=0.2, backlash=0.1), angle=0.03)
    stepper.use_command(Command(joint_angle=np.array([[0.0]])), 1_000_000)
    seen = watch(stepper, 500)
    np.testing.assert_array_equal(seen["angle"], seen["angle"][0])
    np.testing.assert_array_equal(seen["motor"], 0.0)

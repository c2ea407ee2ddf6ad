"""The torque-speed line: a motor that is asked for all it has runs up as rate = w0 (1 - exp(-t/T)), T = I w0/tau0.

tau0 is the torque at standstill, w0 the rate without load, I the relative inertia of the two links. The scheme takes
the torque at the end of the step, so that the missing rate w0 - rate shrinks by exactly 1/(1 + dt/T) in every step.
"""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import stepper_in_poses
from oracles.pivot import INERTIA, joint, pivot, watch
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Environment
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

STALL, FREE = 0.05, 6.0  # N m, rad/s
MOTOR = Motor(stiffness=50.0, damping=0.5, torque_limit=STALL, speed_limit=FREE)
TIME = INERTIA * FREE / STALL  # s: 0.16
FAR = 1e4  # rad: a reference that the servo never comes near to, or rad/s


def told(stepper: Stepper, angle: float | None = None, torque: float | None = None) -> Stepper:
    if torque is not None:
        stepper.use_command(Command(joint_torque=np.array([[torque]])), 1_000_000)
    else:
        stepper.use_command(Command(joint_angle=np.array([[angle]])), 1_000_000)
    return stepper


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("ask", ["servo", "torque"])
def test_run_up_step_by_step(ask: str, sign: float) -> None:
    dt = 1e-3
    stepper = told(pivot(MOTOR, dt=dt), **({"angle": sign * FAR} if ask == "servo" else {"torque": sign * 100.0}))
    seen = watch(stepper, 1000)
    expected = sign * FREE * (1.0 - (1.0 + dt / TIME) ** -np.arange(1, 1001))
    np.testing.assert_allclose(seen["rate"], expected, rtol=1e-10)  # round-off of 1000 steps
    np.testing.assert_allclose(seen["motor"], sign * STALL - STALL / FREE * expected, atol=1e-12)
    assert stepper.totals("unconverged") == 0


def test_run_up_against_the_exponential() -> None:
    # Implicit Euler errs by dt/T x exp(-x)/2 of w0 at x = t/T, dt/(2 e T) at most, to first order.
    errors = []
    for dt in (1e-3, 5e-4):
        seen = watch(told(pivot(MOTOR, dt=dt), angle=FAR), round(0.5 / dt))
        t = dt * np.arange(1, len(seen["rate"]) + 1)
        errors.append(np.abs(seen["rate"] - FREE * (1.0 - np.exp(-t / TIME))).max() / FREE)
        assert errors[-1] == pytest.approx(dt / (2 * np.e * TIME), rel=0.02)
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.02)


@pytest.mark.parametrize("start", [-0.5, 1.5, 3.0])
def test_braking_and_driven_sides_lie_on_the_same_line(start: float) -> None:
    # Turning against its torque a motor has more than at standstill; faster than w0 it brakes, whatever is asked.
    seen = watch(told(pivot(MOTOR, rate=start * FREE), angle=FAR), 300)
    missing = (1.0 - start) * (1.0 + 1e-3 / TIME) ** -np.arange(1, 301)
    np.testing.assert_allclose(seen["rate"], FREE * (1.0 - missing), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(seen["motor"], STALL * missing, atol=1e-12)
    assert np.sign(seen["motor"][0]) == np.sign(1.0 - start)


def most_of(rate: np.ndarray) -> np.ndarray:
    """The largest torque to the left at a joint rate [N m]: never more than twice that at standstill, either way."""
    return STALL * np.clip(1.0 - rate / FREE, -2.0, 2.0)


def run_up(start: float, steps: int, share: float) -> np.ndarray:
    """Rates after each step in units of w0 under all the torque there is; share = dt/T."""
    rates, x = [], start
    for _ in range(steps):
        against, beyond = x + 2.0 * share, x - 2.0 * share
        x = against if against <= -1.0 else beyond if beyond >= 3.0 else (x + share) / (1.0 + share)
        rates.append(x)
    return np.array(rates)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("start", [-2.0, -1.1, 3.2, 5.0])
def test_no_more_than_twice_the_torque_at_standstill(start: float, sign: float) -> None:
    # From w0 against its torque on, and from three times w0 on, the torque is constant.
    seen = watch(told(pivot(MOTOR, rate=sign * start * FREE), angle=sign * FAR), 700)
    rate = run_up(start, 700, 1e-3 / TIME)
    assert not -1.0 <= rate[0] <= 3.0 and -1.0 <= rate[-1] <= 3.0  # both parts are met
    np.testing.assert_allclose(seen["rate"], sign * FREE * rate, rtol=1e-10, atol=1e-11)  # round-off of 700 steps
    np.testing.assert_allclose(seen["motor"], sign * most_of(FREE * rate), rtol=0, atol=1e-12)
    assert np.abs(seen["motor"]).max() == pytest.approx(2.0 * STALL, rel=1e-12)


@pytest.mark.parametrize("asked", [-3.0, -1.0, -0.3, 0.0, 0.6])
@pytest.mark.parametrize("rate", [1.5, 2.5, 4.0])
def test_beyond_its_free_rate_a_motor_brakes_whatever_is_asked(asked: float, rate: float) -> None:
    # At least as much as the line says, and more if that is asked, up to twice what it has at standstill.
    seen = watch(told(pivot(MOTOR, rate=rate * FREE), torque=asked * STALL), 1)
    expected = max(-2.0 * STALL, min(asked * STALL, float(most_of(seen["rate"])[0])))
    assert seen["motor"][0] == pytest.approx(expected, abs=1e-12)


def test_a_motor_takes_energy_out_beyond_its_free_rate_and_against_its_torque() -> None:
    for start, angle in ((-3.0, FAR), (3.0, FAR), (3.0, -FAR), (1.2, FAR)):
        stepper = told(pivot(MOTOR, rate=start * FREE), angle=angle)
        stepper.advance(20)
        assert stepper.totals("motor_work")[0, 0] < 0.0


def test_stalled_motor_gives_its_torque_at_standstill() -> None:
    stopped = Motor(stiffness=50.0, torque_limit=STALL, speed_limit=FREE, upper=0.1)
    stepper = told(pivot(stopped, angle=0.1), angle=FAR)
    seen = watch(stepper, 50)
    np.testing.assert_allclose(seen["motor"][20:], STALL, rtol=1e-9)
    np.testing.assert_allclose(seen["other"][20:], -STALL, rtol=1e-6)


@pytest.mark.parametrize("share", [0.3, -0.7])
def test_within_the_line_the_motor_does_as_it_is_told(share: float) -> None:
    # It speeds up evenly, until the line says that there is no more: at rate w0 (1 - share).
    stepper = told(pivot(MOTOR), torque=share * STALL)
    seen = watch(stepper, 600)
    t = 1e-3 * np.arange(1, 601)
    free = np.abs(share * STALL * t / INERTIA) < FREE * (1 - abs(share))
    assert 30 < free.sum() < 400
    np.testing.assert_allclose(seen["rate"][free], share * STALL * t[free] / INERTIA, rtol=1e-10)
    np.testing.assert_allclose(seen["motor"][free], share * STALL, rtol=1e-12)
    line = STALL * (np.sign(share) - seen["rate"][~free] / FREE)
    np.testing.assert_allclose(seen["motor"][~free], line, rtol=1e-9)


def test_servo_moves_no_faster_than_its_free_rate_and_arrives() -> None:
    stepper = told(pivot(MOTOR), angle=2.0)
    seen = watch(stepper, 3000)
    assert seen["rate"].max() < FREE
    assert (np.abs(seen["motor"]) <= STALL * (1 + np.abs(seen["rate"]) / FREE) + 1e-12).all()
    angle, rate = joint(stepper)
    assert angle == pytest.approx(2.0, abs=1e-6) and abs(rate) < 1e-6


def test_work_of_the_motor_is_what_the_links_gain() -> None:
    stepper = told(pivot(MOTOR), angle=FAR)
    stepper.advance(500)
    _, rate = joint(stepper)
    assert stepper.totals("motor_work")[0, 0] == pytest.approx(INERTIA * rate**2 / 2, rel=1e-10)


def test_run_up_of_links_that_swing() -> None:
    # Straight links with their centres of mass d_0 behind and d_1 ahead of the joint push each other sideways, with the
    # reduced mass m: M = [[I_0 + m d_0^2, m d_0 d_1], [m d_0 d_1, I_1 + m d_1^2]] for (w_0, w_1), torques (-tau, tau).
    links = (
        PlanarLink(length=0.2, mass=1.0, inertia=4e-3, radius=0.02),
        PlanarLink(length=0.3, mass=0.6, inertia=5e-3, radius=0.02, mass_offset=0.05),
    )
    d, I, m = (0.1, 0.2), (4e-3, 5e-3), 0.6 / 1.6
    M = np.array([[I[0] + m * d[0] ** 2, m * d[0] * d[1]], [m * d[0] * d[1], I[1] + m * d[1] ** 2]])
    response = np.array([-1.0, 1.0]) @ np.linalg.solve(M, [-1.0, 1.0])
    motor = Motor(stiffness=50.0, torque_limit=1.0, speed_limit=2.0)
    robot = PlanarRobot(links=links, motors=motor)
    pose = Start(joint_angles=(0.0,)).pose(robot)
    stepper = told(stepper_in_poses([robot], [Environment()], [pose], Settings(dt=1e-4)), angle=FAR)
    seen = watch(stepper, 150)
    expected = 2.0 * (1.0 - (1.0 + 1e-4 * response / 2.0) ** -np.arange(1, 151))
    assert expected[-1] > 1.7 and seen["angle"][-1] < 0.025  # it is almost at its free rate and still straight
    np.testing.assert_allclose(seen["rate"], expected, rtol=1e-3)  # the posture changes M by angle^2 = 6e-4

"""End stops of joints: they hold what the motor gives, let go at once, do not bounce, and lead back from beyond."""

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

DT = 1e-3
STOP = 0.5  # rad
BACK = 0.05  # rad/s: how fast a joint beyond its stop is led back at most, ten times the 5 mm/s of contacts
SERVO = Motor(stiffness=5.0, damping=0.3, lower=-STOP, upper=STOP)
LIMP = Motor(lower=-STOP, upper=STOP)


def told(stepper: Stepper, angle: float | None = None, torque: float | None = None) -> Stepper:
    if torque is not None:
        stepper.use_command(Command(joint_torque=np.array([[torque]])), 1_000_000)
    elif angle is not None:
        stepper.use_command(Command(joint_angle=np.array([[angle]])), 1_000_000)
    return stepper


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("ask", ["servo", "torque"])
def test_joint_driven_against_its_stop_rests_there(ask: str, sign: float) -> None:
    reference, torque = 0.8, 0.02
    if ask == "servo":
        stepper, torque = told(pivot(SERVO), angle=sign * reference), 5.0 * (reference - STOP)
    else:
        stepper = told(pivot(LIMP), torque=sign * torque)
    stepper.advance(1500)
    seen = watch(stepper, 3000)
    np.testing.assert_allclose(seen["angle"], sign * STOP, atol=1e-6)  # rad, required
    np.testing.assert_allclose(seen["rate"], 0.0, atol=1e-9)
    np.testing.assert_allclose(seen["motor"], sign * torque, rtol=1e-6)
    np.testing.assert_allclose(seen["other"], -sign * torque, rtol=1e-6)  # the stop bears what the motor gives
    assert stepper.state().P_stop[0, 0] / DT == pytest.approx(-sign * torque, rel=1e-6)
    assert stepper.totals("unconverged") == 0


@pytest.mark.parametrize("rate", [0.02, 0.5, 5.0])
def test_hit_ends_the_motion_and_leaves_no_more_than_the_way_back(rate: float) -> None:
    stepper = told(pivot(LIMP, angle=STOP - 20.3 * DT * rate, rate=rate), torque=0.0)
    seen = watch(stepper, 100)
    assert seen["angle"].max() < STOP + rate * DT  # from midpoint to midpoint it moves by that
    np.testing.assert_allclose(seen["rate"][:20], rate, rtol=1e-9)  # nothing before
    # After one step it goes back, a tenth of the overshoot per step and 0.05 rad/s at most; lines err by 1e-4 of it.
    assert seen["rate"][21] <= 1e-6 * rate and seen["rate"].min() >= -min(BACK, 0.1 * rate) * (1 + 1e-3) - 1e-6 * rate
    lost = INERTIA * (rate - seen["rate"][21]) / DT
    assert seen["other"].min() == pytest.approx(-lost, rel=1e-2)  # one step takes it all
    assert seen["angle"][-1] < STOP + 1e-6 + rate * DT * 0.9**70


def test_stop_lets_go_at_once() -> None:
    stepper = told(pivot(LIMP, angle=STOP), torque=0.03)
    stepper.advance(200)
    seen = watch(told(stepper, torque=-0.03), 100)
    np.testing.assert_allclose(seen["rate"], -0.03 / INERTIA * DT * np.arange(1, 101), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(seen["other"], 0.0, atol=1e-9)  # it does not hold it back


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("torque", [0.0, 0.04])
def test_joint_that_starts_beyond_comes_back_slowly(torque: float, sign: float) -> None:
    beyond = 0.02
    stepper = told(pivot(LIMP, angle=sign * (STOP + beyond)), torque=sign * torque)
    seen = watch(stepper, 600)
    assert np.abs(seen["rate"]).max() < BACK * (1 + 1e-3)  # the lines err by 1e-4
    way = 300 * DT * BACK
    assert sign * seen["angle"][299] == pytest.approx(
        STOP + beyond - way, abs=1e-3 * way + DT * BACK
    )  # a first half step
    if torque:
        # Held against the stop it comes to rest there: a tenth of what is left per step, from 0.5 mrad on.
        assert sign * seen["angle"][-1] == pytest.approx(STOP, abs=1e-6)
        np.testing.assert_allclose(seen["other"][-50:], -sign * torque, rtol=1e-3)
    else:
        assert sign * seen["angle"][-1] < STOP  # nothing stops it


def test_stiff_servo_is_held_too() -> None:
    # The servo's 240 N m, a thousand times what the links weigh in an hour: still at the stop, from a slow approach.
    stiff = Motor(stiffness=800.0, damping=2.0, upper=STOP)
    stepper = told(pivot(stiff, angle=STOP), angle=0.8)
    seen = watch(stepper, 500)
    np.testing.assert_allclose(seen["angle"], STOP, atol=2e-5)  # rad: the first step gives way by its tolerance
    np.testing.assert_allclose(seen["angle"][100:], STOP, atol=1e-6)
    np.testing.assert_allclose(seen["other"][100:], -800.0 * 0.3, rtol=1e-6)


def test_every_stop_of_a_chain_bears_the_couples_ahead_of_it() -> None:
    # Couples on free links that sum up to zero: joint j carries minus those on the links in front of it. Links 0.1 m
    # long are bent to their stops, four different ones.
    couples = np.array([-0.05, 0.09, -0.10, 0.02, 0.04])
    ahead = np.cumsum(couples[::-1])[::-1][1:]
    stops = np.where(ahead > 0, 0.4, -0.3)
    link = PlanarLink(length=0.1, mass=0.4, inertia=5e-4, radius=0.02)
    robot = PlanarRobot(links=(link,) * 5, motors=Motor(lower=-0.3, upper=0.4))
    pose = Start(joint_angles=stops).pose(robot)
    stepper = stepper_in_poses([robot], [Environment()], [pose], Settings(dt=DT, tolerance=1e-6))
    load = np.zeros((1, 5, 3))
    load[0, :, 2] = couples
    stepper.use_command(Command(link_load=load), 1_000_000)
    stepper.advance(2000)
    state = stepper.state()
    assert set(np.sign(ahead)) == {-1.0, 1.0}  # lower and upper ones are among them
    np.testing.assert_allclose(state.P_stop[0, :4] / DT, -ahead, rtol=1e-5)  # tolerance 1e-6 g dt: 5e-8 N m each
    np.testing.assert_allclose(np.diff(state.theta[0]), stops, atol=1e-6)
    np.testing.assert_allclose(state.omega, 0.0, atol=1e-9)


def test_inside_its_range_a_joint_knows_nothing_of_its_stops() -> None:
    free, limited = (told(pivot(Motor(stiffness=5.0, damping=0.01, upper=upper)), angle=0.3) for upper in (np.inf, 0.7))
    without, within = (watch(stepper, 500)["angle"] for stepper in (free, limited))
    np.testing.assert_allclose(without, within, rtol=0, atol=1e-12)  # rad: round-off of 500 steps in two kernels
    assert joint(free)[0] != 0.0

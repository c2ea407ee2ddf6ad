"""Actuator laws on yaw and pitch axes, single and in cardan joints, against closed forms.

The pivot of the planar tests: two links with their centres of mass in the joint, so that no force acts there and a
torque tau turns one link by tau/I_0 back and the other by tau/I_1 forth: the joint rate grows by tau/I with
1/I = 1/I_0 + 1/I_1, both about the axis in question. The moments of inertia about y and z differ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracles.spatial.dense import DenseRobot
from oracles.spatial.engine import engine_start, stepper_in
from oracles.spatial.pose import exponential
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.engine.stepper import Stepper
from pushpoint.gaits import Sidewinding
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.joints import Cardan, Joint, Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

DT = 1e-3
REAR = SpatialLink(length=0.2, mass=1.0, inertia=(3e-3, 3.5e-3, 4e-3), radius=0.02, mass_offset=0.1)
FRONT = SpatialLink(length=0.2, mass=0.5, inertia=(1.5e-3, 1.8e-3, 2e-3), radius=0.02, mass_offset=-0.1)
INERTIA = {name: 1.0 / (1.0 / REAR.inertia[k] + 1.0 / FRONT.inertia[k]) for name, k in (("pitch", 1), ("yaw", 2))}
AXES = ["yaw", "pitch", "yaw of a cardan", "pitch of a cardan"]
FAR = 1e4  # rad: a reference that the servo never comes near to
FOREVER = 1_000_000


def joint_of(axis: str, motor: Motor) -> Joint:
    """The joint with this motor on the axis; the other axis of a cardan joint is limp."""
    if axis.endswith("cardan"):
        return Cardan(**{axis.split()[0]: motor})
    return Yaw(motor) if axis == "yaw" else Pitch(motor)


class Pivot:
    """One axis at an angle [rad] and rate [rad/s], turned somehow in space, without weight."""

    def __init__(self, axis: str, motor: Motor, *, angle: float = 0.0, rate: float = 0.0, dt: float = DT) -> None:
        self.robot = SpatialRobot(links=(REAR, FRONT), joints=joint_of(axis, motor))
        self.row = [each.name for each in self.robot.axes].index(axis.split()[0])
        self.inertia, self.dt = INERTIA[axis.split()[0]], dt
        dense, about = DenseRobot.of(self.robot), 1 if "pitch" in axis else 2
        pose = dense.pose(self.one(angle), (0.0, 0.0, 5.0), exponential([0.4, -0.3, 0.8]))
        # Its links turn back and forth without angular momentum.
        spin = -rate * self.inertia / REAR.inertia[about] * np.eye(3)[about]
        u = dense.velocities(pose, np.zeros(3), spin, self.one(rate))
        settings = Settings(dt=dt, tolerance=1e-6)
        place = Environment(ground=Ground(gravity=0.0))
        self.stepper: Stepper = stepper_in(self.robot, place, [engine_start(dense, pose, u)], settings)

    def one(self, value: float) -> np.ndarray:
        """A value on the axis in question, zero on the other."""
        values = np.zeros(self.robot.n_joints)
        values[self.row] = value
        return values

    def told(self, angle: float | None = None, torque: float | None = None, load: float = 0.0) -> Pivot:
        """Holds a reference or a torque, and a couple of loads [N m] that turns the joint."""
        R = DenseRobot.of(self.robot).pose(self.one(0.0), rotation=exponential([0.4, -0.3, 0.8])).rotation[0]
        couple = load * R[:, 1 if self.robot.axes[self.row].name == "pitch" else 2]
        loads = np.zeros((1, 2, 6))
        loads[0, 0, 3:], loads[0, 1, 3:] = -couple, couple
        given = {"joint_torque": self.one(torque)[None]} if torque is not None else {}
        if angle is not None:
            given = {"joint_angle": self.one(angle)[None]}
        self.stepper.use_command(Command(link_load=loads if load else None, **given), FOREVER)
        return self

    def watch(self, steps: int) -> dict[str, np.ndarray]:
        """Angles [rad], rates [rad/s] and torques [N m] after each step; `other` follows from the motion."""
        stepper, first = self.stepper, int(self.stepper.state().step[0])
        before, turned = stepper.state().rate[0, self.row], stepper.totals("motor")[0, self.row]
        stepper.new_samples(first + steps + 1, 1)
        stepper.advance(steps)
        seen = {name: stepper.samples()[name][0, first + 1 :, self.row].copy() for name in ("angle", "rate", "motor")}
        stepper.new_samples(1, 0)
        motor = np.diff(seen["motor"], prepend=turned) / self.dt
        other = self.inertia * np.diff(seen["rate"], prepend=before) / self.dt - motor
        return {"angle": seen["angle"], "rate": seen["rate"], "motor": motor, "other": other}


@pytest.mark.parametrize("axis", AXES)
class TestEveryAxis:
    def test_torque_command(self, axis: str) -> None:
        seen = Pivot(axis, Motor()).told(torque=0.02).watch(200)
        t = DT * np.arange(1, 201)
        np.testing.assert_allclose(seen["rate"], 0.02 * t / INERTIA[axis.split()[0]], rtol=1e-10)  # round-off
        np.testing.assert_allclose(seen["motor"], 0.02, rtol=1e-12)

    def test_servo_step_by_step(self, axis: str) -> None:
        # I (w' - w) = dt (s (K (ref - alpha') - D w') + (1 - s) (K (ref - alpha) - D w)), 1 - s = 1/(2 (1 + z)^2),
        # z = dt (dt K/2 + D)/I, alpha' = alpha + dt/2 (w + w').
        K, D, ref = 5.0, 0.02, 0.3
        pivot = Pivot(axis, Motor(stiffness=K, damping=D)).told(angle=ref)
        seen, angle, rate, expected = pivot.watch(300), 0.0, 0.0, []
        for _ in range(300):
            middle, kappa = angle + DT / 2 * rate, DT * (D + K * DT / 2)
            share = 1.0 - 0.5 / (1.0 + kappa / pivot.inertia) ** 2
            push = share * DT * K * (ref - middle) + (1.0 - share) * DT * (K * (ref - angle) - D * rate)
            rate = (pivot.inertia * rate + push) / (pivot.inertia + share * kappa)
            angle = middle + DT / 2 * rate
            expected.append((angle, rate))
        np.testing.assert_allclose(seen["angle"], np.array(expected)[:, 0], rtol=0, atol=1e-10)
        np.testing.assert_allclose(seen["rate"], np.array(expected)[:, 1], rtol=0, atol=1e-9)

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_torque_limit(self, axis: str, sign: float) -> None:
        pivot = Pivot(axis, Motor(stiffness=50.0, damping=0.5, torque_limit=0.03)).told(angle=sign * FAR)
        seen = pivot.watch(300)
        np.testing.assert_allclose(seen["motor"], sign * 0.03, rtol=1e-12)
        np.testing.assert_allclose(seen["rate"], sign * 0.03 * DT * np.arange(1, 301) / pivot.inertia, rtol=1e-10)

    @pytest.mark.parametrize("ask", ["servo", "torque"])
    def test_speed_line(self, axis: str, ask: str) -> None:
        # rate = w0 (1 - exp(-t/T)), T = I w0/tau0; in the scheme what is missing shrinks by 1/(1 + dt/T) per step.
        stall, free = 0.05, 6.0
        motor = Motor(stiffness=50.0, damping=0.5, torque_limit=stall, speed_limit=free)
        pivot = Pivot(axis, motor).told(**({"angle": FAR} if ask == "servo" else {"torque": 100.0}))
        seen = pivot.watch(500)
        time = pivot.inertia * free / stall
        np.testing.assert_allclose(seen["rate"], free * (1 - (1 + DT / time) ** -np.arange(1, 501)), rtol=1e-9)
        np.testing.assert_allclose(seen["motor"], stall * (1 - seen["rate"] / free), atol=1e-11)
        exact = free * (1 - np.exp(-DT * np.arange(1, 501) / time))
        assert np.abs(seen["rate"] - exact).max() == pytest.approx(free * DT / (2 * np.e * time), rel=0.02)

    @pytest.mark.parametrize("load", [-0.05, 0.3])
    def test_backlash_load_rests_on_a_flank(self, axis: str, load: float) -> None:
        width, K = 0.06, 20.0
        pivot = Pivot(axis, Motor(stiffness=K, damping=0.2, backlash=width)).told(angle=0.0, load=load)
        pivot.stepper.advance(3000)
        seen = pivot.watch(1)
        # The couple stays where it is in space while the joint turns: its share along the axis does not change.
        assert seen["angle"][0] == pytest.approx(np.sign(load) * width / 2 + load / K, abs=1e-6)
        assert seen["motor"][0] == pytest.approx(-load, rel=1e-4)

    def test_backlash_leaves_a_joint_alone(self, axis: str) -> None:
        pivot = Pivot(axis, Motor(stiffness=20.0, backlash=0.1), angle=-0.04, rate=0.4).told(angle=0.0)
        seen = pivot.watch(400)
        inside = np.abs(seen["angle"]) < 0.05 - 0.4 * DT
        crossing = int(np.argmin(inside))
        assert crossing == pytest.approx(0.09 / 0.4 / DT, abs=2)
        np.testing.assert_array_equal(seen["motor"][: crossing - 1], 0.0)
        np.testing.assert_allclose(seen["rate"][: crossing - 1], 0.4, rtol=1e-9)
        assert np.abs(seen["angle"]).max() < 0.06

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    @pytest.mark.parametrize("ask", ["servo", "torque"])
    def test_end_stop(self, axis: str, ask: str, sign: float) -> None:
        motor = Motor(stiffness=5.0 if ask == "servo" else 0.0, damping=0.3, lower=-0.5, upper=0.5)
        pivot = Pivot(axis, motor).told(**({"angle": 0.8 * sign} if ask == "servo" else {"torque": 0.02 * sign}))
        pivot.stepper.advance(1500)
        seen = pivot.watch(500)
        torque = 1.5 if ask == "servo" else 0.02
        np.testing.assert_allclose(seen["angle"], sign * 0.5, atol=1e-6)  # rad, as in the plane
        np.testing.assert_allclose(seen["rate"], 0.0, atol=1e-9)
        np.testing.assert_allclose(seen["motor"], sign * torque, rtol=1e-5)
        np.testing.assert_allclose(seen["other"], -sign * torque, rtol=1e-5)  # the stop bears what the motor gives

    def test_joint_beyond_its_stop_is_led_back(self, axis: str) -> None:
        seen = Pivot(axis, Motor(lower=-0.5, upper=0.5), angle=0.52).told(torque=0.0).watch(700)
        assert (np.diff(seen["angle"]) <= 1e-12).all()
        assert seen["rate"].min() > -0.05 - 1e-9  # rad/s: slowly, as in the plane
        # Led to the stop at 0.05 rad/s it keeps that rate: nothing but the stop has pushed it.
        assert seen["angle"][350] < 0.51 and seen["angle"][-1] < 0.5 + 1e-6

    def test_work_is_what_the_links_gain(self, axis: str) -> None:
        pivot = Pivot(axis, Motor(stiffness=50.0, torque_limit=0.05, speed_limit=6.0)).told(angle=FAR)
        pivot.stepper.advance(400)
        rate = pivot.stepper.state().rate[0, pivot.row]
        gained = pivot.stepper.totals("motor_work")[0, pivot.row]
        assert gained == pytest.approx(pivot.inertia * rate**2 / 2, rel=1e-9)  # no momentum: I w^2/2 of the joint


class TestBothAxesTogether:
    def test_cardan_axes_do_not_mix_at_rest(self) -> None:
        # Straight, the axes of a cardan joint are at right angles: each torque turns its own axis, for one step.
        robot = SpatialRobot(links=(REAR, FRONT), joints=Cardan())
        dense = DenseRobot.of(robot)
        pose = dense.pose(position=(0.0, 0.0, 5.0))
        place = Environment(ground=Ground(gravity=0.0))
        stepper = stepper_in(robot, place, [engine_start(dense, pose, np.zeros((2, 6)))])
        stepper.use_command(Command(joint_torque=np.array([[0.02, -0.05]])), 1)
        stepper.advance(1)
        expected = [0.02 * DT / INERTIA["pitch"], -0.05 * DT / INERTIA["yaw"]]
        np.testing.assert_allclose(stepper.state().rate[0], expected, rtol=1e-12)

    @pytest.mark.parametrize("dt", [4e-3, 1e-3])
    def test_prescribed_sine_errs_by_the_trapezoidal_rule(self, dt: float) -> None:
        gait = Sidewinding(
            yaw_amplitude=0.5, pitch_amplitude=0.3, angular_frequency=6.0, phase_shift=-1.0, prescribed=True
        )
        link = replace(REAR, mass_offset=0.02)
        robot = SpatialRobot(links=(link,) * 4, joints=(Cardan(axis_distance=0.03), Yaw(), Pitch()))
        angle, rate = (values[0] for values in gait.references(np.zeros(1), robot))
        start = SpatialStart(joint_angles=angle, joint_rates=rate, position=(0.0, 0.0, 5.0), velocity=(0.1, 0.2, 0.3))
        place = Environment(ground=Ground(gravity=0.0))
        run = simulate(
            robot, place, gait, start=start, duration=1.0, settings=Settings(dt=dt), record=Record(rate=1 / dt)
        )
        wanted, slope = gait.references(run.time.values, robot)
        assert np.abs(run.joint_angle.values - wanted).max() <= dt**3 / 24 * 0.5 * 6.0**3 + 1e-13
        assert np.abs(run.joint_rate.values - slope).max() <= dt**2 / 12 * 0.5 * 6.0**3 + 1e-13 / dt
        assert float(np.abs(run.joint_torque).max()) > 0.01  # N m: what it takes is recorded

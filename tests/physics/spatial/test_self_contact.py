"""Links of one robot that touch each other: neither overlap nor momentum, against closed forms and the dense oracle."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import brentq

import pushpoint as pp
from oracles.segments import Touch, deepest_overlap, touch
from oracles.spatial.dense import DenseRobot
from oracles.spatial.engine import engine_start, midpoint, stepper_in, way_of
from oracles.spatial.free import FreeFlight
from oracles.spatial.pose import Array, Pose, skew
from pushpoint.engine.state import SpatialState

SPACE = pp.Environment(ground=pp.Ground(gravity=0.0))
LINK = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1.2e-4, 3e-4, 3.5e-4), radius=0.02)
SERVO = pp.Motor(stiffness=5.0, damping=0.1)
AFLOAT = (0.0, 0.0, 2.0)
DT = 1e-3
TIGHT = pp.Settings(dt=DT, tolerance=1e-9)


def poses(run: xr.Dataset, every: int = 1) -> list[Pose]:
    places, turns = run.link_position.values[::every], run.link_orientation.values[::every]
    return [Pose.of(place, turn) for place, turn in zip(places, turns, strict=True)]


# A robot that curls up


@cache
def curled(friction: float, self_contact: bool = True, ground: bool = True) -> tuple[pp.SpatialRobot, xr.Dataset]:
    """Sixteen links of Aiko bend into more than a whole circle within 4 s and hold it for 1 s more."""
    aiko = pp.catalogue.aiko()
    robot = pp.SpatialRobot(
        links=(aiko.links[0],) * 16, joints=aiko.chain[0], self_contact=self_contact, self_friction=friction
    )
    yaw = np.array([axis.name == "yaw" for axis in robot.axes])
    bend = pp.gaits.FunctionOfTime(function=lambda t: math.radians(36.0) * min(t / 4.0, 1.0) * yaw)
    place = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2))) if ground else SPACE
    start = pp.SpatialStart() if ground else pp.SpatialStart(position=AFLOAT, velocity=(0.1, -0.2, 0.3))
    return robot, pp.simulate(robot, place, bend, duration=5.0, start=start, record=pp.Record(rate=50.0))


class TestCurl:
    @pytest.mark.parametrize("friction", [0.0, 0.5])
    def test_links_overlap_by_no_more_than_a_step_of_their_motion(self, friction: float) -> None:
        robot, run = curled(friction)
        assert float(np.abs(run.self_force).max()) > 10.0
        fastest = float(np.linalg.norm(run.link_velocity, axis=-1).max())
        deepest = max(deepest_overlap(robot, pose) for pose in poses(run))
        assert deepest < 2.0 * fastest * DT  # both of two links may come at each other that fast
        assert deepest_overlap(robot, poses(run)[-1]) < 1e-4  # at rest it has been led out

    def test_without_it_they_pass_through_each_other(self) -> None:
        robot, run = curled(0.0, self_contact=False)
        radius = robot.links[0].radius
        assert max(deepest_overlap(robot, pose) for pose in poses(run, 10)) > radius
        np.testing.assert_array_equal(run.self_force[1:], 0.0)

    @pytest.mark.parametrize("friction", [0.0, 0.5])
    def test_forces_between_links_cancel(self, friction: float) -> None:
        _, run = curled(friction)
        np.testing.assert_allclose(run.self_force[1:].sum("link"), 0.0, atol=1e-9)  # of 70 N

    def test_the_ground_carries_the_weight_all_the_same(self) -> None:
        robot, run = curled(0.5)
        carried = run.ground_force.sel(axis="z").sum("link")
        assert float(carried[-25:].mean()) == pytest.approx(9.81 * robot.mass, rel=1e-3)

    @pytest.mark.parametrize("friction", [0.0, 0.5])
    def test_few_steps_end_unconverged_and_they_are_counted(self, friction: float) -> None:
        """Several contacts that close a loop are what the corrections converge worst on; one or two in a thousand."""
        _, run = curled(friction)
        assert float(run.unconverged.sum()) < 0.005 * 5000
        at = run.solver_iterations.values[1:] > 60
        assert (run.unconverged.values[1:][~at] == 0.0).all()

    def test_afloat_the_momentum_stays(self) -> None:
        robot, run = curled(0.5, ground=False)
        assert float(np.abs(run.self_force).max()) > 1.0
        momentum = np.einsum("l,tla->ta", robot.column("mass"), run.link_velocity)
        np.testing.assert_allclose(momentum, robot.mass * np.outer(np.ones(251), (0.1, -0.2, 0.3)), atol=1e-10)


# One step, against the equations


def loop(friction: float) -> pp.SpatialRobot:
    """Four uneven links with free joints that can bring the head to the tail."""
    links = (LINK, replace(LINK, mass_offset=0.01), replace(LINK, mass=0.2), replace(LINK, mass=0.5, radius=0.025))
    joints = (pp.Cardan(), pp.Yaw(), pp.Cardan())
    return pp.SpatialRobot(links=links, joints=joints, self_contact=True, self_friction=friction)


class Hit:
    """One step in which the head, link 3, meets the tail, link 0, from just before to just after."""

    def __init__(self, friction: float, rates: tuple[float, ...], lift: float = 0.05, **change: Any) -> None:
        self.robot = loop(friction)
        self.dense = DenseRobot.of(self.robot)
        bend = brentq(lambda y: touch(self.robot, self._pose(y, lift), 0, 3).gap - 2e-5, 1.0, 1.5)
        pose = self._pose(float(bend), lift)
        u = self.dense.velocities(pose, (0.1, 0.2, -0.1), (0.2, 0.1, -0.3), rates)
        environment = change.pop("environment", SPACE)
        start = engine_start(self.dense, pose, u)
        self.stepper = stepper_in(self.robot, environment, [start], replace(TIGHT, **change))
        self.stepper.use_command(pp.Command(joint_torque=np.zeros((1, 5))), 1)
        self.before = self._state()
        self.middle = midpoint(self.dense, self.before, 0, DT)
        self.stepper.advance(1)
        self.after = self._state()
        self.touch: Touch = touch(self.robot, self.middle, 0, 3)

    def _pose(self, bend: float, lift: float) -> Pose:
        return self.dense.pose((lift, bend, bend, -lift, bend), AFLOAT)

    def _state(self) -> SpatialState:
        state = self.stepper.state()
        assert isinstance(state, SpatialState)
        return state

    @staticmethod
    def u(state: SpatialState) -> Array:
        return np.hstack([state.v[0], state.omega[0]]).ravel()

    @property
    def relative(self) -> Array:
        """W^T: velocity of the tail's contact point past the head's = W^T u, world axes, shape (3, 24)."""
        rows = np.zeros((3, 24))
        for link, point, sign in ((0, self.touch.first, 1.0), (3, self.touch.second, -1.0)):
            arm = point - self.middle.position[link]
            rows[:, 6 * link : 6 * link + 3] = sign * np.eye(3)
            rows[:, 6 * link + 3 : 6 * link + 6] = -sign * skew(arm) @ self.middle.rotation[link]
        return rows

    @property
    def free(self) -> tuple[Array, Array]:
        """Relative velocity without a contact, and the Delassus matrix: what an impulse adds to it."""
        J, M, W = self.dense.chain_jacobian(self.middle), self.dense.mass_matrix, self.relative
        h = self.dense.smooth_forces(self.u(self.before), 0.0).ravel()
        inertia = J.T @ M @ J
        b = self.drift
        moved = np.linalg.solve(inertia, J.T @ (M @ (self.u(self.before) - b) + DT * h))
        return W @ (J @ moved + b) + self.arcs, W @ J @ np.linalg.solve(inertia, J.T @ W.T)

    @property
    def way(self) -> Array:
        """Velocities of the tail and joint rates that the drift was made of."""
        return np.concatenate([np.zeros(3), *way_of(self.stepper, self.dense, self.middle, 0)])

    @property
    def drift(self) -> Array:
        """What half a step of turning on adds to u."""
        return DT / 2 * FreeFlight(robot=self.robot).bias(self.middle, self.way).ravel()

    @property
    def arcs(self) -> Array:
        """And to the relative velocity, as the axes' nearest points go round the centres of mass, world axes."""
        omega = (self.dense.chain_jacobian(self.middle) @ self.way).reshape(-1, 6)[:, 3:]
        found, n = np.zeros(3), self.touch.normal
        for link, point, sign in ((0, self.touch.first, 1.0), (3, self.touch.second, -1.0)):
            w = self.middle.rotation[link] @ omega[link]
            arm = point + sign * self.robot.links[link].radius * n - self.middle.position[link]
            found = found + sign * DT / 2 * np.cross(w, np.cross(w, arm))
        return found

    @property
    def left(self) -> Array:
        """Relative velocity at the end of the step, world axes [m/s]."""
        return np.asarray(self.relative @ self.u(self.after) + self.arcs)

    @property
    def led_out(self) -> float:
        """Speed at which the overlap of the midpoint is led out, theory-spatial.md, section 17 [m/s]."""
        return min(0.1 * max(-self.touch.gap - 1e-6, 0.0) / DT, 5e-3)

    @property
    def impulse(self) -> Array:
        """What the tail felt of the head, world axes [N s]."""
        return np.asarray(self.stepper.totals("own")[0, 0])


CLOSING = (0.1, 2.0, 2.0, 0.3, 2.0)
PARTING = (0.0, -2.0, -2.0, 0.0, -2.0)


class TestHit:
    def test_without_friction_it_is_the_plastic_impulse_of_the_chain(self) -> None:
        hit = Hit(0.0, CLOSING)
        gamma, G = hit.free
        n = hit.touch.normal
        assert -1e-3 < hit.touch.gap < 0.0 and n @ gamma < -0.1
        expected = (hit.led_out - n @ gamma) / (n @ G @ n)
        np.testing.assert_allclose(hit.impulse, expected * n, rtol=1e-6)
        assert n @ hit.left == pytest.approx(hit.led_out, abs=1e-8)

    def test_a_stick_takes_all_of_the_relative_velocity(self) -> None:
        hit = Hit(5.0, CLOSING)
        gamma, G = hit.free
        np.testing.assert_allclose(hit.impulse, np.linalg.solve(G, hit.led_out * hit.touch.normal - gamma), rtol=1e-6)

    @pytest.mark.parametrize("friction", [0.05, 0.1, 0.5, 5.0])
    @pytest.mark.parametrize("rates", [CLOSING, (2.0, 1.5, 2.0, -2.0, 2.5), (-1.0, 2.5, 1.0, 1.0, 1.0)])
    def test_friction_stays_in_its_cone_and_opposes_slip(self, friction: float, rates: tuple[float, ...]) -> None:
        hit = Hit(friction, rates)
        gamma, G = hit.free
        n = hit.touch.normal
        left = hit.left
        # The velocities are those that the impulse gives to the chain.
        np.testing.assert_allclose(left, gamma + G @ hit.impulse, atol=1e-9)
        normal, slip = n @ hit.impulse, left - n * (n @ left)
        rub = hit.impulse - normal * n
        assert normal > 0.0 and np.linalg.norm(rub) <= friction * normal * (1 + 1e-6)
        if np.linalg.norm(slip) > 1e-6:
            np.testing.assert_allclose(rub, -friction * normal * slip / np.linalg.norm(slip), atol=1e-6 * normal)

    def test_links_that_part_feel_nothing(self) -> None:
        hit = Hit(0.5, PARTING)
        np.testing.assert_array_equal(hit.impulse, 0.0)

    @pytest.mark.parametrize("friction", [0.0, 0.3])
    def test_action_is_reaction_and_momentum_stays(self, friction: float) -> None:
        """About the midpoint's geometry; friction acts at two points that are an overlap apart."""
        hit = Hit(friction, CLOSING)
        own = hit.stepper.totals("own")[0]
        np.testing.assert_array_equal(own[0], -own[3])
        np.testing.assert_array_equal(own[1:3], 0.0)
        before, after = (hit.dense.momentum(hit.middle, hit.u(state)) for state in (hit.before, hit.after))
        np.testing.assert_allclose(after[:3], before[:3], atol=1e-15)
        smooth = hit.dense.smooth_forces(hit.u(hit.before), 0.0)[:, 3:]  # gyroscopic, in the links' axes
        turned = np.einsum("nij,nj->i", hit.middle.rotation, smooth)
        couple = np.cross(hit.touch.first - hit.touch.second, hit.impulse)
        np.testing.assert_allclose(after[3:], before[3:] + DT * turned + couple, atol=1e-14)

    def test_there_is_no_restitution(self) -> None:
        bouncing = pp.Environment(ground=pp.Ground(gravity=0.0, restitution=1.0))
        plastic, bounced = Hit(0.0, CLOSING), Hit(0.0, CLOSING, environment=bouncing)
        np.testing.assert_array_equal(plastic.impulse, bounced.impulse)

    def test_both_solvers_agree(self) -> None:
        newton, prox = Hit(0.3, CLOSING), Hit(0.3, CLOSING, solver="prox")
        np.testing.assert_allclose(newton.impulse, prox.impulse, rtol=1e-6)

    def test_two_balls_on_a_light_chain_hit_like_two_free_bodies(self) -> None:
        """P = v m1 m2 / (m1 + m2): the links between weigh a millionth, and their joints turn freely."""
        heavy = pp.SpatialLink(length=0.1, mass=1.0, inertia=(1e-3,) * 3, radius=0.03, side_length=0.0)
        light = pp.SpatialLink(length=0.1, mass=1e-6, inertia=(1e-9,) * 3, radius=0.001)
        robot = pp.SpatialRobot(
            links=(heavy, light, light, light, replace(heavy, mass=0.4)), joints=pp.Yaw(), self_contact=True
        )
        dense = DenseRobot.of(robot)
        # The balls are the middles of the end links; a symmetric bow brings them side by side.
        bend = brentq(lambda y: touch(robot, dense.pose((y, y, y, y), AFLOAT), 0, 4).gap - 1e-7, 0.9, 1.5)
        pose = dense.pose((bend,) * 4, AFLOAT)
        n = touch(robot, pose, 0, 4).normal
        u = dense.velocities(pose, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.5, 0.4, 0.4, 0.5))
        closing = float(n @ (u[0, :3] - u[4, :3]))
        assert closing < -0.05
        stepper = stepper_in(robot, SPACE, [engine_start(dense, pose, u)], replace(TIGHT, dt=1e-5))
        stepper.advance(1)
        expected = -closing * 1.0 * 0.4 / 1.4 * n
        np.testing.assert_allclose(stepper.totals("own")[0, 0], expected, rtol=1e-4, atol=1e-8)
        np.testing.assert_array_equal(stepper.totals("own")[0, 1:4], 0.0)


# Links that press on each other


def folded(aim: float, friction: float = 0.0) -> tuple[pp.SpatialRobot, xr.Dataset]:
    """Two parallel arms on a short base, which two servos fold together like a parallelogram."""
    arm = pp.SpatialLink(length=0.2, mass=0.3, inertia=(3e-4, 1e-3, 1e-3), radius=0.04)
    base = pp.SpatialLink(length=0.085, mass=0.2, inertia=(2e-4,) * 3, radius=0.04)
    robot = pp.SpatialRobot(
        links=(arm, base, arm), joints=pp.Yaw(pp.Motor(stiffness=2.0, damping=0.05)), self_contact=True,
        self_friction=friction,
    )  # fmt: skip
    lean = pp.gaits.FunctionOfTime(function=lambda t: math.pi / 2 + min(t, 1.0) * aim * np.array([1.0, -1.0]))
    start = pp.SpatialStart(position=AFLOAT)
    return robot, pp.simulate(robot, SPACE, lean, duration=3.0, start=start)


class TestPressing:
    TOUCHING = math.acos(0.08 / 0.085)
    """Lean at which the arms, 0.085 m cos(lean) apart, touch [rad]."""

    def test_the_force_is_what_the_servo_gives_to_its_lever(self) -> None:
        """The end of one arm, at its joint, rests on the other: N lever = K (aim - lean); the other servo is idle."""
        aim = self.TOUCHING + 0.1
        robot, run = folded(aim)
        last = run.isel(time=slice(-50, None))
        lever = 0.085 * math.sin(self.TOUCHING)
        force = np.linalg.norm(last.self_force.sel(link=0), axis=-1)
        np.testing.assert_allclose(force, 2.0 * 0.1 / lever, rtol=2e-3)  # slop of 1 um: 4e-5 of the 0.1 rad
        np.testing.assert_allclose(last.joint_angle[:, 1], math.pi / 2 - aim, atol=1e-4)
        assert max(deepest_overlap(robot, pose) for pose in poses(run, 5)) < 1e-5
        np.testing.assert_array_equal(run.self_force[1:].sel(link=1), 0.0)

    def test_arms_that_stop_short_of_each_other_feel_nothing(self) -> None:
        _, run = folded(self.TOUCHING - 0.05)
        np.testing.assert_array_equal(run.self_force[1:], 0.0)

    @pytest.mark.parametrize("friction", [0.0, 0.4])
    def test_parallel_arms_that_meet_stop_at_each_other(self, friction: float) -> None:
        """Exactly parallel, they touch in one point in the middle; there they come no nearer."""
        robot, _ = folded(0.1, friction)
        robot = replace(robot, joints=pp.Yaw())
        dense = DenseRobot.of(robot)
        lean = self.TOUCHING - 1e-6
        pose = dense.pose((math.pi / 2 + lean, math.pi / 2 - lean), AFLOAT)
        u = dense.velocities(pose, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.5, -0.5))
        stepper = stepper_in(robot, SPACE, [engine_start(dense, pose, u)], replace(TIGHT, dt=1e-4))
        stepper.advance(1)
        state = stepper.state()
        assert isinstance(state, SpatialState) and state.n_self[0] == 1
        own, across = stepper.totals("own")[0], pose.rotation[0][:, 1]
        np.testing.assert_allclose(own.sum(axis=0), 0.0, atol=1e-15)
        normal = float(own[0] @ across)
        assert abs(normal) > 1e-3 and np.linalg.norm(own[0] - normal * across) <= friction * abs(normal) + 1e-6
        arm = pose.position[0] - pose.position[2]  # the middle of one arm, as the other's middle sees it
        nearer = across @ (u[0, :3] - u[2, :3] - np.cross((0.0, 0.0, u[2, 5]), arm))
        after = across @ (state.v[0, 0] - state.v[0, 2] - np.cross((0.0, 0.0, state.omega[0, 2, 2]), arm))
        assert abs(nearer) > 0.01 and abs(after) < 1e-3 * abs(nearer)

    def test_neighbours_never_touch(self) -> None:
        """Two links, and three whose ends meet at the joints alone: bent as far as they go, nothing is felt."""
        pair = pp.SpatialRobot(links=(LINK, LINK), joints=pp.Cardan(yaw=SERVO, pitch=SERVO), self_contact=True)
        fold = pp.gaits.FunctionOfTime(function=lambda t: np.array([0.5, 3.0]) * min(t, 1.0))
        run = pp.simulate(pair, SPACE, fold, duration=1.5, start=pp.SpatialStart(position=AFLOAT))
        assert float(run.joint_angle[-1, 1]) > 2.9
        np.testing.assert_array_equal(run.self_force[1:], 0.0)


class TestWorlds:
    def test_a_world_with_it_beside_one_without(self) -> None:
        robots = [replace(curled(0.5)[0], self_contact=touches) for touches in (True, False, True)]
        bend = pp.gaits.LateralUndulation(amplitude=0.0, angular_frequency=1.0, phase_shift=0.0, offset=0.6)
        starts = [pp.SpatialStart(position=AFLOAT, joint_angles=[0.0, 0.55] * 15)] * 3
        worlds = [pp.World(r, SPACE, bend, start) for r, start in zip(robots, starts, strict=True)]
        batch = pp.simulate(worlds, duration=0.3)
        for w, world in enumerate(worlds):
            alone = pp.simulate(world.robot, SPACE, bend, start=world.start, duration=0.3)
            np.testing.assert_array_equal(batch.self_force[w], alone.self_force)
            np.testing.assert_array_equal(batch.link_position[w], alone.link_position)

    def test_more_contacts_than_the_engine_holds_stop_the_world(self) -> None:
        """Twelve links folded to and fro lie upon each other: 55 pairs, of which it holds 16."""
        robot = pp.SpatialRobot(links=(LINK,) * 12, joints=pp.Yaw(), self_contact=True)
        dense = DenseRobot.of(robot)
        pose = dense.pose([3.0, -3.0] * 5 + [3.0], AFLOAT)
        stepper = stepper_in(robot, SPACE, [engine_start(dense, pose, np.zeros((12, 6)))])
        stepper.advance(1)
        assert stepper.statuses() == [pp.Status.TOO_MANY_CONTACTS]

    def test_links_that_start_inside_each_other_are_led_apart_slowly(self) -> None:
        """At most 5 mm/s: overlaps of the start are not refused."""
        robot = loop(0.0)
        dense = DenseRobot.of(robot)
        pose = dense.pose((0.0, 1.46, 1.46, 0.0, 1.46), AFLOAT)
        depth = deepest_overlap(robot, pose)
        assert depth > 2e-3
        start = pp.SpatialStart(position=AFLOAT, joint_angles=(0.0, 1.46, 1.46, 0.0, 1.46))
        free = pp.gaits.FunctionOfTime(function=lambda t: np.zeros(5))
        run = pp.simulate(robot, SPACE, free, duration=0.1, start=start)
        overlaps = np.array([deepest_overlap(robot, pose) for pose in poses(run)])
        assert np.diff(overlaps).max() < 1e-7
        assert np.diff(overlaps).min() > -5e-3 * 0.01 * 1.05
        assert overlaps[-1] < depth - 0.09 * 5e-3

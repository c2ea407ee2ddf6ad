"""Links of a planar robot that touch each other: momentum, energy, one step against Gauss's principle, and space."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize

import pushpoint as pp
from pushpoint.engine.planar.kinematics import directions, link_positions
from pushpoint.engine.planar.ranges import link_link_distance
from pushpoint.errors import StartOverlap

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3.5e-4, radius=0.02)
SERVO = pp.Motor(stiffness=5.0, damping=0.1)
DT = 1e-3
FREE = pp.Environment()
ROUGH = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2)))


def robot_of(n_links: int, friction: float = 0.0, motor: pp.Motor = SERVO, **more: Any) -> pp.PlanarRobot:
    return pp.PlanarRobot(links=(LINK,) * n_links, motors=motor, self_contact=True, self_friction=friction, **more)


def curl(angle: float, n_joints: int) -> pp.gaits.FunctionOfTime:
    return pp.gaits.FunctionOfTime(function=lambda t: angle * min(t / 2.0, 1.0) * np.ones(n_joints))


@cache
def curled(friction: float, self_contact: bool = True, ground: bool = True) -> tuple[pp.PlanarRobot, xr.Dataset]:
    """Twelve links bend into more than a whole circle within 2 s and hold it."""
    robot = replace(robot_of(12, friction), self_contact=self_contact)
    place, start = (ROUGH, pp.Start()) if ground else (FREE, pp.Start(velocity=(0.1, -0.2)))
    return robot, pp.simulate(robot, place, curl(0.75, 11), duration=3.0, start=start, record=pp.Record(rate=100.0))


def momenta(robot: pp.PlanarRobot, run: Any) -> tuple[np.ndarray, np.ndarray]:
    m, inertia = robot.column("mass"), robot.column("inertia")
    x, v = run.link_position.values, run.link_velocity.values
    P = (m[:, None] * v).sum(axis=1)
    turning = m * (x[..., 0] * v[..., 1] - x[..., 1] * v[..., 0]) + inertia * run.link_angular_velocity.values
    return P, turning.sum(axis=1)


def overlap(robot: pp.PlanarRobot, run: Any) -> float:
    poses = zip(run.center_of_mass.values, run.link_angle.values, strict=True)
    return max(float(-link_link_distance(robot, center, theta).min()) for center, theta in poses)


class TestCurl:
    @pytest.mark.parametrize("friction", [0.0, 0.5])
    def test_links_overlap_by_no_more_than_a_step_of_their_motion(self, friction: float) -> None:
        robot, run = curled(friction)
        assert float(np.abs(run.self_force).max()) > 1.0
        fastest = float(np.linalg.norm(run.link_velocity, axis=-1).max())
        assert overlap(robot, run) < 2.0 * fastest * DT
        assert run.attrs["deepest_self_overlap"] < 2.0 * fastest * DT and pp.warnings_of(run) == []

    def test_without_it_they_pass_through_each_other(self) -> None:
        robot, run = curled(0.0, self_contact=False)
        assert overlap(robot, run) > LINK.radius and "self_force" not in run

    @pytest.mark.parametrize("friction", [0.0, 0.5])
    def test_forces_between_links_cancel(self, friction: float) -> None:
        _, run = curled(friction)
        np.testing.assert_allclose(run.self_force[1:].sum("link"), 0.0, atol=1e-9)

    @pytest.mark.parametrize("friction", [0.0, 0.5])
    def test_afloat_momentum_and_turning_momentum_stay(self, friction: float) -> None:
        robot, run = curled(friction, ground=False)
        assert float(np.abs(run.self_force).max()) > 1.0
        P, L = momenta(robot, run)
        np.testing.assert_allclose(P, np.outer(np.ones(301), robot.mass * np.array([0.1, -0.2])), atol=1e-10)
        np.testing.assert_allclose(L, L[0], atol=2e-4)  # joints closed at midpoints: 1e-3 of the links' own
        own = np.abs(LINK.inertia * run.link_angular_velocity.values).sum(axis=1).max()
        assert np.abs(L - L[0]).max() < 0.02 * own

    def test_all_steps_converge(self) -> None:
        for friction in (0.0, 0.5):
            assert curled(friction)[1].attrs["unconverged_steps"] == 0


def limp_and_fast(seed: int, friction: float) -> pp.World:
    """A limp chain, bent nearly closed and thrown upon itself."""
    random = np.random.default_rng(seed)
    robot = robot_of(7, friction, pp.Motor(stiffness=0.0, damping=0.0))
    bend = random.uniform(0.5, 0.85, 6)
    start = pp.Start(joint_angles=bend, joint_rates=random.uniform(0.5, 4.0, 6), spin=float(random.uniform(-2, 2)))
    return pp.World(robot, FREE, curl(0.0, 6), start)


@pytest.mark.parametrize("friction", [0.0, 0.6])
def test_thrown_upon_itself_a_limp_chain_gains_no_energy(friction: float) -> None:
    worlds = [limp_and_fast(seed, friction) for seed in range(6)]
    runs = pp.simulate(worlds, 1.5, settings=pp.Settings(dt=DT), record=pp.Record(rate=200.0))
    for w in range(6):
        run = runs.isel(world=w)
        assert float(np.abs(run.self_force).max()) > 1.0
        energy = 0.5 * (LINK.mass * (run.link_velocity**2).sum(("link", "axis"))).values
        energy = energy + 0.5 * LINK.inertia * (run.link_angular_velocity**2).sum("link").values
        assert energy.max() < 1.002 * energy[0]  # of second order in the turn of a link per step, 0.02 rad


class TestOneStep:
    """The head meets the tail in one step: the new velocities are the nearest ones that do not close the gap."""

    def bent(self, gap: float) -> np.ndarray:
        from scipy.optimize import brentq

        def apart(bend: float) -> float:
            theta = np.cumsum([0.0, bend, bend, bend])
            return float(link_link_distance(robot_of(4), np.zeros(2), theta)[0, 3]) - gap

        return np.cumsum([0.0, *[float(brentq(apart, 1.0, 1.9))] * 3])

    def jacobian(self, theta: np.ndarray) -> np.ndarray:
        """Velocities of the centres of mass and turns per (velocity of the tail's rear joint, turns), (4, 3, 6)."""
        e = directions(theta)
        left = np.stack([-e[:, 1], e[:, 0]], axis=-1)
        J = np.zeros((4, 3, 6))
        J[:, 0, 0] = J[:, 1, 1] = 1.0
        for i in range(4):
            J[i, 2, 2 + i] = 1.0
            for j in range(i):
                J[i, :2, 2 + j] = LINK.length * left[j]
            J[i, :2, 2 + i] = LINK.length / 2 * left[i]
        return J

    @pytest.mark.parametrize("rates", [(1.0, 1.0, 1.0), (0.2, 1.5, -0.3)])
    def test_gauss(self, rates: tuple[float, ...]) -> None:
        robot, theta = robot_of(4, motor=pp.Motor(stiffness=0.0, damping=0.0)), self.bent(2e-5)
        start = pp.Start(link_angles=theta, joint_rates=rates)
        simulator = pp.Simulator([pp.World(robot, FREE, None, start)], settings=pp.Settings(dt=DT, tolerance=1e-9))
        simulator.reset()
        before = simulator.state
        simulator._stepper.use_command(pp.Command(joint_torque=np.zeros((1, 3))), 1)
        simulator._stepper.advance(1)
        after = simulator.state
        assert int(after.n_self[0]) == 1
        middle = before.theta[0] + DT / 2 * before.omega[0]
        J = self.jacobian(middle)
        M = np.diag([LINK.mass, LINK.mass, LINK.inertia])
        u = np.concatenate([before.v[0], before.omega[0][:, None]], axis=1)  # what the links would go on with
        mass = sum(J[i].T @ M @ J[i] for i in range(4))
        free = np.linalg.solve(mass, sum(J[i].T @ M @ u[i] for i in range(4)))
        # The gap of the two axes as a function of the coordinates, by finite differences.
        place = link_positions(robot, before.center[0] + DT / 2 * before.v[0].mean(axis=0), middle)

        def gap(move: np.ndarray) -> float:
            moved = place + np.einsum("ijk,k->ij", J[:, :2], move)
            turned = middle + move[2:]
            return float(link_link_distance(robot, moved.mean(axis=0), turned)[0, 3])

        W = np.array([(gap(1e-6 * unit) - gap(-1e-6 * unit)) / 2e-6 for unit in np.eye(6)])
        assert W @ free < -0.01
        out = min(0.1 * max(-gap(np.zeros(6)) - 1e-6, 0.0) / DT, 5e-3)  # the way out of their overlap at the midpoint
        found = minimize(
            lambda z: 0.5 * (z - free) @ mass @ (z - free), free, jac=lambda z: mass @ (z - free),
            constraints={"type": "ineq", "fun": lambda z: W @ z - out, "jac": lambda _z: W}, method="SLSQP", tol=1e-14,
        ).x  # fmt: skip
        np.testing.assert_allclose(after.omega[0], found[2:], atol=2e-3 * np.abs(rates).max())  # turns within the step

    def test_friction_holds_what_it_can(self) -> None:
        """With much friction the two surfaces stop sliding; with a little the force leans by as much as it may."""
        theta = self.bent(2e-5)
        for mu in (0.1, 50.0):
            robot = robot_of(4, mu, pp.Motor(stiffness=0.0, damping=0.0))
            start = pp.Start(link_angles=theta, joint_rates=(0.2, 1.5, -0.9))
            simulator = pp.Simulator([pp.World(robot, FREE, None, start)], settings=pp.Settings(dt=DT, tolerance=1e-9))
            simulator.reset()
            simulator._stepper.use_command(pp.Command(joint_torque=np.zeros((1, 3))), 1)
            simulator._stepper.advance(1)
            P = simulator.state.P_self[0, 0]
            assert P[0] > 0.0 and abs(P[1]) > 1e-6
            assert abs(P[1]) == pytest.approx(mu * P[0], rel=1e-6) if mu < 1 else abs(P[1]) < 0.9 * mu * P[0]


def test_like_its_twin_in_space() -> None:
    """Both curl up by the same servos, afloat, until the head presses on the tail: link angles over time."""
    flat = robot_of(8)
    link = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1.2e-4, 3.5e-4, 3.5e-4), radius=0.02)
    body = pp.SpatialRobot(links=(link,) * 8, joints=pp.Yaw(SERVO), self_contact=True)
    settings, record = pp.Settings(dt=5e-4, tolerance=1e-7), pp.Record(rate=50.0)
    run = pp.simulate(flat, FREE, curl(1.0, 7), duration=2.5, settings=settings, record=record)
    space = pp.Environment(ground=pp.Ground(gravity=0.0))
    start = pp.SpatialStart(position=(0.0, 0.0, 1.0), joint_angles=(0.0,) * 7)
    twin = pp.simulate(body, space, curl(1.0, 7), duration=2.5, start=start, settings=settings, record=record)
    assert float(np.abs(run.self_force).max()) > 1.0
    np.testing.assert_allclose(run.joint_angle, twin.joint_angle, atol=5e-3)
    planar, spatial = (np.abs(each.self_force.values[-20:]).sum(axis=(1, 2)).mean() for each in (run, twin))
    assert planar == pytest.approx(spatial, rel=0.02)


def test_two_links_side_by_side_touch_in_two_places() -> None:
    """A hairpin: two parallel links pressed together stay parallel."""
    theta = np.array([0.0, math.pi / 2, math.pi / 2, math.pi])
    long, thin = replace(LINK, side_length=0.06), replace(LINK, length=0.02, side_length=0.02, radius=0.001)
    robot = pp.PlanarRobot(links=(long, thin, thin, long), self_contact=True)
    load = np.zeros((1, 4, 3))
    load[0, 0, 1], load[0, 3, 1] = 1.0, -1.0
    simulator = pp.Simulator([pp.World(robot, FREE, None, pp.Start(link_angles=theta))], settings=pp.Settings(dt=DT))
    simulator.reset()
    for _ in range(20):
        simulator.step(pp.Command(joint_torque=np.zeros((1, 3)), link_load=load))
    state = simulator.state
    assert int(state.n_self[0]) == 2
    np.testing.assert_allclose(state.theta[0, [0, 3]], theta[[0, 3]], atol=1e-3)
    assert (state.P_self[0, :2, 0] > 0.0).all() and 0.499 < state.P_self[0, :2, 0].sum() / DT < 1.001


def test_links_as_long_as_they_are_thick_move_freely() -> None:
    """Ends on either side of one link are kept apart by it: they are no contact, however the joints bend."""
    stout = replace(LINK, radius=0.05)
    robot = pp.PlanarRobot(links=(stout,) * 8, motors=SERVO, self_contact=True, self_friction=0.5)
    plain = replace(robot, self_contact=False)
    wave = pp.gaits.LateralUndulation(amplitude=0.2, angular_frequency=4.0, phase_shift=-0.8)
    runs = [pp.simulate(each, ROUGH, wave, duration=1.0, record=pp.Record(rate=50.0)) for each in (robot, plain)]
    np.testing.assert_allclose(runs[0].link_position, runs[1].link_position, atol=1e-6)


def test_worlds_of_a_batch_and_states_that_are_restored() -> None:
    robots = [robot_of(8), robot_of(8, 0.5), replace(robot_of(8), self_contact=False)]
    worlds = [pp.World(robot, ROUGH, curl(1.0, 7)) for robot in robots]
    settings, record = pp.Settings(dt=DT), pp.Record(rate=50.0)
    batch = pp.simulate(worlds, 2.2, settings=settings, record=record)
    for w, world in enumerate(worlds):
        alone = pp.simulate(world, 2.2, settings=settings, record=record)
        np.testing.assert_array_equal(batch.link_angle.values[w], alone.link_angle.values)
    assert float(np.abs(batch.self_force.values[2, 1:]).max()) == 0.0
    simulator = pp.Simulator(worlds[:2], settings=settings)
    simulator.reset()
    command = pp.Command(joint_angle=np.full((2, 7), 1.0))
    for _ in range(200):
        simulator.step(command)
    kept = simulator.state
    assert (kept.n_self > 0).all()
    for _ in range(20):
        simulator.step(command)
    later = simulator.state
    simulator.restore(kept)
    for _ in range(20):
        simulator.step(command)
    np.testing.assert_array_equal(simulator.state.theta, later.theta)


def test_a_start_in_itself_is_refused() -> None:
    start = pp.Start(joint_angles=[1.2] * 5)
    with pytest.raises(StartOverlap, match=r"^start: link 0 overlaps link 5 by .* mm \(world 0\), must be clear$"):
        pp.World(robot_of(6), FREE, curl(0.0, 5), start).pose()
    pp.World(replace(robot_of(6), self_contact=False), FREE, curl(0.0, 5), start).pose()


def test_keys_in_files(tmp_path: Any) -> None:
    gait = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=1.0, phase_shift=0.5)
    world = pp.World(robot_of(5, 0.3), FREE, gait)
    path = pp.write_scenario(world, tmp_path / "curl.yaml", duration=1.0)
    assert "self_contact: true" in path.read_text() and "self_friction: 0.3" in path.read_text()
    assert pp.scenario(path).world.robot == world.robot

"""Spatial worlds step by step: commands, resets, states that continue bit for bit, closed loops."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from oracles.controllers import Always
from oracles.spatial.pose import Pose
from pushpoint.errors import InvalidModel

MOTOR = pp.Motor(stiffness=5.0, damping=0.1)
LINK = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1.2e-4, 3e-4, 3.5e-4), radius=0.025)
CARDAN = pp.Cardan(yaw=MOTOR, pitch=MOTOR)
ROBOT = pp.SpatialRobot(links=(LINK,) * 4, joints=(CARDAN, pp.Yaw(MOTOR), pp.Pitch(MOTOR)))
FREE = pp.SpatialRobot(links=(LINK,) * 4, joints=(pp.Cardan(), pp.Yaw(), pp.Pitch()))
ROUGH = pp.Ground(friction=pp.Isotropic(0.3), rolling=0.02, spin=0.005)
SPACE = pp.Environment(ground=pp.Ground(gravity=0.0))
FLAT = pp.Environment(ground=ROUGH)
WORLDS = (
    pp.World(ROBOT, pp.Environment(ground=ROUGH, obstacles=[pp.Stairs(foot=(0.1, 0.0), steps=2, rise=0.03, run=0.2)]),
             start=pp.SpatialStart(position=(0.0, 0.0, 0.1))),
    pp.World(ROBOT, pp.Environment(ground=replace(ROUGH, slope=0.2))),
    pp.World(replace(ROBOT, self_contact=True), FLAT, start=pp.SpatialStart(velocity=(0.1, 0.0, 0.0), heading=0.5)),
)  # fmt: skip
AFLOAT = pp.SpatialStart(position=(0.0, 0.0, 1.0))
GAIT = pp.gaits.Sidewinding(yaw_amplitude=0.4, pitch_amplitude=0.2, angular_frequency=6.0, phase_shift=-0.8)
TRUTHS = ("time", "joint_angle", "joint_rate", "center_of_mass", "link_orientation", "imu_heading", "imu_tilt")
MEANS = ("joint_torque", "contact_normal_force", "imu_acceleration")
LEVEL = np.array([1.0, 0.0, 0.0, 0.0])


def wave(k: int, worlds: int = 3) -> pp.Command:
    """The command of turn k: bends that swing, different in each world."""
    shift = np.arange(worlds)[:, None] + np.arange(4)
    return pp.Command(joint_angle=0.5 * np.sin(0.3 * k + shift))


def run(simulator: pp.Simulator, turns: range) -> list[pp.Measurement]:
    return [simulator.step(wave(k)) for k in turns]


def assert_same_state(a: Any, b: Any, rows: Any = slice(None)) -> None:
    for name in pp.SpatialState.names():
        np.testing.assert_array_equal(getattr(a, name)[rows], getattr(b, name)[rows], err_msg=name)


class TestMeasurement:
    def test_at_the_start(self) -> None:
        measured = pp.Simulator(WORLDS).reset()
        np.testing.assert_array_equal(measured.joint_angle, np.zeros((3, 4)))
        assert measured.center_of_mass is not None and measured.link_orientation is not None
        np.testing.assert_array_equal(measured.center_of_mass[0], [0.0, 0.0, 0.1])
        np.testing.assert_array_equal(measured.link_orientation[0], [LEVEL] * 4)
        assert measured.link_angle is None and measured.range is None
        for name in ("joint_rate", "joint_torque", "contact_normal_force"):
            assert not getattr(measured, name).any(), name

    def test_shapes(self) -> None:
        measured = pp.Simulator(WORLDS).step(pp.Command())
        assert {name: value.shape for name, value in vars(measured).items() if value is not None} == {
            "time": (3,), "joint_angle": (3, 4), "joint_rate": (3, 4), "joint_torque": (3, 4),
            "contact_normal_force": (3, 4), "imu_angular_rate": (3, 3), "imu_acceleration": (3, 3),
            "imu_heading": (3,), "imu_tilt": (3, 2), "center_of_mass": (3, 3), "link_orientation": (3, 4, 4),
        }  # fmt: skip

    def test_is_what_the_dataset_says(self) -> None:
        class Script(pp.Controller[None]):
            rate = 100.0

            def command(self, measurement: pp.Measurement, memory: None) -> tuple[pp.Command, None]:
                return wave(round(float(measurement.time[0]) * 100)), memory

        script = Script()
        recorded = pp.simulate([replace(world, controller=script) for world in WORLDS], duration=0.4)
        stepped = run(pp.Simulator(WORLDS), range(40))
        for k, measured in enumerate(stepped):
            sample = recorded.isel(time=k + 1)
            for name in ("joint_angle", "joint_rate", "center_of_mass", "link_orientation"):
                np.testing.assert_array_equal(getattr(measured, name), sample[name], err_msg=name)
            for name in ("joint_torque", "contact_normal_force"):
                np.testing.assert_allclose(getattr(measured, name), sample[name], atol=1e-9, err_msg=name)


class TestStates:
    def test_restore_continues_bit_for_bit(self) -> None:
        simulator = pp.Simulator(WORLDS)
        run(simulator, range(25))
        kept = simulator.state
        assert isinstance(kept, pp.SpatialState) and (kept.n_contacts.sum(axis=1) > 0).all()
        run(simulator, range(25, 60))
        end = simulator.state
        simulator.restore(kept)
        assert_same_state(simulator.state, kept)
        run(simulator, range(25, 60))
        assert_same_state(simulator.state, end)

    def test_also_while_links_touch_each_other(self) -> None:
        """Impulses between links are part of the state; without them the next step would start from elsewhere."""
        ring = pp.SpatialRobot(links=(LINK,) * 8, joints=pp.Yaw(MOTOR), self_contact=True, self_friction=0.4)
        bent = pp.Command(joint_angle=np.full((1, 7), 1.2))
        simulator = pp.Simulator([pp.World(ring, SPACE, start=AFLOAT)])
        for _ in range(60):
            simulator.step(bent)
        kept = simulator.state
        assert isinstance(kept, pp.SpatialState) and kept.n_self[0] > 0 and kept.P_self.any()
        for _ in range(20):
            simulator.step(bent)
        end = simulator.state
        simulator.restore(kept)
        for _ in range(20):
            simulator.step(bent)
        assert_same_state(simulator.state, end)

    def test_in_another_simulator(self) -> None:
        a, b = pp.Simulator(WORLDS), pp.Simulator(WORLDS)
        run(a, range(20))
        restored = b.restore(a.state)
        np.testing.assert_allclose(restored.time, np.full(3, 0.2))
        run(a, range(20, 40)), run(b, range(20, 40))
        assert_same_state(a.state, b.state)

    @pytest.mark.parametrize("mask", [(True, False, True), (False, True, False)])
    def test_some_begin_again_beside_others_that_go_on(self, mask: tuple[bool, ...]) -> None:
        whole, reset, fresh = (pp.Simulator(WORLDS) for _ in range(3))
        run(whole, range(20))
        last = run(reset, range(20))[-1]
        back, kept = np.flatnonzero(mask), np.flatnonzero(~np.array(mask))
        measured = reset.reset(np.array(mask))
        np.testing.assert_array_equal(measured.time, np.where(mask, 0.0, 0.2))
        assert not measured.joint_torque[back].any()
        for name in (*TRUTHS, *MEANS):  # the others repeat what they measured
            np.testing.assert_array_equal(getattr(measured, name)[kept], getattr(last, name)[kept], err_msg=name)
        assert_same_state(reset.state, fresh.state, back)
        for k in range(20, 40):
            reset.step(wave(k)), whole.step(wave(k)), fresh.step(wave(k))
        assert_same_state(reset.state, fresh.state, back)
        assert_same_state(reset.state, whole.state, kept)

    def test_states_of_other_worlds_are_refused(self) -> None:
        simulator = pp.Simulator(WORLDS)
        with pytest.raises(InvalidModel, match=r"^state\.\w+ = \(2,.*\), must be of shape \(3,"):
            simulator.restore(pp.Simulator(WORLDS[:2]).state)
        planar = pp.PlanarRobot.uniform(4, pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02))
        flat = pp.Simulator([pp.World(planar, pp.Environment())] * 3).state
        with pytest.raises(InvalidModel, match=r"^state = 'State', must be a SpatialState$"):
            simulator.restore(flat)

    @pytest.mark.parametrize(("field", "count"), [("n_contacts", 17), ("n_contacts", -1), ("n_self", 17)])
    def test_refuses_more_contacts_than_there_is_room_for(self, field: str, count: int) -> None:
        simulator = pp.Simulator(WORLDS)
        state = simulator.state
        wrong = replace(state, **{field: np.full_like(getattr(state, field), count)})
        with pytest.raises(InvalidModel, match=rf"^state\.{field}\[.*\] = {count}, must be in \[0, 16\]"):
            simulator.restore(wrong)

    def test_a_failed_world_stands_still_until_it_is_reset(self) -> None:
        simulator = pp.Simulator([pp.World(FREE, SPACE, start=AFLOAT)] * 2)
        torque = np.outer([0.0, 1.0], [1e6, -1e6, 1e6, -1e6])
        simulator.step(pp.Command(joint_torque=torque))
        assert simulator.statuses == [pp.Status.RUNNING, pp.Status.DIVERGED]
        stopped = simulator.state
        simulator.step(pp.Command(joint_torque=torque))
        assert_same_state(simulator.state, stopped, 1)
        simulator.reset(np.array([False, True]))
        np.testing.assert_allclose(simulator.step(pp.Command(joint_torque=0 * torque)).time, [0.03, 0.01])


class TestCommands:
    def test_torque_is_what_the_motors_give(self) -> None:
        torque = np.array([[0.01, -0.02, 0.0, 0.03]])
        measured = pp.Simulator([pp.World(FREE, SPACE, start=AFLOAT)]).step(pp.Command(joint_torque=torque))
        np.testing.assert_allclose(measured.joint_torque, torque, rtol=1e-12)

    @pytest.mark.parametrize("axis", range(4))
    def test_torque_turns_the_front_link_left_or_down(self, axis: int) -> None:
        simulator = pp.Simulator([pp.World(FREE, SPACE, start=AFLOAT)])
        torque = np.zeros((1, 4))
        torque[0, axis] = 1e-3
        for _ in range(10):
            measured = simulator.step(pp.Command(joint_torque=torque))
        assert measured.joint_rate[0, axis] > 0.0
        turns = Pose.of(np.zeros((4, 3)), measured.link_orientation[0]).rotation  # type: ignore[index]
        behind, name = FREE.axes[axis].link_behind, FREE.axes[axis].name
        ahead = turns[behind].T @ turns[behind + 1][:, 0]  # where the front link points, as the rear one sees it
        assert (ahead[1] > 1e-4) if name == "yaw" else (ahead[2] < -1e-4)

    def test_servos_go_where_they_are_told(self) -> None:
        target = np.array([[0.2, -0.3, 0.4, -0.1]])
        simulator = pp.Simulator([pp.World(ROBOT, SPACE, start=AFLOAT)])
        for _ in range(300):
            measured = simulator.step(pp.Command(joint_angle=target))
        np.testing.assert_allclose(measured.joint_angle, target, atol=1e-3)

    def test_prescribed_motion_is_exact(self) -> None:
        simulator = pp.Simulator([pp.World(FREE, FLAT)], rate=1000.0)
        for k in range(1, 101):
            t = 1e-3 * k
            angle = np.array([[0.3, -0.2, 0.4, 0.1]]) * t**2
            rate = 2 * np.array([[0.3, -0.2, 0.4, 0.1]]) * t
            measured = simulator.step(pp.Command(joint_angle=angle, joint_rate=rate, prescribed=True))
            np.testing.assert_allclose(measured.joint_angle, angle, atol=1e-12)

    def test_loads_accelerate_a_free_robot(self) -> None:
        """Force over mass, and torque over moment of inertia about the same axis for a single link."""
        one = pp.SpatialRobot(links=(LINK,), joints=())
        for axis in range(3):
            load = np.zeros((1, 1, 6))
            load[0, 0, axis], load[0, 0, 3 + axis] = 0.5, 1e-4
            simulator = pp.Simulator([pp.World(one, SPACE, start=AFLOAT)])
            simulator.step(pp.Command(link_load=load))
            state = simulator.state
            assert isinstance(state, pp.SpatialState)
            np.testing.assert_allclose(state.v[0, 0], 0.5 / 0.3 * 0.01 * np.eye(3)[axis], atol=1e-15)
            np.testing.assert_allclose(state.omega[0, 0], 1e-6 / LINK.inertia[axis] * np.eye(3)[axis], atol=1e-15)

    def test_loads_end_with_their_command(self) -> None:
        simulator = pp.Simulator([pp.World(ROBOT, SPACE, start=AFLOAT)])
        simulator.step(pp.Command(link_load=np.ones((1, 4, 6))))
        moving = simulator.state.v.sum()
        simulator.step(pp.Command())
        assert simulator.state.v.sum() == pytest.approx(moving, rel=1e-12)

    WRONG: dict[str, tuple[Any, str]] = {  # noqa: RUF012
        "angles of another robot": (
            pp.Command(joint_angle=np.zeros((3, 3))),
            r"^command\.joint_angle = \(3, 3\), must",
        ),
        "rates of fewer worlds": (pp.Command(joint_rate=np.zeros((2, 4))), r"^command\.joint_rate = \(2, 4\), must be"),
        "a torque": (pp.Command(joint_torque=0.1), r"^command\.joint_torque = \(\), must be of shape \(3, 4\) \["),  # type: ignore[arg-type]
        "planar loads": (
            pp.Command(link_load=np.zeros((3, 4, 3))),
            r"^command\.link_load = \(3, 4, 3\), must be of shape \(3, 4, 6\) \[",
        ),
        "no command": (None, r"must be a Command"),
    }

    @pytest.mark.parametrize("case", WRONG)
    def test_of_another_shape_are_refused(self, case: str) -> None:
        command, words = self.WRONG[case]
        simulator = pp.Simulator(WORLDS)
        with pytest.raises(InvalidModel, match=words):
            simulator.step(command)
        np.testing.assert_array_equal(simulator.state.step, np.zeros(3))


class Upright(pp.Controller[np.ndarray]):
    """Lifts the head as far as its tilt asks for, and counts its turns; for many worlds at once."""

    rate = 100.0
    needs = frozenset({"pose"})

    def bind(self, robot: Any, environment: pp.Environment | None = None) -> Upright:
        assert isinstance(robot, pp.SpatialRobot) and environment is None
        return self

    def memory(self) -> np.ndarray:
        return np.zeros(1)

    def command(self, seen: pp.Measurement, memory: np.ndarray) -> tuple[pp.Command, np.ndarray]:
        assert seen.imu_tilt is not None and seen.center_of_mass is not None and seen.link_orientation is not None
        assert seen.center_of_mass.shape[-1] == 3 and seen.link_angle is None
        angle = np.zeros_like(seen.joint_angle)
        angle[..., 3] = -0.3 - 0.2 * seen.imu_tilt[..., 0]
        angle[..., 1] = 0.05 * memory[..., 0]
        return pp.Command(joint_angle=angle), memory + 1.0


class TestClosedLoop:
    def test_a_controller_lifts_the_head(self) -> None:
        world = pp.World(ROBOT, FLAT, Upright())
        seen = pp.simulate([world], duration=0.3)
        up = pp.simulate([replace(world, controller=Always(pp.Command(joint_angle=np.zeros((1, 4)))))], duration=0.3)
        assert float(seen.link_position[0, -1, 3, 2]) > float(up.link_position[0, -1, 3, 2]) + 0.005

    def test_one_world_at_a_time_is_the_same_run(self) -> None:
        upright = Upright()
        single = pp.per_world(upright)
        worlds = [replace(world, controller=upright) for world in WORLDS]
        together = pp.simulate(worlds, duration=0.2)
        apart = pp.simulate([replace(world, controller=single) for world in worlds], duration=0.2)
        for name in together.data_vars:
            np.testing.assert_array_equal(together[name], apart[name], err_msg=str(name))
        assert float(np.abs(together.joint_reference[:, -1, 1]).min()) == pytest.approx(0.05 * 19)

    def test_a_gait_beside_it_serves_robots_of_any_size_with_the_same_axes(self) -> None:
        longer = replace(ROBOT, links=(replace(LINK, length=0.2),) * 4)
        sampled = pp.gaits.Sampled(gait=GAIT, rate=100.0, hold=True)
        batch = pp.simulate(
            [pp.World(ROBOT, FLAT, Upright()), pp.World(ROBOT, FLAT, sampled), pp.World(longer, FLAT, sampled)],
            duration=0.2,
        )
        for w, robot in ((1, ROBOT), (2, longer)):
            angle, _ = GAIT.references(0.01 * np.arange(20), robot)
            # Held from the last turn, so a sample shows the reference of the turn before.
            np.testing.assert_allclose(batch.joint_reference[w, 1:], angle, atol=1e-12)

    @pytest.mark.parametrize("beside", [None, Upright()], ids=["gaits alone", "beside a controller"])
    def test_robots_with_other_axes_cannot_share_a_batch_nor_a_gait_in_it(self, beside: Any) -> None:
        other = replace(ROBOT, joints=(pp.Yaw(MOTOR), CARDAN, pp.Pitch(MOTOR)))
        assert other.n_joints == ROBOT.n_joints
        worlds = [pp.World(ROBOT, FLAT, GAIT), pp.World(other, FLAT, GAIT)]
        worlds += [] if beside is None else [pp.World(ROBOT, FLAT, beside)]
        sentence = "worlds: joints = 'different axes', must be of the same kinds in every world of a batch"
        with pytest.raises(InvalidModel) as caught:
            pp.simulate(worlds, duration=0.1)
        assert str(caught.value) == sentence
        # One after the other the same object drives both.
        for robot in (ROBOT, other):
            alone = pp.simulate(robot, FLAT, GAIT, duration=0.1)
            np.testing.assert_allclose(
                alone.joint_reference[-1], GAIT.references(np.array([0.1]), robot)[0][0], atol=1e-12
            )


def test_a_number_that_is_none_ends_that_world_alone() -> None:
    values = np.zeros((3, 4))
    values[1, 2] = math.nan
    simulator = pp.Simulator([pp.World(ROBOT, SPACE, start=AFLOAT)] * 3)
    simulator.step(pp.Command(joint_angle=values))
    assert simulator.statuses == [pp.Status.RUNNING, pp.Status.DIVERGED, pp.Status.RUNNING]

"""Leader-following and the hybrid controller of Liljeback2011 against its equations, written again in its letters."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.controllers import Always
from pushpoint.control.hybrid import (
    MODES,
    TRANSITIONS,
    Body,
    HybridController,
    LeaderFollower,
    Mode,
    Situation,
    body_of,
    head_offset,
    measured_link_angles,
    next_side,
    resolution,
)  # fmt: skip
from pushpoint.engine.batching import stack
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.kinematics import link_positions, rear_joints
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko, holden2014, liljeback2011
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.liljeback2011.courses import free_start
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.storage import load, save
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

ROBOT = liljeback2011()
N, TICK = 10, 0.05
BARE = Environment()


def seen(joint_angle: Any, heading: Any = 0.0, force: Any = 0.0) -> Measurement:
    """What worlds with these joint angles, head angles and contact forces measure."""
    joints = np.atleast_2d(np.asarray(joint_angle, dtype=float))
    worlds, zero = len(joints), np.zeros(len(joints))
    still = {"joint_rate": 0 * joints, "joint_torque": 0 * joints}
    return Measurement(
        time=zero,
        joint_angle=joints,
        **still,
        contact_normal_force=np.broadcast_to(force, (worlds, joints.shape[1] + 1)),
        imu_angular_rate=zero,
        imu_acceleration=np.zeros((worlds, 2)),
        imu_heading=np.broadcast_to(np.asarray(heading, dtype=float), worlds),
    )


def begun(controller: Any, worlds: int = 1) -> tuple[Any, Any]:
    """The controller of the robot, and the memory of a batch before the first command."""
    bound = controller.bind(ROBOT)
    return bound, stack([bound.memory()] * worlds)


def asked(controller: Any, measurements: list[Measurement]) -> tuple[np.ndarray, list[Any]]:
    """References of one measurement after the other, shape (n, n_worlds, n_joints), and the memories."""
    bound, memory = begun(controller, len(measurements[0].time))
    references, memories = [], []
    for measurement in measurements:
        command, memory = bound.command(measurement, memory)
        references.append(command.joint_angle)
        memories.append(memory)
    return np.array(references), memories


class TestBody:
    def test_the_head_s_offset_is_that_of_the_kinematics(self) -> None:
        robot = holden2014()  # its centres of mass are off the middle, and its head is heavier
        theta = np.random.default_rng(1).uniform(-1.0, 1.0, (5, robot.n_links))
        body = body_of(robot)
        batch = Body(*(np.stack([part] * 5) for part in body))
        places = link_positions(robot, np.zeros((5, 2)), theta)
        np.testing.assert_allclose(head_offset(batch, theta), places[:, -1, 1], atol=1e-12)

    def test_the_front_of_the_head_is_where_its_link_ends(self) -> None:
        robot = holden2014()
        theta = np.random.default_rng(1).uniform(-1.0, 1.0, robot.n_links)
        ends = rear_joints(robot, np.zeros(2), theta)[-1] + robot.links[-1].length * np.array([0.0, np.sin(theta[-1])])
        assert head_offset(body_of(robot, "front"), theta) == pytest.approx(ends[1], abs=1e-12)  # round-off

    def test_link_angles_count_back_from_the_head_s_imu(self) -> None:
        theta = np.random.default_rng(2).uniform(-1.0, 1.0, (3, N))
        np.testing.assert_allclose(measured_link_angles(seen(np.diff(theta), theta[:, -1])), theta, atol=1e-12)

    def test_the_head_keeps_its_side_within_the_band(self) -> None:
        side, sides = np.array([-1.0]), []
        for offset in (0.0, -0.13, -0.15, 0.0, 0.13, 0.15, 0.0):
            side = next_side(side, np.array([offset]), 0.14)
            sides.append(float(side[0]))
        assert sides == [-1, -1, 1, 1, 1, -1, -1]


class TestLeaderFollower:
    def test_the_body_begins_as_it_is(self) -> None:
        angles = np.random.default_rng(3).uniform(-0.6, 0.6, (2, N - 1))
        references, _ = asked(LeaderFollower(), [seen(angles)])
        np.testing.assert_allclose(references[0][:, :-1], angles[:, :-1], atol=1e-12)

    def test_the_past_lies_evenly_between_the_joints(self) -> None:
        angles = np.random.default_rng(6).uniform(-0.6, 0.6, (2, N - 1))
        _, memories = asked(LeaderFollower(), [seen(angles)])
        for w in range(2):
            # Joints are 56 commands apart, 2l / v_ref at 20 Hz; the newest comes first.
            expected = np.interp(np.arange(8 * 56 + 1), 56 * np.arange(N - 1), angles[w, ::-1])
            np.testing.assert_allclose(memories[0].line[w, : 8 * 56 + 1], expected, atol=1e-12)

    def test_each_joint_repeats_the_head_joint_2l_over_v_ref_later(self) -> None:
        time = np.arange(600) * TICK
        head = 0.5 * np.sin(0.4 * time)
        history = [seen(np.concatenate((np.zeros(N - 2), [angle]))) for angle in head]
        references, _ = asked(LeaderFollower(), history)
        for i in range(1, N - 1):  # the paper's joints; ours are one less
            late = (N - i - 1) * 0.14 / 0.05  # (5): (n - i - 1) 2l / v_ref
            known = time > late
            # 2.8 s are 56 whole periods: nothing lies between two samples.
            np.testing.assert_allclose(
                references[known, 0, i - 1], np.interp(time[known] - late, time, head), atol=1e-9
            )

    def test_the_head_joint_points_the_head_at_its_direction(self) -> None:
        theta = np.radians(np.linspace(-10, 12, N))[None]
        references, _ = asked(LeaderFollower(swing=10.0), [seen(np.diff(theta), theta[:, -1])])
        phi_ref = theta[0, -2] - math.radians(-50)  # (4) with theta_right, which comes first
        limited = min(phi_ref, math.radians(45))
        assert references[0, 0, -1] == pytest.approx(-limited)

    def test_references_end_at_the_joint_limits(self) -> None:
        references, _ = asked(LeaderFollower(), [seen(np.zeros(N - 1), math.radians(80))])
        assert np.abs(references).max() == pytest.approx(math.radians(45))


def paper_resolution(k: float, f: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """What (10) adds to phi_1 .. phi_{n-1}, for one world, in the paper's letters and signs."""
    return np.array([k * (-f[i] * math.cos(theta[i]) + f[i + 1] * math.cos(theta[i + 1])) for i in range(len(f) - 1)])


class TestResolution:
    def test_it_is_10_with_the_sign_of_our_joints(self) -> None:
        draw = np.random.default_rng(4)
        f, theta = draw.normal(0, 20, (3, N)), draw.uniform(-1, 1, (3, N))
        for w in range(3):
            np.testing.assert_allclose(resolution(0.05, f, theta)[w], -paper_resolution(0.05, f[w], theta[w]))

    def test_a_pushed_link_alone_turns_and_its_push_gets_a_larger_forward_part(self) -> None:
        f = np.zeros((1, N))
        f[0, 4] = 8.0
        theta = np.full((1, N), 0.2)
        turned = theta + np.concatenate(([[0.0]], np.cumsum(resolution(0.05, f, theta), axis=1)), axis=1)
        assert turned[0, 4] == pytest.approx(0.2 - 0.05 * 8.0 * math.cos(0.2))  # (8)
        np.testing.assert_allclose(np.delete(turned, 4), 0.2)
        assert -8.0 * math.sin(turned[0, 4]) > -8.0 * math.sin(0.2)  # (6)


class TestSupervisor:
    def test_the_table_has_the_paper_s_switches_and_no_others(self) -> None:
        pairs = [(transition.source, transition.target) for transition in TRANSITIONS]
        assert set(pairs) == {
            (Mode.FOLLOWING, Mode.JAMMED),
            (Mode.JAMMED, Mode.FOLLOWING),
            (Mode.JAMMED, Mode.RESOLVING),
            (Mode.RESOLVING, Mode.FOLLOWING),
        }
        assert len(pairs) == len(set(pairs)) and set(MODES) == set(Mode)

    def test_guards_of_one_mode_exclude_each_other(self) -> None:
        jammed, spent = np.meshgrid([True, False], np.linspace(0, 3, 31))
        now = Situation(jammed.ravel(), spent.ravel())
        for mode in Mode:
            guards = [t.guard(HybridController(), now) for t in TRANSITIONS if t.source == mode]
            assert np.sum(guards, axis=0).max() <= 1

    def modes_of(self, off: list[float], joints: tuple[int, ...] = (2, 5)) -> list[int]:
        """The modes while these joints are off their references by so many degrees, command after command."""
        (controller, memory), modes = begun(HybridController()), []
        angles = np.zeros(N - 1)
        reference = angles
        for degrees in off:
            measured = reference.copy()
            measured[list(joints)] += math.radians(degrees)
            command, memory = controller.command(seen(np.clip(measured, -3, 3)), memory)
            assert command.joint_angle is not None
            reference = command.joint_angle[0]
            modes.append(int(memory[1][0]))
        return modes

    def test_a_jam_that_lasts_a_second_is_resolved_for_a_second(self) -> None:
        modes = self.modes_of([0.0] * 10 + [25.0] * 80)
        assert modes[:10] == [0] * 10
        assert modes[10:31] == [1] * 21  # 1 s of 20 Hz has to be over, not just reached
        assert modes[31:51] == [2] * 20 and modes[51] == 0

    def test_a_jam_that_passes_is_not_resolved(self) -> None:
        modes = self.modes_of(([25.0] * 19 + [0.0]) * 4)
        assert set(modes) == {0, 1}

    def test_19_degrees_are_no_jam(self) -> None:
        assert set(self.modes_of([19.0] * 60)) == {0}

    def test_one_joint_is_no_jam(self) -> None:
        assert set(self.modes_of([40.0] * 60, joints=(3,))) == {0}

    def test_resolution_keeps_the_head_joint_the_first_forces_and_the_past(self) -> None:
        controller, memory = begun(HybridController())
        resolving = np.array(int(Mode.RESOLVING))
        _, memory = controller.command(seen(np.zeros(N - 1)), memory)
        first = np.linspace(-10, 10, N)[None]
        memory = memory._replace(mode=resolving[None], jam_force=first)
        theta = np.linspace(0.3, -0.2, N)
        command, after = controller.command(seen(np.diff(theta), theta[-1], 99.0), memory)
        assert command.joint_angle is not None
        expected = np.diff(theta) - paper_resolution(0.05, first[0], theta)
        expected[-1] = np.diff(theta)[-1]
        np.testing.assert_allclose(command.joint_angle[0], np.clip(expected, -math.pi / 4, math.pi / 4))
        np.testing.assert_array_equal(after.jam_force, first)
        np.testing.assert_array_equal(after.follower.line, memory.follower.line)

    def test_with_a_clock_that_runs_the_past_goes_on_during_a_resolution(self) -> None:
        # (5) by the clock: phi_i,ref(t) = phi_n-1(t - ...), whatever the robot does at t.
        controller, memory = begun(HybridController(clock="runs"))
        _, memory = controller.command(seen(np.zeros(N - 1)), memory)
        memory = memory._replace(mode=np.array([int(Mode.RESOLVING)]))
        _, after = controller.command(seen(np.full(N - 1, 0.3)), memory)
        assert after.mode[0] == Mode.RESOLVING
        np.testing.assert_array_equal(after.follower.line[:, 0], 0.3)
        np.testing.assert_array_equal(after.follower.line[:, 1:], memory.follower.line[:, :-1])


@pytest.mark.parametrize("controller", [LeaderFollower(), HybridController()], ids=["follower", "hybrid"])
def test_worlds_in_a_batch_are_commanded_as_if_alone(controller: Any) -> None:
    draw = np.random.default_rng(5)
    angles, heading = draw.uniform(-0.7, 0.7, (90, 3, N - 1)), draw.uniform(-1, 1, (90, 3))
    force = draw.normal(0, 10, (90, 3, N))
    together, _ = asked(controller, [seen(*parts) for parts in zip(angles, heading, force, strict=True)])
    for w in range(3):
        alone, _ = asked(controller, [seen(angles[k, w], heading[k, w], force[k, w]) for k in range(90)])
        np.testing.assert_array_equal(together[:, w], alone[:, 0])


REFUSED: dict[str, tuple[Any, str]] = {
    "speed": (lambda: LeaderFollower(speed=0.0), r"^controller\.speed = 0\.0, must be finite and > 0 \[m/s\]$"),
    "angle": (lambda: LeaderFollower(head_angle=2.0), r"^controller\.head_angle = 2\.0, must be in"),
    "rate": (lambda: LeaderFollower(rate=math.nan), r"^controller\.rate = nan"),
    "gain": (lambda: HybridController(gain=-0.1), r"^controller\.gain = -0\.1"),
    "jam angle": (lambda: HybridController(jam_angle=0.0), r"^controller\.jam_angle = 0\.0"),
    "follower": (lambda: HybridController(follower=3), r"^controller\.follower = 3, must be a LeaderFollower$"),  # type: ignore[arg-type]
    "spatial": (lambda: HybridController().bind(aiko()), r"= 'SpatialRobot', must be a PlanarRobot$"),
    "unbound": (
        lambda: HybridController().command(seen(np.zeros(N - 1)), None),
        r"= 'HybridController', must be bound",
    ),  # type: ignore[arg-type]
    "two links": (
        lambda: LeaderFollower().bind(PlanarRobot(links=(ROBOT.links[0],) * 2, motors=ROBOT.motors[:1])),  # type: ignore[index]
        r"= 2, must be a robot of at least 3 links$",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_work_is_refused(case: str) -> None:
    make, words = REFUSED[case]
    with pytest.raises(InvalidModel, match=words):
        make()


def test_robots_of_different_length_may_share_a_controller() -> None:
    control = HybridController()
    longer = PlanarRobot(links=(PlanarLink(length=0.2, mass=1.0, inertia=0.003, radius=0.07),) * N, motors=ROBOT.motors)
    both = simulate([World(robot, BARE, control) for robot in (ROBOT, longer)], duration=0.3)
    for w, robot in enumerate((ROBOT, longer)):
        alone = simulate(robot, BARE, control, duration=0.3)
        np.testing.assert_array_equal(both.joint_reference[w], alone.joint_reference)


class Clockwork(Controller[np.ndarray]):
    """Changes its mode every 0.3 s."""

    rate = 10.0
    modes = ("red", "green", "blue")

    def memory(self) -> np.ndarray:
        return np.array(0)

    def command(self, measurement: Measurement, memory: np.ndarray) -> tuple[Command, np.ndarray]:
        return Command(), (np.round(measurement.time * 10).astype(int) // 3) % 3

    def mode_of(self, memory: np.ndarray) -> np.ndarray:
        return memory


class TestModesInResults:
    def test_a_sample_has_the_mode_that_acted_until_then(self) -> None:
        run = simulate(ROBOT, BARE, Clockwork(), duration=1.0, record=Record(rate=20.0))
        assert run.controller_mode.dims == ("time",)
        # Commands at 0.0, 0.1, 0.2 are red: they act until 0.3; the first sample has the first mode.
        expected = [0] * 7 + [1] * 6 + [2] * 6 + [0] * 2
        np.testing.assert_array_equal(run.controller_mode, expected)
        assert run.controller_mode.attrs["flag_meanings"] == "red green blue"

    def test_worlds_whose_controller_tells_none_have_none(self) -> None:
        plain = Always(Command())
        run = simulate([World(ROBOT, BARE, Clockwork()), World(ROBOT, BARE, plain)], duration=0.5)
        assert run.controller_mode.dims == ("world", "time")
        assert np.isfinite(run.controller_mode[0]).all() and np.isnan(run.controller_mode[1]).all()
        assert "controller_mode" not in simulate(ROBOT, BARE, plain, duration=0.2)

    def test_it_can_be_left_out_chosen_and_stored(self, tmp_path: Path) -> None:
        kept = simulate(ROBOT, BARE, Clockwork(), duration=0.5, record=Record(variables=["controller_mode"]))
        assert set(kept.data_vars) == {"controller_mode"}
        without = simulate(ROBOT, BARE, Clockwork(), duration=0.5, record=Record(variables=["link_angle"]))
        assert set(without.data_vars) == {"link_angle"}
        save(kept, tmp_path / "run.nc")
        again = load(tmp_path / "run.nc")
        np.testing.assert_array_equal(again.controller_mode, kept.controller_mode)
        assert again.controller_mode.attrs["flag_meanings"] == "red green blue"


class Faulty(Controller[None]):
    """Commands nonsense to the fourth joint of the second world after half a second."""

    rate = 10.0

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        angles = np.zeros_like(measurement.joint_angle)
        if measurement.time[0] > 0.45:
            angles[-1, 3] = math.nan
        return Command(joint_angle=angles), memory


class TestFaultyController:
    def test_it_is_named_with_time_and_joint(self) -> None:
        control = Faulty()
        with pytest.raises(InvalidModel) as error:
            simulate([World(ROBOT, BARE, control)] * 2, duration=1.0)
        assert str(error.value) == (
            "command.joint_angle of Faulty at t = 0.5 s, joint 3, world 1 = nan, must be finite"
        )

    def test_on_record_its_world_ends_alone(self) -> None:
        control = Faulty()
        settings = Settings(on_failure="record")
        run = simulate([World(ROBOT, BARE, control)] * 2, duration=1.0, settings=settings)
        assert np.isfinite(run.center_of_mass[0]).all() and np.isnan(run.center_of_mass[1, -1]).all()


class TestFreeStart:
    PEG = Environment(obstacles=[Peg(x=0.0, y=0.06, radius=0.1)])

    def test_a_clear_start_stays(self) -> None:
        start = Start(joint_angles=(0.0,) * 9, position=(0.0, -1.0))
        found = free_start(ROBOT, self.PEG, start)
        assert found.start is start and found.moved == 0.0 and found.note == "the start is as asked"

    def test_a_start_inside_an_obstacle_is_moved_no_further_than_needed_and_says_so(self) -> None:
        start = Start(joint_angles=(0.0,) * 9, position=(0.0, 0.0))
        found = free_start(ROBOT, self.PEG, start)
        # The peg reaches 0.1 + 0.07 - 0.06 m into the straight body.
        assert found.overlap == pytest.approx(0.11, abs=1e-9)
        run = simulate(ROBOT, self.PEG, Clockwork(), duration=0.1, start=found.start)  # it would refuse an overlap
        assert run.attrs["status"] == "finished"
        assert "overlaps an obstacle by 110 mm" in found.note
        # Moving the whole body sideways would do it too, each of its eleven joints and ends by 0.111 m.
        pose = found.start.pose(ROBOT)
        rear = rear_joints(ROBOT, pose["center"], pose["theta"])
        way = rear - rear_joints(ROBOT, np.zeros(2), np.zeros(N))
        assert (way**2).sum() < 0.5 * 11 * 0.111**2

    def test_joint_limits_are_kept(self) -> None:
        found = free_start(ROBOT, self.PEG, Start(joint_angles=(0.0,) * 9, position=(0.0, 0.0)))
        theta = np.array(found.start.link_angles)
        assert np.abs(np.diff(theta)).max() <= math.radians(45) + 1e-6

    def test_a_start_that_no_pose_near_by_frees_is_refused(self) -> None:
        crowd = [Peg(x=0.25 * x, y=0.25 * y, radius=0.12) for x in range(-6, 7) for y in range(-6, 7)]
        with pytest.raises(InvalidModel, match=r"^start = .* mm deep in an obstacle', must be near a free pose$"):
            free_start(ROBOT, Environment(obstacles=crowd), Start(joint_angles=(0.0,) * 9))


def test_parameters_are_those_of_the_paper() -> None:
    control = HybridController()
    follower = control.follower
    assert (math.degrees(follower.head_angle), follower.swing, follower.speed) == pytest.approx((50, 0.14, 0.05))
    assert (math.degrees(control.jam_angle), control.jam_time, control.resolution_time) == pytest.approx((20, 1, 1))
    assert (control.gain, control.rate) == (0.05, 20.0)
    assert replace(control, gain=0.1).gain == 0.1

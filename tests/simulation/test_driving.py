"""Who drives the motors: waves in the kernels, tables of functions, controllers in closed loop, and mixtures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
import xarray as xr

from oracles.controllers import Always
from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.controller import Bindable, Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.simulation.driving import whole_steps
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

LINK = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = PlanarRobot.uniform(5, LINK, Motor(stiffness=5.0, damping=0.1))
FREE = Environment()
ROUGH = Environment(ground=Ground(friction=Isotropic(0.3)))
GAIT = LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.8, offset=0.1)
EVERY_STEP = Record(rate=1000.0)


def refs(t: Any, gait: LateralUndulation = GAIT) -> np.ndarray:
    """Joint references written out, shape (*t.shape, 4)."""
    behind = np.arange(4)[::-1]
    t = np.asarray(t, dtype=float)[..., None]
    return gait.offset + gait.amplitude * np.sin(gait.angular_frequency * t + gait.phase_shift * behind)


@dataclass
class Copy(Controller[None]):
    """A controller that asks for what the gait will want `ahead` of now."""

    ahead: float
    rate: float
    times: list[np.ndarray] = field(default_factory=list)

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        self.times.append(np.array(measurement.time))
        angle, rate = GAIT.references(measurement.time + self.ahead, ROBOT)
        return Command(joint_angle=angle, joint_rate=rate), memory


def same(a: xr.Dataset, b: xr.Dataset, *names: str, atol: float) -> None:
    for name in names:
        np.testing.assert_allclose(a[name], b[name], atol=atol, err_msg=name)


AT_GAIT = Start(link_angles=GAIT.link_angles(ROBOT))


class TestCopies:
    """The same references by three ways."""

    def test_controller_at_every_step_is_the_gait(self) -> None:
        gait = simulate(ROBOT, ROUGH, GAIT, duration=0.5, start=AT_GAIT)
        copy = simulate(ROBOT, ROUGH, Copy(ahead=5e-4, rate=1000.0), duration=0.5, start=AT_GAIT)
        # Held through a step, they are those of its middle. The servos follow a mean of the gait's at its two ends, off
        # by half a step at most: 0.5 ms x 2 rad/s = 1 mrad, of a robot of 0.5 m, at 5 N m/rad.
        np.testing.assert_allclose(copy.link_position, gait.link_position, atol=1e-3 * 0.25)
        np.testing.assert_allclose(copy.joint_torque, gait.joint_torque, atol=1e-3 * 5)

    def test_slower_controller_is_nearly_the_gait(self) -> None:
        # Held for 10 ms, taken in the middle: references are off by half a period at most, 5 ms x 2 rad/s = 10 mrad.
        gait = simulate(ROBOT, ROUGH, GAIT, duration=0.5, start=AT_GAIT)
        copy = simulate(ROBOT, ROUGH, Copy(ahead=5e-3, rate=100.0), duration=0.5, start=AT_GAIT)
        off = np.abs(copy.joint_reference[1:] - gait.joint_reference[1:]).max()
        assert 5e-3 < off < 1e-2
        assert np.abs(copy.joint_angle - gait.joint_angle).max() < 2e-2
        assert np.abs(copy.link_position - gait.link_position).max() < 5e-3

    @pytest.mark.parametrize("rate", [1000.0, 200.0, 300.0, 40.0, 5000.0, 1.0])
    def test_table_is_the_gait(self, rate: float) -> None:
        table = FunctionOfTime(function=refs, rate=rate)
        gait, copy = (simulate(ROBOT, FREE, driver, duration=1.2, start=AT_GAIT) for driver in (GAIT, table))
        h = max(1, round(1000.0 / rate)) * 1e-3
        bound = 0.5 * 4.0**4 * h**4 / 384 + 1e-9  # cubic through values and slopes, slopes by differences
        assert np.abs(copy.joint_reference - gait.joint_reference).max() <= bound
        if bound > 1e-7:
            assert np.abs(copy.joint_reference - gait.joint_reference).max() > bound / 100
        else:
            np.testing.assert_allclose(copy.link_angle, gait.link_angle, atol=1e-5)


class TestWaves:
    def test_each_world_has_its_own(self) -> None:
        gaits = [GAIT, replace(GAIT, angular_frequency=7.0), replace(GAIT, amplitude=0.2, offset=-0.3)]
        run = simulate([World(ROBOT, FREE, gait) for gait in gaits], duration=0.3)
        for w, gait in enumerate(gaits):
            np.testing.assert_allclose(run.joint_reference[w], refs(run.time, gait), atol=1e-13)

    def test_portions_do_not_show(self) -> None:
        # 2.6 s: several portions, of growing length.
        run = simulate(ROBOT, FREE, GAIT, duration=2.6)
        np.testing.assert_allclose(run.joint_reference, refs(run.time), atol=1e-12)

    def test_prescribed_per_world(self) -> None:
        limp = PlanarRobot.uniform(5, LINK)  # motors without stiffness
        gaits = [replace(GAIT, prescribed=True), GAIT]
        run = simulate([World(limp, FREE, gait) for gait in gaits], duration=0.3)
        np.testing.assert_allclose(run.joint_angle[0], refs(run.time), atol=2e-5)  # dt^2 w^2 A / 2 and less
        assert np.abs(run.joint_torque[0, 1:]).max() > 1e-3
        np.testing.assert_allclose(run.joint_angle[1], np.tile(refs(0.0), (31, 1)), atol=1e-12)
        np.testing.assert_array_equal(run.joint_torque[1, 1:], np.zeros((30, 4)))


class TestTables:
    def test_mixed_with_waves_and_prescribed_per_world(self) -> None:
        limp = PlanarRobot.uniform(5, LINK)
        drivers = [FunctionOfTime(function=refs, prescribed=True), GAIT, FunctionOfTime(function=lambda t: 2 * refs(t))]
        run = simulate([World(limp, FREE, driver) for driver in drivers], duration=0.6)
        for w, factor in enumerate((1.0, 1.0, 2.0)):
            np.testing.assert_allclose(run.joint_reference[w], factor * refs(run.time), atol=1e-8)
        np.testing.assert_allclose(run.joint_angle[0], refs(run.time), atol=2e-5)
        np.testing.assert_array_equal(run.joint_torque[1:, 1:], np.zeros((2, 60, 4)))

    def test_the_fastest_rate_serves_the_batch(self) -> None:
        def step(t: float) -> np.ndarray:
            return np.full(4, math.sin(40 * t))

        drivers = [FunctionOfTime(function=step, rate=rate) for rate in (500.0, 10.0)]
        run = simulate([World(ROBOT, FREE, driver) for driver in drivers], duration=0.3)
        for w in range(2):
            np.testing.assert_allclose(run.joint_reference[w, :, 0], np.sin(40 * run.time), atol=1e-6)

    def test_a_duration_that_ends_between_nodes(self) -> None:
        run = simulate(ROBOT, FREE, FunctionOfTime(function=refs, rate=30.0), duration=0.317, record=EVERY_STEP)
        assert run.time.size == 318
        np.testing.assert_allclose(run.joint_reference, refs(run.time), atol=1e-6)


class Turn(NamedTuple):
    figures: np.ndarray
    pegs: np.ndarray


@dataclass
class Turns(Bindable[Turn]):
    """Remembers how often it was asked, and whom it serves."""

    rate: float = 50.0
    seen: list[tuple[np.ndarray, ...]] = field(default_factory=list)
    needs = frozenset({"environment"})

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundTurns:
        assert environment is not None
        return BoundTurns(self.rate, self.seen, robot.mass, float(len(environment.obstacles)))


@dataclass
class BoundTurns(Turns):
    batches = True
    mass: float = 0.0
    pegs: float = 0.0

    def memory(self) -> Turn:
        return Turn(np.array([self.mass, 0.0]), np.array(self.pegs))

    def command(self, measurement: Measurement, memory: Turn) -> tuple[Command, Turn]:
        assert isinstance(memory, Turn)
        figures, pegs = memory
        self.seen.append((np.array(measurement.time), figures.copy(), pegs.copy()))
        figures = figures + np.array([0.0, 1.0])
        return Command(joint_angle=np.repeat(0.01 * figures[:, 1:], 4, axis=1)), Turn(figures, pegs)


class TestMemory:
    def test_comes_from_the_bound_controller_and_is_handed_back(self) -> None:
        heavy = PlanarRobot.uniform(5, replace(LINK, mass=1.0), Motor(stiffness=5.0, damping=0.1))
        pegs = Environment(obstacles=[Peg(x=3.0, y=0.0, radius=0.1)] * 2)
        turns = Turns()
        run = simulate([World(ROBOT, FREE, turns), World(heavy, pegs, turns)], duration=0.1)
        assert len(turns.seen) == 5  # 0.1 s at 50 Hz, both worlds together
        for k, (t, figures, pegs_seen) in enumerate(turns.seen):
            np.testing.assert_allclose(t, [0.02 * k] * 2)
            np.testing.assert_allclose(figures, [[1.5, k], [5.0, k]])
            np.testing.assert_array_equal(pegs_seen, [0, 2])
        np.testing.assert_allclose(run.joint_reference[0, 2::2, 0], 0.01 * np.arange(1, 6))

    def test_of_two_controllers_is_kept_apart(self) -> None:
        a, b = Turns(), Turns()
        simulate([World(ROBOT, FREE, a), World(ROBOT, FREE, b), World(ROBOT, FREE, a)], duration=0.06)
        assert [len(t) for t, *_ in a.seen] == [2] * 3 and [len(t) for t, *_ in b.seen] == [1] * 3

    def test_two_runs_share_nothing(self) -> None:
        turns = Turns()
        first, second = (simulate(ROBOT, FREE, turns, duration=0.1) for _ in range(2))
        same(first, second, "joint_reference", "link_position", atol=0.0)

    def test_a_controller_needs_no_memory(self) -> None:
        class Bare(Controller[None]):
            rate = 100.0

            def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
                assert memory is None
                return Command(joint_angle=np.full((len(measurement.time), 4), 0.2)), memory

        run = simulate(ROBOT, FREE, Bare(), duration=0.05)
        np.testing.assert_array_equal(run.joint_reference[1:], np.full((5, 4), 0.2))


class TestMixed:
    def test_gait_beside_a_controller_is_sampled_at_its_rate(self) -> None:
        drivers = (GAIT, Copy(ahead=0.0, rate=50.0))
        worlds = [World(ROBOT, FREE, driver, AT_GAIT) for driver in drivers]
        run = simulate(worlds, duration=0.4, record=EVERY_STEP)
        asked = np.floor((np.arange(1, 401) - 1) / 20) * 0.02  # held for 20 steps
        for w in range(2):
            np.testing.assert_allclose(run.joint_reference[w, 1:], refs(asked), atol=1e-13)
        np.testing.assert_array_equal(run.link_angle[0], run.link_angle[1])

    def test_fields_that_only_one_commands_are_zero_for_the_other(self) -> None:
        load = np.zeros((1, 5, 3))
        load[..., 1] = 0.3
        drivers = [Always(Command()), Always(Command(joint_angle=np.full((1, 4), 0.2), link_load=load))]
        run = simulate([World(ROBOT, FREE, driver) for driver in drivers], duration=0.2)
        np.testing.assert_array_equal(run.center_of_mass[0, -1], [0.0, 0.0])
        np.testing.assert_array_equal(run.joint_reference[:, 1:, 0], np.tile([[0.0], [0.2]], (1, 20)))
        assert run.center_of_mass[1, -1, 1] == pytest.approx(0.5 * 1.0 * 0.2**2, rel=1e-2)

    @pytest.mark.parametrize(
        "other",
        [
            Always(Command(prescribed=True)),
            ConstantTorque(torque=(0.1,) * 4, rate=10.0),
            replace(GAIT, prescribed=True),
        ],
        ids=["prescribed", "torque", "prescribed gait"],
    )
    def test_kinds_of_drive_cannot_be_mixed(self, other: Any) -> None:
        worlds = [World(ROBOT, FREE, Always(Command())), World(ROBOT, FREE, other)]
        with pytest.raises(InvalidModel, match=r"must be all servo references, all torques or all prescribed motion$"):
            simulate(worlds, duration=0.1)

    def test_controllers_of_different_rates_are_refused(self) -> None:
        worlds = [World(ROBOT, FREE, Copy(ahead=0.0, rate=rate)) for rate in (50.0, 100.0)]
        with pytest.raises(InvalidModel, match=r"^worlds: controller\.rate = \[50\.0, 100\.0\], must be the same"):
            simulate(worlds, duration=0.1)


class TestRates:
    @pytest.mark.parametrize("rate", [300.0, 2000.0, 1001.0, 0.3])
    def test_that_do_not_divide_are_refused(self, rate: float) -> None:
        with pytest.raises(InvalidModel) as caught:
            simulate(ROBOT, FREE, Copy(ahead=0.0, rate=rate), duration=0.1)
        words = "a rate [Hz] whose period is a whole number of time steps of 0.001 s"
        assert str(caught.value) == f"controller.rate = {rate}, must be {words}"

    @pytest.mark.parametrize(
        ("rate", "dt", "steps"), [(1000.0, 1e-3, 1), (3.0, 1 / 300, 100), (40.0, 2.5e-4, 100), (0.1, 1e-3, 10000)]
    )
    def test_that_divide(self, rate: float, dt: float, steps: int) -> None:
        assert whole_steps("rate", rate, dt) == steps

    def test_times_are_those_of_the_rate(self) -> None:
        copy = Copy(ahead=0.0, rate=40.0)
        simulate(ROBOT, FREE, copy, duration=0.33)
        np.testing.assert_allclose(np.concatenate(copy.times), 0.025 * np.arange(14))  # the last at 0.325 s

    def test_another_time_step(self) -> None:
        copy = Copy(ahead=0.0, rate=40.0)
        simulate(ROBOT, FREE, copy, duration=0.1, settings=Settings(dt=2.5e-3))
        np.testing.assert_allclose(np.concatenate(copy.times), 0.025 * np.arange(4))


class TestTorque:
    def test_is_what_the_motor_gives(self) -> None:
        torque = (0.01, -0.02, 0.03, 0.0)
        run = simulate(ROBOT, FREE, ConstantTorque(torque=torque), duration=0.1)
        np.testing.assert_allclose(run.joint_torque[1:], np.tile(torque, (10, 1)), rtol=1e-12, atol=1e-17)
        assert np.isnan(run.joint_reference).all()

    def test_stops_at_the_motors_limit(self) -> None:
        weak = PlanarRobot.uniform(5, LINK, Motor(torque_limit=0.02))
        run = simulate(weak, FREE, ConstantTorque(torque=(0.01, -0.05, 0.03, -0.02)), duration=0.05)
        np.testing.assert_allclose(run.joint_torque[1:], np.tile([0.01, -0.02, 0.02, -0.02], (5, 1)), rtol=1e-9)

    def test_pushes_the_front_link_to_its_left(self) -> None:
        run = simulate(ROBOT, FREE, ConstantTorque(torque=(0.0, 0.0, 0.0, 0.01)), duration=0.02)
        assert float(run.link_angle[-1, 4]) > 1e-4 > 0 > float(run.link_angle[-1, 3])

    @pytest.mark.parametrize(("torque", "words"), [((0.1, math.nan), r"torque\[1\] = nan"), (("a",), r"torque\[0\]")])
    def test_is_a_number(self, torque: Any, words: str) -> None:
        with pytest.raises(InvalidModel, match=rf"^controller\.{words}"):
            ConstantTorque(torque=torque)

    def test_for_another_robot_is_refused(self) -> None:
        with pytest.raises(InvalidModel, match=r"^controller\.torque: count = 3, must be 4, one per joint$"):
            simulate(ROBOT, FREE, ConstantTorque(torque=(0.0,) * 3), duration=0.1)


class TestLoads:
    def test_accelerate_a_free_robot(self) -> None:
        load = np.zeros((1, 5, 3))
        load[0, 2] = (0.6, -0.3, 0.0)
        run = simulate(ROBOT, FREE, Always(Command(link_load=load)), duration=0.4)
        # 1.5 kg; a constant force gives a straight parabola, the midpoint scheme gives it exactly.
        expected = 0.5 * np.outer(run.time**2, [0.4, -0.2])
        np.testing.assert_allclose(run.center_of_mass, expected, atol=1e-12)

    def test_moments_spin_a_free_robot(self) -> None:
        load = np.zeros((1, 5, 3))
        load[0, :, 2] = (0.01, -0.02, 0.03, 0.0, 0.02)
        run = simulate(ROBOT, FREE, Always(Command(prescribed=True, link_load=load)), duration=0.2)
        inertia = 5 * 3e-4 + 0.3 * 0.1**2 * (4 + 1 + 0 + 1 + 4)
        turned = 0.5 * 0.04 / inertia * run.time.values**2
        # Second order in the turn per step, which stays below 3e-4 rad.
        np.testing.assert_allclose(run.link_angle, np.repeat(turned[:, None], 5, axis=1), rtol=1e-5)

    def test_end_with_the_command(self) -> None:
        class Kick(Controller[None]):
            rate = 10.0

            def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
                load = np.tile([0.3, 0.0, 0.0], (1, 5, 1)) if measurement.time[0] == 0.0 else None
                return Command(link_load=load), memory

        run = simulate(ROBOT, FREE, Kick(), duration=0.3)
        np.testing.assert_allclose(run.link_velocity[10:, :, 0], np.full((21, 5), 0.1), rtol=1e-12)


SHAPES: dict[str, Command] = {
    "joint_angle": Command(joint_angle=np.zeros((1, 5))),
    "joint_rate": Command(joint_rate=np.zeros(4)),
    "joint_torque": Command(joint_torque=np.zeros((2, 4))),
    "link_load": Command(link_load=np.zeros((1, 5, 2))),
}


@pytest.mark.parametrize("name", SHAPES)
def test_commands_of_another_shape_are_refused(name: str) -> None:
    with pytest.raises(InvalidModel, match=rf"^command\.{name} of Always at t = 0 s = \(.*\), must be of shape \(1, "):
        simulate(ROBOT, FREE, Always(SHAPES[name]), duration=0.1)


def test_commands_of_another_shape_are_refused_beside_others() -> None:
    drivers = [Always(Command(joint_angle=np.zeros((1, size)))) for size in (4, 5)]
    with pytest.raises(
        InvalidModel, match=r"^command\.joint_angle of Always at t = 0 s = \(1, 5\), must be of shape \(1, 4\) \["
    ):
        simulate([World(ROBOT, FREE, driver) for driver in drivers], duration=0.1)


STRANGERS: dict[str, Callable[[], Any]] = {
    "a word": lambda: "gait",
    "a class": lambda: PlanarRobot,
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_what_is_no_controller_is_refused(kind: str) -> None:
    with pytest.raises(InvalidModel, match=r"^(worlds\[1\]\.)?controller = .*, must be a gait or a Controller$"):
        simulate([World(ROBOT, FREE, GAIT), World(ROBOT, FREE, STRANGERS[kind]())], duration=0.1)

"""The Dataset of a run: what is in it, in which shape and unit, and that its forces balance."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr

from oracles.controllers import Always
from oracles.robots import uneven_robot
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.errors import InvalidModel, SimulationFailed, StartOverlap, UnknownName
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.provenance import experiment_of, only_world
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.variables import VARIABLES
from pushpoint.worlds.world import Experiment, World

LINK = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = PlanarRobot.uniform(5, LINK, Motor(stiffness=5.0, damping=0.1))
ROUGH = Environment(ground=Ground(friction=Isotropic(0.3)))
GAIT = LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.8)
PEGS = [Peg(x=0.1 * k, y=y, radius=0.05) for k, y in ((-2, 0.1), (0, -0.1), (2, 0.1))]
COURSE = Environment(ground=Ground(friction=Isotropic(0.1)), obstacles=PEGS)

DIMS = {  # as users read them
    "link_position": "time link axis",
    "link_angle": "time link",
    "link_velocity": "time link axis",
    "link_angular_velocity": "time link",
    "joint_angle": "time joint",
    "joint_rate": "time joint",
    "joint_reference": "time joint",
    "joint_torque": "time joint",
    "joint_power": "time joint",
    "joint_force": "time link_gap axis",
    "obstacle_force": "time link axis",
    "contact_normal_force": "time link",
    "obstacle_load": "time obstacle",
    "ground_force": "time link axis",
    "center_of_mass": "time axis",
    "solver_iterations": "time",
    "solver_residual": "time",
    "unconverged": "time",
    "penetration": "time",
}
SPATIAL_ONLY = {"link_orientation", "self_force"}
CONTROLLERS_ONLY = {"controller_mode"}
UNITS = {
    "link_position": "m", "link_angle": "rad", "link_velocity": "m s-1", "link_angular_velocity": "rad s-1",
    "joint_angle": "rad", "joint_rate": "rad s-1", "joint_reference": "rad", "joint_torque": "N m",
    "joint_power": "W", "joint_force": "N", "obstacle_force": "N", "contact_normal_force": "N",
    "obstacle_load": "N", "ground_force": "N", "center_of_mass": "m", "solver_iterations": "1",
    "solver_residual": "m s-1", "unconverged": "1", "penetration": "m",
}  # fmt: skip
MEANS = {
    "joint_torque", "joint_power", "joint_force", "obstacle_force", "contact_normal_force", "obstacle_load",
    "ground_force",
}  # fmt: skip
SINCE_LAST_SAMPLE = {"solver_iterations", "solver_residual", "unconverged", "penetration"}


@pytest.fixture(scope="module")
def single() -> xr.Dataset:
    return simulate(ROBOT, COURSE, GAIT, duration=0.5)


@pytest.fixture(scope="module")
def batch() -> xr.Dataset:
    bare = Environment(ground=COURSE.ground, obstacles=PEGS[:1])
    return simulate([World(ROBOT, place, GAIT) for place in (COURSE, bare, ROUGH)], duration=0.5)


class TestSchema:
    def test_variables_dimensions_and_attributes(self, single: xr.Dataset) -> None:
        assert set(single.data_vars) == set(DIMS) | {"obstacle_count"}
        usual = {name for name, entry in VARIABLES.items() if not entry.on_request}
        assert usual == set(DIMS) | SPATIAL_ONLY | CONTROLLERS_ONLY
        sizes = {"time": 51, "link": 5, "joint": 4, "link_gap": 4, "axis": 2, "obstacle": 3}
        assert dict(single.sizes) == sizes
        for name, dims in DIMS.items():
            assert single[name].dims == tuple(dims.split()), name
            assert single[name].attrs["units"] == UNITS[name]
            assert single[name].attrs["long_name"] and single[name].attrs["symbol"]
        assert len({single[name].attrs["symbol"] for name in DIMS}) == len(DIMS)

    def test_a_batch_puts_world_in_front(self, batch: xr.Dataset) -> None:
        for name, dims in DIMS.items():
            assert batch[name].dims == ("world", *dims.split()), name
        assert batch.obstacle_count.dims == ("world",)
        assert all(batch.obstacle_count.attrs[key] for key in ("units", "long_name", "symbol"))

    def test_a_batch_of_one_is_still_a_batch(self, single: xr.Dataset) -> None:
        run = simulate([World(ROBOT, COURSE, GAIT)], duration=0.5)
        assert run.sizes["world"] == 1
        for name in single.data_vars:
            np.testing.assert_array_equal(run[name].isel(world=0), single[name], err_msg=str(name))

    def test_coordinates(self, single: xr.Dataset) -> None:
        np.testing.assert_allclose(single.time, 0.01 * np.arange(51), atol=1e-15)
        assert single.time.attrs["units"] == "s"
        assert list(single.axis.values) == ["x", "y"] and list(single.link.values) == [0, 1, 2, 3, 4]
        assert list(single.link_behind.values) == [0, 1, 2, 3] and set(single.joint_axis.values) == {"yaw"}
        assert list(single.obstacle.values) == [0, 1, 2] and "world" not in single.coords

    def test_the_first_sample_has_the_means_of_the_first_interval_and_nothing_to_count(
        self, single: xr.Dataset
    ) -> None:
        for name in DIMS:
            assert np.isfinite(single[name]).all(), name
            if name in MEANS:
                np.testing.assert_array_equal(single[name][0], single[name][1], err_msg=name)
            elif name in SINCE_LAST_SAMPLE:
                assert float(single[name][0]) == 0.0, name
        assert {name for name in DIMS if VARIABLES[name].mean} == MEANS

    def test_a_run_shorter_than_an_interval_has_no_means(self) -> None:
        run = simulate(ROBOT, COURSE, GAIT, duration=0.005)
        assert run.sizes["time"] == 1 and np.isnan(run.joint_torque).all() and np.isfinite(run.joint_angle).all()

    def test_attributes_tell_where_it_comes_from(self, single: xr.Dataset) -> None:
        experiment = experiment_of(single)
        world = only_world(single)
        assert world.robot.links[4].mass == 0.3 and len(world.robot.links) == 5
        assert world.environment.ground.friction == Isotropic(coefficient=0.1)
        assert world.environment.obstacles[1] == Peg(x=0.0, y=-0.1, radius=0.05, friction=0.0, restitution=0.0)
        assert type(world.controller) is LateralUndulation
        assert world.controller.phase_shift == -0.8
        assert (experiment.duration, experiment.settings.dt, experiment.record.rate) == (0.5, 1e-3, 100.0)
        assert (single.attrs["status"], single.attrs["status_code"]) == ("finished", "finished")
        assert {"pushpoint", "warp-lang", "numpy", "xarray", "python"} == set(json.loads(single.attrs["versions"]))
        kernels = json.loads(single.attrs["kernels"])
        assert sum(kernels["variants"].values()) == 1 and kernels["target"] and "-ffp-contract" in kernels["flags"]

    def test_attributes_know_numpy_numbers(self) -> None:
        start = Start(link=np.int64(2), position=np.array([1.0, 2.0]))
        told: Any = only_world(simulate(ROBOT, ROUGH, GAIT, duration=0.01, start=start)).start
        assert (told.link, tuple(told.position)) == (2, (1.0, 2.0))

    def test_attributes_tell_of_every_world(self) -> None:
        fast = replace(GAIT, angular_frequency=8.0)
        run = simulate([World(ROBOT, ROUGH, GAIT), World(ROBOT, COURSE, fast)], duration=0.01)
        first, second = experiment_of(run).worlds
        assert (first.controller.angular_frequency, second.controller.angular_frequency) == (4.0, 8.0)
        assert not first.environment.obstacles
        assert [peg.radius for peg in second.environment.obstacles] == [0.05, 0.05, 0.05]


class TestStates:
    def test_start_is_the_first_sample(self) -> None:
        start = Start(joint_angles=(0.1, 0.2, 0.3, 0.4), link=1, position=(2.0, -1.0), velocity=(0.1, 0.2), spin=0.5)
        first = simulate(ROBOT, ROUGH, GAIT, duration=0.02, start=start).isel(time=0)
        np.testing.assert_allclose(first.joint_angle, (0.1, 0.2, 0.3, 0.4), atol=1e-15)
        np.testing.assert_allclose(first.link_position[1], (2.0, -1.0), atol=1e-15)
        np.testing.assert_allclose(first.link_velocity.mean("link"), (0.1, 0.2), atol=1e-15)
        np.testing.assert_array_equal(first.link_angular_velocity, np.full(5, 0.5))

    def test_positions_angles_and_centre_fit_together(self, single: xr.Dataset) -> None:
        np.testing.assert_allclose(single.joint_angle, np.diff(single.link_angle, axis=1), atol=1e-15)
        np.testing.assert_allclose(single.link_position.mean("link"), single.center_of_mass, atol=1e-14)
        e = np.stack([np.cos(single.link_angle), np.sin(single.link_angle)], axis=-1)
        steps = 0.05 * (e[:, 1:] + e[:, :-1])  # from middle to middle, over the joint
        np.testing.assert_allclose(np.diff(single.link_position, axis=1), steps, atol=1e-14)

    def test_velocities_are_slopes_of_positions(self) -> None:
        run = simulate(ROBOT, ROUGH, GAIT, duration=0.2, record=Record(rate=1000.0))
        slope = np.diff(run.link_angle, axis=0) / 1e-3
        mean = (run.link_angular_velocity.values[1:] + run.link_angular_velocity.values[:-1]) / 2
        np.testing.assert_allclose(slope, mean, atol=1e-9)
        slope = np.diff(run.center_of_mass, axis=0) / 1e-3
        velocity = run.link_velocity.values.mean(axis=1)
        np.testing.assert_allclose(slope, (velocity[1:] + velocity[:-1]) / 2, atol=1e-9)


class TestRecord:
    @pytest.mark.parametrize(("rate", "every"), [(1000.0, 1), (250.0, 4), (100.0, 10), (30.0, 33), (5000.0, 1)])
    def test_rate(self, rate: float, every: int) -> None:
        run = simulate(ROBOT, COURSE, GAIT, duration=0.1, record=Record(rate=rate))
        np.testing.assert_allclose(run.time, np.arange(100 // every + 1) * every * 1e-3, atol=1e-15)

    def test_means_of_short_intervals_average_to_those_of_long_ones(self) -> None:
        fine, coarse = (
            simulate(ROBOT, COURSE, GAIT, duration=0.3, record=Record(rate=rate)) for rate in (1000.0, 50.0)
        )
        np.testing.assert_array_equal(fine.link_position[::20], coarse.link_position)
        for name in ("ground_force", "obstacle_force", "joint_torque", "joint_power", "joint_force", "obstacle_load"):
            blocks = fine[name].values[1:].reshape(15, 20, *fine[name].shape[1:])
            np.testing.assert_allclose(blocks.mean(axis=1), coarse[name][1:], atol=1e-9, err_msg=name)
        for name in ("solver_iterations", "solver_residual", "penetration"):
            blocks = fine[name].values[1:].reshape(15, 20)
            np.testing.assert_array_equal(blocks.max(axis=1), coarse[name][1:], err_msg=name)

    def test_selection(self) -> None:
        record = Record(variables=["joint_torque", "link_angle"])
        run = simulate(ROBOT, ROUGH, GAIT, duration=0.1, record=record)
        assert set(run.data_vars) == {"joint_torque", "link_angle"}

    @pytest.mark.parametrize("name", sorted(DIMS))
    def test_each_variable_alone(self, name: str, single: xr.Dataset) -> None:
        run = simulate(ROBOT, COURSE, GAIT, duration=0.5, record=Record(variables=[name]))
        assert set(run.data_vars) == {name, "obstacle_count"}
        np.testing.assert_array_equal(run[name], single[name])

    def test_unknown_name_gets_near_ones(self) -> None:
        with pytest.raises(UnknownName) as caught:
            Record(variables=["link_positon"])
        text = str(caught.value)
        assert text.startswith("unknown variable 'link_positon'; did you mean link_position")

    def test_a_name_is_no_list_of_names(self) -> None:
        with pytest.raises(InvalidModel, match=r"^record\.variables = 'link_angle', must be a list of names$"):
            Record(variables="link_angle")

    @pytest.mark.parametrize("rate", [0.0, -1.0, math.nan, math.inf, "fast", True])
    def test_rate_is_positive(self, rate: Any) -> None:
        with pytest.raises(InvalidModel, match=r"^record\.rate = .* > 0 \[Hz\]$"):
            Record(rate=rate)

    def test_loads_of_very_many_obstacles_are_kept_on_request(self) -> None:
        far = [Peg(x=10.0 + 0.1 * k, y=5.0, radius=0.02) for k in range(1001)]
        place = Environment(ground=ROUGH.ground, obstacles=[*PEGS, *far])
        run = simulate(ROBOT, place, GAIT, duration=0.5)
        assert "obstacle_load" not in run and int(run.obstacle_count) == 1004
        run = simulate(ROBOT, place, GAIT, duration=0.5, record=Record(variables=["obstacle_load"]))
        assert float(run.obstacle_load[:, :3].max()) > 0.1 and float(run.obstacle_load[:, 3:].max()) == 0.0


class TestBatch:
    def test_obstacles_are_ragged(self, batch: xr.Dataset) -> None:
        assert list(batch.obstacle_count.values) == [3, 1, 0]
        present = np.isfinite(batch.obstacle_load[:, 1:]).all("time").values
        assert present.tolist() == [[True, True, True], [True, False, False], [False, False, False]]

    def test_each_world_is_the_world_alone(self, batch: xr.Dataset) -> None:
        for w, place in enumerate((COURSE, Environment(ground=COURSE.ground, obstacles=PEGS[:1]), ROUGH)):
            alone = simulate(ROBOT, place, GAIT, duration=0.5)
            count = len(place.obstacles)
            for name in DIMS:
                values = batch[name].isel(world=w)
                values = values.isel(obstacle=slice(count)) if name == "obstacle_load" else values
                np.testing.assert_array_equal(values, alone[name], err_msg=f"{name} of world {w}")

    def test_no_obstacles_at_all(self) -> None:
        run = simulate(ROBOT, ROUGH, GAIT, duration=0.1)
        assert run.obstacle_load.shape == (11, 0) and "obstacle_count" not in run
        np.testing.assert_array_equal(run.obstacle_force[1:], np.zeros((10, 5, 2)))

    def test_different_robots(self) -> None:
        heavy = PlanarRobot.uniform(4, replace(LINK, mass=1.0, length=0.2), Motor(stiffness=20.0, damping=0.5))
        robots = [uneven_robot(Motor(stiffness=5.0, damping=0.1)), heavy]
        run = simulate([World(robot, ROUGH, GAIT) for robot in robots], duration=0.3)
        for w, robot in enumerate(robots):
            alone = simulate(robot, ROUGH, GAIT, duration=0.3)
            for name in DIMS:
                np.testing.assert_allclose(run[name].isel(world=w), alone[name], atol=1e-12, err_msg=name)

    def test_different_numbers_of_links_are_refused(self) -> None:
        worlds = [World(PlanarRobot.uniform(count, LINK), ROUGH, GAIT) for count in (5, 3, 5)]
        with pytest.raises(InvalidModel) as caught:
            simulate(worlds, duration=0.1)
        assert str(caught.value) == "worlds: number of links = [3, 5], must be the same in every world of a batch"

    def test_overlap_names_the_world(self) -> None:
        bad = Environment(obstacles=[Peg(x=0.0, y=0.0, radius=0.05)])
        with pytest.raises(StartOverlap, match=r"\(world 1\)"):
            simulate([World(ROBOT, ROUGH, GAIT), World(ROBOT, bad, GAIT)], duration=0.1)


class TestFailedWorld:
    WORLDS = tuple(
        World(PlanarRobot.uniform(5, LINK), COURSE if w == 1 else ROUGH, Always(Command(joint_torque=torque[None])))
        for w, torque in enumerate((np.zeros(4), 1e4 * np.array([1.0, -1.0, 1.0, -1.0]), np.full(4, 1e-3)))
    )

    def test_is_NaN_after_its_end(self) -> None:
        run = simulate(self.WORLDS, duration=0.1, settings=Settings(on_failure="record"), record=Record(rate=1000.0))
        assert json.loads(run.attrs["world_status"]) == ["finished", "diverged", "finished"]
        ended = np.isnan(run.link_angle.isel(world=1)).all("link").values
        last = int(np.flatnonzero(~ended)[-1])
        assert 0 < last < 50 and "world 1 diverged: " in run.attrs["status"]
        assert run.attrs["status"].endswith(f"at step {last} (t = {1e-3 * last:.6g} s)")
        for name in DIMS:
            assert np.isnan(run[name].isel(world=1)[last + 1 :]).all(), name
            if name not in ("obstacle_load", "joint_reference"):  # no obstacles there, and torques follow no reference
                assert np.isfinite(run[name].isel(world=[0, 2])[:, 1:]).all(), name

    def test_raises_with_the_run_so_far(self) -> None:
        with pytest.raises(SimulationFailed, match=r"^world 1 diverged: ") as caught:
            simulate(self.WORLDS, duration=0.1)
        assert caught.value.run.attrs["status_code"] == "diverged" and caught.value.run.sizes["time"] == 11


class TestRollout:
    def test_is_valid_at_any_time(self) -> None:
        rollout = Rollout(Experiment((World(ROBOT, ROUGH, GAIT),), 2.0, name="mine"), batched=False)
        assert rollout.dataset().sizes["time"] == 1 and not rollout.finished
        rollout.advance()
        part = rollout.dataset(interrupted=True)
        assert 0 < rollout.time < 2.0 and float(part.time[-1]) == pytest.approx(rollout.time, abs=0.01)
        assert part.attrs["status_code"] == "interrupted" and part.attrs["status"] == "interrupted by the user"
        while not rollout.finished:
            rollout.advance()
        whole = rollout.dataset(interrupted=True)
        assert whole.attrs["status_code"] == "finished" and experiment_of(whole).name == "mine"
        np.testing.assert_array_equal(whole.link_position[: part.sizes["time"]], part.link_position)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "duration zero": ({"duration": 0}, r"^duration = 0, must be finite and > 0 \[s\]$"),
    "duration negative": ({"duration": -1.0}, r"^duration = -1\.0, must be"),
    "duration NaN": ({"duration": math.nan}, r"^duration = nan, must be"),
    "duration a word": ({"duration": "long"}, r"^duration = 'long', must be"),
    "duration below a step": ({"duration": 1e-5}, r"^duration = 1e-05, must be at least one time step of 0\.001 s$"),
    "no robot": ({"robot": None}, r"^robot = None, must be a PlanarRobot or a SpatialRobot$"),
    "no environment": ({"environment": None}, r"^environment = None, must be an Environment$"),
    "robot a word": ({"robot": "aiko"}, r"^robot = 'aiko', must be a PlanarRobot or a SpatialRobot$"),
    "environment a peg": ({"environment": PEGS[0]}, r"^environment = a Peg, must be an? Environment$"),
    "start a number": ({"start": 5}, r"^start = 5, must be a Start for a PlanarRobot$"),
    "settings none": ({"settings": None}, r"^settings = None, must be "),
    "record a number": ({"record": 100.0}, r"^record = 100\.0, must be "),
    "worlds beside an environment": ({"robot": [World(ROBOT, ROUGH, GAIT)]}, r"^worlds = .*, must be given alone"),
    "until a number": ({"until": 3.0}, r"^until = 3\.0, must be a Goal or a function of a Measurement$"),
    "no duration": ({"duration": None}, r"^duration = None, must be "),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_get_one_sentence(case: str) -> None:
    change, words = WRONG[case]
    arguments: dict[str, Any] = {"robot": ROBOT, "environment": ROUGH, "controller": GAIT, "duration": 0.1} | change
    with pytest.raises(InvalidModel, match=words):
        simulate(arguments.pop("robot"), **arguments)


@pytest.mark.parametrize(
    ("worlds", "words"),
    [([], r"^worlds = \(\), must be at least one World$"), ([5], r"^worlds\[0\] = 5, must be a World$")],
    ids=["none", "a number"],
)
def test_wrong_batches_get_one_sentence(worlds: Any, words: str) -> None:
    with pytest.raises(InvalidModel, match=words):
        simulate(worlds, duration=0.1)

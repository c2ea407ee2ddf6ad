"""The Dataset of a spatial run: what is in it, in which shape and unit, that its forces balance, and its storage."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from oracles.controllers import Always
from oracles.spatial.dense import DenseRobot
from oracles.spatial.pose import Pose
from pushpoint.errors import SimulationFailed, StartOverlap
from pushpoint.simulation.provenance import experiment_of, only_world
from pushpoint.worlds.variables import VARIABLES

MOTOR = pp.Motor(stiffness=8.0, damping=0.15)
LINK = pp.SpatialLink(length=0.12, mass=0.4, inertia=(1.8e-4, 5e-4, 6e-4), radius=0.03, side_length=0.1)
HEAD = pp.SpatialLink(length=0.1, mass=0.7, inertia=(3e-4, 8e-4, 7e-4), radius=0.03, mass_offset=0.015)
CARDAN = pp.Cardan(yaw=MOTOR, pitch=MOTOR, axis_distance=0.01)
ROBOT = pp.SpatialRobot(links=(LINK, LINK, LINK, HEAD), joints=(CARDAN, pp.Yaw(MOTOR), pp.Pitch(MOTOR)))
FREE = pp.SpatialRobot(links=ROBOT.links, joints=(pp.Cardan(), pp.Yaw(), pp.Pitch()))
GAIT = pp.gaits.Sidewinding(
    yaw_amplitude=-0.4, pitch_amplitude=0.2, angular_frequency=8.0, phase_shift=-0.8, pitch_lead=np.pi / 2
)
STAIRS = pp.Stairs(foot=(0.17, 0.0), steps=3, rise=0.02, run=0.15, friction=0.3)
BOX = pp.Box(center=(-0.24, 0.0, 0.005), size=(0.1, 0.3, 0.01), yaw=0.3, friction=0.3)
PEG = pp.Peg(x=-0.05, y=0.09, radius=0.05, friction=0.2)
ROUGH = pp.Ground(friction=pp.Isotropic(0.4), rolling=0.01, spin=0.005)
COURSE = pp.Environment(ground=ROUGH, obstacles=[STAIRS, BOX, PEG])
FLAT = pp.Environment(ground=ROUGH)
SPACE = pp.Environment(ground=pp.Ground(gravity=0.0))
WAVES = pp.HeightField(
    heights=0.02 * np.add.outer(np.sin(np.arange(12)), np.cos(np.arange(9))), spacing=0.1, origin=(-0.5, -0.4)
)
HILLS = pp.Environment(ground=replace(ROUGH, heights=WAVES))
SLOPE = pp.Environment(ground=replace(ROUGH, slope=0.3, slope_direction=1.0))
ABOVE = pp.SpatialStart(position=(0.0, 0.0, 0.2))

DIMS = {  # as users read them
    "link_position": "time link axis",
    "link_orientation": "time link quaternion",
    "link_velocity": "time link axis",
    "link_angular_velocity": "time link axis",
    "joint_angle": "time joint",
    "joint_rate": "time joint",
    "joint_reference": "time joint",
    "joint_torque": "time joint",
    "joint_power": "time joint",
    "joint_force": "time link_gap axis",
    "obstacle_force": "time link axis",
    "self_force": "time link axis",
    "contact_normal_force": "time link",
    "obstacle_load": "time obstacle",
    "ground_force": "time link axis",
    "center_of_mass": "time axis",
    "solver_iterations": "time",
    "solver_residual": "time",
    "unconverged": "time",
    "penetration": "time",
}
UNITS = {
    "link_position": "m", "link_orientation": "1", "link_velocity": "m s-1", "link_angular_velocity": "rad s-1",
    "joint_angle": "rad", "joint_rate": "rad s-1", "joint_reference": "rad", "joint_torque": "N m",
    "joint_power": "W", "joint_force": "N", "obstacle_force": "N", "self_force": "N", "contact_normal_force": "N",
    "obstacle_load": "N", "ground_force": "N", "center_of_mass": "m", "solver_iterations": "1",
    "solver_residual": "m s-1", "unconverged": "1", "penetration": "m",
}  # fmt: skip
SINCE_LAST_SAMPLE = {"solver_iterations", "solver_residual", "unconverged", "penetration"}
STATES = {
    "link_position", "link_orientation", "link_velocity", "link_angular_velocity", "joint_angle", "joint_rate",
    "joint_reference", "center_of_mass",
}  # fmt: skip


def simulate(environment: pp.Environment, robot: pp.SpatialRobot = ROBOT, **changes: Any) -> xr.Dataset:
    arguments: dict[str, Any] = {"controller": GAIT, "duration": 0.5, "start": ABOVE} | changes
    return pp.simulate(robot, environment, **arguments)


@pytest.fixture(scope="module")
def single() -> xr.Dataset:
    """The robot falls across a box, the ground, a peg and the stairs."""
    run = simulate(COURSE)
    loads = np.nanmax(run.obstacle_load, axis=0)
    assert (loads > 1.0).all() and float(np.abs(run.ground_force).max()) > 1.0  # it touches all of them
    return run


WORLDS = [
    pp.World(ROBOT, COURSE, GAIT, ABOVE),
    pp.World(ROBOT, HILLS, GAIT, ABOVE),
    pp.World(ROBOT, SLOPE, GAIT, ABOVE),
    pp.World(ROBOT, pp.Environment(ground=ROUGH, obstacles=[PEG]), GAIT, ABOVE),
    pp.World(replace(ROBOT, links=(HEAD, LINK, LINK, HEAD)), FLAT, replace(GAIT, angular_frequency=4.0), ABOVE),
]


@pytest.fixture(scope="module")
def batch() -> xr.Dataset:
    return pp.simulate(WORLDS, duration=0.5)


class TestSchema:
    def test_variables_dimensions_and_attributes(self, single: xr.Dataset) -> None:
        assert set(single.data_vars) == set(DIMS) | {"obstacle_count"}
        sizes = {"time": 51, "link": 4, "joint": 4, "link_gap": 3, "axis": 3, "obstacle": 3, "quaternion": 4}
        assert dict(single.sizes) == sizes
        for name, dims in DIMS.items():
            assert single[name].dims == tuple(dims.split()), name
            assert single[name].attrs["units"] == UNITS[name]
            assert single[name].attrs["long_name"] and single[name].attrs["symbol"]

    def test_coordinates_tell_axes_apart(self, single: xr.Dataset) -> None:
        assert list(single.joint_axis.values) == ["pitch", "yaw", "yaw", "pitch"]
        assert list(single.link_behind.values) == [0, 0, 1, 2]
        assert list(single.quaternion.values) == ["w", "x", "y", "z"] and list(single.axis.values) == ["x", "y", "z"]
        np.testing.assert_allclose(single.time, 0.01 * np.arange(51), atol=1e-15)
        yaw = single.joint_angle.where(single.joint_axis == "yaw", drop=True)
        np.testing.assert_array_equal(yaw, single.joint_angle[:, 1:3])

    def test_the_first_sample_has_the_means_of_the_first_interval(self, single: xr.Dataset) -> None:
        for name in DIMS:
            assert np.isfinite(single[name]).all(), name
            if VARIABLES[name].mean:
                np.testing.assert_array_equal(single[name][0], single[name][1], err_msg=name)
        assert {name for name in DIMS if VARIABLES[name].mean} | SINCE_LAST_SAMPLE == set(DIMS) - STATES

    def test_a_batch_puts_world_in_front(self, batch: xr.Dataset) -> None:
        for name, dims in DIMS.items():
            assert batch[name].dims == ("world", *dims.split()), name

    def test_a_single_link_has_no_joints(self) -> None:
        run = simulate(FLAT, pp.SpatialRobot(links=(LINK,), joints=()), controller=Always(pp.Command()), duration=0.05)
        assert (run.sizes["joint"], run.sizes["link_gap"], run.sizes["link"]) == (0, 0, 1)
        assert run.joint_force.shape == (6, 0, 3) and np.isfinite(run.center_of_mass).all()


class TestStates:
    def test_the_start_is_the_first_sample(self) -> None:
        start = pp.SpatialStart(
            joint_angles=(0.1, 0.2, 0.3, -0.4), orientation=(0.9, 0.1, -0.2, 0.3), link=2, position=(1.0, -2.0, 0.7),
            velocity=(0.1, 0.2, -0.3), angular_velocity=(0.5, -1.0, 2.0), joint_rates=(1.0, -1.0, 0.5, 2.0),
        )  # fmt: skip
        first = simulate(FLAT, duration=0.01, start=start).isel(time=0)
        np.testing.assert_allclose(first.joint_angle, (0.1, 0.2, 0.3, -0.4), atol=1e-15)
        np.testing.assert_allclose(first.joint_rate, (1.0, -1.0, 0.5, 2.0), atol=1e-15)
        np.testing.assert_allclose(first.link_position[2], (1.0, -2.0, 0.7), atol=1e-15)
        momentum = (first.link_velocity * ROBOT.column("mass")[:, None]).sum("link")
        np.testing.assert_allclose(momentum / ROBOT.mass, (0.1, 0.2, -0.3), atol=1e-15)
        np.testing.assert_allclose(first.link_angular_velocity[0], (0.5, -1.0, 2.0), atol=1e-14)

    def test_poses_fit_together(self, single: xr.Dataset) -> None:
        dense = DenseRobot.of(ROBOT)
        mass = ROBOT.column("mass")
        for sample in (0, 7, 50):
            pose = Pose.of(single.link_position[sample], single.link_orientation[sample])
            np.testing.assert_allclose(dense.joint_gaps(pose), 0.0, atol=1e-14)
            np.testing.assert_allclose(dense.joint_angles(pose), single.joint_angle[sample], atol=1e-13)
        np.testing.assert_allclose(np.linalg.norm(single.link_orientation, axis=-1), 1.0, atol=1e-14)
        center = np.einsum("l,tla->ta", mass, single.link_position) / ROBOT.mass
        np.testing.assert_allclose(center, single.center_of_mass, atol=1e-15)

    def test_velocities_are_slopes(self) -> None:
        """Central differences over two steps of 0.1 ms: second order, with the jerk of a contact at most."""
        run = simulate(SPACE, duration=0.05, settings=pp.Settings(dt=1e-4), record=pp.Record(rate=1e4))
        speed = (run.link_position.values[2:] - run.link_position.values[:-2]) / 2e-4
        np.testing.assert_allclose(speed, run.link_velocity[1:-1], atol=1e-3 * float(np.abs(speed).max()))
        rate = (run.joint_angle.values[2:] - run.joint_angle.values[:-2]) / 2e-4
        mean = (run.joint_rate.values[2:] + 2 * run.joint_rate.values[1:-1] + run.joint_rate.values[:-2]) / 4
        np.testing.assert_allclose(rate, mean, atol=1e-9)
        turns = [Pose.of(p, q) for p, q in zip(run.link_position.values, run.link_orientation.values, strict=True)]
        for k in (1, 100, 400):
            for i in range(4):
                R_dot = (turns[k + 1].rotation[i] - turns[k - 1].rotation[i]) / 2e-4
                W = R_dot @ turns[k].rotation[i].T
                omega = np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2
                np.testing.assert_allclose(omega, run.link_angular_velocity[k, i], atol=2e-2)  # rates up to 5 rad/s


class TestForces:
    def test_outer_forces_and_weight_explain_the_momentum(self, single: xr.Dataset) -> None:
        mass = ROBOT.column("mass")
        momentum = np.einsum("l,tla->ta", mass, single.link_velocity)
        force = (single.ground_force + single.obstacle_force + single.self_force).sum("link").values
        force[:, 2] -= 9.81 * ROBOT.mass
        assert np.abs(np.diff(momentum, axis=0)).max() > 0.1
        np.testing.assert_allclose(np.diff(momentum, axis=0) / 0.01, force[1:], atol=1e-8)  # of 200 N

    def test_every_link_is_in_balance_with_its_joints(self, single: xr.Dataset) -> None:
        mass = ROBOT.column("mass")
        needed = np.diff(mass[:, None] * single.link_velocity.values, axis=0) / 0.01
        felt = (single.ground_force + single.obstacle_force + single.self_force).values[1:]
        felt[..., 2] -= 9.81 * mass
        joint = single.joint_force.values[1:]
        felt[:, 1:] += joint
        felt[:, :-1] -= joint
        np.testing.assert_allclose(felt, needed, atol=1e-8)

    def test_the_joints_of_a_stiff_robot_that_whirls_carry_the_centrifugal_force(self) -> None:
        """Front links of mass m, their centre r from the robot's: m r Omega^2 toward it, to the order of Omega dt."""
        spin, dt = 5.0, 1e-4
        start = pp.SpatialStart(position=(0.0, 0.0, 1.0), angular_velocity=(0.0, 0.0, spin))
        run = simulate(
            SPACE, FREE, controller=Always(pp.Command(prescribed=True)), start=start, duration=0.1,
            settings=pp.Settings(dt=dt), record=pp.Record(rate=1.0 / dt),
        )  # fmt: skip
        x, mass = run.link_position[0, :, 0].values, FREE.column("mass")
        tension = np.array([-(mass[j + 1 :] * x[j + 1 :]).sum() * spin**2 for j in range(3)])
        turn = spin * run.time.values
        expected = np.einsum("j,ta->tja", tension, np.column_stack((np.cos(turn), np.sin(turn), 0 * turn)))
        np.testing.assert_allclose(run.joint_force[2:], expected[2:], atol=2 * spin * dt * np.abs(tension).max())
        lever = 0.12  # a link: nothing bends a straight body, to the same order
        np.testing.assert_allclose(run.joint_torque[1:], 0.0, atol=spin * dt * lever * np.abs(tension).max())

    def test_power_is_torque_times_rate(self) -> None:
        run = simulate(COURSE, record=pp.Record(rate=1000.0))
        rate = (run.joint_rate.values[1:] + run.joint_rate.values[:-1]) / 2
        np.testing.assert_allclose(run.joint_power[1:], run.joint_torque[1:] * rate, atol=1e-9)
        assert float(np.abs(run.joint_power).max()) > 0.1

    def test_in_free_flight_work_becomes_motion(self) -> None:
        """First order in the time step: a quarter of it leaves a quarter of the difference."""
        torque = np.array([[0.01, -0.02, 0.015, -0.01]])
        dense, missing = DenseRobot.of(FREE), []
        for dt in (1e-3, 2.5e-4):
            run = simulate(
                SPACE,
                FREE,
                controller=Always(pp.Command(joint_torque=torque)),
                duration=0.2,
                settings=pp.Settings(dt=dt),
            )
            last = run.isel(time=-1)
            pose = Pose.of(last.link_position, last.link_orientation)
            energy = dense.energy(pose, pose.body(last.link_velocity, last.link_angular_velocity))
            work = float(pp.measures.motor_work(run))
            missing.append(abs(work - energy) / energy)
        assert missing[0] < 1e-4 and missing[1] == pytest.approx(missing[0] / 16, rel=0.2)  # second order in dt

    def test_means_of_short_intervals_average_to_those_of_long_ones(self) -> None:
        fine, coarse = (simulate(COURSE, record=pp.Record(rate=rate)) for rate in (1000.0, 50.0))
        np.testing.assert_array_equal(fine.link_position[::20], coarse.link_position)
        for name in sorted(set(DIMS) - STATES - {"solver_iterations", "solver_residual", "unconverged", "penetration"}):
            blocks = fine[name].values[1:].reshape(25, 20, *fine[name].shape[1:])
            np.testing.assert_allclose(blocks.mean(axis=1), coarse[name][1:], atol=1e-8, err_msg=name)
        for name in ("solver_iterations", "solver_residual", "penetration"):
            np.testing.assert_array_equal(fine[name].values[1:].reshape(25, 20).max(axis=1), coarse[name][1:])


class TestRecord:
    @pytest.mark.parametrize("name", sorted(DIMS))
    def test_each_variable_alone(self, name: str, single: xr.Dataset) -> None:
        run = simulate(COURSE, record=pp.Record(variables=[name]))
        assert set(run.data_vars) == {name, "obstacle_count"}
        np.testing.assert_array_equal(run[name], single[name])


class TestBatch:
    def test_each_world_is_the_world_alone(self, batch: xr.Dataset) -> None:
        for w, world in enumerate(WORLDS):
            alone = pp.simulate(world.robot, world.environment, world.controller, start=world.start, duration=0.5)
            count = len(world.environment.obstacles)
            for name in DIMS:
                values = batch[name].isel(world=w)
                values = values.isel(obstacle=slice(count)) if name == "obstacle_load" else values
                np.testing.assert_array_equal(values, alone[name], err_msg=f"{name} of world {w}")

    def test_obstacles_are_ragged_and_stairs_are_one(self, batch: xr.Dataset) -> None:
        assert list(batch.obstacle_count.values) == [3, 0, 0, 1, 0] and batch.sizes["obstacle"] == 3
        present = np.isfinite(batch.obstacle_load[:, 1:]).all("time").values
        assert present.sum(axis=1).tolist() == [3, 0, 0, 1, 0]

    def test_the_weight_on_a_tread_is_the_load_of_the_stairs(self) -> None:
        """The robot lies along the second of three frictionless treads, behind a peg in the list of obstacles."""
        stairs = pp.Stairs(foot=(0.0, -0.3), heading=np.pi / 2, steps=3, rise=0.05, run=0.2)
        place = pp.Environment(ground=ROUGH, obstacles=[replace(PEG, x=5.0), stairs])
        straight = Always(pp.Command(joint_angle=np.zeros((1, 4))))
        run = simulate(place, controller=straight, duration=1.0, start=replace(ABOVE, position=(0.0, 0.0, 0.14)))
        assert run.sizes["obstacle"] == 2 and float(np.abs(run.obstacle_load[1:, 0]).max()) == 0.0
        upward = run.obstacle_force.sel(axis="z").sum("link")
        np.testing.assert_allclose(run.obstacle_load[1:, 1], upward[1:], rtol=1e-12, atol=1e-9)
        assert float(run.obstacle_load[-1, 1]) == pytest.approx(9.81 * ROBOT.mass, rel=1e-6)
        np.testing.assert_allclose(run.link_position[-1, :, 2], 0.1 + 0.03, atol=1e-4)

    def test_overlap_names_the_world_and_the_obstacle(self) -> None:
        low = replace(ABOVE, position=(0.0, 0.0, 0.04))
        with pytest.raises(StartOverlap, match=r"^start: link \d overlaps obstacle 0 by .* mm \(world 1\)"):
            pp.simulate([WORLDS[1], pp.World(ROBOT, COURSE, GAIT, low)], duration=0.1)
        with pytest.raises(StartOverlap, match=r"^start: link \d overlaps the ground by .* mm \(world 0\)"):
            pp.simulate([pp.World(ROBOT, FLAT, GAIT, replace(low, position=(0.0, 0.0, -0.1)))], duration=0.1)


class TestFailedWorld:
    WORLDS = tuple(
        pp.World(FREE, place, Always(pp.Command(joint_torque=np.array([torque]))), ABOVE)
        for place, torque in ((FLAT, [0.0] * 4), (COURSE, [1e2, -1e2, 1e2, -1e2]), (HILLS, [1e-3] * 4))
    )

    def test_is_NaN_after_its_end(self) -> None:
        settings = pp.Settings(on_failure="record")
        run = pp.simulate(self.WORLDS, duration=0.1, settings=settings, record=pp.Record(rate=1000.0))
        assert json.loads(run.attrs["world_status"]) == ["finished", "diverged", "finished"]
        ended = np.isnan(run.link_position.isel(world=1)).all(("link", "axis")).values
        last = int(np.flatnonzero(~ended)[-1])
        assert run.attrs["status"].endswith(f"at step {last} (t = {1e-3 * last:.6g} s)")
        for name in DIMS:
            assert np.isnan(run[name].isel(world=1)[last + 1 :]).all(), name
            if name not in ("obstacle_load", "joint_reference"):  # no obstacles there, and torques follow no reference
                assert np.isfinite(run[name].isel(world=[0, 2])[:, 1:]).all(), name

    def test_raises_with_the_run_so_far(self) -> None:
        with pytest.raises(SimulationFailed, match=r"^world 1 diverged: ") as caught:
            pp.simulate(self.WORLDS, duration=0.1)
        assert caught.value.run.sizes == {**caught.value.run.sizes, "world": 3, "time": 11}


class TestTerrain:
    def test_heights_are_kept_with_their_places(self) -> None:
        run = simulate(HILLS, duration=0.01)
        assert run.terrain_height.dims == ("terrain_x", "terrain_y") and run.terrain_height.attrs["units"] == "m"
        np.testing.assert_array_equal(run.terrain_height, WAVES.heights)
        np.testing.assert_allclose(run.terrain_x, -0.5 + 0.1 * np.arange(12), atol=1e-15)
        np.testing.assert_allclose(run.terrain_y, -0.4 + 0.1 * np.arange(9), atol=1e-15)
        assert run.terrain_x.attrs["units"] == "m"

    def test_a_field_that_not_all_worlds_have_is_kept_under_its_own_name(self, batch: xr.Dataset) -> None:
        np.testing.assert_array_equal(batch.terrain_height, WAVES.heights)
        assert "terrain_height_1" not in batch
        run = pp.simulate([WORLDS[1]] * 2, duration=0.01)
        assert run.terrain_height.dims == ("terrain_x", "terrain_y") and "terrain_height_1" not in run
        steep = replace(WAVES, heights=2 * WAVES.heights[:, 1:])
        other = replace(WORLDS[1], environment=pp.Environment(ground=replace(ROUGH, heights=steep)))
        run = pp.simulate([WORLDS[0], WORLDS[1], other], duration=0.01)
        np.testing.assert_array_equal(run.terrain_height, WAVES.heights)
        assert run.terrain_height_1.dims == ("terrain_x_1", "terrain_y_1")
        np.testing.assert_array_equal(run.terrain_height_1, steep.heights)

    @pytest.mark.parametrize("place", ["hills", "course", "batch"])
    def test_a_file_holds_it_all(self, place: str, tmp_path: Path, single: xr.Dataset, batch: xr.Dataset) -> None:
        run = {"course": single, "batch": batch}.get(place)
        run = simulate(HILLS, duration=0.1) if run is None else run
        back = pp.load(pp.save(run, tmp_path / "run.nc"))
        xr.testing.assert_identical(back, run)
        assert list(back.joint_axis.values) == ["pitch", "yaw", "yaw", "pitch"]


class TestProvenance:
    def test_robot_and_joints(self, single: xr.Dataset) -> None:
        robot: Any = only_world(single).robot
        assert (type(robot), robot.self_contact, len(robot.links)) == (pp.SpatialRobot, False, 4)
        assert robot.links[3] == pp.SpatialLink(
            length=0.1, mass=0.7, inertia=(3e-4, 8e-4, 7e-4), radius=0.03, side_length=0.1, mass_offset=0.015,
            shape="round", corner_radius=None,
        )  # fmt: skip
        motor = robot.joints[1].motor
        assert [type(joint) for joint in robot.joints] == [pp.Cardan, pp.Yaw, pp.Pitch]
        assert (motor.stiffness, motor.torque_limit) == (8.0, math.inf)
        assert robot.joints[0] == pp.Cardan(yaw=motor, pitch=motor, axis_distance=0.01)

    def test_world(self, single: xr.Dataset) -> None:
        world: Any = only_world(single)
        stairs, box, _ = world.environment.obstacles
        assert stairs == pp.Stairs(
            foot=(0.17, 0.0), heading=0.0, steps=3, rise=0.02, run=0.15, width=2.0, landing=1.0, friction=0.3,
            restitution=0.0,
        )  # fmt: skip
        assert type(box) is pp.Box and tuple(box.center) == (-0.24, 0.0, 0.005)
        assert world.environment.ground.heights is None and world.environment.ground.rolling == 0.01
        assert type(world.start) is pp.SpatialStart and tuple(world.start.position) == (0.0, 0.0, 0.2)

    def test_worlds_tell_what_differs_and_heights_come_back(self, batch: xr.Dataset) -> None:
        written = json.loads(batch.attrs["description"])["worlds"]
        assert {w: sorted(parts) for w, parts in written.items()} == {
            "1": ["ground", "obstacles"], "2": ["ground", "obstacles"], "3": ["obstacles"],
            "4": ["controller", "obstacles", "robot"],
        }  # fmt: skip
        worlds = experiment_of(batch).worlds
        field = worlds[1].environment.ground.heights
        assert field is not None and field.heights.shape == (12, 9)
        assert field.heights.tobytes() == WAVES.heights.tobytes()
        assert (field.spacing, tuple(field.origin)) == (0.1, (-0.5, -0.4))
        assert worlds[2].environment.ground.slope == 0.3

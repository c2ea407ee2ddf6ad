"""Forces on obstacles and on contact spheres, and numbers of contacts, against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from oracles.controllers import straight
from pushpoint.simulation import estimate
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.variables import VARIABLES

G = 9.81
REQUESTED_NAMES = [name for name, entry in VARIABLES.items() if entry.on_request]
ALSO = ("obstacle_reaction", "obstacle_friction", "contact_count", "sphere_force")
RECORD = pp.Record(also=ALSO)
LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
ROBOT = pp.PlanarRobot.uniform(5, LINK, pp.Motor(stiffness=100.0, damping=1.0, torque_limit=4.0))
GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=5.0, phase_shift=-0.8)
ROUGH = pp.Peg(x=-0.15, y=0.12, radius=0.05, friction=0.3)
SMOOTH = pp.Peg(x=0.0, y=-0.12, radius=0.05)
SOLID = pp.SpatialLink(length=0.1, mass=0.3, inertia=(2e-4, 3e-4, 3e-4), radius=0.03)
SERVO = pp.Motor(stiffness=50.0, damping=0.5)
SPATIAL = pp.SpatialRobot.uniform(4, SOLID, pp.Cardan(yaw=SERVO, pitch=SERVO))


def balanced(run: xr.Dataset) -> None:
    """What obstacles do to links, links do to obstacles."""
    felt = run.obstacle_force.sum("link")
    given = run.obstacle_reaction.sum("obstacle")
    assert float(np.abs(felt).max()) > 0.1
    np.testing.assert_allclose(given.transpose(*felt.dims), -felt, rtol=0, atol=1e-9)


class TestObstacles:
    def test_action_is_reaction_in_a_batch_of_different_courses(self) -> None:
        courses = [(ROUGH, SMOOTH), (SMOOTH,), (ROUGH,)]
        worlds = [pp.World(ROBOT, pp.Environment(obstacles=pegs), GAIT) for pegs in courses]
        run = simulate(worlds, 0.6, record=RECORD)
        assert run.obstacle_reaction.dims == ("world", "time", "obstacle", "axis")
        balanced(run)
        assert np.isnan(run.obstacle_reaction[1, :, 1]).all() and np.isfinite(run.obstacle_reaction[0]).all()
        alone = simulate(worlds[1], 0.6, record=RECORD)
        np.testing.assert_array_equal(alone.obstacle_reaction[:, 0], run.obstacle_reaction[1, :, 0])

    def test_friction_is_within_its_cone_and_none_on_a_smooth_peg(self) -> None:
        run = simulate(ROBOT, pp.Environment(obstacles=(ROUGH, SMOOTH)), GAIT, duration=0.6, record=RECORD)
        rubbed = np.linalg.norm(run.obstacle_friction, axis=-1)
        assert 0.01 < rubbed[:, 0].max() and (rubbed[:, 0] <= 0.3 * run.obstacle_load[:, 0] * (1 + 1e-3) + 1e-6).all()
        np.testing.assert_array_equal(rubbed[:, 1], 0.0)
        np.testing.assert_allclose(
            np.linalg.norm(run.obstacle_reaction[:, 1], axis=-1), run.obstacle_load[:, 1], rtol=0.02, atol=1e-9
        )  # the normal turns a little within an interval

    def test_a_robot_pulled_along_a_wall(self) -> None:
        """Pressed with 2 N and pulled with 5 N: the wall feels 2 N and, along it, mu 2 N."""
        robot = pp.PlanarRobot.uniform(3, LINK, pp.Motor())
        load = np.zeros((1, 3, 3))
        load[0, 1, :2] = 5.0, 2.0
        wall = pp.Wall(start=(-2.0, 0.05), end=(9.0, 0.05), thickness=0.02, friction=0.4)
        place = pp.Environment(ground=pp.Ground(friction=pp.Frictionless()), obstacles=[wall])
        run = simulate(robot, place, straight(load), duration=0.5, record=RECORD)
        np.testing.assert_allclose(run.obstacle_reaction[-1, 0], [0.8, 2.0], rtol=1e-3)
        np.testing.assert_allclose(run.obstacle_friction[-1, 0], [0.8, 0.0], rtol=1e-3, atol=1e-9)

    def test_in_space_pegs_and_boxes(self) -> None:
        boxes = [pp.Box(center=(0.0, -0.12, 0.05), size=(0.2, 0.1, 0.1), friction=0.2), ROUGH]
        run = simulate(SPATIAL, pp.Environment(obstacles=boxes), GAIT, duration=0.6, record=RECORD)
        assert run.obstacle_reaction.sizes["axis"] == 3
        balanced(run)
        load, rubbed = run.obstacle_load, np.linalg.norm(run.obstacle_friction, axis=-1)
        assert (rubbed[:, 1] <= 0.3 * load[:, 1] * (1 + 1e-3) + 1e-6).all()


class TestSpheres:
    def test_a_straight_robot_rests_on_two_spheres_per_link(self) -> None:
        run = simulate(SPATIAL, pp.Environment(), straight(), duration=0.3, record=RECORD)
        np.testing.assert_array_equal(run.contact_count[-1], 2.0)
        np.testing.assert_allclose(run.sphere_force[-1].sum(), 4 * 0.3 * G, rtol=1e-5)
        np.testing.assert_allclose(run.sphere_force[-1].sum("sphere"), run.ground_force[-1, :, 2], rtol=0, atol=1e-9)
        np.testing.assert_array_equal(run.contact_count[0], run.contact_count[1])

    def test_a_single_link_shares_its_weight_evenly_also_on_a_slope(self) -> None:
        robot = pp.SpatialRobot(links=(SOLID,), joints=())
        for slope in (0.0, 0.2):
            ground = pp.Ground(friction=pp.Isotropic(0.8), slope=slope, slope_direction=np.pi / 2, rolling=1.0)
            run = simulate(robot, pp.Environment(ground=ground), straight(), duration=0.3, record=RECORD)
            np.testing.assert_allclose(run.sphere_force[-1], 0.3 * G * np.cos(slope) / 2, rtol=1e-3)

    def test_square_links_lie_on_four_of_eight(self) -> None:
        square = pp.SpatialLink(length=0.1, mass=0.3, inertia=(2e-4, 3e-4, 3e-4), radius=0.03, shape="square")
        robots = [pp.SpatialRobot.uniform(2, link, pp.Yaw(motor=SERVO)) for link in (square, SOLID)]
        run = simulate([pp.World(robot, pp.Environment(), straight()) for robot in robots], 0.2, record=RECORD)
        assert run.sphere_force.sizes["sphere"] == 8
        np.testing.assert_array_equal(run.contact_count[0, -1], 4.0)
        np.testing.assert_allclose(run.sphere_force[0, -1].sum(), 0.6 * G, rtol=1e-5)
        assert np.isnan(run.sphere_force[1, :, :, 2:]).all() and np.isfinite(run.sphere_force[1, :, :, :2]).all()

    def test_on_a_height_field(self) -> None:
        field = pp.HeightField(heights=np.zeros((9, 9)), spacing=0.3, origin=(-1.2, -1.2))
        run = simulate(
            SPATIAL, pp.Environment(ground=pp.Ground(heights=field)), straight(), duration=0.3, record=RECORD
        )
        np.testing.assert_allclose(run.sphere_force[-1].sum("sphere"), run.ground_force[-1, :, 2], rtol=0, atol=1e-9)

    def test_lifted_links_have_no_contacts(self) -> None:
        run = pp.simulate(pp.scenario("transeth2008b/sidewinding").world, 1.0, record=RECORD)
        forces = run.ground_force.sel(axis="z")
        assert ((run.contact_count == 0) == (np.abs(forces) < 1e-9)).mean() > 0.99
        np.testing.assert_allclose(run.sphere_force.sum("sphere"), forces, rtol=0, atol=1e-8)


class TestAsking:
    def test_what_an_engine_does_not_have_is_left_out(self) -> None:
        run = simulate(
            ROBOT, pp.Environment(), GAIT, duration=0.05, record=pp.Record(also=["sphere_force", "joint_moment"])
        )
        assert "sphere_force" not in run and "sphere" not in run.coords and "joint_torque" in run

    def test_each_record_alone_is_what_it_is_among_all(self) -> None:
        """Nothing that was not asked for is read or written; the motion is the same to the last bit."""
        world = pp.World(ROBOT, pp.Environment(obstacles=(ROUGH, SMOOTH)), GAIT)
        everything = simulate(world, 0.3, record=pp.Record(also=REQUESTED_NAMES))
        usual = simulate(world, 0.3)
        for name in usual.data_vars:
            np.testing.assert_array_equal(usual[name], everything[name], err_msg=str(name))
        for name in REQUESTED_NAMES:
            alone = simulate(world, 0.3, record=pp.Record(variables=[name]))
            assert set(alone.data_vars) - {"obstacle_count"} == ({name} & set(everything.data_vars))
            if name in alone:
                np.testing.assert_array_equal(alone[name], everything[name], err_msg=name)


def test_streamed_runs_and_files_have_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is taken out of the kernels in many portions."""
    monkeypatch.setattr(estimate, "PORTION_SAMPLES", (8, 8))
    world = pp.World(SPATIAL, pp.Environment(obstacles=(ROUGH, SMOOTH)), GAIT)
    record = pp.Record(variables=REQUESTED_NAMES)
    kept = simulate([world, world], 0.3, record=record)
    streamed = simulate([world, world], 0.3, record=record, file=tmp_path / "run.nc")
    pp.save(kept, tmp_path / "kept.nc")
    again = pp.load(tmp_path / "kept.nc")
    for name in REQUESTED_NAMES:
        np.testing.assert_array_equal(streamed[name], kept[name], err_msg=name)
        np.testing.assert_array_equal(again[name], kept[name], err_msg=name)
    assert again.attrs == kept.attrs
    streamed.close()

"""The fit of a simulated robot to its shape curve, and what our scenarios of shape curves do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

import pushpoint as pp
from pushpoint.control import ShapeCurveFollower
from pushpoint.engine.spatial.kinematics import product
from pushpoint.errors import InvalidModel
from pushpoint.planning import AlongCurve, ShapeCurve, fit_to_curve, sidewinding

ROBOT = pp.catalogue.liljeback2014()
FOLLOWER = ShapeCurveFollower(motion=AlongCurve(segment=sidewinding(ROBOT), speed=0.5), prescribed=True)
FLOOR = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.5)))
NAMES = ("joint_max", "joint_rms", "link_max", "link_rms")


@pytest.fixture(scope="module")
def run() -> xr.Dataset:
    """Joints that follow their references exactly, recorded twice per command."""
    slower = replace(FOLLOWER, motion=replace(FOLLOWER.motion, speed=0.3))
    worlds = [pp.World(ROBOT, FLOOR, follower) for follower in (FOLLOWER, slower)]
    return pp.simulate(worlds, duration=0.2, settings=pp.Settings(dt=1 / 1200), record=pp.Record(rate=60.0))


def test_joints_that_obey_fit_like_the_virtual_robot_wherever_the_robot_lies(run: xr.Dataset) -> None:
    one = run.isel(world=0)
    found = pp.measures.curve_fit(one)
    for k, (_t, laid, pose) in enumerate(FOLLOWER.moves(ROBOT, 0.16)):
        middle = 2 * k + 1  # halfway from this command to the next
        np.testing.assert_allclose(one.joint_angle[middle], pose.joint_angles, rtol=0, atol=1e-6)
        expected = fit_to_curve(pose, ShapeCurve(laid.points))
        for name in NAMES:
            assert float(found[name][middle]) == pytest.approx(float(getattr(expected, name)), abs=1e-6)
    assert found.joint_max.attrs["units"] == "m" and found.sizes == {"time": one.sizes["time"]}


def test_a_robot_that_is_moved_and_turned_fits_as_before(run: xr.Dataset) -> None:
    one = run.isel(world=0)
    turn = Rotation.from_euler("ZYX", [0.7, -0.2, 0.4])
    x, y, z, w = turn.as_quat()
    moved = one.assign(
        link_position=one.link_position.copy(data=one.link_position.values @ turn.as_matrix().T + (1.0, 2.0, 3.0)),
        link_orientation=one.link_orientation.copy(
            data=product(np.broadcast_to([w, x, y, z], one.link_orientation.shape), one.link_orientation.values)
        ),
    )
    before, after = pp.measures.curve_fit(one), pp.measures.curve_fit(moved)
    for name in NAMES:
        np.testing.assert_allclose(after[name], before[name], rtol=0, atol=1e-8)
    assert float(pp.measures.curve_fit(moved, in_place=True).joint_rms.min()) > 1.0  # m away


def test_worlds_of_a_batch_are_measured_each_with_its_own_curve(run: xr.Dataset) -> None:
    both = pp.measures.curve_fit(run)
    for w in range(2):
        alone = pp.measures.curve_fit(run.isel(world=w))
        for name in NAMES:
            np.testing.assert_array_equal(both[name][w], alone[name])


def test_another_controller_has_no_curve() -> None:
    rolling = pp.simulate(ROBOT, FLOOR, pp.gaits.Rolling(amplitude=0.2, angular_frequency=1.0), duration=0.01)
    with pytest.raises(InvalidModel, match=r"run: controller = .*, must be ShapeCurveFollower"):
        pp.measures.curve_fit(rolling)


def center(run: xr.Dataset) -> np.ndarray:
    """The path of the centre of mass [m], shape (time, 3)."""
    return np.asarray(run.center_of_mass.values)


@pytest.mark.slow
class TestScenarios:
    """What the scenarios `curves/...` say of themselves."""

    def test_the_head_is_raised_and_level_but_for_the_sag_of_the_servos(self) -> None:
        scenario = pp.scenario("curves/raised-head")
        run = scenario.run()
        _, poses = scenario.world.controller.virtual(ROBOT, scenario.duration)
        sag = np.abs(run.joint_angle.values[-1] - poses.joint_angles[-1]).sum()  # rad, all joints together
        high = poses.joint_points[-1, -1, 2] - poses.joint_points[-1, 0, 2]
        raised = run.link_position.values[-1, -1, 2] - run.link_position.values[0, -1, 2]
        assert high > 0.3 and high - 0.8 * np.sin(sag) < raised < high  # the raised part is shorter than 0.8 m
        axis = Rotation.from_quat(np.roll(run.link_orientation.values[-1, -1], -1)).as_matrix()[:, 0]
        assert abs(axis[2]) < np.sin(sag + 0.1) and raised > 0.15

    def test_a_head_goes_over_the_top_without_a_jump(self) -> None:
        run = pp.scenario("curves/over-the-top").run()
        tip = run.link_position.values[:, -1]
        assert tip[:, 2].max() > 0.3 and tip[-1, 2] < 0.25  # m; up, over, and on the way down
        back = Rotation.from_quat(np.roll(run.link_orientation.values[:, -1], -1, axis=1)).as_matrix()[:, 2, 2]
        assert back.min() < -0.9  # upside down at the top
        assert np.degrees(np.abs(np.diff(run.joint_reference.values[1:], axis=0)).max()) < 3.0  # deg per command

    def test_a_raised_frame_climbs_where_a_level_one_stops(self) -> None:
        scenario = pp.scenario("curves/up-a-slope")
        level = replace(scenario.world.controller, steering=pp.control.TurnSchedule())
        climbed, stopped = (center(one.run())[-1] for one in (scenario, scenario.with_changes(controller=level)))
        assert climbed[2] > 0.11 and climbed[0] > stopped[0] + 0.3  # m; the foot is at x = 0.5

    def test_a_wave_is_steered_to_either_side(self) -> None:
        left = pp.scenario("curves/steered-wave")
        steering = left.world.controller.steering
        ends = []
        for sign in (1.0, 0.0, -1.0):
            rates = tuple(sign * rate for rate in steering.rates)
            follower = replace(left.world.controller, steering=replace(steering, rates=rates))
            path = center(left.with_changes(controller=follower).run())
            last = path[-1] - path[-1 - int(100 * follower.period)]
            ends.append(np.arctan2(last[1], last[0]))
        assert ends[0] > ends[1] + np.radians(10.0) and ends[2] < ends[1] - np.radians(10.0)

    def test_way_3_travels_as_far_as_ways_1_and_2(self) -> None:
        three = center(pp.scenario("curves/both-ways").run())
        two = center(pp.scenario("liljeback2014/moving-points").with_changes(duration=8.0).run())
        far = [np.linalg.norm(path[-1, :2] - path[0, :2]) for path in (two, three)]
        assert far[1] == pytest.approx(far[0], rel=0.2)  # the same shapes at nearly the same times

    def test_a_blend_turns_sidewinding_round(self) -> None:
        path = center(pp.scenario("curves/changing-sides").run())
        assert path[400, 1] - path[0, 1] > 0.8 and path[-1, 1] - path[600, 1] < -0.8  # m; left, then right

    def test_what_rolls_there_rolls_back(self) -> None:
        path = center(pp.scenario("curves/roll-and-return").run())
        assert path[200, 1] - path[0, 1] > 0.3 and abs(path[-1, 1] - path[0, 1]) < 0.05  # m

    def test_a_rolled_frame_turns_the_robot_onto_its_back(self) -> None:
        run = pp.scenario("curves/rolled-frame").run()
        up = Rotation.from_quat(np.roll(run.link_orientation.values[[0, -1]].reshape(-1, 4), -1, axis=1)).as_matrix()
        first, last = up[:, 2, 2].reshape(2, -1).mean(axis=1)
        assert first > 0.9 and last < -0.9

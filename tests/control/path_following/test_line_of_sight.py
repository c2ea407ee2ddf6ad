"""Line of sight as a controller: signs, continuity, batches, files, sensors and short runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.batching import stack
from pushpoint.engine.signals import Measurement
from pushpoint.papers.ours import paths
from pushpoint.scenarios.files import read_scenario

GAIT = paths.TEN_GAIT
LINE = paths.along_x(6.0)
ROBOT = paths.ten_links()
LAW = pp.control.LineOfSight(gait=GAIT, path=LINE, gain=0.3)


def seen(t: float, position: tuple[float, float], heading: float, n_worlds: int = 1) -> Measurement:
    """What a straight robot at rest measures."""
    joints = np.zeros((n_worlds, ROBOT.n_joints))
    none = np.zeros(n_worlds)
    return Measurement(
        time=none + t, joint_angle=joints, joint_rate=joints, joint_torque=joints,
        contact_normal_force=np.zeros((n_worlds, ROBOT.n_links)), imu_angular_rate=none,
        imu_acceleration=np.zeros((n_worlds, 2)), imu_heading=none + heading,
        center_of_mass=np.tile(position, (n_worlds, 1)).astype(float),
    )  # fmt: skip


def offsets(law: pp.control.LineOfSight, position: tuple[float, float], heading: float, seconds: float) -> np.ndarray:
    """Offset of the joints with time, of a robot that is held where it is [rad]."""
    bound = law.bind(ROBOT)
    memory, found = stack([bound.memory()]), []
    for k in range(round(seconds * law.rate)):
        _, memory = bound.command(seen(k / law.rate, position, heading), memory)
        found.append(memory.offset[0, 0])
    return np.array(found)


@pytest.mark.parametrize(("aside", "heading"), [(0.5, 0.0), (0.0, 0.3), (-0.5, 0.0), (0.0, -0.3), (2.0, 0.1)])
def test_offset_settles_at_the_published_law(aside, heading):
    """phi_o = k (theta_ref - theta), theta_ref = -atan(y / Delta), in our signs: left positive."""
    wanted = 0.3 * (-np.arctan(aside / (2.0 * ROBOT.length)) - heading)
    assert offsets(LAW, (1.0, aside), heading, 5.0)[-1] == pytest.approx(wanted, rel=1e-6)


def test_offset_is_limited():
    held = offsets(LAW, (1.0, -1e3), -1.0, 5.0)
    assert held.max() <= LAW.largest_offset + 1e-12 and held[-1] == pytest.approx(LAW.largest_offset)


def test_headings_beyond_a_turn_are_the_same_direction():
    near, far = (offsets(LAW, (1.0, 0.2), turned, 3.0) for turned in (0.3, 0.3 + 4 * np.pi))
    np.testing.assert_allclose(near, far, atol=1e-12)


def test_a_curve_bends_the_body_as_much_as_itself():
    """On a circle and in its direction, the offset is that of links one spacing apart on it: length / radius."""
    turn = np.linspace(0.0, 6.0, 60)
    circle = pp.mapping.Path(np.stack((3.0 * np.cos(turn), 3.0 * np.sin(turn)), axis=1))
    held = offsets(replace(LAW, path=circle), (3.0 * np.cos(1.0), 3.0 * np.sin(1.0)), 1.0 + np.pi / 2, 6.0)
    assert held[-1] == pytest.approx(0.18 / 3.0, rel=0.02)  # curvature of a spline, direction within 0.1 deg


@pytest.mark.parametrize("law", [LAW, replace(LAW, speed=pp.control.SpeedController(speed=0.05, gain=2.0))])
def test_references_do_not_jump_and_rates_are_their_derivatives(law):
    """Even where the wanted direction jumps: the robot is thrown from one side of the line to the other."""
    bound = replace(law, rate=200.0).bind(ROBOT)
    memory, angles, rates = stack([bound.memory()]), [], []
    for k in range(1600):
        t = k / 200.0
        place = (0.1 * t, 0.6 if int(t) % 4 < 2 else -0.6)
        command, memory = bound.command(seen(t, place, 0.0), memory)
        angles.append(command.joint_angle[0])
        rates.append(command.joint_rate[0])
    slope = np.diff(np.array(angles), axis=0) * 200.0
    middle = (np.array(rates)[1:] + np.array(rates)[:-1]) / 2.0
    # Joint rates reach 4.4 rad/s. Without the filter the offset would jump by 0.1 rad in one step, at 20 rad/s; without
    # the lag, the frequency by a factor of ten.
    np.testing.assert_allclose(slope[5:], middle[5:], atol=0.04)
    assert np.abs(np.diff(rates, axis=0)).max() < 0.2


def world(**more) -> pp.World:
    law = pp.control.LineOfSight(**{"gait": GAIT, "path": LINE, "gain": 0.3, "look_ahead": 1.8} | more)
    return pp.World(ROBOT, paths.ground(paths.VISCOUS), law, pp.Start(position=(0.0, 0.05), heading=0.35))


def test_worlds_of_a_batch_run_as_alone():
    others = (
        {},
        {"look_ahead": 3.0, "integral_gain": 0.05},
        {"path": pp.mapping.Path([(0.0, 1.0), (3.0, -1.0)]), "damping": 0.1},
        {"gait": paths.undulation(30, 90, 40), "speed": pp.control.SpeedController(speed=0.1)},
        {"gait": paths.undulation(30, 100, 45), "speed": pp.control.SpeedController(speed=0.2), "gain": 0.2},
    )
    worlds = [world(**more) for more in others]
    together = pp.simulate(worlds, 1.0)
    for w, each in enumerate(worlds):
        alone = pp.simulate(each, 1.0)
        np.testing.assert_array_equal(together.center_of_mass[w], alone.center_of_mass)


@pytest.mark.slow
def test_it_comes_nearer_to_its_line_from_either_side():
    mirrored = replace(world(), start=pp.Start(position=(0.0, -0.05), heading=-0.35))
    run = pp.simulate([world(), mirrored], 20.0)
    error = pp.measures.cross_track_error(run, averaged=True)
    peak, end = np.abs(error).max("time"), np.abs(error.isel(time=-1))
    assert np.all(end < 0.3 * peak)
    assert error[0, -1] * error[1, -1] < 0.0  # the gait is not mirrored, but the robot comes from its own side


@pytest.mark.slow
def test_heading_and_speed_are_kept_together():
    run = pp.scenario("paths/heading-and-speed").run()
    late = run.sel(time=slice(24.999, None))
    moved = late.center_of_mass[-1] - late.center_of_mass[0]
    assert np.degrees(np.arctan2(moved[1], moved[0])) == pytest.approx(60.0, abs=2.0)
    assert np.hypot(*moved) / 15.0 == pytest.approx(0.12, rel=0.03)


@pytest.mark.slow
def test_a_robot_in_space_follows_a_line_too():
    robot = pp.catalogue.aiko()
    law = pp.control.LineOfSight(gait=paths.AIKO_GAIT, path=LINE, look_ahead=robot.length)
    floor = paths.ground(pp.Elliptic(along=0.1, across=0.5))
    run = pp.simulate(pp.World(robot, floor, law, pp.SpatialStart(position=(0.0, 0.05), heading=0.35)), 12.0)
    error = pp.measures.cross_track_error(run, averaged=True)
    assert abs(float(error[-1])) < 0.06 < float(error.max())
    assert float(pp.measures.course_error(run)[-1]) < 0.0  # on its way back


NAMES = list(paths.SCENARIOS)


@pytest.mark.parametrize("name", NAMES)
def test_scenarios_are_read_as_they_were_written(name, tmp_path):
    scenario = pp.scenario(name)
    file = pp.write_scenario(scenario, tmp_path / "one.yaml")
    again = read_scenario(file)
    kept, read = scenario.world.controller, again.world.controller
    assert type(kept) is type(read)
    assert repr(kept).replace("\n", "") == repr(read).replace("\n", "")
    if hasattr(kept, "path"):
        np.testing.assert_array_equal(kept.path.points, read.path.points)


DOCUMENT = """
robot: aiko-planar
ground: {friction: {law: elliptic, along: 0.05, across: 0.5}}
controller:
  kind: line-of-sight
  gait: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 120, phase_shift_deg: -36}
  path: {points: [[0, 0], [2, 0], [2, 2]]}
  look_ahead: 1.2
  switching_radius: 0.4
  integral_gain: 0.05
  speed: {speed: 0.1}
duration: 0.1
"""


def test_a_file_describes_waypoints_and_speed(tmp_path):
    (tmp_path / "file.yaml").write_text(DOCUMENT)
    law = read_scenario(tmp_path / "file.yaml").world.controller
    assert law.switching_radius == 0.4 and law.speed == pp.control.SpeedController(speed=0.1)
    assert law.integral_gain == 0.05 and law.path.points.tolist() == [[0, 0], [2, 0], [2, 2]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("look_ahead: 1.2", "look_ahead: 0"), r"controller\.look_ahead = 0, must be finite and > 0 \[m\]"),
        (("[[0, 0], [2, 0], [2, 2]]", "[[0, 0], [0, 0]]"), r"controller\.path\.points\[1\]"),
        (("{speed: 0.1}", "{speed: -1}"), r"controller\.speed\.speed = -1, must be finite and > 0 \[m/s\]"),
        (("integral_gain: 0.05", "integral_gain: -2"), r"integral_gain = -2, must be finite and >= 0 \[m/s\]"),
        (("kind: lateral-undulation, amp", "kind: hybrid, amp"), r"controller\.gait"),
    ],
)
def test_mistakes_in_a_file_are_told_in_a_line(change, said, tmp_path):
    (tmp_path / "file.yaml").write_text(DOCUMENT.replace(*change))
    with pytest.raises(pp.errors.PushpointError, match=said) as told:
        read_scenario(tmp_path / "file.yaml")
    assert "\n" not in str(told.value)


def test_speed_of_a_standing_gait_is_refused():
    with pytest.raises(pp.errors.InvalidModel, match="not zero if the speed is controlled"):
        replace(LAW, gait=replace(GAIT, angular_frequency=0.0), speed=pp.control.SpeedController(speed=0.1))


def test_position_has_a_channel_of_its_own():
    """Bias, rounding, rate and delay of the position as cameras see it; results and goals hold the truth."""
    channel = pp.Channel(bias=0.1, quantum=0.01, rate=10.0, delay=0.2)
    told = []

    class Listening(pp.Controller):
        rate, needs = 50.0, frozenset({"pose"})

        def command(self, measurement, memory):
            told.append((measurement.time[0], *measurement.center_of_mass[0]))
            return pp.Command(joint_angle=0.5 * np.sin(3.0 * measurement.time)[:, None] * np.ones((1, 9))), memory

    listening = pp.World(ROBOT, paths.ground(paths.VISCOUS), Listening(), sensors=pp.Sensors(center_of_mass=channel))
    run = pp.simulate(listening, 1.0, record=pp.Record(rate=50.0))
    seen_at = np.array(told)
    k = np.maximum(np.arange(len(told)) - 10, 0) // 5 * 5  # 0.2 s late, every fifth command
    wanted = np.rint((run.center_of_mass.values[k] + 0.1) / 0.01) * 0.01
    np.testing.assert_allclose(seen_at[:, 1:], wanted, atol=1e-9)


def test_noise_of_the_position_keeps_other_channels_as_they_were():
    noisy = pp.Sensors(imu_heading=pp.Channel(noise=0.01), seed=5)
    both = replace(noisy, center_of_mass=pp.Channel(noise=0.01))
    turned = pp.control.HeadingHold(gait=GAIT, direction=0.3)
    runs = [
        pp.simulate(pp.World(ROBOT, paths.ground(paths.VISCOUS), turned, sensors=sensors), 2.0)
        for sensors in (noisy, both)  # a HeadingHold without speed control does not use the position
    ]
    np.testing.assert_array_equal(runs[0].center_of_mass, runs[1].center_of_mass)


def test_settling_distance_is_where_the_error_last_left_the_limit():
    run = pp.simulate(world(), 14.0, record=pp.Record(rate=25.0))
    error = np.abs(pp.measures.cross_track_error(run, averaged=True).values)
    limit = float(error[-80])  # one cycle is 75 samples; the robot is on its way back to the line
    found = float(pp.measures.settling_distance(run, within=limit))
    last = int(np.flatnonzero(error > limit)[-1])
    assert found == pytest.approx(float(run.center_of_mass[last + 1, 0] - run.center_of_mass[0, 0]))
    assert np.isnan(pp.measures.settling_distance(run, within=1e-6))
    assert np.isnan(pp.measures.settling_distance(run, within=float(error[-40])))  # for half a cycle only


def test_a_run_without_a_path_has_no_cross_track_error():
    run = pp.simulate(pp.World(ROBOT, pp.Environment(), GAIT), 0.1)
    with pytest.raises(pp.errors.InvalidModel, match="one that follows a path"):
        pp.measures.cross_track_error(run)

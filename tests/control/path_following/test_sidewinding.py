"""Sidewinding along a path: the wave, the law against its closed form, batches, files and short runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.batching import stack
from pushpoint.engine.signals import Measurement
from pushpoint.papers.ours import paths
from pushpoint.papers.ours.gaits import WINDING, on_ground
from pushpoint.scenarios.files import read_scenario
from pushpoint.simulation.stepping.controllers import Controllers

ROBOT = pp.catalogue.yaw_pitch_16()
GAIT = pp.gaits.Sidewinding(**WINDING)
LAW = pp.control.SidewindingLineOfSight(gait=GAIT, path=paths.along_x(6.0))
SPEED = 0.13


def seen(t: float, *places: tuple[float, float]) -> Measurement:
    """What robots at places measure."""
    n = len(places)
    joints, none = np.zeros((n, ROBOT.n_joints)), np.zeros(n)
    return Measurement(
        time=none + t, joint_angle=joints, joint_rate=joints, joint_torque=joints,
        contact_normal_force=np.zeros((n, ROBOT.n_links)), imu_angular_rate=np.zeros((n, 3)),
        imu_acceleration=np.zeros((n, 3)), imu_heading=none,
        center_of_mass=np.array([(*place, 0.0) for place in places]),
    )  # fmt: skip


def wound(law: Any, aside: float, seconds: float, *, answer: float = 1.0, drift: float = 0.0) -> np.ndarray:
    """Places of a made-up robot that turns by its taper at once and swings by 2 cm, shape (n, 2).

    answer: Its curvature as a multiple of what it was told. drift: Its own curvature [1/m].
    """
    bound = law.bind(ROBOT)
    memory, place, direction, found = stack([bound.memory()]), np.array([0.0, aside]), 0.0, []
    for k in range(round(seconds * law.rate)):
        t = k / law.rate
        swing = 0.02 * np.sin(GAIT.angular_frequency * t)
        _, memory = bound.command(seen(t, (place[0], place[1] + swing)), memory)
        step = SPEED / law.rate
        direction += step * (answer * memory.taper[0, 0] / bound.taper_per_curvature + drift)
        place = place + step * np.array([np.cos(direction), np.sin(direction)])
        found.append(place)
    return np.array(found)


def test_it_comes_onto_its_line_as_the_critically_damped_closed_form():
    """e'' + k e' + k e / D = 0 with k = 4 / D: e = e0 (1 + 2 s / D) exp(-2 s / D) from where steering begins."""
    law = replace(LAW, filter_frequency=50.0, rate=20.0)
    way = wound(law, 0.05, 60.0)
    begun = round(GAIT.period * law.rate)
    s = way[begun:, 0] - way[begun, 0]
    expected = 0.05 * (1.0 + 2.0 * s / ROBOT.length) * np.exp(-2.0 * s / ROBOT.length)
    np.testing.assert_allclose(way[begun:, 1], expected, atol=0.0015)  # the filter lags by 0.06 s, 8 mm of the way


@pytest.mark.parametrize(("answer", "drift"), [(1.4, -0.05), (0.7, 0.2)])
def test_a_robot_that_turns_by_itself_and_more_or_less_than_told_comes_onto_its_line(answer, drift):
    way = wound(replace(LAW, rate=20.0), 0.1, 120.0, answer=answer, drift=drift)
    assert np.abs(way[way[:, 0] > 10.0, 1]).max() < 0.003


def test_at_its_limit_the_wave_is_that_of_turning_sidewinding():
    """Far beside the line the robot turns at the largest curvature; the reference is the gait of that radius."""
    for side, lead in ((1.0, -np.pi / 2), (-1.0, np.pi / 2)):
        gait = replace(GAIT, pitch_lead=lead)
        law = replace(LAW, gait=gait, largest_curvature=0.5)
        bound = law.bind(ROBOT)
        memory = stack([bound.memory()])
        for k in range(600):
            command, memory = bound.command(seen(k / law.rate, (0.002 * k, -50.0)), memory)
        # Head and tail change places on a robot that winds to its right, but it turns left as well.
        turning = pp.gaits.TurningSidewinding(**{**WINDING, "pitch_lead": lead}, radius=side * 2.0)
        angle, rate = turning.references(memory.clock, ROBOT)
        np.testing.assert_allclose(command.joint_angle, angle, atol=1e-6)
        np.testing.assert_allclose(command.joint_rate, rate, atol=1e-5)


def test_references_do_not_jump_and_rates_are_their_derivatives():
    """Even where the wanted direction jumps: the robot is thrown from one side of its line to the other."""
    bound = replace(LAW, rate=200.0).bind(ROBOT)
    memory, angles, rates = stack([bound.memory()]), [], []
    for k in range(2000):
        t = k / 200.0
        command, memory = bound.command(seen(t, (0.13 * t, 0.6 if int(t) % 4 < 2 else -0.6)), memory)
        angles.append(command.joint_angle[0])
        rates.append(command.joint_rate[0])
    slope = np.diff(np.array(angles), axis=0) * 200.0
    middle = (np.array(rates)[1:] + np.array(rates)[:-1]) / 2.0
    # Joint rates reach 2.6 rad/s. Without the filter the taper would jump by 0.4, which is 70 rad/s in one step.
    np.testing.assert_allclose(slope, middle, atol=0.02)


def test_worlds_of_a_batch_are_led_as_alone():
    laws = (
        LAW,
        replace(LAW, look_ahead=2.0, drift_distance=3.0, path=pp.mapping.Path([(0.0, 1.0), (3.0, -1.0)])),
        replace(LAW, gait=replace(GAIT, pitch_lead=np.pi / 2, yaw_amplitude=0.7), gain=2.0),
        replace(LAW, gait=replace(GAIT, angular_frequency=2.5)),
    )
    together, alone = Controllers([on_ground(law) for law in laws]), [Controllers([on_ground(law)]) for law in laws]
    for k in range(250):
        places = [(0.003 * k, 0.1 * w * np.sin(0.01 * k)) for w in range(len(laws))]
        command = together.ask(seen(k / LAW.rate, *places), np.ones(len(laws), dtype=bool), lambda *_: None)
        for w, each in enumerate(alone):
            one = each.ask(seen(k / LAW.rate, places[w]), np.ones(1, dtype=bool), lambda *_: None)
            np.testing.assert_array_equal(command.joint_angle[w], one.joint_angle[0])
            np.testing.assert_array_equal(command.joint_rate[w], one.joint_rate[0])


def test_a_file_holds_it(tmp_path):
    law = replace(LAW, look_ahead=2.0, gain=1.5, drift_distance=1.0, largest_curvature=0.4, switching_radius=0.3)
    kept = pp.scenario("paths/sidewinding").with_changes(controller=law)
    file = pp.write_scenario(kept, tmp_path / "wound.yaml")
    assert "kind: sidewinding-line-of-sight" in file.read_text()
    found = read_scenario(file).world.controller
    assert (found.gait, found.gain, found.drift_distance) == (law.gait, law.gain, law.drift_distance)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: replace(LAW, gait=replace(GAIT, pitch_amplitude=0.0)), "must be one that winds to a side"),
        (lambda: replace(LAW, rate=0.1), r"controller.rate = 0\.1, must be such that a cycle takes 1 to"),
        (lambda: replace(LAW, largest_curvature=50.0).bind(ROBOT), r"largest_curvature = 50\.0, must be at most"),
        (lambda: replace(LAW, gain=-1.0), r"controller.gain = -1\.0"),
    ],
)
def test_mistakes_are_one_sentence(make, sentence):
    with pytest.raises(pp.errors.InvalidModel, match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_the_side_of_a_gait_is_where_its_robot_goes():
    lead = np.pi / 2
    gaits = [
        replace(GAIT, **change)
        for change in (
            {}, {"pitch_lead": lead}, {"phase_shift": -GAIT.phase_shift}, {"yaw_amplitude": -GAIT.yaw_amplitude},
            {"pitch_amplitude": -GAIT.pitch_amplitude}, {"angular_frequency": -GAIT.angular_frequency},
        )
    ]  # fmt: skip
    runs = pp.simulate([on_ground(gait) for gait in gaits], 7.0)
    moved = runs.center_of_mass[:, -1, 1].values
    np.testing.assert_array_equal(np.sign(moved), [gait.side for gait in gaits])
    assert np.abs(moved).min() > 0.3  # m


@pytest.mark.slow
@pytest.mark.parametrize("sensors", [pp.Sensors(), paths.CAMERA])
def test_a_sidewinding_robot_stays_within_2_cm_of_its_line_from_every_start(sensors):
    worlds = [replace(paths.winding_on_line(*start), sensors=sensors) for start in paths.TEN_STARTS]
    run = pp.simulate(worlds, 90.0, record=pp.Record(rate=25.0, variables=("center_of_mass",)))
    way = pp.measures.settling_distance(run).values
    assert np.all(way < 7.0)  # m; NaN where one does not settle
    assert np.abs(pp.measures.cross_track_error(run, averaged=True)[:, -500:]).max() < 0.01

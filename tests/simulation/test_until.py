"""Worlds that end early: by a goal or a predicate, in every kind of driving, alone and in batches."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from oracles.controllers import Always
from pushpoint.control import LeaderFollower
from pushpoint.errors import InvalidModel
from pushpoint.worlds.goals import Beyond, Goal, Travelled

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = pp.PlanarRobot.uniform(5, LINK, pp.Motor(stiffness=5.0, damping=0.1))
FREE = pp.Environment()
WAVE = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=4.0, phase_shift=-0.8)
TABLE = pp.gaits.Sampled(gait=WAVE, rate=30.0)
HELD = pp.gaits.Sampled(gait=WAVE, rate=50.0, hold=True)
STILL = Always(pp.Command(), rate=50.0)
DRIVERS = {"waves": WAVE, "tables": TABLE, "held": HELD, "closed loop": STILL}
"""Nothing touches the robots: their centres of mass go straight on, whatever their joints do."""


def world(speed: float, driver: Any = WAVE, **more: Any) -> pp.World:
    return pp.World(ROBOT, FREE, driver, pp.Start(velocity=(speed, 0.0)), **more)


def beyond(x: float) -> Any:
    return lambda measurement: measurement.center_of_mass[:, 0] >= x


def statuses(run: xr.Dataset) -> list[str]:
    return list(json.loads(run.attrs["world_status"]))


@pytest.mark.parametrize("kind", DRIVERS)
def test_each_world_ends_when_it_is_over_and_is_until_then_as_if_nobody_looked(kind: str) -> None:
    batch = [world(speed, DRIVERS[kind]) for speed in (0.1, 0.4, 0.0, 1.0)]
    whole = pp.simulate(batch, 1.0)
    run = pp.simulate(batch, 1.0, until=beyond(0.2))
    assert statuses(run) == ["finished", "ended", "finished", "ended"] and run.attrs["status_code"] == "finished"
    # Looked at 20 times a second (in a closed loop 50 times): 0.2 m are passed at 0.5 s and 0.2 s.
    late = {"waves": 0.05, "tables": 0.05 + 1 / 30, "held": 0.06, "closed loop": 0.02}[kind]
    for w, passed in ((1, 0.5), (3, 0.2)):
        known = np.flatnonzero(np.isfinite(run.center_of_mass[w, :, 0].values))
        assert passed - 1e-9 <= float(run.time[known[-1]]) <= passed + late + 1e-9
        for name in run.data_vars:
            np.testing.assert_array_equal(run[name][w, : known[-1] + 1], whole[name][w, : known[-1] + 1], str(name))
            assert np.isnan(run[name][w, known[-1] + 1 :]).all(), name
    for w in (0, 2):
        for name in run.data_vars:
            np.testing.assert_array_equal(run[name][w], whole[name][w], err_msg=str(name))


@pytest.mark.parametrize("kind", DRIVERS)
def test_the_run_ends_with_its_last_world(kind: str) -> None:
    run = pp.simulate([world(0.4, DRIVERS[kind]), world(1.0, DRIVERS[kind])], 1000.0, until=beyond(0.2))
    assert statuses(run) == ["ended", "ended"] and 0.5 <= float(run.time[-1]) < 0.6
    assert run.attrs["status"] == pp.Status.ENDED.value and not pp.Status.ENDED.failed


def test_one_world_alone() -> None:
    run = pp.simulate(world(1.0), 1.0, until=beyond(0.2))
    assert run.attrs["status_code"] == "ended" and float(run.time[-1]) == pytest.approx(0.2)
    assert run.link_angle.dims == ("time", "link")


def test_a_world_that_is_over_at_its_start_keeps_its_first_sample() -> None:
    for driver in DRIVERS.values():
        run = pp.simulate(world(1.0, driver), 1.0, until=beyond(0.0))
        assert run.sizes["time"] == 1 and run.attrs["status_code"] == "ended"


def test_an_ended_world_is_asked_no_more() -> None:
    asked: list[int] = []

    class Count(pp.Controller[None]):
        rate = 50.0

        def command(self, measurement: pp.Measurement, memory: None) -> tuple[pp.Command, None]:
            asked.append(len(measurement.time))
            return pp.Command(), None

    pp.simulate([world(1.0, Count()), world(0.0, STILL)], 1.0, until=beyond(0.2))
    assert len(asked) == 10  # 0 to 0.18 s; at 0.2 s it is over


def test_sensors_of_a_gait_are_nobody_s_business() -> None:
    # 3 ms do not divide the time between two looks; in a closed loop they would have to divide the period.
    late = pp.Sensors(joint_angle=pp.Channel(delay=0.003, noise=1.0))
    seen: list[np.ndarray] = []

    def look(measurement: pp.Measurement) -> np.ndarray:
        seen.append(measurement.joint_angle[0])
        return np.zeros(1, dtype=bool)

    run = pp.simulate(world(0.0, sensors=late), 0.2, until=look)
    np.testing.assert_allclose(seen, run.joint_angle.sel(time=[0.0, 0.05, 0.1, 0.15]), atol=1e-12)


def test_goals() -> None:
    batch = [replace(world(0.4), start=pp.Start(velocity=(0.4, 0.3), position=(x, 0.0))) for x in (0.0, 1.0)]
    run = pp.simulate(batch, 2.0, until=Travelled(distance=0.4975, rate=100.0))
    np.testing.assert_allclose(run.time[np.isfinite(run.center_of_mass[:, :, 0]).sum("time") - 1], [1.0, 1.0])
    run = pp.simulate(batch, 2.0, until=Beyond(distance=0.2985, direction=np.pi / 2, rate=100.0))
    np.testing.assert_allclose(run.time[np.isfinite(run.center_of_mass[:, :, 0]).sum("time") - 1], [1.0, 1.0])
    run = pp.simulate(batch, 2.0, until=Beyond(distance=1.2, rate=100.0))
    assert statuses(run) == ["finished", "ended"] and float(run.time[-1]) == pytest.approx(2.0)


def test_a_goal_s_rate_is_how_often_it_is_looked_at() -> None:
    for rate, end in ((10.0, 0.3), (4.0, 0.25), (100.0, 0.21)):
        run = pp.simulate(world(1.0), 1.0, until=Beyond(distance=0.205, rate=rate))
        assert float(run.time[-1]) == pytest.approx(end)


def test_in_space() -> None:
    snake = pp.catalogue.aiko()
    start = pp.SpatialStart(velocity=(0.5, 0.0, 0.0), position=(0.0, 0.0, 5.0))
    ground = pp.Environment(ground=pp.Ground(gravity=0.0))
    gait = pp.gaits.VerticalWave(amplitude=0.1, angular_frequency=2.0, phase_shift=0.3)
    run = pp.simulate(snake, ground, gait, duration=2.0, start=start, until=pp.goals.Travelled(distance=0.1))
    assert run.attrs["status_code"] == "ended" and float(run.time[-1]) == pytest.approx(0.2, abs=0.051)


def test_a_world_that_failed_is_not_called_ended() -> None:
    torque = 1e4 * np.array([[1.0, -1.0, 1.0, -1.0]])
    wild = replace(
        world(0.0, Always(pp.Command(joint_torque=torque), rate=50.0)), robot=pp.PlanarRobot.uniform(5, LINK)
    )
    run = pp.simulate(wild, 1.0, until=lambda m: m.time > 0.5, settings=pp.Settings(on_failure="record"))
    assert run.attrs["status_code"] == "diverged"


def test_leader_followers_of_one_batch_end_one_by_one() -> None:
    robot = pp.catalogue.liljeback2011()
    batch = [
        pp.World(robot, FREE, LeaderFollower(swing=s), pp.Start(velocity=(v, 0.0))) for s, v in ((0.1, 1), (0.2, 0))
    ]
    run = pp.simulate(batch, 1.0, until=beyond(0.5))
    assert statuses(run) == ["ended", "finished"]


class Never(Goal):
    def reached(self, measurement: pp.Measurement, first: pp.Measurement) -> np.ndarray:
        assert (first.time == 0.0).all() and (measurement.time >= first.time).all()
        return np.zeros(len(measurement.time), dtype=bool)


def test_a_goal_of_one_s_own() -> None:
    assert pp.simulate(world(1.0), 0.3, until=Never()).attrs["status_code"] == "finished"


@pytest.mark.parametrize(
    ("until", "words"),
    [
        (lambda m: True, r"^until: result = .*, must be one truth value per world, an array of shape \(1,\)$"),
        (lambda m: m.center_of_mass, r"^until: result = .*, must be one truth value per world"),
        (lambda m: np.zeros(1), r"^until: result = .*, must be one truth value per world"),
        ("the end", r"^until = 'the end', must be a Goal or a function of a Measurement$"),
    ],
    ids=["a word", "places", "a number", "text"],
)
def test_what_tells_no_end_is_refused(until: Any, words: str) -> None:
    with pytest.raises(InvalidModel, match=words):
        pp.simulate(world(1.0), 0.1, until=until)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Travelled(distance=0.0), r"^goal\.distance = 0\.0, must be"),
        (lambda: Beyond(distance=np.nan), r"^goal\.distance = nan, must be"),
        (lambda: Beyond(distance=1.0, direction=np.inf), r"^goal\.direction = inf, must be"),
        (lambda: Travelled(distance=1.0, rate=-1.0), r"^goal\.rate = -1\.0, must be"),
    ],
)
def test_goals_that_cannot_be_are_refused(make: Any, words: str) -> None:
    with pytest.raises(InvalidModel, match=words):
        make()

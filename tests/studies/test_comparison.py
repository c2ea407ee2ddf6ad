"""Comparisons of controllers: statistics against closed forms, measures of made-up runs, courses that are blocked."""

from __future__ import annotations

import json
from math import comb, radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from benchmarks.touch.robustness import Condition, FeltOtherwise, conditions, robustness, robustness_figure
from benchmarks.touch.tuning import BUILD, RANGES, Range, SearchPlan, search_parameters

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import HybridController
from pushpoint.engine.planar.start import Start
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.catalogue import liljeback2011
from pushpoint.model.environment import Environment, Peg, Polygon, Wall
from pushpoint.model.sensors import Channel
from pushpoint.studies.comparison import (
    RATE,
    Compared,
    ControllerComparison,
    compare,
    exact_sign_test,
    measures_of,
    paired_difference,
    wilson_interval,
)
from pushpoint.studies.comparison_figure import comparison_figure
from pushpoint.studies.comparison_study import compare_in
from pushpoint.studies.controllers import PARAMETERS, TUNED_HYBRID, controller_of
from pushpoint.studies.places import Place, is_blocked, published_place, random_place

ROBOT = liljeback2011()
STRAIGHT = Start(joint_angles=(0.0,) * 9, link=9)


class TestProportions:
    @pytest.mark.parametrize(
        ("successes", "trials", "low", "high"),
        [  # Newcombe 1998, Statistics in Medicine 17, Table I, method 3
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ],
    )
    def test_wilson_interval_of_newcombe_1998(self, successes: int, trials: int, low: float, high: float) -> None:
        found = wilson_interval(successes, trials)
        assert found == pytest.approx((low, high), abs=6e-5)  # printed to four digits
        mirrored = wilson_interval(trials - successes, trials)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=6e-5)

    def test_without_trials_nothing_is_known(self) -> None:
        assert wilson_interval(0, 0) == (0.0, 1.0)

    def test_paired_difference_of_agresti(self) -> None:
        # Categorical Data Analysis, 10.1: 1600 voters asked twice, 150 and 86 changed; 0.04, standard error 0.0095.
        low, high = paired_difference(150, 86, 1600)
        assert (low + high) / 2 == pytest.approx(0.04)
        assert (high - low) / 2 == pytest.approx(1.96 * 0.0095, rel=0.01)  # printed to two digits
        assert paired_difference(0, 0, 0) == (-1.0, 1.0)

    def test_sign_test_sums_the_tails_of_the_binomial(self) -> None:
        assert exact_sign_test(0, 0) == exact_sign_test(4, 4) == 1.0
        assert exact_sign_test(10, 0) == pytest.approx(2 / 2**10)
        assert exact_sign_test(2, 9) == exact_sign_test(9, 2)
        both = sum(comb(11, k) for k in (0, 1, 2, 9, 10, 11)) / 2**11
        assert exact_sign_test(2, 9) == pytest.approx(both)


def ring(x: float, radius: float, gap: float, peg: float = 0.12) -> list[Peg]:
    """Pegs around a place, with so much room between neighbours."""
    count = int(2 * np.pi / (2 * np.arcsin((2 * peg + gap) / (2 * radius))))
    angles = np.arange(count) * 2 * np.pi / count
    return [Peg(x=x + radius * np.cos(a), y=radius * np.sin(a), radius=peg) for a in angles]


class TestPassage:
    def test_a_ring_is_blocked_once_its_gaps_are_narrower_than_the_robot(self) -> None:
        # 0.14 m thick; the grid of 2 cm may let through what is too narrow by up to 2.8 cm, and never the other way.
        assert is_blocked(ROBOT, Environment(obstacles=ring(-0.6, 1.2, 0.05)), STRAIGHT, 0.7)
        assert not is_blocked(ROBOT, Environment(obstacles=ring(-0.6, 1.2, 0.17)), STRAIGHT, 0.7)

    def test_a_wall_is_walked_around_unless_it_closes(self) -> None:
        wall = Wall(start=(0.4, -1.0), end=(0.4, 1.0), thickness=0.02)
        assert not is_blocked(ROBOT, Environment(obstacles=[wall]), STRAIGHT, 0.7)
        corners = [(-1.8, -1.0), (0.4, -1.0), (0.4, 1.0), (-1.8, 1.0)]
        sides = [Wall(start=a, end=b, thickness=0.02) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
        assert is_blocked(ROBOT, Environment(obstacles=sides), STRAIGHT, 0.7)
        # What lies beyond 0.7 m ahead does not matter.
        assert not is_blocked(ROBOT, Environment(obstacles=sides), STRAIGHT, 0.3)

    def test_polygons_count_and_bare_ground_is_open(self) -> None:
        assert not is_blocked(ROBOT, Environment(), STRAIGHT, 0.7)
        slab = Polygon(vertices=[(0.3, -0.5), (0.5, -0.5), (0.5, 0.5), (0.3, 0.5)])
        assert not is_blocked(ROBOT, Environment(obstacles=[slab]), STRAIGHT, 0.7)

    def test_no_random_course_is_blocked(self) -> None:
        assert not any(random_place(seed).blocked for seed in range(3))


def made_up(
    way: np.ndarray, *, force: Any = 0.0, torque: Any = 0.0, power: Any = 0.0, mode: Any = np.nan
) -> xr.Dataset:
    """A run of one world whose head moves so along x, sampled at RATE."""
    count = len(way)
    position = np.zeros((1, count, 3, 2))
    position[0, :, :, 0] = way[:, None] + [-2.0, -1.0, 0.0]

    def filled(value: Any, columns: int) -> np.ndarray:
        return np.array(np.broadcast_to(value, (1, count, columns)), dtype=float)

    return xr.Dataset(
        {
            "link_position": (("world", "time", "link", "axis"), position),
            "center_of_mass": (("world", "time", "axis"), position.mean(axis=2)),
            "contact_normal_force": (("world", "time", "link"), filled(force, 3)),
            "joint_torque": (("world", "time", "joint"), filled(torque, 2)),
            "joint_power": (("world", "time", "joint"), filled(power, 2)),
            "controller_mode": (("world", "time"), np.array(np.broadcast_to(mode, (1, count)), dtype=float)),
        },
        coords={"time": np.arange(count) / RATE, "axis": ["x", "y"]},
    )


class TestMeasures:
    def test_a_steady_pass(self) -> None:
        time = np.arange(401) / RATE  # 20 s at 5 cm/s
        found = measures_of(made_up(0.05 * time, power=[3.0, -1.0], force=[1.0, 0.0, -2.0]))
        assert found.passed[0] and found.cause[0] == "passed"
        assert found.time_to_pass[0] == pytest.approx(14.0, abs=1 / RATE + 1e-9)  # 0.7 m
        assert found.advance[0] == pytest.approx(0.7, abs=0.05 / RATE + 1e-9)  # until it has passed
        assert found.speed[0] == pytest.approx(0.05) and found.progress[0] == pytest.approx(1.0)
        # 3 W over 20 s a metre; what the second motor takes up is not paid back. One sample more than intervals.
        assert found.energy_per_metre[0] == pytest.approx(60.0, rel=1 / 280)
        assert found.touched[0] == 2.0 and found.stops[0] == 0 and np.isnan(found.resolutions[0])

    def test_ends_without_a_pass(self) -> None:
        time = np.arange(1001) / RATE
        still, slow = np.minimum(0.02 * time, 0.3), 0.01 * time
        two = [1.0, 1.0, 0.0]
        assert measures_of(made_up(still, force=two)).cause[0] == "jammed"
        assert measures_of(made_up(still, force=[1.0, 0.0, 0.0])).cause[0] == "starved"
        assert measures_of(made_up(slow, force=two)).cause[0] == "late"
        broken = np.where(time < 30.0, still, np.nan)
        assert measures_of(made_up(broken, force=two)).cause[0] == "ended early"
        found = measures_of(made_up(still, force=two))
        assert found.stops[0] == 1 and np.isnan(found.energy_per_metre[0]) and np.isnan(found.time_to_pass[0])

    def test_stops_are_spells_without_new_ground(self) -> None:
        time = np.arange(1601) / RATE
        # Forward, 15 s of rest, forward, 15 s backward and forward again, forward.
        way = np.interp(time, [0, 10, 25, 35, 42, 50, 60, 80], [0.0, 0.1, 0.1, 0.2, 0.1, 0.2, 0.3, 0.5])
        assert measures_of(made_up(way)).stops[0] == 2

    def test_torque_reversals_count_large_changes_of_sign(self) -> None:
        time = np.arange(201) / RATE  # 10 s
        torque = np.stack((np.sin(2 * np.pi * time + 0.1), 0.1 * np.sin(2 * np.pi * time)), axis=1)[None]
        # The first motor changes its sign 20 times, 19 of them after it has had one; the second stays below the band.
        assert measures_of(made_up(0 * time, torque=torque)).torque_reversals[0] == pytest.approx(2.0 / 2, abs=0.06)

    def test_resolutions_are_counted_at_their_beginning(self) -> None:
        mode = np.zeros(401)
        mode[[20, 21, 22, 100, 101, 300]] = 2
        assert measures_of(made_up(np.zeros(401), mode=mode)).resolutions[0] == 3


class TestControllers:
    def test_names_and_parameters(self) -> None:
        assert controller_of("continuous") == ContinuousResolution()
        assert controller_of("hybrid") == HybridController()
        made = controller_of("hybrid:gain=0.2,speed=0.1")
        assert made.gain == 0.2 and made.follower.speed == 0.1 and made.jam_time == 1.0
        tuned = controller_of("hybrid-tuned")
        assert {name: getattr(tuned, name, getattr(tuned.follower, name, None)) for name in TUNED_HYBRID} == dict(
            TUNED_HYBRID
        )
        assert controller_of("hybrid-tuned:gain=0.2").gain == 0.2
        worded = controller_of("hybrid:head_point=front,clock=runs")
        assert (worded.follower.head_point, worded.clock) == ("front", "runs")

    @pytest.mark.parametrize(
        ("text", "error", "words"),
        [
            ("hybird", UnknownName, "unknown controller 'hybird'; did you mean hybrid"),
            ("continuous:gian=1", UnknownName, "unknown parameter of continuous 'gian'; did you mean gain"),
            ("continuous:gain=much", InvalidModel, "continuous: gain = 'much', must be a number"),
            ("continuous:", InvalidModel, "must be continuous, or continuous:PARAMETER=VALUE"),
            ("continuous:gain=1,gain=2", InvalidModel, "must be given once"),
            ("leader-follower:speed=-1", InvalidModel, "controller.speed = -1.0, must be finite and > 0"),
        ],
    )
    def test_what_is_wrong_is_named(self, text: str, error: type[Exception], words: str) -> None:
        with pytest.raises(error, match=words):
            controller_of(text)


@pytest.fixture(scope="module")
def found() -> Compared:
    closed = Place(
        name="closed",
        robot=ROBOT,
        environment=Environment(obstacles=ring(-0.6, 1.2, 0.05)),
        starts=(STRAIGHT,),
    )
    places = [random_place(0), published_place(1, 2), closed]
    controllers = {"continuous": ContinuousResolution(), "hybrid": HybridController()}
    return compare(ControllerComparison(controllers=controllers, places=places, duration=4.0))


class TestComparison:
    def test_every_controller_has_the_same_trials_and_a_blocked_course_none(self, found: Compared) -> None:
        assert found.blocked == ["closed"]
        for rows in found.trials.values():
            assert [(row["place"], row["start"]) for row in rows] == [
                ("random-0", 0), ("environment-1", 0), ("environment-1", 1),
            ]  # fmt: skip
        places = found.document()["places"]
        assert [place["blocked"] for place in places] == [False, False, True]
        assert "overlaps an obstacle by 41 mm" in places[1]["note"]

    def test_a_trial_is_what_it_would_be_alone(self, found: Compared) -> None:
        alone = compare(
            ControllerComparison(
                controllers={"continuous": ContinuousResolution()}, places=[random_place(0)], duration=4.0
            )
        )
        first, again = found.trials["continuous"][0], alone.trials["continuous"][0]
        assert first["progress"] == again["progress"] and first["touched"] == again["touched"]

    def test_trials_in_a_store_are_the_same_to_the_last_bit_and_run_once(self, found: Compared, tmp_path: Path) -> None:
        kept = compare_in(tmp_path, found.comparison)
        assert json.dumps(kept.document()) == json.dumps(found.document())
        again = compare_in(tmp_path, found.comparison)
        assert again.done_before == 6 and json.dumps(again.trials) == json.dumps(found.trials)

    def test_summary_and_pairs_count(self, found: Compared) -> None:
        summary = found.summary("hybrid")
        assert summary["trials"] == 3 and sum(summary["causes"].values()) == 3
        assert summary["success_95"] == list(wilson_interval(summary["passed"], 3))
        (pair,) = found.pairs()
        assert (pair["first"], pair["second"]) == ("continuous", "hybrid")
        assert pair["p_value"] == exact_sign_test(pair["only_first"], pair["only_second"])

    def test_the_figure_shows_all_controllers(self, found: Compared) -> None:
        figure = comparison_figure(found.document())
        panels = {axes.get_label(): axes for axes in figure.axes}
        assert set(panels) == {"header", "success", "causes", "curves", "energy"}
        names = [text.get_text() for text in panels["success"].get_yticklabels()]
        assert names == ["continuous", "hybrid"]

    def test_nothing_to_compare_is_refused(self) -> None:
        with pytest.raises(InvalidModel, match="courses = 0, must be at least one course"):
            ControllerComparison(controllers={"it": HybridController()}, places=[])
        with pytest.raises(InvalidModel, match="controllers = 'none', must be at least one"):
            ControllerComparison(controllers={}, places=[random_place(0)])
        with pytest.raises(InvalidModel, match="duration = 0"):
            ControllerComparison(controllers={"it": HybridController()}, places=[random_place(0)], duration=0.0)


HILL = {"a": Range(low=-2.0, high=2.0), "b": Range(low=0.01, high=100.0, logarithmic=True)}
PLAN = SearchPlan(draws=40, rounds=4, variants=20, spread=0.15)


class TestSearch:
    def test_it_finds_a_hill_and_counts_its_trials(self) -> None:
        asked: list[int] = []

        def hill(sets: Any, seeds: Any, duration: float) -> np.ndarray:
            asked.append(len(sets) * len(seeds))
            return np.array([-((each["a"] - 0.7) ** 2) - np.log(each["b"] / 3.0) ** 2 for each in sets])

        found = search_parameters(HILL, hill, PLAN, seed=1)
        assert found.parameters["a"] == pytest.approx(0.7, abs=0.3)
        assert found.parameters["b"] == pytest.approx(3.0, rel=0.5)
        assert found.trials == sum(asked)
        assert search_parameters(HILL, hill, PLAN, seed=1) == found

    def test_both_controllers_are_searched_for_parameters_they_have(self) -> None:
        for name, ranges in RANGES.items():
            assert set(ranges) <= set(PARAMETERS[name])
            BUILD[name](**{parameter: each.low for parameter, each in ranges.items()})
            BUILD[name](**{parameter: each.high for parameter, each in ranges.items()})


class TestRobustness:
    def test_conditions_are_those_of_the_table(self) -> None:
        listed = conditions()
        assert listed[0].group == "as tuned"
        assert {c.motor_speed for c in listed if c.group == "no-load motor speed"} == {4.0, 1.3}
        assert {c.friction for c in listed} == {0.1, 0.2, 0.3, 0.4, 0.5}
        assert {c.rate for c in listed} == {None, 10.0, 50.0, 100.0, 250.0}
        (dead,) = (c.factors for c in listed if c.group == "dead touch sensors")
        assert dead is not None and sorted(dead) == [0.0] * 2 + [1.0] * 8

    def test_felt_otherwise_is_a_change_of_the_reading_alone(self) -> None:
        # Half of the reading with twice the gain is the same controller: everything else is as it was.
        weak = FeltOtherwise(controller=ContinuousResolution(gain=0.2), factors=[0.5] * 10)
        places = [random_place(3)]
        found = compare(
            ControllerComparison(
                controllers={"weak": weak, "plain": ContinuousResolution(gain=0.1)}, places=places, duration=3.0
            )
        )
        assert found.trials["weak"][0] == pytest.approx(found.trials["plain"][0], nan_ok=True)

    def test_a_row_per_condition(self) -> None:
        chosen = [Condition(group="touch noise", value="1 N", touch=Channel(noise=1.0)), Condition(group="b", value="")]
        rows = robustness(ContinuousResolution, [0, 1], 2.0, chosen=chosen)
        assert [row["group"] for row in rows] == ["touch noise", "b"] and all(row["trials"] == 2 for row in rows)
        assert rows[0]["progress"] != rows[1]["progress"]
        assert Condition(group="c", value="", motor_speed=4.0).robot.motor_column("speed_limit")[0] == 4.0
        assert radians(45) == pytest.approx(float(Condition(group="c", value="").robot.motor_column("upper")[0]))

    def test_the_figure_has_a_row_per_condition(self) -> None:
        rows: list[dict[str, Any]] = [
            {"group": c.group, "value": c.value, "trials": 10, "success": k / 30, "success_95": (k / 40, k / 25)}
            for k, c in enumerate(conditions())
        ]
        figure = robustness_figure({"one": rows, "other": rows})
        (axes,) = (each for each in figure.axes if each.get_label() == "success")
        written = {text.get_text() for text in axes.texts}
        assert {c.group for c in conditions()} | {c.value for c in conditions()} <= written
        shown = sorted(float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "o")  # type: ignore[index, arg-type]
        assert shown == pytest.approx(sorted(2 * [100.0 * row["success"] for row in rows]))

"""Random worlds: a seed is a world, every kind occurs, and what goes wrong is counted and listed."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.bench import random_worlds
from pushpoint.bench.random_worlds import (
    DROP,
    ROBOTS,
    TERRAINS,
    TIME_STEPS,
    RandomWorld,
    WorldOutcome,
    random_case,
    random_cases,
    report,
    run_cases,
    summed_up,
)
from pushpoint.bench.surface_speeds import surface_speed
from pushpoint.bench.violent_worlds import violent_case, violent_planar_case
from pushpoint.cli.main import main
from pushpoint.description.experiments import write_experiment
from pushpoint.engine.spatial.start import nearest_obstacle
from pushpoint.worlds.world import Experiment

GOOD = WorldOutcome(
    seed=3, terrain="flat", robot="aiko", gait="Rolling", dt=1e-3, status="finished", steps=2000, finite=True,
    unconverged=0, penetration=1e-3, allowed=2e-3,
)  # fmt: skip


@pytest.fixture(scope="module")
def cases() -> list[RandomWorld]:
    return [random_case(seed) for seed in range(60)]


def told(case: RandomWorld) -> tuple[Any, ...]:
    return case.seed, case.robot, case.dt, case.terrain, write_experiment(Experiment((case.world,), 1.0, name="told"))


class TestCases:
    @pytest.mark.parametrize("seed", [0, 1, 2, 3, 12345])
    def test_a_seed_always_makes_the_same_world(self, seed: int) -> None:
        assert told(random_case(seed)) == told(random_case(seed))

    def test_also_in_other_processes_and_in_order(
        self, cases: list[RandomWorld], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(random_worlds, "WORTH_HELP", 1)
        assert [told(case) for case in random_cases(range(12))] == [told(case) for case in cases[:12]]

    def test_seeds_differ(self, cases: list[RandomWorld]) -> None:
        assert len({json.dumps(told(case)[1:], sort_keys=True) for case in cases}) == len(cases)

    def test_every_kind_occurs(self, cases: list[RandomWorld]) -> None:
        # With equal chances one of six kinds is missing among 60 with a probability of (5/6)^60 = 2e-5.
        assert {case.terrain for case in cases} == set(TERRAINS)
        assert {case.robot for case in cases} == set(range(len(ROBOTS)))
        assert {case.dt for case in cases} == set(TIME_STEPS)
        gaits = {type(case.world.controller).__name__ for case in cases}
        assert gaits == {"LateralUndulation", "Sidewinding", "VerticalWave", "Rolling", "SinusLifting"}
        laws = {type(case.world.environment.ground.friction).__name__ for case in cases}
        assert laws == {"Isotropic", "Elliptic", "Skin"}
        assert {case.world.environment.ground.restitution for case in cases} == {0.0, 0.3}

    def test_terrains_are_what_they_are_called(self, cases: list[RandomWorld]) -> None:
        for case in cases:
            place = case.world.environment
            kinds = {type(obstacle) for obstacle in place.obstacles}
            expected = {"stairs": {pp.Stairs}, "boxes": {pp.Box}, "pegs": {pp.Peg}}
            assert kinds == expected.get(case.terrain, set())
            assert (place.ground.slope != 0.0) == (case.terrain == "slope")
            assert (place.ground.heights is not None) == (case.terrain == "heights")

    def test_starts_are_clear_and_near_the_ground(self, cases: list[RandomWorld]) -> None:
        for case in cases:
            world = case.world
            pose = world.pose()
            gap = nearest_obstacle(world.robot, world.environment, pose["center"], pose["tail"], pose["angle"])[0]
            assert 0.0 < gap <= DROP, case.seed
            assert np.abs(world.start.angular_velocity).max() <= 3.0


class TestSurfaceSpeed:
    LINK = pp.SpatialLink(length=0.2, mass=1.0, inertia=(1e-3, 2e-3, 2e-3), radius=0.03, side_length=0.16)
    LEVEL = np.array([[1.0, 0.0, 0.0, 0.0]])

    def fastest(self, v: Any, omega: Any, link: pp.SpatialLink = LINK, frame: np.ndarray = LEVEL) -> float:
        robot = pp.SpatialRobot(links=(link,), joints=())
        speed = surface_speed(robot, frame, np.array([v], dtype=float), np.array([omega], dtype=float))
        assert speed.shape == (1,)
        return float(speed[0])

    def test_of_a_link_that_slides(self) -> None:
        assert self.fastest((0.3, -0.4, 0.0), (0.0, 0.0, 0.0)) == pytest.approx(0.5)

    def test_of_a_link_that_spins_about_its_axis(self) -> None:
        assert self.fastest((0.0, 0.0, 0.0), (7.0, 0.0, 0.0)) == pytest.approx(7.0 * 0.03)

    def test_of_one_that_rolls(self) -> None:
        # Its top is twice as fast as its axis.
        assert self.fastest((0.0, -0.21, 0.0), (7.0, 0.0, 0.0)) == pytest.approx(0.42)

    def test_of_one_that_whirls_about_its_middle(self) -> None:
        assert self.fastest((0.0, 0.0, 0.0), (0.0, 5.0, 0.0)) == pytest.approx(5.0 * (0.08 + 0.03))

    def test_of_one_that_whirls_about_a_mass_off_its_middle(self) -> None:
        link = replace(self.LINK, mass_offset=0.02)
        assert self.fastest((0.0, 0.0, 0.0), (0.0, 0.0, 5.0), link) == pytest.approx(5.0 * (0.08 + 0.02 + 0.03))

    def test_of_one_that_screws(self) -> None:
        # Along the spin both speeds are at right angles.
        assert self.fastest((0.3, 0.0, 0.0), (10.0, 0.0, 0.0)) == pytest.approx(math.hypot(0.3, 0.3))

    def test_of_one_that_stands_upright(self) -> None:
        upright = np.array([[math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0]])  # its x axis points up
        assert self.fastest((0.0, 0.0, 0.0), (0.0, 0.0, 5.0), frame=upright) == pytest.approx(5.0 * 0.03)

    def test_is_never_less_than_that_of_points_of_the_surface(self) -> None:
        rng = np.random.default_rng(0)
        link = pp.SpatialLink(length=0.1, mass=1.0, inertia=(1e-3,) * 3, radius=0.04, shape="square")
        half = np.array([0.05, 0.036, 0.036])
        for _ in range(20):
            v, omega = rng.normal(size=3), rng.normal(scale=20.0, size=3)
            direction = rng.normal(size=(5000, 3))
            direction /= np.linalg.norm(direction, axis=1)[:, None]
            points = half * np.sign(direction) + 0.004 * direction  # all extreme points of a rounded box
            largest = np.linalg.norm(v + np.cross(omega, points), axis=1).max()
            assert largest <= self.fastest(v, omega, link) <= 1.01 * largest


class TestOutcomes:
    def test_a_world_alone_is_told_as_it_is(self) -> None:
        case = random_case(5)
        (outcome,) = run_cases([case], duration=0.02)
        run = pp.simulate(
            case.world.robot, case.world.environment, case.world.controller, start=case.world.start, duration=0.02,
            settings=pp.Settings(dt=case.dt), record=pp.Record(rate=1.0 / case.dt),
        )  # fmt: skip
        assert (outcome.seed, outcome.terrain, outcome.dt) == (5, case.terrain, case.dt)
        assert (outcome.status, outcome.finite, outcome.steps) == ("finished", True, round(0.02 / case.dt))
        assert outcome.penetration == float(run.penetration.max())
        assert outcome.unconverged == int(run.unconverged.sum())
        assert outcome.gait == type(case.world.controller).__name__

    def test_one_that_ends_early_is_no_number_only_if_it_was_recorded_so(self) -> None:
        # A start that turns by more than a radian per step: diverged, but still in numbers.
        case = random_case(5)
        wild = replace(case.world, start=replace(case.world.start, angular_velocity=(0.0, 0.0, 1.1 / case.dt)))
        (outcome,) = run_cases([replace(case, world=wild)], duration=0.02)
        assert (outcome.status, outcome.finite, outcome.steps) == ("diverged", True, 1)
        assert outcome.failed

    def test_what_fails(self) -> None:
        assert not GOOD.failed and not GOOD.too_deep
        assert replace(GOOD, penetration=2.1e-3).too_deep and replace(GOOD, penetration=2.1e-3).failed
        assert replace(GOOD, penetration=math.nan).too_deep
        assert replace(GOOD, finite=False).failed and replace(GOOD, status="sunk_in").failed
        assert not replace(GOOD, unconverged=1000).failed

    def test_sums(self) -> None:
        worlds = [
            GOOD,
            replace(GOOD, seed=1, unconverged=4),
            replace(GOOD, seed=0, unconverged=2, steps=500, dt=2e-3, penetration=1.9e-3),
            replace(GOOD, seed=2, status="sunk_in", steps=1500),
        ]
        figures = summed_up(0, worlds)
        assert (figures["worlds"], figures["steps"], figures["ended_early"]) == (4, 6000, 1)
        assert figures["unconverged_share"] == pytest.approx(0.001)
        assert figures["deepest_m"] == 1.9e-3 and figures["deepest_over_allowed"] == pytest.approx(0.95)
        assert figures["unconverged"] == [
            {"seed": 0, "steps": 2, "of": 500},
            {"seed": 1, "steps": 4, "of": 2000},
        ]
        assert (figures["worlds_with_unconverged_steps"], figures["worlds_above_allowed_share"]) == (2, 1)
        assert [failure["seed"] for failure in figures["failures"]] == [2]
        assert figures["passed"]
        json.dumps(figures)

    @pytest.mark.parametrize("change", [{"finite": False}, {"penetration": 3e-3}, {"unconverged": 8}], ids=str)
    def test_each_bound_counts(self, change: dict[str, Any]) -> None:
        assert summed_up(0, [GOOD] * 2)["passed"]
        assert not summed_up(0, [GOOD, replace(GOOD, **change)])["passed"]

    def test_reports_progress_and_all_worlds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        batches: list[list[RandomWorld]] = []

        def pretend(cases: list[RandomWorld]) -> list[WorldOutcome]:
            batches.append(list(cases))
            return [replace(GOOD, seed=case.seed) for case in cases]

        monkeypatch.setattr(random_worlds, "run_cases", pretend)
        monkeypatch.setattr(random_worlds, "MOST_AT_ONCE", 2)
        done: list[int] = []
        figures = report(10, 20, progress=done.append)
        assert (figures["first_seed"], figures["worlds"], done[-1]) == (10, 20, 20)
        assert done == sorted(done) and len(done) == len(batches)
        assert sorted(case.seed for batch in batches for case in batch) == list(range(10, 30))
        for batch in batches:
            assert len(batch) <= 2 and len({(case.robot, case.dt) for case in batch}) == 1


class TestCommand:
    FIGURES = summed_up(7, [GOOD, replace(GOOD, seed=8, unconverged=3), replace(GOOD, seed=9, penetration=5e-3)])

    @pytest.fixture(autouse=True)
    def pretended(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.chdir(tmp_path)

        def pretend(first_seed: int, count: int, *, kept: Any, progress: Any) -> dict[str, Any]:
            assert (first_seed, count) == (7, 3)
            for done in range(1, 4):
                progress(done)
            return self.FIGURES

        monkeypatch.setattr(random_worlds, "report", pretend)

    def test_json_alone_goes_to_standard_output(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["bench", "random-worlds", "--count", "3", "--seed", "7", "--json"]) == 1
        printed = capsys.readouterr()
        assert json.loads(printed.out) == self.FIGURES
        assert printed.err.splitlines() == ["1 of 3 worlds", "2 of 3 worlds", "3 of 3 worlds"]

    def test_words_name_the_seeds(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["bench", "random-worlds", "--count", "3", "--seed", "7"]) == 1
        lines = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
        lines = {name: text.strip() for name, text in lines.items()}
        assert lines["too_deep"] == "1" and lines["passed"] == "False"
        assert lines["unconverged.seed 8"] == "3 of 2000 steps"
        assert lines["failure.seed 9"] == "finished, aiko, Rolling on flat, dt 0.001 s, finite, 5 mm deep, 2 mm allowed"

    def test_worlds_within_the_bounds_end_with_success(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(random_worlds, "report", lambda *a, **k: summed_up(0, [GOOD]))
        assert main(["bench", "random-worlds", "--count", "1"]) == 0
        assert "passed" in capsys.readouterr().out

    @pytest.mark.parametrize("arguments", [["--count", "0"], ["--seed", "-1"], ["--count", "many"]], ids=str)
    def test_wrong_numbers_get_one_line(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["bench", "random-worlds", *arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and printed.err.startswith("error: ") and printed.err.count("\n") == 1

    def test_a_kind_chooses_the_worlds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[Any] = []

        def pretend(first_seed: int, count: int, *, kept: Any, progress: Any, make: Any = None) -> dict[str, Any]:
            asked.append(make)
            return summed_up(first_seed, [GOOD])

        monkeypatch.setattr(random_worlds, "report", pretend)
        for kind in ([], ["--kind", "violent"], ["--kind", "violent-planar"]):
            assert main(["bench", "random-worlds", "--count", "1", *kind]) == 0
        assert asked == [None, violent_case, violent_planar_case]

    def test_an_unknown_kind_gets_one_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["bench", "random-worlds", "--kind", "mild"]) == 2
        printed = capsys.readouterr()
        assert printed.err.startswith("error: ") and "violent-planar" in printed.err and printed.err.count("\n") == 1

"""The scoreboard: which courses, what is asked, the rule against swimming, and that stopped work goes on."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import pushpoint as pp
from pushpoint.cli import learning
from pushpoint.cli.main import main
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.sensors import Channel
from pushpoint.papers.liljeback2011.courses import PegLayout, random_course
from pushpoint.studies import scoreboard
from pushpoint.studies.controllers import controller_of
from pushpoint.studies.places import random_place
from pushpoint.studies.scoreboard import BLIND, BLIND_WAVE, CONDITIONS, Scoring, blinded, drift, questions, score
from pushpoint.studies.splits import HELD_OUT, SECOND_HELD_OUT, SPLITS, VALIDATION, seeds_of, split_of

TOUCH = pp.control.TouchPolicy(gain=0.5, forward_bias=0.3, least_force=1.0)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same questions, in less time."""
    monkeypatch.setattr(scoreboard, "DRIFT_TIME", 1.0)
    monkeypatch.setattr(scoreboard, "DRIFT_STARTS", 2)
    monkeypatch.setattr(scoreboard, "PUBLISHED_STARTS", 1)


class TestSplits:
    def test_no_course_is_in_two_sets(self) -> None:
        for (_, a), (_, b) in combinations(SPLITS.items(), 2):
            assert not set(a) & set(b)

    def test_the_held_out_seeds_are_those_of_earlier_studies(self) -> None:
        assert list(HELD_OUT) == list(range(1000, 1100)) and list(SECOND_HELD_OUT) == list(range(2000, 2100))

    @pytest.mark.parametrize(
        ("seed", "name"),
        [
            (0, "train"),
            (999, "train"),
            (1000, "held-out"),
            (2099, "second-held-out"),
            (3000, "validation"),
            (1100, None),
        ],
    )
    def test_a_seed_knows_its_set(self, seed: int, name: str | None) -> None:
        assert split_of(seed) == name
        if name:
            assert seed in seeds_of(name)

    def test_an_unknown_set_is_told_the_known_ones(self) -> None:
        with pytest.raises(UnknownName, match="unknown set of courses 'test'; known are held-out, second-held-out"):
            seeds_of("test")


class TestQuestions:
    def test_everything_is_asked_of_the_policy_and_of_the_hand_made_controller(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = random_place(3000)  # one for all: what the courses look like does not matter here
        monkeypatch.setattr(scoreboard, "random_place", lambda seed, **_: place)
        asked = list(questions(Scoring(policy=TOUCH, name="mine", seeds={"validation": [3000]})))
        both = {each.name for each in asked if set(each.comparison.controllers) == {"mine", "continuous"}}
        assert both == {"validation", "environment-1", "environment-2", "environment-3", *(c.name for c in CONDITIONS)}
        for kind in ("touch noise", "touch delay", "ground friction", "peg radius", "peg density"):
            assert sum(name.startswith(kind) for name in both) >= 2
        first = next(each for each in asked if each.name == "validation").comparison
        assert [place.name for place in first.places] == ["random-3000"]

    def test_touch_is_taken_away_in_several_ways(self) -> None:
        found = {name: (controller, sensors) for name, controller, sensors in blinded(TOUCH)}
        assert found["reflex off"][0] == pp.control.TouchPolicy(gain=0.0, forward_bias=0.3, least_force=1.0)
        assert found["reflex reversed"][0].gain == -TOUCH.gain
        assert found["noise instead of touch"][1].contact_normal_force == Channel(gain=0.0, noise=1.0)
        assert found["only the noise of deployment"][1].contact_normal_force == Channel(gain=0.0, noise=0.3)

    def test_a_policy_by_name_loses_its_reflex_too(self) -> None:
        off = next(controller for name, controller, _ in blinded(controller_of("touch-v1")) if name == "reflex off")
        assert off.gain == 0.0

    def test_a_controller_without_gain_loses_its_readings_alone(self) -> None:
        found = {name: sensors.contact_normal_force.gain for name, _, sensors in blinded(pp.control.LeaderFollower())}
        assert found == {
            "touch off": 0.0,
            "touch reversed": -1.0,
            "only the noise of deployment": 0.0,
            "noise instead of touch": 0.0,
        }

    def test_a_robot_without_touch_does_what_its_wave_does(self) -> None:
        """With readings off, the trial is that of the same controller without a reflex, to the last bit."""
        place = random_place(3000)
        runs = [
            pp.simulate(pp.World(place.robot, place.environment, control, place.starts[0], sensors), 2.0)
            for control, sensors in (
                (pp.control.ContinuousResolution(), scoreboard.touch_sensors(gain=0.0)),
                (pp.control.ContinuousResolution(gain=0.0), pp.Sensors()),
            )
        ]
        np.testing.assert_array_equal(runs[0].link_position, runs[1].link_position)

    @pytest.mark.parametrize("wrong", [{"seeds": {}}, {"seeds": {"validation": []}}, {"name": "continuous"}])
    def test_what_cannot_be_scored_is_refused(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(InvalidModel, match=r"^score"):
            Scoring(**{"policy": TOUCH, "seeds": {"validation": [3000]}} | wrong)


class TestSwimming:
    @pytest.mark.usefixtures("small")
    def test_it_is_the_way_of_the_centre_of_mass_without_pegs(self) -> None:
        ground = random_place(3000).environment.ground
        ends, farthest = [], []
        for place in (random_place(3000), random_place(3001)):
            run = pp.simulate(pp.World(place.robot, pp.Environment(ground=ground), TOUCH, place.starts[0]), 1.0)
            away = np.linalg.norm(run.center_of_mass.values - run.center_of_mass.values[0], axis=1)
            ends.append(float(away[-1]))
            farthest.append(float(away.max()))
        found = drift(TOUCH, pp.Sensors())
        # the run takes the usual time step of 1 ms, the scoreboard that of the comparisons, 2 ms
        assert found["largest_m"] == pytest.approx(max(ends), rel=0.05)
        assert found["mean_m"] == pytest.approx(sum(ends) / 2, rel=0.05)
        # the scoreboard looks once per second
        assert found["largest_m"] <= found["farthest_m"] <= 1.05 * max(farthest)

    def test_the_blind_wave_swims(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scoreboard, "DRIFT_STARTS", 2)
        assert drift(BLIND_WAVE, BLIND)["largest_m"] > scoreboard.MOST_DRIFT

    def test_a_robot_that_comes_back_has_been_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The rule holds at any time: an excursion that has ended counts."""
        center = np.zeros((20, 4, 2))
        center[3, 2] = (0.3, 0.4)
        run = xarray.Dataset({"center_of_mass": (("world", "time", "axis"), center)})
        monkeypatch.setattr(scoreboard, "simulate", lambda *_, **__: run)
        found = drift(TOUCH, pp.Sensors())
        assert found["largest_m"] == 0.0 and found["farthest_m"] == pytest.approx(0.5)
        assert not scoreboard.drifts_of(Scoring(policy=TOUCH, seeds={"validation": [3000]}))["kept"]

    @pytest.mark.usefixtures("small")
    def test_who_swims_has_no_score(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scoreboard, "MOST_DRIFT", 0.0)
        found = score(Scoring(policy=TOUCH, seeds={"validation": [3000]}, robustness=False, duration=0.2))
        assert not found["drift"]["kept"] and found["score"] == {"validation": 0.0}


@pytest.mark.usefixtures("small")
class TestScore:
    def test_stopped_work_goes_on(self, tmp_path: Path) -> None:
        scoring = Scoring(policy=TOUCH, name="mine", seeds={"validation": [3000]}, robustness=False, duration=0.5)
        told: list[tuple[int, int]] = []
        first = score(scoring, tmp_path, lambda _, now: told.append((now.reused, now.simulated)))
        assert sum(new for _, new in told) > 0
        told.clear()
        again = score(scoring, tmp_path, lambda _, now: told.append((now.reused, now.simulated)))
        assert not any(new for _, new in told)
        assert again == first

    def test_a_store_changes_nothing(self, tmp_path: Path) -> None:
        scoring = Scoring(policy=TOUCH, name="mine", seeds={"validation": [3000]}, robustness=False, duration=0.5)
        assert score(scoring) == score(scoring, tmp_path)

    def test_the_command_writes_what_it_prints(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        call = ["learn", "score", "touch-v1", "--seeds", "3000:3002", "--short", "--duration", "1"]
        assert main([*call, "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        kept = json.loads(Path("out/touch-v1-score/score.json").read_text())
        assert printed | {"files": 0} == kept | {"files": 0}
        assert kept["held_out"] is False and kept["splits"]["validation"]["seeds"] == [3000, 3001]
        assert main(call) == 0
        text = capsys.readouterr().out
        assert (
            "score on validation: " in text
            and "exact McNemar test" in text
            and "the rule that the robot may not" in text
        )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "unknown controller 'nobody'; known are .*touch-v1"),
        (["touch-v1:gian=3"], "unknown parameter of touch-v1 'gian'; did you mean gain"),
        (["continuous"], "score = 'continuous', must be another one than continuous"),
        (["gone.json"], "gone.json: no such file"),
        (["touch-v1", "--seeds", "5"], "--seeds = '5', must be two whole numbers, FIRST:END"),
        (["touch-v1", "--seeds", "9:5"], "--seeds = '9:5', must be 1 to 10,000 courses"),
        (["touch-v1", "--seeds", f"0:1{'0' * 20}"], "must be 1 to 10,000 courses"),
        (["touch-v1", "--seeds", "990:1002"], "must be without seed 1000, which is held out"),
        (["touch-v1", "--seeds", "1:2", "--held-out"], "left out: --held-out means all held-out courses"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["learn", "score", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(said, error)


@pytest.mark.parametrize(
    ("policy", "name"),
    [("continuous:gain=0.15", "continuous:gain=0.15"), ("hybrid", "hybrid"), ("in/mine.json", "mine")],
)
def test_parameters_are_part_of_the_name(policy: str, name: str) -> None:
    """It decides the folder: another gain must not replace the results of the first."""
    assert learning._name(policy) == name


class TestOtherPegs:
    def test_without_a_word_the_courses_are_those_of_before(self) -> None:
        robot = pp.catalogue.liljeback2011()
        usual = random_course(robot, 3, friction=0.2)
        assert usual == random_course(robot, 3, friction=0.2, field=PegLayout())

    @pytest.mark.parametrize(
        "field", [PegLayout(radius=(0.05, 0.075)), PegLayout(density=2.5), PegLayout(clearance=0.3)]
    )
    def test_pegs_are_as_asked_for(self, field: PegLayout) -> None:
        pegs = random_course(pp.catalogue.liljeback2011(), VALIDATION[0], friction=0.2, field=field).pegs
        assert all(field.radius[0] <= peg.radius <= field.radius[1] for peg in pegs)
        assert len(pegs) <= field.density * 3.4 * 1.6 + 1.0
        gaps = [np.hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius for a, b in combinations(pegs, 2)]
        assert min(gaps) >= field.clearance - 1e-9

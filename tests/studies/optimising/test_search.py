"""Searches: goals and limits, conditions in one batch, and the same trials after a kill."""

from __future__ import annotations

import errno
import json
import math
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import BadFile, InvalidModel, PushpointError, UnknownName
from pushpoint.studies.optimising import search
from pushpoint.studies.optimising.questions import QUESTIONS, best_phase_shift, question
from pushpoint.studies.optimising.search import evaluate
from pushpoint.studies.optimising.trials import KeptTrials
from pushpoint.studies.storing.folder import OtherStudy, StoreInUse

GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=8.0, phase_shift=-0.9, soft_start=0.2)
LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = pp.PlanarRobot.uniform(5, LINK, pp.Motor(stiffness=50.0, damping=1.0))
GROUND = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.6)))
SCENARIO = pp.Scenario(name="small", worlds=pp.World(ROBOT, GROUND, GAIT), duration=1.0, settings=pp.Settings(dt=2e-3))
SPACE = {"controller.amplitude_deg": (5.0, 60.0), "controller.phase_shift_deg": (-120.0, -20.0)}
FASTEST = pp.studies.Objective(scenario=SCENARIO, goals={"speed": "maximise"}, periods=1)


def generations(store: Path) -> dict[str, bytes]:
    """The files of the generations of a store."""
    return {path.name: path.read_bytes() for path in (store / "batches").iterdir()}


add = KeptTrials.add


def found(**more: Any) -> pp.studies.Optimum:
    asked: dict[str, Any] = {"evaluations": 24, "candidates": 8, "seed": 5} | more
    return pp.studies.optimise(SPACE, FASTEST, **asked)


class TestJudging:
    def test_figures_are_those_of_the_scenario_alone(self) -> None:
        both = pp.studies.Objective(
            scenario=SCENARIO,
            goals={"speed": "maximise"},
            most={"power": 99.0, "peak_torque": 99.0, "peak_angle": 9.0, "peak_rate": 99.0, "cost_of_transport": 99.0},
            conditions=[{}, {"ground.friction.along": 0.3}],
            periods=1,
        )
        candidate = {"controller.amplitude_deg": 30.0}
        (trial,) = evaluate(both, [candidate], [0])
        for k, along in enumerate((0.1, 0.3)):
            gait = pp.gaits.LateralUndulation(
                amplitude=math.radians(30.0), angular_frequency=8.0, phase_shift=-0.9, soft_start=0.2
            )
            ground = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=along, across=0.6)))
            record = pp.Record(rate=50.0)
            run = pp.simulate(pp.World(ROBOT, ground, gait), 1.0, settings=SCENARIO.settings, record=record)
            speed = float(np.hypot(*pp.measures.mean_velocity(run, periods=1)))
            power = float(pp.measures.mean_power(run, positive=True, periods=1))
            expected = {
                "speed": speed,
                "power": power,
                "cost_of_transport": power / (1.5 * 9.81 * speed),
                "peak_torque": float(np.abs(run.joint_torque).max()),
                "peak_angle": float(np.abs(run.joint_angle).max()),
                "peak_rate": float(np.abs(run.joint_rate).max()),
            }
            assert {name: values[k] for name, values in trial.figures.items()} == pytest.approx(expected, rel=1e-9)

    def test_the_worst_condition_counts_or_the_mean(self) -> None:
        three = np.array([1.0, 2.0, 6.0])
        for goals, over, value in (
            ({"speed": "maximise"}, "worst", 1.0),
            ({"speed": "minimise"}, "worst", 6.0),
            ({"speed": "maximise"}, "mean", 3.0),
        ):
            objective = pp.studies.Objective(scenario=SCENARIO, goals=goals, over=over)
            assert objective.value("speed", three) == value

    def test_limits_are_shares_of_themselves_under_the_worst_condition(self) -> None:
        limited = pp.studies.Objective(
            scenario=SCENARIO, goals={"speed": "maximise"}, most={"power": 10.0}, least={"speed": 0.5}
        )
        figures = {"power": np.array([9.0, 12.0]), "speed": np.array([0.4, 0.6])}
        assert limited.violation(figures) == pytest.approx(0.2 + 0.2)
        assert limited.violation({"power": np.array([10.0]), "speed": np.array([0.5])}) == 0.0
        assert limited.violation({"power": np.array([np.nan]), "speed": np.array([0.5])}) == math.inf

    def test_a_limit_that_is_exceeded_is_never_worth_it(self) -> None:
        """Speed that grows in step with power, as it does at best, must lose by going beyond the limit."""
        scores = [FASTEST.scores({"speed": 1.0 + x}, x)[0] for x in np.linspace(0.0, 2.0, 50)]
        assert (np.diff(scores) > 0.0).all()

    def test_a_goal_that_ends_a_run_early_changes_nothing(self) -> None:
        ends = replace(SCENARIO, until=pp.goals.Travelled(distance=1e-3))
        judged = [evaluate(replace(FASTEST, scenario=each), [{}], [0]) for each in (SCENARIO, ends)]
        assert judged[0] == judged[1] and judged[1][0].status == "finished"

    def test_a_world_that_fails_is_a_trial_with_its_status(self, monkeypatch: pytest.MonkeyPatch) -> None:
        wild = pp.Scenario(
            name="wild",
            worlds=pp.World(ROBOT, GROUND, GAIT),
            duration=1.0,
            settings=pp.Settings(dt=2e-3),
        )
        objective = pp.studies.Objective(scenario=wild, goals={"speed": "maximise"}, periods=1)
        monkeypatch.setattr(search, "statuses_of", lambda run: ["finished", "diverged"])
        figure = search.FIGURES["speed"]
        monkeypatch.setitem(
            search.FIGURES, "speed", type(figure)("m/s", "", figure.needs, lambda run, n: np.array([0.2, np.nan]))
        )
        good, bad = evaluate(objective, [{"controller.amplitude_deg": 30.0}] * 2, [0, 1])
        assert (good.status, good.feasible) == ("finished", True)
        assert (bad.status, bad.feasible, bad.values) == ("diverged", False, {"speed": None})
        assert bad.scores[0] > good.scores[0] and json.dumps(bad.values)


class TestSearch:
    def test_all_candidates_and_conditions_are_one_batch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sizes: list[int] = []
        finish = search.finish
        monkeypatch.setattr(search, "finish", lambda rollout: (sizes.append(len(rollout.worlds)), finish(rollout))[1])
        objective = pp.studies.Objective(
            scenario=SCENARIO,
            goals={"speed": "maximise"},
            periods=1,
            conditions=[{"ground.friction.along": mu} for mu in (0.1, 0.2, 0.3)],
        )
        pp.studies.optimise(SPACE, objective, evaluations=16, candidates=8)
        assert sizes == [24, 24]

    def test_the_best_is_written_as_a_scenario_that_gives_the_same(self, tmp_path: Path) -> None:
        optimum = found()
        pp.write_scenario(optimum.scenario(), tmp_path / "best.yaml")
        run = pp.scenario(str(tmp_path / "best.yaml")).run()
        speed = float(np.hypot(*pp.measures.mean_velocity(run, periods=1)))
        # The file's default record has twice the search's samples, and the window begins between two of them.
        assert speed == pytest.approx(optimum.best.values["speed"], rel=1e-3)
        assert optimum.best.values["speed"] == max(trial.values["speed"] or 0.0 for trial in optimum.trials)

    def test_a_killed_search_goes_on_to_the_same_trials(self, tmp_path: Path) -> None:
        whole = found(store=tmp_path / "whole")
        script = f"""
            import os, signal
            from studies_search import found
            def killed(done, of):
                if done == 16:
                    os.kill(os.getpid(), signal.SIGKILL)
            found(store={str(tmp_path / "killed")!r}, progress=killed)
        """
        (tmp_path / "studies_search.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], cwd=tmp_path, timeout=120, check=False)
        assert done.returncode == -signal.SIGKILL
        assert len(generations(tmp_path / "killed")) == 2
        assert found(store=tmp_path / "killed").trials == whole.trials
        assert generations(tmp_path / "killed") == generations(tmp_path / "whole")

    def test_nothing_that_was_kept_is_simulated_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        store = tmp_path / "trials"
        whole = found(store=store)
        (last,) = (path for path in (store / "batches").iterdir() if '"number": 23,' in path.read_text())
        last.unlink()
        tried: list[int] = []
        original = search.evaluate
        monkeypatch.setattr(search, "evaluate", lambda o, c, n: (tried.extend(n), original(o, c, n))[1])
        assert found(store=store).trials == whole.trials
        assert tried == list(range(16, 24))
        assert found(store=store, evaluations=32).trials[:24] == whole.trials
        assert tried == list(range(16, 32))

    def test_several_goals_find_a_front_and_resume(self, tmp_path: Path) -> None:
        both = pp.studies.Objective(
            scenario=SCENARIO, goals={"speed": "maximise", "cost_of_transport": "minimise"}, periods=1
        )
        asked: dict[str, Any] = {"evaluations": 48, "candidates": 12, "seed": 2}
        whole = pp.studies.optimise(SPACE, both, **asked)
        store = tmp_path / "trials"
        pp.studies.optimise(SPACE, both, **asked | {"evaluations": 24}, store=store)
        assert pp.studies.optimise(SPACE, both, **asked, store=store).trials == whole.trials
        assert (store / "optuna.journal").exists()
        front = whole.front
        speeds = [trial.values["speed"] for trial in front]
        costs = [trial.values["cost_of_transport"] for trial in front]
        assert len(front) >= 2 and speeds == sorted(speeds, reverse=True) and costs == sorted(costs, reverse=True)
        for trial in whole.trials:
            if trial.feasible and trial not in front:
                assert any(
                    one.values["speed"] >= trial.values["speed"]
                    and one.values["cost_of_transport"] <= trial.values["cost_of_transport"]
                    for one in front
                )


class TestRefusals:
    def test_of_a_store(self, tmp_path: Path) -> None:
        store = tmp_path / "trials"
        found(store=store, evaluations=8)
        kept = generations(store)
        for more in ({"seed": 6}, {"candidates": 6}):
            with pytest.raises(OtherStudy, match=f"belongs to another search: its {next(iter(more))} = "):
                found(store=store, **more)
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "notes.txt").write_text("hello\n")
        with pytest.raises(BadFile, match=r"holds 'notes\.txt', must be a store of trials or an empty folder"):
            found(store=tmp_path / "other")
        with pytest.raises(BadFile, match="cannot be used as a store"):
            found(store=tmp_path / "other" / "notes.txt" / "below")
        assert generations(store) == kept
        (batch,) = (store / "batches").iterdir()
        batch.write_text("{}")
        with pytest.raises(BadFile, match="is no finished generation of a search"):
            found(store=store)

    def test_of_a_store_in_use(self, tmp_path: Path) -> None:
        store = tmp_path / "trials"

        def second(done: int, of: int) -> None:
            with pytest.raises(StoreInUse, match="works on this store, must be one at a time"):
                found(store=store)

        found(store=store, evaluations=8, progress=second)

    def test_of_a_full_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The disk is full when the second generation is written: the first stays, and the search goes on from it."""
        store = tmp_path / "trials"
        whole = found().trials
        found(store=store, evaluations=8)
        before = generations(store)

        def full(_handle: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr(
                KeptTrials, "add", lambda kept, trials: (patched.setattr(os, "fsync", full), add(kept, trials))
            )
            with pytest.raises(BadFile, match="No space left on device"):
                found(store=store)
        assert generations(store) == before
        assert found(store=store).trials == whole

    @pytest.mark.parametrize(
        ("space", "objective", "said"),
        [
            ({"controller.wiggle": (1.0, 2.0)}, {}, "unknown key 'wiggle'"),
            ({"contoller.amplitude_deg": (1.0, 2.0)}, {}, "unknown key 'contoller'"),
            ({"controller.amplitude_deg": (2.0, 1.0)}, {}, "amplitude_deg"),
            (SPACE, {"goals": {"pace": "maximise"}}, "unknown figure of merit 'pace'"),
            (SPACE, {"goals": {"speed": "grow"}}, '"maximise" or "minimise"'),
            (SPACE, {"goals": {}}, r"objective\.goals"),
            (SPACE, {"least": {"power": 3.0}, "most": {"power": 2.0}}, "at most 2"),
            (SPACE, {"conditions": [{"controller.amplitude_deg": 3.0}]}, "the conditions give it"),
            (
                SPACE,
                {"conditions": [{"settings.dt": 1e-3}]},
                "varies = 'settings.dt', must be a key of a world: robot,",
            ),
            ({"duration": (1.0, 2.0)}, {}, "varies = 'duration', must be a key of a world: robot,"),
            (SPACE, {"conditions": []}, r"objective\.conditions"),
            (SPACE, {"periods": 9}, "periods = 9"),
        ],
    )
    def test_of_a_question(self, space: Any, objective: dict[str, Any], said: str) -> None:
        with pytest.raises(PushpointError, match=said):
            asked: dict[str, Any] = {"scenario": SCENARIO, "goals": {"speed": "maximise"}, "periods": 1} | objective
            pp.studies.optimise(space, pp.studies.Objective(**asked), evaluations=8, candidates=8)

    @pytest.mark.parametrize(
        ("space", "said"),
        [
            ({"controller.amplitude_deg": (10.0, 400.0)}, "controller.amplitude_deg = 400.0, must be at most a turn"),
            ({"controller.angular_frequency_deg": (100.0, 900.0)}, "objective.periods = 1, must be at most 0"),
        ],
    )
    def test_of_the_end_of_a_range_before_anything_is_simulated(
        self, space: Any, said: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search, "evaluate", lambda *_: pytest.fail("it simulates"))
        with pytest.raises(InvalidModel, match=said):
            pp.studies.optimise(SPACE | space, FASTEST, evaluations=8, candidates=8)

    def test_of_limits_that_no_trial_holds(self) -> None:
        objective = pp.studies.Objective(
            scenario=SCENARIO, goals={"speed": "maximise"}, least={"speed": 99.0}, periods=1
        )
        optimum = pp.studies.optimise(SPACE, objective, evaluations=8, candidates=8)
        with pytest.raises(PushpointError, match="none of 8 trials holds all limits: speed >= 99"):
            _ = optimum.best
        assert optimum.document()["best"] is None

    def test_of_numbers_of_candidates(self) -> None:
        with pytest.raises(InvalidModel, match="evaluations = 7"):
            found(evaluations=7)
        with pytest.raises(InvalidModel, match="candidates = 3"):
            found(candidates=3)


class TestQuestions:
    @pytest.mark.parametrize(("links", "degrees"), [(5, 50.6), (10, 24.07), (20, 11.74), (50, 4.62)])
    def test_the_closed_form_is_as_published(self, links: int, degrees: float) -> None:
        assert math.degrees(best_phase_shift(links)) == pytest.approx(degrees, abs=0.05)

    @pytest.mark.parametrize("links", [6, 10, 20])
    def test_the_best_phase_shift_is_that_of_the_closed_form(self, links: int) -> None:
        """Within 0.5 deg: at 5 deg of amplitude the closed form, for small ones, is itself off by tenths."""
        best = question(f"phase-{links}-links").optimise(evaluations=96).best
        assert -best.parameters["controller.phase_shift_deg"] == pytest.approx(
            math.degrees(best_phase_shift(links)), abs=0.5
        )

    def test_every_question_can_be_asked(self) -> None:
        for name in QUESTIONS:
            asked = question(name)
            assert asked.name == name and asked.title
            middle = {key: 0.5 * (each.low + each.high) for key, each in asked.space.items()}
            assert len(asked.objective.worlds([middle])) == 1
        with pytest.raises(UnknownName, match="planar-speed-10W"):
            question("planar-speed-11W")

    def test_the_fastest_undulation_with_10_watts(self) -> None:
        """0.68 m/s is known to be within reach; a friction floor of 0.1 bounds what any gait can cost."""
        optimum = question("planar-speed-10W").optimise(seed=0)
        assert optimum.best.values["speed"] >= 0.68 and len(optimum.trials) <= 450
        weight = 7.5 * 9.81
        for trial in optimum.trials:
            speed, power = trial.figures["speed"][0], trial.figures["power"][0]
            assert speed is not None and power is not None
            assert power >= 0.1 * weight * speed  # dragging the straight robot takes this much

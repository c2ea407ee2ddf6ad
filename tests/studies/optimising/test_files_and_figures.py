"""Files of searches with the line of every mistake, pictures of what was found, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.cli.main import main
from pushpoint.errors import MissingExtra, PushpointError
from pushpoint.studies.optimising.figures import front_figure, history_figure, parallel_figure
from pushpoint.studies.optimising.files import read_question

SCENARIO = """robot:
  n_links: 5
  link: {length: 0.1, mass: 0.3, inertia: 3.0e-4, radius: 0.02}
  motor: {stiffness: 50, damping: 1}
ground: {friction: {law: elliptic, along: 0.1, across: 0.6}}
controller:
  {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 460, phase_shift_deg: -50, soft_start: 0.2}
duration: 1
settings: {dt: 2.0e-3}
"""
SEARCH = """scenario: small.yaml
varies:
  controller.amplitude_deg: [5, 60]
  controller.angular_frequency_deg: {low: 400, high: 900, scale: log}
goals: {speed: maximise}
most: {power: 5}
periods: 1
evaluations: 16
candidates: 8
seed: 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.yaml").write_text(SCENARIO)
    (tmp_path / "search.yaml").write_text(SEARCH)
    return tmp_path


def test_a_file_says_what_a_search_is(folder: Path) -> None:
    asked = read_question(str(folder / "search.yaml"))
    assert (asked.name, asked.evaluations, asked.candidates, asked.seed) == ("search", 16, 8, 3)
    assert asked.objective.goals == {"speed": "maximise"} and asked.objective.most == {"power": 5.0}
    assert asked.objective.scenario.duration == 1.0 and asked.objective.periods == 1
    assert asked.space["controller.angular_frequency_deg"] == pp.studies.Bounds(low=400.0, high=900.0, scale="log")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("goals: {speed: maximise}\n", "", r"search\.yaml:1: goals is missing"),
        ("seed: 3", "sead: 3", r"search\.yaml:10: unknown key 'sead'; did you mean seed"),
        ("[5, 60]", "[60, 5]", r"search\.yaml:3: .*above"),
        ("[5, 60]", "[5, much]", r"search\.yaml:3: .*'much', must be a number"),
        ("scale: log", "scale: cubic", r"search\.yaml:4: .*cubic"),
        ("speed: maximise", "pace: maximise", r"search\.yaml:\d+: unknown figure of merit 'pace'"),
        ("small.yaml", "missing.yaml", r"missing\.yaml: no such file"),
        ("seed: 3", "seed: three", r"search\.yaml:10: seed = 'three', must be a whole number"),
        (
            "most: {power: 5}",
            "most: {power: 5}\nleast: {power: 6}",
            r"search\.yaml:7: objective\.least: power = 6.*at most 5",
        ),
    ],
)
def test_a_mistake_is_named_with_its_line(folder: Path, old: str, new: str, said: str) -> None:
    (folder / "search.yaml").write_text(SEARCH.replace(old, new))
    with pytest.raises(PushpointError, match=said):
        read_question(str(folder / "search.yaml"))


def test_the_command_writes_what_it_found_and_goes_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "out"
    assert main(["optimise", str(folder / "search.yaml"), "--out", str(out), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert {file.name for file in out.iterdir()} == {
        "trials",
        "optimum.json",
        "best.yaml",
        "history.png",
        "parameters.png",
        "best.mp4",
    }
    assert first["files"]["film"] == str(out / "best.mp4") and b"ftyp" in (out / "best.mp4").read_bytes()[:16]
    assert pp.scenario(str(out / "best.yaml")).duration == 1.0
    kept = {path.name for path in (out / "trials/batches").iterdir()}
    more = ["optimise", str(folder / "search.yaml"), "--out", str(out), "--evaluations", "24", "--no-media"]
    assert main(more) == 0
    assert "24 evaluations" in capsys.readouterr().out and not (out / "best.mp4").exists()
    assert kept < {path.name for path in (out / "trials/batches").iterdir()}
    assert json.loads((out / "optimum.json").read_text())["trials"][:16] == first["trials"]


def test_nothing_of_an_earlier_search_stays_beside_a_new_one(folder: Path) -> None:
    (folder / "search.yaml").write_text(SEARCH.replace("most: {power: 5}", "least: {speed: 99}"))
    earlier = ["best.yaml", "front.png", "best.mp4"]
    (folder / "out").mkdir()
    for name in earlier:
        (folder / "out" / name).write_text("of another search")
    assert main(["optimise", str(folder / "search.yaml"), "--out", str(folder / "out")]) == 0
    assert not [name for name in earlier if (folder / "out" / name).exists()]


def test_without_the_extra_for_films_a_remark_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_arguments: object) -> None:
        raise MissingExtra("films", "film")

    monkeypatch.setattr("pushpoint.films.film.film", missing)
    assert main(["optimise", str(folder / "search.yaml"), "--out", str(folder / "out")]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith("no best.mp4: ") and printed.err.count("\n") == 1
    assert (folder / "out/best.yaml").exists() and not (folder / "out/best.mp4").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "unknown question 'nothing'"),
        (["nothing.yaml"], "nothing.yaml"),
        (["phase-6-links", "--evaluations", "3"], "evaluations = 3"),
        (["phase-6-links", "--seed", "-1"], "seed = -1"),
    ],
)
def test_a_mistake_on_the_command_line_is_a_sentence(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["optimise", *words, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert said in error and error.startswith("error: ") and error.count("\n") == 1


def test_pictures_show_every_trial(folder: Path) -> None:
    asked = read_question(str(folder / "search.yaml"))
    both = pp.studies.Objective(
        scenario=asked.objective.scenario,
        goals={"speed": "maximise", "cost_of_transport": "minimise"},
        most={"power": 0.5},
        periods=1,
    )
    found = pp.studies.optimise(asked.space, both, evaluations=24, candidates=12)
    front = next(axes for axes in front_figure(found).axes if axes.get_label() == "front")
    crosses, dots, line = front.lines
    assert len(crosses.get_xdata()) + len(dots.get_xdata()) == 24
    np.testing.assert_allclose(line.get_xdata(), [trial.values["speed"] for trial in found.front])
    parallel = next(axes for axes in parallel_figure(found).axes if axes.get_label() == "parameters")
    assert len([each for each in parallel.lines if len(each.get_xdata()) == 4]) == 24
    history = next(axes for axes in history_figure(found).axes if axes.get_label() == "speed")
    best = history.lines[2].get_ydata()
    feasible = [trial.values["speed"] if trial.feasible else -1.0 for trial in found.trials]
    np.testing.assert_allclose(best[-1], max(feasible))

"""Sweeps of a scenario of one's own, by the keys of its file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.cli.main import main
from pushpoint.simulation.storage import load

COURSE = """\
name: my/course
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor: {stiffness: 50, damping: 1}
ground: {friction: {law: skin, forward: 0.1, backward: 0.2, across: 0.4}}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 180, phase_shift_deg: -60}
duration: 4.0
"""


def test_a_scenario_of_ones_own_is_swept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "course.yaml").write_text(COURSE, encoding="utf-8")
    call = ["sweep", "course.yaml", "--vary", "controller.amplitude_deg=10,20,30", "--measure", "mean_speed"]
    assert main([*call, "--measure", "distance"]) == 0
    printed = capsys.readouterr()
    assert all(" s left" in line for line in printed.err.splitlines())  # a slow machine is told of the progress
    assert "controller.amplitude_deg" in printed.out and "mean speed [m/s]" in printed.out
    written = sorted(path.name for path in (folder / "out/my-course-sweep").iterdir())
    assert written == ["runs.nc", "summary.json", "sweep.png", "worlds"]
    summary = json.loads((folder / "out/my-course-sweep/summary.json").read_text(encoding="utf-8"))
    assert summary["labels"] == ["10", "20", "30"] and summary["claim"] is None
    runs = load("out/my-course-sweep/runs.nc")
    for k, amplitude in enumerate((10, 20, 30)):
        alone = pp.scenario("course.yaml", [f"controller.amplitude_deg={amplitude}"]).run()
        np.testing.assert_array_equal(runs.center_of_mass.isel(world=k), alone.center_of_mass)
        assert summary["measures"]["mean speed [m/s]"][k] == pp.measures.summary(alone)["mean_speed"]
        assert summary["measures"]["distance [m]"][k] == float(pp.measures.distance(alone))
    assert main([*call[:3], "controller.amplitude_deg=20,30,40"]) == 0
    assert "2 of the worlds were done before" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--vary", "controller.amplitude_deg"], "--vary = 'controller.amplitude_deg', must be a key and values, such"),
        (["--vary", "controller.amplitude_deg=20"], "--vary controller.amplitude_deg = [20], must be two different"),
        (["--vary", "controller.amplitude_deg=20,20"], "--vary controller.amplitude_deg = [20, 20], must be two"),
        (["--vary", "controller.amplitude=20,30"], "controller: unknown key 'amplitude'; did you mean amplitude_deg"),
        (["--vary", "duration=2,3"], "--vary = 'duration', must be a key of a world: robot, ground, obstacles, "),
        (["--vary", "ground.gravity=9,10", "--measure", "sped"], "unknown measure 'sped'; did you mean"),
        (["--measure", "mean_speed"], "--measure = 'mean_speed', must be left out without --vary"),
    ],
)
def test_what_cannot_vary_gets_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    (folder / "course.yaml").write_text(COURSE, encoding="utf-8")
    assert main(["sweep", "course.yaml", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith(f"error: {sentence}") and printed.err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["course.yaml"]

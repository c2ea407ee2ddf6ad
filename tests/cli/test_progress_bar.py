"""Progress of commands: in per cent, on standard error, and on a terminal only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pushpoint as pp
from pushpoint import gallery
from pushpoint.cli import outputs
from pushpoint.cli.folders import Results
from pushpoint.cli.run import _draw_media

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
WORLD = pp.World(
    pp.PlanarRobot.uniform(4, LINK, pp.Motor(stiffness=50.0, damping=1.0)),
    pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3))),
    pp.gaits.LateralUndulation(amplitude=0.4, angular_frequency=4.0, phase_shift=-0.8),
)
MINE = pp.Scenario(name="mine", worlds=WORLD, duration=0.05)


@pytest.fixture(params=[True, False], ids=["terminal", "pipe"])
def terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether rich takes standard error for a terminal."""
    if request.param:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "120")
    return bool(request.param)


def test_a_run_shows_per_cent(terminal: bool, capsys: pytest.CaptureFixture[str]) -> None:
    rollout = MINE.rollout()
    outputs.drive_with_bar(rollout)
    printed = capsys.readouterr()
    assert ("100 %" in printed.err) == terminal and printed.out == ""
    assert rollout.dataset().identical(MINE.run())


def test_a_film_shows_per_cent(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(run: Any, folder: Path, *, progress: Callable[[str, float], object], **_: Any) -> dict[str, Path]:
        progress("run.mp4", 0.42)
        return {}

    monkeypatch.setattr(gallery, "write_media", write)
    _draw_media(Results(tmp_path, MINE.run(), others=()))
    assert ("run.mp4: 42 %" in "".join(capsys.readouterr().err.split("\n"))) == terminal

"""Options without a value, and values that are none: one sentence each, never taken for left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from pushpoint.cli.main import main

FLAT = "transeth2008a/flat"
WORDS = ", must be key=value such as controller.amplitude_deg=30, or null for no value"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run", FLAT, "--duration", ""), "duration = '', must be a number"),
        (("run", FLAT, "--duration", " "), "duration = ' ', must be a number"),
        (("run", FLAT, "--duration", "null"), "duration = 'null', must be a number"),
        (("run", FLAT, "--dt", ""), "settings.dt = '', must be a number"),
        (("references", FLAT, "--rate", ""), "rate = '', must be a number"),
        (("references", FLAT, "--duration", "~"), "duration = '~', must be a number"),
        (("show", FLAT, "--set", ""), f"--set ''{WORDS}"),
        (("show", FLAT, "--set", "="), f"--set '='{WORDS}"),
        (("show", FLAT, "--set", "a.b="), f"--set 'a.b='{WORDS}"),
        (("show", FLAT, "--set", "=3"), f"--set '=3'{WORDS}"),
        (("show", FLAT, "--set", "controller.amplitude_deg=" + "9" * 5000), "controller.amplitude_deg = '9999"),
        (("show", ""), "target = '', must be a path"),
    ],
)
def test_one_sentence(
    arguments: tuple[str, ...],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(f"error: {sentence}")
    assert said.err.count("\n") == 1 and len(said.err) < 400
    assert list(tmp_path.iterdir()) == []


COURSE = """\
robot: aiko-planar
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
obstacles: [{x: 2.0, y: 0.0, radius: 0.5}]
start:
  position: [2.0, 0.0]
duration: 0.2
"""


def test_check_names_the_line_of_a_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "course.yaml"
    file.write_text(COURSE, encoding="utf-8")
    assert main(["check", str(file)]) == 1
    assert capsys.readouterr().err.startswith(f"{file}:4: start: link ")

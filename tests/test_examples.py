"""The examples: numbered, titled, short, and what they print makes sense."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
FEWEST, MOST_LINES = 5, 80


def printed_by(number: int, folder: Path, *arguments: str) -> str:
    """What an example prints, run as a script in an empty folder; warnings are errors."""
    (script,) = (path for path in SCRIPTS if path.name.startswith(f"{number:02d}_"))
    done = subprocess.run(
        [sys.executable, "-W", "error", script, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for file in re.findall(r"wrote (\S+)", done.stdout):
        assert (folder / file).stat().st_size > 0
    return done.stdout


def number(pattern: str, text: str) -> float:
    """The number that a pattern captures."""
    found = re.search(pattern, text)
    assert found is not None, f"{pattern!r} not in:\n{text}"
    return float(found[1])


def test_examples_are_numbered_without_gaps() -> None:
    assert len(SCRIPTS) >= FEWEST
    assert [path.name[:3] for path in SCRIPTS] == [f"{k:02d}_" for k in range(1, len(SCRIPTS) + 1)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_an_example_has_a_title_and_is_short(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    if "# %%" in text:
        return
    title, _, rest = (ast.get_docstring(ast.parse(text)) or "").partition("\n")
    assert title.endswith(".") and rest.startswith("\n")
    assert len(text.splitlines()) < MOST_LINES


def test_a_first_slither_goes_straight_ahead(tmp_path: Path) -> None:
    text = printed_by(1, tmp_path)
    assert 8.0 < number(r"velocity: ([-\d.]+) cm/s forward", text) < 16.0
    assert abs(number(r"([-+\d.]+) cm/s sideways", text)) < 1.0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"first_slither.nc", "first_slither.png"}


def test_your_own_robot_keeps_to_its_motors_and_slips_on_ice(tmp_path: Path) -> None:
    text = printed_by(2, tmp_path)
    assert number(r"torques up to ([\d.]+) of", text) <= number(r"of ([\d.]+) N m", text)
    on_ice = number(r"on the ice .*: +([\d.]+) cm/s", text)
    assert 0.0 < on_ice < min(number(rf"{place} .*: +([\d.]+) cm/s", text) for place in ("corridor", "beyond it"))


def test_your_own_controller_gets_away_from_the_wall(tmp_path: Path) -> None:
    text = printed_by(3, tmp_path)
    blind, feeling = (number(rf"{name} .* ([\d.]+) cm/s in the last", text) for name in ("blind", "feeling"))
    assert blind < 1.0 and feeling > 10.0


def test_many_worlds_are_many(tmp_path: Path) -> None:
    text = printed_by(4, tmp_path, "--worlds", "20")
    assert "20 peg fields" in text and "in 20 fields" in text
    assert number(r"without pegs ([-\d.]+) cm/s", text) == pytest.approx(-1.05, abs=0.1)  # as in transeth2008a/flat
    assert number(r"to ([-\d.]+) cm/s in", text) > 0.0


def test_a_recording_is_laid_over_the_run_it_comes_from(tmp_path: Path) -> None:
    text = printed_by(5, tmp_path).partition("the realistic robot")
    assert number(r"rms ([\d.]+) mm,", text[2]) == pytest.approx(2**0.5, rel=0.15)  # mm; the noise that was added
    assert number(r"time offset ([-\d.]+) s", text[2]) == pytest.approx(-3.7, abs=0.02)
    assert number(r"turned by ([-\d.]+) deg", text[2]) == pytest.approx(25.0, abs=0.2)
    assert number(r"error: rms ([\d.]+) mm,", text[0]) > 3.0  # mm; the ideal robot follows its track more closely


def test_stepping_tries_more_waves_than_robots(tmp_path: Path) -> None:
    text = printed_by(6, tmp_path, "--seconds", "15")
    assert number(r": (\d+) trials", text) > 16
    assert number(r"phase shift\n +([\d.]+) cm/s", text) > number(r"([\d.]+) cm/s in the median", text) > 0.0


def test_sidewinding_needs_lifting(tmp_path: Path) -> None:
    text = printed_by(7, tmp_path)
    left, down = (
        {lift: number(rf"pitch +{lift} deg: .*?([-\d.]+){unit}", text) for lift in (0, 5, 10, 15)}
        for unit in (" m to the left", "% of the links")
    )
    assert abs(left[0]) < 0.1 and down[0] == 100  # flat on the floor it goes nowhere, and not aside by symmetry
    assert all(left[lift] > 1.0 and down[lift] < 50 for lift in (5, 10, 15))


def test_stairs_slow_a_robot_and_planks_askew_tip_it_over(tmp_path: Path) -> None:
    text = printed_by(8, tmp_path)
    ahead, roll = (
        {name: number(rf"{name} .*?([-\d.]+){unit}", text) for name in re.findall(r"^(\w.*?\w)  ", text, re.MULTILINE)}
        for unit in (" m ahead", " deg;")
    )
    ways = [ahead[name] for name in ("flat ground", "stairs of 3 cm", "stairs of 5 cm", "stairs of 8 cm")]
    assert ways == sorted(ways, reverse=True) and ways[-1] > 0.5
    assert all(roll[name] < 1 for name in roll if name != "planks, askew")  # a plane motion stays in its plane
    assert ahead["planks, square"] > 1.5 and roll["planks, askew"] > 60


def test_what_is_lifted_of_a_drawn_wave_decides_where_it_goes(tmp_path: Path) -> None:
    text = printed_by(9, tmp_path)
    nowhere, left, right = (
        number(rf"lifted {where}.*?: .*?([-+\d.]+) m to the left", text) for where in ("now", "where the", "where it")
    )
    assert left > 1.5 and right < -1.5 and abs(nowhere) < 0.5
    assert number(r"at 2.0 m/s: .*?(\d+) limits", text) > 0 and number(r"at 0.5 m/s: .*?(\d+) limits", text) == 0
    header = (tmp_path / "out" / "shape_curves.csv").read_text(encoding="utf-8").split("\n")[0]
    assert header.startswith("time_s,joint_0_") and header.count(",") == 16

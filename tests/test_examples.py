"""The examples: numbered, titled, short; what they print, now and in their notebooks, makes sense.

An example is a script and, with its outputs, a notebook of docs/tutorials (benchmarks/notebooks.py). What the notebook
printed is checked at once. Running the scripts takes longer: only the quick ones run by default, all in make test-docs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.notebooks import ROOT, TUTORIALS, bare_notebook, cells_of, notebook_file, scripts

import pushpoint as pp

SCRIPTS = scripts()
MOST_LINES = 270
LARGEST_FOLDER = 4_000_000  # bytes; notebooks are kept in the repository
QUICK = {1}  # under 5 s


def number(pattern: str, text: str) -> float:
    """The number that a pattern captures."""
    found = re.search(pattern, text)
    assert found is not None, f"{pattern!r} not in:\n{text}"
    return float(found[1])


def numbers(pattern: str, text: str) -> list[float]:
    """All numbers that a pattern captures."""
    return [float(found) for found in re.findall(pattern, text)]


def a_first_slither_goes_straight_ahead(text: str) -> None:
    assert 8.0 < number(r"velocity: ([-\d.]+) cm/s forward", text) < 16.0
    assert number(r"([\d.]+) cm/s sideways", text) < 1.0


def your_own_robot_touches_its_course_and_slips_on_ice(text: str) -> None:
    assert number(r"torques up to ([\d.]+) of", text) <= number(r"of ([\d.]+) N m", text)
    on_ice = number(r"on the ice .*: +([\d.]+) cm/s", text)
    assert 0.0 < on_ice < min(number(rf"{place} .*: +([\d.]+) cm/s", text) for place in ("corridor", "beyond it"))
    loads = numbers(r"of the time, up to +([\d.]+) N", text)
    assert len(loads) == 4 and min(loads) > 1.0
    assert number(r"touched: (\d+) of", text) > 10 and number(r"(\d+) of \d+ pegs", text) > 2
    assert "overlaps obstacle" in text


def your_own_controller_gets_away_from_the_wall(text: str) -> None:
    blind, feeling = (number(rf"{name} .* ([\d.]+) cm/s in the last", text) for name in ("blind", "feeling"))
    assert blind < 1.0 and feeling > 10.0
    assert "the file repeats the run: True" in text


def sidewinding_needs_lifting_and_planks_askew_tip_a_robot_over(text: str) -> None:
    left, down = (
        {lift: number(rf"pitch +{lift} deg: .*?([-\d.]+){unit}", text) for lift in (0, 5, 10, 15)}
        for unit in (" m to the left", "% of the links")
    )
    assert abs(left[0]) < 0.1 and down[0] == 100  # flat on the floor it goes nowhere, and not aside by symmetry
    assert all(left[lift] > 1.0 and down[lift] < 50 for lift in (5, 10, 15))
    girth = number(r"girth is ([\d.]+) m", text)
    assert number(r"4 turns: ([-+\d.]+) m", text) == pytest.approx(4 * girth, rel=0.1)  # rolling without much slip
    assert number(r"the box was touched for (\d+)%", text) > 10
    rows = re.findall(r"^(\w.*?\w) +([-\d.]+) m ahead, .*?rolled by +(\d+) deg; .*?up to +(\d+) N", text, re.MULTILINE)
    ahead, roll, load = ({row[0]: float(row[k]) for row in rows} for k in (1, 2, 3))
    ways = [ahead[name] for name in ("flat ground", "stairs of 3 cm", "stairs of 5 cm", "stairs of 8 cm")]
    assert ways == sorted(ways, reverse=True) and ways[-1] > 0.5
    assert all(roll[name] < 1 for name in roll if name != "planks, askew")  # a plane motion stays in its plane
    assert ahead["planks, square"] > 1.5 and roll["planks, askew"] > 60
    assert all(load[name] > 10 for name in load if name != "flat ground")


def what_is_lifted_of_a_drawn_wave_decides_where_it_goes(text: str) -> None:
    nowhere, left, right = (
        number(rf"lifted {where}.*?: .*?([-+\d.]+) m to the left", text) for where in ("now", "where the", "where it")
    )
    assert left > 1.5 and right < -1.5 and abs(nowhere) < 0.5
    ends = {
        name: number(rf"{name} +going .* ([-\d]+) deg", text) for name in ("not steered", "turned left", "turned right")
    }
    assert ends["turned right"] + 20 < ends["not steered"] < ends["turned left"] - 20
    assert number(r"at 2.0 m/s: .*?(\d+) limits", text) > 0 and number(r"at 0.5 m/s: .*?(\d+) limits", text) == 0
    assert "time_s,joint_0_" in text


def a_planned_path_is_driven_to_its_end(text: str) -> None:
    assert "planned: True; bad positions: 0%; flaws: ()" in text
    assert number(r"force mapping: head ([\d.]+) cm from the goal", text) < 3.0
    assert number(r"(\d+) pegs pushed", text) > 5 and number(r"servos: +head ([\d.]+) cm", text) < 20.0


def touch_gets_a_robot_on(text: str) -> None:
    ways = [number(rf"{name} +head ([\d.]+) m further", text) for name in ("leader-following", "hybrid", "continuous")]
    assert ways[0] < 0.3 and min(ways[1:]) > 0.7  # half of the robot's length
    assert number(r"(\d+) jams were resolved", text) > 0
    assert "continuous passed" in re.sub(" +", " ", text)


def pegs_carry_robots_forward(text: str) -> None:
    assert all(number(rf"friction {mu}: +([-\d.]+) cm/s", text) < 0.0 for mu in (0.1, 0.2, 0.3, 0.4, 0.5))
    assert number(r"without pegs ([-\d.]+) cm/s", text) == pytest.approx(-1.05, abs=0.1)  # as in transeth2008a/flat
    few, more = numbers(r"pegs +([-\d.]+) cm/s in the mean", text)
    assert 0.0 < few < more and number(r"per field: \d+ to (\d+)", text) > 5


def ten_thousand_waves_are_tried(text: str) -> None:
    assert "10000 worlds" in text and re.search(r"device: (cpu|cuda:0)", text)
    best = number(r"best wave goes ([\d.]+) m", text)
    assert best > 0.5 and number(r"alone on the CPU it goes ([\d.]+) m", text) == pytest.approx(best, abs=0.011)
    assert number(r"(\d+)% of the waves reach the pegs", text) > 20 and "0 worlds ended early" in text


def a_recording_is_laid_over_the_run_it_comes_from(text: str) -> None:
    ideal, _, realistic = text.partition("the realistic robot")
    assert number(r"rms ([\d.]+) mm,", realistic) == pytest.approx(2**0.5, rel=0.15)  # mm; the noise that was added
    assert number(r"time offset ([-\d.]+) s", realistic) == pytest.approx(-3.7, abs=0.02)
    assert number(r"turned by ([-\d.]+) deg", realistic) == pytest.approx(25.0, abs=0.2)
    assert number(r"error: rms ([\d.]+) mm,", ideal) > 3.0  # mm; the ideal robot follows its track more closely


def stepping_tries_more_waves_than_robots(text: str) -> None:
    assert number(r": (\d+) trials", text) > 16
    assert number(r"phase shift\n *([\d.]+) cm/s", text) > number(r"([\d.]+) cm/s in the median", text) > 0.0
    assert "the same again: True" in text and "warnings: none" in text
    assert number(r"pushed with up to (\d+) N", text) > 1


def a_study_is_run_once_and_more_grip_is_faster(text: str) -> None:
    assert "60 simulated, 0 reused\n0 simulated, 60 reused" in text
    assert "['finished']" in text
    fastest = [number(rf"friction across {grip}: .* ([\d.]+) cm/s", text) for grip in ("0.2", "0.4", "0.8")]
    assert 0.0 < fastest[0] < fastest[1] < fastest[2]  # along, friction is the same


def a_changed_robot_is_repeated_bit_for_bit(text: str) -> None:
    assert "the same bits: True" in text
    assert re.search(r"refused: link \d+ is where obstacle 7 would be", text)
    assert "['ChangeController', 'ChangeObstacles', 'Push']" in text
    assert number(r"the tail is ([\d.]+) mm elsewhere", text) > 0.1


def five_numbers_learn_to_slither_and_to_steer(text: str) -> None:
    earned = numbers(r"mean reward per step ([\d.]+)", text)
    assert len(earned) == 8 and earned[-1] > max(0.5, 1.5 * earned[0])  # 1 is a velocity as asked, all the time
    ahead = {factor: number(rf"friction x {factor}: ([-\d.]+) m/s", text) for factor in ("0.5", "1.0", "2.0")}
    assert ahead["1.0"] == pytest.approx(0.2, abs=0.06) and all(speed > 0.05 for speed in ahead.values())
    assert all(abs(left) < 0.05 for left in numbers(r"([-+\d.]+) m/s to the left", text))
    assert "the same again: True" in text and "asked_ahead [m/s], asked_left [m/s]" in text


def robots_go_out_and_in_and_mujoco_keeps_to_the_prediction(text: str) -> None:
    assert "16 axes came back, same inertias: True" in text and "lost: gains of the servos" in text
    assert number(r"3 links, ([\d.]+) kg", text) == pytest.approx(106.8, abs=0.1)  # as MuJoCo weighs three such rods
    assert number(r"it crawls ([\d.]+) m", text) > 1.0
    assert number(r"([\d.]+) mm apart over", text) <= number(r"at most ([\d.]+) mm", text)
    assert text.count(": 1201 samples, 0 dropped, 0 rad off") == 2


CHECKS: list[Callable[[str], None]] = [
    a_first_slither_goes_straight_ahead,
    your_own_robot_touches_its_course_and_slips_on_ice,
    your_own_controller_gets_away_from_the_wall,
    sidewinding_needs_lifting_and_planks_askew_tip_a_robot_over,
    what_is_lifted_of_a_drawn_wave_decides_where_it_goes,
    a_planned_path_is_driven_to_its_end,
    touch_gets_a_robot_on,
    pegs_carry_robots_forward,
    ten_thousand_waves_are_tried,
    a_recording_is_laid_over_the_run_it_comes_from,
    stepping_tries_more_waves_than_robots,
    a_study_is_run_once_and_more_grip_is_faster,
    five_numbers_learn_to_slither_and_to_steer,
    a_changed_robot_is_repeated_bit_for_bit,
    robots_go_out_and_in_and_mujoco_keeps_to_the_prediction,
]
"""What an example must print, in the order of the examples."""


def kept(script: Path) -> dict:
    """The notebook of an example."""
    return json.loads(notebook_file(script).read_text(encoding="utf-8"))


def outputs_of(script: Path) -> list[dict]:
    """All that the notebook of an example keeps."""
    return [output for cell in kept(script)["cells"] for output in cell.get("outputs", [])]


def test_examples_are_numbered_without_gaps_and_each_has_its_check() -> None:
    assert [path.name[:3] for path in SCRIPTS] == [f"{k:02d}_" for k in range(1, len(CHECKS) + 1)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_has_a_title_an_outlook_and_is_short(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    words = [cell for kind, cell in cells_of(text) if kind == "markdown"]
    assert re.match(r"# [A-Z][^\n]+\n\n", words[0]) and "**You will see**" in words[0]
    assert words[-1].startswith("## Try next") or "## Try next" in words[-1]
    assert len(text.splitlines()) < MOST_LINES


def test_cells_of_a_percent_script() -> None:
    source = "# %% [markdown]\n# # Title\n#\n# words\n# %%\nx = 1\n\n\n# %% [markdown]\n#\n# end\n"
    assert cells_of(source) == [("markdown", "# Title\n\nwords"), ("code", "x = 1"), ("markdown", "end")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_is_made_of_its_example_as_it_is_now(script: Path) -> None:
    is_kept, wanted = kept(script), bare_notebook(script)
    advice = f"run: make notebooks NAMES={script.name[:2]}"
    assert is_kept["metadata"] == wanted["metadata"], advice
    assert [(cell["cell_type"], cell["source"]) for cell in is_kept["cells"]] == [
        (cell["cell_type"], cell["source"]) for cell in wanted["cells"]
    ], advice


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_notebook_ran_to_its_end_without_complaints(script: Path) -> None:
    code = [cell for cell in kept(script)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == [*range(1, len(code) + 1)]
    outputs = outputs_of(script)
    assert not [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]
    assert [output for output in outputs if "image/png" in output.get("data", {})], "shows no picture"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_what_a_notebook_printed_makes_sense(script: Path) -> None:
    CHECKS[int(script.name[:2]) - 1]("".join(line for output in outputs_of(script) for line in output.get("text", [])))


def test_every_notebook_has_an_example_and_the_folder_stays_small() -> None:
    found = set(TUTORIALS.glob("*.ipynb"))
    assert found == {notebook_file(script) for script in SCRIPTS}
    assert sum(file.stat().st_size for file in found) < LARGEST_FOLDER


@pytest.mark.parametrize(
    "script",
    [pytest.param(path, marks=() if int(path.name[:2]) in QUICK else pytest.mark.docs) for path in SCRIPTS],
    ids=lambda path: path.stem,
)
def test_an_example_runs_as_a_script(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for file in re.findall(r"wrote (\S+)", done.stdout):
        assert (tmp_path / file).stat().st_size > 0
    CHECKS[int(script.name[:2]) - 1](done.stdout)


def test_all_obstacles_of_the_course_on_the_front_page_are_touched() -> None:
    course = pp.scenario(ROOT / "examples" / "my_course.yaml")
    run = course.run()
    assert run.sizes["obstacle"] == 7 and (run.obstacle_load.max("time") > 5.0).all()  # N
    bare = course.with_changes(environment=pp.Environment(ground=course.world.environment.ground)).run()
    forward, creeping = (float(pp.measures.mean_velocity(each).sel(axis="x")) for each in (run, bare))
    assert forward > 0.1 and -0.02 < creeping < 0.0  # m/s; without pegs it creeps backward, as the page says


def test_the_table_of_time_steps_is_made_of_the_kept_result() -> None:
    from benchmarks.time_steps import KEPT, PAGE, with_table

    rows = json.loads(KEPT.read_text(encoding="utf-8"))["rows"]
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, rows) == page, "run: python benchmarks/time_steps.py --table"

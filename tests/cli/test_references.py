"""`pushpoint references`: the table it writes, what it prints, and one line for whatever is wrong."""

from __future__ import annotations

import json
from math import degrees
from pathlib import Path

import numpy as np
import pytest

from pushpoint import planning
from pushpoint.cli.main import main
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import HeadingController
from pushpoint.model.catalogue import aiko, liljeback2014
from pushpoint.model.environment import Environment
from pushpoint.papers import registry
from pushpoint.planning.curves.motion import AlongCurve
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World

COURSE = """\
name: my/course
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor: {stiffness: 50, damping: 1, lower_deg: -20, upper_deg: 45}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -90}
duration: 4.0
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a small scenario file, and shape-curve scenarios beside the published ones."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course.yaml").write_text(COURSE, encoding="utf-8")
    published = registry._builders("SCENARIOS")
    mine = {"mine/follower": lambda: scenario(), "mine/feedback": lambda: scenario(HeadingController(direction=0.0))}
    monkeypatch.setattr(registry, "_builders", lambda *lists, **_: published | mine if "SCENARIOS" in lists else {})
    return tmp_path


def scenario(steering: HeadingController | None = None) -> Scenario:
    robot = liljeback2014()
    motion = AlongCurve(segment=planning.sidewinding(robot), speed=0.5)
    follower = ShapeCurveFollower(motion=motion, **({} if steering is None else {"steering": steering}))
    start = follower.start(robot)
    return Scenario(
        name="mine/follower",
        worlds=World(robot, Environment(), follower, start),
        duration=2.0,
    )


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a refused command prints."""
    assert main(["references", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ") and printed.err.count("\n") == 1
    return printed.err.removeprefix("error: ").rstrip("\n")


def written(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["references", *arguments, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def test_a_file_with_an_end_stop_in_the_way(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["references", "course.yaml", "--rate", "50"]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "my/course on robot"
    assert "30.00" in printed.out and "47.12" in printed.out  # 30 deg, and 30 deg * 1.5708 rad/s
    # 30 deg sin(90 deg/s t) of the joint next to the head is below -20 deg first at (pi + asin(2/3)) / (pi/2) = 2.465 s
    assert lines[-3] == (
        "joint 1 (yaw, in front of link 1): angle below -20 deg by up to 10 deg, first at 2.480 s, for 1.06 s in all"
    )
    assert lines[-2] == "2 limits of 2 joints violated"
    assert lines[-1] == "wrote out/my-course/references.csv: 201 rows, 50 per second from 0 to 4 s"
    table = np.genfromtxt("out/my-course/references.csv", delimiter=",", names=True)
    assert table["time_s"][-1] == 4.0
    assert table["joint_1_yaw_deg"] == pytest.approx(30.0 * np.sin(np.pi / 2.0 * table["time_s"]), abs=6e-10)


def test_strict_writes_nothing_and_exits_with_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["references", "course.yaml", "--strict", "--output", "table.csv", "--json"]) == 1
    printed = capsys.readouterr()
    assert printed.err == "error: 2 limits of 2 joints of robot violated, so nothing was written\n"
    found = json.loads(printed.out)
    assert found["files"] == {} and not (folder / "table.csv").exists()
    first = found["violations"][0]
    assert first["limit_deg"] == pytest.approx(-20.0) and first["excess_deg"] == pytest.approx(10.0, abs=0.02)
    assert {"joint", "name", "link_behind", "quantity", "above", "first_time_s", "duration_s"} <= set(first)


def test_strict_within_the_limits_writes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["references", "course.yaml", "--duration", "1", "--robot", "liljeback2011", "--strict"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == "within the limits of 9 joints"
    assert lines[-1].startswith("wrote out/my-course/references-liljeback2011.csv: 31 rows, 30 per second")


def test_a_published_gait_on_its_own_robot(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["references", "transeth2008a/flat", "--duration", "1", "--output", "there.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == "aiko-planar has no limits to check against"
    assert lines[-1].startswith("wrote there.csv: 31 rows")


def test_a_follower_at_its_own_rate_in_radians(capsys: pytest.CaptureFixture[str]) -> None:
    found = written(capsys, "mine/follower", "--radians", "--output", "table.csv")
    assert (found["robot"], found["rate_hz"], found["rows"]) == ("liljeback2014", 30.0, 61)
    table = np.genfromtxt("table.csv", delimiter=",", names=True)
    assert table.dtype.names[1:3] == ("joint_0_pitch_rad", "joint_1_yaw_rad")
    chosen = scenario()
    angles = chosen.world.controller.virtual(chosen.world.robot, 2.0)[1].joint_angles
    rows = np.array(table.tolist())[:, 1:]
    assert rows == pytest.approx(angles, abs=6e-10)
    assert found["largest"]["yaw"]["angle_deg"] == pytest.approx(degrees(abs(angles[:, 1::2]).max()))
    assert found["largest"]["pitch"]["joints"] == 8


def test_a_follower_on_another_robot_keeps_the_curve(capsys: pytest.CaptureFixture[str]) -> None:
    found = written(capsys, "mine/follower", "--robot", "aiko", "--rate", "60", "--duration", "0.5")
    assert (found["robot"], found["rows"], found["largest"]["yaw"]["joints"]) == ("aiko", 31, 10)
    table = np.genfromtxt(found["files"]["references"], delimiter=",", names=True)
    angles = scenario().world.controller.first_pose(aiko()).joint_angles
    assert np.array(table[0].tolist())[1:] == pytest.approx(np.rad2deg(angles), abs=6e-10)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mine/follower", "--robot", "aika"], "unknown robot 'aika'; did you mean aiko"),
        (["mine/follower", "--robot", "aiko-planar"], "robot = 'aiko-planar', must be a spatial robot: a shape curve"),
        (["mine/feedback"], "follower.steering = a HeadingController"),
        (["mine/follwer"], "unknown scenario 'mine/follwer'; did you mean mine/follower"),
        (["other.yaml"], "other.yaml: no such file"),
        (["course.yaml", "--rate", "0"], "rate = 0, must be finite and > 0 [Hz]"),
        (["course.yaml", "--rate", "fast"], "rate = 'fast', must be a number > 0 [Hz]"),
        (["course.yaml", "--duration", ".nan"], "duration = nan, must be finite and > 0 [s]"),
        (["course.yaml", "--rate", "1e12"], "rate = 1000000000000.0, must be in [1e-09, 1000000000] [Hz]"),
        (["course.yaml", "--rate", "1e8"], "duration = 4.0, must be such that 1e+08 rows per second make fewer than"),
        (["course.yaml", "--output", "."], ".: cannot be written"),
        (["course.yaml", "--output", "course.yaml/there.csv"], "course.yaml/there.csv: cannot be written"),
    ],
)
def test_bad_input_gets_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert refusal(capsys, *arguments).startswith(sentence)
    assert [path.name for path in folder.iterdir()] == ["course.yaml"]


def test_a_closed_loop_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torque = (
        COURSE[: COURSE.index("controller:")] + "controller: {kind: constant-torque, torque: [1, 1]}\nduration: 1\n"
    )
    (folder / "torque.yaml").write_text(torque, encoding="utf-8")
    assert refusal(capsys, "torque.yaml").startswith("controller = 'ConstantTorque', must be a gait or a shape-curve")

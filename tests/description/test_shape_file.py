"""A scenario file with a shape curve: what it becomes, and one sentence with the line about whatever is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import TurnSchedule
from pushpoint.description.files import SourceFile
from pushpoint.errors import BadFile
from pushpoint.planning.curves.motion import AlongCurve
from pushpoint.scenarios.files import document_of, scenario_from
from pushpoint.scenarios.scenario import Scenario, scenario_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "shape_curve.yaml"
FILE = """\
robot: liljeback2014
controller:
  kind: shape-curve
  look_ahead: 0.2
  motion:
    kind: along
    speed: 0.5
    phase: 0.25
    segment:
      name: mine
      points:
        - [0, 0, 0]
        - [0.2, 0.1, 0.02]
        - [0.4, 0, 0]
    lead: {points: [[0, 0, 0], [0.1, 0, 0]]}
    curve: smooth
    origin: [1, 2, 0]
    roll_deg: 10
    roll_rate_deg: 5
  steering:
    kind: schedule
    until: [5, 10]
    rates_deg: [0, 22.5]
duration: 1
"""


def read(folder: Path, text: str) -> Scenario:
    file = folder / "course.yaml"
    file.write_text(text, encoding="utf-8")
    source = SourceFile(file)
    return scenario_from(source.document, where=source.where)


def test_a_file_becomes_the_follower_it_describes(tmp_path: Path) -> None:
    follower = read(tmp_path, FILE).world.controller
    motion = follower.motion
    assert type(follower) is ShapeCurveFollower and type(motion) is AlongCurve
    assert (
        motion.segment.points.tolist() == [[0, 0, 0], [0.2, 0.1, 0.02], [0.4, 0, 0]] and motion.segment.name == "mine"
    )
    assert motion.lead is not None and motion.lead.points.tolist() == [[0, 0, 0], [0.1, 0, 0]]
    assert (motion.speed, motion.phase, motion.curve, motion.origin) == (0.5, 0.25, "smooth", (1, 2, 0))
    assert (motion.roll, motion.roll_rate) == (math.radians(10), math.radians(5))
    assert follower.steering == TurnSchedule(until=(5, 10), rates=(0, math.radians(22.5)))
    assert (follower.look_ahead, follower.rate, follower.prescribed) == (0.2, 30.0, False)


def test_a_file_is_written_as_it_was_read(tmp_path: Path) -> None:
    made = read(tmp_path, FILE)
    written = json.loads(json.dumps(document_of(made), allow_nan=False))
    assert written["controller"] == SourceFile(tmp_path / "course.yaml").document["controller"]
    assert written["start"] == {}
    again = scenario_from(written)
    assert document_of(again) == written and again.world.start == made.world.start and again.settings == made.settings


def test_the_example_runs_and_goes_where_it_says(tmp_path: Path) -> None:
    made = read(tmp_path, EXAMPLE.read_text(encoding="utf-8")).with_changes(duration=6.0)
    run = made.run()
    way = (run.center_of_mass[-1] - run.center_of_mass[0]).to_numpy()
    assert run.attrs["status_code"] == "finished"
    assert way[0] > 0.2 and way[1] > 0.2  # m; ahead and to the left
    again = scenario_of(run).with_changes(duration=0.1).run()
    assert np.array_equal(again.joint_angle, run.joint_angle[: again.sizes["time"]])


DRAWN = FILE[FILE.index("      name: mine") : FILE.index("    lead")]
STEERING = FILE[FILE.index("    kind: schedule") : FILE.index("duration")]


def line(old: str, new: str, sentence: str) -> Any:
    return pytest.param(old, new, sentence, id=new.strip()[:50])


BAD = [
    line(
        DRAWN,
        "      points: [[0, 0, 0]]\n",
        "10: controller.motion.segment.points = [[0, 0, 0]], must be two or more points",
    ),
    line(
        DRAWN, "      points: []\n", "10: controller.motion.segment.points = [], must be two or more points x, y, z [m]"
    ),
    line(DRAWN, "      points: 3\n", "10: controller.motion.segment.points = 3, must be a list"),
    line(
        "[0.4, 0, 0]",
        "[0.2, 0.1, 0.02]",
        "14: controller.motion.segment.points[2] = [0.2, 0.1, 0.02], must be a different point",
    ),
    line(
        "[0.4, 0, 0]",
        "[0.4, 0]",
        "14: controller.motion.segment.points[2] = [0.4, 0], must be three numbers x, y, z [m]",
    ),
    line("[0.4, 0, 0]", "0.4", "14: controller.motion.segment.points[2] = 0.4, must be three numbers x, y, z [m]"),
    line("[0.4, 0, 0]", "[0.4, .nan, 0]", "14: controller.motion.segment.points[2][1] = nan, must be finite [m]"),
    line("[0.4, 0, 0]", "[0.4, left, 0]", "14: controller.motion.segment.points[2][1] = 'left', must be a number"),
    line(
        "      name: mine", "      nmae: mine", "10: controller.motion.segment: unknown key 'nmae'; did you mean name"
    ),
    line(
        DRAWN, "      kind: sidewindin\n", "10: controller.motion.segment.kind: unknown kind 'sidewindin'; did you mean"
    ),
    line(DRAWN, "      length: 0.5\n", "9: controller.motion.segment.kind is missing, must be given"),
    line(DRAWN, "      {kind: helix, radius: 0.2}\n", "9: controller.motion.segment.pitch is missing, must be given"),
    line(
        DRAWN,
        "      kind: sidewinding\n      length: -1\n",
        "11: controller.motion.segment.length = -1, must be finite and > 0 [m]",
    ),
    line(
        DRAWN,
        "      kind: sidewinding\n      n_points: 3\n",
        "11: controller.motion.segment.n_points = 3, must be a whole number, 4 to",
    ),
    line(
        DRAWN,
        "      {kind: stairs-up, rise: 0.2, run: 0.1, chamfer: 0.3}\n",
        "9: controller.motion.segment: chamfer + nose_chamfer = 0.6, must be such that both chamfers fit",
    ),
    line(
        DRAWN,
        "      {kind: helix, radius: 0.2, pitch: 0.1, axis: y}\n",
        "10: controller.motion.segment.axis = 'y', must be 'z' or 'x'",
    ),
    line(
        "[0.1, 0, 0]]}",
        "[0, 0, 0]]}",
        "15: controller.motion.lead.points[1] = [0, 0, 0], must be a different point from controller",
    ),
    line(
        "look_ahead: 0.2",
        "look_ahead: 0.05",
        "4: controller.look_ahead = 0.05, must be at least the longest link, 0.08 [m]",
    ),
    line("look_ahead: 0.2", "look_ahead: .nan", "4: controller.look_ahead = nan, must be finite and > 0 [m]"),
    line("look_ahead: 0.2", "rate: 0", "4: controller.rate = 0, must be finite and > 0 [Hz]"),
    line("kind: along", "kind: alone", "6: controller.motion.kind: unknown kind 'alone'; did you mean along"),
    line("speed: 0.5", "speed: -0.5", "7: controller.motion.speed = -0.5, must be finite and >= 0 [m/s]"),
    line("phase: 0.25", "phase: 1", "8: controller.motion.phase = 1, must be in [0, 1)"),
    line("curve: smooth", "curve: spline", "16: controller.motion.curve = 'spline', must be one of 'pchip', 'smooth'"),
    line(
        "origin: [1, 2, 0]",
        "origin: [1, 2]",
        "17: controller.motion.origin = [1, 2], must be three numbers x, y, z [m]",
    ),
    line("origin: [1, 2, 0]", "origin: [1, 2, .inf]", "17: controller.motion.origin[2] = inf, must be finite [m]"),
    line("roll_deg: 10", "roll_deg: .nan", "18: controller.motion.roll_deg = nan, must be finite [deg]"),
    line(
        "until: [5, 10]", "until: [10, 5]", "22: controller.steering.until = [10, 5], must be increasing, above 0 [s]"
    ),
    line(
        "until: [5, 10]",
        "until: [1, 2, 3]",
        "22: controller.steering.until = '3 ends', must be one end per rate, 2, or one",
    ),
    line("[0, 22.5]", "[0, .nan]", "23: controller.steering.rates_deg[1] = nan, must be finite [deg/s]"),
    line("[0, 22.5]", "[]", "23: controller.steering.rates_deg = [], must be one rate or more [deg/s]"),
    line(STEERING, "    kind: heading\n", "20: controller.steering.direction_deg is missing, must be given"),
    line(
        STEERING,
        "    kind: heading\n    direction_deg: 0\n    fastest_deg: -1\n",
        "23: controller.steering.fastest_deg = -1, must be finite and > 0 [deg/s]",
    ),
    line(
        "robot: liljeback2014",
        "robot: aiko-planar",
        "3: controller.kind = 'shape-curve', must be a gait for a planar robot",
    ),
    line(
        "duration: 1", "start: {joint_angles_deg: [0]}\nduration: 1", "24: start.joint_angles_deg = 1, must be 16 numb"
    ),
]


@pytest.mark.parametrize(("old", "new", "sentence"), BAD)
def test_one_sentence_names_the_line_and_what_is_allowed(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert FILE.count(old) == 1
    with pytest.raises(BadFile) as caught:
        read(tmp_path, FILE.replace(old, new))
    assert str(caught.value).startswith(f"{tmp_path / 'course.yaml'}:{sentence}")

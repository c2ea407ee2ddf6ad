"""A scenario file of a spatial world: what it becomes, and one sentence with the line about whatever is wrong."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest

from pushpoint.description.files import SourceFile
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import BadFile
from pushpoint.gaits import Sidewinding
from pushpoint.model.environment import Peg, Region
from pushpoint.model.friction import Elliptic, Isotropic, Varying
from pushpoint.model.joints import Cardan, Pitch
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box, Stairs
from pushpoint.scenarios.files import scenario_from
from pushpoint.scenarios.scenario import Scenario

FILE = """\
robot:
  n_links: 5
  link:
    length: 0.1
    mass: 0.5
    inertia: [4e-4, 6e-4, 6e-4]
    radius: 0.035
    shape: square
    corner_radius: 0.005
  joints:
    - kind: pitch
      motor: {stiffness: 50, damping: 0.5}
    - kind: cardan
      yaw:
        stiffness: 40
        upper_deg: 60
      axis_distance: 0.02
  self_friction: 0.3
ground:
  friction:
    law: elliptic
    along: 0.1
    across: 0.5
    stick_ratio: 1.4
    stribeck_speed: 0.02
    around: [1, 0.6]
  regions:
    - {x: [0, 1], y: [0, 1], friction: {law: isotropic, coefficient: 0.2, around: [1, 2]}}
  rolling: 0.01
  restitution: 0.1
  slope_deg: 5
  slope_direction_deg: 90
obstacles:
  - {x: 1.0, y: 0.5, radius: 0.1}
  - kind: box
    center: [2, 0, 0.05]
    size: [0.3, 0.2, 0.1]
    yaw_deg: 30
  - kind: stairs
    foot: [3, 0]
    heading_deg: 45
    steps: 4
    rise: 0.1
    run: 0.25
controller:
  kind: sidewinding
  yaw_amplitude_deg: 30
  pitch_amplitude_deg: 10
  angular_frequency_deg: 80
  phase_shift_deg: -50
  release_deg: 3
start:
  link: 4
  position: [0, 0, 0.5]
  orientation: [1, 0, 0, 0]
  angular_velocity_deg: [0, 0, 180]
duration: 0.2
"""
LINK = SpatialLink(length=0.1, mass=0.5, inertia=(4e-4, 6e-4, 6e-4), radius=0.035, shape="square", corner_radius=0.005)
WAVE = {"kind": "lateral-undulation", "amplitude_deg": 30, "angular_frequency_deg": 90, "phase_shift_deg": -60}


def read(folder: Path, text: str) -> Scenario:
    file = folder / "course.yaml"
    file.write_text(text, encoding="utf-8")
    source = SourceFile(file)
    return scenario_from(source.document, where=source.where)


def test_a_file_becomes_the_world_it_describes(tmp_path: Path) -> None:
    made = read(tmp_path, FILE)
    pitch = Pitch(Motor(stiffness=50, damping=0.5))
    cardan = Cardan(yaw=Motor(stiffness=40, upper=math.radians(60)), axis_distance=0.02)
    assert made.world.robot == dataclasses.replace(SpatialRobot.uniform(5, LINK, (pitch, cardan)), self_friction=0.3)
    assert made.world.robot.joints == (pitch, cardan, pitch, cardan)  # type: ignore[union-attr]
    ground = made.world.environment.ground
    assert ground.friction == Varying(
        law=Elliptic(along=0.1, across=0.5), stick_ratio=1.4, stribeck_speed=0.02, around=(1, 0.6)
    )
    assert ground.regions == (
        Region.rectangle(x=(0, 1), y=(0, 1), friction=Varying(law=Isotropic(0.2), around=(1, 2))),
    )
    assert (ground.rolling, ground.restitution) == (0.01, 0.1)
    assert (ground.slope, ground.slope_direction) == (math.radians(5), math.pi / 2)
    assert made.world.environment.obstacles == (
        Peg(x=1.0, y=0.5, radius=0.1),
        Box(center=(2, 0, 0.05), size=(0.3, 0.2, 0.1), yaw=math.radians(30)),
        Stairs(foot=(3, 0), heading=math.pi / 4, steps=4, rise=0.1, run=0.25),
    )
    assert made.world.controller == Sidewinding(
        yaw_amplitude=math.radians(30),
        pitch_amplitude=math.radians(10),
        angular_frequency=math.radians(80),
        phase_shift=math.radians(-50),
        release=math.radians(3),
    )
    assert made.world.start == SpatialStart(
        link=4, position=(0, 0, 0.5), orientation=(1, 0, 0, 0), angular_velocity=(0, 0, math.pi)
    )


def line(old: str, new: str, sentence: str) -> Any:
    return pytest.param(old, new, sentence, id=f"{new.strip()[:50]}")


BAD = [
    line(
        "    inertia: [4e-4, 6e-4, 6e-4]", "    inertia: 1e-3", "6: robot.link.inertia = 0.001, must be three numbers"
    ),
    line(
        "[4e-4, 6e-4, 6e-4]", "[4e-4, 6e-4]", "6: robot.link.inertia = [0.0004, 0.0006], must be three numbers: about"
    ),
    line("[4e-4, 6e-4, 6e-4]", "[0, 6e-4, 6e-4]", "6: robot.link.inertia[0] = 0, must be finite and > 0 [kg m^2]"),
    line(
        "[4e-4, 6e-4, 6e-4]", "[4, 1, 2]", "6: robot.link.inertia = [4, 1, 2], must be such that none exceeds the sum"
    ),
    line("[4e-4, 6e-4, 6e-4]", "[4, 1, x]", "6: robot.link.inertia[2] = 'x', must be a number"),
    line("shape: square", "shape: oval", "8: robot.link.shape = 'oval', must be one of 'round', 'square'"),
    line("shape: square", "shape: round", "9: robot.link.corner_radius = 0.005, must be given for square links only"),
    line(
        "corner_radius: 0.005",
        "corner_radius: 0.05",
        "9: robot.link.corner_radius = 0.05, must be at most robot.link.radius = 0.035 [m]",
    ),
    line("n_links: 5", "n_links: 0", "2: robot.n_links = 0, must be a whole number, 1 to 5000"),
    line("n_links: 5", "n_links: 5001", "2: robot.n_links = 5001, must be "),
    line("n_links: 5", "n_link: 5", "2: robot: unknown key 'n_link'; did you mean n_links"),
    line("kind: cardan", "kind: carda", "13: robot.joints[1].kind: unknown kind 'carda'; did you mean cardan"),
    line("- kind: cardan\n      yaw:", "- yaw:", "13: robot.joints[1].kind is missing, must be given"),
    line("stiffness: 40", "stifness: 40", "15: robot.joints[1].yaw: unknown key 'stifness'; did you mean stiffness"),
    line("upper_deg: 60", "upper_deg: -inf", "16: robot.joints[1].yaw.upper_deg = '-inf', must be a number"),
    line(
        "upper_deg: 60", "backlash_deg: -1", "16: robot.joints[1].yaw.backlash_deg = -1, must be finite and >= 0 [deg]"
    ),
    line(
        "upper_deg: 60",
        "upper_deg: 60\n        lower_deg: 70",
        "16: robot.joints[1].yaw.upper_deg = 60, must be > robot.joints[1].yaw.lower_deg = 70 [deg]",
    ),
    line(
        "axis_distance: 0.02",
        "axis_distance: -1",
        "17: robot.joints[1].axis_distance = -1, must be finite and >= 0 [m]",
    ),
    line(
        "axis_distance: 0.02",
        "axis_distance: 0.1",
        "17: robot.joints[1].axis_distance = 0.1, must be shorter than the link behind it, 0.1 [m]",
    ),
    line("self_friction: 0.3", "self_friction: -1", "18: robot.self_friction = -1, must be finite and >= 0 [-]"),
    line("self_friction: 0.3", "self_contact: 1", "18: robot.self_contact = 1, must be true or false"),
    line("self_friction: 0.3", "motor: {}", "18: robot: unknown key 'motor'; "),
    line("stick_ratio: 1.4", "stick_ratio: -1", "24: ground.friction.stick_ratio = -1, must be finite and >= 0 [-]"),
    line(
        "stribeck_speed: 0.02",
        "stribeck_speed: 0",
        "25: ground.friction.stribeck_speed = 0, must be finite and > 0 [m/s]",
    ),
    line("around: [1, 0.6]", "around: []", "26: ground.friction.around = [], must be at least one multiplier"),
    line("around: [1, 0.6]", "around: [1, -2]", "26: ground.friction.around[1] = -2, must be finite and >= 0 [-]"),
    line("around: [1, 0.6]", "around: 1", "26: ground.friction.around = 1, must be a list"),
    line("    along: 0.1", "    along: -1", "22: ground.friction.along = -1, must be finite and >= 0 [-]"),
    line("rolling: 0.01", "rolling: -1", "29: ground.rolling = -1, must be finite and >= 0 [-]"),
    line("restitution: 0.1", "restitution: 1.5", "30: ground.restitution = 1.5, must be in [0, 1] [-]"),
    line("slope_deg: 5", "slope_deg: 90", "31: ground.slope_deg = 90, must be in [-89.9544, 89.9544] [deg]"),
    line("slope_deg: 5", "slope: 0.1", "31: ground: unknown key 'slope'; did you mean slope_deg"),
    line(
        "slope_direction_deg: 90",
        "slope_direction_deg: .nan",
        "32: ground.slope_direction_deg = nan, must be finite [deg]",
    ),
    line(
        "center: [2, 0, 0.05]", "center: [2, 0]", "36: obstacles[1].center = [2, 0], must be three numbers x, y, z [m]"
    ),
    line("center: [2, 0, 0.05]", "center: 2", "36: obstacles[1].center = 2, must be three numbers"),
    line("size: [0.3, 0.2, 0.1]", "size: [0.3, 0, 0.1]", "37: obstacles[1].size[1] = 0, must be finite and > 0 [m]"),
    line("size: [0.3, 0.2, 0.1]", "friction: 0", "35: obstacles[1].size is missing, must be given"),
    line("yaw_deg: 30", "yaw: 30", "38: obstacles[1]: unknown key 'yaw'; did you mean yaw_deg"),
    line("yaw_deg: 30", "pitch_deg: .inf", "38: obstacles[1].pitch_deg = inf, must be finite [deg]"),
    line("kind: box", "kind: wall", "36: obstacles[1]: unknown key 'center'; "),
    line("kind: box", "kind: bx", "35: obstacles[1].kind: unknown kind 'bx'; did you mean box"),
    line("kind: box", "friction: 0.1", "35: obstacles[1].kind is missing, must be given"),
    line("steps: 4", "steps: 0", "42: obstacles[2].steps = 0, must be a whole number, 1 to 1000"),
    line("steps: 4", "steps: 2.5", "42: obstacles[2].steps = 2.5, must be a whole number"),
    line("rise: 0.1", "rise: 0", "43: obstacles[2].rise = 0, must be finite and > 0 [m]"),
    line("foot: [3, 0]", "foot: [3, 0, 0]", "40: obstacles[2].foot = [3, 0, 0], must be two numbers x, y [m]"),
    line("    run: 0.25\n", "", "39: obstacles[2].run is missing, must be given"),
    line(
        "kind: sidewinding",
        "kind: sidewindin",
        "46: controller.kind: unknown kind 'sidewindin'; did you mean sidewinding",
    ),
    line(
        "yaw_amplitude_deg: 30",
        "yaw_amplitude_deg: .nan",
        "47: controller.yaw_amplitude_deg = nan, must be finite [deg]",
    ),
    line("release_deg: 3", "release_deg: -3", "51: controller.release_deg = -3, must be finite and >= 0 [deg]"),
    line(
        "release_deg: 3",
        "phase_offset_deg: 90",  # its sign counted from the paper's sideways wave; pitch_lead counts from yaw
        "51: controller: unknown key 'phase_offset_deg'; ",
    ),
    line(
        "release_deg: 3",
        "release_deg: 3\n  yaw_offset_deg: 40",
        "51: controller.release_deg = 3, must be at least 10 [deg], or axis ",
    ),
    line("position: [0, 0, 0.5]", "position: [0]", "54: start.position = [0], must be "),
    line("link: 4", "link: 5", "53: start.link = 5, must be 0 to 4 for 5 links"),
    line("position: [0, 0, 0.5]", "link_angles_deg: [0]", "54: start: unknown key 'link_angles_deg'; did you mean"),
    line("position: [0, 0, 0.5]", "velocity: [0, 0]", "54: start.velocity = [0, 0], must be 3 numbers [m/s]"),
    line("position: [0, 0, 0.5]", "velocity: 3", "54: start.velocity = 3, must be 3 numbers"),
    line(
        "position: [0, 0, 0.5]", "joint_angles_deg: [0, 0]", "54: start.joint_angles_deg = 2, must be 6 numbers for 6"
    ),
    line(
        "position: [0, 0, 0.5]",
        "joint_rates_deg: [0, 0]",
        "54: start.joint_rates_deg = 2, must be 6 numbers for 6 axes",
    ),
    line("link: 4", "heading_deg: 9", "53: start.heading_deg = 9, must be 0 if an orientation is given"),
    line("[1, 0, 0, 0]", "[1, 0, 0]", "55: start.orientation = [1, 0, 0], must be "),
    line("[1, 0, 0, 0]", "[0, 0, 0, 0]", "55: start.orientation = [0, 0, 0, 0], must be "),
    line("[1, 0, 0, 0]", "[1, 0, .nan, 0]", "55: start.orientation[2] = nan, must be "),
    line("angular_velocity_deg: [0, 0, 180]", "spin_deg: 3", "56: start: unknown key 'spin_deg'; "),
    line("[0, 0, 180]", "[0, 0, .inf]", "56: start.angular_velocity_deg[2] = inf, must be finite [deg/s]"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), BAD)
def test_one_sentence_with_the_line_for_bad_worlds(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in FILE
    before, _, after = FILE.rpartition(old)
    with pytest.raises(BadFile) as caught:
        read(tmp_path, before + new + after)
    said = str(caught.value).removeprefix(f"{tmp_path}/course.yaml:")
    assert said.startswith(sentence) and "\n" not in said


BOX = "{kind: box, center: [2, 0, 0.05], size: [0.3, 0.2, 0.1]}"
STEPS = "{kind: stairs, foot: [2, 0], steps: 2, rise: 0.1, run: 0.2}"
WALL = "{kind: wall, start: [0, 2], end: [2, 2]}"
TRIANGLE = "{kind: polygon, vertices: [[2, 0], [3, 0], [2, 1]]}"
PLANAR_ROBOT = "{n_links: 3, link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}}"


@pytest.mark.parametrize(
    ("robot", "ground", "obstacle", "sentence"),
    [
        ("aiko-planar", "{}", BOX, "7: obstacles[1] = 'Box', must be a Peg, Wall or Polygon for a planar robot"),
        (PLANAR_ROBOT, "{}", STEPS, "7: obstacles[1] = 'Stairs', must be a Peg, Wall or Polygon for a planar robot"),
        ("aiko", "{}", WALL, "7: obstacles[1] = 'Wall', must be a Peg, Box, Stairs, Ramp or Pipe for a spatial robot"),
        (
            "liljeback2014",
            "{}",
            TRIANGLE,
            "7: obstacles[1] = 'Polygon', must be a Peg, Box, Stairs, Ramp or Pipe for a spatial",
        ),
        (PLANAR_ROBOT, "{slope_deg: 3}", WALL, "3: ground.slope_deg = 3, must be 0 for a planar robot"),
        (PLANAR_ROBOT, "{rolling: 0.1}", WALL, "3: ground.rolling = 0.1, must be 0 for a planar robot"),
        (PLANAR_ROBOT, "{restitution: 1}", WALL, "3: ground.restitution = 1, must be 0 for a planar robot"),
        (
            PLANAR_ROBOT,
            "{heights: {heights: [[0, 0], [0, 0]], spacing: 1}}",
            WALL,
            "3: ground.heights = 'a HeightField', must be none for a planar robot",
        ),
        (
            PLANAR_ROBOT,
            "{friction: {law: isotropic, coefficient: 1, around: [1, 2]}}",
            WALL,
            "3: ground.friction.around = [1, 2], must be left out for a planar robot, which does not roll",
        ),
        (
            PLANAR_ROBOT,
            "{friction: [{law: frictionless}, {law: frictionless, around: [2]}, {law: frictionless}]}",
            WALL,
            "3: ground.friction[1].around = [2], must be left out for a planar robot",
        ),
        (
            PLANAR_ROBOT,
            "{regions: [{x: [0, 1], y: [0, 1], friction: {law: frictionless, around: [1, 3]}}]}",
            WALL,
            "3: ground.regions[0].friction.around = [1, 3], must be left out for a planar robot",
        ),
    ],
)
def test_a_world_for_the_other_kind_of_robot(
    tmp_path: Path, robot: str, ground: str, obstacle: str, sentence: str
) -> None:
    text = (
        f"robot: {robot}\nduration: 1\nground: {ground}\ncontroller: {json.dumps(WAVE)}\nobstacles:\n"
        f"  - {{x: 9, y: 9, radius: 0.1}}\n  - {obstacle}\n"
    )
    with pytest.raises(BadFile) as caught:
        read(tmp_path, text)
    assert str(caught.value).removeprefix(f"{tmp_path}/course.yaml:").startswith(sentence)


def test_ranges_are_for_planar_robots(tmp_path: Path) -> None:
    with pytest.raises(
        BadFile,
        match=r"course\.yaml:57: sensors\.range = 'given', must be left out for a spatial robot, which may have rays$",
    ):
        read(tmp_path, FILE.replace("duration", "sensors: {range: {noise: 0.1}}\nduration"))

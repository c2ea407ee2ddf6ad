"""Walls, polygons, regions, motors and sensors in documents: what they become, and what is wrong with them."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest

from pushpoint.cli.main import main
from pushpoint.description.changes import apply_sets
from pushpoint.description.files import SourceFile
from pushpoint.description.schema import document_schema
from pushpoint.errors import BadFile, PushpointError
from pushpoint.gaits import FunctionOfTime, LateralUndulation, Sampled
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.environment import Peg, Polygon, Region, Wall
from pushpoint.model.friction import Frictionless, Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.sensors import PERFECT_SENSORS, Channel, Sensors
from pushpoint.scenarios.files import document_of, scenario_from
from pushpoint.scenarios.scenario import Scenario, scenario_of
from pushpoint.simulation.storage import load

FILE = """\
robot:
  n_links: 3
  link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}
  motor:
    stiffness: 50
    torque_limit: 4
    speed_limit_deg: 360
    backlash_deg: 3
    lower_deg: -45
    upper_deg: 60
ground:
  friction: {law: isotropic, coefficient: 0.3}
  regions:
    - vertices: [[0, 0], [1, 0], [1, 1], [0.5, 0.2]]
      friction: {law: frictionless}
    - x: [2, 3]
      y: [-1, 1]
      friction: {law: isotropic, coefficient: 0.1}
obstacles:
  - {x: 1.0, y: 0.5, radius: 0.1}
  - {kind: peg, x: 1.0, y: -0.5, radius: 0.1}
  - kind: wall
    start: [0, 2]
    end: [2, 2]
    thickness: 0.05
  - kind: polygon
    friction: 0.2
    vertices:
      - [2, 0]
      - [2, 1]
      - [3, 1]
      - [3, 0]
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 0.2
"""


def read(folder: Path, text: str) -> Scenario:
    file = folder / "course.yaml"
    file.write_text(text, encoding="utf-8")
    source = SourceFile(file)
    return scenario_from(source.document, where=source.where)


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "course.yaml").write_text(FILE, encoding="utf-8")
    return SourceFile(tmp_path / "course.yaml").document


def test_a_file_becomes_the_world_it_describes(tmp_path: Path) -> None:
    made = read(tmp_path, FILE)
    assert made.world.environment.obstacles == (
        Peg(x=1.0, y=0.5, radius=0.1),
        Peg(x=1.0, y=-0.5, radius=0.1),
        Wall(start=(0, 2), end=(2, 2), thickness=0.05),
        Polygon(vertices=((3, 0), (3, 1), (2, 1), (2, 0)), friction=0.2),  # the file goes round clockwise
    )
    assert made.world.environment.ground.regions == (
        Region(vertices=((0, 0), (1, 0), (1, 1), (0.5, 0.2)), friction=Frictionless()),
        Region.rectangle(x=(2, 3), y=(-1, 1), friction=Isotropic(0.1)),
    )
    assert made.world.robot.motors[0] == Motor(  # type: ignore[index]
        stiffness=50,
        torque_limit=4,
        speed_limit=math.tau,
        backlash=math.radians(3),
        lower=math.radians(-45),
        upper=math.radians(60),
    )
    assert made.world.sensors == PERFECT_SENSORS


def test_what_is_written_reads_back_as_the_same(document: dict[str, Any]) -> None:
    made = scenario_from(document)
    written = document_of(made)
    assert scenario_from(json.loads(json.dumps(written, allow_nan=False))) == made
    assert [obstacle.get("kind") for obstacle in written["obstacles"]] == [None, None, "wall", "polygon"]
    assert written["obstacles"][2]["end"] == [2, 2]
    assert written["ground"]["regions"][1]["vertices"] == [[2, -1], [3, -1], [3, 1], [2, 1]]
    motor = document["robot"]["motor"]
    assert written["robot"]["motor"] == motor
    assert {key: written["robot"]["motor"][key] for key in motor if key.endswith("_deg")} == {
        "speed_limit_deg": 360,
        "backlash_deg": 3,
        "lower_deg": -45,
        "upper_deg": 60,
    }


def test_null_limits_are_no_limits(document: dict[str, Any]) -> None:
    keys = ("torque_limit", "speed_limit_deg", "backlash_deg", "lower_deg", "upper_deg")
    made = scenario_from(apply_sets(document, [f"robot.motor.{key}=null" for key in keys]))
    assert made.world.robot.motors[0] == Motor(stiffness=50)  # type: ignore[index]
    assert document_of(made)["robot"]["motor"] == {"stiffness": 50}


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_every_robot_of_the_catalogue_survives_being_written_out(document: dict[str, Any], name: str) -> None:
    made = scenario_from(document | {"robot": name, "obstacles": []})
    renamed = made.with_changes(robot=dataclasses.replace(made.world.robot, name="copy"))
    again = scenario_from(document_of(renamed)).world.robot
    assert again.links == renamed.world.robot.links
    for field in ("stiffness", "torque_limit", "speed_limit", "backlash", "lower", "upper"):
        assert again.motor_column(field) == pytest.approx(renamed.world.robot.motor_column(field), rel=1e-15)


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_robot_motor_is_every_motor_of_any_robot(document: dict[str, Any], name: str) -> None:
    changes = ["robot.motor.backlash_deg=3", "robot.link.radius=0.02"]
    made = scenario_from(apply_sets(document | {"robot": name, "obstacles": []}, changes)).world.robot
    assert set(made.motor_column("backlash")) == {math.radians(3)}
    assert set(made.column("radius")) == {0.02}
    assert made.column("mass").tolist() == ROBOTS[name]().column("mass").tolist()


def test_sets_reach_into_shapes_and_regions(document: dict[str, Any]) -> None:
    before = copy.deepcopy(document)
    made = scenario_from(
        apply_sets(
            document,
            [
                "obstacles.3.vertices=[[0,0],[1,0],[0,1]]",
                "obstacles[2].end[1]=3",
                "ground.regions=[{x: [0, 1], y: [0, 2], friction: {law: isotropic, coefficient: 1}}]",
                "ground.regions.0.friction.coefficient=2",
                "robot.motor.backlash_deg=2",
                "sensors.joint_angle.noise_deg=1",
            ],
        )
    )
    assert made.world.environment.obstacles[3] == Polygon(vertices=((0, 0), (1, 0), (0, 1)), friction=0.2)
    assert made.world.environment.obstacles[2].end == (2, 3)  # type: ignore[union-attr]
    assert made.world.environment.ground.regions == (Region.rectangle(x=(0, 1), y=(0, 2), friction=Isotropic(2.0)),)
    assert made.world.robot.motor_column("backlash").tolist() == [math.radians(2)] * 2
    assert made.world.sensors == Sensors(joint_angle=Channel(noise=math.radians(1)))
    assert document == before


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "      - [3, 0]",
            "      - [3, 0]\n    holes: [[[2.5, 0.5], [4, 0.5], [2.5, 0.6]]]",
            "33: obstacles[3].holes[0] = 'an outline that reaches beyond the polygon', must be",
        ),
        ("[3, 1]\n      - [3, 0]", "[3, 0]\n      - [3, 1]", "28: obstacles[3].vertices = 'an outline that crosses"),
        (
            "      - [2, 1]",
            "      - [2, 0]",
            "30: obstacles[3].vertices[1] = [2, 0], must be different from the corner",
        ),
        ("      - [2, 1]", "      - [2, 1, 0]", "30: obstacles[3].vertices[1] = [2, 1, 0], must be two numbers x, y"),
        ("      - [2, 1]", "      - [2, up]", "30: obstacles[3].vertices[1][1] = 'up', must be a number"),
        ("      - [2, 1]", "      - [2, .inf]", "30: obstacles[3].vertices[1][1] = inf, must be finite [m]"),
        ("      - [2, 1]", "      - 2", "30: obstacles[3].vertices[1] = 2, must be two numbers x, y"),
        ("      - [2, 1]\n      - [3, 1]\n", "", "28: obstacles[3].vertices = 2, must be 3 corners or more"),
        ("kind: polygon", "kind: polygn", "26: obstacles[3].kind: unknown kind 'polygn'; did you mean polygon"),
        ("kind: polygon", "kind: 5", "26: obstacles[3].kind = 5, must be one of box, peg, pipe, polygon, ramp, stairs"),
        ("kind: polygon", "kind: wall", "28: obstacles[3]: unknown key 'vertices'; did you mean"),
        ("kind: wall", "friction: 0", "22: obstacles[2].kind is missing, must be given"),
        (
            "end: [2, 2]",
            "end: [0, 2]",
            "24: obstacles[2].end = [0, 2], must be a different point from obstacles[2].start",
        ),
        ("    end: [2, 2]\n", "", "22: obstacles[2].end is missing, must be given"),
        ("thickness: 0.05", "thickness: 0", "25: obstacles[2].thickness = 0, must be finite and > 0 [m]"),
        ("x: 1.0, y: 0.5", "x: 1.0, vertices: []", "20: obstacles[0]: unknown key 'vertices'; known are friction, hei"),
        ("[1, 1], [0.5, 0.2]", "[0, 1], [1, 1]", "14: ground.regions[0].vertices = 'an outline that crosses itself"),
        ("[1, 1], [0.5, 0.2]", "", "14: ground.regions[0].vertices = 2, must be 3 corners or more"),
        ("x: [2, 3]", "x: [3, 2]", "16: ground.regions[1].x = [3, 2], must be two finite numbers, the smaller one fi"),
        ("y: [-1, 1]", "y: [-1]", "17: ground.regions[1].y = [-1], must be two finite numbers, the smaller one first"),
        ("      y: [-1, 1]\n", "", "16: ground.regions[1].y is missing, must be given"),
        ("coefficient: 0.1", "coefficient: -1", "18: ground.regions[1].friction.coefficient = -1, must be finite an"),
        ("law: frictionless", "law: frictionles", "15: ground.regions[0].friction.law: unknown law 'frictionles'; d"),
        ("upper_deg: 60", "upper_deg: -50", "10: robot.motor.upper_deg = -50, must be > robot.motor.lower_deg = -45 "),
        ("lower_deg: -45", "lower_deg: 60", "10: robot.motor.upper_deg = 60, must be > robot.motor.lower_deg = 60 [d"),
        ("    upper_deg: 60", "    upper_deg: -.inf", "10: robot.motor.upper_deg = -inf, must be > robot.motor.lower_"),
        (
            "    backlash_deg: 3",
            "    backlash_deg: 105",
            "8: robot.motor.backlash_deg = 105, must be smaller than the r",
        ),
        (
            "    backlash_deg: 3",
            "    backlash_deg: -1",
            "8: robot.motor.backlash_deg = -1, must be finite and >= 0 [deg]",
        ),
        ("    backlash_deg: 3", "    backlash: 3", "8: robot.motor: unknown key 'backlash'; did you mean backlash_deg"),
        ("speed_limit_deg: 360", "speed_limit_deg: 0", "7: robot.motor.speed_limit_deg = 0, must be > 0 [deg/s]"),
        (
            "    torque_limit: 4\n",
            "",
            "4: robot.motor.torque_limit = inf, must be finite if there is a speed limit [N m",
        ),
        ("duration", "sensors: {imu_link: 3}\nduration", "34: sensors.imu_link = 3, must be 0 to 2 for 3 links"),
        (
            "duration",
            "sensors: {range: {noise: -1}}\nduration",
            "34: sensors.range.noise = -1, must be finite and >= 0",
        ),
        (
            "duration",
            "sensors: {joint_rate: {nois: 1}}\nduration",
            "34: sensors.joint_rate: unknown key 'nois'; did yo",
        ),
    ],
)
def test_one_sentence_with_the_line_for_bad_worlds(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in FILE
    before, _, after = FILE.rpartition(old)
    with pytest.raises(BadFile) as caught:
        read(tmp_path, before + new + after)
    said = str(caught.value).removeprefix(f"{tmp_path}/course.yaml:")
    assert said.startswith(sentence) and "\n" not in said


def test_each_motor_of_a_list_is_named(document: dict[str, Any]) -> None:
    with pytest.raises(
        PushpointError, match=r"^robot\.motors\[1\]\.upper_deg = -50, must be > robot\.motors\[1\]\.lower"
    ):
        scenario_from(apply_sets(document, ["robot.motors.1.upper_deg=-50"]))


def test_a_late_gait_is_written_with_the_gait_it_sends(document: dict[str, Any]) -> None:
    wave = document["controller"]
    late = {"kind": "sampled", "gait": wave, "rate": 50, "delay": 0.15}
    made = scenario_from(document | {"controller": late})
    assert isinstance(made.world.controller, Sampled) and isinstance(made.world.controller.gait, LateralUndulation)
    assert (made.world.controller.rate, made.world.controller.delay, made.world.controller.hold) == (50, 0.15, False)
    assert document_of(made)["controller"] == late
    custom = Sampled(gait=FunctionOfTime(function=lambda t: [0.0, 0.0]), rate=50)  # type: ignore[arg-type, return-value]
    assert document_of(made.with_changes(controller=custom))["controller"] == {"kind": "custom", "name": "Sampled"}


def test_sensors_reach_the_world_and_the_document(document: dict[str, Any]) -> None:
    noisy = {"imu_heading": {"noise_deg": 2, "rate": 50}, "joint_torque": {"bias": 0.1}, "range": {}, "seed": 7}
    made = scenario_from(document | {"sensors": noisy})
    heading = Channel(noise=math.radians(2), rate=50)
    assert made.world.sensors == Sensors(imu_heading=heading, joint_torque=Channel(bias=0.1), range=Channel(), seed=7)
    assert made.rollout().worlds[0].sensors == made.world.sensors
    assert document_of(made)["sensors"] == noisy


def test_the_schema_tells_shapes_and_regions_apart() -> None:
    schema = document_schema()
    parts = schema["$defs"]
    shapes = schema["properties"]["obstacles"]["items"]
    assert shapes["discriminator"]["propertyName"] == "kind"
    assert set(shapes["discriminator"]["mapping"]) == {"peg", "wall", "polygon", "box", "stairs", "ramp", "pipe"}
    named = [parts[each["$ref"].rpartition("/")[2]] for each in shapes["oneOf"]]
    by_title = {part["title"]: part for part in named}
    assert set(by_title) == {"peg", "wall", "polygon", "box", "stairs", "ramp", "pipe"}
    assert {title: part["properties"]["kind"]["const"] for title, part in by_title.items()} == {
        title: title for title in by_title
    }
    assert by_title["peg"]["required"] == ["x", "y", "radius"]  # older files do not say that they hold pegs
    assert by_title["wall"]["required"] == ["kind", "start", "end"]
    corners = by_title["polygon"]["properties"]["vertices"]
    assert (corners["minItems"], corners["items"]["minItems"], corners["items"]["maxItems"]) == (3, 2, 2)
    regions = parts["Ground"]["properties"]["regions"]["items"]["oneOf"]
    assert [parts[each["$ref"].rpartition("/")[2]]["title"] for each in regions] == ["region", "rectangle"]
    assert "[deg]" in parts["Motor"]["properties"]["backlash_deg"]["description"]


def test_a_world_from_the_command_line_is_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(tmp_path, FILE)
    changes = [
        "obstacles.3.vertices=[[2,0],[3,0],[2,1]]",
        "ground.regions=[{x: [0, 1], y: [-1, 1], friction: {law: frictionless}}]",
        "robot.motor.backlash_deg=2",
    ]
    sets = [part for each in changes for part in ("--set", each)]
    where = [str(tmp_path / "course.yaml"), "--out", str(tmp_path / "out")]
    assert main(["run", *where, "--no-media", "--json", *sets]) == 0
    assert json.loads(capsys.readouterr().out)["status_code"] == "finished"
    document = document_of(scenario_of(load(tmp_path / "out/run.nc")))
    assert document["obstacles"][3]["vertices"] == [[2, 0], [3, 0], [2, 1]]
    assert document["ground"]["regions"][0]["vertices"] == [[0, -1], [1, -1], [1, 1], [0, 1]]
    assert document["robot"]["motor"]["backlash_deg"] == 2

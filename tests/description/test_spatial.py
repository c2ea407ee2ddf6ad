"""Spatial robots, ground, obstacles, gaits and starts in documents: what they become, and what is wrong with them."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pushpoint.description.changes import apply_sets
from pushpoint.description.schema import document_schema
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import PushpointError
from pushpoint.gaits import Sampled
from pushpoint.model import catalogue
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.friction import Isotropic, Varying
from pushpoint.model.joints import Cardan, Pitch, Yaw
from pushpoint.model.motor import FREE, Motor
from pushpoint.model.sensors import Channel, Sensors
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box
from pushpoint.scenarios.files import document_of, scenario_from

DOCUMENT: dict[str, Any] = {
    "name": "five-links",
    "robot": {
        "n_links": 5,
        "link": {
            "length": 0.1,
            "mass": 0.5,
            "inertia": [4e-4, 6e-4, 6e-4],
            "radius": 0.035,
            "shape": "square",
            "corner_radius": 0.005,
        },
        "joints": [
            {"kind": "pitch", "motor": {"stiffness": 50, "damping": 0.5}},
            {"kind": "cardan", "yaw": {"stiffness": 40, "upper_deg": 60}, "axis_distance": 0.02},
        ],
        "self_friction": 0.3,
    },
    "ground": {
        "friction": {"law": "elliptic", "along": 0.1, "across": 0.5, "stick_ratio": 1.4, "around": [1, 0.6]},
        "rolling": 0.01,
        "restitution": 0.1,
        "slope_deg": 5,
        "slope_direction_deg": 90,
    },
    "obstacles": [
        {"x": 1.0, "y": 0.5, "radius": 0.1},
        {"kind": "box", "center": [2, 0, 0.05], "size": [0.3, 0.2, 0.1], "yaw_deg": 30},
        {"kind": "stairs", "foot": [3, 0], "heading_deg": 45, "steps": 4, "rise": 0.1, "run": 0.25},
    ],
    "controller": {
        "kind": "sidewinding",
        "yaw_amplitude_deg": 30,
        "pitch_amplitude_deg": 10,
        "angular_frequency_deg": 80,
        "phase_shift_deg": -50,
        "release_deg": 3,
    },
    "start": {"position": [0, 0, 0.5], "orientation": [1, 0, 0, 0], "angular_velocity_deg": [0, 0, 180]},
    "duration": 0.2,
}
LINK = SpatialLink(length=0.1, mass=0.5, inertia=(4e-4, 6e-4, 6e-4), radius=0.035, shape="square", corner_radius=0.005)
PLANAR = {"n_links": 3, "link": {"length": 0.1, "mass": 0.5, "inertia": 1e-3, "radius": 0.03}}
WAVE = {"kind": "lateral-undulation", "amplitude_deg": 30, "angular_frequency_deg": 90, "phase_shift_deg": -60}


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(DOCUMENT)


def test_what_is_written_reads_back_as_the_same(document: dict[str, Any]) -> None:
    made = scenario_from(document)
    written = document_of(made)
    assert scenario_from(json.loads(json.dumps(written, allow_nan=False))) == made
    for section in ("controller", "start"):
        assert written[section] == document[section]
    assert written["robot"]["joints"] == document["robot"]["joints"]
    assert {key: written["ground"][key] for key in document["ground"]} == document["ground"]
    assert written["obstacles"][1]["yaw_deg"] == 30 and written["obstacles"][2]["heading_deg"] == 45


@pytest.mark.parametrize("name", [name for name, make in ROBOTS.items() if isinstance(make(), SpatialRobot)])
def test_every_spatial_robot_of_the_catalogue_is_a_name_and_survives_being_written_out(name: str) -> None:
    made = scenario_from(DOCUMENT | {"robot": name})
    assert made.world.robot == ROBOTS[name]()
    assert document_of(made)["robot"] == name
    renamed = made.with_changes(robot=dataclasses.replace(made.world.robot, name="copy"))
    again = scenario_from(json.loads(json.dumps(document_of(renamed)))).world.robot
    assert again.links == renamed.world.robot.links and again.axes == renamed.world.robot.axes
    for field in ("stiffness", "damping", "torque_limit", "speed_limit", "lower", "upper"):
        assert again.motor_column(field) == pytest.approx(renamed.world.robot.motor_column(field), rel=1e-15)


def test_a_spatial_robot_is_put_down_at_the_origin_unless_told() -> None:
    made = scenario_from({"name": "any", "robot": "aiko", "controller": WAVE, "duration": 1})
    assert made.world.start == SpatialStart()
    assert document_of(made)["start"] == {} and scenario_from(document_of(made)) == made


def test_an_orientation_is_written_as_the_unit_quaternion_that_it_is(document: dict[str, Any]) -> None:
    tilted = document | {"start": {"orientation": [2, 0, 0.3, -1], "position": [0, 0, 1]}}
    made = scenario_from(tilted)
    again = scenario_from(json.loads(json.dumps(document_of(made))))
    assert again.world.start.orientation == pytest.approx(made.world.start.orientation, rel=1e-15)  # made a unit twice


def test_joints_that_repeat_are_written_once() -> None:
    def written(robot: SpatialRobot) -> Any:
        made = scenario_from(DOCUMENT)
        return document_of(made.with_changes(robot=robot))["robot"]

    yaw, pitch = Yaw(Motor(stiffness=1)), Pitch()
    assert written(SpatialRobot.uniform(6, LINK, yaw))["joints"] == {"kind": "yaw", "motor": {"stiffness": 1}}
    for pattern, kinds in (
        ((pitch, yaw), ["pitch", "yaw"]),
        ((pitch, yaw, yaw, yaw, pitch), ["pitch", "yaw", "yaw", "yaw"]),  # the last one begins the pattern again
        ((pitch, pitch, pitch, pitch, yaw), ["pitch", "pitch", "pitch", "pitch", "yaw"]),
    ):
        joints = written(SpatialRobot.uniform(6, LINK, pattern))["joints"]
        assert [joint["kind"] for joint in joints] == kinds
    assert "joints" not in written(SpatialRobot(links=(LINK,)))
    longer = dataclasses.replace(LINK, length=0.2)
    listed = written(SpatialRobot(links=(LINK, longer, LINK), joints=yaw, self_contact=True))
    assert len(listed["links"]) == 3 and len(listed["joints"]) == 2 and listed["self_contact"] is True


def test_what_makes_a_robot_spatial(document: dict[str, Any]) -> None:
    link = {"length": 0.1, "mass": 0.5, "inertia": [4e-4, 6e-4, 6e-4], "radius": 0.03}
    del document["start"]
    free = scenario_from(document | {"robot": {"n_links": 3, "link": link}}).world.robot
    assert free == SpatialRobot(links=(SpatialLink(**link),) * 3, joints=Cardan(yaw=FREE, pitch=FREE))  # type: ignore[arg-type]
    listed = scenario_from(document | {"robot": {"links": [link, link], "joints": {"kind": "yaw"}}}).world.robot
    assert listed == SpatialRobot(links=(SpatialLink(**link),) * 2, joints=Yaw())  # type: ignore[arg-type]
    single = scenario_from(document | {"robot": {"n_links": 1, "link": link}}).world.robot
    assert (single.n_links, single.n_joints) == (1, 0)


def test_a_law_varies_if_it_says_how(document: dict[str, Any]) -> None:
    def law(**keys: Any) -> Any:
        section = {"law": "isotropic", "coefficient": 0.2, **keys}
        return scenario_from(document | {"ground": {"friction": section}}).world.environment.ground.friction

    assert law() == law(stick_ratio=None, stribeck_speed=None, around=None) == Isotropic(0.2)
    assert law(stick_ratio=1) == Varying(law=Isotropic(0.2))
    assert law(around=[1, 3]) == Varying(law=Isotropic(0.2), around=(1, 3))
    constant = scenario_from(document | {"ground": {"friction": {"law": "frictionless", "stribeck_speed": 0.01}}})
    written = document_of(constant)
    assert written["ground"]["friction"] == {"law": "frictionless", "stick_ratio": 1}  # says that it varies
    assert scenario_from(written) == constant


@pytest.mark.parametrize(
    "gait",
    [
        {"kind": "sidewinding", "yaw_amplitude_deg": 30, "pitch_amplitude_deg": 10, "pitch_lead_deg": 90},
        {"kind": "vertical-wave", "amplitude_deg": 20, "yaw_offset_deg": 5},
        {"kind": "rolling", "amplitude_deg": 15, "taper": 0.5},
        {"kind": "sinus-lifting", "yaw_amplitude_deg": 30, "pitch_amplitude_deg": 5, "soft_start": 1},
    ],
)
def test_gaits_go_both_ways_also_as_samples(document: dict[str, Any], gait: dict[str, Any]) -> None:
    gait = gait | {"angular_frequency_deg": 80} | ({} if gait["kind"] == "rolling" else {"phase_shift_deg": -50})
    made = scenario_from(document | {"controller": gait})
    assert document_of(made)["controller"] == gait
    late = {"kind": "sampled", "gait": gait, "rate": 50}
    sent = scenario_from(document | {"controller": late})
    assert (
        sent.world.controller == Sampled(gait=made.world.controller, rate=50)
        and document_of(sent)["controller"] == late
    )


def test_the_default_lead_of_the_pitch_wave_is_a_quarter_turn(document: dict[str, Any]) -> None:
    gait = scenario_from(document).world.controller
    assert gait.pitch_lead == -math.pi / 2
    assert "pitch_lead_deg" not in document_of(scenario_from(document))["controller"]


def test_tilt_is_sensed_in_degrees(document: dict[str, Any]) -> None:
    made = scenario_from(document | {"sensors": {"imu_tilt": {"noise_deg": 2}}})
    assert made.world.sensors == Sensors(imu_tilt=Channel(noise=math.radians(2)))
    assert document_of(made)["sensors"] == {"imu_tilt": {"noise_deg": 2}}


def test_a_level_table_may_be_said_to_be_one() -> None:
    ground = {"slope_deg": 0, "rolling": 0, "restitution": 0, "heights": None, "friction": {"law": "frictionless"}}
    made = scenario_from({"name": "any", "robot": PLANAR, "ground": ground, "controller": WAVE, "duration": 1})
    assert made.world.environment.ground.slope == 0


def test_spatial_keys_of_the_start_are_unknown_to_planar_robots() -> None:
    document = {
        "name": "any",
        "robot": PLANAR,
        "controller": WAVE,
        "duration": 1,
        "start": {"orientation": [1, 0, 0, 0]},
    }
    with pytest.raises(PushpointError, match=r"^start: unknown key 'orientation'; "):
        scenario_from(document)


def test_one_joint_for_all_is_named_without_a_number(document: dict[str, Any]) -> None:
    robot = document["robot"] | {"joints": {"kind": "cardan", "axis_distance": 0.1}}
    with pytest.raises(PushpointError, match=r"^robot\.joints\.axis_distance = 0\.1, must be shorter than the link"):
        scenario_from(document | {"robot": robot})
    with pytest.raises(PushpointError, match=r"^robot\.joints = 3, must be 1 joints for 2 links, or one for all$"):
        links = [document["robot"]["link"]] * 2
        scenario_from(document | {"robot": {"links": links, "joints": [{"kind": "yaw"}] * 3}})


def test_sets_reach_into_spatial_worlds(document: dict[str, Any]) -> None:
    before = copy.deepcopy(document)
    made = scenario_from(
        apply_sets(
            document,
            [
                "robot.joints[1].axis_distance=0.03",
                "robot.link.mass=2",
                "ground.friction.stick_ratio=2",
                "ground.slope_deg=0",
                "obstacles[1].size=[1, 1, 1]",
                "obstacles.2.steps=7",
                "controller.pitch_amplitude_deg=20",
                "start.position=[1, 2]",
            ],
        )
    )
    assert [joint.axis_distance for joint in made.world.robot.joints] == [0, 0.03, 0, 0.03]  # type: ignore[union-attr]
    assert made.world.robot.mass == pytest.approx(10)
    assert made.world.environment.ground.friction.stick_ratio == 2  # type: ignore[union-attr]
    assert made.world.environment.ground.slope == 0
    assert made.world.environment.obstacles[1] == Box(center=(2, 0, 0.05), size=(1, 1, 1), yaw=math.radians(30))
    assert made.world.environment.obstacles[2].steps == 7  # type: ignore[union-attr]
    assert made.world.controller.pitch_amplitude == math.radians(20) and made.world.start.position == (1, 2)
    assert document == before


def test_sets_inside_a_catalogue_robot(document: dict[str, Any]) -> None:
    def changed(robot: Any, *sets: str) -> SpatialRobot:
        made = scenario_from(apply_sets(document | {"robot": robot}, sets)).world.robot
        assert isinstance(made, SpatialRobot)
        return made

    real = changed("aiko", "robot.joints.axis_distance=0.022", "robot.link.length=0.1")
    assert dataclasses.replace(real, name="aiko", source=real.source) == dataclasses.replace(
        catalogue.aiko(axis_distance=0.022), source=real.source, links=real.links
    )
    assert real.name == "aiko-changed" and set(real.column("length")) == {0.1}
    weak = changed("aiko", "robot.motor.torque_limit=2")
    assert set(weak.motor_column("torque_limit")) == {2.0} and len(weak.motors) == 20
    soft = changed("aiko", "robot.joints.pitch.stiffness=5")
    np.testing.assert_array_equal(soft.motor_column("stiffness"), [5.0, 40.0] * 10)
    one = changed("aiko", "robot.joints[3].yaw.stiffness=7").motor_column("stiffness")
    np.testing.assert_array_equal(one, [800.0, 40.0] * 3 + [800.0, 7.0] + [800.0, 40.0] * 6)
    alternating = changed("liljeback2014", "robot.motor.stiffness=3", "robot.n_links=5")
    assert [type(joint) for joint in alternating.joints] == [Pitch, Yaw, Pitch, Yaw]  # type: ignore[union-attr]
    assert set(alternating.motor_column("stiffness")) == {3.0}
    uneven = changed("yaw-pitch-16", "robot.link.radius=0.03", "robot.joints.motor.damping=9", "robot.links[2].mass=1")
    assert set(uneven.column("radius")) == {0.03} and set(uneven.motor_column("damping")) == {9.0}
    assert uneven.column("mass")[2] == 1.0 and uneven.length == pytest.approx(1.174)
    free = {"n_links": 3, "link": document["robot"]["link"]}
    assert changed(free, "robot.motor.stiffness=4").motor_column("stiffness").tolist() == [4.0] * 4
    assert changed(free, "robot.joints.yaw.stiffness=4").motor_column("stiffness").tolist() == [0.0, 4.0] * 2
    second = changed(free, "robot.joints[1]={kind: yaw}")
    assert [type(joint) for joint in second.joints] == [Cardan, Yaw]  # type: ignore[union-attr]


def test_a_joint_that_is_not_there_cannot_be_set(document: dict[str, Any]) -> None:
    with pytest.raises(PushpointError, match=r"cannot be set: robot\.joints has 10 entries, counted from 0$"):
        apply_sets(document | {"robot": "aiko"}, ["robot.joints[10].axis_distance=0"])


def test_the_schema_knows_both_worlds() -> None:
    schema = document_schema()
    parts = schema["$defs"]
    assert parts["SpatialLink"]["properties"]["inertia"]["maxItems"] == 3
    assert parts["SpatialLink"]["properties"]["shape"]["enum"] == ["round", "square"]
    robots = [each.get("title") for each in schema["properties"]["robot"]["anyOf"]]
    kinds = ("planar robot", "spatial robot")
    assert {*kinds, *(f"{kind} of equal links" for kind in kinds)} < set(robots)
    starts = [each["$ref"].rpartition("/")[2] for each in schema["properties"]["start"]["anyOf"]]
    assert starts == ["Start", "SpatialStart"]
    assert set(schema["properties"]["controller"]["discriminator"]["mapping"]) >= {
        "sidewinding",
        "rolling",
        "vertical-wave",
    }
    heights = parts["Ground"]["properties"]["heights"]["anyOf"][0]["properties"]["heights"]["anyOf"]
    assert {each["type"] for each in heights} == {"array", "string"}
    assert "aiko" in json.dumps(schema["properties"]["robot"])


JUNK: list[Any] = [None, 5, -1, "x", [], {}, [1], [[1]], True, math.nan, {"kind": 5}, {"kind": [1]}, {"law": {}}, [{}]]


def places(part: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a document."""
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    yield keys
    for key, value in inside:
        yield from places(value, (*keys, key))


def test_junk_at_any_place_gives_one_sentence_or_a_scenario(document: dict[str, Any]) -> None:
    document["ground"]["regions"] = [{"x": [0, 1], "y": [0, 1], "friction": {"law": "isotropic", "coefficient": 0.1}}]
    document["ground"] |= {"slope_deg": 0, "heights": {"heights": [[0, 0], [0, 0]], "spacing": 1, "origin": [0, 0]}}
    refusals = 0
    for keys in places(document):
        for junk in JUNK:
            if keys in ((), ("start",)) and junk == {}:
                continue  # the default start is allowed
            changed: Any = {"document": copy.deepcopy(document)}
            part = changed
            for key in ("document", *keys)[:-1]:
                part = part[key]
            part[("document", *keys)[-1]] = junk
            try:
                scenario_from(changed["document"])
            except PushpointError as error:
                refusals += 1
                assert "\n" not in str(error) and len(str(error)) < 300
    assert refusals > 1000


@pytest.mark.parametrize(
    "first", ["robot=5", "robot={}", "robot.joints=5", "robot.joints=[{}]", "robot.link=5", "ground=5"]
)
@pytest.mark.parametrize(
    "second",
    [
        "robot.motor.stiffness=3",
        "robot.joints.motor.stiffness=3",
        "robot.joints[1].motor.stiffness=3",
        "robot.links[1].mass=3",
        "ground.heights.heights[0][0]=1",
    ],
)
def test_changes_of_junk_give_one_sentence(document: dict[str, Any], first: str, second: str) -> None:
    with pytest.raises(PushpointError) as caught:
        scenario_from(apply_sets(document, [first, second]))
    assert "\n" not in str(caught.value)

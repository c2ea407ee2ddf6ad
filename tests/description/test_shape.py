"""Shape curves in scenario files: what they become, what is written of them, one sentence about whatever is wrong."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import STRAIGHT, HeadingController, TurnSchedule
from pushpoint.description.changes import apply_sets
from pushpoint.description.schema import document_schema
from pushpoint.engine.spatial.kinematics import link_poses
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko, liljeback2014
from pushpoint.planning import MovingPoints, helix, sidewinding, stairs_down, stairs_up, vertical_wave
from pushpoint.planning.curves.motion import OnCurve
from pushpoint.planning.curves.moving import OnMovingPoints
from pushpoint.planning.curves.segments import GaitSegment
from pushpoint.scenarios.files import document_of, scenario_from
from pushpoint.scenarios.scenario import Scenario

POINTS = [[-0.7, 0.2, 0.0], [0.0, 0.0, 0.0], [0.7, 0.2, 0.0]]
ROLLING = {"kind": "on-curve", "points": POINTS, "roll_rate_deg": 90}
WINDING = {"kind": "along", "speed": 0.5, "segment": {"kind": "sidewinding"}}


def document(motion: dict[str, Any] = WINDING, robot: str = "liljeback2014", **gait: Any) -> dict[str, Any]:
    section = {"kind": "shape-curve", "motion": copy.deepcopy(motion), **gait}
    return {"name": "any", "robot": robot, "controller": section, "duration": 1}


def through_text(made: Scenario) -> dict[str, Any]:
    """The document of a scenario as a strict JSON file holds it."""
    text: dict[str, Any] = json.loads(json.dumps(document_of(made), allow_nan=False))
    return text


numbers = st.floats(-1e3, 1e3)
heights = st.floats(-0.5, 0.5)
curves = st.sampled_from(["pchip", "smooth"])
# Points that go ahead by at least 0.1 m each: thousands of them within a robot's length would only take time.
drawings = st.lists(st.tuples(st.floats(0.1, 1), heights, heights), min_size=2, max_size=6).map(
    lambda steps: [[sum(step[0] for step in steps[: k + 1]), y, z] for k, (_, y, z) in enumerate(steps)]
)
lines = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Zl", "Zp", "Cn")))
drawn = st.fixed_dictionaries({"points": drawings}, optional={"name": lines})
rolls = {"curve": curves, "roll_deg": numbers, "roll_rate_deg": numbers}
motions = st.fixed_dictionaries(
    {"kind": st.just("along"), "segment": drawn, "speed": st.floats(0.01, 2)},
    optional={
        "phase": st.floats(0, 0.99),
        "lead": drawn,
        "origin": st.lists(numbers, min_size=3, max_size=3),
        **rolls,
    },
) | st.fixed_dictionaries(
    # On a first piece of 6 m and more any robot finds room.
    {
        "kind": st.just("on-curve"),
        "points": drawings.map(lambda points: [[-6.0, 0.0, 0.0], *points]),
        "head": st.floats(0.5, 1),
    },
    optional=rolls,
)
steerings = st.fixed_dictionaries(
    {
        "kind": st.just("schedule"),
        "rates_deg": st.lists(numbers, min_size=2, max_size=2),
        "until": st.sampled_from([[1.5], [1.5, 7.0]]),
    }
)


@settings(max_examples=60, deadline=None)
@given(motions, st.none() | steerings, st.floats(0.08, 0.5) | st.none(), st.floats(1, 200))
def test_any_drawing_survives_the_way_through_a_document(
    motion: dict[str, Any], steering: dict[str, Any] | None, look_ahead: float | None, rate: float
) -> None:
    if motion["kind"] == "on-curve":  # it cannot be steered
        steering = None
    made = scenario_from(document(motion, steering=steering, look_ahead=look_ahead, rate=rate))
    written = through_text(made)
    again = scenario_from(written)
    assert through_text(again) == written
    assert again.world.start == made.world.start and again.settings == made.settings
    assert again.world.controller.steering == made.world.controller.steering
    before, after = (dataclasses.asdict(one.world.controller.motion) for one in (made, again))
    np.testing.assert_equal(after, before)  # every point, angle and word, exactly


@pytest.mark.parametrize(
    ("section", "made"),
    [
        ({"kind": "sidewinding"}, sidewinding(aiko())),
        ({"kind": "sidewinding", "height": -0.03, "n_points": 13}, sidewinding(aiko(), height=-0.03, n_points=13)),
        ({"kind": "vertical-wave", "length": 0.8}, vertical_wave(aiko(), length=0.8)),
        ({"kind": "stairs-down", "rise": 0.2, "run": 0.3}, stairs_down(0.2, 0.3, half_height=aiko().links[0].radius)),
        (
            {"kind": "stairs-up", "rise": 0.2, "run": 0.3, "half_height": 0.1, "chamfer": 0.05},
            stairs_up(0.2, 0.3, half_height=0.1, chamfer=0.05),
        ),
        (
            {"kind": "helix", "radius": 0.2, "pitch": 0.1, "axis": "x", "handed": "left"},
            helix(0.2, 0.1, axis="x", handed="left"),
        ),
        ({"kind": "drawn", "points": POINTS}, GaitSegment(np.array(POINTS))),
    ],
    ids=lambda value: value.get("kind") if isinstance(value, dict) else "",
)
def test_segments_by_name_take_what_they_are_not_told_from_the_robot(
    section: dict[str, Any], made: GaitSegment
) -> None:
    scenario = scenario_from(document({"kind": "along", "speed": 0.2, "segment": section}, robot="aiko"))
    segment = scenario.world.controller.motion.segment
    assert np.array_equal(segment.points, made.points) and segment.name == made.name
    written = through_text(scenario)
    assert written["controller"]["motion"]["segment"]["points"] == made.points.tolist()  # as points, whatever made it
    again = scenario_from(written).world.controller.motion.segment
    assert np.array_equal(again.points, made.points) and again.name == made.name


def test_a_curve_that_stays_has_its_head_at_its_end_unless_told() -> None:
    made = scenario_from(document(ROLLING))
    motion = made.world.controller.motion
    assert type(motion) is OnCurve and motion.drawn.points.tolist() == POINTS
    assert (motion.head, motion.roll_rate, motion.curve) == (2.0, math.radians(90), "pchip")
    assert through_text(made)["controller"]["motion"] == ROLLING
    other = ROLLING | {"head": 1.95, "curve": "smooth", "roll_deg": 30}
    assert through_text(scenario_from(document(other)))["controller"]["motion"] == other


@pytest.mark.parametrize(
    ("section", "steering"),
    [
        (None, STRAIGHT),
        ({"kind": "schedule", "rates_deg": [9]}, TurnSchedule(until=(math.inf,), rates=(math.radians(9),))),
        (
            {"kind": "schedule", "until": [5], "rates_deg": [0, -9]},
            TurnSchedule(until=(5, math.inf), rates=(0, math.radians(-9))),
        ),
        ({"kind": "heading", "direction_deg": 90}, HeadingController(direction=math.pi / 2)),
        (
            {"kind": "heading", "direction_deg": 30, "gain": 0.5, "fastest_deg": 10},
            HeadingController(direction=math.radians(30), gain=0.5, fastest=math.radians(10)),
        ),
    ],
)
def test_steering_is_read_and_written(section: dict[str, Any] | None, steering: Any) -> None:
    made = scenario_from(document(steering=section))
    assert made.world.controller.steering == steering
    written = through_text(made)
    assert written["controller"].get("steering") == section
    assert scenario_from(written).world.controller.steering == steering


def head_tip(made: Scenario) -> np.ndarray:
    """Where the engine's own kinematics put the tip of the head at time zero, from the centre of mass [m]."""
    pose = made.world.pose()
    places, frames = link_poses(made.world.robot, np.zeros(3), pose["tail"], pose["angle"])  # type: ignore[arg-type]
    w, x, y, z = frames[-1]
    forward = np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    return np.asarray(places[-1] + forward * made.world.robot.links[-1].length / 2)


def test_without_a_start_the_robot_begins_as_its_virtual_robot() -> None:
    made = scenario_from(document(WINDING | {"phase": 0.3, "origin": [1, 2, 0]}))
    assert made.world.start == made.world.controller.start(made.world.robot)
    pose = made.world.controller.first_pose(made.world.robot)
    assert head_tip(made) == pytest.approx(pose.joint_points[-1] - pose.center, abs=1e-9)
    assert made.world.pose()["center"][:2] == pytest.approx(pose.center[:2], abs=1e-12)


def test_a_start_says_where_and_which_way_and_the_pose_stays() -> None:
    base = document(WINDING | {"phase": 0.3})
    made = scenario_from(base | {"start": {"position": [3, 4], "heading_deg": 90, "velocity": [0, 0, 0.1]}})
    x, y, z = head_tip(scenario_from(base))
    assert head_tip(made) == pytest.approx([-y, x, z], abs=1e-9)  # a quarter turn about the vertical
    assert made.world.pose()["center"][:2] == pytest.approx([3, 4], abs=1e-12)
    assert made.world.start is not None and made.world.start.velocity == (0, 0, 0.1)
    again = scenario_from(through_text(made))
    assert through_text(again) == through_text(made)
    assert again.world.pose()["tail"] == pytest.approx(made.world.pose()["tail"], abs=1e-15)


@pytest.mark.parametrize(
    "start",
    [
        {"position": [0.0, 0.0]},
        {"position": [1.0, 2.0, 0.5], "joint_rates_deg": [1.0] * 16},
        {"link": 3},
        {"orientation": [1.0, 0.0, 0.0, 0.0]},
        {"joint_angles_deg": [5.0] * 16, "heading_deg": 20.0},
    ],
    ids=lambda start: " ".join(start),
)
def test_starts_are_written_as_they_were_read(start: dict[str, Any]) -> None:
    made = scenario_from(document() | {"start": start})
    assert through_text(made)["start"] == start
    assert scenario_from(through_text(made)).world.start == made.world.start


def test_a_start_that_lies_level_is_not_taken_for_the_first_pose() -> None:
    made = scenario_from(document()).with_changes(start=SpatialStart(heading=0.3))
    again = scenario_from(through_text(made))
    for name in ("center", "tail", "angle"):
        assert again.world.pose()[name] == pytest.approx(made.world.pose()[name], abs=1e-15)


@pytest.mark.parametrize(
    ("rate", "record", "dt"), [(30, 100, 1 / 1200), (50, 100, 1e-3), (30, 60, 1 / 1020), (30, 7.3, 1 / 1020)]
)
def test_without_a_time_step_one_is_taken_that_fits(rate: float, record: float, dt: float) -> None:
    made = scenario_from(document(rate=rate) | {"record": {"rate": record}})
    assert made.settings.dt == pytest.approx(dt, rel=1e-12)
    assert scenario_from(through_text(made)).settings == made.settings
    given = scenario_from(document(rate=rate) | {"settings": {"dt": 5e-4}})
    assert given.settings.dt == 5e-4


def test_points_that_are_a_function_are_named_and_not_read_back() -> None:
    moving = MovingPoints(points=lambda t: np.tile(np.array(POINTS), (len(t), 1, 1)), head=2.0)
    follower = ShapeCurveFollower(motion=OnMovingPoints(moving=moving))
    made = scenario_from(document()).with_changes(controller=follower, start=follower.start(liljeback2014()))
    written = through_text(made)
    assert written["controller"] == {"kind": "custom", "name": "ShapeCurveFollower"}
    with pytest.raises(InvalidModel, match="a controller written in Python cannot be read from a document"):
        scenario_from(written)
    assert scenario_from(written, custom=follower).world.controller is follower


def test_values_are_changed_by_name() -> None:
    changed = scenario_from(
        apply_sets(document(), ["controller.motion.segment.height=-0.05", "controller.motion.speed=0.2", "robot=aiko"])
    )
    assert (
        changed.world.controller.motion.segment.points[0, 2] == -0.05 and changed.world.controller.motion.speed == 0.2
    )
    assert changed.world.start == changed.world.controller.start(aiko())  # the first pose of the other robot
    drawn = scenario_from(apply_sets(document(ROLLING), ["controller.motion.points[1][1]=0.1"]))
    assert drawn.world.controller.motion.drawn.points[1].tolist() == [0, 0.1, 0]


def test_the_schema_tells_segments_apart() -> None:
    schema = document_schema()
    assert (
        schema["properties"]["controller"]["discriminator"]["mapping"]["shape-curve"]
        == "#/$defs/ShapeCurveFollowerSection"
    )
    segment = schema["$defs"]["AlongCurveSection"]["properties"]["segment"]
    kinds = {"drawn", "sidewinding", "vertical-wave", "stairs-down", "stairs-up", "helix"}
    assert {each["title"] for each in segment["oneOf"]} == kinds
    point = segment["oneOf"][0]["properties"]["points"]
    assert point["minItems"] == 2 and (point["items"]["minItems"], point["items"]["maxItems"]) == (3, 3)


def test_a_curve_that_stays_is_checked_too() -> None:
    for change, sentence in (
        (
            {"points": [POINTS[0]] * 2},
            r"controller.motion.points\[1\] = .*, must be a different point from controller.motion.points\[0\]",
        ),
        ({"head": 2.5}, r"controller.motion.head = 2.5, must be in \(0, 2.0\], on the curve"),
    ):
        with pytest.raises(InvalidModel, match=sentence):
            scenario_from(document(ROLLING | change))


def test_a_heading_needs_cycles() -> None:
    with pytest.raises(InvalidModel, match=r"controller.steering = .*, must be used with a motion that has cycles"):
        scenario_from(document(WINDING | {"speed": 0}, steering={"kind": "heading", "direction_deg": 0}))

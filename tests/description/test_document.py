"""Scenarios as documents: both ways without loss, and one sentence about whatever is wrong."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pushpoint.description.changes import apply_sets
from pushpoint.description.files import text_of
from pushpoint.description.schema import document_schema
from pushpoint.engine.settings import Settings
from pushpoint.errors import InvalidModel, PushpointError, UnknownName
from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.model import friction
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Ground, Peg
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.registry import scenario, scenario_names, scenario_titles
from pushpoint.scenarios.claim import Claim, Verdict
from pushpoint.scenarios.files import document_of, read_scenario, scenario_from, write_scenario
from pushpoint.scenarios.scenario import Scenario, scenario_of

LINK = {"length": 0.1, "mass": 0.5, "inertia": 1e-3, "radius": 0.03}
DOCUMENT: dict[str, Any] = {
    "name": "three-links",
    "robot": {"n_links": 3, "link": LINK, "motor": {"stiffness": 50.0, "damping": 1.0}},
    "ground": {"friction": {"law": "isotropic", "coefficient": 0.3}},
    "obstacles": [{"x": 1.0, "y": 0.0, "radius": 0.1}, {"x": 0.0, "y": 1.0, "radius": 0.1}],
    "controller": {
        "kind": "lateral-undulation",
        "amplitude_deg": 30,
        "angular_frequency_deg": 90,
        "phase_shift_deg": -60,
    },
    "start": {"heading_deg": 10},
    "duration": 0.2,
}


def changed(*sets: str) -> Scenario:
    return scenario_from(apply_sets(DOCUMENT, sets))


def test_a_document_becomes_the_scenario_it_describes() -> None:
    made = scenario_from(DOCUMENT)
    assert made.world.robot == PlanarRobot.uniform(3, PlanarLink(**LINK), Motor(stiffness=50.0, damping=1.0))
    assert made.world.environment.ground == Ground(friction=friction.Isotropic(0.3))
    assert made.world.environment.obstacles[1] == Peg(x=0.0, y=1.0, radius=0.1)
    assert made.world.controller == LateralUndulation(
        amplitude=math.radians(30), angular_frequency=math.radians(90), phase_shift=math.radians(-60)
    )
    assert (made.world.start.heading, made.duration, made.settings) == (math.radians(10), 0.2, Settings())


@pytest.mark.parametrize("name", scenario_names())
def test_published_scenarios_survive_the_way_through_a_document(name: str) -> None:
    original = scenario(name)
    document = document_of(original)
    if document.get("controller", {}).get("kind") == "custom":
        # A function of time that was written in Python: named in the document, and not read back.
        with pytest.raises(InvalidModel, match=r"controller\.kind = 'custom'"):
            scenario_from(document)
        return
    again = scenario_from(json.loads(json.dumps(document, allow_nan=False)))
    assert document_of(again) == document
    for field in ("name", "title", "source", "duration", "settings", "record"):
        assert getattr(again, field) == getattr(original, field)
    assert (again.world.robot, again.world.start) == (original.world.robot, original.world.start)
    if original.world.environment.ground.heights is None:  # height fields are compared by identity
        assert again.world.environment == original.world.environment


def test_a_catalogue_robot_stays_a_name() -> None:
    document = document_of(scenario("transeth2008a/obstacle-aided"))
    assert document["robot"] == "aiko-planar"
    assert document["controller"]["amplitude_deg"] == 40


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("robot.link.length=-1", "robot.link.length = -1, must be finite and > 0 [m]"),
        ("robot.link.length=.nan", "robot.link.length = nan, must be finite and > 0 [m]"),
        ("robot.link.mass=-0.5", "robot.link.mass = -0.5, must be finite and > 0 [kg]"),
        ("robot.link.mass=.nan", "robot.link.mass = nan, must be finite and > 0 [kg]"),
        ("robot.link.mass=heavy", "robot.link.mass = 'heavy', must be a number"),
        ("robot.link.mass='0.5'", "robot.link.mass = '0.5', must be a number"),
        ("robot.link.mass=true", "robot.link.mass = True, must be a number"),
        ("robot.links.1.mass=-3", "robot.links[1].mass = -3, must be finite and > 0 [kg]"),
        ("robot.motors[1].damping=-3", "robot.motors[1].damping = -3, must be finite and >= 0 [N m s/rad]"),
        ("robot.link.supports=[{offset: 0, share: 0.4}]", "robot.link.supports: sum of shares = 0.4, must be 1 [-]"),
        ("robot.link.supports=[{offset: x}]", "robot.link.supports[0].offset = 'x', must be a number"),
        ("robot.n_links=1", "robot.n_links = 1, must be 2 to 5000 links"),
        ("robot.n_links=2.5", "robot.n_links = 2.5, must be a whole number"),
        ("robot=5", "robot = 5, must be a robot's name, or a mapping with n_links, link and motor"),
        ("robot=aiko-plan", "robot: unknown robot 'aiko-plan'; did you mean aiko-planar"),
        ("ground.friction.coefficient=-1", "ground.friction.coefficient = -1, must be finite and >= 0 [-]"),
        ("ground.friction.coefficient=.nan", "ground.friction.coefficient = nan, must be finite and >= 0 [-]"),
        ("ground.friction.law=isotropc", "ground.friction.law: unknown law 'isotropc'; did you mean isotropic"),
        ("ground.friction=0.2", "ground.friction = 0.2, must be a mapping of keys and values"),
        ("ground.friction={coefficient: 1}", "ground.friction.law is missing, must be given"),
        ("ground.friction=[{law: frictionless}]", "ground.friction = 1, must be one law, or 3 laws for 3 links"),
        ("ground.gravity=-9.81", "ground.gravity = -9.81, must be finite and >= 0 [m/s^2]"),
        ("obstacles[1].radius=0", "obstacles[1].radius = 0, must be finite and > 0 [m]"),
        ("obstacles.1.radios=1", "obstacles[1]: unknown key 'radios'; did you mean radius"),
        ("obstacles.0=3", "obstacles[0] = 3, must be a mapping of keys and values"),
        ("obstacles=3", "obstacles = 3, must be a list"),
        ("obstacles.2.x=3", "obstacles[2].x cannot be set: obstacles has 2 entries, counted from 0"),
        ("obstacles.x=3", "obstacles.x cannot be set: obstacles has 2 entries, counted from 0"),
        ("controller.amplitude=3", "controller: unknown key 'amplitude'; did you mean amplitude_deg"),
        ("controller.amplitude_deg=.inf", "controller.amplitude_deg = inf, must be finite [deg]"),
        ("controller.envelope=[1, x]", "controller.envelope[1] = 'x', must be a number"),
        ("controller.envelope=[1]", "controller.envelope = [1], must be two or more multipliers from tail to head"),
        ("controller.kind=swim", "controller.kind: unknown kind 'swim'; known are compound-serpenoid, con"),
        (
            "controller={kind: sampled, rate: 0, gait: {kind: x}}",
            "controller.gait.kind: unknown kind 'x'; known are ",
        ),
        ("controller={kind: sampled, rate: 100}", "controller.gait is missing, must be given"),
        ("controller.prescribed=1", "controller.prescribed = 1, must be true or false"),
        ("start.link=3", "start.link = 3, must be 0 to 2 for 3 links"),
        ("start.position=[1, 2, 3]", "start.position = [1, 2, 3], must be 2 numbers [m]"),
        ("start.position=[1, .nan]", "start.position[1] = nan, must be finite [m]"),
        ("start.link_angles_deg=[0, 0]", "start.link_angles_deg = 2, must be 3 angles for 3 links"),
        ("start.joint_angles_deg=[0, .nan]", "start.joint_angles_deg[1] = nan, must be finite [deg]"),
        ("duration=0", "duration = 0, must be finite and > 0 [s]"),
        ("duration=", "--set 'duration=', must be key=value such as"),
        ("duration=null", "duration = None, must be a number"),
        ("duration.seconds=3", "duration.seconds cannot be set: duration = 0.2 has no parts"),
        ("duration=[1", "duration = '[1', must be a value written as YAML"),
        ("duratoin=3", "unknown key 'duratoin'; did you mean duration"),
        ("name=..", "name = '..', must be letters, digits and . _ - / such as my-course"),
        ("settings.dt=-1e-3", "settings.dt = -0.001, must be finite and > 0 [s]"),
        ("settings.solver=newtn", "settings.solver = 'newtn', must be one of 'newton', 'prox'"),
        ("record.variables=[link_positon]", "record.variables[0]: unknown variable 'link_positon'; did you mean"),
        ("ground[0]=3", "ground[0] cannot be set: ground has keys, not numbers"),
        ("novalue", "--set 'novalue', must be key=value such as controller.amplitude_deg=30"),
        ("a b=3", "--set 'a b=3', must be key=value such as controller.amplitude_deg=30"),
    ],
)
def test_one_sentence_names_the_place_the_value_and_what_is_allowed(change: str, sentence: str) -> None:
    with pytest.raises(PushpointError) as caught:
        changed(change)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_a_missing_section_is_named() -> None:
    for missing in ("robot", "duration"):
        with pytest.raises(PushpointError, match=f"^{missing} is missing, must be given$"):
            scenario_from({key: value for key, value in DOCUMENT.items() if key != missing})
    with pytest.raises(PushpointError, match=r"^robot\.link\.mass is missing"):
        scenario_from(DOCUMENT | {"robot": {"n_links": 3, "link": {"length": 0.1, "inertia": 1e-3, "radius": 0.03}}})


def test_what_is_no_document() -> None:
    with pytest.raises(InvalidModel, match=r"^document = \[1\], must be a mapping of keys and values$"):
        scenario_from([1])


def test_errors_carry_their_data() -> None:
    with pytest.raises(InvalidModel) as wrong:
        changed("obstacles.1.radius=-2")
    assert (wrong.value.field, wrong.value.value) == ("obstacles[1].radius", -2)
    with pytest.raises(UnknownName) as unknown:
        changed("obstacles.1.radios=1")
    assert (unknown.value.kind, unknown.value.name) == ("key", "radios")
    assert "radius" in unknown.value.known


def test_a_long_value_is_abridged_in_the_sentence_only() -> None:
    with pytest.raises(InvalidModel) as caught:
        scenario_from(DOCUMENT | {"duration": [1.0] * 500})
    assert len(str(caught.value)) < 120
    assert caught.value.value == [1.0] * 500


def test_sets_reach_into_lists_sections_and_robots() -> None:
    made = changed("obstacles[0].x=1.5", "obstacles.1.y=2.5", "record.rate=50", "ground.friction.coefficient=0.1")
    assert (made.world.environment.obstacles[0].x, made.world.environment.obstacles[1].y) == (1.5, 2.5)
    assert (made.record.rate, made.world.environment.ground.friction) == (50.0, friction.Isotropic(0.1))
    assert changed("obstacles=[]").world.environment.obstacles == ()
    assert changed("robot.motor.torque_limit=4").world.robot.motor_column("torque_limit").tolist() == [4.0, 4.0]
    one_heavy = changed("robot.links.2.mass=2").world.robot
    assert one_heavy.column("mass").tolist() == [0.5, 0.5, 2.0]
    assert changed("ground.friction={law: viscous, along: 1, across: 2}").world.environment.ground.friction == (
        friction.Viscous(along=1, across=2)
    )


def test_a_change_inside_a_catalogue_robot_writes_it_out() -> None:
    published = document_of(scenario("transeth2008a/flat"))
    del published["start"]
    longer = scenario_from(apply_sets(published, ["robot.n_links=15"])).world.robot
    assert (longer.n_links, longer.links[0], longer.name) == (15, aiko_planar().links[0], "aiko-planar-changed")
    assert published["robot"] == "aiko-planar"


def test_a_posture_that_no_longer_fits_says_so() -> None:
    published = document_of(scenario("transeth2008a/flat"))
    with pytest.raises(InvalidModel, match=r"^start\.link_angles_rad = 11, must be 15 angles for 15 links$"):
        scenario_from(apply_sets(published, ["robot.n_links=15"]))


def test_the_default_iterations_follow_the_solver() -> None:
    published = document_of(scenario("transeth2008a/flat"))
    prox = scenario_from(apply_sets(published, ["settings.solver=prox"]))
    assert prox.settings == Settings(solver="prox")


def test_a_controller_written_in_python_is_named_and_not_read_back() -> None:
    gait = FunctionOfTime(function=lambda t: [0.0, 0.0])  # type: ignore[arg-type, return-value]
    made = scenario_from(DOCUMENT).with_changes(controller=gait)
    document = document_of(made)
    assert document["controller"] == {"kind": "custom", "name": "FunctionOfTime"}
    with pytest.raises(InvalidModel, match="a controller written in Python cannot be read from a document"):
        scenario_from(document)
    assert scenario_from(document, custom=gait) == made


def test_a_goal_written_in_python_is_in_no_file(tmp_path: Path) -> None:
    made = replace(scenario_from(DOCUMENT), until=lambda measured: measured.time > 1.0)
    with pytest.raises(PushpointError, match=r"the until .*<lambda> cannot be written; pp\.register gives a kind its"):
        write_scenario(made, tmp_path / "mine.yaml")
    document = document_of(made)
    (tmp_path / "mine.yaml").write_text(text_of(document))
    with pytest.raises(PushpointError, match=r"mine.yaml:\d+: until.kind = 'custom', must be a kind with a name"):
        read_scenario(tmp_path / "mine.yaml")


def test_the_schema_knows_sections_and_words() -> None:
    schema = document_schema()
    assert schema["required"] == ["robot", "duration"]
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Settings"]["properties"]["solver"]["enum"] == ["newton", "prox"]
    assert "aiko-planar" in json.dumps(schema["properties"]["robot"])
    assert schema["$defs"]["PlanarLink"]["properties"]["mass"]["description"] == "Mass [kg]."


def test_scenario_changes_duration_and_step() -> None:
    made = scenario_from(DOCUMENT).with_changes(duration=0.5, dt=2e-3)
    assert (made.duration, made.settings.dt) == (0.5, 2e-3)
    assert scenario_from(DOCUMENT).with_changes() == scenario_from(DOCUMENT)


def test_a_run_carries_the_document_it_can_be_repeated_from() -> None:
    made = scenario_from(DOCUMENT)
    run = made.run()
    assert scenario_of(run) == made
    assert scenario_of(run).name == "three-links"


def test_unknown_scenario_lists_near_names() -> None:
    with pytest.raises(UnknownName, match="did you mean transeth2008a/flat"):
        scenario("transeth2008a/flt")


def test_titles_are_known_without_building() -> None:
    assert list(scenario_titles()) == scenario_names()
    assert all(scenario_titles().values())


def test_claims_are_evaluated_against_runs() -> None:
    claim = Claim(
        id="X1",
        statement="it moves",
        where="Fig. 1",
        tolerance="any",
        recorded="reproduced",
        check=lambda run_of: Verdict(verdict="reproduced", measured={"time_s": float(run_of("a").time[-1])}),
    )
    run = scenario_from(DOCUMENT).run()
    assert claim.evaluate(lambda name: run).measured == {"time_s": pytest.approx(0.2)}
    untestable = Claim(id="X2", statement="s", where="w", recorded="not testable", reason="a photograph")
    assert untestable.evaluate(lambda name: run).verdict == "not testable"
    checked = {"check": claim.check, "tolerance": "any"}
    for wrong, named in (
        ({"recorded": "maybe"}, "recorded"),
        ({"recorded": "approximate", **checked}, "reason"),
        ({"recorded": "reproduced"}, "check"),
        ({"recorded": "reproduced", "check": claim.check}, "tolerance"),
        ({"recorded": "not testable", "reason": "a photograph", "tolerance": "any"}, "tolerance"),
    ):
        with pytest.raises(InvalidModel, match=f"claim X3: {named} = "):
            Claim(id="X3", statement="s", where="w", **wrong)  # type: ignore[arg-type]

"""Edits in scenario files and in the text of runs: read and written without loss, and mistakes with their line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pushpoint as pp
from pushpoint.description.experiments import read_experiment, write_experiment
from pushpoint.description.schema import document_schema
from pushpoint.errors import BadFile, EditOverlap, PushpointError
from pushpoint.worlds.edits import ChangeController, ChangeGround, ChangeMotors, ChangeObstacles, Push

COURSE = """\
robot:
  n_links: 4
  link: {length: 0.12, mass: 0.5, inertia: 1e-3, radius: 0.04}
  motor: {stiffness: 60, damping: 1}
ground: {friction: {law: isotropic, coefficient: 0.2}}
obstacles:
- {x: 1.0, y: 1.0, radius: 0.1}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 0.2
edits:
"""
EDITS = """\
- {kind: controller, step: 20, over: 0.05, controller: {kind: hold}}
- {kind: ground, step: 40, ground: {friction: {law: isotropic, coefficient: 0.5}}}
- {kind: obstacles, step: 40, first: 0, removed: 1, obstacles: [{x: 1.5, y: 1, radius: 0.1}, {x: 2, y: 2, radius: 0.1}]}
- {kind: push, step: 60, link: 1, force: [0.0, 2.0], duration: 0.05}
- kind: robot
  step: 80
  robot:
    n_links: 4
    link: {length: 0.12, mass: 0.5, inertia: 1e-3, radius: 0.04}
    motor: {stiffness: 60, damping: 1, torque_limit: 2}
- {kind: controller, step: 120, controller: null}
"""


def scenario(tmp_path: Path, edits: str) -> pp.Scenario:
    file = tmp_path / "course.yaml"
    file.write_text(COURSE + edits, encoding="utf-8")
    return pp.scenario(file)


def test_edits_are_read_and_written_without_loss(tmp_path: Path) -> None:
    read = scenario(tmp_path, EDITS)
    kinds = [ChangeController, ChangeGround, ChangeObstacles, Push, ChangeMotors, ChangeController]
    assert [type(edit) for edit in read.edits] == kinds
    assert [edit.step for edit in read.edits] == [20, 40, 40, 60, 80, 120]
    assert read.edits[3] == Push(step=60, link=1, force=(0.0, 2.0), duration=0.05)
    again = pp.scenario(pp.write_scenario(read, tmp_path / "again.yaml"))
    assert again.edits == read.edits
    run = read.run()
    assert pp.scenario_of(run).edits == read.edits
    assert run.sizes["obstacle"] == 2
    document = write_experiment(read.experiment)
    assert read_experiment(document).edits == read.edits
    assert [list(each)[:2] for each in document["edits"]] == [["kind", "step"]] * 6


def test_edits_happen_at_their_steps(tmp_path: Path) -> None:
    run = scenario(tmp_path, EDITS).run()
    assert run.joint_torque.sel(time=0.13, method="nearest").values == pytest.approx(0.0)  # motors off
    pushed = run.sel(time=slice(0.065, 0.115)).isel(time=slice(1, -1))
    outside = (pushed.ground_force + pushed.obstacle_force).sum("link").values
    moved = (run.link_velocity.diff("time") / 0.01 * 0.5).sum("link").sel(time=pushed.time).values
    assert (moved - outside)[:, 1] == pytest.approx(2.0, abs=1e-9)  # Newton: the push is what remains
    plain = scenario(tmp_path, EDITS[:0] + "- {kind: push, step: 199, link: 0, force: [0, 1]}\n").run()
    assert (plain.joint_reference.values[:3] == run.joint_reference.values[:3]).all()  # before the first edit


def test_a_controller_of_ones_own_leaves_its_name_in_a_run() -> None:
    class Still(pp.Controller):
        def command(self, measurement: Any, memory: Any) -> Any:
            return pp.Command(joint_angle=0.0 * measurement.joint_angle), memory

    world = pp.World(pp.catalogue.aiko_planar(), pp.Environment(), pp.gaits.Hold())
    whole = pp.Scenario(name="own", worlds=world, duration=0.05, edits=[ChangeController(step=5, controller=Still())])
    back = pp.scenario_of(whole.run())
    assert "Still" in back.edits[0].controller.name
    with pytest.raises(PushpointError, match="Still is not registered"):
        back.run()


MISTAKES = {
    "- {kind: pull, step: 3}": (11, "edits[0].kind: unknown kind 'pull'"),
    "- {kind: push, step: 3, link: 1}": (11, "edits[0].force is missing"),
    "- {kind: push, link: 1, force: [0, 1]}": (11, "edits[0].step is missing"),
    "- {kind: push, step: -3, link: 1, force: [0, 1]}": (11, "edits[0].step = -3, must be"),
    "- {kind: push, step: 3, link: 9, force: [0, 1]}": (11, "edits[0].link = 9, must be 0 to 3"),
    "- {kind: push, step: 3, link: 1, force: [0, 1, 2]}": (11, "edits[0].force = "),
    "- {kind: push, step: 3, link: 1, force: up}": (11, "edits[0].force = 'up'"),
    "- {kind: push, step: 9, link: 1, force: [0, 1]}\n- {kind: push, step: 3, link: 1, force: [0, 1]}": (
        12,
        "edits[1].step = 3, must be at least that of the edit before, 9",
    ),
    "- kind: obstacles\n  step: 4\n  removed: 2": (13, "edits[0].removed = 2, must be at most 1"),
    "- kind: obstacles\n  step: 4\n  obstacles:\n  - {x: 1, y: 1, radius: -1}": (
        14,
        "edits[0].obstacles[0].radius = -1, must be",
    ),
    "- {kind: controller, step: 4, controller: {kind: hold, joint_angles_deg: [1]}}": (11, "edits[0].controller"),
    "- {kind: controller, step: 4, controller: {kind: lateral}}": (11, "edits[0].controller.kind: unknown"),
    "- {kind: controller, step: 4, over: -1}": (11, "edits[0].over = -1"),
    "- {kind: ground, step: 4, ground: {slope_deg: 3}}": (11, "edits[0].ground.slope"),
    "- {kind: robot, step: 4, robot: aiko-planar}": (11, "edits[0].robot"),
    "- {kind: ground, step: 4, ground: {frictoin: 3}}": (11, "edits[0].ground: unknown key 'frictoin'"),
    "- 3": (11, "edits[0] = 3, must be"),
    "  all: 3": (10, "edits = "),
}


@pytest.mark.parametrize("edits", MISTAKES)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, edits: str) -> None:
    line, said = MISTAKES[edits]
    with pytest.raises(BadFile) as raised:
        scenario(tmp_path, edits + "\n")
    assert f"course.yaml:{line}: " in str(raised.value), raised.value
    assert said in str(raised.value), raised.value
    assert "\n" not in str(raised.value)


def test_an_edit_in_the_way_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    onto = "- {kind: obstacles, step: 50, obstacles: [{x: 0, y: 0, radius: 0.1}]}\n"
    with pytest.raises(EditOverlap, match=r"course.yaml:11: edits\[0\]: link \d would overlap obstacle 0 by"):
        scenario(tmp_path, onto).run()


def test_edits_belong_to_one_world() -> None:
    world = pp.World(pp.catalogue.aiko_planar(), pp.Environment(), pp.gaits.Hold())
    varies = pp.Variation(parameter="number", unit="1", values=[0, 1])
    with pytest.raises(PushpointError, match="edits = 1, must be none for 2 worlds"):
        pp.Scenario(
            name="two", worlds=[world, world], varies=varies, duration=1.0, edits=[Push(step=1, link=0, force=(0, 1))]
        )
    run = pp.Scenario(name="one", worlds=world, duration=0.05, edits=[Push(step=1, link=0, force=(0, 1))]).run()
    with pytest.raises(PushpointError, match=r"runs\[0\].edits = 1, must be none"):
        pp.concat([run, run])


def test_a_shorter_run_leaves_later_edits_out(tmp_path: Path) -> None:
    whole = scenario(tmp_path, EDITS)
    short = replace(whole, duration=0.03, origin=None).run()
    assert (short.joint_reference.values == whole.run().joint_reference.values[:4]).all()


def test_the_schema_knows_edits() -> None:
    schema = document_schema()
    assert schema["properties"]["edits"]["type"] == "array"


def test_a_run_with_edits_goes_to_a_file_as_to_memory(tmp_path: Path) -> None:
    whole = scenario(tmp_path, EDITS)
    in_memory, in_file = whole.run(), whole.run(file=tmp_path / "run.nc")
    assert set(in_file.variables) == set(in_memory.variables)
    for name in in_memory.variables:
        assert (in_file[name].values.tobytes()) == in_memory[name].values.tobytes(), name
    assert pp.scenario_of(pp.load(tmp_path / "run.nc")).edits == whole.edits

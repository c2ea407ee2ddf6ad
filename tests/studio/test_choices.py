"""What is opened: scenarios, files, runs, robots with more links; nonsense is a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import PushpointError
from pushpoint.model.catalogue import ROBOTS
from pushpoint.studio.choices import added, open_target, targets, with_links, with_robot

SMALL = """\
name: small
duration: 0.1
robot: aiko-planar
ground: {friction: {law: isotropic, coefficient: 0.2}}
controller: {kind: lateral-undulation, amplitude_deg: 30, angular_frequency_deg: 80, phase_shift_deg: -50}
"""


def test_files_of_the_folder_come_before_the_published_scenarios(tmp_path: Path) -> None:
    for name in ("mine.yaml", "run.nc", "notes.txt"):
        (tmp_path / name).write_text("")
    found = targets(tmp_path)
    assert found[:2] == ["mine.yaml", "run.nc"] and "notes.txt" not in found
    assert "transeth2008a/obstacle-aided" in found


def test_a_file_is_opened_and_a_run_is_repeated_to_its_end_with_its_edits(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(SMALL)
    live, name, _ = open_target("mine.yaml", tmp_path)
    with live:
        assert name == "small" and live.time == 0.0
        live.advance(30)
        live.push(3, (0.0, 1.0))
        live.advance(30)
        pp.save(live.dataset(), tmp_path / "run.nc")
        last, edits = live.look(), live.edits
    again, name, _ = open_target("run.nc", tmp_path)
    with again:
        assert (again.step, again.edits, name) == (60, edits, "small")
        np.testing.assert_array_equal(again.look().link_position, last.link_position)


def test_the_last_changes_are_not_lost_between_two_samples_nor_in_a_scenario_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(SMALL)
    live, _, _ = open_target("mine.yaml", tmp_path)
    with live:
        live.advance(30)
        live.push(3, (0.0, 1.0))
        live.advance(33)  # samples are ten steps apart
        live.push(3, (0.0, 2.0))
        run, last, edits = live.dataset(), live.look(), live.edits
    pp.save(run, tmp_path / "run.nc")
    pp.write_scenario(pp.scenario_of(run), tmp_path / "again.yaml")
    for name in ("run.nc", "again.yaml"):
        again, _, _ = open_target(name, tmp_path)
        with again:
            assert (again.step, again.edits) == (63, edits)
            np.testing.assert_array_equal(again.look().link_position, last.link_position)


@pytest.mark.parametrize("robot", ["aiko-planar", "aiko"])
def test_one_can_look_back_also_if_the_scenario_records_little(tmp_path: Path, robot: str) -> None:
    text = SMALL.replace("aiko-planar", robot) + "record: {variables: [joint_torque]}\n"
    (tmp_path / "mine.yaml").write_text(text)
    live, _, _ = open_target("mine.yaml", tmp_path)
    with live:
        live.advance(50)
        back = live.look_back(0.03)
        for seen in (back.link_position, back.link_orientation, back.center_of_mass):
            assert np.isfinite(seen).all()


MANY = "{n_links: 50000, link: {length: 0.1, mass: 1, inertia: 0.001, radius: 0.02}}"
NONSENSE = {
    "nonsense.yaml": "][",
    "empty.yaml": "",
    "binary.yaml": "\x00\x01",
    "run.nc": "no HDF5",
    "huge.yaml": SMALL.replace("aiko-planar", MANY),
    "robot.yaml": SMALL.replace("aiko-planar", "a-snail"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_a_file_of_nonsense_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(NONSENSE[name])
    with pytest.raises(PushpointError) as refused:
        open_target(name, tmp_path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("target", ["nowhere", "../", "no/such.yaml", "no-such.nc", "", "💥" * 5000])
def test_a_name_of_nonsense_is_refused_in_a_sentence(tmp_path: Path, target: str) -> None:
    with pytest.raises(PushpointError):
        open_target(target, tmp_path)


def test_a_sweep_is_refused() -> None:
    with pytest.raises(PushpointError, match=r"has .* worlds; the studio shows scenarios of one"):
        open_target("transeth2008a/speed-over-friction")


@pytest.mark.parametrize("name", ["aiko-planar", "aiko", "liljeback2011"])
def test_a_robot_gets_more_links_of_its_kind(name: str) -> None:
    robot = ROBOTS[name]()
    more = with_links(robot, robot.n_links + 7)
    assert more.n_links == robot.n_links + 7 and type(more) is type(robot)
    assert set(more.links) == set(robot.links)
    for wrong in (50_000, 0, -3):
        with pytest.raises(PushpointError, match="must be"):
            with_links(robot, wrong)


@pytest.mark.parametrize("name", ["transeth2008a/obstacle-aided", "transeth2008a/winding-channel", "spatial/rubble"])
def test_another_robot_begins_where_it_finds_room(name: str) -> None:
    world = pp.scenario(name).world
    for count in (5, world.robot.n_links + 1, 30):
        made = with_robot(world, with_links(world.robot, count))
        made.pose()  # raises if it overlaps anything
        assert made.robot.n_links == count and made.environment is world.environment
        assert made.sensors is world.sensors and made.controller is world.controller
    other = with_robot(world, ROBOTS["liljeback2011" if not world.spatial else "aiko"]())
    other.pose()
    same = with_robot(world, replace(world.robot, name="a namesake"))
    assert same.start == world.start  # there is room


@pytest.mark.parametrize(("kind", "spatial"), [("peg", False), ("wall", False), ("peg", True), ("box", True)])
def test_an_obstacle_is_added_before_the_head_and_clear_of_the_robot(kind: str, spatial: bool) -> None:
    world = pp.World(pp.catalogue.aiko() if spatial else pp.catalogue.aiko_planar(), pp.Environment(), pp.gaits.Hold())
    with pp.Live(world) as live:
        look = live.look()
        live.change(environment=added(kind, world.environment, world, look.link_position[-1], look.heading))
        assert len(live.world.environment.obstacles) == 1

"""`pp.export` by kind and ending, and the report that it leaves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import pushpoint as pp
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.interchange import Report, Translated
from pushpoint.worlds.edits import ChangeController


def test_a_world_a_scenario_and_a_robot_are_written(tmp_path: Path) -> None:
    scenario = pp.scenario("transeth2008a/flat")
    for thing in (scenario, scenario.world, scenario.world.robot):
        for ending in ("xml", "urdf"):
            report = pp.export(thing, tmp_path / f"out.{ending}")
            assert [file.name for file in report.files] == [f"out.{ending}", f"out.{ending}.report.json"]
            assert json.loads(report.files[1].read_text())["laws"][0]["kept"] == "exact"


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel, match="must be a robot, a World, a Scenario of one world, or a run"):
        pp.export(3, tmp_path / "out.xml")
    for ending in ("xml", "urdf", "csv"):
        with pytest.raises(InvalidModel, match="speed-over-frequency', must be a scenario of one world"):
            pp.export(pp.scenario("transeth2008a/speed-over-frequency"), tmp_path / f"out.{ending}")
    with pytest.raises(BadFile, match=r"must end in .xml or .urdf or .csv for a world"):
        pp.export(pp.scenario("transeth2008a/flat"), tmp_path / "out.sdf")
    link = pp.PlanarLink(length=0.1, mass=0.1, inertia=1e-4, radius=0.04)
    with pytest.raises(BadFile, match="would have 300 bodies inside each other, must be at most 240"):
        pp.export(pp.PlanarRobot.uniform(300, link), tmp_path / "out.xml")
    assert not any(tmp_path.iterdir())


def test_a_report_lists_what_is_exact_first() -> None:
    lost = Translated(law="backlash", kept="lost", error=0.5, unit="rad", place="joint 3")
    exact = Translated(law="masses", kept="exact")
    report = Report(what="robot x", into="MJCF", laws=(lost, exact))
    assert str(report) == "robot x as MJCF\n  exact: masses\n  lost: backlash (joint 3) [0.5 rad]"
    assert [entry.law for entry in report.with_laws(exact).laws] == ["masses", "masses", "backlash"]
    assert report.document()["laws"][1] == {
        "law": "backlash", "kept": "lost", "error": 0.5, "unit": "rad", "place": "joint 3"
    }  # fmt: skip


@pytest.mark.parametrize("ending", ["xml", "csv"])
def test_what_changes_on_the_way_is_told_as_lost(tmp_path: Path, ending: str) -> None:
    scenario = pp.scenario("transeth2008a/flat").with_changes(duration=0.1)
    edited = replace(scenario, edits=[ChangeController(step=10, controller=None)])
    told, usual = (pp.export(thing, tmp_path / f"out.{ending}").laws for thing in (edited, scenario))
    assert [law.law for law in told if law.kept == "lost" and law not in usual] == ["1 edit on the way"]

"""`pushpoint export`: scenarios and robots as files of other tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.known_names import complete_experiments
from pushpoint.cli.outputs import AsJson, Changes, single_scenario, stoppable

if TYPE_CHECKING:
    from pushpoint.interchange import Report

ROBOT_FILES = (".urdf", ".xml")
"""Endings of files that hold a robot."""


def export(
    target: Annotated[
        str,
        typer.Argument(
            metavar="NAME-or-FILE",
            help="A name from `pushpoint list`, a scenario file, a robot of the catalogue, or its file.",
            autocompletion=complete_experiments,
        ),
    ],
    to: Annotated[Path, typer.Option(metavar="FILE", help="The file; its ending says what it is: .xml or .urdf.")],
    changes: Changes = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run a scenario for one gait period here and in MuJoCo, and compare.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a scenario or a robot as a file of another tool.

    Says law by law what is exact, approximated or lost; the same report lies beside the file. `.xml` is MJCF for
    MuJoCo, `.urdf` is URDF, a robot alone.
    """
    from pushpoint.interchange.exporting import export as write

    thing = _thing(target, changes)
    with stoppable():
        report = write(thing, to)
        if check:
            report = _checked(thing, report)
    _tell(report, as_json)


def _thing(target: str, changes: list[str] | None) -> Any:
    """A robot of the catalogue or of a file, or a scenario."""
    from pushpoint.model.catalogue import ROBOTS

    if Path(target).suffix.lower() in ROBOT_FILES:
        from pushpoint.interchange.robots.reading import read_robot

        return read_robot(target)
    return ROBOTS[target]() if target in ROBOTS else single_scenario(target, changes)


def _checked(thing: Any, report: Report) -> Report:
    """The report with what a run in both simulators says about the path; it is written again."""
    from pushpoint.interchange import run_beside_mujoco

    return report.with_laws(run_beside_mujoco(thing).law).written()


def _tell(report: Report, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(report.document()))
        return
    typer.echo(str(report))
    for path in report.files:
        typer.echo(f"wrote {path}")

"""`pushpoint export`: scenarios, robots and runs as files of other tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli.known_names import complete_experiments
from pushpoint.cli.outputs import AsJson, Changes, default_folder, single_scenario, stoppable
from pushpoint.errors import BadFile, InvalidModel

if TYPE_CHECKING:
    from pushpoint.interchange import Report

ROBOT_FILES = (".urdf", ".xml")
"""Endings of files that hold a robot."""
RUN = ".nc"
"""What the name of a saved run ends in."""
KINDS = ("xml", "urdf", "mcap", "csv", "parquet")
"""Endings that stand for a file beside the run, or in the current folder."""


def export(
    target: Annotated[
        str,
        typer.Argument(
            metavar="NAME-or-FILE",
            help="A name from `pushpoint list`, a scenario file, a robot of the catalogue or its file, a run (RUN.nc).",
            autocompletion=complete_experiments,
        ),
    ],
    to: Annotated[
        Path,
        typer.Option(
            metavar="FILE-or-KIND",
            help="The file, whose ending says what it is; or xml, urdf, mcap, csv, parquet for one beside the run.",
        ),
    ],
    changes: Changes = None,
    world: Annotated[int | None, typer.Option(metavar="NUMBER", help="Which world, of a run of several.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run a scenario for one gait period here and in MuJoCo, and compare.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write something as a file of another tool.

    Says law by law what is exact, approximated or lost; the same report lies beside the file. `.xml` is MJCF for
    MuJoCo, `.urdf` is URDF, a robot alone. Of a run, `.mcap` is a log for Foxglove and ROS 2, `.csv` and `.parquet` are
    tables.
    """
    from pushpoint.interchange.exporting import export as write

    thing = _run(target, world) if target.endswith(RUN) else _thing(target, changes)
    beside = Path(target) if target.endswith(RUN) else Path(default_folder(target).name)
    file = beside.with_suffix(f".{to}") if str(to) in KINDS else to
    if check:
        _can_be_checked(thing, file)
    with stoppable():
        report = write(thing, file)
        if check:
            report = _checked(thing, report)
    _tell(report, as_json)


def _run(target: str, number: int | None) -> Any:
    """A saved run, or one of its worlds."""
    from pushpoint.simulation.storage import load

    found = load(target, lazy=True)  # tables and logs read a part at a time
    if number is None:
        return found
    count = found.sizes.get("world", 1)
    if number not in range(count):
        raise InvalidModel("--world", number, f"0 to {count - 1}")
    return found.isel(world=number) if "world" in found.dims else found


def _thing(target: str, changes: list[str] | None) -> Any:
    """A robot of the catalogue or of a file, or a scenario."""
    from pushpoint.model.catalogue import ROBOTS

    if Path(target).suffix.lower() in ROBOT_FILES:
        from pushpoint.interchange.robots.reading import read_robot

        return read_robot(target)
    return ROBOTS[target]() if target in ROBOTS else single_scenario(target, changes)


def _can_be_checked(thing: Any, file: Path) -> None:
    """Raises an error before anything is written if MuJoCo cannot run the file, or is not there."""
    from pushpoint.interchange.robots.mjcf.beside import mujoco_module
    from pushpoint.scenarios.scenario import Scenario

    if not isinstance(thing, Scenario) or file.suffix.lower() != ".xml":
        raise BadFile(file, "cannot be checked: --check is for a scenario that is written as .xml, which MuJoCo runs")
    mujoco_module()


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

"""`pp.export`: a robot, a world, a scenario or a run as a file of another tool, by its kind and the file's ending."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import xarray as xr

from pushpoint.errors import BadFile, InvalidModel
from pushpoint.interchange.report import Report
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World

ROOM = "pushpoint.interchange"
WRITERS: dict[str, dict[str, str]] = {
    "robot": {".xml": "robots.mjcf.writing", ".urdf": "robots.urdf.writing"},
    "world": {".xml": "robots.mjcf.writing", ".urdf": "robots.urdf.writing", ".csv": "references"},
    "run": {".mcap": "logs.log", ".csv": "tables", ".parquet": "tables"},
}
"""By kind of thing and ending, the module of this room whose `write(thing, path)` writes it and returns the Report."""


def kind_of(thing: Any) -> str:
    """Which kind of thing it is: robot, world or run; raises InvalidModel for anything else, such as a sweep."""
    if isinstance(thing, PlanarRobot | SpatialRobot):
        return "robot"
    if isinstance(thing, Scenario) and thing.varies is not None:
        raise InvalidModel("export: thing", thing.name, "a scenario of one world")
    if isinstance(thing, World | Scenario):
        return "world"
    if isinstance(thing, xr.Dataset):
        return "run"
    raise InvalidModel("export: thing", thing, "a robot, a World, a Scenario of one world, or a run")


@checked_arguments
def export(thing: Any, path: str | Path) -> Report:
    """Writes a robot, a world or a run as a file of another tool, and says what is lost on the way.

        report = pp.export(pp.catalogue.aiko(), "aiko.xml")
        print(report)

    The ending of the file says what is written. For robots and worlds, `.xml` is MJCF and `.urdf` URDF; of a scenario,
    `.csv` has the joint references of its gait. For runs, `.mcap` is a log for Foxglove and the tools of ROS 2, `.csv`
    and `.parquet` are tables with a row per sample. The report lies beside the file as `NAME.report.json`.

    Args:
        thing: A robot, a world, a scenario of one world, or a run.
        path: The file. An existing one is replaced.

    Returns:
        The report: law by law exact, approximated or lost.
    """
    known = WRITERS[kind_of(thing)]
    ending = Path(path).suffix.lower()
    if ending not in known:
        kind = kind_of(thing)
        allowed = " or ".join(known) if known else "nothing yet"
        raise BadFile(path, f"ends in {ending or 'nothing'!r}, must end in {allowed} for a {kind}")
    report: Report = import_module(f"{ROOM}.{known[ending]}").write(thing, Path(path))
    return report.written()

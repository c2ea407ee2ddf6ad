"""The published experiments by name: single runs and sweeps."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from pushpoint.errors import UnknownName
from pushpoint.model.arguments import checked_arguments
from pushpoint.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from pushpoint.papers.writing import Build

ROOMS = (
    "transeth2008a.scenarios",
    "transeth2008a.fitting",
    "transeth2008a.stiction",
    "transeth2008b.scenarios",
    "liljeback2014.scenarios",
    "liljeback2014.terrain",
    "holden2014.scenarios",
    "liljeback2011.scenarios",
    "liljeback2011.heading",
    "liljeback2011.bodies",
    "ours.spatial",
    "ours.pegs",
    "ours.wheels",
    "ours.terrain",
    "ours.plane",
    "ours.mapping",
    "ours.bodies",
    "ours.gaits",
    "ours.curves",
    "ours.paths",
    "ours.records",
    "ours.learned",
)
"""Modules that list experiments, in SCENARIOS and SWEEPS. The names begin with the paper, or with the room of ours."""


def _builders(*lists: str, named: str = "") -> dict[str, Build]:
    """Builders of all experiments; with a name, only of the rooms that can have it, because rooms take time to load."""
    chosen = [room for room in ROOMS if not named or named.partition("/")[0] == _beginning(room)]
    # Imported here, because parts of scenarios may look others up.
    rooms = [vars(import_module(f"pushpoint.papers.{room}")) for room in chosen]
    return {name: build for kind in lists for room in rooms for name, build in room.get(kind, {}).items()}


def _beginning(room: str) -> str:
    """What the names of a room begin with."""
    folder, _, file = room.partition(".")
    return file if folder == "ours" else folder


def scenario_titles() -> dict[str, str]:
    """Name and title of every published experiment, without building any."""
    return _titles("SCENARIOS")


def sweep_titles() -> dict[str, str]:
    """Name and title of every published sweep, without building any."""
    return _titles("SWEEPS")


def scenario_names() -> list[str]:
    """Names of all published experiments."""
    return list(_builders("SCENARIOS"))


def sweep_names() -> list[str]:
    """Names of all published sweeps."""
    return list(_builders("SWEEPS"))


def is_sweep(name: str) -> bool:
    """Whether a name is that of a published sweep."""
    return name in _builders("SWEEPS", named=name)


@checked_arguments
def scenario(target: str | os.PathLike[str], changes: Sequence[str] = ()) -> Scenario:
    """A published experiment by name, or your own from a YAML file.

    For example:

        scenario = pp.scenario("transeth2008a/obstacle-aided", ["controller.amplitude_deg=30"])
        run = scenario.with_changes(duration=2.0).run()

    Args:
        target: A name such as transeth2008a/obstacle-aided (`pushpoint list` shows all), or the path of a scenario
            file.
        changes: Changes by key, as in a file: "controller.amplitude_deg=30", "obstacles[2].x=1.1".
    """
    name = str(os.fspath(target))
    builders = _builders("SCENARIOS", "SWEEPS", named=name)
    if name in builders and not changes:
        return builders[name]()
    from pushpoint.scenarios import files  # here, because YAML takes time to load

    if name in builders:
        return files.changed(builders[name](), changes)
    if files.is_file(name):
        return files.read_scenario(name, changes)
    raise UnknownName("scenario", name, _builders("SCENARIOS", "SWEEPS"))


def _titles(kind: str) -> dict[str, str]:
    return {name: (inspect.getdoc(build) or "").partition("\n")[0] for name, build in _builders(kind).items()}

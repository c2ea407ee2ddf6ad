"""Scenario files: read with the line of every mistake, and written so that the same scenario is read back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.description.changes import apply_sets
from pushpoint.description.complaints import Origin, Where
from pushpoint.description.custom import is_custom
from pushpoint.description.experiments import read_experiment, write_experiment
from pushpoint.description.files import SourceFile, text_of
from pushpoint.description.shapes import rows_of, with_rows
from pushpoint.description.yaml_values import MOST_VALUES, values_in
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.arguments import checked_arguments
from pushpoint.scenarios.scenario import NAME, Scenario
from pushpoint.whole_files import write_atomically, write_bytes
from pushpoint.worlds.world import World

FILE_ENDINGS = {".yaml", ".yml", ".json"}


def is_file(target: str) -> bool:
    """Whether a name is that of a scenario file."""
    # os.path, because a Path raises for a name that is too long for a file.
    return Path(target).suffix.lower() in FILE_ENDINGS or os.path.isfile(target)


def read_scenario(path: str | Path, changes: Sequence[str] = ()) -> Scenario:
    """Reads the scenario in a YAML file, with changes such as controller.amplitude_deg=30."""
    source = SourceFile(path)
    # The file is first read without the changes, so that an error with a line is about the file alone.
    scenario = scenario_from(source.document, where=source.where)
    return changed(scenario, changes, source.document) if changes else scenario


def changed(scenario: Scenario, changes: Sequence[str], document: dict[str, Any] | None = None) -> Scenario:
    """A scenario with some values changed by their keys in its document."""
    given = document_of(scenario) if document is None else document
    # A controller that cannot be written to a document is kept unchanged.
    custom = scenario.world.controller if is_custom(given.get("controller")) else None
    return scenario_from(apply_sets(given, changes), custom=custom)


def scenario_from(document: Any, *, where: Where | None = None, custom: Any = None) -> Scenario:
    """The scenario that a document describes; see `read_experiment`."""
    origin = None if where is None else Origin(where)
    with nullcontext() if origin is None else origin.naming():
        return Scenario(**read_experiment(document, where, custom)._asdict(), origin=origin)


def document_of(scenario: Scenario) -> dict[str, Any]:
    """A scenario as mappings, lists, numbers and text, as in its file."""
    return write_experiment(scenario.experiment)


@checked_arguments
def write_scenario(scenario: Scenario | World, path: str | Path, *, duration: float | None = None) -> Path:
    """Writes a scenario, or a world with its duration, as a YAML file.

    Heights of the ground go into an .npy file beside it.

        gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
        world = pp.World(pp.catalogue.aiko_planar(), pp.Environment(), gait)
        pp.write_scenario(world, "my-course.yaml", duration=10.0)

    Args:
        scenario: A scenario with one world, or a world. Its controller must be a registered kind.
        path: The file. An existing one is replaced.
        duration: Simulated time [s], required with a world.
    """
    path = Path(path)
    if isinstance(scenario, World):
        if duration is None:
            raise InvalidModel("write_scenario: duration", None, "given with a world", unit="s")
        name = path.stem if NAME.fullmatch(path.stem) else "world"
        scenario = Scenario(name=name, worlds=scenario, duration=duration)
    elif duration is not None:
        scenario = scenario.with_changes(duration=duration)
    if scenario.varies is not None:
        raise PushpointError(f"{path}: a scenario of several worlds cannot be written as one file")
    document = document_of(scenario)
    for part in ("controller", "until"):
        if is_custom(document.get(part)):
            name = document[part]["name"]
            raise PushpointError(f"{path}: the {part} {name} cannot be written; pp.register gives a kind its name")
    rows = rows_of(document)
    if rows is not None:
        beside = path.with_name(f"{path.stem}-heights.npy")

        write_atomically(beside, lambda place: np.save(place, np.array(rows)))
        document = with_rows(document, beside.name)
    if values_in(document) > MOST_VALUES:
        raise PushpointError(f"{path}: the scenario holds more than {MOST_VALUES:,} values, too many for a file")
    return write_bytes(path, text_of(document).encode())

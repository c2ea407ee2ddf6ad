"""Scenarios in files: read with the line of every complaint, written so that the same scenario is read back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.description.changes import apply_sets
from pushpoint.description.complaints import Origin, Where
from pushpoint.description.experiments import read_experiment, write_experiment
from pushpoint.description.files import SourceFile, text_of
from pushpoint.description.reading import CUSTOM
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
    return Path(target).suffix.lower() in FILE_ENDINGS or Path(target).is_file()


def read_scenario(path: str | Path, changes: Sequence[str] = ()) -> Scenario:
    """The scenario in a YAML file, with changes such as controller.amplitude_deg=30."""
    source = SourceFile(path)
    # The file is read without the changes first, so that a complaint with a line is about the file alone.
    scenario = scenario_from(source.document, where=source.where)
    return changed(scenario, changes, source.document) if changes else scenario


def changed(scenario: Scenario, changes: Sequence[str], document: dict[str, Any] | None = None) -> Scenario:
    """A scenario with some values changed by their keys in its document."""
    given = document_of(scenario) if document is None else document
    # A controller that no document can hold stays what it is.
    custom = scenario.world.controller if given["controller"].get("kind") == CUSTOM else None
    return scenario_from(apply_sets(given, changes), custom=custom)


def scenario_from(document: Any, *, where: Where | None = None, custom: Any = None) -> Scenario:
    """The scenario that a document describes; see `read_experiment`."""
    origin = None if where is None else Origin(where)
    with nullcontext() if origin is None else origin.naming():
        return Scenario(**read_experiment(document, where, custom)._asdict(), origin=origin)


def document_of(scenario: Scenario) -> dict[str, Any]:
    """A scenario as mappings, lists, numbers and text: what its file holds."""
    return write_experiment(scenario.experiment)


@checked_arguments
def write_scenario(scenario: Scenario | World, path: str | Path, *, duration: float | None = None) -> Path:
    """Writes a scenario, or a world that runs for a duration [s], as a YAML file.

    Heights of the ground lie in an .npy file beside it. A controller that was written in Python and not registered
    cannot be written.
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
    if document["controller"].get("kind") == CUSTOM:
        name = document["controller"]["name"]
        raise PushpointError(f"{path}: the controller {name} cannot be written; pp.register gives a kind its name")
    rows = rows_of(document)
    if rows is not None:
        beside = path.with_name(f"{path.stem}-heights.npy")

        write_atomically(beside, lambda place: np.save(place, np.array(rows)))
        document = with_rows(document, beside.name)
    if values_in(document) > MOST_VALUES:
        raise PushpointError(f"{path}: the scenario holds more than {MOST_VALUES:,} values, which no file may")
    return write_bytes(path, text_of(document).encode())

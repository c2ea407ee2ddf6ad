"""What a run remembers of its origin: the document of an experiment as text, without arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from pushpoint.description.custom import unread_controller
from pushpoint.description.experiments import world_sections, write_experiment
from pushpoint.description.many import ManyExperiments
from pushpoint.description.shapes import rows_of, with_rows
from pushpoint.engine.sharing import Shared
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.user_files import parse_json
from pushpoint.worlds.world import Experiment, World


def run_text(experiment: Experiment, names: Mapping[int, str]) -> str:
    """The text of an experiment: the document of its first world, and how the others differ from it.

    `names` gives, by the id of a height field, the name under which its heights are stored elsewhere.
    """
    known: dict[int, Any] = {}

    def once(part: Any, write: Any) -> Any:
        """Writes each object once: thousands of worlds mostly share robot and course."""
        if id(part) not in known:
            known[id(part)] = write(part)
        return known[id(part)]

    shared = Shared(experiment.worlds)
    first, *others = (_sections(world, once, names) for world in shared.parts)
    document = write_experiment(experiment, first) | first
    changed = [
        {key: part for key, part in written.items() if part is not document[key] and part != document[key]}
        for written in (first, *others)
    ]
    differences = {str(number): changed[row] for number, row in enumerate(shared.which.tolist()) if changed[row]}
    # Checking for loops would take time, and there are none: what is written is made of new lists and mappings.
    return json.dumps(document | {"n_worlds": len(experiment.worlds), "worlds": differences}, check_circular=False)


def _sections(world: World, once: Any, names: Mapping[int, str]) -> dict[str, Any]:
    written = world_sections(world, once)
    field = world.environment.ground.heights
    return written if field is None or id(field) not in names else with_rows(written, names[id(field)])


def statuses_text(codes: Sequence[str]) -> str:
    """How each world ended, as the text that a run keeps."""
    return json.dumps(list(codes))


def read_statuses(text: Any) -> list[str]:
    """How each world ended."""
    return [str(code) for code in _list(text, "world_status", str, "words")]


def figures_text(figures: Sequence[Mapping[str, float]]) -> str:
    """Numbers of each world by name, as the text that a run keeps."""
    return json.dumps([dict(each) for each in figures])


def read_figures(text: Any) -> list[dict[str, Any]]:
    """Numbers of each world."""
    found: list[dict[str, Any]] = _list(text, "world_health", dict, "numbers by their names")
    for number in (number for each in found for number in each.values()):
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise _no_text_of_a_run("world_health", text, "numbers by their names")
    return found


def _list(text: Any, name: str, kind: type, words: str) -> list[Any]:
    try:
        found = parse_json(text)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(each, kind) for each in found):
        raise _no_text_of_a_run(name, text, words)
    return found


def _no_text_of_a_run(name: str, text: Any, words: str) -> InvalidModel:
    return InvalidModel(f"run.attrs['{name}']", str(text)[:40], f"{words} of every world, as a simulation writes them")


MOST_WORLDS = 10_000_000


def description_of(text: Any) -> dict[str, Any]:
    """The document of a run's text, with the worlds that differ by index; raises InvalidModel if it is malformed."""
    try:
        document = parse_json(text)
    except ValueError:
        document = None
    if isinstance(document, dict) and _are_worlds(document.get("n_worlds"), document.get("worlds")):
        return document
    raise InvalidModel("run.attrs['description']", str(text)[:40], "a description as a simulation writes it")


def _are_worlds(count: Any, differences: Any) -> bool:
    """Whether some worlds differ from the first, with their indices as text."""
    if not (isinstance(count, int) and 1 <= count <= MOST_WORLDS and isinstance(differences, dict)):
        return False
    numbers = {str(number) for number in range(count)} if differences else set()
    return differences.keys() <= numbers and all(isinstance(changed, dict) for changed in differences.values())


def read_run_text(text: Any, arrays: Mapping[str, np.ndarray]) -> Experiment:
    """The experiment behind a run's text."""
    return _assembled(text, arrays) if arrays or not isinstance(text, str) else _read(text)


@lru_cache(maxsize=32)
def _read(text: str) -> Experiment:
    return _assembled(text, {})


def _assembled(text: Any, arrays: Mapping[str, np.ndarray]) -> Experiment:
    document = description_of(text)
    count, differences = document.pop("n_worlds"), document.pop("worlds")
    many = ManyExperiments(thorough=True)

    def read(whole: dict[str, Any]) -> Experiment:
        name = rows_of(whole)
        if isinstance(name, str):
            if name not in arrays:
                raise PushpointError(f"the run's variable {name} is missing, which its description needs")
            whole = with_rows(whole, arrays[name])
        return many.read(whole, unread_controller(whole.get("controller")))

    experiment = read(document)
    worlds = [experiment.worlds[0]] * count
    for number, changed in differences.items():
        worlds[int(number)] = read(document | changed).worlds[0]
    return experiment._replace(worlds=tuple(worlds))

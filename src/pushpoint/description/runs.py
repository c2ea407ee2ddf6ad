"""What a run remembers of its origin: the document of an experiment as one text, arrays apart from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from pushpoint.description.experiments import SECTIONS, read_experiment, unread_controller, write_experiment
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.worlds.world import Experiment, World


def run_text(experiment: Experiment, names: Mapping[int, str]) -> str:
    """The text of an experiment: the document of its first world, and of the others what differs from it.

    `names` gives, by the id of a height field, the name under which its heights are kept elsewhere.
    """
    known: dict[int, Any] = {}

    def once(part: Any, write: Any) -> Any:
        """Thousands of worlds mostly share robot and course: each object is written once."""
        if id(part) not in known:
            known[id(part)] = write(part)
        return known[id(part)]

    first = experiment.worlds[0]
    document = write_experiment(experiment) | _sections(first, once, names)
    differences = {}
    for number, world in enumerate(experiment.worlds[1:], start=1):
        changed = {
            key: value
            for key, value in _sections(world, once, names).items()
            if value is not document[key] and value != document[key]
        }
        if changed:
            differences[str(number)] = changed
    return json.dumps(document | {"n_worlds": len(experiment.worlds), "worlds": differences})


def _sections(world: World, once: Any, names: Mapping[int, str]) -> dict[str, Any]:
    written = {key: once(part(world), write) for key, (part, write) in SECTIONS.items()}
    field = world.environment.ground.heights
    if field is not None and id(field) in names:
        heights = written["ground"]["heights"] | {"heights": names[id(field)]}
        written["ground"] = written["ground"] | {"heights": heights}
    return written


def statuses_text(codes: Sequence[str]) -> str:
    """How every world ended, as the text that a run keeps."""
    return json.dumps(list(codes))


def read_statuses(text: str) -> list[str]:
    """How every world ended."""
    return [str(code) for code in json.loads(text)]


def figures_text(figures: Sequence[Mapping[str, float]]) -> str:
    """Figures of every world by their names, as the text that a run keeps."""
    return json.dumps([dict(each) for each in figures])


def read_figures(text: str) -> list[dict[str, Any]]:
    """Figures of every world."""
    return [dict(each) for each in json.loads(text)]


def format_of(text: Any) -> Any:
    """The format number of a run's text; None if it has none."""
    try:
        return json.loads(text)["format"]
    except (TypeError, ValueError, KeyError):
        return None


def read_run_text(text: str, arrays: Mapping[str, np.ndarray]) -> Experiment:
    """The experiment behind a run's text."""
    return _read(text) if not arrays else _assembled(_document(text), arrays)


@lru_cache(maxsize=32)
def _read(text: str) -> Experiment:
    return _assembled(_document(text), {})


def _document(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (TypeError, ValueError):
        document = None
    if not (isinstance(document, dict) and {"n_worlds", "worlds"} <= document.keys()):
        raise InvalidModel("run.attrs['description']", text, "a description as a simulation writes it")
    return document


def _assembled(document: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> Experiment:
    count, differences = document.pop("n_worlds"), document.pop("worlds")
    worlds: list[World] = []
    experiment: Experiment | None = None
    for number in range(count):
        changed = differences.get(str(number), {})
        if number and not changed:
            worlds.append(worlds[0])
            continue
        whole = _with_arrays(document | changed, arrays)
        made = read_experiment(whole, custom=unread_controller(whole["controller"]))
        experiment = experiment or made
        worlds.append(made.worlds[0])
    assert experiment is not None
    return experiment._replace(worlds=tuple(worlds))


def _with_arrays(document: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    heights = document["ground"].get("heights")
    if heights is None or not isinstance(heights["heights"], str):
        return document
    if heights["heights"] not in arrays:
        raise PushpointError(f"the run's variable {heights['heights']} is gone, which its description needs")
    rows = arrays[heights["heights"]].tolist()
    return document | {"ground": document["ground"] | {"heights": heights | {"heights": rows}}}

"""Temporary: the objects of a run, built from what its attribute `scenario` says; `world_of` takes its place.

A dataclass is written there as its fields and, under `kind`, its class; infinity is null, a height field lies in the
Dataset. What cannot be written, such as a function, cannot be read back: a controller that holds one is None.
"""

from __future__ import annotations

import inspect
import json
import pkgutil
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pushpoint.description.from_document import scenario_of
from pushpoint.engine.settings import Settings
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.environment import Environment
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray

ROOMS = ("model", "gaits", "control", "planning", "mapping", "reduced", "engine.planar.start", "engine.spatial.start")


def document(run: xarray.Dataset) -> dict[str, Any]:
    """What the run says about itself."""
    try:
        found = json.loads(run.attrs["scenario"])
        if not isinstance(found, dict):
            raise TypeError("not a mapping")
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidModel("run.attrs['scenario']", str(error), "a scenario as JSON") from error
    return found


def world_of(run: xarray.Dataset, number: int) -> World:
    """One world of a run."""
    said = document(run)
    said |= (said.get("worlds") or {}).get(str(number), {})
    try:
        ground = _built(said["ground"], run)
        environment = Environment(ground=ground, obstacles=_built(said["obstacles"], run))
        robot, start, sensors = (_built(said[name], run) for name in ("robot", "start", "sensors"))
    except (KeyError, TypeError, AttributeError, PushpointError) as error:
        raise InvalidModel(
            "run.attrs['scenario']", str(error), "a scenario with robot, ground and obstacles"
        ) from error
    try:
        # Curves are written in the scenario's document alone.
        controller = scenario_of(json.loads(run.attrs["document"])).controller
    except (KeyError, PushpointError):
        try:
            controller = _built(said["controller"], run)
        except (KeyError, TypeError, AttributeError, PushpointError):
            controller = None
    return World(robot, environment, controller if is_dataclass(controller) else None, start, sensors)


def run_settings(run: xarray.Dataset) -> Settings | None:
    """The numerical choices of a run."""
    said = document(run).get("settings")
    return None if said is None else Settings(**{name: value for name, value in said.items() if name != "kind"})


def statuses(run: xarray.Dataset) -> list[str]:
    """How every world of a run ended."""
    found: list[str] = json.loads(run.attrs.get("world_status", "[]"))
    return found


def _built(value: Any, run: xarray.Dataset) -> Any:
    if isinstance(value, list):
        return tuple(_built(part, run) for part in value)
    if not isinstance(value, dict):
        return value
    made = {name: _built(part, run) for name, part in value.items() if part is not None and name != "kind"}
    if value["kind"] == "HeightField":
        made = {"heights": run["terrain_height"].values, "spacing": made["spacing"], "origin": made["origin"]}
    return _classes()[value["kind"]](**made)


@cache
def _classes() -> dict[str, type]:
    """All dataclasses that a world can be made of."""
    found: dict[str, type] = {}
    for room in ROOMS:
        module = import_module(f"pushpoint.{room}")
        inside = pkgutil.walk_packages(getattr(module, "__path__", ()), f"{module.__name__}.")
        for each in (module, *(import_module(info.name) for info in inside)):
            found |= {name: kind for name, kind in inspect.getmembers(each, inspect.isclass) if is_dataclass(kind)}
    return found

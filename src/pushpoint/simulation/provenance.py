"""What a result says about its origin."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Sequence
from dataclasses import is_dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.engine.settings import Status
from pushpoint.model.terrain import HeightField
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    from pushpoint.simulation.rollout import Rollout

PACKAGES = ("pushpoint", "warp-lang", "numpy", "xarray")


def plain(value: Any) -> Any:
    """The same in JSON types; what has none is named by its type, infinity becomes null."""
    if isinstance(value, HeightField):
        return _field(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {"kind": type(value).__name__} | {name: plain(part) for name, part in _parts(value).items()}
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(part) for part in value]
    if isinstance(value, (bool, str, int)) or value is None:
        return value
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return getattr(value, "__qualname__", type(value).__qualname__)


def _field(field: HeightField) -> dict[str, Any]:
    """A height field by its frame and the digest of its heights, which a Dataset holds as terrain_height."""
    digest = hashlib.sha256(np.ascontiguousarray(field.heights).tobytes()).hexdigest()
    shape = list(field.heights.shape)
    return {"kind": "HeightField", "shape": shape, "sha256": digest} | {
        "spacing": field.spacing,
        "origin": list(field.origin),
    }


def _parts(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def describe(world: World) -> dict[str, Any]:
    """One world in plain words and SI numbers."""
    return {
        "robot": plain(world.robot),
        "ground": plain(world.environment.ground),
        "obstacles": [plain(obstacle) for obstacle in world.environment.obstacles],
        "controller": plain(world.controller),
        "start": plain(world.start),
        "sensors": plain(world.sensors),
    }


def attributes(rollout: Rollout, statuses: Sequence[Status]) -> dict[str, Any]:
    """Attributes of a run's Dataset: JSON strings, because NetCDF knows neither None nor nesting."""
    worst = next((status for status in statuses if status.failed), statuses[0])
    first = describe(rollout.worlds[0])
    scenario = {
        "name": rollout.name,
        **first,
        "duration": rollout.duration,
        "settings": plain(rollout.settings),
        "record": plain(rollout.record),
        "n_worlds": len(rollout.worlds),
        "worlds": _differences(rollout.worlds, first),
    }
    sentence = rollout.failure() or worst.value
    return {
        "scenario": json.dumps(scenario),
        "status": sentence,
        "status_code": worst.name.lower(),
        "world_status": json.dumps([status.name.lower() for status in statuses]),
        "versions": json.dumps({name: version_of(name) for name in PACKAGES} | {"python": platform.python_version()}),
    }


def _differences(worlds: Sequence[World], first: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By world, what differs from the first one: thousands of worlds mostly share robot and course."""
    known: dict[int, Any] = {}

    def described(part: Any) -> Any:
        if id(part) not in known:
            known[id(part)] = plain(part)
        return known[id(part)]

    differences = {}
    for w, world in enumerate(worlds[1:], start=1):
        parts = {
            "robot": described(world.robot),
            "ground": described(world.environment.ground),
            "obstacles": described(world.environment.obstacles),
            "controller": described(world.controller),
            "start": described(world.start),
            "sensors": described(world.sensors),
        }
        changed = {name: part for name, part in parts.items() if part is not first[name] and part != first[name]}
        if changed:
            differences[str(w)] = changed
    return differences


def version_of(package: str) -> str:
    """Version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"

"""The info of a vector environment as Gymnasium has it: one array per key, and under _key the worlds that have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Infos = dict[str, Any]


def infos_of(values: Mapping[str, Any], which: np.ndarray) -> Infos:
    """The info of some worlds; `values` holds arrays with a leading world axis, or mappings of them."""
    found: Infos = {}
    if which.any():
        for name, value in values.items():
            found[name] = infos_of(value, which) if isinstance(value, Mapping) else _only(value, which)
            found[f"_{name}"] = which.copy()
    return found


def union_of_infos(one: Infos, other: Infos) -> Infos:
    """The info of some worlds and of some others."""
    found = dict(one)
    for name, value in other.items():
        if name not in found:
            found[name] = value
        elif isinstance(value, dict):
            found[name] = union_of_infos(found[name], value)
        elif name.startswith("_"):
            found[name] = found[name] | value
        else:
            has = other[f"_{name}"]
            found[name] = np.where(has.reshape(-1, *[1] * (value.ndim - 1)), value, found[name])
    return found


def of_world(infos: Infos, world: int) -> Infos:
    """The info of one world, as its single environment gives it."""
    found: Infos = {}
    for name, value in infos.items():
        if not name.startswith("_") and infos[f"_{name}"][world]:
            is_many = isinstance(value, dict)
            found[name] = of_world(value, world) if is_many else _plain(value[world])
    return found


def _only(value: np.ndarray, which: np.ndarray) -> np.ndarray:
    """A copy in which the other worlds read zero, or None where there are objects."""
    if value.dtype == object:
        found = value.copy()
        found[~which] = None
        return found
    return np.where(which.reshape(-1, *[1] * (value.ndim - 1)), value, np.zeros((), dtype=value.dtype))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

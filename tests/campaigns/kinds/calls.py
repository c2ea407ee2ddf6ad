"""Public functions called with one to three arguments that are wrong, whole or somewhere inside."""

from __future__ import annotations

import dataclasses
import os
from functools import cache
from typing import Any

import numpy as np

from campaigns.calls import exchanged, interchanged, model, pictures, planned, running, studied, studying, things
from campaigns.calls.table import CALLS, Call, wrong_values
from campaigns.campaign import kind

ROOMS = (model, running, planned, pictures, studied, studying, exchanged, interchanged)
"""Each puts its calls into the table when it is imported."""
SLOW = {"film", "replay", "show", "plots.shape", "plots.motion"}
"""Calls that take long where they succeed: tried less often."""
RESULTS = (
    "mapping",
    "reduced",
    "event_driven",
    "Alignment",
    "Residuals",
    "Solution",
    "Health",
    "Comparison",
    "Tracking",
)
"""What functions return is not taken apart: its parts are checked by nobody."""


@cache
def _values() -> list[Any]:
    return list(wrong_values().values())


def _wrong(random: np.random.Generator, right: Any) -> Any:
    """A wrong value; or a right one with a wrong part, where it is a model made of parts, a list or an array."""
    value = _values()[random.integers(len(_values()))]
    way = random.integers(4)
    if way == 1 and dataclasses.is_dataclass(right) and not _is_result(right):
        names = [field.name for field in dataclasses.fields(right) if field.init]
        if names:
            name = names[random.integers(len(names))]
            return dataclasses.replace(right, **{name: _wrong(random, getattr(right, name))})  # type: ignore[type-var]
    if way == 2 and isinstance(right, list | tuple) and right and type(right) in (list, tuple):
        parts = list(right)
        parts[random.integers(len(parts))] = value
        return type(right)(parts)
    if way == 3 and isinstance(right, np.ndarray) and right.size and right.dtype.kind in "iuf":
        return _odd_array(random, right)
    return value


def _odd_array(random: np.random.Generator, right: np.ndarray) -> Any:
    odd = (np.nan, np.inf, -np.inf, 1e308, -1e160, 1e-320, -1.0, 0.0, 2.0**31)[random.integers(9)]
    made = right.astype(float)
    made.flat[random.integers(made.size)] = odd
    orders = (
        made,
        np.asfortranarray(made),
        made[::-1],
        made.astype(">f8"),
        made.astype(object),
        made.tolist(),
        made[:-1],
    )
    return orders[random.integers(len(orders))]


def _is_result(right: Any) -> bool:
    return any(word in f"{type(right).__module__}.{type(right).__name__}" for word in RESULTS)


def chosen_call(random: np.random.Generator) -> Call:
    """One of the calls that have arguments."""
    names = [name for name, call in CALLS.items() if call.places and (name not in SLOW or random.random() < 0.05)]
    return CALLS[names[random.integers(len(names))]]


@kind("calls", full=100_000, short=300, limit=30.0)
def trial(seed: int) -> str:
    """A valid call with one to three arguments replaced."""
    os.chdir(things.folder.make())  # where wrong paths may be written
    random = np.random.default_rng((seed, 17))
    call = chosen_call(random)
    places = random.permutation(len(call.places))[: random.integers(1, 4)]
    chosen = [call.places[k] for k in places]
    call({place: _wrong(random, call.argument(place)) for place in chosen})
    return "accepted"

"""The controllers of a batch: bound to their robots, asked together where they can be, with their memories."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.engine.batching import form, pick, stack
from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement, joined
from pushpoint.worlds.world import World

Check = Callable[[Command, np.ndarray], None]
"""Refuses what is not a command for these worlds."""


@dataclass(eq=False)
class Group:
    """Worlds that are asked in one call."""

    controller: Controller[Any]
    """Bound; side by side where the worlds' own differ in numbers."""
    rows: np.ndarray
    """Numbers of the worlds in the batch."""
    memory: Any
    """What is remembered of them."""


class Controllers:
    """Asks the controllers of worlds and holds their memories."""

    def __init__(self, worlds: Sequence[World]) -> None:
        bound = _bound(worlds)
        memories = [controller.memory() for controller in bound]
        members: dict[Hashable, list[int]] = {}
        for w, controller in enumerate(bound):
            alike = (_form(controller), form(memories[w])) if controller.batches else id(controller)
            members.setdefault(alike, []).append(w)
        self._groups = [
            Group(side_by_side([bound[w] for w in rows]), np.array(rows), stack([memories[w] for w in rows]))
            for rows in members.values()
        ]
        self._n_worlds = len(worlds)

    def ask(self, measurement: Measurement, running: np.ndarray, check: Check) -> Command:
        """The command for the batch; groups without a running world are left out, `check` sees those of the others."""
        parts = []
        for group in self._groups:
            if running[group.rows].any():
                command, group.memory = group.controller.command(pick(measurement, group.rows), group.memory)
                check(command, group.rows)
                parts.append((group.rows, command))
        return parts[0][1] if len(self._groups) == 1 and parts else joined(parts, self._n_worlds)

    def modes(self) -> np.ndarray:
        """Modes that the worlds are in, shape (n_worlds,); NaN where a controller has none."""
        modes = np.full(self._n_worlds, np.nan)
        for group in self._groups:
            if group.controller.modes:
                modes[group.rows] = group.controller.mode_of(group.memory)
        return modes


def _bound(worlds: Sequence[World]) -> list[Controller[Any]]:
    """The bound controllers of worlds: one for all that share controller, robot, and the environment if it matters."""
    found: dict[tuple[int, ...], Controller[Any]] = {}

    def of(world: World) -> Controller[Any]:
        controller: Any = world.controller
        place = world.environment if "environment" in controller.needs else None
        key = (id(controller), id(world.robot), id(place))
        if key not in found:
            found[key] = controller.bind(world.robot, place)
        return found[key]

    return [of(world) for world in worlds]


def side_by_side(parts: Sequence[Any]) -> Any:
    """Controllers of one form as one: floats and arrays that differ get a leading world axis, all else stays."""
    first = parts[0]
    if all(part is first for part in parts):
        return first
    if isinstance(first, Controller):
        whole = copy.copy(first)  # not made anew: the checks at birth are for single numbers
        for name in vars(first):
            object.__setattr__(whole, name, side_by_side([vars(part)[name] for part in parts]))
        return whole
    if isinstance(first, tuple) and type(first) is not tuple:
        return type(first)(*map(side_by_side, zip(*parts, strict=True)))
    same = not isinstance(first, float | np.ndarray) or len({np.asarray(part).tobytes() for part in parts}) == 1
    return first if same else np.stack(parts)


def _form(part: Any, *, exact: bool = False) -> Hashable:
    """What bound controllers must have in common to be put side by side."""
    if isinstance(part, Controller):
        return (type(part), *map(_form, vars(part).values()))
    if isinstance(part, tuple):
        return (type(part), *(_form(each, exact=type(part) is tuple) for each in part))
    if isinstance(part, np.ndarray) and not exact:
        return part.shape, part.dtype.str
    if isinstance(part, float):
        return part if exact else float
    return part if part is None or isinstance(part, bool | int | str) else id(part)

"""Asks the controllers of a batch for commands, those that are alike together, and holds their memories."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from pushpoint.engine.batching import form, pick, stack
from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement, joined_command
from pushpoint.errors import InvalidModel
from pushpoint.worlds.world import World

Check = Callable[[Command, np.ndarray], None]
"""Raises InvalidModel for anything that is not a command for these worlds."""


class Controllers:
    """Calls the controllers of worlds and holds their memories. Passive worlds have none; their command is zero."""

    def __init__(self, worlds: Sequence[World]) -> None:
        known: dict[Hashable, Controller[Any]] = {}  # bound controllers by controller, robot, and environment if needed
        members: dict[Hashable, list[tuple[int, Controller[Any], Any]]] = {}
        for w, world in enumerate(worlds):
            if world.controller is None:
                continue
            place = world.environment if "environment" in world.controller.needs else None
            key = (id(world.controller), id(world.robot), id(place))
            if key not in known:
                known[key] = world.controller.bind(world.robot, place)
            controller, memory = known[key], known[key].memory()
            alike = (_form(controller), form(memory)) if controller.batches else id(controller)
            members.setdefault(alike, []).append((w, controller, memory))
        groups = [tuple(zip(*group, strict=True)) for group in members.values()]
        self._groups = [(np.array(rows), side_by_side(controllers)) for rows, controllers, _ in groups]
        """Worlds whose controllers are called together, by index; their parameters are stacked where they differ."""
        self._memories = [stack(memories) for _, _, memories in groups]
        self._n_worlds = len(worlds)
        self._worlds = worlds

    def succeeded_by(self, world: World) -> Controllers:
        """The controllers after the only world has changed; they adopt the memory, or keep that of the same one."""
        found, before = Controllers([world]), self._worlds[0]
        if not (found._groups and self._groups):
            return found
        (_, controller), (_, old), memory = found._groups[0], self._groups[0], self._memories[0]
        same = before.controller is world.controller and form(memory) == form(found._memories[0])
        if not same:
            found._memories[0] = stack([controller.adopt(pick(memory, 0), old)])
        else:
            found._memories[0] = memory
        return found

    @property
    def memories(self) -> list[Any]:
        """The memories of the groups of controllers that are called together."""
        return self._memories

    @memories.setter
    def memories(self, memories: list[Any]) -> None:
        self._memories = memories

    def ask(self, measurement: Measurement, running: np.ndarray, check: Check) -> Command:
        """Returns the command for the batch. Groups without a running world are skipped; `check` sees the others."""
        parts = []
        for k, (rows, controller) in enumerate(self._groups):
            if running[rows].any():
                told = controller.command(pick(measurement, rows), self._memories[k])
                if not isinstance(told, tuple | list) or len(told) != 2:
                    raise InvalidModel(f"{type(controller).__name__}.command", told, "a Command and the memory")
                command, self._memories[k] = told
                check(command, rows)
                parts.append((rows, command))
        alone = len(parts) == 1 and len(parts[0][0]) == self._n_worlds
        return parts[0][1] if alone else joined_command(parts, self._n_worlds)

    def modes(self) -> np.ndarray:
        """The mode of each world's controller, shape (n_worlds,); NaN where a controller has none."""
        modes = np.full(self._n_worlds, np.nan)
        for (rows, controller), memory in zip(self._groups, self._memories, strict=True):
            if controller.modes:
                modes[rows] = controller.mode_of(memory)
        return modes


def side_by_side(parts: Sequence[Any]) -> Any:
    """Stacks controllers of one form into one: floats and arrays that differ get a leading world axis."""
    first = parts[0]
    if all(part is first for part in parts):
        return first
    if isinstance(first, Controller):
        whole = copy.copy(first)  # not constructed again: the constructor's checks are for single numbers
        for name in vars(first):
            object.__setattr__(whole, name, side_by_side([vars(part)[name] for part in parts]))
        return whole
    if isinstance(first, tuple) and type(first) is not tuple:
        return type(first)(*map(side_by_side, zip(*parts, strict=True)))
    same = not isinstance(first, float | np.ndarray) or len({np.asarray(part).tobytes() for part in parts}) == 1
    return first if same else np.stack(parts)


def _form(part: Any, *, exact: bool = False) -> Hashable:
    """What bound controllers must have in common to be stacked."""
    if isinstance(part, Controller):
        return (type(part), *map(_form, vars(part).values()))
    if isinstance(part, tuple):
        return (type(part), *(_form(each, exact=type(part) is tuple) for each in part))
    if isinstance(part, np.ndarray) and not exact:
        return part.shape, part.dtype.str
    if isinstance(part, float):
        return part if exact else float
    return part if part is None or isinstance(part, bool | int | str) else id(part)

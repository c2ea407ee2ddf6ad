"""The controllers of many worlds, called together."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from pushpoint.engine.batching import form, merge, pick, stack
from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement, joined_command
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import truths
from pushpoint.model.checks import instance, members
from pushpoint.worlds.world import World

Check = Callable[[Command, np.ndarray], None]
"""Raises InvalidModel for anything that is not a command for these worlds."""


class Controllers:
    """The controllers of worlds, with their memories, to be called by hand.

    Controllers of one kind are called together, each with its own parameters, so hundreds of candidates cost little
    more than one. With a Simulator of the same worlds, at the rate of the controllers:

        robot, pegs = pp.catalogue.liljeback2011(), pp.Environment(obstacles=[pp.Peg(x=0.3, y=0.3, radius=0.1)])
        worlds = [pp.World(robot, pegs, pp.control.ContinuousResolution(gain=gain)) for gain in (0.05, 0.1)]
        controllers = pp.Controllers(worlds)
        simulator = pp.Simulator(worlds, rate=worlds[0].controller.rate)
        measured = simulator.reset()
        for _ in range(10):
            measured = simulator.step(controllers.command(measured))

    Args:
        worlds: The worlds. One without a controller gets a command of zeros.
    """

    def __init__(self, worlds: Sequence[World]) -> None:
        """Binds the controllers to their robots."""
        self._worlds = list(members("worlds", worlds, World, "a World"))
        self._bound: list[Controller[Any] | None] = [None] * len(self._worlds)
        self._bind(range(len(self._worlds)))
        self._seat([None if bound is None else bound.memory() for bound in self._bound])

    def __repr__(self) -> str:
        kinds = ", ".join(f"{len(rows)} of {type(each).__name__}" for rows, each in self._groups)
        return f"<Controllers of {len(self._worlds)} worlds: {kinds or 'none'}>"

    def _bind(self, rows: Sequence[int]) -> None:
        """Binds the controllers of some worlds; those that share controller and robot get the same one."""
        known: dict[Hashable, Controller[Any]] = {}  # by controller, robot, and environment if needed
        for row in rows:
            world = self._worlds[row]
            if world.controller is None:
                self._bound[row] = None
                continue
            place = world.environment if "environment" in world.controller.needs else None
            key = (id(world.controller), id(world.robot), id(place))
            if key not in known:
                known[key] = world.controller.bind(world.robot, place)
            self._bound[row] = known[key]

    def _seat(self, memories: Sequence[Any]) -> None:
        """Puts together the controllers that can be called together; their parameters are stacked where they differ."""
        groups: dict[Hashable, list[int]] = {}
        for row, (controller, memory) in enumerate(zip(self._bound, memories, strict=True)):
            if controller is not None:
                alike = (_form(controller), form(memory)) if controller.batches else id(controller)
                groups.setdefault(alike, []).append(row)
        self._groups = [(np.array(rows), side_by_side([self._bound[k] for k in rows])) for rows in groups.values()]
        """Worlds whose controllers are called together, by index."""
        self._memories = [stack([memories[k] for k in rows]) for rows in groups.values()]

    def succeeded_by(self, world: World) -> Controllers:
        """The controllers after the only world has changed; they adopt the memory, or keep that of the same one."""
        found, before = Controllers([world]), self._worlds[0]
        if not (found._groups and self._groups):
            return found
        (_, controller), (_, old), memory = found._groups[0], self._groups[0], self._memories[0]
        if before.controller is world.controller and form(memory) == form(found._memories[0]):
            found._memories[0] = memory
        else:
            found._memories[0] = stack([controller.adopt(pick(memory, 0), old)])
        return found

    @property
    def memories(self) -> list[Any]:
        """The memories of the groups of controllers that are called together."""
        return self._memories

    @memories.setter
    def memories(self, memories: list[Any]) -> None:
        self._memories = memories

    def reset(self, mask: np.ndarray | None = None, worlds: Sequence[World] | None = None) -> None:
        """Lets controllers begin again, or those of other worlds in their place; as in Simulator.reset.

        Args:
            mask: Which worlds, shape (n_worlds,); default: all.
            worlds: The worlds to put in, one for each True of the mask, in order; default: those that are there.
        """
        count = len(self._worlds)
        rows = np.flatnonzero(np.ones(count, dtype=bool) if mask is None else truths("mask", mask, count)).tolist()
        if worlds is not None:
            new = members("worlds", worlds, World, "a World")
            if len(new) != len(rows):
                raise InvalidModel("worlds", len(new), f"{len(rows)}, one for each world that is reset")
            for row, world in zip(rows, new, strict=True):
                self._worlds[row] = world
        memories: list[Any] = [None] * count
        for (of, _), memory in zip(self._groups, self._memories, strict=True):
            for k, row in enumerate(of.tolist()):
                memories[row] = pick(memory, k)
        if worlds is not None:
            self._bind(rows)
        for row in rows:
            bound = self._bound[row]
            memories[row] = None if bound is None else bound.memory()
        self._seat(memories)

    def command(self, measurement: Measurement, active: np.ndarray | None = None) -> Command:
        """The command of all worlds.

        Args:
            measurement: What all worlds measure now.
            active: Which worlds act, shape (n_worlds,); default: all. The memories of the others stay as they are.
        """
        count = len(self._worlds)
        chosen = np.ones(count, dtype=bool) if active is None else truths("active", active, count)
        if len(instance("measurement", measurement, Measurement, "a Measurement").time) != count:
            raise InvalidModel("measurement", f"of {len(measurement.time)} worlds", f"of {count}")
        before = list(self._memories)
        command = self.ask(measurement, chosen, lambda _command, _rows: None)
        for k, (rows, _) in enumerate(self._groups):
            if not chosen[rows].all():
                self._memories[k] = merge(before[k], chosen[rows], pick(self._memories[k], chosen[rows]))
        return command

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
        alone = len(parts) == 1 and len(parts[0][0]) == len(self._worlds)
        return parts[0][1] if alone else joined_command(parts, len(self._worlds))

    def modes(self) -> np.ndarray:
        """The mode of each world's controller, shape (n_worlds,); NaN where a controller has none."""
        modes = np.full(len(self._worlds), np.nan)
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

"""The worlds that edits lead through, one after the other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from pushpoint.worlds.edits import Edit, stages
from pushpoint.worlds.world import World

KEPT_EVERY = 20
"""Edits between worlds that are kept [-]."""


class Stages:
    """A world, its edits, and the worlds after each of them.

    A drag makes sixty edits a second, and every world has all obstacles. So few worlds are kept, and the others are
    made again when somebody asks for them: memory grows with what has changed, not with what stands around.
    """

    def __init__(self, world: World) -> None:
        self.now = world
        """The world after all edits."""
        self.edits: list[Edit] = []
        self._kept = [world]  # before the first edit, and after every KEPT_EVERY of them
        self._controllers = [world.controller]  # before the first edit, and after each
        self._most = [len(world.environment.obstacles)]  # obstacles of a world up to then

    def append(self, edit: Edit, world: World) -> None:
        """Takes one more edit, and the world after it."""
        self.now = world
        self.edits.append(edit)
        self._controllers.append(world.controller)
        self._most.append(max(self._most[-1], len(world.environment.obstacles)))
        if len(self.edits) % KEPT_EVERY == 0:
            self._kept.append(world)

    def with_edits(self, edits: Sequence[Edit]) -> Stages:
        """The stages of other edits; raises InvalidModel for those that do not fit. What is alike is not made again."""
        alike = self.alike(edits)
        found = Stages(self._kept[0])
        found.now, found.edits = self.after(alike), self.edits[:alike]
        found._kept = self._kept[: alike // KEPT_EVERY + 1]
        found._controllers, found._most = self._controllers[: alike + 1], self._most[: alike + 1]
        worlds = stages([found.now], edits, first=alike)
        for edit, world in zip(edits[alike:], worlds[1:], strict=True):
            found.append(edit, world)
        return found

    def alike(self, edits: Sequence[Edit]) -> int:
        """How many edits are the same from the beginning on."""
        pairs = enumerate(zip(edits, self.edits, strict=False))
        return next((k for k, (a, b) in pairs if a is not b), min(len(edits), len(self.edits)))

    def after(self, count: int) -> World:
        """The world after so many of the edits."""
        if count == len(self.edits):
            return self.now
        kept = count // KEPT_EVERY
        world = self._kept[kept]
        for edit in self.edits[kept * KEPT_EVERY : count]:
            world = edit.applied_to(world)
        return world

    def before_step(self, step: int) -> World:
        """The world when a time step had been done, before the edits that were made then."""
        return self.after(bisect_left(self.edits, step, key=attrgetter("step")))

    def controllers(self, count: int) -> list[Any]:
        """The controllers before the first edit and after each of so many."""
        return self._controllers[: count + 1]

    @property
    def most_obstacles(self) -> int:
        """The most obstacles that a world has at any time [-]."""
        return self._most[-1]

    @property
    def mode_names(self) -> set[tuple[str, ...]]:
        """Names of the modes of the controllers that have modes."""
        return {each.modes for each in self._controllers if each is not None and each.modes}

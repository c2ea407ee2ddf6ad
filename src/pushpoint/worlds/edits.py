"""Edits: what changes in a world while it runs, each before a time step. The same ones give the same run to the bit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pushpoint.brief import brief
from pushpoint.engine.controller import Controller, Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, What, check_fields, members, real
from pushpoint.model.environment import Ground
from pushpoint.model.kinds import family_base, register
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.quantities import Duration, Natural
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.worlds.world import World

__all__ = ["ChangeController", "ChangeGround", "ChangeMotors", "ChangeObstacles", "Edit", "Push"]

OVER = 0.5
"""Time in which another controller takes over unless told otherwise [s]."""


@family_base
@dataclass(frozen=True, kw_only=True)
class Edit(ABC):
    """Base class of edits: something that changes in a world before one of its time steps."""

    __repr__ = brief

    step: Natural
    """Number of time steps that are done when it happens [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "edit")

    @abstractmethod
    def applied_to(self, world: World) -> World:
        """The world after the edit; raises InvalidModel if it does not fit."""


@register("controller")
@dataclass(frozen=True, kw_only=True)
class ChangeController(Edit):
    """Another gait or controller takes over.

    A gait of the same kind goes on in the phase of the one before, also with another frequency. References begin with
    the angles and rates of those before and depart from them within `over`; torques take over at once.
    """

    controller: Annotated[Controller[Any] | None, What("a gait or a controller")] = None
    """The gait or controller; None switches the motors off."""
    over: Duration = OVER
    """Time in which its references take over [s]; with 0 they apply as they are, with jumps and in their own phase."""

    def applied_to(self, world: World) -> World:
        """The world with the other controller."""
        return replace(world, controller=self.controller)


@register("ground")
@dataclass(frozen=True, kw_only=True)
class ChangeGround(Edit):
    """Other ground: its friction, gravity, slope or shape."""

    ground: Ground
    """The ground from now on."""

    def applied_to(self, world: World) -> World:
        """The world on the other ground."""
        return replace(world, environment=replace(world.environment, ground=self.ground))


@register("obstacles")
@dataclass(frozen=True, kw_only=True)
class ChangeObstacles(Edit):
    """Some obstacles in the place of others: added, removed, moved or resized.

    Those behind them in the list get new numbers if more or fewer are put in than are taken out.
    """

    first: Natural = 0
    """Number of the first obstacle that is taken out, or before which others are put in [-]."""
    removed: Natural = 0
    """How many are taken out from there on [-]."""
    obstacles: Annotated[Sequence[Obstacle], What("an Obstacle such as a Peg")] = ()
    """What is put in there."""

    def applied_to(self, world: World) -> World:
        """The world with the other obstacles."""
        before = world.environment.obstacles
        if self.first + self.removed > len(before):
            field, most = ("removed", len(before) - self.first) if self.first <= len(before) else ("first", len(before))
            raise InvalidModel(f"edit.{field}", getattr(self, field), f"at most {most} of {len(before)} obstacles")
        after = (*before[: self.first], *self.obstacles, *before[self.first + self.removed :])
        return replace(world, environment=replace(world.environment, obstacles=after))

    def kept(self, count: int) -> list[int]:
        """The number before of each obstacle after the edit, of `count` obstacles before; -1 for new ones.

        What is put in goes on, one by one, for what is taken out: a peg that is moved is the same peg.
        """
        last = self.first + self.removed
        inside = [*range(self.first, last), *[-1] * len(self.obstacles)][: len(self.obstacles)]
        return [*range(self.first), *inside, *range(last, count)]


@register("robot")
@dataclass(frozen=True, kw_only=True)
class ChangeMotors(Edit):
    """The same robot with other motors: their limits, stiffness and damping."""

    robot: AnyRobot
    """The robot with its new motors; everything else must be as before."""

    def applied_to(self, world: World) -> World:
        """The world of the robot with the other motors."""
        if not _same_but_motors(world.robot, self.robot):
            allowed = "the robot as it is, with other motors: a simulation that runs goes on with the same links"
            raise InvalidModel("edit.robot", self.robot, allowed)
        return replace(world, robot=self.robot)


def _same_but_motors(one: Any, other: Any) -> bool:
    same = type(one) is type(other) and one.links == other.links and one.axes == other.axes
    chains = [[(type(joint), joint.axis_distance) for joint in getattr(robot, "chain", ())] for robot in (one, other)]
    return same and chains[0] == chains[1] and _touching(one) == _touching(other)


def _touching(robot: AnyRobot) -> tuple[Any, ...]:
    return robot.self_contact, robot.self_friction


@register("push")
@dataclass(frozen=True, kw_only=True)
class Push(Edit):
    """A force on a link, at its centre of mass, beside what its controller commands."""

    link: Natural
    """Number of the link, from 0 at the tail [-]."""
    force: Annotated[Sequence[float], real("N"), Many(None, "two numbers x, y, in space three")]
    """Force along the axes of the world [N]; it replaces the one on this link before, and zero ends it."""
    duration: Duration | None = None
    """How long it lasts [s], to whole time steps; default: until the next push of this link."""

    def applied_to(self, world: World) -> World:
        """The same world, if it has such a link."""
        if self.link >= world.robot.n_links:
            most = world.robot.n_links - 1
            raise InvalidModel("edit.link", self.link, f"0 to {most} for {world.robot.n_links} links")
        size = 3 if world.spatial else 2
        if len(self.force) != size:
            raise InvalidModel("edit.force", self.force, f"{size} numbers for a {type(world.robot).__name__}", unit="N")
        return world


def after_edit(world: World, edit: Edit) -> World:
    """The world after an edit; raises InvalidModel for what does not fit its robot."""
    made = edit.applied_to(world)
    made.environment.ground.laws(made.robot.n_links)
    if isinstance(edit, ChangeController) and isinstance(edit.controller, Gait):
        edit.controller.first_reference(world.robot)
    return made


def stages(worlds: Sequence[World], edits: Sequence[Any], *, first: int = 0) -> list[World]:
    """The world before the first edit and after each of them; raises InvalidModel for edits that do not fit.

    The edits before number `first` are known to fit, and have led to the only world of `worlds`.
    """
    given = members("edits", edits, Edit, "an Edit")
    if given and len(worlds) != 1:
        raise InvalidModel("edits", len(given), f"none for {len(worlds)} worlds: they belong to a single one")
    if not given:
        return list(worlds[:1])
    found, step = [worlds[0]], 0
    for k, edit in enumerate(given):
        if edit.step < step:
            raise InvalidModel(f"edits[{k}].step", edit.step, f"at least that of the edit before, {step}")
        step = edit.step
        if k < first:
            continue
        try:
            found.append(after_edit(found[-1], edit))
        except InvalidModel as error:
            raise InvalidModel(
                _placed(k, error.field), error.value, error.bounds or error.words, unit=error.unit, others=error.others
            ) from None
    return found


def _placed(number: int, field: str) -> str:
    """The place of a field of an edit, or of what it changes."""
    return f"edits[{number}].{field.removeprefix('edit.')}"

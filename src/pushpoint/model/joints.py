"""Joints of a robot: the directions that they turn about, and the motor on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from pushpoint.model.checks import check_fields
from pushpoint.model.kinds import family_base, register
from pushpoint.model.motor import FREE, Motor
from pushpoint.model.quantities import Extent

Direction = tuple[float, float, float]
FORWARD: Direction = (1.0, 0.0, 0.0)
LEFT: Direction = (0.0, 1.0, 0.0)
UP: Direction = (0.0, 0.0, 1.0)
"""Unit vectors of a link's frame."""
NAMES = {UP: "yaw", LEFT: "pitch", FORWARD: "roll"}
"""What results and gaits call a turn about them: yaw to the left, pitch downward, roll to the right is positive."""


@dataclass(frozen=True)
class Axis:
    """One actuated axis of a robot, as results and gaits know it."""

    link_behind: int
    """The link behind the joint, 0 for the tail."""
    direction: Direction
    """What it turns about: a unit vector in the frame of the link behind it, all joints straight."""

    @property
    def name(self) -> str:
        """ "yaw" (to the left positive) or "pitch" (downward positive)."""
        return NAMES.get(self.direction, "turn")


class Hinge(NamedTuple):
    """One axis of a joint and what turns it."""

    direction: Direction
    """What it turns about: a unit vector in the frame of the links, the joint straight."""
    motor: Motor
    """What turns it."""

    @property
    def name(self) -> str:
        """What results and gaits call it."""
        return NAMES.get(self.direction, "turn")


@family_base
class Joint:
    """What joins two links; a kind of joint says which hinges it has, at most two."""

    axis_distance: float = 0.0
    """Distance from the first axis forward to the second [m]; 0 where there is one."""

    def __post_init__(self) -> None:
        check_fields(self, "joint")

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """Its hinges from tail to head: each turns what lies in front of it."""
        raise NotImplementedError(f"{type(self).__qualname__} does not list its hinges")


@register("cardan")
@dataclass(frozen=True, kw_only=True)
class Cardan(Joint):
    """Two axes: the front link is turned by Ry(pitch) Rz(yaw) against the rear one, as in Transeth2008b."""

    yaw: Motor = FREE
    """What turns the joint sideways; its axis is fixed to the front link."""
    pitch: Motor = FREE
    """What lifts and lowers; its axis is fixed to the rear link."""
    axis_distance: Extent = 0.0
    """Distance from the pitch axis forward to the yaw axis [m]."""

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """Pitch, then yaw."""
        return (Hinge(LEFT, self.pitch), Hinge(UP, self.yaw))


@dataclass(frozen=True)
class _OneHinge(Joint):
    motor: Motor = FREE
    """What turns it."""

    _direction: ClassVar[Direction]

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """The one."""
        return (Hinge(self._direction, self.motor),)


@register("yaw")
class Yaw(_OneHinge):
    """One vertical axis."""

    _direction = UP


@register("pitch")
class Pitch(_OneHinge):
    """One horizontal axis, across the links."""

    _direction = LEFT

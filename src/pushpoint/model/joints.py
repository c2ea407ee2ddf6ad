"""Joints of a robot: the directions they turn about, and the motor on each axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

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
"""What results and gaits call a turn about each axis.

Yaw to the left, pitch downward and roll to the right are positive.
"""


@dataclass(frozen=True)
class Axis:
    """One actuated axis of a robot."""

    link_behind: int
    """Index of the link behind the joint; 0 is the tail."""
    direction: Direction
    """Unit vector of the axis, in the frame of the link behind it, with all joints straight."""

    @property
    def name(self) -> str:
        """Name of the axis: "yaw" (positive to the left), "pitch" (positive downward) or "roll"."""
        return NAMES.get(self.direction, "turn")


class Hinge(NamedTuple):
    """One axis of a joint, with its motor."""

    direction: Direction
    """Unit vector of the axis, in the frame of the links, with the joint straight."""
    motor: Motor
    """The motor on this axis."""

    @property
    def name(self) -> str:
        """Name of the axis: "yaw", "pitch" or "roll"."""
        return NAMES.get(self.direction, "turn")


@family_base
class Joint:
    """Base class of joints between two links.

    A kind of joint lists its hinges, at most two.
    """

    axis_distance: float = 0.0
    """Distance from the first axis forward to the second [m]; 0 for a single axis."""

    def __post_init__(self) -> None:
        check_fields(self, "joint")

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """The hinges, from tail to head. Each turns everything in front of it."""
        raise NotImplementedError(f"{type(self).__qualname__} does not list its hinges")


@register("cardan")
@dataclass(frozen=True, kw_only=True)
class Cardan(Joint):
    """A joint with two axes, pitch and yaw, in either order.

    The front link is turned relative to the rear one by Ry(pitch) Rz(yaw), as in Transeth2008b, or with `first="yaw"`
    by Rz(yaw) Ry(pitch). The first axis is fixed to the rear link, the second to the front link.
    """

    yaw: Motor = FREE
    """Motor that turns the joint sideways."""
    pitch: Motor = FREE
    """Motor that lifts and lowers."""
    axis_distance: Extent = 0.0
    """Distance from the first axis forward to the second [m]."""
    first: Literal["pitch", "yaw"] = "pitch"
    """The axis on the rear link: "pitch" or "yaw". Angles, motors and results list it before the other."""

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """The two hinges, the one on the rear link first."""
        pitch, yaw = Hinge(LEFT, self.pitch), Hinge(UP, self.yaw)
        return (pitch, yaw) if self.first == "pitch" else (yaw, pitch)


@dataclass(frozen=True)
class _OneHinge(Joint):
    motor: Motor = FREE
    """The motor on the axis."""

    _direction: ClassVar[Direction]

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """The only hinge."""
        return (Hinge(self._direction, self.motor),)


@register("yaw")
class Yaw(_OneHinge):
    """A joint with one vertical axis: it bends sideways."""

    _direction = UP


@register("pitch")
class Pitch(_OneHinge):
    """A joint with one horizontal axis across the links: it lifts and lowers."""

    _direction = LEFT

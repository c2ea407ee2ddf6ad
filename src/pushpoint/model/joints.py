"""Joints of a spatial robot: which axes they turn about, and the motor on each."""

from __future__ import annotations

from dataclasses import dataclass

from pushpoint.model.checks import instance, non_negative, store
from pushpoint.model.kinds import family, register
from pushpoint.model.motor import FREE, Motor


@dataclass(frozen=True)
class Axis:
    """One actuated axis of a robot, as results and gaits know it."""

    link_behind: int
    """The link behind the joint, 0 for the tail."""
    name: str
    """"yaw" (to the left positive) or "pitch" (downward positive)."""


@family
class Joint:
    """What joins two links of a spatial robot."""

    @property
    def motors(self) -> tuple[tuple[str, Motor], ...]:
        """Axes from tail to head with their motors."""
        raise NotImplementedError

    axis_distance: float
    """Distance from the first axis to the second [m]."""


@register("cardan")
@dataclass(frozen=True, kw_only=True)
class Cardan(Joint):
    """Two axes: the front link is turned by Ry(pitch) Rz(yaw) against the rear one, as in Transeth2008b."""

    yaw: Motor = FREE
    """What turns the joint sideways; its axis is fixed to the front link."""
    pitch: Motor = FREE
    """What lifts and lowers; its axis is fixed to the rear link."""
    axis_distance: float = 0.0
    """Distance from the pitch axis forward to the yaw axis [m]."""

    def __post_init__(self) -> None:
        instance("joint.yaw", self.yaw, Motor, "a Motor")
        instance("joint.pitch", self.pitch, Motor, "a Motor")
        store(self, axis_distance=non_negative("joint.axis_distance", self.axis_distance, "m"))

    @property
    def motors(self) -> tuple[tuple[str, Motor], ...]:
        """Axes from tail to head with their motors."""
        return (("pitch", self.pitch), ("yaw", self.yaw))


@register("yaw")
@dataclass(frozen=True)
class Yaw(Joint):
    """One vertical axis."""

    motor: Motor = FREE
    """What turns it."""

    def __post_init__(self) -> None:
        instance("joint.motor", self.motor, Motor, "a Motor")

    @property
    def motors(self) -> tuple[tuple[str, Motor], ...]:
        """The axis with its motor."""
        return (("yaw", self.motor),)

    @property
    def axis_distance(self) -> float:
        """There is one axis [m]."""
        return 0.0


@register("pitch")
@dataclass(frozen=True)
class Pitch(Joint):
    """One horizontal axis, across the links."""

    motor: Motor = FREE
    """What turns it."""

    def __post_init__(self) -> None:
        instance("joint.motor", self.motor, Motor, "a Motor")

    @property
    def motors(self) -> tuple[tuple[str, Motor], ...]:
        """The axis with its motor."""
        return (("pitch", self.motor),)

    @property
    def axis_distance(self) -> float:
        """There is one axis [m]."""
        return 0.0

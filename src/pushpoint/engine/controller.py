"""The contract of controllers, and of gaits, which are controllers that ignore what is measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from pushpoint.engine.batching import pick
from pushpoint.engine.planar.kinematics import about_heading_zero
from pushpoint.engine.signals import Command, Measurement, joined_command
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import instance, real
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import family_base
from pushpoint.model.spatial_robot import AnyRobot

if TYPE_CHECKING:
    from pushpoint.engine.planar.start import Start
    from pushpoint.engine.spatial.start import SpatialStart

Memory = TypeVar("Memory")


class Default:
    """What an attribute is where neither class nor instance says otherwise; to a dataclass field it is no default."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:
            raise AttributeError("an attribute of instances")
        return self._value


@family_base
class Controller(ABC, Generic[Memory]):
    """Closes the loop at a fixed rate; vectorised over worlds, its memory held by the caller.

    `command` is what every controller has; of the rest a class says what differs from the defaults here. Attributes
    may be dataclass fields, class attributes or properties. A memory is an array, a named tuple or a dataclass of
    arrays, nested if need be, or None; it comes back with a leading world axis and keeps its type.
    """

    batches: ClassVar[bool] = False
    """Whether bound controllers of this class that differ in numbers alone are asked in one call.

    Their floats and arrays then have a leading world axis where worlds differ, and stay as they are where not; so have
    those of controllers and named tuples among their fields. What differs otherwise is asked apart."""

    if TYPE_CHECKING:  # read-only for those who derive from it, so that a field and a property both fulfil it

        @property
        def rate(self) -> float:
            """Commands per second [Hz]; default: 100."""

        @property
        def needs(self) -> frozenset[str]:
            """What it must be given besides: "pose" and "range" in measurements, "environment" when it is bound."""

        @property
        def modes(self) -> tuple[str, ...]:
            """Names of its modes by number; default: it has none."""

        @property
        def period(self) -> float | None:
            """Duration of a cycle [s]; None where there is none."""

        @property
        def prescribed(self) -> bool:
            """Whether the references are imposed as motion, which knows no end stops; default: they are targets."""

    else:
        rate, needs, modes, period = Default(100.0), Default(frozenset()), Default(()), Default(None)
        prescribed = Default(False)

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> Start | SpatialStart | None:
        """How a world begins that is given no start of its own; None: at the origin, at rest."""
        return None

    def first_reference(self, robot: AnyRobot) -> np.ndarray | None:
        """Joint angles that it asks for at time zero [rad], shape (n_joints,); None where they are not known before."""
        return None

    def link_angles(self, robot: AnyRobot) -> np.ndarray | None:
        """Link angles at time zero of a flat body about heading zero [rad], shape (n_links,); None: straight."""
        first = self.first_reference(robot)
        return None if first is None else resting_links(robot, first)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> Controller[Memory]:
        """A controller that knows its robot, and the environment if that is among its needs (otherwise None)."""
        return self

    def memory(self) -> Memory:
        """The memory of one world before the first command; asked of a bound controller."""
        return None  # type: ignore[return-value]

    def adopt(self, memory: Any, of: Controller[Any]) -> Memory:
        """What it makes of the memory of one world that another controller, bound, has held until now."""
        return self.memory()

    def mode_of(self, memory: Memory) -> np.ndarray:
        """The modes that worlds with these memories are in, numbers of `modes`, shape (n_worlds,)."""
        raise NotImplementedError(f"{type(self).__qualname__} has modes but does not say which one it is in: mode_of")

    @abstractmethod
    def command(self, measurement: Measurement, memory: Memory) -> tuple[Command, Memory]:
        """The command for the next period and the memory to hand back next time; asked of a bound controller."""


class Bindable(Controller[Memory]):
    """A controller that must know its robot: `bind` gives the one that commands."""

    @abstractmethod
    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> Controller[Memory]:
        """A controller that knows its robot, and the environment if that is among its needs (otherwise None)."""

    def memory(self) -> Memory:
        """Refused: what it remembers depends on the robot."""
        raise self._unbound()

    def command(self, measurement: Measurement, memory: Memory) -> tuple[Command, Memory]:
        """Refused: what it commands depends on the robot."""
        raise self._unbound()

    def _unbound(self) -> InvalidModel:
        return InvalidModel("controller", type(self).__name__, "bound to a robot first: controller.bind(robot)")


class Gait(Bindable[None]):
    """Joint references as a function of time alone, put into a table at its rate; default: 200 Hz."""

    if TYPE_CHECKING:

        @property
        def hold(self) -> bool:
            """Whether each reference is held until the next; otherwise a cubic lies between them, the default."""

    else:
        rate, hold = Default(200.0), Default(False)

    @abstractmethod
    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles [rad] and rates [rad/s] at given times, shape (n_times, n_joints)."""

    def first_reference(self, robot: AnyRobot) -> np.ndarray:
        """Joint angles at time zero [rad], shape (n_joints,)."""
        angles, _ = checked_references(self, np.zeros(1), robot)
        return np.asarray(angles[0])

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero of a flat body about heading zero [rad], shape (n_links,)."""
        return resting_links(robot, self.first_reference(robot))

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundGait:
        """The gait of one robot."""
        return BoundGait(self, robot)


def checked_references(
    gait: Gait, time: np.ndarray, robot: AnyRobot, *, rates_known: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """What a gait asks for at given times, as arrays of our own; refuses what is no table of joint references.

    Where `rates_known` is false a gait may leave out the rates, which are then zero.
    """
    name, told = f"{type(gait).__name__}.references", gait.references(time, robot)
    if not isinstance(told, tuple | list) or len(told) != 2:
        raise InvalidModel(name, told, "joint angles and rates, two arrays")
    if told[1] is None and not rates_known:
        told = (told[0], np.zeros((len(time), robot.n_joints)))
    axes = Axes(len(time), robot.n_joints)
    angle, rate = (
        array(f"{name}: {part}", values, real(unit), axes)
        for part, values, unit in zip(("angles", "rates"), told, ("rad", "rad/s"), strict=True)
    )
    return angle, rate


@dataclass(frozen=True, eq=False)
class BoundGait(Controller[None]):
    """A gait as a controller: it commands the references of the time."""

    gait: Gait
    """The gait."""
    robot: AnyRobot
    """Whose joints it moves."""

    @property
    def rate(self) -> float:
        """Commands per second [Hz]."""
        return self.gait.rate

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The references of the time."""
        angle, rate = checked_references(self.gait, measurement.time, self.robot)
        return Command(joint_angle=angle, joint_rate=rate, prescribed=self.gait.prescribed), None


@dataclass(frozen=True)
class per_world(Controller[np.ndarray]):  # noqa: N801  (reads as a verb at the place of use)
    """Wraps a controller written for one world (no leading axis) so that it serves a batch."""

    scalar: Controller[Any]
    """A controller whose `command` takes and returns arrays without the world axis; it may remember anything."""

    def __post_init__(self) -> None:
        instance("per_world", self.scalar, Controller, "a Controller")

    if not TYPE_CHECKING:
        rate, needs, modes, period = (
            property(attrgetter(f"scalar.{name}")) for name in ("rate", "needs", "modes", "period")
        )

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> Start | SpatialStart | None:
        """As the wrapped controller begins."""
        return self.scalar.start(robot, environment)

    def first_reference(self, robot: AnyRobot) -> np.ndarray | None:
        """That of the wrapped controller [rad]."""
        return self.scalar.first_reference(robot)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> per_world:
        """The wrapped controller bound, and wrapped again."""
        return per_world(self.scalar.bind(robot, environment))

    def memory(self) -> np.ndarray:
        """The wrapped controller's memory, whole."""
        return _boxed([self.scalar.memory()])[0, ...]

    def mode_of(self, memory: np.ndarray) -> np.ndarray:
        """The modes of the worlds, shape (n_worlds,)."""
        return np.array([self.scalar.mode_of(one) for one in memory])

    def command(self, measurement: Measurement, memory: np.ndarray) -> tuple[Command, np.ndarray]:
        """Calls the wrapped controller once per world."""
        answers = [self.scalar.command(pick(measurement, w), one) for w, one in enumerate(memory)]
        commands = [(w, command) for w, (command, _) in enumerate(answers)]
        return joined_command(commands, len(answers)), _boxed([kept for _, kept in answers])


def _boxed(memories: list[Any]) -> np.ndarray:
    """Memories of any kind in an array, one each."""
    boxes = np.empty(len(memories), dtype=object)
    for w, memory in enumerate(memories):
        boxes[w] = memory
    return boxes


def resting_links(robot: AnyRobot, joint_angle: np.ndarray) -> np.ndarray:
    """Link angles of a flat body whose yaw axes have these angles, with mean zero [rad], shape (n_links,)."""
    bends = np.zeros(robot.n_links - 1)
    for axis, angle in zip(robot.axes, joint_angle, strict=True):
        if axis.name == "yaw":
            bends[axis.link_behind] = angle
    return about_heading_zero(bends)

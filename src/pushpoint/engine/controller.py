"""The interface of controllers and of gaits. A gait is a controller that ignores what is measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from pushpoint.brief import brief
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
    """The value of an attribute where neither class nor instance sets it. For a dataclass, the field has no default."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:
            raise AttributeError("an attribute of instances")
        return self._value


@family_base
class Controller(ABC, Generic[Memory]):
    """Base class of controllers: called at a fixed rate for all worlds of a batch at once.

    A controller must define `command`; everything else has a default. Attributes may be dataclass fields, class
    attributes or properties. The memory is whatever a controller needs to remember: an array, a named tuple or
    dataclass of arrays, possibly nested, or None. The caller stores it and hands it back with a leading world axis and
    the same type.

        class HoldStill(pp.Controller):
            def command(self, measurement, memory):
                return pp.Command(joint_angle=np.zeros_like(measurement.joint_angle)), memory
    """

    batches: ClassVar[bool] = False
    """Whether bound controllers of this class that differ only in numbers are called together.

    Their floats and arrays then have a leading world axis where worlds differ, and are unchanged otherwise. The same
    holds for controllers and named tuples among their fields. Controllers that differ in other ways are called
    separately.
    """

    if TYPE_CHECKING:  # read-only, so that derived classes may use a field or a property

        @property
        def rate(self) -> float:
            """Commands per second [Hz]; default: 100."""

        @property
        def needs(self) -> frozenset[str]:
            """What else it needs: "pose" and "range" in measurements, "environment" in `bind`."""

        @property
        def modes(self) -> tuple[str, ...]:
            """Names of its modes, in the order of their numbers; default: none."""

        @property
        def period(self) -> float | None:
            """Duration of one cycle [s]; None without cycles."""

        @property
        def prescribed(self) -> bool:
            """Whether the joints follow the references exactly, ignoring end stops; default: servo targets."""

    else:
        rate, needs, modes, period = Default(100.0), Default(frozenset()), Default(()), Default(None)
        prescribed = Default(False)

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> Start | SpatialStart | None:
        """The start of a world that has none of its own; None: at the origin, at rest.

        Args:
            robot: The robot of the world.
            environment: Its environment, if `needs` contains "environment"; otherwise None.
        """
        return None

    def first_reference(self, robot: AnyRobot) -> np.ndarray | None:
        """Joint angles at time zero [rad], shape (n_joints,); None if they are not known in advance."""
        return None

    def link_angles(self, robot: AnyRobot) -> np.ndarray | None:
        """Link angles of a flat body at time zero, about heading zero [rad], shape (n_links,); None: straight."""
        first = self.first_reference(robot)
        return None if first is None else resting_links(robot, first)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> Controller[Memory]:
        """Returns a controller that knows its robot, ready to command.

        Args:
            robot: The robot of the world.
            environment: Its environment, if `needs` contains "environment"; otherwise None.
        """
        return self

    def memory(self) -> Memory:
        """Returns the memory of one world before the first command; called on a bound controller."""
        return None  # type: ignore[return-value]

    def adopt(self, memory: Any, of: Controller[Any]) -> Memory:
        """Makes a memory of its own when it takes over a world from another controller.

        Args:
            memory: The memory of that world, held by the other controller.
            of: The other controller, bound.
        """
        return self.memory()

    def mode_of(self, memory: Memory) -> np.ndarray:
        """The mode of each world, as an index into `modes`, shape (n_worlds,)."""
        raise NotImplementedError(f"{type(self).__qualname__} has modes but does not say which one it is in: mode_of")

    @abstractmethod
    def command(self, measurement: Measurement, memory: Memory) -> tuple[Command, Memory]:
        """Returns the command for the next period and the new memory; called on a bound controller.

        Args:
            measurement: What is measured now; arrays have a leading world axis.
            memory: What the last call returned, or `memory()` of every world the first time.
        """


class Bindable(Controller[Memory]):
    """A controller that must know its robot: `bind` returns the controller that gives commands."""

    @abstractmethod
    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> Controller[Memory]:
        """Returns a controller that knows its robot, and the environment if `needs` says so (otherwise None)."""

    def memory(self) -> Memory:
        """Not available before `bind`, as the memory depends on the robot: raises InvalidModel."""
        raise self._unbound()

    def command(self, measurement: Measurement, memory: Memory) -> tuple[Command, Memory]:
        """Not available before `bind`, as the command depends on the robot: raises InvalidModel."""
        raise self._unbound()

    def _unbound(self) -> InvalidModel:
        return InvalidModel("controller", type(self).__name__, "bound to a robot first: controller.bind(robot)")


class Gait(Bindable[None]):
    """Base class of gaits: joint references as a function of time alone.

    A gait defines `references`. It is sampled at its `rate`, 200 Hz by default.
    """

    if TYPE_CHECKING:

        @property
        def hold(self) -> bool:
            """Whether each reference is held until the next; default: cubics in between."""

    else:
        rate, hold = Default(200.0), Default(False)

    @abstractmethod
    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at given times, each of shape (n_times, n_joints).

        Args:
            time: Times [s], shape (n_times,).
            robot: The robot whose joints are moved.
        """

    def first_reference(self, robot: AnyRobot) -> np.ndarray:
        """Joint angles at time zero [rad], shape (n_joints,)."""
        angles, _ = checked_references(self, np.zeros(1), robot)
        return np.asarray(angles[0])

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles of a flat body at time zero, about heading zero [rad], shape (n_links,)."""
        return resting_links(robot, self.first_reference(robot))

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundGait:
        """Returns the gait bound to one robot."""
        return BoundGait(self, robot)


def checked_references(
    gait: Gait, time: np.ndarray, robot: AnyRobot, *, rates_known: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Returns copies of a gait's references at given times; raises InvalidModel if they are malformed.

    If `rates_known` is false, a gait may leave out the rates; they are then zero.
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
    """A gait bound to a robot: it commands the references of the current time."""

    __repr__ = brief

    gait: Gait
    """The gait."""
    robot: AnyRobot
    """The robot whose joints it moves."""

    @property
    def rate(self) -> float:
        """Commands per second [Hz]."""
        return self.gait.rate

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The references at the current time."""
        angle, rate = checked_references(self.gait, measurement.time, self.robot)
        return Command(joint_angle=angle, joint_rate=rate, prescribed=self.gait.prescribed), None


@dataclass(frozen=True)
class per_world(Controller[np.ndarray]):  # noqa: N801  (reads as a verb at the place of use)
    """Makes a controller that is written for one world (no world axis) work on a batch.

    For example:

        class Relax(pp.Controller):
            def command(self, measurement, memory):
                return pp.Command(joint_angle=0.9 * measurement.joint_angle), memory

        controller = pp.per_world(Relax())
    """

    scalar: Controller[Any]
    """A controller whose `command` takes and returns arrays without the world axis. Its memory may be anything."""

    def __post_init__(self) -> None:
        instance("per_world", self.scalar, Controller, "a Controller")

    if not TYPE_CHECKING:
        rate, needs, modes, period = (
            property(attrgetter(f"scalar.{name}"), doc=f"The {name} of the wrapped controller.")
            for name in ("rate", "needs", "modes", "period")
        )

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> Start | SpatialStart | None:
        """The start of the wrapped controller."""
        return self.scalar.start(robot, environment)

    def first_reference(self, robot: AnyRobot) -> np.ndarray | None:
        """The first reference of the wrapped controller [rad]."""
        return self.scalar.first_reference(robot)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> per_world:
        """Binds the wrapped controller and wraps it again."""
        return per_world(self.scalar.bind(robot, environment))

    def memory(self) -> np.ndarray:
        """The wrapped controller's memory."""
        return _boxed([self.scalar.memory()])[0, ...]

    def adopt(self, memory: Any, of: Controller[Any]) -> np.ndarray:
        """What the wrapped controller makes of the memory of another that is wrapped in the same way."""
        return _boxed([self.scalar.adopt(memory, of.scalar)])[0, ...] if isinstance(of, per_world) else self.memory()

    def mode_of(self, memory: np.ndarray) -> np.ndarray:
        """The modes of the worlds, shape (n_worlds,)."""
        return np.array([self.scalar.mode_of(one) for one in memory])

    def command(self, measurement: Measurement, memory: np.ndarray) -> tuple[Command, np.ndarray]:
        """Calls the wrapped controller once per world."""
        answers = [self.scalar.command(pick(measurement, w), one) for w, one in enumerate(memory)]
        commands = [(w, command) for w, (command, _) in enumerate(answers)]
        return joined_command(commands, len(answers)), _boxed([kept for _, kept in answers])


def _boxed(memories: list[Any]) -> np.ndarray:
    """Memories of any kind in an array of objects."""
    boxes = np.empty(len(memories), dtype=object)
    for w, memory in enumerate(memories):
        boxes[w] = memory
    return boxes


def resting_links(robot: AnyRobot, joint_angle: np.ndarray) -> np.ndarray:
    """Link angles of a flat body whose yaw axes have these angles, with mean zero [rad], shape (n_links,)."""
    bends = np.zeros(robot.n_links - 1)
    bends[robot.axis_behind[robot.axis_yaws]] = joint_angle[robot.axis_yaws]
    return about_heading_zero(bends)

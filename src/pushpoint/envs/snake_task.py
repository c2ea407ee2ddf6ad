"""A task: the part of an environment that differs from the others.

It says which world an episode takes place in, what is asked for, what a policy sees and commands, and what a step is
worth. It is a frozen set of numbers; whatever changes is passed in and handed back, for all worlds at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from pushpoint.control.neural.acting import KINDS, ActionKind, Actions, WaveRanges
from pushpoint.control.neural.observing import Asked, Observing
from pushpoint.engine.on_device.namespaces import Constant
from pushpoint.engine.planar.kinematics import directions, link_weights
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Measurement
from pushpoint.envs.plain import made
from pushpoint.envs.randomised import NOTHING_RANDOM, Drawn, Randomised
from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.checks import above, at_least, check_fields, store
from pushpoint.model.quantities import Frequency
from pushpoint.model.sensors import PERFECT, PERFECT_SENSORS, Sensors
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.worlds.world import World


class Episode(NamedTuple):
    """One episode of one world."""

    world: World
    """Robot, course and start."""
    direction: float
    """Direction that is asked for [rad]."""
    size: float
    """Speed that is asked for [m/s], or 1 for a direction alone."""
    told: dict[str, Any]
    """What `reset` tells about it in its info."""


class Turn(NamedTuple):
    """What happened in one step, worlds first."""

    place: np.ndarray
    """Where the robot is now, its head or its centre of mass [m], shape (n_worlds, 2)."""
    power: np.ndarray
    """Sum of the motors' mechanical power, of either sign [W], shape (n_worlds,)."""
    asked: Asked
    """What was asked for."""


class StepOutcome(NamedTuple):
    """What one step was worth, worlds first."""

    rewards: dict[str, np.ndarray]
    """The terms of the reward by name; the reward is their sum."""
    terminated: np.ndarray
    """Whether the task is over for good."""
    truncated: np.ndarray
    """Whether it is broken off."""
    told: dict[str, np.ndarray]
    """What `step` tells in its info."""


@dataclass(frozen=True, kw_only=True)
class SnakeTask(ABC):
    """Base class of tasks. Its fields are the keyword arguments of an environment."""

    robot: str
    """Name of a robot in the catalogue; see `pushpoint list robots`."""
    action: ActionKind
    """What the numbers of an action are: "joints", "wave", "bends" or "torque"."""
    rate: Frequency = 20.0
    """Steps of the environment per simulated second [Hz], a whole number of time steps."""
    dt: Annotated[float, above(0, "s")] = 5e-3
    """Time step of the simulation [s]."""
    device: str = "cpu"
    """Where worlds are simulated: "cpu", "cuda:0" and so on. Observations come back as NumPy arrays."""
    precision: Literal["float64", "float32"] = "float64"
    """Floating-point precision of the simulation: "float64" or "float32"."""
    energy_weight: Annotated[float, at_least(0, "1/J")] = 0.0
    """What a joule of mechanical work costs [1/J]."""
    sensors: Sensors = PERFECT_SENSORS
    """Noise, rounding and delay of what is observed; also as a mapping, {"joint_angle": {"noise": 0.01}}."""
    randomised: Randomised = NOTHING_RANDOM
    """What differs from episode to episode; also as a mapping, {"friction": (0.5, 2.0)}."""

    waves: ClassVar[WaveRanges]
    """What the numbers of a wave mean."""
    sensed: ClassVar[tuple[str, ...]]
    """The measured quantities of an observation."""
    most_obstacles: ClassVar[int] = 0
    """The most obstacles of an episode's course [-]."""
    largest_asked: ClassVar[float] = 1.0
    """The largest size that can be asked for."""
    asked_unit: ClassVar[str] = "-"
    """Its unit."""

    def __post_init__(self) -> None:
        store(self, sensors=made("env.sensors", self.sensors, Sensors))
        store(self, randomised=made("env.randomised", self.randomised, Randomised))
        check_fields(self, "env")
        if self.robot not in ROBOTS:
            raise UnknownName("robot", self.robot, ROBOTS)
        if self.sensors.center_of_mass != PERFECT:
            raise InvalidModel("env.sensors.center_of_mass", "a Channel", "left out: rewards see the truth")

    @cached_property
    def usual_robot(self) -> AnyRobot:
        """The robot as the catalogue has it."""
        return ROBOTS[self.robot]()

    @cached_property
    def actions(self) -> Actions:
        """Makes commands of actions."""
        return KINDS[self.action](self.usual_robot, self.waves, self.rate)

    @cached_property
    def observing(self) -> Observing:
        """Makes observations."""
        return Observing(self.sensed, self.usual_robot, self.actions, self.largest_asked, self.asked_unit)

    @property
    def settings(self) -> Settings:
        """Numerical settings. A world that fails ends its own episode alone."""
        return Settings(dt=self.dt, device=self.device, precision=self.precision, on_failure="record")

    @abstractmethod
    def episode(self, random: np.random.Generator) -> Episode:
        """Draws an episode."""

    def pool(self, random: np.random.Generator, count: int) -> list[Episode]:
        """About so many episodes, from which an environment on a device takes its own."""
        return [self.episode(random) for _ in range(count)]

    def place(self, measurement: Measurement) -> np.ndarray:
        """What of the robot is judged: the position of its centre of mass [m], shape (n_worlds, 2)."""
        assert measurement.center_of_mass is not None
        return measurement.center_of_mass[:, :2]

    @abstractmethod
    def begin(self, place: np.ndarray) -> Any:
        """What is remembered of worlds that start here: a tree of arrays with a leading world axis."""

    @abstractmethod
    def judge(self, turn: Turn, memory: Any) -> tuple[StepOutcome, Any]:
        """What a step was worth, and the new memory."""

    def cost(self, turn: Turn) -> np.ndarray:
        """The reward's term for energy [-], shape (n_worlds,)."""
        return -self.energy_weight * turn.power / self.rate

    def sensing(self, random: np.random.Generator) -> Sensors:
        """The sensors of one episode, with noise of their own, whatever the slot."""
        if self.sensors == PERFECT_SENSORS:
            return self.sensors
        return replace(self.sensors, seed=int(random.integers(2**63)), stream=0)

    def drawn(self, random: np.random.Generator) -> tuple[Drawn, dict[str, Any]]:
        """The factors of one episode, and what `reset` tells of them."""
        if not self.randomised.varies:
            return Drawn(), {}
        found = self.randomised.draw(random)
        return found, {"drawn": found._asdict()}


class HeadPlace:
    """Where the head of a planar robot is."""

    def __init__(self, robot: AnyRobot) -> None:
        assert not isinstance(robot, SpatialRobot)
        self._weights = Constant(link_weights(robot, robot.n_links - 1)[:, None])

    def place(self, measurement: Measurement) -> np.ndarray:
        """Position of the head link's centre of mass [m], shape (n_worlds, 2)."""
        center, angle = measurement.center_of_mass, measurement.link_angle
        assert center is not None and angle is not None
        found: np.ndarray = center + (directions(angle) * self._weights.like(angle)).sum(axis=-2)
        return found

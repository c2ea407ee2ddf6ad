"""A controller in a world where something else pulls on the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, What, check_fields, real
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Duration
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot

LOAD = "force and torque: three numbers in the plane, six in space"


@register("loaded")
@dataclass(frozen=True, kw_only=True)
class Loaded(Controller[Any]):
    """Another controller, while constant loads pull on the links: a tether, a wind, a push for a while.

    For example:

        pp.control.Loaded(controller=gait, load=[(0.0, 0.2, 0.0)], begin=5.0, end=6.0)  # every link, for a second
    """

    __repr__ = brief

    controller: Annotated[Controller[Any], What("a gait or a controller")]
    """The controller of the robot. It is not told of the loads."""
    load: Sequence[Annotated[Sequence[float], real("N, N m"), Many(None, LOAD)]]
    """Loads on the links from tail to head, or one for all: force [N] and torque about the centre of mass [N m].

    In the plane each is x, y and torque; in space three numbers each. Axes are the world's.
    """
    begin: Duration = 0.0
    """When the loads begin [s]."""
    end: Duration | None = None
    """When they end [s]; default: never."""

    if not TYPE_CHECKING:
        rate, needs, modes, period, prescribed = (
            property(attrgetter(f"controller.{name}"), doc=f"The {name} of the controller.")
            for name in ("rate", "needs", "modes", "period", "prescribed")
        )

    def __post_init__(self) -> None:
        check_fields(self, "controller")
        if not self.load:
            raise InvalidModel("controller.load", self.load, "at least one load")

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> Start | SpatialStart | None:
        """The start that the controller asks for."""
        return self.controller.start(robot, environment)

    def first_reference(self, robot: AnyRobot) -> np.ndarray | None:
        """The controller's joint angles at time zero [rad]."""
        return self.controller.first_reference(robot)

    def link_angles(self, robot: AnyRobot) -> np.ndarray | None:
        """The controller's link angles at time zero [rad]."""
        return self.controller.link_angles(robot)

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> Loaded:
        """Binds the controller; checks that the loads fit the robot."""
        size = 6 if isinstance(robot, SpatialRobot) else 3
        for k, one in enumerate(self.load):
            if len(one) != size:
                raise InvalidModel(f"controller.load[{k}]", len(one), f"{size} numbers for a {type(robot).__name__}")
        if len(self.load) not in (1, robot.n_links):
            raise InvalidModel("controller.load", len(self.load), f"one load, or {robot.n_links} for as many links")
        each = self.load if len(self.load) > 1 else tuple(self.load) * robot.n_links
        return replace(self, controller=self.controller.bind(robot, environment), load=each)

    def memory(self) -> Any:
        """The controller's memory."""
        return self.controller.memory()

    def adopt(self, memory: Any, of: Controller[Any]) -> Any:
        """What the controller makes of another's memory."""
        return self.controller.adopt(memory, of.controller if isinstance(of, Loaded) else of)

    def mode_of(self, memory: Any) -> np.ndarray:
        """The controller's modes."""
        return self.controller.mode_of(memory)

    def command(self, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """The controller's command, with the loads added to those that it commands itself."""
        command, kept = self.controller.command(measurement, memory)
        t = measurement.time
        acts = (t >= self.begin) & (t < (np.inf if self.end is None else self.end))
        load = acts[:, None, None] * np.array(self.load)
        own = 0.0 if command.link_load is None else command.link_load
        return replace(command, link_load=own + load), kept

"""A scenario: everything one run needs, under a name."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel, SimulationFailed
from pushpoint.model.checks import positive, store
from pushpoint.model.environment import Environment
from pushpoint.model.sensors import PERFECT_SENSORS, Sensors
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.scenarios.claim import Claim
from pushpoint.worlds.record import Record

if TYPE_CHECKING:
    import xarray

    from pushpoint.simulation.rollout import Rollout
    from pushpoint.worlds.world import World

NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A robot in an environment, its controller, its start and its duration."""

    name: str
    """Short name, such as transeth2008a/flat: letters, digits and . _ - /"""
    robot: AnyRobot
    """What moves: a PlanarRobot or a SpatialRobot."""
    environment: Environment
    """Where it moves."""
    controller: Any
    """A gait or a Controller."""
    start: Start | SpatialStart | None = None
    """How it begins; default: with the controller's first reference, at the origin, at rest."""
    sensors: Sensors = PERFECT_SENSORS
    """What its controller is told."""
    duration: float
    """Simulated time [s]."""
    settings: Settings = Settings()
    """Numerical choices."""
    record: Record = Record()
    """What is kept of the run."""
    title: str = ""
    """One line that says what happens."""
    source: str = ""
    """Where the experiment comes from."""
    claims: tuple[Claim, ...] = ()
    """What its source claims about it."""

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and NAME.fullmatch(self.name)):
            raise InvalidModel("name", self.name, "letters, digits and . _ - / such as my-course")
        # What is not for this robot is refused here, before anything is built: a posture, laws or sensors for another
        # number of links, and what belongs to the other kind of robot.
        start: Any = self.world.start
        store(self, duration=positive("duration", self.duration, "s"), start=start)
        self.environment.ground.laws(self.robot.n_links)
        if isinstance(self.robot, SpatialRobot):
            replace(start, position=(0.0, 0.0, 0.0)).pose(self.robot, self.environment)  # at any height: not put down
        else:
            start.pose(self.robot)

    @property
    def world(self) -> World:
        """The scenario as a member of a batch."""
        from pushpoint.worlds.world import World

        return World(self.robot, self.environment, self.controller, self.start, self.sensors)

    def with_changes(self, *, duration: float | None = None, dt: float | None = None) -> Scenario:
        """The same scenario with another duration or time step [s]."""
        settings = self.settings if dt is None else replace(self.settings, dt=dt)
        return replace(self, duration=self.duration if duration is None else duration, settings=settings)

    def rollout(self) -> Rollout:
        """The run, not yet begun, to be driven in portions."""
        from pushpoint.simulation.rollout import Rollout

        return Rollout(
            [self.world],
            duration=self.duration,
            settings=self.settings,
            record=self.record,
            batched=False,
            name=self.name,
        )

    def run(self) -> xarray.Dataset:
        """Simulates from start to end; see simulation.simulate for what it returns and raises."""
        from pushpoint.simulation.simulate import finish

        try:
            return self.stamped(finish(self.rollout()))
        except SimulationFailed as failure:
            failure.run = self.stamped(failure.run)
            raise

    def stamped(self, run: xarray.Dataset) -> xarray.Dataset:
        """A run of this scenario with the scenario's document, from which it can be repeated, in its attributes."""
        from pushpoint.description.to_document import document_of

        return run.assign_attrs(document=json.dumps(document_of(self)))

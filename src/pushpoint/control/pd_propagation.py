"""Shape propagation: the shape of the body on its path is handed from link to link, and the joints' servos follow it.

The usual way through pegs, and the yardstick for force mapping. It knows neither pegs nor friction: joint angles of the
body on the path are the references, the motors' stiffness and damping do the rest, and the pegs push back as they may.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.control.force_mapping_controller import first_head, ramp, reduced
from pushpoint.engine.controller import Bindable, Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command, Measurement
from pushpoint.mapping.rails import Path, Rails, lay_rails
from pushpoint.model.checks import above, check_fields
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Duration, Extent, Frequency, Length
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.reduced.robot import ReducedState
from pushpoint.reduced.smooth import GroundFriction, smooth_terms


class Heads(NamedTuple):
    """What shape propagation keeps of a world: how far the heads' front ends are along the path."""

    virtual: np.ndarray
    """That of the virtual robot [m]."""
    real: np.ndarray
    """That of the real one [m]."""


@register("shape-propagation")
@dataclass(frozen=True, kw_only=True)
class ShapePropagation(Bindable[Heads]):
    """Sends the joint angles of a virtual robot that travels along a path with a given speed."""

    path: Path
    """Where the robot should go."""
    speed: Annotated[float, above(0, "m/s")] = 0.1
    """Speed of the virtual robot's head along the path [m/s]."""
    rate: Frequency = 100.0
    """Commands per second [Hz]."""
    lead: Length = 0.1
    """How far the virtual robot may be ahead of the real one before it waits [m]."""
    head: Extent | None = None
    """Arc length of the head's front end at the start [m]; default: the robot's length."""
    soft_start: Duration = 0.5
    """Time in which the speed grows from nothing [s]."""

    needs = frozenset({"pose"})

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> Start:
        """A robot at rest on the path."""
        return lay_rails(reduced(robot), self.path).start(first_head(self.head, robot))

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundPropagation:
        """Shape propagation of one robot."""
        known = {"rails": lay_rails(reduced(robot), self.path), "head": first_head(self.head, robot)}
        return BoundPropagation(**vars(self) | known)


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundPropagation(ShapePropagation):
    """Shape propagation of one robot, or of several with the same links side by side."""

    batches = True

    rails: Rails
    """The robot's poses on the path."""
    head: float
    """Arc length of the head's front end at the start [m]."""

    def memory(self) -> Heads:
        """Both robots at the start."""
        return Heads(np.array(self.head), np.array(self.head))

    def adopt(self, memory: Any, of: Controller[Any]) -> Heads:
        """Goes on where another one was, if that is on the same path."""
        return memory if isinstance(of, BoundPropagation) and of.path is self.path else self.memory()

    def command(self, measurement: Measurement, memory: Heads) -> tuple[Command, Heads]:
        """Joint angles and rates of the virtual robots, each moved on by one period."""
        real = self._fitted(measurement, memory.real)
        speed = ramp(measurement.time, self.soft_start) * self.speed
        ahead = np.minimum(memory.virtual + speed / self.rate, np.maximum(real + self.lead, memory.virtual))
        q, slope, _ = self.rails.at(ahead)
        rates = np.diff(slope[:, :-2]) * ((ahead - memory.virtual) * self.rate)[:, None]
        return Command(joint_angle=np.diff(q[:, :-2]), joint_rate=rates), Heads(ahead, real)

    def _fitted(self, measurement: Measurement, near: np.ndarray) -> np.ndarray:
        """Where the heads of the real robots are along the path [m], shape (n_worlds,)."""
        angle, center = measurement.link_angle, measurement.center_of_mass
        assert angle is not None and center is not None  # it needs the pose
        still = ReducedState(
            center=center, velocity=np.zeros_like(center), link_angle=angle, link_rate=np.zeros_like(angle)
        )
        M = smooth_terms(self.rails.robot, GroundFriction(), still).mass_matrix
        return self.rails.fit_each(np.concatenate((angle, center), axis=1), M, near)

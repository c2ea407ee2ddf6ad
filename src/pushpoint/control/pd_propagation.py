"""Shape propagation: the shape of the body on its path is handed from link to link, and the joints' servos follow it.

The usual way through pegs, and the yardstick for force mapping. It knows neither pegs nor friction: joint angles of the
body on the path are the references, the motors' stiffness and damping do the rest, and the pegs push back as they may.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.control.force_mapping_controller import ramp, reduced
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command, Measurement
from pushpoint.mapping.rails.path import Path
from pushpoint.mapping.rails.table import Rails, lay_rails
from pushpoint.model.checks import instance, non_negative, positive, store
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.reduced.friction import GroundFriction
from pushpoint.reduced.smooth import smooth_terms
from pushpoint.reduced.state import ReducedState


@dataclass(frozen=True, kw_only=True)
class ShapePropagation:
    """Sends the joint angles of a virtual robot that travels along a path with a given speed."""

    path: Path
    """Where the robot should go."""
    speed: float = 0.1
    """Speed of the virtual robot's head along the path [m/s]."""
    rate: float = 100.0
    """Commands per second [Hz]."""
    lead: float = 0.1
    """How far the virtual robot may be ahead of the real one before it waits [m]."""
    head: float | None = None
    """Arc length of the head's front end at the start [m]; default: the robot's length."""
    soft_start: float = 0.5
    """Time in which the speed grows from nothing [s]."""
    needs_pose: bool = True
    """It reads where the robot is, to wait for it."""

    def __post_init__(self) -> None:
        instance("controller.path", self.path, Path, "a Path")
        store(
            self,
            speed=positive("controller.speed", self.speed, "m/s"),
            rate=positive("controller.rate", self.rate, "Hz"),
            lead=positive("controller.lead", self.lead, "m"),
            soft_start=non_negative("controller.soft_start", self.soft_start, "s"),
        )
        if self.head is not None:
            store(self, head=non_negative("controller.head", self.head, "m"))

    def start(self, robot: PlanarRobot) -> Start:
        """A robot at rest on the path."""
        return lay_rails(reduced(robot), self.path).start(robot.length if self.head is None else self.head)

    def init(self, robot: PlanarRobot, environment: Environment) -> Any:
        """Memory of one world: its rails, and how far the virtual and the real robot are [m]."""
        rails = np.empty((), dtype=object)
        rails[()] = lay_rails(reduced(robot), self.path)
        head = robot.length if self.head is None else self.head
        return rails, np.array(head), np.array(head)

    def command(self, t: np.ndarray, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """Joint angles and rates of the virtual robots, each moved on by one period."""
        rails, virtual, real = memory[0], memory[1].copy(), memory[2].copy()
        angles, rates = np.empty_like(measurement.joint_angle), np.empty_like(measurement.joint_angle)
        share = np.array([ramp(float(now), self.soft_start) for now in t])
        for same, rows in _alike(rails):
            real[rows] = _fitted(same, measurement, rows, real[rows])
            speed = share[rows] * self.speed
            ahead = np.minimum(virtual[rows] + speed / self.rate, np.maximum(real[rows] + self.lead, virtual[rows]))
            q, slope = same.at_each(ahead)
            angles[rows] = np.diff(q[:, :-2])
            rates[rows] = np.diff(slope[:, :-2]) * ((ahead - virtual[rows]) * self.rate)[:, None]
            virtual[rows] = ahead
        return Command(joint_angle=angles, joint_rate=rates), (rails, virtual, real)


def _alike(rails: np.ndarray) -> list[tuple[Rails, np.ndarray]]:
    """Worlds with the same rails, which are computed together."""
    found: dict[int, list[int]] = {}
    for w, one in enumerate(rails):
        found.setdefault(id(one), []).append(w)
    return [(rails[rows[0]], np.array(rows)) for rows in found.values()]


def _fitted(rails: Rails, measurement: Measurement, rows: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Where the heads of the real robots are along the path [m], shape (n_rows,)."""
    assert measurement.link_angle is not None and measurement.center_of_mass is not None  # needs_pose
    angle, center = measurement.link_angle[rows], measurement.center_of_mass[rows]
    rest = ReducedState(center=center, velocity=np.zeros_like(center), link_angle=angle, link_rate=np.zeros_like(angle))
    M = smooth_terms(rails.robot, GroundFriction(), rest).mass_matrix
    return rails.fit_each(np.concatenate((angle, center), axis=1), M, near)

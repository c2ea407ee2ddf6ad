"""What was read of a robot before it is known whether it is a chain: bodies and joints in the axes of the file's world.

All joints stand as the file draws them. Both readers make a DraftRobot, and `chains.py` puts it in order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from pushpoint.interchange.report import Kept, Translated
from pushpoint.interchange.robots.shapes import NOTHING, Mass, Shape
from pushpoint.interchange.robots.trees import Element


@dataclass(eq=False)
class DraftDrive:
    """What moves a hinge, as far as the file says."""

    stiffness: float = 0.0
    """Torque per angle error [N m/rad]."""
    damping: float = 0.0
    """Torque per rate error [N m s/rad]."""
    torque_limit: float = math.inf
    """Largest torque [N m]."""
    speed_limit: float = math.inf
    """Largest rate [rad/s]."""


@dataclass(eq=False)
class DraftJoint:
    """One axis by which a body moves against the body that carries it."""

    node: Element
    kind: str
    """"hinge", "slide", "ball" or "free"."""
    axis: np.ndarray
    """Unit vector of a hinge or a slide."""
    anchor: np.ndarray
    """A point on the axis [m]."""
    lower: float = -math.inf
    """End stops, counted from the posture in which the file draws the robot [rad]."""
    upper: float = math.inf
    drawn_at: float = 0.0
    """Value of the file's joint in that posture [rad]."""
    drive: DraftDrive = field(default_factory=DraftDrive)


@dataclass(eq=False)
class DraftBody:
    """One rigid body."""

    node: Element
    parent: int | None
    """Number of the body that carries it; None if it is the world."""
    joints: list[DraftJoint]
    """How it moves against that body, in the order of the file; fixed to it if there are none."""
    mass: Mass = NOTHING
    shapes: list[Shape] = field(default_factory=list)
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))
    """Its own axes as columns, shape (3, 3)."""


@dataclass(eq=False)
class DraftRobot:
    """A robot as a file has it."""

    name: str
    root: Element
    kind: str
    """URDF or MJCF."""
    bodies: list[DraftBody] = field(default_factory=list)
    laws: list[Translated] = field(default_factory=list)
    self_contact: bool = False

    def remark(self, kept: Kept, law: str, how: str = "", **more: object) -> None:
        """Adds an entry to the report."""
        self.laws.append(Translated(law=law, kept=kept, how=how, **more))  # type: ignore[arg-type]

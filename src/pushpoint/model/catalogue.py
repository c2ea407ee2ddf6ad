"""Published robots, each with its source."""

from __future__ import annotations

from pushpoint.model.robot import Link, Motor, Robot


def aiko_planar() -> Robot:
    """Aiko, the 11-link robot of NTNU/SINTEF as the planar model of Transeth2008a has it."""
    link = Link(length=0.122, mass=7.5 / 11, inertia=1.32e-3, radius=0.0525, side_length=2 * 0.0393)
    motor = Motor(stiffness=800.0, damping=2.0)
    return Robot.uniform(11, link, motor, name="aiko-planar", source="Transeth2008a, VIII-A")


ROBOTS = {"aiko-planar": aiko_planar}

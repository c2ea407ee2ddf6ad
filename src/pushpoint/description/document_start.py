"""The `start` section of a scenario document."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pushpoint.description.document_section import Pair, Section, Triple


class StartSection(Section):
    """Posture, place and velocity of a planar robot at time zero."""

    link_angles_deg: list[float] | None = None
    """Angles of all links, tail to head [deg]; with these, joint_angles_deg and heading_deg are not used."""
    joint_angles_deg: list[float] | None = None
    """Joint angles, tail to head [deg]; default: what the gait asks for at time zero."""
    heading_deg: float = 0.0
    """Mean link angle, weighted by length [deg]."""
    link: int | None = None
    """The link, counted from the tail = 0, that `position` places; default: the robot's centre of mass."""
    position: Pair = Field(default=[0.0, 0.0])
    """Where that point is [m]."""
    velocity: Pair = Field(default=[0.0, 0.0])
    """Velocity of the robot's centre of mass [m/s]."""
    spin_deg: float = 0.0
    """Angular velocity of all links [deg/s]."""
    joint_rates_deg: list[float] | None = None
    """Joint rates, tail to head [deg/s]; default: at rest."""


class SpatialStartSection(Section):
    """Posture, place and velocity of a spatial robot at time zero."""

    joint_angles_deg: list[float] | None = None
    """Angles of all axes, tail to head, pitch before yaw [deg]; default: what the gait asks for at time zero."""
    heading_deg: float = 0.0
    """Where the body points, seen from above [deg]; left out where an orientation is given."""
    orientation: Annotated[list[float], Field(json_schema_extra={"minItems": 4, "maxItems": 4})] | None = None
    """Quaternion w, x, y, z that turns the posture as a whole [-]; default: by the heading alone."""
    link: int | None = None
    """The link, counted from the tail = 0, that `position` places; default: the robot's centre of mass."""
    position: Annotated[list[float], Field(json_schema_extra={"minItems": 2, "maxItems": 3})] = Field(
        default=[0.0, 0.0]
    )
    """Where that point is: x, y, z [m]; x, y alone: the robot is put down on what lies below it."""
    velocity: Triple = Field(default=[0.0, 0.0, 0.0])
    """Velocity of the robot's centre of mass [m/s]."""
    angular_velocity_deg: Triple = Field(default=[0.0, 0.0, 0.0])
    """Angular velocity of the tail, world axes [deg/s]."""
    joint_rates_deg: list[float] | None = None
    """Rates of all axes, tail to head, pitch before yaw [deg/s]; default: at rest."""

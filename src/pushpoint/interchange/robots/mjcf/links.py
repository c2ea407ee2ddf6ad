"""Links as geoms, and what of them touches the ground with which friction."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any, NamedTuple

import numpy as np

from pushpoint.interchange.robots.mjcf import loads
from pushpoint.interchange.robots.mjcf.bodies import mjcf_numbers
from pushpoint.interchange.robots.mjcf.geoms import SKID
from pushpoint.interchange.robots.mjcf.softness import moments_of
from pushpoint.interchange.robots.mjcf.surroundings import GROUND
from pushpoint.model.environment import Ground
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot, SpatialLink, SpatialRobot

SHORT = 1e-3
"""Half length of a skid, in its radius: long enough for MuJoCo to turn the friction along it [-]."""


class Foot(NamedTuple):
    """A geom that touches the ground."""

    name: str
    """Name of the geom."""
    link: int
    """Index of the link."""
    law: FrictionLaw
    """Its law of friction."""
    share: float = 1.0
    """Share of the link's weight that it carries in the plane [-]."""


def fill_link(body: ET.Element, robot: AnyRobot, k: int, law: FrictionLaw) -> list[Foot]:
    """Mass and shapes of a link; returns what touches the ground."""
    link: Any = robot.links[k]
    inertial = {"pos": mjcf_numbers(link.mass_offset, 0, 0), "mass": mjcf_numbers(link.mass)}
    ET.SubElement(body, "inertial", inertial, diaginertia=mjcf_numbers(*moments_of(link)))
    bits = {"contype": "1", "conaffinity": "3" if robot.self_contact else "2"}
    friction = {"friction": mjcf_numbers(robot.self_friction, 0, 0), "condim": "3" if robot.self_friction else "1"}
    ET.SubElement(body, "geom", geom_of(link) | bits | friction, name=f"link{k}")
    feet = [Foot(f"link{k}", k, law)] if isinstance(robot, SpatialRobot) else []
    lowest = max(each.radius for each in robot.links)
    for i, skid in enumerate(_skids(link, law, lowest)):
        name = f"skid{k}_{i}"
        ahead = skid.radius * SHORT * np.array([*skid.way, 0.0])
        ends = mjcf_numbers(*(np.array(skid.place) - ahead), *(np.array(skid.place) + ahead))
        size = mjcf_numbers(skid.radius)
        ET.SubElement(body, "geom", {"class": SKID}, name=name, type="capsule", size=size, fromto=ends)
        feet.append(Foot(name, k, skid.law, skid.share))
    return feet


class _Skid(NamedTuple):
    """A small capsule under a link, for a wheel or a support point."""

    place: tuple[float, float, float]
    radius: float
    way: tuple[float, float]
    law: FrictionLaw
    share: float = 1.0


def _skids(link: Any, law: FrictionLaw, lowest: float) -> list[_Skid]:
    """Wheels where they are; in the plane, wheels or support points so far below the link's axis [m]."""
    ways = [(each.direction, each.law) for each in link.wheels for _ in each.places]
    if isinstance(link, SpatialLink):
        return [_Skid(ball.position, ball.radius, *way) for ball, way in zip(link.wheel_spheres, ways, strict=True)]
    radius = link.radius / 2
    height = radius - lowest
    if not link.wheels:
        return [_Skid((each.offset, 0.0, height), radius, (1.0, 0.0), law, each.share) for each in link.supports]
    places = [place for each in link.wheels for place in each.places]
    return [_Skid((*at, height), radius, *way, 1.0 / len(places)) for at, way in zip(places, ways, strict=True)]


def geom_of(link: Any) -> dict[str, str]:
    """A capsule or a ball, or a box as large as the square link with its rounding."""
    half = float(link.side_length or 0.0) / 2
    if getattr(link, "shape", "round") == "square":
        return {"type": "box", "size": mjcf_numbers(half + float(link.corner_radius or 0.0), link.radius, link.radius)}
    if half == 0.0:
        return {"type": "sphere", "size": mjcf_numbers(link.radius)}
    return {"type": "capsule", "size": mjcf_numbers(link.radius), "fromto": mjcf_numbers(-half, 0, 0, half, 0, 0)}


def add_pairs(model: ET.Element, feet: list[Foot], ground: Ground, robot: AnyRobot) -> None:
    """The contacts with the ground, each with its own friction, along and across its geom."""
    contact = ET.SubElement(model, "contact")
    roll = ground.rolling * float(np.mean(robot.column("radius")))
    masses = loads.inverse_masses(robot) if isinstance(robot, PlanarRobot) else np.zeros(0)
    for foot in feet:
        along, across = pair_friction(foot.law, follows=follows(foot.name, robot))
        sliding = max(along, across) > 0.0
        dimension = 6 if roll else 4 if ground.spin else 3 if sliding else 1
        pair = ET.SubElement(contact, "pair", name=f"{GROUND}_{foot.name}", geom1=GROUND, geom2=foot.name)
        pair.set("condim", str(dimension))
        pair.set("friction", mjcf_numbers(along, across, ground.spin, roll, roll))
        if isinstance(robot, PlanarRobot):
            load = foot.share * robot.links[foot.link].mass * ground.gravity
            loads.tune(pair, load / loads.ENDS, masses[foot.link])


def follows(name: str, robot: AnyRobot) -> bool:
    """Whether MuJoCo turns the friction of a geom on a plane along it: for capsules."""
    if name.startswith("skid"):
        return True
    link = robot.links[int(name.removeprefix("link"))]
    return getattr(link, "shape", "round") == "round" and bool(link.side_length)


def pair_friction(law: FrictionLaw, *, follows: bool) -> tuple[float, float]:
    """Coefficients along and across; the mean of forward and backward, and of both where they cannot differ."""
    if law.kind in ("none", "viscous"):
        return 0.0, 0.0
    forward, backward, across = law.coefficients
    along = (forward + backward) / 2
    return (along, across) if follows else ((along + across) / 2,) * 2

"""Writes robots as URDF files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from math import inf, isfinite, pi
from pathlib import Path
from typing import Any

from pushpoint.interchange.report import Report, Translated
from pushpoint.interchange.robots.mjcf.bodies import joint_names, mjcf_numbers as numbers
from pushpoint.interchange.robots.mjcf.softness import moments_of
from pushpoint.interchange.robots.urdf.reading import UNLIMITED
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.scenarios.scenario import Scenario
from pushpoint.whole_files import write_bytes
from pushpoint.worlds.world import World

CROSS = 1e-6
"""Mass of the body between two axes of one joint, in the mass of the link in front of it, which it is taken from [-].

Readers of URDF need some mass wherever something moves.
"""
LYING = f"0 {pi / 2!r} 0"
"""Turn of URDF's cylinders, which stand along z, into the length of a link [rad]."""


def write(thing: Any, path: Path) -> Report:
    """Writes the file and returns its report."""
    robot: AnyRobot = thing.world.robot if isinstance(thing, Scenario) else getattr(thing, "robot", thing)
    model = model_of(robot)
    ET.indent(model)
    write_bytes(path, ET.tostring(model, encoding="utf-8", xml_declaration=True) + b"\n")
    laws = tuple(_laws(robot, world=isinstance(thing, World | Scenario)))
    return Report(what=f"robot {robot.name}", into="URDF", laws=laws, files=(path,))


def model_of(robot: AnyRobot) -> ET.Element:
    """The links, each in the frame of its middle moved to its rear joint, and the joints between them."""
    model = ET.Element("robot", name=robot.name)
    names = joint_names(robot)
    hinges = [joint.hinges for joint in robot.chain] if isinstance(robot, SpatialRobot) else None
    motors: tuple[Motor, ...] = tuple(robot.motors)  # type: ignore[arg-type]
    _add_link(model, robot, 0, 0.0)
    a = 0
    for k in range(1, robot.n_links):
        count = len(hinges[k - 1]) if hinges else 1
        behind, ahead = f"link{k - 1}", robot.links[k - 1].length
        crossed = robot.links[k].mass * CROSS if count == 2 else 0.0
        for i in range(count):
            front = f"link{k}" if i == count - 1 else f"cross{k}"
            if i < count - 1:
                _add_cross(model, front, crossed, robot.links[k].radius)
            _add_joint(model, names[a], (behind, front), ahead, robot.axes[a].direction, motors[a])
            behind, ahead = front, robot.chain[k - 1].axis_distance if isinstance(robot, SpatialRobot) else 0.0
            a += 1
        _add_link(model, robot, k, crossed)
    return model


def _add_link(model: ET.Element, robot: AnyRobot, k: int, crossed: float) -> None:
    """A link whose origin is at its rear joint; some of its mass may be in the joint behind it [kg]."""
    link: Any = robot.links[k]
    middle = link.length / 2
    node = ET.SubElement(model, "link", name=f"link{k}")
    inertial = ET.SubElement(node, "inertial")
    ET.SubElement(inertial, "origin", xyz=numbers(middle + link.mass_offset, 0, 0), rpy="0 0 0")
    ET.SubElement(inertial, "mass", value=numbers(link.mass - crossed))
    _add_inertia(inertial, moments_of(link))
    for tag in ("visual", "collision"):
        for x, kind, size in _shapes(link):
            part = ET.SubElement(node, tag)
            ET.SubElement(part, "origin", xyz=numbers(middle + x, 0, 0), rpy=LYING if kind == "cylinder" else "0 0 0")
            ET.SubElement(ET.SubElement(part, "geometry"), kind, size)


def _shapes(link: Any) -> Iterator[tuple[float, str, dict[str, str]]]:
    """A box, or a cylinder with a ball at each end: place along the link [m], kind and size."""
    side = float(link.side_length or 0.0)
    if getattr(link, "shape", "round") == "square":
        yield 0.0, "box", {"size": numbers(side + 2 * link.corner_radius, 2 * link.radius, 2 * link.radius)}
        return
    if side > 0.0:
        yield 0.0, "cylinder", {"radius": numbers(link.radius), "length": numbers(side)}
    for x in (-side / 2, side / 2) if side > 0.0 else (0.0,):
        yield x, "sphere", {"radius": numbers(link.radius)}


def _add_inertia(inertial: ET.Element, moments: tuple[float, float, float]) -> None:
    xx, yy, zz = map(numbers, moments)
    ET.SubElement(inertial, "inertia", ixx=xx, iyy=yy, izz=zz, ixy="0", ixz="0", iyz="0")


def _add_cross(model: ET.Element, name: str, mass: float, radius: float) -> None:
    inertial = ET.SubElement(ET.SubElement(model, "link", name=name), "inertial")
    ET.SubElement(inertial, "mass", value=numbers(mass))
    _add_inertia(inertial, (0.4 * mass * radius**2,) * 3)


def _add_joint(
    model: ET.Element, name: str, ends: tuple[str, str], ahead: float, axis: tuple[float, ...], motor: Motor
) -> None:
    """A joint so far ahead of the one behind it [m]."""
    stopped = isfinite(motor.lower) or isfinite(motor.upper)
    joint = ET.SubElement(model, "joint", name=name, type="revolute" if stopped else "continuous")
    ET.SubElement(joint, "parent", link=ends[0])
    ET.SubElement(joint, "child", link=ends[1])
    ET.SubElement(joint, "origin", xyz=numbers(ahead, 0, 0), rpy="0 0 0")
    ET.SubElement(joint, "axis", xyz=numbers(*axis))
    limits = {"effort": motor.torque_limit, "velocity": motor.speed_limit}
    if stopped:
        limits |= {"lower": motor.lower, "upper": motor.upper}
    bounded = {key: min(max(limit, -UNLIMITED), UNLIMITED) for key, limit in limits.items()}
    if stopped or min(motor.torque_limit, motor.speed_limit) < inf:
        ET.SubElement(joint, "limit", {key: numbers(limit) for key, limit in bounded.items()})


def _laws(robot: AnyRobot, *, world: bool) -> Iterator[Translated]:
    def entry(law: str, kept: Any, how: str = "", error: float | None = None, unit: str = "") -> Translated:
        return Translated(law=law, kept=kept, how=how, error=error, unit=unit)

    motors: tuple[Motor, ...] = tuple(robot.motors)  # type: ignore[arg-type]
    yield entry("masses, lengths, centres of mass", "exact")
    if isinstance(robot, SpatialRobot):
        yield entry("inertias", "exact")
        if any(len(joint.hinges) == 2 for joint in robot.chain):
            how = "two joints with a small body between them; mass taken from the link in front"
            error = CROSS * max(link.mass for link in robot.links)
            yield entry("joints with two axes", "approximated", how, error, "kg")
    else:
        yield entry("inertias about the vertical axis", "exact")
        yield entry("inertias about other axes", "approximated", "a planar link has none: those of its box")
        yield entry("motion in the plane", "lost", "the robot may lift and roll")
    corners = [float(getattr(link, "corner_radius", None) or 0.0) for link in robot.links]
    corners = [corner for corner in corners if corner]
    if corners:
        how = "boxes with sharp corners; distance of the corners"
        yield entry("square links", "approximated", how, (3**0.5 - 1) * max(corners) * 1e3, "mm")
    if len(corners) < robot.n_links:
        yield entry("round links", "exact", "a cylinder with a ball at each end")
    if any(link.wheels for link in robot.links):
        yield entry("wheels", "lost", "the links lie on the ground")
    yield from (entry(*each) for each in _motor_laws(motors))
    yield entry("friction that sticks, forward other than backward, ellipses", "lost", "URDF has no contact laws")
    if robot.self_contact:
        yield entry("contact of links with each other", "lost", "readers decide")
    if world:
        yield entry("ground, obstacles, start, controller", "lost", "URDF is a robot alone")


def _motor_laws(motors: tuple[Motor, ...]) -> Iterator[tuple[Any, ...]]:
    if any(isfinite(motor.lower) or isfinite(motor.upper) for motor in motors):
        yield "end stops", "exact"
    if any(isfinite(motor.torque_limit) for motor in motors):
        yield "torque limits", "exact", "effort of the joints"
    if any(isfinite(motor.speed_limit) for motor in motors):
        yield "torque-speed lines", "approximated", "the speed where they end is the velocity of the joints"
    if any(motor.stiffness or motor.damping for motor in motors):
        yield "gains of the servos", "lost", "URDF has none"
    play = max((motor.backlash for motor in motors), default=0.0)
    if play:
        yield "backlash", "lost", "gears have no play", play, "rad"

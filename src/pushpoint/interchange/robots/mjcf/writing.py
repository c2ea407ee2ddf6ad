"""Writes robots and worlds as MJCF files for MuJoCo."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.engine.planar.kinematics import rear_joints
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.kinematics import forward_of, link_poses
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.interchange.report import Report, lost_edits
from pushpoint.interchange.robots.mjcf.bodies import add_chain, joint_names, mjcf_numbers
from pushpoint.interchange.robots.mjcf.geoms import SKID
from pushpoint.interchange.robots.mjcf.laws import laws_of
from pushpoint.interchange.robots.mjcf.links import Foot, add_pairs, fill_link
from pushpoint.interchange.robots.mjcf.loads import RESTING_DEPTH
from pushpoint.interchange.robots.mjcf.softness import IMPEDANCE, file_step, friction_ratio, time_constant
from pushpoint.interchange.robots.mjcf.surroundings import place_ground, place_obstacles
from pushpoint.model.environment import Environment
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.scenarios.scenario import Scenario
from pushpoint.whole_files import write_bytes
from pushpoint.worlds.world import World

MOST_LINKS = 240
"""Elements inside each other that MuJoCo reads, less a reserve [-]."""
ROOT_JOINTS = (("x", "slide", "1 0 0"), ("y", "slide", "0 1 0"), ("z", "slide", "0 0 1"), ("heading", "hinge", "0 0 1"))
"""How the root of a planar robot moves: it cannot tilt, and the ground carries it."""
START = "start"
"""Name of the key frame in which a world begins."""
HOW = (
    " Made by pushpoint. ctrl of an actuator: reference angle + kv / kp * reference rate [rad]. The key frame 'start' "
    "has the start; what is exact, approximated and lost is in the report beside this file. "
)


@dataclass(frozen=True)
class Exported:
    """What is written: a world, or a robot alone, and the time step."""

    world: World
    dt: float
    alone: bool
    """Whether a robot was given without a world."""

    @property
    def robot(self) -> AnyRobot:
        """The robot."""
        return self.world.robot


def exported(thing: Any) -> Exported:
    """What a robot, a world or a scenario of one world is for a file."""
    if isinstance(thing, Scenario):
        if thing.varies is not None:
            raise InvalidModel("export: thing", thing.name, "a scenario of one world")
        return Exported(thing.world, thing.settings.dt, False)
    if isinstance(thing, World):
        return Exported(thing, Settings().dt, False)
    return Exported(World(thing, Environment()), Settings().dt, True)


def write(thing: Any, path: Path) -> Report:
    """Writes the file and returns its report."""
    given = exported(thing)
    if given.robot.n_links > MOST_LINKS:
        raise BadFile(path, f"would have {given.robot.n_links} bodies inside each other, must be at most {MOST_LINKS}")
    model = model_of(given)
    ET.indent(model)
    write_bytes(path, ET.tostring(model, encoding="utf-8", xml_declaration=True) + b"\n")
    what = f"robot {given.robot.name}" if given.alone else f"world of {given.robot.name}"
    laws = (*laws_of(given.world, given.dt, alone=given.alone), *lost_edits(getattr(thing, "edits", ())))
    return Report(what=what, into="MJCF", laws=laws, files=(path,))


def model_of(given: Exported) -> ET.Element:
    """The whole model."""
    robot, environment = given.robot, given.world.environment
    spatial = isinstance(robot, SpatialRobot)
    model = ET.Element("mujoco", model=robot.name)
    model.append(ET.Comment(HOW))
    _add_options(model, given)
    world = ET.SubElement(model, "worldbody")
    place_ground(model, world, environment)
    height = max(link.radius for link in robot.links)
    place_obstacles(model, world, environment, spatial=spatial, top=4 * height)
    names = joint_names(robot)
    motors: list[Motor] = list(robot.motors)  # type: ignore[arg-type]

    def dress(hinge: ET.Element, a: int) -> None:
        hinge.set("name", names[a])
        lower, upper = motors[a].lower, motors[a].upper
        if np.isfinite([lower, upper]).any():
            hinge.set("range", mjcf_numbers(max(lower, -UNLIMITED), min(upper, UNLIMITED)))

    bodies = add_chain(world, robot, dress=dress)
    bodies[0].set("pos", mjcf_numbers(0, 0, height))
    if spatial:
        ET.SubElement(bodies[0], "freejoint", name="root")
    for name, kind, axis in () if spatial else ROOT_JOINTS:
        ET.SubElement(bodies[0], "joint", name=name, type=kind, axis=axis)
    feet: list[Foot] = []
    for k, law in enumerate(environment.ground.laws(robot.n_links)):
        feet += fill_link(bodies[k], robot, k, law)
    add_pairs(model, feet, environment.ground, robot)
    _add_actuators(model, names, motors)
    _add_start(model, given, height)
    return model


UNLIMITED = 1e3
"""End stop of a joint that has one on the other side alone [rad]."""


def _add_options(model: ET.Element, given: Exported) -> None:
    ET.SubElement(model, "compiler", angle="radian", autolimits="true")
    gravity = mjcf_numbers(0, 0, -given.world.environment.ground.gravity)
    step = mjcf_numbers(file_step(given.robot, given.dt))
    option = ET.SubElement(model, "option", timestep=step, gravity=gravity, cone="elliptic")
    option.set("integrator", "implicitfast")
    option.set("impratio", mjcf_numbers(friction_ratio(given.robot)))
    if given.world.controller is None and not given.alone:
        ET.SubElement(option, "flag", actuation="disable")  # the motors of a passive robot are off
    default = ET.SubElement(model, "default")
    softness = {"solref": mjcf_numbers(time_constant(given.dt), 1), "solimp": mjcf_numbers(IMPEDANCE, IMPEDANCE, 0.001)}
    for tag in ("geom", "pair"):
        ET.SubElement(default, tag, softness)
    ET.SubElement(default, "joint", {f"{name}limit": value for name, value in softness.items()})
    skid = ET.SubElement(default, "default", {"class": SKID})
    ET.SubElement(skid, "geom", contype="0", conaffinity="0", mass="0")


def _add_actuators(model: ET.Element, names: list[str], motors: list[Motor]) -> None:
    """One actuator per axis: a servo if the motor has gains, or else a torque."""
    actuators = ET.SubElement(model, "actuator")
    for name, motor in zip(names, motors, strict=True):
        kind = "position" if motor.stiffness else "velocity" if motor.damping else "motor"
        actuator = ET.SubElement(actuators, kind, name=name, joint=name)
        if not motor.torque_limit:  # which MuJoCo would take for none at all
            actuator.tag, motor = "position", replace(motor, stiffness=0.0, damping=0.0)
            actuator.set("kp", "0")
        if motor.stiffness:
            actuator.set("kp", mjcf_numbers(motor.stiffness))
        if motor.damping:
            actuator.set("kv", mjcf_numbers(motor.damping))
        if 0.0 < motor.torque_limit < np.inf:
            actuator.set("forcerange", mjcf_numbers(-motor.torque_limit, motor.torque_limit))


def _add_start(model: ET.Element, given: Exported, height: float) -> None:
    """A key frame with the posture and the place at time zero."""
    place = start_place(given.world, height)
    if place.size:
        keys = ET.SubElement(model, "keyframe")
        ET.SubElement(keys, "key", name=START, qpos=mjcf_numbers(*place))


def start_place(world: World, height: float) -> np.ndarray:
    """qpos of a world at time zero: place and turn of the tail's middle, then the joint angles."""
    pose, robot = world.pose(), world.robot
    if isinstance(robot, SpatialRobot):
        places, turns = link_poses(robot, pose["center"], pose["tail"], pose["angle"])
        middle = places[0] - robot.links[0].mass_offset * forward_of(turns[0])
        return np.concatenate((middle, turns[0], pose["angle"]))
    theta = pose["theta"]
    ahead = np.array([np.cos(theta[0]), np.sin(theta[0])])
    middle = rear_joints(robot, pose["center"], theta)[0] + robot.links[0].length / 2 * ahead
    return np.concatenate((middle, [-RESTING_DEPTH, theta[0]], np.diff(theta)))

"""A spatial robot on flat ground in MuJoCo, a peer to time pushpoint against.

The job: a chain of capsule links with one or two hinges between them (pitch, then yaw), free in space, on a plane with
dry friction, moved by PD servos. Each capsule meets the plane in two points, its end spheres, as in Transeth2008b;
square links are boxes; links do not meet each other. MuJoCo turns the contact frame of a capsule on a plane along the
capsule, and a contact pair has a coefficient for each tangent: that is orthotropic friction, with the friction force in
an ellipse and slip normal to it.

All presets apply the torque K_P (reference - angle) + K_D (reference rate - rate) and use elliptic friction cones:

- `default`: what a user writes first. Position servos, the solver's defaults, and the implicitfast integrator that
  MuJoCo recommends. (Its default, Euler, takes K_D explicitly and diverges with the gains of Transeth2008b at a step of
  1 ms.) The stiff pitch servos tremble at 1 ms, which costs a quarter of the way in lateral undulation; at 2 ms they
  diverge.
- `discrete`: the same with the integrator that MuJoCo 4 offers for stiff servos. It is implicit in the servos' K_P too,
  stable at 4 ms, and travels as far as pushpoint within a few per cent.
- `fastest`: the fastest found that still travels within 10 %. The discrete integrator, the servo as joint spring, joint
  damper and generalised force, islands off, softened contacts that one iteration of conjugate gradients solves well
  enough. More iterations bring it nearer to the others; pyramidal cones, the PGS and Newton solvers, a sparse Jacobian
  and spheres in place of the capsules were no faster.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.bench.mujoco import Job, Preset, add_links, add_servos, demand, empty_model
from pushpoint.engine.spatial.kinematics import link_poses, turned
from pushpoint.errors import InvalidModel
from pushpoint.interchange.robots.mjcf.bodies import mjcf_numbers
from pushpoint.interchange.robots.mjcf.links import geom_of
from pushpoint.model.checks import store
from pushpoint.model.environment import Environment
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic
from pushpoint.model.spatial_robot import SpatialRobot

SOFT_CONTACT = {"solref": "0.002 1", "solimp": "0.3 0.3 0.001"}
"""Contacts of the `fastest` preset: quicker than MuJoCo's (20 ms) and more yielding (0.9), so easier to solve."""

PRESETS = {
    "default": Preset(options={"integrator": "implicitfast"}),
    "discrete": Preset(options={"integrator": "discrete"}),
    "fastest": Preset(
        options={"integrator": "discrete", "solver": "CG", "iterations": "1", "jacobian": "dense"},
        flags={"island": "disable"},
        lean=True,
    ),
}


@dataclass(frozen=True, kw_only=True)
class SpatialJob(Job):
    """One spatial run on flat ground: robot, environment, start at rest, and a table of joint references."""

    presets = PRESETS
    robot: SpatialRobot
    """Motors with stiffness and without limits or play, no self-contact; square links on isotropic ground only."""
    environment: Environment
    """Flat ground with isotropic or elliptic friction, the same everywhere; no obstacles."""
    center_of_mass: np.ndarray
    """Where the robot's centre of mass starts [m], shape (3,)."""
    tail_orientation: np.ndarray
    """Quaternion (w, x, y, z) of the tail at the start, shape (4,)."""
    joint_angle: np.ndarray
    """Joint angles at the start [rad], shape (n_joints,)."""

    def __post_init__(self) -> None:
        places = {name: np.asarray(getattr(self, name), dtype=float) for name in START}
        for name, count in zip(START, (3, 4, self.robot.n_joints), strict=True):
            if places[name].shape != (count,):
                raise InvalidModel(f"{name}.shape", places[name].shape, f"({count},)")
        super().__post_init__()
        store(self, **places)

    def _check_translatable(self) -> None:
        super()._check_translatable()
        ground = self.environment.ground
        for k, (link, law) in enumerate(zip(self.robot.links, ground.laws(self.robot.n_links), strict=True)):
            # The contact frame of a box on a plane does not follow the box.
            turns = link.shape == "round" or isinstance(law, Isotropic)
            demand(turns, f"links[{k}].shape", link.shape, "round here where friction is not isotropic")
            demand(link.side_length != 0.0, f"links[{k}].side_length", link.side_length, "> 0 here [m]")
            _coefficients(law)
        demand(not self.robot.self_contact, "robot.self_contact", self.robot.self_contact, "false here")
        for name, unit in (("rolling", "-"), ("restitution", "-"), ("slope", "rad")):
            demand(getattr(ground, name) == 0.0, f"ground.{name}", getattr(ground, name), f"0 here [{unit}]")
        if ground.heights is not None:
            raise InvalidModel("ground.heights", ground.heights.heights.shape, "none here")
        demand(not self.environment.obstacles, "obstacles", len(self.environment.obstacles), "none here")

    @property
    def friction(self) -> np.ndarray:
        """Coefficients of each link, along and across [-], shape (n_links, 2)."""
        return np.array([_coefficients(law) for law in self.environment.ground.laws(self.robot.n_links)])

    @property
    def root_pose(self) -> np.ndarray:
        """Middle and orientation of the root link at the start, as MuJoCo's free joint has them, shape (7,)."""
        places, turns = link_poses(self.robot, self.center_of_mass, self.tail_orientation, self.joint_angle)
        to_middle = turned(turns[self.root], np.array([-self.robot.links[self.root].mass_offset, 0.0, 0.0]))
        return np.concatenate((places[self.root] + to_middle, turns[self.root]))

    def mjcf(self, preset: Preset) -> str:
        """The job as an MJCF model: ground, chain, one contact pair per link, and one actuator per axis (not lean)."""
        model = empty_model(self, preset)
        world = ET.SubElement(model, "worldbody")
        untouched = {"contype": "0", "conaffinity": "0"}  # contact pairs define what touches
        ET.SubElement(world, "geom", untouched, name="ground", type="plane", size="0 0 1")
        bodies = add_links(world, self, lean=preset.lean)
        ET.SubElement(bodies[self.root], "freejoint", name="root", align="false")
        for k, body in bodies.items():
            link = self.robot.links[k]
            middle, inertia = mjcf_numbers(link.mass_offset, 0, 0), mjcf_numbers(*link.inertia)
            ET.SubElement(body, "inertial", pos=middle, mass=mjcf_numbers(link.mass), diaginertia=inertia)
            ET.SubElement(body, "geom", untouched | geom_of(link), name=f"link{k}")
        contact = ET.SubElement(model, "contact")
        for k, (along, across) in enumerate(self.friction):
            pair = ET.SubElement(contact, "pair", SOFT_CONTACT if preset.lean else {}, name=f"ground{k}", condim="3")
            pair.attrib.update(geom1="ground", geom2=f"link{k}", friction=mjcf_numbers(along, across, 0, 0, 0))
        if not preset.lean:
            add_servos(model, self)
        return ET.tostring(model, encoding="unicode")

    def prepare(self, model: Any, data: Any, preset: Preset) -> None:
        """Places the robot at its start."""
        data.joint("root").qpos[:] = self.root_pose
        for a, angle in enumerate(self.joint_angle):
            data.joint(f"joint{a}").qpos[0] = angle


START = ("center_of_mass", "tail_orientation", "joint_angle")


def _coefficients(law: FrictionLaw) -> tuple[float, float]:
    """Coefficients along and across a link [-]; raises InvalidModel if MuJoCo's elliptic cone differs."""
    if isinstance(law, Isotropic):
        return law.coefficient, law.coefficient
    if isinstance(law, Elliptic) and law.flow == "associated":
        return law.along, law.across
    raise InvalidModel("ground.friction", law, "Isotropic, or Elliptic with the associated flow rule, here")

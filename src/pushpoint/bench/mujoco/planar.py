"""The planar obstacle course in MuJoCo, a peer to time pushpoint against.

The job: a chain of capsule links on flat ground with dry friction, driven by PD servos between round,
frictionless pegs. The root slides along x, y and z and turns about z. It cannot tilt, so the motion is planar by
construction; sliding along z lets gravity press the links on the plane, so that MuJoCo's contacts make the friction.
The ground carries the whole weight, as it does with a free joint (which gives the same speed, two more freedoms and a
body that rocks). Links meet the plane and the pegs, never each other, as in Transeth2008a.

Both presets apply the torque K_P (reference - angle) + K_D (reference rate - rate) and use elliptic friction cones:

- `default`: what a user writes first. Capsules on a plane (two contact points each), cylinders, position servos, the
  solver's defaults, and the implicitfast integrator that MuJoCo recommends (Euler takes the servos' K_D explicitly and
  diverges at a step of 1 ms). A sliding contact of MuJoCo loads itself in proportion to its slip, so that here the
  links carry 0.3 to 2 times their weight.
- `fastest`: the fastest found that still does the job: one ground point under each link's centre and a sphere for
  each peg at the links' height (in the plane the same contacts), only the pairs that can touch, the servo as joint
  spring, damper and motor, islands off, and conjugate gradients that stop early. The ground contacts are tuned until
  each link carries its own weight within a few per cent.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.bench.mujoco import Job, Preset, add_links, add_servos, demand, empty_model
from pushpoint.errors import InvalidModel
from pushpoint.interchange.robots.mjcf import loads
from pushpoint.interchange.robots.mjcf.bodies import mjcf_numbers
from pushpoint.interchange.robots.mjcf.writing import ROOT_JOINTS
from pushpoint.model.checks import store
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarRobot

PEG_HALF_HEIGHT = 0.1
PRESETS = {
    "default": Preset(options={"integrator": "implicitfast"}),
    "fastest": Preset(
        options={
            "integrator": "Euler",
            "solver": "CG",
            "tolerance": "0.1",
            "iterations": "5",
            "impratio": str(loads.FRICTION_RATIO),
        },
        flags={"island": "disable"},
        lean=True,
    ),
}


@dataclass(frozen=True, kw_only=True)
class PlanarJob(Job):
    """One planar run: robot, environment, start at rest, and a table of joint references."""

    presets = PRESETS
    robot: PlanarRobot
    """The robot: equal radii, centres of mass in the middle, motors with stiffness, no limits and no backlash."""
    environment: Environment
    """Isotropic ground friction, the same everywhere; frictionless pegs."""
    link_angles: np.ndarray
    """Link angles at the start [rad], shape (n_links,)."""
    anchor_link: int
    """The link whose centre is placed."""
    anchor_position: tuple[float, float]
    """Where it is placed [m]."""

    def __post_init__(self) -> None:
        angles = np.asarray(self.link_angles, dtype=float)
        if angles.shape != (self.robot.n_links,):
            raise InvalidModel("link_angles.shape", angles.shape, f"({self.robot.n_links},)")
        if not 0 <= self.anchor_link < self.robot.n_links:
            raise InvalidModel("anchor_link", self.anchor_link, f"0 to {self.robot.n_links - 1}")
        super().__post_init__()
        store(self, link_angles=angles)

    def _check_translatable(self) -> None:
        super()._check_translatable()
        for k, link in enumerate(self.robot.links):
            same = link.radius == self.robot.links[0].radius
            demand(same, f"links[{k}].radius", link.radius, "the same for all links here [m]")
            demand(link.contact_force == "surface", f"links[{k}].contact_force", link.contact_force, "'surface' here")
            centred = link.mass_offset == 0.0 and [p.offset for p in link.supports or ()] == [0.0]
            demand(centred, f"links[{k}]", "mass or support off the middle", "centred here")
        for law in self.environment.ground.laws(self.robot.n_links):
            demand(isinstance(law, Isotropic), "ground.friction", law, "Isotropic here")
        for k, peg in enumerate(self.environment.obstacles):
            demand(isinstance(peg, Peg), f"obstacles[{k}]", peg, "a Peg here")
            smooth = peg.friction == 0.0 and peg.restitution == 0.0
            demand(smooth, f"obstacles[{k}]", peg, "without friction and restitution here")

    @property
    def friction(self) -> np.ndarray:
        """Friction coefficient between each link and the ground [-], shape (n_links,)."""
        laws: Sequence[Any] = self.environment.ground.laws(self.robot.n_links)
        return np.array([law.coefficient for law in laws])

    @property
    def root_position(self) -> np.ndarray:
        """Centre of the root link at the start [m], shape (2,)."""
        half = self.robot.column("length") / 2
        forward = half[:, None] * np.column_stack([np.cos(self.link_angles), np.sin(self.link_angles)])
        centers = np.cumsum(2 * forward, axis=0) - forward
        return np.asarray(self.anchor_position + centers[self.root] - centers[self.anchor_link])

    def mjcf(self, preset: Preset) -> str:
        """The job as an MJCF model: ground, pegs, chain, contact pairs (lean) and one actuator per joint."""
        model = empty_model(self, preset)
        world = ET.SubElement(model, "worldbody")
        _add_surroundings(world, self, lean=preset.lean)
        bodies = add_links(world, self, lean=preset.lean)
        height = self.robot.links[0].radius - (loads.RESTING_DEPTH if preset.lean else 0.0)
        bodies[self.root].set("pos", mjcf_numbers(0, 0, height))
        for name, kind, axis in ROOT_JOINTS:
            ET.SubElement(bodies[self.root], "joint", name=name, type=kind, axis=axis)
        for k, body in bodies.items():
            _add_link(body, self, k, lean=preset.lean)
        if preset.lean:
            _add_pairs(ET.SubElement(model, "contact"), self)
            actuators = ET.SubElement(model, "actuator")
            for j in range(self.robot.n_joints):
                ET.SubElement(actuators, "motor", joint=f"joint{j}")
        else:
            add_servos(model, self)
        return ET.tostring(model, encoding="unicode")

    def prepare(self, model: Any, data: Any, preset: Preset) -> None:
        """Places the robot at its start."""
        position = dict(zip(("x", "y"), self.root_position, strict=True))
        position["heading"] = self.link_angles[self.root]
        position.update((f"joint{j}", angle) for j, angle in enumerate(np.diff(self.link_angles)))
        for name, value in position.items():
            data.joint(name).qpos[0] = value


def _add_surroundings(world: ET.Element, job: PlanarJob, *, lean: bool) -> None:
    """Adds the plane and the pegs; bit 1 of the contact masks is the ground, bit 2 the pegs, 0 leaves it to pairs."""
    radius = job.robot.links[0].radius
    ground = {"name": "ground", "type": "plane", "size": "0 0 1", "condim": "3", "friction": "0 0 0"}
    ET.SubElement(world, "geom", ground, contype="0" if lean else "1", conaffinity="0")
    pegs: Sequence[Any] = job.environment.obstacles
    for k, peg in enumerate(pegs):
        geom = ET.SubElement(world, "geom", name=f"peg{k}", condim="1", contype="0" if lean else "2", conaffinity="0")
        geom.set("type", "sphere" if lean else "cylinder")
        geom.set("size", mjcf_numbers(peg.radius) if lean else mjcf_numbers(peg.radius, PEG_HALF_HEIGHT))
        geom.set("pos", mjcf_numbers(peg.x, peg.y, radius if lean else PEG_HALF_HEIGHT))


def _add_link(body: ET.Element, job: PlanarJob, k: int, *, lean: bool) -> None:
    """Adds mass and shapes of link k; of its inertia only the vertical part acts, because the root cannot tilt."""
    link = job.robot.links[k]
    inertia = mjcf_numbers(link.inertia, link.inertia, link.inertia)
    ET.SubElement(body, "inertial", pos="0 0 0", mass=mjcf_numbers(link.mass), diaginertia=inertia)
    half_side = (link.side_length or 0.0) / 2
    capsule = ET.SubElement(body, "geom", name=f"link{k}", type="capsule", size=mjcf_numbers(link.radius), condim="1")
    capsule.set("fromto", mjcf_numbers(-half_side, 0, 0, half_side, 0, 0))
    capsule.attrib.update(contype="0", conaffinity="0" if lean else "3")
    if lean:
        foot = {"name": f"foot{k}", "type": "sphere", "contype": "0", "conaffinity": "0"}
        ET.SubElement(body, "geom", foot, size=mjcf_numbers(link.radius))
    else:
        capsule.set("friction", mjcf_numbers(job.friction[k], 0, 0))


def _add_pairs(contact: ET.Element, job: PlanarJob) -> None:
    """Adds the pairs that can touch: each link's foot with the ground, each link with each peg."""
    masses = loads.inverse_masses(job.robot)
    for k, coefficient in enumerate(job.friction):
        pair = ET.SubElement(contact, "pair", name=f"ground{k}", geom1="ground", geom2=f"foot{k}", condim="3")
        pair.set("friction", mjcf_numbers(coefficient, coefficient, 0, 0, 0))
        loads.tune(pair, job.robot.links[k].mass * job.environment.ground.gravity, masses[k])
        for i in range(len(job.environment.obstacles)):
            ET.SubElement(contact, "pair", geom1=f"peg{i}", geom2=f"link{k}", condim="1")

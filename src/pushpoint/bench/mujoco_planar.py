"""The planar obstacle course in MuJoCo, a peer to time pushpoint against.

The job: a chain of capsule links on flat ground with dry friction, pushed along by PD servos between round,
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

import math
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel, PushpointError, SimulationFailed, UnknownName
from pushpoint.model.checks import positive, store
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.robot import Robot

PEG_HALF_HEIGHT = 0.1
# Ground of the `fastest` preset. MuJoCo loads a sliding contact with (a + mu b v) / R: a is the reference acceleration
# of the normal direction, b v that of the slip, R = A (1 - d) / d. A small impedance d makes R, and with it a, so large
# that the load is a / R = m g at every slip speed; friction stays crisp because impratio divides its own R.
GROUND_IMPEDANCE = 1e-3
"""Impedance d of the tuned ground contacts [-]."""
RESTING_DEPTH = 1e-3
"""How deep a link rests in the tuned ground [m]."""
SLIP_DECAY = 500.0
"""Rate b at which friction stops slip in the tuned ground [1/s]; far above the joints' rates, below 1 / dt."""


@dataclass(frozen=True, kw_only=True)
class Preset:
    """How MuJoCo is asked to do the job."""

    options: Mapping[str, str]
    """Attributes of MJCF's <option>; what is not named keeps MuJoCo's default."""
    flags: Mapping[str, str]
    """Attributes of MJCF's <flag>."""
    lean: bool
    """True: explicit contact pairs, one ground point per link, spheres as pegs, passive servos, tuned ground."""


PRESETS = {
    "default": Preset(options={"integrator": "implicitfast"}, flags={}, lean=False),
    "fastest": Preset(
        options={"integrator": "Euler", "solver": "CG", "tolerance": "0.1", "iterations": "5", "impratio": "1000"},
        flags={"island": "disable"},
        lean=True,
    ),
}


@dataclass(frozen=True, kw_only=True)
class PlanarJob:
    """One planar run: robot, environment, start at rest, and a table of joint references."""

    robot: Robot
    """Equal radii, centres of mass in the middle, motors with stiffness and without limits or play."""
    environment: Environment
    """Isotropic ground friction, the same everywhere; frictionless pegs."""
    link_angles: np.ndarray
    """Link angles at the start [rad], shape (n_links,)."""
    anchor_link: int
    """The link whose centre is placed."""
    anchor_position: tuple[float, float]
    """Where it is placed [m]."""
    joint_reference: np.ndarray
    """Reference of every joint at every step [rad], shape (n_steps, n_joints)."""
    joint_reference_rate: np.ndarray
    """Its rate [rad/s], shape (n_steps, n_joints)."""
    period: float
    """Period of the gait [s]; the mean speed is taken over whole periods."""
    dt: float = 1e-3
    """Step [s]."""

    def __post_init__(self) -> None:
        tables = np.asarray(self.joint_reference, dtype=float), np.asarray(self.joint_reference_rate, dtype=float)
        angles = np.asarray(self.link_angles, dtype=float)
        if angles.shape != (self.robot.n_links,):
            raise InvalidModel("link_angles.shape", angles.shape, f"({self.robot.n_links},)")
        for table in tables:
            if table.ndim != 2 or table.shape[1] != self.robot.n_joints or table.shape != tables[0].shape:
                raise InvalidModel("joint_reference.shape", table.shape, f"(n_steps, {self.robot.n_joints})")
        if not 0 <= self.anchor_link < self.robot.n_links:
            raise InvalidModel("anchor_link", self.anchor_link, f"0 to {self.robot.n_links - 1}")
        _check_robot(self.robot)
        _check_environment(self.environment, self.robot.n_links)
        store(
            self,
            link_angles=angles,
            joint_reference=tables[0],
            joint_reference_rate=tables[1],
            period=positive("period", self.period, "s"),
            dt=positive("dt", self.dt, "s"),
        )

    @property
    def friction(self) -> np.ndarray:
        """Friction coefficient between each link and the ground [-], shape (n_links,)."""
        laws = self.environment.ground.laws(self.robot.n_links)
        return np.array([law.coefficient for law in laws if isinstance(law, Isotropic)])

    @property
    def pegs(self) -> list[Peg]:
        """The obstacles."""
        return [obstacle for obstacle in self.environment.obstacles if isinstance(obstacle, Peg)]

    @property
    def root(self) -> int:
        """The link that carries the root joints: the middle one, because short branches are cheaper than long ones."""
        return self.robot.n_links // 2

    @property
    def root_position(self) -> np.ndarray:
        """Centre of the root link at the start [m], shape (2,)."""
        half = self.robot.column("length") / 2
        forward = half[:, None] * np.column_stack([np.cos(self.link_angles), np.sin(self.link_angles)])
        centers = np.cumsum(2 * forward, axis=0) - forward
        return np.asarray(self.anchor_position + centers[self.root] - centers[self.anchor_link])


def _check_robot(robot: Robot) -> None:
    """Refuses links and motors that this translation would simulate differently from pushpoint."""
    for k, link in enumerate(robot.links):
        if link.radius != robot.links[0].radius:
            raise InvalidModel(f"links[{k}].radius", link.radius, "the same for all links here [m]")
        if link.mass_offset != 0.0 or link.supports is None or [p.offset for p in link.supports] != [0.0]:
            raise InvalidModel(f"links[{k}]", "mass or support off the middle", "centred here")
    for field, unit in (("speed_limit", "rad/s"), ("torque_limit", "N m"), ("lower", "rad"), ("upper", "rad")):
        for j, limit in enumerate(robot.motor_column(field)):
            if math.isfinite(limit):
                raise InvalidModel(f"motors[{j}].{field}", float(limit), f"infinite here [{unit}]")
    for j, backlash in enumerate(robot.motor_column("backlash")):
        if backlash != 0.0:
            raise InvalidModel(f"motors[{j}].backlash", float(backlash), "0 here [rad]")
    if not (robot.motor_column("stiffness") > 0.0).all():
        raise InvalidModel("motors.stiffness", 0.0, "> 0 here [N m/rad]")


def _check_environment(environment: Environment, n_links: int) -> None:
    """Refuses ground and pegs that this translation would simulate differently from pushpoint."""
    for law in environment.ground.laws(n_links):
        if not isinstance(law, Isotropic):
            raise InvalidModel("ground.friction", law, "Isotropic here")
    if environment.ground.spin != 0.0:
        raise InvalidModel("ground.spin", environment.ground.spin, "0 here [m]")
    if environment.ground.regions:
        raise InvalidModel("ground.regions", len(environment.ground.regions), "none here")
    for k, peg in enumerate(environment.obstacles):
        if not isinstance(peg, Peg):
            raise InvalidModel(f"obstacles[{k}]", peg, "a Peg here")
        if peg.friction != 0.0 or peg.restitution != 0.0:
            raise InvalidModel(f"obstacles[{k}]", peg, "without friction and restitution here")


def _numbers(*values: float) -> str:
    return " ".join(repr(float(value)) for value in values)


def mjcf(job: PlanarJob, preset: Preset) -> str:
    """The job as an MJCF model: ground, pegs, chain, contact pairs (lean) and one actuator per joint."""
    model = ET.Element("mujoco", model=job.robot.name)
    ET.SubElement(model, "compiler", angle="radian")
    gravity = _numbers(0, 0, -job.environment.ground.gravity)
    option = ET.SubElement(model, "option", timestep=_numbers(job.dt), gravity=gravity, cone="elliptic")
    option.attrib.update(preset.options)
    ET.SubElement(option, "flag", dict(preset.flags))
    world = ET.SubElement(model, "worldbody")
    _add_surroundings(world, job, lean=preset.lean)
    _add_chain(world, job, lean=preset.lean)
    if preset.lean:
        _add_pairs(ET.SubElement(model, "contact"), job)
    actuators = ET.SubElement(model, "actuator")
    for j in range(job.robot.n_joints):
        servo = ET.SubElement(actuators, "motor" if preset.lean else "position", joint=f"joint{j}")
        if not preset.lean:
            servo.set("kp", _numbers(job.robot.motor_column("stiffness")[j]))
            servo.set("kv", _numbers(job.robot.motor_column("damping")[j]))
    return ET.tostring(model, encoding="unicode")


def _add_surroundings(world: ET.Element, job: PlanarJob, *, lean: bool) -> None:
    """Adds the plane and the pegs; bit 1 of the contact masks is the ground, bit 2 the pegs, 0 leaves it to pairs."""
    radius = job.robot.links[0].radius
    ground = {"name": "ground", "type": "plane", "size": "0 0 1", "condim": "3", "friction": "0 0 0"}
    ET.SubElement(world, "geom", ground, contype="0" if lean else "1", conaffinity="0")
    for k, peg in enumerate(job.pegs):
        geom = ET.SubElement(world, "geom", name=f"peg{k}", condim="1", contype="0" if lean else "2", conaffinity="0")
        geom.set("type", "sphere" if lean else "cylinder")
        geom.set("size", _numbers(peg.radius) if lean else _numbers(peg.radius, PEG_HALF_HEIGHT))
        geom.set("pos", _numbers(peg.x, peg.y, radius if lean else PEG_HALF_HEIGHT))


def _add_chain(world: ET.Element, job: PlanarJob, *, lean: bool) -> None:
    """Adds the links as a tree with two branches, from the middle to the head and from the middle to the tail."""
    root, length = job.root, job.robot.column("length")
    height = job.robot.links[0].radius - (RESTING_DEPTH if lean else 0.0)
    bodies = {root: ET.SubElement(world, "body", name=f"body{root}", pos=_numbers(0, 0, height))}
    for name, kind, axis in (("x", "slide", "1 0 0"), ("y", "slide", "0 1 0"), ("z", "slide", "0 0 1")):
        ET.SubElement(bodies[root], "joint", name=name, type=kind, axis=axis)
    ET.SubElement(bodies[root], "joint", name="heading", type="hinge", axis="0 0 1")
    steps = [(k, 1) for k in range(root + 1, job.robot.n_links)] + [(k, -1) for k in range(root - 1, -1, -1)]
    for k, side in steps:
        offset = side * (length[k - side] + length[k]) / 2
        bodies[k] = ET.SubElement(bodies[k - side], "body", name=f"body{k}", pos=_numbers(offset, 0, 0))
        # joint_angle[j] = link_angle[j+1] - link_angle[j]: toward the tail the child is the subtrahend
        j = k - 1 if side > 0 else k
        hinge = ET.SubElement(bodies[k], "joint", name=f"joint{j}", type="hinge", axis=f"0 0 {side}")
        hinge.set("pos", _numbers(-side * length[k] / 2, 0, 0))
        if lean:
            hinge.set("stiffness", _numbers(job.robot.motor_column("stiffness")[j]))
            hinge.set("damping", _numbers(job.robot.motor_column("damping")[j]))
    for k, body in bodies.items():
        _add_link(body, job, k, lean=lean)


def _add_link(body: ET.Element, job: PlanarJob, k: int, *, lean: bool) -> None:
    """Adds mass and shapes of link k; of its inertia only the vertical part acts, because the root cannot tilt."""
    link = job.robot.links[k]
    inertia = _numbers(link.inertia, link.inertia, link.inertia)
    ET.SubElement(body, "inertial", pos="0 0 0", mass=_numbers(link.mass), diaginertia=inertia)
    half_side = (link.side_length or 0.0) / 2
    capsule = ET.SubElement(body, "geom", name=f"link{k}", type="capsule", size=_numbers(link.radius), condim="1")
    capsule.set("fromto", _numbers(-half_side, 0, 0, half_side, 0, 0))
    capsule.attrib.update(contype="0", conaffinity="0" if lean else "3")
    if lean:
        foot = {"name": f"foot{k}", "type": "sphere", "contype": "0", "conaffinity": "0"}
        ET.SubElement(body, "geom", foot, size=_numbers(link.radius))
    else:
        capsule.set("friction", _numbers(job.friction[k], 0, 0))


def _add_pairs(contact: ET.Element, job: PlanarJob) -> None:
    """Adds the pairs that can touch: each link's foot with the ground, each link with each peg."""
    for k, coefficient in enumerate(job.friction):
        pair = ET.SubElement(contact, "pair", name=f"ground{k}", geom1="ground", geom2=f"foot{k}", condim="3")
        pair.set("friction", _numbers(coefficient, coefficient, 0, 0, 0))
        pair.set("solimp", _numbers(GROUND_IMPEDANCE, GROUND_IMPEDANCE, RESTING_DEPTH, 0.5, 2))
        pair.set("solreffriction", _numbers(2 / (GROUND_IMPEDANCE * SLIP_DECAY), 1))
        for i in range(len(job.pegs)):
            ET.SubElement(contact, "pair", geom1=f"peg{i}", geom2=f"link{k}", condim="1")


def _carry_each_link(model: Any, job: PlanarJob) -> None:
    """Sets each ground pair's stiffness so that at RESTING_DEPTH it carries its own link: depth = m g (1 - d) A t^2."""
    for k, link in enumerate(job.robot.links):
        inverse_mass = model.body(f"body{k}").invweight0[0]
        load = link.mass * job.environment.ground.gravity * (1 - GROUND_IMPEDANCE) * inverse_mass
        model.pair(f"ground{k}").solref[:] = math.sqrt(RESTING_DEPTH / load), 1.0


class PeerRun(NamedTuple):
    """What a timed run gives."""

    seconds: float
    """Wall time of the steps alone [s]."""
    mean_speed: float
    """Mean speed of the centre of mass along x over the whole gait periods of the run, or over the run [m/s]."""


class MujocoPeer:
    """The job, compiled for MuJoCo; every run starts afresh and steps inside MuJoCo's own C loop on one thread."""

    def __init__(self, job: PlanarJob, preset: str = "default") -> None:
        if preset not in PRESETS:
            raise UnknownName("preset", preset, PRESETS)
        self.job = job
        self.preset = PRESETS[preset]
        self._mujoco, rollout = _import_mujoco()
        self.model = self._mujoco.MjModel.from_xml_string(mjcf(job, self.preset))
        if self.preset.lean:
            _carry_each_link(self.model, job)
        self.data = self._mujoco.MjData(self.model)
        self._rollout = rollout.Rollout(nthread=0)
        self._spec = self._mujoco.mjtState.mjSTATE_FULLPHYSICS.value
        self.start = self._start()
        stiffness, damping = job.robot.motor_column("stiffness"), job.robot.motor_column("damping")
        torque = stiffness * job.joint_reference + damping * job.joint_reference_rate
        self.control = np.ascontiguousarray(torque if self.preset.lean else torque / stiffness)

    def _start(self) -> np.ndarray:
        """MuJoCo's state of the robot at rest at the start, shape (1, n_state)."""
        position = dict(zip(("x", "y"), self.job.root_position, strict=True))
        position["heading"] = self.job.link_angles[self.job.root]
        position.update((f"joint{j}", angle) for j, angle in enumerate(np.diff(self.job.link_angles)))
        for name, value in position.items():
            self.data.joint(name).qpos[0] = value
        state = np.zeros((1, self._mujoco.mj_stateSize(self.model, self._spec)))
        self._mujoco.mj_getState(self.model, self.data, state[0], self._spec)
        return state

    def run(self, n_steps: int) -> PeerRun:
        """Runs n_steps steps; refuses a run that MuJoCo warned about or that did not reach its end."""
        if not 1 <= n_steps <= len(self.control):
            raise InvalidModel("n_steps", n_steps, f"1 to {len(self.control)}, the length of the reference table")
        states = np.zeros((1, n_steps, self.start.shape[1]))
        sensors = np.zeros((1, n_steps, self.model.nsensordata))
        control = self.control[None, :n_steps]
        call = {"nstep": n_steps, "state": states, "sensordata": sensors, "skip_checks": True}
        begin = time.perf_counter()
        self._rollout.rollout([self.model], [self.data], self.start, control, **call)
        seconds = time.perf_counter() - begin
        reached = states[0, -1, 0]
        warnings = int(sum(warning.number for warning in self.data.warning))
        if warnings or not np.isfinite(states).all() or not math.isclose(reached, n_steps * self.job.dt, rel_tol=1e-6):
            raise SimulationFailed(f"MuJoCo gave {warnings} warnings and stopped at {reached:.3f} s", run=states[0])
        per_period = round(self.job.period / self.job.dt)
        measured = n_steps // per_period * per_period or n_steps
        travel = self.center_of_mass(states[0, measured - 1]) - self.center_of_mass(self.start[0])
        return PeerRun(seconds, float(travel[0] / (measured * self.job.dt)))

    def center_of_mass(self, state: np.ndarray) -> np.ndarray:
        """Centre of mass of the robot in one of MuJoCo's states [m], shape (3,)."""
        self._mujoco.mj_setState(self.model, self.data, state, self._spec)
        self._mujoco.mj_fwdPosition(self.model, self.data)
        return np.array(self.data.body(f"body{self.job.root}").subtree_com)


def _import_mujoco() -> tuple[Any, Any]:
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        raise PushpointError("mujoco is not installed; pip install 'pushpoint[bench]'") from None
    return mujoco, rollout

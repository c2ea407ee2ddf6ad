"""MuJoCo as a peer: what the planar and the spatial job share, and a timed run in MuJoCo's own C loop."""

from __future__ import annotations

import math
import time
import xml.etree.ElementTree as ET
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel, MissingExtra, SimulationFailed, UnknownName
from pushpoint.interchange.robots.mjcf.bodies import add_chain, mjcf_numbers
from pushpoint.model.checks import positive, store
from pushpoint.model.environment import Environment
from pushpoint.scenarios.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Preset:
    """How MuJoCo is set up for the job."""

    options: Mapping[str, str]
    """Attributes of MJCF's <option>; others keep MuJoCo's default."""
    flags: Mapping[str, str] = field(default_factory=dict)
    """Attributes of MJCF's <flag>."""
    lean: bool = False
    """Whether to use passive servos and tuned contacts; see the module of each job for the rest."""


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """A run from rest with a table of joint references. The planar and the spatial job define the start."""

    presets: ClassVar[Mapping[str, Preset]]
    """How MuJoCo can be set up for it, by name."""
    robot: Any
    """The robot; its motors have stiffness, and neither limits nor backlash."""
    environment: Environment
    """The ground and the obstacles; the ground is the same everywhere."""
    joint_reference: np.ndarray
    """Reference of every joint at every step [rad], shape (n_steps, n_joints)."""
    joint_reference_rate: np.ndarray
    """Its rate [rad/s], shape (n_steps, n_joints)."""
    period: float
    """Period of the gait [s]; the mean velocity is taken over whole periods."""
    dt: float = 1e-3
    """Step [s]."""

    def __post_init__(self) -> None:
        tables = np.asarray(self.joint_reference, dtype=float), np.asarray(self.joint_reference_rate, dtype=float)
        for table in tables:
            if table.ndim != 2 or table.shape[1] != self.robot.n_joints or table.shape != tables[0].shape:
                raise InvalidModel("joint_reference.shape", table.shape, f"(n_steps, {self.robot.n_joints})")
        self._check_translatable()
        spans = {name: positive(name, getattr(self, name), "s") for name in ("period", "dt")}
        store(self, joint_reference=tables[0], joint_reference_rate=tables[1], **spans)

    def _check_translatable(self) -> None:
        for name, unit in (("speed_limit", "rad/s"), ("torque_limit", "N m"), ("lower", "rad"), ("upper", "rad")):
            for j, limit in enumerate(self.robot.motor_column(name)):
                demand(math.isinf(limit), f"motors[{j}].{name}", float(limit), f"infinite here [{unit}]")
        for j, backlash in enumerate(self.robot.motor_column("backlash")):
            demand(backlash == 0.0, f"motors[{j}].backlash", float(backlash), "0 here [rad]")
        demand((self.robot.motor_column("stiffness") > 0.0).all(), "motors.stiffness", 0.0, "> 0 here [N m/rad]")
        ground = self.environment.ground
        demand(ground.spin == 0.0, "ground.spin", ground.spin, "0 here [m]")
        demand(not ground.regions, "ground.regions", len(ground.regions), "none here")

    @abstractmethod
    def mjcf(self, preset: Preset) -> str:
        """The job as an MJCF model."""

    @abstractmethod
    def prepare(self, model: Any, data: Any, preset: Preset) -> None:
        """Sets in the compiled model what MJCF cannot express, and places the robot at its start."""

    @property
    def root(self) -> int:
        """The link that carries the root joints: the middle one, because short branches are cheaper than long ones."""
        return int(self.robot.n_links // 2)


def references_of(base: Scenario) -> dict[str, Any]:
    """What every job needs from a scenario with a gait, except robot, environment and start.

    MuJoCo uses the control of a step at its start, pushpoint at its end. One step of shift is negligible.
    """
    gait, dt = base.world.controller, base.settings.dt
    angles, rates = gait.references(np.arange(round(base.duration / dt)) * dt, base.world.robot)
    return {"joint_reference": angles, "joint_reference_rate": rates, "period": gait.period, "dt": dt}


def demand(fine: bool, field: str, value: Any, allowed: str) -> None:
    """Raises InvalidModel for anything that this translation would simulate differently from pushpoint."""
    if not fine:
        raise InvalidModel(field, value, allowed)


def empty_model(job: Job, preset: Preset) -> ET.Element:
    """An MJCF model with the preset's options and the job's time step and gravity, and nothing else yet."""
    model = ET.Element("mujoco", model=job.robot.name)
    ET.SubElement(model, "compiler", angle="radian")
    gravity = mjcf_numbers(0, 0, -job.environment.ground.gravity)
    option = ET.SubElement(model, "option", timestep=mjcf_numbers(job.dt), gravity=gravity, cone="elliptic")
    option.attrib.update(preset.options)
    ET.SubElement(option, "flag", dict(preset.flags))
    return model


def add_links(world: ET.Element, job: Job, *, lean: bool) -> dict[int, ET.Element]:
    """Adds the links with hinges between them, the middle one as the root; lean: hinges carry the servo as spring and
    damper.
    """

    def dress(hinge: ET.Element, a: int) -> None:
        hinge.set("name", f"joint{a}")
        for gain in ("stiffness", "damping") if lean else ():
            hinge.set(gain, mjcf_numbers(job.robot.motor_column(gain)[a]))

    return add_chain(world, job.robot, root=job.root, dress=dress)


def add_servos(model: ET.Element, job: Job) -> None:
    """Adds one position servo per joint."""
    actuators = ET.SubElement(model, "actuator")
    for a, gains in enumerate(zip(*map(job.robot.motor_column, ("stiffness", "damping")), strict=True)):
        kp, kv = map(mjcf_numbers, gains)
        ET.SubElement(actuators, "position", joint=f"joint{a}", kp=kp, kv=kv)


class PeerRun(NamedTuple):
    """The result of a timed run."""

    seconds: float
    """Processor time of the steps alone [s]."""
    mean_velocity: np.ndarray
    """Mean velocity of the centre of mass over whole gait periods, or over the run [m/s], shape (3,)."""
    root_travel: np.ndarray
    """Displacement of the middle link from start to end [m], shape (3,)."""


class MujocoPeer:
    """A job compiled for MuJoCo. Every run starts again and steps inside MuJoCo's own C loop on one thread."""

    def __init__(self, job: Job, preset: str = "default") -> None:
        if preset not in job.presets:
            raise UnknownName("preset", preset, job.presets)
        try:
            import mujoco
            import mujoco.rollout
        except ImportError:
            raise MissingExtra("timing beside MuJoCo", "bench") from None
        chosen = job.presets[preset]
        self.job, self._mujoco = job, mujoco
        self.model = mujoco.MjModel.from_xml_string(job.mjcf(chosen))
        self.data = mujoco.MjData(self.model)
        self._rollout = mujoco.rollout.Rollout(nthread=0)
        kinds = mujoco.mjtState
        self._spec, self._control_spec = kinds.mjSTATE_FULLPHYSICS.value, kinds.mjSTATE_CTRL.value
        job.prepare(self.model, self.data, chosen)
        self.start = np.zeros((1, mujoco.mj_stateSize(self.model, self._spec)))
        mujoco.mj_getState(self.model, self.data, self.start[0], self._spec)
        stiffness, damping = job.robot.motor_column("stiffness"), job.robot.motor_column("damping")
        torque = stiffness * job.joint_reference + damping * job.joint_reference_rate
        self.control = np.ascontiguousarray(torque if chosen.lean else torque / stiffness)
        if not self.model.nu:
            # Without actuators the servos' targets act as generalised forces beside the joints' springs and dampers.
            force = np.zeros((len(self.control), self.model.nv))
            force[:, [self.model.joint(f"joint{a}").dofadr[0] for a in range(job.robot.n_joints)]] = self.control
            self.control, self._control_spec = force, kinds.mjSTATE_QFRC_APPLIED.value

    def run(self, n_steps: int) -> PeerRun:
        """Runs n_steps steps; raises SimulationFailed if MuJoCo warned or did not reach the end."""
        if not 1 <= n_steps <= len(self.control):
            raise InvalidModel("n_steps", n_steps, f"1 to {len(self.control)}, the length of the reference table")
        states = np.zeros((1, n_steps, self.start.shape[1]))
        sensors = np.zeros((1, n_steps, self.model.nsensordata))
        control = self.control[None, :n_steps]
        call = {"control_spec": self._control_spec, "nstep": n_steps, "state": states, "sensordata": sensors}
        begin = time.process_time()
        self._rollout.rollout([self.model], [self.data], self.start, control, skip_checks=True, **call)
        seconds = time.process_time() - begin
        reached = states[0, -1, 0]
        warnings = int(sum(warning.number for warning in self.data.warning))
        if warnings or not np.isfinite(states).all() or not math.isclose(reached, n_steps * self.job.dt, rel_tol=1e-6):
            raise SimulationFailed(f"MuJoCo gave {warnings} warnings and stopped at {reached:.3f} s", run=states[0])
        per_period = round(self.job.period / self.job.dt)
        measured = n_steps // per_period * per_period or n_steps
        travel = self.center_of_mass(states[0, measured - 1]) - self.center_of_mass(self.start[0])
        root_travel = self.root_position(states[0, -1]) - self.root_position(self.start[0])
        return PeerRun(seconds, travel / (measured * self.job.dt), root_travel)

    def center_of_mass(self, state: np.ndarray) -> np.ndarray:
        """Centre of mass of the robot in one of MuJoCo's states [m], shape (3,)."""
        return np.array(self._root_body(state).subtree_com)

    def root_position(self, state: np.ndarray) -> np.ndarray:
        """Middle of the middle link in one of MuJoCo's states [m], shape (3,)."""
        return np.array(self._root_body(state).xpos)

    def _root_body(self, state: np.ndarray) -> Any:
        self._mujoco.mj_setState(self.model, self.data, state, self._spec)
        self._mujoco.mj_fwdPosition(self.model, self.data)
        return self.data.body(f"body{self.job.root}")

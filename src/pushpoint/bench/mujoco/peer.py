"""What the planar and the spatial MuJoCo peer share: references, servos, and a timed run in MuJoCo's own C loop."""

from __future__ import annotations

import math
import time
import xml.etree.ElementTree as ET
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel, PushpointError, SimulationFailed, UnknownName
from pushpoint.model.checks import positive, store
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot


@dataclass(frozen=True, kw_only=True)
class Preset:
    """How MuJoCo is asked to do the job."""

    options: Mapping[str, str]
    """Attributes of MJCF's <option>; what is not named keeps MuJoCo's default."""
    flags: Mapping[str, str]
    """Attributes of MJCF's <flag>."""
    lean: bool
    """True: passive servos and tuned contacts; what else, the peer's module says."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run from rest after a table of joint references; where it starts, the planar and the spatial job say."""

    robot: Any
    """What moves; motors with stiffness and without limits or play."""
    environment: Environment
    """Where it moves; its ground is the same everywhere."""
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
        _check_motors(self.robot)
        _check_ground(self.environment.ground)
        store(
            self,
            joint_reference=tables[0],
            joint_reference_rate=tables[1],
            period=positive("period", self.period, "s"),
            dt=positive("dt", self.dt, "s"),
        )

    @property
    def root(self) -> int:
        """The link that carries the root joints: the middle one, because short branches are cheaper than long ones."""
        return int(self.robot.n_links // 2)

    @property
    def outward(self) -> Iterator[tuple[int, int]]:
        """The other links from the root outward, with the side they lie on: 1 toward the head, -1 toward the tail."""
        yield from ((k, 1) for k in range(self.root + 1, self.robot.n_links))
        yield from ((k, -1) for k in range(self.root - 1, -1, -1))


def _check_motors(robot: PlanarRobot | SpatialRobot) -> None:
    """Refuses motors that this translation would simulate differently from pushpoint."""
    for field, unit in (("speed_limit", "rad/s"), ("torque_limit", "N m"), ("lower", "rad"), ("upper", "rad")):
        for j, limit in enumerate(robot.motor_column(field)):
            if math.isfinite(limit):
                raise InvalidModel(f"motors[{j}].{field}", float(limit), f"infinite here [{unit}]")
    for j, backlash in enumerate(robot.motor_column("backlash")):
        if backlash != 0.0:
            raise InvalidModel(f"motors[{j}].backlash", float(backlash), "0 here [rad]")
    if not (robot.motor_column("stiffness") > 0.0).all():
        raise InvalidModel("motors.stiffness", 0.0, "> 0 here [N m/rad]")


def _check_ground(ground: Ground) -> None:
    """Refuses ground that this translation would simulate differently from pushpoint."""
    if ground.spin != 0.0:
        raise InvalidModel("ground.spin", ground.spin, "0 here [m]")
    if ground.regions:
        raise InvalidModel("ground.regions", len(ground.regions), "none here")


def numbers(*values: float) -> str:
    """Numbers as MJCF writes them, without loss."""
    return " ".join(repr(float(value)) for value in values)


def empty_model(job: Job, preset: Preset) -> ET.Element:
    """An MJCF model with the preset's options, the job's step and gravity, and nothing in it yet."""
    model = ET.Element("mujoco", model=job.robot.name)
    ET.SubElement(model, "compiler", angle="radian")
    gravity = numbers(0, 0, -job.environment.ground.gravity)
    option = ET.SubElement(model, "option", timestep=numbers(job.dt), gravity=gravity, cone="elliptic")
    option.attrib.update(preset.options)
    ET.SubElement(option, "flag", dict(preset.flags))
    return model


class PeerRun(NamedTuple):
    """What a timed run gives."""

    seconds: float
    """Processor time of the steps alone [s]."""
    mean_velocity: np.ndarray
    """Of the centre of mass over the whole gait periods of the run, or over the run [m/s], shape (3,)."""
    root_travel: np.ndarray
    """From where the middle link is at the start to where it is at the end [m], shape (3,)."""

    @property
    def mean_speed(self) -> float:
        """Mean velocity along x [m/s]."""
        return float(self.mean_velocity[0])


class Peer(ABC):
    """A job, compiled for MuJoCo; every run starts afresh and steps inside MuJoCo's own C loop on one thread."""

    def __init__(self, job: Job, presets: Mapping[str, Preset], preset: str) -> None:
        if preset not in presets:
            raise UnknownName("preset", preset, presets)
        self.job = job
        self.preset = presets[preset]
        self._mujoco, rollout = _import_mujoco()
        self.model = self._mujoco.MjModel.from_xml_string(self._mjcf())
        self.data = self._mujoco.MjData(self.model)
        self._rollout = rollout.Rollout(nthread=0)
        self._spec = self._mujoco.mjtState.mjSTATE_FULLPHYSICS.value
        self._control_spec = self._mujoco.mjtState.mjSTATE_CTRL.value
        self._prepare()
        self.start = np.zeros((1, self._mujoco.mj_stateSize(self.model, self._spec)))
        self._mujoco.mj_getState(self.model, self.data, self.start[0], self._spec)
        stiffness, damping = job.robot.motor_column("stiffness"), job.robot.motor_column("damping")
        torque = stiffness * job.joint_reference + damping * job.joint_reference_rate
        self.control = np.ascontiguousarray(torque if self.preset.lean else torque / stiffness)

    @abstractmethod
    def _mjcf(self) -> str:
        """The job as an MJCF model."""

    @abstractmethod
    def _prepare(self) -> None:
        """Sets in the compiled model what MJCF cannot say, and puts the robot where it starts."""

    def run(self, n_steps: int) -> PeerRun:
        """Runs n_steps steps; refuses a run that MuJoCo warned about or that did not reach its end."""
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


def _import_mujoco() -> tuple[Any, Any]:
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        raise PushpointError("mujoco is not installed; pip install 'pushpoint[bench]'") from None
    return mujoco, rollout

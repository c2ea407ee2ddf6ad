"""The constants of the hybrid model (robot, pegs, friction, drive) and the discrete part of its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Annotated, Any, Protocol

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, at_least, check_fields, instance, real, store
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Frictionless
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.reduced import GroundFriction, ReducedRobot, reduce_robot

MOST_OF_STALL = 2.0
"""Largest torque of a motor with a speed limit, in those at standstill [-]; see Motor.speed_limit."""


class Drive(Protocol):
    """Joint torques as a smooth function of time and of the joints."""

    def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """Torques [N m], shape (n_joints,); > 0 pushes the front link to its left."""


@dataclass(frozen=True, kw_only=True)
class SteadyTorque:
    """Constant torques."""

    torque: Annotated[Sequence[float], real("N m"), Many(None, "a list of numbers")]
    """Torques from tail to head [N m]."""
    values: np.ndarray = field(init=False, repr=False, compare=False)
    """The same as an array [N m], shape (n_joints,)."""

    def __post_init__(self) -> None:
        check_fields(self, "drive")
        store(self, values=np.array(self.torque))

    def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """The torques, independent of the joints."""
        if self.values.shape != joint_angle.shape:
            raise InvalidModel("drive.torque", len(self.values), f"{len(joint_angle)} torques, one per joint")
        return self.values


@dataclass(frozen=True, kw_only=True, eq=False)
class Servo:
    """PD servos that follow a gait, Transeth2008a (42)-(43) with the joint rate."""

    robot: PlanarRobot
    """The robot whose motors these are."""
    gait: Gait
    """The gait that gives the references; it must not be prescribed."""
    stiffness: np.ndarray = field(init=False, repr=False)
    """K_P [N m/rad], shape (n_joints,)."""
    damping: np.ndarray = field(init=False, repr=False)
    """K_D [N m s/rad], shape (n_joints,)."""

    def __post_init__(self) -> None:
        instance("drive.robot", self.robot, PlanarRobot, "a PlanarRobot")
        if not isinstance(self.gait, Gait) or self.gait.prescribed:
            raise InvalidModel("drive.gait", self.gait, "a gait whose references are servo targets")
        store(self, stiffness=self.robot.motor_column("stiffness"), damping=self.robot.motor_column("damping"))

    def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """Torques of the servos at a time."""
        angle, rate = self.gait.references(np.array([time]), self.robot)
        return self.stiffness * (angle[0] - joint_angle) + self.damping * (rate[0] - joint_rate)


@dataclass(frozen=True, kw_only=True, eq=False)
class HybridModel:
    """Constants of the hybrid model; made once by `hybrid_model`."""

    __repr__ = brief

    source: PlanarRobot
    """The robot that it models."""
    robot: ReducedRobot
    """Masses and levers."""
    ground: GroundFriction
    """The part of the ground's friction that cannot stick: viscous or smoothed."""
    drive: Drive
    """What drives the joints."""
    torque_limit: np.ndarray
    """Largest torques of the motors at standstill [N m], shape (n_joints,)."""
    slowing: np.ndarray
    """Share of it that a motor loses per joint rate [s/rad], shape (n_joints,)."""
    stops: np.ndarray
    """Joint angles of the lower and the upper end stops [rad], shape (2, n_joints); infinite where there is none."""
    ground_bound: np.ndarray
    """Largest Coulomb friction of each support point that can stick [N], shape (n_points,); 0 where it cannot."""
    ground_scale: np.ndarray
    """Its friction along and across the link over the largest [-], shape (n_points, 2); 1 if it is isotropic."""
    spin_bound: np.ndarray
    """Largest Coulomb moment of the ground on each link [N m], shape (n_links,)."""
    side: np.ndarray
    """Rear and front end of the links' straight sides, from their centres of mass [m], shape (2, n_links)."""
    peg_center: np.ndarray
    """Centres of the pegs [m], shape (n_pegs, 2)."""
    peg_radius: np.ndarray
    """Radii of the pegs [m], shape (n_pegs,)."""
    peg_friction: np.ndarray
    """Coulomb coefficients between pegs and links [-], shape (n_pegs,)."""
    peg_restitution: np.ndarray
    """Newton's coefficients of restitution of the pegs [-], shape (n_pegs,)."""
    load: np.ndarray | None = None
    """External loads on the links, as in Command.link_load [N, N m], shape (n_links, 3); None: there are none."""

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return self.robot.n_links

    def torque(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """Torques of the motors within their limits [N m], shape (n_joints,)."""
        wanted = self.drive.torque_at(time, joint_angle, joint_rate)
        if not self.slowing.any():
            return np.minimum(np.maximum(wanted, -self.torque_limit), self.torque_limit)
        most = MOST_OF_STALL * self.torque_limit
        drop = np.where(self.slowing > 0.0, self.slowing * joint_rate, 0.0)
        with np.errstate(invalid="ignore"):  # an infinite limit has no line
            lower, upper = (
                np.where(drop == 0.0, side * self.torque_limit, np.clip(self.torque_limit * (side - drop), -most, most))
                for side in (-1.0, 1.0)
            )
        return np.minimum(np.maximum(wanted, lower), upper)

    @property
    def n_coordinates(self) -> int:
        """Length of q = (theta, p) [-]."""
        return self.robot.n_links + 2

    @property
    def n_pegs(self) -> int:
        """Number of pegs [-]."""
        return len(self.peg_radius)


@checked_arguments
def hybrid_model(
    robot: PlanarRobot,
    environment: Environment,
    drive: Drive | None = None,
    *,
    smoothing: Annotated[float, at_least(0, "m/s")] = 0.0,
) -> HybridModel:
    """The hybrid model of a planar robot among pegs; without a drive its joints are free.

    Motors keep their limits of torque and speed, and joints their end stops, whatever the drive asks for.

    smoothing: Speed below which Coulomb friction of the ground fades [m/s]; 0 is the true law, which can stick.
    """
    if drive is not None and not callable(getattr(drive, "torque_at", None)):
        raise InvalidModel("drive", drive, "something with torque_at(time, joint_angle, joint_rate), such as a Servo")
    if (robot.motor_column("backlash") > 0.0).any():
        j = int(np.argmax(robot.motor_column("backlash") > 0.0))
        found = float(robot.motor_column("backlash")[j])
        raise InvalidModel(f"robot.motors[{j}].backlash", found, "0: this model has no backlash")
    what = "a Peg, the only obstacle of the event-driven model"
    pegs = [instance(f"obstacles[{k}]", obstacle, Peg, what) for k, obstacle in enumerate(environment.obstacles)]
    reduced = reduce_robot(robot)
    friction, coefficient = _ground(robot, environment.ground, smoothing)
    largest = coefficient.max(axis=1)[reduced.support_link]
    scale = coefficient[reduced.support_link] / np.where(largest > 0.0, largest, 1.0)[:, None]
    half, middle = robot.column("side_length") / 2, -robot.column("mass_offset")
    return HybridModel(
        source=robot,
        robot=reduced,
        ground=replace(friction, spin=0.0),
        drive=SteadyTorque(torque=(0.0,) * robot.n_joints) if drive is None else drive,
        torque_limit=robot.motor_column("torque_limit"),
        slowing=1.0 / robot.motor_column("speed_limit"),
        stops=np.stack((robot.motor_column("lower"), robot.motor_column("upper"))),
        ground_bound=largest * friction.gravity * reduced.support_mass,
        ground_scale=np.where(largest[:, None] > 0.0, scale, 1.0),
        spin_bound=friction.spin * friction.gravity * reduced.mass,
        side=np.stack((middle - half, middle + half)),
        peg_center=np.array([(peg.x, peg.y) for peg in pegs]).reshape(-1, 2),
        peg_radius=np.array([peg.radius for peg in pegs]),
        peg_friction=np.array([peg.friction for peg in pegs]),
        peg_restitution=np.array([peg.restitution for peg in pegs]),
    )


def _ground(robot: PlanarRobot, ground: Ground, smoothing: float) -> tuple[GroundFriction, np.ndarray]:
    """Friction that cannot stick, and the coefficients of friction that can, along and across each link [-]."""
    laws = ground.laws(robot.n_links)
    if smoothing or all(law.kind == "viscous" for law in laws):
        return GroundFriction.of(ground, smoothing=smoothing), np.zeros((robot.n_links, 2))
    for k, law in enumerate(laws):
        forward, backward, _ = law.coefficients
        if law.kind not in ("cone", "none") or law.varies or forward != backward or law.flow != "associated":
            field = "ground.friction" if not isinstance(ground.friction, tuple) else f"ground.friction[{k}]"
            raise InvalidModel(field, law, "Isotropic, Elliptic with associated flow, Viscous or Frictionless")
    plain = GroundFriction.of(replace(ground, friction=Frictionless()))
    return plain, np.array([(law.coefficients[0], law.coefficients[2]) for law in laws])


Grip = IntEnum("Grip", "STICK SLIDE ONSET", start=0)
"""States of a support point. ONSET is a slide that has begun from rest and is still too slow to show its direction."""
LinkPart = IntEnum("LinkPart", {"REAR": -1, "SIDE": 0, "FRONT": 1})
"""Where a peg touches a link: at an end circle or on the straight side."""
CLEARANCE = 1e-9
"""How far a gap may fall below zero before it counts as an impact [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Touching:
    """Closed contacts; arrays of shape (n_contacts,)."""

    link: np.ndarray
    """Index of the touched link [-]."""
    peg: np.ndarray
    """Index of the touching peg [-]."""
    place: np.ndarray
    """Its LinkPart."""
    slip: np.ndarray
    """0 if it sticks; +1 or -1 if it slides, the sign of the slip velocity."""

    rest: Any = 0.0
    """Normal force and friction when the mode began [N], shape (n_contacts, 2); see ContactMode.ground_rest."""

    def __post_init__(self) -> None:
        store(self, rest=np.broadcast_to(self.rest, (self.count, 2)))

    @property
    def count(self) -> int:
        """Number of contacts [-]."""
        return len(self.link)

    def only(self, keep: np.ndarray) -> Touching:
        """The contacts selected by a mask."""
        return Touching(**{name: values[keep] for name, values in vars(self).items()})


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactMode:
    """One node of the automaton."""

    contacts: Touching
    """Closed contacts."""
    ground: np.ndarray
    """The Grip of every support point, shape (n_points,)."""
    heading: np.ndarray
    """Direction in which a point at its onset begins to slide, scaled, along and across its link [-], (n_points, 2)."""
    spin: np.ndarray
    """0 for a link that the ground keeps from turning, else the sign of its rate, shape (n_links,)."""
    floor: np.ndarray
    """Gap below which an open pair of link and peg counts as touching [m], shape (n_links, n_pegs)."""
    ground_rest: np.ndarray
    """Forces on the sticking points when the mode began, over their scale [N], shape (n_points, 2).

    If more points stick than the robot has degrees of freedom, the forces are not unique: those nearest to these are
    used.
    """
    spin_rest: np.ndarray
    """The same for the moments on links that do not turn [N m], shape (n_links,)."""
    stopped: np.ndarray
    """Joints that rest on an end stop: -1 on the lower one, 1 on the upper one, else 0; shape (n_joints,)."""
    stop_floor: np.ndarray
    """Angle to a stop below which a joint counts as on it [rad], shape (2, n_joints), lower and upper."""


def all_sliding(model: HybridModel) -> ContactMode:
    """The mode of a robot that touches nothing and does not stick anywhere."""
    n_points, n_links, nothing = len(model.ground_bound), model.n_links, np.zeros(0, dtype=int)
    return ContactMode(
        contacts=Touching(link=nothing, peg=nothing, place=nothing, slip=nothing),
        ground=np.full(n_points, Grip.SLIDE),
        heading=np.zeros((n_points, 2)),
        spin=np.ones(n_links, dtype=int),
        floor=np.full((n_links, model.n_pegs), -CLEARANCE),
        ground_rest=np.zeros((n_points, 2)),
        spin_rest=np.zeros(n_links),
        stopped=np.zeros(n_links - 1, dtype=int),
        stop_floor=np.full((2, n_links - 1), -CLEARANCE),
    )

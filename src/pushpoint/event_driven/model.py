"""The constants of the hybrid model (robot, pegs, friction, drive) and the discrete part of its state."""

from __future__ import annotations

import math
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
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.reduced import GroundFriction, ReducedRobot, reduce_robot


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
    ground_bound: np.ndarray
    """Largest Coulomb friction of each support point that can stick [N], shape (n_points,); 0 where it cannot."""
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

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return self.robot.n_links

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

    smoothing: Speed below which Coulomb friction of the ground fades [m/s]; 0 is the true law, which can stick.
    """
    if drive is not None and not callable(getattr(drive, "torque_at", None)):
        raise InvalidModel("drive", drive, "something with torque_at(time, joint_angle, joint_rate), such as a Servo")
    _refuse_limits(robot)
    what = "a Peg, the only obstacle of the event-driven model"
    pegs = [instance(f"obstacles[{k}]", obstacle, Peg, what) for k, obstacle in enumerate(environment.obstacles)]
    friction = GroundFriction.of(environment.ground, smoothing=smoothing)
    reduced = reduce_robot(robot)
    sticks = friction.coefficient if smoothing == 0.0 else 0.0
    half, middle = robot.column("side_length") / 2, -robot.column("mass_offset")
    return HybridModel(
        source=robot,
        robot=reduced,
        ground=replace(friction, spin=0.0, coefficient=friction.coefficient - sticks),
        drive=SteadyTorque(torque=(0.0,) * robot.n_joints) if drive is None else drive,
        ground_bound=sticks * friction.gravity * reduced.support_mass,
        spin_bound=friction.spin * friction.gravity * reduced.mass,
        side=np.stack((middle - half, middle + half)),
        peg_center=np.array([(peg.x, peg.y) for peg in pegs]).reshape(-1, 2),
        peg_radius=np.array([peg.radius for peg in pegs]),
        peg_friction=np.array([peg.friction for peg in pegs]),
        peg_restitution=np.array([peg.restitution for peg in pegs]),
    )


def _refuse_limits(robot: PlanarRobot) -> None:
    bounds = {"torque_limit": math.inf, "speed_limit": math.inf, "backlash": 0.0, "lower": -math.inf, "upper": math.inf}
    for name, free in bounds.items():
        values = robot.motor_column(name)
        if (values != free).any():
            j = int(np.flatnonzero(values != free)[0])
            raise InvalidModel(f"robot.motors[{j}].{name}", float(values[j]), f"{free}: this model has no such limit")


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
    """Direction in which a point at its onset begins to slide [-], shape (n_points, 2)."""
    spin: np.ndarray
    """0 for a link that the ground keeps from turning, else the sign of its rate, shape (n_links,)."""
    floor: np.ndarray
    """Gap below which an open pair of link and peg counts as touching [m], shape (n_links, n_pegs)."""
    ground_rest: np.ndarray
    """Forces on the sticking points when the mode began [N], shape (n_points, 2).

    If more points stick than the robot has degrees of freedom, the forces are not unique: those nearest to these are
    used.
    """
    spin_rest: np.ndarray
    """The same for the moments on links that do not turn [N m], shape (n_links,)."""


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
    )

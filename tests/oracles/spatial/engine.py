"""The one place where spatial tests look inside the engine, and where its states become poses of the dense oracle.

Private names of `dynamics.stepper` and the records of `kernels.spatial` are read here; the tests themselves do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oracles.spatial.dense import DenseRobot
from oracles.spatial.pose import Array, Pose, exponential
from pushpoint.engine.settings import Settings
from pushpoint.engine.state import SpatialState
from pushpoint.engine.stepper import Stepper
from pushpoint.kernels.spatial.structs import FEATURES
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import SpatialRobot

TIGHT = Settings(tolerance=1e-8)
"""For comparisons of single steps."""


def engine_start(dense: DenseRobot, pose: Pose, u: Array) -> dict[str, Any]:
    """A pose and velocities u, shape (n_links, 6), in the words of `SpatialStart.pose`."""
    return {
        "center": dense.center_of_mass(pose),
        "tail": pose.quaternion[0],
        "angle": dense.joint_angles(pose),
        "rate": dense.joint_rates(pose, u),
        "v": u[:, :3],
        "omega": u[:, 3:],
    }


def stepper_in(
    robot: SpatialRobot,
    environments: Environment | Sequence[Environment],
    starts: Sequence[dict[str, Any]],
    settings: Settings = TIGHT,
) -> Stepper:
    """A stepper of one robot in given poses (see `SpatialStart.pose`), which may overlap what is there."""
    places = [environments] * len(starts) if isinstance(environments, Environment) else environments
    stepper = Stepper([robot] * len(starts), places, settings)
    stepper.load(stepper.initial(starts))
    return stepper


def joined(states: Sequence[SpatialState]) -> SpatialState:
    """States of single worlds as one batch."""
    names = SpatialState.names()
    return SpatialState(**{name: np.concatenate([getattr(state, name) for state in states]) for name in names})


def present(dense: DenseRobot, state: SpatialState, w: int = 0) -> tuple[Pose, Array]:
    """Pose and u, shape (n_links, 6), of world w."""
    return _pose(dense, state, w, 0.0), np.hstack([state.v[w], state.omega[w]])


def midpoint(dense: DenseRobot, state: SpatialState, w: int, dt: float) -> Pose:
    """Where the step that follows has its midpoint: tail, joint angles and centre of mass moved on by dt/2."""
    return _pose(dense, state, w, dt / 2)


def way_of(stepper: Stepper, dense: DenseRobot, mid: Pose, w: int) -> tuple[Array, Array]:
    """Angular velocity of the tail, its own axes, and joint rates that the last step's drift was made of [rad/s]."""
    omega = np.einsum("ikj,ik->ij", mid.rotation, stepper._records.read(stepper._work, "links", "way_w")[w])
    return omega[0], dense.joint_rates(mid, np.hstack([np.zeros_like(omega), omega]))


def smooth_impulses(dense: DenseRobot, state: SpatialState, w: int, dt: float, gravity: float) -> Array:
    """Impulses of gravity and gyroscopic torque in the step that follows, shape (n_links, 6).

    Torques of the start and of the step before, carried on to the middle of the step: 3/2 of the one less 1/2 of the
    other (Adams and Bashforth).
    """
    mid, now = midpoint(dense, state, w, dt), np.hstack([state.v[w], state.omega[w]])
    then = now.copy()
    then[:, 3:] -= np.einsum("ikj,ik->ij", mid.rotation, state.w_change[w])
    return dt * (1.5 * dense.smooth_forces(now, gravity) - 0.5 * dense.smooth_forces(then, gravity))


def _pose(dense: DenseRobot, state: SpatialState, w: int, time: float) -> Pose:
    tail = Pose.of(np.zeros((1, 3)), state.tail[w][None]).rotation[0] @ exponential(time * state.omega[w, 0])
    pose = dense.pose(state.angle[w] + time * state.rate[w], rotation=tail)
    velocity = dense.robot.column("mass") @ state.v[w] / dense.robot.mass
    return pose.shifted(state.center[w] + time * velocity - dense.center_of_mass(pose))


@dataclass(frozen=True, kw_only=True)
class Contact:
    """One contact of the last step, its directions taken at the midpoint."""

    world: int
    link: int
    obstacle: int | None
    """Row of the solid in the batch (stairs are several); None for the ground."""
    feature: int
    """What of the link meets what of the solid; the sphere's number on flat ground."""
    normal: Array
    """Unit vector toward the link, shape (3,)."""
    along: Array
    """The link's direction in the tangent plane, shape (3,)."""
    point: Array
    """Where it touches [m], shape (3,)."""
    P: Array
    """Impulses: normal, along, across [N s]."""
    Q: Array
    """Angular impulses: about the normal, about `along`, about `across` [N m s]."""
    target: float
    """Normal velocity that the contact aims at [m/s]."""
    coefficient: float
    """The largest friction coefficient as it was in that step [-]."""

    @property
    def across(self) -> Array:
        """To the left of `along`, shape (3,)."""
        return np.cross(self.normal, self.along)

    @property
    def frame(self) -> Array:
        """Normal, along and across as rows, shape (3, 3)."""
        return np.array([self.normal, self.along, self.across])

    @property
    def impulse(self) -> Array:
        """What the link felt, world axes [N s], shape (3,)."""
        return self.P @ self.frame


_FIELDS = ("n", "t", "arm", "P", "Q", "S", "target", "largest", "key")


def contacts(stepper: Stepper) -> list[Contact]:
    """All contacts of the last step, by world, link and slot."""
    read, work = stepper._records.read, stepper._work
    count, J = read(work, "n_contacts"), read(work, "links", "J")
    fields = {name: read(work, "contacts", name, several=True) for name in _FIELDS}
    found = []
    for w, i in np.argwhere(count > 0):
        for c in range(count[w, i]):
            values = {name: fields[name][w, i, c] for name in _FIELDS}
            row, feature = divmod(int(values["key"]), int(FEATURES))
            found.append(
                Contact(
                    world=int(w),
                    link=int(i),
                    obstacle=None if row == 0 else row - 1,
                    feature=feature,
                    normal=values["n"],
                    along=values["t"],
                    point=J[w, i] + values["arm"],
                    P=values["P"] * np.array([1.0, *values["S"]]),
                    Q=values["Q"],
                    target=float(values["target"]),
                    coefficient=float(values["largest"]),
                )
            )
    return found


def motor_impulses(stepper: Stepper) -> Array:
    """Motor impulses of the last step [N m s], shape (n_worlds, n_joints)."""
    return stepper._records.read(stepper._work, "joints", "P", per="axis")

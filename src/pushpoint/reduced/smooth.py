"""Holden2014 (13)-(15) without contacts: inertia, centrifugal terms and ground friction.

Friction depends explicitly on the velocity: nothing sticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import at_least, check_fields
from pushpoint.model.environment import Ground
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.quantities import Coefficient, Extent
from pushpoint.reduced.robot import ReducedRobot, ReducedState

REST = 1e-150
"""Speed below which a point counts as at rest, without Coulomb friction [m/s]; its square is still a normal number."""


@dataclass(frozen=True, kw_only=True)
class GroundFriction:
    """Coulomb and viscous friction at the links' support points, and friction against turning.

    Coulomb friction is -mu m g v/|v|, and zero at rest (Holden2014, assumption 6: no stiction).
    """

    __repr__ = brief

    coefficient: Coefficient = 0.0
    """Coulomb coefficient, mu_g [-]."""
    viscous_along: Annotated[float, at_least(0, "N s/m")] = 0.0
    """Force per speed along the link, for the whole link [N s/m]."""
    viscous_across: Annotated[float, at_least(0, "N s/m")] = 0.0
    """Force per speed across the link, for the whole link [N s/m]."""
    spin: Extent = 0.0
    """Coulomb moment against turning, per weight [m]."""
    spin_viscous: Annotated[float, at_least(0, "m s")] = 0.0
    """Moment per angular velocity, per weight, mu_g,r [m s]; Holden2014 prints it without a unit."""
    gravity: Annotated[float, at_least(0, "m/s^2")] = 9.81
    """Gravitational acceleration, g [m/s^2]."""
    smoothing: Annotated[float, at_least(0, "m/s")] = 0.0
    """Speed below which Coulomb friction fades, v/|v| becoming v/sqrt(|v|^2 + smoothing^2) [m/s]."""

    def __post_init__(self) -> None:
        check_fields(self, "friction")

    @staticmethod
    def of(ground: Ground, *, smoothing: float = 0.0) -> GroundFriction:
        """The friction of a flat, even ground; raises InvalidModel for laws other than isotropic or viscous."""
        law = ground.friction
        what = "one law for all links: Isotropic, Viscous or Frictionless"
        if ground.regions or ground.slope or ground.heights is not None:
            raise InvalidModel("ground", "with regions, heights or a slope", "flat and even for the reduced model")
        values: dict[str, float] = {"spin": ground.spin, "gravity": ground.gravity, "smoothing": smoothing}
        if not isinstance(law, FrictionLaw) or law.varies:
            raise InvalidModel("ground.friction", law, what)
        forward, backward, across = law.coefficients
        if law.kind == "viscous" and forward == backward:
            values |= {"viscous_along": forward, "viscous_across": across}
        elif law.kind == "cone" and forward == backward == across:
            values["coefficient"] = forward
        elif law.kind != "none":
            raise InvalidModel("ground.friction", law, what)
        return GroundFriction(**values)

    def loads(
        self, robot: ReducedRobot, axes: np.ndarray, velocity: np.ndarray, rate: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Forces on the links at their centres of mass [N] and moments [N m], shapes (..., n_links, 2), (..., n_links).

        axes: Unit vectors along the links and to their left, shape (2, ..., n_links, 2). velocity: Velocities of the
        links' centres of mass [m/s], shape (..., n_links, 2). rate: Angular velocities [rad/s], (..., n_links).
        """
        weight = robot.mass * self.gravity
        moment = -self.spin_viscous * weight * rate if self.spin_viscous else np.zeros(rate.shape)
        if self.spin:
            moment = moment - self.spin * weight * np.sign(rate)
        if not (self.coefficient or self.viscous_along or self.viscous_across):
            return np.zeros(velocity.shape), moment
        if robot.support_plain:
            return self._rub(axes, velocity, weight, 1.0), moment
        at, offset = robot.support_link, robot.support_offset
        along, left = axes[..., at, :]
        slip = velocity[..., at, :] + (rate[..., at] * offset)[..., None] * left
        force = self._rub(
            np.stack((along, left)), slip, robot.support_mass * self.gravity, robot.support_mass / robot.mass[at]
        )
        turn = offset * np.vecdot(left, force)
        starts = robot.support_first
        return np.add.reduceat(force, starts, axis=-2), moment + np.add.reduceat(turn, starts, axis=-1)

    def _rub(self, axes: np.ndarray, slip: np.ndarray, weight: np.ndarray, share: np.ndarray | float) -> np.ndarray:
        """Force at sliding points, each with its part of a link's weight and of its viscous friction [N]."""
        force: np.ndarray | float = 0.0
        if self.coefficient:
            squared = np.vecdot(slip, slip)
            speed = np.sqrt(squared + self.smoothing**2 if self.smoothing else squared)
            force = (-self.coefficient * weight / np.maximum(speed, REST))[..., None] * slip
        if not (self.viscous_along or self.viscous_across):
            return np.asarray(force)
        for axis, factor in zip(axes, (self.viscous_along, self.viscous_across), strict=True):
            if factor:
                part = np.vecdot(slip, axis) * (factor * share)
                force = force - part[..., None] * axis
        return np.asarray(force)


@dataclass(frozen=True, kw_only=True, eq=False)
class SmoothTerms:
    """The equations of a robot that touches no obstacle, in the coordinates q = (theta, p).

        mass_matrix q_ddot = torque_map joint_torque + load

    Its first n_links rows are (13), its last two (14) and (15). joint_torque[j] turns link j+1, and link j back:
    robot.torque_map is Holden's -D^T, and zero in the last two rows.
    """

    __repr__ = brief

    axes: np.ndarray
    """Unit vectors along the links, and to their left [-], shape (2, ..., n_links, 2)."""
    motion: np.ndarray
    """Velocities of the links' centres of mass, (3)-(4) [m/s], shape (2, ..., n_links, 2).

    The second entry is the part of their accelerations due to turning, (5)-(6), with opposite sign [m/s^2].
    """
    mass_matrix: np.ndarray
    """M_theta [kg m^2] and, below it, the robot's mass [kg], shape (..., n_links + 2, n_links + 2)."""
    ground_force: np.ndarray
    """Friction of the ground on each link, f_r [N], shape (..., n_links, 2)."""
    ground_moment: np.ndarray
    """Its moment about the link's centre of mass, tau_r [N m], shape (..., n_links)."""
    load: np.ndarray
    """Ground friction, known loads and centrifugal terms [N m, then N], shape (..., n_links + 2)."""


@checked_arguments
def centrifugal_matrix(robot: ReducedRobot, terms: SmoothTerms) -> np.ndarray:
    """W of (13): W theta_dot^2 are the moments that turning links need [kg m^2], shape (..., n_links, n_links)."""
    return -robot.coupling * np.matmul(terms.axes[1], terms.axes[0].mT)


@checked_arguments
def smooth_terms(robot: ReducedRobot, ground: GroundFriction, state: ReducedState) -> SmoothTerms:
    """Inertia, centrifugal terms, ground friction and known loads of a state."""
    state.check_fits(robot.n_links)
    n, rate = robot.n_links, state.link_rate[..., None]
    axes = np.empty((2, *state.link_angle.shape, 2))
    axes[0, ..., 0] = axes[1, ..., 1] = np.cos(state.link_angle)
    axes[0, ..., 1] = sin = np.sin(state.link_angle)
    axes[1, ..., 0] = -sin
    left = axes[1]
    turning = np.empty(axes.shape)
    np.multiply(rate, left, out=turning[0])
    np.multiply(rate * rate, axes[0], out=turning[1])
    motion = np.matmul(robot.lever, turning)
    motion[0] += state.velocity[..., None, :]
    force, moment = ground.loads(robot, axes, motion[0], state.link_rate)
    inert = robot.mass[:, None] * motion[1]
    if robot.paper_table:
        pull = np.matmul(robot.levers[1].T, force) + np.matmul(robot.lever.T, inert)
    else:
        pull = np.matmul(robot.lever.T, force + inert)
    load = np.empty((*state.link_angle.shape[:-1], n + 2))
    load[..., :n] = np.vecdot(left, pull) + moment
    load[..., n:] = np.add.reduce(force, axis=-2)
    if state.load is not None:
        push = state.load[..., :2]
        load[..., :n] += np.vecdot(left, np.matmul(robot.levers[1].T, push)) + state.load[..., 2]
        load[..., n:] += np.add.reduce(push, axis=-2)
    mass_matrix = np.empty((*load.shape, n + 2))
    mass_matrix[...] = robot.own_mass
    mass_matrix[..., :n, :n] += robot.coupling * np.matmul(left, left.mT)  # S K M K^T S + C K M K^T C
    return SmoothTerms(
        axes=axes, motion=motion, mass_matrix=mass_matrix, ground_force=force, ground_moment=moment, load=load
    )

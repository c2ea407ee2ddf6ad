"""The wanted motion, and the quadratic program of Holden2014 (53)-(56) that follows from it, ready to be solved.

    minimise    torque (|u|^2 + posture |theta_ddot_f - a_f|^2_M) + slack |z / scale|^2      (53), with a posture term
    subject to  0 <= side (force_free + force_per_torque u) <= limit     (54), with an additional limit
                A_e u + z = b_e                                          (55)
                |u| <= torque_limit                                      (56)

over joint torques u and slacks z. The rows of (55) are accelerations: two of the centre of mass, then one per chosen
link. (The paper multiplies the first two by the mass.) Links that the wish does not name are left free, f. Under load
they buckle; the posture term, which the paper does not have, holds them (docs/theory/force-mapping-stability.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import array
from pushpoint.model.checks import above, at_least, check_fields, instance, store
from pushpoint.model.quantities import Coefficient
from pushpoint.reduced.contacts import ClosedDynamics, Contacts, closed_dynamics, contact_terms, force_relation
from pushpoint.reduced.robot import ReducedRobot, ReducedState, finite_array, link_numbers
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

_CENTER = np.array([-2, -1])  # rows of the centre of mass in q = (theta, p)
RANK_TOLERANCE = 1e-10
"""Singular values below this share of the largest count as zero [-]; double precision leaves about 1e-13 after (34)."""


def _store_vectors(owner: Any, name: str, **units: str) -> None:
    """Checks and stores `links` and the given fields: one number per link for fields named after links, else two."""
    links = link_numbers(f"{name}.links", owner.links)
    if links.ndim != 1:
        raise InvalidModel(f"{name}.links", owner.links, "a list of link numbers, from 0")
    if len(set(links.tolist())) < len(links):
        raise InvalidModel(f"{name}.links", owner.links, "a list without repetitions")
    store(owner, links=links)
    for field, unit in units.items():
        size = len(links) if field.startswith("link") else 2
        array = finite_array(f"{name}.{field}", getattr(owner, field), unit)
        if array.ndim and array.shape != (size,):
            raise InvalidModel(f"{name}.{field}: shape", array.shape, f"({size},)")
        store(owner, **{field: array if array.ndim else np.full(size, float(array))})


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionWish:
    """The wanted accelerations: the right-hand sides of Holden2014 (40)-(42)."""

    center_acceleration: np.ndarray
    """Wanted acceleration of the robot's centre of mass [m/s^2], shape (2,)."""
    links: np.ndarray
    """Indices of the links whose angles are controlled [-], shape (n_d,)."""
    link_acceleration: np.ndarray
    """Their angular accelerations [rad/s^2], shape (n_d,)."""
    posture: np.ndarray | None = None
    """Angular accelerations with which free links keep their posture, a_f [rad/s^2], shape (n_links,).

    It lists all links; the entries of the controlled links are not used. None: no posture is kept.
    """

    def __post_init__(self) -> None:
        _store_vectors(self, "wish", center_acceleration="m/s^2", link_acceleration="rad/s^2")
        if self.posture is not None:
            store(self, posture=finite_array("wish.posture", self.posture, "rad/s^2"))


@dataclass(frozen=True, kw_only=True, eq=False)
class PostureReference:
    """Wanted posture of the links that are left free. A single number applies to all links."""

    link_angle: np.ndarray
    """Angles [rad], shape (n_links,)."""
    link_rate: np.ndarray | float = 0.0
    """Angular velocities [rad/s], shape (n_links,)."""
    link_acceleration: np.ndarray | float = 0.0
    """Angular accelerations [rad/s^2], shape (n_links,)."""

    def __post_init__(self) -> None:
        for name, unit in (("link_angle", "rad"), ("link_rate", "rad/s"), ("link_acceleration", "rad/s^2")):
            store(self, **{name: finite_array(f"posture.{name}", getattr(self, name), unit)})


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionReference:
    """Wanted motion of the centre of mass and of the chosen links. A single number applies to all links."""

    center: np.ndarray
    """Position of the centre of mass, p_d [m], shape (2,)."""
    links: np.ndarray
    """Indices of the links whose angles are controlled [-], shape (n_d,)."""
    link_angle: np.ndarray
    """Their angles, theta_d [rad], shape (n_d,)."""
    velocity: np.ndarray | float = 0.0
    """Velocity of the centre of mass [m/s], shape (2,)."""
    acceleration: np.ndarray | float = 0.0
    """Acceleration of the centre of mass [m/s^2], shape (2,)."""
    link_rate: np.ndarray | float = 0.0
    """Angular velocities [rad/s], shape (n_d,)."""
    link_acceleration: np.ndarray | float = 0.0
    """Angular accelerations [rad/s^2], shape (n_d,)."""
    posture: PostureReference | None = None
    """Wanted posture of the other links; None: no posture is kept."""

    def __post_init__(self) -> None:
        of_center = {"center": "m", "velocity": "m/s", "acceleration": "m/s^2"}
        of_links = {"link_angle": "rad", "link_rate": "rad/s", "link_acceleration": "rad/s^2"}
        _store_vectors(self, "reference", **of_center, **of_links)
        if self.posture is not None:
            instance("reference.posture", self.posture, PostureReference, "a PostureReference")


@dataclass(frozen=True, kw_only=True)
class Gains:
    """Gains of the law (47)-(49). All errors then decay as e_ddot + damping e_dot + stiffness e = 0."""

    center_stiffness: Annotated[float, above(0, "1/s^2")] = 1.0
    """Gain k_p of the centre of mass [1/s^2]."""
    center_damping: Annotated[float, above(0, "1/s")] = 1.0
    """Gain k_d of the centre of mass [1/s]."""
    link_stiffness: Annotated[float, above(0, "1/s^2")] = 1.0
    """Gain K_p of the link angles [1/s^2]."""
    link_damping: Annotated[float, above(0, "1/s")] = 1.0
    """Gain K_d of the link angles [1/s]."""
    posture_stiffness: Annotated[float, above(0, "1/s^2")] = 400.0
    """Gain k_p of the free links [1/s^2]; times `MappingWeights.posture` it is a stiffness [N m/rad]."""
    posture_damping: Annotated[float, above(0, "1/s")] = 40.0
    """Gain k_d of the free links [1/s]."""

    def __post_init__(self) -> None:
        check_fields(self, "gains")


@checked_arguments
def tracking_wish(state: ReducedState, reference: MotionReference, gains: Gains = Gains()) -> MotionWish:  # noqa: B008
    """The wanted accelerations with which errors decay, Holden2014 (47)-(49).

    Args:
        state: Pose and velocities of the robot.
        reference: The wanted motion.
        gains: How fast errors decay.
    """
    links = reference.links
    if links.size and int(links.max()) >= state.link_angle.shape[-1]:
        raise InvalidModel("reference.links", int(links.max()), f"below {state.link_angle.shape[-1]}")
    return MotionWish(
        center_acceleration=reference.acceleration
        - gains.center_stiffness * (state.center - reference.center)
        - gains.center_damping * (state.velocity - reference.velocity),
        links=links,
        link_acceleration=reference.link_acceleration
        - gains.link_stiffness * (state.link_angle[links] - reference.link_angle)
        - gains.link_damping * (state.link_rate[links] - reference.link_rate),
        posture=None if reference.posture is None else _kept(state, reference.posture, gains),
    )


def _kept(state: ReducedState, posture: PostureReference, gains: Gains) -> np.ndarray:
    """The posture accelerations a_f for all links [rad/s^2]."""
    off, rate_off = state.link_angle - posture.link_angle, state.link_rate - posture.link_rate
    return np.asarray(posture.link_acceleration - gains.posture_stiffness * off - gains.posture_damping * rate_off)


@dataclass(frozen=True, kw_only=True, eq=False)
class MappingBounds:
    """Limits of torques and peg forces."""

    torque_limit: np.ndarray | float
    """Largest torque of each joint, either way, u_max of (56) [N m]: one number, or shape (n_joints,)."""
    force_limit: np.ndarray | float = np.inf
    """Largest normal force on a peg [N]: one number, or shape (n_contacts,)."""

    def __post_init__(self) -> None:
        for name, unit in (("torque_limit", "N m"), ("force_limit", "N")):
            limit = array(f"bounds.{name}", getattr(self, name), at_least(0, unit, infinite=True))
            if limit.ndim > 1:
                raise InvalidModel(f"bounds.{name}", limit.shape, f"one number >= 0, or a list of them [{unit}]")
            store(self, **{name: limit if limit.ndim else float(limit)})
        if not np.any(self.torque_limit > 0.0):
            raise InvalidModel("bounds.torque_limit", self.torque_limit, "> 0 for at least one joint [N m]")
        if not np.all(self.force_limit > 0.0):
            raise InvalidModel("bounds.force_limit", self.force_limit, "> 0 [N]")

    def of(self, n_joints: int, n_contacts: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns torque limits of all joints [N m] and force limits of all contacts [N]."""
        found = []
        for name, size in (("torque_limit", n_joints), ("force_limit", n_contacts)):
            limit = np.asarray(getattr(self, name))
            if limit.ndim and len(limit) != size:
                raise InvalidModel(f"bounds.{name}: shape", limit.shape, f"({size},), or one number")
            found.append(limit if limit.ndim else np.full(size, limit))
        return found[0], found[1]


Inertia = Annotated[float, at_least(0, "kg m^2")]


@dataclass(frozen=True, kw_only=True)
class MappingWeights:
    """The cost (53): torque * (|joint_torque|^2 + posture * |theta_ddot_f - a_f|^2) + slack * |z / scale|^2.

    Rows of the wish have two units; a scale for each makes their slacks comparable. Squares of the posture are taken in
    the metric of the masses, M_ff.
    """

    torque: Annotated[float, above(0, "1/(N m)^2")] = 1.0
    """Cost of a squared torque, Q_u [1/(N m)^2]."""
    slack: Annotated[float, above(0, "-")] = 1e12
    """Cost of a squared scaled slack, Q_z [-]."""
    posture: Inertia = 0.0
    """Cost of a free link's posture error relative to that of a squared torque, rho [kg m^2].

    0 is the paper's program. rho times the k_p of the posture acts as a stiffness at the joints [N m/rad]; below
    `least_stiffness` the free links buckle.
    """
    center_scale: Annotated[float, above(0, "m/s^2")] | None = None
    """One unit of slack of the centre of mass [m/s^2].

    Default: link_scale times the mean distance between joints, the acceleration of the end of a link that turns with
    link_scale.
    """
    link_scale: Annotated[float, above(0, "rad/s^2")] = 1.0
    """One unit of slack of a link [rad/s^2]."""
    tolerance: Coefficient = 1e-6
    """Largest scaled slack with which a wish counts as fulfilled [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "weights")


@dataclass(frozen=True, kw_only=True, eq=False)
class ForceMapping:
    """The force mapping at one instant. Its matrices can be read and tested without a solver."""

    closed: ClosedDynamics
    """Motion and contact forces as functions of the torques."""
    side: np.ndarray
    """Signs that the contact forces must have, gamma [-], shape (n_contacts,)."""
    links: np.ndarray
    """Indices of the links that the wish names [-], shape (n_d,)."""
    A_e: np.ndarray
    """Wanted accelerations per torque [1/(kg m), then 1/(kg m^2)], shape (2 + n_d, n_joints)."""
    b_e: np.ndarray
    """Accelerations that the torques must add [m/s^2, then rad/s^2], shape (2 + n_d,)."""
    scale: np.ndarray
    """One unit of slack in each row [m/s^2, then rad/s^2], shape (2 + n_d,)."""
    torque_limit: np.ndarray
    """Largest torques [N m], shape (n_joints,)."""
    force_limit: np.ndarray
    """Largest contact forces [N], shape (n_contacts,)."""
    torque_cost: np.ndarray
    """Quadratic cost of the torques [1/(N m)^2], shape (n_joints, n_joints).

    The first two terms of (53) are u^T torque_cost u - 2 posture_pull^T u, up to a constant.
    """
    posture_pull: np.ndarray
    """Linear cost of the torques, from the posture [1/(N m)], shape (n_joints,)."""
    weights: MappingWeights
    """The cost."""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each row of the wish."""
        center = (("center x", "m/s^2"), ("center y", "m/s^2"))
        return center + tuple((f"link {link}", "rad/s^2") for link in self.links)

    @cached_property
    def rank(self) -> int:
        """Rank of A_e [-]."""
        return int(self._directions.shape[1])

    @cached_property
    def solvable(self) -> bool:
        """Whether some torques, of any size and with contact forces of any sign, fulfil the wish.

        Holden2014, VI-A (Rouché-Capelli): the rank of [A_e, b_e] equals that of A_e, so b_e lies in the span of A_e.
        """
        b = self.b_e / self.scale
        outside = b - self._directions @ (self._directions.T @ b)
        return bool(np.linalg.norm(outside) <= 1e-9 * max(1.0, float(np.linalg.norm(b))))

    @cached_property
    def _directions(self) -> np.ndarray:
        U, size, _ = np.linalg.svd(self.A_e / self.scale[:, None], full_matrices=False)
        return U[:, size > RANK_TOLERANCE * size[0]]


@checked_arguments
def build_force_mapping(
    robot: ReducedRobot,
    ground: GroundFriction,
    state: ReducedState,
    contacts: Contacts,
    wish: MotionWish,
    bounds: MappingBounds,
    weights: MappingWeights = MappingWeights(),  # noqa: B008
) -> ForceMapping:
    """Builds the quadratic program for one state.

    Args:
        robot: The reduced model of the robot.
        ground: Friction of the ground.
        state: Pose and velocities of one robot.
        contacts: At least one contact; they must be independent.
        wish: The wanted accelerations.
        bounds: Limits of torques and peg forces.
        weights: Weights of the cost.

    Raises:
        InvalidModel: There are no contacts, or they depend on each other.
    """
    if contacts.count == 0:
        raise InvalidModel("contacts", 0, "at least one: without pegs there is nothing to push against")
    if contacts.link.ndim > 1 or state.link_angle.ndim > 1:
        raise InvalidModel(
            "state.link_angle: shape", state.link_angle.shape, f"({robot.n_links},): one robot at a time"
        )
    links = wish.links
    if links.size and int(links.max()) >= robot.n_links:
        raise InvalidModel("wish.links", int(links.max()), f"below {robot.n_links}, the number of links")
    torque_limit, force_limit = bounds.of(robot.n_joints, contacts.count)
    terms = smooth_terms(robot, ground, state)
    closed = closed_dynamics(contacts, force_relation(robot, terms, contact_terms(robot, state, contacts, terms)))
    torque_cost, posture_pull = _posture_cost(wish, weights, closed, terms.mass_matrix)
    rows = np.concatenate((_CENTER, links))
    center_scale = weights.center_scale or weights.link_scale * robot.mean_length
    return ForceMapping(
        closed=closed,
        side=contacts.side,
        links=links,
        A_e=closed.per_torque[rows],
        b_e=np.concatenate((wish.center_acceleration, wish.link_acceleration)) - closed.free[rows],
        scale=np.array([center_scale] * 2 + [weights.link_scale] * len(links)),
        torque_limit=torque_limit,
        force_limit=force_limit,
        torque_cost=torque_cost,
        posture_pull=posture_pull,
        weights=weights,
    )


def _posture_cost(
    wish: MotionWish, weights: MappingWeights, closed: ClosedDynamics, mass_matrix: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Quadratic and linear torque cost of the posture; see ForceMapping."""
    n, m = closed.per_torque.shape[0] - 2, closed.per_torque.shape[1]
    free = np.delete(np.arange(n), wish.links) if weights.posture else wish.links[:0]
    if not free.size:
        return weights.torque * np.eye(m), np.zeros(m)
    if wish.posture is None or wish.posture.shape != (n,):
        given = None if wish.posture is None else wish.posture.shape
        raise InvalidModel("wish.posture: shape", given, f"({n},), as weights.posture = {weights.posture:g}")
    A_f, M_ff = closed.per_torque[free], mass_matrix[np.ix_(free, free)]
    price = weights.torque * weights.posture * A_f.T @ M_ff
    return weights.torque * np.eye(m) + price @ A_f, price @ (wish.posture[free] - closed.free[free])

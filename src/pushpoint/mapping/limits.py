"""Limits and weights of the force mapping."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import array
from pushpoint.model.checks import above, at_least, check_fields, real, store
from pushpoint.model.quantities import Coefficient


@dataclass(frozen=True, kw_only=True, eq=False)
class MappingBounds:
    """Limits of torques and peg forces."""

    __repr__ = brief

    torque_limit: np.ndarray | float
    """Largest torque of each joint, either way, u_max of (56) [N m]: one number, or shape (n_joints,)."""
    force_limit: np.ndarray | float = np.inf
    """Largest normal force on a peg [N]: one number, or shape (n_contacts,)."""

    least_force: np.ndarray | float = 0.0
    """Least normal force on a peg that touches [N]: one number, or shape (n_contacts,). A firm push keeps contact."""

    def __post_init__(self) -> None:
        for name, unit in (("torque_limit", "N m"), ("force_limit", "N"), ("least_force", "N")):
            within = at_least(0, unit, infinite=name != "least_force")
            limit = array(f"bounds.{name}", getattr(self, name), within)
            if limit.ndim > 1:
                raise InvalidModel(f"bounds.{name}", limit.shape, f"one number >= 0, or a list of them [{unit}]")
            store(self, **{name: limit if limit.ndim else float(limit)})
        if not np.any(self.torque_limit > 0.0):
            raise InvalidModel("bounds.torque_limit", self.torque_limit, "> 0 for at least one joint [N m]")
        if not np.all(self.force_limit > 0.0):
            raise InvalidModel("bounds.force_limit", self.force_limit, "> 0 [N]")
        shapes = {np.shape(self.least_force), np.shape(self.force_limit)} - {()}
        if len(shapes) < 2 and np.any(self.least_force > self.force_limit):
            raise InvalidModel(
                "bounds.least_force",
                self.least_force,
                "at most {force_limit}",
                unit="N",
                others={"force_limit": self.force_limit},
            )

    def of(self, n_joints: int, n_contacts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns torque limits of all joints [N m], and least and largest forces of all contacts [N]."""
        found = []
        for name, size in (("torque_limit", n_joints), ("least_force", n_contacts), ("force_limit", n_contacts)):
            limit = np.asarray(getattr(self, name))
            if limit.ndim and len(limit) != size:
                raise InvalidModel(f"bounds.{name}: shape", limit.shape, f"({size},), or one number")
            found.append(limit if limit.ndim else np.full(size, limit))
        return found[0], found[1], found[2]


Inertia = Annotated[float, at_least(0, "kg m^2")]


@dataclass(frozen=True, kw_only=True, eq=False)
class MappingWeights:
    """The cost (53): u^T Q_u u + posture q_u |theta_ddot_f - a_f|^2 + (z / scale)^T Q_z (z / scale).

    Q_u and Q_z are numbers times the unit matrix, as in the paper, one number per joint or row, or whole matrices. q_u
    is the mean of Q_u's diagonal. Rows of the wish have two units; a scale for each makes their slacks comparable.
    Squares of the posture are taken in the metric of the masses, M_ff.
    """

    __repr__ = brief

    torque: np.ndarray | float = 1.0
    """Cost of squared torques, Q_u [1/(N m)^2]: a number, shape (n_joints,) or (n_joints, n_joints)."""
    slack: np.ndarray | float = 1e12
    """Cost of squared scaled slacks, Q_z [-]: a number, or one per row, or a matrix; rows as in ForceMapping.rows."""
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
        store(self, torque=_price("weights.torque", self.torque, "1/(N m)^2"))
        store(self, slack=_price("weights.slack", self.slack, "-"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MappingWeights) and all(
            np.array_equal(getattr(self, each.name), getattr(other, each.name)) for each in fields(self)
        )

    def __hash__(self) -> int:
        return hash((self.posture, self.center_scale, self.link_scale, self.tolerance))

    def torque_matrix(self, n_joints: int) -> np.ndarray:
        """Q_u [1/(N m)^2], shape (n_joints, n_joints)."""
        return _matrix("weights.torque", self.torque, n_joints)

    def slack_matrix(self, n_rows: int) -> np.ndarray:
        """Q_z [-], shape (n_rows, n_rows)."""
        return _matrix("weights.slack", self.slack, n_rows)


def _price(field: str, value: np.ndarray | float, unit: str) -> np.ndarray | float:
    """A number, a list of numbers > 0, or a symmetric positive definite matrix."""
    made = array(field, value, real(unit))
    if made.ndim < 2:
        made = array(field, value, above(0, unit))
    if made.ndim == 0:
        return float(made)
    if made.ndim == 1:
        return made
    if made.ndim > 2 or made.shape[0] != made.shape[1]:
        raise InvalidModel(f"{field}: shape", made.shape, "that of a number, a list or a square matrix")
    if not np.allclose(made, made.T, rtol=1e-9, atol=0.0):
        raise InvalidModel(field, "a matrix that is not", "symmetric")
    if np.linalg.eigvalsh(made)[0] <= 0.0:
        raise InvalidModel(field, "a matrix that is not", "positive definite")
    return made


def _matrix(field: str, price: np.ndarray | float, size: int) -> np.ndarray:
    if isinstance(price, float):
        return price * np.eye(size)
    held = np.asarray(price)
    if held.ndim and held.shape != (size,) * held.ndim:
        raise InvalidModel(f"{field}: shape", held.shape, f"{(size,) * held.ndim}, or one number")
    return held if held.ndim == 2 else np.diag(np.broadcast_to(held, (size,)))

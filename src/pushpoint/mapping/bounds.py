"""What the force mapping may use, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import above, check_fields, store
from pushpoint.model.quantities import Coefficient


def _limits(field: str, value: np.ndarray | float, unit: str) -> np.ndarray | float:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InvalidModel(field, value, f"numbers >= 0 [{unit}]") from None
    if array.ndim > 1 or np.isnan(array).any() or (array < 0.0).any():
        raise InvalidModel(field, value, f"one number >= 0, or a list of them [{unit}]")
    return array if array.ndim else float(array)


@dataclass(frozen=True, kw_only=True, eq=False)
class MappingBounds:
    """Limits of torques and peg forces."""

    torque_limit: np.ndarray | float
    """Largest torque of each joint, either way, u_max of (56) [N m]: one number, or shape (n_joints,)."""
    force_limit: np.ndarray | float = np.inf
    """Largest normal force on a peg [N]: one number, or shape (n_contacts,)."""

    def __post_init__(self) -> None:
        torque = _limits("bounds.torque_limit", self.torque_limit, "N m")
        if not np.any(torque > 0.0):
            raise InvalidModel("bounds.torque_limit", self.torque_limit, "> 0 for at least one joint [N m]")
        force = _limits("bounds.force_limit", self.force_limit, "N")
        if not np.all(force > 0.0):
            raise InvalidModel("bounds.force_limit", self.force_limit, "> 0 [N]")
        store(self, torque_limit=torque, force_limit=force)

    def of(self, n_joints: int, n_contacts: int) -> tuple[np.ndarray, np.ndarray]:
        """Torque limits of all joints [N m] and force limits of all contacts [N]."""
        torque, force = np.asarray(self.torque_limit), np.asarray(self.force_limit)
        return _spread("torque_limit", torque, n_joints), _spread("force_limit", force, n_contacts)


def _spread(name: str, value: np.ndarray, size: int) -> np.ndarray:
    if value.ndim == 0:
        return np.full(size, value)
    if len(value) != size:
        raise InvalidModel(f"bounds.{name}: shape", value.shape, f"({size},), or one number")
    return value


@dataclass(frozen=True, kw_only=True)
class MappingWeights:
    """The cost (53): torque * |joint_torque|^2 + slack * |z / scale|^2.

    Rows of the wish have two units; a scale for each makes their slacks comparable.
    """

    torque: Annotated[float, above(0, "1/(N m)^2")] = 1.0
    """Cost of a squared torque, Q_u [1/(N m)^2]."""
    slack: Annotated[float, above(0, "-")] = 1e12
    """Cost of a squared slack after scaling, Q_z [-]."""
    center_scale: Annotated[float, above(0, "m/s^2")] | None = None
    """What counts as one unit of slack of the centre of mass [m/s^2]; default: link_scale times the mean distance
    between joints, the acceleration of a link's end that turns with link_scale."""
    link_scale: Annotated[float, above(0, "rad/s^2")] = 1.0
    """What counts as one unit of slack of a link [rad/s^2]."""
    tolerance: Coefficient = 1e-6
    """Largest slack after scaling with which a wish counts as fulfilled [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "weights")

"""What a step says of its contacts and joints, row after row, and how that becomes a local problem."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.kernels.structs import DRIVE_PRESCRIBED, LAW_CONE, LAW_NONE, LAW_RECTANGLE

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, kw_only=True)
class Row:
    """One contact of a step."""

    kind: str
    """"ground", "obstacle", "self" or "stop"."""
    link: int
    """Link [-]."""
    directions: np.ndarray
    """Velocities of the contact per velocity of the chain, shape (3, n_freedoms); zero rows where nothing moves."""
    target: float
    """Normal velocity that the contact aims at [m/s]."""
    mu: np.ndarray
    """Coefficients for sliding forward, backward and across [-], shape (3,)."""
    impulse: np.ndarray
    """What the links felt: normal, tangential [N s], shape (3,)."""
    frame: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    """Normal and tangents as rows, world axes."""
    point: np.ndarray = field(default_factory=lambda: np.zeros(3))
    """Where it touches [m]."""
    load: tuple[float, float] | None = None
    """Mass [kg] and impulse [N s] that press on the contact where the plane has no freedom for it."""


def coefficients(code: int, directional: int, largest: float, scale: np.ndarray) -> np.ndarray:
    """A law as coefficients forward, backward and across; refuses what is no cone with associated slip."""
    if code == int(LAW_NONE):
        return np.zeros(3)
    if code != int(LAW_CONE):
        name = "Rectangular" if code == int(LAW_RECTANGLE) else "Viscous"
        raise InvalidModel("contact problem: friction", name, "Isotropic, Elliptic or Skin")
    if directional == 1 and np.ptp(scale) > 0.0:
        raise InvalidModel("contact problem: flow of the friction", "directional", "'associated'")
    return np.asarray(largest * np.asarray(scale, dtype=float))


@dataclass(frozen=True, kw_only=True)
class Chain:
    """The equation A nu = f of a chain's free velocities, contacts left out."""

    A: np.ndarray
    """Mass matrix with the motors' lines, shape (n_freedoms, n_freedoms)."""
    f: np.ndarray
    """Impulses, shape (n_freedoms,)."""
    given: np.ndarray
    """Velocities that are prescribed, NaN where free, shape (n_freedoms,)."""

    def problem(self, rows: list[Row]) -> tuple[np.ndarray, np.ndarray]:
        """W and q of the contacts."""
        free = np.isnan(self.given)
        nu = np.where(free, 0.0, self.given)
        H = np.concatenate([row.directions for row in rows]) if rows else np.zeros((0, len(nu)))
        push = (self.f - self.A @ nu)[free]
        inner = self.A[np.ix_(free, free)]
        W = H[:, free] @ np.linalg.solve(inner, H[:, free].T)
        q = H[:, free] @ np.linalg.solve(inner, push) + H @ nu
        for k, row in enumerate(rows):
            q[3 * k] -= row.target
            if row.load is not None:
                W[3 * k, 3 * k], q[3 * k] = 1.0 / row.load[0], -row.load[1] / row.load[0]
        return (W + W.T) / 2, q


def joint_fields(stepper: Stepper, world: int) -> dict[str, np.ndarray]:
    """What the axes' laws were in the last step, shape (n_joints,) each."""
    read, work = partial(stepper._records.read, per="axis"), stepper._work.joints
    names = ("b", "kappa", "stop_F", "stop_G", "stop_target", "stopped", "rate")
    found = {name: read(work, name)[world] for name in names}
    prescribed = read(stepper._drive.joints, "mode")[world] == int(DRIVE_PRESCRIBED)
    found["given"] = np.where(prescribed, found["b"], np.nan)
    found["b"] = np.where(prescribed, 0.0, found["b"])
    found["kappa"] = np.where(prescribed, 0.0, found["kappa"])
    found["stopped"] = np.where(prescribed, 0, found["stopped"])
    return found


def stop_rows(joints: dict[str, np.ndarray], link_behind: list[int], lengths: np.ndarray, first: int) -> list[Row]:
    """Joints at their ends: contacts without friction, rates times the length of the link in front.

    `first` is the place of the first joint rate among the freedoms.
    """
    rows = []
    count = len(joints["rate"])
    for j in np.flatnonzero(joints["stopped"]):
        inward, length = -float(joints["stopped"][j]), float(lengths[link_behind[j] + 1])
        directions = np.zeros((3, first + count))
        directions[0, first + j] = inward * length
        felt = joints["stop_F"][j] - joints["stop_G"][j] * joints["rate"][j]
        rows.append(
            Row(
                kind="stop",
                link=link_behind[j],
                directions=directions,
                target=inward * length * float(joints["stop_target"][j]),
                mu=np.zeros(3),
                impulse=np.array([inward * felt / length, 0.0, 0.0]),
            )
        )
    return rows

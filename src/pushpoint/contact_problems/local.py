"""A local problem u = W p + q with friction, and how far impulses are from its laws, without using the solver.

For a contact with impulse (p_N, p_T), velocity (u_N, u_T) and a mass m of its own, the laws hold if and only if each of
the following is zero. The friction set is C = p_N E, where E is an ellipse with the coefficients as half-axes (or two
half-ellipses joined where the force along is zero).

- Signorini: 0 <= u_N, 0 <= p_N, one of them zero. min(u_N, p_N/m) [m/s].
- Coulomb's inclusion -u_T in N_C(p_T): |p_T - proj_C(p_T - m u_T)|/m [m/s], proj the nearest point.
- Maximal dissipation: the maximum over p in C of -u_T . p, minus -u_T . p_T [J].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import array_of_numbers, check_range
from pushpoint.model.checks import Whole, real, whole

ASYMMETRY = 1e-2
"""How far W may be from its transpose, relative to its largest entry [-]: from rounding and files with few digits."""
NEGATIVE = 1e-6
"""How far eigenvalues may be below zero, relative to the largest one [-]: files have as few as seven digits."""
LARGEST = 1e60
"""Largest number in a problem, in its unit."""
UNITS = {"W": "1/kg", "q": "m/s", "mu": "-", "impulses": "N s", "start": "N s"}
BISECTIONS = 100
"""Halvings in the search for the nearest point of an ellipse: more than the digits of a number."""


@dataclass(frozen=True, eq=False)
class Local:
    """A contact problem in the form that the laws use."""

    W: np.ndarray
    """Delassus matrix [1/kg], shape (rows, rows), as given: symmetric up to the errors of its source."""
    q: np.ndarray
    """Velocities without contact impulses [m/s], shape (rows,)."""
    friction: np.ndarray
    """Coefficients of every contact for sliding forward, backward and across [-], shape (n, 3)."""
    dimension: int
    """Rows per contact, 2 or 3 [-]."""

    @staticmethod
    def of(W: Any, q: Any, mu: Any, dimension: Any) -> Local:
        """Checks the problem; arguments as for `solve`."""
        size = whole("dimension", dimension, Whole(2, 3, "2 (normal, tangent) or 3 (normal, two tangents)"))
        given = _numbers("q", q)
        velocity = given.reshape(-1)
        if given.ndim > 2 or (given.ndim == 2 and given.shape[1] != size) or len(velocity) % size:
            raise InvalidModel("q: shape", given.shape, f"{size} rows per contact [m/s]")
        return Local(_matrix(W, len(velocity)), velocity, _friction(mu, len(velocity) // size, size), size)

    @property
    def asymmetry(self) -> float:
        """Largest difference between W and its transpose, relative to its largest entry [-]."""
        return _asymmetry(self.W)

    @property
    def count(self) -> int:
        """Number of contacts [-]."""
        return len(self.friction)

    def impulses(self, values: Any, field: str = "impulses") -> np.ndarray:
        """Impulses of every contact, shape (count, dimension); raises InvalidModel for another shape."""
        made = _numbers(field, values)
        if made.shape not in ((self.count, self.dimension), (self.count * self.dimension,)):
            raise InvalidModel(f"{field}: shape", made.shape, f"({self.count}, {self.dimension}) [N s]")
        return made.reshape(self.count, self.dimension)

    def velocities(self, p: np.ndarray) -> np.ndarray:
        """u = W p + q [m/s], shape (count, dimension)."""
        return np.asarray((self.W @ p.ravel() + self.q).reshape(self.count, self.dimension))


def _matrix(W: Any, rows: int) -> np.ndarray:
    """W, unchanged; raises InvalidModel if it is far from symmetric or has negative eigenvalues."""
    made = _numbers("W", W)
    if made.shape != (rows, rows):
        raise InvalidModel("W: shape", made.shape, f"({rows}, {rows}), one row per row of q [1/kg]")
    if rows == 0:
        return made
    lopsided = _asymmetry(made)
    if lopsided > ASYMMETRY:
        allowed = f"at most {ASYMMETRY:g} of its largest entry, W being symmetric"
        raise InvalidModel("W: difference from its transpose", lopsided, allowed)
    values = np.linalg.eigvalsh((made + made.T) / 2)
    if values[0] < -max(NEGATIVE, lopsided) * max(values[-1], 0.0):
        raise InvalidModel("W: smallest eigenvalue", float(values[0]), ">= 0, W being positive semi-definite [1/kg]")
    return np.ascontiguousarray(made)


def _asymmetry(W: np.ndarray) -> float:
    largest = float(np.abs(W).max(initial=0.0))
    return float(np.abs(W - W.T).max()) / largest if largest > 0.0 else 0.0


def _friction(mu: Any, count: int, dimension: int) -> np.ndarray:
    """Coefficients of every contact for sliding forward, backward and across, shape (count, 3)."""
    made = _numbers("mu", mu)
    shapes: tuple[tuple[int, ...], ...] = ((), (count,))
    allowed = f"a number or of shape ({count},)"
    if dimension == 3:
        shapes += ((count, 2), (count, 3))
        allowed += f", ({count}, 2) for along and across, or ({count}, 3) for forward, backward and across"
    if made.shape not in shapes:
        raise InvalidModel("mu: shape", made.shape, allowed)
    if made.size and made.min() < 0.0:
        raise InvalidModel("mu", float(made.min()), ">= 0 [-]")
    if made.ndim < 2:
        return np.repeat(np.broadcast_to(made, count)[:, None], 3, axis=1)
    return made[:, [0, 0, 1]] if made.shape[1] == 2 else made


def _numbers(field: str, values: Any) -> np.ndarray:
    """Numbers small enough that products of several of them stay finite."""
    made = array_of_numbers(field, values, unit=UNITS[field])
    check_range(field, made, real(UNITS[field]), LARGEST)
    return made


@dataclass(frozen=True, kw_only=True)
class Residuals:
    """Distances from the contact laws, one value per contact; zero where they hold."""

    __repr__ = brief

    signorini: np.ndarray
    """Violation of the unilateral contact law [m/s], shape (n_contacts,)."""
    coulomb: np.ndarray
    """Violation of the friction law as an inclusion [m/s], shape (n_contacts,)."""
    dissipation: np.ndarray
    """How much more friction could dissipate [J], shape (n_contacts,).

    An impulse outside its set dissipates too much.
    """
    velocity_scale: float
    """Largest free velocity of the problem [m/s]."""
    impulse_scale: float
    """Largest impulse, or the one that gives a contact's mass the velocity scale if that is larger [N s]."""

    @property
    def worst(self) -> float:
        """The largest of all, relative to the scales [-]; infinite if numbers overflowed."""
        slips = np.maximum(self.signorini.max(initial=0.0), self.coulomb.max(initial=0.0))
        if not len(self.signorini) or self.velocity_scale == 0.0:
            return float(slips)
        work, scale = self.dissipation.max(), self.velocity_scale * self.impulse_scale
        with np.errstate(over="ignore"):
            missing = work / scale if scale > 0.0 else (0.0 if work == 0.0 else np.inf)
            worst = float(np.maximum(slips / self.velocity_scale, missing))
        return np.inf if np.isnan(worst) else worst


def residuals(W: Any, q: Any, mu: Any, impulses: Any, *, dimension: int = 3) -> Residuals:
    """Distances of impulses from the laws of the problem u = W p + q, computed without the solver.

    Args:
        W: Delassus matrix [1/kg], as for `solve`.
        q: Velocities without contact impulses [m/s].
        mu: Friction coefficients [-], as for `solve`.
        impulses: Normal and tangential impulses [N s], shape (n_contacts, dimension).
        dimension: Rows per contact: 3, or 2 in the plane.
    """
    local = Local.of(W, q, mu, dimension)
    return measure(local, local.impulses(impulses))


def measure(local: Local, p: np.ndarray) -> Residuals:
    """The same for checked values. If numbers overflow, the result says so."""
    with np.errstate(all="ignore"):
        return _measured(local, p)


def _measured(local: Local, p: np.ndarray) -> Residuals:
    count, size = p.shape
    u, friction = local.velocities(p), local.friction
    mass = _masses(local.W, count, size)
    p_N, u_N = p[:, 0], u[:, 0]
    p_T, u_T = np.zeros((count, 2)), np.zeros((count, 2))
    p_T[:, : size - 1], u_T[:, : size - 1] = p[:, 1:], u[:, 1:]
    pressed = np.maximum(p_N, 0.0)[:, None]
    near = _nearest(p_T - mass[:, None] * u_T, pressed * friction)
    # The force that dissipates most: sliding forward is pushed backward.
    axes = _half(-u_T, pressed * friction)
    missing = np.hypot(axes[:, 0] * u_T[:, 0], axes[:, 1] * u_T[:, 1]) + (u_T * p_T).sum(axis=1)
    speed = float(np.abs(local.q).max(initial=0.0))
    return Residuals(
        signorini=np.abs(np.minimum(u_N, p_N / mass)),
        coulomb=np.linalg.norm(p_T - near, axis=1) / mass,
        dissipation=np.abs(missing),
        velocity_scale=speed,
        impulse_scale=float(max(np.abs(p).max(initial=0.0), speed * mass.min(initial=np.inf))) if count else 0.0,
    )


def _masses(W: np.ndarray, count: int, size: int) -> np.ndarray:
    """One over the mean of the diagonal at each contact [kg]; a contact that nothing moves gets that of all."""
    diagonal = np.diag(W).reshape(count, size).mean(axis=1)
    mean = float(diagonal.mean()) if count else 0.0
    return 1.0 / np.where(diagonal > 0.0, diagonal, mean if mean > 0.0 else 1.0)


def _half(force: np.ndarray, extents: np.ndarray) -> np.ndarray:
    """Half-axes (along, across) of the half of the set that a force points into."""
    along = np.where(force[:, 0] < 0.0, extents[:, 0], extents[:, 1])
    return np.column_stack([along, extents[:, 2]])


def _nearest(y: np.ndarray, extents: np.ndarray) -> np.ndarray:
    """Points of the sets nearest to y, Euclidean.

    A point and its nearest lie on the same side of the seam, so one ellipse is enough. With half-axes a, the nearest
    point to an outer y is a^2 y/(a^2 + s), with s > 0 such that it lies on the rim; s is found by bisection.
    """
    a = _half(y, extents)
    largest = a.max(axis=1, keepdims=True)
    scale = np.where(largest > 0.0, largest, 1.0)
    a, y = a / scale, y / scale
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.where(a > 0.0, y / a, np.where(y == 0.0, 0.0, np.inf))
    outer = (inside**2).sum(axis=1) > 1.0
    low, high = np.zeros(len(y)), np.linalg.norm(a * y, axis=1)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        beyond = _rim(a, y, middle) > 1.0
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    square = a**2
    found = square * y / np.maximum(square + high[:, None], np.finfo(float).tiny)
    flat = a == 0.0
    return np.asarray(scale * np.where(outer[:, None], np.where(flat, 0.0, found), y))


def _rim(a: np.ndarray, y: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Above one where a^2 y/(a^2 + s) lies outside the ellipse."""
    part = a * y / np.maximum(a**2 + s[:, None], np.finfo(float).tiny)
    return np.asarray((part**2).sum(axis=1))

"""A local problem u = W p + q with friction, checked: what is wrong with it is said in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel

SYMMETRY = 1e-9
"""How far W may be from its transpose, and its eigenvalues below zero, relative to its largest entry or eigenvalue."""


@dataclass(frozen=True, eq=False)
class Local:
    """What a contact problem is to the laws."""

    W: np.ndarray
    """Delassus matrix [1/kg], shape (rows, rows), symmetric."""
    q: np.ndarray
    """Velocities without contact impulses [m/s], shape (rows,)."""
    friction: np.ndarray
    """Coefficients of every contact for sliding forward, backward and across [-], shape (n, 3)."""
    dimension: int
    """Rows per contact, 2 or 3 [-]."""

    @staticmethod
    def of(W: Any, q: Any, mu: Any, dimension: Any) -> Local:
        """Refuses what is no contact problem; arguments as of `solve`."""
        if isinstance(dimension, bool) or dimension not in (2, 3):
            raise InvalidModel("dimension", dimension, "2 (normal, tangent) or 3 (normal, two tangents)")
        size = int(dimension)
        given = _numbers("q", q)
        velocity = given.reshape(-1)
        if given.ndim > 2 or (given.ndim == 2 and given.shape[1] != size) or len(velocity) % size:
            raise InvalidModel("q: shape", given.shape, f"{size} rows per contact [m/s]")
        return Local(_matrix(W, len(velocity)), velocity, _friction(mu, len(velocity) // size, size), size)

    @property
    def count(self) -> int:
        """Number of contacts [-]."""
        return len(self.friction)

    def impulses(self, values: Any, field: str = "impulses") -> np.ndarray:
        """Impulses of every contact, shape (count, dimension); refuses those of another problem."""
        made = _numbers(field, values)
        if made.shape not in ((self.count, self.dimension), (self.count * self.dimension,)):
            raise InvalidModel(f"{field}: shape", made.shape, f"({self.count}, {self.dimension}) [N s]")
        return made.reshape(self.count, self.dimension)

    def velocities(self, p: np.ndarray) -> np.ndarray:
        """u = W p + q [m/s], shape (count, dimension)."""
        return np.asarray((self.W @ p.ravel() + self.q).reshape(self.count, self.dimension))


def _matrix(W: Any, rows: int) -> np.ndarray:
    """W as a symmetric matrix without negative eigenvalues."""
    made = _numbers("W", W)
    if made.shape != (rows, rows):
        raise InvalidModel("W: shape", made.shape, f"({rows}, {rows}), one row per row of q [1/kg]")
    if rows == 0:
        return made
    lopsided = float(np.abs(made - made.T).max())
    if lopsided > SYMMETRY * np.abs(made).max():
        raise InvalidModel("W: difference from its transpose", lopsided, "zero, W being symmetric [1/kg]")
    symmetric = (made + made.T) / 2
    values = np.linalg.eigvalsh(symmetric)
    if values[0] < -SYMMETRY * max(values[-1], 0.0):
        raise InvalidModel("W: smallest eigenvalue", float(values[0]), ">= 0, W being positive semi-definite [1/kg]")
    return np.ascontiguousarray(symmetric)


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
    try:
        made = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidModel(field, type(values).__name__, "an array of numbers") from None
    if not np.isfinite(made).all():
        raise InvalidModel(field, float(made[~np.isfinite(made)].ravel()[0]), "finite throughout")
    return made

"""A contact problem from elsewhere, checked: what is wrong with it is said in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel

SYMMETRY = 1e-9
"""How far W may be from its transpose, and its eigenvalues below zero, relative to its largest entry or eigenvalue."""


def checked_dimension(value: Any) -> int:
    """2 or 3: rows of W per contact."""
    if isinstance(value, bool) or value not in (2, 3):
        raise InvalidModel("dimension", value, "2 (normal, tangent) or 3 (normal, two tangents)")
    return int(value)


def checked_velocity(q: Any, dimension: int) -> np.ndarray:
    """q as a vector of `dimension` rows per contact."""
    made = _numbers("q", q)
    flat = made.reshape(-1)
    if made.ndim > 2 or (made.ndim == 2 and made.shape[1] != dimension) or len(flat) % dimension:
        raise InvalidModel("q: shape", made.shape, f"{dimension} rows per contact [m/s]")
    return flat


def checked_matrix(W: Any, rows: int) -> np.ndarray:
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


def checked_friction(mu: Any, count: int, dimension: int) -> np.ndarray:
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


def checked_impulses(impulses: Any, count: int, dimension: int, field: str = "impulses") -> np.ndarray:
    """Impulses of every contact, shape (count, dimension)."""
    made = _numbers(field, impulses)
    if made.shape not in ((count, dimension), (count * dimension,)):
        raise InvalidModel(f"{field}: shape", made.shape, f"({count}, {dimension}) [N s]")
    return made.reshape(count, dimension)


def _numbers(field: str, values: Any) -> np.ndarray:
    try:
        made = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidModel(field, type(values).__name__, "an array of numbers") from None
    if not np.isfinite(made).all():
        raise InvalidModel(field, float(made[~np.isfinite(made)].ravel()[0]), "finite throughout")
    return made

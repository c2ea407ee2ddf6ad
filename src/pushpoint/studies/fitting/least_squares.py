"""Nonlinear least squares for a model that is cheap in batches: Levenberg-Marquardt with several steps at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

Residuals = Callable[[Sequence[np.ndarray]], np.ndarray]
"""Weighted residuals at several points of the unit cube, shape (n_points, n_values); NaN where there are none."""
DIFFERENCE = 2e-3
"""Half the distance of central differences, as a share of each range [-]."""
DAMPINGS = (0.0, 1e-3, 1e-1, 10.0)
"""Damping of the steps that are tried at once, in the size of the normal matrix [-]."""
ENOUGH = 1e-5
"""Relative decrease of the sum of squares below which it is done [-]."""
MOST_TURNS = 25


class Descent(NamedTuple):
    """The point with the least sum of squares, and the model about it."""

    point: np.ndarray
    """In the unit cube, shape (n_parameters,)."""
    residuals: np.ndarray
    """Weighted residuals there, shape (n_values,)."""
    jacobian: np.ndarray
    """Their derivatives by the shares of the ranges, shape (n_values, n_parameters)."""

    @property
    def cost(self) -> float:
        """Sum of squares."""
        return float(self.residuals @ self.residuals)


def descend(
    residuals: Residuals, start: np.ndarray, turns: int = MOST_TURNS, differences: np.ndarray | None = None
) -> Descent:
    """Goes down from a start by damped Gauss-Newton steps, within the unit cube.

    Args:
        residuals: What is made small.
        start: Where it begins, shape (n_parameters,).
        turns: How many steps at most [-].
        differences: Half the distances of central differences [-], shape (n_parameters,); default: small ones.
    """
    sizes = np.full(len(start), DIFFERENCE) if differences is None else differences
    found = _around(residuals, start, sizes)
    for _ in range(turns):
        points = [_step(found, damping) for damping in DAMPINGS]
        tried = residuals(points)
        costs = np.where(np.isfinite(tried).all(axis=1), (tried**2).sum(axis=1), np.inf)
        best = int(np.argmin(costs))
        if not costs[best] < found.cost:
            break
        gain = 1.0 - costs[best] / found.cost
        found = _around(residuals, points[best], sizes)
        if gain < ENOUGH:
            break
    return found


def _step(found: Descent, damping: float) -> np.ndarray:
    """A point one step down, kept within the cube: what would leave it stays on its face, and the others follow."""
    free = np.ones(len(found.point), dtype=bool)
    point = found.point.copy()
    for _ in range(len(point)):
        part = found.jacobian[:, free]
        normal = part.T @ part
        ridge = damping * np.diag(np.maximum(np.diag(normal), 1e-12 * max(np.trace(normal), 1e-300)))
        left = found.residuals + found.jacobian[:, ~free] @ (point - found.point)[~free]
        step = -np.linalg.lstsq(normal + ridge, part.T @ left, rcond=1e-12)[0]
        new = found.point[free] + step
        if ((new >= 0.0) & (new <= 1.0)).all():
            point[free] = new
            return point
        indices = np.flatnonzero(free)
        outside = indices[(new < 0.0) | (new > 1.0)]
        point[outside] = np.clip(new, 0.0, 1.0)[(new < 0.0) | (new > 1.0)]
        free[outside] = False
        if not free.any():
            break
    return point


def _around(residuals: Residuals, point: np.ndarray, differences: np.ndarray) -> Descent:
    """Residuals and their derivatives at a point, all in one batch; differences are one-sided at a face."""
    ends = []
    for k in range(len(point)):
        for sign in (-1.0, 1.0):
            end = point.copy()
            end[k] = np.clip(point[k] + sign * differences[k], 0.0, 1.0)
            ends.append(end)
    values = residuals([point, *ends])
    columns = []
    for k in range(len(point)):
        low, high = values[1 + 2 * k], values[2 + 2 * k]
        columns.append((high - low) / (ends[2 * k + 1][k] - ends[2 * k][k]))
    return Descent(point, values[0], np.nan_to_num(np.array(columns).T))

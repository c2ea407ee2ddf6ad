"""How surely parameters are known: intervals from the curvature of the fit, and directions that it leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pushpoint.studies.fitting.fitted import Parameter
from pushpoint.studies.optimising.space import Bounds

CONFIDENCE = 0.95
OPEN = 12.0**-0.5
"""Standard deviation of a value about which only its range is known, as a share of the range [-]."""
PART = 0.25
"""Share of an open direction from which a parameter belongs to it [-]."""
ALIKE = 0.98
"""Correlation from which two parameters are not told apart, if both are vague [-]."""
VAGUE = 0.05
"""Standard deviation from which a parameter is vague, as a share of the range [-]."""


class Spread(NamedTuple):
    """How errors of the parameters spread, in shares of their ranges."""

    covariance: np.ndarray
    """Shape (n_parameters, n_parameters)."""
    open_directions: np.ndarray
    """Unit vectors along which the recording tells less than the ranges, shape (n_open, n_parameters)."""

    @property
    def deviations(self) -> np.ndarray:
        """Standard deviations of the errors [-], shape (n_parameters,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def correlation(self) -> np.ndarray:
        """Correlation of the errors [-], shape (n_parameters, n_parameters)."""
        return np.asarray(self.covariance / np.outer(self.deviations, self.deviations))


def spread_of(jacobian: np.ndarray, variance: float) -> Spread:
    """How errors spread, from the derivatives of weighted residuals and their variance (Gauss-Newton)."""
    _u, sizes, directions = np.linalg.svd(jacobian, full_matrices=False)
    noise = float(np.sqrt(variance))
    least = 1e-12 * max(float(sizes[0]), noise)  # of a direction that does not show at all
    deviations = noise / np.maximum(sizes, max(least, 1e-300))
    covariance = (directions.T * deviations**2) @ directions
    return Spread(covariance, directions[deviations > OPEN])


def intervals(space: Mapping[str, Bounds], point: np.ndarray, spread: Spread, freedom: int) -> dict[str, Parameter]:
    """The parameters with 95 % intervals by Student's t, cut at the ends of their ranges."""
    from scipy.stats import t as student  # here, because it takes time to load

    factor = float(student.ppf(0.5 + 0.5 * CONFIDENCE, max(freedom, 1)))
    found = {}
    for k, (name, each) in enumerate(space.items()):
        deviation = float(spread.deviations[k])
        found[name] = Parameter(
            value=each.at(float(point[k])),
            low=each.at(float(point[k]) - factor * deviation),
            high=each.at(float(point[k]) + factor * deviation),
            known=deviation < OPEN,
        )
    return found


def not_told_apart(names: Sequence[str], spread: Spread) -> list[list[str]]:
    """Groups of parameters of which only a combination is known, or that do not show at all."""
    groups = []
    for direction in spread.open_directions:
        size = np.abs(direction) / np.abs(direction).max()
        groups.append({name for name, share in zip(names, size, strict=True) if share > PART})
    vague = spread.deviations > VAGUE
    alike = (np.abs(spread.correlation) > ALIKE) & np.outer(vague, vague)
    groups += [{names[a], names[b]} for a in range(len(names)) for b in range(a) if alike[a, b]]
    joined: list[set[str]] = []
    for group in groups:
        for other in [each for each in joined if each & group]:
            joined.remove(other)
            group = group | other
        joined.append(group)
    return [[name for name in names if name in group] for group in joined]

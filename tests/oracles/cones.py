"""Does a pair of force and velocity obey its contact law? Answered by Euclidean projections, in the units of a force.

An associated law -gamma in N_C(p) holds if and only if p = proj_C(p - r gamma) for one (hence every) r > 0, where
proj_C is the true nearest point of the convex set C: Transeth2008a (53). The residual here is |p - proj_C(p - r gamma)|
with r = size of C / max(|gamma|, velocity_scale). Slip faster than velocity_scale thus counts in full, whatever its
speed, and round-off slip of a sticking contact counts next to nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from pushpoint.model.friction import Elliptic, FrictionLaw, Frictionless, Isotropic, Rectangular, Skin, Viscous

Array = NDArray[np.float64]

VELOCITY_SCALE = 1e-3
"""Slip speed from which a contact counts as slipping in full [m/s]."""


def cone_residual(
    law: FrictionLaw,
    force: ArrayLike,
    slip: ArrayLike,
    normal_force: ArrayLike,
    *,
    velocity_scale: float = VELOCITY_SCALE,
) -> Array:
    """Distance from the friction law, one value per contact [N], zero when it holds exactly.

    force: Friction force on the link, (along, across) in the link's frame [N], shape (..., 2).
    slip: Velocity of the rubbing point over the ground, same frame [m/s], shape (..., 2).
    normal_force: Force that presses the point on the ground [N], shape (...); impulses serve as well as forces.
    """
    p, gamma, normal = np.broadcast_arrays(
        np.asarray(force, dtype=float), np.asarray(slip, dtype=float), np.asarray(normal_force, dtype=float)[..., None]
    )
    result = np.empty(p.shape[:-1])
    for index in np.ndindex(result.shape):
        result[index] = _residual(law, p[index], gamma[index], max(float(normal[index][0]), 0.0), velocity_scale)
    return result


def _residual(law: FrictionLaw, p: Array, gamma: Array, normal: float, velocity_scale: float) -> float:
    if isinstance(law, Frictionless):
        return float(np.hypot(*p))
    if isinstance(law, Viscous):
        return float(np.hypot(p[0] + law.along * gamma[0], p[1] + law.across * gamma[1]))
    speed = float(np.hypot(*gamma))
    if getattr(law, "flow", "associated") == "directional":
        outside = float(np.hypot(*(p - project(law, p, normal))))
        if speed == 0.0:
            return outside
        wrong = float(np.hypot(*(p - directional_force(law, gamma, normal))))
        return max(outside, min(1.0, speed / velocity_scale) * wrong)
    r = normal * max(semi_axes(law)) / max(speed, velocity_scale)
    return float(np.hypot(*(p - project(law, p - r * gamma, normal))))


def semi_axes(law: FrictionLaw) -> tuple[float, float, float]:
    """Extent of the set per normal force [-]: toward p_along < 0, toward p_along > 0, across.

    A link that slides forward feels a backward force, so the forward coefficient bounds p_along from below.
    """
    if isinstance(law, Isotropic):
        return law.coefficient, law.coefficient, law.coefficient
    if isinstance(law, Skin):
        return law.forward, law.backward, law.across
    if isinstance(law, (Elliptic, Rectangular)):
        return law.along, law.along, law.across
    raise TypeError(f"{type(law).__name__} has no set of admissible forces")


def directional_force(law: FrictionLaw, slip: ArrayLike, normal_force: float) -> Array:
    """Force -N S gamma / |gamma| of the directional flow rule while slipping [N], shape (2,)."""
    gamma = np.asarray(slip, dtype=float)
    behind, ahead, across = semi_axes(law)
    along = behind if gamma[0] > 0.0 else ahead
    return np.asarray(-normal_force * np.array([along, across]) * gamma / np.hypot(*gamma))


def project(law: FrictionLaw, point: ArrayLike, normal_force: float) -> Array:
    """The admissible force nearest to a point, in the Euclidean sense [N], shape (2,).

    Skin: the nearest point never lies beyond p_along = 0, seen from the given point, because replacing its p_along by
    zero stays in the set and comes nearer. So each side is the projection onto its own whole ellipse.
    """
    p = np.asarray(point, dtype=float)
    behind, ahead, across = (normal_force * axis for axis in semi_axes(law))
    if isinstance(law, Rectangular):
        return np.array([np.clip(p[0], -behind, ahead), np.clip(p[1], -across, across)])
    return project_ellipse(p, behind if p[0] < 0.0 else ahead, across)


def project_ellipse(point: ArrayLike, a: float, b: float) -> Array:
    """The point of the filled ellipse (x/a)^2 + (y/b)^2 <= 1 nearest to a point; a = 0 or b = 0 is a segment.

    Outside, the nearest point is (a^2 x/(t + a^2), b^2 y/(t + b^2)) with the multiplier t > 0 of the boundary. The
    boundary's equation falls steadily with t, from above zero at t = 0 to below zero at t = |(a x, b y)|.
    """
    p = np.asarray(point, dtype=float)
    if a == 0.0 or b == 0.0:
        return np.array([np.clip(p[0], -a, a), np.clip(p[1], -b, b)])
    if np.hypot(p[0] / a, p[1] / b) <= 1.0:
        return p.copy()
    scale = max(a, b)
    a, b, (x, y) = a / scale, b / scale, p / scale

    def excess(t: float) -> float:
        return float(np.hypot(a * x / (t + a * a), b * y / (t + b * b)) - 1.0)

    top = float(np.hypot(a * x, b * y))
    # On the boundary to within round-off the bracket may not change sign: the point is its own projection.
    t = 0.0 if excess(0.0) <= 0.0 else brentq(excess, 0.0, 2.0 * top, xtol=1e-300, rtol=1e-15, maxiter=2000)
    return scale * np.array([a * a * x / (t + a * a), b * b * y / (t + b * b)])


def unilateral_residual(p_N: ArrayLike, gamma_N: ArrayLike, *, scale: float = 1.0) -> Array:
    """Distance from 0 <= p_N, 0 <= gamma_N, p_N gamma_N = 0, in the units of p_N: Transeth2008a (46).

    p_N: Normal force [N] or impulse [N s]. gamma_N: Speed of separation [m/s]; with restitution add e times the
    speed of separation before the impact. scale: Force per speed [N s/m], for example m/dt.
    """
    p, gamma = np.asarray(p_N, dtype=float), np.asarray(gamma_N, dtype=float)
    return np.asarray(np.abs(p - np.maximum(p - scale * gamma, 0.0)))


def coulomb_residual(
    p_T: ArrayLike, gamma_T: ArrayLike, bound: ArrayLike, *, velocity_scale: float = VELOCITY_SCALE
) -> Array:
    """Distance from scalar Coulomb friction |p_T| <= bound = mu p_N, slip against p_T, in the units of p_T."""
    p, gamma = np.asarray(p_T, dtype=float), np.asarray(gamma_T, dtype=float)
    limit = np.maximum(np.asarray(bound, dtype=float), 0.0)
    r = limit / np.maximum(np.abs(gamma), velocity_scale)
    return np.asarray(np.abs(p - np.clip(p - r * gamma, -limit, limit)))

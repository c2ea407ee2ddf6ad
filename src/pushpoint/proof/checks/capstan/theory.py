"""The law of the capstan for chains of rigid links, derived in docs/theory.md, section 17.

A chain of half-thickness r lies around a peg of radius R and is drawn toward its head. Its joints run at the radius
rho = R + r, friction acts at the radius R. With a = r/rho, tension and normal force per angle grow as exp(k phi), and

    mu a k^2 + k - mu (1 - a) = 0.

A chain of finite links is a polygon around the circle of radius rho: w = L/(2 rho) is the tangent of half the angle
that one link spans. Then tau = tanh(k angle/2), angle = 2 atan w, obeys

    (w^2 + a) tau^2 + (w (1 + w^2)/mu) tau - (1 - a) w^2 = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


def exponent(mu: float, thickness: float) -> float:
    """Growth k of ln T per radian of a smooth chain [-]; `thickness` is a = r/(R + r), mu itself if that is zero."""
    if mu == 0.0 or thickness == 0.0:
        return mu
    return 2.0 * mu * (1.0 - thickness) / (1.0 + math.sqrt(1.0 + 4.0 * mu**2 * thickness * (1.0 - thickness)))


def polygon_exponent(mu: float, thickness: float, half_angle: float) -> float:
    """The same for links that span twice `half_angle` each [rad]."""
    w = math.tan(half_angle)
    square, linear, constant = w**2 + thickness, w * (1.0 + w**2) / mu, (1.0 - thickness) * w**2
    tau = 2.0 * constant / (linear + math.sqrt(linear**2 + 4.0 * square * constant))
    return math.atanh(tau) / half_angle


@dataclass(frozen=True, kw_only=True)
class PolygonForces:
    """Forces in the joints of a chain whose links touch the peg in their middles, from the free tail on."""

    tangential: np.ndarray
    """Along the circle, over the tension of the free tail [-], shape (n_links + 1,)."""
    radial: np.ndarray
    """Outward, on what lies behind the joint, over the same [-], same shape."""
    normal: np.ndarray
    """Normal force on each link, over the same [-], shape (n_links,)."""

    @property
    def ratio(self) -> float:
        """Tension at the head over that at the tail [-]."""
        return math.hypot(self.tangential[-1], self.radial[-1])

    @property
    def kink(self) -> float:
        """Angle by which the head's strand leaves the peg earlier than along the tangent [rad]."""
        return math.atan2(self.radial[-1], self.tangential[-1])


def polygon_forces(mu: float, thickness: float, half_angle: float, n_links: int) -> PolygonForces:
    """Balances the links one after the other; the tail's strand pulls along the tangent.

    Per link: moment about the peg's centre, force along the link, force along the normal.
    """
    c, s = math.cos(half_angle), math.sin(half_angle)
    arm = (1.0 - thickness) * c  # peg radius over that of the joints
    matrix = np.array([[1.0, 0.0, -mu * arm], [c, s, -mu], [-s, c, 1.0]])
    T, Q, N = np.zeros(n_links + 1), np.zeros(n_links + 1), np.zeros(n_links)
    T[0] = 1.0
    for i in range(n_links):
        T[i + 1], Q[i + 1], N[i] = np.linalg.solve(matrix, [T[i], c * T[i] - s * Q[i], s * T[i] + c * Q[i]])
    return PolygonForces(tangential=T, radial=Q, normal=N)

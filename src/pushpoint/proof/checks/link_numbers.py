"""More and shorter links: polygons tend to curves with the square of the length of a link."""

from __future__ import annotations

import math

import numpy as np

from pushpoint.proof.check import Measured, checks_of
from pushpoint.proof.checks.bodies import convergence, relative
from pushpoint.proof.checks.capstan.chain import SLOW, CapstanChain, fitted_exponent, posture
from pushpoint.proof.checks.capstan.theory import exponent
from pushpoint.proof.checks.hanging import catenary_force, hang, polygon, span_of

check = checks_of("convergence in the number of links")

CAPSTAN_LINKS = (12, 24, 48, 96)
HANGING_LINKS = (8, 16, 32, 64)
ORDER_REASON = "second order; the next term is of fourth order, its share at the coarsest chain a few per cent"


def _order(counts: tuple[int, ...], errors: list[float], x_label: str, y_label: str) -> Measured:
    """How far from second order errors fall with the length of a link."""
    number = np.array(counts, dtype=float)
    values = {f"error_with_{count}_1": error for count, error in zip(counts, errors, strict=True)}
    return convergence(1.0 / number, errors, y_label, values, x=number, x_label=x_label, order=2)


def _capstan(radius: float, mu: float) -> Measured:
    """Exponent of a chain around the whole peg against that of a smooth chain."""
    errors = []
    for count in CAPSTAN_LINKS:
        chain = CapstanChain(radius=radius, per_half_turn=count, n_touching=2 * count, speed=SLOW)
        found = fitted_exponent(chain, posture(chain, (mu,))[0])
        errors.append(relative(found, exponent(mu, chain.thickness)))
    return _order(CAPSTAN_LINKS, errors, "links per half turn [-]", "error of the capstan's exponent [-]")


@check(
    "links-capstan-thin",
    expected_from="error of k against μ a k² + k − μ (1 − a) = 0 falls with the square of the number of links",
    error_is="deviation of the order from 2",
    tolerance=0.1,
    reason=ORDER_REASON,
)
def capstan_thin() -> Measured:
    """A chain a 5000th as thick as the peg, friction 0.5, of 12 to 96 links per half turn."""
    return _capstan(2e-4, 0.5)


@check(
    "links-capstan-thick",
    expected_from="error of k against μ a k² + k − μ (1 − a) = 0 falls with the square of the number of links",
    error_is="deviation of the order from 2",
    tolerance=0.1,
    reason=f"{ORDER_REASON}; vibrations of some 1e-5 of the exponent show at the finest",
)
def capstan_thick() -> Measured:
    """A chain as thick as half the peg's radius, friction 0.5, of 12 to 96 links per half turn."""
    return _capstan(0.25, 0.5)


@check(
    "links-hanging-polygon",
    expected_from="tan θ_i = (i − (n − 1)/2) W/H, L Σ cos θ_i = span",
    error_is="largest relative error of H, and error of a link's angle [rad]",
    tolerance=1e-6,
    reason=f"what is left of the start after 12 s is exp(-2·12) = {math.exp(-24):.0e}",
)
def hanging_polygon() -> Measured:
    """A chain of 16 links hangs between two anchors and comes to rest."""
    run = hang(16)
    force, theta = polygon(16, span_of(run))
    tension = -run.joint_force.values[:, 0]
    off = np.abs(run.link_angle.values[1:-1] - theta).max()
    return Measured(
        error=max(relative(tension, force), off),
        values={
            "expected_N": force,
            "measured_N": tension.mean(),
            "largest_angle_error_rad": off,
            "span_m": span_of(run),
            "last_speed_m_per_s": np.abs(run.link_velocity.values).max(),
        },
    )


def _catenary_error(n_links: int) -> float:
    run = hang(n_links)
    return relative(-run.joint_force.values[:, 0].mean(), catenary_force(span_of(run)))


@check(
    "links-hanging-order",
    expected_from="n L = 2 b sinh(d/(2 b)), H = b W/L; the error falls with the square of the number of links",
    error_is="deviation of the order from 2",
    tolerance=0.1,
    reason=ORDER_REASON,
)
def hanging_order() -> Measured:
    """A hanging chain of 8 to 64 links tends to the catenary."""
    errors = [_catenary_error(count) for count in HANGING_LINKS]
    return _order(HANGING_LINKS, errors, "links [-]", "error of the horizontal force [-]")

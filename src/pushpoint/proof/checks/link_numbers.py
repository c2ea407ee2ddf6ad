"""More and shorter links: polygons tend to curves with the square of the length of a link.

A chain that hangs between two anchors, in the plane: its load acts along -y, the ground damps it viscously.

Links rub at both ends: at their middles alone, a zigzag of turning links would not be damped. The anchors are links
that stick to the ground by dry friction at two points each.

A chain of equal rigid links, each with its weight W in its middle, hangs with the same horizontal force H in every
joint, and the vertical force grows by W from link to link. A link's slope is the mean of those at its two ends:
tan theta_i = (i - (n - 1)/2) W/H, i = 0 ... n - 1. H follows from the span, L sum cos theta_i = d. For n -> infinity
this is the catenary: n L = 2 b sinh(d/(2 b)), H = b W/L.

While the chain swings, the anchors stick on velocity level, but places follow from the centre of mass and the angles:
joints that would open in a step are closed by moving links. So the span shrinks a little, in first order in dt, before
the chain is at rest. The formulas are evaluated for the span that is there in the end; `time_steps` checks the order.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import xarray as xr
from scipy.optimize import brentq

from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic, Viscous
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.proof.checks.bodies import Steady, stepped
from pushpoint.proof.checks.capstan_chain import SLOW, CapstanChain, exponent, fitted_exponent, posture
from pushpoint.proof.verification import Measured, checks_of, convergence, order_is, relative
from pushpoint.worlds.world import World

LENGTH, SPAN = 2.0, 1.2
"""Length of the chain and distance of the anchors [m]."""
MASS, WEIGHT = 2.0, 20.0
"""Mass [kg] and load [N] of the whole chain."""
ANCHOR_MASS = 100.0
"""Mass of an anchor [kg]: friction of 1 holds a hundred times what the chain pulls with."""
DAMPING = 4.0
"""Force of the ground per speed and mass of a link [1/s]; zero at rest."""
TIME = 12.0
"""Time to come to rest [s]: what swings is damped by exp(-2 t)."""


def hang(n_links: int, dt: float = 1e-3) -> xr.Dataset:
    """The chain at rest, started as a V."""
    length, mass = LENGTH / n_links, MASS / n_links
    feet = (Support(offset=-length / 2, share=0.5), Support(offset=length / 2, share=0.5))
    link, anchor = (
        PlanarLink(length=length, mass=m, inertia=m * length**2 / 12, radius=0.01, supports=feet)
        for m in (mass, ANCHOR_MASS)
    )
    bend = math.acos(SPAN / LENGTH)
    theta = np.concatenate(([0.0], np.full(n_links // 2, -bend), np.full(n_links // 2, bend), [0.0]))
    load = np.zeros((n_links + 2, 3))
    load[1:-1, 1] = -WEIGHT / n_links
    damped, held = Viscous(along=DAMPING * mass, across=DAMPING * mass), Isotropic(1.0)
    world = World(
        PlanarRobot(links=(anchor, *(link,) * n_links, anchor)),
        Environment(ground=Ground(friction=(held, *(damped,) * n_links, held))),
        Steady(Command(joint_torque=np.zeros(n_links + 1), link_load=load)),
        Start(link_angles=tuple(theta)),
    )
    variables = ["link_angle", "joint_force", "link_velocity"]
    return stepped(world, TIME, dt=dt, rate=10.0, variables=variables).isel(time=-1)


def span_of(run: xr.Dataset) -> float:
    """Distance of the anchors' ends from each other [m]."""
    return float(LENGTH * np.cos(run.link_angle.values[1:-1]).mean())


def polygon(n_links: int, span: float) -> tuple[float, np.ndarray]:
    """Horizontal force [N] and link angles [rad] of the chain of finite links."""
    places = np.arange(n_links) - (n_links - 1) / 2

    def angles(force: float) -> np.ndarray:
        return np.arctan(places * WEIGHT / n_links / force)

    force = brentq(lambda H: LENGTH / n_links * np.cos(angles(H)).sum() - span, 1e-3, 1e4, xtol=1e-14)
    return float(force), angles(force)


def catenary_force(span: float) -> float:
    """Horizontal force of the smooth chain [N]."""
    b = brentq(lambda b: 2 * b * math.sinh(span / (2 * b)) - LENGTH, 0.1, 10.0, xtol=1e-15)
    return float(b * WEIGHT / LENGTH)


check = checks_of("convergence in the number of links")
order_check = checks_of("convergence in the number of links", **order_is(2))

CAPSTAN_LINKS = (12, 24, 48, 96)
HANGING_LINKS = (8, 16, 32, 64)
ORDER_REASON = "second order; the next term is of fourth order, its share at the coarsest chain a few per cent"


def _order(counts: tuple[int, ...], errors: list[float], x_label: str, y_label: str) -> Measured:
    """How far from second order errors fall with the length of a link."""
    values = {f"error_with_{count}_1": error for count, error in zip(counts, errors, strict=True)}
    return convergence(1.0 / np.array(counts), errors, y_label, values, x=counts, x_label=x_label, order=2)


def _capstan(radius: float) -> Measured:
    """Exponent of a chain around the whole peg, friction 0.5, against that of a smooth chain."""
    errors = []
    for count in CAPSTAN_LINKS:
        chain = CapstanChain(radius=radius, per_half_turn=count, n_touching=2 * count, speed=SLOW)
        found = fitted_exponent(chain, posture(chain, (0.5,))[0])
        errors.append(relative(found, exponent(0.5, chain.thickness)))
    return _order(CAPSTAN_LINKS, errors, "links per half turn [-]", "error of the capstan's exponent [-]")


capstan_check = partial(
    order_check,
    expected_from="error of k against μ a k² + k − μ (1 − a) = 0 falls with the square of the number of links",
)
capstan_thin = capstan_check(
    "links-capstan-thin",
    "A chain a 5000th as thick as the peg, friction 0.5, of 12 to 96 links per half turn.",
    reason=ORDER_REASON,
)(partial(_capstan, 2e-4))
capstan_thick = capstan_check(
    "links-capstan-thick",
    "A chain as thick as half the peg's radius, friction 0.5, of 12 to 96 links per half turn.",
    reason=f"{ORDER_REASON}; vibrations of some 1e-5 of the exponent show at the finest",
)(partial(_capstan, 0.25))


@check(
    expected_from="tan θ_i = (i − (n − 1)/2) W/H, L Σ cos θ_i = span",
    error_is="largest relative error of H, and error of a link's angle [rad]",
    tolerance=1e-6,
    reason=f"what is left of the start after 12 s is exp(-2·12) = {math.exp(-24):.0e}",
)
def links_hanging_polygon() -> Measured:
    """A chain of 16 links hangs between two anchors and comes to rest."""
    run = hang(16)
    force, theta = polygon(16, span_of(run))
    tension = -run.joint_force.values[:, 0]
    off = np.abs(run.link_angle.values[1:-1] - theta).max()
    values = {
        "expected_N": force,
        "measured_N": tension.mean(),
        "largest_angle_error_rad": off,
        "span_m": span_of(run),
        "last_speed_m_per_s": np.abs(run.link_velocity.values).max(),
    }
    return Measured(max(relative(tension, force), off), values)


@order_check(
    expected_from="n L = 2 b sinh(d/(2 b)), H = b W/L; the error falls with the square of the number of links",
    reason=ORDER_REASON,
)
def links_hanging_order() -> Measured:
    """A hanging chain of 8 to 64 links tends to the catenary."""
    runs = (hang(count) for count in HANGING_LINKS)
    errors = [relative(-run.joint_force.values[:, 0].mean(), catenary_force(span_of(run))) for run in runs]
    return _order(HANGING_LINKS, errors, "links [-]", "error of the horizontal force [-]")

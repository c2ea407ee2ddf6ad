"""The error of the engine falls as it should: with the time step, and with the length of the links of a chain.

In time the engine is held against the reduced model, a closed form, a held span, and events. The event-driven model
locates impacts, stops and slips in time. An impact falls anywhere within a time step, and the engine's error depends on
where. So each sequence is entered at 16 moments spread over one step, with the event-driven model's own state there,
and the errors are averaged over them.

Polygons tend to curves with the square of the length of a link. A chain hangs between two anchors, in the plane: its
load acts along -y, the ground damps it viscously. Links rub at both ends: at their middles alone, a zigzag of turning
links would not be damped. The anchors are links that stick to the ground by dry friction at two points each.

While the chain swings, the anchors stick on velocity level, but positions follow from the centre of mass and the
angles: joints that would open in a step are closed by moving links. So the span shrinks a little, in second order in
dt, before the chain is at rest. The formulas are evaluated for the span that is there in the end.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import xarray as xr
from scipy.optimize import brentq

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import SimulationFailed
from pushpoint.event_driven import Trajectory
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import FrictionLaw, Frictionless, Isotropic, Viscous
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.proof.checks.bodies import Steady, event_driven, four_uneven_links, moving, stepped
from pushpoint.proof.checks.capstan import CapstanChain, exponent, fitted_exponent, posture
from pushpoint.proof.verification import Measured, checks_of, convergence, order_is, relative
from pushpoint.worlds.world import World

check = checks_of("convergence in dt", **order_is(1))
second_order_check = checks_of("convergence in dt", **order_is(2))

STEPS = (1e-3, 5e-4, 2.5e-4)
ROBOT = PlanarRobot(links=four_uneven_links(), motors=Motor(stiffness=4.0, damping=0.05))
GAIT = LateralUndulation(amplitude=0.7, angular_frequency=5.0, phase_shift=-1.2, offset=0.15)
START = Start(
    joint_angles=(0.3, -0.2, 0.5), joint_rates=(0.5, -0.8, 0.3), heading=0.4, position=(0.2, 0.1),
    velocity=(0.3, -0.2), spin=0.7,
)  # fmt: skip


def dt_order(errors: list[float], y_label: str, order: int = 1) -> Measured:
    """How far from an order errors fall with the time step."""
    values = {f"error_at_{1e3 * step:g}_ms": error for step, error in zip(STEPS, errors, strict=True)}
    return convergence(STEPS, errors, y_label, values, order=order)


def _chain(friction: FrictionLaw, order: int) -> Measured:
    """Servos drive an uneven chain; the reduced model is integrated by an adaptive Runge-Kutta method."""
    world = World(ROBOT, Environment(ground=Ground(friction=friction)), GAIT, START)
    exact = event_driven(world, 1.0, np.linspace(0.0, 1.0, 11)).link_position
    runs = (stepped(world, 1.0, dt=dt, rate=10.0) for dt in STEPS)
    errors = [float(np.abs(run.link_position.values - exact).max()) for run in runs]
    return dt_order(errors, "largest error of a link's place [m]", order)


RUNGE_KUTTA = "reference: minimal coordinates, Runge–Kutta to 1e-9"
free_chain = second_order_check(
    "dt-free-chain",
    "A free chain driven by servos tends to the reduced model's motion in second order.",
    expected_from=f"error ∝ dt²; {RUNGE_KUTTA}",
    reason="the share of the third order is ω dt = 3 % at 1 ms, with servos that swing at some 30 rad/s",
)(partial(_chain, Frictionless(), 2))
viscous_chain = check(
    "dt-viscous-chain",
    "The same chain on viscous ground tends to the reduced model's motion in first order.",
    expected_from=f"error ∝ dt; {RUNGE_KUTTA}",
    reason="the share of the second order is ω dt = 3 % at 1 ms",
)(partial(_chain, Viscous(along=0.4, across=2.5), 1))


@second_order_check(
    expected_from="Euler: ω_x const, (ω_y, ω_z) turns at (1 − I_x/I_y) ω_x; error ∝ dt²",
    reason="the share of the third order is ω dt = 0.6 % at 1 ms",
)
def dt_top() -> Measured:
    """A symmetric body turns freely in space: its angular velocity goes around its axis.

    Euler: w_x is constant and (w_y, w_z) turns at the rate n = (1 - I_x/I_y) w_x, here from the y axis toward -z.
    """
    I_x, I_y, w_x, w_y = 1.0e-3, 1.6e-3, 6.0, 2.0
    link = SpatialLink(length=0.2, mass=1.0, inertia=(I_x, I_y, I_y), radius=0.05)
    start = SpatialStart(position=(0.0, 0.0, 2.0), angular_velocity=(w_x, w_y, 0.0))
    weightless = Environment(ground=Ground(gravity=0.0))
    world = World(SpatialRobot(links=(link,), joints=()), weightless, Steady(), start)
    n, errors = (1.0 - I_x / I_y) * w_x, []
    for dt in STEPS:
        run = stepped(world, 1.0, dt=dt, rate=50.0)
        t = run.time.values
        expected = np.column_stack((np.full_like(t, w_x), w_y * np.cos(n * t), -w_y * np.sin(n * t)))
        found = _in_own_frame(run.link_angular_velocity.values[:, 0], run.link_orientation.values[:, 0])
        errors.append(float(np.abs(found - expected).max()))
    return dt_order(errors, "largest error of the angular velocity [rad/s]", 2)


def _in_own_frame(vector: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """World vectors in the frames of quaternions (w, x, y, z), shape (n, 3)."""
    w, axis = quaternion[:, :1], -quaternion[:, 1:]
    across = 2.0 * np.cross(axis, vector)
    return np.asarray(vector + w * across + np.cross(axis, across))


@second_order_check(
    expected_from="displacement ∝ dt² (positions follow from the centre of mass and the angles)",
    reason="the share of the third order is ω dt, some per cent at 1 ms in the first swing",
)
def dt_held_span() -> Measured:
    """The ends of a swinging chain stick on velocity level; the distance that they still creep vanishes."""
    return dt_order([abs(span_of(hang(16, dt)) - SPAN) for dt in STEPS], "change of the span [m]", 2)


MOMENTS = 16
EVERY = 0.02
"""Time between the comparisons [s]."""
VISCOUS = Ground(friction=Viscous(along=1.0, across=3.0))
TOUCH = 0.02 + 0.03
"""From the axis of a link to the centre of a peg that touches it [m]."""


def _three_links(
    *,
    peg: tuple[float, float],
    friction: float,
    torque: tuple[float, float],
    velocity: tuple[float, float],
    restitution: float = 0.0,
    angles: tuple[float, ...] = (0.0, 0.0, 0.0),
    ground: Ground = VISCOUS,
) -> World:
    """Three links under constant joint torques [N m] beside a peg; its place [m], velocity [m/s], link angles [rad]."""
    robot = PlanarRobot.uniform(3, PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02))
    obstacle = Peg(x=peg[0], y=peg[1], radius=0.03, friction=friction, restitution=restitution)
    place, start = Environment(ground=ground, obstacles=[obstacle]), Start(link_angles=angles, velocity=velocity)
    return World(robot, place, ConstantTorque(torque=torque), start)


def sequence_order(world: World, duration: float, *events: str) -> Measured:
    """Distance of the links from where the event-driven model has them, which must see these events."""
    grid = np.arange(round(duration / EVERY) + 1) * EVERY
    # Sampled wherever a run of the engine will be compared with it.
    times = np.unique(np.round(np.concatenate([(_moments(dt) + grid[:, None]).ravel() for dt in STEPS]), 12))
    reference = event_driven(world, float(times[-1]), times)
    happened = tuple(event.name for event in reference.events)
    if happened != events:
        raise SimulationFailed(f"the event-driven model saw {happened}, must see {events}")
    return dt_order([_distance(world, reference, grid, dt) for dt in STEPS], "distance of the links [m]")


def _moments(dt: float) -> np.ndarray:
    return (np.arange(MOMENTS) + 0.5) / MOMENTS * dt


def _distance(world: World, reference: Trajectory, grid: np.ndarray, dt: float) -> float:
    """Largest distance of a link from the reference, root mean square over the moments of entry [m]."""
    places = np.searchsorted(reference.time, np.round(_moments(dt)[:, None] + grid, 12))
    fields = reference.link_angle, reference.link_rate, reference.velocity, reference.center
    states = zip(*(field[places[:, 0]] for field in fields), strict=True)
    worlds = [replace(world, start=moving(*motion, position=tuple(center))) for *motion, center in states]
    run = stepped(worlds, float(grid[-1]), dt=dt, rate=1 / EVERY, variables=["link_position"])
    apart = np.linalg.norm(run.link_position.values - reference.link_position[places], axis=-1)
    return float(np.sqrt(np.mean(apart.max(axis=(1, 2)) ** 2)))


event_check = checks_of(
    "convergence in dt",
    expected_from="event-driven model in minimal coordinates; distance ∝ dt",
    error_is="deviation from 1 of the order of the largest distance of a link, root mean square over 16 entries",
    tolerance=0.25,
    reason="16 entries leave some chance of where in a step an event falls; errors of both signs meet",
)


@event_check()
def dt_event_impact() -> Measured:
    """Three links hit a smooth peg and slide along it."""
    world = _three_links(peg=(0.03, 0.10), friction=0.0, torque=(-0.6, -0.6), velocity=(0.1, 0.5))
    return sequence_order(world, 0.24, "impact")


@event_check()
def dt_event_rebound() -> Measured:
    """Three links rebound from a rough peg."""
    world = _three_links(
        peg=(0.22, 0.10), friction=0.2, restitution=0.5, torque=(0.0, 0.0), velocity=(0.3, 0.5),
        angles=(0.0, 0.1, -0.1), ground=Ground(),
    )  # fmt: skip
    return sequence_order(world, 0.3, "impact")


@event_check()
def dt_event_slide() -> Measured:
    """Three links slide along a rough peg, stop on it and come off it."""
    world = _three_links(peg=(0.06, TOUCH), friction=0.2, torque=(-0.5, -0.4), velocity=(0.4, 0.0))
    return sequence_order(world, 0.3, "stop", "detach")


@event_check()
def dt_event_stick() -> Measured:
    """On dry ground: stop on a peg, come off it, hit it again, stop."""
    dry = Ground(friction=Isotropic(0.2))
    world = _three_links(peg=(0.03, TOUCH), friction=0.3, torque=(-0.6, -0.4), velocity=(0.1, 0.0), ground=dry)
    return sequence_order(world, 0.4, "stop", "detach", "impact", "stop")


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
    return stepped(world, TIME, dt=dt, tolerance=1e-7, rate=10.0, variables=variables).isel(time=-1)


def span_of(run: xr.Dataset) -> float:
    """Distance of the anchors' ends from each other [m]."""
    return float(LENGTH * np.cos(run.link_angle.values[1:-1]).mean())


def polygon(n_links: int, span: float) -> tuple[float, np.ndarray]:
    """Horizontal force H [N] and link angles [rad] of the chain of finite links.

    Each link has its weight W in its middle. H is the same in every joint, and the vertical force grows by W from link
    to link. A link's slope is the mean of those at its two ends: tan theta_i = (i - (n - 1)/2) W/H, i = 0 ... n - 1.
    H follows from the span, L sum cos theta_i = d.
    """
    places = np.arange(n_links) - (n_links - 1) / 2

    def angles(force: float) -> np.ndarray:
        return np.arctan(places * WEIGHT / n_links / force)

    force = brentq(lambda H: LENGTH / n_links * np.cos(angles(H)).sum() - span, 1e-3, 1e4, xtol=1e-14)
    return float(force), angles(force)


def catenary_force(span: float) -> float:
    """Horizontal force of the smooth chain, the catenary [N]: n L = 2 b sinh(d/(2 b)), H = b W/L."""
    b = brentq(lambda b: 2 * b * math.sinh(span / (2 * b)) - LENGTH, 0.1, 10.0, xtol=1e-15)
    return float(b * WEIGHT / LENGTH)


links_check = checks_of("convergence in the number of links", **order_is(2))

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
        chain = CapstanChain(radius=radius, per_half_turn=count)
        found = fitted_exponent(chain, posture(chain, (0.5,))[0])
        errors.append(relative(found, exponent(0.5, chain.thickness)))
    return _order(CAPSTAN_LINKS, errors, "links per half turn [-]", "error of the capstan's exponent [-]")


capstan_check = partial(
    links_check,
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


@checks_of("convergence in the number of links")(
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


@links_check(
    expected_from="n L = 2 b sinh(d/(2 b)), H = b W/L; the error falls with the square of the number of links",
    reason=ORDER_REASON,
)
def links_hanging_order() -> Measured:
    """A hanging chain of 8 to 64 links tends to the catenary."""
    runs = (hang(count) for count in HANGING_LINKS)
    errors = [relative(-run.joint_force.values[:, 0].mean(), catenary_force(span_of(run))) for run in runs]
    return _order(HANGING_LINKS, errors, "links [-]", "error of the horizontal force [-]")

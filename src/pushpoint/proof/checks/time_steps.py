"""The error of the engine over its time step: against the reduced model, a closed form, a held span, and events.

The event-driven model locates impacts, stops and slips in time. An impact falls anywhere within a time step, and the
engine's error depends on where. So each sequence is entered at 16 moments spread over one step, with the event-driven
model's own state there, and the errors are averaged over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.start import Start
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import SimulationFailed
from pushpoint.event_driven import Servo, SteadyTorque, Trajectory, hybrid_model, integrate
from pushpoint.gaits.waves import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import FrictionLaw, Frictionless, Isotropic, Viscous
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.proof.checks.bodies import Steady, four_uneven_links, stepped
from pushpoint.proof.checks.link_numbers import SPAN, hang, span_of
from pushpoint.proof.verification import Measured, checks_of, convergence, order_is
from pushpoint.worlds.world import World

check = checks_of("convergence in dt", **order_is(1))

STEPS = (1e-3, 5e-4, 2.5e-4)
ROBOT = PlanarRobot(links=four_uneven_links(), motors=Motor(stiffness=4.0, damping=0.05))
GAIT = LateralUndulation(amplitude=0.7, angular_frequency=5.0, phase_shift=-1.2, offset=0.15)
START = Start(
    joint_angles=(0.3, -0.2, 0.5), joint_rates=(0.5, -0.8, 0.3), heading=0.4, position=(0.2, 0.1),
    velocity=(0.3, -0.2), spin=0.7,
)  # fmt: skip


def dt_order(errors: list[float], y_label: str) -> Measured:
    """How far from first order errors fall with the time step."""
    values = {f"error_at_{1e3 * step:g}_ms": error for step, error in zip(STEPS, errors, strict=True)}
    return convergence(STEPS, errors, y_label, values)


def _chain(friction: FrictionLaw) -> Measured:
    """Servos drive an uneven chain; the reduced model is integrated by an adaptive Runge-Kutta method."""
    place = Environment(ground=Ground(friction=friction))
    model = hybrid_model(ROBOT, place, Servo(robot=ROBOT, gait=GAIT))
    exact = integrate(model, START, duration=1.0, times=np.linspace(0.0, 1.0, 11)).link_position
    runs = (stepped(World(ROBOT, place, GAIT, START), 1.0, dt=dt, rate=10.0) for dt in STEPS)
    errors = [float(np.abs(run.link_position.values - exact).max()) for run in runs]
    return dt_order(errors, "largest error of a link's place [m]")


chain_check = partial(check, expected_from="error ∝ dt; reference: minimal coordinates, Runge–Kutta to 1e-9")
free_chain = chain_check(
    "dt-free-chain",
    "A free chain driven by servos tends to the reduced model's motion in first order.",
    reason="the share of the second order is ω dt = 3 % at 1 ms, with servos that swing at some 30 rad/s",
)(partial(_chain, Frictionless()))
viscous_chain = chain_check(
    "dt-viscous-chain",
    "The same chain on viscous ground tends to the reduced model's motion in first order.",
    reason="the share of the second order is ω dt = 3 % at 1 ms",
)(partial(_chain, Viscous(along=0.4, across=2.5)))


@check(
    expected_from="Euler: ω_x const, (ω_y, ω_z) turns at (1 − I_x/I_y) ω_x; error ∝ dt",
    reason="the share of the second order is ω dt = 0.6 % at 1 ms",
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
    return dt_order(errors, "largest error of the angular velocity [rad/s]")


def _in_own_frame(vector: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """World vectors in the frames of quaternions (w, x, y, z), shape (n, 3)."""
    w, axis = quaternion[:, :1], -quaternion[:, 1:]
    across = 2.0 * np.cross(axis, vector)
    return np.asarray(vector + w * across + np.cross(axis, across))


@check(
    expected_from="displacement ∝ dt (places follow from the centre of mass and the angles)",
    reason="the share of the second order is ω dt, some per cent at 1 ms in the first swing",
)
def dt_held_span() -> Measured:
    """The ends of a swinging chain stick on velocity level; the way that their places still go vanishes."""
    return dt_order([abs(span_of(hang(16, dt)) - SPAN) for dt in STEPS], "change of the span [m]")


MOMENTS = 16
EVERY = 0.02
"""Time between the comparisons [s]."""
THREE_LINKS = PlanarRobot.uniform(3, PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02))
VISCOUS = Ground(friction=Viscous(along=1.0, across=3.0))
TOUCH = 0.02 + 0.03
"""From the axis of a link to the centre of a peg that touches it [m]."""
BESIDE = Start(link_angles=(0.0, 0.1, -0.1), velocity=(0.3, 0.5))


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Three links under constant joint torques meet one peg."""

    statement: str
    """What happens, in a sentence."""
    events: tuple[str, ...]
    """The same as the event-driven model must see it."""
    peg: Peg
    """The peg."""
    torque: tuple[float, float]
    """Joint torques [N m]."""
    start: Start
    """How it begins."""
    duration: float
    """How long [s]."""
    ground: Ground = VISCOUS
    """What it lies on."""

    @property
    def environment(self) -> Environment:
        """Ground and peg."""
        return Environment(ground=self.ground, obstacles=[self.peg])


def _peg(x: float, y: float, friction: float, restitution: float = 0.0) -> Peg:
    return Peg(x=x, y=y, radius=0.03, friction=friction, restitution=restitution)


def _straight(x: float, y: float) -> Start:
    return Start(link_angles=(0.0, 0.0, 0.0), velocity=(x, y))


SEQUENCES = {
    "impact": Sequence(
        statement="Three links hit a smooth peg and slide along it.", events=("impact",),
        peg=_peg(0.03, 0.10, 0.0), torque=(-0.6, -0.6), start=_straight(0.1, 0.5), duration=0.24,
    ),
    "rebound": Sequence(
        statement="Three links rebound from a rough peg.", events=("impact",),
        peg=_peg(0.22, 0.10, 0.2, 0.5), torque=(0.0, 0.0), start=BESIDE, duration=0.3, ground=Ground(),
    ),
    "slide": Sequence(
        statement="Three links slide along a rough peg, stop on it and come off it.", events=("stop", "detach"),
        peg=_peg(0.06, TOUCH, 0.2), torque=(-0.5, -0.4), start=_straight(0.4, 0.0), duration=0.3,
    ),
    "stick": Sequence(
        statement="On dry ground: stop on a peg, come off it, hit it again, stop.",
        events=("stop", "detach", "impact", "stop"), peg=_peg(0.03, TOUCH, 0.3), torque=(-0.6, -0.4),
        start=_straight(0.1, 0.0), duration=0.4, ground=Ground(friction=Isotropic(0.2)),
    ),
}  # fmt: skip


def sequence_order(sequence: Sequence) -> Measured:
    """Distance of the links from where the event-driven model has them, over the time step."""
    grid = np.arange(round(sequence.duration / EVERY) + 1) * EVERY
    model = hybrid_model(THREE_LINKS, sequence.environment, SteadyTorque(torque=sequence.torque))
    # Sampled wherever a run of the engine will be compared with it.
    times = np.unique(np.round(np.concatenate([(_moments(dt) + grid[:, None]).ravel() for dt in STEPS]), 12))
    reference = integrate(model, sequence.start, duration=float(times[-1]), times=times)
    happened = tuple(event.name for event in reference.events)
    if happened != sequence.events:
        raise SimulationFailed(f"the event-driven model saw {happened}, must see {sequence.events}")
    return dt_order([_distance(sequence, reference, grid, dt) for dt in STEPS], "distance of the links [m]")


def _moments(dt: float) -> np.ndarray:
    return (np.arange(MOMENTS) + 0.5) / MOMENTS * dt


def _distance(sequence: Sequence, reference: Trajectory, grid: np.ndarray, dt: float) -> float:
    """Largest distance of a link from the reference, root mean square over the moments of entry [m]."""
    places = np.searchsorted(reference.time, np.round(_moments(dt)[:, None] + grid, 12))
    starts = [
        Start(
            link_angles=tuple(reference.link_angle[k]),
            position=tuple(reference.center[k]),
            velocity=tuple(reference.velocity[k]),
            spin=float(reference.link_rate[k, 0]),
            joint_rates=tuple(np.diff(reference.link_rate[k])),
        )
        for k in places[:, 0]
    ]
    drive = ConstantTorque(torque=sequence.torque)
    worlds = [World(THREE_LINKS, sequence.environment, drive, start) for start in starts]
    run = stepped(worlds, float(grid[-1]), dt=dt, rate=1 / EVERY, variables=["link_position"])
    apart = np.linalg.norm(run.link_position.values - reference.link_position[places], axis=-1)
    return float(np.sqrt(np.mean(apart.max(axis=(1, 2)) ** 2)))


impact, rebound, slide, stick = (
    checks_of("convergence in dt")(
        f"dt-event-{name}",
        sequence.statement,
        expected_from="event-driven model in minimal coordinates; distance ∝ dt",
        error_is="deviation from 1 of the order of the largest distance of a link, root mean square over 16 entries",
        tolerance=0.25,
        reason="16 entries leave some chance of where in a step an event falls; errors of both signs meet",
    )(partial(sequence_order, sequence))
    for name, sequence in SEQUENCES.items()
)

"""The error of the engine over its time step: against the reduced model, a closed form, a held span, and events.

The event-driven model locates impacts, stops and slips in time. An impact falls anywhere within a time step, and the
engine's error depends on where. So each sequence is entered at 16 moments spread over one step, with the event-driven
model's own state there, and the errors are averaged over them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import SimulationFailed
from pushpoint.event_driven import Servo, SteadyTorque, Trajectory, hybrid_model, integrate
from pushpoint.gaits.waves import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Frictionless, Isotropic, Viscous
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.proof.check import Check, Measured, checks_of
from pushpoint.proof.checks.bodies import Steady, convergence, four_uneven_links
from pushpoint.proof.checks.link_numbers import SPAN, hang, span_of
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

check = checks_of("convergence in dt")

STEPS = (1e-3, 5e-4, 2.5e-4)
ROBOT = PlanarRobot(links=four_uneven_links(), motors=Motor(stiffness=4.0, damping=0.05))
GAIT = LateralUndulation(amplitude=0.7, angular_frequency=5.0, phase_shift=-1.2, offset=0.15)
START = Start(
    joint_angles=(0.3, -0.2, 0.5), joint_rates=(0.5, -0.8, 0.3), heading=0.4, position=(0.2, 0.1),
    velocity=(0.3, -0.2), spin=0.7,
)  # fmt: skip
TOP_INERTIA = (1.0e-3, 1.6e-3)
"""About its axis, and across it [kg m^2]."""
TOP_RATE = (6.0, 2.0)
"""Angular velocity along the axis and across it at the start [rad/s]."""


def dt_order(steps: tuple[float, ...], errors: list[float], y_label: str, order: int = 1) -> Measured:
    """How far from an order errors fall with the time step [s]."""
    values = {f"error_at_{1e3 * step:g}_ms": error for step, error in zip(steps, errors, strict=True)}
    return convergence(steps, errors, y_label, values, order=order)


def _chain(friction: Frictionless | Viscous, order: int) -> Measured:
    """Servos drive an uneven chain; the reduced model is integrated by an adaptive Runge-Kutta method."""
    place = Environment(ground=Ground(friction=friction))
    times = np.linspace(0.0, 1.0, 11)
    drive = Servo(robot=ROBOT, gait=GAIT)
    model = hybrid_model(ROBOT, place, drive)
    exact = integrate(model, START, duration=1.0, times=times)
    errors = []
    for dt in STEPS:
        run = simulate(
            ROBOT, place, GAIT, start=START, duration=1.0, settings=Settings(dt=dt), record=Record(rate=10.0)
        )
        errors.append(float(np.abs(run.link_position.values - exact.link_position).max()))
    return dt_order(STEPS, errors, "largest error of a link's place [m]", order)


@check(
    "dt-free-chain",
    expected_from="error ∝ dt²; reference: minimal coordinates, Runge–Kutta to 1e-9",
    error_is="deviation of the order from 2",
    tolerance=0.1,
    reason="the share of the third order is ω dt = 3 % at 1 ms, with servos that swing at some 30 rad/s",
)
def free_chain() -> Measured:
    """A free chain driven by servos tends to the reduced model's motion in second order."""
    return _chain(Frictionless(), 2)


@check(
    "dt-viscous-chain",
    expected_from="error ∝ dt; reference: minimal coordinates, Runge–Kutta to 1e-9",
    error_is="deviation of the order from 1",
    tolerance=0.1,
    reason="the share of the second order is ω dt = 3 % at 1 ms",
)
def viscous_chain() -> Measured:
    """The same chain on viscous ground tends to the reduced model's motion in first order."""
    return _chain(Viscous(along=0.4, across=2.5), 1)


@check(
    "dt-top",
    expected_from="Euler: ω_x const, (ω_y, ω_z) turns at (1 − I_x/I_y) ω_x; error ∝ dt²",
    error_is="deviation of the order from 2",
    tolerance=0.1,
    reason="the share of the third order is ω dt = 0.6 % at 1 ms",
)
def top() -> Measured:
    """A symmetric body turns freely in space: its angular velocity goes around its axis.

    Euler: w_x is constant and (w_y, w_z) turns at the rate n = (1 - I_x/I_y) w_x, here from the y axis toward -z.
    """
    along, across = TOP_INERTIA
    link = SpatialLink(length=0.2, mass=1.0, inertia=(along, across, across), radius=0.05)
    robot = SpatialRobot(links=(link,), joints=())
    start = SpatialStart(position=(0.0, 0.0, 2.0), angular_velocity=(TOP_RATE[0], TOP_RATE[1], 0.0))
    rate = (1.0 - along / across) * TOP_RATE[0]
    errors = []
    for dt in STEPS:
        run = simulate(
            robot, Environment(ground=Ground(gravity=0.0)), Steady(), start=start, duration=1.0,
            settings=Settings(dt=dt), record=Record(rate=50.0),
        )  # fmt: skip
        t = run.time.values
        y, z = TOP_RATE[1] * np.cos(rate * t), -TOP_RATE[1] * np.sin(rate * t)
        expected = np.stack((np.full_like(t, TOP_RATE[0]), y, z))
        found = _in_own_frame(run.link_angular_velocity.values[:, 0], run.link_orientation.values[:, 0])
        errors.append(float(np.abs(found - expected.T).max()))
    return dt_order(STEPS, errors, "largest error of the angular velocity [rad/s]", 2)


def _in_own_frame(vector: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """World vectors in the frames of quaternions (w, x, y, z), shape (n, 3)."""
    w, axis = quaternion[:, :1], -quaternion[:, 1:]
    across = 2.0 * np.cross(axis, vector)
    return np.asarray(vector + w * across + np.cross(axis, across))


@check(
    "dt-held-span",
    expected_from="displacement ∝ dt² (places follow from the centre of mass and the angles)",
    error_is="deviation of the order from 2",
    tolerance=0.1,
    reason="the share of the third order is ω dt, some per cent at 1 ms in the first swing",
)
def held_span() -> Measured:
    """The ends of a swinging chain stick on velocity level; the way that their places still go vanishes."""
    moved = [abs(span_of(hang(16, dt)) - SPAN) for dt in STEPS]
    return dt_order(STEPS, moved, "change of the span [m]", 2)


MOMENTS = 16
EVERY = 0.02
"""Time between the comparisons [s]."""
THREE_LINKS = PlanarRobot.uniform(3, PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02))
SMOOTH_GROUND, VISCOUS = Ground(), Ground(friction=Viscous(along=1.0, across=3.0))
COULOMB = Ground(friction=Isotropic(0.2))
TOUCH = 0.02 + 0.03
"""From the axis of a link to the centre of a peg that touches it [m]."""


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Three links under constant joint torques meet one peg."""

    events: tuple[str, ...]
    """What must happen, in order."""
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
        events=("impact",), peg=_peg(0.03, 0.10, 0.0), torque=(-0.6, -0.6), start=_straight(0.1, 0.5), duration=0.24,
    ),
    "rebound": Sequence(
        events=("impact",), peg=_peg(0.22, 0.10, 0.2, 0.5), torque=(0.0, 0.0),
        start=Start(link_angles=(0.0, 0.1, -0.1), velocity=(0.3, 0.5)), duration=0.3, ground=SMOOTH_GROUND,
    ),
    "slide": Sequence(
        events=("stop", "detach"), peg=_peg(0.06, TOUCH, 0.2), torque=(-0.5, -0.4), start=_straight(0.4, 0.0),
        duration=0.3,
    ),
    "stick": Sequence(
        events=("stop", "detach", "impact", "stop"), peg=_peg(0.03, TOUCH, 0.3), torque=(-0.6, -0.4),
        start=_straight(0.1, 0.0), duration=0.4, ground=COULOMB,
    ),
}  # fmt: skip


def sequence_order(name: str) -> Measured:
    """Distance of the links from where the event-driven model has them, over the time step."""
    sequence = SEQUENCES[name]
    grid = np.arange(round(sequence.duration / EVERY) + 1) * EVERY
    reference = _event_driven(sequence, grid)
    happened = tuple(event.name for event in reference.events)
    if happened != sequence.events:
        raise SimulationFailed(f"the event-driven model saw {happened}, must see {sequence.events}")
    errors = [_distance(sequence, reference, grid, dt) for dt in STEPS]
    return dt_order(STEPS, errors, "distance of the links [m]")


def _moments(dt: float) -> np.ndarray:
    return (np.arange(MOMENTS) + 0.5) / MOMENTS * dt


def _event_driven(sequence: Sequence, grid: np.ndarray) -> Trajectory:
    """Sampled wherever a run of the engine will be compared with it."""
    model = hybrid_model(THREE_LINKS, sequence.environment, SteadyTorque(torque=sequence.torque))
    times = np.unique(np.round(np.concatenate([(_moments(dt) + grid[:, None]).ravel() for dt in STEPS]), 12))
    return integrate(model, sequence.start, duration=float(times[-1]), times=times)


def _distance(sequence: Sequence, reference: Trajectory, grid: np.ndarray, dt: float) -> float:
    """Largest distance of a link from the reference, root mean square over the moments of entry [m]."""
    worlds, expected = [], []
    for moment in _moments(dt):
        places = np.searchsorted(reference.time, np.round(moment + grid, 12))
        k = places[0]
        start = Start(
            link_angles=tuple(reference.link_angle[k]),
            position=tuple(reference.center[k]),
            velocity=tuple(reference.velocity[k]),
            spin=float(reference.link_rate[k, 0]),
            joint_rates=tuple(np.diff(reference.link_rate[k])),
        )
        worlds.append(World(THREE_LINKS, sequence.environment, ConstantTorque(torque=sequence.torque), start))
        expected.append(reference.link_position[places])
    record = Record(rate=1 / EVERY, variables=["link_position"])
    run = simulate(worlds, duration=float(grid[-1]), settings=Settings(dt=dt), record=record)
    apart = np.linalg.norm(run.link_position.values - np.array(expected), axis=-1)
    return float(np.sqrt(np.mean(apart.max(axis=(1, 2)) ** 2)))


def _check(name: str, statement: str) -> Check:
    return Check(
        id=f"dt-event-{name}",
        group="convergence in dt",
        statement=statement,
        expected_from="event-driven model in minimal coordinates; distance ∝ dt",
        error_is="deviation from 1 of the order of the largest distance of a link, root mean square over 16 entries",
        tolerance=0.25,
        unit="1",
        reason="16 entries leave some chance of where in a step an event falls; errors of both signs meet",
        measure=lambda: sequence_order(name),
    )


impact = _check("impact", "Three links hit a smooth peg and slide along it.")
rebound = _check("rebound", "Three links rebound from a rough peg.")
slide = _check("slide", "Three links slide along a rough peg, stop on it and come off it.")
stick = _check("stick", "On dry ground: stop on a peg, come off it, hit it again, stop.")

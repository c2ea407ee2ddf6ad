"""The engine against the event-driven model, which locates impacts, stops and slips in time.

An impact falls anywhere within a time step, and the engine's error depends on where. So each sequence is entered at 16
moments spread over one step, with the event-driven model's own state there, and the errors are averaged over them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.errors import SimulationFailed
from pushpoint.event_driven import SteadyTorque, Trajectory, hybrid_model, integrate
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic, Viscous
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.proof.check import Check, Measured
from pushpoint.proof.checks.time_steps import dt_order
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

STEPS = (1e-3, 5e-4, 2.5e-4)
MOMENTS = 16
EVERY = 0.02
"""Time between the comparisons [s]."""
ROBOT = PlanarRobot.uniform(3, PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02))
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
    model = hybrid_model(ROBOT, sequence.environment, SteadyTorque(torque=sequence.torque))
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
        worlds.append(World(ROBOT, sequence.environment, ConstantTorque(torque=sequence.torque), start))
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

"""The error of the engine over its time step: against the reduced model, a closed form in space, and a held span."""

from __future__ import annotations

import numpy as np

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.event_driven import Servo, hybrid_model, integrate
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Frictionless, Viscous
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.proof.check import Measured, checks_of
from pushpoint.proof.checks.bodies import Steady, convergence, four_uneven_links
from pushpoint.proof.checks.hanging import SPAN, hang, span_of
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

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


def dt_order(steps: tuple[float, ...], errors: list[float], y_label: str) -> Measured:
    """How far from first order errors fall with the time step [s]."""
    values = {f"error_at_{1e3 * step:g}_ms": error for step, error in zip(steps, errors, strict=True)}
    return convergence(steps, errors, y_label, values)


def _chain(friction: Frictionless | Viscous) -> Measured:
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
    return dt_order(STEPS, errors, "largest error of a link's place [m]")


@check(
    "dt-free-chain",
    expected_from="error ∝ dt; reference: minimal coordinates, Runge–Kutta to 1e-9",
    error_is="deviation of the order from 1",
    tolerance=0.1,
    reason="the share of the second order is ω dt = 3 % at 1 ms, with servos that swing at some 30 rad/s",
)
def free_chain() -> Measured:
    """A free chain driven by servos tends to the reduced model's motion in first order."""
    return _chain(Frictionless())


@check(
    "dt-viscous-chain",
    expected_from="error ∝ dt; reference: minimal coordinates, Runge–Kutta to 1e-9",
    error_is="deviation of the order from 1",
    tolerance=0.1,
    reason="the share of the second order is ω dt = 3 % at 1 ms",
)
def viscous_chain() -> Measured:
    """The same chain on viscous ground tends to the reduced model's motion in first order."""
    return _chain(Viscous(along=0.4, across=2.5))


@check(
    "dt-top",
    expected_from="Euler: ω_x const, (ω_y, ω_z) turns at (1 − I_x/I_y) ω_x; error ∝ dt",
    error_is="deviation of the order from 1",
    tolerance=0.1,
    reason="the share of the second order is ω dt = 0.6 % at 1 ms",
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
    return dt_order(STEPS, errors, "largest error of the angular velocity [rad/s]")


def _in_own_frame(vector: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """World vectors in the frames of quaternions (w, x, y, z), shape (n, 3)."""
    w, axis = quaternion[:, :1], -quaternion[:, 1:]
    across = 2.0 * np.cross(axis, vector)
    return np.asarray(vector + w * across + np.cross(axis, across))


@check(
    "dt-held-span",
    expected_from="displacement ∝ dt (places follow from the centre of mass and the angles)",
    error_is="deviation of the order from 1",
    tolerance=0.1,
    reason="the share of the second order is ω dt, some per cent at 1 ms in the first swing",
)
def held_span() -> Measured:
    """The ends of a swinging chain stick on velocity level; the way that their places still go vanishes."""
    moved = [abs(span_of(hang(16, dt)) - SPAN) for dt in STEPS]
    return dt_order(STEPS, moved, "change of the span [m]")

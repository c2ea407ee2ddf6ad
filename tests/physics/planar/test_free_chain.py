"""Smooth motion against a SciPy integration in minimal coordinates (oracles.free_chain), and its order in dt.

No contacts, no dry friction: servos, uneven links, viscous ground. Moreau's midpoint scheme then is a first-order
method, because motors and friction are taken at the end of the step.
"""

from __future__ import annotations

import numpy as np

from oracles.free_chain import FreeChain, Trajectory
from oracles.robots import uneven_robot
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Frictionless, Viscous
from pushpoint.model.motor import Motor
from pushpoint.simulation.simulate import simulate

ROBOT = uneven_robot(Motor(stiffness=4.0, damping=0.05))
GAIT = LateralUndulation(amplitude=0.7, angular_frequency=5.0, phase_shift=-1.2, offset=0.15)
RATES = (0.5, -0.8, 0.3)
START = Start(
    joint_angles=(0.3, -0.2, 0.5), joint_rates=RATES, heading=0.4, position=(0.2, 0.1), velocity=(0.3, -0.2), spin=0.7
)
GROUND = {"free": Frictionless(), "viscous": Viscous(along=0.4, across=2.5)}
DURATION = 1.0


def reference_run(friction: Frictionless | Viscous) -> Trajectory:
    def reference(t: float) -> tuple[np.ndarray, np.ndarray]:
        angle, rate = GAIT.references(np.array([t]), ROBOT)
        return angle[0], rate[0]

    chain = FreeChain(robot=ROBOT, reference=reference, friction=friction if isinstance(friction, Viscous) else None)
    pose = START.pose(ROBOT)
    state = chain.state(pose["theta"], pose["omega"], pose["center"], (0.3, -0.2))
    return chain.integrate(np.linspace(0.0, DURATION, 11), state)


def errors(friction: Frictionless | Viscous, dt: float, exact: Trajectory) -> np.ndarray:
    """Largest errors of places [m], angles [rad], velocities [m/s] and rates [rad/s] at tenths of a second."""
    run = simulate(
        ROBOT, Environment(ground=Ground(friction=friction)), GAIT, start=START, duration=DURATION,
        settings=Settings(dt=dt, tolerance=1e-8),
    )  # fmt: skip
    at = run.sel(time=exact.time, method="nearest")
    pairs = (
        (at.link_position, exact.link_position),
        (at.link_angle, exact.link_angle),
        (at.link_velocity, exact.link_velocity),
        (at.link_angular_velocity, exact.link_angular_velocity),
    )
    return np.array([np.abs(ours.values - theirs).max() for ours, theirs in pairs])


def spans(exact: Trajectory) -> np.ndarray:
    """How far the same four quantities range in the reference."""
    names = ("link_position", "link_angle", "link_velocity", "link_angular_velocity")
    return np.array([np.ptp(getattr(exact, name), axis=0).max() for name in names])


def test_converges_to_the_reference_in_second_order() -> None:
    exact = reference_run(GROUND["free"])
    coarse, middle, fine = (errors(GROUND["free"], dt, exact) for dt in (1e-3, 5e-4, 2.5e-4))
    order = np.log2(np.array([coarse / middle, middle / fine]))
    np.testing.assert_allclose(order, 2.0, atol=0.1)  # second order, required; the third order's share fades with dt
    # Errors b dt^2 + c dt^3 leave 4 fine - middle = O(dt^3); a limit elsewhere would show with its full distance.
    assert (np.abs(4 * fine - middle) < 0.1 * fine).all()  # w dt at 0.25 ms, with some reserve
    assert (coarse < 5e-3 * spans(exact)).all()  # at 1 ms, with servos that swing at some 30 rad/s: (w dt)^2 = 0.1 %


def test_on_viscous_ground_in_first_order() -> None:
    # Friction acts by the end of the step. Where it does little the second order of all the rest still shows.
    exact = reference_run(GROUND["viscous"])
    coarse, middle, fine = (errors(GROUND["viscous"], dt, exact) for dt in (1e-3, 5e-4, 2.5e-4))
    order = np.log2(np.array([coarse / middle, middle / fine]))
    assert (order > 0.9).all() and (order < 2.1).all()
    assert (coarse < 0.01 * spans(exact)).all()  # at 1 ms


def test_a_gait_as_a_function_of_time_is_the_same_gait() -> None:
    tabled = FunctionOfTime(function=lambda t: GAIT.references(np.array([t]), ROBOT)[0][0])
    runs = [simulate(ROBOT, Environment(), gait, start=START, duration=DURATION) for gait in (GAIT, tabled)]
    # A cubic over 5 ms misses a sine of 5 rad/s by 0.7 (5 x 0.005)^4/384 = 7e-10 rad; what moves is shorter than 0.5 m.
    np.testing.assert_allclose(runs[1].link_position, runs[0].link_position, atol=5e-10)

"""Holden2014, Tables I to V: the frozen instant, its optimum as printed, and ours.

Links count from the tail as here, but from 1; u_i = -joint_torque[i - 1]. Table V lists 20 torques for 19 joints: one
of its two neighbouring 3.776 is a repetition. The robot of Table I is catalogue.holden2014().

Holden2014, VI-B: the force mapping solved again and again, and errors that decay as (50)-(52) say.

The robot of the paper, held by five fixed pegs, is integrated in the reduced model itself; beside it stands the closed
solution of e_ddot + k_d e_dot + k_p e = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.mapping.force_mapping import (
    Gains,
    MappingBounds,
    MappingWeights,
    MotionReference,
    build_force_mapping,
    tracking_wish,
)
from pushpoint.mapping.path_quality import beside_links
from pushpoint.mapping.solution import ForceMappingResult, solve_force_mapping
from pushpoint.model.catalogue import holden2014
from pushpoint.model.environment import Peg
from pushpoint.reduced.contacts import Contacts, close, contact_terms
from pushpoint.reduced.robot import ReducedRobot, ReducedState, reduce_robot
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

FRICTION, SPIN_FRICTION, PEG_FRICTION = 0.3, 0.1, 0.3
"""mu_g [-], mu_g,r [m s] and mu [-] of Table I."""
TORQUE_LIMIT = 4.5
"""u_max of Table I [N m]."""
_WAVE = (0.8631, 0.4144, -0.2731, -0.8777, -1.1165, -0.8777, -0.2731, 0.4144, 0.8631)
LINK_ANGLE = np.array((0.8631, *_WAVE, *_WAVE, 0.8631))
"""theta of Table II [rad]."""
LINK_RATE = np.array(
    [[0.4655, 0.0616, -0.4594, -1.0177, -1.0615, -0.3505, 1.0203, 0.9696, 0.7274, 0.2561],
     [-0.6099, -1.0676, -1.2700, -0.4941, 1.2480, 1.4646, 1.2580, 0.7426, 0.2983, -0.1065]]
).ravel()  # fmt: skip
"""Its rate, of Table II [rad/s]."""
VELOCITY = np.array((0.1625, 0.0244))
"""Of the centre of mass, Table II [m/s]."""
TOUCHED, SIDE = np.array((3, 6, 10, 14, 18)) - 1, np.array((-1.0, 1.0, -1.0, 1.0, -1.0))
"""Links at the pegs, and gamma, of Table III."""
CONTROLLED = np.array((1, 3, 4, 6, 7, 10, 11, 14, 15, 18, 19)) - 1
"""Links whose angles are kept, of Table IV; all gains are 1, and the goal is 1 m to the right."""
JOINT_TORQUE = -np.array(
    [1.029, 3.217, 3.939, 1.014, -2.644, -4.500, -1.728, 1.192, 3.131, 3.776,
     2.408, 0.228, -2.836, -4.117, -1.922, 0.300, 1.898, 2.191, 1.250]
)  # fmt: skip
"""-u of Table V [N m]."""
CONTACT_FORCE = np.array((-25.450, 50.577, -18.634, 27.276, -11.920))
"""f_C of Table V [N]."""
PEG_RADIUS = 0.01
"""Of the pegs in the simulated instant; the paper's are points on the links' axes [m]."""
OVERLAP = 5e-10
"""By how much pegs and links overlap in it, so that they touch for certain [m]."""

STATE = ReducedState(center=np.zeros(2), velocity=VELOCITY, link_angle=LINK_ANGLE, link_rate=LINK_RATE)
REFERENCE = MotionReference(center=np.array((1.0, 0.0)), links=CONTROLLED, link_angle=LINK_ANGLE[CONTROLLED])
POINTS = Contacts(link=TOUCHED, side=SIDE, friction=PEG_FRICTION)
"""The contacts as the paper has them."""


def optimum(*, paper_table: bool) -> ForceMappingResult:
    """The optimum of Table V; paper_table: with K_l, from which the table was computed, else with exact masses."""
    robot = reduce_robot(holden2014(), paper_table=paper_table)
    ground = GroundFriction(coefficient=FRICTION, spin_viscous=SPIN_FRICTION)
    return _solved(robot, ground, STATE, POINTS)


def simulated_instant() -> tuple[tuple[Peg, ...], ReducedState, ForceMappingResult]:
    """Pegs, state and optimum of the instant with links and pegs of some width, as an engine can have it.

    The links' rates of turn are those of Table II with the least change by which all contacts hold. There is no
    friction against turning: the engine knows it as a Coulomb law only, the paper as a viscous one.
    """
    robot, whole = reduce_robot(holden2014()), holden2014()
    radius = whole.column("radius")[TOUCHED]
    contacts = Contacts(link=TOUCHED, side=SIDE, surface=radius, standoff=radius + PEG_RADIUS, friction=PEG_FRICTION)
    ground = GroundFriction(coefficient=FRICTION)
    touch = contact_terms(robot, STATE, contacts, smooth_terms(robot, ground, STATE))
    rate = np.concatenate((LINK_RATE, VELOCITY))
    rate -= np.linalg.lstsq(touch.J, touch.J @ rate)[0]
    state = ReducedState(center=np.zeros(2), velocity=rate[-2:], link_angle=LINK_ANGLE, link_rate=rate[:-2])
    angle = LINK_ANGLE[TOUCHED]
    right = SIDE[:, None] * np.column_stack((np.sin(angle), -np.cos(angle)))
    places = link_positions(whole, np.zeros(2), LINK_ANGLE)[TOUCHED]
    places = places + (radius + PEG_RADIUS - OVERLAP)[:, None] * right
    pegs = tuple(Peg(x=x, y=y, radius=PEG_RADIUS, friction=PEG_FRICTION) for x, y in places.tolist())
    return pegs, state, _solved(robot, ground, state, contacts)


def _solved(robot: ReducedRobot, ground: GroundFriction, state: ReducedState, contacts: Contacts) -> ForceMappingResult:
    weights = MappingWeights(center_scale=1.0 / robot.total_mass)  # the paper's first two rows are forces
    wish, bounds = tracking_wish(state, REFERENCE), MappingBounds(torque_limit=TORQUE_LIMIT)
    return solve_force_mapping(build_force_mapping(robot, ground, state, contacts, wish, bounds, weights))


DECAY_GAINS = Gains(center_stiffness=4.0, center_damping=3.0, link_stiffness=25.0, link_damping=10.0)
DECAY_LINKS = np.append(TOUCHED, 19)
"""Links that are controlled: those at the pegs, and the head."""
SHIFT, TURN = np.array((0.05, 0.02)), 0.1
"""How far the reference is from the start: the centre of mass [m], the links [rad]."""
STEP, STEPS = 1e-3, 120
"""Of the integration, by Runge and Kutta [s]."""
DECAY_FRICTION = 0.1
"""Of the pegs [-]; with the paper's 0.3 this goal is not feasible all the way, the claim is about those that are."""
LIMIT = 40.0
"""Torque limit [N m]: large, as the law is to be tested and not the motors."""
SMOOTHING = 0.02
"""Speed below which Coulomb friction fades [m/s]; the integrator wants smooth forces."""


@dataclass(frozen=True, kw_only=True)
class Decay:
    """What became of the errors."""

    feasible: bool
    """Whether every mapping on the way was."""
    off: float
    """Largest difference between an error and the closed solution [rad, m]."""
    moved: float
    """Largest change of an error on the way [rad, m]."""


def decay(friction: float = DECAY_FRICTION) -> Decay:
    """Integrates the robot and compares; the errors are those of the controlled links and of the centre of mass.

    `friction` is that of the pegs [-].
    """
    pegs, state, _ = simulated_instant()
    robot = reduce_robot(holden2014())
    ground = GroundFriction(coefficient=FRICTION, smoothing=SMOOTHING)
    target = MotionReference(center=SHIFT, links=DECAY_LINKS, link_angle=state.link_angle[DECAY_LINKS] + TURN)
    radius = robot.radius[TOUCHED]
    verdicts = []

    def slope(x: np.ndarray) -> np.ndarray:
        now = ReducedState(center=x[20:22], velocity=x[42:], link_angle=x[:20], link_rate=x[22:42])
        along = beside_links(robot, now.center, now.link_angle, pegs)[0][TOUCHED, range(5)]
        contacts = Contacts(
            link=TOUCHED, side=SIDE, along=along, surface=radius, standoff=radius + PEG_RADIUS, friction=friction
        )
        wish = tracking_wish(now, target, DECAY_GAINS)
        found = solve_force_mapping(
            build_force_mapping(robot, ground, now, contacts, wish, MappingBounds(torque_limit=LIMIT))
        )
        verdicts.append(found.feasible)
        # Accelerations alone are held, so that the integration drifts off the pegs by its own error.
        closed = close(robot, ground, now, contacts, most_parting=np.inf)
        return np.concatenate((x[22:], closed.acceleration(found.joint_torque)))

    start = np.concatenate((state.link_angle, state.center, state.link_rate, state.velocity))
    end = _integrated(slope, start)
    rows = np.append(DECAY_LINKS, (20, 21))
    goal = np.concatenate((target.link_angle, target.center))
    p = np.array([DECAY_GAINS.link_stiffness] * len(DECAY_LINKS) + [DECAY_GAINS.center_stiffness] * 2)
    d = np.array([DECAY_GAINS.link_damping] * len(DECAY_LINKS) + [DECAY_GAINS.center_damping] * 2)
    expected = _decayed(start[rows] - goal, start[22 + rows], p, d, STEP * STEPS)
    return Decay(
        feasible=all(verdicts),
        off=float(np.abs(end[rows] - goal - expected).max()),
        moved=float(np.abs(end[rows] - start[rows]).max()),
    )


def _integrated(slope: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    for _ in range(STEPS):
        k1 = slope(x)
        k2 = slope(x + STEP / 2 * k1)
        k3 = slope(x + STEP / 2 * k2)
        x = x + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + slope(x + STEP * k3))
    return x


def _decayed(e: np.ndarray, rate: np.ndarray, p: np.ndarray, d: np.ndarray, t: float) -> np.ndarray:
    """e(t) of e_ddot + d e_dot + p e = 0, by its two roots; equal roots are nudged apart."""
    root = np.sqrt((d**2 / 4 - p).astype(complex))
    root = np.where(np.abs(root) < 1e-6, 1e-4, root)
    fast, slow = -d / 2 - root, -d / 2 + root
    b = (rate - fast * e) / (slow - fast)
    return np.asarray(np.real(b * np.exp(slow * t) + (e - b) * np.exp(fast * t)))

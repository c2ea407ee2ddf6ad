"""Holden2014, Tables I to V: the frozen instant, its optimum as printed, and ours.

Links count from the tail as here, but from 1; u_i = -joint_torque[i - 1]. Table V lists 20 torques for 19 joints: one
of its two neighbouring values 3.776 is a repetition. The robot of Table I is catalogue.holden2014().
"""

from __future__ import annotations

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.mapping.force_mapping import build_force_mapping
from pushpoint.mapping.limits import MappingBounds, MappingWeights
from pushpoint.mapping.solution import ForceMappingResult, solve_force_mapping
from pushpoint.mapping.wishes import MotionReference, tracking_wish
from pushpoint.model.catalogue import holden2014
from pushpoint.model.environment import Peg
from pushpoint.papers.reported import reported
from pushpoint.reduced.contacts import Contacts, contact_terms
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
"""Link rates of Table II [rad/s]."""
VELOCITY = np.array((0.1625, 0.0244))
"""Velocity of the centre of mass, Table II [m/s]."""
TOUCHED, SIDE = np.array((3, 6, 10, 14, 18)) - 1, np.array((-1.0, 1.0, -1.0, 1.0, -1.0))
"""Links at the pegs, and gamma, of Table III."""
CONTROLLED = np.array((1, 3, 4, 6, 7, 10, 11, 14, 15, 18, 19)) - 1
"""Links whose angles are controlled, Table IV; all gains are 1, and the goal is 1 m to the right."""
JOINT_TORQUE = -reported("holden2014")["joint-torque"].column("u")
"""-u of Table V [N m]."""
CONTACT_FORCE = reported("holden2014")["contact-force"].column("force")
"""f_C of Table V [N]."""
PEG_RADIUS = 0.01
"""Radius of the pegs in the simulated instant [m]; the paper's are points on the links' axes."""
OVERLAP = 5e-10
"""Overlap of pegs and links in it, so that they are sure to touch [m]."""

STATE = ReducedState(center=np.zeros(2), velocity=VELOCITY, link_angle=LINK_ANGLE, link_rate=LINK_RATE)
REFERENCE = MotionReference(center=np.array((1.0, 0.0)), links=CONTROLLED, link_angle=LINK_ANGLE[CONTROLLED])
POINTS = Contacts(link=TOUCHED, side=SIDE, friction=PEG_FRICTION)
"""The contacts as in the paper."""


def optimum(*, paper_table: bool) -> ForceMappingResult:
    """The optimum of Table V; paper_table: with K_l, from which the table was computed, else with exact masses."""
    robot = reduce_robot(holden2014(), paper_table=paper_table)
    ground = GroundFriction(coefficient=FRICTION, spin_viscous=SPIN_FRICTION)
    return _solved(robot, ground, STATE, POINTS)


def simulated_instant() -> tuple[tuple[Peg, ...], ReducedState, ForceMappingResult]:
    """Pegs, state and optimum of the instant with links and pegs of finite width, as an engine needs them.

    The links' turning rates are those of Table II, with the least change that keeps all contacts closed. There is no
    friction against turning: the engine has it as a Coulomb law only, the paper as a viscous one.
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

"""Holden2014, Table V checked against the paper's own equations: what the printed torques and forces leave open.

No optimisation is run here. The state, the torques u and the forces f_C are printed; the wishes of Table IV fix the
accelerations of the centre of mass and of eleven links. What then remains in (14)-(15) and in (13) is not explained by
the tables. The equations are the paper's, with K_l.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pushpoint.mapping.wishes import tracking_wish
from pushpoint.model.catalogue import holden2014
from pushpoint.papers.holden2014.tables import (
    CONTACT_FORCE,
    CONTROLLED,
    FRICTION,
    JOINT_TORQUE,
    LINK_RATE,
    PEG_FRICTION,
    REFERENCE,
    SIDE,
    SPIN_FRICTION,
    STATE,
    TOUCHED,
)
from pushpoint.reduced.robot import reduce_robot
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

STEEPNESS = 30.0
"""With tanh(30 v) in place of sign(v), on the ground and at the pegs, the balance of forces closes [s/m]."""
GRAVITY = 9.81

SpinLaw = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Friction against turning: the moment [N m] of links with masses [kg] and turning rates [rad/s]."""
LENGTH = holden2014().column("length")
SPIN_LAWS: Mapping[str, SpinLaw] = {
    "none": lambda m, w: 0.0 * w,
    "Coulomb: mu m g sign(w)": lambda m, w: -SPIN_FRICTION * m * GRAVITY * np.sign(w),
    "smoothed: mu m g tanh(30 w)": lambda m, w: -SPIN_FRICTION * m * GRAVITY * np.tanh(STEEPNESS * w),
    "smoothed: mu m g tanh(w)": lambda m, w: -SPIN_FRICTION * m * GRAVITY * np.tanh(w),
    "half a link as lever: mu m g l/2 tanh(30 w)": lambda m, w: (
        -SPIN_FRICTION * m * GRAVITY * LENGTH / 2 * np.tanh(STEEPNESS * w)
    ),
    "viscous with a lever: mu m g l w": lambda m, w: -SPIN_FRICTION * m * GRAVITY * LENGTH * w,
    "viscous without weight: mu w": lambda m, w: -SPIN_FRICTION * w,
    "viscous, by mass: mu m w": lambda m, w: -SPIN_FRICTION * m * w,
    "viscous: mu m g w": lambda m, w: -SPIN_FRICTION * m * GRAVITY * w,
    "viscous, the same for all: mu g w": lambda m, w: -SPIN_FRICTION * GRAVITY * w,
}
"""Possible meanings of mu_g,r, for which Table I gives neither unit nor lever arm."""


def force_rest(steepness: float | None) -> np.ndarray:
    """Remainder of the balance (14)-(15) with the printed forces, x and y [N]; None: with sign(v)."""
    robot = reduce_robot(holden2014(), paper_table=True)
    terms = smooth_terms(robot, GroundFriction(), STATE)
    ground, pegs = _friction(terms.motion[0], terms.axes, robot.mass, steepness)
    wish = tracking_wish(STATE, REFERENCE).center_acceleration
    return np.asarray(ground.sum(axis=0) + pegs.sum(axis=0) - robot.total_mass * wish)


def moment_rest(steepness: float | None, law: SpinLaw) -> np.ndarray:
    """Remainder of (13) with the printed torques and forces, a moment per link [N m].

    Nine links have no wish: their accelerations are those that leave the least remainder. So eleven rows are
    independent.
    """
    robot = reduce_robot(holden2014(), paper_table=True)
    terms = smooth_terms(robot, GroundFriction(), STATE)
    ground, pegs = _friction(terms.motion[0], terms.axes, robot.mass, steepness)
    n = robot.n_links
    on_links = np.zeros((n, 2))
    on_links[TOUCHED] = pegs
    rest = terms.load[:n] + robot.torque_map[:n] @ JOINT_TORQUE + law(robot.mass, LINK_RATE)
    rest += np.vecdot(terms.axes[1], robot.levers[1].T @ (ground + on_links))
    inertia = terms.mass_matrix[:n, :n]
    rest -= inertia[:, CONTROLLED] @ tracking_wish(STATE, REFERENCE).link_acceleration
    free = np.delete(inertia, CONTROLLED, axis=1)
    return np.asarray(rest - free @ np.linalg.lstsq(free, rest)[0])


def _friction(
    velocity: np.ndarray, axes: np.ndarray, mass: np.ndarray, steepness: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Forces of the ground on all links, and of the pegs on touching links, with sign(v) or tanh(steepness v) [N]."""

    def sign(v: np.ndarray) -> np.ndarray:
        return np.sign(v) if steepness is None else np.tanh(steepness * v)

    speed = np.linalg.norm(velocity, axis=1)
    ground = -(FRICTION * mass * GRAVITY * sign(speed) / speed)[:, None] * velocity
    along, left = axes[:, TOUCHED]
    drag = -PEG_FRICTION * SIDE * sign(np.vecdot(along, velocity[TOUCHED]))
    return ground, CONTACT_FORCE[:, None] * (left + drag[:, None] * along)

"""The flow map: accelerations and forces while a mode lasts.

    M q_ddot = load + W^T lambda,      J q_ddot + bias = 0

J holds one row per closed contact, per sticking contact, two per sticking support point and one per link that does not
turn. W is J, but for contacts that slide, whose friction leans the normal direction: W_N - mu slip W_T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.event_driven.mode import ONSET, STICK, Mode
from pushpoint.event_driven.model import HybridModel
from pushpoint.event_driven.rows import ContactRows, Snapshot, contact_rows, ground_rows, snapshot

CORRECTION = 20.0
"""How fast round-off in gaps and held velocities is led back to zero [1/s]; the exact flow has none."""
TINY = 1e-12
"""Speed below which a sliding point has no direction [m/s]; it has been tried for stick long before."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Flow:
    """Motion and forces of a state in a mode."""

    at: Snapshot
    """The state's own terms."""
    touch: ContactRows
    """The closed contacts."""
    acceleration: np.ndarray
    """Of links [rad/s^2] and centre of mass [m/s^2], shape (n_links + 2,)."""
    normal: np.ndarray
    """Normal forces of the closed contacts, > 0 pushes [N], shape (n_contacts,)."""
    tangential: np.ndarray
    """Friction of the closed contacts [N], shape (n_contacts,)."""
    point_velocity: np.ndarray
    """Velocities of the support points that Coulomb friction acts on [m/s], shape (n_points, 2); 0 for others."""
    ground_force: np.ndarray
    """Forces on support points that stick [N], shape (n_points, 2); 0 for others."""
    spin_moment: np.ndarray
    """Moments on links that do not turn [N m], shape (n_links,); 0 for others."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Held:
    """What a mode holds: rows of J and W, and what goes with them."""

    J: np.ndarray
    """Velocity rows, shape (n_rows, n_links + 2)."""
    W: np.ndarray
    """Load rows, same shape."""
    bias: np.ndarray
    """Accelerations without q_ddot, and the correction of round-off, shape (n_rows,)."""
    rest: np.ndarray
    """Forces to be near to where they are not unique, shape (n_rows,)."""
    scale: np.ndarray
    """Forces that count as equally large, shape (n_rows,)."""
    stuck_contacts: np.ndarray
    """Numbers of the contacts that stick."""
    stuck_points: np.ndarray
    """Numbers of the support points that stick."""
    stuck_links: np.ndarray
    """Numbers of the links that do not turn."""


def point_velocities(model: HybridModel, at: Snapshot) -> np.ndarray:
    """Velocities of the support points [m/s], shape (n_points, 2)."""
    link, offset = model.robot.support_link, model.robot.support_offset
    return at.terms.motion[0][link] + (offset * at.rate[link])[:, None] * at.terms.axes[1][link]


def applied_load(model: HybridModel, time: float, at: Snapshot, mode: Mode) -> np.ndarray:
    """Loads on q that are known from state and mode: motors, centrifugal terms, friction of what slides."""
    torque = model.drive.torque_at(time, np.diff(at.angle), np.diff(at.rate))
    load = at.terms.load + model.robot.torque_map @ torque
    load[: model.n_links] -= model.spin_bound * mode.spin
    moving = np.flatnonzero((mode.ground != STICK) & (model.ground_bound > 0.0))
    if len(moving):
        slip = point_velocities(model, at)[moving]
        forward = slip / np.maximum(np.sqrt(np.vecdot(slip, slip)), TINY)[:, None]
        forward = np.where((mode.ground[moving] == ONSET)[:, None], mode.heading[moving], forward)
        force = -model.ground_bound[moving, None] * forward
        load = load + np.einsum("pdk,pd->k", ground_rows(model, at, moving)[0], force)
    return load


def leaning(model: HybridModel, mode: Mode, touch: ContactRows) -> np.ndarray:
    """Loads of unit normal forces with the friction of contacts that slide, shape (n_contacts, n_links + 2)."""
    lean = model.peg_friction[mode.contacts.peg] * mode.contacts.slip
    return touch.W_N - lean[:, None] * touch.W_T


def held_rows(model: HybridModel, at: Snapshot, mode: Mode, touch: ContactRows) -> Held:
    """The rows of everything that a mode holds."""
    contacts = np.flatnonzero(mode.contacts.slip == 0)
    points = np.flatnonzero((mode.ground == STICK) & (model.ground_bound > 0.0))
    links = np.flatnonzero((mode.spin == 0) & (model.spin_bound > 0.0))
    size = model.n_coordinates
    rows, bias = ground_rows(model, at, points)
    below = [touch.W_T[contacts], rows.reshape(-1, size), np.eye(size)[links]]
    J = np.concatenate([touch.W_N, *below])
    biases = [touch.bias_N, touch.bias_T[contacts], bias.ravel(), np.zeros(len(links))]
    forces = np.concatenate([mode.contacts.forces[:, 0], mode.contacts.forces[contacts, 1]])
    drift = 2 * CORRECTION * (J @ at.q_dot)
    drift[: mode.contacts.count] += CORRECTION**2 * touch.gap
    return Held(
        J=J,
        W=np.concatenate([leaning(model, mode, touch), *below]),
        bias=np.concatenate(biases) + drift,
        rest=np.concatenate([forces, mode.ground_rest[points].ravel(), mode.spin_rest[links]]),
        scale=np.concatenate([np.ones(len(forces)), np.repeat(model.ground_bound[points], 2), model.spin_bound[links]]),
        stuck_contacts=contacts,
        stuck_points=points,
        stuck_links=links,
    )


def flow(model: HybridModel, time: float, state: np.ndarray, mode: Mode) -> Flow:
    """Accelerations and forces of a state (q, q_dot) in a mode."""
    at = snapshot(model, state)
    touch = contact_rows(model, at, mode.contacts)
    held = held_rows(model, at, mode, touch)
    load = applied_load(model, time, at, mode)
    response = np.linalg.solve(at.terms.mass_matrix, np.column_stack((load, held.W.T)))
    force = _forces(held, response)
    count = mode.contacts.count
    normal, rest = np.split(force, [count])
    tangential = -model.peg_friction[mode.contacts.peg] * mode.contacts.slip * normal
    in_contacts, in_points, in_links = np.split(rest, np.cumsum([held.stuck_contacts.size, 2 * held.stuck_points.size]))
    tangential[held.stuck_contacts] = in_contacts
    ground_force, spin_moment = np.zeros((len(model.ground_bound), 2)), np.zeros(model.n_links)
    ground_force[held.stuck_points] = in_points.reshape(-1, 2)
    spin_moment[held.stuck_links] = in_links
    moves = model.ground_bound.any()
    return Flow(
        at=at,
        touch=touch,
        acceleration=response[:, 0] + response[:, 1:] @ force,
        normal=normal,
        tangential=tangential,
        point_velocity=point_velocities(model, at) if moves else np.zeros_like(ground_force),
        ground_force=ground_force,
        spin_moment=spin_moment,
    )


def _forces(held: Held, response: np.ndarray) -> np.ndarray:
    """Forces that hold the rows; where several sets would, the one nearest to those at rest, measured by the bounds."""
    if not len(held.J):
        return np.zeros(0)
    A = held.J @ response[:, 1:]
    missing = -(held.J @ response[:, 0] + held.bias) - A @ held.rest
    if not (len(held.stuck_points) or len(held.stuck_links)):
        try:
            return held.rest + np.linalg.solve(A, missing)
        except np.linalg.LinAlgError:
            pass
    return held.rest + held.scale * np.linalg.lstsq(A * held.scale, missing, rcond=1e-11)[0]

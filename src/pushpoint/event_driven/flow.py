"""The flow map: accelerations and forces while a mode lasts, and the guards that end it when they fall below zero.

    M q_ddot = load + W^T lambda,      J q_ddot + bias = 0

J has one row per closed contact, one per sticking contact, two per sticking support point, one per link that does not
turn and one per joint on an end stop. W is J, except for sliding contacts, whose friction tilts the normal direction:
W_N - mu slip W_T.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pushpoint.event_driven.model import CLEARANCE, ContactMode, Grip, HybridModel, LinkPart
from pushpoint.event_driven.rows import (
    ContactRows,
    Snapshot,
    contact_rows,
    gaps,
    ground_rows,
    lengths,
    point_velocities,
    signs,
    snapshot,
    stop_gaps,
    stop_rows,
)

CORRECTION = 20.0
"""How fast round-off in gaps and constrained velocities is corrected [1/s]; the exact flow has none."""
TINY = 1e-12
"""Speed below which a sliding point has no direction [m/s]; it has been tested for sticking long before."""
REST_SPEED = 1e-6
"""Speed at which a sliding support point is tested for sticking [m/s].

From rest to twice this speed, the friction of a point keeps the direction in which it began to slide. The direction of
such slow slip would turn faster than an explicit integrator can follow.
"""
REVERSAL = 1e-9
"""Speed in the wrong direction at which a slide has ended [m/s]."""
AT_REST = 10 * REVERSAL
"""Speed below which a contact's slip, and its normal velocity, count as zero [m/s]."""
SPIN_REVERSAL = 1e-7
"""The same for the turning rate of a link with friction against turning [rad/s].

It is larger, because a link at its bound may be kept from turning by its neighbours: its rate is then round-off.
"""
PULL = 1e-6
"""Force by which a limit must be exceeded to count [N], or [N m]; above the round-off of forces."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Flow:
    """Motion and forces of a state in a mode."""

    at: Snapshot
    """The terms of the state."""
    touch: ContactRows
    """The closed contacts."""
    acceleration: np.ndarray
    """Accelerations of links [rad/s^2] and centre of mass [m/s^2], shape (n_links + 2,)."""
    normal: np.ndarray
    """Normal forces of the closed contacts, > 0 pushes [N], shape (n_contacts,)."""
    tangential: np.ndarray
    """Friction of the closed contacts [N], shape (n_contacts,)."""
    ground_force: np.ndarray
    """Forces on sticking support points over their scale, along and across [N], shape (n_points, 2); 0 for others."""
    spin_moment: np.ndarray
    """Moments on links that do not turn [N m], shape (n_links,); 0 for others."""
    stop_moment: np.ndarray
    """Moments of end stops, > 0 pushes back [N m], shape (n_joints,); 0 for joints that rest on none."""
    torque: np.ndarray
    """Torques of the motors [N m], shape (n_joints,)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Still:
    """Everything that does not move in a mode, as rows: closed contacts, sticking contacts, points, links, stops."""

    touch: ContactRows
    """The closed contacts."""
    J: np.ndarray
    """Velocity rows, shape (n_rows, n_links + 2)."""
    W: np.ndarray
    """Load rows, same shape."""
    bias: np.ndarray
    """Accelerations without q_ddot, shape (n_rows,)."""
    contacts: np.ndarray
    """Indices of the sticking contacts."""
    points: np.ndarray
    """Indices of the sticking support points."""
    links: np.ndarray
    """Indices of the links that do not turn."""
    joints: np.ndarray
    """Indices of the joints that rest on an end stop."""


def still_rows(model: HybridModel, at: Snapshot, mode: ContactMode) -> Still:
    """The rows of everything that a mode constrains."""
    touch = contact_rows(model, at, mode.contacts)
    contacts = np.flatnonzero(mode.contacts.slip == 0)
    points = np.flatnonzero((mode.ground == Grip.STICK) & (model.ground_bound > 0.0))
    links = np.flatnonzero((mode.spin == 0) & (model.spin_bound > 0.0))
    joints, size = np.flatnonzero(mode.stopped), model.n_coordinates
    below, bias = [touch.W_T[contacts]], [touch.bias_N, touch.bias_T[contacts]]
    if points.size:
        rows, at_rest = ground_rows(model, at, points)
        below.append(rows.reshape(-1, size))
        bias.append(at_rest.ravel())
    if links.size or joints.size:
        below += [np.eye(size)[links], stop_rows(model, joints, mode.stopped[joints])]
        bias.append(np.zeros(links.size + joints.size))
    lean = model.peg_friction[mode.contacts.peg] * mode.contacts.slip
    return Still(
        touch=touch,
        J=np.concatenate([touch.W_N, *below]),
        W=np.concatenate([touch.W_N - lean[:, None] * touch.W_T, *below]),
        bias=np.concatenate(bias),
        contacts=contacts,
        points=points,
        links=links,
        joints=joints,
    )


def motor_torque(model: HybridModel, time: float, at: Snapshot) -> np.ndarray:
    """Torques of the motors [N m], shape (n_joints,)."""
    return model.torque(time, np.diff(at.angle), np.diff(at.rate))


def respond(model: HybridModel, at: Snapshot, mode: ContactMode, still: Still, torque: np.ndarray) -> np.ndarray:
    """Accelerations from all known loads, and per unit of each constraint force, shape (n_coordinates, 1 + n_rows).

    The known loads are those of motors, centrifugal terms and sliding friction.
    """
    load = at.terms.load + model.robot.torque_map @ torque
    load[: model.n_links] -= model.spin_bound * mode.spin
    moving = np.flatnonzero((mode.ground != Grip.STICK) & (model.ground_bound > 0.0))
    if len(moving):
        slip = point_velocities(model, at)[moving]
        forward = slip / np.maximum(lengths(slip), TINY)[:, None]
        forward = np.where((mode.ground[moving] == Grip.ONSET)[:, None], mode.heading[moving], forward)
        force = -model.ground_bound[moving, None] * forward
        load = load + np.einsum("pdk,pd->k", ground_rows(model, at, moving)[0], force)
    return np.linalg.solve(at.terms.mass_matrix, np.column_stack((load, still.W.T)))


def sliding_as_moving(model: HybridModel, at: Snapshot, mode: ContactMode) -> ContactMode:
    """The mode in which everything that moves slides in its direction, and everything else sticks."""
    touch = contact_rows(model, at, mode.contacts)
    rough = model.peg_friction[mode.contacts.peg] > 0.0
    slip = np.where(np.abs(touch.gamma_T) > AT_REST, np.sign(touch.gamma_T), 0).astype(int)
    moving = (lengths(point_velocities(model, at)) > 1.001 * REST_SPEED) | (model.ground_bound == 0.0)
    turning = np.abs(at.rate) > 10 * SPIN_REVERSAL
    return replace(
        mode,
        contacts=replace(mode.contacts, slip=np.where(rough, slip, 1)),
        ground=np.where(moving, Grip.SLIDE, Grip.STICK),
        spin=np.where(turning | (model.spin_bound == 0.0), signs(at.rate), 0),
    )


def flow(model: HybridModel, time: float, state: np.ndarray, mode: ContactMode) -> Flow:
    """Accelerations and forces of a state (q, q_dot) in a mode."""
    at = snapshot(model, state)
    still = still_rows(model, at, mode)
    torque = motor_torque(model, time, at)
    response = respond(model, at, mode, still, torque)
    force = _forces(model, at, mode, still, response)
    parts = np.cumsum([mode.contacts.count, still.contacts.size, 2 * still.points.size, still.links.size])
    normal, in_contacts, in_points, in_links, in_stops = np.split(force, parts)
    tangential = -model.peg_friction[mode.contacts.peg] * mode.contacts.slip * normal
    tangential[still.contacts] = in_contacts
    ground_force, spin_moment = np.zeros((len(model.ground_bound), 2)), np.zeros(model.n_links)
    ground_force[still.points] = in_points.reshape(-1, 2)
    spin_moment[still.links] = in_links
    stop_moment = np.zeros(model.n_links - 1)
    stop_moment[still.joints] = in_stops
    return Flow(
        at=at,
        touch=still.touch,
        acceleration=response[:, 0] + response[:, 1:] @ force,
        normal=normal,
        tangential=tangential,
        ground_force=ground_force,
        spin_moment=spin_moment,
        stop_moment=stop_moment,
        torque=torque,
    )


def _forces(model: HybridModel, at: Snapshot, mode: ContactMode, still: Still, response: np.ndarray) -> np.ndarray:
    """Constraint forces; if several sets are possible, the one nearest to those at rest, relative to the bounds."""
    if not len(still.J):
        return np.zeros(0)
    drift = 2 * CORRECTION * (still.J @ at.q_dot)
    drift[: mode.contacts.count] += CORRECTION**2 * still.touch.gap
    if still.joints.size:
        on = np.where(mode.stopped[still.joints] > 0, 1, 0), still.joints
        drift[-still.joints.size :] += CORRECTION**2 * stop_gaps(model, at)[on]
    in_contacts = np.concatenate([mode.contacts.rest[:, 0], mode.contacts.rest[still.contacts, 1]])
    rest = np.concatenate(
        [in_contacts, mode.ground_rest[still.points].ravel(), mode.spin_rest[still.links], np.zeros(still.joints.size)]
    )
    A = still.J @ response[:, 1:]
    missing = -(still.J @ response[:, 0] + (still.bias + drift)) - A @ rest
    if not (len(still.points) or len(still.links)):
        try:
            return rest + np.linalg.solve(A, missing)
        except np.linalg.LinAlgError:
            pass
    bounds = np.repeat(model.ground_bound[still.points], 2), model.spin_bound[still.links]
    scale = np.concatenate([np.ones(len(in_contacts)), *bounds, np.ones(still.joints.size)])
    return np.asarray(rest + scale * np.linalg.lstsq(A * scale, missing, rcond=1e-11)[0])


Guards = dict[str, np.ndarray]


def guards(model: HybridModel, seen: Flow, mode: ContactMode) -> Guards:
    """Functions that are positive while a mode may last, by the name of the event they announce.

    They are infinite where they do not apply. Shapes: impact (n_links, n_pegs); detach, slip, stop, turn (n_contacts,);
    break, rest, gather, return (n_points,); spin, still (n_links,); reach (2, n_joints); leave (n_joints,).
    """
    found: Guards = {}
    if model.n_pegs:
        found["impact"] = gaps(model, seen.at)[0] - mode.floor
        found["impact"][mode.contacts.link, mode.contacts.peg] = np.inf
    if mode.contacts.count:
        found |= _contact_guards(model, seen, mode)
    if np.isfinite(model.stops).any():
        found["reach"] = stop_gaps(model, seen.at) - mode.stop_floor
        found["reach"][np.where(mode.stopped > 0, 1, 0), np.arange(len(mode.stopped))] += np.where(
            mode.stopped != 0, np.inf, 0.0
        )
        found["leave"] = np.where(mode.stopped != 0, seen.stop_moment + PULL, np.inf)
    if model.ground_bound.any():
        velocity, rubbed = point_velocities(model, seen.at), model.ground_bound > 0.0
        begins, speed = rubbed & (mode.ground == Grip.ONSET), lengths(velocity)
        holds = model.ground_bound - lengths(seen.ground_force) + PULL
        found["break"] = np.where(rubbed & (mode.ground == Grip.STICK), holds, np.inf)
        found["rest"] = np.where(rubbed & (mode.ground == Grip.SLIDE), speed - REST_SPEED, np.inf)
        found["gather"] = np.where(begins, 2 * REST_SPEED - speed, np.inf)
        found["return"] = np.where(begins, np.vecdot(velocity, mode.heading) + REST_SPEED / 2, np.inf)
    if model.spin_bound.any():
        slides, rubbed = mode.spin * seen.at.rate + SPIN_REVERSAL, model.spin_bound > 0.0
        holds = model.spin_bound - np.abs(seen.spin_moment) + PULL
        found["spin"] = np.where(rubbed & (mode.spin == 0), holds, np.inf)
        found["still"] = np.where(rubbed & (mode.spin != 0), slides, np.inf)
    return found


def _contact_guards(model: HybridModel, seen: Flow, mode: ContactMode) -> Guards:
    contacts = mode.contacts
    mu, sticks = model.peg_friction[contacts.peg], contacts.slip == 0
    holds = mu * seen.normal - np.abs(seen.tangential) + PULL
    slides = contacts.slip * seen.touch.gamma_T + REVERSAL
    ahead = seen.touch.along - model.side[0, contacts.link] + CLEARANCE
    behind = model.side[1, contacts.link] - seen.touch.along + CLEARANCE
    at_end = np.where(contacts.place == LinkPart.FRONT, 2 * CLEARANCE - behind, 2 * CLEARANCE - ahead)
    return {
        "detach": seen.normal + PULL,
        "slip": np.where(sticks, holds, np.inf),
        "stop": np.where(~sticks & (mu > 0.0), slides, np.inf),
        "turn": np.where(contacts.place == LinkPart.SIDE, np.minimum(ahead, behind), at_end),
    }


def lowest(found: Guards) -> float:
    """The smallest of all guards."""
    return min((float(values.min()) for values in found.values() if values.size), default=np.inf)

"""The jump map: what impacts do to velocities, and which mode follows.

Forces and impulses that obey all contact laws together are found by projected Gauss-Seidel. y = A x + b are velocities
after an impact, or accelerations of what is at rest. Every row of x obeys one law:

    normal     x >= 0, y >= 0, x y = 0
    friction   |x| <= mu x_normal, and x opposes y where y is not zero
    disc       a pair of rows, |x| <= bound, and x opposes y
    interval   |x| <= bound, and x opposes y
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pushpoint.errors import SimulationFailed
from pushpoint.event_driven.flow import (
    AT_REST,
    Flow,
    Guards,
    Still,
    flow,
    motor_torque,
    respond,
    sliding_as_moving,
    still_rows,
)
from pushpoint.event_driven.model import CLEARANCE, ContactMode, Grip, HybridModel, LinkPart, Touching
from pushpoint.event_driven.rows import (
    contact_rows,
    gaps,
    lengths,
    place_of,
    sideways,
    signs,
    snapshot,
    stop_gaps,
    stop_rows,
)

MOST_ROUNDS = 20000
TOLERANCE = 1e-12
"""Relative change of a row's velocity or acceleration in one round that counts as zero [-]."""
NONE = np.zeros(0, dtype=int)
JOINTLY = 1e-7
"""Pairs closer than this when another one meets take part in its impact [m].

A peg in the bend between two links meets them in turn, at ever shorter intervals. This ends the sequence.
"""
NOTICED = 1e-8
"""Acceleration above which something at rest begins to move [m/s^2], or [rad/s^2]."""
SLOW = 1e-3
"""Closing speed below which a contact does not bounce [m/s]; the same as in the time-stepping engine."""

HOP = 1e-8
"""Height below which a hop is skipped: a contact that an impact lifts so little stays closed [m], or a stop [rad].

An impact on one peg lifts the contact at another, which comes back and lifts the first in turn. The hops get lower
without end. They must not become as low as the clearance, at which they would neither end nor get lower.
"""


class ContactLaws(NamedTuple):
    """Which rows obey which law."""

    normal: np.ndarray
    """Rows of normal forces."""
    friction: np.ndarray
    """Rows of friction at contacts."""
    friction_of: np.ndarray
    """Row of the normal force that limits each of these."""
    coefficient: np.ndarray
    """mu of each of these [-]."""
    disc: np.ndarray = NONE
    """First rows of the pairs."""
    disc_bound: np.ndarray = NONE
    """Largest force of each pair."""
    interval: np.ndarray = NONE
    """Rows of moments."""
    interval_bound: np.ndarray = NONE
    """Largest moment of each."""


def solve_laws(A: np.ndarray, b: np.ndarray, laws: ContactLaws) -> np.ndarray:
    """The x that obeys these laws; raises SimulationFailed if none is found."""
    x, stiff = np.zeros(len(b)), np.diag(A).copy()
    if not len(b):
        return x
    for k in laws.disc:
        stiff[k : k + 2] = np.linalg.norm(A[k : k + 2, k : k + 2], 2)
    if (stiff <= 0.0).any():
        raise SimulationFailed(
            "the event-driven model has no unique motion: friction at a contact drives it against its peg (Painleve)"
        )
    size = float(np.abs(b).max()) + 1e-3  # so that round-off alone is not a target
    for _ in range(MOST_ROUNDS):
        before = x.copy()
        _one_round(A, b, laws, stiff, x)
        if np.abs(stiff * (x - before)).max() <= TOLERANCE * size:
            return x
    raise SimulationFailed("the event-driven model found no contact forces that obey all laws of contact and friction")


def _one_round(A: np.ndarray, b: np.ndarray, laws: ContactLaws, stiff: np.ndarray, x: np.ndarray) -> None:
    for k in laws.normal:
        x[k] = max(0.0, x[k] - (A[k] @ x + b[k]) / stiff[k])
    for k, n, mu in zip(laws.friction, laws.friction_of, laws.coefficient, strict=True):
        x[k] = min(max(x[k] - (A[k] @ x + b[k]) / stiff[k], -mu * x[n]), mu * x[n])
    for k, bound in zip(laws.interval, laws.interval_bound, strict=True):
        x[k] = min(max(x[k] - (A[k] @ x + b[k]) / stiff[k], -bound), bound)
    for k, bound in zip(laws.disc, laws.disc_bound, strict=True):
        pair = x[k : k + 2] - (A[k : k + 2] @ x + b[k : k + 2]) / stiff[k]
        x[k : k + 2] = pair * min(1.0, bound / max(float(np.hypot(*pair)), 1e-300))


@dataclass(frozen=True, kw_only=True)
class Event:
    """One jump, or one of several at the same time."""

    time: float
    """Time [s]."""
    name: str
    """What happened.

    impact, detach, slip (a contact that stuck), stop (one that slid), turn (past the end of a straight side), break (a
    support point that stuck), rest, gather, return (sliding points), spin, still (links that start or stop turning),
    reach, leave (a joint and its end stop).
    """
    link: int
    """Index of the link [-]; for an end stop, that of the link behind the joint."""
    peg: int
    """Index of the peg [-]; -1 for the ground."""


def jump(
    model: HybridModel, time: float, state: np.ndarray, mode: ContactMode, crossed: Guards
) -> tuple[np.ndarray, ContactMode, list[Event], np.ndarray]:
    """State and mode after the jumps of all guards below zero, what happened, and what links felt (see strike)."""
    events = _events(model, time, mode, crossed)
    names = {event.name for event in events}
    if names & {"impact", "reach"}:
        link, peg = np.nonzero(crossed["impact"] < JOINTLY) if "impact" in crossed else (NONE, NONE)
        state, mode, felt = strike(model, time, state, mode, link, peg, _met(mode, crossed))
        return *settle(model, time, state, mode), events, felt
    mode = _switch(model, mode, flow(model, time, state, mode), crossed)
    if names & {"stop", "rest", "return", "still"}:
        state, mode = settle(model, time, state, mode)
    return state, mode, events, np.zeros(model.n_links)


def _events(model: HybridModel, time: float, mode: ContactMode, crossed: Guards) -> list[Event]:
    """The events that the crossed guards announce."""
    found = []
    for name, values in crossed.items():
        for place in np.argwhere(values < 0.0):
            link, peg = place[0], -1
            if name == "impact":
                peg = place[1]
            elif name == "reach":
                link = place[1]
            elif name in ("detach", "slip", "stop", "turn"):
                link, peg = mode.contacts.link[link], mode.contacts.peg[link]
            elif name not in ("spin", "still", "leave"):
                link = model.robot.support_link[link]
            found.append(Event(time=time, name=name, link=int(link), peg=int(peg)))
    return found


def _met(mode: ContactMode, crossed: Guards) -> np.ndarray:
    """Which joints rest on an end stop after reaching some: -1, 0 or 1, shape (n_joints,)."""
    stopped = mode.stopped.copy()
    if "reach" in crossed:
        for side, reached in zip((-1, 1), crossed["reach"] < JOINTLY, strict=True):
            stopped[reached & (stopped == 0)] = side
    return stopped


def _switch(model: HybridModel, mode: ContactMode, seen: Flow, crossed: Guards) -> ContactMode:
    """Changes of mode that keep forces and velocities continuous."""
    below = {name: values < 0.0 for name, values in crossed.items() if name not in ("impact", "reach")}
    ground, heading, spin = mode.ground.copy(), mode.heading.copy(), mode.spin.copy()
    if "break" in below:
        ground[below["gather"]] = Grip.SLIDE
        loose = below["break"]
        ground[loose] = Grip.ONSET
        heading[loose] = -_unit(seen.ground_force[loose])
    if "spin" in below:
        spin[below["spin"]] = -np.sign(seen.spin_moment[below["spin"]]).astype(int)
    mode = replace(mode, ground=ground, heading=heading, spin=spin)
    if "leave" in below:
        mode = keep_stops(mode, ~below["leave"], stop_gaps(model, seen.at))
    if "detach" not in below:
        return mode
    slip, place = mode.contacts.slip.copy(), mode.contacts.place.copy()
    slip[below["slip"]] = -signs(seen.tangential[below["slip"]])
    turned = below["turn"]
    place[turned] = np.where(
        place[turned] == LinkPart.SIDE, place_of(model, mode.contacts.link, seen.touch.along)[turned], LinkPart.SIDE
    )
    contacts = replace(mode.contacts, slip=slip, place=place)
    return keep_contacts(replace(mode, contacts=contacts), ~below["detach"], seen.touch.gap)


def keep_contacts(mode: ContactMode, keep: np.ndarray, gap: np.ndarray) -> ContactMode:
    """Opens the other contacts; each may close again only from deeper than where it opened."""
    if keep.all():
        return mode
    floor, lost = mode.floor.copy(), mode.contacts.only(~keep)
    floor[lost.link, lost.peg] = np.minimum(gap[~keep], 0.0) - CLEARANCE
    return replace(mode, contacts=mode.contacts.only(keep), floor=floor)


def keep_stops(mode: ContactMode, keep: np.ndarray, gap: np.ndarray) -> ContactMode:
    """Lets the other joints leave their end stops; each may reach it again only from further beyond."""
    lost = np.flatnonzero((mode.stopped != 0) & ~keep)
    if not lost.size:
        return mode
    floor, side = mode.stop_floor.copy(), np.where(mode.stopped[lost] > 0, 1, 0)
    floor[side, lost] = np.minimum(gap[side, lost], 0.0) - CLEARANCE
    return replace(mode, stopped=np.where(keep, mode.stopped, 0), stop_floor=floor)


def strike(
    model: HybridModel,
    time: float,
    state: np.ndarray,
    mode: ContactMode,
    link: np.ndarray,
    peg: np.ndarray,
    stopped: np.ndarray,
) -> tuple[np.ndarray, ContactMode, np.ndarray]:
    """An impact of these links on these pegs: normal velocities are cancelled, or reversed by restitution.

    `stopped` says which joints are on end stops then; their rates are cancelled. Closed contacts take part. Friction
    obeys Coulomb's law for impulses, with the slip after the impact. The ground's friction is bounded and gives no
    impulse. Returns the state, the mode and the impulses that links felt toward their left [N s].
    """
    at, old = snapshot(model, state), mode.contacts
    place = place_of(model, link, gaps(model, at)[1][link, peg])
    link, peg, place = (np.concatenate(pair) for pair in ((old.link, link), (old.peg, peg), (old.place, place)))
    contacts = Touching(link=link, peg=peg, place=place, slip=np.zeros(len(link), dtype=int))
    mode = only_single(replace(mode, contacts=contacts), contact_rows(model, at, contacts).gap)
    contacts = mode.contacts
    touch, count = contact_rows(model, at, contacts), contacts.count
    mode = replace(mode, stopped=stopped)
    joints = np.flatnonzero(stopped)
    away = stop_rows(model, joints, stopped[joints])
    W = np.concatenate((touch.W_N, touch.W_T, away))
    response = np.linalg.solve(at.terms.mass_matrix, W.T)
    bounce = np.where(touch.gamma_N < -SLOW, model.peg_restitution[contacts.peg] * touch.gamma_N, 0.0)
    laws = ContactLaws(
        normal=np.concatenate((np.arange(count), 2 * count + np.arange(joints.size))),
        friction=np.arange(count, 2 * count),
        friction_of=np.arange(count),
        coefficient=model.peg_friction[contacts.peg],
    )
    before = np.concatenate((touch.gamma_N + bounce, touch.gamma_T, away @ at.q_dot))
    impulse = solve_laws(W @ response, before, laws)
    size = model.n_coordinates
    after = np.concatenate((state[:size], state[size:] + response @ impulse))
    felt = sideways(model, at, contacts, touch, impulse[:count], impulse[count : 2 * count])
    return after, _parted(model, time, after, mode), felt


def _parted(model: HybridModel, time: float, state: np.ndarray, mode: ContactMode) -> ContactMode:
    """The mode after an impact: contacts and stops that it leaves are open, except for hops that are skipped."""
    at, joints = snapshot(model, state), np.flatnonzero(mode.stopped)
    touch, beyond = contact_rows(model, at, mode.contacts), stop_gaps(model, at)
    away = np.concatenate((touch.W_N, stop_rows(model, joints, mode.stopped[joints])))
    bias = np.concatenate((touch.bias_N, np.zeros(joints.size)))
    speed = away @ at.q_dot

    def only(keep: np.ndarray) -> ContactMode:
        on = np.ones(len(mode.stopped), dtype=bool)
        on[joints] = keep[len(touch.gap) :]
        return keep_stops(keep_contacts(mode, keep[: len(touch.gap)], touch.gap), on, beyond)

    stays = speed <= AT_REST
    if stays.all():
        return mode
    pressed_back = -(away @ flow(model, time, *settle(model, time, state, only(stays))).acceleration + bias)
    return only(stays | (speed**2 < 2 * HOP * pressed_back))


def only_single(mode: ContactMode, gap: np.ndarray) -> ContactMode:
    """If a peg touches two links at their common joint, only the rear link has the contact.

    Both have the same end circle there. How they would share the force is undetermined, and with friction it matters.
    """
    contacts = mode.contacts
    fronts = set(
        zip(
            contacts.link[contacts.place == LinkPart.FRONT], contacts.peg[contacts.place == LinkPart.FRONT], strict=True
        )
    )
    behind = zip(contacts.link - 1, contacts.peg, strict=True)
    doubled = (contacts.place == LinkPart.REAR) & np.array([pair in fronts for pair in behind], dtype=bool)
    return keep_contacts(mode, ~doubled, gap)


def settle(model: HybridModel, time: float, state: np.ndarray, mode: ContactMode) -> tuple[np.ndarray, ContactMode]:
    """The mode that the contact laws require, from accelerations of what is at rest.

    Contacts of the mode stay closed or open; contacts and points without slip stick or begin to slip. Slip that is too
    slow to be told from rest is first set to zero.
    """
    mode = sliding_as_moving(model, snapshot(model, state), mode)
    state = _bring_to_rest(model, state, mode)
    at = snapshot(model, state)
    slip, now = mode.contacts.slip, sliding_as_moving(model, at, mode).contacts.slip
    slip = np.where(now == -slip, now, slip)  # what is brought to rest turns slow slip round
    mode = replace(mode, contacts=replace(mode.contacts, slip=slip))
    still = still_rows(model, at, mode)
    response = respond(model, at, mode, still, motor_torque(model, time, at))
    count, stuck = mode.contacts.count, mode.contacts.count + len(still.contacts)
    turned = stuck + 2 * len(still.points) + len(still.links)
    laws = ContactLaws(
        normal=np.concatenate((np.arange(count), turned + np.arange(len(still.joints)))),
        friction=np.arange(count, stuck),
        friction_of=still.contacts,
        coefficient=model.peg_friction[mode.contacts.peg[still.contacts]],
        disc=stuck + 2 * np.arange(len(still.points)),
        disc_bound=model.ground_bound[still.points],
        interval=stuck + 2 * len(still.points) + np.arange(len(still.links)),
        interval_bound=model.spin_bound[still.links],
    )
    A, b = still.J @ response[:, 1:], still.J @ response[:, 0] + still.bias
    force = solve_laws(A, b, laws)
    motion = A @ force + b
    keep = np.ones(len(mode.stopped), dtype=bool)
    keep[still.joints] = motion[turned:] <= NOTICED
    mode = keep_stops(mode, keep, stop_gaps(model, at))
    return state, _read_mode(mode, laws, force, motion, still)


def _read_mode(
    mode: ContactMode, laws: ContactLaws, force: np.ndarray, motion: np.ndarray, still: Still
) -> ContactMode:
    """What sticks, slips or opens, from forces and their accelerations."""
    contacts, points, links = still.contacts, still.points, still.links
    tiny, pairs, count = NOTICED, laws.disc[:, None] + np.arange(2), mode.contacts.count
    now = {name: getattr(mode, name).copy() for name in ("ground", "heading", "spin", "ground_rest", "spin_rest")}
    slip, rest = mode.contacts.slip.copy(), np.zeros((mode.contacts.count, 2))
    slips = np.abs(motion[laws.friction]) > tiny
    slip[contacts[slips]] = signs(motion[laws.friction][slips])
    rest[:, 0], rest[contacts, 1] = force[:count], force[laws.friction]
    spins = np.abs(motion[laws.interval]) > tiny
    now["spin"][links[spins]] = signs(motion[laws.interval][spins])
    now["spin_rest"][links] = force[laws.interval]
    moves = lengths(motion[pairs]) > tiny
    now["ground"][points[moves]] = Grip.ONSET
    now["heading"][points[moves]] = -_unit(force[pairs][moves])
    now["ground_rest"][points] = force[pairs]
    mode = replace(mode, contacts=replace(mode.contacts, slip=slip, rest=rest), **now)
    return keep_contacts(mode, ~(motion[:count] > tiny), still.touch.gap)


def _bring_to_rest(model: HybridModel, state: np.ndarray, mode: ContactMode) -> np.ndarray:
    """The state with the residual velocity of everything at rest removed."""
    at = snapshot(model, state)
    J = still_rows(model, at, mode).J
    if not len(J):
        return state
    response = np.linalg.solve(at.terms.mass_matrix, J.T)
    change = response @ np.linalg.lstsq(J @ response, J @ at.q_dot, rcond=1e-11)[0]
    return np.concatenate((state[: model.n_coordinates], at.q_dot - change))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(lengths(vectors), 1e-300)[..., None]

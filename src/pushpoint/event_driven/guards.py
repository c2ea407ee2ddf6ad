"""The jump set: functions that are positive while a mode may last; the first to fall below zero ends it."""

from __future__ import annotations

import numpy as np

from pushpoint.event_driven.flow import Flow
from pushpoint.event_driven.mode import CLEARANCE, FRONT, ONSET, SIDE, SLIDE, STICK, Mode
from pushpoint.event_driven.model import HybridModel
from pushpoint.event_driven.rows import gaps

REST_SPEED = 1e-6
"""Speed at which a sliding support point is tried for stick [m/s].

From rest to twice this speed the friction of a point keeps the direction in which it began to slide; the direction of
so slow a slip would turn faster than an explicit integrator can follow."""
REVERSAL = 1e-9
"""Speed in the wrong direction at which a slide has come to its end [m/s]."""
SPIN_REVERSAL = 1e-7
"""Likewise the rate of a link that the ground rubs against turning [rad/s].

Larger, because a link at its bound may be kept from turning by its neighbours: its rate is then round-off."""
PULL = 1e-6
"""Force by which a limit must be passed to count [N], or [N m]; above the round-off of forces."""

Guards = dict[str, np.ndarray]


def guards(model: HybridModel, seen: Flow, mode: Mode) -> Guards:
    """Guards by the name of what they announce; infinite where they do not apply.

    impact (n_links, n_pegs); detach, slip, stop, turn (n_contacts,); break, rest, gather, return (n_points,);
    spin, still (n_links,).
    """
    found: Guards = {}
    contacts = mode.contacts
    if model.n_pegs:
        gap, _ = gaps(model, seen.at)
        gap = gap - mode.floor
        gap[contacts.link, contacts.peg] = np.inf
        found["impact"] = gap
    if contacts.count:
        found |= _contact_guards(model, seen, mode)
    if model.ground_bound.any():
        found |= _ground_guards(model, seen, mode)
    if model.spin_bound.any():
        slides, rubbed = mode.spin * seen.at.rate + SPIN_REVERSAL, model.spin_bound > 0.0
        holds = model.spin_bound - np.abs(seen.spin_moment) + PULL
        found["spin"] = np.where(rubbed & (mode.spin == 0), holds, np.inf)
        found["still"] = np.where(rubbed & (mode.spin != 0), slides, np.inf)
    return found


def lowest(found: Guards) -> float:
    """The smallest of all guards."""
    return min((float(values.min()) for values in found.values() if values.size), default=np.inf)


def _contact_guards(model: HybridModel, seen: Flow, mode: Mode) -> Guards:
    contacts = mode.contacts
    mu, sticks = model.peg_friction[contacts.peg], contacts.slip == 0
    holds = mu * seen.normal - np.abs(seen.tangential) + PULL
    slides = contacts.slip * seen.touch.gamma_T + REVERSAL
    ahead = seen.touch.along - model.side[0, contacts.link] + CLEARANCE
    behind = model.side[1, contacts.link] - seen.touch.along + CLEARANCE
    at_end = np.where(contacts.place == FRONT, 2 * CLEARANCE - behind, 2 * CLEARANCE - ahead)
    return {
        "detach": seen.normal + PULL,
        "slip": np.where(sticks, holds, np.inf),
        "stop": np.where(~sticks & (mu > 0.0), slides, np.inf),
        "turn": np.where(contacts.place == SIDE, np.minimum(ahead, behind), at_end),
    }


def _ground_guards(model: HybridModel, seen: Flow, mode: Mode) -> Guards:
    rubbed = model.ground_bound > 0.0
    speed = np.sqrt(np.vecdot(seen.point_velocity, seen.point_velocity))
    force = np.sqrt(np.vecdot(seen.ground_force, seen.ground_force))
    forward = np.vecdot(seen.point_velocity, mode.heading) + REST_SPEED / 2
    return {
        "break": np.where(rubbed & (mode.ground == STICK), model.ground_bound - force + PULL, np.inf),
        "rest": np.where(rubbed & (mode.ground == SLIDE), speed - REST_SPEED, np.inf),
        "gather": np.where(rubbed & (mode.ground == ONSET), 2 * REST_SPEED - speed, np.inf),
        "return": np.where(rubbed & (mode.ground == ONSET), forward, np.inf),
    }

"""How long one force mapping takes: building the quadratic program from a state, and solving it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pushpoint.bench.timing import alternate, timed
from pushpoint.mapping.force_mapping import build_force_mapping
from pushpoint.mapping.limits import MappingBounds
from pushpoint.mapping.solution import solve_force_mapping
from pushpoint.mapping.wishes import MotionReference, MotionWish, tracking_wish
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.robot import ReducedRobot, ReducedState, reduce_robot
from pushpoint.reduced.smooth import GroundFriction

SIZES = (20, 60)
"""Numbers of links."""
CONTACTS = 5
PERIOD = 9.0
"""Links in one wave of the robot's shape."""
PAPER_SECONDS = 0.1
"""Holden2014, VIII: the time of its one example, in MATLAB [s]."""


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Median times of building, solving, and both; quick: fewer repeats."""
    repeats = 200 if quick else 2000
    return {"contacts": CONTACTS, "repeats": repeats, **{f"links_{n}": _times(n, repeats) for n in SIZES}}


def _times(n_links: int, repeats: int) -> dict[str, Any]:
    robot = reduce_robot(PlanarRobot.uniform(n_links, PlanarLink(length=0.085, mass=1.0, inertia=1e-3, radius=0.03)))
    ground = GroundFriction(coefficient=0.3, spin_viscous=0.01)
    state, contacts, wish = _instant(robot)
    bounds = MappingBounds(torque_limit=4.5 * (n_links / 20) ** 2)
    problem = build_force_mapping(robot, ground, state, contacts, wish, bounds)
    result = solve_force_mapping(problem)
    build, solve, both = alternate(
        repeats,
        timed(lambda: build_force_mapping(robot, ground, state, contacts, wish, bounds)),
        timed(lambda: solve_force_mapping(problem)),
        timed(lambda: solve_force_mapping(build_force_mapping(robot, ground, state, contacts, wish, bounds))),
    )
    return {
        "build_ms": build * 1e3,
        "solve_ms": solve * 1e3,
        "build_and_solve_ms": both * 1e3,
        "paper_over_ours": PAPER_SECONDS / both,
        "iterations": result.iterations,
        "feasible": result.feasible,
    }


def _instant(robot: ReducedRobot) -> tuple[ReducedState, Contacts, MotionWish]:
    """A wave that slides along itself, touched at its flanks, and the wish to continue; as in Holden2014, Table II."""
    n = robot.n_links
    phase = 2 * math.pi * np.arange(n) / PERIOD
    state = ReducedState(
        center=np.zeros(2), velocity=np.array([0.15, 0.0]), link_angle=np.cos(phase), link_rate=np.sin(phase)
    )
    half_waves = np.linspace(0, int(2 * (n - 2) / PERIOD), CONTACTS).round()
    touched = (half_waves * PERIOD / 2).round().astype(int)
    side = -np.sign(state.link_angle[touched])  # pushes forward
    contacts = Contacts(link=touched, side=side, surface=0.03, standoff=0.05, friction=0.3)
    links = np.unique(np.concatenate((touched, touched + 1)))
    reference = MotionReference(center=np.array([0.2, 0.0]), links=links, link_angle=state.link_angle[links])
    return state, contacts, tracking_wish(state, reference)

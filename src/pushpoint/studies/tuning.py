"""The tuning study: the continuous and the hybrid controller, searched alike on random courses of seeds 0 to 99.

The score of a trial is how far the head comes at most, over the way that counts as a pass, 0 to 1: it tells apart
parameters that pass equally often. Ranges hold the paper's values and as much room beyond as made sense.

Two bounds of the continuous controller are demands and not room. Its wave stays within the joints' limits: larger ones,
cut at the limits, push their own way through, whatever the reflex does. And it must not swim: a wave alone gets along
on ground of isotropic friction, forward if it is long and backward if it is short. A controller is to be carried by the
obstacles, so that a set which gets away from where it was on bare ground scores nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.papers.liljeback2011.places import course, random_trials
from pushpoint.papers.liljeback2011.trials import PASSED, STEP
from pushpoint.simulation.simulate import simulate
from pushpoint.studies.parameter_search import Found, Parameters, Range, Score, SearchPlan, search
from pushpoint.studies.touch.controllers import hybrid
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

MOST_WORLDS = 400
"""Worlds simulated together [-]."""
SAMPLES = Record(rate=2.0, variables=("link_position",))
"""Often enough to see how far the head comes."""

MOST_DRIFT, DRIFT_TIME = 0.1, 60.0
"""How far the centre of mass may get on bare ground [m], and in which time [s]."""

RANGES: dict[str, dict[str, Range]] = {
    "continuous": {
        "amplitude": Range(low=0.6, high=0.785),
        "phase_shift": Range(low=0.58, high=0.72),
        "speed": Range(low=0.05, high=0.3, logarithmic=True),
        "gain": Range(low=0.05, high=2.0, logarithmic=True),
        "reflex_limit": Range(low=0.8, high=2.5),
        "head_share": Range(low=0.0, high=0.8),
        "heading_gain": Range(low=0.0, high=0.4),
        "head_angle": Range(low=0.4, high=1.2),
        "swing": Range(low=0.06, high=0.25),
        "longest_travel": Range(low=0.4, high=2.0),
    },
    "hybrid": {
        "speed": Range(low=0.02, high=0.3, logarithmic=True),
        "head_angle": Range(low=0.4, high=1.2),
        "swing": Range(low=0.06, high=0.25),
        "gain": Range(low=0.01, high=2.0, logarithmic=True),
        "jam_angle": Range(low=0.1, high=0.7, logarithmic=True),
        "jam_time": Range(low=0.1, high=2.0, logarithmic=True),
        "resolution_time": Range(low=0.1, high=3.0, logarithmic=True),
    },
}
"""What is tuned of each controller."""
BUILD: dict[str, Callable[..., Any]] = {"continuous": ContinuousResolution, "hybrid": hybrid}


@cache
def _course(seed: int) -> World:
    return random_trials([seed], None)[0]


def progress(controllers: Sequence[Any], seeds: Sequence[int], duration: float) -> np.ndarray:
    """Largest head way of every trial [m], shape (n_controllers, n_seeds)."""
    worlds = [replace(_course(seed), controller=control) for control in controllers for seed in seeds]
    settings = replace(STEP, on_failure="record")
    parts = []
    for first in range(0, len(worlds), MOST_WORLDS):
        run = simulate(worlds[first : first + MOST_WORLDS], duration=duration, settings=settings, record=SAMPLES)
        head = run.link_position.sel(axis="x").isel(link=-1).values
        parts.append(np.nanmax(head - head[:, :1], axis=1))
    return np.concatenate(parts).reshape(len(controllers), len(seeds))


def drift(controllers: Sequence[Any]) -> np.ndarray:
    """How far each gets on bare ground [m], shape (n_controllers,)."""
    bare = replace(_course(0), environment=course(()))
    record = Record(rate=2.0, variables=("center_of_mass",))
    worlds = [replace(bare, controller=control) for control in controllers]
    center = simulate(worlds, duration=DRIFT_TIME, settings=STEP, record=record).center_of_mass.values
    return np.asarray(np.linalg.norm(center[:, -1] - center[:, 0], axis=1))


def score_of(build: Callable[..., Any], told: Callable[[str], None], *, may_swim: bool) -> Score:
    """The score that the search asks for."""

    def score(sets: Sequence[Parameters], seeds: Sequence[int], duration: float) -> np.ndarray:
        controllers = [build(**each) for each in sets]
        carried = np.ones(len(sets), dtype=bool) if may_swim else drift(controllers) <= MOST_DRIFT
        way = progress(controllers, seeds, duration)
        found = (way.clip(0.0, PASSED) / PASSED).mean(axis=1) * carried
        passed = (way > PASSED).mean(axis=1) * carried
        told(
            f"{len(sets)} sets, {carried.sum()} of them allowed; {len(seeds)} courses, {duration:g} s: "
            f"best {found.max():.3f}, passed at most {passed.max():.2f}"
        )
        return np.asarray(found)

    return score


PLAN = SearchPlan()
"""The same for both."""


def tune(name: str, plan: SearchPlan = PLAN, seed: int = 7, told: Callable[[str], None] = print) -> Found:
    """The best parameters of `continuous` or `hybrid`."""
    return search(RANGES[name], score_of(BUILD[name], told, may_swim=name != "continuous"), plan, seed)

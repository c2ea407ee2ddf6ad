"""Random spatial worlds that bounce or are driven hard, each with an account of what contacts did to its energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.bench.random_worlds import RandomWorld, random_case
from pushpoint.errors import StartOverlap
from pushpoint.simulation.health import Health
from pushpoint.simulation.simulate import Rollout
from pushpoint.worlds.world import Experiment


def bouncing(seed: int) -> RandomWorld:
    """The world of a seed, thrown from up to 0.3 m above at up to 2 m/s; all that it meets gives back 0.2 to 1."""
    case = random_case(seed)
    random = np.random.default_rng((seed, 1))
    share = float(random.uniform(0.2, 1.0))
    environment = case.world.environment
    obstacles: Any = [replace(each, restitution=share) for each in environment.obstacles]  # type: ignore[type-var]
    course = pp.Environment(ground=replace(environment.ground, restitution=share), obstacles=obstacles)
    start: Any = case.world.start
    above = np.array(start.position) + np.array((0.0, 0.0, random.uniform(0.0, 0.3)))
    start = replace(start, position=above, velocity=random.uniform(-2.0, 2.0, 3))
    return replace(case, world=replace(case.world, environment=course, start=start))


def imposed(seed: int) -> RandomWorld:
    """The world of a seed, its gait prescribed, lying where it finds room in the gait's first posture."""
    case = random_case(seed)
    random = np.random.default_rng((seed, 2))
    gait: Any = replace(case.world.controller, prescribed=True)
    first: Any = case.world.start
    for _ in range(20):
        start = pp.SpatialStart(orientation=first.orientation, position=random.uniform(-1.0, 1.0, 2))
        world = replace(case.world, controller=gait, start=start)
        try:
            center = world.pose()["center"]
        except StartOverlap:
            continue
        return replace(case, world=replace(world, start=replace(start, position=(*center[:2], center[2] + 0.01))))
    raise RuntimeError("no room in twenty tries")


def audited(cases: Sequence[RandomWorld], duration: float) -> list[tuple[RandomWorld, pp.Status, Health]]:
    """All cases run, those with one robot and time step together; how they ended and what their steps came to."""
    groups: dict[tuple[int, float], list[RandomWorld]] = {}
    for case in cases:
        groups.setdefault((case.robot, case.dt), []).append(case)
    found: list[tuple[RandomWorld, pp.Status, Health]] = []
    for (_, dt), members in groups.items():
        worlds = tuple(case.world for case in members)
        rollout = Rollout(Experiment(worlds, duration, pp.Settings(dt=dt, on_failure="record"), pp.Record(rate=50.0)))
        while not rollout.finished:
            rollout.advance()
        found += zip(members, rollout.statuses(), rollout.health(), strict=True)
    return found

"""Thousands of random spatial worlds, and how the engine fares in them: numbers, overlap, unconverged steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from os import cpu_count
from typing import Any

import numpy as np

from pushpoint.bench.random_cases import RandomWorld, random_case
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of, turned
from pushpoint.simulation.rollout import Rollout
from pushpoint.worlds.experiment import Experiment
from pushpoint.worlds.record import Record

DURATION = 2.0
"""Simulated time of every world [s]."""
ALLOWED_OVERLAP = 1e-3
"""Overlap beyond what one step of the fastest motion can make [m]."""
ALLOWED_UNCONVERGED = 0.002
"""Share of all steps that may end unconverged [-]."""
SAMPLES_AT_ONCE = 160_000
"""Samples that one batch may hold, all worlds together [-]: one or two gigabytes."""
LOOKED_AT_ONCE = 50
"""Samples whose surface speed is worked out together [-]."""
MOST_AT_ONCE = 40
"""Worlds in one batch [-]."""
WORTH_HELP = 100
"""Fewer worlds than this are made without other processes, which take a second to start [-]."""


@dataclass(frozen=True, kw_only=True)
class WorldOutcome:
    """How one world fared."""

    seed: int
    """Its seed."""
    terrain: str
    """One of TERRAINS."""
    robot: str
    """Name of the robot."""
    gait: str
    """Kind of the gait."""
    dt: float
    """Time step [s]."""
    status: str
    """"finished", or why it ended early."""
    steps: int
    """Steps done [-]."""
    finite: bool
    """Whether all that was recorded is a number."""
    unconverged: int
    """Steps that ended unconverged [-]."""
    penetration: float
    """Deepest overlap of a link with ground or obstacle [m]."""
    allowed: float
    """What the fastest point of a link moves in one step, and ALLOWED_OVERLAP [m]."""

    @property
    def too_deep(self) -> bool:
        """Whether the overlap is larger than allowed."""
        return not self.penetration <= self.allowed

    @property
    def failed(self) -> bool:
        """Whether the world ended early, left the numbers or went too deep."""
        return self.status != "finished" or not self.finite or self.too_deep


def run_cases(cases: Sequence[RandomWorld], duration: float = DURATION) -> list[WorldOutcome]:
    """Runs cases that share a robot and a time step as one batch."""
    dt = cases[0].dt
    every_step = Record(rate=1.0 / dt)  # the fastest motion lasts but a few
    worlds = tuple(case.world for case in cases)
    rollout = Rollout(Experiment(worlds, duration, Settings(dt=dt, on_failure="record"), every_step))
    while not rollout.finished:
        rollout.advance()
    samples = rollout.stepper.samples()
    outcomes = []
    ends = zip(rollout.statuses(), rollout.stepper.state().step.tolist(), strict=True)
    for w, (case, (status, steps)) in enumerate(zip(cases, ends, strict=True)):
        one = {name: values[w, : steps + 1] for name, values in samples.items() if name != "load_on"}
        outcomes.append(
            WorldOutcome(
                seed=case.seed,
                terrain=case.terrain,
                robot=case.world.robot.name,
                gait=type(case.world.controller).__name__,
                dt=dt,
                status="finished" if status is Status.FINISHED else status.name.lower(),
                steps=steps,
                finite=all(np.isfinite(one[name]).all() for name in ("center", "tail", "angle", "v", "omega")),
                unconverged=int(one["unconverged"][-1]),
                penetration=float(one["penetration"].max()),
                allowed=_fastest(case.world.robot, one) * dt + ALLOWED_OVERLAP,
            )
        )
    return outcomes


def _fastest(robot: Any, samples: dict[str, np.ndarray]) -> float:
    """The largest surface speed of a run [m/s]; only samples that may hold it are looked at closely."""
    reach = np.array([max(np.linalg.norm(s.position) + s.radius for s in link.spheres) for link in robot.links])
    reach = reach + np.abs(robot.column("mass_offset"))
    turning = np.linalg.norm(samples["omega"], axis=-1) * reach
    at_most = (np.linalg.norm(samples["v"], axis=-1) + turning).max(axis=1)
    order, found = np.argsort(-at_most), 0.0
    for first in range(0, len(order), LOOKED_AT_ONCE):
        rows = order[first : first + LOOKED_AT_ONCE]
        if not at_most[rows[0]] > found:
            break
        _places, frames = link_poses(robot, *(samples[name][rows] for name in ("center", "tail", "angle")))
        omega = turned(frames, samples["omega"][rows])
        found = max(found, float(surface_speed(robot, frames, samples["v"][rows], omega).max()))
    return found


def surface_speed(robot: Any, orientation: np.ndarray, velocity: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Speed of the fastest point of every link's surface [m/s], shape (..., n_links).

    Links are hulls of spheres, so the fastest point lies on one: of the points around a centre that moves at v, the
    fastest has sqrt(v_along^2 + (v_across + |omega| r)^2), along and across omega.
    """
    R = rotation_of(orientation)
    spin = np.linalg.norm(omega, axis=-1)
    axis = omega / np.maximum(spin, 1e-300)[..., None]
    fastest = np.zeros(spin.shape)
    for i, link in enumerate(robot.links):
        for sphere in link.spheres:
            arm = R[..., i, :, :] @ (np.array(sphere.position) - np.array([link.mass_offset, 0.0, 0.0]))
            v = velocity[..., i, :] + np.cross(omega[..., i, :], arm)
            along = (v * axis[..., i, :]).sum(axis=-1)
            across = np.linalg.norm(v - along[..., None] * axis[..., i, :], axis=-1)
            fastest[..., i] = np.maximum(fastest[..., i], np.hypot(along, across + spin[..., i] * sphere.radius))
    return fastest


def random_cases(seeds: Sequence[int]) -> Iterator[RandomWorld]:
    """The worlds of some seeds, in order; many of them are made on all cores."""
    if len(seeds) < WORTH_HELP:
        yield from map(random_case, seeds)
        return
    # New processes: a copy of one that has threads may hang.
    pool = ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn"))
    try:
        yield from pool.map(random_case, seeds, chunksize=10)
    finally:
        pool.shutdown(cancel_futures=True)


def _batch_size(dt: float) -> int:
    return max(1, min(MOST_AT_ONCE, int(SAMPLES_AT_ONCE * dt / DURATION)))


def report(first_seed: int, count: int, *, progress: Callable[[int], None] = lambda done: None) -> dict[str, Any]:
    """Runs the worlds of `count` seeds and sums up; `progress` is told how many are done."""
    groups: dict[tuple[int, float], list[RandomWorld]] = {}
    outcomes: list[WorldOutcome] = []

    def run(members: list[RandomWorld]) -> None:
        outcomes.extend(run_cases(members))
        members.clear()
        progress(len(outcomes))

    for case in random_cases(range(first_seed, first_seed + count)):
        members = groups.setdefault((case.robot, case.dt), [])
        members.append(case)
        if len(members) == _batch_size(case.dt):
            run(members)
    for members in groups.values():
        if members:
            run(members)
    return summed_up(first_seed, outcomes)


def summed_up(first_seed: int, outcomes: Sequence[WorldOutcome]) -> dict[str, Any]:
    """The figures of many worlds; `passed` says whether they keep the bounds, `failures` which worlds do not."""
    steps = sum(outcome.steps for outcome in outcomes)
    share = sum(outcome.unconverged for outcome in outcomes) / steps
    counts = {
        "not_finite": sum(not outcome.finite for outcome in outcomes),
        "too_deep": sum(outcome.too_deep for outcome in outcomes),
        "ended_early": sum(outcome.status != "finished" for outcome in outcomes),
    }
    uncertain = sorted((o for o in outcomes if o.unconverged), key=lambda o: (-o.unconverged / o.steps, o.seed))
    return {
        "first_seed": first_seed,
        "worlds": len(outcomes),
        "steps": steps,
        **counts,
        "deepest_m": max(outcome.penetration for outcome in outcomes),
        "deepest_over_allowed": max(outcome.penetration / outcome.allowed for outcome in outcomes),
        "unconverged_share": share,
        "worlds_with_unconverged_steps": len(uncertain),
        "worlds_above_allowed_share": sum(o.unconverged > ALLOWED_UNCONVERGED * o.steps for o in uncertain),
        "passed": not counts["not_finite"] and not counts["too_deep"] and share < ALLOWED_UNCONVERGED,
        "unconverged": [{"seed": o.seed, "steps": o.unconverged, "of": o.steps} for o in uncertain],
        "failures": [asdict(o) for o in sorted(outcomes, key=lambda o: o.seed) if o.failed],
    }

"""How fast the spatial engine is: compared with MuJoCo, and with more links, terrain and worlds.

The gaits are those of Transeth2008b. It also tries time steps of 2 and 4 ms, with the paper's gains. The paper leaves
rolling friction open. Our scenario has it and MuJoCo's does not, which saves MuJoCo work and makes no difference in
these gaits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pushpoint.bench.courses import of_links
from pushpoint.bench.mujoco import MujocoPeer, references_of
from pushpoint.bench.mujoco.spatial import PRESETS, SpatialJob
from pushpoint.bench.timing import batch_over_single_runs, beside_mujoco, new_rollout, step_times
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.papers.registry import scenario
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.record import Record


class TimedGait(NamedTuple):
    """A gait that both engines run."""

    scenario: str
    """Its name in the registry."""
    axis: str
    """The axis along which it travels."""
    travel: tuple[float, float]
    """Smallest and largest distance of the paper's link 6 along it in 15 s, in a correct implementation [m]."""


CASES = {
    "sidewinding": TimedGait("transeth2008b/sidewinding", "y", (1.275, 1.335)),
    "lateral_undulation": TimedGait("transeth2008b/lateral-undulation-orthotropic", "x", (1.70, 1.86)),
}
STEPS = {"dt_1_ms": 1e-3, "dt_0.25_ms": 2.5e-4}
"""Time steps of the comparison [s]."""
LARGE_STEPS = {"dt_2_ms": 2e-3, "dt_4_ms": 4e-3}
"""Time steps that must stay stable [s]."""
STATES_ONLY = Record(variables=("link_position", "link_orientation", "center_of_mass"))
"""MuJoCo's loop keeps states only."""
EXTENT, WAVELENGTH, SWELL = 9.0, 4.0, 0.02
"""Side of the small height field, length and height of its waves [m]: gentle, and the robot stays on it."""


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """All numbers of the spatial benchmark; quick: fewer repeats and shorter runs, for a first impression."""
    repeats, duration, n_worlds = (1, 2.0, 32) if quick else (5, 9.0, 256)
    figures: dict[str, Any] = {"simulated_s": duration, "repeats": repeats}
    for name, case in CASES.items():
        figures[name] = {}
        for step, dt in STEPS.items():
            base = scenario(case.scenario).with_changes(duration=duration, dt=dt)
            peers = {preset: MujocoPeer(spatial_job(base), preset) for preset in PRESETS}
            figures[name][step] = beside_mujoco(base, peers, repeats, STATES_ONLY, axis=case.axis)
            figures[name][step] |= {"share_without_rolling": _share_without_rolling(base, repeats)}
    figures["stable"] = {
        name: {step: _large_step(case, dt) for step, dt in LARGE_STEPS.items()} for name, case in CASES.items()
    }
    return figures | _growth(3 if quick else 9, n_worlds)


def _without_rolling(environment: Environment) -> Environment:
    return replace(environment, ground=replace(environment.ground, rolling=0.0))


def _share_without_rolling(base: Scenario, repeats: int) -> float:
    """Time of our run with exactly the friction that MuJoCo's has, relative to that with rolling friction [-]."""
    bare = base.with_changes(environment=_without_rolling(base.world.environment))
    usual, without = step_times(repeats, STATES_ONLY, base, bare)
    return without / usual


def spatial_job(base: Scenario) -> SpatialJob:
    """A scenario of a spatial robot on flat ground as a job for MuJoCo."""
    assert isinstance(base.world.robot, SpatialRobot)
    pose = base.world.pose()
    return SpatialJob(
        robot=base.world.robot,
        environment=_without_rolling(base.world.environment),
        center_of_mass=pose["center"],
        tail_orientation=pose["tail"],
        joint_angle=pose["angle"],
        **references_of(base),
    )


def _large_step(case: TimedGait, dt: float) -> dict[str, Any]:
    """Whether 15 s with a large step end well, and how far the middle link gets."""
    base = scenario(case.scenario).with_changes(duration=15.0, dt=dt)
    rollout = new_rollout(base, STATES_ONLY)
    while not rollout.finished:
        rollout.advance()
    run = rollout.dataset()
    path = run.link_position.isel(link=base.world.robot.n_links // 2).sel(axis=case.axis)
    travel = float(path[-1] - path[0])
    finite = bool(rollout.failure() is None and np.isfinite(run.link_position).all())
    return {"finite": finite, "travel_m": travel, "in_range": finite and case.travel[0] <= travel <= case.travel[1]}


def _growth(repeats: int, n_worlds: int) -> dict[str, Any]:
    """How the time of a step grows: 11 to 88 links, a large or a fine height field, many worlds at once.

    Undulation shows the cost of the links alone. In sidewinding, longer robots also have more links on the ground at a
    time, and the solver needs more iterations.
    """
    gaits = {name: scenario(case.scenario).with_changes(duration=2.0) for name, case in CASES.items()}
    side, wave = gaits["sidewinding"], gaits["lateral_undulation"]
    chains = [of_links(gait, n_links) for gait in (wave, side) for n_links in (11, 88)]
    fields = [_on_waves(side, *field) for field in ((10, EXTENT / 9), (1000, EXTENT / 9), (1000, EXTENT / 999))]
    few, many, few_lifted, many_lifted, small, wide, fine = step_times(repeats, STATES_ONLY, *chains, *fields)
    return {
        "time_88_links_over_11": many / few,
        "time_88_links_over_11_sidewinding": many_lifted / few_lifted,
        "time_1000x1000_field_over_10x10_same_spacing": wide / small,
        "time_1000x1000_field_over_10x10_same_extent": fine / small,
        "worlds": n_worlds,
        "time_batch_over_single_runs": batch_over_single_runs(side, STATES_ONLY, n_worlds, min(repeats, 5)),
    }


def _on_waves(base: Scenario, count: int, spacing: float) -> Scenario:
    """The same scenario on gentle waves, count x count grid points around the origin."""
    rim = -(count - 1) / 2 * spacing
    place = rim + spacing * np.arange(count)
    swell = SWELL * np.sin(2 * np.pi * place / WAVELENGTH)
    heights = HeightField(heights=swell[:, None] + swell, spacing=spacing, origin=(rim, rim))
    ground = replace(base.world.environment.ground, heights=heights)
    return base.with_changes(environment=replace(base.world.environment, ground=ground))

"""Times runs against each other and against MuJoCo.

The machine may be shared and noisy. The rivals therefore alternate in one process, times are processor times (waiting
for other processes does not count; each rival runs on one thread), and results are medians and their ratios.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

import xarray as xr

from pushpoint.bench.mujoco import MujocoPeer
from pushpoint.scenarios.scenario import Scenario
from pushpoint.simulation.rollout import Rollout
from pushpoint.simulation.simulate import finish
from pushpoint.worlds.record import Record


def alternate(repeats: int, *rivals: Callable[[], float]) -> list[float]:
    """Median time of each rival, one after the other in every round [s]; the first round warms up and is dropped."""
    rounds = [[rival() for rival in rivals] for _ in range(repeats + 1)][1:]
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def timed(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> Callable[[], float]:
    """A rival that does some work and returns how long it took by a clock [s]."""

    def rival() -> float:
        begin = clock()
        work()
        return clock() - begin

    return rival


def new_rollout(base: Scenario, record: Record, *, worlds: int = 1) -> Rollout:
    """The scenario's run, ready to start, possibly in several copies."""
    repeated = base.experiment._replace(worlds=(base.world,) * worlds, record=record)
    return Rollout(repeated, batched=worlds > 1)


def step_time(
    base: Scenario, record: Record, *, worlds: int = 1, clock: Callable[[], float] = time.process_time
) -> float:
    """Time of the steps of a run by a clock, without packing and the Dataset [s]."""
    rollout = new_rollout(base, record, worlds=worlds)
    begin = clock()
    while not rollout.finished:
        rollout.advance()
    return clock() - begin


def step_times(repeats: int, record: Record, *scenarios: Scenario) -> list[float]:
    """Median processor time of the steps of each scenario, in alternation [s]."""
    return alternate(repeats, *(lambda base=base: step_time(base, record) for base in scenarios))


def batch_over_single_runs(base: Scenario, record: Record, n_worlds: int, repeats: int) -> float:
    """Wall time of many worlds in one batch, on all cores, relative to as many single runs [-]."""
    wall = time.perf_counter
    single, batch = alternate(
        repeats,
        lambda: sum(step_time(base, record, clock=wall) for _ in range(n_worlds)),
        lambda: step_time(base, record, worlds=n_worlds, clock=wall),
    )
    return batch / single


def beside_mujoco(
    base: Scenario, peers: Mapping[str, MujocoPeer], repeats: int, record: Record, *, axis: str = "x"
) -> dict[str, float]:
    """Time per step, ratios and mean speeds along an axis, for pushpoint and MuJoCo's presets."""
    steps = round(base.duration / base.settings.dt)
    named = {"mujoco" if preset == "default" else f"mujoco_{preset}": peer for preset, peer in peers.items()}
    rivals = [lambda peer=peer: peer.run(steps).seconds for peer in named.values()]
    ours, *theirs = alternate(repeats, lambda: step_time(base, record), *rivals)
    times = dict(zip(named, theirs, strict=True))
    speeds = {name: float(peer.run(steps).mean_velocity["xyz".index(axis)]) for name, peer in named.items()}
    return {
        "us_per_step": ours / steps * 1e6,
        **{f"{name}_us_per_step": seconds / steps * 1e6 for name, seconds in times.items()},
        **{f"ratio_to_{name}": seconds / ours for name, seconds in times.items()},
        "mean_speed_m_per_s": _mean_speed(finish(new_rollout(base, record)), base, axis),
        **{f"{name}_mean_speed_m_per_s": speed for name, speed in speeds.items()},
    }


def _mean_speed(run: xr.Dataset, base: Scenario, axis: str) -> float:
    """Mean speed of the centre of mass over whole gait periods from the start, or over the run [m/s]."""
    whole = max(1, int(base.duration // base.world.controller.period)) * base.world.controller.period
    end = min(whole, base.duration)
    along = run.center_of_mass.sel(axis=axis)
    return float(along.sel(time=end, method="nearest") - along[0]) / end

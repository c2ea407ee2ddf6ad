"""Worlds survive the way through a file and through a run: 1,000 random ones, and every scenario of the package."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from campaigns.random_worlds import random_world
from pushpoint.papers.registry import scenario_names, sweep_names

WORLDS = 1000
SHARES = 20


def same(one: Any, other: Any) -> bool:
    """Whether two objects hold the same, to the last bit; arrays and objects that compare by identity included."""
    if dataclasses.is_dataclass(one) and type(one) is type(other):
        names = [field.name for field in dataclasses.fields(one) if field.compare]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=True)
    if isinstance(one, tuple | list):
        return isinstance(other, tuple | list) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def test_same_can_fail() -> None:
    peg = pp.Peg(x=0.1, y=0.2, radius=0.3)
    assert same(peg, pp.Peg(x=0.1, y=0.2, radius=0.3))
    assert not same(peg, pp.Peg(x=np.nextafter(0.1, 1), y=0.2, radius=0.3))
    assert not same([np.zeros(2)], [np.zeros(3)]) and not same(1, 1.0) and not same(peg, None)


def through_a_run(scenario: pp.Scenario) -> pp.Scenario:
    """What `scenario_of` makes of a run of a scenario that was saved and loaded."""
    return pp.scenario_of(scenario.run())


@pytest.mark.parametrize("share", range(SHARES))
def test_random_worlds_come_back_from_files(tmp_path: Path, share: int) -> None:
    for seed in range(share, WORLDS, SHARES):
        world = random_world(seed)
        file = pp.write_scenario(world, tmp_path / "world.yaml", duration=0.5)
        assert same(pp.scenario(str(file)).world, world), f"seed {seed}"


RUNS = 120
"""Of these worlds the runs are repeated from what they say of themselves."""


MORE_SHARES = [pytest.param(each, marks=pytest.mark.slow) for each in range(2, 6)]  # eight seconds each


@pytest.mark.parametrize("share", [0, 1, *MORE_SHARES])
def test_random_runs_are_repeated_bit_for_bit(tmp_path: Path, share: int) -> None:
    step = pp.Settings(dt=1 / 600, on_failure="record")
    for seed in range(share, RUNS, 6):
        world = random_world(seed)
        run = pp.simulate(world, 0.1, settings=step, record=pp.Record(rate=60.0))
        pp.save(run, tmp_path / "run.nc")
        loaded = pp.load(tmp_path / "run.nc")
        assert same(pp.world_of(loaded), world), f"seed {seed}"
        again = pp.scenario_of(loaded).run()
        assert equal(run, again), f"seed {seed}"


def equal(run: Any, other: Any) -> bool:
    """Whether two runs have the same variables, bit for bit."""
    variables = run.data_vars.keys() == other.data_vars.keys()
    return variables and all(np.array_equal(run[name], other[name], equal_nan=True) for name in run.data_vars)


@pytest.mark.parametrize("name", scenario_names())
def test_scenarios_come_back_from_files_and_runs(tmp_path: Path, name: str) -> None:
    whole = pp.scenario(name)
    scenario = dataclasses.replace(whole, worlds=whole.world, duration=4 * whole.settings.dt, claims=())
    run = scenario.run()
    again = pp.scenario_of(run)
    assert equal(run, again.run())
    assert same(again, scenario)
    file = pp.write_scenario(scenario, tmp_path / "scenario.yaml")
    assert same(pp.scenario(str(file)), scenario)


@pytest.mark.parametrize("name", sweep_names())
def test_sweeps_come_back_from_runs(name: str) -> None:
    whole = pp.scenario(name)
    short = dataclasses.replace(whole, duration=4 * whole.settings.dt, claims=())
    run = short.run()
    again = pp.scenario_of(run)
    assert same(again.worlds, short.worlds)
    assert equal(run, again.run())

"""A recording with edits, given to `pushpoint run`, is repeated bit for bit, whatever drives the robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.cli.main import main

Change = Callable[[Any], Any]
RECORDED: dict[str, Change] = {
    "transeth2008a/obstacle-aided": lambda gait: replace(gait, amplitude=0.6, angular_frequency=1.9),
    "transeth2008b/sidewinding": lambda gait: replace(gait, yaw_amplitude=0.5),
    "liljeback2011/environment-1": lambda hybrid: replace(hybrid, gain=0.5 * hybrid.gain),
    "liljeback2011/environment-2-continuous": lambda controller: replace(controller, swing=0.1),
    "holden2014/closed-loop": lambda mapping: replace(mapping, speed=0.04),
    "liljeback2014/sidewinding-closed-loop": lambda follower: replace(
        follower, motion=replace(follower.motion, speed=0.2)
    ),
    "touch": lambda policy: replace(policy, speed=0.5 * policy.speed),
}
"""Scenarios, and another controller of the same kind, which must take over the memory of the one before."""


def begun(name: str) -> pp.Scenario:
    if name != "touch":
        return pp.scenario(name)
    scenario = pp.scenario("liljeback2011/environment-1")
    return replace(scenario, worlds=replace(scenario.world, controller=pp.control.TouchPolicy()))


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_is_repeated_by_the_command_line(name: str, tmp_path: Path) -> None:
    scenario, random = begun(name), np.random.default_rng(1)
    with pp.Live(scenario.world, settings=scenario.settings, record=scenario.record, name="session") as live:
        live.advance(61)
        live.change(controller=RECORDED[name](live.world.controller), over=0.05)
        live.advance(43)
        live.push(1, random.normal(0.0, 1.0, 3 if live.world.spatial else 2).tolist(), duration=0.02)
        place = live.world.environment
        live.change(environment=replace(place, obstacles=[*place.obstacles, pp.Peg(x=9.0, y=9.0, radius=0.1)]))
        live.advance(77)
        run = live.dataset()
    pp.write_scenario(pp.scenario_of(run), tmp_path / "session.yaml")
    assert main(["run", str(tmp_path / "session.yaml"), "--no-media", "--out", str(tmp_path / "out")]) == 0
    (written,) = (tmp_path / "out").rglob("run.nc")
    with pp.load(written) as again:
        assert set(again.variables) == set(run.variables)
        for variable in run.variables:
            assert again[variable].values.tobytes() == run[variable].values.tobytes(), variable

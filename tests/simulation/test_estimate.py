"""What a run takes is known before, and what is too much is refused before anything of it is made."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import warp as wp

import pushpoint as pp
from oracles.course import course
from pushpoint.engine import memory, sizes
from pushpoint.engine.sizes import LARGEST_INDEX, sizes_of
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import PushpointError, TooLarge
from pushpoint.simulation import estimate as estimates
from pushpoint.simulation.sampled import wanted_samples
from pushpoint.worlds.variables import VARIABLES

PLANAR = course(obstacles=True)
SPATIAL = pp.scenario("transeth2008b/sidewinding").world
COILED = replace(SPATIAL, robot=replace(SPATIAL.robot, self_contact=True))
WORLDS = {"planar": PLANAR, "flat": course(obstacles=False), "spatial": SPATIAL, "self-contact": COILED}


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of 10 GB, of which a run may take 8."""
    monkeypatch.setattr(memory, "available_memory", lambda: 10_000_000_000)


ABSURD: dict[str, tuple[Callable[[], Any], str]] = {
    "a thousand million seconds": (
        lambda: pp.simulate(PLANAR, 1e9),
        r"duration = 1000000000.0, must be at most 2.14748e\+06 s, 2147483647 time steps of 0.001 s",
    ),
    "1e300 seconds": (lambda: pp.simulate(PLANAR, 1e300), r"duration = 1e\+300, must be in \[1e-09, 1e\+12\] \[s\]"),
    "infinitely many steps": (
        lambda: pp.simulate(PLANAR, 1e12, settings=pp.Settings(dt=1e-9)),
        r"duration = 1000000000000.0, must be at most 2.14748 s, 2147483647 time steps of 1e-09 s",
    ),
    "samples": (
        lambda: pp.simulate(PLANAR, 2e6, record=pp.Record(rate=1000.0)),
        r"duration = 2e\+06 s at record.rate = 1000 Hz is 2e\+09 samples, 3\.\d+ TB of memory, must be at most 8 GB on "
        "this machine: record less often, fewer variables, or to a file",
    ),
    "samples of many": (
        lambda: pp.simulate([PLANAR] * 1000, 1000.0),
        r"duration = 1000 s at record.rate = 100 Hz is 100001 samples in each of 1000 worlds, \d+ GB of memory, must "
        "be at most 8 GB on this machine: record fewer worlds, less often, fewer variables, or to a file",
    ),
    "many worlds": (
        lambda: pp.simulate([PLANAR] * 190_000, 1.0),
        r"190000 worlds of 11 links, \d+(\.\d+)? GB of memory, must be at most 8 GB on this machine: use fewer "
        r"worlds, \d+ fit",
    ),
    "many that wait": (lambda: pp.Simulator([PLANAR] * 190_000), r"use fewer worlds, \d+ fit"),
    "rate": (lambda: pp.Record(rate=1e300), r"record.rate = 1e\+300, must be in \[1e-09, 1000000000\] \[Hz\]"),
    "hardly ever": (lambda: pp.Record(rate=1e-300), r"record.rate = 1e-300, must be in \[1e-09, 1000000000\] \[Hz\]"),
    "radius": (lambda: pp.Peg(x=0, y=0, radius=1e308), r"peg.radius = 1e\+308, must be in \[1e-09, 1e\+12\] \[m\]"),
    "spacing": (
        lambda: pp.HeightField(heights=np.zeros((2, 2)), spacing=1e-300),
        r"spacing = 1e-300, must be in \[1e-09, 1e\+12\] \[m\]",
    ),
}


@pytest.mark.parametrize("what", ABSURD)
def test_absurd_sizes_are_refused_at_once(what: str) -> None:
    attempt, sentence = ABSURD[what]
    begun = time.perf_counter()
    with pytest.raises(PushpointError, match=sentence) as caught:
        attempt()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
    assert time.perf_counter() - begun < 30.0  # not a limit of speed: nothing of it was begun


def test_a_file_makes_room(tmp_path: Any) -> None:
    found = pp.estimate(PLANAR, 1e5, record=pp.Record(rate=100.0))
    assert found.memory > 8e9 and found.memory_with_file < 2e7 and found.recording > 8e9
    assert str(found).startswith("100000000 steps, 10000001 samples: ")
    with pytest.raises(TooLarge, match="or to a file") as caught:
        pp.simulate(PLANAR, 1e5)
    assert caught.value.needed == found.memory and caught.value.allowed == 8e9


def test_worlds_that_kernels_cannot_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "LARGEST_INDEX", 10_000)  # of the 24 neighbours that each of 11 links has room for
    with pytest.raises(PushpointError, match="worlds = '50 worlds of 11 links', must be at most 37 of them"):
        pp.Simulator([course(obstacles=False)] * 50)


def test_obstacles_that_contacts_cannot_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "LARGEST_INDEX", 1000)  # a key is an obstacle times 64 or 512
    with pytest.raises(PushpointError, match="worlds: obstacles in all = 21, must be at most 14 in one batch"):
        pp.Simulator([PLANAR] * 3)


def test_obstacles_far_apart_need_no_finer_grid() -> None:
    corners = [(s * 5e8, t * 5e8) for s in (-1, 1) for t in (-1, 1)]
    far = replace(PLANAR.environment, obstacles=[pp.Peg(x=x, y=y, radius=1e-3) for x, y in corners])
    stepper = Stepper([PLANAR.robot], [far], pp.Settings())
    assert stepper._obstacles.cell_start.size < 100


def test_simulator_stops_before_its_steps_cannot_be_counted() -> None:
    simulator = pp.Simulator([course(obstacles=False)])
    simulator.restore(replace(simulator.state, step=np.array([LARGEST_INDEX - 5], dtype=np.int32)))
    with pytest.raises(PushpointError, match="steps in all = 2147483652, must be at most 2147483647"):
        simulator.step(pp.Command(joint_angle=np.zeros((1, 10))))


def test_mistaken_arguments_are_sentences() -> None:
    for attempt in (
        lambda: pp.simulate(PLANAR, 1.0, file=3),
        lambda: pp.simulate(PLANAR, 1.0, file=""),
        lambda: pp.estimate(3, 1.0),
        lambda: pp.estimate(PLANAR, "long"),
        lambda: pp.estimate(PLANAR, 1.0, settings={}),
        lambda: pp.estimate([], 1.0),
    ):
        with pytest.raises(PushpointError, match=r"must be"):
            attempt()


REQUESTED = [name for name, entry in VARIABLES.items() if entry.on_request]


@pytest.mark.parametrize("asked", [[], REQUESTED], ids=["usual", "on request"])
@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("count", [1, 5])
def test_size_of_arrays_is_what_they_have(name: str, count: int, asked: list[str]) -> None:
    """Every array that the kernels are given, counted after it was made."""
    robots, environments = [WORLDS[name].robot] * count, [WORLDS[name].environment] * count
    kept = estimates.kept_variables([WORLDS[name]], pp.Record(also=asked))
    wanted = wanted_samples(kept, spatial=WORLDS[name].spatial)
    stepper = Stepper(robots, environments, pp.Settings())
    stepper.new_samples(3, 1, wanted=wanted)
    held = (value.capacity for value in vars(stepper._samples).values() if isinstance(value, wp.array))
    assert sum(held) == 3 * sizes_of(robots, environments, pp.Settings(), wanted).per_sample
    made = 0
    for struct in ("_model", "_obstacles", "_drive", "_motion", "_work", "_tally"):
        values = vars(getattr(stepper, struct)).values()
        made += sum(value.capacity for value in values if isinstance(value, wp.array))
    found = sizes_of(robots, environments, pp.Settings(), wanted).kernels
    assert made <= found * 1.02 + 1000 and found <= 1.1 * made + 1000  # laws and regions are few; grids are bounded


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize(
    "asked",
    [{}, {"variables": ["link_position", "solver_residual"]}, {"also": REQUESTED}],
    ids=["usual", "few", "on request"],
)
def test_size_of_results_is_that_of_the_dataset(name: str, asked: dict[str, list[str]]) -> None:
    record, worlds = pp.Record(rate=50.0, **asked), [WORLDS[name]] * 2
    run = pp.simulate(worlds, 0.1, record=record)
    found = pp.estimate(worlds, 0.1, record=record)
    assert found.samples == run.sizes["time"]
    assert estimates.kept_variables(worlds, record) == [name for name in VARIABLES if name in run]
    assert found.recording == sum(run[name].nbytes for name in VARIABLES if name in run)


def test_memory_is_what_limits_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    free = memory.available_memory()
    assert 0 < free < 2**50
    monkeypatch.setattr(memory, "_left_in_limits", lambda: [123])
    assert memory.available_memory() == 123
    monkeypatch.setattr(memory, "_left_in_groups", lambda: [-5])
    assert memory.available_memory() == 0

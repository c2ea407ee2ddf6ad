"""Sliders show what is so, also where nothing came of what was moved."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import pushpoint as pp
from pushpoint.simulation.live.live import Live
from pushpoint.studio.panels import controls
from pushpoint.studio.panels.controls import Sliders
from pushpoint.studio.runner import Runner
from pushpoint.studio.serving import Page

GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
WORLD = pp.World(pp.catalogue.aiko_planar(), pp.Environment(), GAIT)


@pytest.fixture
def page() -> Iterator[Page]:
    found = Page(0)
    yield found
    found.close()


def test_a_slider_that_was_moved_and_taken_back_shows_the_number_of_the_engine(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Runner(Live(WORLD))
    sliders = Sliders(page.server, runner, "controller", lambda world: world.controller, lambda _live, _gait: None)
    sliders.show(WORLD)
    number, handle = sliders._handles["amplitude"]
    handle.value = number.value + 5.0  # as a viewer does, and a reset comes before the panels look again
    monkeypatch.setattr(controls, "SETTLED", 0.0)
    runner.complaints["controller"] = "it was refused"
    sliders.show(WORLD)
    assert handle.value == number.value + 5.0  # it stays beside the sentence about it
    runner.complaints.clear()
    sliders.show(WORLD)
    assert handle.value == number.value
    runner.end()


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("amplitude", 50000.0, "amplitude = 50000 deg, must be at most a turn, in [-360, 360] [deg]"),
        ("soft_start", -3.0, "gait.soft_start = -3.0, must be finite and >= 0 [s]"),
    ],
)
def test_a_number_that_is_refused_is_told_in_the_unit_of_its_slider(
    page: Page, name: str, typed: float, sentence: str
) -> None:
    def put(live: Live, gait: Any) -> None:
        live.change(controller=gait)

    runner = Runner(Live(WORLD))
    sliders = Sliders(page.server, runner, "controller", lambda world: world.controller, put)
    sliders.show(WORLD)
    number, _ = sliders._handles[name]
    event = SimpleNamespace(client_id=1, target=SimpleNamespace(value=typed))
    asyncio.run(sliders._told(number)(event))
    runner._take_edits()
    assert runner.complaints == {"controller": sentence}
    runner.end()

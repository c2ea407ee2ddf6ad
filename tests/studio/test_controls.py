"""Sliders show what is so, also where nothing came of what was moved."""

from __future__ import annotations

from collections.abc import Iterator

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

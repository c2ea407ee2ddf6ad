"""`pp.show`: a page, a figure or the studio, and a sentence for what is none of them."""

from __future__ import annotations

import http.client

import matplotlib.figure
import pytest
import xarray

import pushpoint as pp
from pushpoint.errors import PushpointError
from pushpoint.studio.showing import FIGURES

WORLD = pp.World(pp.catalogue.aiko_planar(), pp.Environment(), pp.gaits.Hold())


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return pp.simulate(WORLD, 0.05)


def test_a_run_is_a_page_or_a_figure(run: xarray.Dataset) -> None:
    assert "<iframe srcdoc=" in pp.show(run)._repr_html_()  # type: ignore[union-attr]
    assert isinstance(pp.show(run, "course"), matplotlib.figure.Figure)


def test_every_figure_on_offer_is_one_of_plots() -> None:
    assert all(callable(getattr(pp.plots, name)) for name in FIGURES)


def test_a_live_simulation_is_the_studio_in_a_frame() -> None:
    shown = pp.show(pp.Live(WORLD))
    try:
        assert shown.address in shown._repr_html_() and "<iframe src=" in shown._repr_html_()  # type: ignore[union-attr]
        connection = http.client.HTTPConnection("127.0.0.1", shown.page.door.port)  # type: ignore[union-attr]
        connection.request("GET", f"/{shown.page.door.token}/")  # type: ignore[union-attr]
        assert connection.getresponse().status == 200
        connection.close()
    finally:
        shown.close()  # type: ignore[union-attr]


def test_mistakes_are_sentences(run: xarray.Dataset) -> None:
    with pytest.raises(PushpointError, match="unknown figure 'curse'; did you mean course"):
        pp.show(run, "curse")
    with pytest.raises(PushpointError, match="thing"):
        pp.show(3)  # type: ignore[arg-type]
    with pp.Live(WORLD) as live, pytest.raises(PushpointError, match="figure = 'course', must be left out"):
        pp.show(live, "course")


def test_models_are_short_in_a_notebook() -> None:
    for thing in (WORLD.robot, WORLD.environment, pp.scenario("transeth2008a/obstacle-aided"), WORLD):
        assert len(repr(thing).splitlines()) <= 24 and max(map(len, repr(thing).splitlines())) <= 120

"""Figures can be read: words never meet nor leave the sheet, no sheet is too tall, and strips have room for ticks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import xarray
from matplotlib.figure import Figure

import pushpoint as pp
from oracles.legible import meeting_words, taller_than_wide, words_beyond
from oracles.seen import axes_of
from pushpoint.gallery import fitting
from pushpoint.plots.figures.course import LEAST_STRIP

MOST = 1.4
"""Height of a sheet over its width [-]."""
SHORT = {
    "transeth2008a/obstacle-aided": 2.0,
    "transeth2008b/sidewinding": 1.0,
}
WHOLE = (
    "transeth2008a/obstacle-aided",
    "transeth2008a/obstacle-aided-realistic",
    "transeth2008a/winding-channel",
    "transeth2008b/sidewinding",
    "liljeback2014/alignment-6",
    "liljeback2014/sidewinding",
    "liljeback2014/vertical-wave",
    "liljeback2014/stairs",
    "liljeback2014/pipe",
    "holden2014/table-5",
    "holden2014/closed-loop",
    "holden2014/with-posture",
    "liljeback2011/environment-1",
    "spatial/obstacle-aided",
    "spatial/stairs-rest",
    "spatial/rubble",
    "pegs/planned-path",
)
ANY_RUN = ("course", "paths", "joints", "motors", "contacts", "health")
OF_SOME = {"shape": "shape", "modes": "modes", "resolution": "stays", "mapping": "force_mapping"}


@lru_cache(maxsize=1)
def run_of(name: str, duration: float | None) -> xarray.Dataset:
    chosen = pp.scenario(name)
    return chosen.run() if duration is None else chosen.with_changes(duration=duration).run()


def check(figure: Figure) -> None:
    assert meeting_words(figure) == []
    assert words_beyond(figure) == []
    assert taller_than_wide(figure) <= MOST


def figure_of(plot: str, run: xarray.Dataset) -> Figure:
    draw: Callable[..., Any] = getattr(pp.plots, plot)
    return draw(run)


@pytest.mark.parametrize("plot", ANY_RUN)
@pytest.mark.parametrize("name", SHORT)
def test_figures_can_be_read(name: str, plot: str) -> None:
    check(figure_of(plot, run_of(name, SHORT[name])))


def test_a_tall_course_can_be_read() -> None:
    check(pp.plots.course(run_of("liljeback2014/pipe", 0.3)))


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_all_figures_of_whole_runs_can_be_read(name: str) -> None:
    run = run_of(name, None)
    for plot in (*ANY_RUN, *(OF_SOME[each] for each in fitting(run))):
        check(figure_of(plot, run))


@pytest.mark.parametrize("count", [1, 5, 24])
def test_a_sheet_of_any_number_of_frames_is_not_too_tall(count: int) -> None:
    run = run_of("transeth2008b/sidewinding", 1.0)
    figure = pp.plots.course(run, times=np.linspace(0.0, 1.0, count).tolist())
    assert taller_than_wide(figure) <= MOST


def test_a_side_strip_has_room_for_its_ticks() -> None:
    run = run_of("transeth2008b/sidewinding", 1.0)
    shift = 1.5 * run["time"] * xarray.DataArray([0.0, 1.0, 0.0], dims="axis")
    far = run.assign({name: run[name] + shift for name in ("link_position", "center_of_mass")})  # far along y, as later
    figure = pp.plots.course(far)
    tall = axes_of(figure, "side 0").get_position().height * figure.get_size_inches()[1]
    assert tall >= LEAST_STRIP - 1e-9
    assert LEAST_STRIP >= 0.4  # [in]; four numbers of type 7.5 pt above each other
    check(figure)

"""The figures of a controller's modes: what they are made from, and which runs have them."""

from __future__ import annotations

import numpy as np
import pytest
import xarray
from matplotlib.patches import Rectangle

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.gallery import fitting
from pushpoint.plots.figures.modes import modes as modes_figure, stays
from pushpoint.plots.stretches import mode_names, stays_in


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return pp.scenario("liljeback2011/environment-1").with_changes(duration=12.0).run()


def test_stays_are_the_finished_ones() -> None:
    modes = np.array([0, 0, 2, 2, 2, 0, 1, 2, 0, 2, 2])
    assert stays_in(modes, 2) == [(1, 4), (6, 7)]  # the third goes on to the end
    assert stays_in(modes, 1) == [(5, 6)]
    assert stays_in(modes, 3) == []


def test_figure_shows_the_head_and_the_modes(run: xarray.Dataset) -> None:
    figure = modes_figure(run)
    labels = [axes.get_label() for axes in figure.axes]
    assert labels == ["header", "forward", "mode", "sideways", "orientation", "forces 0", "forces 1"]
    x = figure.axes[1].get_lines()[0].get_ydata()
    assert np.array_equal(x, run.link_position.isel(link=-1).sel(axis="x").values)
    bars = figure.axes[2].patches
    codes = run.controller_mode.values
    assert len(bars) == 1 + np.count_nonzero(np.diff(codes))
    assert sum(bar.get_width() for bar in bars if isinstance(bar, Rectangle)) == pytest.approx(float(run.time[-1]))


def test_a_batch_shows_its_worlds_as_trials() -> None:
    chosen = pp.scenario("liljeback2011/environment-1")
    worlds = [chosen.world] * 3
    batch = pp.simulate(worlds, duration=2.0, settings=chosen.settings, record=chosen.record)
    figure = modes_figure(batch)
    legend = figure.axes[1].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["trial 1", "trial 2", "trial 3"]


def test_frames_are_before_and_after_a_resolution(run: xarray.Dataset) -> None:
    times = [axes.get_title(loc="left") for axes in stays(run).axes if "posture" in str(axes.get_label())]
    resolving = np.flatnonzero(run.controller_mode.values == 2)
    assert len(times) >= 2
    word, time = times[0].split(", ")
    assert float(time.split()[0]) == pytest.approx(float(run.time[resolving[0] - 1]), abs=0.01)
    assert word == "before resolution 1" and times[1].startswith("after resolution 1, ")


def test_runs_without_modes_have_no_such_figure() -> None:
    plain = pp.scenario("transeth2008a/flat").with_changes(duration=0.2).run()
    assert fitting(plain) == []
    with pytest.raises(InvalidModel, match="controller_mode"):
        mode_names(plain)


def test_other_modes_are_refused(run: xarray.Dataset) -> None:
    assert fitting(run) == ["modes", "resolution"]
    with pytest.raises(InvalidModel, match="mode = 'asleep', must be one of leader-following, jammed"):
        stays(run, "asleep")

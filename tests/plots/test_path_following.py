"""The figure of a run along a path: what is drawn is what was measured."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.gallery import fitting
from pushpoint.papers.ours import paths


@pytest.fixture(scope="module")
def run():
    return pp.scenario("paths/straight-line").with_changes(duration=4.0).run()


def panel(figure, label):
    return next(axes for axes in figure.axes if axes.get_label() == label)


def test_errors_are_drawn_over_the_distance_along_the_path(run):
    figure = pp.plots.path_following(run)
    swing, mean = (line.get_xydata() for line in panel(figure, "error").lines[:2])
    along = run.center_of_mass[:, 0].values  # the path is the x axis
    np.testing.assert_allclose(swing[:, 0], np.maximum.accumulate(np.maximum(along, 0.0)), atol=1e-12)
    np.testing.assert_allclose(swing[:, 1], 100.0 * run.center_of_mass[:, 1], atol=1e-9)
    np.testing.assert_allclose(mean[:, 1], 100.0 * pp.measures.cross_track_error(run, averaged=True))
    assert panel(figure, "course").get_xlim() == panel(figure, "error").get_xlim()


def test_the_path_is_drawn_and_named(run):
    labels = [text.get_text() for text in panel(pp.plots.path_following(run), "path").get_legend().get_texts()]
    assert labels == ["path to follow", "centre of mass"]
    named = [text.get_text() for text in panel(pp.plots.paths(run), "paths").get_legend().get_texts()]
    assert "path to follow" in named


def test_worlds_of_a_batch_share_the_panels():
    runs = paths.ten_starts().with_changes(duration=1.0).run()
    figure = pp.plots.path_following(runs)
    means = [line for line in panel(figure, "error").lines if line.get_label() == "mean over a cycle"]
    assert len(means) == 10
    assert len([line for line in panel(pp.plots.path_following(runs, world=3), "error").lines]) == 4  # and two limits


def test_pictures_of_a_run_include_it_where_there_is_a_path(run):
    assert "path" in fitting(run)
    free = pp.simulate(pp.World(paths.ten_links(), pp.Environment(), paths.TEN_GAIT), 0.1)
    assert "path" not in fitting(free)

"""Figures that any run has: they show what it holds, and do without what they can."""

from __future__ import annotations

from dataclasses import replace

import matplotlib
import numpy as np
import pytest
import xarray

from oracles.described import described, first, world_of
from oracles.seen import axes_of, words
from pushpoint import plots
from pushpoint.engine.settings import Settings
from pushpoint.errors import InvalidModel
from pushpoint.papers.registry import scenario
from pushpoint.plots.heat_map import condensed


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    """Two seconds of the published course: seven pegs, eleven links."""
    return scenario("transeth2008a/obstacle-aided").with_changes(duration=2.0).run()


def test_figures_name_the_worst(run: xarray.Dataset) -> None:
    joints = plots.joints(run)
    error = np.degrees(np.abs(run["joint_angle"] - run["joint_reference"]).max())
    assert f"{float(error):.2g}° at most" in words(joints)
    assert "0 unconverged steps" in words(plots.health(run))
    peak = float(np.hypot(*np.moveaxis(run["obstacle_force"].values[1:], -1, 0)).max())
    assert f"largest force on a link {peak:.3g} N" in words(plots.contacts(run))
    assert "no link touched" in words(plots.contacts(run.assign(obstacle_force=0.0 * run["obstacle_force"])))
    assert "Not finished: stopped" in words(plots.joints(run.assign_attrs(status_code="x", status="stopped")))


def test_headers_say_what_speaks_against_a_run(run: xarray.Dataset) -> None:
    course = scenario("transeth2008a/obstacle-aided").with_changes(duration=0.5)
    hasty = replace(course, settings=Settings(max_iterations=1)).run()
    figures = (plots.joints, plots.motors, plots.contacts, plots.health, plots.course, plots.paths)
    for figure in figures:
        assert "are unconverged, more than 1 %" in words(figure(hasty))
        assert "unconverged, more" not in words(figure(run))


def test_motors_are_shown_beside_their_limits(run: xarray.Dataset) -> None:
    world = world_of(run)
    limited = [replace(motor, torque_limit=4.0, speed_limit=8.0) for motor in world.robot.motors]
    weak = described(run, replace(world, robot=replace(world.robot, motors=limited)))
    speed = axes_of(plots.motors(weak), "speed")
    lines = [np.asarray(line.get_xydata()) for line in speed.lines if line.get_linestyle() == "--"]
    assert len(lines) == 2
    for line, sign in zip(lines, (1.0, -1.0), strict=True):
        np.testing.assert_allclose(line[:, 1], sign * 4.0 - 4.0 * line[:, 0] / 8.0)
    free = axes_of(plots.motors(run), "speed")
    assert [line for line in free.lines if line.get_linestyle() == "--"] == []


def test_figures_do_without_what_they_can_do_without(run: xarray.Dataset) -> None:
    short = first(run, 5)
    assert "error" not in {axes.get_label() for axes in plots.joints(short.drop_vars("joint_reference")).axes}
    without = plots.motors(short.drop_vars(["link_angular_velocity", "joint_rate"]))
    assert "speed" not in {axes.get_label() for axes in without.axes}
    assert len(axes_of(plots.contacts(short.drop_vars("ground_force")), "forward").lines) == 2  # and zero
    panels = {axes.get_label() for axes in plots.health(short[["unconverged", "link_angle"]]).axes}
    assert panels == {"header", "unconverged"}
    with pytest.raises(InvalidModel, match="solver_residual"):
        plots.health(short[["link_angle"]])


def test_a_condensed_map_keeps_every_peak() -> None:
    values = np.zeros((10_001, 3))
    values[[17, 5003, 9999], [0, 1, 2]] = (-7.0, 5.0, 3.0)
    values[0] = np.nan
    small = condensed(values, 100)
    assert small.shape == (100, 3)
    assert (np.nanmin(small[:, 0]), np.nanmax(small[:, 1]), np.nanmax(small[:, 2])) == (-7.0, 5.0, 3.0)
    assert condensed(values[:50], 100) is not None and len(condensed(values[:50], 100)) == 50


def test_figures_leave_the_settings_of_matplotlib_alone(run: xarray.Dataset) -> None:
    before = dict(matplotlib.rcParams)
    plots.paths(first(run, 3))
    assert dict(matplotlib.rcParams) == before

"""The figure that a run along a shape curve gets beside the others, from what the run says about itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import pushpoint as pp
from oracles.described import described, world_of
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import STRAIGHT
from pushpoint.errors import InvalidModel
from pushpoint.gallery import FILES, OF_SOME, fitting, write_media
from pushpoint.plots.curves import ASLANT
from pushpoint.plots.figures.shape import follow, shape
from pushpoint.simulation.run_ids import remove_others

ROBOT = pp.catalogue.liljeback2014()
CLOSE = 1e-12  # [m]: what is drawn is computed in a few floating-point operations of numbers around 1


def follows_a_curve(run: xarray.Dataset) -> bool:
    return "shape" in fitting(run)


def panel(figure: Figure, number: int) -> Axes:
    (found,) = (axes for axes in figure.axes if axes.get_label() == f"panel {number}")
    return found


def drawn(axes: Axes, name: str) -> np.ndarray:
    """Data of the only line of that name, shape (n, 2)."""
    (line,) = (line for line in axes.lines if line.get_gid() == name)
    return np.stack([np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)], axis=-1)


def names(axes: Axes, begin: str) -> list[str]:
    return [str(line.get_gid()) for line in axes.lines if str(line.get_gid()).startswith(begin)]


def shape_of(name: str, duration: float) -> tuple[xarray.Dataset, Figure]:
    run = pp.scenario(f"liljeback2014/{name}").with_changes(duration=duration).run()
    return run, shape(run)


def test_a_run_is_drawn_from_what_it_says_about_itself(tmp_path: Path) -> None:
    run, figure = shape_of("sidewinding", 0.2)
    pp.save(run, tmp_path / "run.nc")
    kept = xarray.load_dataset(tmp_path / "run.nc", engine="h5netcdf")
    again = shape(kept)
    follower = pp.scenario("liljeback2014/sidewinding").world.controller
    tip = follower.first_pose(ROBOT).joint_points[-1] @ ASLANT.basis[:2].T
    for drawing in (figure, again):
        assert np.allclose(drawn(panel(drawing, 0), "link 16")[1], tip, rtol=0, atol=1e-9)  # [m]: as text and back
        assert np.allclose(drawn(panel(drawing, 2), "path"), run.link_position[:, 8, :2], rtol=0, atol=CLOSE)


def test_a_robot_at_rest_is_drawn_once_beside_its_bare_curve() -> None:
    _run, figure = shape_of("alignment-6", 0.05)
    assert drawn(panel(figure, 0), "control points").shape == (4, 2) and names(panel(figure, 0), "link") == []
    assert len(names(panel(figure, 1), "link")) == 7
    assert "simulated, 0.05 s" in panel(figure, 2).get_title(loc="left")


def test_a_path_in_a_vertical_plane_is_not_drawn_from_above() -> None:
    _run, figure = shape_of("stairs", 0.1)
    titles = [axes.get_title(loc="left") for axes in figure.axes if str(axes.get_label()).startswith("panel")]
    assert not any("link 8" in title for title in titles) and panel(figure, 1).get_ylabel() == "z [m]"


def test_the_curve_of_a_closed_loop_is_that_which_the_robot_was_led_along() -> None:
    chosen = pp.scenario("liljeback2014/sidewinding-closed-loop").with_changes(duration=6.0)
    run = chosen.run()
    follower: Any = chosen.world.controller
    trace = follow(follower, ROBOT, 6.0, center=lambda t: run.center_of_mass.interp(time=t).values)
    led = np.stack([pose.joint_angles for pose in trace.poses])[:-1]
    sent = run.joint_reference.sel(time=trace.times[:-1] + 0.02, method="nearest").values  # a while after the command
    _times, unsteered = replace(follower, steering=STRAIGHT).virtual(ROBOT, 6.0)
    assert np.abs(unsteered.joint_angles[:-1] - sent).max() > 0.1  # [rad]: it was steered
    assert np.abs(led - sent).max() < 0.01  # [rad]: between samples of 100 Hz the centre of mass moves straight


def test_a_follower_that_a_run_cannot_hold_is_given() -> None:
    published = pp.scenario("liljeback2014/moving-points").with_changes(duration=0.2)
    registered: Any = published.world.controller
    moving = registered.motion.moving
    function = replace(moving, points=lambda t: moving.points(t))  # the same points by a function, which no text holds
    follower: Any = replace(registered, motion=replace(registered.motion, moving=function))
    published = replace(published, worlds=replace(published.world, controller=follower))
    run = published.run()
    assert not follows_a_curve(run) and shape(run, follower=follower).axes
    # Whatever its scenario is called, it is drawn as what it is.
    other: Any = replace(follower, motion=replace(follower.motion, roll=1.0))
    mine = replace(published, worlds=replace(published.world, controller=other), name="mine")
    turned = shape(mine.run(), follower=other)
    bars = [drawn(panel(figure, 0), "axis 5") for figure in (turned, shape(run, follower=follower))]
    assert np.abs(bars[0] - bars[1]).max() > 0.01  # [m]: rolled about the curve, the axes are turned


def test_the_controller_of_the_world_says_whether_there_is_a_figure() -> None:
    run, _figure = shape_of("alignment-6", 0.05)
    world = world_of(run)
    assert follows_a_curve(run) and isinstance(world.controller, ShapeCurveFollower)
    undriven = described(run, replace(world, controller=None))
    assert not follows_a_curve(undriven)
    with pytest.raises(InvalidModel, match="run: controller = None, must be ShapeCurveFollower"):
        shape(undriven)


def test_only_runs_along_a_curve_have_such_a_figure(tmp_path: Path) -> None:
    undulating = pp.scenario("transeth2008b/sidewinding").with_changes(duration=0.01).run()
    assert not follows_a_curve(undulating) and not follows_a_curve(undulating.drop_attrs())
    run, _figure = shape_of("segments", 0.1)
    written = write_media(run, tmp_path)
    assert list(written) == [*FILES, "shape"] and (tmp_path / "figures" / "shape.png").stat().st_size > 10_000
    remove_others(tmp_path, (*FILES.values(), *OF_SOME.values()), "of another run")
    assert not list(tmp_path.iterdir())

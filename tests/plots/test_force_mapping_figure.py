"""Pictures of force mapping: what is drawn is what was computed, seen at its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver

from oracles.described import described, world_of
from pushpoint.errors import InvalidModel
from pushpoint.gallery import fitting
from pushpoint.mapping.path_quality import PathQuality
from pushpoint.mapping.path_stability import PathStability
from pushpoint.mapping.rails import Path
from pushpoint.model.catalogue import holden2014
from pushpoint.model.environment import Peg
from pushpoint.papers.holden2014 import tables as tables
from pushpoint.papers.holden2014.courses import sine_path
from pushpoint.papers.registry import scenario
from pushpoint.papers.reported import draw_reported
from pushpoint.plots.figures.force_mapping import (
    force_mapping,
    growth_along_path,
    mapping_instant,
    quality_along_path,
    tracking_comparison,
)
from pushpoint.simulation.tracking import Tracking


def maps_forces(run: xarray.Dataset) -> bool:
    return "mapping" in fitting(run)


def panel(figure: Figure, label: str) -> Axes:
    (found,) = (axes for axes in figure.axes if axes.get_label() == label)
    return found


def level(axes: Axes, number: int) -> np.ndarray:
    """Heights of a line."""
    return np.asarray(axes.lines[number].get_ydata(), dtype=float)


def points(axes: Axes) -> np.ndarray:
    """Where diamonds are."""
    (found,) = (line for line in axes.lines if line.get_marker() == "D")
    return np.asarray(found.get_xydata(), dtype=float)


def instant() -> tuple[Figure, np.ndarray]:
    found = tables.optimum(paper_table=True)
    figure = mapping_instant(holden2014(), tables.STATE, tables.POINTS, found)
    draw_reported("holden2014", "fig-3", figure)
    return figure, found.contact_force


def test_arrows_of_the_instant_are_the_forces_on_the_links() -> None:
    figure, force = instant()
    (arrows,) = (one for one in panel(figure, "scene").collections if isinstance(one, Quiver))
    angle = tables.LINK_ANGLE[tables.TOUCHED]
    drawn = np.column_stack((arrows.U, arrows.V))
    across = -np.sin(angle) * drawn[:, 0] + np.cos(angle) * drawn[:, 1]  # to the link's left
    along = np.cos(angle) * drawn[:, 0] + np.sin(angle) * drawn[:, 1]
    np.testing.assert_allclose(across / across[0], force / force[0], rtol=1e-9)  # all on one scale
    assert np.sign(across).tolist() == tables.SIDE.tolist()  # pegs push, Holden2014 (39)
    assert np.abs(along).max() < 1e-12  # m: they are the normal forces


def test_arrows_begin_at_the_touched_links_between_their_joints() -> None:
    figure, _ = instant()
    (arrows,) = (one for one in panel(figure, "scene").collections if isinstance(one, Quiver))
    # Written again: joints from the tail on, then shifted so that the centre of mass lies at the origin.
    front, rear = np.array([0.0233] * 19 + [0.0117]), np.array([0.0617] * 19 + [0.0628])  # Table I
    e = np.column_stack((np.cos(tables.LINK_ANGLE), np.sin(tables.LINK_ANGLE)))
    steps = (front + rear)[:, None] * e
    masses = np.array([1.0] * 19 + [2.0])
    places = np.cumsum(steps, axis=0) - steps + rear[:, None] * e
    places -= masses @ places / masses.sum()
    np.testing.assert_allclose(np.column_stack((arrows.X, arrows.Y)), places[tables.TOUCHED], atol=1e-9)  # m


def test_torques_stand_beside_those_printed() -> None:
    figure, _ = instant()
    axes = panel(figure, "torque")
    heights = np.array([bar.get_height() for bar in axes.patches])
    np.testing.assert_array_equal(points(axes), np.column_stack((np.arange(19), tables.JOINT_TORQUE)))
    np.testing.assert_array_equal(points(panel(figure, "push"))[:, 1], tables.CONTACT_FORCE)
    np.testing.assert_allclose(heights, tables.JOINT_TORQUE, atol=0.1)  # N m: HA2
    assert heights[5] == pytest.approx(4.5, abs=1e-6)  # N m: HA5, at its limit


def quality(feasible: list[bool]) -> tuple[PathQuality, Path, tuple[Peg, ...]]:
    n = len(feasible)
    rng = np.random.default_rng(4)
    made = PathQuality(
        head=np.linspace(1.0, 2.0, n),
        feasible=np.array(feasible),
        residual=np.where(feasible, 0.0, 0.3),
        cost=np.ones(n),
        joint_torque=rng.uniform(-3.0, 3.0, (n, 4)),
        peg_force=rng.uniform(0.0, 9.0, (n, 2)),
        peg_link=np.zeros((n, 2), dtype=int),
    )
    x = np.linspace(0.0, 2.2, 40)
    return made, Path(np.column_stack((x, 0.1 * np.sin(4.0 * x)))), (Peg(x=0.5, y=0.3, radius=0.02),)


def test_bad_stretches_are_shaded_in_every_panel() -> None:
    made, path, pegs = quality([True] * 4 + [False] * 3 + [True] * 3 + [False])
    figure = quality_along_path(made, path, pegs, 4.0)
    for label in ("residual", "torque", "push"):
        spans = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in panel(figure, label).patches]
        np.testing.assert_allclose(spans, [(1.35, 1.65), (1.95, 2.05)])  # positions 0.1 m apart, half a step around
    (dots,) = (line for line in panel(figure, "way").lines if line.get_label() == "bad")
    assert np.isfinite(np.asarray(dots.get_xdata(), dtype=float)).sum() == 4
    assert "36.4 %" in " ".join(text.get_text() for text in panel(figure, "header").texts)  # 4 of 11


def test_the_largest_torque_and_push_are_drawn() -> None:
    made, path, pegs = quality([True] * 6)
    figure = quality_along_path(made, path, pegs, 4.0)
    for label, values in (("torque", np.abs(made.joint_torque)), ("push", made.peg_force)):
        axes = panel(figure, label)
        np.testing.assert_array_equal(level(axes, 0), values.max(axis=1))
        assert not axes.patches  # nothing is bad
    assert level(panel(figure, "torque"), 1)[0] == 4.0  # N m: the limit
    assert np.all(level(panel(figure, "residual"), 0) > 0.0)  # the axis is logarithmic


def test_one_position_is_no_path() -> None:
    made, path, pegs = quality([True])
    with pytest.raises(InvalidModel, match="at least two positions"):
        quality_along_path(made, path, pegs, 4.0)


def run(push: float) -> Tracking:
    time = np.linspace(0.0, 3.0, 301)
    force = np.zeros((301, 2))
    force[150, 1] = push
    return Tracking(
        time=time,
        head=1.5 + 0.1 * time,
        center_error=2e-3 * time,
        shape_error=np.zeros(301),
        joint_torque=np.concatenate((np.full((1, 3), 50.0), np.full((100, 3), 1.0), np.full((200, 3), 2.0))),
        peg_force=force,
    )


def test_a_run_of_one_sample_is_drawn() -> None:
    whole = run(6.0)
    arrays = {name: values[:1] for name, values in vars(whole).items()}
    header = panel(tracking_comparison({"mapping": Tracking(**arrays)}), "header")
    assert any("which ended at once" in text.get_text() for text in header.texts)


def test_runs_are_drawn_beside_each_other() -> None:
    runs = {"mapping": run(6.0), "servos": run(9.0)}
    figure = tracking_comparison(runs)
    for k, push in enumerate((6.0, 9.0)):  # after the line at zero
        assert level(panel(figure, "force"), k + 1).max() == push
        assert level(panel(figure, "error"), k + 1)[-1] == pytest.approx(6.0)  # mm
        torque = level(panel(figure, "torque"), k + 1)
        # Three joints at 1 N m for a second, then at 2 N m; the sample at the start has no interval and no part in it.
        assert np.isnan(torque[0])
        np.testing.assert_allclose(torque[[1, 100, 150, 200, 300]], [3.0, 3.0, 7.5, 12.0, 12.0])
    header = " ".join(text.get_text() for text in panel(figure, "header").texts)
    assert (
        "mapping: head 0.30 m along the path in 3 s, mean sum of squared torques 9 (N m)²" in header
    )  # (100 · 3 + 200 · 12) / 300
    assert "hardest push 6 N" in header and "hardest push 9 N" in header


def test_runs_must_be_few_enough_to_tell_apart() -> None:
    with pytest.raises(InvalidModel, match="from 1 to 4"):
        tracking_comparison({str(k): run(1.0) for k in range(5)})


def test_runs_of_different_length_are_each_drawn_over_their_own_time() -> None:
    short = run(6.0)
    cut = {
        name: getattr(short, name)[:150]
        for name in ("time", "head", "center_error", "shape_error", "joint_torque", "peg_force")
    }
    figure = tracking_comparison({"whole": run(6.0), "stopped": replace(short, **cut)})
    assert [np.size(line.get_xdata()) for line in panel(figure, "error").lines[1:]] == [301, 150]


def test_a_run_of_the_closed_loop_gets_its_figure_and_other_runs_do_not() -> None:
    chosen = scenario("holden2014/closed-loop").with_changes(duration=0.3)
    run = chosen.run()
    assert maps_forces(run)
    figure = force_mapping(run)
    assert 0.0 < np.nanmax(level(panel(figure, "error"), 1)) < 10.0  # mm: on its way
    hardest = np.nanmax(level(panel(figure, "force"), 1))
    assert hardest == pytest.approx(float(run.obstacle_load.max()))  # N
    undriven = scenario("holden2014/table-5").with_changes(duration=0.002).run()
    assert not maps_forces(undriven) and not maps_forces(run.drop_attrs())
    assert maps_forces(replace(chosen, name="mine", duration=0.02).run())  # the run itself knows its path
    bare = run.drop_vars("obstacle_load")
    with pytest.raises(InvalidModel, match="a list with obstacle_load"):
        force_mapping(bare)


def test_a_controller_on_another_path_is_drawn_against_that_path() -> None:
    chosen = scenario("holden2014/closed-loop")
    world: Any = chosen.world
    other = replace(world.controller, path=sine_path(0.6))
    moved = replace(world, controller=other, start=other.start(world.robot, world.environment))
    strange = replace(chosen, worlds=moved, duration=0.02).run()
    published = level(panel(force_mapping(replace(chosen, duration=0.02).run()), "error"), 1)
    assert level(panel(force_mapping(strange), "error"), 1)[0] < 1.0  # mm: it begins on its own path
    misread = force_mapping(described(strange, replace(world_of(strange), controller=world.controller)))
    assert level(panel(misread, "error"), 1)[0] > 10.0 > published.max()  # mm: which is not the published one


def test_a_run_with_another_controller_has_no_such_figure() -> None:
    run = scenario("holden2014/closed-loop").with_changes(duration=0.02).run()
    with pytest.raises(InvalidModel, match="run: controller = None, must be ForceMappingController"):
        force_mapping(described(run, replace(world_of(run), controller=None)))


def test_growth_is_drawn_law_by_law() -> None:
    head, growth = np.linspace(1.7, 2.0, 4), np.array([3.0, -1.0, 4.0, 2.0])
    grows = PathStability(head=head, growth=growth, offset=np.where(growth < 0.0, 0.2, np.inf), free=np.full(4, 3))
    held = replace(grows, growth=growth - 20.0, offset=np.full(4, 0.07))
    figure = growth_along_path({"paper": grows, "held": held}, name="course")
    np.testing.assert_array_equal(level(panel(figure, "growth"), 0), growth)
    np.testing.assert_array_equal(level(panel(figure, "offset"), 0), [np.nan, 0.2, np.nan, np.nan])
    assert panel(figure, "header").texts[1].get_text() == "fastest growth [1/s]: paper 4, held −16"
    with pytest.raises(InvalidModel, match="laws = 0, must be from 1 to 4"):
        growth_along_path({})

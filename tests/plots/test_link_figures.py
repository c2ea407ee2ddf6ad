"""Figures of one link: its path from above, its position over time, the forces on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.plots.figures.links import Scene, link_forces, positions, scenes


@pytest.fixture(scope="module")
def run() -> Any:
    return pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=1.0).run()


def panels(figure: Any) -> dict[str, Any]:
    return {axes.get_label(): axes for axes in figure.axes}


def test_a_scene_shows_the_path_up_to_its_time(run: Any) -> None:
    shown = [Scene(title="whole", run=run, link=5), Scene(title="part", run=run, link=5, until=0.5, beside={"b": run})]
    drawn = panels(scenes("course", "paths", "facts", shown, columns=2))
    assert list(drawn) == ["header", "scene 0", "scene 1"]
    whole = run.link_position.sel(link=5).values
    np.testing.assert_allclose(drawn["scene 0"].lines[0].get_xydata(), whole)
    np.testing.assert_allclose(drawn["scene 1"].lines[0].get_xydata()[-1], whole[50])  # 100 samples per second
    np.testing.assert_allclose(drawn["scene 0"].lines[1].get_xydata(), whole[-1:])  # the mark at its end
    assert [text.get_text() for text in drawn["scene 1"].get_legend().get_texts()] == ["simulated", "b"]
    scale = [np.ptp(axes.get_xlim()) / axes.get_position().width for name, axes in drawn.items() if "scene" in name]
    assert scale[0] == pytest.approx(scale[1])


def test_a_scene_of_a_spatial_run_is_seen_from_above() -> None:
    winding = pp.scenario("transeth2008b/sidewinding").with_changes(duration=0.2).run()
    drawn = panels(scenes("winding", "path", "", [Scene(title="", run=winding, link=5)]))
    np.testing.assert_allclose(drawn["scene 0"].lines[0].get_xydata(), winding.link_position.sel(link=5).values[:, :2])


def test_positions_over_time(run: Any) -> None:
    drawn = panels(positions("course", {"one": run, "two": run.isel(time=slice(None, None, 2))}, 5))
    for axis in "xy":
        lines = drawn[axis].lines
        assert len(lines) == 2 and len(lines[1].get_xdata()) == 51
        np.testing.assert_allclose(lines[0].get_ydata(), run.link_position.sel(link=5, axis=axis).values)


def test_forces_on_links_in_a_window(run: Any) -> None:
    drawn = panels(link_forces("course", run, {4: "link 4", 8: "link 8"}, (0.2, 0.6)))
    lines = drawn["link 4"].lines
    part = run.obstacle_force.sel(time=slice(0.2, 0.6), link=4)
    np.testing.assert_allclose(lines[0].get_ydata(), part.sel(axis="x").values)
    np.testing.assert_allclose(lines[1].get_ydata(), part.sel(axis="y").values)
    assert np.abs(part.values).max() > 0.0


def test_a_batch_has_no_single_path(run: Any) -> None:
    with pytest.raises(InvalidModel, match="run = 'a batch of 1 worlds', must be one world"):
        scenes("b", "", "", [Scene(title="", run=run.expand_dims("world"), link=5)])

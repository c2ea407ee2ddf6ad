"""Points over time that are kinds: their formulas, a file that holds them, what is refused."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.planning import ClosingHelix, MovingPoints, TravellingWave

WAVE = TravellingWave(length=0.8, width=0.2, height=0.05, period=2.0)
HELIX = ClosingHelix(outer=0.2, inner=0.1, closing=1.0, rise=0.06, turns=2.5, look_ahead=0.1, link=0.08)


def test_a_wave_runs_back_by_one_point_in_an_eighth_of_its_period() -> None:
    first, later = WAVE(np.array([0.0, 2.0 / 8]))
    np.testing.assert_allclose(first[16], [0.0, 0.0, 0.05], atol=1e-15)
    np.testing.assert_allclose(later[:-1, 1:], first[1:, 1:], atol=1e-15)
    np.testing.assert_array_equal(later[:, 0], first[:, 0])
    np.testing.assert_allclose(WAVE(np.array([2.0]))[0], first, atol=1e-15)


def test_joints_settle_at_the_radii_of_a_closing_helix() -> None:
    open_, half, closed = (np.hypot(*points[:, :2].T) for points in HELIX(np.array([0.0, 0.5, 3.0])))
    for radius, settled in ((open_, 0.2), (half, 0.15), (closed, 0.1)):
        np.testing.assert_allclose(radius**2 - 0.1 * (0.1 - 0.08), settled**2, rtol=1e-13)
    heights = HELIX(np.zeros(1))[0, :, 2]
    assert heights[0] == 0.0 and heights[-1] == pytest.approx(2.5 * 0.06, rel=1e-13)


@pytest.mark.parametrize(
    "name", ["liljeback2014/moving-points", "liljeback2014/pipe", "curves/changing-sides", "curves/steered-wave"]
)
def test_a_run_gives_its_follower_back_and_draws_its_shape(tmp_path: Path, name: str) -> None:
    run = pp.scenario(name).with_changes(duration=0.1).run()
    assert pp.world_of(run).controller == pp.scenario(name).world.controller
    assert pp.plots.shape(run).axes


def test_a_file_with_a_misspelt_wave_is_refused_at_its_line(tmp_path: Path) -> None:
    file = pp.write_scenario(pp.scenario("liljeback2014/moving-points"), tmp_path / "wave.yaml")
    text = file.read_text()
    line = next(k for k, each in enumerate(text.splitlines(), 1) if "travelling-wave" in each)
    file.write_text(text.replace("travelling-wave", "traveling-wave"))
    with pytest.raises(pp.errors.PushpointError, match=rf":{line}: .*traveling-wave.*travelling-wave"):
        pp.scenario(str(file))


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: TravellingWave(length=0.0, width=0.1, period=1.0), "travelling_wave.length = 0.0"),
        (lambda: ClosingHelix(outer=0.2, inner=0.1, closing=1.0, rise=0.0, turns=2.0, link=0.1), "at least a link"),
        (lambda: MovingPoints(points=3.0, head=0.0), "moving_points.points = 3.0, must be control points"),
        (lambda: MovingPoints(points=WAVE, head=20.0), r"moving_points.head = 20.0, must be in \[0, 19\]"),
    ],
)
def test_bad_points_are_refused(build, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        build()


def test_a_helix_turns_as_told() -> None:
    x, y, _ = HELIX(np.array([3.0]))[0].T
    assert np.unwrap(np.arctan2(y, x))[-1] == pytest.approx(2.5 * 2.0 * pi, rel=1e-12)

"""The figure of a run: written whole or not at all, and it shows what the run holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.quiver import Quiver

import pushpoint as pp
from oracles.described import described, world_of
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.plots.figures.course import course as course_figure
from pushpoint.plots.page import save_figure
from pushpoint.scenery.drawn_run import read_run

PEGS = (
    (0.0507, 0.1761),
    (0.4215, 0.0029),
    (0.8037, 0.1851),
    (1.1532, 0.0031),
    (1.5298, 0.1783),
    (1.8877, 0.0020),
    (2.2588, 0.1745),
)
LINK = pp.PlanarLink(length=0.122, mass=0.682, inertia=1.32e-3, radius=0.0525, side_length=0.0786)
PEG_RADIUS = 0.125
SPEED = 0.16


def serpentine_run(
    *, n_links: int = 11, duration: float = 10.0, pegs: tuple[tuple[float, float], ...] = PEGS
) -> xarray.Dataset:
    """A body that glides along a fixed wave between the pegs at SPEED along x; forces are zero."""
    time = np.linspace(0.0, duration, max(2, round(20 * duration) + 1))
    x = np.linspace(-1.0, 6.0, 7001)
    y = 0.09 - 0.09 * np.cos(2.0 * np.pi * (x - PEGS[0][0]) / 0.7356)
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    at = np.interp(-0.16, x, arc) + SPEED * arc[-1] / 7.0 * time[:, None] + LINK.length * np.arange(n_links + 1)
    joints = np.stack([np.interp(at, arc, x), np.interp(at, arc, y)], axis=-1)
    chord = np.diff(joints, axis=1)
    position = (joints[:, 1:] + joints[:, :-1]) / 2.0
    obstacles = [pp.Peg(x=x, y=y, radius=PEG_RADIUS) for x, y in pegs]
    run = xarray.Dataset(
        {
            "link_position": (("time", "link", "axis"), position),
            "link_angle": (("time", "link"), np.arctan2(chord[..., 1], chord[..., 0])),
            "obstacle_force": (("time", "link", "axis"), np.zeros_like(position)),
            "center_of_mass": (("time", "axis"), position.mean(axis=1)),
        },
        coords={"time": time, "link": np.arange(n_links), "axis": ["x", "y"]},
        attrs={"status": "finished", "status_code": "finished"},
    )
    world = pp.World(pp.PlanarRobot.uniform(n_links, LINK), pp.Environment(obstacles=obstacles))
    return described(run, world, "serpentine")


def with_forces(run: xarray.Dataset, forces: dict[int, tuple[float, float]]) -> xarray.Dataset:
    """The run with a constant force [N] on the given links."""
    values = np.zeros(run["obstacle_force"].shape)
    for link, force in forces.items():
        values[:, link] = force
    return run.assign(obstacle_force=(("time", "link", "axis"), values))


def frames(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if str(axes.get_label()).startswith("posture")]


def arrows(axes: Axes) -> int:
    return sum(child.N for child in axes.get_children() if isinstance(child, Quiver))


def words(figure: Figure) -> str:
    return " | ".join(text.get_text() for axes in figure.axes for text in axes.texts)


def test_writes_one_png_and_nothing_else(tmp_path: Path) -> None:
    target = save_figure(course_figure(serpentine_run()), tmp_path / "course.png")
    assert target.read_bytes().startswith(b"\x89PNG")
    assert [file.name for file in tmp_path.iterdir()] == ["course.png"]


def test_a_failure_half_way_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "course.png"
    target.write_bytes(b"old")

    def full_disk(_: Figure, path: Path, **__: object) -> None:
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full_disk)
    with pytest.raises(BadFile, match="No space left"):
        save_figure(course_figure(serpentine_run(duration=1.0)), target)
    assert target.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["course.png"]


@pytest.mark.parametrize("name", ["a-file/course.png", "a-folder.png", "course.pdf"])
def test_an_impossible_path_is_refused_without_a_trace(tmp_path: Path, name: str) -> None:
    (tmp_path / "a-file").write_text("")
    (tmp_path / "a-folder.png").mkdir()
    with pytest.raises(BadFile):
        save_figure(course_figure(serpentine_run(duration=1.0)), tmp_path / name)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a-file", "a-folder.png"]


def test_one_arrow_per_link_that_is_pushed_and_none_for_round_off() -> None:
    run = with_forces(serpentine_run(), {2: (0.0, 24.0), 5: (3.0, -4.0), 7: (0.1, 0.0)})
    figure = course_figure(run)
    assert [arrows(axes) for axes in frames(figure)] == [2, 2, 2, 2]  # 0.1 N is below 3 % of 24 N
    assert "20 N, contact force on the link" in words(figure)
    figure = course_figure(with_forces(serpentine_run(), {2: (0.0, 1e-6)}))
    assert [arrows(axes) for axes in frames(figure)] == [0, 0, 0, 0]
    assert " N," not in words(figure)


def test_arrow_starts_where_the_link_touches_the_peg() -> None:
    run = with_forces(serpentine_run(n_links=3, duration=1.0), {1: (0.0, -10.0)})
    run["link_position"][:] = np.array([[-0.122, 0.0], [0.0, 0.0], [0.122, 0.0]])
    run["link_angle"][:] = 0.0
    peg = pp.Peg(x=0.01, y=LINK.radius + PEG_RADIUS, radius=PEG_RADIUS)
    touching = described(run, replace(world_of(run), environment=pp.Environment(obstacles=[peg])))
    (quiver,) = (child for child in frames(course_figure(touching))[0].get_children() if isinstance(child, Quiver))
    assert np.asarray(quiver.XY)[0] == pytest.approx((0.01, LINK.radius))
    peg = replace(peg, y=peg.y + 0.1)
    apart = described(run, replace(world_of(run), environment=pp.Environment(obstacles=[peg])))
    (quiver,) = (child for child in frames(course_figure(apart))[0].get_children() if isinstance(child, Quiver))
    assert np.asarray(quiver.XY)[0] == pytest.approx((0.0, 0.0))


def test_pegs_bear_their_numbers_and_the_title_the_speed() -> None:
    figure = course_figure(serpentine_run())
    assert len(frames(figure)) == 4
    for axes in frames(figure):
        assert sum(isinstance(patch, Circle) for patch in axes.patches) == len(PEGS)
        assert [text.get_text() for text in axes.texts] == [str(k) for k in range(len(PEGS))]
        assert axes.get_aspect() == 1.0
    assert "mean speed of the centre of mass 0.16 m/s" in words(figure)
    assert "Not finished" not in words(figure)


def test_link_middle_lies_behind_a_centre_of_mass_that_is_forward() -> None:
    run = serpentine_run(n_links=3, duration=1.0)
    robot = pp.PlanarRobot.uniform(3, replace(LINK, mass_offset=0.02))
    course = read_run(described(run, replace(world_of(run), robot=robot)))
    behind = np.einsum("tla,tla->tl", run["link_position"].values - course.middle, course.along)
    np.testing.assert_allclose(behind, 0.02, atol=1e-12)


@pytest.mark.parametrize("n_links", [3, 11, 60])
def test_draws_without_obstacles_and_with_any_number_of_links(tmp_path: Path, n_links: int) -> None:
    path = save_figure(course_figure(serpentine_run(n_links=n_links, duration=1.0, pegs=())), tmp_path / "free.png")
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000


@pytest.mark.parametrize("samples", [1, 2])
def test_draws_a_short_partial_run_and_says_so(tmp_path: Path, samples: int) -> None:
    run = serpentine_run().isel(time=slice(0, samples))
    run = run.assign_attrs(status_code="interrupted", status="interrupted at 0.05 s")
    figure = course_figure(run)
    assert len(frames(figure)) == samples
    assert "Not finished: interrupted at 0.05 s" in words(figure)
    save_figure(course_figure(run), tmp_path / "partial.png")


def test_draws_a_diverged_run_up_to_its_last_finite_sample() -> None:
    run = serpentine_run()
    run["link_position"][100:] = np.nan
    run["link_position"][90:100] = 1e200
    assert read_run(run).time[-1] == pytest.approx(run["time"].values[89])
    run["link_position"][:] = np.nan
    with pytest.raises(InvalidModel, match="finite positions"):
        read_run(run)


def test_of_a_batch_world_0_is_drawn_and_named() -> None:
    first = serpentine_run()
    second = first.assign(center_of_mass=first["center_of_mass"] * 2.0)
    batch = pp.concat([first, second])
    figure = course_figure(batch)
    assert "serpentine (world 0 of 2)" in words(figure)
    assert "mean speed of the centre of mass 0.16 m/s" in words(figure)


def test_times_are_taken_at_the_nearest_sample() -> None:
    figure = course_figure(serpentine_run(), times=[7.01, 2.0])
    assert [axes.get_title(loc="left") for axes in frames(figure)] == ["2 s", "7 s"]


@pytest.mark.parametrize("times", [[], [11.0], [-1.0], [float("nan")], [0.0] * 25])
def test_times_outside_the_run_are_refused(times: list[float]) -> None:
    with pytest.raises(InvalidModel, match="times"):
        course_figure(serpentine_run(), times=times)


def test_what_is_missing_is_named() -> None:
    run = serpentine_run(duration=1.0)
    assert not read_run(run.drop_vars("obstacle_force")).force.any()
    with pytest.raises(InvalidModel, match="link_angle"):
        read_run(run.drop_vars("link_angle"))
    with pytest.raises(InvalidModel, match="a Dataset without a description"):
        read_run(run.drop_attrs())
    with pytest.raises(InvalidModel, match="11 links as recorded"):
        read_run(described(run, replace(world_of(run), robot=pp.PlanarRobot.uniform(4, LINK))))

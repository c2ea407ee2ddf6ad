"""All that can be looked at of a run, and what happens where an extra is not installed."""

from __future__ import annotations

import html
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import xarray
from matplotlib.patches import Polygon

import pushpoint as pp
from oracles.described import among, diverged, first, world_of
from oracles.posed import LEVEL, hills, posed
from oracles.seen import axes_of, recorded_scene, words
from pushpoint import plots
from pushpoint.errors import MissingExtra, PushpointError
from pushpoint.gallery import FILES, write_media
from pushpoint.papers.registry import scenario
from pushpoint.plots import page
from pushpoint.simulation.run_ids import remove_others

NO_FILM = "a film needs the extra 'film': pip install 'pushpoint[film]'"
NO_REPLAY = "a replay page needs the extra 'studio': pip install 'pushpoint[studio]'"
ICE = pp.Region(vertices=[(0, -1), (1, -1), (1, 1)], friction=pp.Isotropic(0.05))
TERRAINS = {
    "stairs, box and peg": pp.Environment(
        ground=pp.Ground(friction=pp.Isotropic(0.4)),
        obstacles=(
            pp.Stairs(foot=(1.0, 0.0), steps=3, rise=0.1, run=0.3),
            pp.Box(center=(0.0, 0.6, 0.05), size=(0.3, 0.2, 0.1), yaw=0.4, roll=0.1),
            pp.Peg(x=0.0, y=-0.3, radius=0.1),
        ),
    ),
    "hills": pp.Environment(
        ground=pp.Ground(
            heights=hills(),
            regions=(pp.Region.rectangle(x=(0.0, 0.5), y=(-0.2, 0.4), friction=pp.Isotropic(0.1)),),
        )
    ),
    "slope": pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.8), slope=0.2, slope_direction=1.0)),
}


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    """Two seconds of the published course: seven pegs, eleven links."""
    return scenario("transeth2008a/obstacle-aided").with_changes(duration=2.0).run()


@pytest.fixture(scope="module")
def winding() -> xarray.Dataset:
    return pp.scenario("transeth2008b/sidewinding").with_changes(duration=1.0).run()


@pytest.fixture(autouse=True)
def coarse_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves time where nobody looks."""
    monkeypatch.setattr(page, "DPI", 40)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without extras: their modules cannot be imported."""
    for name in ("imageio_ffmpeg", "viser"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "pushpoint.replays.recorder", raising=False)  # imports viser when it is loaded


def test_all_media_are_written_and_nothing_else(run: xarray.Dataset, tmp_path: Path) -> None:
    begun: list[str] = []
    written = write_media(first(run, 40), tmp_path, begin=begun.append)
    assert begun == list(FILES.values())
    files = {str(file.relative_to(tmp_path)): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert sorted(files) == sorted(FILES.values())
    assert {name: str(file.relative_to(tmp_path)) for name, file in written.items()} == FILES
    assert all(content.startswith(b"\x89PNG") for name, content in files.items() if name.endswith(".png"))
    assert files["run.mp4"][4:8] == b"ftyp"
    assert files["replay.html"].startswith(b"<!doctype html>")
    (tmp_path / "figures/mine.txt").write_text("kept")
    remove_others(tmp_path, FILES.values(), "of another run")
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["mine.txt"]


@pytest.mark.parametrize("kind", ["one sample", "two samples", "diverged", "batch", "no obstacles"])
def test_any_run_gives_all_media(run: xarray.Dataset, tmp_path: Path, kind: str) -> None:
    runs = {
        "one sample": lambda: first(run, 1).assign_attrs(status_code="interrupted", status="interrupted by the user"),
        "two samples": lambda: first(run, 2).assign_attrs(status_code="interrupted", status="interrupted by the user"),
        "diverged": lambda: diverged(run),
        "batch": lambda: pp.concat([first(run, 5)] * 2),
        "no obstacles": lambda: among(first(run, 5)),
    }
    left_out: list[str] = []
    written = write_media(runs[kind](), tmp_path, leave_out=lambda file, why: left_out.append(f"{file}: {why}"))
    assert left_out == []
    assert list(written) == list(FILES)


def test_what_a_run_does_not_hold_is_left_out_with_a_reason(run: xarray.Dataset, tmp_path: Path) -> None:
    (tmp_path / "run.mp4").write_bytes(b"of an earlier run")
    left_out: dict[str, str] = {}
    written = write_media(
        first(run, 5)[["joint_angle", "penetration"]],
        tmp_path,
        leave_out=lambda file, why: left_out.update({file: str(why)}),
    )
    assert set(written) == {"joints", "health"}
    assert set(left_out) == set(FILES.values()) - {"figures/joints.png", "figures/health.png"}
    assert "a list with link_position, which the figure needs" in left_out["replay.html"]
    assert "a list with joint_torque" in left_out["figures/motors.png"]
    assert not (tmp_path / "run.mp4").exists()


def test_walls_polygons_and_regions_are_drawn(run: xarray.Dataset, tmp_path: Path) -> None:
    ground = replace(world_of(run).environment.ground, regions=[ICE])
    square = pp.Polygon(vertices=[(0.6, 0.3), (0.9, 0.3), (0.9, 0.6), (0.6, 0.6)])
    wall = pp.Wall(start=(-20.0, -0.2), end=(20.0, -0.2), thickness=0.04)
    built = among(first(run, 3), environment=pp.Environment(ground=ground, obstacles=[wall, square]))
    figure = plots.paths(built)
    drawn = axes_of(figure, "paths").patches
    patches = [patch for patch in drawn if isinstance(patch, Polygon) and len(patch.get_xy()) > 2]  # not the legend's
    assert len(patches) == 1 and sum(patch.get_gid() == "outline" for patch in drawn) == 2  # ice; wall and square
    assert "isotropic 0.05" in words(figure) and " | 1" in words(figure)
    low, high = axes_of(figure, "paths").get_xlim()
    assert high - low < 3.0  # the wall of 40 m does not make the body a dot
    assert sum(patch.get_gid() == "outline" for patch in plots.course(built).axes[1].patches) == 2
    assert write_media(built, tmp_path).keys() == FILES.keys()
    names = {message.get("name") for _, message in recorded_scene((tmp_path / "replay.html").read_text())["messages"]}
    assert "/regions/0 isotropic 0.05" in names


@pytest.mark.parametrize(
    ("terrain", "robot"), list(zip(TERRAINS, ("aiko", "liljeback2014", "yaw-pitch-16"), strict=True))
)
def test_every_terrain_gives_all_media(tmp_path: Path, terrain: str, robot: str) -> None:
    gait = pp.gaits.Sidewinding(yaw_amplitude=0.3, pitch_amplitude=0.2, angular_frequency=6.0, phase_shift=-0.6)
    built = pp.catalogue.ROBOTS[robot]()
    made = pp.simulate(built, TERRAINS[terrain], gait, duration=0.1, start=pp.SpatialStart())
    left_out: list[str] = []
    written = write_media(made, tmp_path, leave_out=lambda file, why: left_out.append(f"{file}: {why}"))
    assert left_out == []
    assert list(written) == list(FILES)
    assert (tmp_path / "replay.html").stat().st_size < 1_300_000
    assert plots.course(made) is not None


@pytest.mark.parametrize("kind", ["one sample", "two samples", "diverged", "batch"])
def test_any_spatial_run_gives_all_media(winding: xarray.Dataset, tmp_path: Path, kind: str) -> None:
    runs = {
        "one sample": lambda: winding.isel(time=slice(0, 1)).assign_attrs(
            status_code="interrupted", status="by the user"
        ),
        "two samples": lambda: winding.isel(time=slice(0, 2)),
        "diverged": lambda: diverged(winding),
        "batch": lambda: pp.concat([winding.isel(time=slice(0, 3))] * 2),
    }
    left_out: list[str] = []
    written = write_media(runs[kind](), tmp_path, leave_out=lambda file, why: left_out.append(f"{file}: {why}"))
    assert left_out == []
    assert list(written) == list(FILES)
    plots.course(runs[kind]())


def test_a_single_link_has_no_joints_to_draw(tmp_path: Path) -> None:
    left_out: dict[str, str] = {}
    alone = posed([(0.0, 0.0, 0.05)], [LEVEL], load=[10.0])
    alone = alone.assign(joint_angle=(("time", "joint"), np.zeros((11, 0))))
    written = write_media(alone, tmp_path, leave_out=lambda file, why: left_out.update({file: str(why)}))
    assert {"paths", "contacts", "animation", "replay"} <= set(written)
    assert "joints = 0, must be at least 1" in left_out["figures/joints.png"]


@pytest.mark.usefixtures("bare")
def test_without_extras_the_figures_are_written_and_the_rest_is_named(run: xarray.Dataset, tmp_path: Path) -> None:
    (tmp_path / "run.mp4").write_bytes(b"of an earlier run")
    left_out: dict[str, str] = {}
    written = write_media(run, tmp_path, leave_out=lambda file, why: left_out.update({file: str(why)}))
    assert left_out == {"run.mp4": NO_FILM, "replay.html": NO_REPLAY}
    assert set(written) == set(FILES) - {"animation", "replay"}
    assert all(file.suffix == ".png" for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.usefixtures("bare")
def test_a_missing_extra_is_one_sentence_with_the_command(run: xarray.Dataset, tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=f"^{re.escape(NO_FILM)}$") as caught:
        pp.film(run, tmp_path / "run.mp4")
    assert isinstance(caught.value, PushpointError) and (caught.value.what, caught.value.extra) == ("a film", "film")
    with pytest.raises(MissingExtra, match=f"^{re.escape(NO_REPLAY)}$"):
        pp.replay(run, tmp_path / "run.html")
    with pytest.raises(MissingExtra):
        pp.show(run)
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_plays_the_page_in_place(run: xarray.Dataset, tmp_path: Path) -> None:
    shown = pp.show(run)
    frame = shown._repr_html_()
    found = re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*"></iframe>', frame)
    assert found is not None and html.unescape(found[1]) == shown.page
    title = pp.scenario("transeth2008a/obstacle-aided").title
    assert shown.page.startswith("<!doctype html>") and f"<title>{title}</title>" in shown.page
    assert list(tmp_path.iterdir()) == []


def test_film_and_replay_show_the_world_asked_for(tmp_path: Path) -> None:
    worlds = [pp.scenario(f"transeth2008a/{name}").world for name in ("obstacle-aided", "small-obstacles")]
    batch = pp.simulate(worlds, duration=0.05)
    assert "(world 1 of 2)" in pp.show(batch, world=1).page
    assert pp.replay(batch, tmp_path / "b.html", world=1).stat().st_size > 10_000
    first, second = (pp.film(batch, tmp_path / f"{world}.mp4", world=world).read_bytes() for world in (0, 1))
    assert first != second

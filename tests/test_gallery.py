"""All that can be looked at of a run, and what happens where an extra is not installed."""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

import pytest
import xarray

import pushpoint as pp
from pushpoint.errors import MissingExtra, PushpointError
from pushpoint.gallery import FILES, write_media
from pushpoint.plots import page

NO_FILM = "a film needs the extra 'film': pip install 'pushpoint[film]'"
NO_REPLAY = "a replay page needs the extra 'studio': pip install 'pushpoint[studio]'"


@pytest.fixture(scope="module")
def run() -> xarray.Dataset:
    return pp.scenario("transeth2008a/obstacle-aided").with_changes(duration=0.1).run()


@pytest.fixture(autouse=True)
def coarse_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves time where nobody looks."""
    monkeypatch.setattr(page, "DPI", 40)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without extras: their modules cannot be imported."""
    for name in ("imageio_ffmpeg", "viser"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("bare")
def test_without_extras_the_figures_are_written_and_the_rest_is_named(run: xarray.Dataset, tmp_path: Path) -> None:
    (tmp_path / "run.mp4").write_bytes(b"of an earlier run")
    left_out: dict[str, str] = {}
    written = write_media(run, tmp_path, leave_out=left_out.__setitem__)
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
    assert shown.page.startswith("<!doctype html>") and "<title>transeth2008a/obstacle-aided</title>" in shown.page
    assert list(tmp_path.iterdir()) == []


def test_film_and_replay_show_the_world_asked_for(tmp_path: Path) -> None:
    worlds = [pp.scenario(f"transeth2008a/{name}").world for name in ("obstacle-aided", "small-obstacles")]
    batch = pp.simulate(worlds=worlds, duration=0.05)
    assert "(world 1 of 2)" in pp.show(batch, world=1).page
    assert pp.replay(batch, tmp_path / "b.html", world=1).stat().st_size > 10_000
    first, second = (pp.film(batch, tmp_path / f"{world}.mp4", world=world).read_bytes() for world in (0, 1))
    assert first != second

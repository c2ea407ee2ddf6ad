"""The pictures of the documents are there, in the sizes that pages are made for; benchmarks/gallery.py draws them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from pushpoint.papers.registry import scenario_names, sweep_names

IMAGES = Path(__file__).parents[2] / "docs" / "images"


@pytest.mark.parametrize("name", [*scenario_names(), *sweep_names()])
def test_every_published_experiment_has_a_picture(name: str) -> None:
    picture = IMAGES / "gallery" / f"{name.replace('/', '-')}.png"
    assert picture.is_file(), f"make gallery NAMES={name}"
    with Image.open(picture) as image:
        assert image.width == 640 and image.height <= 1.4 * image.width
    assert picture.stat().st_size <= 60_000


def test_no_picture_is_left_of_what_is_gone() -> None:
    names = {name.replace("/", "-") for name in (*scenario_names(), *sweep_names())}
    assert {picture.stem for picture in (IMAGES / "gallery").iterdir()} <= names


def test_the_front_page_moves_for_some_seconds_and_loads_fast() -> None:
    front = IMAGES / "front.gif"
    assert front.stat().st_size <= 3_000_000
    with Image.open(front) as film:
        assert film.width == 800
        seconds = 0.0
        for number in range(film.n_frames):  # type: ignore[attr-defined]
            film.seek(number)
            seconds += film.info["duration"] / 1000.0
        assert 5.0 <= seconds <= 8.0 and film.info["loop"] == 0  # for ever
    with Image.open(IMAGES / "first-run.png") as first:
        assert first.width == 1280


def test_pairs_of_before_and_after_are_complete_and_small() -> None:
    pictures = list((IMAGES / "before-after").glob("*.png"))
    assert pictures and max(picture.stat().st_size for picture in pictures) <= 45_000
    stems = {picture.stem for picture in pictures}
    assert {stem.replace("-before", "-after") for stem in stems} <= stems
    assert {stem.replace("-after", "-before") for stem in stems} <= stems

"""The moving picture of the front page: a robot among obstacles with the forces on it, on rubble and down stairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib
import numpy as np
import xarray
from PIL import Image, ImageDraw, ImageFont

from pushpoint.films.encoding import FORMATS, encode, ffmpeg, options
from pushpoint.films.frames import Frames
from pushpoint.scenery.drawn_run import DrawnRun, nearest_samples, read_run
from pushpoint.whole_files import write_atomically

WIDTH, GAP, SECONDS = 800, 4, 7.4
"""Width of the picture and gap between its parts [px], and how long it takes [s]."""
MAIN = (
    "transeth2008a/obstacle-aided",
    0.0,
    9.6,
    "A snake robot pushes itself forward on obstacles; arrows are the contact forces",
)
BELOW = (
    ("spatial/rubble", 0.0, 14.8, "Sidewinding onto rubble"),
    ("liljeback2014/stairs", 0.0, 7.4, "Down a flight of stairs"),
)
"""Scenario, from when to when [s], and what is written below."""
CARD, BORDER, INK, STRIP, TYPE = (255, 255, 255), (200, 200, 200), (40, 40, 40), 24, 13


def write_front(run_of: Callable[[str], xarray.Dataset], target: Path) -> Path:
    """Writes the film as a GIF from runs by their names."""
    count = round(SECONDS * FORMATS[".gif"].frame_rate)
    half = (WIDTH - GAP) // 2
    parts = [
        Part(read_run(run_of(name)), *rest, width, count)
        for (name, *rest), width in ((MAIN, WIDTH), (BELOW[0], half), (BELOW[1], half))
    ]
    height = parts[0].height + GAP + max(part.height for part in parts[1:])
    size = (WIDTH, height + height % 2)
    command = [ffmpeg(target), *options(FORMATS[".gif"], size, "")]
    places = [(0, 0), (0, parts[0].height + GAP), (WIDTH - half, parts[0].height + GAP)]

    def frames() -> Iterator[np.ndarray]:
        for pictures in zip(*(part.frames() for part in parts), strict=True):
            sheet = Image.new("RGBA", size, (*CARD, 255))
            for picture, place in zip(pictures, places, strict=True):
                sheet.paste(picture, place)
            yield np.asarray(sheet)

    return write_atomically(target, lambda place: encode([*command, str(place)], frames()))


class Part:
    """One run in the film, with a line of words below."""

    def __init__(self, course: DrawnRun, start: float, stop: float, words: str, width: int, count: int) -> None:
        self._frames = Frames(course, width=width, key=False)
        self._samples = nearest_samples(course.time, np.linspace(start, min(stop, course.time[-1]), count))
        wide, tall = self._frames.size
        self.height = tall + STRIP
        pace = (stop - start) / SECONDS
        words += "" if abs(pace - 1.0) < 0.01 else f" ({pace:.2g} × real time)"
        self._strip = Image.new("RGBA", (wide, STRIP), (*CARD, 255))
        font = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"), TYPE)
        ImageDraw.Draw(self._strip).text((8, 4), words, fill=INK, font=font)

    def frames(self) -> Iterator[Image.Image]:
        """Pictures with their words and a thin border, so that they stand on dark pages as well."""
        for frame in self._frames.draw(self._samples):
            picture = Image.new("RGBA", (frame.shape[1], self.height), (*CARD, 255))
            picture.paste(Image.fromarray(frame), (0, 0))
            picture.paste(self._strip, (0, frame.shape[0]))
            ImageDraw.Draw(picture).rectangle((0, 0, picture.width - 1, picture.height - 1), outline=BORDER)
            yield picture

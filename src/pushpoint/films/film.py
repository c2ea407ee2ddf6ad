"""A film of a run, and single frames of it: body, obstacles, contact forces, paths, a key and a clock."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import xarray
from matplotlib.image import imsave

from pushpoint.errors import BadFile, InvalidModel
from pushpoint.films.encoding import encode, ffmpeg, format_of, options
from pushpoint.films.frames import Frames
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Whole, real
from pushpoint.model.quantities import Factor, Natural
from pushpoint.progress import Progress, Report, reporting
from pushpoint.scenery.camera import FILM_WIDTH
from pushpoint.scenery.drawn_run import nearest_samples, read_run
from pushpoint.simulation.run_ids import RUN_ID
from pushpoint.whole_files import write_atomically

LONGEST, MOST = 60.0, 600.0
"""A run that takes longer is shown faster, so that the film takes this long; the longest that can be asked for [s]."""
SHORTEST = 1.0
"""Players show a film that is shorter as a flash: the last frame is kept until then [s]."""
Pixels = Annotated[int, Whole(320, 3840, "a whole number from 320 to 3840 [px]")]
Time = Annotated[float, real("s")]


@checked_arguments
def film(
    run: xarray.Dataset,
    path: str | os.PathLike[str],
    *,
    world: Natural = 0,
    width: Pixels | None = None,
    speed: Factor | None = None,
    start: Time | None = None,
    stop: Time | None = None,
    progress: Progress = False,
) -> Path:
    """Writes a film of a run, MP4 (H.264) or GIF by its name, whole or not at all; it needs the extra `film`.

        run = pp.scenario("transeth2008a/obstacle-aided").run()
        pp.film(run, "run.mp4")
        pp.film(run, "run.gif", width=640, speed=2.0, start=2.0, stop=8.0)  # for a README

    Above the picture stand the scenario's title, a key and the playback speed. Arrows are contact forces, on a scale
    that nine in ten of them fit; the key says where longer ones are cut. `pp.still` draws a single frame.

    Args:
        run: A run as `simulate` returns it, finished or not.
        path: The file to write, ending in .mp4 or .gif.
        world: Which world of a batched run.
        width: Of the film [px], an odd number less one; default: 1280, of a GIF 800.
        speed: How much faster than real time it plays [-]; default: 1, and more for what takes over a minute.
        start: Where in the run the film starts [s]; default: at its first sample.
        stop: Where it stops [s]; default: at its last sample.
        progress: True tells on standard error how much is drawn, in per cent; a function of your own is told the share,
            from 0 to 1.

    Returns:
        The path written.
    """
    target = Path(path)
    made = format_of(target)
    program = ffmpeg(target)
    course = read_run(run, world)
    samples, pace = film_samples(window_of(course.time, start, stop), made.frame_rate, speed)
    frames = Frames(course, width=_even(width or made.width), speed=pace)
    command = [program, *options(made, frames.size, str(run.attrs.get(RUN_ID, "")))]
    with reporting(progress, f"film {target.name}") as report:
        shown = told(frames.draw(nearest_samples(course.time, samples)), len(samples), report)
        return write_atomically(target, lambda place: encode([*command, str(place)], shown))


def told(frames: Iterable[np.ndarray], count: int, report: Report | None) -> Iterator[np.ndarray]:
    """Frames as they are; after each, somebody is told the share that is drawn."""
    for number, frame in enumerate(frames, start=1):
        yield frame
        if report is not None:
            report(number / count)


@checked_arguments
def still(
    run: xarray.Dataset,
    path: str | os.PathLike[str],
    *,
    time: Time | None = None,
    world: Natural = 0,
    width: Pixels = FILM_WIDTH,
    key: bool = True,
) -> Path:
    """Writes one frame of a run's film as a PNG picture, whole or not at all.

        pp.still(run, "stairs.png", time=3.7)

    Args:
        run: A run as `simulate` returns it, finished or not.
        path: The file to write, ending in .png.
        time: When in the run [s], at the nearest sample; default: halfway.
        world: Which world of a batched run.
        width: Of the picture [px], an odd number less one.
        key: Whether title, key and clock stand above the picture.

    Returns:
        The path written.
    """
    target = Path(path)
    if target.suffix.lower() != ".png":
        raise BadFile(target, "the name of a still must end in .png")
    course = read_run(run, world)
    first, last = float(course.time[0]), float(course.time[-1])
    wanted = (first + last) / 2.0 if time is None else time
    _require_inside("time", wanted, first, last)
    frames = Frames(course, width=_even(width), key=key)
    (frame,) = frames.draw([int(nearest_samples(course.time, wanted))])
    said = {RUN_ID: str(run.attrs[RUN_ID])} if RUN_ID in run.attrs else {}
    return write_atomically(target, lambda place: imsave(place, frame, format="png", metadata=said))


def _even(width: int) -> int:
    """H.264 knows even numbers alone."""
    return width - width % 2


def window_of(time: np.ndarray, start: float | None, stop: float | None) -> tuple[float, float]:
    """Start and end of what a film shows of samples at some times [s]."""
    first, last = float(time[0]), float(time[-1])
    begin, end = first if start is None else start, last if stop is None else stop
    _require_inside("start", begin, first, last)
    _require_inside("stop", end, first, last)
    if begin > end:
        raise InvalidModel("start", begin, f"at most the time at which the film stops, {end:g} [s]")
    return begin, end


def _require_inside(name: str, value: float, first: float, last: float) -> None:
    slack = 1e-9 + 1e-6 * (last - first)
    if not first - slack <= value <= last + slack:
        raise InvalidModel(name, value, f"from {first:g} to {last:g} [s], which the run holds")


def film_samples(
    window: tuple[float, float], frame_rate: float, speed: float | None = None
) -> tuple[np.ndarray, float]:
    """The time in the run that each frame shows [s], and how much faster than real time they are played."""
    duration = window[1] - window[0]
    pace = max(1.0, duration / LONGEST) if speed is None else speed
    if duration / pace > MOST:
        raise InvalidModel("speed", pace, f"at least {duration / MOST:.3g}: a film takes at most {MOST:g} s")
    count = int(np.floor(duration * frame_rate / pace + 1e-6)) + 1
    shown = window[0] + np.arange(count) * pace / frame_rate
    still = max(0, round(SHORTEST * frame_rate) - count)
    return np.concatenate([shown, np.full(still, window[1])]), pace

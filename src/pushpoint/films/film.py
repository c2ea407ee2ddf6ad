"""A film of a run: body, obstacles, contact forces and a clock, in real time.

The ground is drawn once; a frame is a copy of what the camera sees of it, with the body and the arrows on top.
"""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import xarray
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Polygon
from matplotlib.path import Path as Outline

from pushpoint.errors import BadFile, MissingExtra
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.scenery.camera import PicturePlan, camera_path, plan_picture
from pushpoint.scenery.drawn_run import DrawnRun, nearest_samples, read_run
from pushpoint.scenery.palette import BLUE, FORCE_COLOR, GREY, INK, NUMBER_COLOR, ORANGE, PALE, PATCH_LOOKS, paler
from pushpoint.scenery.scene import LIFTED, SpatialScene
from pushpoint.scenery.shapes import capsules
from pushpoint.scenery.surroundings import LARGEST_TYPE, law_place, law_words
from pushpoint.simulation.run_ids import RUN_ID
from pushpoint.whole_files import write_atomically

FRAME_RATE, PIXELS_PER_INCH = 25, 100
LONGEST = 60.0
"""A run that takes longer is shown faster, so that the film takes this long [s]."""
SHORTEST = 1.0
"""Players show a film that is shorter as a flash: the last frame is kept until then [s]."""
HEADER = 52
"""Height of the line with name, clock and key [px]."""
SHAFT = 5.0
"""Thickness of an arrow's shaft [px]."""


@checked_arguments
def film(run: xarray.Dataset, path: str | os.PathLike[str], *, world: Natural = 0) -> Path:
    """Writes a film of a run as an MP4 file (H.264), whole or not at all; it needs the extra `film`.

    Args:
        run: A run as `simulate` returns it, finished or not.
        path: The file to write, ending in .mp4.
        world: Which world of a batched run.

    Returns:
        The path written.
    """
    target = Path(path)
    if target.suffix.lower() != ".mp4":
        raise BadFile(target, "the name of a film must end in .mp4")
    program = _ffmpeg(target)
    made = Film(read_run(run, world))
    command = [program, *_options(made.size, str(run.attrs.get(RUN_ID, "")))]
    return write_atomically(target, lambda place: _encode([*command, str(place)], made.frames()))


def film_samples(time: np.ndarray) -> tuple[np.ndarray, float]:
    """The sample that each frame shows, and how much faster than real time they are played."""
    duration = float(time[-1] - time[0])
    speed = max(1.0, duration / LONGEST)
    count = int(np.floor(duration * FRAME_RATE / speed + 1e-6)) + 1
    wanted = time[0] + np.arange(count) * speed / FRAME_RATE
    samples = nearest_samples(time, wanted)
    still = max(0, round(SHORTEST * FRAME_RATE) - count)
    return np.concatenate([samples, np.full(still, samples[-1])]), speed


class PlanarScene:
    """Draws ground and body of a run in the plane."""

    def __init__(self, course: DrawnRun) -> None:
        self._course = course
        self.plan = plan_picture(np.concatenate([course.body_box, course.near_obstacles]), course.length)
        self.picture = _draw_ground(course, self.plan)
        edge = min(1.0, self.plan.scale * float(course.radius.mean()) / 12.0)
        self.body, self.head = _patch(BLUE, edge), _patch(ORANGE, edge)

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (n, 2)."""
        return points

    def show(self, picture: np.ndarray, sample: int, center: np.ndarray) -> np.ndarray:
        """Fills a picture with the ground and poses the body; returns the corners of the picture [m], shape (2, 2)."""
        rows, columns, box = self.plan.region(center)
        picture[:] = self.picture[rows, columns]
        # The outlines turn the same way, so that their union is filled once.
        outlines = [Outline(np.concatenate([each, each[:1]]), closed=True) for each in self._course.outlines(sample)]
        self.body.set_path(Outline.make_compound_path(*outlines))
        self.head.set_path(outlines[-1])
        return box


def _sheet(width: int, height: int) -> Figure:
    """A white figure of so many pixels."""
    # Matplotlib cuts off what is behind the point: 406 pixels as 4.06 inches were 405.
    size = ((width + 0.01) / PIXELS_PER_INCH, (height + 0.01) / PIXELS_PER_INCH)
    return Figure(figsize=size, dpi=PIXELS_PER_INCH, facecolor="white")


def _draw_ground(course: DrawnRun, plan: PicturePlan) -> np.ndarray:
    """The whole ground with a grid, regions and obstacles, shape (height, width, 4)."""
    box, grid = plan.box, plan.grid
    figure = _sheet(*plan.pixels)
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    axes.set(xlim=box[:, 0], ylim=box[:, 1])
    for axis, draw in enumerate((axes.axvline, axes.axhline)):
        for place in grid * np.arange(np.ceil(box[0, axis] / grid), box[1, axis] / grid):
            draw(place, color=PALE, linewidth=0.8, zorder=0.1)
    scale, words = plan.scale / PIXELS_PER_INCH, dict[str, Any](color=NUMBER_COLOR, ha="center", zorder=2.0)
    for region, (face, hatch) in zip(course.scenery.regions, cycle(PATCH_LOOKS), strict=False):
        look: dict[str, Any] = {"facecolor": face, "edgecolor": GREY, "hatch": hatch, "linewidth": 0.4, "alpha": 0.7}
        with matplotlib.rc_context({"hatch.linewidth": 0.3}):
            axes.add_patch(Polygon(np.array(region.vertices), **look))
        if (place := law_place(region, box, scale)) is not None:
            back = {"facecolor": "white", "alpha": 0.7, "linewidth": 0.0, "pad": 1.0}
            axes.text(*place, law_words(region.friction), size=LARGEST_TYPE, va="bottom", bbox=back, **words)
    for solid in course.scenery.inside(box):
        axes.add_patch(Polygon(solid.outline(), facecolor=solid.color(scale), edgecolor=GREY, linewidth=0.6))
        if size := solid.number_size(scale):
            x, y = solid.center.tolist()
            axes.text(x, y, str(solid.number), size=size, va="center", **words)
    canvas.draw()
    return np.array(canvas.buffer_rgba())


class Film:
    """Draws the frames of a run."""

    def __init__(self, course: DrawnRun) -> None:
        self._course = course
        self._scene = PlanarScene(course) if course.space is None else SpatialScene(course)
        self._scale = course.force_scale
        self._samples, self._speed = film_samples(course.time)
        width, height = self._scene.plan.window
        self.size = (width, height + HEADER)
        figure = _sheet(width, height + HEADER)
        self._canvas: Any = FigureCanvasAgg(figure)  # matplotlib leaves its methods without types
        self._axes = figure.add_axes((0.0, 0.0, 1.0, height / (height + HEADER)))
        self._axes.axis("off")
        self._clock = figure.text(0.0, 0.0, "", size=15, weight="bold", color=INK, va="center", ha="right")
        self._clock.set_position(((width - 14) / width, 1.0 - HEADER / 2 / (height + HEADER)))
        self._arrows = _patch(FORCE_COLOR, 0.6)
        patches = [self._scene.body, self._scene.head] if isinstance(self._scene, PlanarScene) else []
        patches.append(self._arrows)
        for patch in patches:
            self._axes.add_patch(patch)
        self._artists = [*patches, self._clock]
        self._header = self._draw_header(figure)

    def frames(self) -> Iterator[np.ndarray]:
        """Pictures as red, green, blue, opacity; the array is the same every time and must be used up at once."""
        picture = np.asarray(self._canvas.buffer_rgba())
        renderer = self._canvas.get_renderer()
        centers = self._scene.flat(camera_path(self._course, self._samples))
        for sample, center in zip(self._samples, centers, strict=True):
            picture[:HEADER] = self._header
            box = self._scene.show(picture[HEADER:], int(sample), center)
            self._axes.set(xlim=box[:, 0], ylim=box[:, 1])
            self._pose(int(sample))
            for artist in self._artists:
                artist.draw(renderer)
            yield picture

    def _pose(self, sample: int) -> None:
        feet, steps = (self._scene.flat(part) for part in self._course.arrows(sample, self._scale))
        self._arrows.set_visible(len(feet) > 0)
        if len(feet):
            shaft = SHAFT / self._scene.plan.scale
            self._arrows.set_path(Outline.make_compound_path(*map(_arrow, feet, steps, [shaft] * len(feet))))
        faster = f"  ({self._speed:.2g} × real time)" if self._speed > 1.0 else ""
        self._clock.set_text(f"{self._course.time[sample]:.2f} s{faster}")

    def _draw_header(self, figure: Figure) -> np.ndarray:
        """The line that never changes: name and key."""
        width, height = self.size
        artists: list[Any] = []

        def write(left: float, below: float, words: str, **look: Any) -> None:
            usual: dict[str, Any] = {"size": 9, "color": INK, "va": "center", "ha": "left", "parse_math": False}
            artists.append(figure.text(left / width, 1 - below / height, words, **usual | look))

        def draw(outline: Outline, color: Any) -> None:
            artists.append(figure.add_artist(PathPatch(outline, facecolor=color, linewidth=0, transform=None)))

        status = f"  (not finished: {self._course.status})" if self._course.status else ""
        write(14, 17, (self._course.name + status)[:90], size=11, weight="bold")
        scale, left = f"grid {self._scene.plan.grid:g} m", 110.0
        slope = abs(self._course.scenery.environment.ground.slope)
        if slope:
            scale, left = f"{scale}, slope {math.degrees(slope):.3g}°", 200.0
        write(14, 38, scale)
        if self._course.lifts:
            for share, words, wide in ((0.0, "carries weight", 142.0), (LIFTED, "lifted", 90.0)):
                places = np.array([[left + 12.0, height - 38.0]]), np.array([[1.0, 0.0]])
                draw(Outline(capsules(*places, np.array([6.0]), np.array([6.0]))[0]), paler(BLUE, share))
                write(left + 30, 38, words)
                left += wide
        if self._scale.key:
            length = self._scale.key * self._scale.meters_per_newton * self._scene.plan.scale
            draw(_arrow(np.array([left, height - 38.0]), np.array([length, 0.0]), SHAFT), FORCE_COLOR)
            write(left + 8 + length, 38, self._scale.words)
        self._canvas.draw()
        header = np.array(self._canvas.buffer_rgba())[:HEADER]
        for artist in artists:
            artist.set_visible(False)
        return header


def _patch(color: str, edge: float) -> PathPatch:
    """Something that moves, not yet anywhere."""
    return PathPatch(Outline(np.zeros((0, 2))), facecolor=color, edgecolor="white", linewidth=edge)


def _arrow(foot: np.ndarray, step: np.ndarray, shaft: float) -> Outline:
    """Outline of an arrow; a short one is all head."""
    length = float(np.hypot(*step))
    along = step / max(length, 1e-12)
    across = np.array([-along[1], along[0]])
    neck = length - min(3.5 * shaft, 0.7 * length)
    local = [(0, 0.5), (neck, 0.5), (neck, 1.6), (length, 0.0), (neck, -1.6), (neck, -0.5), (0, -0.5), (0, 0.5)]
    return Outline([foot + x * along + y * shaft * across for x, y in local], closed=True)


def _ffmpeg(target: Path) -> str:
    """The program that encodes films."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise MissingExtra("a film", "film") from None
    try:
        return str(get_ffmpeg_exe())
    except RuntimeError as error:
        raise BadFile(target, f"no film without ffmpeg ({error})") from None


def _options(size: tuple[int, int], run_id: str) -> list[str]:
    """What ffmpeg is told; the film keeps the id of its run as a comment."""
    options = ["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{size[0]}x{size[1]}"]
    options += ["-r", str(FRAME_RATE), "-i", "-", "-an", "-vcodec", "libx264", "-preset", "veryfast", "-crf", "20"]
    options += ["-metadata", f"comment={RUN_ID}={run_id}"] if run_id else []
    return [*options, "-pix_fmt", "yuv420p", "-movflags", "+faststart"]


def _encode(command: list[str], frames: Iterable[np.ndarray]) -> None:
    """Pipes frames into ffmpeg."""
    piped: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with tempfile.TemporaryFile() as complaints:
        # A pipe that breaks is a program that failed, which says why.
        with contextlib.suppress(BrokenPipeError), subprocess.Popen(command, stderr=complaints, **piped) as process:
            assert process.stdin is not None
            try:
                for frame in frames:
                    process.stdin.write(np.ascontiguousarray(frame).data)
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip().splitlines() or ["no reason given"]
            raise OSError(f"ffmpeg: {said[-1].partition('] ')[2] or said[-1]}")  # without which part of it says so

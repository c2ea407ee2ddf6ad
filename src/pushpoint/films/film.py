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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from pushpoint.errors import BadFile, MissingExtra
from pushpoint.films.planar import PIXELS_PER_INCH, PlanarScene
from pushpoint.scenery.camera import camera_path
from pushpoint.scenery.drawn_run import DrawnRun, arrows, force_scale, nearest_samples, read_run
from pushpoint.scenery.outlines import capsules
from pushpoint.scenery.palette import BLUE, FORCE_COLOR, INK, paler
from pushpoint.scenery.rendering.scene import LIFTED, SpatialScene
from pushpoint.simulation.storage import write_atomically

if TYPE_CHECKING:
    import xarray

FRAME_RATE = 25
LONGEST = 60.0
"""A run that takes longer is shown faster, so that the film takes this long [s]."""
SHORTEST = 1.0
"""Players show a film that is shorter as a flash: the last frame is kept until then [s]."""
HEADER = 52
"""Height of the line with name, clock and key [px]."""
SHAFT = 5.0
"""Thickness of an arrow's shaft [px]."""


def film(run: xarray.Dataset, path: str | os.PathLike[str], *, world: int = 0) -> Path:
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
    return write_atomically(target, lambda place: _encode(program, made.frames(), made.size, place))


def film_samples(time: np.ndarray) -> tuple[np.ndarray, float]:
    """The sample that each frame shows, and how much faster than real time they are played."""
    duration = float(time[-1] - time[0])
    speed = max(1.0, duration / LONGEST)
    count = int(np.floor(duration * FRAME_RATE / speed + 1e-6)) + 1
    wanted = time[0] + np.arange(count) * speed / FRAME_RATE
    samples = nearest_samples(time, wanted)
    still = max(0, round(SHORTEST * FRAME_RATE) - count)
    return np.concatenate([samples, np.full(still, samples[-1])]), speed


class Film:
    """Draws the frames of a run."""

    def __init__(self, course: DrawnRun) -> None:
        self._course = course
        self._scene = PlanarScene(course) if course.space is None else SpatialScene(course)
        self._scale = force_scale(course)
        self._samples, self._speed = film_samples(course.time)
        width, height = self._scene.plan.window
        self.size = (width, height + HEADER)
        figure = Figure(figsize=(width / PIXELS_PER_INCH, (height + HEADER) / PIXELS_PER_INCH), dpi=PIXELS_PER_INCH)
        self._canvas: Any = FigureCanvasAgg(figure)  # matplotlib leaves its methods without types
        self._axes = figure.add_axes((0.0, 0.0, 1.0, height / (height + HEADER)))
        self._axes.axis("off")
        self._clock = figure.text(0.0, 0.0, "", size=15, weight="bold", color=INK, va="center", ha="right")
        self._clock.set_position(((width - 14) / width, 1.0 - HEADER / 2 / (height + HEADER)))
        self._arrows = PathPatch(Outline(np.zeros((0, 2))), facecolor=FORCE_COLOR, edgecolor="white", linewidth=0.6)
        body = self._scene.attach(self._axes) if isinstance(self._scene, PlanarScene) else []
        self._artists = [*body, self._arrows, self._clock]
        self._axes.add_patch(self._arrows)
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
        feet, steps = (self._scene.flat(part) for part in arrows(self._course, sample, self._scale))
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
            whole: dict[str, Any] = {"size": 9, "color": INK, "va": "center", "ha": "left"} | look
            artists.append(figure.text(left / width, 1 - below / height, words, **whole))

        def draw(outline: Outline, color: Any) -> None:
            artists.append(figure.add_artist(PathPatch(outline, facecolor=color, linewidth=0, transform=None)))

        status = f"  (not finished: {self._course.status})" if self._course.status else ""
        write(14, 17, (self._course.name + status)[:90], size=11, weight="bold")
        scale, left = f"grid {self._scene.plan.grid:g} m", 110.0
        slope = self._course.scenery.ground.steepness
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


def _encode(program: str, frames: Iterable[np.ndarray], size: tuple[int, int], path: Path) -> None:
    """Pipes frames into ffmpeg."""
    command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{size[0]}x{size[1]}"]
    command += ["-r", str(FRAME_RATE), "-i", "-", "-an", "-vcodec", "libx264", "-preset", "veryfast", "-crf", "20"]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=complaints)
        assert process.stdin is not None
        try:
            for frame in frames:
                process.stdin.write(np.ascontiguousarray(frame).data)
            process.stdin.close()
            failed = process.wait() != 0
        except BrokenPipeError:
            failed = True
        finally:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            if process.poll() is None:
                process.kill()
            process.wait()
        if failed:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip().splitlines() or ["no reason given"]
            raise OSError(f"ffmpeg: {said[-1]}")

"""Frames into a film file: MP4 (H.264) or GIF, both by ffmpeg."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.errors import BadFile, MissingExtra
from pushpoint.simulation.run_ids import RUN_ID

# One palette for the whole film, made of what changes; without dithering, plain colours stay plain and pack well.
PALETTE = "split[a][b];[a]palettegen=max_colors=128:stats_mode=full[p];[b][p]paletteuse=dither=none:diff_mode=rectangle"


@dataclass(frozen=True)
class Format:
    """A kind of film file."""

    width: int
    """Usual width [px]."""
    frame_rate: float
    """Frames per second [Hz]."""
    options: tuple[str, ...]
    """What ffmpeg is told about it."""


FORMATS = {
    ".mp4": Format(
        1280,
        25.0,
        ("-vcodec", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart"),
    ),
    # A GIF counts time in hundredths of a second: eight of them per frame.
    ".gif": Format(800, 12.5, ("-filter_complex", PALETTE, "-loop", "0", "-f", "gif")),
}
"""By how a file's name ends."""


def format_of(target: Path) -> Format:
    """The format that a file's name asks for; another is refused."""
    if target.suffix.lower() not in FORMATS:
        raise BadFile(target, f"the name of a film must end in {' or '.join(FORMATS)}")
    return FORMATS[target.suffix.lower()]


def ffmpeg(target: Path) -> str:
    """The program that encodes films."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise MissingExtra("a film", "film") from None
    try:
        return str(get_ffmpeg_exe())
    except RuntimeError as error:
        raise BadFile(target, f"no film without ffmpeg ({error})") from None


def options(made: Format, size: tuple[int, int], run_id: str) -> list[str]:
    """What ffmpeg is told of frames of a size [px]; the film keeps the id of its run as a comment."""
    frames = ["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{size[0]}x{size[1]}"]
    comment = ["-metadata", f"comment={RUN_ID}={run_id}"] if run_id else []
    return [*frames, "-r", f"{made.frame_rate:g}", "-i", "-", "-an", *comment, *made.options]


def encode(command: list[str], frames: Iterable[np.ndarray]) -> None:
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

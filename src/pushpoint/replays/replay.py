"""A page that plays a run in 3D in any browser, without server or network.

viser records the scene as its messages to a browser would build and move it, and puts the recording and its own viewer
into one HTML file. No server is started for it.
"""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray

from pushpoint.brief import brief
from pushpoint.errors import BadFile, MissingExtra
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.replays.legend import legend
from pushpoint.replays.moving import MovingParts
from pushpoint.replays.scene import set_scene, stand_obstacles
from pushpoint.replays.sight import set_camera
from pushpoint.scenery.drawn_run import DrawnRun, nearest_samples, read_run
from pushpoint.simulation.run_ids import RUN_ID
from pushpoint.whole_files import write_bytes

if TYPE_CHECKING:
    import viser

FRAME_RATE, LONGEST = 30.0, 1800
"""Frames per second, and frames in all; a long run has fewer per second."""
MOST_POSES = 60_000
"""Poses of a link in all, which bounds the size of the page to a few MB."""
TITLE, END = "<title>Viser</title>", "</body>"


@checked_arguments
def replay(run: xarray.Dataset, path: str | os.PathLike[str], *, world: Natural = 0) -> Path:
    """Writes a page that plays a run in 3D in any browser, whole or not at all; it needs the extra `studio`.

        pp.replay(run, "run.html")

    Title and key stand above the scene; at the lower edge are the time, a slider, and the playback speed, where 1x is
    real time. Drag to turn, scroll to come nearer.

    Args:
        run: A run as `simulate` returns it, finished or not.
        path: The file to write, ending in .html.
        world: Which world of a batched run.

    Returns:
        The path written.
    """
    target = Path(path)
    if target.suffix.lower() != ".html":
        raise BadFile(target, "the name of a replay page must end in .html")
    page = build_replay(read_run(run, world), str(run.attrs.get(RUN_ID, ""))).encode()
    return write_bytes(target, page)


@dataclass(frozen=True)
class Shown:
    """A replay page that a notebook plays where it is returned."""

    __repr__ = brief

    page: str
    """The page."""
    height: int = 480
    """How high it is shown [px]."""

    def _repr_html_(self) -> str:
        look = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.page)}" style="{look}"></iframe>'


def build_replay(course: DrawnRun, run_id: str = "") -> str:
    """The page as text; its head has the id of the run."""
    server = _recorder()
    set_scene(server, course)
    set_camera(server, course)
    moving = MovingParts(server, course)
    recorder = server.get_scene_serializer()
    samples, stands = replay_samples(course), course.scenery
    for sample, following in zip(samples, [*samples[1:], samples[-1]], strict=True):
        moving.pose(int(sample))
        if (scenery := course.scenery_at(int(sample))) is not stands:
            stands = scenery
            stand_obstacles(server, replace(course, scenery=stands))
        recorder.insert_sleep(float(course.time[following] - course.time[sample]))
    # The last frame stays for a moment before the player starts again.
    recorder.insert_sleep(1.0 / FRAME_RATE)
    page = recorder.as_html()
    head = f'<meta name="generator" content="pushpoint {RUN_ID}={html.escape(run_id)}">' if run_id else ""
    page = page.replace(TITLE, f"{head}<title>{html.escape(course.title or course.name)}</title>", 1)
    before, _, after = page.rpartition(END)
    return f"{before}{legend(course)}{END}{after}"


def replay_samples(course: DrawnRun) -> np.ndarray:
    """The samples that the page shows."""
    duration = float(course.time[-1] - course.time[0])
    most = min(LONGEST, MOST_POSES // len(course.radius), int(duration * FRAME_RATE) + 1)
    return np.unique(nearest_samples(course.time, np.linspace(course.time[0], course.time[-1], max(most, 2))))


def _recorder() -> viser.ViserServer:
    try:
        from pushpoint.replays.recorder import Recorder
    except ImportError:
        raise MissingExtra("a replay page", "studio") from None
    return Recorder()

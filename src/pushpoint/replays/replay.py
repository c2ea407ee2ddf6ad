"""A page that plays a run in 3D in any browser, without server or network.

viser records the scene as its messages to a browser would build and move it, and puts the recording and its own viewer
into one HTML file. No server is started for it.
"""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xarray

from pushpoint.brief import brief
from pushpoint.engine.spatial.kinematics import about, product
from pushpoint.errors import BadFile, MissingExtra
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.joints import UP
from pushpoint.model.quantities import Natural
from pushpoint.replays.legend import colors_of, legend
from pushpoint.replays.scene import add_arrows, arrow_thickness, coarse, raised, set_scene
from pushpoint.replays.sight import set_camera
from pushpoint.scenery.drawn_run import DrawnRun, nearest_samples, read_run
from pushpoint.scenery.shapes import Mesh, box_mesh, capsule_mesh
from pushpoint.scenery.wheels import wheel_mesh
from pushpoint.simulation.run_ids import RUN_ID
from pushpoint.whole_files import write_bytes

if TYPE_CHECKING:
    import viser

FRAME_RATE, LONGEST = 30.0, 1800
"""Frames per second, and frames in all; a long run has fewer per second."""
MOST_POSES = 60_000
"""Poses of a link in all, which bounds the size of the page to a few MB."""
# Height of a planar run's arrows in radii of the thickest link: they lie just above it.
ARROW_HEIGHT = 2.0
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


@checked_arguments
def show(run: xarray.Dataset, *, world: Natural = 0) -> Shown:
    """Plays a run inside a notebook, if it is the last line of a cell; elsewhere it only returns the page.

    It needs the extra `studio`.

    Args:
        run: A run as `simulate` returns it, finished or not.
        world: Which world of a batched run.
    """
    return Shown(build_replay(read_run(run, world)))


def build_replay(course: DrawnRun, run_id: str = "") -> str:
    """The page as text; its head has the id of the run."""
    server = _recorder()
    set_scene(server, course)
    set_camera(server, course)
    moving = Moving(server, course)
    recorder = server.get_scene_serializer()
    samples = replay_samples(course)
    for sample, following in zip(samples, [*samples[1:], samples[-1]], strict=True):
        moving.pose(int(sample))
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


WHEEL_COLOR = (31, 31, 31)


class Moving:
    """What moves: links and arrows."""

    def __init__(self, server: viser.ViserServer, course: DrawnRun) -> None:
        self._course = course
        self._level = ARROW_HEIGHT * float(course.radius.max()) + 1.2 * arrow_thickness(course)
        square = np.zeros(len(course.radius), dtype=bool) if course.space is None else course.space.square
        shapes = np.stack([course.half_side, course.radius, square], axis=-1)
        kinds, kind_of = np.unique(shapes, axis=0, return_inverse=True)
        self._links = [np.flatnonzero(kind_of.ravel() == kind) for kind in range(len(kinds))]
        self._colors = self._color(0)
        self._bodies = [
            server.scene.add_batched_meshes_simple(
                f"/snake/links {kind}",
                *_link_mesh(course, int(links[0])),
                *self._poses(0, links)[::-1],
                batched_colors=self._colors[links],
                lod="off",
                flat_shading=kinds[kind, 2] > 0,
            )
            for kind, links in enumerate(self._links)
        ]
        self._wheels = [
            server.scene.add_batched_meshes_simple(
                f"/snake/wheels {size:g}",
                *wheel_mesh(float(size)),
                *self._wheel_poses(0, course.wheels.radius == size)[::-1],
                batched_colors=WHEEL_COLOR,
                lod="off",
            )
            for size in np.unique(course.wheels.radius)
        ]
        self._arrows = add_arrows(server, "/contact forces", self._arrow_ends(0), course)

    def pose(self, sample: int) -> None:
        """Moves all to a sample."""
        colors = self._color(sample)
        for links, body in zip(self._links, self._bodies, strict=True):
            body.batched_positions, body.batched_wxyzs = self._poses(sample, links)
            if not np.array_equal(colors[links], self._colors[links]):
                body.batched_colors = colors[links]
        self._colors = colors
        for size, wheels in zip(np.unique(self._course.wheels.radius), self._wheels, strict=True):
            poses = self._wheel_poses(sample, self._course.wheels.radius == size)
            wheels.batched_positions, wheels.batched_wxyzs = poses
        self._arrows.points = self._arrow_ends(sample)

    def _color(self, sample: int) -> np.ndarray:
        """Colours of all links, shape (n_links, 3)."""
        return colors_of(self._course.carrying(sample))

    def _poses(self, sample: int, links: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions [m] and unit quaternions of links."""
        course = self._course
        position = raised(course.middle[sample, links], course.radius[links] + course.wheels.lift[links])
        if course.space is not None:
            return coarse(position), coarse(course.space.quaternion[sample, links])
        half = np.arctan2(course.along[sample, links, 1], course.along[sample, links, 0]) / 2.0
        nothing = np.zeros(len(links))
        return coarse(position), coarse(np.column_stack([np.cos(half), nothing, nothing, np.sin(half)]))

    def _wheel_poses(self, sample: int, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions [m] and unit quaternions of wheels, their axles along their own y."""
        middle, turn = self._course.frames(sample)
        wheels = self._course.wheels
        quaternion = self._poses(sample, np.arange(len(self._course.radius)))[1][wheels.link]
        skew = np.arctan2(-wheels.axle[:, 0], wheels.axle[:, 1])
        found = product(quaternion, about(UP, skew))
        return coarse(wheels.middles(middle, turn)[which]), coarse(found[which])

    def _arrow_ends(self, sample: int) -> np.ndarray:
        """Foot and tip of every arrow [m], shape (n_arrows, 2, 3)."""
        feet, steps = self._course.arrows(sample, self._course.force_scale)
        return coarse(raised(np.stack([feet, feet + steps], axis=1), self._level))


def _link_mesh(course: DrawnRun, link: int) -> Mesh:
    """A link about the origin, its axis along x."""
    space = course.space
    if space is None or not space.square[link]:
        return capsule_mesh(float(course.half_side[link]), float(course.radius[link]))
    return box_mesh(np.zeros(3), space.half[link] + space.rounding[link], np.eye(3))

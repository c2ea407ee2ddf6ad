"""A page that plays a run in 3D in any browser, without server or network.

viser records the scene as its messages to a browser would build and move it, and puts the recording and its own viewer
into one HTML file. For the recording it opens a server on this machine for a moment; nobody connects to it.
"""

from __future__ import annotations

import contextlib
import html
import io
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.errors import BadFile
from pushpoint.report.course_frames import Course, body_box, near_obstacles, read_course
from pushpoint.report.force_arrows import ForceScale, arrows, body_length, force_scale
from pushpoint.report.solid_shapes import capsule_mesh, prism_mesh
from pushpoint.simulation.storage import write_atomically

if TYPE_CHECKING:
    import viser
    import xarray

    Color = tuple[int, int, int]

FRAME_RATE, LONGEST = 30.0, 1800
"""Frames per second, and frames in all; a long run has fewer per second."""
MOST_POSES = 60_000
"""Poses of a link in all, which bounds the size of the page to a few MB."""
# Darker than in print: the viewer's light makes them paler.
BODY: Color = (0, 90, 160)
HEAD: Color = (225, 120, 0)
SOLID: Color = (150, 150, 155)
ARROW: Color = (200, 30, 0)
PATCHES: tuple[Color, ...] = ((235, 200, 120), (130, 190, 225), (215, 150, 190), (120, 190, 165))
GROUND: Color = (246, 246, 244)
# Heights in radii of the thickest link: obstacles end below the top of the body, arrows lie just above it.
SOLID_HEIGHT, ARROW_HEIGHT = 1.7, 2.0
# Least change of a coordinate that is kept [m or -]: an eighth of a millimeter, so that the file packs well.
GRAIN = 2.0**-13
TITLE = "<title>Viser</title>"


def write_replay(run: xarray.Dataset, path: str | os.PathLike[str]) -> Path:
    """Writes the page, whole or not at all; of a batched run, world 0."""
    target = Path(path)
    if target.suffix.lower() != ".html":
        raise BadFile(target, "the name of a replay page must end in .html")
    page = build_replay(read_course(run))
    return write_atomically(target, lambda place: _write(place, page))


def build_replay(course: Course) -> str:
    """The page as text."""
    scale = force_scale(course)
    with _server() as server:
        _set_scene(server, course)
        _set_camera(server, course)
        moving = Moving(server, course, scale)
        _set_key(server, course, scale)
        recorder = server.get_scene_serializer()
        samples = replay_samples(course)
        for sample, following in zip(samples, [*samples[1:], samples[-1]], strict=True):
            moving.pose(int(sample))
            recorder.insert_sleep(float(course.time[following] - course.time[sample]))
        # The last frame stays for a moment before the player starts again.
        recorder.insert_sleep(1.0 / FRAME_RATE)
        page = recorder.as_html()
    return page.replace(TITLE, f"<title>{html.escape(course.name)}</title>", 1)


def replay_samples(course: Course) -> np.ndarray:
    """The samples that the page shows."""
    duration = float(course.time[-1] - course.time[0])
    most = min(LONGEST, MOST_POSES // len(course.radius), int(duration * FRAME_RATE) + 1)
    wanted = np.linspace(course.time[0], course.time[-1], max(most, 2))
    nearest = np.searchsorted((course.time[1:] + course.time[:-1]) / 2.0, wanted)
    return np.unique(nearest)


@contextlib.contextmanager
def _server() -> Iterator[viser.ViserServer]:
    """A viser server that nobody sees: on this machine alone, without a word on the terminal."""
    import viser

    with contextlib.redirect_stdout(io.StringIO()):
        try:
            server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        except OSError as error:
            raise BadFile("replay.html", f"the recorder needs a port on this machine ({error.strerror})") from None
        server.gui.configure_theme(show_share_button=False)
        try:
            yield server
        finally:
            server.stop()


class Moving:
    """What moves: links and arrows."""

    def __init__(self, server: viser.ViserServer, course: Course, scale: ForceScale) -> None:
        self._course, self._scale = course, scale
        self._level = ARROW_HEIGHT * float(course.radius.max()) + 1.2 * _thickness(course)
        shapes = np.stack([course.half_side, course.radius], axis=-1)
        kinds, kind_of = np.unique(shapes, axis=0, return_inverse=True)
        self._links = [np.flatnonzero(kind_of.ravel() == kind) for kind in range(len(kinds))]
        colors = np.tile(np.array(BODY, dtype=np.uint8), (len(course.radius), 1))
        colors[-1] = HEAD
        self._bodies = []
        for kind, links in enumerate(self._links):
            vertices, faces = capsule_mesh(*kinds[kind])
            position, turn = self._poses(0, links)
            name = f"/snake/links {kind}"
            self._bodies.append(
                server.scene.add_batched_meshes_simple(
                    name, vertices, faces, turn, position, batched_colors=colors[links], lod="off"
                )
            )
        self._arrows = _add_arrows(server, "/contact forces", self._arrow_ends(0), course)

    def pose(self, sample: int) -> None:
        """Moves all to a sample."""
        for links, body in zip(self._links, self._bodies, strict=True):
            body.batched_positions, body.batched_wxyzs = self._poses(sample, links)
        self._arrows.points = self._arrow_ends(sample)

    def _poses(self, sample: int, links: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions [m] and unit quaternions of links."""
        course = self._course
        position = np.column_stack([course.middle[sample, links], course.radius[links]])
        half = np.arctan2(course.along[sample, links, 1], course.along[sample, links, 0]) / 2.0
        nothing = np.zeros(len(links))
        turn = np.column_stack([np.cos(half), nothing, nothing, np.sin(half)])
        return _coarse(position), _coarse(turn)

    def _arrow_ends(self, sample: int) -> np.ndarray:
        """Foot and tip of every arrow [m], shape (n_arrows, 2, 3)."""
        feet, steps = arrows(self._course, sample, self._scale)
        ends = np.stack([feet, feet + steps], axis=1)
        return _coarse(np.concatenate([ends, np.full((len(ends), 2, 1), self._level)], axis=-1))


def _set_scene(server: viser.ViserServer, course: Course) -> None:
    """What stands still: ground, regions, obstacles, and the path of the centre of mass."""
    scene = server.scene
    scene.set_up_direction("+z")
    # The viewer's own lights and surroundings would bleach all colours.
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False)
    scene.add_light_ambient("/light", intensity=1.3)
    scene.add_light_directional("/sun", intensity=2.2, position=(-0.3, -0.5, 1.0))
    box, length = body_box(course), body_length(course)
    low, high = box[0] - 1.5 * length, box[1] + 1.5 * length
    corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    scene.add_mesh_simple("/ground", *prism_mesh([corners], -0.02 * length, 0.0), color=GROUND, flat_shading=True)
    cell = 10.0 ** np.floor(np.log10(length))
    scene.add_grid(
        "/grid",
        width=float(high[0] - low[0]),
        height=float(high[1] - low[1]),
        position=(*(low + high) / 2.0, 1e-3 * length),
        cell_size=cell / 2.0,
        section_size=cell,
        cell_color=(222, 222, 222),
        section_color=(190, 190, 190),
    )
    for k, patch in enumerate(course.scenery.patches):
        mesh = prism_mesh([patch.corners], 0.0, 2e-3 * length)
        scene.add_mesh_simple(f"/regions/{k} {patch.label}", *mesh, color=PATCHES[k % len(PATCHES)], flat_shading=True)
    seen = course.scenery.inside(np.stack([low, high]))
    if seen:
        segments = 48 if len(seen) < 100 else 16
        outlines = [solid.outline(segments) for solid in seen]
        mesh = prism_mesh(outlines, 0.0, SOLID_HEIGHT * float(course.radius.max()))
        scene.add_mesh_simple("/obstacles", *mesh, color=SOLID, flat_shading=True)
    if len(course.center) > 1:
        path = np.column_stack([course.center, np.full(len(course.center), 4e-3 * length)])
        path = path[np.linspace(0, len(path) - 1, min(len(path), 400)).astype(int)]
        ends = _coarse(np.stack([path[:-1], path[1:]], axis=1))
        scene.add_line_segments(
            "/path of the centre of mass", ends, (60, 60, 60), thickness=2.0, thickness_units="screen"
        )


def _set_camera(server: viser.ViserServer, course: Course) -> None:
    """From the side and above, so that the whole way is seen."""
    box, far = _sight(course)
    x, y = box.mean(axis=0)
    server.initial_camera.fov = math.radians(45.0)
    server.initial_camera.position = (float(x), float(y - 0.65 * far), float(0.76 * far))
    server.initial_camera.look_at = (float(x), float(y), 0.0)


def _sight(course: Course) -> tuple[np.ndarray, float]:
    """What should be seen at first [m], shape (2, 2), and from how far [m]."""
    body = body_box(course)
    points = np.concatenate([body, near_obstacles(course, body)])
    box = np.stack([points.min(axis=0), points.max(axis=0)])
    size = box[1] - box[0]
    return box, float(max(0.7 * size[0], 1.7 * size[1], 1.3 * body_length(course)))


def _set_key(server: viser.ViserServer, course: Course, scale: ForceScale) -> None:
    """The name of the run, and an arrow that explains the others, in front of the course."""
    (box, far), thick = _sight(course), _thickness(course)
    front = np.array([box[:, 0].mean() - 0.25 * far, box[0, 1] - 0.07 * far, 2.5 * thick])
    label = course.name + (f" (not finished: {course.status})" if course.status else "")
    server.scene.add_label("/name", label, position=front - np.array([0.0, 0.05 * far, 0.0]))
    if scale.key:
        tip = front + np.array([scale.key * scale.meters_per_newton, 0.0, 0.0])
        _add_arrows(server, "/key", _coarse(np.stack([front, tip])[None]), course)
        server.scene.add_label("/key words", scale.words, position=tip + np.array([2.0 * thick, 0.0, 0.0]))


def _add_arrows(server: viser.ViserServer, name: str, ends: np.ndarray, course: Course) -> viser.ArrowsHandle:
    thick = _thickness(course)
    return server.scene.add_arrows(
        name, ends, ARROW, shaft_radius=thick, head_radius=2.4 * thick, head_length=5.0 * thick
    )


def _thickness(course: Course) -> float:
    """Radius of an arrow's shaft [m]."""
    return max(0.17 * float(course.radius.max()), 0.005 * body_length(course))


def _coarse(values: np.ndarray) -> np.ndarray:
    return (np.round(values / GRAIN) * GRAIN).astype(np.float32)


def _write(place: Path, page: str) -> None:
    place.write_text(page, encoding="utf-8")

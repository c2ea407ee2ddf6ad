"""The words on a replay page, above the scene: title, name, how it plays, and a key."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import cycle

import numpy as np

from pushpoint.replays.scene import ARROW, PATCHES, PATH, PLAN, SOLID, as_light
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import link_colors
from pushpoint.scenery.surroundings import law_words

STYLE = """<style>
.pushpoint { position: fixed; top: 0; left: 0; right: 0; z-index: 5; pointer-events: none; padding: 6px 12px;
  background: rgba(255, 255, 255, 0.85); color: #1f1f1f; font: 12px/1.5 system-ui, sans-serif; }
.pushpoint b { font-size: 14px; } .pushpoint i { color: #5a5a5a; font-style: normal; margin-left: 10px; }
.pushpoint span { white-space: nowrap; margin-right: 16px; }
.pushpoint s { display: inline-block; margin-right: 6px; vertical-align: middle; }
</style>"""
SHAPES = {
    "link": "width: 22px; height: 10px; border-radius: 5px; background: {}",
    "patch": "width: 16px; height: 10px; border: 1px solid #8a8a8a; background: {}",
    "arrow": "width: 0; border: 5px solid transparent; border-left: 22px solid {}; border-right: 0",
    "line": "width: 22px; border-top: 2px solid {}",
    "dot": "width: 9px; height: 9px; border-radius: 5px; border: 1px solid #1f1f1f; background: {}",
}


def colors_of(carries: np.ndarray) -> np.ndarray:
    """Colours of links in the scene, from 0 to 255, shape (n_links, 3)."""
    return as_light(255.0 * link_colors(carries))


def legend(course: DrawnRun) -> str:
    """The words as HTML."""
    title, status = (
        (course.title or course.name).removesuffix("."),
        f"not finished: {course.status}" if course.status else "",
    )
    notes = [course.name if course.title else "", status, "1x is real time"]
    about = "".join(f"<i>{html.escape(note)}</i>" for note in notes if note)
    key = "".join(
        f'<span><s style="{SHAPES[shape].format(css(color))}"></s>{html.escape(words)}</span>'
        for shape, color, words in _entries(course)
    )
    return f'{STYLE}<div class="pushpoint"><b>{html.escape(title)}</b>{about}<br>{key}</div>'


def _entries(course: DrawnRun) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Shape, colour and meaning of all that is in the scene."""
    seen = 255.0 * link_colors(np.array([False, True, True]))
    pale, strong, head = (tuple(color) for color in seen.round().astype(int).tolist())
    yield "link", head, "head"
    if course.lifts:
        yield "link", strong, "carries weight"
        yield "link", pale, "lifted"
    if course.force_scale.key:
        yield "arrow", ARROW, course.force_scale.as_length
    if course.meets_obstacles:
        yield "patch", SOLID, "obstacle"
    for region, color in zip(course.scenery.regions, cycle(PATCHES), strict=False):
        yield "patch", color, law_words(region.friction)
    yield "line", PATH, "path of the centre of mass"
    if course.aim.path is not None:
        yield "line", PLAN, course.aim.path_name
        yield "dot", (255, 255, 255), "its start"
        yield "dot", PLAN, "goal"
    if course.aim.finish is not None:
        yield "line", PLAN, "finishing line"


def css(color: tuple[int, ...]) -> str:
    """A colour as a page writes it."""
    return f"rgb({', '.join(map(str, color))})"

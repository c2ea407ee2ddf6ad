"""The terrain of a film in 3D: drawn once, with how near everything is, so that links can hide behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_rgb

from pushpoint.films.ground_casting import draw_ground
from pushpoint.films.ray_casting import Hits, cast_boxes, cast_cylinders
from pushpoint.films.stage import Plan, Stage, plan_stage
from pushpoint.scenery.course_frames import Course, body_box, near_obstacles
from pushpoint.scenery.force_arrows import body_length
from pushpoint.scenery.space import View
from pushpoint.scenery.terrain import Block, GroundShape, Post

# The camera looks down at this angle, from behind and from the right: its horizontal is turned from the direction of
# travel by the other one [rad]. Steps that rise ahead show their risers.
ELEVATION, ASIDE = math.radians(35.0), math.radians(30.0)
# A ground that is seen at less than this sine is looked at from the other side.
GRAZING = 0.2
SEEN_SHARE, MOST_PIXELS = 0.75, 1.2e7
SOLID, EDGE = "#c4c4c8", "#6f6f74"
# Brightness of a surface in the shade, and what full light adds to it.
SHADE, LIT = 0.62, 0.5


@dataclass(frozen=True, kw_only=True)
class Terrace:
    """A stage in 3D."""

    stage: Stage
    """Its picture."""
    near: np.ndarray
    """How near what is seen is to the viewer [m], shape of the picture."""
    view: View
    """Where the viewer stands."""


def film_view(course: Course) -> View:
    """A look from above at the way of a robot."""
    assert course.space is not None
    heading = math.atan2(course.travel[1], course.travel[0]) - ASIDE
    views = [_look(heading), _look(heading + math.pi)]
    return views[0] if float(course.space.terrain.ground.normal @ views[0].toward) > GRAZING else views[1]


def _look(heading: float) -> View:
    right = np.array([math.cos(heading), math.sin(heading), 0.0])
    away = np.array([-right[1], right[0], 0.0])
    return View(right=right, up=math.sin(ELEVATION) * away + math.cos(ELEVATION) * np.array([0.0, 0.0, 1.0]))


def build_terrace(course: Course) -> Terrace:
    """Draws the terrain around the body's whole way."""
    assert course.space is not None
    terrain = course.space.terrain
    view = film_view(course)
    # Seen aslant, a body is shorter than it is.
    plan = plan_stage(_seen(course, view), SEEN_SHARE * body_length(course), MOST_PIXELS)
    picture, near = draw_ground(terrain.ground, course.scenery.patches, view, plan)
    solids: list[Block | Post] = [*terrain.blocks, *terrain.posts]
    for solid in sorted(solids, key=lambda solid: _nearness(solid, terrain.ground, view)):
        if isinstance(solid, Block):
            _add_block(picture, near, solid, view, plan)
        else:
            _add_post(picture, near, _post_ends(course, solid), solid.radius, view, plan)
    return Terrace(stage=Stage(picture=picture, **plan.place), near=near, view=view)


def _seen(course: Course, view: View) -> np.ndarray:
    """Places in the picture that the film should show [m], shape (n, 2): the body, its shadow, and what is near."""
    assert course.space is not None
    ground, body = course.space.terrain.ground, body_box(course)
    middle = course.middle.reshape(-1, 3)
    beside = near_obstacles(course, body)
    low = np.concatenate([middle[:, :2], beside])
    shadow = np.column_stack([low, ground.height(low)])
    high = np.column_stack([beside, np.full(len(beside), body[1, 2])])
    points = view.flat(np.concatenate([middle, shadow, high]))
    thick = float(course.radius.max())
    return np.concatenate([points - thick, points + thick])


def _nearness(solid: Block | Post, ground: GroundShape, view: View) -> float:
    middle = solid.center
    if isinstance(solid, Post):
        middle = np.array([*solid.center, ground.height(solid.center[None])[0]])
    return float(middle @ view.toward)


def post_top(course: Course, post: Post) -> float:
    """Height at which the drawing of a peg ends [m]: above the links that come near it."""
    assert course.space is not None
    thick = float(course.radius.max())
    reach = post.radius + float(course.half_side.max()) + 2.0 * thick
    beside = np.linalg.norm(course.middle[..., :2] - post.center, axis=-1) < reach
    highest = float(course.middle[beside][:, 2].max(initial=-np.inf))
    return max(float(course.space.terrain.ground.height(post.center[None])[0]) + 3.0 * thick, highest + 1.5 * thick)


def _post_ends(course: Course, post: Post) -> np.ndarray:
    """Lower and upper end of a peg's axis [m], shape (2, 1, 3); the lower one is well below the ground."""
    top = post_top(course, post)
    bottom = top - 4.0 * post.radius - 10.0 * float(course.radius.max())
    return np.array([[(*post.center, bottom)], [(*post.center, top)]])


def _add_block(picture: np.ndarray, near: np.ndarray, block: Block, view: View, plan: Plan) -> None:
    window = plan.window_of(view.flat(block.corners))
    if window is None:
        return
    u, v = plan.pixels_of(*window)
    basis = view.basis
    center, turn = block.center[None] @ basis.T, (basis @ block.turn)[None]
    _blend(picture[window], near[window], cast_boxes(center, block.half[None], turn, u, v, plan.scale))


def _add_post(picture: np.ndarray, near: np.ndarray, ends: np.ndarray, radius: float, view: View, plan: Plan) -> None:
    points = view.flat(ends[:, 0])
    window = plan.window_of(np.concatenate([points - radius, points + radius]))
    if window is None:
        return
    u, v = plan.pixels_of(*window)
    hits = cast_cylinders(ends @ view.basis.T, np.array([radius]), u, v, plan.scale)
    _blend(picture[window], near[window], hits)


def _blend(picture: np.ndarray, near: np.ndarray, hits: Hits) -> None:
    """Draws a solid over what is behind it."""
    seen = hits.near[0] > near
    share = np.where(seen, hits.cover[0], 0.0)[..., None]
    bright = (SHADE + LIT * np.clip(hits.light[0], 0.0, 1.0))[..., None]
    line = 0.8 * hits.line[0][..., None]
    color = 255.0 * ((1.0 - line) * np.minimum(bright * np.array(to_rgb(SOLID)), 1.0) + line * np.array(to_rgb(EDGE)))
    picture[..., :3] = (picture[..., :3] * (1.0 - share) + share * color).astype(np.uint8)
    np.copyto(near, hits.near[0], where=share[..., 0] > 0.5, casting="same_kind")

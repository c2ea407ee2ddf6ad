"""Solids seen from far away: how near their surface is in every pixel, how it is lit, and how much of it they fill.

All is in the coordinates of a view: u to the right, v upward, d toward the viewer [m]. Rays run along d, so that every
solid has a closed form; arrays are (n_solids, height, width).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Where the light comes from: left, above and behind the viewer's shoulder.
LIGHT = (-0.352, 0.755, 0.553)
TINY = 1e-9


@dataclass(frozen=True)
class Hits:
    """What rays meet."""

    near: np.ndarray
    """How near the surface is, along d [m]."""
    light: np.ndarray
    """Cosine between surface normal and light [-]; negative in shade."""
    cover: np.ndarray
    """Share of the pixel that is filled [-]; the border is smooth."""
    line: np.ndarray
    """Share of the pixel on an edge or, of a capsule, on the ring where its side ends [-]."""


def cast_capsules(ends: np.ndarray, radius: np.ndarray, u: np.ndarray, v: np.ndarray, scale: float) -> Hits:
    """Capsules.

    Args:
        ends: Both ends of their axes [m], shape (2, n, 3).
        radius: Radii [m], shape (n,).
        u: Columns of the pixels [m], shape (n, 1, width).
        v: Rows of the pixels [m], shape (n, height, 1).
        scale: Pixels per meter [1/m].
    """
    tube = _cast_tubes(ends, radius, u, v)
    (along_u, along_v, along_d), r, place = tube.along, tube.radius, tube.place
    # Beyond an end of the axis the surface is that of a ball about the end.
    inside = np.clip(place, 0.0, tube.length)
    qu, qv = tube.du - inside * along_u, tube.dv - inside * along_v
    ball = np.sqrt(np.maximum(r**2 - qu**2 - qv**2, 0.0))
    up = np.where(place == inside, tube.risen - inside * along_d, ball)
    light = (qu * LIGHT[0] + qv * LIGHT[1] + up * LIGHT[2]) / r
    nearest = np.clip(tube.ahead / tube.in_picture, 0.0, tube.length)
    off = np.hypot(tube.du - nearest * along_u, tube.dv - nearest * along_v)
    cover = np.clip(0.5 + (r - off) * scale, 0.0, 1.0)
    ring = np.minimum(np.abs(place), np.abs(place - tube.length))
    return Hits(tube.start + inside * along_d + up, light, cover, np.clip(1.4 - ring * scale, 0.0, 1.0))


def cast_cylinders(ends: np.ndarray, radius: np.ndarray, u: np.ndarray, v: np.ndarray, scale: float) -> Hits:
    """Cylinders that are flat at their upper, nearer end; arguments as those of `cast_capsules`, lower end first."""
    tube = _cast_tubes(ends, radius, u, v)
    (along_u, along_v, along_d), r, place, length = tube.along, tube.radius, tube.place, tube.length
    on_side = (place >= 0.0) & (place <= length)
    qu, qv = tube.du - length * along_u, tube.dv - length * along_v
    lid = -(qu * along_u + qv * along_v) / np.maximum(along_d, TINY)
    off = np.sqrt(qu**2 + qv**2 + lid**2)
    on_lid = np.clip(0.5 + (r - off) * scale * along_d, 0.0, 1.0)
    side = np.where(on_side, np.clip(0.5 + (r - np.sqrt(tube.aside)) * scale, 0.0, 1.0), 0.0)
    is_lid = on_lid >= np.where(on_side, 0.5, TINY)
    near = tube.start + np.where(is_lid, length * along_d + lid, tube.risen)
    lit_u, lit_v = tube.du - place * along_u, tube.dv - place * along_v
    light = (lit_u * LIGHT[0] + lit_v * LIGHT[1] + (tube.risen - place * along_d) * LIGHT[2]) / r
    lid_light = along_u * LIGHT[0] + along_v * LIGHT[1] + along_d * LIGHT[2]
    border = np.clip(1.2 - np.abs(r - off) * scale * along_d, 0.0, 1.0)
    return Hits(near, np.where(is_lid, lid_light, light), np.maximum(on_lid, side), border)


@dataclass(frozen=True, kw_only=True)
class Tubes:
    """Where rays meet round tubes without ends."""

    along: list[np.ndarray]
    """Direction of the axes: u, v and d [-]."""
    start: np.ndarray
    """Nearness of the axes' first ends [m]."""
    length: np.ndarray
    """Lengths of the axes [m]."""
    radius: np.ndarray
    """Radii [m]."""
    in_picture: np.ndarray
    """Share of an axis that is seen, squared [-]; never zero."""
    du: np.ndarray
    """From the first end to the pixel, to the right [m]."""
    dv: np.ndarray
    """From the first end to the pixel, upward [m]."""
    ahead: np.ndarray
    """From the first end to the pixel, along the axis [m]."""
    aside: np.ndarray
    """Distance of the pixel from the axis in the picture, squared [m^2]."""
    risen: np.ndarray
    """How much nearer than the first end the surface is [m]."""
    place: np.ndarray
    """Where along the axis that is [m]."""


def _cast_tubes(ends: np.ndarray, radius: np.ndarray, u: np.ndarray, v: np.ndarray) -> Tubes:
    step = ends[1] - ends[0]
    size = np.linalg.norm(step, axis=-1)
    unit = np.where(size[:, None] > TINY, step / np.maximum(size, TINY)[:, None], (1.0, 0.0, 0.0))
    along, r = [_spread(part) for part in unit.T], _spread(radius)
    in_picture = np.maximum(along[0] ** 2 + along[1] ** 2, TINY)
    du, dv = u - _spread(ends[0][:, 0]), v - _spread(ends[0][:, 1])
    ahead = du * along[0] + dv * along[1]
    aside = (du * along[1] - dv * along[0]) ** 2 / in_picture
    risen = (along[2] * ahead + np.sqrt(in_picture * np.maximum(r**2 - aside, 0.0))) / in_picture
    return Tubes(
        along=along,
        start=_spread(ends[0][:, 2]),
        length=_spread(size),
        radius=r,
        in_picture=in_picture,
        du=du,
        dv=dv,
        ahead=ahead,
        aside=aside,
        risen=risen,
        place=ahead + risen * along[2],
    )


def cast_boxes(
    center: np.ndarray, half: np.ndarray, turn: np.ndarray, u: np.ndarray, v: np.ndarray, scale: float
) -> Hits:
    """Boxes.

    Args:
        center: Middles [m], shape (n, 3).
        half: Half of the edges [m], shape (n, 3).
        turn: Axes as columns, shape (n, 3, 3).
        u: Columns of the pixels [m], shape (n, 1, width).
        v: Rows of the pixels [m], shape (n, height, 1).
        scale: Pixels per meter [1/m].
    """
    steep = np.where(np.abs(turn[:, 2]) < 1e-6, 1e-6, turn[:, 2])
    # Along a ray, the two faces across an axis are met at -level - half / |steep| and -level + half / |steep|.
    slope_u, slope_v = (turn[:, :2] / steep[:, None]).transpose(1, 0, 2)
    du, dv = u - _spread(center[:, 0]), v - _spread(center[:, 1])
    levels = [_spread(slope_u[:, k]) * du + _spread(slope_v[:, k]) * dv for k in range(3)]
    reach = [_spread(half[:, k] / np.abs(steep[:, k])) for k in range(3)]
    fronts = np.stack([size - level for size, level in zip(reach, levels, strict=True)])
    front = fronts.min(axis=0)
    inside, edge = [], []
    for k, other in ((0, 1), (0, 2), (1, 2)):
        # By how much the distance of two faces along a ray changes per length in the picture.
        apart = np.hypot(slope_u[:, k] - slope_u[:, other], slope_v[:, k] - slope_v[:, other])
        change = _spread(np.maximum(apart, TINY))
        edge.append((np.maximum(fronts[k], fronts[other]) - front) / change)
        inside.append((fronts[k] + reach[other] + levels[other]) / change)
        inside.append((fronts[other] + reach[k] + levels[k]) / change)
    within = np.minimum.reduce(inside)
    lit = np.sign(steep) * np.einsum("nij,i->nj", turn, np.array(LIGHT))
    faces = np.argmin(fronts, axis=0)
    light = np.take_along_axis(lit[:, :, None, None].astype(np.float32), faces[:, None], axis=1)[:, 0]
    line = np.minimum(np.minimum.reduce(edge), np.abs(within))
    return Hits(
        _spread(center[:, 2]) + front,
        light,
        np.clip(0.5 + within * scale, 0.0, 1.0),
        np.clip(1.2 - line * scale, 0.0, 1.0),
    )


def _spread(values: np.ndarray) -> np.ndarray:
    return values[:, None, None].astype(np.float32)

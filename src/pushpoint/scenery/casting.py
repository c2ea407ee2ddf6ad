"""Solids seen from far away: how near their surface is in every pixel, how it is lit, how much of it they fill; and the
picture that they are drawn into.

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


def cast_tubes(
    ends: np.ndarray, radius: np.ndarray, u: np.ndarray, v: np.ndarray, scale: float, *, lids: bool = False
) -> Hits:
    """Capsules, or cylinders that are flat at their upper, nearer end.

    Args:
        ends: Both ends of their axes [m], lower ones of cylinders first, shape (2, n, 3).
        radius: Radii [m], shape (n,).
        u: Columns of the pixels [m], shape (n, 1, width).
        v: Rows of the pixels [m], shape (n, height, 1).
        scale: Pixels per meter [1/m].
        lids: Whether they are cylinders.
    """
    (au, av, ad), length = _axes(ends)
    r, level = _spread(radius), _spread(ends[0][:, 2])
    # Where a ray meets the tube without its ends: so much nearer than the first end, there along the axis.
    seen = np.maximum(au**2 + av**2, TINY)
    du, dv = u - _spread(ends[0][:, 0]), v - _spread(ends[0][:, 1])
    ahead = du * au + dv * av
    aside = (du * av - dv * au) ** 2 / seen
    risen = (ad * ahead + np.sqrt(seen * np.maximum(r**2 - aside, 0.0))) / seen
    place = ahead + risen * ad
    if lids:
        on_side = (place >= 0.0) & (place <= length)
        qu, qv = du - length * au, dv - length * av
        lid = -(qu * au + qv * av) / np.maximum(ad, TINY)
        inward = (r - np.sqrt(qu**2 + qv**2 + lid**2)) * scale * ad
        on_lid = np.clip(0.5 + inward, 0.0, 1.0)
        side = np.where(on_side, np.clip(0.5 + (r - np.sqrt(aside)) * scale, 0.0, 1.0), 0.0)
        is_lid = on_lid >= np.where(on_side, 0.5, TINY)
        light = np.where(is_lid, _lit(au, av, ad), _lit(du - place * au, dv - place * av, risen - place * ad) / r)
        near = level + np.where(is_lid, length * ad + lid, risen)
        return Hits(near, light, np.maximum(on_lid, side), np.clip(1.2 - np.abs(inward), 0.0, 1.0))
    # Beyond an end of the axis the surface is that of a ball about the end.
    inside = np.clip(place, 0.0, length)
    qu, qv = du - inside * au, dv - inside * av
    up = np.where(place == inside, risen - inside * ad, np.sqrt(np.maximum(r**2 - qu**2 - qv**2, 0.0)))
    nearest = np.clip(ahead / seen, 0.0, length)
    off = np.hypot(du - nearest * au, dv - nearest * av)
    ring = np.minimum(np.abs(place), np.abs(place - length))
    line = np.clip(1.4 - ring * scale, 0.0, 1.0)
    return Hits(level + inside * ad + up, _lit(qu, qv, up) / r, np.clip(0.5 + (r - off) * scale, 0.0, 1.0), line)


def cast_bores(ends: np.ndarray, radius: np.ndarray, u: np.ndarray, v: np.ndarray, scale: float) -> Hits:
    """The far halves of pipes, seen from inside; the near ones would hide what crawls there. Arguments as above."""
    (au, av, ad), length = _axes(ends)
    r, seen = _spread(radius), np.maximum(au**2 + av**2, TINY)
    du, dv = u - _spread(ends[0][:, 0]), v - _spread(ends[0][:, 1])
    ahead = du * au + dv * av
    aside = (du * av - dv * au) ** 2 / seen
    risen = (ad * ahead - np.sqrt(seen * np.maximum(r**2 - aside, 0.0))) / seen
    place = ahead + risen * ad
    inside = np.minimum(np.minimum(place, length - place), r - np.sqrt(aside))
    light = -_lit(du - place * au, dv - place * av, risen - place * ad) / r
    cover, line = np.clip(0.5 + inside * scale, 0.0, 1.0), np.clip(1.2 - inside * scale, 0.0, 1.0)
    return Hits(_spread(ends[0][:, 2]) + risen, light, cover, line)


def _axes(ends: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Unit vectors from first to second ends, as u, v, d, and their distances [m]."""
    step = ends[1] - ends[0]
    size = np.linalg.norm(step, axis=-1)
    unit = np.where(size[:, None] > TINY, step / np.maximum(size, TINY)[:, None], (1.0, 0.0, 0.0))
    return tuple(_spread(part) for part in unit.T), _spread(size)


def _lit(u: np.ndarray, v: np.ndarray, d: np.ndarray) -> np.ndarray:
    return u * LIGHT[0] + v * LIGHT[1] + d * LIGHT[2]


def cast_boxes(
    center: np.ndarray, half: np.ndarray, turn: np.ndarray, u: np.ndarray, v: np.ndarray, scale: float
) -> Hits:
    """Boxes: their middles [m], shape (n, 3), half edges [m] likewise, axes as columns; pixels as in `cast_tubes`."""
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
    cover, line = np.clip(0.5 + within * scale, 0.0, 1.0), np.clip(1.2 - line * scale, 0.0, 1.0)
    return Hits(_spread(center[:, 2]) + front, light, cover, line)


def cast_convex(points: np.ndarray, faces: np.ndarray, u: np.ndarray, v: np.ndarray, scale: float) -> Hits:
    """A convex solid: a point [m] and the outward normal of each face, shape (n, 3) both; pixels as in `cast_tubes`."""
    steep = np.where(np.abs(faces[:, 2]) < 1e-6, 1e-6, faces[:, 2])
    offset = np.sum(points * faces, axis=1) / steep
    slope_u, slope_v = faces[:, 0] / steep, faces[:, 1] / steep
    # Where rays meet the planes of the faces: the nearest of those that face the viewer, the farthest of the others.
    levels = np.stack([o - a * u[0] - b * v[0] for o, a, b in zip(offset, slope_u, slope_v, strict=True)])
    front, back = np.flatnonzero(steep > 0.0), np.flatnonzero(steep <= 0.0)
    near = levels[front].min(axis=0)
    inside, edge = [], []
    for k in front:
        for other in range(len(faces)):
            change = max(np.hypot(slope_u[k] - slope_u[other], slope_v[k] - slope_v[other]), TINY)
            if other in back:
                inside.append((levels[k] - levels[other]) / change)
            elif other > k:
                edge.append((np.maximum(levels[k], levels[other]) - near) / change)
    within = np.minimum.reduce(inside)
    light = (faces @ np.array(LIGHT))[front][np.argmin(levels[front], axis=0)]
    line = np.minimum.reduce([*edge, np.abs(within)])
    cover, line = np.clip(0.5 + within * scale, 0.0, 1.0), np.clip(1.2 - line * scale, 0.0, 1.0)
    return Hits(near[None], light[None], cover[None], line[None])


def _spread(values: np.ndarray) -> np.ndarray:
    return values[:, None, None].astype(np.float32)


@dataclass(frozen=True)
class Cutouts:
    """Parts of a picture, all of one size."""

    parts: list[tuple[slice, slice]]
    """Rows and columns of each."""
    u: np.ndarray
    """Middles of the columns [m], shape (n, 1, wide)."""
    v: np.ndarray
    """Middles of the rows [m], shape (n, tall, 1)."""


@dataclass(frozen=True)
class Canvas:
    """A picture in the making."""

    picture: np.ndarray
    """Red, green, blue, opacity, upper row first, shape (height, width, 4)."""
    still: np.ndarray
    """How near the terrain is [m], shape (height, width)."""
    near: np.ndarray
    """How near what was drawn so far is [m], shape (height, width)."""
    box: np.ndarray
    """Corners of the picture [m], shape (2, 2)."""
    scale: float
    """Pixels per meter [1/m]."""

    def windows(self, low: np.ndarray, high: np.ndarray) -> Cutouts:
        """Cutouts that hold boxes between lower left and upper right corners [m], shape (n, 2) each."""
        size = np.array(self.still.shape[::-1])
        first = np.floor((low - self.box[0]) * self.scale).astype(int) - 1
        last = np.ceil((high - self.box[0]) * self.scale).astype(int) + 1
        wide, tall = (int(side) for side in np.minimum((last - first).max(axis=0), size))
        left, bottom = np.clip(first, 0, size - (wide, tall)).T
        top = size[1] - bottom - tall
        u = self.box[0, 0] + (left[:, None] + np.arange(wide) + 0.5) / self.scale
        v = self.box[0, 1] + (size[1] - top[:, None] - np.arange(tall) - 0.5) / self.scale
        corners = zip(top.tolist(), left.tolist(), strict=True)
        parts = [(slice(row, row + tall), slice(column, column + wide)) for row, column in corners]
        # Single precision is finer than any pixel and twice as fast.
        return Cutouts(parts, u[:, None, :].astype(np.float32), v[:, :, None].astype(np.float32))

    def darken(self, windows: Cutouts, shade: np.ndarray, darkness: float) -> None:
        """Darkens windows by a share of shape (n, tall, wide); where several meet, the largest holds."""
        whole = np.zeros(self.still.shape, dtype=np.float32)
        for part, values in zip(windows.parts, shade, strict=True):
            np.maximum(whole[part], values, out=whole[part])
        sides = zip(*windows.parts, strict=True)
        rows, columns = (slice(min(one.start for one in side), max(one.stop for one in side)) for side in sides)
        seen = self.picture[rows, columns, :3]
        seen[:] = seen * (1.0 - darkness * whole[rows, columns, None])

    def blend(
        self, part: tuple[slice, slice], near: np.ndarray, cover: np.ndarray, color: np.ndarray, ghost: float = 0.0
    ) -> None:
        """Draws over what is behind; where it is behind the terrain itself, a share of `ghost` shines through."""
        ahead = near > self.near[part]
        share = cover * np.where(ahead, 1.0, np.where(near < self.still[part], ghost, 0.0))
        seen = self.picture[part][..., :3]
        seen[:] = seen + share[..., None] * (color - seen)
        np.copyto(self.near[part], near, where=ahead & (cover > 0.5), casting="same_kind")

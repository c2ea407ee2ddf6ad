"""A picture with how near everything in it is, and windows on it around things of about the same size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cutouts:
    """Parts of a picture, all of one size."""

    top: np.ndarray
    """First rows [px], shape (n,)."""
    left: np.ndarray
    """First columns [px], shape (n,)."""
    tall: int
    """Height of all [px]."""
    wide: int
    """Width of all [px]."""
    u: np.ndarray
    """Middles of the columns [m], shape (n, 1, wide)."""
    v: np.ndarray
    """Middles of the rows [m], shape (n, tall, 1)."""

    def part(self, number: int) -> tuple[slice, slice]:
        """Rows and columns of one of them."""
        top, left = int(self.top[number]), int(self.left[number])
        return slice(top, top + self.tall), slice(left, left + self.wide)


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
        # Single precision is finer than any pixel and twice as fast.
        return Cutouts(top, left, tall, wide, u[:, None, :].astype(np.float32), v[:, :, None].astype(np.float32))

    def terrain(self, windows: Cutouts) -> np.ndarray:
        """How near the terrain is in windows [m], shape (n, tall, wide)."""
        return np.stack([self.still[windows.part(k)] for k in range(len(windows.top))])

    def darken(self, windows: Cutouts, shade: np.ndarray, darkness: float) -> None:
        """Darkens windows by a share of shape (n, tall, wide); where several meet, the largest holds."""
        whole = np.zeros(self.still.shape, dtype=np.float32)
        for k, part in enumerate(shade):
            place = whole[windows.part(k)]
            np.maximum(place, part, out=place)
        rows = slice(int(windows.top.min()), int(windows.top.max()) + windows.tall)
        columns = slice(int(windows.left.min()), int(windows.left.max()) + windows.wide)
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

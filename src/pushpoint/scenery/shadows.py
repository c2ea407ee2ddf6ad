"""Shadows on what lies below: how much of the sun a tube or a box takes from places.

The sun is far away and small, so that a place lies in the shade where the line from it to the sun meets a solid. The
border is soft, and softer the higher the solid is above the place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.scenery.casting import LIGHT
from pushpoint.scenery.shapes import View

# Width of a shadow's border, over the height of what casts it; the height at which a shadow has half of its darkness,
# in radii of the tube.
SOFTNESS, FADING = 0.15, 12.0


def sun_of(view: View) -> np.ndarray:
    """What points to the sun, shape (3,): it moves with the viewer, as it does with the surfaces that are lit."""
    return np.asarray(np.array(LIGHT) @ view.basis)


def shadow_reach(ends: np.ndarray, lowest: np.ndarray, sun: np.ndarray) -> np.ndarray:
    """Where the shadows of points [m], shape (..., 3), fall on the height `lowest` [m], shape (...)."""
    return np.asarray(ends - ((ends[..., 2] - lowest) / sun[2])[..., None] * sun)


def softness(above: Any, radius: Any, pixel: float) -> Any:
    """Width of the border of a tube's shadow [m] from so far above [m], with pixels of a size [m]."""
    return pixel + SOFTNESS * np.maximum(above - radius, 0.0)


def tube_shade(
    places: list[np.ndarray], ends: np.ndarray, radius: np.ndarray, sun: np.ndarray, pixel: float
) -> np.ndarray:
    """Shade of capsules [-], shape (n, height, width).

    Args:
        places: x, y and z of the places that may lie in the shade [m], shape (n, height, width) each.
        ends: Both ends of the capsules' axes [m], shape (2, n, 3).
        radius: Their radii [m], shape (n,).
        sun: What points to the sun, shape (3,).
        pixel: Size of a pixel [m].
    """
    # Seen from the sun, the two axes across its direction take the place of x and y, and its direction that of z.
    right = np.array([sun[2], 0.0, -sun[0]]) / np.hypot(sun[0], sun[2])
    seen = np.stack([right, np.cross(sun, right), sun])
    x, y, z = (sum(float(row[k]) * places[k] for k in range(3)) for row in seen)
    start, step = ends[0] @ seen.T, (ends[1] - ends[0]) @ seen.T
    (x0, y0, z0), (dx, dy, dz) = (part.T[:, :, None, None].astype(np.float32) for part in (start, step))
    share = np.clip(((x - x0) * dx + (y - y0) * dy) / np.maximum(dx**2 + dy**2, 1e-12), 0.0, 1.0)
    off = np.hypot(x - x0 - share * dx, y - y0 - share * dy)
    above, r = z0 + share * dz - z, radius[:, None, None].astype(np.float32)
    shade = np.clip(0.5 + (r - off) / softness(above, r, pixel), 0.0, 1.0) * (above > 0.3 * r)
    return np.asarray(shade / (1.0 + np.maximum(above - r, 0.0) / (FADING * r)))


def convex_shade(
    places: list[np.ndarray], points: np.ndarray, faces: np.ndarray, sun: np.ndarray, pixel: float
) -> np.ndarray:
    """Shade of a convex solid [-], of the shape of the places: their x, y and z [m].

    It is given by a point [m] and the outward normal of each face, shape (n, 3) both.
    """
    enter, leave = np.zeros_like(places[0]), np.full_like(places[0], np.inf)
    for point, out in zip(points, faces, strict=True):
        step = float(sun @ out)
        step = step if abs(step) > 1e-6 else 1e-6
        at = sum((float(point[k]) - places[k]) * float(out[k] / step) for k in range(3))
        if step > 0.0:
            np.minimum(leave, at, out=leave)
        else:
            np.maximum(enter, at, out=enter)
    # The way through the solid grows from nothing at the border of the shadow.
    return np.asarray(np.clip((leave - enter) / (2.0 * pixel), 0.0, 1.0))

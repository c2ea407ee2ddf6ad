"""How much room the head has been through."""

from __future__ import annotations

from typing import Literal

import numpy as np
import xarray as xr

from pushpoint.engine.spatial.kinematics import turned
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.whole_batches import found_for, values_of
from pushpoint.simulation.provenance import require


@checked_arguments
def workspace(run: xr.Dataset, *, seen_from: Literal["world", "tail"] = "world") -> xr.DataArray:
    """Area [m2] or, in space, volume [m3] of the convex hull of the places that the head visited. Dims () or (world,).

    Seen from the world, it is the room that the run swept with its head. Seen from the tail, it is what the head
    reached of the room around a base that stands still, the workspace of an arm; how much of all that the joints
    allow depends on the run. The head's place is that of its centre of mass. Places in one plane have no volume.

    Args:
        run: A run.
        seen_from: "world", or "tail": the frame of the tail link.
    """
    spatial = run.sizes.get("quaternion") == 4
    require(
        run,
        "a workspace",
        "link_position",
        *(["link_orientation" if spatial else "link_angle"] * (seen_from == "tail")),
    )

    places = values_of(run, "link_position", "time", "link", "axis")
    heads = places[:, :, -1]
    if seen_from == "tail":
        heads = _turned_back(run, heads - places[:, :, 0])
    found = np.array([_hull(head[np.isfinite(head).all(axis=1)]) for head in heads])
    return found_for(run, found, units="m3" if spatial else "m2", long_name="Workspace of the head")


def _turned_back(run: xr.Dataset, arm: np.ndarray) -> np.ndarray:
    """Vectors in the frame of the tail link, shape (n_worlds, n_samples, axes)."""
    if "link_orientation" in run:
        frame = values_of(run, "link_orientation", "time", "link", "quaternion")[:, :, 0]
        return turned(frame * [1.0, -1.0, -1.0, -1.0], arm)
    angle = values_of(run, "link_angle", "time", "link")[:, :, 0]
    along = arm[..., 0] * np.cos(angle) + arm[..., 1] * np.sin(angle)
    return np.stack((along, arm[..., 1] * np.cos(angle) - arm[..., 0] * np.sin(angle)), axis=-1)


def _hull(points: np.ndarray) -> float:
    """Size of a convex hull; zero where points lie on a line or, in space, in a plane."""
    from scipy.spatial import ConvexHull, QhullError  # here, because it takes time to load

    if len(points) <= points.shape[1]:
        return 0.0
    try:
        return float(ConvexHull(points).volume)  # of points in a plane, their area
    except QhullError:
        return 0.0

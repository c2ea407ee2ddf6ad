"""How closely a body lies along its shape curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.model.arguments import checked_arguments
from pushpoint.planning.curves.alignment import Alignment
from pushpoint.planning.curves.curve import ShapeCurve

LINK_PARTS = 8
"""Parts of a link, at whose middles its distance is taken [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveFit:
    """Distances of a body from its curve. Arrays have the leading dimensions of the body's pose."""

    __repr__ = brief

    joint_max: np.ndarray
    """Largest distance of a joint, the tail's rear end or the head's tip [m]."""
    joint_rms: np.ndarray
    """Root mean square of these distances [m]."""
    link_max: np.ndarray
    """Largest distance of a point on a link's axis, among the middles of eight equal parts [m]."""
    link_rms: np.ndarray
    """Root mean square over the length of all links [m]."""


@checked_arguments
def fit_to_curve(pose: Alignment, curve: ShapeCurve) -> CurveFit:
    """How far joints and links of an aligned robot are from the curve.

        snake = pp.planning.Skeleton.uniform(17, 0.08, (pp.Yaw(), pp.Pitch()))
        curve = pp.planning.ShapeCurve(points=[(0, 0, 0), (0.5, 0.1, 0), (1.0, -0.1, 0), (1.5, 0, 0)])
        fit = pp.planning.fit_to_curve(pp.planning.align(snake, curve, head=3.0), curve)
        print(fit.joint_max, fit.link_rms)  # [m]

    Args:
        pose: The aligned robot, in any number of poses.
        curve: The curve that it lies along.
    """
    forward = rotation_of(pose.link_orientations)[..., 0]
    return fit_of(pose.joint_points, forward, pose.robot.column("length"), curve)


def fit_of(ends: np.ndarray, forward: np.ndarray, lengths: np.ndarray, curve: ShapeCurve) -> CurveFit:
    """The same for rear ends and the head's tip [m], shape (..., n_links + 1, 3), and the links' x axes."""
    part = (np.arange(LINK_PARTS) + 0.5) / LINK_PARTS
    along = ends[..., :-1, None, :] + (lengths[:, None] * part)[..., None] * forward[..., None, :]
    links = curve.distance(along)
    joints = curve.distance(ends)
    share = lengths / lengths.sum()
    return CurveFit(
        joint_max=joints.max(axis=-1),
        joint_rms=np.sqrt(np.square(joints).mean(axis=-1)),
        link_max=links.max(axis=(-2, -1)),
        link_rms=np.sqrt((np.square(links).mean(axis=-1) * share).sum(axis=-1)),
    )

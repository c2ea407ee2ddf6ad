"""How closely a simulated robot takes the shape of its curve, over a run."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import xarray as xr

from pushpoint import control
from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.simulation.provenance import only_world, require


@checked_arguments
def curve_fit(
    run: xr.Dataset, *, follower: control.ShapeCurveFollower | None = None, in_place: bool = False
) -> xr.Dataset:
    """How far joints and links of a simulated robot are from its shape curve, at every sample.

    The result has joint_max, joint_rms, link_max and link_rms [m] over time, as in `planning.CurveFit`; dims (time,) or
    (world, time). The ground decides where a robot lies. By default the simulated robot is therefore moved and turned
    as a whole, to where its ends and joints fit those of the virtual robot best (least squares).

    Args:
        run: A run whose controller is a ShapeCurveFollower, with link_position and link_orientation.
        follower: The controller, where the run cannot hold it: one that moves control points by a function.
        in_place: Whether to leave the robot where it is.
    """
    require(run, "a fit to the curve", "link_position", "link_orientation", "center_of_mass")
    if "world" in run.dims:
        parts = [curve_fit(run.isel(world=w), follower=follower, in_place=in_place) for w in range(run.sizes["world"])]
        return xr.concat(parts, "world", coords="minimal", compat="override")
    world = only_world(run)
    robot, controller = world.robot, follower or world.controller
    if not isinstance(controller, control.ShapeCurveFollower) or not isinstance(robot, SpatialRobot):
        raise InvalidModel("run: controller", type(controller).__name__, control.ShapeCurveFollower.__name__)
    found = _fits(run, robot, controller, in_place)
    rows = {name: ("time", values, {"units": "m"}) for name, values in found.items()}
    return xr.Dataset(rows, coords={"time": run.time})


def _fits(
    run: xr.Dataset, robot: SpatialRobot, follower: control.ShapeCurveFollower, in_place: bool
) -> dict[str, np.ndarray]:
    from pushpoint.planning.curves.fit import CurveFit, fit_of  # here, because it loads kernels

    times, places = run.time.to_numpy(), run.center_of_mass.to_numpy()

    def center(t: float) -> np.ndarray:
        return np.array([np.interp(t, times, column) for column in places.T])

    forward = rotation_of(run.link_orientation.to_numpy())[..., 0]
    rear = run.link_position.to_numpy() - to_mass(robot)[:, None] * forward
    tip = rear[:, -1:] + robot.links[-1].length * forward[:, -1:]
    ends, lengths = np.concatenate([rear, tip], axis=1), robot.column("length")
    tick = np.floor(times * follower.rate + 1e-6).astype(int)
    found: dict[str, list[np.ndarray]] = {field.name: [] for field in fields(CurveFit)}
    for k, (_t, laid, pose) in enumerate(follower.moves(robot, float(times[-1]), center)):
        now = np.flatnonzero(tick == k)
        if not now.size:
            continue
        curve = ShapeCurve(laid.points, follower.motion.curve_kind)
        bodies, ways = ends[now], forward[now]
        if not in_place:
            bodies, ways = _moved_onto(pose.joint_points, bodies, ways)
        fit = fit_of(bodies, ways, lengths, curve)
        for name, parts in found.items():
            parts.append(getattr(fit, name))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _moved_onto(wanted: np.ndarray, bodies: np.ndarray, ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bodies, shape (n, points, 3), and directions in them, moved and turned as a whole nearest to the wanted points.

    Least squares by a singular value decomposition: W. Kabsch, Acta Crystallographica A 32 (1976).
    """
    middle = bodies.mean(axis=1, keepdims=True)
    off = wanted - wanted.mean(axis=0)
    u, _s, v = np.linalg.svd(np.swapaxes(bodies - middle, -1, -2) @ off)
    u[..., -1] *= np.linalg.det(u @ v)[..., None]  # a rotation, not a mirror image
    turn = u @ v
    return (bodies - middle) @ turn + wanted.mean(axis=0), ways @ turn

"""How closely a robot on rails follows its path, how far it gets, and with which torques and contact forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.control.rails import reduced
from pushpoint.mapping.rails import lay_rails
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.reduced.robot import ReducedState
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, kw_only=True, eq=False)
class Tracking:
    """A run along a path, sample by sample."""

    time: np.ndarray
    """Time [s], shape (n_samples,)."""
    head: np.ndarray
    """Arc length of the head's front end at the nearest pose on the path [m], shape (n_samples,)."""
    center_error: np.ndarray
    """Distance of the centre of mass from that of the nearest pose on the path [m], shape (n_samples,)."""
    shape_error: np.ndarray
    """Largest difference between a link's angle and that on the path [rad], shape (n_samples,)."""
    joint_torque: np.ndarray
    """Motor torques, averaged over a sample [N m], shape (n_samples, n_joints)."""
    peg_force: np.ndarray
    """Normal force on every peg, averaged over a sample [N], shape (n_samples, n_pegs)."""

    @property
    def advance(self) -> float:
        """Distance that the head moved along the path [m]."""
        return float(self.head[-1] - self.head[0])

    @property
    def squared_torque(self) -> float:
        """Mean sum of squared torques [(N m)^2]."""
        return float(np.square(self.joint_torque[1:]).sum(axis=1).mean())

    @property
    def summary(self) -> dict[str, float]:
        """The numbers by which runs are compared. Each name ends with its unit."""
        return {
            "advance_m": self.advance,
            "speed_after_2_s_m_per_s": self.speed(2.0),
            "center_error_mm": 1e3 * float(self.center_error.max()),
            "shape_error_rad": float(self.shape_error.max()),
            "squared_torque_N2m2": self.squared_torque,
            "largest_torque_Nm": float(np.abs(self.joint_torque[1:]).max()),
            "peak_peg_force_N": float(self.peg_force[1:].max()),
        }

    def speed(self, since: float) -> float:
        """Mean speed of the head along the path after the time `since` [m/s]."""
        k = int(np.searchsorted(self.time, since))
        return float((self.head[-1] - self.head[k]) / (self.time[-1] - self.time[k]))


def tracking(run: xr.Dataset, robot: PlanarRobot, controller: Any) -> Tracking:
    """Measures a single-world run whose controller follows a path."""
    rails = lay_rails(reduced(robot), controller.path)
    head = robot.length if controller.head is None else controller.head
    angle, center = run.link_angle.values, run.center_of_mass.values
    heads, errors = np.empty(len(angle)), np.empty((len(angle), robot.n_links + 2))
    for k, (theta, p) in enumerate(zip(angle, center, strict=True)):
        rest = ReducedState(center=p, velocity=np.zeros(2), link_angle=theta, link_rate=np.zeros(len(theta)))
        M = smooth_terms(rails.robot, GroundFriction(), rest).mass_matrix
        q = np.concatenate((theta, p))
        head = rails.fit(q, M, head, 3 if k else 30)
        heads[k], errors[k] = head, rails.error(q, head)
    return Tracking(
        time=run.time.values,
        head=heads,
        center_error=np.linalg.norm(errors[:, -2:], axis=1),
        shape_error=np.abs(errors[:, :-2]).max(axis=1),
        joint_torque=run.joint_torque.values,
        peg_force=run.obstacle_load.values,
    )

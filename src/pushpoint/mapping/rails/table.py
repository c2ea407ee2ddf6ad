"""Poses on rails for a running controller: a table made once, from which positions, slopes and bends are read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from pushpoint.engine.planar.start import Start
from pushpoint.mapping.rails.path import Path, PathPose, pose_on_path
from pushpoint.reduced.robot import ReducedRobot

SPACING = 0.05
"""Distance between the entries of the table, in mean link lengths [-]; the bend is then right to a thousandth."""
TURN = 2 * np.pi


@dataclass(frozen=True, kw_only=True, eq=False)
class Rails:
    """All poses of a robot on a path, in the coordinates q = (theta, p) of the reduced model."""

    robot: ReducedRobot
    """Who lies on the path."""
    path: Path
    """Where the joints lie."""

    @cached_property
    def _q(self) -> Any:
        from scipy.interpolate import CubicSpline

        count = max(8, int(np.ceil(self.path.length / (SPACING * self.robot.mean_length))))
        pose = pose_on_path(self.robot, self.path, np.linspace(0.0, self.path.length, count + 1))
        angle = np.unwrap(pose.link_angle, axis=0)
        return CubicSpline(pose.head, np.column_stack((angle, pose.center)))

    def at(self, head: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, and its first and second derivative by the arc length of the head's front end [m]; (n_links + 2,) each."""
        knots, c = self._q.x, self._q.c
        s = min(max(head, 0.0), float(knots[-1]))
        k = min(int(s * (len(knots) - 1) / knots[-1]), len(knots) - 2)
        d = s - knots[k]
        c_3, c_2, c_1, c_0 = c[:, k]
        return ((c_3 * d + c_2) * d + c_1) * d + c_0, (3.0 * c_3 * d + 2.0 * c_2) * d + c_1, 6.0 * c_3 * d + 2.0 * c_2

    def start(self, head: float) -> Start:
        """The robot at rest, its head's front end at an arc length [m]."""
        q, _, _ = self.at(head)
        return Start(link_angles=q[:-2].tolist(), position=q[-2:].tolist())

    def pose(self, head: np.ndarray) -> PathPose:
        """Poses with the head's front end at these arc lengths [m], read from the table."""
        s = np.atleast_1d(np.clip(head, 0.0, self.path.length))
        q, slope = self._q(s), self._q(s, 1)
        return PathPose(
            head=s, center=q[:, -2:], link_angle=q[:, :-2], center_slope=slope[:, -2:], link_slope=slope[:, :-2]
        )

    def error(self, q: np.ndarray, head: float) -> np.ndarray:
        """How far a pose is from that on the rails [rad, then m], full turns not counted; shape (n_links + 2,)."""
        return _apart(q, self.at(head)[0])

    def at_each(self, head: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and its first derivative at several arc lengths [m], shape (n, n_links + 2) each."""
        knots, c = self._q.x, self._q.c
        s = np.clip(head, 0.0, float(knots[-1]))
        k = np.minimum((s * (len(knots) - 1) / knots[-1]).astype(int), len(knots) - 2)
        d = (s - knots[k])[:, None]
        c_3, c_2, c_1, c_0 = c[:, k]
        return ((c_3 * d + c_2) * d + c_1) * d + c_0, (3.0 * c_3 * d + 2.0 * c_2) * d + c_1

    def fit(self, q: np.ndarray, mass_matrix: np.ndarray, near: float, iterations: int = 3) -> float:
        """Arc length of the head at which the pose on the rails is nearest, in the metric of the masses [m].

        Newton's method from a guess; a robot moves so little from one command to the next that few steps do.
        """
        return float(self.fit_each(q[None], mass_matrix[None], np.array([near]), iterations)[0])

    def fit_each(self, q: np.ndarray, mass_matrix: np.ndarray, near: np.ndarray, iterations: int = 3) -> np.ndarray:
        """The same for several poses, shape (n, n_links + 2), each with its mass matrix and its guess [m]."""
        head, reach = near, self.robot.mean_length / 2
        for _ in range(iterations):
            on_path, slope = self.at_each(head)
            pull = np.matvec(mass_matrix, slope)
            step = np.vecdot(pull, _apart(q, on_path)) / np.vecdot(pull, slope)
            head = np.clip(head + np.clip(step, -reach, reach), 0.0, self.path.length)
        return head


def _apart(q: np.ndarray, on_path: np.ndarray) -> np.ndarray:
    found = q - on_path
    found[..., :-2] -= TURN * np.round(found[..., :-2].mean(axis=-1, keepdims=True) / TURN)
    return found


@lru_cache(maxsize=32)
def lay_rails(robot: ReducedRobot, path: Path) -> Rails:
    """The rails of a robot along a path, kept for the next world that asks for the same."""
    return Rails(robot=robot, path=path)

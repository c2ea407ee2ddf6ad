"""The virtual snake robot of Liljeback2014, section III-D, written from its equations: plain loops, SciPy, no kernels.

The paper counts from the head. Frame h sits at the head's tip, x forward; frame 0 at joint 1, x backward:
T_0^h = RotZ(pi) TransX(a_0) RotX(alpha_0), then T_i^(i-1) = RotZ(q_i) TransX(a_i) RotX(alpha_i), each joint turning
about the z axis of the frame before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

CELLS = 2000  # per piece of the curve


@dataclass(frozen=True)
class OracleCurve:
    """A pchip curve with a straight line before it, scanned backwards on a dense table."""

    points: np.ndarray

    def __post_init__(self) -> None:
        n = len(self.points)
        object.__setattr__(self, "spline", PchipInterpolator(np.arange(n), self.points))
        lead = self.spline.derivative()(0.0)
        object.__setattr__(self, "unit", lead / np.linalg.norm(lead))
        object.__setattr__(self, "table", np.linspace(0, n - 1, (n - 1) * CELLS + 1))
        object.__setattr__(self, "places", self.spline(self.table))

    def back(self, s: float, origin: np.ndarray, look_ahead: float) -> tuple[float, np.ndarray]:
        """The first parameter back from s that is look_ahead away, and its point; before the curve, s is -distance."""

        def excess(at: float) -> float:
            return float(np.linalg.norm(self.at(at) - origin)) - look_ahead

        if excess(s) >= 0.0:
            return s, self.at(s)
        k = int(np.searchsorted(self.table, s)) - 1  # the last entry before s
        outside = np.flatnonzero(np.linalg.norm(self.places[: k + 1] - origin, axis=1) >= look_ahead)
        if s > 0.0 and outside.size:
            low = self.table[outside[-1]]
            high = min(self.table[outside[-1] + 1], s)
            s = brentq(excess, low, high, xtol=1e-15, rtol=8.9e-16)
        else:
            s = brentq(excess, min(s, 0.0) - 3.0 * look_ahead, min(s, 0.0), xtol=1e-15, rtol=8.9e-16)
        return s, self.at(s)

    def at(self, s: float) -> np.ndarray:
        return self.spline(s) if s >= 0.0 else self.points[0] + s * self.unit


def rot_x(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def rot_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def trans_x(a: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = a
    return T


@dataclass(frozen=True)
class OracleChain:
    """A robot in the paper's order, head first."""

    lengths: np.ndarray  # a_0 ... a_N
    twists: np.ndarray  # alpha_0 ... alpha_N
    keeps: np.ndarray  # whether joint 1 ... N aims at the point of the joint before it: the second axis of a cardan


def chain_of(robot) -> OracleChain:
    """From the tail-to-head description; every axis is a joint of its own, with what lies behind it for its link."""
    kinds, lengths, keeps = [], [robot.links[-1].length], []
    for link, joint in reversed(list(zip(robot.links, robot.chain, strict=False))):
        names = [hinge.name for hinge in joint.hinges][::-1]
        kinds += names
        lengths += [joint.axis_distance, link.length] if len(names) == 2 else [link.length]
        keeps += [False, True][: len(names)]
    # Seen backwards y points right, so that a quarter turn about x brings z onto the link's y, the pitch axis.
    tilt = [np.pi / 2 if kind == "pitch" else 0.0 for kind in kinds]
    return OracleChain(np.array(lengths), np.diff([0.0, *tilt, 0.0]), np.array(keeps))


def align_by_the_paper(
    points: np.ndarray, chain: OracleChain, s_head: float, roll: float, look_ahead: float
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Joint angles q_1 ... q_N and the frames h, 0, ..., N."""
    curve = OracleCurve(np.asarray(points, dtype=float))
    O_h = curve.at(s_head)
    s, target = curve.back(s_head, O_h, look_ahead)
    r_ref = target - O_h
    O_0 = O_h + chain.lengths[0] * r_ref / np.linalg.norm(r_ref)
    x = (O_h - O_0) / np.linalg.norm(O_h - O_0)  # (5)
    y = np.cross([0.0, 0.0, 1.0], x)  # (6)
    y /= np.linalg.norm(y)
    T = np.eye(4)
    T[:3, :3] = np.stack([x, y, np.cross(x, y)], axis=1) @ rot_x(roll)[:3, :3]  # (7) to (9)
    T[:3, 3] = O_h
    frames = [T]
    T = T @ rot_z(np.pi) @ trans_x(chain.lengths[0]) @ rot_x(chain.twists[0])
    frames.append(T)
    angles = []
    for a, twist, keeps in zip(chain.lengths[1:], chain.twists[1:], chain.keeps, strict=True):
        R, origin = T[:3, :3], T[:3, 3]
        if not keeps:
            s, target = curve.back(s, origin, look_ahead)
        r_ref = target - origin  # (10)
        z = R[:, 2]
        x_i = np.cross(np.cross(z, r_ref), z)  # (11), (12)
        local = R.T @ x_i  # (13)
        q = float(np.arctan2(local[1], local[0]))  # (14)
        T = T @ rot_z(q) @ trans_x(a) @ rot_x(twist)  # (15)
        angles.append(q)
        frames.append(T)
    return np.array(angles), frames

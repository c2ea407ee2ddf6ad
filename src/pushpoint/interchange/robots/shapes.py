"""Shapes of a robot's bodies: how far they reach in a direction, their volume and their moments of inertia."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from pushpoint.interchange.robots.frames import Frame
from pushpoint.model import inertia

LEAST_VOLUME = 1e-18
"""Volume of a mesh below which it is taken for a surface [m^3]."""


@dataclass(frozen=True, eq=False)
class Mass:
    """Mass, its centre and its inertia about that, all in one frame."""

    mass: float
    """Mass [kg]."""
    center: np.ndarray
    """Centre of mass [m], shape (3,)."""
    inertia: np.ndarray
    """Inertia about the centre of mass [kg m^2], shape (3, 3)."""

    def seen_from(self, frame: Frame) -> Mass:
        """The same, given in a frame, seen from outside."""
        turned = frame.rotation @ self.inertia @ frame.rotation.T
        return Mass(self.mass, frame.point(self.center), turned)

    def scaled(self, factor: float) -> Mass:
        """The same body, denser by a factor."""
        return Mass(self.mass * factor, self.center, self.inertia * factor)

    def bounded(self, mass: float, inertia: float, *, balanced: bool) -> Mass:
        """No lighter than a mass [kg], with no moment below one [kg m^2]; `balanced`: moments that no body has are made
        equal."""
        moments, axes = np.linalg.eigh(self.inertia)
        moments = np.maximum(moments, inertia)
        if balanced and moments[0] + moments[1] < moments[2]:
            moments = np.full(3, moments.mean())
        return Mass(max(self.mass, mass), self.center, axes @ np.diag(moments) @ axes.T)


NOTHING = Mass(0.0, np.zeros(3), np.zeros((3, 3)))


def together(parts: list[Mass]) -> Mass:
    """Bodies that are fixed to each other as one body."""
    total = sum(part.mass for part in parts)
    if total <= 0.0:
        return NOTHING
    center = sum((part.mass * part.center for part in parts), np.zeros(3)) / total
    whole = np.zeros((3, 3))
    for part in parts:
        arm = part.center - center
        whole += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Mass(total, center, whole)


@dataclass(frozen=True, eq=False)
class Shape:
    """A convex shape: all points within a radius of a box, an ellipsoid, a cylinder or the corners of a mesh."""

    kind: str
    """"sphere", "capsule", "cylinder", "box", "ellipsoid" or "mesh"."""
    frame: Frame
    """Its middle and its axes; capsules and cylinders are along z."""
    size: tuple[float, ...] = ()
    """Sphere: radius. Capsule and cylinder: radius, half length. Box and ellipsoid: half of each extent [m]."""
    corners: np.ndarray | None = None
    """Corners of a mesh in its frame [m], shape (n, 3)."""
    faces: np.ndarray | None = None
    """Corners of the triangles of a mesh, shape (n, 3, 3)."""

    def seen_from(self, frame: Frame) -> Shape:
        """The same, given in a frame, seen from outside."""
        return Shape(self.kind, frame.then(self.frame), self.size, self.corners, self.faces)

    def reach(self, directions: np.ndarray) -> np.ndarray:
        """How far it reaches in directions, unit vectors of shape (n, 3), from the origin [m]."""
        inner = directions @ self.frame.rotation
        base = directions @ self.frame.place
        if self.corners is not None:
            return np.asarray(base + (inner @ self.corners.T).max(axis=1))
        size = self.size
        if self.kind == "sphere":
            return np.asarray(base + size[0])
        if self.kind == "capsule":
            return np.asarray(base + size[0] + size[1] * np.abs(inner[:, 2]))
        if self.kind == "cylinder":
            return np.asarray(base + size[0] * np.hypot(inner[:, 0], inner[:, 1]) + size[1] * np.abs(inner[:, 2]))
        if self.kind == "box":
            return np.asarray(base + np.abs(inner) @ np.array(size))
        return np.asarray(base + np.linalg.norm(inner * np.array(size), axis=1))

    def filled(self, mass: float | None, density: float) -> Mass:
        """Its mass, evenly spread, from its mass [kg] or else its density [kg/m^3]."""
        volume, center, moments = self._uniform()
        total = density * volume if mass is None else mass
        if total <= 0.0 or volume <= 0.0:
            return NOTHING
        return Mass(total, center, moments * total).seen_from(self.frame)

    def _uniform(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Volume, centre, and inertia per mass."""
        middle = np.zeros(3)
        if self.kind == "mesh":
            return _mesh_volume(self.faces)
        if self.kind in ("capsule", "cylinder"):
            radius, half = self.size
            round_ends = self.kind == "capsule"
            body = (inertia.capsule if round_ends else inertia.cylinder)(1.0, 2 * half, radius)
            volume = 2 * pi * radius**2 * half + (4 / 3 * pi * radius**3 if round_ends else 0.0)
            return volume, middle, np.diag([body.y, body.z, body.x])  # theirs are along x
        if self.kind == "box":
            a, b, c = self.size
            return 8 * a * b * c, middle, np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 3
        a, b, c = self.size if self.kind == "ellipsoid" else self.size * 3
        return 4 / 3 * pi * a * b * c, middle, np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 5


def _mesh_volume(faces: np.ndarray | None) -> tuple[float, np.ndarray, np.ndarray]:
    """Those of a closed surface of triangles, as a sum over tetrahedra from the origin."""
    none = 0.0, np.zeros(3), np.zeros((3, 3))
    if faces is None or not len(faces):
        return none
    volumes = _tetrahedra(faces)
    volume = float(volumes.sum())
    if abs(volume) <= LEAST_VOLUME:
        return none
    center = volumes @ faces.sum(axis=1) / (4 * volume)
    spread = faces - center
    corners, sums = _tetrahedra(spread) / (20 * volume), spread.sum(axis=1)  # signs cancel, however triangles turn
    # Second moments of a tetrahedron with one corner at zero: V / 20 (sum of v v^T + s s^T).
    second = np.einsum("n,nki,nkj->ij", corners, spread, spread) + np.einsum("n,ni,nj->ij", corners, sums, sums)
    return abs(volume), center, np.trace(second) * np.eye(3) - second


def _tetrahedra(faces: np.ndarray) -> np.ndarray:
    """Signed volumes between triangles and the origin [m^3]."""
    return np.asarray(np.einsum("ni,ni->n", faces[:, 0], np.cross(faces[:, 1], faces[:, 2])) / 6)

"""Wheels of a robot as they are drawn: flat discs under the links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.scenery.shapes import Mesh, View, convex_hull

HALF_WIDTH = 0.25
"""Half the width of a wheel over its radius [-]."""
SEGMENTS = 24


@dataclass(frozen=True, kw_only=True)
class DrawnWheels:
    """All wheels of a robot, from tail to head."""

    link: np.ndarray
    """Links that they are under, shape (n,)."""
    place: np.ndarray
    """Their middles in the frames of the links, from the links' middles [m], shape (n, 3)."""
    axle: np.ndarray
    """Unit vectors along their axles in the frames of the links, shape (n, 3)."""
    radius: np.ndarray
    """Radii [m], shape (n,)."""
    lift: np.ndarray
    """How far they lift the links of the robot off the ground [m], shape (n_links,)."""

    def __len__(self) -> int:
        return len(self.radius)

    def middles(self, middle: np.ndarray, turn: np.ndarray) -> np.ndarray:
        """Their middles in a posture [m], from the links' middles and axes as columns, shape (n, 3)."""
        return np.asarray(middle[self.link] + np.einsum("nij,nj->ni", turn[self.link], self.place))

    def axles(self, turn: np.ndarray) -> np.ndarray:
        """Unit vectors along their axles in a posture, shape (n, 3)."""
        return np.asarray(np.einsum("nij,nj->ni", turn[self.link], self.axle))

    def outlines(self, middle: np.ndarray, turn: np.ndarray, view: View) -> list[np.ndarray]:
        """Outlines of the discs in a posture, each of shape (n, 2) [m]."""
        around = 2.0 * np.pi * np.arange(SEGMENTS) / SEGMENTS
        found = []
        for place, axle, radius in zip(self.middles(middle, turn), self.axles(turn), self.radius, strict=True):
            ahead = np.cross(axle, turn[0][:, 2]) if abs(axle @ turn[0][:, 2]) < 0.9 else np.cross(axle, turn[0][:, 0])
            ahead = ahead / np.linalg.norm(ahead)
            rim = radius * (np.outer(np.cos(around), ahead) + np.outer(np.sin(around), np.cross(axle, ahead)))
            sides = [place + rim + side * HALF_WIDTH * radius * axle for side in (-1.0, 1.0)]
            found.append(convex_hull(view.flat(np.concatenate(sides))))
        return found


def drawn_wheels(robot: AnyRobot) -> DrawnWheels:
    """The wheels of a robot; in the plane they stand as they would in space."""
    rows: list[tuple[Any, ...]] = []
    links: tuple[Any, ...] = robot.links
    for number, link in enumerate(links):
        for each in link.wheels:
            height = each.radius - link.radius - each.clearance
            axle = (-each.direction[1], each.direction[0], 0.0)
            rows += [(number, (x, y, height), axle, each.radius) for x, y in each.places]
    lift = [max((each.clearance for each in link.wheels), default=0.0) for link in links]
    link_of, place, axles, radius = zip(*rows, strict=True) if rows else ((), (), (), ())
    return DrawnWheels(
        link=np.array(link_of, dtype=int),
        place=_rows_of_three(place),
        axle=_rows_of_three(axles),
        radius=np.array(radius, dtype=float),
        lift=np.array(lift, dtype=float),
    )


def _rows_of_three(values: Iterable[Any]) -> np.ndarray:
    return np.array(list(values), dtype=float).reshape(-1, 3)


def wheel_mesh(radius: float) -> Mesh:
    """A disc about the origin, its axle along y."""
    around = 2.0 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    ring = radius * np.stack([np.cos(around), np.zeros(SEGMENTS), np.sin(around)], axis=-1)
    aside = np.array([0.0, HALF_WIDTH * radius, 0.0])
    vertices = np.concatenate([ring - aside, ring + aside, [-aside, aside]])
    one = np.arange(SEGMENTS)
    other, left, right = np.roll(one, -1), 2 * SEGMENTS, 2 * SEGMENTS + 1
    faces = np.concatenate(
        [
            np.stack([one, one + SEGMENTS, other], axis=-1),
            np.stack([other, one + SEGMENTS, other + SEGMENTS], axis=-1),
            np.stack([one, other, np.full(SEGMENTS, left)], axis=-1),
            np.stack([other + SEGMENTS, one + SEGMENTS, np.full(SEGMENTS, right)], axis=-1),
        ]
    )
    return vertices.astype(np.float32), faces.astype(np.uint32)

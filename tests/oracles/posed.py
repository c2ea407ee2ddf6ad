"""Spatial runs whose postures, loads and terrain are known without an engine."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import xarray

import pushpoint as pp
from oracles.described import described

LINK = pp.SpatialLink(length=0.2, mass=1.0, inertia=(1e-3, 1e-3, 1e-3), radius=0.05)
SQUARE = replace(LINK, shape="square", corner_radius=0.005)
FLAT = pp.Ground(gravity=10.0)
LEVEL = (1.0, 0.0, 0.0, 0.0)


def turned(about: str, angle: float) -> tuple[float, float, float, float]:
    """Quaternion of a turn about x, y or z [rad]."""
    w, v = math.cos(angle / 2.0), math.sin(angle / 2.0)
    return w, v * (about == "x"), v * (about == "y"), v * (about == "z")


def posed(
    positions: list[tuple[float, float, float]],
    orientations: list[tuple[float, float, float, float]],
    *,
    load: list[float],
    link: pp.SpatialLink = LINK,
    ground: pp.Ground = FLAT,
    obstacles: tuple[Any, ...] = (),
) -> xarray.Dataset:
    """A body that keeps its posture for a second while it is moved by 0.1 m along x; the ground carries `load` [N]."""
    n, time = len(positions), np.linspace(0.0, 1.0, 11)
    moved = np.array(positions)[None] + np.array([0.1, 0.0, 0.0]) * time[:, None, None]
    force = np.zeros((11, n, 3))
    force[..., 2] = load
    force[0] = np.nan
    world = pp.World(pp.SpatialRobot(links=(link,) * n), pp.Environment(ground=ground, obstacles=obstacles))
    run = xarray.Dataset(
        {
            "link_position": (("time", "link", "axis"), moved),
            "link_orientation": (("time", "link", "quaternion"), np.tile(orientations, (11, 1, 1))),
            "center_of_mass": (("time", "axis"), moved.mean(axis=1)),
            "ground_force": (("time", "link", "axis"), force),
        },
        coords={"time": time, "axis": ["x", "y", "z"], "quaternion": ["w", "x", "y", "z"]},
        attrs={"status": "finished", "status_code": "finished"},
    )
    return described(run, world, "posed")


def pair(**others: Any) -> xarray.Dataset:
    """A link on the ground and one lifted in front of it."""
    return posed([(0.0, 0.0, 0.05), (0.3, 0.0, 0.2)], [LEVEL, LEVEL], load=[20.0, 0.0], **others)


def hills(n: int = 60) -> pp.HeightField:
    x, y = np.meshgrid(np.linspace(-1.5, 1.5, n), np.linspace(-1.5, 1.5, n), indexing="ij")
    return pp.HeightField(heights=0.05 * np.sin(3.0 * x) * np.cos(3.0 * y), spacing=3.0 / (n - 1), origin=(-1.5, -1.5))

"""Ground and obstacles in exported files: rays of MuJoCo hit them where they are here."""

from __future__ import annotations

from math import cos, sin
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import pushpoint as pp

LINK = pp.SpatialLink(length=0.1, mass=0.5, inertia=(4e-4, 6e-4, 6e-4), radius=0.04)
SPATIAL = pp.SpatialRobot.uniform(2, LINK)
PLANAR = pp.catalogue.aiko_planar()
FAR = pp.SpatialStart(position=(50.0, 50.0, 30.0))


def loaded(world: pp.World, folder: Path) -> tuple[Any, Any]:
    pp.export(world, folder / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(folder / "out.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return model, data


def hit(model: Any, data: Any, place: tuple[float, float, float], way: tuple[float, float, float]) -> float:
    """Distance to whatever a ray hits first [m]; -1 if it hits nothing."""
    geom = np.zeros(1, dtype=np.int32)
    return float(mujoco.mj_ray(model, data, np.array(place), np.array(way), None, 1, -1, geom))


def spatial(folder: Path, *obstacles: Any, **ground: Any) -> tuple[Any, Any]:
    return loaded(pp.World(SPATIAL, pp.Environment(ground=pp.Ground(**ground), obstacles=obstacles), start=FAR), folder)


def test_heights_at_grid_points_and_between(tmp_path: Path) -> None:
    heights = 0.05 * np.random.default_rng(2).random((5, 4))
    field = pp.HeightField(heights=heights, spacing=0.2, origin=(-0.3, 0.1))
    model, data = spatial(tmp_path, heights=field)
    world = pp.World(SPATIAL, pp.Environment(ground=pp.Ground(heights=field)), start=FAR)
    (law,) = (each for each in pp.export(world, tmp_path / "o.xml").laws if each.law == "heights of the ground")
    assert law.error is not None and law.error < 50.0  # [mm]
    u, v = 0.3, 0.2
    for i in range(4):
        for j in range(3):
            here = heights[i : i + 2, j : j + 2]
            bilinear = np.array([1 - u, u]) @ here @ np.array([1 - v, v])
            seen = 1.0 - hit(model, data, (-0.3 + 0.2 * (i + u), 0.1 + 0.2 * (j + v), 1.0), (0, 0, -1))
            assert abs(seen - bilinear) <= law.error / 1e3 + 1e-6  # the error that the report gives


def test_a_slope_rises_as_it_should(tmp_path: Path) -> None:
    model, data = spatial(tmp_path, slope=0.2, slope_direction=0.7)
    x, y = 1.3 * cos(0.7), 1.3 * sin(0.7)
    assert 2.0 - hit(model, data, (x, y, 2.0), (0, 0, -1)) == pytest.approx(1.3 * np.tan(0.2), abs=1e-9)


def test_solids_are_where_they_are(tmp_path: Path) -> None:
    model, data = spatial(
        tmp_path,
        pp.Peg(x=0.5, y=0.2, radius=0.1, height=0.3),
        pp.Peg(x=-0.5, y=0.2, radius=0.1),
        pp.Box(center=(0.0, 1.0, 0.1), size=(0.4, 0.2, 0.2), yaw=0.5),
        pp.Ramp(foot=(2.0, 0.0), length=1.0, rise=0.3, width=0.8),
        pp.Stairs(foot=(0.0, -4.0), heading=0.0, steps=3, rise=0.1, run=0.2),
        pp.Pipe(start=(-3.0, 0.0, 0.2), end=(-1.0, 0.0, 0.2), radius=0.12),
    )
    down = (0.0, 0.0, -1.0)
    assert hit(model, data, (0.5, 0.2, 1.0), down) == pytest.approx(0.7)
    assert hit(model, data, (0.5, -1.0, 0.1), (0, 1, 0)) == pytest.approx(1.1)
    assert hit(model, data, (-0.5, -1.0, 1.5), (0, 1, 0)) == pytest.approx(1.1)  # endless
    along = (0.19 * cos(0.5), 1.0 + 0.19 * sin(0.5), 1.0)
    assert hit(model, data, along, down) == pytest.approx(0.8)
    for share in (0.25, 0.75):
        assert hit(model, data, (2.0 + share, 0.1, 1.0), down) == pytest.approx(1.0 - 0.3 * share, abs=1e-6)
    assert hit(model, data, (0.3, -4.0, 1.0), down) == pytest.approx(0.8)
    inside = hit(model, data, (-2.0, 0.0, 0.2), (0.0, 0.6, 0.8))
    assert inside == pytest.approx(0.12, abs=0.12 * (1 / cos(np.pi / 32) - 1) + 1e-9)


def test_shapes_of_the_plane_stand_upright(tmp_path: Path) -> None:
    bay = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0.9), (0.9, 0.9), (0.9, 0.1), (0, 0.1)]
    far = pp.Start(position=(30.0, 30.0))
    obstacles = [
        pp.Polygon(vertices=bay),
        pp.Wall(start=(-1.0, -1.0), end=(1.0, -1.0), thickness=0.1),
        pp.Peg(x=-1.0, y=2.0, radius=0.2),
    ]
    model, data = loaded(pp.World(PLANAR, pp.Environment(obstacles=obstacles), start=far), tmp_path)
    height = PLANAR.links[0].radius
    assert hit(model, data, (0.5, 0.5, height), (1, 0, 0)) == pytest.approx(0.4, abs=1e-6)
    assert hit(model, data, (0.5, 0.5, height), (0, -1, 0)) == pytest.approx(0.4, abs=1e-6)
    assert hit(model, data, (0.1, -0.5, height), (0, -1, 0)) == pytest.approx(0.45)
    assert hit(model, data, (2.0, -1.0, height), (-1, 0, 0)) == pytest.approx(0.95)
    assert hit(model, data, (-1.0, 1.0, height), (0, 1, 0)) == pytest.approx(0.8)

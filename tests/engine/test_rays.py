"""Rays from range sensors: against closed forms, and against small steps along the ray."""

from __future__ import annotations

from math import cos, hypot, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.planar.ranges import Outlines
from pushpoint.engine.planar.rays import distances_in_plane
from pushpoint.engine.spatial.rays import distances_in_space

BAY = [(0.0, -0.5), (1, -0.5), (1, 0.5), (0.0, 0.5), (0.0, 0.4), (0.9, 0.4), (0.9, -0.4), (0.0, -0.4)]


def in_plane(obstacles: Any, start: Any, azimuth: float) -> float:
    starts, looks = np.array([start], dtype=float), np.array([[cos(azimuth), sin(azimuth)]])
    return float(distances_in_plane(starts, looks, Outlines(obstacles))[0])


def in_space(obstacles: Any, start: Any, look: Any, ground: pp.Ground | None = None, reach: float = 10.0) -> float:
    place = pp.Environment(ground=pp.Ground() if ground is None else ground, obstacles=obstacles)
    look = np.array([look], dtype=float)
    look /= np.linalg.norm(look)
    return float(distances_in_space(np.array([start], dtype=float), look, place, reach)[0])


class TestPlane:
    PEG = pp.Peg(x=1.0, y=0.0, radius=0.2)

    @pytest.mark.parametrize(
        ("obstacle", "start", "azimuth", "expected"),
        [
            (PEG, (0, 0), 0.0, 0.8),
            (PEG, (0, 0.1), 0.0, 1.0 - sqrt(0.03)),
            (PEG, (0, 0.3), 0.0, np.inf),
            (PEG, (0, 0), pi, np.inf),
            (PEG, (2, 0), pi, 0.8),
            (PEG, (1.1, 0), 1.0, 0.0),
            (pp.Wall(start=(1, -1), end=(1, 1), thickness=0.1), (0, 0), 0.0, 0.95),
            (pp.Wall(start=(1, -1), end=(1, 1), thickness=0.1), (0, 0), pi / 6, 0.95 / cos(pi / 6)),
            (pp.Wall(start=(1, 0), end=(2, 0), thickness=0.2), (0, 0), 0.0, 0.9),  # its round end
            (pp.Wall(start=(1, 0), end=(2, 0), thickness=0.2), (0, 0.06), 0.0, 1.0 - 0.08),
            (pp.Wall(start=(1, 0), end=(2, 0), thickness=0.2), (1.5, 0.05), 0.3, 0.0),
            (pp.Polygon(vertices=[(1, -1), (2, -1), (2, 1), (1, 1)]), (0, 0), 0.0, 1.0),
            (pp.Polygon(vertices=[(1, -1), (2, -1), (2, 1), (1, 1)]), (0, 0), pi / 4, sqrt(2)),  # its corner
            (pp.Polygon(vertices=[(1, -1), (2, -1), (2, 1), (1, 1)]), (1.5, 0), 0.4, 0.0),
            (pp.Polygon(vertices=BAY), (0.5, 0.0), 0.0, 0.4),  # in the bay
            (pp.Polygon(vertices=BAY), (0.5, 0.0), pi / 2, 0.4),
            (pp.Polygon(vertices=BAY), (0.5, 0.0), pi, np.inf),
            (pp.Polygon(vertices=BAY), (0.95, 0.0), pi, 0.0),  # in its wall
            (pp.Polygon(vertices=[(-2, -2), (2, -2), (2, 2), (-2, 2)], holes=[BAY]), (0.95, 0.0), pi / 2, 0.5),
        ],
    )  # fmt: skip
    def test_closed_forms(self, obstacle: Any, start: Any, azimuth: float, expected: float) -> None:
        assert in_plane([obstacle], start, azimuth) == pytest.approx(expected, abs=1e-12)

    def test_the_nearest_of_many(self) -> None:
        pegs = [pp.Peg(x=x, y=0.0, radius=0.1) for x in (3.0, 1.0, 2.0)]
        assert in_plane([*pegs, pp.Wall(start=(1.5, -1), end=(1.5, 1))], (0, 0), 0.0) == pytest.approx(0.9)
        assert in_plane([], (0, 0), 0.0) == np.inf

    def test_random_rays_by_small_steps(self) -> None:
        """Points along each ray, 0.2 mm apart: the first one that an obstacle of 1 mm thick links touches."""
        random = np.random.default_rng(1)
        obstacles = [
            pp.Peg(x=0.7, y=0.3, radius=0.15),
            pp.Wall(start=(-0.8, -0.6), end=(0.2, -0.9), thickness=0.08),
            pp.Polygon(vertices=[(x - 1.2, 0.8 * y + 0.5) for x, y in BAY]),
            pp.Polygon(vertices=[(0.3, -0.5), (0.9, -0.6), (0.6, -0.2)]),
        ]
        starts, turn = random.uniform(-1, 1, (80, 2)), random.uniform(0, 2 * pi, 80)
        looks = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        found = distances_in_plane(starts, looks, Outlines(obstacles))
        ways = np.linspace(0.0, 2.0, 10001)
        outlines = Outlines(obstacles)
        for start, look, way in zip(starts, looks, found, strict=True):
            points = start + ways[:, None] * look
            # A point lies in an obstacle where a ray in any direction reads zero, by parity and distance, not by edges.
            zero = distances_in_plane(points, np.broadcast_to([1.0, 0.0], points.shape), outlines) == 0.0
            expected = ways[np.argmax(zero)] if zero.any() else np.inf
            assert expected == way or min(way, 2.0) == pytest.approx(min(expected, 2.0), abs=2.1e-4)


TILTED = pp.Box(center=(1.0, 0.0, 0.5), size=(0.4, 0.6, 0.2), yaw=0.5, pitch=0.3, roll=-0.2)
RAMP = pp.Ramp(foot=(1.0, 0.0), length=1.0, rise=0.5)
BUMPS = pp.HeightField(heights=np.random.default_rng(2).uniform(0.0, 0.2, (9, 7)), spacing=0.25, origin=(-1.0, -0.75))


class TestSpace:
    @pytest.mark.parametrize(
        ("obstacles", "start", "look", "expected"),
        [
            ([], (0, 0, 1), (0, 0, -1), 1.0),
            ([], (0, 0, 1), (1, 0, -1), sqrt(2)),
            ([], (0, 0, 1), (1, 0, 0), np.inf),
            ([], (0, 0, 1), (1, 0, 1), np.inf),
            ([], (0, 0, -0.1), (1, 0, 1), 0.0),
            ([pp.Box(center=(1, 0, 0.5), size=(0.4, 0.4, 1.0))], (0, 0, 0.5), (1, 0, 0), 0.8),
            ([pp.Box(center=(1, 0, 0.5), size=(0.4, 0.4, 1.0))], (0, 0, 0.5), (1, 0.1, 0), 0.8 * hypot(1, 0.1)),
            ([pp.Box(center=(1, 0, 0.5), size=(0.4, 0.4, 1.0))], (0, 0, 1.2), (1, 0, 0), np.inf),
            ([pp.Box(center=(1, 0, 0.5), size=(0.4, 0.4, 1.0))], (1.1, 0, 0.9), (1, 0, 0), 0.0),
            ([pp.Peg(x=1.0, y=0.0, radius=0.3)], (0, 0, 5), (1, 0, 0), 0.7),
            ([pp.Peg(x=1.0, y=0.0, radius=0.3)], (0, 0, 5), (1, 0, 1), 0.7 * sqrt(2)),
            ([RAMP], (0, 0, 0.1), (1, 0, 0), 1.2),  # where it is 0.1 high
            ([RAMP], (1.5, 0, 1.0), (0, 0, -1), 0.75),
        ],
    )  # fmt: skip
    def test_closed_forms(self, obstacles: Any, start: Any, look: Any, expected: float) -> None:
        assert in_space(obstacles, start, look) == pytest.approx(expected, abs=1e-12)

    def test_on_a_slope_straight_down(self) -> None:
        ground = pp.Ground(slope=0.3, slope_direction=0.5)
        place = np.array([0.4, -0.7, 2.0])
        height = np.tan(0.3) * (place[0] * cos(0.5) + place[1] * sin(0.5))
        assert in_space([], place, (0, 0, -1), ground) == pytest.approx(2.0 - height)

    def test_a_pipe_from_inside_and_outside(self) -> None:
        pipe = pp.Pipe(start=(0, 0, 1), end=(4, 0, 1), radius=0.5, thickness=0.1)
        assert in_space([pipe], (2, 0, 1), (0, 1, 0)) == pytest.approx(0.5)
        assert in_space([pipe], (2, 0, 1), (0, 0.6, 0.8)) == pytest.approx(0.5)
        assert in_space([pipe], (2, 0, 1), (1, 0, 0)) == np.inf  # out of the open end
        assert in_space([pipe], (2, 0, 1), (1, 1, 0)) == pytest.approx(0.5 * sqrt(2))
        assert in_space([pipe], (2, 3, 1), (0, -1, 0)) == pytest.approx(2.4)
        assert in_space([pipe], (-1, 0, 1), (1, 0, 0)) == np.inf  # in at one end, out at the other
        assert in_space([pipe], (-1, 0.2, 1), (1, 0.1, 0)) == pytest.approx(3.0 * hypot(1, 0.1))  # in, then the wall
        assert in_space([pipe], (-1, 0.55, 1), (1, 0, 0)) == pytest.approx(1.0)  # its rim
        assert in_space([pipe], (2, 0.55, 1), (0, 1, 0)) == 0.0

    def test_over_a_peg_that_ends(self) -> None:
        peg = pp.Peg(x=1.0, y=0.0, radius=0.3, height=0.5)
        assert in_space([peg], (0, 0, 0.4), (1, 0, 0)) == pytest.approx(0.7)
        assert in_space([peg], (0, 0, 0.6), (1, 0, 0)) == np.inf
        assert in_space([peg], (1, 0, 2.0), (0, 0, -1)) == pytest.approx(1.5)

    def test_straight_down_onto_heights_between_grid_points(self) -> None:
        ground = pp.Ground(heights=BUMPS)
        h = np.asarray(BUMPS.heights)
        expected = (h[3, 2] + h[4, 2] + h[3, 3] + h[4, 3]) / 4
        down = in_space([], (-1.0 + 3.5 * 0.25, -0.75 + 2.5 * 0.25, 1.0), (0, 0, -1), ground)
        assert down == pytest.approx(1.0 - expected)
        beyond = in_space([], (9.0, -0.75 + 2 * 0.25, 1.0), (0, 0, -1), ground)
        assert beyond == pytest.approx(1.0 - h[-1, 2])

    @pytest.mark.parametrize("ground", [pp.Ground(), pp.Ground(slope=0.2), pp.Ground(heights=BUMPS)])
    def test_random_rays_by_small_steps(self, ground: pp.Ground) -> None:
        """A point is inside where a ray reads zero: by bounds alone, which the closed forms above check."""
        random = np.random.default_rng(5)
        obstacles = [TILTED, pp.Peg(x=-0.5, y=0.4, radius=0.1), pp.Peg(x=0.4, y=-0.5, radius=0.15, height=0.4), RAMP,
                     pp.Pipe(start=(-1, -1, 0.4), end=(1, -0.6, 0.8), radius=0.2, thickness=0.05)]  # fmt: skip
        place = pp.Environment(ground=ground, obstacles=obstacles)
        starts, looks = random.uniform((-1, -1, 0.2), (1, 1, 2.2), (40, 3)), random.normal(size=(40, 3))
        looks[:, 2] -= 0.5
        looks /= np.linalg.norm(looks, axis=1)[:, None]
        found, ways = distances_in_space(starts, looks, place, 3.0), np.linspace(0.0, 3.0, 6001)
        for start, look, way in zip(starts, looks, found, strict=True):
            points = start + ways[:, None] * look
            zero = distances_in_space(points, np.broadcast_to([0.0, 0.0, 1.0], points.shape), place, 1e-9) == 0.0
            expected = ways[np.argmax(zero)] if zero.any() else np.inf
            assert min(way, 3.0) == pytest.approx(min(expected, 3.0), abs=5.1e-4)

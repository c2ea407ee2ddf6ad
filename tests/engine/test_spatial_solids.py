"""Distances of straight lines from solids, against points along the lines taken one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import KDTree

import pushpoint as pp
from pushpoint.engine.spatial.solids import corners_of, to_solid

SOLIDS: dict[str, pp.Obstacle] = {
    "pipe": pp.Pipe(start=(0.0, 0.0, 1.0), end=(0.4, 0.2, 1.3), radius=0.15, thickness=0.03),
    "peg": pp.Peg(x=0.1, y=0.2, radius=0.1, height=1.0),
    "ramp": pp.Ramp(foot=(0.1, 0.0), heading=0.4, length=0.4, rise=0.3, width=0.3),
}


def samples_of(name: str, count: int) -> np.ndarray:
    """Points of a solid's surface, shape (n, 3)."""
    share, turn = np.meshgrid(np.linspace(0.0, 1.0, count), np.linspace(0.0, 2 * np.pi, count))
    share, turn = share.ravel(), turn.ravel()
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    if name == "pipe":
        pipe = SOLIDS["pipe"]
        assert isinstance(pipe, pp.Pipe)
        across = np.cross(pipe.axis, [0.0, 0.0, 1.0])
        basis = np.stack([across / np.linalg.norm(across), np.cross(across, pipe.axis) / np.linalg.norm(across)])
        around = circle @ basis
        walls = [np.array(pipe.start) + np.outer(share * pipe.length, pipe.axis) + r * around for r in (0.15, 0.18)]
        rings = [np.array(end) + (0.15 + 0.03 * share)[:, None] * around for end in (pipe.start, pipe.end)]
        return np.concatenate([*walls, *rings])
    if name == "peg":
        side = np.column_stack([0.1 * circle + [0.1, 0.2], 1.0 - 1.5 * share])
        top = np.column_stack([(0.1 * share)[:, None] * circle + [0.1, 0.2], np.ones(len(share))])
        return np.concatenate([side, top])
    along, aside = np.meshgrid(np.linspace(0.0, 0.4, count), np.linspace(-0.15, 0.15, count))
    along, aside = along.ravel(), aside.ravel()
    rise = 0.75 * along
    own = [np.column_stack([along, aside, rise]), np.column_stack([0.0 * rise + 0.4, aside, rise])]
    own += [np.column_stack([along, 0.0 * along + y, rise * (aside / 0.3 + 0.5)]) for y in (-0.15, 0.15)]
    own += [np.column_stack([along, aside, 0.0 * rise])]
    cos, sin = np.cos(0.4), np.sin(0.4)
    return np.concatenate(own) @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]) + [0.1, 0.0, 0.0]


@pytest.mark.parametrize("name", SOLIDS)
def test_distance_is_that_of_the_nearest_of_many_points(name: str) -> None:
    random = np.random.default_rng(3)
    (solid,) = SOLIDS[name].solids
    starts, ends = random.uniform(-0.4, 0.9, (2, 40, 3)) + np.array([0.0, 0.0, 0.5])
    surface = KDTree(samples_of(name, 60))
    found = to_solid(starts, ends, solid)
    share = np.linspace(0.0, 1.0, 200)[:, None]
    for start, end, distance in zip(starts, ends, found, strict=True):
        line = start + share * (end - start)
        least = float(surface.query(line)[0].min())
        if distance > 0.02:  # outside; the samples are up to 0.02 m apart
            assert distance - 1e-9 <= least <= distance + 1e-2
        else:
            assert least < 0.03


def test_corners_of_a_wedge_and_rims() -> None:
    heights = np.sort(corners_of(SOLIDS["ramp"].solids[0])[:, 2])
    np.testing.assert_allclose(heights, [0.0, 0.0, 0.0, 0.0, 0.3, 0.3], atol=1e-12)
    rim = corners_of(SOLIDS["peg"].solids[0])
    np.testing.assert_allclose(rim[:, 2], 1.0)
    np.testing.assert_allclose(np.hypot(rim[:, 0] - 0.1, rim[:, 1] - 0.2), 0.1)

"""Links that touch are all found, although the search passes over those that cannot be near."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import pushpoint as pp
from oracles.segments import touch
from oracles.spatial.pose import Pose
from pushpoint.engine.planar.ranges import link_axes, link_link_distance, nearest_pair, point_to_segment
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.spatial.kinematics import link_poses
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import StartOverlap

SHORT = pp.PlanarLink(length=0.1, mass=0.3, inertia=3.5e-4, radius=0.015)
LONG = replace(SHORT, length=0.17, side_length=0.12, mass_offset=0.02, radius=0.02)
THIN = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1.2e-4, 3e-4, 3.5e-4), radius=0.02)
THICK = replace(THIN, length=0.15, radius=0.03, mass_offset=0.01)
NEAR = 1e-5
"""Gaps nearer to zero than this are left to round-off [m]."""

Gaps = Iterator[tuple[tuple[int, int], float]]


def planar_gaps(robot: pp.PlanarRobot, theta: np.ndarray) -> Gaps:
    """Distance between the surfaces of each two links at their ends, where capsules touch [m]."""
    ends = np.moveaxis(np.array(link_axes(robot, np.zeros(2), theta)), -1, 0)  # [link, end, axis]
    for i, (a, b) in enumerate(ends):
        for j in range(i + 3, robot.n_links):  # a link's own neighbours touch earlier
            c, d = ends[j]
            nearest = min(
                point_to_segment(p, *side) for p, side in ((a, (c, d)), (b, (c, d)), (c, (a, b)), (d, (a, b)))
            )
            yield (i, j), float(nearest) - robot.links[i].radius - robot.links[j].radius


def spatial_gaps(robot: pp.SpatialRobot, angle: np.ndarray) -> Gaps:
    """The same for a spatial robot, from the oracle of segments."""
    pose = Pose.of(*link_poses(robot, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), angle))
    for i in range(robot.n_links):
        for j in range(i + 2, robot.n_links):
            yield (i, j), touch(robot, pose, i, j).gap


def pairs_found(
    robot: pp.PlanarRobot | pp.SpatialRobot, pose: dict[str, np.ndarray], per_pair: int
) -> set[tuple[int, ...]]:
    """Pairs of links that the kernels find in the first step of a robot at rest."""
    stepper = Stepper([robot], [pp.Environment(ground=pp.Ground(gravity=0.0))], Settings())
    stepper.load(stepper.initial([pose]))
    stepper.advance(1)
    assert stepper.statuses() != [Status.TOO_MANY_CONTACTS]
    state = stepper.state()
    keys = state.self_key[0, : int(state.n_self[0])]
    return {divmod(int(key - 1) // per_pair, robot.n_links) for key in keys}


def check_found(found: set[tuple[int, ...]], gaps: Gaps) -> int:
    """Compares with all pairs, one by one; returns how many touch."""
    touching = 0
    for pair, gap in gaps:
        if abs(gap) > NEAR:
            assert (pair in found) == (gap < 0.0), (pair, gap)
            touching += gap < 0.0
    return touching


def test_in_the_plane() -> None:
    rng, touching = np.random.default_rng(7), 0
    for _ in range(12):
        links = tuple(rng.choice(np.array([SHORT, LONG]), 70).tolist())
        robot = pp.PlanarRobot(links=links, self_contact=True)
        theta = np.cumsum(rng.normal(0.15, 0.3, 70))  # it wanders in loops and crosses itself
        pose = {"center": np.zeros(2), "theta": theta, "v": np.zeros((70, 2)), "omega": np.zeros(70)}
        touching += check_found(pairs_found(robot, pose, 4), planar_gaps(robot, theta))
    assert touching > 10


def test_in_space() -> None:
    rng, touching = np.random.default_rng(8), 0
    for _ in range(8):
        links = tuple(rng.choice(np.array([THIN, THICK]), 60).tolist())
        robot = pp.SpatialRobot(links=links, self_contact=True)
        angle = rng.normal(0.0, 0.3, robot.n_joints) + 0.25
        none = np.zeros((60, 3))
        pose = {"center": np.array([0.0, 0.0, 9.0]), "tail": np.array([1.0, 0.0, 0.0, 0.0]), "angle": angle}
        pose |= {"rate": np.zeros(robot.n_joints), "v": none, "omega": none}
        touching += check_found(pairs_found(robot, pose, 1), spatial_gaps(robot, angle))
    assert touching > 10


def test_start_of_a_long_robot_is_compared_in_portions() -> None:
    robot = pp.PlanarRobot(links=(SHORT,) * 700, self_contact=True)
    theta = np.full(700, 0.0)
    theta[500:] = np.pi * 0.999  # back along itself
    whole = link_link_distance(robot, np.zeros(2), theta)
    gap, one, other = nearest_pair(robot, np.zeros(2), theta)
    assert gap == whole.min() == whole[one, other] < 0.0
    with pytest.raises(StartOverlap):
        pp.simulate(robot, pp.Environment(), duration=0.01, start=pp.Start(link_angles=theta))

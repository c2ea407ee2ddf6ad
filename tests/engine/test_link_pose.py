"""Starts by the pose of one link, in the plane and in space."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.spatial.states import mixed_robot
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.spatial.kinematics import link_poses

ROBOT = mixed_robot()
FLAT = pp.Environment()
ANGLES = (0.3, -0.2, 0.5, 0.1, -0.4, 0.2)
PLACE = (1.0, 2.0, 3.0)


def turns_of(pose: dict) -> tuple[np.ndarray, Rotation]:
    places, frames = link_poses(ROBOT, pose["center"], pose["tail"], pose["angle"])
    return places, Rotation.from_quat(frames, scalar_first=True)


@pytest.mark.parametrize("link", [0, 2, 4])
def test_a_link_has_the_pose_that_is_given(link: int) -> None:
    wanted = Rotation.from_euler("ZYX", (2.0, -0.7, 0.4))
    given = {
        "link_orientation": tuple(2.5 * wanted.as_quat(scalar_first=True)),  # of any length
        "yaw_pitch_roll": (2.0, -0.7, 0.4),
    }
    for field, value in given.items():
        start = pp.SpatialStart(joint_angles=ANGLES, link=link, position=PLACE, **{field: value})
        pose = start.pose(ROBOT, FLAT)
        places, turns = turns_of(pose)
        assert places[link] == pytest.approx(PLACE, abs=1e-14)
        assert (turns[link] * wanted.inv()).magnitude() < 1e-14
        assert pose["angle"] == pytest.approx(ANGLES)


def test_the_rest_of_the_body_is_rigid() -> None:
    """Seen from the link, the others are where they are in any other start with these joint angles."""
    level = turns_of(pp.SpatialStart(joint_angles=ANGLES, position=PLACE).pose(ROBOT, FLAT))
    turned = turns_of(
        pp.SpatialStart(joint_angles=ANGLES, link=3, position=PLACE, yaw_pitch_roll=(1.0, 0.5, -2.0)).pose(ROBOT, FLAT)
    )
    seen = [turns[3].inv().apply(places - places[3]) for places, turns in (level, turned)]
    assert seen[0] == pytest.approx(seen[1], abs=1e-14)


def test_put_down_with_a_turned_head() -> None:
    """With x, y alone the pose keeps its orientation and is lowered until it touches."""
    robot = pp.catalogue.aiko()
    start = pp.SpatialStart(link=10, yaw_pitch_roll=(0.0, 0.3, 0.0), position=(0.2, 0.1))
    pose = pp.World(robot, FLAT, start=start).pose()
    places, _ = link_poses(robot, pose["center"], pose["tail"], pose["angle"])
    assert places[10, :2] == pytest.approx((0.2, 0.1), abs=1e-12)
    # Straight and nose down by 0.3: the front sphere of the head touches.
    tip = places[10, 2] - 0.0393 * np.sin(0.3)
    assert tip == pytest.approx(0.0525, abs=2e-9)


def test_planar() -> None:
    robot = pp.catalogue.aiko_planar()
    joints = np.linspace(-0.3, 0.4, 10)
    pose = pp.Start(joint_angles=joints, link=10, link_angle=pi / 2, position=(0.3, -0.1)).pose(robot)
    assert pose["theta"][10] == pytest.approx(pi / 2)
    assert np.diff(pose["theta"]) == pytest.approx(joints)
    assert link_positions(robot, pose["center"], pose["theta"])[10] == pytest.approx((0.3, -0.1))


def test_planar_with_a_gait() -> None:
    """The gait's first posture, turned as a whole."""
    gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
    robot = pp.catalogue.aiko_planar()
    plain, turned = (
        pp.World(robot, FLAT, gait, start).pose() for start in (pp.Start(), pp.Start(link=0, link_angle=1.0))
    )
    assert turned["theta"][0] == pytest.approx(1.0)
    assert np.ptp(turned["theta"] - plain["theta"]) < 1e-14


REFUSED = {
    "no link": (pp.SpatialStart, {"yaw_pitch_roll": (0, 0, 0)}, r"start\.link = None, must be given with yaw_pitch"),
    "two of them": (
        pp.SpatialStart,
        {"link": 0, "link_orientation": (1, 0, 0, 0), "yaw_pitch_roll": (0, 0, 0)},
        r"start\.yaw_pitch_roll = .*, must be left out if link_orientation is given",
    ),
    "whole and link": (
        pp.SpatialStart,
        {"link": 0, "link_orientation": (1, 0, 0, 0), "orientation": (1, 0, 0, 0)},
        r"start\.link_orientation = .*, must be left out if orientation is given",
    ),
    "heading": (
        pp.SpatialStart,
        {"link": 0, "yaw_pitch_roll": (0, 0, 0), "heading": 0.1},
        r"start\.heading = 0\.1, must be 0 if yaw_pitch_roll is given",
    ),
    "zero": (pp.SpatialStart, {"link": 0, "link_orientation": (0, 0, 0, 0)}, "a quaternion .* that is not zero"),
    "two angles": (pp.SpatialStart, {"link": 0, "yaw_pitch_roll": (0, 0)}, "3 numbers"),
    "planar, no link": (pp.Start, {"link_angle": 0.1}, r"start\.link = None, must be given with link_angle"),
    "planar, heading": (pp.Start, {"link": 0, "link_angle": 0.1, "heading": 0.1}, r"must be 0 if link_angle"),
    "planar, all": (pp.Start, {"link": 0, "link_angle": 0.1, "link_angles": (0.0,)}, r"left out if link_angles"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_contradictions_are_refused(case: str) -> None:
    kind, fields, words = REFUSED[case]
    with pytest.raises(pp.errors.InvalidModel, match=words):
        kind(**fields)


def test_in_a_file(tmp_path) -> None:
    robot, gait = pp.catalogue.aiko(), pp.gaits.Hold()
    start = pp.SpatialStart(link=10, yaw_pitch_roll=(pi / 2, -pi / 4, 0.0), position=(0.5, 0.0, 1.0))
    file = pp.write_scenario(pp.World(robot, FLAT, gait, start), tmp_path / "head.yaml", duration=1.0)
    assert "yaw_pitch_roll_deg: [90.0, -45.0, 0.0]" in file.read_text()
    assert pp.scenario(file).world.start == start
    planar = pp.World(pp.catalogue.aiko_planar(), FLAT, gait, pp.Start(link=3, link_angle=pi / 6))
    file = pp.write_scenario(planar, tmp_path / "planar.yaml", duration=1.0)
    assert pp.scenario(file).world.start == planar.start

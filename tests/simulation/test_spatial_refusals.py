"""Worlds and batches that do not fit together in space are refused, each by one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import pushpoint as pp
from oracles.controllers import Always
from pushpoint.errors import InvalidModel

MOTOR = pp.Motor(stiffness=5.0, damping=0.1)
LINK = pp.SpatialLink(length=0.1, mass=0.3, inertia=(1.2e-4, 3e-4, 3.5e-4), radius=0.025)
CARDAN = pp.Cardan(yaw=MOTOR, pitch=MOTOR)
ROBOT = pp.SpatialRobot(links=(LINK,) * 4, joints=(CARDAN, pp.Yaw(MOTOR), pp.Pitch(MOTOR)))
FLAT = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3)))
PLANAR = pp.PlanarRobot.uniform(4, pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02))
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a wall in space": (
        {"environment": pp.Environment(obstacles=[pp.Wall(start=(1, 0), end=(2, 0))])},
        r"^obstacles\[0\] = 'Wall', must be a Peg, Box, Stairs, Ramp or Pipe for a spatial robot$",
    ),
    "a box in the plane": (
        {"robot": PLANAR, "environment": pp.Environment(obstacles=[pp.Box(center=(1, 0, 0), size=(1, 1, 1))])},
        r"^obstacles\[0\] = 'Box', must be a Peg, Wall or Polygon for a planar robot$",
    ),
    "a slope in the plane": (
        {"robot": PLANAR, "environment": pp.Environment(ground=pp.Ground(slope=0.1))},
        r"^ground\.slope = 0\.1, must be 0 for a planar robot$",
    ),
    "a planar start": ({"start": pp.Start()}, r"^start = a Start, must be a SpatialStart for a SpatialRobot$"),
    "a spatial start": (
        {"robot": PLANAR, "start": pp.SpatialStart()},
        r"^start = a SpatialStart, must be a Start for a PlanarRobot$",
    ),
    "ranges in space": (
        {"sensors": pp.Sensors(range=pp.Channel())},
        r"^sensors\.range = 'given', must be left out for a spatial robot, which may have rays$",
    ),
    "a tilt in the plane": (
        {"robot": PLANAR, "environment": pp.Environment(), "sensors": pp.Sensors(imu_tilt=pp.Channel(noise=0.1))},
        r"^sensors\.imu_tilt = 'a Channel', must be left out for a planar robot, which does not tilt$",
    ),
    "an IMU beyond the head": ({"sensors": pp.Sensors(imu_link=4)}, r"^sensors\.imu_link = 4, must be 0 to 3 for 4"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_worlds_that_do_not_fit_get_one_sentence(case: str) -> None:
    change, words = REFUSED[case]
    with pytest.raises(InvalidModel, match=words):
        pp.World(**{"robot": ROBOT, "environment": FLAT} | change)


def test_a_controller_that_asks_for_ranges_is_refused_in_space() -> None:
    class Feeler(Always):
        needs = frozenset({"range"})

    with pytest.raises(
        InvalidModel, match=r"^sensors\.range = 'given', must be left out for a spatial robot, which may have rays$"
    ):
        pp.World(ROBOT, FLAT, Feeler(pp.Command()))
    with pytest.raises(InvalidModel, match=r"^sensors\.range"):
        pp.World(ROBOT, FLAT, pp.per_world(Feeler(pp.Command())))


MIXED: dict[str, tuple[list[pp.World], str]] = {
    "planar beside spatial": (
        [pp.World(ROBOT, FLAT), pp.World(PLANAR, pp.Environment())],
        r"^worlds: robots = \['PlanarRobot', 'SpatialRobot'\], must be all planar or all spatial in a batch$",
    ),
    "other axes": (
        [pp.World(ROBOT, FLAT), pp.World(replace(ROBOT, joints=(CARDAN, pp.Pitch(MOTOR), pp.Yaw(MOTOR))), FLAT)],
        r"^worlds: joints = 'different axes', must be of the same kinds in every world of a batch$",
    ),
    "more axes": (
        [pp.World(ROBOT, FLAT), pp.World(replace(ROBOT, joints=CARDAN), FLAT)], r"^worlds: joints = 'different axes'"
    ),
    "more links": (
        [pp.World(ROBOT, FLAT), pp.World(pp.SpatialRobot(links=(LINK,) * 5), FLAT)],
        r"^worlds: number of links = \[4, 5\], must be the same in every world of a batch$",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MIXED)
def test_batches_that_do_not_fit_get_one_sentence(case: str) -> None:
    worlds, words = MIXED[case]
    for make in (pp.Simulator, lambda batch: pp.simulate(batch, duration=0.1)):
        with pytest.raises(InvalidModel, match=words):
            make(worlds)

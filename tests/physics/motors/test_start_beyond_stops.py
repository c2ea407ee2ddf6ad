"""A joint that starts beyond its end stop is refused: leading it back would push the robot from nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import StartBeyondStop

STOPS = {"lower": -0.5, "upper": 0.4}
MOTOR = pp.Motor(stiffness=20.0, damping=0.1, **STOPS)
PLANAR = pp.PlanarRobot.uniform(4, pp.PlanarLink(length=0.1, mass=0.5, inertia=5e-4, radius=0.02), MOTOR)
SPATIAL = pp.SpatialRobot.uniform(
    4, pp.SpatialLink(length=0.1, mass=0.5, inertia=(1e-4, 5e-4, 5e-4), radius=0.02), pp.Yaw(MOTOR)
)
STILL = pp.gaits.LateralUndulation(amplitude=0.0, angular_frequency=1.0, phase_shift=0.0)


def world(robot: Any, angles: tuple[float, ...], gait: Any = STILL) -> pp.World:
    start: Any = pp.Start if robot is PLANAR else pp.SpatialStart
    return pp.World(robot, pp.Environment(), gait, start(joint_angles=angles))


@pytest.mark.parametrize("robot", [PLANAR, SPATIAL], ids=["planar", "spatial"])
@pytest.mark.parametrize(
    ("angles", "sentence"),
    [
        (
            (0.0, 0.7, 0.0),
            r"^start: joint 1 is at 0\.7 rad \(world 0\), must be between its end stops, -0\.5 and 0\.4 \[",
        ),
        ((0.45, 0.0, -0.9), r"^start: joint 2 is at -0\.9 rad"),  # the farther one is named
    ],
)
def test_beyond_is_refused(robot: Any, angles: tuple[float, ...], sentence: str) -> None:
    with pytest.raises(StartBeyondStop, match=sentence):
        pp.simulate(world(robot, angles), 0.01)
    with pytest.raises(StartBeyondStop, match=sentence):
        pp.Simulator([world(robot, angles)])


@pytest.mark.parametrize("robot", [PLANAR, SPATIAL], ids=["planar", "spatial"])
def test_at_a_stop_is_not_beyond_it(robot: Any) -> None:
    assert pp.simulate(world(robot, (0.4, -0.5, 0.0)), 0.01).attrs["status"] == "finished"


def test_a_gait_that_begins_beyond_is_refused_and_one_that_is_imposed_is_not() -> None:
    bent: dict[str, Any] = {"amplitude": 0.0, "angular_frequency": 1.0, "phase_shift": 0.0, "offset": 0.8}
    with pytest.raises(StartBeyondStop, match=r"joint . is at 0.8 rad"):
        pp.simulate(pp.World(PLANAR, pp.Environment(), pp.gaits.LateralUndulation(**bent)), 0.01)
    imposed = pp.World(PLANAR, pp.Environment(), pp.gaits.LateralUndulation(**bent, prescribed=True))
    run = pp.simulate(imposed, 0.01)
    np.testing.assert_allclose(run.joint_angle, 0.8, atol=1e-12)

"""What wheels are: sizes that follow from the link, sentences about what is wrong, files, and a short repr."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp

BODY: dict[str, Any] = {"length": 0.1, "mass": 0.5, "inertia": 6e-4, "radius": 0.04}
ROUND: dict[str, Any] = BODY | {"inertia": (4e-4, 6e-4, 6e-4)}


def test_sizes_follow_from_the_link() -> None:
    (wheels,) = pp.PlanarLink(**BODY, wheels=(pp.Wheels(),)).wheels
    assert (wheels.track, wheels.radius, wheels.clearance) == (0.04, 0.02, 0.01)
    (small,) = pp.SpatialLink(**ROUND, wheels=(pp.Wheels(radius=0.004),)).wheels
    assert small.clearance == 0.004  # wheels no larger than their clearance would hang in the air
    given = pp.Wheels(track=0.0, radius=0.03, clearance=0.02)
    assert pp.SpatialLink(**ROUND, wheels=(given,)).wheels == (given,)


def test_wheels_stand_below_the_body() -> None:
    link = pp.SpatialLink(**ROUND, wheels=(pp.Wheels(offset=0.02, axle_angle=math.pi / 2), pp.Wheels(track=0.0)))
    right, left, single = link.wheel_spheres
    assert right.position == pytest.approx((0.02 + 0.02, 0.0, -0.03))  # a quarter turn: the axle lies along the link
    assert left.position == pytest.approx((0.02 - 0.02, 0.0, -0.03))
    assert single.position == pytest.approx((0.0, 0.0, -0.03))
    lowest = {round(wheel.position[2] - wheel.radius, 12) for wheel in link.wheel_spheres}
    assert lowest == {-0.05}  # radius 0.04 and clearance 0.01


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: pp.Wheels(side_limit=-0.1), "wheels.side_limit = -0.1, must be finite and >= 0 [-]"),
        (lambda: pp.Wheels(rolling_resistance=math.inf),
         "wheels.rolling_resistance = inf, must be finite and >= 0 [-]"),
        (lambda: pp.Wheels(axle_angle=90.0), "wheels.axle_angle = 90"),
        (lambda: pp.Wheels(radius=0.01, clearance=0.03), "at most twice wheels.radius = 0.01 [m]"),
        (lambda: pp.PlanarLink(**BODY, wheels=(pp.Wheels(offset=0.06),)),
         "link.wheels[0].offset = 0.06, must be at most half of link.length = 0.1 [m]"),
        (lambda: pp.PlanarLink(**BODY, wheels=(pp.Wheels(),) * 5), "link.wheels = 5, must be at most 4 axles"),
        (lambda: pp.PlanarLink(**BODY, wheels=(pp.Wheels(),), supports=(pp.Support(offset=0.01),)),
         "left out for a link on wheels"),
        (lambda: pp.PlanarLink(**BODY, wheels=(0.5,)), "link.wheels"),
        (lambda: pp.SpatialLink(**ROUND, wheels=pp.Wheels()), "link.wheels"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(make: Any, sentence: str) -> None:
    with pytest.raises(pp.errors.InvalidModel) as told:
        make()
    assert sentence in str(told.value) and "\n" not in str(told.value)


def test_wheels_on_and_off() -> None:
    bare = pp.PlanarLink(**BODY)
    wheeled = replace(bare, wheels=(pp.Wheels(),))
    assert replace(wheeled, wheels=()) == bare


def test_repr_is_short() -> None:
    assert repr(pp.Wheels(side_limit=0.3)) == "Wheels(side_limit=0.3)"
    assert len(repr(pp.catalogue.acm_iii())) < 1500


@pytest.mark.parametrize("name", ["acm-iii", "acm-iii-planar"])
def test_files(tmp_path: Path, name: str) -> None:
    robot = pp.catalogue.ROBOTS[name]()
    skewed = pp.Wheels(offset=0.03, axle_angle=0.2, rolling_resistance=0.01, side_limit=0.9, track=0.0)
    robot = replace(robot, links=(replace(robot.links[0], wheels=(skewed, pp.Wheels())), *robot.links[1:]))
    gait = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=2.0, phase_shift=-0.3)
    written = pp.Scenario(name="wheeled", worlds=pp.World(robot, pp.Environment(), gait), duration=1.0)
    pp.write_scenario(written, tmp_path / "wheeled.yaml")
    assert "axle_angle_deg: 11.459" in (tmp_path / "wheeled.yaml").read_text()
    read = pp.scenario(tmp_path / "wheeled.yaml").world.robot
    ours, theirs = (
        np.array([[w.axle_angle, w.offset, w.side_limit] for w in r.links[0].wheels]) for r in (robot, read)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    assert read.links[1:] == robot.links[1:]


def test_other_models_refuse_them() -> None:
    from pushpoint.reduced import reduce_robot

    with pytest.raises(pp.errors.InvalidModel, match="wheels = 1, must be none in this model"):
        reduce_robot(pp.catalogue.acm_iii_planar())

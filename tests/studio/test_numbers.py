"""Sliders come from declarations: every number is found, with its unit and a range within the declared bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import between, check_fields
from pushpoint.studio.choices import controller_kinds, controller_named
from pushpoint.studio.numbers import numbers_of, with_number

GAIT = pp.gaits.LateralUndulation(amplitude=math.radians(40.0), angular_frequency=math.radians(80.0), phase_shift=-0.9)


@dataclass(frozen=True, kw_only=True)
class Invented:
    """A class that the studio has never seen."""

    share: Annotated[float, between(0, 1, "-")] = 0.25
    """A share [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "invented")


def test_a_gait_has_a_slider_for_each_number_in_degrees() -> None:
    found = {each.key: each for each in numbers_of(GAIT)}
    assert list(found) == ["angular_frequency", "phase", "soft_start", "amplitude", "phase_shift", "offset"]
    amplitude = found["amplitude"]
    assert amplitude.label == "amplitude [deg]" and amplitude.value == pytest.approx(40.0)
    assert (amplitude.low, amplitude.high) == (pytest.approx(-120.0), pytest.approx(120.0))
    assert found["soft_start"].low == 0.0  # a duration is not negative


def test_degrees_are_shown_without_the_rounding_of_radians() -> None:
    shown = [
        numbers_of(pp.gaits.LateralUndulation(amplitude=math.radians(k), angular_frequency=1.0, phase_shift=-0.5))
        for k in range(-60, 61)
    ]
    assert [{each.key: each.value for each in found}["amplitude"] for found in shown] == list(range(-60, 61))


def test_bounds_that_are_declared_are_the_ends_of_the_slider() -> None:
    (share,) = numbers_of(Invented())
    assert (share.low, share.high, share.value, share.label) == (0.0, 1.0, 0.25, "share [-]")
    assert with_number(Invented(), share.path, share.high).share == 1.0
    with pytest.raises(InvalidModel, match=r"invented.share = 1.1, must be"):
        with_number(Invented(), share.path, 1.1)


def test_numbers_inside_other_objects_and_lists_are_found_and_changed() -> None:
    hybrid = pp.control.HybridController()
    swing = next(each for each in numbers_of(hybrid) if each.key == "follower.swing")
    changed = with_number(hybrid, swing.path, 0.2)
    assert changed.follower.swing == 0.2 and changed.follower.speed == hybrid.follower.speed
    box = pp.Box(center=(0.0, 1.0, 0.1), size=(0.2, 0.3, 0.4))
    labels = [each.label for each in numbers_of(box)]
    assert {"center x [m]", "center y [m]", "size z [m]", "yaw [deg]"} <= set(labels)
    assert with_number(box, ("size", 2), 0.5).size == (0.2, 0.3, 0.5)


@pytest.mark.parametrize(
    "thing",
    [
        GAIT,
        pp.control.HybridController(),
        pp.control.ContinuousResolution(),
        pp.Isotropic(0.3),
        pp.Elliptic(along=0.1, across=0.4),
        pp.Motor(stiffness=10.0, damping=1.0, torque_limit=2.0, speed_limit=3.0),
        pp.Peg(x=0.0, y=-0.3, radius=0.1),
        pp.Wall(start=(0.0, 0.0), end=(1.0, 2.0)),
        pp.Box(center=(0.0, 0.0, 0.1), size=(0.2, 0.2, 0.2)),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_both_ends_of_every_slider_are_allowed(thing: Any) -> None:
    found = numbers_of(thing)
    assert found
    for each in found:
        assert each.low <= each.value <= each.high and each.step > 0.0, each
        for value in (each.low, each.high, each.low + each.step):
            with_number(thing, each.path, value * each.scale, whole=each.whole)


def test_every_kind_on_offer_can_be_made_for_a_world_with_numbers_kept() -> None:
    world = pp.World(pp.catalogue.aiko_planar(), pp.Environment(), GAIT)
    kinds = controller_kinds()
    assert {"lateral-undulation", "hybrid", "continuous-resolution", "shape-curve", "force-mapping"} <= set(kinds)
    made = controller_named("sidewinding", world, None)
    assert made.angular_frequency == GAIT.angular_frequency and made.phase_shift == GAIT.phase_shift
    assert controller_named("lateral-undulation", world, None).amplitude == GAIT.amplitude

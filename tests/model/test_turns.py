"""Degrees that were given as radians: refused where more than a turn makes no sense, in a sentence that helps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.scenarios.files import read_scenario

STAIRS = pp.Stairs(foot=(1.0, 0.0), steps=3, rise=0.1, run=0.2)
WAVE = {"angular_frequency": 1.4}


def undulation(**changes: float) -> Any:
    return pp.gaits.LateralUndulation(**{"amplitude": 0.6, "phase_shift": -0.8, **WAVE, **changes})


def sidewinding(**changes: float) -> Any:
    usual = {"yaw_amplitude": 0.5, "pitch_amplitude": 0.1, "phase_shift": -0.8, **WAVE}
    return pp.gaits.Sidewinding(**usual | changes)


BOUNDED: dict[str, Callable[[float], Any]] = {
    "gait.amplitude": lambda value: undulation(amplitude=value),
    "gait.offset": lambda value: undulation(offset=value),
    "gait.phase_shift": lambda value: undulation(phase_shift=value),
    "gait.yaw_amplitude": lambda value: sidewinding(yaw_amplitude=value),
    "gait.pitch_amplitude": lambda value: sidewinding(pitch_amplitude=value),
    "gait.pitch_lead": lambda value: sidewinding(pitch_lead=value),
    "gait.yaw_offset": lambda value: sidewinding(yaw_offset=value),
    "gait.release": lambda value: sidewinding(release=abs(value)),
    "motor.lower": lambda value: pp.Motor(lower=-abs(value)),
    "motor.upper": lambda value: pp.Motor(upper=abs(value)),
    "motor.backlash": lambda value: pp.Motor(backlash=abs(value)),
    "start.joint_angles[1]": lambda value: pp.Start(joint_angles=[0.1, value]),
    "box.yaw": lambda value: pp.Box(center=(0, 0, 0), size=(1, 1, 1), yaw=value),
    "stairs.heading": lambda value: replace(STAIRS, heading=value),
    "ground.slope_direction": lambda value: pp.Ground(slope_direction=value),
    "goal.direction": lambda value: pp.goals.Beyond(distance=1.0, direction=value),
    "controller.amplitude": lambda value: pp.control.ContinuousResolution(amplitude=abs(value)),
}


@pytest.mark.parametrize("field", BOUNDED)
def test_more_than_a_turn_is_refused_with_what_it_is_in_degrees(field: str) -> None:
    with pytest.raises(InvalidModel) as refused:
        BOUNDED[field](35)
    said = str(refused.value)
    assert said.startswith(f"{field} = ") and "35" in said
    assert "must be at most a turn, in [" in said and "2 pi] [rad]" in said
    assert said.endswith("35 degrees are np.radians(35) = 0.611") or said.endswith("np.radians(-35) = -0.611")


@pytest.mark.parametrize("field", BOUNDED)
@pytest.mark.parametrize("value", [0.6, 3.0])
def test_less_than_a_turn_is_nobodys_business(field: str, value: float) -> None:
    BOUNDED[field](value)


def test_the_sentence() -> None:
    with pytest.raises(InvalidModel) as refused:
        undulation(amplitude=35)
    assert str(refused.value) == (
        "gait.amplitude = 35, must be at most a turn, in [-2 pi, 2 pi] [rad]; 35 degrees are np.radians(35) = 0.611"
    )


def test_a_whole_turn_is_a_turn() -> None:
    assert undulation(amplitude=np.radians(360)).amplitude == 2 * math.pi
    with pytest.raises(InvalidModel):
        undulation(amplitude=np.nextafter(2 * math.pi, 7))


def test_what_counts_turns_is_free() -> None:
    """Phases go on with time, links of a robot that rolled have turned more than once, motors may have no stops."""
    assert undulation(phase=400.0).phase == 400.0
    assert pp.gaits.Rolling(amplitude=0.3, angular_frequency=1.0, phase=40.0).phase == 40.0
    assert pp.Start(link_angles=[40.0, 40.1]).link_angles == (40.0, 40.1)
    assert pp.Motor().upper == math.inf and pp.Motor(lower=-math.inf).lower == -math.inf
    assert undulation(angular_frequency=90.0).angular_frequency == 90.0


def test_no_hint_where_degrees_cannot_be_meant() -> None:
    """More than ten turns are no degrees either; what is no number has none."""
    for value in (1e6, math.inf, math.nan, -1e300):
        with pytest.raises(InvalidModel) as refused:
            undulation(amplitude=value)
        assert "np.radians" not in str(refused.value)


COURSE = """\
robot: {n_links: 3, link: {length: 0.1, mass: 0.5, inertia: 1e-3, radius: 0.03}, motor: {stiffness: 50, damping: 1}}
controller: {kind: lateral-undulation, AMPLITUDE, angular_frequency_deg: 90, phase_shift_deg: -60}
duration: 0.2
"""


def test_files_are_told_in_their_own_unit(tmp_path: Path) -> None:
    file = tmp_path / "course.yaml"
    file.write_text(COURSE.replace("AMPLITUDE", "amplitude_deg: 2000"), encoding="utf-8")
    with pytest.raises(pp.errors.PushpointError) as refused:
        read_scenario(file)
    assert str(refused.value) == (
        f"{file}:2: controller.amplitude_deg = 2000, must be at most a turn, in [-360, 360] [deg]"
    )
    file.write_text(COURSE.replace("AMPLITUDE", "amplitude_rad: 35"), encoding="utf-8")
    with pytest.raises(pp.errors.PushpointError) as refused:
        read_scenario(file)
    assert "controller.amplitude_rad = 35, must be at most a turn, in [-2 pi, 2 pi] [rad]" in str(refused.value)
    file.write_text(COURSE.replace("AMPLITUDE", "amplitude_deg: 0.6"), encoding="utf-8")
    read_scenario(file)  # small, but who knows

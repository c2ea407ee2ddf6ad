"""Sensors that cannot be: one sentence each."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment
from pushpoint.model.sensors import Channel, Sensors
from pushpoint.worlds.world import World

ROBOT, FREE = aiko_planar(), Environment()

REFUSED: dict[str, tuple[Any, str]] = {
    "negative noise": (lambda: Channel(noise=-1.0), r"^channel\.noise = -1\.0, must be finite and >= 0"),
    "a bias that is no number": (lambda: Channel(bias=math.nan), r"^channel\.bias = nan, must be finite"),
    "a negative quantum": (lambda: Channel(quantum=-0.1), r"^channel\.quantum = -0\.1, must be"),
    "no rate": (lambda: Channel(rate=0.0), r"^channel\.rate = 0\.0, must be finite and > 0 \[Hz\]$"),
    "a negative delay": (lambda: Channel(delay=-0.1), r"^channel\.delay = -0\.1, must be"),
    "a number for a channel": (lambda: Sensors(joint_angle=0.1), r"^sensors\.joint_angle = 0\.1, must be a Channel$"),
    "no channel": (lambda: Sensors(joint_angle=None), r"^sensors\.joint_angle = None, must be a Channel$"),
    "a link behind the tail": (lambda: Sensors(imu_link=-1), r"^sensors\.imu_link = -1, must be the number of a link"),
    "half a link": (lambda: Sensors(imu_link=1.5), r"^sensors\.imu_link = 1\.5, must be the number of a link"),
    "a negative seed": (lambda: Sensors(seed=-1), r"^sensors\.seed = -1, must be a whole number, 0 to 2\^64 - 1$"),
    "a seed too large": (lambda: Sensors(seed=2**64), r"^sensors\.seed = 18446744073709551616, must be"),
    "a word for a seed": (lambda: Sensors(seed="lucky"), r"^sensors\.seed = 'lucky', must be"),
    "a yes for a seed": (lambda: Sensors(seed=True), r"^sensors\.seed = True, must be"),
    "no range": (lambda: Sensors(max_range=0.0), r"^sensors\.max_range = 0\.0, must be finite and > 0 \[m\]$"),
    "a link the robot does not have": (
        lambda: World(ROBOT, FREE, sensors=Sensors(imu_link=11)),
        r"^sensors\.imu_link = 11, must be 0 to 10 for 11 links$",
    ),
    "a number for sensors": (lambda: World(ROBOT, FREE, sensors=5), r"^sensors = 5, must be Sensors$"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(case: str) -> None:
    make, words = REFUSED[case]
    with pytest.raises(InvalidModel, match=words):
        make()

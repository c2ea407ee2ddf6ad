"""Controllers called by hand: the same commands as in a run, with parameters and memories of each world."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.studies.places import random_place

ROBOT = pp.catalogue.liljeback2011()
PLACES = [random_place(seed, robot=ROBOT) for seed in range(4)]
SETTINGS = pp.Settings(dt=5e-3)


def world(k: int, **parameters: Any) -> pp.World:
    place = PLACES[k]
    return pp.World(ROBOT, place.environment, pp.control.ContinuousResolution(**parameters), place.starts[0])


WORLDS = [
    world(0),
    world(1, speed=0.1),
    world(2, speed=0.2),
    replace(world(3), controller=pp.control.HybridController()),
]
RATE = WORLDS[0].controller.rate


def by_hand(worlds: list[pp.World], turns: int) -> np.ndarray:
    """Joint angles of worlds that are stepped by hand."""
    simulator, controllers = pp.Simulator(worlds, rate=RATE, settings=SETTINGS), pp.Controllers(worlds)
    measured = simulator.reset()
    for _ in range(turns):
        measured = simulator.step(controllers.command(measured))
    return measured.joint_angle


def test_they_drive_as_in_a_run() -> None:
    worlds = [each for each in WORLDS if each.controller.rate == RATE]
    run = pp.simulate(worlds, 1.0, settings=SETTINGS)
    np.testing.assert_array_equal(by_hand(worlds, round(RATE)), run.joint_angle.values[:, -1])


def test_each_has_its_own_parameters() -> None:
    together = by_hand(WORLDS[:3], 40)
    for k, each in enumerate(WORLDS[:3]):
        np.testing.assert_array_equal(together[k], by_hand([each], 40)[0])
    other = by_hand([world(1, speed=0.2)], 40)[0]
    assert np.abs(together[1] - other).max() > 1e-3


def test_memories_are_reset_alone_and_others_keep_theirs() -> None:
    """A world whose simulation and memory begin again repeats its first commands; the others go on."""
    worlds = WORLDS[:3]
    simulator, controllers = pp.Simulator(worlds, rate=RATE, settings=SETTINGS), pp.Controllers(worlds)
    measured, told = simulator.reset(), []
    through, alone = pp.Simulator(worlds, rate=RATE, settings=SETTINGS), pp.Controllers(worlds)
    expected, kept = through.reset(), []
    for turn in range(40):
        if turn == 20:
            mask = np.array([False, True, False])
            measured = simulator.reset(mask)
            controllers.reset(mask)
        told.append(controllers.command(measured).joint_angle)
        kept.append(alone.command(expected).joint_angle)
        measured, expected = (
            simulator.step(pp.Command(joint_angle=told[-1])),
            through.step(pp.Command(joint_angle=kept[-1])),
        )
    np.testing.assert_array_equal(np.array(told)[20:, 1], np.array(kept)[:20, 1])
    np.testing.assert_array_equal(np.array(told)[:, [0, 2]], np.array(kept)[:, [0, 2]])


def test_other_worlds_bring_their_controllers() -> None:
    controllers, fresh = pp.Controllers(WORLDS[:3]), pp.Controllers([WORLDS[0], WORLDS[3], WORLDS[2]])
    simulator = pp.Simulator([WORLDS[0], WORLDS[3], WORLDS[2]], rate=RATE, settings=SETTINGS)
    measured = simulator.reset()
    controllers.reset(np.array([False, True, False]), [WORLDS[3]])
    np.testing.assert_array_equal(controllers.command(measured).joint_angle, fresh.command(measured).joint_angle)
    assert "1 of" in repr(controllers)


def test_memories_of_worlds_that_wait_stay() -> None:
    worlds = WORLDS[:2]
    controllers, other = pp.Controllers(worlds), pp.Controllers(worlds)
    simulator = pp.Simulator(worlds, rate=RATE, settings=SETTINGS)
    first = simulator.reset()
    wait = np.array([True, False])
    later = simulator.step(controllers.command(first, active=wait), active=wait)
    for _ in range(3):
        controllers.command(later, active=wait)
    ours, theirs = controllers.command(first), other.command(first)
    np.testing.assert_array_equal(ours.joint_angle[1], theirs.joint_angle[1])


def test_wrong_numbers_are_refused() -> None:
    controllers = pp.Controllers(WORLDS[:2])
    with pytest.raises(InvalidModel, match="worlds = 1, must be 2, one for each world that is reset"):
        controllers.reset(worlds=[WORLDS[0]])
    with pytest.raises(InvalidModel, match="mask"):
        controllers.reset(np.array([True]))
    with pytest.raises(InvalidModel, match=r"worlds\[0\]"):
        pp.Controllers([replace])  # type: ignore[list-item]

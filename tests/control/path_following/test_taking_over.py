"""A controller that takes over from another one knows its place on the same path, and looks for it on another one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control.path_following.guidance import Guide, GuideMemory
from pushpoint.engine.batching import pick, stack
from pushpoint.papers.ours import paths

X = np.linspace(0.0, 8.0, 30)
WAVY = pp.mapping.Path(np.stack((X, np.sin(X)), axis=1))
BACK = pp.mapping.Path(np.stack((6.0 - X, 2.0 * np.cos(X)), axis=1))
HERE = (4.0, float(np.sin(4.0)))


def guided(guide: Guide, memory: GuideMemory) -> GuideMemory:
    """What guidance remembers of a robot that has come along the wavy path to where it is now."""
    for x in np.linspace(0.0, HERE[0], 200):
        _, memory = guide.course(np.array([[x, np.sin(x)]]), 0.02, memory)
    return memory


def steered(path: pp.mapping.Path, look_ahead: float) -> Any:
    robot = paths.ten_links()
    return pp.control.LineOfSight(gait=paths.TEN_GAIT, path=path, look_ahead=look_ahead).bind(robot)


def winding(path: pp.mapping.Path, look_ahead: float) -> Any:
    robot, gait = pp.catalogue.yaw_pitch_16(), pp.scenario("gaits/sidewinding").world.controller
    return pp.control.SidewindingLineOfSight(gait=gait, path=path, look_ahead=look_ahead).bind(robot)


def followed(path: pp.mapping.Path, look_ahead: float) -> Any:
    robot = pp.catalogue.liljeback2014()
    motion = pp.planning.AlongCurve(segment=pp.planning.sidewinding(robot), speed=0.3)
    steering = pp.control.PathSteering(path=path, look_ahead=look_ahead)
    combined = pp.control.CombinedSteering(steerings=(pp.control.TurnSchedule(), steering))
    return pp.control.ShapeCurveFollower(motion=motion, steering=combined).bind(robot)


def guide_of(bound: Any) -> Guide:
    found: Guide = bound.guide if hasattr(bound, "guide") else bound.steering.steerings[1].guide
    return found


def place_in(memory: Any) -> GuideMemory:
    found: GuideMemory = memory.guide if hasattr(memory, "guide") else memory.steering[1].guide
    return found


def with_place(memory: Any, place: GuideMemory) -> Any:
    if hasattr(memory, "guide"):
        return memory._replace(guide=place)
    first, second = memory.steering
    return memory._replace(steering=(first, second._replace(guide=place)))


@pytest.mark.parametrize("kind", [steered, winding, followed])
def test_the_place_is_kept_on_the_same_path_alone(kind: Any) -> None:
    before = kind(WAVY, 0.5)
    known = pick(guided(guide_of(before), stack([guide_of(before).memory()])), 0)
    memory = with_place(before.memory(), known)
    assert place_in(kind(WAVY, 0.5).adopt(memory, before)).place.arc == known.place.arc > 4.5
    for path, look_ahead in ((WAVY, 1.0), (BACK, 0.5)):  # another look-ahead means another table
        bound = kind(path, look_ahead)
        kept = place_in(bound.adopt(memory, before))
        found, fresh = (
            guide_of(bound).course(np.array([HERE]), 0.02, stack([one]))[1] for one in (kept, guide_of(bound).memory())
        )
        assert found.place.arc == fresh.place.arc
        if path is WAVY:
            assert found.place.arc == pytest.approx(known.place.arc, abs=1e-3)


def test_a_compass_and_a_path_take_over_the_wave_from_each_other() -> None:
    robot = paths.ten_links()
    bound = steered(WAVY, 0.5)
    compass = pp.control.HeadingHold(gait=paths.TEN_GAIT).bind(robot)
    other = pp.control.HeadingHold(gait=paths.TEN_GAIT, direction=0.3).bind(robot)
    for one, another in ((bound, compass), (compass, bound), (compass, other)):
        past = one.memory()._replace(clock=np.array(2.5))
        assert another.adopt(past, one).clock == 2.5

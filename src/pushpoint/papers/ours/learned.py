"""Our own scenarios: the touch policy that was learned, in the environments of Liljeback2011 and on a random course."""

from __future__ import annotations

from functools import partial

from pushpoint.control.policy_files import Learned
from pushpoint.model.catalogue import liljeback2011 as paper_robot
from pushpoint.papers.liljeback2011.courses import random_course
from pushpoint.papers.liljeback2011.scenarios import (
    DURATION,
    PEG_FRICTION,
    SAMPLES,
    STEP,
    peg_course,
    published_course,
    published_start,
)
from pushpoint.papers.writing import experiment, listed
from pushpoint.worlds.world import World

POLICY = "touch-v1"
"""The policy that comes with pushpoint."""
SEED = 3003
"""The random course; it took no part in the training."""


_learned = partial(experiment, paper="learned", duration=DURATION, settings=STEP, record=SAMPLES)


def _published(environment: int) -> World:
    start = published_start(environment).start
    return World(paper_robot(), published_course(environment), Learned(policy=POLICY), start)


@_learned("Liljeback2011, IV-C, environment 1; the policy is ours")
def environment_1() -> World:
    """Environment 1 by a learned reflex: neighbours help each link that is touched."""
    return _published(1)


@_learned("Liljeback2011, IV-C, environment 2; the policy is ours")
def environment_2() -> World:
    """Environment 2 by a learned reflex, which was never trained in it."""
    return _published(2)


@_learned("Liljeback2011, IV-C, environment 3; the policy is ours")
def environment_3() -> World:
    """Environment 3 by a learned reflex; the published controller does not get through."""
    return _published(3)


@_learned("pegs and spacing after Liljeback2011, IV-C; course and policy are ours")
def random_course_scenario() -> World:
    """A learned reflex feels its way through a random field of pegs."""
    robot = paper_robot()
    course = random_course(robot, SEED, friction=PEG_FRICTION)
    return World(robot, peg_course(course.pegs), Learned(policy=POLICY), course.start)


SCENARIOS = listed(environment_1, environment_2, environment_3, random_course_scenario, paper="learned")
"""Our own scenarios, one file per group of names."""

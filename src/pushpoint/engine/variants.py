"""Which form of the kernels a batch runs: the leanest one of a short table that has all it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.packing import law_of
from pushpoint.engine.settings import Settings
from pushpoint.kernels import structs
from pushpoint.kernels.forms import FEATURES, Form
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import AnyRobot

EVERYTHING = frozenset(FEATURES) - {"details"}
VARIANTS: dict[str, dict[str, frozenset[str]]] = {
    "planar": {
        "plain": frozenset({"obstacles"}),
        "rich": EVERYTHING - {"selves", "prox"},
        "general": EVERYTHING,
        "detailed": EVERYTHING | {"details"},
    },
    "spatial": {
        "level": frozenset(),
        "rough": frozenset({"joints", "obstacles", "fields"}),
        "general": EVERYTHING,
        "detailed": EVERYTHING | {"details"},
    },
}
"""What each variant has, by engine; the leanest first."""


def variant_for(engine: str, needed: frozenset[str]) -> str:
    """Name of the leanest variant that has all features that are needed."""
    return next(name for name, features in VARIANTS[engine].items() if needed <= features)


def form_of(engine: str, variant: str, planes: bool) -> Form:
    """A variant as a form of the kernels."""
    return Form(engine, variant, VARIANTS[engine][variant], planes)


def features_of(robots: Sequence[AnyRobot], environments: Sequence[Environment], settings: Settings) -> frozenset[str]:
    """What a batch needs of its kernels, whatever is commanded."""
    bodies = list({id(robot): robot for robot in robots}.values())
    places = list({id(environment): environment for environment in environments}.values())
    grounds = list({id(place.ground): place.ground for place in places}.values())
    found = {
        "selves": any(robot.self_contact for robot in bodies),
        "obstacles": any(place.obstacles for place in places),
        "fields": any(ground.heights is not None or ground.slope != 0.0 for ground in grounds),
        "laws": any(_has_laws(ground, bodies[0].n_links) for ground in grounds) or any(_has_wheels(b) for b in bodies),
        "limits": any(_has_limits(robot) for robot in bodies),
        "joints": any(_has_other_joints(robot) for robot in bodies),
        "prox": settings.solver == "prox",
    }
    return frozenset(name for name, needed in found.items() if needed)


def _has_laws(ground: Any, n_links: int) -> bool:
    """Whether friction is anything but the same cone everywhere."""
    simple = (int(structs.LAW_CONE), int(structs.LAW_NONE))
    for friction in set(ground.laws(n_links)):
        law = law_of(friction)
        if law.code not in simple or law.directional or friction.stick_ratio != 1.0 or len(friction.around) > 1:
            return True
    return bool(ground.regions)


def _has_wheels(robot: AnyRobot) -> bool:
    return any(link.wheels for link in {id(link): link for link in robot.links}.values())


def _has_limits(robot: AnyRobot) -> bool:
    """Whether a motor is anything but a servo without limits."""
    bounds = [robot.motor_column(name) for name in ("torque_limit", "speed_limit", "lower", "upper")]
    return bool(np.isfinite(bounds).any() or robot.motor_column("backlash").any())


def _has_other_joints(robot: AnyRobot) -> bool:
    """Whether a joint is anything but two axes that meet in a point; in the plane there are only hinges."""
    chain = getattr(robot, "chain", ())
    return any(len(joint.hinges) != 2 or joint.axis_distance > 0.0 for joint in chain)

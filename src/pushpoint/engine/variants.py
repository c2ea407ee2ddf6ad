"""Which form of the kernels a world runs: the leanest one of a short table that has all it needs."""

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
        "hinged": frozenset({"joints"}),
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


class Needs:
    """What each world of a batch needs of its kernels.

    A world is always advanced by the leanest variant that has what it needs, so that its motion does not depend on
    the other worlds of the batch, to the last bit.
    """

    def __init__(
        self, robots: Sequence[AnyRobot], environments: Sequence[Environment], settings: Settings, engine: str
    ) -> None:
        self._solver = {"prox"} if settings.solver == "prox" else set()
        self._kinds: dict[frozenset[str], int] = {}
        self._kind = np.array(self._numbers(robots, environments))
        self._engine = engine
        self.details = False
        """Whether tallies on request are filled."""
        self.unplain = np.zeros(len(robots), dtype=bool)
        """Worlds with a joint that is anything but a servo now."""
        self.loaded = np.zeros(len(robots), dtype=bool)
        """Worlds with loads on links now."""

    def replace(self, rows: np.ndarray, robots: Sequence[AnyRobot] | None, environments: Sequence[Environment]) -> bool:
        """Takes up what other worlds in these rows need, with robots and grounds as before if robots are None.

        Returns whether anything has changed.
        """
        before = self._kind[rows]
        if robots is None:
            kinds = list(self._kinds)
            for row, environment in zip(rows.tolist(), environments, strict=True):
                needed = kinds[self._kind[row]] - {"obstacles"} | ({"obstacles"} if environment.obstacles else set())
                self._kind[row] = self._kinds.setdefault(needed, len(self._kinds))
        else:
            self._kind[rows] = self._numbers(robots, environments)
        return not np.array_equal(before, self._kind[rows])

    def _numbers(self, robots: Sequence[AnyRobot], environments: Sequence[Environment]) -> list[int]:
        """The kinds of worlds, by number: what their robots, grounds and obstacles need."""
        bodies = {id(robot): _of_robot(robot) for robot in _distinct(robots)}
        n_links = robots[0].n_links
        grounds = {id(ground): _of_ground(ground, n_links) for ground in _distinct([e.ground for e in environments])}
        known: dict[tuple[int, int, bool], int] = {}
        found = []
        for robot, environment in zip(robots, environments, strict=True):
            key = id(robot), id(environment.ground), bool(environment.obstacles)
            if key not in known:
                needed = bodies[key[0]] | grounds[key[1]] | self._solver | ({"obstacles"} if key[2] else set())
                known[key] = self._kinds.setdefault(frozenset(needed), len(self._kinds))
            found.append(known[key])
        return found

    def take_all(self, others: Needs) -> None:
        """Lets every world need what any of the others needs."""
        self._kinds = {frozenset().union(*others._kinds): 0}
        self._kind[:] = 0

    def groups(self) -> dict[str, np.ndarray]:
        """The worlds that each variant advances now, ascending."""
        code = (self._kind * 2 + self.unplain) * 2 + self.loaded
        found: dict[str, list[np.ndarray]] = {}
        kinds = list(self._kinds)
        for one in np.unique(code):
            needed = set(kinds[one // 4])
            needed |= {"limits"} if one // 2 % 2 else set()
            needed |= {"loads"} if one % 2 else set()
            needed |= {"details"} if self.details else set()
            found.setdefault(variant_for(self._engine, frozenset(needed)), []).append(np.flatnonzero(code == one))
        return {variant: np.sort(np.concatenate(parts)) for variant, parts in found.items()}


def _distinct(things: Sequence[Any]) -> list[Any]:
    return list({id(thing): thing for thing in things}.values())


def _of_robot(robot: AnyRobot) -> set[str]:
    found = {
        "selves": robot.self_contact,
        "laws": any(link.wheels for link in _distinct(robot.links)),
        "limits": _has_limits(robot),
        "joints": _has_other_joints(robot),
    }
    return {name for name, needed in found.items() if needed}


def _of_ground(ground: Any, n_links: int) -> set[str]:
    found = {
        "fields": ground.heights is not None or ground.slope != 0.0,
        "laws": _has_laws(ground, n_links),
    }
    return {name for name, needed in found.items() if needed}


def _has_laws(ground: Any, n_links: int) -> bool:
    """Whether friction is anything but the same cone everywhere."""
    simple = (int(structs.LAW_CONE), int(structs.LAW_NONE))
    for friction in set(ground.laws(n_links)):
        law = law_of(friction)
        if law.code not in simple or law.directional or friction.stick_ratio != 1.0 or tuple(friction.around) != (1.0,):
            return True
    return bool(ground.regions)


def _has_limits(robot: AnyRobot) -> bool:
    """Whether a motor is anything but a servo without limits."""
    bounds = [robot.motor_column(name) for name in ("torque_limit", "speed_limit", "lower", "upper")]
    return bool(np.isfinite(bounds).any() or robot.motor_column("backlash").any())


def _has_other_joints(robot: AnyRobot) -> bool:
    """Whether a joint is anything but two axes that meet in a point; in the plane there are only hinges."""
    chain = getattr(robot, "chain", ())
    return any(len(joint.hinges) != 2 or joint.axis_distance > 0.0 for joint in chain)

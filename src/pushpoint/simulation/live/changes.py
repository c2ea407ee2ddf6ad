"""The edits that lead from one environment to another."""

from __future__ import annotations

from collections.abc import Sequence

from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Obstacle
from pushpoint.worlds.edits import ChangeGround, ChangeObstacles, Edit


def edits_between(before: Environment, after: Environment, step: int) -> list[Edit]:
    """At most one edit of the obstacles and one of the ground; none for what stays as it is."""
    found: list[Edit] = []
    if not _same(before.obstacles, after.obstacles):
        first = _alike(before.obstacles, after.obstacles)
        rest = before.obstacles[first:], after.obstacles[first:]
        last = _alike(*(part[::-1] for part in rest))
        removed, put = len(rest[0]) - last, rest[1][: len(rest[1]) - last]
        found.append(ChangeObstacles(step=step, first=first, removed=removed, obstacles=put))
    if after.ground is not before.ground and after.ground != before.ground:
        found.append(ChangeGround(step=step, ground=after.ground))
    return found


def _same(one: Sequence[Obstacle], other: Sequence[Obstacle]) -> bool:
    return len(one) == len(other) and _alike(one, other) == len(one)


def _alike(one: Sequence[Obstacle], other: Sequence[Obstacle]) -> int:
    """How many obstacles are the same from the beginning on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((k for k, (a, b) in pairs if a is not b and a != b), min(len(one), len(other)))

"""The obstacles of spatial worlds as the kernels' rows: solids, and a grid over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.records import Records
from pushpoint.engine.sharing import Shared
from pushpoint.engine.tables.grids import grids_of, pack_grids
from pushpoint.engine.tables.merging import Pieces
from pushpoint.engine.tables.stock import Stock
from pushpoint.kernels.spatial import structs
from pushpoint.model.environment import Environment, Peg, Pegs
from pushpoint.model.friction import Isotropic
from pushpoint.model.obstacle import ENDLESS, Obstacle, Solid

Part = tuple[Obstacle, Solid]
"""A solid of an obstacle that is not a peg."""


def load_rows(obstacle: Obstacle) -> int:
    """One row: the kernels add up the loads on its solids."""
    return 1


def obstacle_rows(obstacle: Obstacle) -> tuple[int, int]:
    """One row for each of its solids, which have no vertices."""
    return (1 if type(obstacle) is Peg else len(obstacle.solids)), 0


def solids_near(
    environment: Environment, place: np.ndarray, within: float, *, endless: bool = True
) -> list[tuple[Solid, int]]:
    """The solids that a circle around x, y may reach [m], each with the number of its obstacle.

    `endless`: also those of unlimited height.
    """
    pegs = environment.pegs
    near = np.hypot(pegs.x - place[0], pegs.y - place[1]) - pegs.radius <= within
    numbers = pegs.number[near if endless else near & ~np.isnan(pegs.height)].tolist()
    numbers = sorted([*numbers, *environment.others])
    found = [(solid, number) for number in numbers for solid in environment.obstacles[number].solids]
    return [pair for pair in found if _aside(pair[0], place) <= within and (endless or not pair[0].endless)]


def _aside(solid: Solid, place: np.ndarray) -> float:
    """Horizontal distance of a place from the box around a solid [m]."""
    reach = (np.abs(solid.rotation) @ solid.half)[:2]
    return float(np.linalg.norm(np.maximum(np.abs(place[:2] - solid.center[:2]) - reach, 0.0)))


def shape_of(solid: Solid) -> int:
    """The kernels' code of a solid."""
    if solid.radius:
        return int(structs.PEG if solid.endless else structs.ROUND)
    return int(structs.WEDGE if solid.wedge else structs.BOX)


def thickness_of(solid: Solid) -> float:
    """Overlap at which a link has sunk in so far that the way out is lost [m]."""
    if solid.inner:
        return solid.radius - solid.inner
    return solid.radius or min(solid.half)


def pack_obstacles(records: Records, environments: Sequence[Environment], stock: Stock) -> Any:
    """Solids of the obstacles of all worlds as rows, each with the index of its obstacle, and a grid over each world's.

    A solid is a row of its own.
    """
    shared = Shared(environments)
    found = [
        ((e, number), (obstacle, solid))
        for e, environment in enumerate(shared.parts)
        for number, obstacle in environment.others.items()
        for solid in obstacle.solids
    ]
    pieces, parts = Pieces(shared.parts, [place for place, _ in found]), [part for _, part in found]
    each = np.ones(len(parts), dtype=int)
    numbers = {"owner": pieces.number[: len(pieces.pegs.number)]}, {"owner": pieces.number[len(pieces.pegs.number) :]}
    rows = pieces.joined(_peg_rows(pieces.pegs) | numbers[0], _part_rows(parts) | numbers[1], each)
    rows["law"] = _law_rows(rows.pop("friction"), stock)
    counts = pieces.per_environment(each, len(shared.parts))
    reach = rows.pop("reach")
    grids = grids_of(rows["center"][:, :2] - reach, rows["center"][:, :2] + reach, counts)
    rows = {name: column[shared.rows(counts)] for name, column in rows.items()}
    own = np.array([len(environment.obstacles) for environment in shared.parts])[shared.which]
    first_owner = np.concatenate(([0], np.cumsum(own)))
    rows["owner"] = rows["owner"] + np.repeat(first_owner[:-1], counts[shared.which])
    return records.fill(
        records.family.Obstacles(),
        obstacles=records.make("ObstacleModel", len(rows["owner"]), **rows),
        owners=first_owner,
        **pack_grids(records, grids, shared),
    )


def _law_rows(friction: np.ndarray, stock: Stock) -> np.ndarray:
    """The row of each coefficient's law; new laws are added in the order of the obstacles."""
    different, first, which = np.unique(friction, return_index=True, return_inverse=True)
    row_of = np.zeros(len(different), dtype=int)
    for k in np.argsort(first):
        row_of[k] = stock.laws.row(Isotropic(float(different[k])))
    return np.asarray(row_of[which])


def _peg_rows(pegs: Pegs) -> dict[str, np.ndarray]:
    """Rows of upright columns; see Solid.column."""
    count, radius, endless = len(pegs.x), pegs.radius, np.isnan(pegs.height)
    half = np.where(endless, ENDLESS, radius)
    unlimited = half >= ENDLESS
    return {
        "shape": np.where(unlimited, int(structs.PEG), int(structs.ROUND)),
        "center": np.column_stack((pegs.x, pegs.y, np.where(endless, 0.0, pegs.height - radius))),
        "axes": np.broadcast_to(np.eye(3), (count, 3, 3)),
        "half": np.column_stack((radius, radius, half)),
        "reach": np.column_stack((radius, radius)),
        "radius": radius,
        "inner": np.zeros(count),
        "low": half + np.where(endless, 0.0, ENDLESS),
        "high": half,
        "friction": pegs.friction,
        "restitution": pegs.restitution,
        "deepest": radius,
    }


def _part_rows(parts: Sequence[Part]) -> dict[str, np.ndarray]:
    """Rows of the other solids."""
    solids = [solid for _, solid in parts]
    return {
        "shape": np.array([shape_of(solid) for solid in solids], dtype=int),
        "center": np.array([solid.center for solid in solids]).reshape(-1, 3),
        "axes": np.array([solid.rotation.T for solid in solids]).reshape(-1, 3, 3),
        "half": np.array([solid.half for solid in solids]).reshape(-1, 3),
        "reach": np.array([(np.abs(solid.rotation) @ solid.half)[:2] for solid in solids]).reshape(-1, 2),
        "radius": np.array([solid.radius for solid in solids]),
        "inner": np.array([solid.inner for solid in solids]),
        "low": np.array([solid.half[2] + solid.below for solid in solids]),
        "high": np.array([solid.half[2] for solid in solids]),
        "friction": np.array([obstacle.friction for obstacle, _ in parts]),
        "restitution": np.array([obstacle.restitution for obstacle, _ in parts]),
        "deepest": np.array([thickness_of(solid) for solid in solids]),
    }

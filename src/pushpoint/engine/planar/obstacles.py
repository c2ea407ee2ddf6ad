"""The obstacles of planar worlds as the kernels' rows: hulls, their vertices, and a grid over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.planar.rows import Rows, hull_rows
from pushpoint.engine.records import Records
from pushpoint.engine.sharing import Shared
from pushpoint.engine.tables.grids import grids_of, pack_grids
from pushpoint.engine.tables.merging import Pieces
from pushpoint.model.environment import Environment, Peg, Pegs
from pushpoint.model.obstacle import Hull, Obstacle

Part = tuple[Obstacle, Hull, Rows]
"""A hull of an obstacle that is not a peg, and its rows."""


def load_rows(obstacle: Obstacle) -> int:
    """One row for each row of its hulls."""
    return obstacle_rows(obstacle)[0]


def obstacle_rows(obstacle: Obstacle) -> tuple[int, int]:
    """One row for each hull, several for a hollow one, and one for each of their vertices."""
    if type(obstacle) is Peg:
        return 1, 1
    made = [hull_rows(hull) for hull in obstacle.hulls]
    return sum(len(rows.spans) for rows in made), sum(len(rows.vertices) for rows in made)


def pack_obstacles(records: Records, environments: Sequence[Environment]) -> Any:
    """Hulls of the obstacles of all worlds as rows, and a grid over each world's rows."""
    shared = Shared(environments)
    found = [
        ((e, number), (obstacle, hull, hull_rows(hull)))
        for e, environment in enumerate(shared.parts)
        for number, obstacle in environment.others.items()
        for hull in obstacle.hulls
    ]
    pieces, parts = Pieces(shared.parts, [place for place, _ in found]), [part for _, part in found]
    n_rows = np.array([len(rows.spans) for *_, rows in parts], dtype=int)
    n_vertices = np.array([len(rows.vertices) for *_, rows in parts], dtype=int)
    starts = pieces.starts(n_vertices)
    first = starts[: len(pieces.pegs.number)], starts[len(pieces.pegs.number) :]
    rows = pieces.joined(_peg_rows(pieces.pegs, first[0]), _part_rows(parts, first[1]), n_rows)
    vertices = pieces.joined(_peg_vertices(pieces.pegs), _part_vertices(parts), n_vertices)
    per_environment, own_vertices = (pieces.per_environment(each, len(shared.parts)) for each in (n_rows, n_vertices))
    grids = grids_of(rows.pop("low"), rows.pop("high"), per_environment)
    rows = {name: column[shared.rows(per_environment)] for name, column in rows.items()}
    vertices = {name: column[shared.rows(own_vertices)] for name, column in vertices.items()}
    before = np.cumsum(own_vertices[shared.which]) - own_vertices[shared.which]
    offset, rim = np.repeat(before, per_environment[shared.which]), rows.pop("rim")
    rows["first_vertex"] = rows["first_vertex"] + offset
    for edge in ("first_edge", "last_edge"):
        rows[edge] = np.where(rim, rows[edge] + offset, 0)
    return records.fill(
        records.family.Obstacles(),
        obstacles=records.make("ObstacleModel", len(rim), **rows),
        vertices=records.make("VertexModel", len(vertices["length"]), **vertices),
        **pack_grids(records, grids, shared),
    )


def _peg_rows(pegs: Pegs, first_vertex: np.ndarray) -> dict[str, np.ndarray]:
    """Rows of pegs; they are lost when a link's axis reaches their centre."""
    center, radius, none = np.column_stack((pegs.x, pegs.y)), pegs.radius, np.zeros(len(pegs.x), dtype=int)
    return {
        "vertex": center,
        "low": center - radius[:, None],
        "high": center + radius[:, None],
        "radius": radius,
        "deepest": radius,
        "friction": pegs.friction,
        "restitution": pegs.restitution,
        "first_vertex": first_vertex,
        "n_vertices": none + 1,
        "first_edge": none,
        "last_edge": none,
        "rim": none > 0,
    }


def _part_rows(parts: Sequence[Part], starts: np.ndarray) -> dict[str, np.ndarray]:
    """Rows of the other hulls; `starts` are the first vertices of their hulls."""
    each = [(*part, start, span) for part, start in zip(parts, starts.tolist(), strict=True) for span in part[2].spans]
    outlines = [rows.vertices[first:last] for _, _, rows, _, (first, last) in each]
    radius = np.array([hull.radius for _, hull, *_ in each])
    return {
        "vertex": np.array([outline[0] for outline in outlines]).reshape(-1, 2),
        "low": np.array([outline.min(axis=0) for outline in outlines]).reshape(-1, 2) - radius[:, None],
        "high": np.array([outline.max(axis=0) for outline in outlines]).reshape(-1, 2) + radius[:, None],
        "radius": radius,
        "deepest": np.array([rows.deepest for _, _, rows, *_ in each]),
        "friction": np.array([obstacle.friction for obstacle, *_ in each]),
        "restitution": np.array([obstacle.restitution for obstacle, *_ in each]),
        "first_vertex": np.array([start + first for *_, start, (first, _) in each], dtype=int),
        "n_vertices": np.array([len(outline) for outline in outlines], dtype=int),
        "first_edge": np.array([start for *_, start, _ in each], dtype=int),
        "last_edge": np.array([start + len(rows.vertices) for _, _, rows, start, _ in each], dtype=int),
        "rim": np.array([rows.rim for _, _, rows, *_ in each], dtype=bool),
    }


def _peg_vertices(pegs: Pegs) -> dict[str, np.ndarray]:
    """The centres of pegs, which no edge leaves."""
    return {
        "H": np.column_stack((pegs.x, pegs.y)),
        "along": np.zeros((len(pegs.x), 2)),
        "length": np.zeros(len(pegs.x)),
    }


def _part_vertices(parts: Sequence[Part]) -> dict[str, np.ndarray]:
    """Vertices of the other hulls with the edges that leave them."""
    made = [rows for *_, rows in parts]
    return {
        "H": np.concatenate([*(rows.vertices for rows in made), np.zeros((0, 2))]),
        "along": np.concatenate([*(rows.along for rows in made), np.zeros((0, 2))]),
        "length": np.concatenate([*(rows.length for rows in made), np.zeros(0)]),
    }

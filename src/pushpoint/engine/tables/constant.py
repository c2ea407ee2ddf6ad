"""The constant tables of a batch: robots, grounds and obstacles of all worlds, and other worlds put in their place.

Tables are made for the worlds that are there, without gaps. When a world is replaced for the first time, every world
gets a block of its own in each table of obstacles and of regions, with room to spare. From then on new worlds are
packed alone and copied into their blocks. A batch is packed again as a whole only if a block has become too small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from pushpoint.engine import packing as pack
from pushpoint.engine.engines import Engine
from pushpoint.engine.records import Draft, Records
from pushpoint.engine.sharing import Shared, runs
from pushpoint.engine.tables.stock import Stock
from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.spatial_robot import AnyRobot

SPARE = 1.5
"""How much larger blocks and shared tables are made than they must be [-]."""
LARGEST_INDEX = 2**31 - 1
"""The largest whole number of the kernels [-]."""
PER_LINK = ("links", "points", "spheres", "wheels", "bars", "axes")
"""Tables of the model with records of links."""
OF_MODEL = ("regions", "region_vertices")
OF_OBSTACLES = ("obstacles", "vertices", "cell_start", "cell_obstacle")
"""Tables with a block for each world."""

Spans = dict[str, tuple[np.ndarray, np.ndarray]]
"""For each table with blocks the first rows of all worlds and how many they have, shape (n_worlds,) each."""


class Tables:
    """Makes the model, the obstacles and the drive of a batch, as structs of the kernels, and puts worlds into them."""

    def __init__(
        self,
        engine: Engine,
        records: Records,
        robots: Sequence[AnyRobot],
        environments: Sequence[Environment],
        dt: float,
    ) -> None:
        self._engine, self._records, self._dt = engine, records, dt
        self.robots, self.environments = list(robots), list(environments)
        self._stock = Stock()
        self.model = engine.pack_robots(records, robots, environments, self._stock)
        self.obstacles = engine.pack_obstacles(records, environments, self._stock)
        records.fill(self.model, **engine.pack_stock(records, self._stock))
        self.drive = pack.pack_drive(records, robots, dt)
        self.blocks: dict[str, int] = {}
        """Rows that each world has in each table; empty as long as there are no gaps."""
        self._filled: dict[str, int] = {}  # rows of the tables that worlds share

    def first_obstacles(self) -> np.ndarray:
        """The row where the obstacles of each world begin, shape (n_worlds,)."""
        with self._records.edited(self.obstacles.grids) as grids:
            return np.array(grids["first"])

    def firsts(self, table: str, counts: np.ndarray) -> np.ndarray:
        """The first row of each world in a table with blocks, of which worlds have `counts`; shape (n_worlds,)."""
        return np.arange(len(counts)) * self.blocks[table] if self.blocks else np.cumsum(counts) - counts

    def alike(self, rows: np.ndarray, robots: Sequence[AnyRobot], environments: Sequence[Environment]) -> bool:
        """Whether these are the robots and the grounds that the worlds of `rows` have already."""
        worlds = zip(rows.tolist(), robots, environments, strict=True)
        return all(
            robot is self.robots[row] and _same(place.ground, self.environments[row].ground)
            for row, robot, place in worlds
        )

    def put(
        self, rows: np.ndarray, robots: Sequence[AnyRobot], environments: Sequence[Environment], *, alike: bool
    ) -> None:
        """Replaces what the worlds of `rows` consist of; their obstacles alone if the rest is alike."""
        all_robots, places = self.robots.copy(), self.environments.copy()
        for row, robot, environment in zip(rows.tolist(), robots, environments, strict=True):
            all_robots[row], places[row] = robot, environment
        records = self._records
        separate = not alike and records.shared and not are_equal(all_robots, places)
        if not self.blocks or separate or not self._have_put(rows, None if alike else robots, environments):
            self._make_room(all_robots, places, separate=separate)
        self.robots, self.environments = all_robots, places

    def _have_put(
        self, rows: np.ndarray, robots: Sequence[AnyRobot] | None, environments: Sequence[Environment]
    ) -> bool:
        """Puts worlds into their blocks; False, and nothing is changed, if they do not fit."""
        draft = self._drafted(robots, environments)
        spans = _spans_of(draft)
        if not self._has_room(draft, spans):
            return False
        self._copy(rows, draft, spans)
        return True

    def _drafted(self, robots: Sequence[AnyRobot] | None, environments: Sequence[Environment]) -> SimpleNamespace:
        """The tables of some worlds alone, with robots if given, and what they add to those that worlds share."""
        draft, model, motors = Draft(self._records, len(environments)), None, None
        if robots is not None:
            model = self._engine.pack_robots(draft, robots, environments, self._stock)
            motors = pack.pack_motors(draft, robots, self._dt)
        obstacles = self._engine.pack_obstacles(draft, environments, self._stock)
        added = self._engine.pack_stock(draft, self._stock) if self._stock.grown else {}
        return SimpleNamespace(model=model, obstacles=obstacles, motors=motors, added=added)

    def _has_room(self, draft: SimpleNamespace, spans: Spans) -> bool:
        """Whether all of it fits into the tables as they are."""
        shared = (
            self._filled[name] + len(table) <= len(getattr(self.model, name)) for name, table in draft.added.items()
        )
        own = (count.max(initial=0) <= self.blocks[name] for name, (_, count) in spans.items())
        return all(own) and all(shared)

    def _copy(self, rows: np.ndarray, draft: SimpleNamespace, spans: Spans) -> None:
        """Copies a draft into the tables."""
        _shift(draft, spans, {name: rows * self.blocks[name] - first for name, (first, _) in spans.items()})
        for tables, source, names in (
            (self.obstacles, draft.obstacles, OF_OBSTACLES),
            (self.model, draft.model, OF_MODEL),
        ):
            for name in (name for name in names if name in spans and len(getattr(source, name))):
                with self._records.edited(getattr(tables, name)) as table:
                    table[runs(rows * self.blocks[name], spans[name][1])] = getattr(source, name)
        with self._records.edited(self.obstacles.grids) as grids:
            grids[rows] = draft.obstacles.grids
        for name, added in draft.added.items():
            with self._records.edited(getattr(self.model, name)) as table:
                table[self._filled[name] : self._filled[name] + len(added)] = added
            self._filled[name] += len(added)
        if draft.model is not None:
            self._copy_robots(rows, draft)

    def _copy_robots(self, rows: np.ndarray, draft: SimpleNamespace) -> None:
        """Copies what a draft has of robots and grounds, beside its regions."""
        records, model = self._records, self.model
        with records.edited(model.worlds) as worlds:
            worlds[rows] = draft.model.worlds
        model.n_regions = max(model.n_regions, draft.model.n_regions)
        only = slice(None) if not records.shared else slice(1)  # robots that all worlds share are there once
        into = rows[only] if not records.shared else np.zeros(1, dtype=int)
        count = len(rows)
        for owner, source, name in (
            *((model, draft.model, name) for name in PER_LINK if hasattr(draft.model, name)),
            (self.drive, draft, "motors"),
        ):
            given = getattr(source, name)
            with records.edited(getattr(owner, name)) as table:
                found = given.reshape(count, records.n_links, len(given) // (count * records.n_links))[only]
                records.by_world(table)[into, :, : found.shape[2]] = found

    def _make_room(self, robots: Sequence[AnyRobot], environments: Sequence[Environment], *, separate: bool) -> None:
        """Packs all worlds again, each with a block of its own that is larger than it must be.

        `separate`: robots are no longer equal in all worlds.
        """
        records, model = self._records, self.model
        if separate:
            records.shared = False
            records.fill(model, **records.sharing, world_row=1)
            records.fill(self.drive, **records.sharing)
        self._stock = Stock()
        draft = self._drafted(robots, environments)
        spans, n = _spans_of(draft), records.n_worlds
        for name, (_, count) in spans.items():
            most, held = int(count.max()), self.blocks.setdefault(name, 0)
            self.blocks[name] = held if most <= held else int(np.ceil(SPARE * most))
        if n * self.blocks["obstacles"] + 1 > LARGEST_INDEX // self._engine.FEATURES:
            most = int(spans["obstacles"][1].max())
            raise InvalidModel("worlds: obstacles of one", most, f"fewer: each of the {n} worlds gets as much room")
        for tables, names in ((model, OF_MODEL), (self.obstacles, OF_OBSTACLES)):
            for name in (name for name in names if name in spans):
                self._renew(tables, name, n * self.blocks[name])
        for name, table in draft.added.items():
            self._renew(model, name, int(SPARE * len(table)) + n)
        self._filled = dict.fromkeys(draft.added, 0)
        one = 1 if records.shared else n
        for name in (name for name in PER_LINK if hasattr(model, name)):
            most = len(getattr(draft.model, name)) // n
            self._renew(model, name, one * max(most, records.n_links * getattr(model, f"most_{name}", 1)))
        if "owners" in spans:
            self.obstacles.owners = records.array(np.arange(n + 1) * self.blocks["owners"], self.obstacles.owners.dtype)
        self._renew(self.drive, "motors", one * len(draft.motors) // n)
        self._copy(np.arange(n), draft, spans)

    def _renew(self, struct: Any, name: str, count: int) -> None:
        """Makes a table anew, with so many rows of zeros."""
        old = getattr(struct, name)
        self._records.forget(old)
        setattr(struct, name, self._records.zeros(struct._cls.vars[name], count))


def are_equal(robots: Sequence[AnyRobot], environments: Sequence[Environment]) -> bool:
    """Whether all worlds have the same robot on the same ground."""
    grounds = Shared([environment.ground for environment in environments]).parts
    return all(robot is robots[0] for robot in robots) and all(_same(ground, grounds[0]) for ground in grounds)


def _same(one: Ground, other: Ground) -> bool:
    """Whether two grounds are the same for the kernels; with heights only if they are one object."""
    return one is other or (one.heights is None and other.heights is None and one == other)


def _spans_of(draft: SimpleNamespace) -> Spans:
    """The rows of each world in the tables of a draft, which have no gaps."""
    obstacles, grids = draft.obstacles, draft.obstacles.grids
    first_cell, cells = grids["first_cell"], grids["columns"] * grids["rows"] + 1
    entries = [obstacles.cell_start[cell] for cell in (first_cell, first_cell + cells - 1)]
    found = {
        "obstacles": (grids["first"], grids["last"]),
        "cell_start": (first_cell, first_cell + cells),
        "cell_obstacle": (entries[0], entries[1]),
    }
    if draft.model is not None:
        worlds, corners = draft.model.worlds, _edges(draft.model.regions["last"])
        found["regions"] = (worlds["first_region"], worlds["last_region"])
        found["region_vertices"] = (corners[worlds["first_region"]], corners[worlds["last_region"]])
    if hasattr(obstacles, "owners"):
        owners = np.asarray(obstacles.owners)
        found["owners"] = (owners[:-1], owners[1:])
    if hasattr(obstacles, "vertices"):
        rows = obstacles.obstacles
        corners = _edges(np.maximum(rows["first_vertex"] + rows["n_vertices"], rows["last_edge"]))
        found["vertices"] = (corners[grids["first"]], corners[grids["last"]])
    return {name: (np.array(first), np.array(last - first)) for name, (first, last) in found.items()}


def _edges(last: np.ndarray) -> np.ndarray:
    """Where things of several rows begin and end, from the rows after their last ones."""
    return np.concatenate(([0], np.maximum.accumulate(last))).astype(int)


def _shift(draft: SimpleNamespace, spans: Spans, by: Mapping[str, np.ndarray]) -> None:
    """Adds to all numbers of rows what their world's block is further on in the table that they point to."""
    obstacles, model = draft.obstacles, draft.model

    def further(table: str, of: str) -> np.ndarray:
        return np.repeat(by[table], spans[of][1])

    obstacles.cell_start = obstacles.cell_start + further("cell_obstacle", "cell_start")
    obstacles.cell_obstacle = obstacles.cell_obstacle + further("obstacles", "cell_obstacle")
    for name, table in (("first", "obstacles"), ("last", "obstacles"), ("first_cell", "cell_start")):
        obstacles.grids[name] += by[table]
    if model is not None:
        for name in ("first_region", "last_region"):
            model.worlds[name] += by["regions"]
        for name in ("first", "last"):
            model.regions[name] += further("region_vertices", "regions")
    if "owners" in spans:
        obstacles.obstacles["owner"] += further("owners", "obstacles")
    if "vertices" in spans:
        rows, more = obstacles.obstacles, further("vertices", "obstacles")
        rows["first_vertex"] += more
        for name in ("first_edge", "last_edge"):
            rows[name] += np.where(rows["last_edge"] > 0, more, 0)

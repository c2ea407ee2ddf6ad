"""From words to arrays, as both engines need it: friction laws, regions, motors, settings, grids, space for results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.engine.records import Records
from pushpoint.engine.settings import Settings
from pushpoint.kernels import structs
from pushpoint.model.checks import non_negative, one_of
from pushpoint.model.environment import Environment
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.spatial_robot import AnyRobot

CELLS_PER_OBSTACLE = 4
ENTRIES_PER_OBSTACLE = 16
MOST_CELLS_ACROSS = 4096


@dataclass(frozen=True)
class Grid:
    """Obstacle rows by the grid cells that their bounding boxes touch."""

    origin: np.ndarray
    """Corner of cell (0, 0) [m], shape (2,)."""
    cell: float
    """Width of a cell [m]."""
    columns: int
    rows: int
    start: np.ndarray
    """First entry of each cell in `obstacles`, row by row, and the end, shape (columns * rows + 1,)."""
    obstacles: np.ndarray
    """Obstacle rows by cell, ascending within a cell."""


def grid_of(low: np.ndarray, high: np.ndarray, first: int) -> Grid:
    """A grid over boxes with corners `low` and `high`, shape (n, 2) [m]; the first is row `first` of the batch."""
    if len(low) == 0:
        return Grid(np.zeros(2), 1.0, 1, 1, np.zeros(2, dtype=int), np.zeros(0, dtype=int))
    origin = low.min(axis=0)
    extent = np.maximum(high.max(axis=0) - origin, 1e-9)
    # Cells as wide as an obstacle, or wider if sparse obstacles would give far more cells than obstacles.
    usual = float(np.median((high - low).max(axis=1)))
    cell = max(usual, np.sqrt(extent.prod() / (CELLS_PER_OBSTACLE * len(low))), extent.max() / MOST_CELLS_ACROSS)
    while _cells(low, high, origin, cell).prod(axis=1).sum() > ENTRIES_PER_OBSTACLE * len(low):
        cell *= 2.0  # a few long walls must not fill a fine grid
    columns, rows = (int(n) for n in np.floor(extent / cell).astype(int) + 1)
    entries = _entries(np.floor((low - origin) / cell).astype(int), _cells(low, high, origin, cell))
    index = entries[:, 2] * columns + entries[:, 1]
    order = np.argsort(index, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(index, minlength=columns * rows))))
    return Grid(origin, float(cell), columns, rows, start, entries[order, 0] + first)


def _cells(low: np.ndarray, high: np.ndarray, origin: np.ndarray, cell: float) -> np.ndarray:
    """How many columns and rows each box touches, shape (n, 2)."""
    return np.asarray(np.floor((high - origin) / cell) - np.floor((low - origin) / cell)).astype(int) + 1


def _entries(corner: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """(obstacle, column, row) for every cell that a box touches, sorted by obstacle."""
    count = cells.prod(axis=1)
    obstacle = np.repeat(np.arange(len(count)), count)
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    wide = cells[obstacle, 0]
    return np.stack((obstacle, corner[obstacle, 0] + within % wide, corner[obstacle, 1] + within // wide), axis=1)


ACTIVE_GAP = 1e-6
SLOP = 1e-6
FEEDBACK = 0.1
FEEDBACK_SPEED = 5e-3
IMPACT_SPEED = 1e-3
NEAR_MARGIN_PER_LENGTH = 0.25

LAW_CODES = {kind: int(getattr(structs, f"LAW_{kind.upper()}")) for kind in ("none", "cone", "rectangle", "viscous")}


class Law(NamedTuple):
    """A friction law as the kernels use it: the largest coefficient, and the others relative to it."""

    code: int
    directional: int
    largest: float
    scale: tuple[float, ...]


def law_of(friction: FrictionLaw) -> Law:
    """Translates a friction law; its coefficients are for sliding forward, backward and across."""
    kind = one_of("friction.kind", friction.kind, tuple(LAW_CODES))
    mu = [non_negative(f"friction.coefficients[{k}]", part, "-") for k, part in enumerate(friction.coefficients)]
    largest = max(mu)
    if largest == 0.0:
        return Law(LAW_CODES["none"], 0, 0.0, (1.0, 1.0, 1.0))
    directional = int(friction.flow == "directional")
    return Law(LAW_CODES[kind], directional, largest, tuple(part / largest for part in mu))


class Laws:
    """The different friction laws of a batch."""

    def __init__(self) -> None:
        self._rows: dict[FrictionLaw, int] = {}

    def row(self, friction: FrictionLaw) -> int:
        """The row of a law, added if it is new."""
        return self._rows.setdefault(friction, len(self._rows))

    @property
    def all(self) -> list[FrictionLaw]:
        """The laws, row by row."""
        return list(self._rows)

    def pack(self, records: Records, **more: Any) -> Any:
        """All laws as records; `more` holds further fields of these records."""
        laws = [law_of(friction) for friction in self._rows]
        fields = {name: [getattr(law, name) for law in laws] for name in Law._fields}
        return records.make("LawModel", len(laws), **fields, **more)


def pack_model(
    records: Records,
    robots: Sequence[AnyRobot],
    environments: Sequence[Environment],
    laws: Laws,
    *,
    links: dict[str, Any],
    worlds: dict[str, Any],
    **rest: Any,
) -> Any:
    """Robots on their grounds: links, regions and worlds with the fields that both engines share, and `rest`."""
    links |= {"to_mass": np.stack([to_mass(robot) for robot in robots])}
    links |= {"law": [[laws.row(law) for law in each.ground.laws(records.n_links)] for each in environments]}
    worlds |= {"mass": [robot.mass for robot in robots]}
    worlds |= {"gravity": [environment.ground.gravity for environment in environments]}
    regions = [region for environment in environments for region in environment.ground.regions]
    outlines = [np.array(region.vertices) for region in regions]
    ends = np.cumsum([0, *(len(outline) for outline in outlines)])
    made = records.make(
        "RegionModel",
        len(regions),
        low=np.array([outline.min(axis=0) for outline in outlines]).reshape(-1, 2),
        high=np.array([outline.max(axis=0) for outline in outlines]).reshape(-1, 2),
        first=ends[:-1],
        last=ends[1:],
        law=[laws.row(region.friction) for region in regions],
    )
    last = np.cumsum([0, *(len(environment.ground.regions) for environment in environments)])
    worlds |= {"first_region": last[:-1], "last_region": last[1:]}
    return records.fill(
        records.family.Model(),
        n_links=records.n_links,
        **records.strides,
        **records.sharing,
        world_row=int(not records.shared),
        n_regions=len(regions),
        regions=made,
        region_vertices=np.concatenate([*outlines, np.zeros((0, 2))]),
        links=records.make("LinkModel", **links),
        worlds=records.make("WorldModel", len(robots), **worlds),
        **rest,
    )


def stacked(robots: Sequence[AnyRobot], *fields: str) -> dict[str, Any]:
    """Fields of all links by name, each as [world, link, ...]."""
    return {field: np.stack([robot.column(field) for robot in robots]) for field in fields}


def padded(parts: Sequence[Sequence[Sequence[Sequence[float]]]], numbers: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of each part of all links as [world, link, part, number], and how many parts each link has.

    Rows of parts that a link does not have are never read.
    """
    count = np.array([[len(link) for link in world] for world in parts])
    table = np.zeros((*count.shape, int(count.max()), numbers))
    for w, world in enumerate(parts):
        for i, link in enumerate(world):
            table[w, i, : len(link)] = np.reshape(link, (-1, numbers))
    return table, count


def pack_numerics(records: Records, settings: Settings, robots: Sequence[AnyRobot], stiffness: float) -> Any:
    """Settings and the engines' constants; `stiffness` is that of closed contacts, in units of their own masses."""
    shortest = min(robot.column("length").min() for robot in robots)
    return records.fill(
        records.family.Numerics(),
        dt=settings.dt,
        newton=int(settings.solver == "newton"),
        tolerance=settings.tolerance,
        max_iterations=settings.max_iterations,
        stiffness=stiffness,
        active_gap=ACTIVE_GAP,
        slop=SLOP,
        feedback=FEEDBACK,
        feedback_speed=FEEDBACK_SPEED,
        impact_speed=IMPACT_SPEED,
        near_margin=NEAR_MARGIN_PER_LENGTH * shortest,
    )


def pack_drive(records: Records, robots: Sequence[AnyRobot], dt: float) -> Any:
    """Motors and space for loads, with a straight body as the reference until another is given."""

    def stack(field: str) -> np.ndarray:
        return np.stack([robot.motor_column(field) for robot in robots])

    n_worlds, n_joints, drive = records.n_worlds, records.n_joints, records.family.Drive()
    motors: dict[str, Any] = {name: stack(name) for name in ("stiffness", "damping", "torque_limit", "lower", "upper")}
    motors |= {"slowing": 1.0 / stack("speed_limit"), "play": stack("backlash") / 2}
    motors["r"] = np.stack([_axis_inertia(robot) for robot in robots])
    motors["share"] = _share_of_end(motors, dt)
    motors["unlimited"] = np.isinf(motors["torque_limit"]) & (motors["play"] == 0.0)
    return records.fill(
        drive,
        source=int(structs.GAIT),
        steps_per_node=1,
        loaded=0,
        **records.sharing,
        motors=records.make_joints("MotorModel", **motors),
        joints=records.make_joints("JointDrive"),
        worlds=records.make("WorldDrive", n_worlds),
        table_angle=np.zeros((n_worlds, 1, n_joints)),
        table_rate=np.zeros((n_worlds, 1, n_joints)),
        loads=records.zeros(drive._cls.vars["loads"], records.n_worlds * records.n_links),
    )


def _share_of_end(motors: dict[str, Any], dt: float) -> np.ndarray:
    """Weight of the end of a step in a servo's impulse [-], the rest for its start; shape (n_worlds, n_joints).

    One half makes the step second order. The faster a servo settles, the more weight its end gets, so that nothing
    rings. A law with kinks in the rate, from backlash or a torque-speed line, uses the end alone.
    """
    settles = dt * (dt / 2 * motors["stiffness"] + motors["damping"]) / motors["r"]
    smooth = (motors["slowing"] == 0.0) & (motors["play"] == 0.0)
    return np.where(smooth, 1.0 - 0.5 / (1.0 + settles) ** 2, 1.0)


def _axis_inertia(robot: AnyRobot) -> np.ndarray:
    """Inertia of two neighbouring links against a turn of each axis between them [kg m^2], shape (n_joints,)."""
    behind = np.array([axis.link_behind for axis in robot.axes], dtype=int)
    square = np.square([axis.direction for axis in robot.axes]).reshape(-1, 3)
    about_mass = robot.column("inertia").reshape(robot.n_links, -1)  # of a planar robot about the vertical alone
    lever = 1.0 - square[:, 0]  # the masses lie along x

    def about_axis(link: np.ndarray, away: np.ndarray) -> np.ndarray:
        own = (np.broadcast_to(about_mass[link], square.shape) * square).sum(axis=1)
        return np.asarray(own + lever * robot.column("mass")[link] * away[link] ** 2)

    to_front = robot.column("length") - to_mass(robot)
    return np.asarray(1.0 / (1.0 / about_axis(behind, to_front) + 1.0 / about_axis(behind + 1, to_mass(robot))))


def pack_grids(records: Records, low: np.ndarray, high: np.ndarray, counts: Sequence[int]) -> dict[str, Any]:
    """A grid over each world's rows of obstacles, given by the corners of their boxes, shape (n, 2) [m]."""
    first = np.cumsum([0, *counts])
    grids = [grid_of(low[a:b], high[a:b], int(a)) for a, b in pairwise(first)]
    cells = np.cumsum([0, *(grid.columns * grid.rows + 1 for grid in grids)])
    entries = np.cumsum([0, *(len(grid.obstacles) for grid in grids)])
    starts = [grid.start + offset for grid, offset in zip(grids, entries[:-1], strict=True)]
    fields: dict[str, Any] = {"first": first[:-1], "last": first[1:], "first_cell": cells[:-1]}
    fields |= {name: [getattr(grid, name) for grid in grids] for name in ("origin", "cell", "columns", "rows")}
    return {
        "grids": records.make("Grid", len(grids), **fields),
        "cell_start": np.concatenate(starts),
        "cell_obstacle": np.concatenate([grid.obstacles for grid in grids]),
    }

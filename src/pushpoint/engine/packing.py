"""From words to arrays, what both engines share: friction laws, motors, settings, grids, room for results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pushpoint.engine.grid import grid_of
from pushpoint.engine.records import Records
from pushpoint.engine.settings import Settings
from pushpoint.kernels import structs
from pushpoint.model.environment import Environment
from pushpoint.model.friction import Elliptic, Friction, Frictionless, Isotropic, Rectangular, Skin, Varying, Viscous
from pushpoint.model.spatial_robot import AnyRobot

ACTIVE_GAP = 1e-6
SLOP = 1e-6
FEEDBACK = 0.1
FEEDBACK_SPEED = 5e-3
IMPACT_SPEED = 1e-3
NEAR_MARGIN_PER_LENGTH = 0.25


@dataclass(frozen=True)
class Law:
    """A friction law as kernels take it: the largest coefficient and the others relative to it."""

    code: int
    directional: int
    largest: float
    scale: tuple[float, float, float]


def law_of(friction: Friction) -> Law:
    """Translates a friction law; coefficients stand for sliding forward, backward and across."""
    code, flow = int(structs.LAW_CONE), "associated"
    if isinstance(friction, Varying):
        friction = friction.law
    if isinstance(friction, Frictionless):
        return Law(int(structs.LAW_NONE), 0, 0.0, (1.0, 1.0, 1.0))
    if isinstance(friction, Isotropic):
        mu = (friction.coefficient,) * 3
    elif isinstance(friction, Elliptic):
        mu, flow = (friction.along, friction.along, friction.across), friction.flow
    elif isinstance(friction, Skin):
        mu, flow = (friction.forward, friction.backward, friction.across), friction.flow
    elif isinstance(friction, Rectangular):
        code, mu = int(structs.LAW_RECTANGLE), (friction.along, friction.along, friction.across)
    elif isinstance(friction, Viscous):
        code, mu = int(structs.LAW_VISCOUS), (friction.along, friction.along, friction.across)
    largest = max(mu)
    if largest == 0.0:
        return Law(int(structs.LAW_NONE), 0, 0.0, (1.0, 1.0, 1.0))
    return Law(code, int(flow == "directional"), largest, (mu[0] / largest, mu[1] / largest, mu[2] / largest))


class Laws:
    """Friction laws of a batch, each once."""

    def __init__(self) -> None:
        self._rows: dict[Friction, int] = {}

    def row(self, friction: Friction) -> int:
        """The row of a law, new or known."""
        return self._rows.setdefault(friction, len(self._rows))

    @property
    def all(self) -> list[Friction]:
        """The laws, row by row."""
        return list(self._rows)

    def pack(self, records: Records, **more: Any) -> Any:
        """All laws as records; `more` holds further fields of these records."""
        laws = [law_of(friction) for friction in self._rows]
        return records.make(
            "LawModel",
            len(laws),
            largest=[law.largest for law in laws],
            scale=[law.scale for law in laws],
            code=[law.code for law in laws],
            directional=[law.directional for law in laws],
            **more,
        )


def pack_regions(environments: Sequence[Environment], laws: Laws) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Records of all regions, their vertices, and where each world's regions begin and end."""
    regions = [region for environment in environments for region in environment.ground.regions]
    outlines = [np.array(region.vertices) for region in regions]
    ends = np.cumsum([0, *(len(outline) for outline in outlines)])
    fields = {
        "low": np.array([outline.min(axis=0) for outline in outlines]).reshape(-1, 2),
        "high": np.array([outline.max(axis=0) for outline in outlines]).reshape(-1, 2),
        "first": ends[:-1],
        "last": ends[1:],
        "law": [laws.row(region.friction) for region in regions],
    }
    vertices = np.concatenate([*outlines, np.zeros((0, 2))])
    return fields, vertices, np.cumsum([0, *(len(environment.ground.regions) for environment in environments)])


def pack_numerics(records: Records, settings: Settings, robots: Sequence[AnyRobot], stiffness: float) -> Any:
    """Settings and the engines' constants; `stiffness` is that of closed contacts, in masses of their own."""
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


def pack_drive(records: Records, robots: Sequence[AnyRobot], inertia: np.ndarray) -> Any:
    """Motors, with a straight body as the reference until something else is asked for.

    `inertia` is what the links oppose to a turn of each axis [kg m^2], shape (n_worlds, n_joints).
    """

    def stack(field: str) -> np.ndarray:
        return np.stack([robot.motor_column(field) for robot in robots])

    n_worlds, n_joints = records.n_worlds, records.n_joints
    motors: dict[str, Any] = {name: stack(name) for name in ("stiffness", "damping", "torque_limit", "lower", "upper")}
    motors |= {"slowing": 1.0 / stack("speed_limit"), "play": stack("backlash") / 2, "r": inertia}
    motors["unlimited"] = np.isinf(motors["torque_limit"]) & (motors["play"] == 0.0)
    return records.fill(
        records.family.Drive(),
        source=int(structs.GAIT),
        steps_per_node=1,
        loaded=0,
        joints=records.make_joints("JointDrive", **motors),
        worlds=records.make("WorldDrive", n_worlds),
        table_angle=np.zeros((n_worlds, 1, n_joints)),
        table_rate=np.zeros((n_worlds, 1, n_joints)),
    )


def pack_grids(records: Records, low: np.ndarray, high: np.ndarray, counts: Sequence[int]) -> dict[str, Any]:
    """A grid over each world's rows of obstacles, given by the corners of their boxes, shape (n, 2) [m]."""
    first = np.cumsum([0, *counts])
    grids = [grid_of(low[a:b], high[a:b], int(a)) for a, b in pairwise(first)]
    cells = np.cumsum([0, *(grid.columns * grid.rows + 1 for grid in grids)])
    entries = np.cumsum([0, *(len(grid.obstacles) for grid in grids)])
    starts = [grid.start + offset for grid, offset in zip(grids, entries[:-1], strict=True)]
    shared = ("origin", "cell", "columns", "rows")
    return {
        "grids": records.make(
            "Grid",
            len(grids),
            first=first[:-1],
            last=first[1:],
            first_cell=cells[:-1],
            **{name: [getattr(grid, name) for grid in grids] for name in shared},
        ),
        "cell_start": np.concatenate(starts),
        "cell_obstacle": np.concatenate([grid.obstacles for grid in grids]),
    }


def make_tally(records: Records, n_obstacles: int) -> Any:
    """Room for the running totals."""
    return records.fill(
        records.family.Tally(),
        worlds=records.make("WorldTally", records.n_worlds),
        links=records.make("LinkTally"),
        joints=records.make_joints("JointTally"),
        obstacles=np.zeros(n_obstacles),
    )


PER_JOINT = ("reference", "angle", "rate", "motor", "motor_work")


def make_samples(records: Records, count: int, every: int, n_obstacles: int) -> Any:
    """Room for `count` samples, one per `every` steps; the loads on obstacles only if n_obstacles > 0."""
    struct = records.family.Samples()
    arrays = {}
    for name, variable in struct._cls.vars.items():
        if name not in ("every", "with_obstacles"):
            last = records.n_joints if name in PER_JOINT else records.n_links
            shape = (count, n_obstacles) if name == "load_on" else (records.n_worlds, count, last)[: variable.type.ndim]
            arrays[name] = np.zeros((*shape, *getattr(variable.type.dtype, "_shape_", ())))
    return records.fill(struct, every=every, with_obstacles=int(n_obstacles > 0), **arrays)

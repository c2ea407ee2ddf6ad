"""From words to arrays: the only module that knows both the model's and the kernels' vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from pushpoint.dynamics.grid import grid_of
from pushpoint.dynamics.kinematics import to_mass
from pushpoint.dynamics.records import Records
from pushpoint.dynamics.settings import Settings
from pushpoint.kernels import structs
from pushpoint.model.environment import Environment
from pushpoint.model.friction import Elliptic, Friction, Frictionless, Isotropic, Rectangular, Skin, Viscous
from pushpoint.model.robot import Robot

CONTACT_STIFFNESS = 100.0
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


def pack_model(records: Records, robots: Sequence[Robot], environments: Sequence[Environment]) -> Any:
    """Links, support points and friction laws of all worlds."""

    def stack(field: str) -> np.ndarray:
        return np.stack([robot.column(field) for robot in robots])

    n_links = records.n_links
    laws = [[law_of(law) for law in environment.ground.laws(n_links)] for environment in environments]
    middle, half_side = stack("length") / 2, stack("side_length") / 2
    gravity = np.array([environment.ground.gravity for environment in environments])
    spin = np.array([environment.ground.spin for environment in environments])
    most = max(len(link.supports or ()) for robot in robots for link in robot.links)
    links = records.make(
        "LinkModel",
        length=stack("length"),
        to_mass=np.stack([to_mass(robot) for robot in robots]),
        mass=stack("mass"),
        inertia=stack("inertia"),
        radius=stack("radius"),
        side_rear=middle - half_side,
        side_front=middle + half_side,
        spin_bound=(spin * gravity)[:, None] * stack("mass"),
        scale=[[law.scale for law in row] for row in laws],
        law=[[law.code for law in row] for row in laws],
        directional=[[law.directional for law in row] for row in laws],
        n_points=[[len(link.supports or ()) for link in robot.links] for robot in robots],
    )
    return records.fill(
        records.family.Model(),
        n_links=n_links,
        **records.strides,
        most_points=most,
        links=links,
        points=records.make_per_link("PointModel", most, **_points(robots, laws, gravity, most)),
        worlds=records.make("WorldModel", len(robots), mass=[robot.mass for robot in robots], gravity=gravity),
    )


def _points(
    robots: Sequence[Robot], laws: Sequence[Sequence[Law]], gravity: np.ndarray, most: int
) -> dict[str, np.ndarray]:
    """Support points as [world, link, point]; those a link does not have are never looked at."""
    shape = (len(robots), robots[0].n_links, most)
    to_point, bound, r = np.zeros(shape), np.zeros(shape), np.ones(shape)
    for w, robot in enumerate(robots):
        for i, (link, law) in enumerate(zip(robot.links, laws[w], strict=True)):
            pressed = 1.0 if law.code == int(structs.LAW_VISCOUS) else link.mass * gravity[w]
            for p, support in enumerate(link.supports or ()):
                lever = support.offset - link.mass_offset
                to_point[w, i, p] = link.length / 2 + support.offset
                bound[w, i, p] = law.largest * support.share * pressed
                r[w, i, p] = 1.0 / (1.0 / link.mass + lever**2 / link.inertia)
    return {"to_point": to_point, "bound": bound, "r": r}


def pack_pegs(records: Records, environments: Sequence[Environment]) -> Any:
    """Obstacles of all worlds as rows, and a grid over each world's rows."""
    counts = [len(environment.obstacles) for environment in environments]
    first = np.concatenate(([0], np.cumsum(counts)))
    pegs = [peg for environment in environments for peg in environment.obstacles]
    rows = np.array([(p.x, p.y, p.radius, p.friction, p.restitution) for p in pegs]).reshape(-1, 5)
    grids = [grid_of(rows[a:b], int(a)) for a, b in pairwise(first)]
    cells = np.cumsum([0, *(grid.columns * grid.rows + 1 for grid in grids)])
    entries = np.cumsum([0, *(len(grid.pegs) for grid in grids)])
    starts = [grid.start + offset for grid, offset in zip(grids, entries[:-1], strict=True)]
    shared = ("origin", "cell", "reach", "columns", "rows")
    return records.fill(
        records.family.Pegs(),
        pegs=records.make(
            "PegModel",
            len(pegs),
            center=rows[:, :2],
            radius=rows[:, 2],
            friction=rows[:, 3],
            restitution=rows[:, 4],
        ),
        grids=records.make(
            "Grid",
            len(grids),
            first=first[:-1],
            last=first[1:],
            first_cell=cells[:-1],
            **{name: [getattr(grid, name) for grid in grids] for name in shared},
        ),
        cell_start=np.concatenate(starts),
        cell_peg=np.concatenate([grid.pegs for grid in grids]),
    )


def pack_numerics(records: Records, settings: Settings, robots: Sequence[Robot]) -> Any:
    """Settings and the engine's own constants."""
    shortest = min(robot.column("length").min() for robot in robots)
    return records.fill(
        records.family.Numerics(),
        dt=settings.dt,
        newton=int(settings.solver == "newton"),
        tolerance=settings.tolerance,
        max_iterations=settings.max_iterations,
        stiffness=CONTACT_STIFFNESS,
        active_gap=ACTIVE_GAP,
        slop=SLOP,
        feedback=FEEDBACK,
        feedback_speed=FEEDBACK_SPEED,
        impact_speed=IMPACT_SPEED,
        near_margin=NEAR_MARGIN_PER_LENGTH * shortest,
    )


def pack_drive(records: Records, robots: Sequence[Robot]) -> Any:
    """Motors, with a straight body as the reference until something else is asked for."""

    def stack(field: str) -> np.ndarray:
        columns = np.stack([robot.motor_column(field) for robot in robots])
        return np.pad(columns, ((0, 0), (0, 1)))  # no joint in front of the head

    n_worlds, n_links = records.n_worlds, records.n_links
    motors: dict[str, Any] = {name: stack(name) for name in ("stiffness", "damping", "torque_limit")}
    return records.fill(
        records.family.Drive(),
        source=int(structs.GAIT),
        steps_per_node=1,
        loaded=0,
        joints=records.make("JointDrive", **motors),
        worlds=records.make("WorldDrive", n_worlds),
        loads=np.zeros((n_worlds * n_links, 3)),
        table_angle=np.zeros((n_worlds, 1, n_links - 1)),
        table_rate=np.zeros((n_worlds, 1, n_links - 1)),
    )


def make_motion(records: Records, most_points: int) -> Any:
    """Room for the changing part."""
    rows = records.n_worlds * records.n_links
    return records.fill(
        records.family.Motion(),
        worlds=records.make("WorldMotion", records.n_worlds),
        links=records.make("LinkMotion"),
        points=np.zeros((rows * most_points, 2)),
        contacts=records.make_per_link("ContactMotion", int(structs.MOST_CONTACTS)),
        near=np.zeros(rows * int(structs.MOST_NEAR)),
    )


def make_work(records: Records, most_points: int) -> Any:
    """Room for what lives within a step."""
    return records.fill(
        records.family.Work(),
        links=records.make("LinkWork"),
        joints=records.make("JointWork"),
        points=records.make_per_link("PointWork", most_points),
        contacts=records.make_per_link("ContactWork", int(structs.MOST_CONTACTS)),
        n_contacts=np.zeros(records.n_worlds * records.n_links),
    )


def make_tally(records: Records, n_pegs: int) -> Any:
    """Room for the running totals."""
    return records.fill(
        records.family.Tally(),
        worlds=records.make("WorldTally", records.n_worlds),
        links=records.make("LinkTally"),
        joints=records.make("JointTally"),
        pegs=np.zeros(n_pegs),
    )


PER_JOINT = ("reference", "motor", "motor_work")


def make_samples(records: Records, count: int, every: int, n_pegs: int) -> Any:
    """Room for `count` samples, one per `every` steps; the loads on pegs only if n_pegs > 0."""
    struct = records.family.Samples()
    arrays = {}
    for name, variable in struct._cls.vars.items():
        if name not in ("every", "with_pegs"):
            last = records.n_links - 1 if name in PER_JOINT else records.n_links
            shape = (count, n_pegs) if name == "peg" else (records.n_worlds, count, last)[: variable.type.ndim]
            arrays[name] = np.zeros((*shape, *getattr(variable.type.dtype, "_shape_", ())))
    return records.fill(struct, every=every, with_pegs=int(n_pegs > 0), **arrays)

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
from pushpoint.model.environment import Environment, Obstacle, Peg, Wall
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
    """Links, support points, friction laws and regions of all worlds."""

    def stack(field: str) -> np.ndarray:
        return np.stack([robot.column(field) for robot in robots])

    n_links = records.n_links
    laws = _Laws()
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
        law=[[laws.row(law) for law in environment.ground.laws(n_links)] for environment in environments],
        n_points=[[len(link.supports or ()) for link in robot.links] for robot in robots],
    )
    regions, vertices, last_region = _regions(environments, laws)
    return records.fill(
        records.family.Model(),
        n_links=n_links,
        **records.strides,
        most_points=most,
        n_regions=len(regions["law"]),
        links=links,
        points=records.make_per_link("PointModel", most, **_points(robots, gravity, most)),
        laws=laws.pack(records),
        regions=records.make("RegionModel", len(regions["law"]), **regions),
        region_vertices=vertices,
        worlds=records.make(
            "WorldModel",
            len(robots),
            mass=[robot.mass for robot in robots],
            gravity=gravity,
            first_region=last_region[:-1],
            last_region=last_region[1:],
        ),
    )


class _Laws:
    """Friction laws of a batch, each once."""

    def __init__(self) -> None:
        self._rows: dict[Friction, int] = {}

    def row(self, friction: Friction) -> int:
        """The row of a law, new or known."""
        return self._rows.setdefault(friction, len(self._rows))

    def pack(self, records: Records) -> Any:
        """All laws as records."""
        laws = [law_of(friction) for friction in self._rows]
        return records.make(
            "LawModel",
            len(laws),
            largest=[law.largest for law in laws],
            scale=[law.scale for law in laws],
            code=[law.code for law in laws],
            directional=[law.directional for law in laws],
        )


def _regions(environments: Sequence[Environment], laws: _Laws) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
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


def _points(robots: Sequence[Robot], gravity: np.ndarray, most: int) -> dict[str, np.ndarray]:
    """Support points as [world, link, point]; those a link does not have are never looked at."""
    shape = (len(robots), robots[0].n_links, most)
    to_point, share, weight, r = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.ones(shape)
    for w, robot in enumerate(robots):
        for i, link in enumerate(robot.links):
            for p, support in enumerate(link.supports or ()):
                lever = support.offset - link.mass_offset
                to_point[w, i, p] = link.length / 2 + support.offset
                share[w, i, p] = support.share
                weight[w, i, p] = support.share * link.mass * gravity[w]
                r[w, i, p] = 1.0 / (1.0 / link.mass + lever**2 / link.inertia)
    return {"to_point": to_point, "share": share, "weight": weight, "r": r}


def outline_of(obstacle: Obstacle) -> tuple[np.ndarray, float, float]:
    """Vertices [m], the radius they are grown by [m], and the overlap at which a link is lost in it [m]."""
    if isinstance(obstacle, Peg):
        return np.array([(obstacle.x, obstacle.y)]), obstacle.radius, obstacle.radius
    if isinstance(obstacle, Wall):
        half = obstacle.thickness / 2
        return np.array([obstacle.start, obstacle.end]), half, half
    vertices = np.array(obstacle.vertices)
    edges = np.roll(vertices, -1, axis=0) - vertices
    inward = np.stack((-edges[:, 1], edges[:, 0]), axis=-1) / np.linalg.norm(edges, axis=1)[:, None]
    inner = ((vertices.mean(axis=0) - vertices) * inward).sum(axis=1).min()
    return vertices, 0.0, float(inner)


def pack_obstacles(records: Records, environments: Sequence[Environment]) -> Any:
    """Obstacles of all worlds as rows, and a grid over each world's rows."""
    counts = [len(environment.obstacles) for environment in environments]
    first = np.cumsum([0, *counts])
    obstacles = [obstacle for environment in environments for obstacle in environment.obstacles]
    outlines = [outline_of(obstacle) for obstacle in obstacles]
    low = np.array([vertices.min(axis=0) - radius for vertices, radius, _ in outlines]).reshape(-1, 2)
    high = np.array([vertices.max(axis=0) + radius for vertices, radius, _ in outlines]).reshape(-1, 2)
    grids = [grid_of(low[a:b], high[a:b], int(a)) for a, b in pairwise(first)]
    cells = np.cumsum([0, *(grid.columns * grid.rows + 1 for grid in grids)])
    entries = np.cumsum([0, *(len(grid.obstacles) for grid in grids)])
    starts = [grid.start + offset for grid, offset in zip(grids, entries[:-1], strict=True)]
    shared = ("origin", "cell", "columns", "rows")
    return records.fill(
        records.family.Obstacles(),
        obstacles=records.make(
            "ObstacleModel",
            len(obstacles),
            vertex=np.array([vertices[0] for vertices, _, _ in outlines]).reshape(-1, 2),
            radius=[radius for _, radius, _ in outlines],
            deepest=[deepest for _, _, deepest in outlines],
            friction=[obstacle.friction for obstacle in obstacles],
            restitution=[obstacle.restitution for obstacle in obstacles],
            first_vertex=np.cumsum([0, *(len(vertices) for vertices, _, _ in outlines)])[:-1],
            n_vertices=[len(vertices) for vertices, _, _ in outlines],
        ),
        vertices=_vertices(records, [vertices for vertices, _, _ in outlines]),
        grids=records.make(
            "Grid",
            len(grids),
            first=first[:-1],
            last=first[1:],
            first_cell=cells[:-1],
            **{name: [getattr(grid, name) for grid in grids] for name in shared},
        ),
        cell_start=np.concatenate(starts),
        cell_obstacle=np.concatenate([grid.obstacles for grid in grids]),
    )


def _vertices(records: Records, outlines: Sequence[np.ndarray]) -> Any:
    """Vertices of all obstacles with the edges that leave them; the one of a peg has none."""
    points = np.concatenate([*outlines, np.zeros((0, 2))])
    edges = np.concatenate([*(np.roll(outline, -1, axis=0) - outline for outline in outlines), np.zeros((0, 2))])
    length = np.linalg.norm(edges, axis=1)
    along = np.divide(edges, length[:, None], out=np.zeros_like(edges), where=length[:, None] > 0.0)
    return records.make("VertexModel", len(points), H=points, along=along, length=length)


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
    motors: dict[str, Any] = {name: stack(name) for name in ("stiffness", "damping", "torque_limit", "lower", "upper")}
    motors |= {"slowing": 1.0 / _where(stack("speed_limit"), np.inf), "play": stack("backlash") / 2}
    motors["r"] = np.stack([_joint_inertia(robot) for robot in robots])
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


def _where(values: np.ndarray, otherwise: float) -> np.ndarray:
    """The values with zeros replaced: the column in front of the head has none."""
    return np.where(values == 0.0, otherwise, values)


def _joint_inertia(robot: Robot) -> np.ndarray:
    """What two neighbouring links oppose to a turn of the joint between them [kg m^2]; 1 in front of the head."""
    about_mass, mass, rear = robot.column("inertia"), robot.column("mass"), to_mass(robot)
    about_rear = about_mass + mass * rear**2
    about_front = about_mass + mass * (robot.column("length") - rear) ** 2
    return np.append(1.0 / (1.0 / about_front[:-1] + 1.0 / about_rear[1:]), 1.0)


def make_motion(records: Records, most_points: int) -> Any:
    """Room for the changing part."""
    rows = records.n_worlds * records.n_links
    return records.fill(
        records.family.Motion(),
        worlds=records.make("WorldMotion", records.n_worlds),
        links=records.make("LinkMotion"),
        points=np.zeros((rows * most_points, 2)),
        contacts=records.make_per_link("ContactMotion", int(structs.MOST_CONTACTS)),
        near=records.make_per_link("NearMotion", int(structs.MOST_NEAR)),
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


def make_tally(records: Records, n_obstacles: int) -> Any:
    """Room for the running totals."""
    return records.fill(
        records.family.Tally(),
        worlds=records.make("WorldTally", records.n_worlds),
        links=records.make("LinkTally"),
        joints=records.make("JointTally"),
        obstacles=np.zeros(n_obstacles),
    )


PER_JOINT = ("reference", "motor", "motor_work")


def make_samples(records: Records, count: int, every: int, n_obstacles: int) -> Any:
    """Room for `count` samples, one per `every` steps; the loads on obstacles only if n_obstacles > 0."""
    struct = records.family.Samples()
    arrays = {}
    for name, variable in struct._cls.vars.items():
        if name not in ("every", "with_obstacles"):
            last = records.n_links - 1 if name in PER_JOINT else records.n_links
            shape = (count, n_obstacles) if name == "load_on" else (records.n_worlds, count, last)[: variable.type.ndim]
            arrays[name] = np.zeros((*shape, *getattr(variable.type.dtype, "_shape_", ())))
    return records.fill(struct, every=every, with_obstacles=int(n_obstacles > 0), **arrays)

"""From words to arrays: the only module that knows both the model's and the kernels' vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from pushpoint.dynamics.grid import grid_of
from pushpoint.dynamics.kinematics import to_mass
from pushpoint.dynamics.settings import Settings
from pushpoint.errors import InvalidModel
from pushpoint.kernels import structs
from pushpoint.model.environment import Environment
from pushpoint.model.friction import Elliptic, Friction, Frictionless, Isotropic, Rectangular, Skin, Viscous
from pushpoint.model.robot import Robot

CONTACT_STIFFNESS = 100.0
ACTIVE_GAP = 1e-6
SLOP = 1e-6
FEEDBACK = 0.1
FEEDBACK_SPEED = 0.5
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


class Packer:
    """Makes Warp arrays of one precision on one device."""

    def __init__(self, settings: Settings) -> None:
        self.real = wp.float64 if settings.precision == "float64" else wp.float32
        self.family = structs.family(self.real)
        self.device = settings.device
        self._on_gpu = settings.device.startswith("cuda")

    def array(self, values: Any, dtype: Any) -> wp.array:
        """A Warp array with these values; on a GPU the world axis runs fastest, so that threads read side by side."""
        scalar = getattr(dtype, "_wp_scalar_type_", dtype)
        data = np.ascontiguousarray(values, dtype=wp.dtype_to_numpy(scalar))
        axes = data.ndim - len(getattr(dtype, "_shape_", ()))
        if not self._on_gpu or axes < 2:
            return wp.array(data, dtype=dtype, device=self.device)
        turned = np.ascontiguousarray(np.moveaxis(data, 0, axes - 1))
        order = (axes - 1, *range(axes - 1))
        return wp.array(turned, dtype=dtype, device=self.device).transpose(order)

    def zeros(self, shape: Sequence[int], dtype: Any) -> wp.array:
        """A Warp array of zeros, laid out the same way."""
        return self.array(np.zeros((*shape, *getattr(dtype, "_shape_", ()))), dtype)

    def fill(self, struct: Any, **values: Any) -> Any:
        """Sets the fields of a struct, arrays converted to the type that the field declares."""
        for name, value in values.items():
            kind = struct._cls.vars[name].type
            is_array = isinstance(kind, wp.array)
            setattr(struct, name, self.array(value, kind.dtype) if is_array else value)
        return struct

    def empty_like_shapes(self, struct: Any, shapes: dict[str, tuple[int, ...]]) -> Any:
        """Sets array fields of a struct to zeros of the given shapes."""
        for name, shape in shapes.items():
            setattr(struct, name, self.zeros(shape, struct._cls.vars[name].type.dtype))
        return struct


def pack_chain(packer: Packer, robots: Sequence[Robot]) -> Any:
    """The links of all worlds."""
    counts = {robot.n_links for robot in robots}
    if len(counts) != 1:
        raise InvalidModel("worlds: number of links", sorted(counts), "the same in every world of a batch")

    def stack(field: str) -> np.ndarray:
        return np.stack([robot.column(field) for robot in robots])

    middle, half_side = stack("length") / 2, stack("side_length") / 2
    return packer.fill(
        packer.family.Chain(),
        n_links=counts.pop(),
        length=stack("length"),
        to_mass=np.stack([to_mass(robot) for robot in robots]),
        mass=stack("mass"),
        inertia=stack("inertia"),
        radius=stack("radius"),
        side_rear=middle - half_side,
        side_front=middle + half_side,
        total_mass=np.array([robot.mass for robot in robots]),
    )


def pack_ground(packer: Packer, robots: Sequence[Robot], environments: Sequence[Environment]) -> Any:
    """Friction laws and support points of all links of all worlds."""
    n_worlds, n_links = len(robots), robots[0].n_links
    most = max(len(link.supports or ()) for robot in robots for link in robot.links)
    law, directional, n_points = (np.zeros((n_worlds, n_links), dtype=int) for _ in range(3))
    scale = np.ones((n_worlds, n_links, 3))
    to_point, bound = (np.zeros((n_worlds, n_links, most)) for _ in range(2))
    r = np.ones((n_worlds, n_links, most))
    spin = np.zeros((n_worlds, n_links))
    for w, (robot, environment) in enumerate(zip(robots, environments, strict=True)):
        gravity = environment.ground.gravity
        for i, (link, friction) in enumerate(zip(robot.links, environment.ground.laws(n_links), strict=True)):
            made = law_of(friction)
            law[w, i], directional[w, i], scale[w, i] = made.code, made.directional, made.scale
            weight = link.mass * gravity
            spin[w, i] = environment.ground.spin * weight
            n_points[w, i] = len(link.supports or ())
            for p, support in enumerate(link.supports or ()):
                lever = support.offset - link.mass_offset
                to_point[w, i, p] = link.length / 2 + support.offset
                bound[w, i, p] = made.largest * support.share * (1.0 if isinstance(friction, Viscous) else weight)
                r[w, i, p] = 1.0 / (1.0 / link.mass + lever**2 / link.inertia)
    return packer.fill(
        packer.family.Ground(),
        law=law,
        directional=directional,
        scale=scale,
        n_points=n_points,
        to_point=to_point,
        bound=bound,
        r=r,
        spin_bound=spin,
        gravity=np.array([environment.ground.gravity for environment in environments]),
    )


def pack_pegs(packer: Packer, environments: Sequence[Environment]) -> Any:
    """Obstacles of all worlds as rows, and a grid over each world's rows."""
    counts = [len(environment.obstacles) for environment in environments]
    first = np.concatenate(([0], np.cumsum(counts)))
    pegs = [peg for environment in environments for peg in environment.obstacles]
    rows = np.array([(p.x, p.y, p.radius, p.friction, p.restitution) for p in pegs]).reshape(-1, 5)
    grids = [grid_of(rows[a:b], int(a)) for a, b in zip(first[:-1], first[1:], strict=True)]
    cells = [grid.columns * grid.rows + 1 for grid in grids]
    entries = np.concatenate(([0], np.cumsum([len(grid.pegs) for grid in grids])))
    starts = [grid.start + offset for grid, offset in zip(grids, entries[:-1], strict=True)]
    padded = rows if len(rows) else np.zeros((1, 5))
    return packer.fill(
        packer.family.Pegs(),
        first=first,
        center=padded[:, :2],
        radius=padded[:, 2],
        friction=padded[:, 3],
        restitution=padded[:, 4],
        reach=np.array([grid.reach for grid in grids]),
        origin=np.array([grid.origin for grid in grids]),
        cell=np.array([grid.cell for grid in grids]),
        columns=np.array([grid.columns for grid in grids]),
        rows=np.array([grid.rows for grid in grids]),
        first_cell=np.concatenate(([0], np.cumsum(cells)))[:-1],
        cell_start=np.concatenate(starts),
        cell_peg=np.concatenate([*(grid.pegs for grid in grids), np.zeros(1, dtype=int)]),
    )


def pack_numerics(packer: Packer, settings: Settings, robots: Sequence[Robot]) -> Any:
    """Settings and the engine's own constants."""
    shortest = min(robot.column("length").min() for robot in robots)
    return packer.fill(
        packer.family.Numerics(),
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


def pack_drive(packer: Packer, robots: Sequence[Robot]) -> Any:
    """Motors, with a straight body as the reference until something else is asked for."""
    shape = (len(robots), robots[0].n_joints)

    def stack(field: str) -> np.ndarray:
        return np.stack([robot.motor_column(field) for robot in robots])

    drive = packer.fill(
        packer.family.Drive(),
        stiffness=stack("stiffness"),
        damping=stack("damping"),
        torque_limit=stack("torque_limit"),
        source=int(structs.GAIT),
        steps_per_node=1,
    )
    shapes = dict.fromkeys(("mode", "offset", "sine", "cosine", "torque"), shape)
    shapes |= {"angular_frequency": shape[:1], "soft_start": shape[:1], "load": (shape[0], shape[1] + 1)}
    shapes |= {"table_angle": (shape[0], 1, shape[1]), "table_rate": (shape[0], 1, shape[1])}
    return packer.empty_like_shapes(drive, shapes)

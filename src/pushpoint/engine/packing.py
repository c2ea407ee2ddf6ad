"""From words to arrays, as both engines need it: friction laws, regions, motors, settings, space for results."""

from __future__ import annotations

from collections.abc import Sequence
from operator import methodcaller
from typing import Any, NamedTuple

import numpy as np

from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.engine.records import Records
from pushpoint.engine.settings import Settings
from pushpoint.engine.sharing import Shared
from pushpoint.engine.tables.stock import Stock
from pushpoint.kernels import structs
from pushpoint.model.checks import non_negative, one_of
from pushpoint.model.environment import Ground
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.spatial_robot import AnyRobot

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


def pack_laws(records: Records, laws: Sequence[FrictionLaw], **more: Any) -> Any:
    """Friction laws as records; `more` holds further fields of these records."""
    made = [law_of(friction) for friction in laws]
    fields: dict[str, Any] = {name: [getattr(law, name) for law in made] for name in Law._fields}
    fields["scale"] = np.array(fields["scale"]).reshape(-1, 3)
    return records.make(
        "LawModel",
        len(laws),
        stick_surplus=[friction.stick_ratio - 1.0 for friction in laws],
        stribeck_speed=[friction.stribeck_speed for friction in laws],
        **fields,
        **more,
    )


def pack_model(
    records: Records,
    robots: Sequence[AnyRobot],
    grounds: Sequence[Ground],
    stock: Stock,
    *,
    links: dict[str, Any],
    worlds: dict[str, Any],
    **rest: Any,
) -> Any:
    """Robots on their grounds: links, regions and worlds with the fields that both engines share, and `rest`."""
    own = Shared(robots)
    links |= {"to_mass": own.stack(to_mass)}
    links |= {"law": Shared(grounds).stack(lambda ground: _law_rows(ground, records.n_links, stock))}
    worlds |= {"mass": own.stack(lambda robot: robot.mass)}
    worlds |= {"gravity": [ground.gravity for ground in grounds]}
    regions = [region for ground in grounds for region in ground.regions]
    outlines = [np.array(region.vertices) for region in regions]
    ends = np.cumsum([0, *(len(outline) for outline in outlines)])
    made = records.make(
        "RegionModel",
        len(regions),
        low=np.array([outline.min(axis=0) for outline in outlines]).reshape(-1, 2),
        high=np.array([outline.max(axis=0) for outline in outlines]).reshape(-1, 2),
        first=ends[:-1],
        last=ends[1:],
        law=[stock.laws.row(region.friction) for region in regions],
    )
    last = np.cumsum([0, *(len(ground.regions) for ground in grounds)])
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


def _law_rows(ground: Ground, n_links: int, stock: Stock) -> list[int]:
    """Rows of the laws of all links."""
    found = ground.laws(n_links)
    if isinstance(ground.friction, FrictionLaw):
        return [stock.laws.row(ground.friction)] * n_links
    return [stock.laws.row(law) for law in found]


def stacked(robots: Sequence[AnyRobot], *fields: str) -> dict[str, Any]:
    """Fields of all links by name, each as [world, link, ...]."""
    own = Shared(robots)
    return {field: own.stack(methodcaller("column", field)) for field in fields}


def padded(parts: Sequence[Sequence[Sequence[Sequence[float]]]], numbers: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of each part of all links as [robot, link, part, number], and how many parts each link has.

    Rows of parts that a link does not have are never read.
    """
    count = np.array([[len(link) for link in world] for world in parts])
    table = np.zeros((*count.shape, int(count.max()), numbers))
    for w, world in enumerate(parts):
        for i, link in enumerate(world):
            table[w, i, : len(link)] = np.reshape(link, (-1, numbers))
    return table, count


def near_margin(robots: Sequence[AnyRobot]) -> float:
    """Width of the neighbourhood in which obstacles are listed [m]."""
    return NEAR_MARGIN_PER_LENGTH * min(float(robot.column("length").min()) for robot in Shared(robots).parts)


def pack_numerics(records: Records, settings: Settings, robots: Sequence[AnyRobot], stiffness: float) -> Any:
    """Settings and the engines' constants; `stiffness` is that of closed contacts, in units of their own masses."""
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
        near_margin=near_margin(robots),
    )


def pack_motors(records: Records, robots: Sequence[AnyRobot], dt: float) -> Any:
    """The motors of all axes."""
    own = Shared(robots)

    def stack(field: str) -> np.ndarray:
        return own.stack(methodcaller("motor_column", field))

    motors: dict[str, Any] = {name: stack(name) for name in ("stiffness", "damping", "torque_limit", "lower", "upper")}
    motors |= {"slowing": 1.0 / stack("speed_limit"), "play": stack("backlash") / 2}
    motors["r"] = own.stack(_axis_inertia)
    motors["share"] = _share_of_end(motors, dt)
    motors["unlimited"] = np.isinf(motors["torque_limit"]) & (motors["play"] == 0.0)
    return records.make_joints("MotorModel", **motors)


def pack_drive(records: Records, robots: Sequence[AnyRobot], dt: float) -> Any:
    """Motors and space for loads, with a straight body as the reference until another is given."""
    n_worlds, n_joints, drive = records.n_worlds, records.n_joints, records.family.Drive()
    return records.fill(
        drive,
        source=int(structs.GAIT),
        steps_per_node=1,
        loaded=0,
        **records.sharing,
        motors=pack_motors(records, robots, dt),
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

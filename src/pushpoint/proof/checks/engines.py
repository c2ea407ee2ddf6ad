"""Models that were written separately agree: planar, spatial, reduced and event-driven."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians

import numpy as np
import xarray as xr

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.kinematics import directions, link_positions, rigid_velocities
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.event_driven import SteadyTorque, hybrid_model, integrate
from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import aiko, aiko_2008b
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Elliptic, Isotropic, Viscous
from pushpoint.model.joints import Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.proof.check import Measured, checks_of
from pushpoint.proof.checks.bodies import convergence, four_uneven_links
from pushpoint.reduced import (
    Contacts,
    GroundFriction,
    ReducedRobot,
    ReducedState,
    close,
    contact_terms,
    reduce_robot,
    smooth_terms,
)
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

N_CASES, N_LINKS = 20, 8
STEPS = (5e-5, 2.5e-5)
MU, MU_PEG, RADIUS, PEG = 0.3, 0.2, 0.02, 0.03
GROUND = GroundFriction(coefficient=MU)
LOOK = 3
"""The step that is read [-]: the first one sees half of the centripetal terms, the second has to catch up."""


def _draw(random: np.random.Generator) -> tuple[World, np.ndarray] | None:
    """A random robot that slides past pegs, and the pegs' forces by the reduced model, pushing positive [N].

    None if it does not keep its contacts and slip.
    """
    robot = random_robot(random)
    model = reduce_robot(robot)
    theta = np.cumsum(random.uniform(-0.6, 0.6, N_LINKS))
    contacts = _contacts(random, robot)
    pegs = _pegs(robot, theta, contacts)
    if pegs is None:
        return None
    state = holding(
        ReducedState(
            center=np.zeros(2), velocity=0.3 * random.normal(size=2), link_angle=theta,
            link_rate=random.normal(size=N_LINKS),
        ),
        model, contacts,
    )  # fmt: skip
    closed = close(model, GROUND, state, contacts)
    wanted = contacts.side * random.uniform(2.0, 20.0, len(pegs))
    torque = np.linalg.lstsq(closed.force_per_torque, wanted - closed.force_free)[0]
    force = contacts.side * closed.contact_force(torque)
    slip = contact_terms(model, state, contacts, smooth_terms(model, GROUND, state)).slip
    speed = rigid_velocities(robot, theta, state.link_rate, state.velocity)
    steady = np.abs(slip).min() > 0.05 and np.linalg.norm(speed, axis=1).min() > 0.05  # nothing comes to rest
    if not steady or np.abs(torque).max() > 50.0 or force.min() < 1.0:
        return None
    start = Start(
        link_angles=tuple(theta),
        velocity=tuple(state.velocity),
        spin=float(state.link_rate[0]),
        joint_rates=tuple(np.diff(state.link_rate)),
    )
    place = Environment(ground=Ground(friction=Isotropic(MU)), obstacles=pegs)
    return World(robot, place, ConstantTorque(torque=torque), start), force


def random_robot(random: np.random.Generator) -> PlanarRobot:
    """Links of unequal length and mass, centres of mass off their middles."""
    links = []
    for _ in range(N_LINKS):
        length, mass = random.uniform(0.08, 0.2), random.uniform(0.2, 2.0)
        offset = random.uniform(-0.3, 0.3) * length
        links.append(
            PlanarLink(length=length, mass=mass, inertia=mass * length**2 / 10, radius=RADIUS, mass_offset=offset)
        )
    return PlanarRobot(links=tuple(links))


def _contacts(random: np.random.Generator, robot: PlanarRobot) -> Contacts:
    """One to four links with a peg beside each."""
    count = int(random.integers(1, 5))
    link = np.sort(random.choice(N_LINKS, count, replace=False))
    return Contacts(
        link=link,
        side=random.choice([-1.0, 1.0], count),
        along=random.uniform(-0.3, 0.3, count) * robot.column("length")[link],
        surface=RADIUS,
        standoff=RADIUS + PEG,
        friction=MU_PEG,
    )


def _pegs(robot: PlanarRobot, theta: np.ndarray, contacts: Contacts) -> list[Peg] | None:
    """The pegs where the contacts have them; None if one touches another link too."""
    e = directions(theta)[contacts.link]
    right = np.column_stack((e[:, 1], -e[:, 0])) * np.asarray(contacts.side)[:, None]
    places = link_positions(robot, np.zeros(2), theta)[contacts.link]
    at = places + np.asarray(contacts.along)[:, None] * e + (RADIUS + PEG) * right
    pegs = [Peg(x=x, y=y, radius=PEG, friction=MU_PEG) for x, y in at]
    gap = link_obstacle_distance(robot, pegs, np.zeros(2), theta)
    gap[contacts.link, np.arange(len(pegs))] = np.inf
    return None if gap.min() < 0.005 else pegs


def holding(state: ReducedState, model: ReducedRobot, contacts: Contacts) -> ReducedState:
    """The state with the least change of velocities by which every contact keeps its distance."""
    touch = contact_terms(model, state, contacts, smooth_terms(model, GROUND, state))
    rate = np.concatenate((state.link_rate, state.velocity))
    rate -= np.linalg.lstsq(touch.J, touch.J @ rate)[0]
    return ReducedState(center=state.center, velocity=rate[-2:], link_angle=state.link_angle, link_rate=rate[:-2])


def _engine_forces(cases: list[tuple[World, np.ndarray]], dt: float) -> np.ndarray:
    """Normal forces on the pegs in the third step [N], of all cases one after the other."""
    # A controller's period must be a whole number of steps.
    rate = 1 / (LOOK * dt)
    worlds = [replace(world, controller=replace(world.controller, rate=rate)) for world, _ in cases]
    run = simulate(
        worlds, duration=LOOK * dt, settings=Settings(dt=dt, tolerance=1e-9),
        record=Record(rate=1 / dt, variables=["obstacle_load"]),
    )  # fmt: skip
    loads = run.obstacle_load.values[:, LOOK]
    return np.concatenate([load[: len(force)] for load, (_, force) in zip(loads, cases, strict=True)])


check = checks_of("engines")

MOTOR = Motor(stiffness=20.0, damping=0.2)
GAIT = LateralUndulation(amplitude=0.6, angular_frequency=6.0, phase_shift=-1.1, offset=0.2)
RADII = (8e-3, 4e-3, 2e-3)


def _pair() -> tuple[PlanarRobot, SpatialRobot]:
    """The same four links in the plane and in space; their straight sides end before the joints."""
    planar = tuple(replace(link, side_length=0.9 * link.length) for link in four_uneven_links())
    spatial = tuple(
        SpatialLink(
            length=link.length, mass=link.mass, inertia=(2e-4, link.inertia, link.inertia), radius=link.radius,
            side_length=link.side_length, mass_offset=link.mass_offset,
        )
        for link in planar
    )  # fmt: skip
    return PlanarRobot(links=planar, motors=MOTOR), SpatialRobot(links=spatial, joints=Yaw(MOTOR))


def _both(
    planar: PlanarRobot,
    spatial: SpatialRobot,
    place: Environment,
    gait: LateralUndulation,
    duration: float,
    settings: Settings,
) -> tuple[xr.Dataset, xr.Dataset]:
    """The same run in the plane and in space; the tail begins in the direction of the x axis."""
    first = gait.references(np.zeros(1), planar)[0][0]
    theta = np.concatenate(([0.0], np.cumsum(first)))
    angles = np.zeros(spatial.n_joints)
    angles[[axis.name == "yaw" for axis in spatial.axes]] = first
    lying = SpatialStart(joint_angles=tuple(angles), heading=float(theta.mean()))
    return (
        simulate(planar, place, gait, start=Start(link_angles=tuple(theta)), duration=duration, settings=settings),
        simulate(spatial, place, gait, start=lying, duration=duration, settings=settings),
    )


@check(
    "planar-spatial",
    expected_from="planar model = spatial model that lies flat",
    error_is="largest distance of a link in 1 s",
    tolerance=1e-8,
    unit="m",
    reason="contacts may creep by 1e-8 g dt = 1e-10 m/s and turn slim links by 60 /m of that: 6e-9 over 1 s",
)
def planar_is_spatial() -> Measured:
    """A gait on smooth ground: the spatial engine moves as the planar one."""
    flat, space = _both(*_pair(), Environment(), GAIT, 1.0, Settings(tolerance=1e-8))
    apart = np.abs(space.link_position.values[..., :2] - flat.link_position.values).max()
    return Measured(
        error=apart,
        values={
            "largest_turn_rad": np.ptp(flat.link_angle.values),
            "largest_rise_m": np.ptp(space.link_position.values[..., 2]),
        },
    )


@check(
    "planar-spatial-slim",
    expected_from="friction acts one radius below the axis; difference ∝ radius",
    error_is="deviation of the order from 1",
    tolerance=0.1,
    reason="nothing but the radius is left",
)
def slim_links() -> Measured:
    """A gait with friction: the difference of the engines vanishes with the radius of the links."""
    gait = LateralUndulation(amplitude=radians(30), angular_frequency=radians(80), phase_shift=radians(-50), phase=pi)
    place = Environment(ground=Ground(friction=Elliptic(along=0.1, across=0.5)))
    misses = []
    for radius in RADII:
        whole = aiko()
        slim = replace(whole, links=tuple(replace(link, radius=radius) for link in whole.links))
        ways = [
            run.center_of_mass.values[-1] - run.center_of_mass.values[0]
            for run in _both(aiko_2008b(), slim, place, gait, 4.5, Settings())
        ]
        misses.append(float(np.linalg.norm(ways[1][:2] - ways[0]) / np.linalg.norm(ways[0])))
    return convergence(
        RADII,
        misses,
        "distance of the centres of mass over the way [-]",
        {"miss_at_4_mm_1": misses[1]},
        x_label="radius of the links [m]",
    )


@check(
    "planar-reduced",
    expected_from="reduced model: M q'' + … = Jᵀ F with J q'' = −J' q'",
    error_is="largest difference of a force, the first-order part removed",
    tolerance=0.02,
    unit="N",
    reason="what is left is of second order, of forces of 2 to 20 N",
)
def planar_reduced() -> Measured:
    """Peg forces of 20 sliding robots with all contacts closed, extrapolated to dt = 0."""
    random, cases = np.random.default_rng(8), list[tuple[World, np.ndarray]]()
    while len(cases) < N_CASES:
        case = _draw(random)
        cases += [] if case is None else [case]
    # The first-order part of the error is taken out by extrapolation.
    coarse, fine = (_engine_forces(cases, dt) for dt in STEPS)
    expected = np.concatenate([force for _, force in cases])
    return Measured(
        error=np.abs(2 * fine - coarse - expected).max(),
        values={
            "largest_error_at_0.025_ms_N": np.abs(fine - expected).max(),
            "largest_force_N": expected.max(),
            "number_of_forces_1": len(expected),
        },
    )


@check(
    "planar-event-driven",
    expected_from="event-driven model in minimal coordinates",
    error_is="largest distance of a link",
    tolerance=2.5e-4,
    unit="m",
    reason="events are found up to one step late, at speeds of up to 1 m/s",
)
def event_driven() -> Measured:
    """Five links between two rough pegs, 0.3 s: the engine at 0.25 ms and the event-driven model."""
    robot = PlanarRobot.uniform(5, PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02))
    pegs = [Peg(x=x, y=y, radius=0.03, friction=0.2) for x, y in ((-0.18, 0.05), (0.22, -0.05))]
    place = Environment(ground=Ground(friction=Viscous(along=1.0, across=3.0)), obstacles=pegs)
    torque, start = (-0.5, -0.5, 0.5, 0.5), Start(link_angles=(0.0,) * 5, velocity=(0.2, 0.0))
    times = np.arange(16) * 0.02
    model = hybrid_model(robot, place, SteadyTorque(torque=torque))
    reference = integrate(model, start, duration=0.3, times=times)
    run = simulate(
        robot, place, ConstantTorque(torque=torque), start=start, duration=0.3, settings=Settings(dt=2.5e-4),
        record=Record(rate=50.0),
    )  # fmt: skip
    apart = np.linalg.norm(run.link_position.values - reference.link_position, axis=-1)
    moved = np.linalg.norm(reference.link_position[-1] - reference.link_position[0], axis=-1)
    return Measured(error=apart.max(), values={"largest_way_m": moved.max(), "events_1": len(reference.events)})

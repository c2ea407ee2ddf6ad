"""Two solvers find the same motion, equal inputs give equal bits, and models that were written separately agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from math import pi, radians
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.kinematics import directions, link_positions, rigid_velocities
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import SimulationFailed
from pushpoint.gaits import LateralUndulation
from pushpoint.model.catalogue import aiko, aiko_2008b
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Elliptic, Isotropic, Viscous
from pushpoint.model.joints import Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.papers.registry import scenario
from pushpoint.proof.checks.bodies import event_driven, four_uneven_links, moving, stepped
from pushpoint.proof.verification import Measured, checks_of, convergence, order_is
from pushpoint.reduced.contacts import Contacts, close, contact_terms
from pushpoint.reduced.robot import ReducedRobot, ReducedState, reduce_robot
from pushpoint.reduced.smooth import GroundFriction, smooth_terms
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

COURSE, SIDEWINDING = "transeth2008a/obstacle-aided", "transeth2008b/sidewinding"
STATES = 100
BETWEEN = 97
"""Steps from state to state [-]: a prime, so that no rhythm of the gait is met."""


def gait_stepper(world: World, settings: Settings) -> Stepper:
    """A published experiment at its start, driven by its gait."""
    stepper = Stepper([world.robot], [world.environment], settings)
    stepper.load(stepper.initial([world.pose()]))
    stepper.use_waves([world.controller.wave(world.robot)], [world.controller.prescribed])
    return stepper


def _one_step(name: str, tolerance: float) -> Measured:
    """From a hundred states on the way through an experiment, one step by either solver."""
    world = scenario(name).world
    recorder = gait_stepper(world, Settings())
    solvers = [gait_stepper(world, Settings(solver=solver, tolerance=tolerance)) for solver in ("newton", "prox")]
    apart, changes = [], []
    for _ in range(STATES):
        recorder.advance(BETWEEN)
        state = recorder.state()
        for stepper in solvers:
            stepper.load(state)
            stepper.advance(1)
        newton, prox = (stepper.state().v for stepper in solvers)
        apart.append(np.abs(newton - prox).max())
        changes.append(np.abs(newton - state.v).max())
    unconverged = sum(int(stepper.totals("unconverged").sum()) for stepper in solvers)
    if unconverged:
        raise SimulationFailed(f"{unconverged} of {2 * STATES} steps did not converge, must be none")
    return Measured(np.max(apart), {"median_change_in_a_step_m_per_s": np.median(changes)})


solver_check = checks_of("solver agreement", expected_from="the same inclusions have the same solution")
step_check = partial(solver_check, error_is="largest difference of a link's velocity", unit="m/s")

steps_in_the_plane = step_check(
    "solvers-plane",
    "One step from 100 states of the obstacle course, by Newton and by prox.",
    tolerance=1e-6,
    reason="both stop at 1e-7 g dt = 1e-9 m/s at a contact; ten joints pass on some hundred times that",
)(partial(_one_step, COURSE, 1e-7))

steps_in_space = step_check(
    "solvers-space",
    "One step from 100 states of sidewinding, by Newton and by prox.",
    tolerance=1e-5,
    reason="both stop at 1e-5 g dt = 1e-7 m/s at a contact; ten joints pass on some hundred times that",
)(partial(_one_step, SIDEWINDING, 1e-5))


@solver_check(
    error_is="largest distance of a link",
    tolerance=1e-4,
    unit="m",
    reason="Newton's tolerance is 1e-5 m/s at a contact; over 3 s that is at most 3e-5 m per contact",
)
def solvers_run() -> Measured:
    """Three seconds of the obstacle course, by Newton (1e-3) and by prox (1e-6)."""
    world = scenario(COURSE).world
    newton, prox = (
        simulate(world, 3.0, settings=settings).link_position.values
        for settings in (Settings(solver="newton", tolerance=1e-3), Settings(solver="prox", tolerance=1e-6))
    )
    return Measured(np.abs(newton - prox).max(), {"way_m": np.abs(newton[-1] - newton[0]).max()})


N_STEPS = 600
same_bits = checks_of(
    "determinism",
    expected_from="one thread per world, no sum across worlds, the state holds all that the next step needs",
    error_is="bytes that differ",
    tolerance=0.0,
    reason="the same machine rounds the same way",
)


def _rough(name: str) -> World:
    """The experiment, its pegs made rough, so that contacts stick and slip."""
    world = scenario(name).world
    pegs = [replace(peg, friction=0.3) for peg in world.environment.obstacles if isinstance(peg, Peg)]
    return replace(world, environment=replace(world.environment, obstacles=pegs))


def _unequal(first: np.ndarray, second: np.ndarray) -> int:
    """How many bytes of two arrays differ [-]."""
    a, b = np.ascontiguousarray(first), np.ascontiguousarray(second)
    return int((a.view(np.uint8) != b.view(np.uint8)).sum()) if a.shape == b.shape else max(a.size, b.size)


def _compared(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> Measured:
    """Bytes by which the arrays of pairs differ."""
    found = [(_unequal(first, second), first.size) for first, second in pairs]
    differing, numbers = np.sum(found, axis=0)
    return Measured(differing, {"compared_numbers_1": numbers})


@same_bits()
def bits_twice() -> Measured:
    """The obstacle course with rough pegs and sidewinding, each run twice."""
    runs = [[stepped([_rough(name)], N_STEPS * 1e-3) for _ in range(2)] for name in (COURSE, SIDEWINDING)]
    return _compared((one[name].values, again[name].values) for one, again in runs for name in one.data_vars)


@same_bits()
def bits_portions() -> Measured:
    """600 steps at once, in two portions, and from a restored state."""

    def different(first: State | SpatialState, second: State | SpatialState) -> int:
        return sum(_unequal(getattr(first, name), getattr(second, name)) for name in type(first).names())

    differing = 0
    for name in (COURSE, SIDEWINDING):
        whole, cut, fresh = (gait_stepper(_rough(name), Settings()) for _ in range(3))
        whole.advance(N_STEPS)
        cut.advance(250)
        half = cut.state()
        cut.advance(N_STEPS - 250)
        fresh.load(half)
        fresh.advance(N_STEPS - 250)
        differing += different(cut.state(), whole.state()) + different(fresh.state(), whole.state())
    return Measured(differing, {"steps_1": N_STEPS})


@same_bits()
def bits_batch() -> Measured:
    """Worlds of a batch of twelve and the same worlds alone."""
    worlds = [_variant(_rough(COURSE), k) for k in range(12)]
    together = stepped(worlds, N_STEPS * 1e-3)
    alone = {k: stepped([worlds[k]], N_STEPS * 1e-3) for k in (0, 5, 6, 11)}
    names = ("link_position", "link_angle", "link_velocity", "joint_torque", "obstacle_force")
    return _compared((run[name].values[0], together[name].values[k]) for k, run in alone.items() for name in names)


def _variant(world: World, k: int) -> World:
    """The experiment with another rhythm and another number of pegs."""
    gait = replace(world.controller, angular_frequency=world.controller.angular_frequency * (1 + 0.1 * k))
    more = [Peg(x=3.0 + 0.3 * j, y=1.0, radius=0.05) for j in range(k)]
    place = Environment(ground=world.environment.ground, obstacles=[*world.environment.obstacles, *more])
    return World(world.robot, place, gait, world.start)


check = checks_of("engines")

RADII = (8e-3, 4e-3, 2e-3)
WEAVE = LateralUndulation(
    amplitude=radians(30), angular_frequency=radians(80), phase_shift=radians(-50), phase=pi
)  # fmt: skip


def _both(
    planar: PlanarRobot, spatial: SpatialRobot, place: Environment, gait: LateralUndulation, **how: Any
) -> tuple[xr.Dataset, xr.Dataset]:
    """The same run in the plane and in space; the tail begins in the direction of the x axis."""
    first = gait.references(np.zeros(1), planar)[0][0]
    theta = np.concatenate(([0.0], np.cumsum(first)))
    angles = np.zeros(spatial.n_joints)
    angles[[axis.name == "yaw" for axis in spatial.axes]] = first
    lying = SpatialStart(joint_angles=tuple(angles), heading=float(theta.mean()))
    return (
        stepped(World(planar, place, gait, Start(link_angles=tuple(theta))), **how),
        stepped(World(spatial, place, gait, lying), **how),
    )


@check(
    expected_from="planar model = spatial model that lies flat",
    error_is="largest distance of a link in 1 s",
    tolerance=1e-8,
    unit="m",
    reason="contacts may creep by 1e-8 g dt = 1e-10 m/s and turn slim links by 60 /m of that: 6e-9 over 1 s",
)
def planar_spatial() -> Measured:
    """A gait on smooth ground: the spatial engine moves as the planar one."""
    planar = tuple(replace(link, side_length=0.9 * link.length) for link in four_uneven_links())
    spatial = tuple(
        SpatialLink(
            length=link.length, mass=link.mass, inertia=(2e-4, link.inertia, link.inertia), radius=link.radius,
            side_length=link.side_length, mass_offset=link.mass_offset,
        )
        for link in planar
    )  # fmt: skip
    motor = Motor(stiffness=20.0, damping=0.2)
    robots = PlanarRobot(links=planar, motors=motor), SpatialRobot(links=spatial, joints=Yaw(motor))
    gait = LateralUndulation(amplitude=0.6, angular_frequency=6.0, phase_shift=-1.1, offset=0.2)
    flat, space = _both(*robots, Environment(), gait, duration=1.0, tolerance=1e-8)
    apart = np.abs(space.link_position.values[..., :2] - flat.link_position.values).max()
    rise = np.ptp(space.link_position.values[..., 2])
    return Measured(apart, {"largest_turn_rad": np.ptp(flat.link_angle.values), "largest_rise_m": rise})


@check(
    expected_from="friction acts one radius below the axis; difference ∝ radius",
    **order_is(1),
    reason="nothing but the radius is left",
)
def planar_spatial_slim() -> Measured:
    """A gait with friction: the difference of the engines vanishes with the radius of the links."""
    place, whole = Environment(ground=Ground(friction=Elliptic(along=0.1, across=0.5))), aiko()
    misses = []
    for radius in RADII:
        slim = replace(whole, links=tuple(replace(link, radius=radius) for link in whole.links))
        centers = [run.center_of_mass.values for run in _both(aiko_2008b(), slim, place, WEAVE, duration=4.5)]
        flat, space = (center[-1] - center[0] for center in centers)
        misses.append(float(np.linalg.norm(space[:2] - flat) / np.linalg.norm(flat)))
    label, values = "distance of the centres of mass over the way [-]", {"miss_at_4_mm_1": misses[1]}
    return convergence(RADII, misses, label, values, x_label="radius of the links [m]")


N_CASES, N_LINKS = 20, 8
STEPS = (5e-5, 2.5e-5)
MU, MU_PEG, RADIUS, PEG = 0.3, 0.2, 0.02, 0.03
GROUND = GroundFriction(coefficient=MU)
LOOK = 3
"""The step that is read [-]: the first one sees half of the centripetal terms, the second has to catch up."""


@check(
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
    values = {
        "largest_error_at_0.025_ms_N": np.abs(fine - expected).max(),
        "largest_force_N": expected.max(),
        "number_of_forces_1": len(expected),
    }
    return Measured(np.abs(2 * fine - coarse - expected).max(), values)


@check(
    expected_from="event-driven model in minimal coordinates",
    error_is="largest distance of a link",
    tolerance=2.5e-4,
    unit="m",
    reason="events are found up to one step late, at speeds of up to 1 m/s",
)
def planar_event_driven() -> Measured:
    """Five links between two rough pegs, 0.3 s: the engine at 0.25 ms and the event-driven model."""
    robot = PlanarRobot.uniform(5, PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02))
    pegs = [Peg(x=x, y=y, radius=0.03, friction=0.2) for x, y in ((-0.18, 0.05), (0.22, -0.05))]
    place = Environment(ground=Ground(friction=Viscous(along=1.0, across=3.0)), obstacles=pegs)
    start = Start(link_angles=(0.0,) * 5, velocity=(0.2, 0.0))
    world = World(robot, place, ConstantTorque(torque=(-0.5, -0.5, 0.5, 0.5)), start)
    reference = event_driven(world, 0.3, np.arange(16) * 0.02)
    run = stepped(world, 0.3, dt=2.5e-4, rate=50.0)
    apart = np.linalg.norm(run.link_position.values - reference.link_position, axis=-1)
    moved = np.linalg.norm(reference.link_position[-1] - reference.link_position[0], axis=-1)
    return Measured(apart.max(), {"largest_way_m": moved.max(), "events_1": len(reference.events)})


def _engine_forces(cases: list[tuple[World, np.ndarray]], dt: float) -> np.ndarray:
    """Normal forces on the pegs in the third step [N], of all cases one after the other."""
    # A controller's period must be a whole number of steps.
    rate = 1 / (LOOK * dt)
    worlds = [replace(world, controller=replace(world.controller, rate=rate)) for world, _ in cases]
    run = stepped(worlds, LOOK * dt, dt=dt, tolerance=1e-9, rate=1 / dt, variables=["obstacle_load"])
    loads = run.obstacle_load.values[:, LOOK]
    return np.concatenate([load[: len(force)] for load, (_, force) in zip(loads, cases, strict=True)])


def _draw(random: np.random.Generator) -> tuple[World, np.ndarray] | None:
    """A random robot that slides past pegs, and the pegs' forces by the reduced model, pushing positive [N].

    None if it does not keep its contacts and slip.
    """
    robot = random_robot(random)
    model = reduce_robot(robot)
    theta = np.cumsum(random.uniform(-0.6, 0.6, N_LINKS))
    contacts, pegs = _contacts(random, robot, theta)
    gap = link_obstacle_distance(robot, pegs, np.zeros(2), theta)
    gap[contacts.link, np.arange(len(pegs))] = np.inf
    if gap.min() < 0.005:
        return None  # a peg touches another link too
    velocity, rate = 0.3 * random.normal(size=2), random.normal(size=N_LINKS)
    state = ReducedState(center=np.zeros(2), velocity=velocity, link_angle=theta, link_rate=rate)
    state = holding(state, model, contacts)
    closed = close(model, GROUND, state, contacts)
    wanted = contacts.side * random.uniform(2.0, 20.0, len(pegs))
    torque = np.linalg.lstsq(closed.force_per_torque, wanted - closed.force_free)[0]
    force = contacts.side * closed.contact_force(torque)
    slip = contact_terms(model, state, contacts, smooth_terms(model, GROUND, state)).slip
    speed = rigid_velocities(robot, theta, state.link_rate, state.velocity)
    steady = np.abs(slip).min() > 0.05 and np.linalg.norm(speed, axis=1).min() > 0.05  # nothing comes to rest
    if not steady or np.abs(torque).max() > 50.0 or force.min() < 1.0:
        return None
    place = Environment(ground=Ground(friction=Isotropic(MU)), obstacles=pegs)
    start = moving(theta, state.link_rate, state.velocity)
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


def _contacts(random: np.random.Generator, robot: PlanarRobot, theta: np.ndarray) -> tuple[Contacts, list[Peg]]:
    """One to four links with a peg beside each."""
    count = int(random.integers(1, 5))
    link = np.sort(random.choice(N_LINKS, count, replace=False))
    side, share = random.choice([-1.0, 1.0], count), random.uniform(-0.3, 0.3, count)
    along, standoff = share * robot.column("length")[link], RADIUS + PEG
    e = directions(theta)[link]
    right = np.column_stack((e[:, 1], -e[:, 0])) * side[:, None]
    at = link_positions(robot, np.zeros(2), theta)[link] + along[:, None] * e + standoff * right
    return (
        Contacts(link=link, side=side, along=along, surface=RADIUS, standoff=standoff, friction=MU_PEG),
        [Peg(x=x, y=y, radius=PEG, friction=MU_PEG) for x, y in at],
    )


def holding(state: ReducedState, model: ReducedRobot, contacts: Contacts) -> ReducedState:
    """The state with the least change of velocities by which every contact keeps its distance."""
    touch = contact_terms(model, state, contacts, smooth_terms(model, GROUND, state))
    rate = np.concatenate((state.link_rate, state.velocity))
    rate -= np.linalg.lstsq(touch.J, touch.J @ rate)[0]
    return replace(state, velocity=rate[-2:], link_rate=rate[:-2])

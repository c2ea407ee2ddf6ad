"""Time steps of both engines as dense contact problems: the same step in other words, and the same solution.

The engine's impulses must obey the laws by criteria that share nothing with it, u = W p + q must be the velocities
that its links then have, and the solver for problems from elsewhere must come to the same velocities.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pushpoint as pp
from oracles.engine import drift_made_of, stepper_at_start
from oracles.spatial.dense import DenseRobot
from oracles.spatial.engine import engine_start, midpoint, stepper_in, way_of
from oracles.spatial.free import FreeFlight
from oracles.spatial.states import SOFT, mixed_robot, pressed_state
from oracles.spatial.step import arc_speeds, servo_rows
from pushpoint.contact_problems import Problem
from pushpoint.contact_problems.export import problem_of_step
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.worlds.world import World

DT = 1e-3
G = 9.81
TIGHT = pp.Settings(dt=DT, tolerance=1e-8)


def obeys(problem: Problem, *, spread: float = 1.0) -> None:
    """The engine's impulses miss the laws by no more than it allowed itself.

    Its residual counts in masses of single links, ours in those of the whole chain, which are larger: so Signorini is
    met by as much. Its disc follows the new normal impulse, ours the felt one: mu times the tolerance more. In an
    ellipse it works in scaled coordinates, which hide a part by the square of its `spread`, largest over smallest axis.
    """
    assert problem.tolerance is not None
    found = problem.residuals()
    assert found.signorini.max(initial=0.0) <= problem.tolerance
    assert found.coulomb.max(initial=0.0) <= (1.0 + problem.mu.max(initial=0.0)) * problem.tolerance * spread**2


def solves_alike(problem: Problem, *, from_there: bool = False) -> None:
    """The same velocities from the general solver, but for the tolerances of both; where many solve it, from there."""
    assert problem.impulses is not None and problem.tolerance is not None
    solution = problem.solve(start=problem.impulses if from_there else None)
    assert solution.converged
    engine = (problem.W @ problem.impulses.ravel() + problem.q).reshape(-1, 3)
    # A law missed by the tolerance at one contact moves the others by up to as much each.
    np.testing.assert_allclose(solution.velocities, engine, atol=problem.n_contacts * problem.tolerance)


def velocities(problem: Problem) -> np.ndarray:
    """W p + q of the engine's impulses, shape (n, 3)."""
    assert problem.impulses is not None
    return (problem.W @ problem.impulses.ravel() + problem.q).reshape(-1, 3)


def planar_slips(
    robot: pp.PlanarRobot, before: State, after: State, problem: Problem, inward: np.ndarray
) -> np.ndarray:
    """Velocities of the links' material at the contacts, in their frames, from the states, shape (n, 3).

    At obstacles they are those of the end of the step: the axis has then gone on round the centre of mass for half a
    step, which adds -inward r.
    """
    assert problem.links is not None and problem.points is not None and problem.frames is not None
    mean = robot.column("mass") @ before.v[0] / robot.mass
    places = link_positions(robot, before.center[0] + DT / 2 * mean, before.theta[0] + DT / 2 * before.omega[0])
    arm = problem.points[:, :2] - places[problem.links]
    turning = after.omega[0, problem.links, None] * np.column_stack([-arm[:, 1], arm[:, 0]])
    radius = np.array([link.radius for link in robot.links])[problem.links]
    axis = arm + radius[:, None] * problem.frames[:, 0, :2]
    turning = turning - (inward[problem.links] * (problem.kinds == "obstacle"))[:, None] * axis
    v = np.column_stack([after.v[0, problem.links] + turning, np.zeros(problem.n_contacts)])
    return np.einsum("kij,kj->ki", problem.frames, v)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-8])
def test_obstacle_course(tolerance: float) -> None:
    course = pp.scenario("transeth2008a/obstacle-aided")
    assert isinstance(course.world.robot, pp.PlanarRobot)
    stepper = stepper_at_start([course.world], replace(course.settings, dt=DT, tolerance=tolerance))
    pushed = 0
    for _ in range(25):
        stepper.advance(39)
        before = stepper.state()
        stepper.advance(1)
        after, problem = stepper.state(), problem_of_step(stepper)
        assert isinstance(before, State) and isinstance(after, State) and problem.kinds is not None
        obeys(problem)
        solves_alike(problem)
        inward = drift_made_of(stepper)[0]
        slips, found = planar_slips(course.world.robot, before, after, problem, inward), velocities(problem)
        # Tangential ones exactly; normal ones against obstacles but for the target, which is no more than 5 mm/s.
        np.testing.assert_allclose(found[:, 1:], slips[:, 1:], atol=1e-12)
        at = problem.kinds == "obstacle"
        assert (found[at, 0] <= slips[at, 0] + 1e-12).all() and (found[at, 0] >= slips[at, 0] - 5.0e-3 - 1e-12).all()
        # The weight of every link, and nothing else, presses on the ground.
        assert problem.impulses is not None
        weight = problem.impulses[problem.kinds == "ground", 0].sum()
        assert weight == pytest.approx(course.world.robot.mass * G * DT, rel=1e-12)
        pushed += int(at.sum())
    assert pushed > 10


def dense_problem(dense: DenseRobot, stepper: Stepper, before: SpatialState, w: int) -> tuple[np.ndarray, np.ndarray]:
    """W and q from the matrices of Transeth2008b in maximal coordinates, targets left out; servos hold zero angles."""
    problem = problem_of_step(stepper, w)
    mid = midpoint(dense, before, w, DT)
    gaps = dense.contact_gaps(mid)
    active = [int(k) for k in np.flatnonzero(gaps <= 1e-6)]
    assert len(active) == problem.n_contacts
    W_J, W_S = dense.joint_jacobian(mid), dense.axis_jacobian(mid)
    W_C = dense.contact_jacobian(mid, active).reshape(-1, len(active), 6)[:, :, :3].reshape(-1, 3 * len(active))
    drive, compliance = servo_rows(dense, mid, DT, (0.0, 0.0), before.rate[w])
    loaded = dense.mass_matrix + (W_S * compliance) @ W_S.T
    rows = W_J.shape[1]
    inverse = np.linalg.inv(np.block([[loaded, -W_J], [W_J.T, np.zeros((rows, rows))]]))[: len(loaded), : len(loaded)]
    u_A = np.hstack([before.v[w], before.omega[w]])
    # Velocities are those of the end of the step: u_E = J nu + b, and contacts have gone on round the centres of mass.
    omega, rate = way_of(stepper, dense, mid, w)
    nu = np.concatenate([np.zeros(3), omega, rate])
    drift = DT / 2 * FreeFlight(robot=dense.robot).bias(mid, nu).ravel()
    turning = dense.velocities(mid, np.zeros(3), omega, rate)[:, 3:]
    arcs = arc_speeds(dense, mid, turning, tuple(active), np.array([0.0, 0.0, 1.0]), DT)[:, :3].ravel()
    push = dense.mass_matrix @ (u_A.ravel() - drift) + DT * dense.smooth_forces(u_A, G).ravel() + W_S @ drive
    return W_C.T @ inverse @ W_C, W_C.T @ (inverse @ push + drift) + arcs


LAWS = {
    "disc": (pp.Isotropic(0.4), 1.0),
    "ellipse": (pp.Elliptic(along=0.2, across=0.6), 3.0),
    "skin": (pp.Skin(forward=0.2, backward=0.4, across=0.6), 3.0),
}


@pytest.mark.parametrize("name", LAWS)
def test_spatial_steps(name: str) -> None:
    law, spread = LAWS[name]
    robot = mixed_robot(SOFT)
    dense = DenseRobot.of(robot)
    starts = [engine_start(dense, *pressed_state(dense, seed)) for seed in range(12)]
    place = pp.Environment(ground=pp.Ground(friction=law, gravity=G))
    stepper = stepper_in(robot, place, starts, TIGHT)
    before = stepper.state()
    stepper.advance(1)
    assert isinstance(before, SpatialState)
    unconverged = stepper.totals("unconverged")
    touched = 0
    for w in np.flatnonzero(unconverged == 0):
        problem = problem_of_step(stepper, int(w))
        W, q = dense_problem(dense, stepper, before, int(w))
        np.testing.assert_allclose(problem.W, W, atol=1e-10 * np.abs(W).max())  # round-off of both eliminations
        off = (q - problem.q).reshape(-1, 3)
        np.testing.assert_allclose(off[:, 1:], 0.0, atol=1e-10)
        assert (off[:, 0] >= -1e-10).all()  # targets lead out of the ground
        obeys(problem, spread=spread)
        if np.linalg.matrix_rank(problem.W) == len(problem.q):
            solves_alike(problem)
        touched += problem.n_contacts
    assert (unconverged == 0).sum() >= 10 and touched > 20


def test_hyperstatic_rest_on_the_ground() -> None:
    """Undulation on 22 spheres: normals are redundant, rolling friction acts as it was found."""
    flat = pp.scenario("transeth2008b/lateral-undulation-isotropic")
    stepper = stepper_at_start([flat.world], pp.Settings(dt=DT))
    for _ in range(8):
        stepper.advance(100)
        problem = problem_of_step(stepper)
        assert problem.n_contacts > 15 and np.linalg.matrix_rank(problem.W, tol=1e-9) < len(problem.q)
        obeys(problem)
        assert problem.solve().converged
        solves_alike(problem, from_there=True)


def told(robot: pp.PlanarRobot, command: pp.Command, steps: int, ground: pp.Ground) -> Stepper:
    stepper = Stepper([robot], [pp.Environment(ground=ground)], TIGHT)
    stepper.load(stepper.initial([pp.Start(joint_angles=(0.3,) * robot.n_joints).pose(robot)]))
    stepper.use_command(command, steps)
    stepper.advance(steps)
    return stepper


LINK = pp.PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=0.02)


def test_joints_at_their_stops_are_contacts() -> None:
    robot = pp.PlanarRobot.uniform(4, LINK, pp.Motor(stiffness=5.0, damping=0.1, lower=-0.5, upper=0.5))
    command = pp.Command(joint_angle=np.array([[0.9, 0.2, -0.9]]))
    stepper = told(robot, command, 3000, pp.Ground(friction=pp.Frictionless()))
    problem = problem_of_step(stepper)
    assert problem.kinds is not None and problem.links is not None and problem.impulses is not None
    at = problem.kinds == "stop"
    assert problem.links[at].tolist() == [0, 2]
    # At rest, the servo's moment 5 (0.9 - 0.5) N m over the link's length; the angle is 1e-7 rad off the stop.
    np.testing.assert_allclose(problem.impulses[at, 0], DT * 2.0 / 0.1, rtol=1e-5)
    obeys(problem)
    solves_alike(problem)


def test_prescribed_joints_are_constraints() -> None:
    robot = pp.PlanarRobot.uniform(4, LINK, pp.Motor())
    moved = pp.Command(joint_angle=np.array([[0.5, 0.1, -0.2]]), joint_rate=np.zeros((1, 3)), prescribed=True)
    stepper = told(robot, moved, 1, pp.Ground(friction=pp.Elliptic(along=0.1, across=0.3)))
    problem = problem_of_step(stepper)
    assert np.linalg.matrix_rank(problem.W, tol=1e-9) == 4 + 3  # four weights, and the three freedoms of a rigid body
    obeys(problem, spread=3.0)
    assert problem.solve().converged


def test_links_that_touch_each_other() -> None:
    aiko = pp.catalogue.aiko()
    robot = pp.SpatialRobot(links=(aiko.links[0],) * 16, joints=aiko.chain[0], self_contact=True, self_friction=0.5)
    yaw = np.array([axis.name == "yaw" for axis in robot.axes])
    world = World(robot, pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2))), start=pp.SpatialStart())
    simulator = pp.Simulator([world], settings=pp.Settings(dt=DT))
    simulator.reset()
    found = 0
    for k in range(450):
        simulator.step(pp.Command(joint_angle=np.radians(36.0) * min(k / 400.0, 1.0) * yaw[None]))
        if k % 10 == 0 and k > 380:
            problem = simulator.contact_problem()
            assert problem.kinds is not None
            found += int((problem.kinds == "self").sum())
            obeys(problem)
    assert found > 5


def test_balls_of_terrain_and_rebound() -> None:
    """A link dropped on a box: one step takes its speed and gives it back, times the restitution."""
    link = pp.SpatialLink(length=0.12, mass=0.5, inertia=(2e-4, 6e-4, 6e-4), radius=0.04, side_length=0.06)
    robot = pp.SpatialRobot(links=(link,), joints=())
    box = pp.Box(center=(0.0, 0.0, 0.1), size=(1.0, 1.0, 0.2), friction=0.3, restitution=0.5)
    start = pp.SpatialStart(position=(0.0, 0.0, 0.2 + 0.04 + 4e-4), velocity=(0.0, 0.0, -1.0))
    stepper = stepper_at_start([World(robot, pp.Environment(obstacles=[box]), start=start)], TIGHT)
    stepper.advance(1)
    problem = problem_of_step(stepper)
    assert problem.kinds is not None and (problem.kinds == "obstacle").all() and problem.impulses is not None
    assert problem.impulses[:, 0].sum() == pytest.approx(0.5 * (1.0 + 0.5) + 0.5 * G * DT, rel=1e-6)
    np.testing.assert_allclose(velocities(problem)[:, 0], 0.0, atol=1e-9)  # counted from the rebound
    obeys(problem)


def test_what_cannot_be_told_is_refused() -> None:
    robot = pp.PlanarRobot.uniform(3, LINK, pp.Motor(stiffness=5.0, damping=0.1))
    hold = pp.Command(joint_angle=np.zeros((1, 2)))
    for law, sentence in (
        (pp.Viscous(along=0.1, across=0.3), r"friction = 'Viscous', must be Isotropic, Elliptic or Skin"),
        (pp.Rectangular(along=0.1, across=0.3), r"friction = 'Rectangular', must be"),
        (pp.Elliptic(along=0.1, across=0.3, flow="directional"), r"flow of the friction = 'directional', must be"),
    ):
        stepper = told(robot, hold, 1, pp.Ground(friction=law))
        with pytest.raises(InvalidModel, match=sentence):
            problem_of_step(stepper)


def test_only_the_end_of_a_step_has_contacts() -> None:
    course = pp.scenario("transeth2008a/obstacle-aided")
    simulator = pp.Simulator([course.world])
    simulator.reset()
    with pytest.raises(InvalidModel, match="must be the end of a step"):
        simulator.contact_problem()
    simulator.step(pp.Command(joint_angle=np.zeros((1, 10))))
    assert simulator.contact_problem().n_contacts >= 11
    early = simulator.state
    simulator.step(pp.Command(joint_angle=np.zeros((1, 10))))
    simulator.restore(early)
    with pytest.raises(InvalidModel, match="must be the end of a step"):
        simulator.contact_problem()
    with pytest.raises(InvalidModel, match=r"^world = 1, must be a whole number from 0 to 0$"):
        simulator.contact_problem(1)

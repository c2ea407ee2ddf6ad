"""The event-driven model by itself: its parts, closed forms of a single link at a peg, conservation and dissipation."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pushpoint as pp
from pushpoint.engine.planar.kinematics import rigid_velocities
from pushpoint.errors import InvalidModel, PushpointError, SimulationFailed, StartOverlap
from pushpoint.event_driven import Servo, SteadyTorque, hybrid_model, integrate
from pushpoint.event_driven.automaton import Accuracy, advance, integrator
from pushpoint.event_driven.flow import flow
from pushpoint.event_driven.jumps import ContactLaws, solve_laws
from pushpoint.event_driven.model import LinkPart, Touching, all_sliding
from pushpoint.event_driven.rows import contact_rows, snapshot
from pushpoint.reduced import Contacts, ReducedState, close, contact_terms

GRAVITY = 9.81
M, I, R = 1.0, 0.08, 0.02  # mass, inertia and radius of the rod
PEG = 0.03
FEATHER = 1e-9  # mass of the second link that a Robot must have, over the rod's: it disturbs by as much
LINK = pp.PlanarLink(length=0.2, mass=1.0, inertia=0.004, radius=0.02)


def rod() -> pp.PlanarRobot:
    """One link, all but: a second one of next to no mass hangs at its front."""
    feather = pp.PlanarLink(length=0.1, mass=FEATHER, inertia=0.1 * FEATHER, radius=1e-3, side_length=0.0)
    return pp.PlanarRobot(links=(pp.PlanarLink(length=1.0, mass=M, inertia=I, radius=R), feather))


def peg_at(x: float, y: float, *, friction: float = 0.0, restitution: float = 0.0) -> pp.Environment:
    peg = pp.Peg(x=x, y=y, radius=PEG, friction=friction, restitution=restitution)
    return pp.Environment(obstacles=[peg])


def chain(n_links: int) -> pp.PlanarRobot:
    return pp.PlanarRobot.uniform(n_links, LINK)


@pytest.mark.parametrize(("part", "order"), [(1.0, 6), (0.4, 5)])  # one step: order of the method plus one
def test_dormand_prince_has_its_order_at_the_end_and_between(part: float, order: int) -> None:
    loose = Accuracy(relative=1.0, absolute=1.0, first_step=1.0, longest_step=1.0)
    errors = []
    for size in (0.4, 0.2, 0.1):
        step = advance(integrator(lambda t, y: np.array([y[1], -y[0]]), 0.0, np.array([1.0, 0.0]), size, loose))
        assert step.t - step.t_old == size
        errors.append(np.abs(step(part * size) - [np.cos(part * size), -np.sin(part * size)]).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - order) < 0.4)  # of the next power of the step, at most 0.4


def test_a_flow_that_ends_is_said_in_a_sentence() -> None:
    with pytest.raises(SimulationFailed, match="cannot continue at t = 0 s"):
        advance(integrator(lambda t, y: np.full(1, np.nan), 0.0, np.zeros(1), 1e-3, Accuracy()))


@pytest.mark.parametrize("place", list(LinkPart))
def test_velocities_and_accelerations_of_a_contact_are_those_of_its_gap(place: LinkPart) -> None:
    rng = np.random.default_rng(3)
    robot = pp.PlanarRobot(links=(replace(LINK, mass_offset=0.03), replace(LINK, mass=2.0, side_length=0.1), LINK))
    model = hybrid_model(robot, peg_at(0.02, 0.09))
    contacts = Touching(link=np.array([1]), peg=np.array([0]), place=np.array([place]), slip=np.array([0]))
    q, q_dot, q_ddot = rng.normal(0.0, 0.05, 5), rng.normal(0.0, 1.0, 5), rng.normal(0.0, 1.0, 5)

    def rows_at(t: float):
        state = np.concatenate((q + q_dot * t + q_ddot * t**2 / 2, q_dot + q_ddot * t))
        return contact_rows(model, snapshot(model, state), contacts)

    def slope(name: str) -> np.ndarray:
        """Fourth order: two central differences, the error of second order taken out."""
        coarse, fine = ((getattr(rows_at(h), name) - getattr(rows_at(-h), name)) / (2 * h) for h in (2e-4, 1e-4))
        return (4 * fine - coarse) / 3

    now = rows_at(0.0)
    assert now.W_N @ q_dot == pytest.approx(now.gamma_N, abs=1e-13)  # round-off
    assert now.W_T @ q_dot == pytest.approx(now.gamma_T, abs=1e-13)
    near = {"abs": 1e-7}  # (1e-4 s)^4 times derivatives of up to 1e8
    assert slope("gap") == pytest.approx(now.gamma_N, **near)
    assert slope("gamma_N") == pytest.approx(now.W_N @ q_ddot + now.bias_N, **near)
    assert slope("gamma_T") == pytest.approx(now.W_T @ q_ddot + now.bias_T, **near)


def test_rows_beside_the_straight_side_are_those_of_the_reduced_model() -> None:
    robot = chain(3)
    model = hybrid_model(robot, peg_at(0.03, 0.05, friction=0.3))
    rng = np.random.default_rng(4)
    q_dot = rng.normal(0.0, 1.0, 5)
    at = snapshot(model, np.concatenate((np.zeros(5), q_dot)))
    one = np.array([1])
    rows = contact_rows(model, at, Touching(link=one, peg=0 * one, place=0 * one, slip=0 * one))
    given = Contacts(link=one, side=-1.0, along=0.03, surface=0.02, standoff=0.05, friction=0.3)
    state = ReducedState(center=np.zeros(2), velocity=q_dot[3:], link_angle=np.zeros(3), link_rate=q_dot[:3])
    other = contact_terms(model.robot, state, given, at.terms)
    assert rows.W_N == pytest.approx(-other.J, abs=1e-14)  # the peg is to the left: its force is negative there
    assert rows.bias_N == pytest.approx(-other.bias, abs=1e-13)
    assert np.abs(rows.gamma_T) == pytest.approx(np.abs(other.slip), abs=1e-13)
    sliding = rows.W_N - 0.3 * np.sign(rows.gamma_T) * rows.W_T
    assert sliding == pytest.approx(-other.G, abs=1e-14)


def test_forces_of_a_sliding_contact_are_those_of_the_reduced_model() -> None:
    drive = SteadyTorque(torque=(-0.5, -0.4))
    model = hybrid_model(chain(3), peg_at(0.03, 0.05, friction=0.3), drive)
    q_dot, one = np.array([0.0, 0.0, 0.0, 0.4, 0.0]), np.array([1])
    contacts = Touching(link=one, peg=0 * one, place=0 * one, slip=one)
    seen = flow(model, 0.0, np.concatenate((np.zeros(5), q_dot)), replace(all_sliding(model), contacts=contacts))
    assert np.sign(seen.touch.gamma_T) == 1
    given = Contacts(link=one, side=-1.0, along=0.03, surface=0.02, standoff=0.05, friction=0.3)
    state = ReducedState(center=np.zeros(2), velocity=q_dot[3:], link_angle=np.zeros(3), link_rate=q_dot[:3])
    closed = close(model.robot, model.ground, state, given)
    assert seen.normal == pytest.approx(-closed.contact_force(drive.values), rel=1e-12)
    assert seen.tangential == pytest.approx(-0.3 * seen.normal, rel=1e-12)
    assert seen.acceleration == pytest.approx(closed.acceleration(drive.values), rel=1e-12, abs=1e-12)


def test_it_shares_nothing_with_the_kernels() -> None:
    code = "import sys, pushpoint.event_driven; print([m for m in sys.modules if 'kernels' in m or 'warp' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_contact_laws_hold_for_random_contacts() -> None:
    rng = np.random.default_rng(5)
    laws = ContactLaws(
        normal=np.array([0, 1]),
        friction=np.array([2, 3]),
        friction_of=np.array([0, 1]),
        coefficient=np.array([0.3, 0.3]),
        disc=np.array([4]),
        disc_bound=np.array([0.4]),
        interval=np.array([6]),
        interval_bound=np.array([0.2]),
    )
    seen = set()
    for _ in range(100):
        J = rng.normal(0.0, 1.0, (7, 9))
        A, b = J @ J.T, rng.normal(0.0, 1.0, 7)
        x = solve_laws(A, b, laws)
        y = A @ x + b
        zero = 1e-9  # the iteration stops at 1e-12 of b; contraction may leave a thousand times that
        assert x[:2].min() >= 0.0 and y[:2].min() > -zero and np.abs(x[:2] * y[:2]).max() < zero
        for k, most in ((2, 0.3 * x[0]), (3, 0.3 * x[1]), (6, 0.2)):
            assert abs(x[k]) <= most + zero
            assert abs(y[k]) < zero or abs(x[k] + most * np.sign(y[k])) < zero
        length, speed = np.hypot(*x[4:6]), np.hypot(*y[4:6])
        assert length <= 0.4 + zero
        assert speed < zero or np.abs(x[4:6] * speed + 0.4 * y[4:6]).max() < zero
        seen.add((bool(x[0] > 0), bool(speed > zero), bool(abs(y[6]) > zero)))
    assert len(seen) == 8  # every combination of open and closed, stick and slip has been tried


def test_friction_that_drives_a_contact_into_its_peg_is_refused() -> None:
    none = np.zeros(0, dtype=int)
    laws = ContactLaws(
        normal=np.array([0]), friction=none, friction_of=none, coefficient=none, disc=none, disc_bound=none,
        interval=none, interval_bound=none,
    )  # fmt: skip
    with pytest.raises(SimulationFailed, match="Painleve"):
        solve_laws(np.array([[-1.0]]), np.array([-1.0]), laws)


# A single link at a peg


def just_after(environment: pp.Environment, start: pp.Start, hit: float):
    """Velocity and rate of the rod right after its impact, which must come when it is due."""
    run = integrate(hybrid_model(rod(), environment), start, duration=hit + 1e-3, times=[hit + 1e-7])
    assert run.events[0].name == "impact"
    assert run.events[0].time == pytest.approx(hit, abs=1e-8)  # clearance 1e-9 m over 0.5 m/s
    return run.velocity[0], run.link_rate[0, 0]


@pytest.mark.parametrize("offset", [0.0, 0.2, -0.4])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_an_impact_cancels_or_turns_round_the_normal_velocity(offset: float, restitution: float) -> None:
    speed, way = 0.5, 0.01
    start = pp.Start(link_angles=(0.0, 0.0), link=0, velocity=(0.0, speed))
    velocity, rate = just_after(peg_at(offset, R + PEG + way, restitution=restitution), start, way / speed)
    impulse = (1 + restitution) * speed / (1 / M + offset**2 / I)
    assert velocity == pytest.approx([0.0, speed - impulse / M], abs=1e-6)  # accelerations times 1e-7 s
    assert rate == pytest.approx(-offset * impulse / I, abs=1e-6)


def test_an_impact_with_little_friction_slides() -> None:
    mu, way = 0.2, 0.01
    start = pp.Start(link_angles=(0.0, 0.0), link=0, velocity=(0.4, 0.5))
    velocity, rate = just_after(peg_at(0.4 * 0.02, R + PEG + way, friction=mu), start, way / 0.5)
    impulse = M * 0.5  # through the centre of mass: the rod has come 8 mm along by then
    assert velocity == pytest.approx([0.4 - mu * impulse / M, 0.0], abs=1e-6)  # accelerations times 1e-7 s
    assert rate == pytest.approx(R * mu * impulse / I, abs=1e-6)


def test_an_impact_with_much_friction_sticks() -> None:
    way = 0.01
    start = pp.Start(link_angles=(0.0, 0.0), link=0, velocity=(0.1, 0.5))
    velocity, rate = just_after(peg_at(0.1 * 0.02, R + PEG + way, friction=0.9), start, way / 0.5)
    impulse = 0.1 / (1 / M + R**2 / I)
    assert velocity == pytest.approx([0.1 - impulse / M, 0.0], abs=1e-6)  # accelerations times 1e-7 s
    assert rate == pytest.approx(R * impulse / I, abs=1e-6)


def test_a_link_slides_round_a_peg_and_leaves_it_when_the_force_would_pull() -> None:
    """Against the equations of a rod on a smooth peg, written for it alone.

    Centre of mass at d n + x e from the peg, velocity (u, x w) along (e, n): u_dot = x w^2, I w_dot = -x f,
    x_dot = u + d w, f (1 + m x^2/I) = m (2 u + d w) w.
    """
    d, x, u, w = R + PEG, -0.3, 0.3, 2.0

    def force(y: np.ndarray) -> float:
        return M * (2 * y[1] + d * y[2]) * y[2] / (1 + M * y[0] ** 2 / I)

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1] + d * y[2], y[0] * y[2] ** 2, -y[0] * force(y) / I, y[2]]

    def leaves(t: float, y: np.ndarray) -> float:
        return force(y)

    leaves.terminal = True
    alone = solve_ivp(slope, (0.0, 1.0), [x, u, w, 0.0], events=leaves, rtol=1e-11, atol=1e-12, dense_output=True)
    (gone,) = alone.t_events[0]
    x_end, u_end, w_end, turned = alone.y[:, -1]
    e, n = np.array([np.cos(turned), np.sin(turned)]), np.array([-np.sin(turned), np.cos(turned)])
    flight = 0.1
    expected = d * n + x_end * e + flight * (u_end * e + x_end * w_end * n)

    start = pp.Start(link_angles=(0.0, 0.0), link=0, position=(x, d), velocity=(u, x * w), spin=w)
    run = integrate(
        hybrid_model(rod(), peg_at(0.0, 0.0)), start, duration=gone + flight, times=[gone / 2, gone + flight]
    )
    assert [event.name for event in run.events] == ["detach"]
    # The feather takes part with 1e-9 of the mass; the guard lets 1e-6 N of pull pass, at some newtons per second.
    assert run.events[0].time == pytest.approx(gone, abs=1e-5)
    halfway = alone.sol(gone / 2)
    assert run.link_angle[0, 0] == pytest.approx(halfway[3], abs=1e-7)
    assert run.link_position[1, 0] == pytest.approx(expected, abs=1e-7)
    assert run.link_angle[1, 0] == pytest.approx(turned + flight * w_end, abs=1e-7)


def test_a_free_link_leaves_at_its_own_end() -> None:
    """The end goes straight on where the peg is round: without a force the gap opens by (t.v_Q)^2/d."""
    d, x, u, w = R + PEG, 0.48, 0.5, 1.0
    start = pp.Start(link_angles=(0.0, 0.0), link=0, position=(x, d), velocity=(u, x * w), spin=w)
    run = integrate(hybrid_model(rod(), peg_at(0.0, 0.0)), start, duration=0.2)
    assert [event.name for event in run.events] == ["turn", "detach"]
    assert run.times_of("turn")[0] == run.times_of("detach")[0]
    assert run.kinetic_energy == pytest.approx(run.kinetic_energy[0], rel=1e-8)  # integration at 1e-9 per step


def test_a_peg_at_a_joint_is_one_contact_and_stops_the_joint() -> None:
    """By hand: each half gets half the impulse, and the joint's horizontal reaction keeps it from moving sideways."""
    bend, speed, way = 0.2, 0.5, 1e-7
    reach, top = 0.1 * np.cos(bend), 0.1 * np.sin(bend)
    peg = (0.0, top + 0.02 + PEG + way)  # the joint is that far above the robot's centre of mass
    model = hybrid_model(chain(2), peg_at(*peg), SteadyTorque(torque=(-0.5,)))  # presses the joint on the peg
    start = pp.Start(link_angles=(bend, -bend), velocity=(0.0, speed))
    run = integrate(model, start, duration=0.05, times=[0.0, way / speed + 1e-8, *np.linspace(0.001, 0.05, 20)])
    assert [(event.name, event.link) for event in run.events] == [("impact", 0), ("impact", 1)]
    assert run.mode.contacts.link.tolist() == [0] and run.mode.contacts.place.tolist() == [LinkPart.FRONT]
    impulse = 2 * speed / (1 / LINK.mass + reach**2 / (LINK.inertia + LINK.mass * top**2))
    few = {"abs": 5e-5}  # accelerations of some 100 rad/s^2 times 2e-7 s
    assert 2 * LINK.mass * (speed - run.velocity[1, 1]) == pytest.approx(impulse, **few)
    assert run.velocity[1, 1] + reach * run.link_rate[1, 0] == pytest.approx(0.0, **few)
    assert run.link_rate[1, 0] == pytest.approx(-run.link_rate[1, 1], **few)
    assert moment_about(chain(2), run, peg) == pytest.approx(0.0, abs=1e-8)  # round the end circle too
    joint = run.link_position[-1, 0] + 0.1 * np.array([np.cos(run.link_angle[-1, 0]), np.sin(run.link_angle[-1, 0])])
    assert np.hypot(*(joint - peg)) == pytest.approx(0.02 + PEG, abs=1e-8)  # clearance 1e-9 m


# Conservation and dissipation


def moment_about(robot: pp.PlanarRobot, run, point: tuple[float, float]) -> np.ndarray:
    """Angular momentum about a point [N m s], added up link by link."""
    v = rigid_velocities(robot, run.link_angle, run.link_rate, run.velocity)
    r = run.link_position - np.array(point)
    swung = robot.column("mass") * (r[..., 0] * v[..., 1] - r[..., 1] * v[..., 0])
    return (swung + robot.column("inertia") * run.link_rate).sum(axis=-1)


def test_a_smooth_peg_gives_no_angular_momentum_about_its_centre() -> None:
    robot, drive = chain(4), SteadyTorque(torque=(-0.3, 0.2, -0.3))
    start = pp.Start(link_angles=(0.0, 0.2, 0.1, -0.1), velocity=(0.1, 0.5))
    run = integrate(hybrid_model(robot, peg_at(0.12, 0.15), drive), start, duration=0.4)
    assert len(run.times_of("impact")) >= 1
    moment = moment_about(robot, run, (0.12, 0.15))
    assert moment == pytest.approx(moment[0], abs=1e-7)  # of 0.2 N m s; integration at 1e-9 per step
    pushed = np.linalg.norm(np.diff(run.velocity, axis=0), axis=1)
    free = run.time[1:] < run.times_of("impact")[0]
    assert pushed[free].max() < 1e-9 and pushed[~free].max() > 1e-3  # momentum is kept until the peg is met, not after


@pytest.mark.parametrize("seed", range(4))
def test_energy_never_rises_without_motors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pegs = [pp.Peg(x=x, y=0.12, radius=PEG, friction=0.4, restitution=0.3 * (seed % 2)) for x in (-0.15, 0.22)]
    ground = pp.Ground(friction=pp.Isotropic(0.1), spin=0.002)
    start = pp.Start(
        link_angles=rng.normal(0, 0.1, 3), velocity=(rng.normal(0, 0.3), 0.8), joint_rates=rng.normal(0, 1, 2)
    )
    run = integrate(hybrid_model(chain(3), pp.Environment(ground=ground, obstacles=pegs)), start, duration=0.3)
    assert len(run.times_of("impact")) >= 1
    assert np.diff(run.kinetic_energy).max() <= 1e-9 * run.kinetic_energy[0]  # accuracy of the integrator
    assert run.kinetic_energy[-1] < 0.9 * run.kinetic_energy[0]


# Friction on the ground


def test_a_straight_slide_stops_after_its_length_and_stays() -> None:
    mu, speed = 0.2, 0.3
    model = hybrid_model(chain(3), pp.Environment(ground=pp.Ground(friction=pp.Isotropic(mu))))
    start = pp.Start(link_angles=(0.4,) * 3, velocity=(speed, 0.0))
    run = integrate(model, start, duration=0.4)
    assert run.times_of("rest")[-1] == pytest.approx(speed / (mu * GRAVITY), abs=1e-6)  # tried for stick at 1e-6 m/s
    assert run.center[-1] == pytest.approx([speed**2 / (2 * mu * GRAVITY), 0.0], abs=1e-7)
    assert not run.mode.ground.any() and np.abs(run.velocity[-1]).max() < 1e-12


def test_smoothed_friction_tends_to_the_true_law() -> None:
    mu, speed = 0.2, 0.3
    environment = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(mu)))
    start = pp.Start(link_angles=(0.4,) * 3, velocity=(speed, 0.0))
    late = [
        integrate(hybrid_model(chain(3), environment, smoothing=v), start, duration=0.15).center[-1, 0]
        - (speed * 0.15 - mu * GRAVITY * 0.15**2 / 2)
        for v in (0.02, 0.01)
    ]
    assert late[0] > late[1] > 0.0
    assert late[0] / late[1] == pytest.approx(4.0, rel=0.35)  # second order in the smoothing while fast


@pytest.mark.parametrize("surplus", [-0.01, 0.5])
def test_spin_friction_holds_up_to_its_bound_and_no_further(surplus: float) -> None:
    spin = 0.02
    bound = spin * LINK.mass * GRAVITY
    model = hybrid_model(
        chain(2), pp.Environment(ground=pp.Ground(spin=spin)), SteadyTorque(torque=(bound * (1 + surplus),))
    )
    run = integrate(model, pp.Start(link_angles=(0.0, 0.0)), duration=0.01, times=[0.01])
    turned = max(surplus, 0.0) * bound / LINK.inertia * 0.01**2 / 2  # both links about their centres of mass
    assert run.link_angle[0] == pytest.approx([-turned, turned], rel=1e-4, abs=1e-12)  # angle squared


def test_a_body_that_sticks_everywhere_stays_although_its_forces_are_not_unique() -> None:
    ground = pp.Ground(friction=pp.Isotropic(0.2))
    bent = pp.Start(link_angles=(0.0, 0.1, 0.2, 0.1, 0.0))
    moved = [
        np.abs(np.diff(integrate(hybrid_model(chain(5), pp.Environment(ground=ground), SteadyTorque(torque=(tau,) * 4)),
                                 bent, duration=0.05).link_position, axis=0)).max()
        for tau in (0.05, 0.6)
    ]  # fmt: skip
    assert moved[0] < 1e-12  # round-off
    assert moved[1] > 1e-4


# What it refuses


def test_what_the_model_does_not_have_is_refused_in_a_sentence() -> None:
    wall = pp.Environment(obstacles=[pp.Wall(start=(0, 1), end=(1, 1))])
    loose = pp.PlanarRobot.uniform(3, LINK, pp.Motor(stiffness=1.0, backlash=0.1))
    skin = pp.Environment(ground=pp.Ground(friction=pp.Skin(forward=0.1, backward=0.2, across=0.5)))
    with pytest.raises(InvalidModel, match=r"obstacles\[0\].*must be a Peg"):
        hybrid_model(chain(3), wall)
    with pytest.raises(InvalidModel, match=r"motors\[0\].backlash = 0.1, must be 0"):
        hybrid_model(loose, pp.Environment())
    with pytest.raises(InvalidModel, match=r"ground.friction = .*, must be Isotropic, Elliptic"):
        hybrid_model(chain(3), skin)
    with pytest.raises(InvalidModel, match="smoothing"):
        hybrid_model(chain(3), pp.Environment(), smoothing=-1.0)
    gait = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=1.0, phase_shift=0.5, prescribed=True)
    with pytest.raises(InvalidModel, match=r"drive.gait"):
        Servo(robot=chain(3), gait=gait)
    for bad in ([0.2, 0.1], [-0.1, 0.1], [0.5], [], [float("nan")]):
        with pytest.raises(PushpointError, match="times"):
            integrate(hybrid_model(chain(3), pp.Environment()), pp.Start(link_angles=(0,) * 3), duration=0.3, times=bad)
    with pytest.raises(InvalidModel, match=r"drive.torque = 1, must be 2 torques"):
        integrate(
            hybrid_model(chain(3), pp.Environment(), SteadyTorque(torque=(1.0,))),
            pp.Start(link_angles=(0,) * 3),
            duration=0.1,
        )
    with pytest.raises(StartOverlap, match="link 1 overlaps obstacle 0"):
        integrate(hybrid_model(chain(3), peg_at(0.0, 0.02)), pp.Start(link_angles=(0,) * 3), duration=0.1)

"""Options of the force mapping beyond the paper: least push, one direction, matrices as weights, loads, two pegs."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from mapping.test_force_mapping import ANGLE, CONTACTS, GROUND, LINKS, ROBOT, STATE, WISH, N, build
from mapping.test_path_quality import flank_pegs, on_sine
from pushpoint.control import RailGains
from pushpoint.engine.batching import stack
from pushpoint.errors import InvalidModel
from pushpoint.mapping import (
    ForceMapping,
    MappingBounds,
    MappingWeights,
    MotionReference,
    MotionWish,
    RailCosts,
    build_force_mapping,
    solve_force_mapping,
    solve_rail_mapping,
    tracking_wish,
)
from pushpoint.reduced import Contacts, ReducedState, close, smooth_terms


def independent_optimum(problem: ForceMapping, Q_u: np.ndarray, Q_z: np.ndarray) -> np.ndarray:
    """The torques of least u^T Q_u u + z^T Q_z z with every peg pushing: all sets of pegs that just touch are tried."""
    A, b = problem.A_e / problem.scale[:, None], problem.b_e / problem.scale
    P, c = Q_u + A.T @ Q_z @ A, A.T @ Q_z @ b
    push = problem.side[:, None] * problem.closed.force_per_torque
    free = problem.side * problem.closed.force_free
    for idle in chain.from_iterable(combinations(range(len(free)), k) for k in range(len(free) + 1)):
        G, count = push[list(idle)], len(idle)
        system = np.block([[P, -G.T], [G, np.zeros((count, count))]])
        solved = np.linalg.solve(system, np.concatenate((c, -free[list(idle)])))
        u, price = solved[: len(c)], solved[len(c) :]
        if (free + push @ u > -1e-9).all() and (price > -1e-9).all():
            return u
    raise AssertionError("no set of pegs is optimal")


class TestLeastPush:
    def test_every_peg_is_pushed_at_least_so_hard(self) -> None:
        plain = solve_force_mapping(build())
        least = 1.2 * float((CONTACTS.side * plain.contact_force).min()) + 0.5
        firm = solve_force_mapping(build(bounds=MappingBounds(torque_limit=50.0, least_force=least)))
        assert (CONTACTS.side * plain.contact_force).min() < least  # the option matters here
        assert firm.solved and firm.feasible
        assert (CONTACTS.side * firm.contact_force).min() >= least - 1e-6  # N; the solver's tolerance
        assert firm.active_contact.any() and firm.cost > plain.cost

    def test_an_unreachable_push_is_the_nearest_one_and_said(self) -> None:
        bounds = MappingBounds(torque_limit=0.5, least_force=30.0)
        found = solve_force_mapping(build(bounds=bounds))
        assert not found.feasible and found.pull.any()
        short = 30.0 - CONTACTS.side * found.contact_force
        np.testing.assert_allclose(found.pull, np.maximum(short, 0.0), atol=1e-4)  # N; least squares at LEAST cost
        assert "least push" in found.sentence

    def test_on_rails(self) -> None:
        wish = np.zeros(N + 2)
        wish[-2] = 0.1
        for form in ("free", "eliminated"):
            costs = RailCosts(form=form)
            loose = solve_rail_mapping(ROBOT, GROUND, STATE, CONTACTS, wish, MappingBounds(torque_limit=50.0), costs)
            least = 1.3 * float(loose.push.min())
            bounds = MappingBounds(torque_limit=50.0, least_force=least)
            found = solve_rail_mapping(ROBOT, GROUND, STATE, CONTACTS, wish, bounds, costs)
            soft = 1e-6 if form == "free" else 5e-3 * least  # N: the eliminated form only puts a high price on it
            assert found.solved and found.push.min() >= least - soft

    def test_along_a_path(self) -> None:
        plain = on_sine(flank_pegs(), MappingBounds(torque_limit=20.0))
        touching = plain.peg_link >= 0
        least = 1.1 * float(plain.peg_force[touching].min())
        firm = on_sine(flank_pegs(), MappingBounds(torque_limit=20.0, least_force=least))
        assert (firm.peg_force[touching] >= least - 1e-9).all()
        assert (firm.cost[firm.feasible] >= plain.cost[firm.feasible] - 1e-9).all()
        assert firm.feasible.any()

    def test_it_is_checked(self) -> None:
        with pytest.raises(InvalidModel, match=r"bounds.least_force = -1.0, must be finite and >= 0"):
            MappingBounds(torque_limit=1.0, least_force=-1.0)
        with pytest.raises(InvalidModel, match=r"least_force = 3.0, must be at most bounds.force_limit = 2.0 \[N\]"):
            MappingBounds(torque_limit=1.0, force_limit=2.0, least_force=3.0)
        with pytest.raises(InvalidModel, match=r"bounds.least_force: shape"):
            build(bounds=MappingBounds(torque_limit=1.0, least_force=[1.0, 2.0]))


class TestOneDirection:
    def test_only_that_component_is_asked_for(self) -> None:
        direction = np.array([3.0, 4.0])
        wish = replace(WISH, direction=direction)
        problem = build(wish)
        assert problem.A_e.shape == (1 + len(WISH.links), N - 1)
        assert problem.rows[0] == ("center along (0.6, 0.8)", "m/s^2")
        found, both = solve_force_mapping(problem), solve_force_mapping(build())
        assert found.feasible and found.cost < both.cost  # one row fewer cannot cost more
        along = direction / 5.0
        assert found.center_acceleration @ along == pytest.approx(WISH.center_acceleration @ along, abs=1e-9)
        across = np.array([-along[1], along[0]])
        assert abs((found.center_acceleration - WISH.center_acceleration) @ across) > 1e-3  # m/s^2: left free

    def test_it_comes_from_the_reference(self) -> None:
        reference = MotionReference(center=[1.0, 0.5], links=[13], link_angle=ANGLE[[13]], direction=[0.0, 2.0])
        wish = tracking_wish(STATE, reference)
        np.testing.assert_allclose(wish.direction, [0.0, 1.0])

    def test_a_direction_without_length_is_refused(self) -> None:
        with pytest.raises(InvalidModel, match=r"wish.direction"):
            MotionWish(center_acceleration=[0.0, 0.0], links=[], link_acceleration=[], direction=[0.0, 0.0])


class TestMatricesAsWeights:
    def test_torques_priced_by_a_matrix_against_another_solver(self) -> None:
        rng = np.random.default_rng(4)
        root = rng.normal(size=(N - 1, N - 1))
        Q_u = root @ root.T + np.eye(N - 1)
        weights = MappingWeights(torque=Q_u, slack=1e6)
        problem = build(weights=weights)
        found = solve_force_mapping(problem)
        other = independent_optimum(problem, Q_u, 1e6 * np.eye(6))
        np.testing.assert_allclose(found.joint_torque, other, atol=1e-5)  # N m; the solver's tolerance
        plain = solve_force_mapping(build(weights=MappingWeights(slack=1e6))).joint_torque
        assert np.abs(found.joint_torque - plain).max() > 0.05  # N m: the matrix matters

    def test_one_price_per_joint_is_a_diagonal(self) -> None:
        price = np.linspace(1.0, 30.0, N - 1)
        listed, full = (
            solve_force_mapping(build(weights=MappingWeights(torque=torque))) for torque in (price, np.diag(price))
        )
        np.testing.assert_allclose(listed.joint_torque, full.joint_torque, atol=1e-12)
        plain = solve_force_mapping(build())
        assert price @ listed.joint_torque**2 < 0.9 * (price @ plain.joint_torque**2)  # cheaper at these prices
        assert plain.cost < listed.cost

    def test_slacks_priced_by_a_matrix_where_the_wish_cannot_be_met(self) -> None:
        # One contact cannot serve six rows: the prices decide which of them is missed.
        contacts = Contacts(link=[5], side=[1], along=0.01, surface=0.03, standoff=0.05, friction=0.2)
        rng = np.random.default_rng(5)
        root = rng.normal(size=(6, 6))
        Q_z = 100.0 * (root @ root.T + np.eye(6))
        problem = build(contacts=contacts, weights=MappingWeights(slack=Q_z))
        found = solve_force_mapping(problem)
        assert found.solved
        other = independent_optimum(problem, np.eye(N - 1), Q_z)
        np.testing.assert_allclose(found.joint_torque, other, atol=1e-5)  # N m; the solver's tolerance

    def test_numbers_are_multiples_of_the_unit_matrix(self) -> None:
        as_number = solve_force_mapping(build(weights=MappingWeights(torque=3.0, slack=1e8)))
        as_matrix = solve_force_mapping(
            build(weights=MappingWeights(torque=3.0 * np.eye(N - 1), slack=1e8 * np.eye(6)))
        )
        np.testing.assert_allclose(as_number.joint_torque, as_matrix.joint_torque, atol=1e-7)  # N m; the solver's

    @pytest.mark.parametrize(
        ("weights", "words"),
        [
            ({"torque": np.ones((2, 3))}, "weights.torque: shape = .2, 3., must be"),
            ({"torque": np.array([[1.0, 2.0], [2.0, 1.0]])}, "weights.torque = .*, must be positive definite"),
            ({"torque": np.array([[1.0, 0.5], [0.0, 1.0]])}, "weights.torque = .*, must be symmetric"),
            ({"slack": [1.0, -1.0]}, "weights.slack"),
        ],
    )
    def test_they_are_checked(self, weights: dict[str, np.ndarray], words: str) -> None:
        with pytest.raises(InvalidModel, match=words):
            MappingWeights(**weights)

    def test_their_size_is_checked(self) -> None:
        with pytest.raises(InvalidModel, match=r"weights.torque: shape = \(2, 2\), must be \(13, 13\)"):
            build(weights=MappingWeights(torque=np.eye(2)))
        with pytest.raises(InvalidModel, match=r"weights.slack: shape = \(2,\), must be \(6,\)"):
            build(weights=MappingWeights(slack=[1.0, 1.0]))


class TestExternalLoads:
    def test_they_act_as_newton_and_euler_say(self) -> None:
        rng = np.random.default_rng(6)
        load = np.column_stack((rng.normal(size=(N, 2)), 0.1 * rng.normal(size=N)))
        loaded = smooth_terms(ROBOT, GROUND, replace(STATE, load=load)).load
        change = loaded - smooth_terms(ROBOT, GROUND, STATE).load
        # Virtual work, with the links' places differentiated numerically.
        for k in range(N + 2):
            q = np.concatenate((STATE.link_angle, STATE.center))
            step = np.zeros(N + 2)
            step[k] = 1e-6
            moved = (_places(q + step) - _places(q - step)) / 2e-6
            turned = np.zeros(N)
            turned[k : k + 1] = 1.0 if k < N else 0.0
            power = float((moved * load[:, :2]).sum() + turned[:N] @ load[:, 2])
            assert change[k] == pytest.approx(power, abs=1e-8)

    def test_a_load_that_the_ground_would_give_replaces_it(self) -> None:
        ground = smooth_terms(ROBOT, GROUND, STATE)
        load = np.column_stack((ground.ground_force, ground.ground_moment))
        slippery = type(GROUND)()
        by_load = close(ROBOT, slippery, replace(STATE, load=load), CONTACTS, most_parting=np.inf)
        by_ground = close(ROBOT, GROUND, STATE, CONTACTS, most_parting=np.inf)
        np.testing.assert_allclose(by_load.force_free, by_ground.force_free, atol=1e-9)  # N
        np.testing.assert_allclose(by_load.free, by_ground.free, atol=1e-9)

    def test_the_mapping_works_against_a_known_load(self) -> None:
        load = np.zeros((N, 3))
        load[:, 0] = -0.3  # N each: a headwind
        state = replace(STATE, load=load)
        blind, told = solve_force_mapping(build()), solve_force_mapping(build(state=state))
        truth = close(ROBOT, GROUND, state, CONTACTS, most_parting=np.inf)
        assert told.feasible
        np.testing.assert_allclose(truth.acceleration(told.joint_torque)[-2:], WISH.center_acceleration, atol=1e-8)
        missed = truth.acceleration(blind.joint_torque)[-2:] - WISH.center_acceleration
        assert np.abs(missed).max() > 1e-3  # m/s^2: without knowing it, the wish is missed

    def test_the_engine_agrees(self) -> None:
        # A free robot without friction under one load: the first step's acceleration is that of the reduced model.
        load = np.zeros((N, 3))
        load[3] = (2.0, -1.0, 0.05)
        robot = pp.PlanarRobot(links=LINKS)
        sim = pp.Simulator(
            [pp.World(robot, pp.Environment(), None, pp.Start(link_angles=ANGLE.tolist()))],
            rate=1e5,
            settings=pp.Settings(dt=1e-5),
        )
        sim.step(pp.Command(joint_torque=np.zeros((1, N - 1)), link_load=load[None]))
        rest = ReducedState(center=[0, 0], velocity=[0, 0], link_angle=ANGLE, link_rate=np.zeros(N), load=load)
        terms = smooth_terms(ROBOT, type(GROUND)(), rest)
        expected = np.linalg.solve(terms.mass_matrix, terms.load)
        np.testing.assert_allclose(sim.state.omega[0] / 1e-5, expected[:-2], rtol=1e-3, atol=1e-3)  # order dt

    def test_its_shape_is_checked(self) -> None:
        with pytest.raises(InvalidModel, match=r"state.load: shape = \(14, 2\), must be \(14, 3\)"):
            replace(STATE, load=np.zeros((N, 2)))


class TestTwoPegsOnOneLink:
    def test_at_different_places_both_hold_it(self) -> None:
        # They hold the link's direction: the force of each follows, as from a lever.
        contacts = Contacts(link=[5, 5], side=[1, -1], along=[-0.03, 0.03], surface=0.03, standoff=0.05)
        closed = close(ROBOT, GROUND, STATE, contacts, most_parting=np.inf)
        torque = np.random.default_rng(7).normal(size=N - 1)
        rest = replace(STATE, velocity=np.zeros(2), link_rate=np.zeros(N))
        still = close(ROBOT, GROUND, rest, contacts)
        assert abs(still.acceleration(torque)[5]) < 1e-9  # rad/s^2: the link cannot turn
        assert closed.force_per_torque.shape == (2, N - 1)

    def test_at_one_place_they_depend_on_each_other(self) -> None:
        contacts = Contacts(link=[5, 5], side=[1, -1], along=0.01, surface=0.03, standoff=0.05)
        with pytest.raises(InvalidModel, match=r"contacts = '0 \(link 5\), 1 \(link 5\)', must be independent"):
            close(ROBOT, GROUND, STATE, contacts, most_parting=np.inf)
        with pytest.raises(InvalidModel, match="must be independent"):
            build_force_mapping(ROBOT, GROUND, STATE, contacts, WISH, MappingBounds(torque_limit=50.0))


class TestInTheClosedLoop:
    def test_options_are_written_and_read_back(self, tmp_path: Path) -> None:
        loop = pp.scenario("holden2014/with-posture")
        n_links = loop.world.robot.n_links
        weights = MappingWeights(posture=0.4, torque=2.0 * np.eye(n_links - 1), slack=1e9)
        load = [(0.0, -0.01 * k, 0.0) for k in range(n_links)]
        bounds = MappingBounds(torque_limit=4.0, least_force=0.2)
        changes = {"program": weights, "load": load, "bounds": bounds, "forward_only": True}
        controller = replace(loop.world.controller, **changes)
        file = pp.write_scenario(
            pp.World(loop.world.robot, loop.world.environment, controller), tmp_path / "a.yaml", duration=1.0
        )
        read = pp.scenario(file).world.controller
        assert read.program == weights and read.load == tuple(load) and read.forward_only
        assert read.bounds.least_force == 0.2

    def test_a_known_load_is_carried(self) -> None:
        # A steady pull to the side on every link: told of it, the mapping on rails stays nearer to its path.
        loop = pp.scenario("holden2014/closed-loop")
        n_links = loop.world.robot.n_links
        pull = np.tile((-0.12, 0.0, 0.0), (n_links, 1))
        behind = {}
        for name, load in (("blind", None), ("told", pull.tolist())):
            controller = replace(loop.world.controller, load=load, gains=RailGains(integral=0.0))
            sim = pp.Simulator([replace(loop.world, controller=controller)], rate=100.0)
            bound = controller.bind(loop.world.robot, loop.world.environment)
            memory, seen = stack([bound.memory()]), sim.reset()
            for _ in range(150):
                command, memory = bound.command(seen, memory)
                seen = sim.step(replace(command, link_load=pull[None]))
            behind[name] = float(memory.head[0])
        assert behind["told"] > behind["blind"] + 0.01  # m: without the integral term the blind one lags

    def test_they_are_checked(self) -> None:
        loop = pp.scenario("holden2014/closed-loop").world
        with pytest.raises(InvalidModel, match=r"controller.load = 1, must be 20 loads for 20 links"):
            replace(loop.controller, load=[(0.0, 0.0, 0.0)]).bind(loop.robot, loop.environment)
        with pytest.raises(InvalidModel, match=r"controller.load\[0\] = .*, must be three numbers"):
            replace(loop.controller, load=[(0.0, 0.0)])
        with pytest.raises(InvalidModel, match=r"controller.forward_only = True, must be given with a program only"):
            replace(loop.controller, forward_only=True)


def _places(q: np.ndarray) -> np.ndarray:
    """Centres of mass of all links, from geometry alone."""
    theta, center = q[:-2], q[-2:]
    e = np.column_stack((np.cos(theta), np.sin(theta)))
    length, mass = np.array([link.length for link in LINKS]), np.array([link.mass for link in LINKS])
    rear = np.concatenate((np.zeros((1, 2)), np.cumsum(length[:, None] * e, axis=0)[:-1]))
    found = rear + (length / 2 + np.array([link.mass_offset for link in LINKS]))[:, None] * e
    return found + center - mass @ found / mass.sum()

"""A live simulation: the same bits as `simulate`, whatever the size of its portions, and one sentence per mistake."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings as few, strategies as st

import pushpoint as pp
from pushpoint.errors import EditOverlap, InvalidModel, PushpointError, TooLarge
from pushpoint.papers.registry import is_sweep, scenario_titles
from simulation.live.same import assert_same
from simulation.live.sessions import PLACE, ROBOT, SECOND, SMALL, WAVE, Leaning, live_of, run_of

REPRESENTATIVE = (
    "transeth2008a/obstacle-aided",
    "transeth2008a/obstacle-aided-realistic",
    "transeth2008a/winding-channel",
    "transeth2008b/sidewinding",
    "liljeback2011/environment-1",
    "liljeback2011/environment-2-continuous",
    "liljeback2014/sidewinding-closed-loop",
    "liljeback2014/moving-points",
    "holden2014/closed-loop",
)
EVERY = tuple(name for name in scenario_titles() if not is_sweep(name))
SHORT, LONG = 0.25, 4.0
"""Simulated time in which some scenarios are compared, and in which all are [s]."""


def check_scenario(name: str, lasts: float) -> None:
    scenario = pp.scenario(name)
    steps = round(lasts / scenario.settings.dt)
    with live_of(scenario) as live:
        while live.step < steps:
            live.advance(min(37, steps - live.step))
        assert_same(live.dataset(), run_of(scenario, steps))


@pytest.mark.parametrize("name", REPRESENTATIVE)
def test_without_edits_it_is_what_simulate_does(name: str) -> None:
    check_scenario(name, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_so_it_is_with_every_scenario_that_comes_with_the_library(name: str) -> None:
    check_scenario(name, LONG)


def session(advance: Any, live: pp.Live) -> None:
    """Every kind of edit, at steps that are multiples of nothing."""
    advance(live, 83)
    live.change(controller=replace(WAVE, angular_frequency=6.0), over=0.2)
    advance(live, 141)
    ground = replace(PLACE.ground, friction=pp.Elliptic(along=0.1, across=0.4))
    live.change(environment=replace(PLACE, ground=ground, obstacles=[*PLACE.obstacles, pp.Peg(x=3, y=3, radius=0.1)]))
    advance(live, 207)
    live.push(1, (0.0, 4.0), duration=0.06)
    advance(live, 230)
    live.change(controller=Leaning(), over=0.1)
    advance(live, 377)
    moved = (replace(PLACE.obstacles[0], y=0.3), *live.world.environment.obstacles[2:])
    live.change(environment=replace(live.world.environment, obstacles=moved))
    limited = [pp.Motor(stiffness=60.0, damping=1.0, torque_limit=0.5)] * 3
    live.change(robot=replace(ROBOT, motors=limited))
    advance(live, 433)
    live.change(controller=pp.gaits.Hold(joint_angles=[0.1, 0.0, -0.1]), over=0.15)
    live.push(1, (0.5, 0.0))
    advance(live, 520)


def at_once(live: pp.Live, step: int) -> None:
    live.advance(step - live.step)


@pytest.fixture(scope="module")
def edited() -> Any:
    with pp.Live(SMALL) as live:
        session(at_once, live)
        return live.dataset(), live.edits


@given(chunk=st.integers(1, 90), drawn=st.randoms(use_true_random=False))
@few(max_examples=6, deadline=None)
def test_the_same_edits_give_the_same_bits_whatever_the_portions(edited: Any, chunk: int, drawn: Any) -> None:
    def in_portions(live: pp.Live, step: int) -> None:
        while live.step < step:
            live.advance(min(drawn.randint(1, chunk), step - live.step))

    with pp.Live(SMALL) as live:
        session(in_portions, live)
        assert_same(live.dataset(), edited[0])


def test_a_scenario_with_the_edits_repeats_the_run(edited: Any) -> None:
    run, edits = edited
    assert len(edits) == 9
    again = pp.Scenario(
        name="live", worlds=SMALL, duration=0.52, settings=pp.Settings(on_failure="record"), edits=edits
    ).run()
    assert_same(again, run)


def test_going_back_and_on_again_gives_the_same_bits() -> None:
    with pp.Live(SMALL) as live:
        live.advance(1300)
        live.change(controller=Leaning(), over=0.1)
        live.advance(1200)
        late, whole = live.state, live.dataset()
        live.go_to(1.9)
        assert live.step == 1900 and len(live.edits) == 1
        live.advance(600)
        assert_same(live.dataset(), whole)
        live.go_to(0.7)
        assert live.edits == () and live.world.controller is WAVE
        live.push(0, (1.0, 0.0))
        live.advance(400)
        live.restore(late)  # of a past that went another way since
        assert_same(live.dataset(), whole)
        live.reset()
        assert live.step == 0 and live.edits == ()


def test_before_the_first_step_it_is_at_its_start() -> None:
    with pp.Live(SMALL) as live:
        start = live.look()
        center = SMALL.pose()["center"]
        assert start.time == 0.0 and np.array_equal(start.center_of_mass, center)
        assert not start.ground_force.any()
        assert live.dataset().sizes["time"] == 1
        live.change(controller=Leaning())
        live.advance(30)
        assert_same(live.dataset(), run_of(pp.Scenario(name="live", worlds=SMALL, duration=1.0), 30, live.edits))


def test_mean_forces_of_looks_carry_the_momentum() -> None:
    # Newton: what ground, obstacles and pushes do over an interval is the change of the momentum.
    with pp.Live(SMALL) as live:
        live.advance(100)
        before = live.look()
        live.push(0, (2.0, -1.0))
        live.advance(83)
        after = live.look()
        outside = after.ground_force + after.obstacle_force
        change = ROBOT.mass * (after.velocity - before.velocity) / 0.083
        assert np.allclose(outside.sum(axis=0) + np.array([2.0, -1.0]), change, rtol=0.0, atol=1e-9)  # [N]; rounding
        again = live.look()
        assert np.array_equal(again.ground_force, after.ground_force)  # no step in between: the same means


def test_the_past_looks_as_it_was_recorded() -> None:
    with pp.Live(SMALL, memory=0.5) as live:
        live.advance(2400)
        run = live.dataset()
        early, now = live.look_back(0.456), live.look()
        sample = run.sel(time=0.45)
        assert early.time == pytest.approx(0.45)
        assert np.array_equal(early.link_position[:, :2], sample.link_position.values)
        assert np.array_equal(early.joint_torque, sample.joint_torque.values)
        assert np.array_equal(now.link_position[:, :2], run.link_position.values[-1])
        held = live.history(1.0)
        assert np.array_equal(held["time"], run.time.values[-101:])
        assert np.array_equal(held["joint_rate"], run.joint_rate.values[-101:])
        assert live.step == 2400


def test_a_moved_peg_keeps_its_contact_and_others_their_loads() -> None:
    pegs = [pp.Peg(x=-0.06, y=-0.09, radius=0.05), pp.Peg(x=5.0, y=5.0, radius=0.1)]  # link 1 begins at the first
    world = pp.World(ROBOT, pp.Environment(obstacles=pegs), pp.gaits.Hold())
    with pp.Live(world) as live:
        live.push(1, (0.0, -3.0))
        live.advance(300)
        assert live.look().obstacle_load == pytest.approx([3.0, 0.0], rel=1e-3)  # action and reaction
        # A link at rest is a few micrometres inside the peg; another first peg gives this one a new number.
        live.change(environment=replace(world.environment, obstacles=[pegs[1], *pegs]))
        state = live._rollout.stepper.state()
        assert int(state.contact_key[0, 1, 0]) // 64 == 1 and int(state.n_contacts[0, 1]) == 1
        live.advance(1)
        assert live.look().obstacle_load == pytest.approx([0.0, 3.0, 0.0], rel=1e-3)  # from the first step on
        live.change(environment=replace(world.environment, obstacles=[pegs[1]]))
        live.advance(50)
        assert live.look().obstacle_load.shape == (1,) and not live.look().obstacle_force.any()


def test_a_push_lasts_as_long_as_it_is_told() -> None:
    passive = pp.World(ROBOT, pp.Environment(), None)
    with pp.Live(passive) as live:
        live.advance(10)
        live.push(2, (3.0, 0.0), duration=0.05)
        live.advance(200)
        assert live.look().velocity == pytest.approx([3.0 * 0.05 / ROBOT.mass, 0.0], abs=1e-12)  # impulse over mass
        live.push(0, (0.0, 1.0))
        live.push(0, (0.0, 2.0))  # takes the place of the other
        live.advance(100)
        live.push(0, (0.0, 0.0))
        live.advance(50)
        assert live.look().velocity[1] == pytest.approx(2.0 * 0.1 / ROBOT.mass, abs=1e-12)


SENTENCES: tuple[tuple[Any, str], ...] = (
    (lambda live: live.advance(-1), "steps = -1, must be a whole number >= 0"),
    (lambda live: live.advance(1.5), "steps = 1.5, must be"),
    (lambda live: live.push(4, (0.0, 1.0)), r"edit.link = 4, must be 0 to 3 for 4 links"),
    (lambda live: live.push(0, (0.0, 1.0, 0.0)), "edit.force = .*, must be 2 numbers"),
    (lambda live: live.push(0, (np.nan, 0.0)), "force.* = nan"),
    (lambda live: live.push(0, "left"), "force = 'left', must be"),
    (lambda live: live.push(0, (1.0, 0.0), duration=-1.0), "duration = -1"),
    (lambda live: live.change(controller=3), "controller = 3, must be"),
    (lambda live: live.change(environment="flat"), "environment = 'flat', must be an Environment"),
    (lambda live: live.change(robot=pp.catalogue.aiko_planar()), "edit.robot = .*with other motors"),
    (lambda live: live.change(environment=pp.Environment(ground=pp.Ground(slope=0.1))), "ground.slope"),
    (lambda live: live.change(controller=pp.gaits.Hold(joint_angles=[0.1])), "gait.joint_angles"),
    (lambda live: live.change(controller=WAVE, over=-0.5), "over = -0.5"),
    (lambda live: live.go_to(1e9), "time = .*, must be at most"),
    (lambda live: live.restore("now"), "state = 'now', must be a state"),
)


@pytest.mark.parametrize(("mistake", "sentence"), SENTENCES)
def test_a_mistake_is_one_sentence_and_changes_nothing(mistake: Any, sentence: str) -> None:
    with pp.Live(SMALL) as live, pp.Live(SMALL) as other:
        live.advance(20)
        with pytest.raises(PushpointError, match=sentence) as raised:
            mistake(live)
        assert "\n" not in str(raised.value)
        live.advance(20)
        other.advance(40)
        assert_same(live.dataset(), other.dataset())


def test_an_obstacle_in_the_way_is_refused_with_link_obstacle_and_depth() -> None:
    with pp.Live(replace(SMALL, controller=pp.gaits.Hold())) as live:  # straight along x
        live.advance(50)
        x, y = live.look().link_position[2, :2]
        onto = [*PLACE.obstacles, pp.Peg(x=float(x), y=float(y) + 0.08, radius=0.05)]
        ground = pp.Ground(friction=pp.Isotropic(0.9))
        with pytest.raises(EditOverlap, match="edit: link 2 would overlap obstacle 2 by 10 mm") as raised:
            live.change(environment=pp.Environment(ground=ground, obstacles=onto), controller=Leaning())
        assert raised.value.obstacle == 2 and raised.value.depth == pytest.approx(
            0.01, abs=1e-9
        )  # 0.05 + 0.04 - 0.08 m
        assert live.edits == () and live.world.environment is PLACE  # neither ground nor controller has changed
        live.advance(50)
        assert live.status is pp.Status.RUNNING


class Picky(Leaning):
    """Goes nowhere with more than two obstacles."""

    needs = ("environment",)

    def bind(self, robot: pp.PlanarRobot, environment: pp.Environment) -> Leaning:
        if len(environment.obstacles) > 2:
            raise InvalidModel("course", len(environment.obstacles), "two obstacles at most")
        return Leaning()


def test_a_course_that_the_controller_refuses_changes_nothing() -> None:
    further = replace(PLACE, obstacles=[*PLACE.obstacles, pp.Peg(x=3.0, y=3.0, radius=0.1)])
    with pp.Live(replace(SMALL, controller=Picky())) as live, pp.Live(replace(SMALL, controller=Picky())) as other:
        for each in (live, other):
            each.advance(40)
        with pytest.raises(InvalidModel, match="course = 3, must be two obstacles at most"):
            live.change(environment=further)
        for each in (live, other):
            each.advance(40)
        assert live.edits == () and live.look().obstacle_load.shape == (2,)
        assert_same(live.dataset(), other.dataset())


def test_a_look_after_a_way_back_knows_the_obstacles_of_now() -> None:
    further = replace(PLACE, obstacles=[*PLACE.obstacles, pp.Peg(x=3.0, y=3.0, radius=0.1)])
    with pp.Live(SMALL) as live:
        live.advance(50)
        live.change(environment=further)
        then = live.state
        live.advance(20)
        live.go_to(0.0)
        live.restore(then)
        assert live.look().obstacle_load.shape == (3,)
        live.advance(20)
        assert live.look().obstacle_load.shape == (3,)


def test_a_robot_that_is_too_long_is_a_sentence() -> None:
    link = pp.PlanarLink(length=0.1, mass=0.5, inertia=1e-3, radius=0.04)
    with pytest.raises(PushpointError, match="50000, must be 2 to 5000 links"):
        pp.Live(pp.World(pp.PlanarRobot.uniform(50_000, link, pp.Motor()), pp.Environment()))


def test_a_full_recording_says_so_and_goes_on_with_more_room() -> None:
    with pp.Live(SMALL, file_limit=60_000) as live, pytest.raises(TooLarge, match="file_limit"):
        live.advance(60 * SECOND)
        raise AssertionError("never full")
    with pp.Live(SMALL, file_limit=60_000) as live:
        with pytest.raises(TooLarge):
            live.advance(60 * SECOND)
        reached = live.step
        live.file_limit = 10_000_000
        live.advance(500)
        assert live.step == reached + 500
        assert live.dataset().sizes["time"] == live.step // 10 + 1


def test_a_world_that_fails_stands_still_until_it_goes_back() -> None:
    with pp.Live(SMALL) as live:
        live.advance(1200)
        live.change(
            robot=replace(ROBOT, motors=[pp.Motor(stiffness=1e9, damping=0.0)] * 3), controller=Leaning(), over=0
        )
        live.push(0, (1e7, 0.0))
        assert live.advance(5000) < 5000
        assert live.status.failed
        with pytest.raises(PushpointError, match=r"live: status = .*, must be running: go back"):
            live.change(controller=WAVE)
        assert live.dataset().attrs["status_code"] == live.status.name.lower()
        live.go_to(1.1)
        assert live.advance(50) == 50


def test_what_is_closed_says_so_and_leaves_no_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    live = pp.Live(SMALL)
    live.advance(2500)
    assert live.file_size > 0
    live.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(PushpointError, match="live = 'closed', must be open"):
        live.advance(1)

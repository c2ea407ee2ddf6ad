"""A live simulation: the same bits as `simulate`, whatever the size of its portions, and one sentence per mistake."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings as few, strategies as st

import pushpoint as pp
from pushpoint.errors import EditOverlap, InvalidModel, PushpointError, TooLarge
from pushpoint.papers.registry import is_sweep, scenario_titles
from simulation.live.same import assert_same

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

COURSE = pp.scenario("transeth2008a/obstacle-aided")
GAIT: Any = COURSE.world.controller


def live_of(scenario: pp.Scenario = COURSE) -> pp.Live:
    return pp.Live(scenario.world, settings=scenario.settings, record=scenario.record, name=scenario.name)


def run_of(scenario: pp.Scenario, steps: int, edits: Any = ()) -> Any:
    settings = replace(scenario.settings, on_failure="record")
    lasts = steps * settings.dt
    whole = pp.Scenario(
        name=scenario.name, worlds=scenario.world, duration=lasts, settings=settings, record=scenario.record,
        edits=edits,
    )  # fmt: skip
    return whole.run()


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


ROBOT = pp.PlanarRobot.uniform(
    4,
    pp.PlanarLink(length=0.12, mass=0.5, inertia=1e-3, radius=0.04),
    pp.Motor(stiffness=60.0, damping=1.0),
)
PLACE = pp.Environment(
    ground=pp.Ground(friction=pp.Isotropic(0.2)),
    obstacles=[pp.Peg(x=-0.1, y=0.25, radius=0.05), pp.Wall(start=(0.4, -0.3), end=(0.4, 0.3))],
)
WAVE = pp.gaits.LateralUndulation(amplitude=0.6, angular_frequency=4.0, phase_shift=-0.8)
SMALL = pp.World(ROBOT, PLACE, WAVE)
SECOND = 1000
"""Time steps of a second."""


class Leaning(pp.Controller[np.ndarray]):
    """Leans to one side and remembers how often it was asked."""

    rate = 40.0
    modes = ("even", "odd")

    def memory(self) -> np.ndarray:
        return np.zeros(())

    def mode_of(self, memory: np.ndarray) -> np.ndarray:
        return memory % 2

    def command(self, measurement: pp.Measurement, memory: np.ndarray) -> tuple[pp.Command, np.ndarray]:
        leaning = 0.2 + 0.01 * memory[:, None] + 0.1 * measurement.joint_angle
        return pp.Command(joint_angle=leaning), memory + 1


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


def references_after(changes: Any, apart: int, *, over: float = 0.4) -> np.ndarray:
    """Reference angles at every step from the first of some changes of gait on, so many steps apart."""
    with pp.Live(SMALL, record=pp.Record(rate=1000.0)) as live:
        live.advance(300)
        for gait in changes:
            live.change(controller=gait, over=over)
            live.advance(apart)
        live.advance(500)
        return np.asarray(live.dataset().joint_reference.values[301:])


def test_a_slider_dragged_while_it_stands_leaves_only_its_last_number() -> None:
    dragged = [replace(WAVE, amplitude=0.6 + 0.005 * k) for k in range(1, 61)]
    assert (references_after(dragged, 0) == references_after(dragged[-1:], 0)).all()


def test_a_gait_that_was_only_tried_while_it_stands_is_not_felt() -> None:
    tried = [pp.gaits.Hold(joint_angles=[0.5, -0.5, 0.5]), replace(WAVE, angular_frequency=6.0)]
    np.testing.assert_allclose(references_after(tried, 0), references_after(tried[-1:], 0), rtol=0, atol=1e-12)


def test_a_slider_may_be_dragged_for_long_while_gaits_go_over_into_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pushpoint.simulation.moving.journey.MOST_STAGES", 4)
    dragged = [replace(WAVE, amplitude=0.6 + 0.005 * k) for k in range(1, 41)]
    angle = references_after(dragged, 1, over=2.0)
    fastest = 1.5 * dragged[-1].amplitude * WAVE.angular_frequency  # with what the growing amplitude adds
    assert np.abs(np.diff(angle, axis=0)).max() < fastest / SECOND  # none of them jumps


def test_a_full_recording_can_still_be_seen_and_kept() -> None:
    with pp.Live(SMALL, file_limit=60_000) as live:
        with pytest.raises(TooLarge):
            live.advance(60 * SECOND)
        assert live.dataset().sizes["time"] == live.step // 10 + 1
        assert live.look_back(live.time).step == live.step // 10 * 10
        assert len(live.history(0.5)["time"]) == 51
        with pytest.raises(TooLarge):
            live.advance(60 * SECOND)


def test_worlds_between_edits_are_made_again_and_not_kept() -> None:
    """A drag makes sixty edits a second, each with all obstacles: memory must not grow by all of them."""
    crowd = [pp.Peg(x=3.0 + 0.3 * k, y=3.0, radius=0.1) for k in range(300)]
    with pp.Live(replace(SMALL, environment=replace(PLACE, obstacles=[*PLACE.obstacles, *crowd]))) as live:
        worlds = []
        for k in range(60):
            place = live.world.environment
            moved = [*place.obstacles[:-1], replace(place.obstacles[-1], y=3.0 + 0.01 * k)]
            live.change(environment=replace(place, obstacles=moved))
            worlds.append(weakref.ref(live.world))
            live.advance(10)
        gc.collect()
        assert sum(world() is not None for world in worlds) < 10
        for k in (1, 7, 33, 59):
            assert live.world_at(10 * k + 5).environment.obstacles[-1].y == 3.0 + 0.01 * k


def test_going_back_makes_no_edit_again_that_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    with pp.Live(SMALL) as live:
        for k in range(30):
            live.push(1, (0.0, 0.01 * k))
            live.advance(100)
        asked: list[int] = []
        monkeypatch.setattr("pushpoint.worlds.edits.after_edit", lambda world, edit: asked.append(edit.step) or world)
        live.go_to(2.95)
        assert asked == []
        assert len(live.edits) == 30


def test_what_is_refused_on_the_way_to_a_state_has_not_happened() -> None:
    with pp.Live(SMALL) as live:
        x, y = (float(each) for each in live.look().center_of_mass)
        live.advance(20)
        in_the_way = pp.edits.ChangeObstacles(step=10, first=2, obstacles=[pp.Peg(x=x, y=y, radius=0.1)])
        later = pp.edits.Push(step=15, link=1, force=(0.0, 1.0))
        with pytest.raises(EditOverlap):
            live.restore(replace(live.state, edits=[in_the_way, later]))
        assert live.step == 10
        assert live.edits == ()
        assert live.world.environment is live.world_at(10).environment
        live.push(2, (0.0, 1.0))
        live.advance(20)
        assert_same(live.dataset(), run_of(pp.Scenario(name="live", worlds=SMALL, duration=1.0), 30, live.edits))


class Pulling(pp.Controller[None]):
    """Pulls on every link from outside, 5 N along x."""

    rate = 100.0

    def command(self, measurement: pp.Measurement, memory: None) -> tuple[pp.Command, None]:
        load = np.zeros((1, 4, 3))
        load[..., 0] = 5.0
        return pp.Command(joint_angle=np.zeros((1, 3)), link_load=load), memory


@pytest.mark.parametrize("after", [pp.gaits.Hold(), None, Leaning()])
def test_what_a_controller_pulls_with_ends_with_it(after: Any) -> None:
    smooth = pp.World(ROBOT, pp.Environment(), Pulling())
    with pp.Live(smooth) as live:
        live.advance(100)
        live.push(0, (0.0, 1.0))
        live.change(controller=after)
        before = live.look().velocity
        live.advance(100)
        np.testing.assert_allclose(live.look().velocity - before, [0.0, 0.1 / ROBOT.mass], atol=1e-9)


class Twisting(pp.Controller[None]):
    """Asks for the same torque of all motors."""

    def command(self, measurement: pp.Measurement, memory: None) -> tuple[pp.Command, None]:
        return pp.Command(joint_torque=np.full((1, 3), 0.5)), memory


def test_motors_that_are_switched_off_do_not_go_on_with_the_last_torque() -> None:
    with pp.Live(pp.World(ROBOT, pp.Environment(), Twisting())) as live:
        live.advance(100)
        np.testing.assert_allclose(live.look().joint_torque, 0.5, rtol=1e-12)
        live.change(controller=None)
        live.advance(100)
        assert live.look().joint_torque.tolist() == [0.0, 0.0, 0.0]
        live.go_to(0.05)
        live.advance(10)
        np.testing.assert_allclose(live.look().joint_torque, 0.5, rtol=1e-12)


def test_a_way_back_knows_nothing_of_a_pull_that_came_later() -> None:
    with pp.Live(pp.World(ROBOT, pp.Environment(), pp.gaits.Hold())) as live:
        live.advance(1200)
        live.change(controller=Pulling())
        live.advance(50)
        live.go_to(1.1)
        live.advance(50)
        assert live.look().velocity.tolist() == [0.0, 0.0]


def test_a_run_whose_gait_was_changed_has_no_gait_period() -> None:
    """Means over whole periods of a gait that was over would be of any time: the joints show another period."""
    quick = replace(WAVE, angular_frequency=8.0)
    with pp.Live(SMALL) as live:
        live.advance(500)
        assert pp.measures.gait_period(live.dataset()) == pytest.approx(2 * np.pi / WAVE.angular_frequency)
        live.change(controller=quick)
        live.advance(5000)
        run = live.dataset()
    assert pp.measures.gait_period(run) is None
    assert pp.measures.averaging_window(run).whole
    assert pp.measures.detected_period(run) == pytest.approx(2 * np.pi / quick.angular_frequency, rel=0.01)

"""The thread that owns the simulation: what is posted is done in order, what goes wrong is a sentence, it lives on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.simulation.live.live import Live
from pushpoint.studio.runner import RATE, Runner, next_look

GAIT = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
PEG = pp.Peg(x=3.0, y=0.0, radius=0.1)
WORLD = pp.World(
    pp.catalogue.aiko_planar(), pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2)), obstacles=[PEG]), GAIT
)


@pytest.fixture
def runner() -> Iterator[Runner]:
    found = Runner(Live(WORLD), name="test")
    found.start()
    yield found
    found.end()


def until(true: Callable[[], Any]) -> None:
    while not true():
        time.sleep(0.005)


def test_it_plays_pauses_steps_and_begins_anew(runner: Runner) -> None:
    runner.play()
    until(lambda: runner.shown.look.time > 0.1)
    runner.play(False)
    before = runner.done("test", lambda live: live.step)
    runner.step(3)
    assert runner.done("test", lambda live: live.step) == before + 3
    until(lambda: not runner.shown.playing)
    runner.reset()
    assert runner.done("test", lambda live: live.step) == 0


def test_edits_through_the_inbox_are_the_same_run_as_edits_made_alone(runner: Runner) -> None:
    faster = replace(GAIT, angular_frequency=2.0)
    runner.step(100)
    runner.post("controller", lambda live: live.change(controller=faster))
    runner.post("push", lambda live: live.push(3, (0.0, 2.0)))
    runner.step(200)
    found = runner.done("test", lambda live: live.look())
    with Live(WORLD) as alone:
        alone.advance(100)
        alone.change(controller=faster)
        alone.push(3, (0.0, 2.0))
        alone.advance(200)
        np.testing.assert_array_equal(found.link_position, alone.look().link_position)


def test_of_a_drag_the_last_place_counts(runner: Runner) -> None:
    done: list[int] = []
    runner.post("wait", lambda _live: time.sleep(0.1))
    for k in range(50):
        runner.post_latest("drag", "peg", lambda _live, k=k: done.append(k))  # type: ignore[misc]
    runner.done("test", lambda _live: None)
    assert done[-1] == 49 and len(done) <= 2


def test_what_waits_for_one_slider_is_not_lost_to_another(runner: Runner) -> None:
    done: dict[str, int] = {}
    runner.post("wait", lambda _live: time.sleep(0.1))
    for k in range(9):
        for slider in ("amplitude", "offset"):
            runner.post_latest("controller", slider, lambda _live, of=slider, k=k: done.update({of: k}))  # type: ignore[misc]
    runner.done("test", lambda _live: None)
    assert done == {"amplitude": 8, "offset": 8}


def test_looking_back_shows_the_course_of_then(runner: Runner) -> None:
    runner.step(200)
    bare = replace(WORLD.environment, obstacles=())
    runner.done("test", lambda live: live.change(environment=bare))
    runner.step(200)
    runner.look_back(0.1)
    until(lambda: runner.shown.look.time == pytest.approx(0.1))
    assert runner.shown.world.environment.obstacles == (PEG,)
    assert runner.shown.look.obstacle_load.shape == (1,)
    runner.look_back(0.3)
    until(lambda: runner.shown.look.time == pytest.approx(0.3))
    assert runner.shown.world.environment.obstacles == ()


def test_edits_that_come_fast_put_nothing_off_and_late_looks_are_caught_up() -> None:
    due = 0.0
    for k in range(200):  # a hundred edits per second: a mouse that drags
        due = next_look(due, 0.01 * k)
        assert due - 0.01 * k <= 1.0 / RATE + 1e-12
    late = next_look(5.0, 5.0 + 0.4 / RATE)
    assert late == pytest.approx(5.0 + 1.0 / RATE)  # as if it had come in time
    assert next_look(5.0, 5.0 + 9.0 / RATE) == 5.0 + 9.0 / RATE  # looks that were left out are not made up for


def test_what_goes_wrong_is_told_where_it_was_asked_for_and_forgotten_when_it_works(runner: Runner) -> None:
    tail = runner.shown.look.link_position[0]
    on_it = replace(PEG, x=float(tail[0]), y=float(tail[1]))

    def put(peg: pp.Peg) -> Callable[[Live], None]:
        return lambda live: live.change(environment=replace(WORLD.environment, obstacles=[peg]))

    runner.post("picked", put(on_it))
    runner.done("test", lambda _live: None)
    assert "overlap" in runner.complaints["picked"] and "link 0" in runner.complaints["picked"]
    assert runner.shown.world.environment.obstacles[0] == PEG  # nothing was changed
    runner.post("picked", put(replace(PEG, x=4.0)))
    runner.done("test", lambda _live: None)
    assert "picked" not in runner.complaints
    runner.post("mine", lambda _live: 1 / 0)  # a controller of the user's may raise anything
    runner.done("test", lambda _live: None)
    assert runner.complaints["mine"] == "ZeroDivisionError: division by zero"
    runner.play()
    until(lambda: runner.shown.look.time > 0.05)


def test_it_looks_back_and_goes_on_from_there(runner: Runner) -> None:
    runner.step(500)
    then = runner.done("test", lambda live: live.look())
    runner.step(500)
    runner.look_back(then.time)
    runner.done("look back", lambda _live: None)
    until(lambda: runner.shown.look.time == pytest.approx(then.time))
    np.testing.assert_array_equal(runner.shown.look.link_position, then.link_position)
    assert runner.shown.reached == pytest.approx(1.0)
    runner.go_to(then.time)
    assert runner.done("test", lambda live: live.step) == then.step


@pytest.mark.parametrize("moment", [-3.0, 1e9, float("nan")])
def test_a_time_of_nonsense_ends_nothing(runner: Runner, moment: float) -> None:
    runner.step(200)
    runner.look_back(moment)
    runner.go_to(moment)
    runner.look_back(moment)
    step = runner.done("test", lambda live: live.step)
    runner.step(5)
    assert runner.done("test", lambda live: live.step) == step + 5
    assert runner.is_alive()


class Raising(pp.Controller[None]):
    """Works for a while."""

    rate = 50.0

    def memory(self) -> None:
        return None

    def command(self, measurement: pp.Measurement, memory: None) -> tuple[pp.Command, None]:
        if measurement.time > 0.1:
            raise ZeroDivisionError("by the user")
        return pp.Command(joint_angle=measurement.joint_angle), memory


def test_a_controller_that_raises_pauses_the_world_and_the_simulation_lives_on(runner: Runner) -> None:
    runner.post("controller", lambda live: live.change(controller=Raising()))
    runner.play()
    until(lambda: runner.complaints.get("play") == "ZeroDivisionError: by the user")
    until(lambda: not runner.shown.playing)
    runner.post("controller", lambda live: live.change(controller=GAIT))
    runner.step(50)
    step = runner.done("test", lambda live: live.step)
    assert step > 100 and "play" not in runner.complaints


def test_an_end_while_steps_are_under_way_leaves_the_files_to_the_thread() -> None:
    found = Runner(Live(WORLD))
    found.start()
    begun = threading.Event()
    found.post("long", lambda _live: (begun.set(), time.sleep(1.5)))
    begun.wait()
    found.end()  # it waits less than that
    assert found.is_alive()
    found.join()
    with pytest.raises(pp.errors.InvalidModel, match="live = 'closed'"):
        found.live.look()


def test_a_world_that_fails_pauses_and_shows_its_sentence(runner: Runner) -> None:
    mad = pp.gaits.LateralUndulation(amplitude=3.0, angular_frequency=400.0, phase_shift=-0.7, prescribed=True)

    def make(_live: Live) -> tuple[Live, str, str]:
        return Live(replace(WORLD, controller=mad), settings=pp.Settings(dt=0.05)), "mad", ""

    runner.load("scenario", make)
    runner.play()
    until(lambda: runner.shown.name == "mad" and (runner.shown.look.status.failed or runner.shown.look.time > 2.0))
    if runner.shown.look.status.failed:
        assert not runner.shown.playing and runner.shown.look.status.value
    runner.reset()
    assert runner.done("test", lambda live: live.step) == 0


def test_another_simulation_is_taken_over_only_if_it_can_be_made(runner: Runner) -> None:
    def impossible(_live: Live) -> Any:
        raise pp.errors.InvalidModel("robot.n_links", 50_000, "at most 300 in the studio")

    runner.load("robot", impossible)
    runner.done("test", lambda _live: None)
    assert runner.complaints["robot"] == "robot.n_links = 50000, must be at most 300 in the studio"
    assert runner.shown.loaded == 0
    runner.load("robot", lambda _live: (Live(replace(WORLD, controller=None)), "limp", ""))
    runner.done("test", lambda _live: None)
    until(lambda: (runner.shown.loaded, runner.shown.name) == (1, "limp"))

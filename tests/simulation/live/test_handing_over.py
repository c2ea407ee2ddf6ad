"""Another controller, robot or time: what goes on, what ends, and what must not be felt."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import EditOverlap, TooLarge
from simulation.live.same import assert_same
from simulation.live.sessions import PLACE, ROBOT, SECOND, SMALL, WAVE, Leaning, run_of


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

"""What was moved while a run went on stands where it was at each moment, in films and in single frames of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from matplotlib.patches import Circle

import pushpoint as pp
from pushpoint.films.film import still
from pushpoint.films.frames import Frames
from pushpoint.scenery.camera import camera_path, film_view
from pushpoint.scenery.drawn_run import DrawnRun, read_run
from pushpoint.scenery.surroundings import Scenery

SPACE = pp.scenario("spatial/rubble").world
BEFORE, AFTER = np.array([0.2, 0.25]), np.array([0.2, -0.25])


def moved(world: pp.World, before: pp.Obstacle, after: pp.Obstacle) -> Any:
    """A run of a second in which an obstacle is moved after half of it."""
    world = replace(world, controller=None, environment=replace(world.environment, obstacles=(before,)))
    with pp.Live(world, settings=pp.Settings(dt=1e-3, on_failure="record")) as live:
        live.advance(500)
        live.change(environment=replace(world.environment, obstacles=(after,)))
        live.advance(500)
        return live.dataset()


def in_plane() -> Any:
    world = pp.World(pp.catalogue.aiko_planar(), pp.Environment())
    return moved(world, *(pp.Peg(x=0.165, y=y, radius=0.05) for _, y in (BEFORE, AFTER)))


def in_space() -> Any:
    before, after = (pp.Box(center=(*place, 0.05), size=(0.2, 0.2, 0.1)) for place in (BEFORE, AFTER))
    return moved(pp.World(SPACE.robot, pp.Environment(ground=SPACE.environment.ground)), before, after)


def looks(course: DrawnRun, sample: int, place: np.ndarray) -> np.ndarray:
    """Red, green, blue of a place on the ground, a little above it in space, in the frame of a sample."""
    frames = Frames(course, width=640)
    plan = frames.scene.plan
    point = place if course.space is None else film_view(course).flat(np.array([*place, 0.05]))
    box = plan.region(frames.scene.flat(camera_path(course, np.array([sample])))[0])[2]
    column, row = ((point - box[0]) * plan.scale).astype(int)
    (picture,) = frames.draw([sample])
    return np.asarray(picture[frames.header :][plan.window[1] - 1 - row, column, :3].astype(float))


@pytest.mark.parametrize("made", [in_plane, in_space])
def test_an_obstacle_that_was_moved_stands_where_it_was_then(made: Callable[[], Any]) -> None:
    course = read_run(made())
    last = len(course.time) - 1
    assert np.abs(looks(course, 0, BEFORE) - looks(course, 0, AFTER)).max() > 10.0
    np.testing.assert_array_equal(looks(course, last, AFTER), looks(course, 0, BEFORE))
    np.testing.assert_array_equal(looks(course, last, BEFORE), looks(course, 0, AFTER))


def test_a_later_place_is_in_the_picture_and_stills_know_it(tmp_path: Path) -> None:
    run = in_plane()
    course = read_run(run)
    box = Frames(course).scene.plan.box
    assert np.all((AFTER > box[0]) & (AFTER < box[1]))
    first, last = (imread(still(run, tmp_path / f"{time}.png", time=time, key=False)) for time in (0.0, 1.0))
    assert np.abs(first - last).max() > 0.1


@pytest.mark.parametrize("made", [in_plane, in_space])
def test_going_back_shows_what_stood_there_before(made: Callable[[], Any]) -> None:
    course = read_run(made())
    last = len(course.time) - 1
    _, again = (picture.copy() for picture in Frames(course, width=640).draw([last, 0]))
    (first,) = Frames(course, width=640).draw([0])
    np.testing.assert_array_equal(again, first)


def _peg(place: np.ndarray) -> pp.Peg:
    return pp.Peg(x=float(place[0]), y=float(place[1]), radius=0.05)


def test_an_arrow_stands_where_the_moved_obstacle_is_touched() -> None:
    course = read_run(in_plane())
    last, link = len(course.time) - 1, 5
    above = np.array([0.0, course.radius[link] + 0.05])
    touching = Scenery(pp.Environment(obstacles=[_peg(course.middle[last, link] + above)]))
    course = replace(course, later=((0.5, touching),))
    foot = course.middle[last, link] + (0.0, course.radius[link])
    np.testing.assert_allclose(course.contact_points(last, np.array([link])), [foot], atol=1e-12)
    np.testing.assert_allclose(course.contact_points(0, np.array([link])), course.middle[0, [link]])


def test_the_key_knows_an_obstacle_that_comes_later() -> None:
    course = read_run(in_plane())
    empty = Scenery(pp.Environment())
    assert replace(course, scenery=empty).meets_obstacles
    assert not replace(course, scenery=empty, later=()).meets_obstacles


def test_frames_of_a_figure_show_where_obstacles_stood() -> None:
    figure = pp.plots.course(in_plane())
    postures = [axes for axes in figure.axes if str(axes.get_label()).startswith("posture")]
    pegs = [[patch.center for patch in axes.patches if isinstance(patch, Circle)] for axes in postures]
    assert pegs[0] == [pytest.approx((0.165, BEFORE[1]))]
    assert pegs[-1] == [pytest.approx((0.165, AFTER[1]))]

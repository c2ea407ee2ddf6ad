"""The whole scene: it shows what was published last, and says what was picked, dragged or pushed in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.model.obstacle import Obstacle
from pushpoint.scenery.drawn_look import LiveStage
from pushpoint.simulation.live.live import Live
from pushpoint.studio.runner import Published, Runner
from pushpoint.studio.stage.body import SceneRobot
from pushpoint.studio.stage.camera import Camera
from pushpoint.studio.stage.course import SceneCourse
from pushpoint.studio.stage.points import ControlPoints, curve_points, with_points
from pushpoint.studio.stage.shifting import shifted

if TYPE_CHECKING:
    import viser


class Picked(NamedTuple):
    """What was clicked last: a link or an obstacle, by its number."""

    link: int | None = None
    """The link."""
    obstacle: int | None = None
    """The obstacle."""


class StudioScene:
    """What is seen in 3D. Only the thread that draws calls `show`; what viewers do is posted to the runner."""

    def __init__(self, server: viser.ViserServer, runner: Runner) -> None:
        self._server, self._runner = server, runner
        self.course = SceneCourse(server, self._pick_obstacle, self._drag)
        self.body = SceneRobot(server, self._pick_link, self._push)
        self.points = ControlPoints(server, self._move_point)
        self.camera = Camera(server)
        self.picked = Picked()
        self.follow_up: list[Callable[[], None]] = []
        """What the drawing thread does besides, once."""
        self._stage: LiveStage | None = None
        self._loaded = -1

    def show(self, shown: Published) -> None:
        """Shows what was published."""
        if self._stage is None or self._stage.world is not shown.world:
            self._stage = LiveStage(world=shown.world, name=shown.name, title=shown.title)
        if shown.loaded != self._loaded:
            self._begin(shown, self._stage)
        for task in (self.follow_up.pop(0) for _ in range(len(self.follow_up))):
            task()
        self._check_picked(shown)
        drawn = self._stage.drawn(shown.look)
        with self._server.atomic():
            self.course.show(drawn, self.picked.obstacle)
            self.body.show(self._stage, drawn, shown.look, self.picked.link, shown.reached)
            self.points.show(shown.world.controller, drawn)
        self.camera.show(drawn)

    def look_from(self, view: str) -> None:
        """Goes over to another view."""

        def choose() -> None:
            shown = self._runner.shown
            stage = LiveStage(world=shown.world, name=shown.name, title=shown.title)
            self.camera.choose(view, stage.drawn(shown.look))

        self.follow_up.append(choose)

    def darken(self, dark: bool) -> None:
        """Lays the ground for a dark page, or for a light one."""
        self.follow_up.append(lambda: self.course.relay(dark))

    def _begin(self, shown: Published, stage: LiveStage) -> None:
        self._server.scene.reset()
        self.course.clear()
        self.picked = Picked()
        drawn = stage.drawn(shown.look)
        self.body.begin(stage, shown.look)
        self.points.clear(drawn)
        self.camera.begin(drawn)
        self._loaded = shown.loaded

    def _check_picked(self, shown: Published) -> None:
        """What is not there any more is not picked."""
        link, obstacle = self.picked
        if obstacle is not None and obstacle >= len(shown.world.environment.obstacles):
            self.picked = Picked(link=link)

    def _pick_link(self, link: int) -> None:
        self.picked = Picked(link=link)
        self._runner.wake()

    def _pick_obstacle(self, obstacle: int) -> None:
        self.picked = Picked(obstacle=obstacle)
        self._runner.wake()

    def _push(self, link: int, force: np.ndarray, ended: bool) -> None:
        """Pushes a link as long as it is dragged, wherever the drag ends, also with its page."""

        def push(live: Live) -> None:
            told = np.zeros(3 if live.world.spatial else 2)
            if not ended:
                told[:2] = force
            live.push(link, tuple(told.tolist()))

        self._runner.post_latest("picked", ("push", link), push)

    def _move_point(self, number: int, place: np.ndarray) -> None:
        """Lets the shape curve go through another point; the robot goes over to it."""

        def move(live: Live) -> None:
            points = curve_points(live.world.controller)
            if points is not None and number < len(points):
                points = points.copy()
                points[number] = place
                live.change(controller=with_points(live.world.controller, points))

        self._runner.post_latest("controller", ("point", number), move)

    def _drag(self, number: int, obstacle: Obstacle, step: np.ndarray) -> None:
        """Moves an obstacle to where it is dragged, as far as nothing is in its way."""
        self.picked = Picked(obstacle=number)

        def move(live: Live) -> None:
            environment = live.world.environment
            obstacles = list(environment.obstacles)
            if number < len(obstacles):
                obstacles[number] = shifted(obstacle, float(step[0]), float(step[1]))
                live.change(environment=replace(environment, obstacles=obstacles))

        self._runner.post_latest("picked", ("drag", number), move)

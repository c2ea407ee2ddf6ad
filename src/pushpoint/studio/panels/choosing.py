"""The scenario, the robot with its number of links, and the controller with sliders for all its numbers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.kinds import name_of
from pushpoint.simulation.live.live import Live
from pushpoint.studio import choices
from pushpoint.studio.panels.controls import Complaint, Sliders, by_viewer
from pushpoint.studio.runner import Published, Runner

if TYPE_CHECKING:
    import viser

OTHER = "another one"
TYPING = 0.7
"""A number of links counts when it has not changed for so long [s]."""
TAKES_OVER = 0.5
"""Time in which another controller takes over, and in which a changed number does [s]."""


class Choosing:
    """What runs."""

    def __init__(self, server: viser.ViserServer, runner: Runner, folder: Path) -> None:
        gui, self._runner, self._folder = server.gui, runner, folder
        self._first: dict[int, Any] = {}  # the controller of each scenario that was loaded
        names = choices.targets(folder)
        self._scenario: Any = gui.add_dropdown("scenario", (OTHER, *names), initial_value=OTHER)
        self._scenario.on_update(by_viewer(lambda event: self._open(event.target.value)))
        self._file = gui.add_text("file", "", hint="Path of a scenario file or of a run")
        gui.add_button("open the file").on_click(by_viewer(lambda _event: self._open(self._file.value)))
        self._scenario_complaint = Complaint(gui, runner, "scenario")
        self._robot: Any = gui.add_dropdown("robot", (OTHER, *ROBOTS), initial_value=OTHER)
        self._robot.on_update(by_viewer(lambda event: self._change_robot(event.target.value)))
        self._links: Any = gui.add_number("links", 1, step=1, hint="All links must be equal")
        self._links.on_update(by_viewer(lambda _event: self._note_links()))
        self._links_changed: float | None = None
        self._robot_complaint = Complaint(gui, runner, "robot")
        kinds = (choices.OWN, choices.OFF, *choices.controller_kinds())
        self._kind: Any = gui.add_dropdown("controller", kinds, initial_value=choices.OWN)
        self._kind.on_update(by_viewer(lambda event: self._change_controller(event.target.value)))
        self._over = gui.add_slider(
            "takes over within [s]",
            0.0,
            3.0,
            0.1,
            TAKES_OVER,
            hint="References begin where they are and depart in this time",
        )
        self._sliders = Sliders(server, runner, "controller", lambda world: world.controller, self._put_controller)
        self._controller_complaint = Complaint(gui, runner, "controller")

    def show(self, shown: Published) -> None:
        """Shows what runs."""
        self._first.setdefault(shown.loaded, shown.world.controller)
        name = shown.name if shown.name in self._scenario.options else OTHER
        if self._scenario.value != name:
            self._scenario.value = name
        robot = shown.world.robot
        named = robot.name if robot.name in ROBOTS else OTHER
        if self._robot.value != named:
            self._robot.value = named
        if self._links_changed is not None:
            if time.monotonic() - self._links_changed > TYPING:
                self._links_changed = None
                self._change_links(self._links.value)
        elif self._links.value != robot.n_links and "robot" not in self._runner.complaints:
            self._links.value = robot.n_links
        self._show_kind(shown)
        self._sliders.show(shown.world, (shown.loaded,))
        for complaint in (self._scenario_complaint, self._robot_complaint, self._controller_complaint):
            complaint.show()

    def _show_kind(self, shown: Published) -> None:
        controller = shown.world.controller
        kind = choices.OFF if controller is None else name_of(type(controller)) or choices.OWN
        if controller is not None and type(controller) is type(self._first[shown.loaded]):
            kind = choices.OWN
        if kind in self._kind.options and self._kind.value != kind and "controller" not in self._runner.complaints:
            self._kind.value = kind

    def _open(self, target: str) -> None:
        if target.strip() and target != OTHER:
            self._runner.load("scenario", lambda _live: choices.open_target(target.strip(), self._folder))

    def _change_robot(self, name: str) -> None:
        if name != OTHER:
            self._load_robot(lambda _robot: choices.robot_named(name))

    def _note_links(self) -> None:
        """A number of two digits is typed one by one."""
        self._links_changed = time.monotonic()

    def _change_links(self, count: Any) -> None:
        self._load_robot(lambda robot: choices.with_links(robot, count))

    def _load_robot(self, other: Any) -> None:
        """Begins anew with another robot in the same surroundings, with the same controller if it fits."""
        name = self._runner.shown.name

        def make(live: Live) -> choices.Opened:
            world = live.world
            return choices.open_world(choices.with_robot(world, other(world.robot)), live, name)

        self._runner.load("robot", make)

    def _change_controller(self, kind: str) -> None:
        shown = self._runner.shown
        first = self._first.get(shown.loaded)
        over = self._over.value
        self._runner.post(
            "controller",
            lambda live: live.change(controller=choices.controller_named(kind, live.world, first), over=over),
        )

    def _put_controller(self, live: Live, controller: Any) -> None:
        live.change(controller=controller, over=self._over.value)

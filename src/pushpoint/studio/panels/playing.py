"""Play, pause, step, reset, the speed and the time: what a recorder has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pushpoint.studio.panels.controls import Complaint, by_viewer, marked
from pushpoint.studio.runner import FASTEST, SLOWEST, Published, Runner

if TYPE_CHECKING:
    import viser

LATEST = 0.05
"""The time slider is at its end if it is so near to it [s]."""


class Playing:
    """The controls of time."""

    def __init__(self, server: viser.ViserServer, runner: Runner) -> None:
        gui = server.gui
        self._runner = runner
        self._status = gui.add_markdown("")
        buttons = gui.add_button_group("run", ("play", "pause", "step", "reset"))
        buttons.on_click(by_viewer(lambda event: self.command(event.target.value)))
        keys: Any = (("P", "play"), ("O", "pause"), ("S", "step"), ("R", "reset"))
        for key, word in keys:
            gui.add_command(f"{word} the simulation", hotkey=key).on_trigger(self._commanding(word))
        self._speed: Any = gui.add_slider(
            "speed [x]", SLOWEST, FASTEST, 0.1, 1.0, marks=(1, 2, 4, 8), hint="Simulated time per time; 1 is real time"
        )
        self._speed.on_update(by_viewer(lambda event: runner.pace(event.target.value)))
        self._time: Any = gui.add_slider("time [s]", 0.0, 1.0, 0.01, 0.0, hint="Looks back; play goes on from there")
        self._time.on_update(by_viewer(lambda event: self._look_back(event.target.value)))
        self._complaint = Complaint(gui, runner, "play")

    def command(self, word: str) -> None:
        """What the buttons and keys do."""
        runner = self._runner
        if word in ("play", "step"):
            shown = runner.shown
            if not shown.playing and shown.reached - shown.look.time > LATEST:
                runner.go_to(shown.look.time)  # it goes on from where it is looked at
        if word == "play":
            runner.play()
        elif word == "pause":
            runner.play(False)
        elif word == "step":
            runner.step()
        elif word == "reset":
            runner.reset()

    def _commanding(self, word: str) -> Any:
        async def told(_event: Any) -> None:
            self.command(word)

        return told

    def _look_back(self, moment: float) -> None:
        self._runner.look_back(moment)

    def show(self, shown: Published) -> None:
        """Shows how it is going."""
        reached = max(math.ceil(100.0 * shown.reached - 1e-6) / 100.0, 1.0)
        if reached != self._time.max:
            self._time.max = reached
        looks_back = shown.reached - shown.look.time > LATEST
        if not looks_back or abs(self._time.value - shown.look.time) > LATEST:
            self._time.value = round(min(shown.look.time, reached), 2)
        if self._speed.value != shown.speed:
            self._speed.value = shown.speed
        self._status.content = marked(words_of(shown))
        self._complaint.show()


def words_of(shown: Published) -> str:
    """How it is going, in one line."""
    look = shown.look
    if look.status.failed:
        return look.status.value
    doing = "playing" if shown.playing else "paused"
    pace = f", {shown.factor:.2f} of {shown.speed:g} x real time" if shown.playing else ""
    mode = f", {look.mode}" if look.mode else ""
    back = f", looking back from {shown.reached:.2f} s" if shown.reached - look.time > LATEST else ""
    return f"{doing} at {look.time:.2f} s{back}{pace}{mode}"

"""What panels are made of: sliders for all numbers of a thing, and sentences beside the controls."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pushpoint.errors import InvalidModel
from pushpoint.simulation.live.live import Live
from pushpoint.studio.numbers import SliderNumber, numbers_of, with_number
from pushpoint.studio.runner import Runner

if TYPE_CHECKING:
    import viser

Get = Callable[[Any], Any]
"""Takes the thing out of a world."""
Put = Callable[[Live, Any], None]
"""Puts a changed thing back."""


SETTLED = 1.0
"""A slider that was moved so long ago shows what is so [s]."""


class Complaint:
    """A sentence about what was asked for last, below the control that asked."""

    def __init__(self, gui: viser.GuiApi, runner: Runner, where: str) -> None:
        self._runner, self._where = runner, where
        self._words = gui.add_markdown("", visible=False)

    def show(self) -> None:
        """Shows what the runner says about it now."""
        sentence = self._runner.complaints.get(self._where, "")
        content = f"**{marked(sentence)}**" if sentence else ""
        if content != self._words.content:
            self._words.content, self._words.visible = content, bool(content)


class Sliders:
    """Sliders for all numbers of a thing in the world; they follow it when it changes otherwise."""

    def __init__(self, server: viser.ViserServer, runner: Runner, where: str, get: Get, put: Put) -> None:
        """Begins without any; they are added to the container that is open now."""
        self._server, self._runner, self._where, self._get, self._put = server, runner, where, get, put
        self._folder = server.gui.add_folder(None)
        self._handles: dict[str, tuple[SliderNumber, Any]] = {}
        self._numbers: dict[str, SliderNumber] = {}
        self._thing: Any = None
        self._kept: tuple[Any, ...] = ()
        self._moved = 0.0

    def show(self, world: Any, kept: tuple[Any, ...] = ()) -> None:
        """Shows the numbers of the thing as it is now; others of a kind, said by `kept`, get sliders of their own."""
        thing = self._get(world)
        if thing is self._thing and kept == self._kept:
            self._settle()
            return
        found = {} if thing is None else {each.key: each for each in numbers_of(thing)}
        self._numbers = found
        same = type(thing) is type(self._thing) and list(found) == list(self._handles) and kept == self._kept
        self._thing, self._kept = thing, kept
        if not same or not all(self._fits(each) for each in found.values()):
            self._build(found)
            return
        for key, each in found.items():
            self._handles[key][1].value = each.value

    def _settle(self) -> None:
        """Shows the numbers again where a slider was moved and the thing is as before, as after a reset."""
        if time.monotonic() - self._moved < SETTLED or self._where in self._runner.complaints:
            return
        for key, each in self._numbers.items():
            handle = self._handles[key][1]
            if abs(handle.value - each.value) > each.step / 2.0:
                handle.value = each.value

    def _fits(self, each: SliderNumber) -> bool:
        """Whether a slider that is there reaches to a number."""
        before = self._handles[each.key][0]
        return before.low <= each.value <= before.high

    def _build(self, found: dict[str, SliderNumber]) -> None:
        for _, handle in self._handles.values():
            handle.remove()
        self._handles.clear()
        with self._folder:
            for key, each in found.items():
                handle = self._server.gui.add_slider(
                    each.label, each.low, each.high, each.step, each.value, hint=each.doc or None
                )
                handle.on_update(self._told(each))
                self._handles[key] = (each, handle)

    def _told(self, each: SliderNumber) -> Callable[[Any], Any]:
        async def told(event: Any) -> None:
            if event.client_id is None:  # it was moved by us
                return
            self._moved = time.monotonic()
            typed = event.target.value

            def change(live: Live) -> None:
                thing = self._get(live.world)
                try:
                    self._put(live, with_number(thing, each.path, typed * each.scale, whole=each.whole))
                except InvalidModel as error:
                    raise each.refused(typed, error) from None

            self._runner.post_latest(self._where, each.key, change)

        return told


def marked(text: str) -> str:
    """Text that a page shows as it is."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|~$" else letter for letter in text)


def by_viewer(act: Callable[[Any], None]) -> Callable[[Any], Any]:
    """A callback that acts on what a viewer does, in the order in which it comes, and never on what we set."""

    async def told(event: Any) -> None:
        if event.client_id is not None:
            act(event)

    return told

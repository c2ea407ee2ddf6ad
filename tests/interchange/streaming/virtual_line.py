"""A line between a controller and a simulated robot in virtual time: delays, jitter and losses as they are told."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any

from pushpoint.interchange.streaming.simulated_robot import SimulatedRobot

Fate = Callable[[int, str], float | None]
"""How long line number k travels [s]; None if it is lost."""


class VirtualLine:
    """A Connection whose waiting lets virtual time pass, in which the robot lives on the other side.

    The robot begins when it first hears something, and then keeps its own periods.
    """

    def __init__(self, robot: SimulatedRobot, *, out: Fate, back: Fate, silent_after: float = float("inf")) -> None:
        self.robot, self._out, self._back, self._silent = robot, out, back, silent_after
        self._time, self._order, self._sent, self._answered = 1000.0, count(), count(), count()
        self._events: list[tuple[float, int, str, Any]] = []
        self._begun = False
        self.lines: list[str] = []
        """All lines of the controller."""
        self.states: list[Any] = []
        """True states of the robot, one per period and the start."""

    def now(self) -> float:
        return self._time

    def send(self, line: str) -> None:
        self.lines.append(line)
        self._post("robot", line, self._out(next(self._sent), line))

    def receive(self, until: float) -> list[bytes]:
        while self._events and self._events[0][0] <= until:
            at, _, what, content = heapq.heappop(self._events)
            self._time = max(self._time, at)
            if what == "commander":
                return [content.encode()]
            if what == "robot":
                self._robot_hears(content)
            elif not self.robot.held:
                self.robot.advance()
                self._robot_says()
                self._post("tick", None, 1.0 / self.robot.rate)
        self._time = max(self._time, until)
        return []

    def _robot_hears(self, content: str) -> None:
        self.robot.hear(content)
        if not self._begun:
            self._begun = True
            self._robot_says()
            self._post("tick", None, 1.0 / self.robot.rate)

    def _robot_says(self) -> None:
        self.states.append(self.robot.state)
        said, number = self.robot.says(), next(self._answered)
        if self._time < 1000.0 + self._silent:
            self._post("commander", said, self._back(number, said))

    def _post(self, what: str, content: Any, delay: float | None) -> None:
        if delay is not None:
            heapq.heappush(self._events, (self._time + delay, next(self._order), what, content))

"""The only thread that touches the simulation: it takes edits from an inbox, keeps pace, and publishes the latest look.

Everything else posts to it and reads what it published last; nothing waits for it.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from pushpoint.engine.settings import Status
from pushpoint.errors import PushpointError
from pushpoint.simulation.live.live import Live
from pushpoint.simulation.live.look import Look
from pushpoint.worlds.world import World

RATE = 30.0
"""Looks per second at most [Hz]."""
SLOWEST, FASTEST = 0.1, 8.0
"""How slow and how fast it may run, as a factor of real time [-]."""
LOOKING = "look back"
"""What only changes what is seen, not the simulation."""
LONGEST_WAIT = 0.1
"""What it falls behind by more than this is let go [s]: it then runs as fast as it can."""
LOOKS_KEPT = 20.0
"""Looks of this simulated time are kept for the plots [s]."""
MOST_KEPT = 1200
LONGEST_END = 0.4
"""How long the end waits for steps that are under way [s]."""
JUDGED_AFTER = 0.5
"""Time over which the real factor is measured [s]."""

Edit = Callable[[Live], Any]


@dataclass(frozen=True, kw_only=True)
class Published:
    """What was published last: all that a page may read."""

    look: Look
    """What it looks like."""
    world: World
    """The world as it was then."""
    loaded: int
    """Counts the simulations that were loaded: another robot and another scene [-]."""
    name: str
    """Name of the scenario."""
    title: str
    """What happens in one line."""
    reached: float
    """How far it was simulated: looking back shows an earlier time [s]."""
    playing: bool
    """Whether it goes on."""
    speed: float
    """How fast it should run, as a factor of real time [-]."""
    factor: float
    """How fast it ran of late, likewise [-]."""
    busy: float
    """Share of the time that the simulation took of late [-]."""
    edits: int
    """Edits so far [-]."""
    file_size: int
    """Size of the temporary files [bytes]."""


def next_look(due: float, now: float) -> float:
    """When the next look is due, after one that was due at a time, from now on [s].

    A late look does not make all later ones late. Edits bring looks of their own, however many; none of them puts off
    the next one by more than its usual time.
    """
    return min(max(due + 1.0 / RATE, now), now + 1.0 / RATE)


class Runner(threading.Thread):
    """Runs a live simulation in pace with real time."""

    def __init__(self, live: Live, *, name: str = "", title: str = "") -> None:
        """Takes over a live simulation, which nobody else may touch until the runner has ended."""
        super().__init__(daemon=True, name="pushpoint studio")
        self.live, self.name_shown, self.title = live, name, title
        self.playing, self.speed, self.ending = False, 1.0, False
        self.complaints: dict[str, str] = {}
        """What went wrong last, as a sentence, by the control that asked for it; empty again when it works."""
        self.history: deque[Look] = deque(maxlen=MOST_KEPT)
        self.count = 0
        """Looks that were ever in there [-]."""
        self._inbox: queue.SimpleQueue[tuple[str, Edit] | None] = queue.SimpleQueue()
        self._back: float | None = None
        self._answers: list[Callable[[], None]] = []
        self._latest: dict[tuple[str, Hashable], Edit] = {}
        self._asked: list[tuple[str, Edit] | None] = []
        self._loaded, self._behind, self._single = 0, 0.0, 0
        self._last = time.perf_counter()
        self._begun, self._simulated, self._worked = time.perf_counter(), 0.0, 0.0
        self._factor = self._busy = 0.0
        self.shown = self._published()
        self.news = threading.Event()
        """Set when something new is published."""

    def post(self, where: str, edit: Edit) -> None:
        """Lets the simulation's thread do something; what goes wrong is told where it was asked for."""
        self._inbox.put((where, edit))

    def post_latest(self, where: str, what: Hashable, edit: Edit) -> None:
        """Like `post`, but one that has not begun is replaced by the next of the same thing that is dragged.

        The last one of each thing counts, however long they wait for a step that is under way.
        """
        key = where, what
        waits = key in self._latest
        self._latest[key] = edit
        if not waits:
            self._inbox.put((where, lambda live: self._latest.pop(key)(live)))

    def wake(self) -> None:
        """Publishes once more, as something else has changed that is seen."""
        self.post(LOOKING, lambda _live: None)

    def done(self, where: str, edit: Edit, timeout: float = 60.0) -> Any:
        """Like `post`, but waits until that is published, and returns what it gives; raises what goes wrong."""
        answer: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

        def answered(live: Live) -> None:
            try:
                result = edit(live)
            except Exception as error:
                failed = error
                self._answers.append(lambda: answer.put((None, failed)))
                raise
            self._answers.append(lambda: answer.put((result, None)))

        self.post(where, answered)
        result, error = answer.get(timeout=timeout)
        if error is not None:
            raise error
        return result

    def play(self, playing: bool = True) -> None:
        """Lets it go on, or pauses it."""
        self.post("play", lambda _live: self._set(playing=playing))

    def pace(self, speed: float) -> None:
        """How fast it should run, as a factor of real time."""
        self.post("play", lambda _live: self._set(speed=min(max(speed, SLOWEST), FASTEST)))

    def step(self, count: int = 1) -> None:
        """Pauses it after so many time steps more."""

        def stepped(live: Live) -> None:
            self.playing = False
            live.advance(count)

        self.post("play", stepped)

    def reset(self) -> None:
        """Goes back to the start without edits."""

        def start(live: Live) -> None:
            live.reset()
            self.history.clear()

        self.post("play", start)

    def go_to(self, moment: float) -> None:
        """Goes on from an earlier time [s]; what came after it is dropped."""

        def back(live: Live) -> None:
            live.go_to(min(max(moment, 0.0), live.time))
            while self.history and self.history[-1].time > live.time:
                self.history.pop()

        self.post("time", back)

    def look_back(self, moment: float) -> None:
        """Pauses and shows an earlier time [s]; nothing is dropped."""

        def back(live: Live) -> None:
            self.playing = False
            self._back = min(max(moment, 0.0), live.time)

        self.post(LOOKING, back)

    def load(self, where: str, make: Callable[[Live], tuple[Live, str, str]]) -> None:
        """Goes over to another live simulation, made in the simulation's thread; the old one stays if that fails."""

        def other(live: Live) -> None:
            new, name, title = make(live)
            live.close()
            self.live, self.name_shown, self.title, self.playing = new, name, title, False
            self._loaded += 1
            self.history.clear()
            self.complaints.clear()

        self.post(where, other)

    def end(self) -> None:
        """Ends the thread, which closes the simulation's files; one that is compiling does so when it is done."""
        self.ending = True
        self._inbox.put(None)
        if self.is_alive():
            self.join(timeout=LONGEST_END)
        elif self.ident is None:  # it never began
            self.live.close()

    def run(self) -> None:
        """Until it is ended: what was asked for, then a portion of steps, then a look."""
        due = time.perf_counter()
        while not self.ending:
            begun = time.perf_counter()
            changed = self._take_edits()
            if self.playing:
                changed = self._advance(begun) or changed
            else:
                self._behind, self._last = 0.0, begun
                self._begun, self._simulated, self._worked = begun, 0.0, 0.0
            if changed:
                self._publish()
            while self._answers:
                self._answers.pop(0)()
            self._worked += time.perf_counter() - begun
            self._judge()
            now = time.perf_counter()
            due = next_look(due, now)
            self._wait(due - now if self.playing else 3600.0)
        self.live.close()

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)

    def _wait(self, seconds: float) -> None:
        """Until something is asked for, or so long."""
        if seconds > 0.0:
            with contextlib.suppress(queue.Empty):
                self._asked.append(self._inbox.get(timeout=seconds))

    def _take_edits(self) -> bool:
        """Does what was asked for; whether something was that may be seen."""
        changed, asked = False, self._asked
        self._asked = []
        while not self._inbox.empty():
            asked.append(self._inbox.get())
        for where, edit in filter(None, asked):
            if where != LOOKING:
                self._back = None
            try:
                edit(self.live)
                self.complaints.pop(where, None)
            except Exception as error:
                self._complain(where, error)
            changed = True
        return changed

    def _advance(self, now: float) -> bool:
        """Runs as many steps as are due; whether there were any."""
        dt = self.live.settings.dt
        self._behind = min(self._behind + self.speed * (now - self._last), self.speed * LONGEST_WAIT)
        self._last = now
        steps = int(self._behind / dt + 1e-9)
        if steps == 0:
            return False
        try:
            done = self.live.advance(min(steps, self._affordable()))
        except Exception as error:  # the temporary file is full, or a controller raises
            self._complain("play", error)
            self.playing = False
            return True
        spent = time.perf_counter() - now
        self._seconds_per_step = spent / max(done, 1)
        self._behind -= steps * dt
        self._simulated += done * dt
        if self.live.status is not Status.RUNNING:
            self.playing = False
        return True

    _seconds_per_step = 1e-3

    def _affordable(self) -> int:
        """Steps that take no longer than two frames, so that edits are heard."""
        return max(1, int(2.0 / RATE / max(self._seconds_per_step, 1e-7)))

    def _judge(self) -> None:
        """How fast it runs."""
        now = time.perf_counter()
        if now - self._begun > JUDGED_AFTER:
            lasted = now - self._begun
            self._factor, self._busy = self._simulated / lasted, self._worked / lasted
            self._begun, self._simulated, self._worked = now, 0.0, 0.0

    def _complain(self, where: str, error: Exception) -> None:
        """Tells what went wrong. A controller of the user's may raise anything; the simulation lives on."""
        known = isinstance(error, PushpointError)
        self.complaints[where] = str(error) if known else f"{type(error).__name__}: {error}"

    def _publish(self) -> None:
        """Shows what it looks like, or else what it looked like last and why that is all."""
        try:
            self.shown = self._published()
        except Exception as error:
            self._complain("play", error)
            self.playing, self._back = False, None
        self.news.set()

    def _published(self) -> Published:
        look = self._latest_look() if self._back is None else self.live.look_back(self._back)
        return Published(
            look=look,
            world=self.live.world if self._back is None else self.live.world_at(look.step),
            loaded=self._loaded,
            name=self.name_shown,
            title=self.title,
            reached=self.live.time,
            playing=self.playing,
            speed=self.speed,
            factor=self._factor if self.playing else 0.0,
            busy=self._busy if self.playing else 0.0,
            edits=len(self.live.edits),
            file_size=self.live.file_size,
        )

    def _latest_look(self) -> Look:
        """What it looks like now, which is kept for the plots."""
        look = self.live.look()
        if not self.history or look.time != self.history[-1].time:
            self.history.append(look)
            self.count += 1
        while look.time - self.history[0].time > LOOKS_KEPT:
            self.history.popleft()
        return look

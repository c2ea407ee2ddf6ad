"""What was simulated and changed, as files: the run, its scenario with the edits, a page that plays it, and a film.

The run begins at time zero, because only then do the same edits repeat it bit for bit. `run.nc` describes itself, with
its edits: it alone can be sent to somebody, who opens it with `pushpoint studio run.nc`.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import xarray

from pushpoint.errors import PushpointError
from pushpoint.films.film import film
from pushpoint.replays.replay import replay
from pushpoint.scenarios.files import write_scenario
from pushpoint.scenarios.scenario import scenario_of
from pushpoint.simulation.storage import save

RUN, SCENARIO, REPLAY, FILM = "run.nc", "scenario.yaml", "replay.html", "run.mp4"
MOST_NUMBERED = 10_000


def new_folder(parent: Path, name: str) -> Path:
    """A folder that is not there yet, named after a scenario."""
    stem = name.replace("/", "-") or "run"
    for number in range(1, MOST_NUMBERED):
        folder = parent / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            continue
        except OSError as error:
            raise PushpointError(f"{folder}: the folder cannot be made ({error.strerror or error})") from None
    raise PushpointError(f"{parent / stem}: there are {MOST_NUMBERED} recordings of this name already")


def write_recording(run: xarray.Dataset, folder: Path, *, pictures: bool = True) -> tuple[list[Path], list[str]]:
    """Writes a recording; returns the files, and sentences about those that could not be written."""
    files, remarks = [save(run, folder / RUN)], list[str]()
    makers: list[Callable[[], Path]] = [lambda: write_scenario(scenario_of(run), folder / SCENARIO)]
    if pictures:
        makers += [lambda: replay(run, folder / REPLAY), lambda: film(run, folder / FILM)]
    for make in makers:
        try:
            files.append(make())
        except PushpointError as error:
            remarks.append(str(error))
    return files, remarks


def run_as_bytes(run: xarray.Dataset) -> bytes:
    """The file of a run, to be sent to a browser."""
    with tempfile.TemporaryDirectory(prefix="pushpoint-") as folder:
        return save(run, Path(folder) / RUN).read_bytes()


class InBackground:
    """Long work beside the simulation, one piece at a time; what became of it is a sentence."""

    def __init__(self) -> None:
        self.words = ""
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return self._thread is not None and self._thread.is_alive()

    def begin(self, doing: str, work: Callable[[], str]) -> bool:
        """Begins, unless something is under way; whether it has begun."""
        if self.busy:
            return False

        def run() -> None:
            try:
                self.words = work()
            except Exception as error:
                self.words = str(error)

        self.words, self._thread = doing, threading.Thread(target=run, daemon=True, name=f"pushpoint studio: {doing}")
        self._thread.start()
        return True

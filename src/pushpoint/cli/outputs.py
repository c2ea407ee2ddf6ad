"""What verbs take, show, print and write alike; files are whole or not there at all."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from pushpoint.cli.known_names import complete_experiments
from pushpoint.cli.stopping import INTERRUPTED, Stopped, noting_stop, saying_what_is_kept
from pushpoint.errors import BadFile, InvalidModel, PushpointError
from pushpoint.whole_files import write_bytes

if TYPE_CHECKING:
    import xarray
    from rich.progress import Progress, ProgressColumn, TaskID

    from pushpoint.scenarios.scenario import Scenario
    from pushpoint.simulation.rollout import Rollout

FAILED = 1
COMPILING = "compiling kernels (first run on this machine; takes up to half a minute)"
PATIENCE = 1.0
"""Loading compiled kernels takes milliseconds; what takes longer than this is compilation [s]."""
LONGEST_NAME = 100
"""Letters of a name that a default folder keeps."""
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a value, such as controller.amplitude_deg=30; repeatable."),
]
Folder = Annotated[Path | None, typer.Option(help="Folder for the results; default: out/NAME.")]
Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME-or-FILE",
        help="A name from `pushpoint list`, or a YAML file.",
        autocompletion=complete_experiments,
    ),
]


def single_scenario(target: str, changes: Sequence[str] | None = None) -> Scenario:
    """The scenario of one world that a name or a file stands for; the name of a sweep is refused."""
    from pushpoint.papers.registry import is_sweep, scenario

    if is_sweep(target):
        raise PushpointError(f"'{target}' is a sweep over several worlds: pushpoint sweep {target}")
    return scenario(target, changes or ())


def tell_of_edits(scenario: Scenario) -> None:
    """Says on standard error that what a scenario changes on its way is left out."""
    if scenario.edits:
        count = f"{len(scenario.edits)} edit{'s' if len(scenario.edits) > 1 else ''}"
        typer.echo(f"{scenario.name}: {count} on its way left out, the controller is the one it begins with", err=True)


def number_of(text: str | None, field: str) -> Any:
    """What is written, or None; as YAML, so that a wrong number is refused in the same words as in a file."""
    if text is None:
        return None
    from pushpoint.description.files import parse_value

    found = parse_value(text, field)
    if found is None:
        raise InvalidModel(field, text, "a number")
    return found


def stoppable(said: str = INTERRUPTED) -> contextlib.AbstractContextManager[None]:
    """Ends the command in a sentence when a signal stops it."""
    return saying_what_is_kept(lambda: said)


@contextlib.contextmanager
def keeping(store: Path, what: str) -> Iterator[Callable[[int, int], None]]:
    """Long work whose finished parts a store keeps: yields what is told how many are done, which a stopped one says."""
    done, count = 0, 0

    def progress(now: int, of: int) -> None:
        nonlocal done, count
        done, count = now, of

    def said() -> str:
        return (
            f"interrupted: {done} of {count} {what} are done and kept in {store}; the same command goes on from there"
        )

    with saying_what_is_kept(lambda: said() if done else INTERRUPTED):
        yield progress


def default_folder(name: str, ending: str = "") -> Path:
    """Where results of something with this name go unless another folder is asked for: one folder below `out`."""
    letters = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip(".-") or "run"
    if len(letters) > LONGEST_NAME:
        letters = f"{letters[:LONGEST_NAME]}-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:8]}"
    return Path("out") / f"{letters}{ending}"


def prepare_folder(folder: Path) -> Path:
    """Makes the folder for results and proves that a file can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except FileExistsError:
        raise BadFile(folder, "is a file, must be a folder for results") from None
    except OSError as error:
        raise BadFile(folder, f"must be a folder that can be written ({error.strerror})") from None
    return folder


def write_json(
    file: Path, document: Mapping[str, Any], *, before: Callable[[], object] | None = None
) -> dict[str, Any]:
    """Writes a document, whole or not at all; returns it in JSON types, as it was written.

    `before` is called when it is about to be put in place.
    """
    from pushpoint.simulation.provenance import json_types

    written: dict[str, Any] = json_types(document)
    write_bytes(file, (json.dumps(written, indent=2, allow_nan=False) + "\n").encode(), before=before)
    return written


def tell(document: Mapping[str, Any], as_json: bool, say: Callable[[Any], None]) -> None:
    """Prints a document: as JSON and nothing else, or as `say` does it for readers, then where its files are."""
    if as_json:
        typer.echo(json.dumps(document))
        return
    say(document)
    for path in document["files"].values():
        typer.echo(f"wrote {path}")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: slice, title: str = "") -> None:
    """Prints a table; the columns of `numbers` are aligned to the right."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, title=title or None, title_justify="left")
    for column in table.columns[numbers]:
        column.justify = "right"
    for row in rows:
        table.add_row(*row)
    Console().print(table, markup=False)


def standing(run: xarray.Dataset) -> dict[str, Any]:
    """How a run ended, what its worlds' steps came to, and what it says against itself, for a summary."""
    from pushpoint.simulation.health import TOTALS, warnings_of

    status = {name: run.attrs[name] for name in ("status", "status_code")}
    return status | {"health": {name: run.attrs[name] for name in TOTALS}, "warnings": warnings_of(run)}


def print_warnings(sentences: Iterable[str]) -> None:
    """Prints the warnings of a run below its table."""
    for sentence in sentences:
        typer.echo(f"warning: {sentence}")


@contextlib.contextmanager
def progress_bar(*columns: ProgressColumn) -> Iterator[Progress]:
    """A progress bar on standard error; `disable` is true, and nothing is shown, unless that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    progress = Progress(*columns, console=console, disable=not console.is_terminal)
    # One that is disabled is not begun either: older versions of rich end it with an empty line.
    with contextlib.nullcontext() if progress.disable else progress:
        yield progress


def drive_scenario(scenario: Scenario, rollout: Rollout, begun: float) -> tuple[xarray.Dataset, dict[str, float], int]:
    """Runs a scenario's rollout with a progress bar; returns the run, its timing and the exit status."""
    with scenario.naming_the_file():
        wall, stop = drive_with_bar(rollout)
    startup = time.perf_counter() - wall - begun
    run = scenario.stamped(rollout.dataset(interrupted=stop is not None))
    exit_status = FAILED if rollout.failure() else stop.exit_status if stop else 0
    return run, {"startup_s": startup, "wall_s": wall, "simulated_s": rollout.time}, exit_status


class Driven(NamedTuple):
    """How driving a rollout went."""

    wall: float
    """Time spent on simulating, without compilation [s]."""
    stop: Stopped | None
    """What ended it before its time; None if it is finished."""


def drive_with_bar(rollout: Rollout) -> Driven:
    """Runs a rollout to its end, or to the end of a portion after a signal; a second signal raises at once."""
    from rich.progress import BarColumn, TextColumn

    share = TextColumn("{task.percentage:>3.0f} %")
    columns = (TextColumn("{task.description}"), BarColumn(), share, TextColumn("{task.fields[state]}"))
    with noting_stop() as noted, progress_bar(*columns) as progress:
        task = progress.add_task(rollout.experiment.name, total=rollout.duration, state="")
        with _explaining_delay(progress, task):
            rollout.stepper.advance(0)
        begun = time.perf_counter()
        while not (rollout.finished or noted):
            rollout.advance()
            wall = time.perf_counter() - begun
            state = f"{rollout.time:.2f} of {rollout.duration:g} s, {rollout.time / wall:.3g} x real time"
            progress.update(task, completed=rollout.time, state=state)
        stop = None if rollout.finished else Stopped(noted[0])
        return Driven(time.perf_counter() - begun, stop)


@contextlib.contextmanager
def _explaining_delay(progress: Progress, task: TaskID) -> Iterator[None]:
    """Says that kernels are being compiled, if it takes long enough to be noticed."""
    name = progress.tasks[0].description

    def explain() -> None:
        if progress.disable:
            progress.console.print(COMPILING, soft_wrap=True)
        progress.update(task, description=COMPILING)

    timer = threading.Timer(PATIENCE, explain)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        progress.update(task, description=name)

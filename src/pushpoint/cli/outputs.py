"""What verbs take, print and write alike; files are whole or not there at all."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.errors import BadFile, PushpointError

if TYPE_CHECKING:
    import xarray

FAILED, INTERRUPTED = 1, 130
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Target = Annotated[str, typer.Argument(metavar="NAME-or-FILE", help="A name from `pushpoint list`, or a YAML file.")]


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Ends the command in a sentence when the user stops it."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("error: interrupted before all results were written", err=True)
        raise typer.Exit(INTERRUPTED) from None


def default_folder(name: str, ending: str = "") -> Path:
    """Where results of something with this name go unless another folder is asked for."""
    return Path("out") / f"{name.replace('/', '-')}{ending}"


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


def write_json(file: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """Writes a document, whole or not at all; returns it in JSON types, as it was written."""
    from pushpoint.simulation.provenance import json_types
    from pushpoint.simulation.storage import write_atomically

    written: dict[str, Any] = json_types(document)
    text = json.dumps(written, indent=2, allow_nan=False) + "\n"

    def write(place: Path) -> None:
        place.write_text(text, encoding="utf-8")

    write_atomically(file, write)
    return written


def tell(document: Mapping[str, Any], as_json: bool, say: Callable[[Any], None]) -> None:
    """Prints a document: as JSON and nothing else, or as `say` does it for readers."""
    if as_json:
        typer.echo(json.dumps(document))
    else:
        say(document)


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


def print_files(files: Mapping[str, str]) -> None:
    """Says where the files are."""
    for path in files.values():
        typer.echo(f"wrote {path}")


def write_outputs(
    run: xarray.Dataset, folder: Path, summary: dict[str, Any], *, media: bool
) -> tuple[dict[str, Any], list[str]]:
    """Writes run.nc, course.png, summary.json and the media; the summary again after these, with their names in it.

    Returns the summary as written, with the files in it, and a sentence for each thing that could not be made.
    """
    from pushpoint.gallery import remove_media
    from pushpoint.simulation.storage import save

    files = {"run": str(save(run, folder / "run.nc"))}
    remove_media(folder)  # those of an earlier run do not belong to this one
    pictures, remarks = write_pictures(run, folder, media=False)
    files |= pictures | {"summary": str(folder / "summary.json")}
    written = write_json(folder / "summary.json", summary | {"files": files})
    if not media:
        return written, remarks
    begun = time.perf_counter()
    more, reasons = _write_media(run, folder)
    timing = summary["timing"] | {"media_s": time.perf_counter() - begun}
    written = write_json(folder / "summary.json", summary | {"timing": timing, "files": files | more})
    return written, remarks + reasons


def write_pictures(run: xarray.Dataset, folder: Path, *, media: bool) -> tuple[dict[str, str], list[str]]:
    """Writes course.png and, if asked for, the media; returns the files and a sentence for each thing left out."""
    from pushpoint import plots

    files, remarks = {}, []
    try:
        files["figure"] = str(plots.save_figure(plots.course(run), folder / "course.png"))
    except PushpointError as error:  # a run that was told not to record positions is still a run
        remarks.append(f"no figure: {error}")
        (folder / "course.png").unlink(missing_ok=True)
    more, reasons = _write_media(run, folder) if media else ({}, [])
    return files | more, remarks + reasons


def _write_media(run: xarray.Dataset, folder: Path) -> tuple[dict[str, str], list[str]]:
    """Writes the media, saying on a terminal which; returns the files, and why others are left out."""
    from rich.console import Console

    from pushpoint.gallery import write_media

    reasons: dict[str, list[str]] = {}
    console = Console(stderr=True)
    with console.status("media") if console.is_terminal else contextlib.nullcontext() as status:

        def begin(file: str) -> None:
            if status is not None:
                status.update(f"writing {folder / file}")

        def leave_out(file: str, reason: str) -> None:
            reasons.setdefault(reason, []).append(file)

        files = write_media(run, folder, begin=begin, leave_out=leave_out)
    left = [f"no {' and no '.join(names)}: {reason}" for reason, names in reasons.items()]
    return {name: str(file) for name, file in files.items()}, left

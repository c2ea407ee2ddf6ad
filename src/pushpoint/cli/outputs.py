"""What verbs take, print and write alike; files are whole or not there at all."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pushpoint.errors import BadFile

FAILED, INTERRUPTED = 1, 130
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a value, such as controller.amplitude_deg=30; repeatable."),
]
Folder = Annotated[Path | None, typer.Option(help="Folder for the results; default: out/NAME.")]
Target = Annotated[str, typer.Argument(metavar="NAME-or-FILE", help="A name from `pushpoint list`, or a YAML file.")]


def number_of(text: str | None, field: str) -> Any:
    """What is written, or None; as YAML, so that a wrong number is refused in the same words as in a file."""
    from pushpoint.description.files import parse_value

    return None if text is None else parse_value(text, field)


@contextlib.contextmanager
def stoppable(said: str = "error: interrupted before all results were written") -> Iterator[None]:
    """Ends the command in a sentence when the user stops it."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(said, err=True)
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
    write_atomically(file, lambda place: place.write_text(text, encoding="utf-8"))
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

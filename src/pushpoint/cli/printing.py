"""What verbs print and write alike."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from pushpoint.cli.run import INTERRUPTED

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@contextmanager
def stoppable() -> Iterator[None]:
    """Ends the command in a sentence when the user stops it."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("error: interrupted before all results were written", err=True)
        raise typer.Exit(INTERRUPTED) from None


def write_json(file: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """Writes a document, whole or not at all; returns it in JSON types, as it was written."""
    from pushpoint.simulation.provenance import plain
    from pushpoint.simulation.storage import write_atomically

    written: dict[str, Any] = plain(document)
    text = json.dumps(written, indent=2, allow_nan=False) + "\n"

    def write(place: Path) -> None:
        place.write_text(text, encoding="utf-8")

    write_atomically(file, write)
    return written


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

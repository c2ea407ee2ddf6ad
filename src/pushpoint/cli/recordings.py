"""Recordings that verbs take: CSV files as they are, all else through the readers of other tools' files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

MappingFile = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        metavar="FILE.yaml",
        help="Which columns or topics of the recording show what, in which units; needed for most logs.",
    ),
]


def recording_from(path: Path, mapping: Path | None) -> Any:
    """What a recording holds, saying on standard error what was lost; a CSV file without a mapping stays its path."""
    from pushpoint.interchange.received.reading import import_recording
    from pushpoint.interchange.received.topics import is_log

    if mapping is None and not is_log(path):
        return path
    reading = import_recording(path, mapping)
    for sentence in reading.sentences():
        typer.echo(sentence, err=True)
    return reading.recorded

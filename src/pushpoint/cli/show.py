"""`pushpoint show`: a published experiment as a scenario file, to be changed."""

from __future__ import annotations

from typing import Annotated

import typer


def show(
    target: Annotated[str, typer.Argument(metavar="NAME-or-FILE", help="A name from `pushpoint list`, or a file.")],
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value, as `pushpoint run` does; repeatable."),
    ] = None,
) -> None:
    """Print a scenario as YAML: `pushpoint show transeth2008a/flat > mine.yaml`."""
    from pushpoint.description.files import text_of
    from pushpoint.papers.registry import scenario
    from pushpoint.scenarios.files import document_of

    typer.echo(text_of(document_of(scenario(target, changes or ()))), nl=False)

"""`pushpoint schema`: the JSON schema of scenario files."""

from __future__ import annotations

import json

import typer


def schema() -> None:
    """Print the JSON schema of scenario files, with which editors check and complete them."""
    from pushpoint.description.schema import document_schema

    typer.echo(json.dumps(document_schema(), indent=2))

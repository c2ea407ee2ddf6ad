"""The command `pushpoint`. Modules that take time to load are imported by the verbs that need them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from pushpoint.cli import bench, compare, judging, run, scenario_files
from pushpoint.errors import MOST_SAID, PushpointError, one_line

USAGE_ERROR = 2

app = typer.Typer(
    help="Simulate snake robots that push against the world.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
VERBS: dict[str, Callable[..., None]] = {
    "list": scenario_files.list_scenarios,
    "show": scenario_files.show_scenario,
    "check": scenario_files.check,
    "run": run.run,
    "render": run.render,
    "sweep": run.run_sweep,
    "compare": compare.compare,
    "compare-recording": compare.lay_recording,
    "references": scenario_files.references,
    "reproduce": judging.reproduce,
    "schema": scenario_files.schema,
    "verify": judging.verify,
}
for verb, command in VERBS.items():
    app.command(verb)(command)
app.add_typer(bench.app, name="bench")


def _print_version(wanted: bool) -> None:
    if wanted:
        from pushpoint import __version__

        typer.echo(f"pushpoint {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    modules: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="Import a module that registers kinds; repeatable."),
    ] = None,
) -> None:
    sys.path.insert(0, here := str(Path.cwd()))  # modules of the user's are found in the current folder as well
    try:
        for module in modules or ():
            import_module(module)
    except ImportError as error:
        raise PushpointError(f"--import {module}: {error}") from None
    finally:
        sys.path.remove(here)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status; what the user did wrong becomes one line on standard error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = app(args=given or ["--help"], prog_name="pushpoint", standalone_mode=False)
    except (PushpointError, typer.TyperException) as error:
        sentence = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        sentence = one_line(sentence, MOST_SAID)
        typer.echo(f"error: {sentence}", err=True)
        return USAGE_ERROR
    return status if isinstance(status, int) else 0

"""The command `pushpoint`. Modules that take time to load are imported by the verbs that need them."""

from __future__ import annotations

import errno
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from pushpoint.cli import bench, doctor, judging, learning, listing, run, scenario_files, studio, warm
from pushpoint.cli.exchanging import export, robot, stream
from pushpoint.cli.memory import refuse_little_memory
from pushpoint.cli.outputs import FAILED
from pushpoint.cli.stopping import INTERRUPTED, Stopped, raising_stopped
from pushpoint.cli.streams import BROKEN_PIPE, Lasting, lasting_streams
from pushpoint.cli.studying import compare, fit, optimise, study, sweep
from pushpoint.errors import MOST_NAMED, MOST_SAID, PushpointError, one_line

USAGE_ERROR = 2

app = typer.Typer(
    help="Simulate snake robots that push against the world.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
VERBS: dict[str, tuple[Callable[..., None], str]] = {
    "list": (listing.list_experiments, "sidewinding --kind run"),
    "run": (run.run, "transeth2008a/obstacle-aided --out out/demo"),
    "render": (run.render, "out/demo/run.nc"),
    "studio": (studio.studio, "transeth2008a/obstacle-aided --no-browser"),
    "sweep": (sweep.run_sweep, "transeth2008a/speed-over-friction"),
    "show": (scenario_files.show_scenario, "transeth2008a/flat --set controller.amplitude_deg=30"),
    "check": (scenario_files.check, "mine.yaml"),
    "schema": (scenario_files.schema, ""),
    "references": (scenario_files.references, "liljeback2014/sidewinding --rate 50"),
    "stream": (stream.stream, "transeth2008a/flat --rate 50"),
    "robot": (robot.robot, "aiko.urdf --out aiko.png"),
    "export": (export.export, "aiko --to aiko.urdf"),
    "compare": (compare.compare, "continuous hybrid --courses 5"),
    "compare-recording": (compare.lay_recording, "out/demo/run.nc recording.csv"),
    "study": (study.study, "study.yaml --store out/study --workers 2"),
    "study-status": (study.study_status, "out/study"),
    "study-table": (study.study_table, "out/study --out table.csv"),
    "study-figures": (study.study_figures, "out/study"),
    "optimise": (optimise.optimise, "planar-speed-10W --out out/fastest"),
    "fit": (fit.fit, "recording.csv mine.yaml --vary delay=0:0.2"),
    "reproduce": (judging.reproduce, "transeth2008a"),
    "verify": (judging.verify, "--out out/verify"),
    "doctor": (doctor.doctor, "--json"),
    "warm": (warm.warm, "--engine planar"),
}
"""What each command does, and the words behind it in the example at the end of its help."""
for verb, (command, words) in VERBS.items():
    app.command(verb, epilog=f"Example: pushpoint {verb} {words}".rstrip())(command)
app.add_typer(bench.app, name="bench")
app.add_typer(learning.app, name="learn")


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
            _import(module)
    finally:
        sys.path.remove(here)


def _import(module: str) -> None:
    """Imports a module of the user's; where it raises, its traceback is what helps."""
    if not all(part.isidentifier() for part in module.split(".")):
        raise PushpointError(f"--import {module!r}: must be the name of a module, such as package.module")
    try:
        import_module(module)
    except ImportError as error:
        raise PushpointError(f"--import {module}: {error}") from None
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        raise PushpointError(
            f"--import {module}: the module raises {type(error).__name__} while it is imported"
        ) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status; what goes wrong becomes one line on standard error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    with lasting_streams() as output, warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            with raising_stopped():
                status = _run(given or ["--help"])
        except Stopped as stop:
            typer.echo(INTERRUPTED, err=True)
            status = stop.exit_status
        return _with_output(status, output)


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """One line of ours, without the place in the sources."""
    typer.echo(f"warning: {message}", err=True)


def _run(given: list[str]) -> int:
    try:
        refuse_little_memory()
        status = app(args=given, prog_name="pushpoint", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except (PushpointError, typer.TyperException) as error:
        sentence = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        sentence = one_line(sentence, MOST_SAID)
        typer.echo(f"error: {sentence}", err=True)
        return USAGE_ERROR
    except MemoryError as error:
        typer.echo(
            f"error: there is not enough memory for this ({one_line(error, MOST_NAMED) or 'none is left'})", err=True
        )
    except OSError as error:
        where = f"{one_line(error.filename, MOST_NAMED)}: " if error.filename else ""
        reason = error.strerror or one_line(error, MOST_NAMED)
        typer.echo(f"error: {where}the system refuses what is needed ({reason})", err=True)
    return FAILED


def _with_output(status: int, output: Lasting | None) -> int:
    """The exit status of a command once its output is written, or lost: a reader that has gone wants no words."""
    sys.stdout.flush()
    failure = None if output is None else output.failure
    if failure is None:
        return status
    if failure.errno == errno.EPIPE:
        return status or BROKEN_PIPE
    typer.echo(f"error: standard output cannot be written ({failure.strerror}): what was printed is lost", err=True)
    return status or FAILED

"""`pushpoint study`, `study-status`, `study-table` and `study-figures`: many worlds for one question."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import outputs
from pushpoint.cli.outputs import FAILED, AsJson
from pushpoint.errors import InvalidModel

if TYPE_CHECKING:
    import xarray

    from pushpoint.studies.running.driving import Standing

EVERY = 10.0
"""How often a line says how far a study is, where standard error is no terminal [s]."""
Store = Annotated[Path, typer.Argument(metavar="STORE", help="The folder of a study's results.")]


def study(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A study file.")],
    store: Annotated[Path | None, typer.Option(help="Folder for the results; default: out/NAME-study.")] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Processes on this machine, one core each; default: none.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, such as tcp://127.0.0.1:8786.")
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Where worlds are simulated: cpu, cuda:0; default: as the file says.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a study: many worlds for one question.

    Worlds that the store holds already are not run again: the same command goes on after an interruption or a kill,
    and adds the new worlds if the file has grown. A world that fails is a row with its status. Writes table.parquet
    (table.csv without pyarrow) and the runs that are kept.
    """
    from pushpoint.studies.running.driving import run_study
    from pushpoint.studies.study_files import read_study

    with outputs.stoppable():
        asked = read_study(file)
        modules = tuple((context.parent.params.get("modules") if context.parent else None) or ())
        asked = replace(asked, modules=modules) if modules else asked
        asked = asked if device is None else asked.on_device(device)
        folder = store or outputs.default_folder(asked.name, "-study")
    with outputs.keeping(folder, "worlds") as progress, StudyBar(asked.name, asked.rows, progress) as watch:
        found = run_study(asked, folder, workers=workers, scheduler=scheduler, watch=watch)
    standing = found.standing
    written: dict[str, Any] = {
        "name": asked.name,
        "worlds": standing.worlds,
        "reused": standing.reused,
        "simulated": standing.simulated,
        "failed": found.failed,
        "lost": len(found.lost),
        "timing": {"wall_s": standing.seconds, "worlds_per_s": standing.rate},
        "files": {"table": str(found.table)},
    }
    outputs.tell(written, as_json, _print_end)
    if found.lost:
        sentence = next(iter(found.lost.values()))
        typer.echo(f"error: {len(found.lost)} worlds are lost: {sentence}; the same command tries them again", err=True)
    raise typer.Exit(FAILED if found.lost else 0)


class StudyBar:
    """Shows how far a study is: a bar on a terminal, elsewhere a line from time to time."""

    def __init__(self, name: str, worlds: int, progress: Callable[[int, int], None]) -> None:
        from rich.progress import BarColumn, TextColumn

        self._name, self._worlds, self._progress = name, worlds, progress
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"))
        self._shown = outputs.progress_bar(*columns)
        self._said = time.monotonic()

    def __enter__(self) -> Callable[[Standing], None]:
        self._bar = self._shown.__enter__()
        self._task = self._bar.add_task(self._name, total=self._worlds, state="")
        return self._watch

    def __exit__(self, *error: Any) -> None:
        self._shown.__exit__(*error)

    def _watch(self, standing: Standing) -> None:
        from pushpoint.studies.running.driving import sentence_about

        done = standing.reused + standing.simulated
        self._progress(done, standing.worlds)
        self._bar.update(self._task, completed=done, state=sentence_about(standing))
        if self._bar.disable and time.monotonic() - self._said > EVERY:
            self._said = time.monotonic()
            typer.echo(f"{self._name}: {sentence_about(standing)}", err=True)


def _print_end(written: dict[str, Any]) -> None:
    timing = written["timing"]
    rate = f", {timing['worlds_per_s']:.3g} per second" if written["simulated"] else ""
    failed = f"; {written['failed']} of them failed, see their status" if written["failed"] else ""
    typer.echo(
        f"{written['name']}: {written['worlds']} worlds; {written['reused']} reused, {written['simulated']} simulated "
        f"in {timing['wall_s']:.3g} s{rate}{failed}"
    )


def study_status(store: Store, as_json: AsJson = False) -> None:
    """Say how far a study is.

    Worlds finished, how they ended, and the rate, at any time.
    """
    from pushpoint.studies.storing.status import status_of

    found = status_of(store)
    outputs.tell(found | {"files": {}}, as_json, _print_status)


def _print_status(found: dict[str, Any]) -> None:
    typer.echo(f"{found['name']}: {found['finished']} of {found['worlds']} worlds are finished")
    for status, count in found["statuses"].items():
        typer.echo(f"  {status}: {count}")
    if found["worlds_per_s"] is not None:
        typer.echo(f"last rate: {found['worlds_per_s']:.3g} worlds per second")
    typer.echo("a process works on it" if found["in_use"] else "no process works on it")


def study_table(
    store: Store,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A .csv or .parquet file; default: print the first rows.")
    ] = None,
    rows: Annotated[int, typer.Option(metavar="N", help="How many rows to print.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Print or write the table of a study.

    It holds the worlds that are finished so far.
    """
    from pushpoint.studies.storing.store import StudyStore
    from pushpoint.studies.storing.table import load_table, stored_study, write_table

    if rows < 1:
        raise InvalidModel("--rows", rows, "a whole number >= 1")
    if out is not None:
        if out.suffix not in (".csv", ".parquet"):
            raise InvalidModel("--out", str(out), "a file that ends in .csv or .parquet")
        held = StudyStore(store)
        written = write_table(held, *stored_study(held), path=out)
        outputs.tell({"files": {"table": str(written)}}, as_json, lambda _: None)
        return
    table = load_table(store)
    outputs.tell({"rows": _listed(table, rows), "worlds": table.sizes["world"], "files": {}}, as_json, _print_table)


def _listed(table: xarray.Dataset, rows: int) -> list[dict[str, Any]]:
    from pushpoint.simulation.provenance import json_types

    columns = {"world": table.world, **table.data_vars}
    chosen = {str(name): column.values[:rows].tolist() for name, column in columns.items()}
    return [json_types(dict(zip(chosen, row, strict=True))) for row in zip(*chosen.values(), strict=True)]


def _print_table(written: dict[str, Any]) -> None:
    shown = [{name: each for name, each in row.items() if name not in ("key", "message")} for row in written["rows"]]
    lines = [[f"{each:.4g}" if isinstance(each, float) else str(each) for each in row.values()] for row in shown]
    outputs.print_table(list(shown[0]), lines, numbers=slice(0, None))
    if written["worlds"] > len(shown):
        typer.echo(f"{written['worlds'] - len(shown)} more rows; --out FILE writes all")


def study_figures(
    store: Store,
    out: Annotated[Path | None, typer.Option(help="Folder for the figures; default: that of the store.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw every measure of a study.

    Each over what varies, with the worlds that are finished so far.
    """
    from pushpoint import plots
    from pushpoint.studies.figures import study_figure
    from pushpoint.studies.storing.store import StudyStore
    from pushpoint.studies.storing.table import load_table, stored_study

    table, (asked, _) = load_table(store), stored_study(StudyStore(store))
    folder = outputs.prepare_folder(out or store / "figures")
    figures = {name: study_figure(asked, table, name) for name in asked.measures}
    files = {name: str(plots.save_figure(each, folder / f"{name}.png")) for name, each in figures.items()}
    outputs.tell({"files": files}, as_json, lambda _: None)

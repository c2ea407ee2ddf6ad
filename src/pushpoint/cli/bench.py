"""`pushpoint bench`: timing against peers, and worlds that nobody thought of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pushpoint.cli import outputs
from pushpoint.cli.outputs import AsJson

OUT_OF_BOUNDS = 1
MOST_LISTED = 10
BENCHES = {
    "planar": "Time the planar engine beside MuJoCo.\n\nBoth run the obstacle-aided course.",
    "spatial": "Time the spatial engine beside MuJoCo.\n\nBoth run sidewinding and lateral undulation.",
    "shape-curves": "Time motion planning by shape curves.\n\nAn alignment, a command, and 64 worlds with dynamics.",
    "setup": "Time the set-up of large worlds.\n\n100,000 pegs, and batches of 1,000 and 10,000 worlds.",
    "force-mapping": "Time one force mapping.\n\nBuilt and solved, for 20 and 60 links at five pegs.",
    "variants": "Time the variants of the kernels.\n\nThe leanest beside the general one, and how long each compiles.",
    "growth": "Time longer robots and more worlds.\n\n11 to 352 links, and 1 to 256 worlds per core.",
    "roofline": "Tell what bounds a step.\n\nIts operations and memory, beside what a core can do.",
    "learning": "Time stepping from outside.\n\nBeside Gymnasium's Swimmer, and worlds swapped in.",
    "startup": "Time the start of the command line.\n\nProcessor time of help, list, and runs without media.",
}
"""Each is a module of pushpoint.bench."""

app = typer.Typer(help="Time the engine, or send it through random worlds.", rich_markup_mode=None)

Kind = Literal["usual", "violent", "violent-planar", "wide", "wide-planar"]
Quick = Annotated[bool, typer.Option("--quick", help="Fewer and shorter runs; a first impression.")]


def _add(name: str, help: str) -> None:
    @app.command(name, help=help, epilog=f"Example: pushpoint bench {name} --quick")
    def bench(as_json: AsJson = False, quick: Quick = False) -> None:
        _print(_figures(name, quick), as_json)


def _figures(name: str, quick: bool) -> dict[str, Any]:
    """What one of BENCHES found, and on what machine."""
    from pushpoint.bench.machine import machine

    module = import_module(f"pushpoint.bench.{name.replace('-', '_')}")
    return dict(module.run_bench(quick=quick)) | {"machine": machine()}


@app.command("all", epilog="Example: pushpoint bench all --quick")
def run_all(as_json: AsJson = False, quick: Quick = False) -> None:
    """Time everything, one bench after the other.

    With --json, one object by the names of the benches. What is being timed is told on the way.
    """
    found = {}
    for number, name in enumerate(BENCHES, start=1):
        typer.echo(f"{number} of {len(BENCHES)}: {name}", err=True)
        found[name] = _figures(name, quick)
    _print(found, as_json)


for each in BENCHES.items():
    _add(*each)


@app.command("random-worlds", epilog="Example: pushpoint bench random-worlds --count 20")
def random_worlds(
    count: Annotated[int, typer.Option(min=1, help="How many worlds.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first one; the next worlds have the next seeds.")] = 0,
    kind: Annotated[
        Kind,
        typer.Option(
            help="Spatial worlds as usual, violent ones, or ones with every option; the last two also planar."
        ),
    ] = "usual",
    out: Annotated[Path, typer.Option(help="Folder where finished worlds are kept.")] = Path("out/random-worlds"),
    as_json: AsJson = False,
) -> None:
    """Run random worlds for 2 s each.

    Exits with 1 if they do not keep the engine's bounds. Worlds that were finished before with the same sources are
    not run again.
    """
    from pushpoint.bench.random_worlds import outcomes_in, report
    from pushpoint.bench.violent_worlds import violent_case, violent_planar_case
    from pushpoint.bench.wide_worlds import wide_case, wide_planar_case

    makers = {
        "violent": violent_case,
        "violent-planar": violent_planar_case,
        "wide": wide_case,
        "wide-planar": wide_planar_case,
    }
    from pushpoint.studies.storing.results import kept_results

    chosen = {"make": makers[kind]} if kind in makers else {}
    store, tenths = outputs.prepare_folder(out) / "finished", 0
    with outputs.keeping(store, "worlds") as keep, kept_results(store) as kept, outputs.progress_bar() as bar:
        task = bar.add_task("worlds", total=count)

        def progress(done: int) -> None:
            """A bar on a terminal, else a line for every tenth."""
            nonlocal tenths
            keep(done, count)
            bar.update(task, completed=done)
            if bar.disable and 10 * done // count > tenths:
                tenths = 10 * done // count
                typer.echo(f"{done} of {count} worlds", err=True)

        if before := len(outcomes_in(kept, range(seed, seed + count), **chosen)):
            typer.echo(f"{before} of {count} worlds were done before", err=True)
        figures = report(seed, count, kept=kept, progress=progress, **chosen)
    _print(figures if as_json else _listed(figures), as_json)
    if not figures["passed"]:
        raise typer.Exit(OUT_OF_BOUNDS)


def _listed(figures: dict[str, Any]) -> dict[str, Any]:
    """For readers: lists of worlds as lines; of those with unconverged steps, the worst."""
    worst = [f"{each['steps']} of {each['of']} steps" for each in figures["unconverged"][:MOST_LISTED]]
    seeds = [f"unconverged.seed {each['seed']}" for each in figures["unconverged"]]
    failures = {
        f"failure.seed {each['seed']}": f"{each['status']}, {each['robot']}, {each['gait']} on {each['terrain']}, "
        f"dt {each['dt']:g} s, {'' if each['finite'] else 'not '}finite, "
        f"{1e3 * each['penetration']:.3g} mm deep, {1e3 * each['allowed']:.3g} mm allowed"
        for each in figures["failures"]
    }
    rest = {name: value for name, value in figures.items() if name not in ("unconverged", "failures")}
    return rest | dict(zip(seeds, worst, strict=False)) | failures


def _print(figures: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(figures))
        return
    lines = dict(_flat(figures))
    width = max(map(len, lines), default=0)
    for name, value in lines.items():
        typer.echo(f"{name:{width}}  {value:.4g}" if isinstance(value, float) else f"{name:{width}}  {value}")


def _flat(figures: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Figures of figures, one after the other, under names such as sidewinding.dt_1_ms.us_per_step."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value

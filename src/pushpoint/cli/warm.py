"""`pushpoint warm`: compiles kernels before they are needed."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer

from pushpoint.cli.outputs import AsJson


def warm(
    engine: Annotated[
        Literal["both", "planar", "spatial"], typer.Option(help="For robots in the plane, in space, or both.")
    ] = "both",
    everything: Annotated[bool, typer.Option("--all", help="All variants, not only the usual ones.")] = False,
    device: Annotated[str, typer.Option(metavar="NAME", help="The device: cpu or cuda:0.")] = "cpu",
    precision: Annotated[Literal["float64", "float32"], typer.Option(help="Precision of the kernels.")] = "float64",
    as_json: AsJson = False,
) -> None:
    """Compile kernels before a run needs them.

    A variant of the kernels leaves out what its worlds do not have, such as obstacles. Each is compiled once and kept
    in a cache.
    """
    from pushpoint.engine.settings import Settings
    from pushpoint.engine.warming import variants_to_warm, warm as warm_variants

    engines = ["planar", "spatial"] if engine == "both" else [engine]
    chosen = variants_to_warm(engines, everything=everything)
    ready = []
    for k, each in enumerate(warm_variants(chosen, Settings(device=device, precision=precision)), start=1):
        ready.append(each)
        if not as_json:
            typer.echo(f"{k} of {len(chosen)}: {each.engine} {each.variant}, {each.seconds:.1f} s")
    if as_json:
        typer.echo(json.dumps([each._asdict() for each in ready]))

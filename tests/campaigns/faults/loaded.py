"""Imported once by the process that all commands are forked from: whatever takes time to load, kernels included."""

from __future__ import annotations

from importlib import import_module

import pushpoint as pp

for name in (
    "bench.random_worlds",
    "bench.violent_worlds",
    "cli.main",
    "films.film",
    "gallery",
    "papers.registry",
    "plots",
    "proof.reproduction",
    "proof.verification",
    "replays.replay",
    "simulation.measures",
    "studies.comparison",
    "studies.comparison_figure",
):
    import_module(f"pushpoint.{name}")
pp.scenario("transeth2008a/flat").with_changes(duration=0.01).run()

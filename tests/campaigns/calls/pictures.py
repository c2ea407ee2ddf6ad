"""Calls of figures, and of what papers report."""

from __future__ import annotations

import numpy as np

import pushpoint as pp
from campaigns.calls import things
from campaigns.calls.planned import CONTACTS, PEGS, STATE, path, quality, result, stability
from campaigns.calls.running import place
from campaigns.calls.table import CALLS, Call, Made, fields_of, made
from campaigns.calls.things import SPATIAL
from pushpoint.papers.holden2014 import courses


@made
def figure() -> object:
    return pp.plots.health(things.run.make())


@made
def tracking() -> object:
    from pushpoint.simulation.tracking import tracking

    run = things.mapping_run.make()
    world = pp.world_of(run)
    return tracking(run, world.robot, world.controller)  # type: ignore[union-attr]


@made
def reported() -> object:
    return next(iter(pp.papers.reported("transeth2008a").values()))


CALLS |= {
    "plots.Scene": Call(pp.plots.Scene, title="t", run=things.run, times=(0.0, 0.05), link=1, until=1.0, beside={},
            label="l"),
    "plots.concatenation": Call(pp.plots.concatenation, things.curve, things.alignment, things.segment,
            [np.eye(3)] * 2, title="t"),
    "plots.course": Call(pp.plots.course, things.run, times=(0.0, 0.05), world=0),
    "plots.force_mapping": Call(pp.plots.force_mapping, things.mapping_run, world=0),
    "plots.growth_along_path": Call(pp.plots.growth_along_path, Made(lambda: {"a": stability.make()}), name="n"),
    "plots.lag": Call(pp.plots.lag, "n", things.run, things.run, 1, "f"),
    "plots.link_forces": Call(pp.plots.link_forces, "n", things.run, {1: "one"}, (0.0, 0.05), "f"),
    "plots.path_following": Call(pp.plots.path_following, things.path_run, world=0),
    "plots.looks_of": Call(pp.plots.looks_of, ["hybrid", "mine"]),
    "plots.mapping_instant": Call(pp.plots.mapping_instant, courses.fifteen_links(), STATE, CONTACTS, result, name="n"),
    "plots.modes": Call(pp.plots.modes, things.run_with_modes, name="n", world=None),
    "plots.motion": Call(pp.plots.motion, things.follower, SPATIAL, duration=0.5, times=(0.0, 0.5), run=None, link=None,
                         parts=("segment", "curve"), title="t"),
    "plots.positions": Call(pp.plots.positions, "n", Made(lambda: {"a": things.run.make()}), 1, "f"),
    "plots.quality_along_path": Call(pp.plots.quality_along_path, quality, path, PEGS, 4.0, name="n"),
    "plots.recording": Call(pp.plots.recording, things.comparison, things.run, world=0),
    "plots.save_figure": Call(pp.plots.save_figure, figure, place("figure.png")),
    "plots.scenes": Call(pp.plots.scenes, "n", "s", "f", Made(lambda: [pp.plots.Scene(title="t",
            run=things.run.make())]), columns=1),
    "plots.shape": Call(pp.plots.shape, things.spatial_run, parts=None, follower=None, world=0),
    "plots.shape_curve": Call(pp.plots.shape_curve, things.curve, Made(lambda: [things.alignment.make()]),
            labels=("a",),
                              path=None, link=None, title="t"),
    "plots.stays": Call(pp.plots.stays, things.run_with_modes, "jam-resolution", world=0),
    "plots.sweep": Call(pp.plots.sweep, things.sweep, np.array([0.1, 0.2]), things.verdict),
    "plots.sweep_effects": Call(pp.plots.sweep_effects, things.labelled, things.batch, things.verdict),
    "plots.sweep_map": Call(pp.plots.sweep_map, things.labelled, np.array([0.1, 0.2]), {"r": ["a"]}, {"c": ["a",
            "b"]}, things.verdict),
    "plots.tracking_comparison": Call(pp.plots.tracking_comparison, Made(lambda: {"a": tracking.make()}), name="n"),
    "papers.FigurePlace": Call(pp.papers.FigurePlace, figure="f", panel="p", form="points", x="a", y="b", scale=(1.0,
            1.0),
                               shift=(0.0, 0.0)),
    "papers.Reported": Call(pp.papers.Reported, **fields_of(reported, "paper", "key", "what", "where", "origin",
            "columns",
                            "units", "text", "values", "accuracy", "how", "relation", "ours", "note", "drawn")),
    "papers.draw_reported": Call(pp.papers.draw_reported, "transeth2008a", "fig-5", figure),
}  # fmt: skip
CALLS |= {
    f"plots.{name}": Call(getattr(pp.plots, name), things.run, world=0)
    for name in ("contacts", "health", "joints", "motors", "paths")
}
CALLS |= {
    f"plots.{name}": Call(getattr(pp.plots, name), things.balanced, world=0) for name in ("energy", "obstacle_forces")
}

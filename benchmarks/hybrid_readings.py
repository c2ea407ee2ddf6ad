"""How the readings of Liljeback2011 and the places of its unprinted obstacle decide over its environments.

    python benchmarks/hybrid_readings.py readings   # readings, bodies and environments: 3 minutes of a core
    python benchmarks/hybrid_readings.py bands      # environment 3 over the width of the head's band: a minute
    python benchmarks/hybrid_readings.py notches    # tube and balls over the friction of the pegs: half a minute
    python benchmarks/hybrid_readings.py continuous # jam resolution all the time, with three bodies: half a minute
    python benchmarks/hybrid_readings.py others     # what two readings make of LB4, LB6 and LB8: a minute
    python benchmarks/hybrid_readings.py fifth      # environment 3 over the places of a fifth obstacle: 10 minutes
    python benchmarks/hybrid_readings.py figures    # docs/images/hybrid-*.png; prints tables of docs/proof/bodies.md

Each stage is kept in docs/results/hybrid-readings.json; docs/proof/bodies.md says what was found.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from hybrid_readings_figures import bands_figure, fifth_figure, fifth_table, notches_table, readings_table

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.papers.liljeback2011.claims import resolution_gains, spread_of_three
from pushpoint.papers.liljeback2011.courses import obstacles
from pushpoint.papers.liljeback2011.readings import (
    BODIES,
    FIFTH_RADIUS,
    NARROW,
    OURS,
    POINTS,
    READINGS,
    clear_of,
    fifth_places,
    with_fifth,
)
from pushpoint.papers.liljeback2011.scenarios import DURATION, PASSED, STEP, Outcome, outcome, peg_course
from pushpoint.plots.page import save_figure
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

DOCS = Path(__file__).resolve().parents[1] / "docs"
KEPT = DOCS / "results" / "hybrid-readings.json"
SEEDS = tuple(range(5))
BATCH = 300
"""Worlds that run together [-], so that memory suffices."""
BANDS = tuple(round(0.02 * k, 2) for k in range(2, 11))
PEG_FRICTIONS = (0.0, 0.1, 0.2, 0.4, 0.58)
"""Of the pegs [-]; a notch between balls and 0.2 come to 0.57 together: tan(asin(7/22) + atan(0.2))."""
SPACING = 0.1
"""Of the places of the fifth obstacle [m]."""
MAPPED = (
    OURS,
    replace(OURS, clock="runs"),
    replace(OURS, head="front"),
    replace(OURS, head="front", start="front"),
    replace(OURS, band=OURS.band / 2),
    replace(OURS, head="front", band=OURS.band / 2),
)
"""Readings for which a fifth obstacle is looked for."""
MARGIN = 0.02
"""A place farther than this from all that the robot sweeps without it cannot matter [m]."""


def heads(worlds: Sequence[World]) -> tuple[np.ndarray, np.ndarray]:
    """Ways of the heads [m], shape (n_worlds, n_times), and positions of links, (n_worlds, n_times, n_links, 2)."""
    settings, record = replace(STEP, on_failure="record"), Record(rate=5.0, variables=("link_position",))
    ways, positions = [], []
    for first in range(0, len(worlds), BATCH):
        run = simulate(list(worlds[first : first + BATCH]), duration=DURATION, settings=settings, record=record)
        ways.append(Outcome(run).head)
        positions.append(run.link_position.values)
    return np.concatenate(ways), np.concatenate(positions)


def cells(keys: Sequence[dict[str, Any]], ways: np.ndarray) -> list[dict[str, Any]]:
    """One row per key: how far the head is in the end from each start, and how many starts passed on the way."""
    by_key = ways.reshape(len(keys), -1, ways.shape[1])
    return [
        key | {"passed": int((each.max(axis=1) > PASSED).sum()), "ways_m": each[:, -1].round(3).tolist()}
        for key, each in zip(keys, by_key, strict=True)
    ]


def readings_stage() -> list[dict[str, Any]]:
    """Every reading with every body in every environment."""
    asked = list(product(READINGS, BODIES, (1, 2, 3)))
    worlds = [w for reading, body, place in asked for w in reading.worlds(place, BODIES[body], SEEDS)]
    keys = [asdict(reading) | {"body": body, "environment": place} for reading, body, place in asked]
    return cells(keys, heads(worlds)[0])


def bands_stage() -> list[dict[str, Any]]:
    """Environment 3 over the width of the band, to either point of the head."""
    points = product(POINTS, BANDS, BODIES)
    asked = [(replace(OURS, head=head, band=band), body) for head, band, body in points]
    worlds = [w for reading, body in asked for w in reading.worlds(3, BODIES[body], SEEDS)]
    return cells([asdict(reading) | {"body": body} for reading, body in asked], heads(worlds)[0])


def notches_stage() -> list[dict[str, Any]]:
    """Environments 1 and 2 over the friction of the pegs, for the tube and for balls, whose notches hold pegs too."""
    asked = list(product(("tube", "balls"), PEG_FRICTIONS, (1, 2)))
    worlds = []
    for body, friction, place in asked:
        course = peg_course(obstacles(place, friction=friction))
        worlds += OURS.worlds_in(course, place, BODIES[body], SEEDS)
    keys = [{"body": body, "peg_friction": friction, "environment": place} for body, friction, place in asked]
    return cells(keys, heads(worlds)[0])


def continuous_stage() -> list[dict[str, Any]]:
    """The continuous controller, tuned with the tube, with every body in every environment."""
    asked = list(product(BODIES, (1, 2, 3)))
    worlds = [w for body, place in asked for w in OURS.worlds(place, BODIES[body], SEEDS)]
    worlds = [replace(world, controller=ContinuousResolution()) for world in worlds]
    return cells([{"body": body, "environment": place} for body, place in asked], heads(worlds)[0])


def others_stage() -> list[dict[str, Any]]:
    """What our reading and the narrow one make of other claims: LB4, LB6 and LB8, as these measure."""
    rows = []
    for reading in (OURS, NARROW):
        found = [outcome(place, reading.controller, 10, DURATION) for place in (1, 2)]
        gain = np.concatenate([resolution_gains(each)[1] for each in found])
        bare = outcome(None, reading.controller, 3, 60.0)
        rows.append(
            asdict(reading)
            | {"LB4_spread": [spread_of_three(each.head[:, -1]) for each in found]}
            | {"LB6_share": float((gain > 0.0).mean()), "LB8_way_m": float(np.abs(bare.center[:, -1]).max())}
        )
        print(rows[-1])
    return rows


def swept_distance(position: np.ndarray, places: np.ndarray, radius: float) -> np.ndarray:
    """Least distance of each place's obstacle from a robot whose links' centres were there [m], shape (n_places,).

    Links count as if they were discs that reach their ends, which is never too far.
    """
    centers = position.reshape(-1, 2)
    centers = centers[np.isfinite(centers).all(axis=1)]
    gaps = [np.linalg.norm(centers - place, axis=1).min() for place in places]
    return np.array(gaps) - FIFTH_RADIUS - radius


def fifth_stage() -> list[dict[str, Any]]:
    """Passes over the places of a fifth obstacle; where no start reaches it, nothing is run: it changes nothing."""
    found = []
    for reading, body in product(MAPPED, BODIES):
        robot, begun = BODIES[body], time.process_time()
        places = fifth_places(SPACING, robot, reading.start)
        alone, position = heads(reading.worlds(3, robot, SEEDS))
        most = alone.max(axis=1)
        reach = robot.links[0].radius + robot.links[0].length / 2 + MARGIN
        near = np.array([swept_distance(each, places, reach) <= 0.0 for each in position]).T
        ways = np.repeat(most[None], len(places), axis=0)
        chosen = np.argwhere(near)
        worlds = [
            clear_of(reading.worlds_in(with_fifth(places[k]), 3, robot, (SEEDS[s],))[0]) for k, s in chosen
        ]  # fmt: skip
        ways[tuple(chosen.T)] = heads(worlds)[0].max(axis=1)
        passed = (ways > PASSED).sum(axis=1)
        found.append(
            asdict(reading)
            | {"body": body, "without": int((most > PASSED).sum()), "run": len(worlds), "places": len(places)}
            | {"place_m": places.round(3).tolist(), "passed": passed.tolist()}
            | {"median_way_m": np.median(ways, axis=1).round(3).tolist()}
        )
        cpu = time.process_time() - begun
        print(
            reading, body, f"{(passed >= 3).sum()} of {len(places)} places, {len(worlds)} runs, {cpu:.0f} s", flush=True
        )
    return found


STAGES = {
    "readings": readings_stage,
    "bands": bands_stage,
    "notches": notches_stage,
    "continuous": continuous_stage,
    "others": others_stage,
    "fifth": fifth_stage,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=(*STAGES, "figures"))
    stage = parser.parse_args().stage
    kept = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    if stage == "figures":
        save_figure(bands_figure(kept["bands"]), DOCS / "images" / "hybrid-bands.png")
        save_figure(fifth_figure(kept["fifth"]), DOCS / "images" / "hybrid-fifth-obstacle.png")
        for table in (readings_table, notches_table, fifth_table):
            print(table(kept[table.__name__.removesuffix("_table")]), end="\n\n")
        return
    begun = time.process_time()
    kept[stage] = STAGES[stage]()
    KEPT.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    print(f"{stage}: {time.process_time() - begun:.0f} s of a core, kept in {KEPT.name}")


if __name__ == "__main__":
    main()

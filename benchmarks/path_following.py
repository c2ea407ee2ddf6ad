"""How well robots follow paths: keeps docs/results/path-following.json and writes the tables of its page.

Usage: python benchmarks/path_following.py [--table]
--table only writes the tables of docs/theory/path-following.md again, from the kept results.

Robots start 5 cm beside a straight line and turned away by 20 degrees, unless the row says otherwise. Distances are arc
lengths along the path from the start. "mean" is the mean over the last cycle of the gait, "sample" every sample of the
centre of mass, with its swing.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.papers.ours import paths
from pushpoint.whole_files import write_bytes

ROOT = Path(__file__).resolve().parents[1]
KEPT, PAGE = ROOT / "docs/results/path-following.json", ROOT / "docs/theory/path-following.md"
RECORD = pp.Record(rate=25.0, variables=("center_of_mass",))
SIDE_LOAD = 0.05
"""Force on each link across the line [N]: against 3 N s/m it is a drift of 1.7 cm/s."""
SIDEWINDING = 60.0
"""Duration of the sidewinding run [s]."""
LAST = 0.25
"""Share of a run over which its last errors are taken [-]."""


def robots() -> dict[str, tuple[pp.World, float]]:
    """The three robots with their laws, and how long they run [s]."""
    return {
        "ten links, viscous": (pp.scenario("paths/straight-line").world, 45.0),
        "Aiko, dry friction": (paths.aiko_on_line(pp.Start(position=(0.0, paths.ASIDE), heading=paths.TURNED)), 40.0),
        "ACM III, wheels": (pp.scenario("paths/wheeled").world, 50.0),
    }


def row(name: str, run: Any, robot: Any) -> dict[str, Any]:
    """What one world showed."""
    mean, sample = (np.abs(pp.measures.cross_track_error(run, averaged=each).values) for each in (True, False))
    late = slice(-round(LAST * run.sizes["time"]), None)
    distances = {
        key: [None if np.isnan(found) else float(found)][0]
        for key, found in (
            ("mean_within_2cm_after_m", float(pp.measures.settling_distance(run))),
            ("sample_within_2cm_after_m", float(pp.measures.settling_distance(run, averaged=False))),
        )
    }
    way = run.center_of_mass.isel(time=-1, drop=True) - run.center_of_mass.isel(time=0, drop=True)
    return {
        "case": name,
        "robot_length_m": robot.length,
        "travelled_m": float(np.hypot(way[0], way[1])),
        "duration_s": float(run.time[-1]),
        "largest_error_m": float(sample.max()),
        **distances,
        "last_mean_error_m": float(mean[late].max()),
        "last_sample_error_m": float(sample[late].max()),
    }


def measured(cases: dict[str, pp.World], duration: float, settings: pp.Settings | None = None) -> list[dict[str, Any]]:
    """Rows of worlds that run in one batch."""
    runs = pp.simulate([*cases.values()], duration, record=RECORD, settings=settings or pp.Settings())
    return [row(name, runs.isel(world=w), world.robot) for w, (name, world) in enumerate(cases.items())]


def from_ten_starts(world: pp.World, duration: float, **sensors: Any) -> dict[str, Any]:
    """The worst of ten starts, up to 15 cm beside the line and turned by up to 90 degrees."""
    starts = {
        f"start {k}": replace(world, start=pp.Start(position=(0.0, aside), heading=turn), **sensors)
        for k, (aside, turn) in enumerate(paths.TEN_STARTS)
    }
    rows = measured(starts, duration)
    reached = [each["mean_within_2cm_after_m"] for each in rows]
    return {
        "starts": len(rows),
        "reached": sum(way is not None for way in reached),
        "mean_within_2cm_after_m": max((way for way in reached if way is not None), default=None),
        "last_mean_error_m": max(each["last_mean_error_m"] for each in rows),
        "robot_length_m": world.robot.length,
    }


def loaded(world: pp.World, **law: Any) -> pp.World:
    """The same world with a side load on every link and another law."""
    controller = replace(world.controller, **law)
    return replace(world, controller=pp.control.Loaded(controller=controller, load=[(0.0, SIDE_LOAD, 0.0)]))


def measure() -> dict[str, Any]:
    """All results."""
    three, starts, noisy = [], {}, {}
    for name, (world, duration) in robots().items():
        three += measured({name: world}, duration)
        starts[name] = from_ten_starts(world, 1.6 * duration)
        noisy[name] = from_ten_starts(world, 1.6 * duration, sensors=paths.CAMERA)
    ten = robots()["ten links, viscous"][0]
    load = {f"side load, integral gain {gain:g} m/s": loaded(ten, integral_gain=gain) for gain in (0.0, 0.02, 0.04)}
    slope = pp.scenario("paths/across-slope").world
    slopes = {
        f"slope of 5°, integral gain {gain:g} m/s": replace(
            slope, controller=replace(slope.controller, integral_gain=gain)
        )
        for gain in (0.0, 0.05)
    }
    others = {name: pp.scenario(f"paths/{name}") for name in ("waypoints", "curve", "sidewinding-line")}
    return {
        "three_robots": three,
        "ten_starts": starts,
        "ten_starts_with_cameras": noisy,
        "drift": measured(load, 180.0) + measured(slopes, 120.0),
        "others": [
            measured({name: each.world}, SIDEWINDING if each.world.spatial else each.duration, each.settings)[0]
            for name, each in others.items()
        ],
        "speed": speeds(),
        "half_step": measured({"ten links, viscous": ten}, 45.0, pp.Settings(dt=pp.Settings().dt / 2)),
        "float32": measured({"ten links, viscous": ten}, 45.0, pp.Settings(precision="float32")),
    }


def speeds() -> list[dict[str, float]]:
    """Wanted and kept average speed of the ten-link robot on its line."""
    ten, found = pp.scenario("paths/straight-line").world, []
    for wanted in (0.06, 0.12, 0.18, 0.24):
        law = replace(ten.controller, speed=pp.control.SpeedController(speed=wanted))
        run = pp.simulate(replace(ten, controller=law), 60.0, record=RECORD)
        late = run.sel(time=slice(29.99, None))
        way = float(late.center_of_mass[-1, 0] - late.center_of_mass[0, 0])
        found.append({"wanted_m_s": wanted, "kept_m_s": way / float(late.time[-1] - late.time[0])})
    return found


def cm(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2g} cm"


def far(value: float | None, length: float) -> str:
    return "not reached" if value is None else f"{value:.2f} m ({value / length:.1f} lengths)"


def error_table(rows: list[dict[str, Any]]) -> list[str]:
    """Rows of one kind of case."""
    lines = ["| case | largest error | mean within 2 cm after | every sample after | last mean | last sample |"]
    lines.append("|---|---|---|---|---|---|")
    for each in rows:
        length = each["robot_length_m"]
        ways = [far(each[f"{key}_within_2cm_after_m"], length) for key in ("mean", "sample")]
        errors = [cm(each[key]) for key in ("last_mean_error_m", "last_sample_error_m")]
        lines.append(f"| {each['case']} | {cm(each['largest_error_m'])} | {' | '.join(ways + errors)} |")
    return lines


def start_table(kept: dict[str, Any]) -> list[str]:
    """Ten starts, with perfect sensors and with cameras."""
    lines = ["| robot | sensors | starts that reach it | mean within 2 cm after, at most | last mean, at most |"]
    lines.append("|---|---|---|---|---|")
    for sensors, key in (("perfect", "ten_starts"), ("cameras and compass", "ten_starts_with_cameras")):
        for name, each in kept[key].items():
            way = far(each["mean_within_2cm_after_m"], each["robot_length_m"])
            count = f"{each['reached']} of {each['starts']}"
            lines.append(f"| {name} | {sensors} | {count} | {way} | {cm(each['last_mean_error_m'])} |")
    return lines


def speed_table(kept: list[dict[str, float]]) -> list[str]:
    return ["| wanted | kept |", "|---|---|"] + [
        f"| {each['wanted_m_s']:g} m/s | {each['kept_m_s']:.4f} m/s |" for each in kept
    ]


def write_tables(kept: dict[str, Any]) -> None:
    """Writes the tables between their markers."""
    tables = {
        "three robots": error_table(kept["three_robots"]),
        "ten starts": start_table(kept),
        "drift": error_table(kept["drift"]),
        "others": error_table(kept["others"]),
        "speed": speed_table(kept["speed"]),
    }
    text = PAGE.read_text(encoding="utf-8")
    for name, lines in tables.items():
        begin, end = f"<!-- {name}: written by benchmarks/path_following.py -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = before + begin + "\n\n" + "\n".join(lines) + "\n\n" + end + after
    write_bytes(PAGE, text.encode())


def main() -> None:
    if "--table" not in sys.argv[1:]:
        write_bytes(KEPT, (json.dumps(measure(), indent=1, ensure_ascii=False) + "\n").encode())
    write_tables(json.loads(KEPT.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()

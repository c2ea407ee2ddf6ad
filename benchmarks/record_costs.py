"""Measures what records on request cost; writes the table of docs/reference/result-variables.md.

Usage: python benchmarks/record_costs.py [--table | --gpu]
--table only writes the table again, from docs/results/record-costs.json.
--gpu compares all records of short runs on the CPU and on cuda:0 instead, and prints how far they are apart.

Each record is asked for alone, at the usual 100 samples per second, and beside it the usual records; then all together.
Processor times of the whole call of simulate alternate in one process, and ratios of their medians count. The first
round, which compiles, is dropped.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pushpoint as pp
from pushpoint.bench.timing import alternate, timed
from pushpoint.whole_files import write_bytes
from pushpoint.worlds.variables import VARIABLES

ROOT = Path(__file__).resolve().parents[1]
KEPT, PAGE = ROOT / "docs/results/record-costs.json", ROOT / "docs/reference/result-variables.md"
BEGIN, END = "<!-- costs: written by benchmarks/record_costs.py -->", "<!-- end of costs -->"
COURSES = {"plane": ("transeth2008a/obstacle-aided", 10.0), "space": ("transeth2008b/sidewinding", 9.0)}
"""Scenario and duration [s] in the plane and in space."""
REPEATS = 7
SHORT = 0.1
"""Duration of the runs on two devices [s]: chaos has not set in."""
REQUESTED = [name for name, entry in VARIABLES.items() if entry.on_request]

EVERYTHING = pp.Record(also=REQUESTED)


def measured(where: str) -> dict[str, Any]:
    """Processor time and memory of each record over those of a usual run."""
    name, duration = COURSES[where]
    world = pp.scenario(name).world
    other = "plane" if where == "space" else "space"
    asked = {each: (each,) for each in REQUESTED if VARIABLES[each].engine != other}
    asked = {"usual": (), **asked, "all together": tuple(asked)}
    records = {each: pp.Record(also=also) for each, also in asked.items()}
    rivals = [timed(lambda record=record: pp.simulate(world, duration, record=record)) for record in records.values()]
    times = dict(zip(records, alternate(REPEATS, *rivals), strict=True))
    sizes = {each: pp.estimate(world, duration, record=record).recording for each, record in records.items()}
    return {
        "scenario": name,
        "duration": duration,
        "usual_processor_time": times["usual"],
        "time_ratio": {each: times[each] / times["usual"] for each in records if each != "usual"},
        "size_ratio": {each: sizes[each] / sizes["usual"] for each in records if each != "usual"},
    }


def table(found: dict[str, Any]) -> str:
    """The ratios as Markdown."""
    lines = [
        "| record | time in the plane | time in space | results in the plane | results in space |",
        "|---|---|---|---|---|",
    ]
    for name in (*REQUESTED, "all together"):
        cells = [
            _percent(found[where][kind][name]) if name in found[where][kind] else ""
            for kind in ("time_ratio", "size_ratio")
            for where in COURSES
        ]
        shown = f"`{name}`" if name in VARIABLES else name
        lines.append(f"| {shown} | {' | '.join(cells)} |")
    return "\n".join(lines)


def apart(where: str) -> dict[str, float]:
    """Largest difference of each record between CPU and GPU over its largest value, in a batch of 64 worlds."""
    world = pp.scenario(COURSES[where][0]).world
    runs = [
        pp.simulate([world] * 64, SHORT, settings=pp.Settings(device=device, tolerance=1e-8), record=EVERYTHING)
        for device in ("cpu", "cuda:0")
    ]
    found = {}
    for name in REQUESTED:
        if name in runs[0] and runs[0][name].size:
            off, size = abs(runs[0][name] - runs[1][name]).max(), abs(runs[0][name]).max()
            found[name] = float(off / size) if size else float(off)
    return found


def _percent(ratio: float) -> str:
    """What a ratio is beyond one; less than nothing is noise."""
    return f"{max(0.0, 100 * (ratio - 1)):.0f} %"


def main() -> None:
    if "--gpu" in sys.argv[1:]:
        print(json.dumps({where: apart(where) for where in COURSES}, indent=1))
        return
    if "--table" not in sys.argv[1:]:
        found = {where: measured(where) for where in COURSES}
        write_bytes(KEPT, (json.dumps(found, indent=1) + "\n").encode())
    kept = json.loads(KEPT.read_text())
    print(json.dumps(kept, indent=1))
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    write_bytes(PAGE, f"{before}{BEGIN}\n\n{table(kept)}\n\n{END}{after}".encode())


if __name__ == "__main__":
    main()

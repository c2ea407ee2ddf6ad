"""Measures what time step and tolerance do to a run; writes the table of docs/how-to/choose-dt-and-tolerance.md.

Usage: python benchmarks/time_steps.py [--table]
--table only writes the table again, from docs/results/time-steps.json.

Two courses: six pegs and a wall in the plane, and sidewinding in space.
Processor time is that of the call of simulate, the least of three; it is the machine's own, and compares rows only.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pushpoint as pp
from pushpoint.whole_files import write_bytes

ROOT = Path(__file__).resolve().parents[1]
KEPT, PAGE = ROOT / "docs/results/time-steps.json", ROOT / "docs/how-to/choose-dt-and-tolerance.md"
BEGIN, END = "<!-- time steps: written by benchmarks/time_steps.py -->", "<!-- end of time steps -->"
COURSES = {"six pegs and a wall": "examples/my_course.yaml", "sidewinding in space": "transeth2008b/sidewinding"}
STEPS = (2e-2, 4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4)
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-5)
USUAL = pp.Settings()
RECORD = pp.Record(rate=25.0)  # a whole number of every step
REPEATS = 3
SPATIAL_DURATION = 9.0
"""Of the sidewinding run [s]."""


def measured(course: str, dt: float, tolerance: float) -> dict[str, Any]:
    """One row: how far the robot came, and what the run says of itself."""
    name = COURSES[course]
    scenario = pp.scenario(ROOT / name if name.endswith(".yaml") else name)
    duration = scenario.duration if name.endswith(".yaml") else SPATIAL_DURATION
    settings = replace(scenario.settings, dt=dt, tolerance=tolerance)
    took = []
    for _ in range(REPEATS):
        begun = time.process_time()
        run = pp.simulate(scenario.world, duration, settings=settings, record=RECORD)
        took.append(time.process_time() - begun)
    (health,) = pp.health_of(run)  # one per world
    return {
        "course": course,
        "dt": dt,
        "tolerance": tolerance,
        "duration": duration,
        "distance": float(pp.measures.distance(run)),
        "penetration": health.deepest_penetration,
        "unconverged": health.unconverged_steps,
        "steps": health.steps,
        "processor_time": min(took),
        "warnings": [*pp.warnings_of(run)],
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as Markdown, a table per course."""
    parts = []
    for course in COURSES:
        lines = [
            f"{course.capitalize()}, {next(r for r in rows if r['course'] == course)['duration']:g} s:",
            "",
            "| time step | tolerance | distance | deepest overlap | unconverged steps | processor time | warnings |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in (row for row in rows if row["course"] == course):
            usual = "**" if (row["dt"], row["tolerance"]) == (USUAL.dt, USUAL.tolerance) else ""
            cells = [
                f"{1e3 * row['dt']:g} ms",
                f"{row['tolerance']:g}",
                f"{row['distance']:.3f} m",
                f"{1e3 * row['penetration']:.2g} mm",
                f"{row['unconverged']} of {row['steps']}",
                f"{1e3 * row['processor_time']:.0f} ms",
                f"{len(row['warnings'])}",
            ]
            lines.append("| " + " | ".join(f"{usual}{cell}{usual}" for cell in cells) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def with_table(page: str, rows: list[dict[str, Any]]) -> str:
    """The page with its table made of the rows."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{table(rows)}\n\n{END}{rest.partition(END)[2]}"


def main() -> None:
    """Measures, keeps and writes."""
    if "--table" not in sys.argv[1:]:
        cases = [(dt, USUAL.tolerance) for dt in STEPS] + [(USUAL.dt, t) for t in TOLERANCES if t != USUAL.tolerance]
        rows = [measured(course, dt, tolerance) for course in COURSES for dt, tolerance in cases]
        write_bytes(KEPT, (json.dumps({"rows": rows}, indent=1) + "\n").encode())
    rows = json.loads(KEPT.read_text(encoding="utf-8"))["rows"]
    write_bytes(PAGE, with_table(PAGE.read_text(encoding="utf-8"), rows).encode())
    print(table(rows))


if __name__ == "__main__":
    main()

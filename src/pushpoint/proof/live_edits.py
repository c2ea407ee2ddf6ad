"""What changes of a running simulation cost, as Markdown: from what benchmarks/live_edits.py found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pushpoint.pages.page import markdown_table
from pushpoint.proof.speed.wording import paragraphs

Results = Mapping[str, Mapping[str, Any]]
MISSING = "Not tried yet: `python benchmarks/live_edits.py > found.json`, then `make documents`."
TITLES = {"flat": "on flat ground", "pegs": "among pegs", "space": "sidewinding in space"}


def live_edits_table(results: Results) -> str:
    """Jumps of the references and peaks of torque, of each change at once and blended."""
    if "live-edits" not in results:
        return MISSING
    found = results["live-edits"]
    times = [0.0, found["over"], found["slowly"]]
    parts = [_part(TITLES[where], found["scenarios"][where], rows, times) for where, rows in found["edits"].items()]
    how = (
        f"*`python benchmarks/live_edits.py`: each change is made at {found['moment']:g} s of the same run. The "
        "largest torque is that of any joint and time step during the change and "
        f"{found['after']:g} s after it. What is left of the angle, and the force of an obstacle on a link, are those "
        f"at the moment of the largest torque with `over={found['over']:g}`. The blended references began with a jump "
        f"of at most {_most(found)}.*"
    )
    return paragraphs(*parts, how)


def _part(title: str, scenario: str, rows: Mapping[str, Any], times: Sequence[float]) -> str:
    presses = any(row["blended"]["press"] for row in rows.values())
    columns = (
        f"{title} (`{scenario}`)",
        "jump of angle",
        "jump of rate",
        *(f"largest torque, `over={each:g}`" for each in times),
        *(("angle left", "obstacle's force") if presses else ()),
    )
    cells = [
        [
            name,
            f"{row['at_once']['angle']:.3g} deg",
            f"{row['at_once']['rate']:.3g} deg/s",
            *(f"{row[how]['torque']:.3g} N m" for how in ("at_once", "blended", "slowly")),
            *((f"{row['blended']['short']:.2g} deg", f"{row['blended']['press']:.3g} N") if presses else ()),
        ]
        for name, row in rows.items()
    ]
    return markdown_table(columns, cells)


def _most(found: Mapping[str, Any]) -> str:
    blended = [row["blended"] for rows in found["edits"].values() for row in rows.values()]
    angle, rate = (max(each[name] for each in blended) for name in ("angle", "rate"))
    return f"{angle:.1g} deg and {rate:.1g} deg/s"

"""Robots out and in, and beside MuJoCo: keeps docs/results/interchange-robots.json and writes the table of its page.

Usage: python benchmarks/interchange_robots.py [--table]
--table only writes the table of docs/how-to/take-a-robot-elsewhere.md again, from the kept results.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import pushpoint as pp
from pushpoint.model.catalogue import ROBOTS
from pushpoint.whole_files import write_bytes

ROOT = Path(__file__).resolve().parents[1]
KEPT, PAGE = ROOT / "docs/results/interchange-robots.json", ROOT / "docs/how-to/take-a-robot-elsewhere.md"
BEGIN, END = "<!-- robots beside MuJoCo: begin -->\n", "<!-- robots beside MuJoCo: end -->"
PERIODS = 3.0
SCENARIOS = (
    "transeth2008a/obstacle-aided",
    "transeth2008a/flat",
    "transeth2008b/sidewinding",
    "transeth2008b/lateral-undulation-isotropic",
    "transeth2008b/lateral-undulation-orthotropic",
    "gaits/lateral-undulation",
)


def out_and_in(name: str, ending: str, folder: Path) -> dict[str, Any]:
    """Largest errors of a robot of the catalogue after a round through a file."""
    robot = ROBOTS[name]()
    file = folder / f"{name}.{ending}"
    pp.export(robot, file)
    back = pp.read_robot(file, planar=isinstance(robot, pp.PlanarRobot))
    mass = mujoco.MjModel.from_xml_path(str(file)).body_mass.sum()
    welded = robot.links[0].mass if ending == "urdf" else 0.0  # MuJoCo makes a URDF's root a part of the world

    def error(field: str) -> float:
        return float(np.abs(back.column(field) / robot.column(field) - 1).max())

    limits = ("lower", "upper", "torque_limit")
    return {
        "robot": name,
        "file": ending,
        **{f"{field}_relative": error(field) for field in ("mass", "inertia", "length", "radius")},
        "same_axes": back.axes == robot.axes,
        "same_limits": all(np.array_equal(back.motor_column(each), robot.motor_column(each)) for each in limits),
        "mujoco_mass_relative": float((mass + welded) / robot.mass - 1),
    }


def beside(name: str) -> dict[str, Any]:
    """A scenario here and in MuJoCo."""
    scenario = pp.scenario(name)
    first = pp.interchange.run_beside_mujoco(scenario)
    longer = pp.interchange.run_beside_mujoco(scenario, periods=PERIODS)
    return {
        "scenario": name,
        "periods": PERIODS,
        "way_mm": 1e3 * float(np.linalg.norm(longer.path[-1] - longer.path[0])),
        "apart_after_one_mm": 1e3 * float(first.distance[-1]),
        "apart_mm": 1e3 * float(longer.distance.max()),
        "predicted_mm": 1e3 * first.predicted(PERIODS),
    }


def with_table(page: str, rows: list[dict[str, Any]]) -> str:
    """The page with its table made from the rows."""
    head = "| scenario | way [mm] | apart after one period [mm] | apart after three [mm] | predicted [mm] |\n"
    lines = [
        f"| `{row['scenario']}` | {row['way_mm']:.0f} | {row['apart_after_one_mm']:.1f} "
        f"| {row['apart_mm']:.1f} | {row['predicted_mm']:.1f} |\n"
        for row in rows
    ]
    before, _, rest = page.partition(BEGIN)
    return (
        before
        + BEGIN
        + "\n"
        + head
        + "| --- | --- | --- | --- | --- |\n"
        + "".join(lines)
        + "\n"
        + END
        + rest.partition(END)[2]
    )


def main() -> None:
    if "--table" not in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            rounds = [out_and_in(name, ending, Path(folder)) for name in ROBOTS for ending in ("xml", "urdf")]
        kept = {
            "mujoco": mujoco.__version__,
            "out_and_in": rounds,
            "beside_mujoco": [beside(name) for name in SCENARIOS],
        }
        write_bytes(KEPT, (json.dumps(kept, indent=1) + "\n").encode())
    rows = json.loads(KEPT.read_text(encoding="utf-8"))["beside_mujoco"]
    write_bytes(PAGE, with_table(PAGE.read_text(encoding="utf-8"), rows).encode())


if __name__ == "__main__":
    main()

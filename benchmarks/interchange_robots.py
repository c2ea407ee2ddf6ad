"""Robots out and in, and beside MuJoCo: keeps docs/results/interchange-robots.json and writes the table of its page.

Usage: python benchmarks/interchange_robots.py [--random] [--table]
--random only runs the worlds of ten periods again, most of them random.
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

WORLDS, TEN = 8, 10
"""Random worlds, and periods of each [-]."""
DECEIVING = "transeth2008b/sidewinding-realistic"
"""A scenario whose first period is unlike the others: its motors start late."""


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


def first_period(longer: pp.interchange.BesideMujoco) -> pp.interchange.BesideMujoco:
    """The first period of a longer run, which is all that an estimate knows."""
    count = np.searchsorted(longer.times, longer.period * (1 - 1e-9)) + 1
    parts = {each: getattr(longer, each)[:count] for each in ("times", "path", "mujoco_path", "turned")}
    return pp.interchange.BesideMujoco(period=longer.period, **parts)


def beside(name: str) -> dict[str, Any]:
    """A scenario here and in MuJoCo."""
    longer = pp.interchange.run_beside_mujoco(pp.scenario(name), periods=PERIODS)
    first = first_period(longer)
    return {
        "scenario": name,
        "periods": PERIODS,
        "way_mm": 1e3 * float(np.linalg.norm(longer.path[-1] - longer.path[0])),
        "apart_after_one_mm": 1e3 * float(first.distance[-1]),
        "apart_mm": 1e3 * float(longer.distance.max()),
        "predicted_mm": 1e3 * first.predicted(PERIODS),
    }


def random_world(seed: int) -> tuple[str, pp.World]:
    """A gait of random size, frequency and wave on ground of random friction, and what it is called."""
    random = np.random.default_rng((seed, 3))
    friction, angles = float(random.uniform(0.1, 0.9)), np.radians(random.uniform((10, 40, 25), (30, 100, 60)))
    wave = {"angular_frequency": angles[1], "phase_shift": -angles[2]}
    if seed % 2:
        law: pp.FrictionLaw = pp.Isotropic(friction)
        lift = {"pitch_amplitude": np.radians(10), "pitch_lead": np.pi / 2}
        name, gait = "sidewinding", pp.gaits.Sidewinding(yaw_amplitude=angles[0], **wave, **lift)
    else:
        law, name = pp.Elliptic(along=friction / 4, across=friction), "undulation"
        gait = pp.gaits.LateralUndulation(amplitude=angles[0], **wave)
    return f"{name} on friction {friction:.2f}", pp.World(
        pp.catalogue.aiko(), pp.Environment(ground=pp.Ground(friction=law)), gait
    )


def over_ten_periods(name: str, thing: pp.World | pp.Scenario) -> dict[str, Any]:
    """How far the paths come apart, and how far the first period says."""
    long = pp.interchange.run_beside_mujoco(thing, periods=TEN)
    return {
        "world": name,
        "way_mm": 1e3 * float(np.linalg.norm(long.path[-1] - long.path[0])),
        "apart_mm": 1e3 * float(long.distance.max()),
        "predicted_mm": 1e3 * first_period(long).predicted(TEN),
    }


def sentence_of(rows: list[dict[str, Any]]) -> str:
    """How far the figure can be trusted."""
    shares = {row["world"]: row["apart_mm"] / row["predicted_mm"] for row in rows}
    last = shares.pop(DECEIVING)
    within = sum(share <= 1.0 for share in shares.values())
    return (
        f"Over ten periods, {within} of {len(shares)} random worlds, sidewinding and undulation on friction from 0.1 "
        f"to 0.9, kept\nwithin the estimate and came to {max(shares.values()):.0%} of it at most; "
        f"`{DECEIVING}` came to {last:.0%}.\n\n"
    )


def with_table(page: str, rows: list[dict[str, Any]], ten: list[dict[str, Any]]) -> str:
    """The page with its table made from the rows, and what random worlds over ten periods say."""
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
        + sentence_of(ten)
        + END
        + rest.partition(END)[2]
    )


def measured() -> dict[str, Any]:
    """All figures but those of random worlds."""
    with tempfile.TemporaryDirectory() as folder:
        rounds = [out_and_in(name, ending, Path(folder)) for name in ROBOTS for ending in ("xml", "urdf")]
    return {
        "mujoco": mujoco.__version__,
        "out_and_in": rounds,
        "beside_mujoco": [beside(name) for name in SCENARIOS],
    }


def main() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    if "--table" not in sys.argv:
        if "--random" not in sys.argv:
            kept |= measured()
        worlds: list[tuple[str, Any]] = [random_world(seed) for seed in range(WORLDS)]
        worlds.append((DECEIVING, pp.scenario(DECEIVING)))
        kept["ten_periods"] = [over_ten_periods(*each) for each in worlds]
        write_bytes(KEPT, (json.dumps(kept, indent=1) + "\n").encode())
    page = with_table(PAGE.read_text(encoding="utf-8"), kept["beside_mujoco"], kept["ten_periods"])
    write_bytes(PAGE, page.encode())


if __name__ == "__main__":
    main()

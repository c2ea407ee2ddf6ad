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
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby, product
from pathlib import Path
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.papers.ours import paths
from pushpoint.papers.ours.gaits import on_ground
from pushpoint.simulation.measures.path_errors import cycle_samples, traced
from pushpoint.whole_files import write_bytes

ROOT = Path(__file__).resolve().parents[1]
KEPT, PAGE = ROOT / "docs/results/path-following.json", ROOT / "docs/theory/path-following.md"
CURVES_PAGE = ROOT / "docs/theory/shape-curves.md"
RECORD = pp.Record(rate=25.0, variables=("center_of_mass",))
SIDE_LOAD = 0.05
"""Force on each link across the line [N]: against 3 N s/m it is a drift of 1.7 cm/s."""
SIDEWINDING = 60.0
"""Duration of the sidewinding run [s]."""
LAST = 0.25
"""Share of a run over which its last errors are taken [-]."""
GAINS = (0.3, 0.6)
"""Gains of the robot on a curve [-]: the default one, and that of the scenario."""
TAPERS = (-0.4, -0.2, -0.1, -0.05, 0.0, 0.05, 0.1, 0.2, 0.4)
WAVES = ("yaw_amplitude", "pitch_amplitude", "phase_shift", "angular_frequency", "soft_start")
DRAWN: dict[str, tuple[int, float, dict[str, float]]] = {
    "nine points, 0.7 lengths": (9, 0.7, {}),
    "five points, 0.7 lengths": (5, 0.7, {"response": 0.2, "delay": 1.0}),
    "five points, 0.82 lengths": (5, 0.82, {"response": 0.2, "delay": 1.0}),
}
"""Cycles of sidewinding: points, length in robot lengths, and what a HeadingController is told of them."""
FINE = pp.Settings(dt=1 / 1200)
"""Settings of robots along shape curves."""


def robots() -> dict[str, tuple[pp.World, float]]:
    """The three robots with their laws, and how long they run [s]."""
    return {
        "ten links, viscous": (pp.scenario("paths/straight-line").world, 45.0),
        "Aiko, dry friction": (paths.aiko_on_line(pp.Start(position=(0.0, paths.ASIDE), heading=paths.TURNED)), 40.0),
        "ACM III, wheels": (pp.scenario("paths/wheeled").world, 50.0),
    }


def circle(radius: float) -> pp.mapping.Path:
    """A left turn of one lap and a half that begins at the origin, along x."""
    turn = np.linspace(0.0, 3.0 * np.pi, 130)
    return pp.mapping.Path(radius * np.stack((np.sin(turn), 1.0 - np.cos(turn)), axis=1))


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


def from_ten_starts(begun: Callable[[float, float], pp.World], duration: float, **sensors: Any) -> dict[str, Any]:
    """The worst of ten starts, up to 15 cm beside the line and turned by up to 90 degrees."""
    starts = {f"start {k}": replace(begun(*start), **sensors) for k, start in enumerate(paths.TEN_STARTS)}
    rows = measured(starts, duration)
    reached = [each["mean_within_2cm_after_m"] for each in rows]
    return {
        "starts": len(rows),
        "reached": sum(way is not None for way in reached),
        "mean_within_2cm_after_m": max((way for way in reached if way is not None), default=None),
        "last_mean_error_m": max(each["last_mean_error_m"] for each in rows),
        "robot_length_m": rows[0]["robot_length_m"],
    }


def answers() -> list[dict[str, float]]:
    """How the sidewinding SEA Snake turns if its yaw wave grows along its body: curvature of its path, open loop."""
    straight = paths.winding_on_line(0.0, 0.0).controller.gait
    along = straight.cone(pp.catalogue.yaw_pitch_16()).along
    waves = {name: getattr(straight, name) for name in WAVES} | {"pitch_phase": straight.pitch_lead}
    gaits = [pp.gaits.CompoundSerpenoid(**waves, yaw_envelope=(1.0 - taper, 1.0 + taper)) for taper in TAPERS]
    runs = pp.simulate([on_ground(gait) for gait in gaits], 20 * straight.period, record=RECORD)
    cycle, found = cycle_samples(runs.isel(world=0)), []
    for taper, places in zip(TAPERS, runs.center_of_mass.values, strict=True):
        strides = np.diff(places[2 * cycle :: cycle, :2], axis=0)
        turned = np.unwrap(np.arctan2(strides[:, 1], strides[:, 0]))
        way = np.hypot(*strides.T)[:-1].sum()
        turn = float((turned[-1] - turned[0]) / way)
        found.append({"taper": taper, "found_rad_m": turn, "formula_rad_m": 2.0 * taper / along})
    return found


def along_legs() -> list[dict[str, float]]:
    """The waypoints, leg by leg: the mean error where the robot turns to a leg, and where it leaves it."""
    chosen = pp.scenario("paths/waypoints")
    run = pp.simulate(chosen.world, chosen.duration, record=RECORD)
    trace, cycle = traced(run), cycle_samples(run)
    begins = [0, *(np.flatnonzero(np.diff(trace.angle)) + 1)]
    found = []
    for first, end in zip(begins, [*begins[1:], len(trace.arc)], strict=True):
        found.append(
            {
                "from_m": float(trace.arc[first]),
                "to_m": float(trace.arc[end - 1]),
                "first_error_m": float(trace.aside[first]),
                "mean_error_at_end_m": float(trace.aside[max(first, end - cycle) : end].mean()),
            }
        )
    return found


def on_circles() -> list[dict[str, float]]:
    """The error that stays on a circle, with several look-ahead distances, gains and integral gains."""
    length, radius = pp.catalogue.aiko_planar().length, 3.0
    cases = [(0.5, 0.3, 0.0), (1.0, 0.3, 0.0), (2.0, 0.3, 0.0), (1.0, 0.2, 0.0), (1.0, 0.45, 0.0), (1.0, 0.6, 0.0)]
    cases.append((1.0, 0.3, 0.05))
    worlds = []
    for share, gain, integral in cases:
        plain = paths.aiko_along(circle(radius), share * length, gain, pp.Start())
        worlds.append(replace(plain, controller=replace(plain.controller, integral_gain=integral)))
    error = pp.measures.cross_track_error(pp.simulate(worlds, 60.0, record=RECORD), averaged=True)
    return [
        {
            "look_ahead_m": share * length,
            "gain": gain,
            "integral_gain_m_s": integral,
            "mean_error_m": float(error[w, -1]),
            "inside_of_body_m": length**2 / 24 / radius,
        }
        for w, (share, gain, integral) in enumerate(cases)
    ]


def steps() -> list[dict[str, Any]]:
    """Robots along shape curves turn to a direction, from two phases each."""
    robot, floor = pp.catalogue.liljeback2014(), pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.5)))
    found = []
    for name, (points, length, law) in DRAWN.items():
        segment = pp.planning.sidewinding(robot, n_points=points, length=length * robot.length)
        cases = [*product(("pchip", "smooth"), (150.0, -30.0), (0.0, 0.4))]
        worlds = []
        for curve, toward, phase in cases:
            motion = pp.planning.AlongCurve(segment=segment, speed=0.5, curve=curve, phase=phase)
            steering = pp.control.HeadingController(direction=np.radians(toward), **law)
            worlds.append(pp.World(robot, floor, pp.control.ShapeCurveFollower(motion=motion, steering=steering)))
        runs = pp.simulate(worlds, 56.0, settings=FINE, record=RECORD)
        for w, (curve, toward, phase) in enumerate(cases):
            kept = {"gait": name, "curve": curve, "toward_deg": toward, "phase": phase}
            found.append(kept | stepped(runs.isel(world=w), toward))
    return found


def stepped(run: Any, toward: float) -> dict[str, float | None]:
    """How a direction of travel went to another one [deg]."""
    cycle = cycle_samples(run)
    center = run.center_of_mass.values[:, :2]
    way = center[cycle:] - center[:-cycle]
    off = np.degrees(np.unwrap(np.arctan2(way[:, 1], way[:, 0]))) - toward
    off -= 360.0 * np.round(off[0] / 360.0)
    outside = np.flatnonzero(np.abs(off) > 10.0)
    settled = (outside[-1] + 1) / cycle if outside[-1] + 1 < len(off) else None
    over = max(0.0, float((-np.sign(off[0]) * off).max()))
    return {"step_deg": -float(off[0]), "overshoot": over / abs(float(off[0])), "settled_after_cycles": settled}


def loaded(world: pp.World, **law: Any) -> pp.World:
    """The same world with a side load on every link and another law."""
    controller = replace(world.controller, **law)
    return replace(world, controller=pp.control.Loaded(controller=controller, load=[(0.0, SIDE_LOAD, 0.0)]))


def beginnings() -> dict[str, tuple[Callable[[float, float], pp.World], float]]:
    """What sets each robot down beside its line and turned away from it, and how long it runs [s]."""
    planar = {
        name: (lambda aside, turned, world=world: replace(world, start=pp.Start(position=(0.0, aside), heading=turned)))
        for name, (world, _) in robots().items()
    }
    lasting = {name: 1.6 * duration for name, (_, duration) in robots().items()}
    return {name: (begun, lasting[name]) for name, begun in planar.items()} | {
        "SEA Snake, sidewinding": (paths.winding_on_line, 90.0)
    }


def measure() -> dict[str, Any]:
    """All results."""
    four = [measured({name: world}, duration)[0] for name, (world, duration) in robots().items()]
    four += measured({"SEA Snake, sidewinding": pp.scenario("paths/sidewinding").world}, 60.0)
    begun = beginnings()
    ten = robots()["ten links, viscous"][0]
    load = {f"side load, integral gain {gain:g} m/s": loaded(ten, integral_gain=gain) for gain in (0.0, 0.02, 0.04)}
    slope = pp.scenario("paths/across-slope").world
    slopes = {
        f"slope of 5°, integral gain {gain:g} m/s": replace(
            slope, controller=replace(slope.controller, integral_gain=gain)
        )
        for gain in (0.0, 0.05)
    }
    curve = pp.scenario("paths/curve").world
    curves = {
        f"curve, gain {gain:g}": replace(curve, controller=replace(curve.controller, gain=gain)) for gain in GAINS
    }
    frame = pp.scenario("paths/sidewinding-line")
    return {
        "four_robots": four,
        "ten_starts": {name: from_ten_starts(*each) for name, each in begun.items()},
        "ten_starts_with_cameras": {name: from_ten_starts(*each, sensors=paths.CAMERA) for name, each in begun.items()},
        "drift": measured(load, 180.0) + measured(slopes, 120.0),
        "tapers": answers(),
        "legs": along_legs(),
        "circles": on_circles(),
        "others": measured(curves, 30.0) + measured({"sidewinding-line": frame.world}, SIDEWINDING, frame.settings),
        "steps": steps(),
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


def taper_table(kept: list[dict[str, float]]) -> list[str]:
    """How a sidewinding robot answers."""
    heads = {"taper": "taper", "found_rad_m": "found [rad/m]", "formula_rad_m": "$2\\tau/l$ [rad/m]"}
    rows = [" | ".join([head, *(f"{each[key]:.2f}" for each in kept)]) for key, head in heads.items()]
    return [f"| {rows[0]} |", "|---" * (len(kept) + 1) + "|", *(f"| {row} |" for row in rows[1:])]


def leg_table(kept: list[dict[str, float]]) -> list[str]:
    """The waypoints, leg by leg."""
    lines = ["| leg | followed from | to | error where it begins | mean error where it ends |", "|---|---|---|---|---|"]
    for number, leg in enumerate(kept, start=1):
        ways = f"{leg['from_m']:.2f} m | {leg['to_m']:.2f} m"
        lines.append(f"| {number} | {ways} | {cm(leg['first_error_m'])} | {cm(leg['mean_error_at_end_m'])} |")
    return lines


def circle_table(kept: list[dict[str, float]]) -> list[str]:
    """The error that stays on a circle."""
    lines = ["| look-ahead | gain | integral gain | mean error | $\\kappa L^2/24$ |", "|---|---|---|---|---|"]
    for each in kept:
        law = f"{each['look_ahead_m']:.2f} m | {each['gain']:g} | {each['integral_gain_m_s']:g} m/s"
        lines.append(f"| {law} | {cm(each['mean_error_m'])} | {cm(each['inside_of_body_m'])} |")
    return lines


def step_table(kept: list[dict[str, Any]]) -> list[str]:
    """Turns to a direction."""
    lines = ["| gait | curve | toward | turn | overshoot | within 10° after |", "|---|---|---|---|---|---|"]
    for (gait, curve, toward), pair in groupby(kept, lambda each: (each["gait"], each["curve"], each["toward_deg"])):
        both = list(pair)
        turns = ", ".join(f"{each['step_deg']:.0f}°" for each in both)
        over = ", ".join(f"{100 * each['overshoot']:.0f} %" for each in both)
        after = ", ".join("–" if (n := each["settled_after_cycles"]) is None else f"{n:.1f} cycles" for each in both)
        lines.append(f"| {gait} | {curve} | {toward:.0f}° | {turns} | {over} | {after} |")
    return lines


def speed_table(kept: list[dict[str, float]]) -> list[str]:
    return ["| wanted | kept |", "|---|---|"] + [
        f"| {each['wanted_m_s']:g} m/s | {each['kept_m_s']:.4f} m/s |" for each in kept
    ]


def write_tables(kept: dict[str, Any]) -> None:
    """Writes the tables between their markers."""
    tables = {
        "four robots": error_table(kept["four_robots"]),
        "ten starts": start_table(kept),
        "drift": error_table(kept["drift"]),
        "tapers": taper_table(kept["tapers"]),
        "legs": leg_table(kept["legs"]),
        "circles": circle_table(kept["circles"]),
        "others": error_table(kept["others"]),
        "steps": step_table(kept["steps"]),
        "speed": speed_table(kept["speed"]),
    }
    for page in (PAGE, CURVES_PAGE):
        write_bytes(page, with_tables(page.read_text(encoding="utf-8"), tables).encode())


def with_tables(text: str, tables: dict[str, list[str]]) -> str:
    """A page with those of the tables that it has markers for."""
    for name, lines in tables.items():
        begin, end = f"<!-- {name}: written by benchmarks/path_following.py -->", f"<!-- end of {name} -->"
        if begin not in text:
            continue
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = before + begin + "\n\n" + "\n".join(lines) + "\n\n" + end + after
    return text


def main() -> None:
    if "--table" not in sys.argv[1:]:
        write_bytes(KEPT, (json.dumps(measure(), indent=1, ensure_ascii=False) + "\n").encode())
    write_tables(json.loads(KEPT.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()

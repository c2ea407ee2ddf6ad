"""Measures the gaits of the library: speed, turn and, where a formula predicts them, how they compare; prints JSON.

python benchmarks/gait_library.py > docs/results/gait-library.json
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import xarray as xr

import pushpoint as pp
from pushpoint.papers.ours import gaits as library

SETTLED = 3.0
"""Time that is left out at the beginning [s]: a cycle, with the soft start."""
RADII = (1.0, 1.5, 2.0, 3.0, -3.0, -2.0, -1.5, -1.0)
"""Turning radii that are asked for [m]."""


def whole_cycles(run: xr.Dataset, period: float) -> np.ndarray:
    """Times of the ends of whole cycles after the beginning [s]."""
    count = int((float(run.time[-1]) - SETTLED) / period + 1e-6)
    return SETTLED + period * np.arange(count + 1)


def at(run: xr.Dataset, name: str, times: np.ndarray) -> np.ndarray:
    """A variable at given times."""
    return np.asarray(run[name].interp(time=times).values)


def circle(points: np.ndarray) -> float:
    """Radius of the circle through points of a path [m], by least squares."""
    rows = np.column_stack((2 * points, np.ones(len(points))))
    (x, y, rest), *_ = np.linalg.lstsq(rows, (points**2).sum(axis=1), rcond=None)
    return float(math.sqrt(rest + x * x + y * y))


def measured(name: str, world: pp.World, duration: float) -> dict[str, Any]:
    """Speed along the path of the centre of mass from cycle to cycle, its direction, and the turn of the body."""
    run = pp.simulate(world, duration, record=pp.Record(rate=50.0))
    period = world.controller.period
    ends = whole_cycles(run, period)
    places = at(run, "center_of_mass", ends)
    links = at(run, "link_position", ends)
    heading = np.unwrap(np.arctan2(*(links[:, -1] - links[:, 0]).T[1::-1]))
    steps = np.diff(places, axis=0)
    speed = float(np.linalg.norm(steps, axis=1).mean() / period)
    step = steps[0]
    ahead = math.degrees(math.atan2(step[1], step[0]) - heading[0])
    found = {
        "gait": name,
        "speed_m_s": speed,
        "body_lengths_per_cycle": speed * period / world.robot.length,
        "direction_to_the_body_deg": math.remainder(ahead, 360.0),
        "turn_deg_per_cycle": float(np.degrees(np.diff(heading).mean())),
        "cost_of_transport": float(pp.measures.cost_of_transport(run)),
        "unconverged_steps": int(np.nansum(run.unconverged)),
    }
    if places.shape[1] > 2 and abs(steps[:, 2].mean()) > 0.5 * speed * period:
        found["climbing_m_s"] = float(steps[:, 2].mean() / period)
    return found


def turning() -> list[dict[str, float]]:
    """Sidewinding on circles: radius asked for, taper and radius found."""
    rows = []
    for radius in RADII:
        world = library.turning_sidewinding(radius).world
        run = pp.simulate(world, 40.0, record=pp.Record(rate=50.0))
        period = world.controller.period
        path = run.center_of_mass.rolling(time=round(period * 50), center=True).mean().dropna("time")
        points = path.sel(time=slice(SETTLED, None)).values[:, :2]
        links = at(run, "link_position", whole_cycles(run, period))
        heading = np.unwrap(np.arctan2(*(links[:, -1] - links[:, 0]).T[1::-1]))
        side = math.copysign(1.0, heading[-1] - heading[0])
        taper = world.controller.taper(world.robot)
        rows.append({"asked_m": radius, "taper": taper, "found_m": side * circle(points)})
    return rows


def predictions() -> dict[str, float]:
    """What rolling and sidewinding without slip predict [m/s]."""
    robot = pp.catalogue.yaw_pitch_16()
    thickness = max(link.radius for link in robot.links)
    wave = library.WINDING
    alpha = wave["yaw_amplitude"] / (2 * math.sin(abs(wave["phase_shift"])))
    along_body = wave["angular_frequency"] / abs(wave["phase_shift"]) * 0.064
    return {
        "gaits/rolling": library.STEADY * thickness,
        "gaits/helical-rolling": library.STEADY * thickness,
        "gaits/sidewinding": along_body * math.sin(alpha),
        "gaits/pole-climbing": library.pole_climbing().world.controller.speed(robot),
        "gaits/pipe-crawling": library.pipe_crawling().world.controller.speed(robot),
    }


def main() -> None:
    """Measures every scenario of the group except the pattern generators, whose parameters change on the way."""
    told, gaits = predictions(), []
    for name, build in library.SCENARIOS.items():
        if "pattern" in name:
            continue
        scenario = build()
        row = measured(name, scenario.world, scenario.duration)
        if name in told:
            row |= {"without_slip_m_s": told[name], "over_without_slip": row["speed_m_s"] / abs(told[name])}
        gaits.append(row)
    print(json.dumps({"gaits": gaits, "turning": turning()}, indent=1))


if __name__ == "__main__":
    main()

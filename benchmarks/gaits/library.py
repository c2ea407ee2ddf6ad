"""Measures the gaits of the library: speed, turn and, where a formula predicts them, how they compare; prints JSON.

python benchmarks/gaits/library.py > docs/results/gait-library.json
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
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


def fine_robot(n_links: int) -> pp.SpatialRobot:
    """A robot as long and as heavy as the SEA Snake, with more links and without limits of its motors."""
    length, mass, radius = 1.2 / n_links, 3.6 / n_links, 0.0255
    across = mass * (3 * radius**2 + length**2) / 12
    link = pp.SpatialLink(length=length, mass=mass, inertia=(mass * radius**2 / 2, across, across), radius=radius)
    motor = pp.Motor(stiffness=3.0 * n_links, damping=0.06 * n_links)
    return pp.SpatialRobot.uniform(n_links, link, (pp.Pitch(motor), pp.Yaw(motor)))


def along_pipe(world: pp.World, direction: int) -> float:
    """Speed along a coordinate over the third and the fourth cycle, over that without slip [-]."""
    period = world.controller.period
    run = pp.simulate(world, 4 * period + 0.1, record=pp.Record(rate=50.0))
    way = np.diff(at(run, "center_of_mass", period * np.array([2.0, 4.0]))[:, direction])[0]
    return float(way / (2 * period) / world.controller.speed(world.robot))


def pipes() -> dict[str, Any]:
    """Climbing with shorter links, and in an upright pipe, over rolling without slip."""
    pole = library.pole_climbing().world
    high = replace(pole.controller, clearance=0.5)
    climbing = {str(n): along_pipe(pp.World(fine_robot(n), pole.environment, high), 2) for n in (17, 25, 37, 49)}
    level = library.pipe_crawling().world
    upright = pp.Pipe(start=(0.0, 0.0, 0.4), end=(0.0, 0.0, 2.5), radius=library.PIPE, friction=0.8)
    climbed = along_pipe(pp.World(level.robot, pp.Environment(obstacles=[upright]), level.controller), 2)
    return {"pole_over_smooth_by_links": climbing, "upright_pipe_over_without_slip": climbed}


def tipping() -> list[dict[str, float]]:
    """How far slithering goes with so many links lifted by so much [m in 13 s]."""
    world, rows = library.lifted_slithering().world, []
    for links, lift in ((4, 30.0), (5, 40.0)):
        gait = replace(world.controller, lifted=links, lift=math.radians(lift))
        run = pp.simulate(replace(world, controller=gait), 13.0)
        way = float(np.linalg.norm((run.center_of_mass[-1] - run.center_of_mass[0]).values[:2]))
        rows.append({"lifted": links, "lift_deg": lift, "distance_m": way})
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
    print(json.dumps({"gaits": gaits, "turning": turning(), "pipes": pipes(), "lifting": tipping()}, indent=1))


if __name__ == "__main__":
    main()

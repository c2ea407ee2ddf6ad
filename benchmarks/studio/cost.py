"""What the studio costs: processor time of its process and growth of its memory, while a browser looks at it.

.venv/bin/python benchmarks/studio/cost.py [--seconds 600] [--out docs/results/studio-cost.json] [SCENE ...]

The browser is Chromium of the system, which draws in software and has processes of its own; they are not counted. The
page shows four plots; the simulation runs in real time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studio.choices import open_scenario
from pushpoint.studio.studio import Studio

ROOT = Path(__file__).resolve().parents[2]
WARM_UP = 65.0  # simulated time [s]: kernels, the page, and the samples in memory, which are those of the last 60 s
EVERY = 5.0  # [s]
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]


def thirty_links() -> Scenario:
    """Thirty links among twenty pegs."""
    link = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
    robot = pp.PlanarRobot.uniform(30, link, pp.Motor(stiffness=100.0, damping=2.0))
    random = np.random.default_rng(0)
    pegs = [
        pp.Peg(
            x=0.5 * column - 1.0, y=1.1 * row - 2.2 + (1.1 if row > 1 else 0.0), radius=0.05 + 0.03 * random.random()
        )
        for column in range(5)
        for row in range(4)
    ]
    course = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.5)), obstacles=pegs)
    gait = pp.gaits.LateralUndulation(amplitude=0.25, angular_frequency=2.0, phase_shift=-0.4)
    return Scenario(name="thirty-links", worlds=pp.World(robot, course, gait), duration=60.0)


SCENES: dict[str, Callable[[], Scenario]] = {
    "thirty-links": thirty_links,
    "spatial/rubble": lambda: pp.scenario("spatial/rubble"),
    "holden2014/closed-loop": lambda: pp.scenario("holden2014/closed-loop"),
}


def memory() -> float:
    """Resident memory of this process [MB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def measure(name: str, seconds: float, browser: Any) -> dict[str, Any]:
    """Figures of one scene."""
    live, title, about = open_scenario(SCENES[name]())
    with Studio(live, name=title, title=about, port=0) as studio:
        page = browser.new_page(viewport={"width": 760, "height": 420})
        page.goto(studio.address + "?fixedDpr=0.2", wait_until="domcontentloaded", timeout=120_000)
        page.get_by_role("tab", name="Plots").first.click(force=True, timeout=120_000)
        studio.runner.play()
        while studio.runner.shown.reached < WARM_UP:
            time.sleep(EVERY)
        begun, spent, first = time.perf_counter(), time.process_time(), memory()
        frames, factors, busy = studio.frames, [], []
        while time.perf_counter() - begun < seconds:
            time.sleep(EVERY)
            factors.append(studio.runner.shown.factor)
            busy.append(studio.runner.shown.busy)
            if not studio.runner.shown.playing:
                raise SystemExit(f"{name}: {studio.runner.shown.look.status.value}, {studio.runner.complaints}")
        lasted = time.perf_counter() - begun
        found = {
            "seconds": round(lasted, 1),
            "share_of_a_core": round((time.process_time() - spent) / lasted, 4),
            "simulation_share": round(float(np.mean(busy)), 4),
            "memory_growth_mb": round(memory() - first, 2),
            "memory_mb": round(memory(), 1),
            "frames_per_s": round((studio.frames - frames) / lasted, 1),
            "real_time_factor": round(float(np.mean(factors)), 3),
            "load_average": round(os.getloadavg()[1], 1),
            "complaints": dict(studio.runner.complaints),
        }
        page.close()
    return found


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("scenes", nargs="*", default=list(SCENES), metavar="SCENE")
    reader.add_argument("--seconds", type=float, default=600.0, help="how long each is measured [s]")
    reader.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "studio-cost.json")
    asked = reader.parse_args()
    from playwright.sync_api import sync_playwright

    report: dict[str, Any] = {"cores": os.cpu_count(), "viewers": 1, "plots": 4, "scenes": {}}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", headless=True, args=FLAGS)
        for name in asked.scenes:
            report["scenes"][name] = measure(name, asked.seconds, browser)
            asked.out.write_text(json.dumps(report, indent=1) + "\n")
            print(name, json.dumps(report["scenes"][name]), flush=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

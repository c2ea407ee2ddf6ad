"""Compares forms of the touch policy: one short search each, side by side in processes of one thread.

  python benchmarks/learning/search_forms.py --minutes 7 --out out/forms [--short]

Every process searches by CMA-ES until three quarters of the time are over, and tries what it has found on the training
courses 700 to 899 and on bare ground. One line per generation and per finished form goes to forms.jsonl.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

os.environ["PUSHPOINT_THREADS"] = "1"
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "src")]

import numpy as np
from cmaes import CMA

import pushpoint as pp
from pushpoint.control.hybrid import Body, body_of, head_offset, measured_link_angles, next_side, per_joint
from pushpoint.control.continuous_resolution import fitted_phase, next_turn
from pushpoint.control.touch_policy import LEAST_SHIFT, BoundTouchPolicy, TouchPolicy
from pushpoint.papers.liljeback2011.scenarios import PASSED, peg_course
from pushpoint.studies.places import random_place
from pushpoint.studies.scoreboard import NOISY


class Mem(NamedTuple):
    phase: np.ndarray
    side: np.ndarray
    travel: np.ndarray
    s: np.ndarray
    h: np.ndarray
    clock: np.ndarray
    alone: np.ndarray
    begun: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Form(TouchPolicy):
    """The touch policy with what might help."""

    enough: float = 1.0
    hunger_time: float = 15.0
    hungry_amplitude: float = 0.0
    hungry_shift: float = 0.0
    hungry_speed: float = 0.0
    hungry_head: float = 0.0
    hungry_gain: float = 0.0
    hungry_heading: float = 0.0
    wander_time: float = 50.0
    wander_shift: float = 0.0
    wander_amplitude: float = 0.0
    wander_speed: float = 0.0
    wander_head: float = 0.0

    def bind(self, robot, environment=None):
        return BoundForm(**vars(self) | {"body": body_of(robot), "length": float(robot.column("length").mean())})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundForm(Form):
    batches = True
    body: Body
    length: float
    _felt = BoundTouchPolicy._felt
    _reflex = BoundTouchPolicy._reflex

    def memory(self):
        z = np.array(0.0)
        return Mem(z, np.array(-1.0), z, z, z, z, z, np.array(False))

    def adopt(self, memory, of):
        return self.memory()

    def command(self, measurement, memory):
        phase, side, travel, s, h, clock, alone, begun = memory
        A = np.asarray
        angle, theta = measurement.joint_angle, measured_link_angles(measurement)
        felt = self._felt(measurement.contact_normal_force)
        n = (felt != 0.0).sum(axis=1)
        few = np.clip((A(self.enough) + 1 - n) / A(self.enough), 0, 1)
        s = few + (s - few) * np.exp(-1 / (self.rate * A(self.starvation_time)))
        h = few + (h - few) * np.exp(-1 / (self.rate * A(self.hunger_time)))
        alone = np.where(n > 0, 0.0, alone + 1 / self.rate)
        clock = clock + 1 / self.rate
        w = np.sin(2 * np.pi * clock / A(self.wander_time))
        shift = self.phase_shift + self.starved_phase_shift * s + self.hungry_shift * h + self.wander_shift * w
        shift = np.maximum(shift, LEAST_SHIFT)
        lags = per_joint(shift) * np.arange(angle.shape[1] - 1, -1, -1)
        faster = np.maximum(1 + self.starved_speed * s + self.hungry_speed * h + self.wander_speed * w, 0.1)
        step = self.speed * faster * np.exp(-alone / A(self.patience)) / self.rate
        phase = np.where(begun, phase + shift * step / self.length, fitted_phase(angle, lags))
        travel = np.where(begun, travel + step, 0.0)
        wanted, travel = next_turn(side, travel, head_offset(self.body, theta), self.swing, self.longest_travel)
        limit = per_joint(self.reflex_limit)
        reflex = np.clip(self._reflex(felt, theta) * (1 + self.hungry_gain * h)[:, None], -limit, limit)
        amplitude = self.amplitude + self.starved_amplitude * s + self.hungry_amplitude * h + self.wander_amplitude * w
        wave = -per_joint(np.minimum(amplitude, np.pi / 4)) * np.sin(phase[:, None] - lags)
        bend = (self.heading_gain + self.hungry_heading * h) * theta.mean(axis=1)
        reference = wave - bend[:, None] + reflex
        head = self.head_angle + self.starved_head_angle * s + self.hungry_head * h + self.wander_head * w
        reference[:, -1] = wanted * head - theta[:, -2] + self.head_share * reflex[:, -1]
        kept = Mem(phase, wanted, travel, s, h, clock, alone, np.ones_like(begun))
        return pp.Command(joint_angle=np.clip(reference, self.body.lower, self.body.upper)), kept


# name: first, step, low, high, whether a ratio
BASE = {
    "amplitude": (0.74, 0.05, 0.3, 0.785, False),
    "phase_shift": (0.42, 0.05, 0.25, 0.95, False),
    "speed": (0.085, 0.3, 0.02, 0.3, True),
    "gain": (1.0, 0.4, 0.01, 5.0, True),
    "reflex_limit": (1.3, 0.25, 0.1, 2.5, False),
    "head_angle": (0.5, 0.12, 0.1, 1.4, False),
    "head_share": (0.7, 0.2, 0.0, 1.0, False),
    "swing": (0.27, 0.05, 0.05, 0.6, False),
    "longest_travel": (1.4, 0.3, 0.3, 8.0, True),
    "heading_gain": (0.05, 0.05, 0.0, 0.6, False),
    "neighbour_share": (1.04, 0.3, -1.0, 2.0, False),
    "forward_bias": (0.0, 0.3, -1.0, 1.0, False),
    "starvation_time": (1.2, 0.7, 0.2, 30.0, True),
    "starved_phase_shift": (-0.1, 0.1, -0.5, 0.4, False),
    "starved_speed": (0.0, 0.3, -0.8, 4.0, False),
    "starved_head_angle": (0.4, 0.2, -0.8, 0.8, False),
    "patience": (12.0, 0.4, 2.0, 60.0, True),
}
ENOUGH = {"enough": (1.7, 0.6, 0.5, 5.0, False)}
WANDER = {
    "wander_time": (50.0, 0.3, 15.0, 150.0, True),
    "wander_shift": (-0.1, 0.07, -0.3, 0.3, False),
    "wander_amplitude": (0.0, 0.07, -0.3, 0.3, False),
    "wander_speed": (0.0, 0.3, -0.8, 0.8, False),
    "wander_head": (0.0, 0.15, -0.8, 0.8, False),
}
HUNGRY = {
    "hunger_time": (15.0, 0.5, 3.0, 60.0, True),
    "hungry_shift": (-0.1, 0.1, -0.5, 0.4, False),
    "hungry_amplitude": (0.05, 0.07, -0.3, 0.5, False),
    "hungry_speed": (0.0, 0.4, -0.8, 4.0, False),
    "hungry_head": (0.0, 0.2, -0.8, 0.8, False),
    "hungry_gain": (0.0, 0.4, -0.8, 4.0, False),
    "hungry_heading": (0.0, 0.1, -0.3, 0.6, False),
}
MILD = {"phase_shift": (0.55, 0.05, 0.25, 0.95, False), "amplitude": (0.68, 0.05, 0.3, 0.785, False)}
FAST = {"speed": (0.13, 0.3, 0.02, 0.4, True), "gain": (1.6, 0.4, 0.01, 5.0, True)}
FORMS = [
    *(("plain", seed, BASE) for seed in range(4)),
    *(("wander", seed, BASE | WANDER) for seed in range(3)),
    *(("hungry", seed, BASE | MILD | ENOUGH | HUNGRY) for seed in range(3)),
    *(("enough", seed, BASE | ENOUGH) for seed in range(2)),
    ("fast", 0, BASE | FAST),
    ("all", 0, BASE | ENOUGH | HUNGRY | WANDER),
]
POP, HARD, EASY, BARE, BACK, TIME = 12, 16, 8, 6, 6, 80.0


def form_at(search, point) -> Form:
    found = {}
    for (name, (first, step, low, high, ratio)), x in zip(search.items(), point, strict=True):
        found[name] = float(np.clip(first * np.exp(step * x) if ratio else first + step * x, low, high))
    room = np.pi / 2 - found["head_angle"]
    found["starved_head_angle"] = min(found["starved_head_angle"], room)
    return Form(least_force=1.5, **found)


class Far:
    def __init__(self, worlds):
        self.reach, self.first = body_of(worlds[0].robot).reach, None
        self.course = np.array([bool(w.environment.obstacles) for w in worlds])
        self.passed = np.zeros(len(worlds), dtype=bool)

    def __call__(self, m):
        head = m.center_of_mass[:, 0] + (self.reach * np.cos(m.link_angle)).sum(axis=1)
        if self.first is None:
            self.first = head
        self.passed |= np.where(self.course, head - self.first > PASSED, m.time > 61.0)
        return self.passed.copy()


def tried(controllers, seeds, bare, duration, dt, noise=0, every=2) -> dict[str, np.ndarray]:
    """Passed and way, shape (controllers, seeds), and drift after 60 s and largest within, (controllers, bare)."""
    places, nothing, worlds = [random_place(s) for s in seeds], peg_course(()), []
    for c in controllers:
        for k, (p, e) in enumerate([(p, p.environment) for p in places] + [(p, nothing) for p in places[:bare]]):
            sensors = replace(NOISY, seed=1000 * noise + k) if k % every else pp.Sensors()
            worlds.append(pp.World(p.robot, e, c, p.starts[0], sensors))
    far = Far(worlds)
    record = pp.Record(rate=2.0, variables=("link_position", "center_of_mass"))
    run = pp.simulate(
        worlds, duration=duration, settings=pp.Settings(dt=dt, on_failure="record"), record=record, until=far
    )
    head = run.link_position.sel(axis="x").isel(link=-1).values
    shape, n = (len(controllers), len(places) + bare), len(places)
    way = np.nanmax(head - head[:, :1], axis=1).clip(0.0, PASSED) / PASSED
    center = run.center_of_mass.values
    moved = np.linalg.norm(center - center[:, :1], axis=2)
    then = int(np.searchsorted(run.time, min(60.0, duration) - 1e-6))
    then = min(then, moved.shape[1] - 1)
    took = np.isfinite(head).sum(axis=1) / 2.0
    return {
        "passed": far.passed.reshape(shape)[:, :n],
        "way": np.where(far.passed, 1.0, way).reshape(shape)[:, :n],
        "took": took.reshape(shape)[:, :n],
        "end": np.nan_to_num(moved[:, then], nan=1.0).reshape(shape)[:, n:],
        "most": np.nanmax(moved[:, : then + 1], axis=1).reshape(shape)[:, n:],
    }


def searched(job) -> None:
    name, seed, search, file, until, finish, size = job
    pop, n_hard, n_easy, n_bare, n_back = (POP, HARD, EASY, BARE, BACK) if size > 50 else (5, 2, 1, 1, 1)
    rng = np.random.default_rng((7, seed))

    def told(row: dict[str, Any]) -> None:
        with file.open("a") as lines:
            lines.write(json.dumps({"form": name, "seed": seed} | row) + "\n")

    begun = time.process_time()
    sample = rng.permutation(700)[:size].tolist()
    first = tried([form_at(search, np.zeros(len(search)))], sample, 0, TIME, 5e-3)["passed"][0]
    hard = [s for s, p in zip(sample, first, strict=True) if not p] or sample[:3]
    easy = [s for s, p in zip(sample, first, strict=True) if p] or sample[-3:]
    es = CMA(mean=np.zeros(len(search)), sigma=0.6, population_size=pop, seed=seed)
    means, longest, number = [], 0.0, 0
    while time.time() + longest < until:
        clock = time.time()
        points = [es.ask() for _ in range(pop)]
        forms = [form_at(search, p) for p in points]
        seeds = [of[(number * c + k) % len(of)] for of, c in ((hard, n_hard), (easy, n_easy)) for k in range(c)]
        found = tried(forms, seeds, n_bare, TIME, 5e-3, noise=100 * seed + number)
        back = tried([replace(f, gain=-f.gain) for f in forms], seeds[-n_back:], 0, TIME, 5e-3)["passed"].mean(axis=1)
        drift = np.maximum(found["end"].max(axis=1), found["most"].max(axis=1) - 0.005)
        score = (found["passed"] + found["way"]).mean(axis=1) - 10.0 * np.clip(drift - 0.085, 0.0, None) - back
        es.tell([(p, -float(s)) for p, s in zip(points, score, strict=True)])
        means.append(es.mean.copy())
        number, longest = number + 1, max(longest, time.time() - clock)
        told({
            "generation": number, "hard": found["passed"][:, :n_hard].mean(), "easy": found["passed"][:, n_hard:].mean(),
            "score": score.mean(), "best": score.max(), "drift": float(np.median(drift)), "back": back.mean(),
            "wall": time.time() - clock,
        })  # fmt: skip
    cpu = time.process_time() - begun
    policy = form_at(search, np.mean(means[-6:], axis=0) if means else np.zeros(len(search)))
    parameters = {n: getattr(policy, n) for n in search}
    told({"parameters": parameters, "generations": number, "cpu": cpu, "hard_share": len(hard) / size})
    count = 200 if size > 50 else 10
    while count >= 10:  # in parts of 50 courses, so that a stop keeps what is there
        part = range(900 - count, 900 - count + min(50, count))
        found = tried([policy], part, 5, 100.0, 2e-3, every=1 if count > 100 else 2)
        back = tried([replace(policy, gain=-policy.gain)], part[:25], 0, 100.0, 2e-3)["passed"]
        off = tried([replace(policy, gain=0.0)], part[:25], 0, 100.0, 2e-3)["passed"]
        told({
            "tried": [part[0], part[-1]], "passed": int(found["passed"].sum()), "of": len(part),
            "failed": [s for s, p in zip(part, found["passed"][0], strict=True) if not p],
            "time": float(np.median(found["took"][found["passed"]])) if found["passed"].any() else None,
            "end": found["end"].max(), "most": found["most"].max(), "back": int(back.sum()), "off": int(off.sum()),
        })  # fmt: skip
        count -= len(part)
        if time.time() > finish:
            break


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=14)
    parser.add_argument("--short", action="store_true", help="only to see that it runs")
    given = parser.parse_args()
    begun = time.time()
    given.out.mkdir(parents=True, exist_ok=True)
    tried([Form()], [0], 1, 0.1, 5e-3)  # compiles
    file = given.out / "forms.jsonl"
    until, finish = begun + 60 * given.minutes * 0.76, begun + 60 * (given.minutes - 0.5)
    size = 12 if given.short else 300
    jobs = [(name, seed, search, file, until, finish, size) for name, seed, search in FORMS[: given.processes]]
    context = get_context("spawn")
    processes = [context.Process(target=searched, args=(job,), daemon=True) for job in jobs]
    for each in processes:
        each.start()
    for each in processes:
        each.join(max(0.0, begun + 60 * given.minutes - time.time()))
    print(f"done in {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()

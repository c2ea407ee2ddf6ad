"""Trains neural policies by PPO, five seeds per task, several at a time on one machine.

    python benchmarks/learning/train_networks.py train --device cuda:0 --seconds 480 --out out/networks
    python benchmarks/learning/train_networks.py one pegs --seed 0 --worlds 256 --seconds 600 --out out/one

`train` starts one process per run and stops them by the clock. Its results are two files: curves.json and policies.npz,
which holds all networks by run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "learning"))
TOUCH_SCALE = 2.0
"""Largest deviation of touch: ten times this is as far as a policy can tell pushes apart [N]."""
CURVE, POLICY = "curve.json", "policy.npz"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One kind of run."""

    task: str
    """Name of the task: pegs or sidewind."""
    env: dict[str, Any] = field(default_factory=dict)
    """What is changed of the task."""
    ppo: dict[str, Any] = field(default_factory=dict)
    """What is changed of the options of PPO."""


PLANS = {
    "pegs": Plan(task="pegs", env={"action": "bends"}, ppo={"noise": 0.25, "rate": 5e-4, "length": 32}),
    "sidewind": Plan(task="sidewind", env={}, ppo={"noise": 0.5, "rate": 5e-4, "length": 32}),
}
"""The runs that are kept."""


def one(options: argparse.Namespace) -> None:
    """One run; keeps its curve and policy as it goes."""
    import ppo
    import torch
    from field_or_bare import FieldOrBare

    import pushpoint as pp
    from pushpoint.envs import Sidewind, SnakeVectorEnv
    from pushpoint.envs.tasks import STEPS

    plan = PLANS[options.plan]
    known = ppo.parser().parse_args([plan.task])
    for name, value in (plan.ppo | json.loads(options.ppo)).items():
        setattr(known, name, value)
    known.seed, known.seconds, known.steps, known.num_envs = options.seed, options.seconds, options.steps, options.worlds
    torch.manual_seed(known.seed)
    torch.set_num_threads(1)
    kind = {"pegs": FieldOrBare, "sidewind": Sidewind}[plan.task]
    chosen = plan.env | json.loads(options.env)
    task = kind(device=options.device, **chosen)
    limit = STEPS["PegField" if plan.task == "pegs" else "Sidewind"]
    envs = SnakeVectorEnv(task, options.worlds, autoreset_mode="SameStep", max_episode_steps=limit)
    agent = ppo.Agent(envs, known.hidden, known.noise).to(options.device)
    touch = np.array([row.name.startswith("contact_normal_force") for row in task.observing.rows])
    normal = ppo.Normal(len(touch), np.where(touch, TOUCH_SCALE, np.inf))
    options.out.mkdir(parents=True, exist_ok=True)
    rows: list[Any] = []
    columns: list[str] = []
    saved = 0.0
    for figures in ppo.train(envs, agent, normal, known):
        columns = list(figures)
        rows.append(list(figures.values()))
        if time.monotonic() - saved > 15.0:
            keep(options, chosen, known, columns, rows)
            pp.control.write_policy(ppo.policy_of(agent, normal, task, source(options, figures)), options.out / POLICY)
            saved = time.monotonic()
            print(options.plan, options.seed, *figures.values(), flush=True)
    keep(options, chosen, known, columns, rows)
    pp.control.write_policy(ppo.policy_of(agent, normal, task, source(options, figures)), options.out / POLICY)


def source(options: argparse.Namespace, figures: dict[str, Any]) -> str:
    """Where a policy comes from."""
    return f"PPO, plan {options.plan}, seed {options.seed}, {figures['steps']:,} steps, benchmarks/learning/train_networks.py"


def keep(options: argparse.Namespace, env: Any, known: Any, columns: list[str], rows: list[Any]) -> None:
    """Writes the curve."""
    ppo_options = {name: value for name, value in vars(known).items() if isinstance(value, int | float)}
    document = {
        "plan": options.plan, "seed": options.seed, "env": env, "ppo": ppo_options, "columns": columns, "rows": rows,
    }
    (options.out / CURVE).write_text(json.dumps(document))


def train(options: argparse.Namespace) -> None:
    """All runs, each in a process of its own; then one file of curves and one of policies."""
    begin = time.monotonic()
    script, runs = str(Path(__file__).resolve()), []
    base = [sys.executable, script, "one"]
    work = options.work
    warm = [
        subprocess.Popen([*base, plan, "--device", options.device, "--worlds", str(options.worlds), "--steps", "1",
                          "--seconds", "1", "--out", str(work / f"warm-{plan}")])
        for plan in {PLANS[plan].task for plan in options.plans}
    ]  # kernels are compiled once
    for each in warm:
        each.wait()
    print(f"kernels after {time.monotonic() - begin:.0f} s", flush=True)
    left = options.seconds - (time.monotonic() - begin)
    for plan in options.plans:
        for seed in options.seeds:
            out = work / f"{plan}-{seed}"
            command = [*base, plan, "--seed", str(seed), "--device", options.device, "--worlds", str(options.worlds),
                       "--seconds", str(left), "--out", str(out), "--steps", str(options.steps)]
            runs.append((out, subprocess.Popen(command)))
    for _, process in runs:
        process.wait()
    collect([out for out, _ in runs], options.out)


def collect(runs: list[Path], out: Path) -> None:
    """One file of curves and one of policies."""
    out.mkdir(parents=True, exist_ok=True)
    curves = {run.name: json.loads((run / CURVE).read_text()) for run in runs if (run / CURVE).exists()}
    (out / "curves.json").write_text(json.dumps(curves))
    held = {}
    for run in runs:
        if (run / POLICY).exists():
            with np.load(run / POLICY) as file:
                held |= {f"{run.name}/{name}": file[name] for name in file.files}
    np.savez_compressed(out / "policies.npz", **held)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("one", "train"):
        each = verbs.add_parser(verb)
        each.add_argument("--device", default="cpu")
        each.add_argument("--worlds", type=int, default=256)
        each.add_argument("--seconds", type=float, default=600.0)
        each.add_argument("--steps", type=int, default=100_000_000)
        each.add_argument("--out", type=Path, default=Path("out/networks"))
    single, many = verbs.choices["one"], verbs.choices["train"]
    single.add_argument("plan", choices=PLANS)
    single.add_argument("--seed", type=int, default=0)
    single.add_argument("--env", default="{}", help="fields of the task that are changed, as JSON")
    single.add_argument("--ppo", default="{}", help="options of PPO that are changed, as JSON")
    many.add_argument("--plans", nargs="+", default=["pegs", "sidewind"], choices=PLANS)
    many.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    many.add_argument("--work", type=Path, default=Path("out/runs"))
    options = parser.parse_args()
    {"one": one, "train": train}[options.verb](options)


if __name__ == "__main__":
    main()

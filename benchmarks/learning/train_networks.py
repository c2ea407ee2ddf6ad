"""Trains neural policies by PPO, several at a time on one machine, and tells what they are worth.

    python benchmarks/learning/train_networks.py train --device cuda:0 --seconds 400 --out out/networks
    python benchmarks/learning/train_networks.py one sidewind --seed 0 --worlds 256 --seconds 600 --out out/one

`train` has one process per run, which stops by the clock and then tries its policy on the courses of validation, or on
a grid of velocities. Meanwhile it looks for the best constant waves for Sidewind. It writes three files: curves.json,
waves.json and policies.npz, which holds all networks by run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import assessing
import numpy as np
from plans import PLANS, Plan

from pushpoint.whole_files import write_bytes

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "learning"))
KEPT = ROOT / "docs" / "results" / "learned-networks.json"
"""What the figures are drawn from; says which runs are shipped."""
TOUCH_SCALE = 2.0
"""Largest deviation of touch: a policy tells pushes apart up to ten times this [N]."""
RUN, POLICY, IMITATION = "run.json", "policy.npz", "imitation.npz"
SCRIPT = "benchmarks/learning/train_networks.py"
TELL = 20.0
"""Time between two saves [s]."""
AFTERWARDS = 100.0
"""Time for trying the policies [s]; runs that need longer are stopped."""
TRIED = 1024
"""Constant waves that are tried for Sidewind."""


class Trained:
    """One run: a network that learns, and the folder that keeps it."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Prepares the worlds and the network."""
        import ppo
        import torch
        from imitation import Watched

        from pushpoint.envs import Sidewind, SnakeVectorEnv
        from pushpoint.envs.tasks import STEPS

        self.plan, self.options = PLANS[options.plan], options
        self.known = ppo.parser().parse_args([self.plan.task])
        given = {"seed": options.seed, "steps": options.steps, "num_envs": options.worlds}
        for name, value in (self.plan.ppo | given).items():
            setattr(self.known, name, value)
        torch.manual_seed(options.seed)
        torch.set_num_threads(1)
        kind, steps = {"pegs": (Watched, STEPS["PegField"]), "sidewind": (Sidewind, STEPS["Sidewind"])}[self.plan.task]
        self.task = kind(device=options.device, **self.plan.env)
        self.envs = SnakeVectorEnv(self.task, options.worlds, autoreset_mode="SameStep", max_episode_steps=steps)
        self.agent = ppo.Agent(self.envs, self.known.hidden, self.known.noise).to(options.device)
        touch = np.array([row.name.startswith("contact_normal_force") for row in self.task.observing.rows])
        self.normal = ppo.Normal(len(touch), np.where(touch, TOUCH_SCALE, np.inf))
        used = {name: value for name, value in vars(self.known).items() if isinstance(value, int | float)}
        self.document: dict[str, Any] = {"plan": options.plan, "seed": options.seed, "env": self.plan.env, "ppo": used}
        self.document["worlds"] = options.worlds
        options.out.mkdir(parents=True, exist_ok=True)

    def run(self) -> None:
        """Imitation if the plan has it, PPO, and what the policy is worth."""
        begin = time.monotonic()
        if self.plan.imitation:
            self.imitate()
        self.known.seconds = max(self.options.seconds - (time.monotonic() - begin), 1.0)
        self.practise()
        if self.options.courses:
            self.document |= worth(self.plan, self.options)
            self.keep(self.done)

    def imitate(self) -> None:
        """Lets the network imitate the touch policy."""
        from imitation import imitate

        off = imitate(self.envs, self.agent, self.normal, self.plan.imitation, self.options.seed)
        self.document["imitation"] = {"off": off, "steps": self.plan.imitation}
        self.keep("imitation alone", IMITATION)

    def practise(self) -> None:
        """PPO; keeps the curve and the policy as it goes."""
        import ppo

        saved, rows = 0.0, []
        for figures in ppo.train(self.envs, self.agent, self.normal, self.known):
            rows.append([round(float(value), 5) for value in figures.values()])
            self.document |= {"columns": list(figures), "rows": rows}
            self.done = f"{figures['steps']:,} steps of PPO"
            if time.monotonic() - saved > TELL:
                self.keep(self.done)
                print(self.options.plan, self.options.seed, *figures.values(), flush=True)
                saved = time.monotonic()
        self.keep(self.done)

    def keep(self, done: str, name: str = POLICY) -> None:
        """Writes the network and everything about the run."""
        import ppo

        import pushpoint as pp

        source = f"{SCRIPT} one {self.options.plan} --seed {self.options.seed}, {done}"
        pp.control.write_policy(ppo.policy_of(self.agent, self.normal, self.task, source), self.options.out / name)
        write_bytes(self.options.out / RUN, json.dumps(self.document).encode())  # whole: a late run is killed


def one(options: argparse.Namespace) -> None:
    """One run."""
    Trained(options).run()


def worth(plan: Plan, options: argparse.Namespace) -> dict[str, Any]:
    """What the policy that was kept is worth, without noise in its actions."""
    import pushpoint as pp

    policy = pp.control.learned(options.out / POLICY)
    if plan.task == "pegs":
        tried = assessing.pegs({"policy": policy}, range(3000, 3000 + options.courses))["controllers"]["policy"]
        return {"drift": assessing.drifts(policy), "passed": tried["passed"], "validation": tried}
    return on_grid(policy.act)


def on_grid(act: Any) -> dict[str, Any]:
    """All trials of the grid, and their errors with other starts and on other ground."""
    found = assessing.sidewind(act, assessing.grid())
    return {name: value.round(5).tolist() for name, value in found.items()} | {"others": others(act)}


def others(act: Any) -> dict[str, list[float]]:
    """Errors of all trials of the grid with other starts, and on other ground."""
    tried = {"other starts": None, "friction 0.2": 0.2}
    found = {name: assessing.sidewind(act, assessing.grid(0.5), friction) for name, friction in tried.items()}
    return {name: each["error"].round(5).tolist() for name, each in found.items()}


def train(options: argparse.Namespace) -> None:
    """All runs, each in a process of its own; then a few files."""
    begin = time.monotonic()
    base = [sys.executable, str(Path(__file__).resolve()), "one"]
    size = ["--device", options.device, "--worlds", str(options.worlds)]
    tasks = {PLANS[plan].task for plan in options.plans}
    brief = ["--steps", "1", "--seconds", "1", "--courses", "1"]
    warm = [
        subprocess.Popen([*base, task, *size, *brief, "--out", str(options.work / f"warm-{task}")]) for task in tasks
    ]  # kernels are compiled once, by the plan that is called like its task: it begins without imitation
    for each in warm:
        each.wait()
    print(f"kernels after {time.monotonic() - begin:.0f} s", flush=True)
    left = max(options.seconds - (time.monotonic() - begin), 1.0)
    runs: dict[Path, subprocess.Popen[bytes]] = {}
    for plan in options.plans:
        for seed in options.seeds:
            out = options.work / f"{plan}-{seed}"
            more = ["--seconds", str(left), "--steps", str(options.steps), "--courses", str(options.courses)]
            runs[out] = subprocess.Popen([*base, plan, "--seed", str(seed), *size, *more, "--out", str(out)])
    options.out.mkdir(parents=True, exist_ok=True)
    if "sidewind" in tasks and options.tried:
        waves = {"one gait": one_gait(), "table": best_waves(options.tried)}
        (options.out / "waves.json").write_text(json.dumps(waves))
        print(f"waves after {time.monotonic() - begin:.0f} s", flush=True)
    for process in runs.values():
        try:
            process.wait(max(begin + options.seconds + AFTERWARDS - time.monotonic(), 1.0))
        except subprocess.TimeoutExpired:  # what it kept stays
            process.kill()
    collect(list(runs), options.out)
    print(f"all after {time.monotonic() - begin:.0f} s", flush=True)


def best_waves(count: int) -> dict[str, Any]:
    """The hand-tuned gait for each velocity of the grid: of the constant waves near it, the best on the grid itself."""
    trials = assessing.grid()
    candidates = assessing.looked_up(assessing.table(count), trials[:: assessing.PHASES])
    tried = []
    for actions in candidates:  # each with all phases
        each = np.repeat(actions, assessing.PHASES, axis=0)
        tried.append(assessing.sidewind(lambda seen, each=each: each, trials))
    errors = np.array([found["error"] for found in tried]).reshape(len(tried), -1, assessing.PHASES).mean(axis=2)
    best = np.repeat(errors.argmin(axis=0), assessing.PHASES)
    rows = np.arange(len(trials))
    return {
        "tried": count,
        "others": others(lambda seen: candidates[best, rows // assessing.PHASES]),
        "actions": candidates[best, rows // assessing.PHASES][:: assessing.PHASES].tolist(),
        "velocity": np.array([found["velocity"] for found in tried])[best, rows].round(5).tolist(),
        "error": np.array([found["error"] for found in tried])[best, rows].round(5).tolist(),
    }


def one_gait() -> dict[str, Any]:
    """The library's gait, gaits/sidewinding, with the frequency for each speed; it goes wherever it goes."""
    trials = assessing.grid()
    speeds = np.array([trial.speed for trial in trials])
    actions = assessing.numbers(
        **assessing.HAND_MADE, frequency=speeds / assessing.METRES_PER_CYCLE, pitch_lead=-np.pi / 2, bend=0.0
    )
    return on_grid(lambda seen: actions)


def collect(runs: list[Path], out: Path) -> None:
    """One file of curves and one of policies."""
    found = {run.name: json.loads((run / RUN).read_text()) for run in runs if (run / RUN).exists()}
    (out / "curves.json").write_text(json.dumps(found))
    held = {}
    for run in runs:
        if (run / POLICY).exists():
            with np.load(run / POLICY) as file:
                held |= {f"{run.name}/{name}": file[name] for name in file.files}
    np.savez_compressed(out / "policies.npz", **held)


def ship(options: argparse.Namespace) -> None:
    """Makes the policy of a run one that comes with pushpoint: as it is, its weights in single precision."""
    with np.load(options.run / POLICY) as file:
        held = {name: file[name] for name in file.files}
    numbers = {name: each.astype(np.float32) for name, each in held.items() if each.ndim and each.dtype == float}
    target = ROOT / "src" / "pushpoint" / "control" / "policies" / f"{options.name}.npz"
    np.savez_compressed(target, **held | numbers)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    plan = json.loads((options.run / RUN).read_text())["plan"]
    kept["shipped"] = kept.get("shipped", {}) | {plan: options.run.name}
    KEPT.write_text(json.dumps(kept) + "\n")
    print(target, target.stat().st_size, held["source"])


def main() -> None:
    """Reads what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("one", "train"):
        each = verbs.add_parser(verb)
        each.add_argument("--device", default="cpu", help="of worlds and networks")
        each.add_argument("--worlds", type=int, default=256)
        each.add_argument("--seconds", type=float, default=600.0, help="time of training")
        each.add_argument("--steps", type=int, default=10**9, help="most steps of a run")
        each.add_argument("--courses", type=int, default=100, help="of validation; 0: the policies are not tried")
        each.add_argument("--out", type=Path, default=Path("out/networks"))
    single, many = verbs.choices["one"], verbs.choices["train"]
    single.add_argument("plan", choices=PLANS)
    single.add_argument("--seed", type=int, default=0)
    many.add_argument("--plans", nargs="+", default=["pegs", "taught", "sidewind"], choices=PLANS)
    many.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    many.add_argument("--work", type=Path, default=Path("out/runs"))
    many.add_argument("--tried", type=int, default=TRIED, help="constant waves for Sidewind; 0: none")
    shipping = verbs.add_parser("ship")
    shipping.add_argument("run", type=Path, help="folder of the run")
    shipping.add_argument("name", help="such as sidewind-ppo-v1")
    options = parser.parse_args()
    {"one": one, "train": train, "ship": ship}[options.verb](options)


if __name__ == "__main__":
    main()

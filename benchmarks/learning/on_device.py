"""Environment steps per second with everything on one device: physics, sensors, observations, rewards, resets, policy.

python benchmarks/learning/on_device.py [--device cuda:0] [--worlds N ...] [--envs NAME ...] [--precisions float32 ...]

It needs torch. For each environment, precision and number of worlds a random network of two layers acts for --steps
steps. The rate is that of the whole loop; the split is measured afterwards, with a wait for the device after each part.
Then the device is compared with the CPU on the same actions in double precision. At last a policy of JAX, if it is
there, acts on the same memory by DLPack.

It prints JSON, and writes it as it comes to --out (out/on_device.json): a run that is cut short keeps what it has.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the GPU's memory

import gymnasium
import torch
from torch import nn

import pushpoint.envs
from pushpoint.engine.devices import start_warp
from pushpoint.whole_files import write_bytes

ENVS = ("PegField", "Slither", "Sidewind")
WORLDS = (16384, 1024, 4096, 65536)
COMPARED, RECORDED = 64, 20
"""Worlds and steps that are compared between devices [-]."""
WARM = 20
"""Steps before the timed ones [-]."""
PARTED = 20
"""Steps of which the parts are timed [-]."""


def made(name: str, worlds: int, device: str, precision: str, courses: int) -> Any:
    """An environment."""
    options = {"courses": range(courses)} if name == "PegField" else {}
    limit = pushpoint.envs.STEPS[name]
    return pushpoint.envs.DeviceVectorEnv(
        name, worlds, device=device, precision=precision, max_episode_steps=limit, **options
    )


def policy_for(envs: Any, device: str) -> nn.Module:
    """A random network."""
    torch.manual_seed(0)
    rows, numbers = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    layers = (nn.Linear(rows, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, numbers))
    return nn.Sequential(*layers).to(device)


def acting(policy: nn.Module) -> Callable[[torch.Tensor], torch.Tensor]:
    """Actions of the network with noise, as in training."""

    def act(seen: torch.Tensor) -> torch.Tensor:
        mean = policy(seen)
        return torch.clip(mean + 0.5 * torch.randn_like(mean), -1.0, 1.0)

    return act


def waited(device: str) -> float:
    """The time when the device has done everything [s]."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter()


def rate(envs: Any, device: str, steps: int) -> dict[str, Any]:
    """Environment steps per second, and what share of a step goes where [ms]."""
    act = acting(policy_for(envs, device))
    begin = waited(device)
    seen, _ = envs.reset(seed=0)
    ready = waited(device) - begin
    ended = torch.zeros((), device=device)
    with torch.no_grad():
        for _ in range(WARM):
            seen, *_ = envs.step(act(seen))
        begin = waited(device)
        for _ in range(steps):
            seen, _, terminated, truncated, _ = envs.step(act(seen))
            ended += (terminated | truncated).sum()
        spent = waited(device) - begin
        split = parts(envs, act, seen, device)
    found = {"reset_s": ready, "ms_per_step": 1e3 * spent / steps, "env_steps_per_s": envs.num_envs * steps / spent}
    return found | {"episodes_ended": int(ended.item()), "split_ms": split}


def parts(envs: Any, act: Any, seen: torch.Tensor, device: str) -> dict[str, float]:
    """Mean time of the parts of a step, each with a wait for the device [ms]."""
    spent: dict[str, float] = {}

    def timed(label: str, function: Any) -> Any:
        def run(*args: Any, **options: Any) -> Any:
            begin = waited(device)
            result = function(*args, **options)
            spent[label] = spent.get(label, 0.0) + waited(device) - begin
            return result

        return run

    simulator = envs._pool.simulator
    stepper, senses = simulator._stepper, simulator._senses
    held = ((stepper, "advance", "physics"), (senses, "read", "measurement"), (envs, "_begin", "reset"))
    for owner, name, label in held:
        setattr(owner, name, timed(label, getattr(owner, name)))
    step, act = timed("whole", envs.step), timed("policy", act)
    for _ in range(PARTED):
        seen, *_ = step(act(seen))
    for owner, name, _ in held:
        delattr(owner, name)
    rest = spent["whole"] - sum(spent[label] for _, _, label in held)
    return {name: 1e3 * value / PARTED for name, value in (spent | {"command, reward, observation": rest}).items()}


def differences(name: str, device: str, courses: int) -> dict[str, float]:
    """Largest difference between the device and the CPU over some steps with the same actions, in double precision."""
    torch.manual_seed(1)
    both = [made(name, COMPARED, each, "float64", courses) for each in ("cpu", device)]
    seen = [envs.reset(seed=5)[0] for envs in both]
    worst = {"observation": 0.0, "reward": 0.0, "first_observation": float((seen[0] - seen[1].cpu()).abs().max())}
    for _ in range(RECORDED):
        actions = 2.0 * torch.rand(both[0].action_space.shape) - 1.0
        here, there = (envs.step(actions.to(where)) for envs, where in zip(both, ("cpu", device), strict=True))
        for label, k in (("observation", 0), ("reward", 1)):
            worst[label] = max(worst[label], float((here[k] - there[k].cpu()).abs().max()))
        assert all(bool((here[k] == there[k].cpu()).all()) for k in (2, 3)), "episodes end elsewhere"
    return worst


def with_jax(envs: Any, device: str, steps: int) -> dict[str, Any]:
    """The same loop with a policy of JAX, which reads and writes the same memory."""
    import jax
    import jax.numpy as jnp

    rows, numbers = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    weights = 0.1 * jax.random.normal(jax.random.key(0), (rows, numbers))
    act = jax.jit(lambda seen: jnp.tanh(seen @ weights))
    seen, _ = envs.reset(seed=0)
    same = bool((torch.from_dlpack(jax.dlpack.from_dlpack(seen)) == seen).all())
    begin = 0.0
    for k in range(WARM + steps):
        begin = waited(device) if k == WARM else begin
        actions = act(jax.dlpack.from_dlpack(seen)).block_until_ready()
        seen, *_ = envs.step(torch.from_dlpack(actions))
    spent = waited(device) - begin
    version, platform = jax.__version__, jax.devices()[0].platform
    return {"jax": version, "on": platform, "same": same, "env_steps_per_s": envs.num_envs * steps / spent}


def main() -> None:
    """Measures all of it, what matters most first."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--device", default="cuda:0")
    asked.add_argument("--worlds", type=int, nargs="+", default=WORLDS)
    asked.add_argument("--envs", nargs="+", default=ENVS, choices=("PegField", "Slither", "Sidewind", "Rubble"))
    asked.add_argument("--precisions", nargs="+", default=("float32", "float64"))
    asked.add_argument("--steps", type=int, default=100)
    asked.add_argument("--courses", type=int, default=1000)
    asked.add_argument("--out", type=Path, default=Path("out/on_device.json"))
    told = asked.parse_args()
    start_warp()
    is_gpu = told.device.startswith("cuda")
    name = torch.cuda.get_device_name(0) if is_gpu else "cpu"
    found: dict[str, Any] = {"device": name, "torch": torch.__version__, "courses": told.courses, "rates": []}
    told.out.parent.mkdir(parents=True, exist_ok=True)

    def keep(label: str, make: Callable[[], Any]) -> None:
        begin = time.perf_counter()
        try:
            value = make()
        except Exception as error:  # what comes after it is still wanted
            value = {"failed": f"{type(error).__name__}: {error}"[:500]}
        line = {"what": label, **value, "seconds": time.perf_counter() - begin}
        found["rates"].append(line)
        print(json.dumps(line), file=sys.stderr, flush=True)
        write_bytes(told.out, (json.dumps(found, indent=1) + "\n").encode())

    def rate_of(name: str, precision: str, worlds: int) -> dict[str, Any]:
        return rate(made(name, worlds, told.device, precision, told.courses), told.device, told.steps)

    for name in told.envs:
        for precision, worlds in product(told.precisions, told.worlds):
            keep(f"{name}, {worlds} worlds, {precision}", partial(rate_of, name, precision, worlds))
        few = min(told.courses, 100)
        keep(f"{name}: device and CPU, float64", partial(differences, name, told.device, few))
    first = made("PegField", told.worlds[0], told.device, "float32", told.courses)
    keep("PegField with a policy of JAX", lambda: with_jax(first, told.device, told.steps))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    gymnasium.register_envs(pushpoint.envs)
    main()

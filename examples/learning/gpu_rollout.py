"""A torch policy steps thousands of worlds on a GPU: rates of the environment, of the policy, and of both.

    python examples/learning/gpu_rollout.py pushpoint/PegField-v0 --num-envs 16384 --device cuda:0

Physics, sensors, observations, rewards and resets stay on the device: with arrays="torch" all are tensors there.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import torch
from torch import nn

import pushpoint.envs


def main() -> None:
    """Steps and times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("env", nargs="?", default="pushpoint/PegField-v0")
    parser.add_argument("--num-envs", type=int, default=256)
    parser.add_argument(
        "--device", default="cuda:0" if torch.cuda.is_available() else "cpu"
    )
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    gymnasium.register_envs(pushpoint.envs)
    torch.manual_seed(0)
    envs = gymnasium.make_vec(
        options.env,
        options.num_envs,
        device=options.device,
        precision="float32",
        arrays="torch",
    )
    rows, numbers = (
        envs.single_observation_space.shape[0],
        envs.single_action_space.shape[0],
    )
    policy = nn.Sequential(
        nn.Linear(rows, 64), nn.Tanh(), nn.Linear(64, numbers), nn.Tanh()
    ).to(options.device)
    seen, _ = envs.reset(seed=0)
    with torch.no_grad():
        seen, *_ = envs.step(policy(seen))  # kernels are compiled or loaded
    earned = torch.zeros(options.num_envs, device=options.device)
    thinking, begin = 0.0, time.perf_counter()
    with torch.no_grad():
        for _ in range(options.steps):
            before = time.perf_counter()
            action = policy(seen)
            if options.device.startswith("cuda"):
                torch.cuda.synchronize()
            thinking += time.perf_counter() - before
            seen, reward, *_ = envs.step(action)
            earned += reward
    spent, count = time.perf_counter() - begin, options.num_envs * options.steps
    print(
        f"{options.num_envs} worlds of {options.env} on {options.device}, {options.steps} steps each"
    )
    print(
        f"{count / spent:,.0f} steps per second, {100 * thinking / spent:.1f}% of the time in the policy"
    )
    print(f"mean reward per step {earned.mean().item() / options.steps:.4f}")


if __name__ == "__main__":
    main()

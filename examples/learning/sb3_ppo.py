"""Stable-Baselines3 on a vector environment of pushpoint: it takes its own class alone, and this adapter makes one.

python examples/learning/sb3_ppo.py pushpoint/Slither-v0 --steps 200_000
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize

import pushpoint.envs


class Adapter(VecEnv):
    """A vector environment of Gymnasium, with autoreset in the same step, as Stable-Baselines3 wants one."""

    def __init__(self, envs: gymnasium.vector.VectorEnv) -> None:
        self.envs, self.actions = envs, np.zeros(envs.action_space.shape)
        self.render_mode = envs.render_mode
        super().__init__(
            envs.num_envs, envs.single_observation_space, envs.single_action_space
        )

    def reset(self) -> np.ndarray:
        """Begins new episodes, with the seed that was set before."""
        seeds = None if self._seeds[0] is None else self._seeds
        self._reset_seeds()
        return self.envs.reset(seed=seeds)[0]

    def step_async(self, actions: np.ndarray) -> None:
        """Keeps the actions for step_wait."""
        self.actions = actions

    def step_wait(
        self,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """One step; the last observation of an episode is in its info."""
        seen, reward, terminated, truncated, info = self.envs.step(self.actions)
        over, infos = terminated | truncated, [{} for _ in range(self.num_envs)]
        for k in np.flatnonzero(over):
            infos[k] = {
                "terminal_observation": info["final_obs"][k],
                "TimeLimit.truncated": bool(truncated[k] and not terminated[k]),
            }
        return seen, reward.astype(np.float32), over, infos

    def close(self) -> None:
        """Closes the environment."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, the same for all worlds."""
        return [getattr(self.envs, attr_name)] * self._count(indices)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute for all worlds."""
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **rest: Any
    ) -> list[Any]:
        """Calls a method once."""
        return [getattr(self.envs, method_name)(*args, **rest)] * self._count(
            indices
        )

    def env_is_wrapped(
        self, wrapper_class: type, indices: Any = None
    ) -> list[bool]:
        """No world has a wrapper of its own."""
        return [False] * self._count(indices)

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture of each world."""
        return self.envs.render() or [None] * self.num_envs

    def _count(self, indices: Any) -> int:
        return len(list(self._get_indices(indices)))


def main() -> None:
    """Trains for a while, and tells how a policy does before and after."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("env", nargs="?", default="pushpoint/Slither-v0")
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    gymnasium.register_envs(pushpoint.envs)
    torch.set_num_threads(1)  # small networks are faster on one
    envs = gymnasium.make_vec(
        options.env, options.num_envs, autoreset_mode="SameStep"
    )
    worlds = VecNormalize(VecMonitor(Adapter(envs)))
    model = PPO(
        "MlpPolicy",
        worlds,
        learning_rate=1e-3,
        n_steps=64,
        batch_size=1024,
        n_epochs=5,
        policy_kwargs={"log_std_init": -0.7},
        device="cpu",
        seed=options.seed,
    )
    for part in range(5):
        model.learn(options.steps // 5, reset_num_timesteps=part == 0)
        returns = [episode["r"] for episode in model.ep_info_buffer]
        told = f"{np.mean(returns):.2f}" if returns else "none ended yet"
        print(
            f"{model.num_timesteps} steps, mean return of the last episodes: {told}",
            flush=True,
        )
    worlds.close()


if __name__ == "__main__":
    main()

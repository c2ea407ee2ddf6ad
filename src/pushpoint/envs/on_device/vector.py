"""The vector environment that never leaves its device: tensors in, tensors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from gymnasium.vector import AutoresetMode

from pushpoint.engine.batching import over_leaves
from pushpoint.envs.batch import MOST, TaskBatch
from pushpoint.envs.infos import Infos
from pushpoint.envs.judging import Kept, judged
from pushpoint.envs.on_device.pool import EpisodePool
from pushpoint.envs.snake_task import SnakeTask
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Whole, whole


class DeviceVectorEnv(TaskBatch[Any]):
    """Many worlds of one task that stay on their device: actions, observations and rewards are tensors there.

        import gymnasium
        import pushpoint.envs

        envs = gymnasium.make_vec("pushpoint/PegField-v0", num_envs=16384, device="cuda:0", arrays="torch")
        seen, _ = envs.reset(seed=0)
        seen, reward, terminated, truncated, info = envs.step(policy(seen))

    It differs from `SnakeVectorEnv` in this:

    - Episodes come from a pool that the first reset makes and packs: of PegField all courses, of others `pool` drawn
      ones. Which one a world gets next, and its sensors' noise, are functions of its seed and of how many episodes it
      had: equal on every machine, and other ones than in a SnakeVectorEnv.
    - `info` holds tensors of all worlds, without masks: `reward_terms`, `failed`, and what the task tells. With
      "SameStep", `info["final_obs"]` holds the observations of all worlds before the reset, which are final where
      `info["_final_obs"]` is true. `info["episode"]` is the number in the pool of each world's episode, before a reset
      in this step; what `reset` tells of that episode is beside it.
    - There are no pictures.

    Args:
        task: Name of a task, such as "PegField", or a task of your own, whose `judge` takes arrays of the library.
        num_envs: Number of worlds.
        arrays: The library of the arrays: "torch", or on a CPU "numpy".
        autoreset_mode: As in SnakeVectorEnv.
        max_episode_steps: Steps after which an episode is truncated; default: never.
        pool: How many episodes to draw for the pool; of PegField, which has every course in it, at least.
        **options: The fields of the task.
    """

    def __init__(
        self,
        task: str | SnakeTask,
        num_envs: int = 1,
        *,
        arrays: Literal["torch", "numpy"] = "torch",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        pool: int = 1024,
        **options: Any,
    ) -> None:
        """Prepares the worlds; the pool is made by the first reset."""
        super().__init__(task, num_envs, autoreset_mode, max_episode_steps, options)
        self._arrays, self._count = arrays, whole("env.pool", pool, Whole(1, MOST))
        self._pool: EpisodePool | None = None
        self._kept: Kept | None = None
        self._seen: Any = None
        self._over: Any = None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Infos]:
        """Begins new episodes.

        Args:
            seed: World i gets seed + i, or its own one from a list; default: the random numbers go on.
            options: {"reset_mask": truth values on the device} resets these worlds alone.

        Returns:
            The observations of all worlds, and what is told of their episodes.
        """
        mask, seeds = self._mask(options), self._seeds(seed)
        super().reset(seed=seeds[0])
        if self._kept is None and mask is not None:
            raise InvalidModel("options.reset_mask", "given", "left out in the first reset")
        pool = self._made()
        chosen = pool.everyone if mask is None else pool.simulator.taken("options.reset_mask", mask, pool.space.bool)
        if mask is not None and not bool(chosen.any()):
            raise InvalidModel("options.reset_mask", "all false", "true for at least one world")
        pool.seed(seeds, chosen)
        self._begin(chosen)
        return self._seen, pool.told()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Infos]:
        """One period of all worlds: observations, rewards, terminated, truncated, info.

        Nothing waits for the device but the check that actions are finite.
        """
        pool, kept = self._begun()
        space, simulator = pool.space, pool.simulator
        given = simulator.checked("action", actions, len(self.task.actions.names))
        action = space.asarray(space.clip(given, -1.0, 1.0), dtype=kept.place.dtype)
        command, acted = self.task.actions.command(action, kept.acted)
        measurement = simulator.advance(command)
        failed = simulator.failed
        kept = kept._replace(acted=acted, steps=kept.steps + 1)
        outcome, reward, kept = judged(self.task, measurement, failed, kept)
        terminated, truncated = outcome.terminated | failed, outcome.truncated | (kept.steps >= self._most_steps)
        infos = {"reward_terms": outcome.rewards, **outcome.told, "failed": failed, **pool.told()}
        self._kept, self._seen = kept, self.task.observing.see(measurement, acted, kept.asked)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            fresh = self._over
            reward = space.where(fresh, 0.0, reward)
            terminated, truncated = terminated & ~fresh, truncated & ~fresh
            self._begin(fresh)
        self._over = over = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos |= {"final_obs": self._seen, "_final_obs": over}
            self._begin(over)
        return self._seen, reward, terminated, truncated, infos

    def _begin(self, chosen: Any) -> None:
        """New episodes in some worlds."""
        pool, task = self._made(), self.task
        measurement = pool.begin(chosen)
        place, acted = task.place(measurement), task.actions.begin(measurement)
        steps = pool.space.zeros_like(chosen, dtype=pool.space.int64)
        new = Kept(pool.asked(), acted, place, task.begin(place), steps)

        def merged(one: Any, other: Any) -> Any:
            return pool.space.where(chosen.reshape(-1, *[1] * (one.ndim - 1)), one, other)

        self._kept = new if self._kept is None else over_leaves(merged, new, self._kept)
        self._seen = task.observing.see(measurement, self._kept.acted, self._kept.asked)
        self._over = pool.space.zeros_like(chosen) if self._over is None else self._over & ~chosen

    def _made(self) -> EpisodePool:
        if self._pool is None:
            episodes = self.task.pool(np.random.default_rng(0), self._count)
            self._pool = EpisodePool(self.task, episodes, self.num_envs, self._arrays)
        return self._pool

    def _begun(self) -> tuple[EpisodePool, Kept]:
        """The pool and what is kept; raises InvalidModel before the first reset and after an episode's end."""
        if self._kept is None or self._pool is None:
            raise InvalidModel("env: episode", "none", "begun: call reset first")
        if self.autoreset_mode is AutoresetMode.DISABLED and bool(self._over.any()):
            number = self._over.tolist().index(True)
            raise InvalidModel("env: episode", f"over in world {number}", "going on: call reset first")
        return self._pool, self._kept

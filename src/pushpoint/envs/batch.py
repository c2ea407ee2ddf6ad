"""What all vector environments of a task have in common: their spaces, their seeds and their modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pushpoint.engine.devices import check_device
from pushpoint.envs.plain import check_names
from pushpoint.envs.snake_task import SnakeTask
from pushpoint.envs.tasks import task_of
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Whole, instance, one_of, whole

SEED = Whole(0, None, "a whole number >= 0, or None")
MOST = 2**31 - 1
MODES = {mode.value: mode for mode in AutoresetMode}
RENDER_MODES = ("rgb_array",)
Array = TypeVar("Array")


class TaskBatch(VectorEnv[Array, Array, Array]):
    """Base class of vector environments: many worlds of one task."""

    def __init__(
        self,
        task: str | SnakeTask,
        num_envs: int,
        autoreset_mode: AutoresetMode | str,
        max_episode_steps: int | None,
        options: dict[str, Any],
    ) -> None:
        """`options` are the fields of the task."""
        self.task = task_of(task, options)
        check_device(self.task.device)
        self.num_envs = whole("env.num_envs", num_envs, Whole(1, MOST))
        self.autoreset_mode = _mode(autoreset_mode)
        limit = max_episode_steps
        self._most_steps = MOST if limit is None else whole("env.max_episode_steps", limit, Whole(1, MOST))
        self.metadata = metadata(self.task) | {"autoreset_mode": self.autoreset_mode}
        limits = np.array([row.limit for row in self.task.observing.rows], dtype=np.float32)
        self.single_observation_space = spaces.Box(-limits, limits, dtype=np.float32)
        self.single_action_space = spaces.Box(-1.0, 1.0, (len(self.task.actions.names),), dtype=np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def rows(self) -> tuple[str, ...]:
        """What each number of an observation is, with its unit."""
        return tuple(f"{row.name} [{row.unit}]" for row in self.task.observing.rows)

    def close_extras(self, **kwargs: Any) -> None:
        """Closes nothing: no files, windows or processes are open."""

    def _mask(self, options: dict[str, Any] | None) -> Any:
        """The mask that `reset` was given; None without one."""
        given = instance("options", {} if options is None else options, dict, "a dict")
        check_names("option of reset", given, ("reset_mask",))
        return given.get("reset_mask")

    def _seeds(self, seed: Any) -> list[int | None]:
        """The seed of every world; None where its random numbers go on."""
        if seed is None or isinstance(seed, int | np.integer):
            first = None if seed is None else whole("seed", seed, SEED)
            return [None if first is None else first + k for k in range(self.num_envs)]
        if not isinstance(seed, Sequence) or len(seed) != self.num_envs:
            raise InvalidModel("seed", seed, f"a whole number, None, or a list of {self.num_envs} of these")
        return [None if each is None else whole(f"seed[{k}]", each, SEED) for k, each in enumerate(seed)]


def metadata(task: SnakeTask) -> dict[str, Any]:
    """What Gymnasium's wrappers want to know."""
    return {"render_modes": list(RENDER_MODES), "render_fps": round(task.rate)}


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    return mode if isinstance(mode, AutoresetMode) else MODES[one_of("env.autoreset_mode", mode, tuple(MODES))]

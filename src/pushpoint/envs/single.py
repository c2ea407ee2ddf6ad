"""The single environment: a vector of one world."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import Env
from gymnasium.vector import AutoresetMode

from pushpoint.envs.batch import RENDER_MODES, SEED, metadata
from pushpoint.envs.infos import Infos, of_world
from pushpoint.envs.snake_task import SnakeTask
from pushpoint.envs.vector import SnakeVectorEnv
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import instance, real, whole


class SnakeEnv(Env[np.ndarray, np.ndarray]):
    """One world of a task: a vector of one.

        import gymnasium
        import pushpoint.envs

        env = gymnasium.make("pushpoint/Slither-v0")
        seen, _ = env.reset(seed=0)
        seen, reward, terminated, truncated, info = env.step(env.action_space.sample())

    The environments differ in their task; see `Slither`, `PegField`, `Sidewind` and `Rubble`, whose fields are further
    keyword arguments.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 20}  # type: ignore[misc]

    def __init__(
        self, task: str | SnakeTask, *, render_mode: str | None = None, width: int = 640, **options: Any
    ) -> None:
        """Prepares the world.

        Args:
            task: Name of a task, such as "PegField", or a task of your own.
            render_mode: "rgb_array": `render` gives a picture. None: it gives none.
            width: Width of the pictures [px], 320 to 3840.
            **options: The fields of the task.
        """
        disabled = AutoresetMode.DISABLED
        self._vector = SnakeVectorEnv(task, 1, autoreset_mode=disabled, render_mode=render_mode, width=width, **options)
        self.task, self.render_mode = self._vector.task, self._vector.render_mode
        self.metadata = metadata(self.task)  # type: ignore[misc]
        self.observation_space = self._vector.single_observation_space
        self.action_space = self._vector.single_action_space

    @property
    def rows(self) -> tuple[str, ...]:
        """What each number of an observation is, with its unit."""
        return self._vector.rows

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, Infos]:
        """Begins a new episode; there are no options."""
        if options is not None and instance("options", options, dict, "a dict"):
            raise InvalidModel("options", options, "left out, or empty")
        super().reset(seed=None if seed is None else whole("seed", seed, SEED))
        self._vector.draw_from([self.np_random])
        seen, infos = self._vector.reset()
        return seen[0], of_world(infos, 0)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, Infos]:
        """One period: observation, reward, terminated, truncated, info."""
        one = array("action", action, real("-"), Axes(len(self.task.actions.names)))
        seen, reward, terminated, truncated, infos = self._vector.step(one[None])
        return seen[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), of_world(infos, 0)

    def render(self) -> np.ndarray | None:
        """A picture, red, green and blue, shape (height, width, 3); None without a render mode."""
        pictures = self._vector.render()
        return None if pictures is None else pictures[0]

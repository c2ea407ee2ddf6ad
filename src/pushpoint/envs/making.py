"""What `gymnasium.make_vec` calls: NumPy's vector environment, or the one that stays on its device."""

from __future__ import annotations

from typing import Any

from pushpoint.envs.on_device.vector import DeviceVectorEnv
from pushpoint.envs.snake_task import SnakeTask
from pushpoint.envs.vector import SnakeVectorEnv


def vector_env(
    task: str | SnakeTask, num_envs: int = 1, *, arrays: str | None = None, **options: Any
) -> SnakeVectorEnv | DeviceVectorEnv:
    """A SnakeVectorEnv, or with `arrays` a DeviceVectorEnv with arrays of this library."""
    if arrays is None:
        return SnakeVectorEnv(task, num_envs, **options)
    return DeviceVectorEnv(task, num_envs, arrays=arrays, **options)  # type: ignore[arg-type]

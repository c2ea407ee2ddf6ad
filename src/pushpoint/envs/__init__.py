"""Gymnasium environments: snake robots that learn. Importing this registers them; it needs the extra `learn`."""

from __future__ import annotations

from pushpoint.errors import MissingExtra

try:
    import gymnasium
except ModuleNotFoundError as missing:
    raise MissingExtra("pushpoint.envs", "learn") from missing

from pushpoint.envs.goal_task import GoalTask as GoalTask
from pushpoint.envs.on_device.vector import DeviceVectorEnv as DeviceVectorEnv
from pushpoint.envs.peg_field import PegField as PegField
from pushpoint.envs.policies import policy_from as policy_from
from pushpoint.envs.randomised import Randomised as Randomised
from pushpoint.envs.rubble import Rubble as Rubble
from pushpoint.envs.sidewind import Sidewind as Sidewind
from pushpoint.envs.single import SnakeEnv as SnakeEnv
from pushpoint.envs.slither import Slither as Slither
from pushpoint.envs.snake_task import (
    Episode as Episode,
    SnakeTask as SnakeTask,
    StepOutcome as StepOutcome,
    Turn as Turn,
)
from pushpoint.envs.tasks import STEPS as STEPS
from pushpoint.envs.vector import SnakeVectorEnv as SnakeVectorEnv
from pushpoint.envs.velocity_task import VelocityTask as VelocityTask

__all__ = [
    "DeviceVectorEnv",
    "Episode",
    "GoalTask",
    "PegField",
    "Randomised",
    "Rubble",
    "Sidewind",
    "Slither",
    "SnakeEnv",
    "SnakeTask",
    "SnakeVectorEnv",
    "StepOutcome",
    "Turn",
    "VelocityTask",
    "policy_from",
]

for _name, _steps in STEPS.items():
    gymnasium.register(
        id=f"pushpoint/{_name}-v0",
        entry_point="pushpoint.envs.single:SnakeEnv",
        vector_entry_point="pushpoint.envs.making:vector_env",
        max_episode_steps=_steps,
        kwargs={"task": _name},
    )

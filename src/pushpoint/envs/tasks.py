"""The tasks by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from pushpoint.envs.peg_field import PegField
from pushpoint.envs.plain import check_names
from pushpoint.envs.rubble import Rubble
from pushpoint.envs.sidewind import Sidewind
from pushpoint.envs.slither import Slither
from pushpoint.envs.snake_task import SnakeTask
from pushpoint.errors import InvalidModel, UnknownName

TASKS: dict[str, type[SnakeTask]] = {kind.__name__: kind for kind in (Slither, PegField, Sidewind, Rubble)}
"""The tasks by their names."""
STEPS = {"Slither": 400, "PegField": 1200, "Sidewind": 400, "Rubble": 800}
"""Steps after which an episode is truncated."""


def task_of(task: str | SnakeTask, options: Mapping[str, Any]) -> SnakeTask:
    """A task by its name, or one that is given, with some of its fields changed."""
    if isinstance(task, SnakeTask):
        check_names(f"argument of {type(task).__name__}", options, [field.name for field in fields(task)])
        return replace(task, **options)
    if not isinstance(task, str):
        raise InvalidModel("env.task", task, "the name of a task, or a SnakeTask")
    if task not in TASKS:
        raise UnknownName("task", task, TASKS)
    kind = TASKS[task]
    check_names(f"argument of {task}", options, [field.name for field in fields(kind)])
    return kind(**options)

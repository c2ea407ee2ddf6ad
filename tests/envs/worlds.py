"""Environments of tests, quick to make and to step."""

from __future__ import annotations

from typing import Any

from pushpoint.envs.tasks import TASKS

IDS = tuple(f"pushpoint/{name}-v0" for name in TASKS)
# Few courses, since making one takes time, and only from those to train on.
FEW: dict[str, dict[str, Any]] = {"pushpoint/PegField-v0": {"courses": [3, 5]}, "pushpoint/Rubble-v0": {"boxes": 6}}


def quick(name: str) -> dict[str, Any]:
    """Keyword arguments with which an environment is quick."""
    return dict(FEW.get(name, {}))

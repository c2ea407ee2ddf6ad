"""Worlds of a scenario with other values at some of its keys, as many as wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pushpoint.description.changes import keys_in, with_values
from pushpoint.description.complaints import Keys
from pushpoint.description.custom import is_custom
from pushpoint.description.experiments import KEYS, STANDING
from pushpoint.errors import InvalidModel
from pushpoint.scenarios.files import document_of, scenario_from
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World


def varied_worlds(scenario: Scenario, values: Sequence[Mapping[str, Any]]) -> list[World]:
    """One world for each set of values, which are given by keys as in the scenario's file.

    Other keys, such as duration and settings.dt, are refused: all worlds of a batch have the same.
    What does not vary is the scenario's own object in all of them: a batch packs shared objects once.
    """
    document = document_of(scenario)
    custom = scenario.world.controller if is_custom(document.get("controller")) else None
    made = []
    for each in values:
        places = [(_of_a_world(name), value) for name, value in each.items()]
        world = scenario_from(with_values(document, places), custom=custom).world
        tops = {keys[0] for keys, _value in places}
        same: dict[str, Any] = {} if "robot" in tops else {"robot": scenario.world.robot}
        if not tops & {"ground", "obstacles"}:
            same["environment"] = scenario.world.environment
        made.append(replace(world, **same))
    return made


def _of_a_world(name: str) -> Keys:
    """The place that a name stands for; refused if it is not in a world."""
    keys = keys_in(name)
    if keys[0] in KEYS and keys[0] not in STANDING:
        raise InvalidModel("what varies", name, f"a key of a world: {', '.join(STANDING)}")
    return keys

"""Worlds of a scenario with other values at some of its keys, as many as wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pushpoint.description.changes import keys_in, with_values
from pushpoint.description.custom import is_custom
from pushpoint.scenarios.files import document_of, scenario_from
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.world import World


def varied_worlds(scenario: Scenario, values: Sequence[Mapping[str, Any]]) -> list[World]:
    """One world for each set of values, which are given by keys as in the scenario's file.

    What does not vary is the scenario's own object in all of them: a batch packs shared objects once.
    """
    document = document_of(scenario)
    custom = scenario.world.controller if is_custom(document.get("controller")) else None
    made = []
    for each in values:
        places = [(keys_in(name), value) for name, value in each.items()]
        world = scenario_from(with_values(document, places), custom=custom).world
        tops = {keys[0] for keys, _value in places}
        same: dict[str, Any] = {} if "robot" in tops else {"robot": scenario.world.robot}
        if not tops & {"ground", "obstacles"}:
            same["environment"] = scenario.world.environment
        made.append(replace(world, **same))
    return made

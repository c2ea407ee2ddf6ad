"""Scenario files: those of the package broken at random, and documents drawn from the schema, some broken in a place.

A refusal begins with file and line. What is accepted survives the way through another file, and some of it is run.
Left out: runs of more than 12 links, 20 obstacles or a controller that plans for long.
"""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.broken_texts import Random, any_of, broken_document, broken_text
from campaigns.campaign import kind
from campaigns.schema_documents import Documents
from campaigns.test_round_trip import same
from pushpoint.description.files import text_of
from pushpoint.description.schema import document_schema
from pushpoint.errors import PushpointError, SimulationFailed
from pushpoint.papers.registry import scenario_names
from pushpoint.scenarios.files import document_of, is_file

RUN_EVERY = 20
"""One accepted file in so many is run for a few steps [-]."""
WITHOUT_LINE = re.compile(r": (has [\d,]+ bytes, must have at most|no such file)")
"""What is wrong with a file as a whole."""


@cache
def documents() -> Documents:
    """Documents of the present schema."""
    return Documents(document_schema())


EDITED = "edited"
"""A scenario whose world changes on its way."""


@cache
def edited() -> pp.Scenario:
    """One with every kind of edit."""
    base = pp.scenario("transeth2008a/obstacle-aided")
    robot, place, gait = base.world.robot, base.world.environment, pp.gaits.Hold(soft_start=0.1)
    weaker = [replace(motor, torque_limit=5.0) for motor in robot.motors]
    made = [
        pp.edits.ChangeController(step=1, controller=gait, over=0.2),
        pp.edits.ChangeGround(step=1, ground=replace(place.ground, friction=pp.Isotropic(0.4))),
        pp.edits.ChangeObstacles(step=2, first=6, removed=1, obstacles=[pp.Peg(x=4.0, y=2.0, radius=0.1)]),
        pp.edits.ChangeMotors(step=2, robot=replace(robot, motors=weaker)),
        pp.edits.Push(step=2, link=3, force=(0.0, 2.0), duration=0.01),
    ]
    return replace(base, name=EDITED, edits=made)


@cache
def document(name: str) -> dict[str, Any]:
    """The document of a scenario of the package, in one world, or of the one with edits."""
    whole = edited() if name == EDITED else pp.scenario(name)
    written = document_of(whole)
    if written.get("controller", {}).get("kind") == "custom":
        written["controller"] = {"kind": "leader-follower"}
    return {key: value for key, value in written.items() if value not in ("", {}, [])}


@cache
def text(name: str) -> str:
    """The same as a file."""
    return text_of(document(name))


def as_text(random: Random, value: Any) -> bytes:
    """A document as JSON, which is YAML, or as YAML."""
    if random.random() < 0.5 and isinstance(value, dict):
        try:
            return text_of(value).encode("utf-8", errors="surrogatepass")
        except (TypeError, ValueError):  # what only JSON can hold
            pass
    return json.dumps(value).encode()


def content(random: Random) -> bytes:
    """What a file holds."""
    names, way = (*scenario_names(), *[EDITED] * 5), random.random()
    if way < 0.35:
        return broken_text(random, text(any_of(random, names)), text(any_of(random, names)))
    if way < 0.6:
        return as_text(random, broken_document(random, document(any_of(random, names))))
    drawn = documents().draw(random)
    return as_text(random, broken_document(random, drawn) if way > 0.9 else drawn)


@kind("scenario files", full=100_000, short=70, limit=60.0)
def trial(seed: int) -> str:
    """One scenario file, read, and if it is accepted written and read again; some are run for a few steps."""
    random = np.random.default_rng((seed, 16))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / any_of(random, ("course.yaml", "course.yml", "a course.json", "kürs.YAML"))
        file.write_bytes(content(random))
        assert is_file(str(file))
        try:
            scenario = pp.scenario(str(file))
        except PushpointError as error:
            placed = re.match(rf"{re.escape(str(file))}:\d+: ", str(error))
            assert placed or WITHOUT_LINE.search(str(error)), f"no line: {error}"
            raise
        copy = pp.write_scenario(scenario, Path(folder) / "copy.yaml")
        assert same(pp.scenario(str(copy)), scenario), "another scenario came back"
        return run_briefly(scenario, str(file)) if seed % RUN_EVERY == 0 else "accepted"


def run_briefly(scenario: pp.Scenario, file: str) -> str:
    """A few steps of a small scenario; what is refused now names the file as well."""
    robot, obstacles = scenario.world.robot, scenario.world.environment.obstacles
    if robot.n_links > 12 or len(obstacles) > 20 or scenario.settings.dt > 1e11:
        return "large"
    try:
        scenario.with_changes(duration=3 * scenario.settings.dt).run()
    except SimulationFailed:
        return "failed"
    except PushpointError as error:
        assert str(error).startswith(f"{file}:"), f"no line: {error}"
        raise
    return "run"

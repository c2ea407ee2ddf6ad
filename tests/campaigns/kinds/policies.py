"""Policy files with something wrong, as JSON and as arrays: a policy that gives commands, or one sentence."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.broken_texts import NASTY, Random, any_of, broken_text
from campaigns.calls import things
from campaigns.campaign import kind
from oracles.controllers import measured
from pushpoint.control.policy_files import FOLDER
from pushpoint.engine.batching import stack

ROBOT = pp.catalogue.liljeback2011()


def odd_policy(random: Random) -> bytes:
    """A policy file with some of its values exchanged, or its text broken."""
    held: dict[str, Any] = json.loads((FOLDER / "touch-v1.json").read_text())
    for _ in range(int(random.integers(0, 3))):
        inside = held["parameters"] if random.random() < 0.7 and isinstance(held.get("parameters"), dict) else held
        name = str(any_of(random, [*inside, "other"]))
        value = any_of(random, (*NASTY, float(10.0 ** random.uniform(-6, 6)), -1.0, 0.0, None))
        if random.random() < 0.2:
            inside.pop(name, None)
        else:
            inside[name] = value
    text = json.dumps(held, default=str)
    return broken_text(random, text) if random.random() < 0.4 else text.encode("utf-8", errors="replace")


@kind("policies", full=5_000, short=80, limit=30.0)
def trial(seed: int) -> str:
    """A policy is read, by name or in a scenario file, and asked for commands."""
    random = np.random.default_rng((seed, 21))
    place = things.folder.make() / f"policy{any_of(random, ('.json', '.json', '.json', '.npz', '.txt'))}"
    place.write_bytes(odd_policy(random))
    controller = pp.control.learned(place) if random.random() < 0.5 else pp.control.Learned(policy=str(place))
    bound = controller.bind(ROBOT)
    memory = stack([bound.memory()] * 2)
    for _ in range(3):
        shown = measured(
            ROBOT.n_joints,
            time=(0.0, 0.0),
            contact_normal_force=random.normal(0.0, 5.0, (2, ROBOT.n_links)),
            joint_angle=random.uniform(-0.5, 0.5, (2, ROBOT.n_joints)),
        )
        command, memory = bound.command(shown, memory)
        assert command.joint_angle is not None and np.isfinite(command.joint_angle).all()
    return "accepted"

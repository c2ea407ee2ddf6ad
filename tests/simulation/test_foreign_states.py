"""States that are not the simulator's own: every field is checked before a kernel sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel

PEGS = (pp.Peg(x=0.0, y=0.2, radius=0.05), pp.Peg(x=0.5, y=0.2, radius=0.05))
PLANAR = pp.Simulator([pp.World(pp.catalogue.aiko_planar(), pp.Environment(obstacles=PEGS))] * 2)
SPATIAL = pp.Simulator([pp.World(pp.catalogue.liljeback2014(), pp.Environment())])


def entry(field: str, value: Any, simulator: pp.Simulator = PLANAR) -> Any:
    """A state with one entry changed."""
    state = simulator.state
    changed = np.array(getattr(state, field))
    changed.flat[-1] = value
    return replace(state, **{field: changed})


def whole(field: str, value: Any, simulator: pp.Simulator = PLANAR) -> Any:
    """A state with a field changed."""
    state = simulator.state
    return replace(state, **{field: value(getattr(state, field)) if callable(value) else value})


WRONG = {
    "angle that is none": (PLANAR, entry("theta", np.nan), r"^state\.theta\[1, 10\] = nan, must be finite \[rad\]$"),
    "endless speed": (PLANAR, entry("v", np.inf), r"^state\.v\[1, 10, 1\] = inf, must be finite \[m/s\]$"),
    "huge angle": (PLANAR, entry("theta", 1e200), r"^state\.theta\[1, 10\] = 1e\+200, must be less than 1e\+150"),
    "unknown status": (PLANAR, entry("status", 44), r"^state\.status\[1\] = 44, must be in \[0, 6\]"),
    "status below zero": (PLANAR, entry("status", -1), r"^state\.status\[1\] = -1, must be in \[0, 6\]"),
    "steps below zero": (PLANAR, entry("step", -5), r"^state\.step\[1\] = -5, must be in \[0, "),
    "steps beyond count": (
        PLANAR,
        whole("step", lambda a: a.astype(np.int64) + 2**31),
        r"^state\.step\[0\] = 2147483648, must be in \[0, 2147483647\]",
    ),
    "half a contact": (
        PLANAR,
        whole("n_contacts", lambda a: a + 0.5),
        r"^state\.n_contacts = .*whole numbers",
    ),
    "contacts without room": (PLANAR, entry("n_contacts", 10**6), r"^state\.n_contacts\[1, 10\] = 1000000, must be in"),
    "contact with nothing": (
        PLANAR,
        entry("contact_key", 4 * 64),
        r"^state\.contact_key.* = 256, must be in \[0",
    ),
    "complex": (
        PLANAR,
        whole("omega", lambda a: a.astype(complex)),
        r"^state\.omega = an array .* complex128",
    ),
    "objects": (PLANAR, whole("omega", lambda a: a.astype(object)), r"^state\.omega = an array of shape .* of object"),
    "texts": (PLANAR, whole("center", "x"), r"^state\.center = 'x', must be numbers of shape \(2, 2\) \[m\]$"),
    "masked": (PLANAR, whole("theta", lambda a: np.ma.masked_array(a, mask=True)), r"^state\.theta = .*masked"),
    "no unit quaternion": (SPATIAL, entry("tail", 0.5, SPATIAL), r"^state\.tail: length of a quaternion = 1\.1"),
    "link that touches itself": (SPATIAL, entry("self_key", 1, SPATIAL), r"^state\.self_key = 1, must be of two"),
    "a link beyond the head": (SPATIAL, entry("self_key", 17**2 + 1, SPATIAL), r"^state\.self_key.* = 290, must be in"),
}


@pytest.mark.parametrize(("simulator", "state", "sentence"), WRONG.values(), ids=WRONG)
def test_is_refused_in_one_sentence(simulator: pp.Simulator, state: Any, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        simulator.restore(state)


@pytest.mark.parametrize(
    "cast",
    [np.asfortranarray, lambda a: a.astype(a.dtype.newbyteorder(">")), np.ndarray.tolist, lambda a: a[::-1][::-1]],
    ids=["Fortran", "byte-swapped", "lists", "views"],
)
def test_other_orders_in_memory_are_the_same_state(cast: Any) -> None:
    state = PLANAR.state
    PLANAR.restore(replace(state, **{name: cast(getattr(state, name)) for name in pp.State.names()}))

    for name in pp.State.names():
        np.testing.assert_array_equal(getattr(PLANAR.state, name), getattr(state, name))


def test_what_is_restored_does_not_follow_the_users_array() -> None:
    state = PLANAR.state
    theta = np.array(state.theta)
    PLANAR.restore(replace(state, theta=theta))
    theta[:] = 7.0

    np.testing.assert_array_equal(PLANAR.state.theta, state.theta)


def test_a_world_that_has_ended_may_hold_anything() -> None:
    state = entry("theta", np.nan)
    ended = np.array([pp.Status.RUNNING.code, pp.Status.DIVERGED.code])
    PLANAR.restore(replace(state, status=ended))

    assert PLANAR.statuses == [pp.Status.RUNNING, pp.Status.DIVERGED]
    PLANAR.reset()

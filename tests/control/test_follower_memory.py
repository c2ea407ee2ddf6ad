"""Leader-following remembers one angle per command: how many these may be."""

from __future__ import annotations

import pytest

import pushpoint as pp


@pytest.mark.parametrize("more", [{"rate": 9e8}, {"speed": 1e-9}])
def test_a_follower_that_would_remember_too_much_is_refused(more: dict[str, float]) -> None:
    robot = pp.catalogue.liljeback2011()

    with pytest.raises(pp.errors.InvalidModel, match=r"controller\.speed = .* commands per second"):
        pp.control.LeaderFollower(**more).bind(robot)

"""Changes of a scenario that it does not know."""

from __future__ import annotations

import pytest

import pushpoint as pp


def test_an_unknown_change_names_those_that_are_close():
    scenario = pp.scenario("transeth2008a/flat")
    with pytest.raises(pp.errors.UnknownName, match="unknown change 'controler'; did you mean controller"):
        scenario.with_changes(controler=None)
    with pytest.raises(pp.errors.UnknownName, match="unknown change 'tolerance'; known are controller, dt, duration"):
        scenario.with_changes(tolerance=1e-9)

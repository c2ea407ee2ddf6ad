"""Asking for variables: the usual ones, some of them, and some besides; in Python and in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import PushpointError
from pushpoint.scenarios.files import write_scenario
from pushpoint.worlds.variables import VARIABLES

SCENARIO = pp.scenario("transeth2008a/flat").with_changes(duration=0.05)


def test_also_adds_to_the_usual_variables_and_to_a_list() -> None:
    usual = set(SCENARIO.run().data_vars)
    more = replace(SCENARIO, record=pp.Record(also=["kinetic_energy"])).run()
    assert set(more.data_vars) == usual | {"kinetic_energy"}
    few = replace(SCENARIO, record=pp.Record(variables=["joint_angle"], also=["contact_count"])).run()
    assert set(few.data_vars) == {"joint_angle", "contact_count"}
    listed = replace(SCENARIO, record=pp.Record(variables=["kinetic_energy"])).run()
    assert set(listed.data_vars) == {"kinetic_energy"}
    np.testing.assert_array_equal(listed.kinetic_energy, more.kinetic_energy)


def test_nothing_on_request_is_in_a_run_that_does_not_ask() -> None:
    requested = {name for name, entry in VARIABLES.items() if entry.on_request}
    assert len(requested) == 14 and not requested & set(SCENARIO.run().data_vars)


def test_files_ask_and_are_written_back(tmp_path: Path) -> None:
    asked = replace(SCENARIO, record=pp.Record(rate=50.0, also=("kinetic_energy", "ground_friction_power")))
    write_scenario(asked, tmp_path / "asked.yaml")
    assert "also" in (tmp_path / "asked.yaml").read_text()
    read = pp.scenario(tmp_path / "asked.yaml")
    assert read.experiment.record == asked.experiment.record
    write_scenario(SCENARIO, tmp_path / "usual.yaml")
    assert "also" not in (tmp_path / "usual.yaml").read_text()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"also": "kinetic_energy"}, "record.also = kinetic_energy, must be a list of names"),
        ({"also": ["friction_power"]}, "unknown variable 'friction_power'; did you mean"),
        ({"variables": ["kinetic energy"]}, "unknown variable 'kinetic energy'; did you mean kinetic_energy"),
        ({"also": 3}, "record.also"),
        ({"also": [3]}, "record.also"),
        ({"also": None}, "record.also"),
    ],
    ids=str,
)
def test_wrong_names_are_refused_in_one_sentence(given: dict[str, object], message: str) -> None:
    with pytest.raises(PushpointError) as error:
        pp.Record(**given)  # type: ignore[arg-type]
    assert message in str(error.value).replace('"', "").replace("= 'kinetic_energy'", "= kinetic_energy")
    assert "\n" not in str(error.value)


def test_the_estimate_counts_what_is_asked_for() -> None:
    world = SCENARIO.world
    usual, more = (pp.estimate(world, 1.0, record=pp.Record(also=also)) for also in ((), ("ground_friction_power",)))
    assert more.recording - usual.recording == 8 * 101 * world.robot.n_links
    assert more.engine > usual.engine

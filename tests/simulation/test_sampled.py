"""The kernels take only the samples that a run's variables are made from."""

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.samples import ON_REQUEST, USUAL
from pushpoint.simulation.estimate import kept_variables
from pushpoint.simulation.sampled import wanted_samples
from pushpoint.worlds.variables import VARIABLES

WORLDS = {
    "plane": pp.scenario("transeth2008a/obstacle-aided").world,
    "space": pp.scenario("spatial/obstacle-aided").world,
}
NAMES = [
    (where, name)
    for where, world in WORLDS.items()
    for name in kept_variables([world], pp.Record(also=list(VARIABLES)))
]


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return {where: pp.simulate(world, 0.1, record=pp.Record(also=list(VARIABLES))) for where, world in WORLDS.items()}


@pytest.mark.parametrize(("where", "name"), NAMES)
def test_a_variable_alone_is_what_it_is_among_all(where: str, name: str, whole: dict[str, Any]) -> None:
    alone = pp.simulate(WORLDS[where], 0.1, record=pp.Record(variables=[name]))
    assert name in alone
    if VARIABLES[name].on_request:  # another variant of the kernels, which rounds otherwise
        assert np.allclose(alone[name], whole[where][name], rtol=1e-9, atol=1e-9, equal_nan=True)
    else:
        known = pp.simulate(WORLDS[where], 0.1)[name]
        assert np.array_equal(alone[name], known, equal_nan=True)


@pytest.mark.parametrize("spatial", [False, True])
def test_the_centre_of_mass_needs_no_other_sample(spatial: bool) -> None:
    assert wanted_samples(["center_of_mass", "penetration", "unconverged"], spatial=spatial) == []


@pytest.mark.parametrize("where", WORLDS)
def test_every_array_of_samples_serves_a_variable(where: str) -> None:
    spatial = where == "space"
    kept = [name for name, entry in VARIABLES.items() if entry.engine != ("plane" if spatial else "space")]
    missing = {*USUAL, *ON_REQUEST} - set(wanted_samples(kept, spatial=spatial))
    assert missing == (
        {"theta", "rub_on"} - {"rub_on"} if spatial else {"tail", "angle", "rate", "on_sphere", "moment"}
    )


def test_a_world_that_is_no_number_any_more_is_found_without_its_velocities() -> None:
    """Only the centre of mass is recorded; the torque that is not finite comes in the last step."""
    robot = pp.catalogue.aiko_planar()

    class Late(pp.Controller):
        rate = 100.0

        def command(self, measurement: pp.Measurement, memory: Any) -> tuple[pp.Command, Any]:
            torque = np.where(measurement.time[:, None] > 0.085, np.nan, 0.0) * np.ones((1, robot.n_joints))
            return pp.Command(joint_torque=torque), memory

    settings = pp.Settings(on_failure="record")
    record = pp.Record(variables=["center_of_mass"])
    run = pp.simulate(pp.World(robot, pp.Environment(), Late()), 0.1, settings=settings, record=record)
    assert "diverged" in run.attrs["status"]

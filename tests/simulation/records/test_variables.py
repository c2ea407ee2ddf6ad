"""Every variable and coordinate of every kind of run says what it is, in words that fit an axis."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.scenarios.scenario import Scenario, Variation
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.variables import Variable, entry_of, table

LONGEST = 32
LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
ROBOT = pp.PlanarRobot.uniform(5, LINK, pp.Motor(stiffness=100.0, damping=1.0, torque_limit=4.0))
PEGS = (pp.Peg(x=-0.15, y=0.12, radius=0.05), pp.Peg(x=0.0, y=-0.12, radius=0.05), pp.Peg(x=0.15, y=0.12, radius=0.05))
FLOOR = pp.Ground(friction=pp.Isotropic(0.2))
COURSE = pp.Environment(ground=FLOOR, obstacles=PEGS)
GAIT = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=3.0, phase_shift=-0.8)
SPATIAL = pp.SpatialRobot.uniform(
    4,
    pp.SpatialLink(length=0.1, mass=0.3, inertia=(2e-4, 3e-4, 3e-4), radius=0.03),
    pp.Cardan(yaw=pp.Motor(stiffness=50.0, damping=0.5), pitch=pp.Motor(stiffness=50.0, damping=0.5)),
)
HILLS = pp.Ground(
    friction=pp.Isotropic(0.4), heights=pp.HeightField(heights=np.zeros((8, 8)), spacing=0.3, origin=(-1.0, -1.0))
)


@cache
def planar() -> xr.Dataset:
    return simulate(ROBOT, COURSE, GAIT, duration=0.02)


@cache
def batched() -> xr.Dataset:
    return simulate([pp.World(ROBOT, pp.Environment(ground=FLOOR), GAIT), pp.World(ROBOT, COURSE, GAIT)], 0.02)


@cache
def spatial() -> xr.Dataset:
    return simulate(SPATIAL, pp.Environment(ground=HILLS), GAIT, duration=0.02)


@cache
def touching_itself() -> xr.Dataset:
    robot = pp.SpatialRobot(links=SPATIAL.links, joints=SPATIAL.joints, self_contact=True)
    return simulate(robot, pp.Environment(ground=FLOOR), GAIT, duration=0.02)


@cache
def sensing() -> xr.Dataset:
    """A controller with modes and one that measures."""
    sensors = pp.Sensors(joint_angle=pp.Channel(noise=0.01), seed=1)
    return simulate(pp.World(ROBOT, COURSE, pp.control.HybridController(), sensors=sensors), 0.02)


@cache
def force_mapped() -> xr.Dataset:
    field = pp.Environment(ground=FLOOR, obstacles=[pp.Peg(x=0.5, y=0.1, radius=0.05)])
    path = pp.mapping.Path([(0.0, 0.0), (0.5, 0.0), (1.0, 0.0)])
    return simulate(ROBOT, field, pp.control.ForceMappingController(path=path, speed=0.1), duration=0.02)


@cache
def swept() -> xr.Dataset:
    worlds = [pp.World(ROBOT, pp.Environment(ground=pp.Ground(friction=pp.Isotropic(mu))), GAIT) for mu in (0.1, 0.2)]
    varies = Variation(
        parameter="friction coefficient", unit="1", values=[0.1, 0.2], labels=("smooth", "rough"), measures=dict
    )
    return Scenario(name="mine", worlds=worlds, varies=varies, duration=0.02).run()


@cache
def asked_for() -> xr.Dataset:
    """Everything that is recorded on request."""
    names = [each.name for each in table() if each.on_request]
    return simulate(pp.World(SPATIAL, COURSE, GAIT), 0.02, record=pp.Record(also=names))


RUNS: tuple[Callable[[], xr.Dataset], ...] = (
    planar, batched, spatial, touching_itself, sensing, force_mapped, swept, asked_for,
)  # fmt: skip


@pytest.mark.parametrize("make", RUNS, ids=lambda make: make.__name__)
def test_every_variable_says_what_it_is(make: Callable[[], xr.Dataset]) -> None:
    run = make()
    for name, variable in run.variables.items():
        attributes, entry = variable.attrs, entry_of(str(name))
        assert {"units", "long_name", "symbol", "description"} <= set(attributes), name
        assert attributes["units"] and attributes["symbol"], name
        assert 0 < len(attributes["long_name"]) <= LONGEST, attributes["long_name"]
        if name != "parameter":  # named by its sweep
            assert attributes["long_name"] == entry.long_name, name
            assert attributes["units"] == entry.units, name
        dims = entry.dims_in_space if "quaternion" in run.dims else entry.dims
        described = tuple(re.sub(r"_\d+$", "", str(dim)) for dim in variable.dims)
        assert described in (dims, ("world", *dims) if entry.kind != "coordinate" else dims), name
    assert len({each.attrs["symbol"] for each in run.variables.values()}) == len(run.variables)


def test_the_table_has_what_runs_have_and_nothing_else() -> None:
    met = {entry_of(str(name)).name for make in RUNS for name in make().variables}
    assert met == {each.name for each in table()}


def test_long_names_fit_an_axis_and_descriptions_are_sentences() -> None:
    for each in table():
        assert len(each.long_name) <= LONGEST and each.long_name[0].isupper()
        assert "," not in each.long_name and ";" not in each.long_name
        assert each.description[0].isupper() and each.description.endswith("."), each.name
        assert each.when and each.units and each.symbol, each.name
    names = [each.name for each in table()]
    assert len(set(names)) == len(names)


def test_rows_of_the_table_are_plain_data() -> None:
    row = next(each for each in table() if each.name == "link_angular_velocity").row()
    assert row["dims"] == ["time", "link"] and row["dims_in_space"] == ["time", "link", "axis"]
    assert set(row) == {
        "name", "kind", "dims", "dims_in_space", "units", "symbol", "long_name", "description", "when",
    }  # fmt: skip


def test_attributes_survive_a_file(tmp_path: object) -> None:
    run = spatial()
    pp.save(run, f"{tmp_path}/run.nc")
    again = pp.load(f"{tmp_path}/run.nc")
    for name in run.variables:
        assert again[name].attrs == run[name].attrs, name


def test_attributes_are_in_a_run_that_was_written_as_it_went(tmp_path: object) -> None:
    run = simulate(ROBOT, COURSE, GAIT, duration=0.02, file=f"{tmp_path}/run.nc")
    for name, variable in planar().variables.items():
        assert run[name].attrs == variable.attrs, name
    run.close()


def test_attributes_of_one_run_are_its_own() -> None:
    first, second = (planar.__wrapped__() for _ in range(2))
    first["time"].attrs["units"] = "h"
    assert second["time"].attrs["units"] == "s"


def test_an_unknown_name_has_no_entry() -> None:
    with pytest.raises(KeyError):
        entry_of("link_colour")
    assert isinstance(entry_of("terrain_height_3"), Variable) and entry_of("terrain_x_1").name == "terrain_x"

"""Which world of a run is read, and what its description and status say of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import pushpoint as pp
from oracles.controllers import Always
from pushpoint import plots
from pushpoint.errors import InvalidModel
from pushpoint.scenery.reading import read_recording

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = pp.PlanarRobot.uniform(3, LINK, pp.Motor(stiffness=5.0, damping=0.1))
HEAVY = pp.PlanarRobot.uniform(3, pp.PlanarLink(length=0.1, mass=0.9, inertia=9e-4, radius=0.03))
SIZES = ((0.05,), (0.06, 0.07), (0.08,))
"""Radii of the pegs of each world [m]: a world is known by them."""


def course(radii: tuple[float, ...]) -> pp.Environment:
    return pp.Environment(obstacles=[pp.Peg(x=0.15 * k, y=0.115, radius=radius) for k, radius in enumerate(radii)])


@pytest.fixture(scope="module")
def batch() -> xr.Dataset:
    """Three worlds with pegs of their own; the last has a robot of its own as well, and the second fails."""
    torques = (np.zeros((1, 2)), np.array([[1e6, -1e6]]), np.zeros((1, 2)))
    worlds = [
        pp.World(robot, course(radii), Always(pp.Command(joint_torque=torque)))
        for robot, radii, torque in zip((ROBOT, ROBOT, HEAVY), SIZES, torques, strict=True)
    ]
    return pp.simulate(worlds, duration=0.1, settings=pp.Settings(on_failure="record"))


def peg_sizes(world: pp.World) -> tuple[float, ...]:
    return tuple(peg.radius for peg in world.environment.obstacles)


@pytest.mark.parametrize("world", [0, 1, 2])
def test_a_world_taken_out_of_a_batch_has_its_own_scenery(batch: xr.Dataset, world: int) -> None:
    for chosen in (batch.isel(world=world), batch.sel(world=world), batch.isel(world=slice(world, None))):
        recording = read_recording(chosen)
        assert peg_sizes(recording.world) == SIZES[world]
        assert recording.world.robot.links[0].mass == (0.3, 0.3, 0.9)[world]
        assert recording.name == f"run (world {world} of 3)"
        assert "world" not in recording.samples.dims
        np.testing.assert_array_equal(recording.values("link_angle"), batch.link_angle[world])


def test_of_a_batch_the_first_world_is_read(batch: xr.Dataset) -> None:
    recording = read_recording(batch)
    assert (recording.name, peg_sizes(recording.world)) == ("run (world 0 of 3)", SIZES[0])


def test_a_run_of_one_world_has_no_number() -> None:
    run = pp.simulate(ROBOT, course(SIZES[0]), Always(pp.Command(joint_angle=np.zeros((1, 2)))), duration=0.02)
    assert read_recording(run).name == "run"


def test_worlds_put_together_by_hand_are_refused_and_joined_ones_are_read(batch: xr.Dataset) -> None:
    alone = batch.isel(world=0)
    with pytest.raises(InvalidModel, match=r"pp\.concat"):
        read_recording(xr.concat([alone] * 5, "world"))
    joined = pp.concat([alone] * 4 + [batch.isel(world=2)])
    assert read_recording(joined).name == "run (world 0 of 5)"
    assert [peg_sizes(read_recording(joined, w).world) for w in (0, 3, 4)] == [SIZES[0], SIZES[0], SIZES[2]]


def test_the_status_is_that_of_the_world(batch: xr.Dataset) -> None:
    assert json.loads(batch.attrs["world_status"]) == ["finished", "diverged", "finished"]
    assert [read_recording(batch.isel(world=w)).status for w in (0, 2)] == ["", ""]
    assert read_recording(batch).status == ""
    assert read_recording(batch.isel(world=1)).status == batch.attrs["status"]
    assert read_recording(batch.isel(world=1)).status.startswith("world 1 diverged")


def test_the_second_world_that_failed_has_a_sentence_of_its_own(batch: xr.Dataset) -> None:
    codes = json.dumps(["finished", "diverged", "sunk_in"])
    status = read_recording(batch.isel(world=2).assign_attrs(world_status=codes)).status
    assert status == pp.Status.SUNK_IN.value


def drawn_radii(figure: Figure) -> set[float]:
    """Radii of the circles that the first posture shows [m]."""
    (axes,) = (axes for axes in figure.axes if axes.get_label() == "posture 0")
    return {round(patch.radius, 9) for patch in axes.patches if isinstance(patch, Circle)}


@pytest.mark.parametrize("world", [0, 1, 2])
def test_the_course_is_drawn_with_that_worlds_pegs(batch: xr.Dataset, world: int, tmp_path: Path) -> None:
    chosen = batch.isel(world=world, time=slice(0, 1))
    assert drawn_radii(plots.course(chosen)) == set(SIZES[world])
    if world == 2:
        assert plots.save_figure(plots.course(chosen), tmp_path / "course.png").stat().st_size > 0


@pytest.mark.parametrize("description", [None, "no json", "[1, 2]", "{}"])
def test_a_run_without_a_description_is_refused(batch: xr.Dataset, description: str | None) -> None:
    run = batch.copy()
    run.attrs = {} if description is None else {"description": description}
    words = r"^run\.attrs\['description'\] = .*, must be a description as a simulation writes it$"
    if description is None:
        words = r"^run = 'a Dataset without a description', must be a result of pushpoint$"
    with pytest.raises(InvalidModel, match=words):
        read_recording(run)

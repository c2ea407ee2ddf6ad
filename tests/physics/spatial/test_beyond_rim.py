"""Beyond a height field's rim its last heights go on, level: the same ground as a field padded with them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from oracles.controllers import Always
from oracles.engine import stepper_at_start
from oracles.spatial.engine import contacts
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.ranges import distances_to_ground, ground_gaps
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

HOLD = Always(Command())
INERTIA = (1.7e-3, 4.2e-3, 4.2e-3)
SHAPES = ("round", "square")
SPACING = 0.05
PAD = 40


def single(shape: str) -> SpatialRobot:
    link = SpatialLink(length=0.2, mass=1.0, inertia=INERTIA, radius=0.05, side_length=0.18, shape=shape)  # type: ignore[arg-type]
    return SpatialRobot(links=(link,), joints=())


def rough() -> HeightField:
    heights = np.random.default_rng(5).uniform(0.0, 0.04, (9, 7))
    return HeightField(heights=heights, spacing=SPACING, origin=(0.3, -0.2))


def padded(field: HeightField) -> HeightField:
    """The same ground with its rim moved outward."""
    wide = np.pad(field.heights, PAD, mode="edge")
    origin = tuple(part - PAD * field.spacing for part in field.origin)
    return HeightField(heights=wide, spacing=field.spacing, origin=origin)


def outside(columns: float, rows: float) -> tuple[float, float]:
    """A place so many grid points outside the field, in both directions; negative: before its first one."""
    field = rough()
    ends = [field.origin[a] + field.spacing * (field.heights.shape[a] - 1) for a in (0, 1)]
    x, y = (
        (end if away >= 0 else first) + away * field.spacing
        for first, end, away in zip(field.origin, ends, (columns, rows), strict=True)
    )
    return x, y


ALONE = """
import sys
import numpy as np
from pushpoint import HeightField, Environment, Ground, Settings, SpatialLink, SpatialRobot, SpatialStart, World
from pushpoint.simulation.simulate import simulate
from pushpoint.gaits import LateralUndulation

inertia = (1.7e-3, 4.2e-3, 4.2e-3)
link = SpatialLink(length=0.2, mass=1.0, inertia=inertia, radius=0.05, side_length=0.18, shape="square")
robot = SpatialRobot(links=(link,), joints=())
field = HeightField(heights=np.zeros((20, 20)), spacing=0.01)
gait = LateralUndulation(amplitude=0.1, angular_frequency=1.0, phase_shift=0.5)
for place in {places}:
    start = SpatialStart(position=(*place, 0.05))
    run = simulate(robot, Environment(ground=Ground(heights=field)), gait, start=start, duration=0.01)
    assert np.abs(run.center_of_mass.values[-1] - (*place, 0.05)).max() < 1e-5, place
print("alive")
"""


@pytest.mark.parametrize("sides", [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
def test_no_process_dies_of_a_square_link_beside_a_field(sides: tuple[float, float]) -> None:
    # Where grid points are counted over the link's reach, none or fewer than none are left beside the field.
    ways = [0.05 * k for k in range(1, 12)] + [3.0, 1e3, 1e9]
    places = [tuple(0.095 + side * (0.095 + way) for side in sides) for way in ways]
    done = subprocess.run(
        [sys.executable, "-c", ALONE.format(places=places)], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr[-500:]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("place", [(1, 0), (-2, 1), (3, -4), (-6, -6), (9, 9), (12, -11), (-14, 3), (25, 25)])
def test_a_link_falls_beside_a_field_as_on_a_padded_one(shape: str, place: tuple[int, int]) -> None:
    robot = single(shape)
    ends = []
    for field in (rough(), padded(rough())):
        start = SpatialStart(
            position=(*outside(*place), 0.15), orientation=(1.0, 0.1, 0.15, 0.3), velocity=(0.2, 0.1, 0.0)
        )
        ground = Ground(friction=Isotropic(0.4), heights=field)
        run = simulate(robot, Environment(ground=ground), HOLD, start=start, duration=0.4, record=Record(rate=100.0))
        ends.append(run.link_position.values[:, 0])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)
    assert ends[0][-1, 2] < 0.12  # it has come down


def test_a_flat_side_lies_on_a_ridge_that_goes_on_beyond_the_rim() -> None:
    # A ridge across the rim, 2 cm high: beyond it the block's underside meets it between its corners.
    heights = np.zeros((9, 9))
    heights[:, 4] = 0.02
    field = HeightField(heights=heights, spacing=SPACING, origin=(-0.4, -0.2))
    start = SpatialStart(position=(0.25, 0.0, 0.07), heading=np.pi / 2)
    world = World(single("square"), Environment(ground=Ground(heights=field)), None, start)
    stepper = stepper_at_start([world], Settings(dt=1e-3))
    stepper.advance(20)
    found = contacts(stepper)
    assert found and all(contact.normal[2] > 0.99 for contact in found)
    assert stepper.state().center[0, 2] == pytest.approx(0.07, abs=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_distances_beside_a_field_are_those_of_a_padded_one(shape: str) -> None:
    random = np.random.default_rng(8)
    robot = single(shape)
    for _ in range(40):
        place = np.array([*outside(*random.uniform(-15, 15, 2)), random.uniform(0.02, 0.2)])
        turn = random.normal(size=4)
        turn /= np.linalg.norm(turn)
        gaps = [
            ground_gaps(robot, Environment(ground=Ground(heights=field)), place[None], turn[None])[0]
            for field in (rough(), padded(rough()))
        ]
        assert gaps[0] == pytest.approx(gaps[1], abs=1e-12)
        points = place + random.uniform(-0.1, 0.1, (20, 3))
        np.testing.assert_allclose(
            distances_to_ground(rough(), points), distances_to_ground(padded(rough()), points), rtol=0, atol=1e-12
        )

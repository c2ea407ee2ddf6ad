"""Ground given by heights: planes as fields, grooves, ridges, and the true distance to a bilinear surface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator
from scipy.spatial.transform import Rotation

from oracles.controllers import Always
from oracles.engine import stepper_at_start
from oracles.spatial.engine import contacts, stepper_in
from oracles.spatial.states import single_link
from oracles.spatial.step import ground_normal
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.ranges import distances_to_ground
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.papers.registry import scenario
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

G, DT = 9.81, 1e-3
HOLD = Always(Command())
TIGHT = Settings(tolerance=1e-6)
LINK = single_link()
RADIUS = 0.0525
Height = Callable[[np.ndarray, np.ndarray], np.ndarray]


def block() -> SpatialRobot:
    inertia = (1.7e-3, 4.2e-3, 4.2e-3)
    link = SpatialLink(length=0.2, mass=1.0, inertia=inertia, radius=0.05, side_length=0.18, shape="square")
    return SpatialRobot(links=(link,), joints=())


def rod() -> SpatialRobot:
    link = SpatialLink(length=0.3, mass=1.0, inertia=(5e-4, 8e-3, 8e-3), radius=0.03)
    return SpatialRobot(links=(link,), joints=())


def field_of(height: Height, spacing: float = 0.1, half_width: float = 2.0) -> HeightField:
    """Heights of a function of x and y on a square around the origin."""
    n = round(half_width / spacing)
    x = spacing * np.arange(-n, n + 1)
    heights = np.broadcast_to(height(x[:, None], x[None, :]), (len(x), len(x)))
    return HeightField(heights=heights, spacing=spacing, origin=(x[0], x[0]))


def plane(slope: float, direction: float, spacing: float = 0.1) -> HeightField:
    """A plane through the origin, as a field."""
    return field_of(lambda x, y: np.tan(slope) * (x * np.cos(direction) + y * np.sin(direction)), spacing)


def at(center: np.ndarray, turn: Rotation) -> dict[str, np.ndarray]:
    """At rest, in the words of `SpatialStart.pose`."""
    none, still = np.zeros(0), np.zeros((1, 3))
    tail = turn.as_quat(scalar_first=True)
    return {"center": np.asarray(center), "tail": tail, "angle": none, "rate": none, "v": still, "omega": still}


class TestPlane:
    """A plane is a plane, however it is given."""

    @pytest.mark.parametrize(("slope", "direction"), [(0.0, 0.0), (0.3, 0.0), (0.3, 0.7), (0.5, 2.5)])
    @pytest.mark.parametrize("robot", [LINK, block()], ids=["round", "square"])
    def test_slide(self, robot: SpatialRobot, slope: float, direction: float) -> None:
        flat = Ground(friction=Isotropic(0.3), rolling=0.02, slope=slope, slope_direction=direction)
        field = Ground(friction=Isotropic(0.3), rolling=0.02, heights=plane(slope, direction))
        n = ground_normal(flat)
        axis = np.array([np.sin(direction), -np.cos(direction), 0.0])
        turn = Rotation.from_rotvec(slope * axis) * Rotation.from_euler("z", direction + 0.5)
        start = SpatialStart(
            orientation=turn.as_quat(scalar_first=True), position=n * robot.links[0].radius, velocity=(0.1, 0.2, 0.0)
        )
        paths = [
            simulate(robot, Environment(ground=g), HOLD, start=start, duration=0.5, settings=TIGHT)
            for g in (flat, field)
        ]
        moved = np.ptp(paths[0].link_position.values, axis=0).max()
        assert moved > 5e-3  # m
        difference = np.abs(paths[1].link_position.values - paths[0].link_position.values).max()
        assert difference < 1e-8  # m: the tolerance, 1e-8 m/s, over half a second

    def test_contacts_do_not_flicker_on_level_heights(self) -> None:
        # Sliding presses one end down and lets the other rise by nanometres: both stay in contact.
        ground = Ground(friction=Isotropic(0.3), heights=plane(0.0, 0.0))
        start = SpatialStart(position=(0.0, 0.0, RADIUS), velocity=(0.5, 0.0, 0.0))
        stepper = stepper_at_start([World(LINK, Environment(ground=ground), None, start)], TIGHT)
        for _ in range(100):
            stepper.advance(1)
            assert stepper.state().n_contacts[0, 0] == 2

    def test_sidewinding(self) -> None:
        scene = scenario("transeth2008b/sidewinding")
        start = SpatialStart(joint_angles=(0.0,) * 20, position=(0.0, 0.0, RADIUS))
        ends = []
        for heights in (None, plane(0.0, 0.0), plane(0.0, 0.0, 0.03)):
            ground = Ground(friction=Isotropic(0.2), rolling=0.02, heights=heights)
            run = simulate(
                scene.world.robot, Environment(ground=ground), scene.world.controller, start=start, duration=3.0
            )
            ends.append(run.center_of_mass.values[-1])
        assert np.linalg.norm(ends[0][:2]) > 0.1  # m
        np.testing.assert_allclose(ends[1:], [ends[0]] * 2, rtol=0, atol=1e-3)  # required: 1e-2 m over 15 s when turned


class TestGroove:
    @pytest.mark.parametrize("angle", [0.3, 0.7])
    @pytest.mark.parametrize("direction", ["x", "y"])
    def test_link_lies_between_both_walls(self, angle: float, direction: str) -> None:
        field = field_of(lambda x, y: np.tan(angle) * np.abs(y if direction == "x" else x), 0.05)
        height = RADIUS / np.cos(angle)
        start = SpatialStart(heading=0.0 if direction == "x" else np.pi / 2, position=(0.0, 0.0, height))
        place = Environment(ground=Ground(heights=field))
        stepper = stepper_at_start([World(LINK, place, None, start)], TIGHT)
        stepper.advance(300)
        aside = 1 if direction == "x" else 0
        walls = [np.array([c.P[0] for c in contacts(stepper) if side * c.normal[aside] > 0]) / DT for side in (-1, 1)]
        # Without friction each wall bears m g/(2 cos a).
        expected = LINK.mass * G / (2 * np.cos(angle))
        assert [len(wall) for wall in walls] == [2, 2]
        np.testing.assert_allclose([wall.sum() for wall in walls], expected, rtol=1e-6)
        for contact in contacts(stepper):
            assert contact.normal[2] == pytest.approx(np.cos(angle), abs=1e-9)
        np.testing.assert_allclose(stepper.state().center[0], [0.0, 0.0, height], rtol=0, atol=1e-6)

    def test_one_wall_alone_pushes_it_down_the_slope(self) -> None:
        field = field_of(lambda x, y: np.tan(0.3) * np.abs(y), 0.05)
        up_there = 0.4 * np.array([0.0, np.cos(0.3), np.sin(0.3)]) + RADIUS * np.array([0.0, -np.sin(0.3), np.cos(0.3)])
        run = simulate(
            LINK, Environment(ground=Ground(heights=field)), HOLD, duration=0.3, settings=TIGHT,
            start=SpatialStart(position=up_there), record=Record(rate=1000.0),
        )  # fmt: skip
        downhill = -np.array([0.0, np.cos(0.3), np.sin(0.3)])
        way = (run.center_of_mass.values - up_there) @ downhill
        np.testing.assert_allclose(way, 0.5 * G * np.sin(0.3) * run.time.values**2, rtol=0, atol=1e-6)


class TestRidge:
    @pytest.mark.parametrize(
        ("robot", "spacing", "flank"),
        [(LINK, 0.1, 1.0), (LINK, 0.02, 0.3), (LINK, 0.02, 1.0), (rod(), 0.1, 0.3), (rod(), 0.02, 1.0)],
    )
    def test_ridge_carries_the_middle_of_a_link(self, robot: SpatialRobot, spacing: float, flank: float) -> None:
        field = field_of(lambda x, y: np.maximum(0.1 - flank * np.abs(x), 0.0) + 0.0 * y, spacing, 1.0)
        radius = robot.links[0].radius
        place = Environment(ground=Ground(heights=field, friction=Isotropic(0.9), rolling=0.1))
        stepper = stepper_in(robot, place, [at([0.0, 0.0, 0.1 + radius], Rotation.identity())], Settings())
        stepper.advance(200)
        # The crest lies on grid points: a link that is balanced on it stays a radius above it.
        assert stepper.state().center[0, 2] == pytest.approx(0.1 + radius, abs=1e-3)  # m, required: penetration


class TestPeaks:
    """A grid point alone is as high as its neighbours are not: a pyramid under a flat side, clear of every edge."""

    FIELD = HeightField(heights=[[0, 0, 0], [0, 0.1, 0], [0, 0, 0]], spacing=0.25, origin=(-0.25, -0.25))

    @pytest.mark.parametrize("roll", [0.0, 90.0, 180.0])
    def test_carries_a_flat_side(self, roll: float) -> None:
        place = Environment(ground=Ground(heights=self.FIELD, friction=Isotropic(0.9)))
        robot = block()
        start = at([0.0, 0.0, 0.1 + robot.links[0].radius], Rotation.from_euler("x", roll, degrees=True))
        stepper = stepper_in(robot, place, [start], Settings())
        stepper.advance(200)
        # Balanced on the tip: it carries the whole weight, and the side stays on it.
        assert stepper.state().center[0, 2] == pytest.approx(0.1 + robot.links[0].radius, abs=1e-5)
        assert stepper.totals("ground")[0, 0, 2] == pytest.approx(robot.mass * G * 200 * DT, rel=1e-6)

    def test_is_seen_before_the_start(self) -> None:
        place = Environment(ground=Ground(heights=self.FIELD))
        level = SpatialStart(joint_angles=(), position=(0.01, 0.02), orientation=(1.0, 0.0, 0.0, 0.0))
        pose = level.pose(block(), place)
        assert pose["center"][2] == pytest.approx(0.1 + 0.05, abs=1e-6)


class TestRim:
    def test_ball_meets_the_slope_beyond_its_cell(self) -> None:
        # A centre a hair inside a level cell, so that rounding puts the rim of the next one beyond that one's end.
        heights = np.where(np.arange(121)[:, None] <= 28, 0.0, -0.03) * np.ones((1, 121))
        field = HeightField(heights=heights, spacing=0.05, origin=(-3.0, -3.0))
        for hair in (1e-4, 1e-6, -1e-6, -1e-4):
            center = np.array([-1.55 + hair, 0.288, 0.0225])
            # From the line through (-1.6, 0) and (-1.55, -0.03), whose foot lies between the two.
            along, to = np.array([0.05, -0.03]), center[[0, 2]] - np.array([-1.6, 0.0])
            expected = abs(along[0] * to[1] - along[1] * to[0]) / np.hypot(*along)
            assert distances_to_ground(field, center[None])[0] == pytest.approx(expected, abs=1e-9)

    def test_last_heights_go_on(self) -> None:
        field = HeightField(heights=[[0.0, 0.0], [0.3, 0.3]], spacing=1.0, origin=(0.0, 0.0))
        beyond = [(x, y, z) for x, z in ((-3.0, 0.0), (4.0, 0.3)) for y in (-5.0, 0.5, 7.0)]
        starts = [at([x, y, z + RADIUS], Rotation.identity()) for x, y, z in beyond]
        place = Environment(ground=Ground(heights=field, friction=Isotropic(0.3)))
        stepper = stepper_in(LINK, place, starts, TIGHT)
        stepper.advance(300)
        np.testing.assert_allclose(stepper.state().center, np.array(beyond) + np.array([0, 0, RADIUS]), atol=1e-6)
        carried = stepper.totals("ground")[:, 0] / 0.3
        np.testing.assert_allclose(carried, [[0.0, 0.0, LINK.mass * G]] * 6, rtol=0, atol=1e-6)

    def test_slope_ends_at_the_rim(self) -> None:
        # From the slope onto the level: energy m g h becomes speed, less what the kink takes.
        field = HeightField(heights=[[0.3, 0.3], [0.0, 0.0]], spacing=1.0, origin=(0.0, -0.5))
        slope = np.arctan(0.3)
        normal, downhill = np.array([np.sin(slope), 0.0, np.cos(slope)]), np.array([np.cos(slope), 0.0, -np.sin(slope)])
        turn = Rotation.from_euler("y", slope)
        start = SpatialStart(
            orientation=turn.as_quat(scalar_first=True),
            position=np.array([1.0, 0.0, 0.0]) - 0.6 * downhill + RADIUS * normal,
        )
        run = simulate(LINK, Environment(ground=Ground(heights=field)), HOLD, start=start, duration=1.2)
        assert run.center_of_mass.values[-1, 0] > 1.5
        assert run.center_of_mass.values[-1, 2] == pytest.approx(RADIUS, abs=2e-3)
        arrives = np.sqrt(2 * G * (0.6 - 0.0393) * np.sin(slope))
        assert run.link_velocity.values[-1, 0, 0] == pytest.approx(arrives * np.cos(slope), rel=0.05)


def surface_points(field: HeightField, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The surface in a window, a point every 2 mm and on every grid line, shape (n, 3) [m]."""
    grid = [field.origin[k] + field.spacing * np.arange(field.heights.shape[k]) for k in range(2)]
    lines = [
        np.union1d(np.arange(low[k], high[k], 2e-3), grid[k][(grid[k] > low[k]) & (grid[k] < high[k])])
        for k in range(2)
    ]
    places = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.column_stack([places, RegularGridInterpolator(grid, field.heights)(places)])


def clearance(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """Distance of a segment from points [m]."""
    along = end - start
    share = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    return float(np.linalg.norm(points - start - share[:, None] * along, axis=1).min())


@pytest.mark.parametrize(("spacing", "steepest"), [(0.02, 0.2), (0.05, 0.5), (0.1, 0.5)])
def test_depth_in_rough_ground(spacing: float, steepest: float) -> None:
    # Aiko's link laid on white noise, then lowered by 8 mm: the engine must see that depth.
    random = np.random.default_rng(3)
    n = round(2.0 / spacing)
    field = HeightField(
        heights=random.uniform(-1, 1, (n, n)) * steepest * spacing / 1.5, spacing=spacing, origin=(-1.0, -1.0)
    )
    starts, depths = [], []
    for _ in range(15):
        turn = Rotation.from_euler("zy", [random.uniform(-3, 3), random.normal(scale=0.15)])
        center, half = np.array([*random.uniform(-0.5, 0.5, 2), 0.2]), turn.apply([0.0393, 0.0, 0.0])
        reach = np.abs(half) + 2.5 * RADIUS
        points = surface_points(field, center - reach, center + reach)
        low, high = -0.25, 0.1
        for _ in range(30):
            middle = (low + high) / 2
            lifted = center + np.array([0.0, 0.0, middle])
            free = clearance(points, lifted - half, lifted + half) > RADIUS
            low, high = (low, middle) if free else (middle, high)
        lowered = center + np.array([0.0, 0.0, high - 8e-3])
        starts.append(at(lowered, turn))
        depths.append(RADIUS - clearance(points, lowered - half, lowered + half))
    stepper = stepper_in(LINK, Environment(ground=Ground(heights=field, gravity=0.0)), starts)
    stepper.advance(1)
    missed = np.array(depths) - stepper.totals("penetration")
    # Between its spheres a link is looked at in six places, 11 mm apart: 0.3 mm on a radius of 52.5 mm; on steeper
    # ground the nearest point is sought from plane to plane.
    assert missed.max() < 1e-3 and missed.min() > -1e-4  # m

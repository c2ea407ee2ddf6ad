"""Polygons that are bent inward or have holes: like their parts, without catching where these meet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.errors import InvalidModel, StartOverlap

LINK = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = pp.PlanarRobot.uniform(6, LINK, pp.Motor(stiffness=5.0, damping=0.05))
STILL = pp.gaits.FunctionOfTime(function=lambda _t: np.zeros(5))
WAVE = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.8)
U = [(0.4, -0.4), (1.3, -0.4), (1.3, 0.4), (0.4, 0.4), (0.4, 0.3), (1.2, 0.3), (1.2, -0.3), (0.4, -0.3)]
U_BARS = (
    [(0.4, -0.4), (1.3, -0.4), (1.3, -0.3), (0.4, -0.3)],
    [(0.4, 0.3), (1.3, 0.3), (1.3, 0.4), (0.4, 0.4)],
    [(1.2, -0.4), (1.3, -0.4), (1.3, 0.4), (1.2, 0.4)],
)
BOX = [(-1.0, -0.8), (1.0, -0.8), (1.0, 0.8), (-1.0, 0.8)]


def run_in(obstacles: Any, **more: Any) -> Any:
    ground = pp.Ground(friction=pp.Isotropic(more.pop("mu", 0.1)))
    settings = pp.Settings(dt=1e-3, tolerance=1e-7)
    controller, duration = more.pop("controller", STILL), more.pop("duration", 1.0)
    place = pp.Environment(ground=ground, obstacles=obstacles)
    record = pp.Record(rate=100.0)
    return pp.simulate(ROBOT, place, controller, duration=duration, settings=settings, record=record, **more)


def kinetic(run: Any) -> np.ndarray:
    v, omega = run.link_velocity.values, run.link_angular_velocity.values
    return np.asarray(0.5 * (LINK.mass * (v**2).sum(-1) + LINK.inertia * omega**2).sum(-1))


@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.parametrize("corners", [BOX, [(0.3, -0.4), (0.8, -0.1), (0.7, 0.5), (0.4, 0.3)]])
def test_a_hole_inside_does_not_show_outside(corners: Any, restitution: float) -> None:
    """The same outline, once convex and once as a rim: contacts are found in another way, and are the same."""
    shift = (1.45, 0.0) if corners is BOX else (0.0, 0.0)
    solid = pp.Polygon(vertices=[(x + shift[0], y) for x, y in corners], friction=0.3, restitution=restitution)
    middle = np.mean(solid.vertices, axis=0)
    hole = [(middle[0] + x, middle[1] + y) for x, y in ((-0.01, -0.01), (0.01, -0.01), (0.0, 0.01))]
    start = pp.Start(velocity=(1.0, 0.3), spin=2.0)
    plain = run_in([solid], start=start, duration=0.6)
    rim = run_in([replace(solid, holes=[hole])], start=start, duration=0.6)
    assert float(plain.obstacle_load.max()) > 5.0
    np.testing.assert_allclose(
        rim.link_position, plain.link_position, atol=1e-5
    )  # warm starts differ, 1e-7 g dt a step


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_a_bay_is_like_the_bars_it_is_made_of(mu: float) -> None:
    """Until an end meets a place where two bars meet, as separate bars have corners there."""
    start = pp.Start(velocity=(1.6, 1.2), position=(0.2, 0.0))
    one = run_in([pp.Polygon(vertices=U, friction=mu)], start=start, duration=1.0)
    bars = run_in([pp.Polygon(vertices=bar, friction=mu) for bar in U_BARS], start=start, duration=1.0)
    assert one.obstacle_load.sizes["obstacle"] == 1 and bars.obstacle_load.sizes["obstacle"] == 3
    assert float(one.obstacle_load.max()) > 5.0
    np.testing.assert_allclose(one.link_position, bars.link_position, atol=1e-5)
    np.testing.assert_allclose(one.obstacle_load[:, 0], bars.obstacle_load.sum("obstacle", skipna=False), atol=1e-2)


def test_nothing_catches_where_a_straight_side_has_corners() -> None:
    """A robot pressed against a long side slides on at its speed past corners that do not bend; no friction."""
    many = [(x, -0.02) for x in np.arange(3.0, -1.01, -0.07)]
    rough = pp.Polygon(vertices=[(-1.0, -0.5), (3.0, -0.5), *many, (-1.2, -0.02), (-1.2, -0.3), (-1.0, -0.3)])
    assert rough.hulls[0].hollow
    load = np.zeros((1, 6, 3))
    load[..., 1] = -3.0
    world = pp.World(ROBOT, pp.Environment(obstacles=[rough]), None, pp.Start(velocity=(1.0, 0.0)))
    simulator = pp.Simulator([world], settings=pp.Settings(dt=1e-3))
    simulator.reset()
    for _ in range(100):
        simulator.step(pp.Command(joint_angle=np.zeros((1, 5)), link_load=load))
    state = simulator.state
    assert float(state.center[0, 0]) > 0.9
    np.testing.assert_allclose(state.v[0, :, 0], 1.0, atol=1e-9)
    np.testing.assert_allclose(state.v[0, :, 1], 0.0, atol=1e-3)


def test_both_sides_of_an_inward_corner_push() -> None:
    """A robot that stands in a corner and is pushed into it: each side bears its part of the load."""
    corner = [(0.32, -0.5), (0.9, -0.5), (0.9, 0.5), (-0.9, 0.5), (-0.9, 0.02), (0.32, 0.02)]
    world = pp.World(ROBOT, pp.Environment(obstacles=[pp.Polygon(vertices=corner)]))
    simulator = pp.Simulator([world], settings=pp.Settings(dt=1e-3))
    simulator.reset()
    load = np.zeros((1, 6, 3))
    load[..., 0], load[..., 1] = 2.0, 1.0
    for _ in range(50):
        simulator.step(pp.Command(joint_angle=np.zeros((1, 5)), link_load=load))
    totals = simulator._stepper.totals("obstacle")[0].sum(axis=0)
    np.testing.assert_allclose(totals, [-12.0, -6.0] * np.array(simulator.state.step[0] * 1e-3), rtol=2e-2)
    np.testing.assert_allclose(simulator.state.v, 0.0, atol=1e-3)


def test_a_room_is_like_four_walls() -> None:
    """Thick walls around, with the same inner faces; their round ends lie outside."""
    outside = [(-1.3, -1.1), (1.3, -1.1), (1.3, 1.1), (-1.3, 1.1)]
    inner = [(-0.45, -0.3), (0.45, -0.3), (0.45, 0.3), (-0.45, 0.3)]
    room = pp.Polygon(vertices=outside, holes=[inner], friction=0.2, restitution=0.5)
    look = {"thickness": 0.2, "friction": 0.2, "restitution": 0.5}
    walls = [
        pp.Wall(start=(-0.6, -0.4), end=(0.6, -0.4), **look),
        pp.Wall(start=(-0.6, 0.4), end=(0.6, 0.4), **look),
        pp.Wall(start=(-0.55, -0.5), end=(-0.55, 0.5), **look),
        pp.Wall(start=(0.55, -0.5), end=(0.55, 0.5), **look),
    ]
    start = pp.Start(velocity=(0.7, 0.4), spin=1.0)
    inside = run_in([room], start=start, controller=WAVE, duration=1.0)
    among = run_in(walls, start=start, controller=WAVE, duration=1.0)
    assert float(inside.obstacle_load.max()) > 5.0
    np.testing.assert_allclose(inside.link_position, among.link_position, atol=1e-4)


def test_thrown_about_in_a_star_it_gains_no_energy_and_stays_inside() -> None:
    turn = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
    reach = np.where(np.arange(16) % 2, 0.55, 0.8)
    star = np.stack([reach * np.cos(turn), reach * np.sin(turn)], axis=-1)
    outside = [(-1.5, -1.5), (1.5, -1.5), (1.5, 1.5), (-1.5, 1.5)]
    room = pp.Polygon(vertices=outside, holes=[star], restitution=0.8)
    limp = replace(ROBOT, motors=pp.Motor(stiffness=0.0, damping=0.0))
    worlds = [
        pp.World(limp, pp.Environment(obstacles=[room]), STILL, pp.Start(velocity=(np.cos(a), np.sin(a)), spin=3.0))
        for a in (0.1, 1.1, 2.3, 4.0)
    ]
    runs = pp.simulate(worlds, 3.0, settings=pp.Settings(dt=1e-3), record=pp.Record(rate=100.0))
    for w in range(4):
        run = runs.isel(world=w)
        energy = kinetic(run)
        assert energy.max() < energy[0] * (1 + 1e-3)
        gaps = link_obstacle_distance(limp, [room], run.center_of_mass.values, run.link_angle.values)
        assert gaps.min() > -0.005  # a step at the largest speed of a link
    assert "stopped" not in str(runs.attrs["status"]) and float(runs.unconverged.sum()) < 0.01 * 4 * 3000


class TestDistance:
    """Against a plain search: many points on the link's axis and inside tests by winding."""

    SHAPES = (
        pp.Polygon(vertices=U),
        pp.Polygon(vertices=[(-1, -1), (1.5, -1), (1.5, 1), (-1, 1)], holes=[[(0, -0.5), (1, -0.5), (0.5, 0.6)]]),
    )

    @pytest.mark.parametrize("shape", SHAPES)
    def test_of_links(self, shape: pp.Polygon) -> None:
        random = np.random.default_rng(3)
        center, theta = random.uniform(-0.5, 1.5, (60, 2)), random.uniform(-3, 3, (60, 6))
        found = link_obstacle_distance(ROBOT, [shape], center, theta)[..., 0]
        from pushpoint.engine.planar.kinematics import link_positions

        middle = link_positions(ROBOT, center, theta)
        along = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
        points = middle[..., None, :] + np.linspace(-0.05, 0.05, 401)[:, None] * along[..., None, :]
        outlines = [np.array(shape.vertices), *(np.array(hole) for hole in shape.holes)]
        nearest = np.full(points.shape[:-1], np.inf)
        turns = np.zeros(points.shape[:-1])
        for corners in outlines:
            for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
                share = np.clip(((points - a) @ (b - a)) / ((b - a) @ (b - a)), 0.0, 1.0)
                nearest = np.minimum(nearest, np.linalg.norm(points - a - share[..., None] * (b - a), axis=-1))
                u, v = a - points, b - points
                turns += np.arctan2(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0], (u * v).sum(-1))
        inside = np.abs(turns) > np.pi
        expected = np.where(inside.any(-1), 0.0, nearest.min(-1)) - LINK.radius
        np.testing.assert_allclose(found, expected, atol=2.5e-4)  # points are 0.25 mm apart
        assert inside.any() and (~inside).any()


def test_a_robot_may_start_in_a_bay_and_in_a_hole_but_not_in_the_solid() -> None:
    bay, room = pp.Polygon(vertices=U), pp.Polygon(vertices=[(x * 2, y * 2) for x, y in BOX], holes=[BOX])
    for obstacle, x in ((bay, 0.8), (room, 0.0)):
        pp.World(ROBOT, pp.Environment(obstacles=[obstacle]), STILL, pp.Start(position=(x, 0.0))).pose()
    for obstacle, place in ((bay, (0.8, 0.35)), (room, (0.0, 1.2))):
        with pytest.raises(StartOverlap):
            pp.World(ROBOT, pp.Environment(obstacles=[obstacle]), STILL, pp.Start(position=place)).pose()


@pytest.mark.parametrize(
    ("holes", "sentence"),
    [
        (
            [[(0, 0), (2, 0), (0, 0.5)]],
            r"polygon\.holes\[0\] = 'an outline that reaches beyond the polygon', must be one",
        ),
        ([[(3, 3), (4, 3), (4, 4)]], r"polygon\.holes\[0\] = 'an outline that reaches beyond"),
        (
            [[(0, 0), (0.5, 0), (0, 0.5)], [(0.1, 0.1), (0.2, 0.1), (0.1, 0.2)]],
            r"polygon\.holes\[1\] = 'an outline that",
        ),
        ([[(0, 0), (0.5, 0)]], r"polygon\.holes\[0\] = 2, must be 3 corners or more"),
        ([[(-1.0, -0.8), (0.5, 0), (0, 0.5)]], r"polygon\.holes\[0\] = 'an outline that reaches beyond"),
        (5, r"polygon\.holes = 5, must be a list of outlines"),
        ("ab", r"polygon\.holes = 'ab', must be a list of outlines"),
    ],
)
def test_holes_that_are_refused(holes: Any, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        pp.Polygon(vertices=BOX, holes=holes)


def test_a_polygon_may_have_a_thousand_corners() -> None:
    """Convex, as a rim: a straight robot pressed on it touches it on its own side, not in its middle."""
    turn = np.linspace(0.0, 2 * np.pi, 1000, endpoint=False)
    disc = pp.Polygon(vertices=np.stack([np.cos(turn), np.sin(turn) - 1.02], axis=-1).tolist())
    peg = pp.Peg(x=0.0, y=-1.02, radius=1.0)
    runs = [run_in([each], start=pp.Start(velocity=(0.2, -0.3), position=(0.0, 0.05))) for each in (disc, peg)]
    assert float(runs[0].obstacle_load.max()) > 1.0
    np.testing.assert_allclose(runs[0].link_position, runs[1].link_position, atol=1e-3)

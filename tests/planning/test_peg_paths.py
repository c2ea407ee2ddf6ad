"""Paths through pegs: the parts of the planner against closed forms and brute force, plans against path_quality."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.pegs.angles import peg_angles, torques_with_turned_links

from pushpoint.engine.planar.ranges import Outlines
from pushpoint.errors import InvalidModel
from pushpoint.mapping import MappingBounds, Path, Travel, path_quality, pose_on_path
from pushpoint.model.courses import Disc, Rectangle
from pushpoint.model.environment import Environment, Ground, Peg, Wall
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.planning.pegs.balance import PegArrays, Stretches, path_torques
from pushpoint.planning.pegs.fields import peg_field
from pushpoint.planning.pegs.graph import BodySize, ClearanceMap, Layout, hermite_edges, lay_out, passable
from pushpoint.planning.pegs.paths import PegPlan, PlanSettings, plan_path
from pushpoint.planning.pegs.search import Effort, Polish
from pushpoint.reduced import GroundFriction, reduce_robot

SNAKE = PlanarRobot.uniform(15, PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03), Motor(torque_limit=4.0))
REDUCED = reduce_robot(SNAKE)
GROUND = GroundFriction(coefficient=0.3)
START, GOAL = (0.0, 0.0), (3.2, 0.1)
HASTY = PlanSettings(effort=Effort(edges=25), polish=Polish(rounds=1), attempts=1)
WAVE = 0.7
STEEP = WAVE * np.tan(np.radians(43.0)) / (2 * np.pi)


def field(seed: int = 5, spacing: float = 1.5 / 6.8) -> tuple[Peg, ...]:
    free = [Disc(x=x, y=y, radius=0.04) for x, y in (START, GOAL)]
    area = Rectangle(x=(-0.3, 3.5), y=(-0.9, 0.9))
    return peg_field(spacing=spacing, area=area, seed=seed, friction=0.1, keep_out=free)


@pytest.fixture(scope="module")
def plan() -> PegPlan:
    environment = Environment(ground=Ground(friction=Isotropic(0.3)), obstacles=field())
    return plan_path(SNAKE, environment, START, GOAL, seed=1)


def sine() -> tuple[Path, list[Peg]]:
    """A steep sine with a peg behind each flank."""
    x = np.linspace(-2.0, 5.0, 500)
    pegs = []
    for k in range(-4, 14):
        slope = np.tan(np.radians(43.0)) * (-1) ** k
        right = np.array([slope, -1.0]) / np.hypot(slope, 1.0)
        away = -np.sign(slope) * 0.055
        pegs.append(Peg(x=k * WAVE / 2 + away * right[0], y=away * right[1], radius=0.02, friction=0.1))
    return Path(np.column_stack((x, STEEP * np.sin(2 * np.pi * x / WAVE)))), pegs


def test_clearance_map_agrees_with_distances_to_circles() -> None:
    pegs = [Peg(x=0.0, y=0.0, radius=0.02), Peg(x=0.3, y=0.1, radius=0.05)]
    places = np.random.default_rng(0).uniform((-0.3, -0.3), (0.6, 0.4), (2000, 2))
    gaps = np.stack([np.hypot(places[:, 0] - p.x, places[:, 1] - p.y) - p.radius for p in pegs], axis=1)
    found = ClearanceMap.of(pegs, 0.1)
    near = (gaps.min(axis=1) > 0.02) & (gaps.min(axis=1) < 0.09)
    # Bilinear between points 5 mm apart: cell^2 / (8 distance to the centre) = 0.1 mm, and kinks between two pegs.
    np.testing.assert_allclose(found.at(places)[near], gaps.min(axis=1)[near], atol=2e-4)
    np.testing.assert_array_equal(found.nearest(places)[near], gaps.argmin(axis=1)[near])
    far = gaps.min(axis=1) > 0.12
    assert (found.at(places)[far] == 0.1).all() and (found.nearest(places)[far] == -1).all()
    assert found.at(np.array([[50.0, 50.0]]))[0] == 0.1


def test_symmetric_edges_are_nearly_circular_arcs() -> None:
    half, radius = np.radians(40.0), 0.2
    end = np.array([[2 * radius * np.sin(half), 0.0]])
    edge = hermite_edges(np.zeros((1, 2)), np.array([half]), end, np.array([-half]), 0.1)
    np.testing.assert_allclose(edge.curvature, -1.0 / radius, rtol=0.03)  # the cubic's error at 80 degrees of arc
    assert edge.arc[0, -1] == pytest.approx(2 * half * radius, rel=2e-3)
    middle = edge.points[0, 8]
    np.testing.assert_allclose(middle, [end[0, 0] / 2, radius * (1 - np.cos(half))], atol=1e-3 * radius)
    # A chord of 0.1 m sags by about l^2 / (8 R) toward the centre of the arc.
    assert middle[1] - edge.inner[0, 8, 1] == pytest.approx(0.1**2 / (8 * radius), rel=0.03)


def test_edges_through_pegs_or_too_sharp_are_not_passable() -> None:
    clearance = ClearanceMap.of([Peg(x=0.2, y=0.05, radius=0.02)], 0.1)
    starts = np.zeros((3, 2))
    ends = np.array([[0.4, 0.0], [0.4, -0.1], [0.4, 0.0]])
    angles = np.array([0.0, -0.25, 1.4])
    edges = hermite_edges(starts, angles, ends, np.array([0.0, -0.25, 1.4]), 0.1)
    # 30 mm beside a straight line there is not room for 31 mm, but for 29.
    assert passable(edges, clearance, 0.031, 12.0).tolist() == [False, True, False]
    assert passable(edges, clearance, 0.029, 12.0).tolist()[:2] == [True, True]
    assert not passable(edges, clearance, 0.01, 0.5)[2]


def test_states_lie_beside_their_pegs_and_the_pegs_push_on() -> None:
    body, layout = BodySize(length=1.5, half_width=0.03, link=0.1, sharpest=12.0), Layout(braking=0.0)
    pegs = field()
    graph = lay_out(pegs, np.array(START), np.array(GOAL), body, layout, np.random.default_rng(0))
    states = graph.states
    at = np.flatnonzero(states.peg >= 0)
    away = np.array([(pegs[k].x, pegs[k].y) for k in states.peg[at]]) - states.point[at]
    along = np.column_stack((np.cos(states.angle[at]), np.sin(states.angle[at])))
    left = np.column_stack((-along[:, 1], along[:, 0]))
    np.testing.assert_allclose(np.vecdot(away, along), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.vecdot(away, left), -states.side[at] * (0.02 + 0.03 + layout.slack), atol=1e-12)
    push = states.side[at, None] * left  # a peg on the right pushes to the left
    assert (push @ (np.array(GOAL) - START) >= 0.0).all()
    starts, goals = graph.ends
    assert len(starts) == len(goals) == layout.n_angles
    np.testing.assert_array_equal(states.point[list(goals)], np.tile(GOAL, (layout.n_angles, 1)))


def test_quick_balance_agrees_with_path_quality() -> None:
    path, pegs = sine()
    head = np.linspace(0.5, 0.7, 60) * path.length
    for some in (pegs, pegs[::2], pegs[:9] + pegs[11:]):
        exact = path_quality(Travel(REDUCED, GROUND, path, some, head), MappingBounds(torque_limit=np.inf))
        back = np.arange(0.0, 6.0, 0.005)
        points = path.at(head[-1] - back)[0][None]
        stretches = Stretches(points=points, step=0.005, pegs=np.arange(len(some))[None])
        found = path_torques(
            REDUCED, GROUND, PegArrays.of(some), stretches, np.zeros(60, dtype=int), head[-1] - head, head
        )
        able = np.isfinite(found).all(axis=1)
        np.testing.assert_array_equal(able, exact.feasible)
        # Polygons of 5 mm instead of the curve: angles off by 1e-3.
        np.testing.assert_allclose(found[able], exact.joint_torque[able], atol=0.02)


def test_a_body_that_is_only_partly_on_the_path_counts_in_part() -> None:
    path, pegs = sine()
    points = path.at(5.0 - np.arange(0.0, 3.0, 0.01))[0][None]
    stretches = Stretches(points=points, step=0.01, pegs=np.arange(len(pegs))[None])
    row, behind = np.zeros(40, dtype=int), np.linspace(0.0, 0.8, 40)
    # With 1.15 m of arc, links of 0.1 m from link 14 back to link 4 or 5 are on the path.
    short = path_torques(REDUCED, GROUND, PegArrays.of(pegs), stretches, row, behind, np.full(40, 1.15))
    whole = path_torques(REDUCED, GROUND, PegArrays.of(pegs), stretches, row, behind, 5.0 - behind)
    able = np.isfinite(short).all(axis=1)
    assert able.sum() >= 5 and np.isfinite(whole).all()
    # What is behind joint 3 is not there: the joint and those further back hold nothing.
    np.testing.assert_allclose(short[able, :4], 0.0, atol=1e-3)  # N m; the share that may stay unbalanced
    assert np.abs(short[able, 4:]).max() > 0.1 and np.abs(whole[:, :4]).max() > 0.1


def test_a_plan_leads_from_start_to_goal(plan: PegPlan) -> None:
    assert plan.planned and plan.flaws == () and plan.reaches_goal
    ends, _ = plan.path.at(np.array([0.0, plan.path.length]))
    np.testing.assert_allclose(ends, [START, GOAL], atol=1e-9)
    assert plan.quality.head[0] == pytest.approx(1.5) and plan.quality.head[-1] == pytest.approx(plan.path.length)
    assert np.diff(plan.quality.head).max() <= 0.021
    assert plan.planning_time > 0.0 and plan.judged > 0


def test_the_planned_robot_stays_clear_of_all_pegs(plan: PegPlan) -> None:
    head = np.linspace(1.5, plan.path.length, 700)  # finer than planned, and by the engine's own distances
    pose = pose_on_path(REDUCED, plan.path, head)
    gaps = Outlines(plan.pegs).distances(SNAKE, pose.center, pose.link_angle)
    assert gaps.min() > 0.0
    assert plan.clearance == pytest.approx(gaps.min(), abs=1e-3)
    assert plan.bend <= plan.joint_limit


def test_the_plan_touches_the_pegs_it_names(plan: PegPlan) -> None:
    assert len(plan.touches) >= 6
    for touch in plan.touches:
        peg = plan.pegs[touch.peg]
        point, tangent = plan.path.at(np.array([touch.arc]))
        away = np.array([peg.x, peg.y]) - point[0]
        assert np.linalg.norm(away) == pytest.approx(0.02 + 0.03 + Layout().slack, abs=2e-4)  # m; grid of 0.2 mm
        assert np.sign(tangent[0, 0] * away[1] - tangent[0, 1] * away[0]) == -touch.side
        np.testing.assert_allclose(tangent[0], [np.cos(touch.angle), np.sin(touch.angle)], atol=1e-9)
        assert abs(tangent[0] @ away) < 5e-3  # m; the peg stands beside the path, here smoothed by the spline
    assert [touch.arc for touch in plan.touches] == sorted(touch.arc for touch in plan.touches)


def test_bad_is_that_of_path_quality_elsewhere_on_the_path(plan: PegPlan) -> None:
    head = np.linspace(1.5, plan.path.length, 97)  # other positions than the plan was judged at
    fresh = path_quality(Travel(REDUCED, GROUND, plan.path, plan.pegs, head), MappingBounds(torque_limit=4.0))
    assert plan.bad <= 0.02
    assert fresh.bad <= 0.05
    touched = (plan.quality.peg_force > 0.1).any(axis=0)
    assert touched[[touch.peg for touch in plan.touches]].mean() > 0.8  # a peg at the very end may stay idle


def test_same_seed_same_plan() -> None:
    environment = Environment(ground=Ground(friction=Isotropic(0.3)), obstacles=field())
    first = plan_path(SNAKE, environment, START, GOAL, seed=1, settings=HASTY)
    again = plan_path(SNAKE, field(), START, GOAL, seed=1, ground=GROUND, settings=HASTY)
    other = plan_path(SNAKE, field(), START, GOAL, seed=2, ground=GROUND, settings=HASTY)
    np.testing.assert_array_equal(again.path.points, first.path.points)
    assert again.touches == first.touches != other.touches


def test_a_field_too_sparse_returns_the_best_and_says_what_is_wrong() -> None:
    one_try = PlanSettings(attempts=1)
    found = plan_path(SNAKE, field(seed=2, spacing=0.42), START, GOAL, ground=GROUND, settings=one_try)
    assert not found.planned
    assert any("the pegs cannot push the robot forward at" in flaw for flaw in found.flaws)


def test_a_torque_limit_too_small_is_a_flaw(plan: PegPlan) -> None:
    weak = plan_path(
        SNAKE, field(), START, GOAL, ground=GROUND, bounds=MappingBounds(torque_limit=0.1),
        settings=HASTY,
    )  # fmt: skip
    assert weak.bad > 0.5 and not weak.planned
    assert not replace(plan, clearance=-0.002).planned and not replace(plan, bend=2.0).planned


def test_motors_without_limits_plan_as_well() -> None:
    strong = PlanarRobot(links=SNAKE.links)
    found = plan_path(strong, field(), START, GOAL, ground=GROUND, settings=HASTY)
    assert found.quality.residual[found.quality.feasible].max() <= 1e-4 and found.bad < 0.5


def test_links_at_pegs_lie_along_the_path(plan: PegPlan) -> None:
    head = plan.quality.head[::8]
    found = peg_angles(REDUCED, plan.path, plan.pegs, head)
    pose = pose_on_path(REDUCED, plan.path, head)
    np.testing.assert_array_equal(found.link_angle, pose.link_angle[found.position, found.link])
    ahead = found.link > 0
    behind = pose.link_angle[found.position[ahead], found.link[ahead] - 1]
    np.testing.assert_array_equal(found.next_link_angle[ahead], behind)
    assert np.isnan(found.next_link_angle[~ahead]).all()
    # A chord of length l on a curve of curvature up to 12 / m is off the tangent by at most asin(12 l / 2).
    assert np.abs(found.difference).max() <= np.arcsin(0.6) + 0.02


def test_on_a_straight_path_links_have_the_tangent() -> None:
    path = Path(np.array([[0.0, 0.0], [3.0, 3.0]]))
    pegs = [Peg(x=1.0 + 0.04, y=1.0 - 0.04, radius=0.02)]
    found = peg_angles(REDUCED, path, pegs, np.array([2.0]))
    np.testing.assert_allclose([found.link_angle, found.tangent], np.pi / 4, atol=1e-9)


def test_links_turned_by_nothing_need_the_torques_of_the_path_and_large_turns_spoil_it() -> None:
    path, pegs = sine()
    head = np.linspace(0.5, 0.7, 40) * path.length
    exact = path_quality(Travel(REDUCED, GROUND, path, pegs, head), MappingBounds(torque_limit=np.inf))
    plain = torques_with_turned_links(REDUCED, GROUND, path, pegs, head, 0.0)
    np.testing.assert_allclose(plain, exact.joint_torque, atol=1e-6)  # the same balance, written twice
    turned = torques_with_turned_links(REDUCED, GROUND, path, pegs, head, -np.radians(50.0))
    assert np.isinf(turned).any()  # flanks of 43 degrees turned flat: no peg pushes on


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Layout(n_angles=0), "layout.n_angles = 0, must be a whole number >= 1"),
        (lambda: Layout(widest=np.nan), "layout.widest = nan, must be finite and > 0"),
        (lambda: Effort(spacing=0.0), "effort.spacing = 0.0, must be finite and > 0"),
        (lambda: Effort(edges=2.5), "effort.edges = 2.5, must be a whole number >= 1"),
        (lambda: Polish(spread=-1.0), "polish.spread = -1.0, must be finite and >= 0"),
        (lambda: PlanSettings(effort=3), "settings.effort = 3, must be an Effort"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(make, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        make()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"environment": []}, "pegs = 0, must be at least one Peg"),
        ({"environment": ["peg"]}, r"environment = \['peg'\], must be an Environment or a .*Peg"),
        ({"environment": Environment(obstacles=[Wall(start=(0, 1), end=(1, 1))])}, r"obstacles\[0\] = a Wall"),
        ({"environment": Environment(obstacles=field())}, "ground = 'frictionless', must be one with friction"),
        ({"environment": field()}, "ground = None, must be given"),
        ({"start": (field()[40].x, field()[40].y)}, "start = .* clear of all pegs by 0.03 m.* inside peg 40"),
        ({"goal": (field()[40].x + 0.04, field()[40].y)}, "goal = .* it is 20 mm from peg 40"),
        ({"goal": (np.nan, 0.0)}, r"goal\[0\] = nan, must be finite"),
        ({"start": (0.0, 0.0, 0.0)}, r"start = \(0.0, 0.0, 0.0\), must be two numbers x, y"),
        ({"goal": (0.35, 0.02)}, "goal = .* more than the robot's length of 1.5 m"),
        ({"seed": -1}, "seed = -1, must be a whole number"),
        ({"robot": "snake"}, "robot = 'snake', must be a PlanarRobot"),
        ({"start": (-9.0, 0.0)}, "start = .* no path as long as the robot"),
        ({"settings": {"attempts": 0}}, "settings.attempts = 0, must be a whole number >= 1"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_sentence(changes: dict, sentence: str) -> None:
    given = {"robot": SNAKE, "environment": field(), "start": START, "goal": GOAL} | changes
    if "environment" not in changes:
        given["ground"] = GROUND
    with pytest.raises(InvalidModel, match=sentence):
        if "settings" in changes:
            given["settings"] = PlanSettings(**changes["settings"])
        plan_path(given.pop("robot"), given.pop("environment"), given.pop("start"), given.pop("goal"), **given)

"""Robots on rails, and whether pegs beside the rails can push them on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracles.newton_euler import cross, link_motion
from pushpoint.errors import InvalidModel
from pushpoint.mapping import MappingBounds, Path, PathQuality, Travel, path_quality, path_solvability, pose_on_path
from pushpoint.mapping.path_quality import touches
from pushpoint.model.environment import Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.reduced import GroundFriction, reduce_robot, smooth_terms

SNAKE = PlanarRobot.uniform(15, PlanarLink(length=0.1, mass=1.0, inertia=1e-3, radius=0.03))
ROBOT = reduce_robot(SNAKE)
UNEVEN = reduce_robot(
    PlanarRobot(links=tuple(PlanarLink(length=l, mass=m, inertia=1e-3, radius=0.03, mass_offset=0.1 * l)
                      for l, m in ((0.1, 1.0), (0.07, 0.5), (0.12, 2.0), (0.09, 0.7), (0.1, 1.3))))
)  # fmt: skip
GROUND = GroundFriction(coefficient=0.3)
BOUNDS = MappingBounds(torque_limit=20.0)
WAVE, PEG = 0.7, 0.02
STEEP = WAVE * np.tan(np.radians(43.0)) / (2 * np.pi)


def sine() -> Path:
    x = np.linspace(-2.0, 5.0, 500)
    return Path(np.column_stack((x, STEEP * np.sin(2 * np.pi * x / WAVE))))


def flank_pegs(friction: float = 0.0) -> list[Peg]:
    """Pegs at the steepest places of the sine, behind the flanks: each pushes forward."""
    pegs = []
    for k in range(-4, 14):
        x, slope = k * WAVE / 2, np.tan(np.radians(43.0)) * (-1) ** k
        right = np.array([slope, -1.0]) / np.hypot(slope, 1.0)
        away = -np.sign(slope) * (SNAKE.links[0].radius + PEG)  # rising flanks: the peg is on the left
        pegs.append(Peg(x=x + away * right[0], y=away * right[1], radius=PEG, friction=friction))
    return pegs


def on_sine(pegs: list[Peg], bounds: MappingBounds = BOUNDS, ground: GroundFriction = GROUND) -> PathQuality:
    path = sine()
    return path_quality(Travel(ROBOT, ground, path, pegs, np.linspace(0.55, 0.75, 60) * path.length), bounds)


def test_arc_length_of_a_circle_and_straight_ends() -> None:
    turn = np.linspace(0.0, np.pi, 200)
    path = Path(np.column_stack((2.0 * np.cos(turn), 2.0 * np.sin(turn))))
    assert path.length == pytest.approx(2.0 * np.pi, rel=1e-8)  # the spline through 200 points
    point, tangent = path.at(np.array([np.pi, -1.0, path.length + 1.0]))
    np.testing.assert_allclose(point[0], [0.0, 2.0], atol=1e-5)
    np.testing.assert_allclose(point[1:], [[2.0, -1.0], [-2.0, -1.0]], atol=1e-5)
    np.testing.assert_allclose(tangent[0], [-1.0, 0.0], atol=1e-5)


def test_two_points_make_a_straight_path() -> None:
    pose = pose_on_path(UNEVEN, Path(np.array([[0.0, 0.0], [3.0, 4.0]])), np.array([2.0]))
    np.testing.assert_allclose(pose.link_angle, np.arctan2(4.0, 3.0), atol=1e-12)
    np.testing.assert_allclose(pose.link_slope, 0.0, atol=1e-12)
    np.testing.assert_allclose(pose.center_slope, [[0.6, 0.8]], atol=1e-12)


def test_joints_lie_on_the_path_and_slopes_are_derivatives() -> None:
    path, head, h = sine(), np.linspace(4.0, 6.0, 7), 1e-5
    pose = pose_on_path(UNEVEN, path, head)
    before, after = pose_on_path(UNEVEN, path, head - h), pose_on_path(UNEVEN, path, head + h)
    # Central differences at 1e-5 m leave about 1e-6; the table of arc lengths as much.
    np.testing.assert_allclose(pose.link_slope, (after.link_angle - before.link_angle) / (2 * h), atol=2e-4)
    np.testing.assert_allclose(pose.center_slope, (after.center - before.center) / (2 * h), atol=2e-4)
    e = np.stack((np.cos(pose.link_angle), np.sin(pose.link_angle)), axis=-1)
    middle = pose.center[:, None, :] + UNEVEN.lever @ e
    joints = middle - UNEVEN.to_rear[:, None] * e
    offset = joints[..., 1] - STEEP * np.sin(2 * np.pi * joints[..., 0] / WAVE)
    np.testing.assert_allclose(offset, 0.0, atol=1e-6)  # m; the spline through 500 points
    front = middle[:, -1] + UNEVEN.to_front[-1] * e[:, -1]
    np.testing.assert_allclose(front, path.at(head)[0], atol=1e-9)


def test_on_a_circle_all_links_turn_alike() -> None:
    turn = np.linspace(0.0, 5.0, 400)
    path = Path(np.column_stack((np.cos(turn), np.sin(turn))))
    pose = pose_on_path(UNEVEN, path, np.array([3.0]))
    np.testing.assert_allclose(pose.link_slope, 1.0, atol=1e-5)  # rad/m: a rigid turn about the middle, radius 1 m


def test_pegs_at_the_flanks_carry_the_robot_and_the_balance_holds_in_the_world() -> None:
    pegs = flank_pegs(friction=0.1)
    found = on_sine(pegs)
    assert found.bad == 0.0 and (found.peg_force >= 0.0).all()
    path = sine()
    pose = pose_on_path(ROBOT, path, found.head)
    contacts, _ = touches(ROBOT, pose, pegs)
    for k in range(0, 60, 7):
        state = replace(
            pose.moving(0.1),
            center=pose.center[k], velocity=0.1 * pose.center_slope[k],
            link_angle=pose.link_angle[k], link_rate=0.1 * pose.link_slope[k],
        )  # fmt: skip
        place, speed = link_motion(SNAKE, state.center, state.velocity, state.link_angle, state.link_rate)
        loads = [(i, place[i], -0.3 * 9.81 * v / np.linalg.norm(v)) for i, v in enumerate(speed)]
        for c in np.flatnonzero(found.peg_link[k] >= 0):
            i, side = found.peg_link[k, c], contacts.side[k, c]
            t = np.array([np.cos(state.link_angle[i]), np.sin(state.link_angle[i])])
            n = np.array([-t[1], t[0]])
            point = place[i] + contacts.along[k, c] * t - side * 0.03 * n
            slip = t @ (speed[i] + state.link_rate[i] * np.array([-(point - place[i])[1], (point - place[i])[0]]))
            loads.append((i, point, found.peg_force[k, c] * (side * n - 0.1 * np.sign(slip) * t)))
        total = sum(force for _, _, force in loads)
        size = 15 * 0.3 * 9.81
        np.testing.assert_allclose(total, 0.0, atol=1e-4 * size)  # N; the share that may stay unbalanced
        for j in range(14):  # cut at joint j: the part ahead is held by the torque alone
            joint = place[j] + 0.05 * np.array([np.cos(state.link_angle[j]), np.sin(state.link_angle[j])])
            moment = sum(cross(point - joint, force) for i, point, force in loads if i > j)
            assert found.joint_torque[k, j] == pytest.approx(-moment, abs=1e-4 * size)  # N m, levers below 1 m


def test_smooth_pegs_cannot_push_a_straight_robot() -> None:
    path = Path(np.array([[-3.0, 0.0], [3.0, 0.0]]))
    pegs = [Peg(x=x, y=0.05 * side, radius=PEG) for x, side in ((-0.2, 1), (0.0, -1), (0.2, 1), (0.4, -1))]
    found = path_quality(Travel(ROBOT, GROUND, path, pegs, np.array([3.9])), BOUNDS)
    assert (found.peg_link >= 0).sum() == 4
    assert found.bad == 1.0
    assert found.residual[0] == pytest.approx(1.0, abs=1e-6)  # nothing of the friction along the path is balanced


def test_removing_the_pegs_of_one_side_spoils_the_path() -> None:
    assert on_sine(flank_pegs()[::2]).bad > 0.9


def test_limits_of_torques_and_forces_count() -> None:
    free = on_sine(flank_pegs())
    worst = np.abs(free.joint_torque).max()
    assert free.bad == 0.0
    assert on_sine(flank_pegs(), MappingBounds(torque_limit=1.01 * worst)).bad == 0.0
    assert on_sine(flank_pegs(), MappingBounds(torque_limit=0.2 * worst)).bad == 1.0
    strongest = free.peg_force.max()
    gentle = on_sine(flank_pegs(), MappingBounds(torque_limit=20.0, force_limit=0.9 * strongest))
    assert (gentle.peg_force[gentle.feasible] <= 0.9 * strongest * (1 + 1e-6)).all()
    assert (gentle.cost >= free.cost * (1 - 1e-6)).all() and gentle.cost.max() > free.cost.min()


def test_rough_ground_and_rough_pegs_cost_more() -> None:
    plain = on_sine(flank_pegs())
    rough = on_sine(flank_pegs(), ground=GroundFriction(coefficient=0.6), bounds=MappingBounds(torque_limit=40.0))
    np.testing.assert_allclose(rough.cost, 4.0 * plain.cost, rtol=1e-3)  # all loads double, so all torques do
    assert on_sine(flank_pegs(friction=0.2)).cost.mean() > plain.cost.mean()


def test_pegs_beyond_the_ends_or_out_of_reach_do_not_touch() -> None:
    pose = pose_on_path(ROBOT, Path(np.array([[0.0, 0.0], [4.0, 0.0]])), np.array([2.0]))  # from x = 0.5 to 2
    pegs = [Peg(x=x, y=y, radius=PEG) for x, y in ((0.48, 0.05), (2.02, 0.05), (1.0, 0.05), (1.0, 0.08), (1.52, -0.05))]
    contacts, touching = touches(ROBOT, pose, pegs)
    np.testing.assert_array_equal(touching[0], [False, False, True, False, True])
    assert contacts.side[0, 2] == -1.0 and contacts.side[0, 4] == 1.0
    assert contacts.link[0, 4] == 10 and contacts.along[0, 4] == pytest.approx(-0.03, abs=1e-9)


def test_ground_friction_alone_has_no_part_of_inertia() -> None:
    # The balance is static: it must not depend on the speed with Coulomb friction.
    path, pegs = sine(), flank_pegs()
    head = np.linspace(0.55, 0.75, 5) * path.length
    slow = path_quality(Travel(ROBOT, GROUND, path, pegs, head, speed=0.01), BOUNDS)
    fast = path_quality(Travel(ROBOT, GROUND, path, pegs, head, speed=1.0), BOUNDS)
    np.testing.assert_allclose(fast.joint_torque, slow.joint_torque, atol=1e-9)
    assert np.abs(smooth_terms(ROBOT, GROUND, pose_on_path(ROBOT, path, head).moving(1.0)).load).max() > 0.1


def test_the_mapping_itself_judges_the_path_as_statics_does() -> None:
    # Holden2014, VI-A: (46) with (39) at every position; at a crawl the accelerations matter little.
    path = sine()
    head = np.linspace(0.55, 0.75, 25) * path.length
    for pegs in (flank_pegs(), flank_pegs()[::2]):
        static = path_quality(Travel(ROBOT, GROUND, path, pegs, head), BOUNDS)
        moving = path_solvability(Travel(ROBOT, GROUND, path, pegs, head, speed=0.01), BOUNDS)
        np.testing.assert_array_equal(moving.feasible, static.feasible)
        assert (moving.solvable | ~moving.feasible).all()  # what is fulfilled has the rank for it


def test_positions_without_pegs_are_not_solvable() -> None:
    path = Path(np.array([[-3.0, 0.0], [3.0, 0.0]]))
    found = path_solvability(Travel(ROBOT, GROUND, path, [Peg(x=50.0, y=0.0, radius=PEG)], np.array([4.0])), BOUNDS)
    assert not found.solvable[0] and not found.feasible[0] and found.bad == 1.0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: on_sine([]), "pegs = 0, must be at least one"),
        (lambda: on_sine(["peg"]), r"pegs\[0\] = 'peg', must be a Peg"),
        (lambda: on_sine(flank_pegs(), ground=GroundFriction()), "ground = 'frictionless', must be one with friction"),
        (lambda: Path(np.zeros((1, 2))), r"path.points: shape = \(1, 2\)"),
        (lambda: Path(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]])),
         r"path.points\[2\] = \[1.0, 0.0\], must be different"),
        (lambda: Path(np.array([[0.0, 0.0], [np.nan, 0.0]])), r"path.points\[1, 0\] = nan, must be finite"),
        (lambda: pose_on_path(ROBOT, sine(), np.array([np.inf])), "= inf, must be finite"),
        (lambda: pose_on_path(ROBOT, Path(0.02 * np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0, 30, 400)])),
                              np.array([0.5])), "path: bend = 'near .* gentle enough for links of 0.1 m"),
        (lambda: Travel(ROBOT, GROUND, sine(), flank_pegs(), np.array([5.0]), speed=0.0), "speed = 0.0"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_sentence(make, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        make()

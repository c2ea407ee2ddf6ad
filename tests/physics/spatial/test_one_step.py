"""One time step of the spatial engine against the dense one of `oracles.spatial_step`, which shares no code with it.

States are taken where the step has a single solution, which both must find. Where it has many (redundant contacts, much
friction), `test_spatial_step_laws` holds the engine to the balance and the inclusions of the step.

The engine keeps joints closed by moving tail, joint angles and centre of mass to the midpoint; the paper's (72) moves
every link by itself. The dense step therefore begins half a step behind the engine's midpoint. What that changes is of
the second order in dt, which is tested too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from oracles.spatial.dense import DenseRobot
from oracles.spatial.engine import TIGHT, engine_start, midpoint, present, stepper_in, way_of
from oracles.spatial.pose import Array, Pose
from oracles.spatial.states import SOFT, mixed_robot, moving_state, pressed_state
from oracles.spatial.step import Way, ground_normal, step, velocity_spread
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.state import SpatialState
from pushpoint.engine.stepper import Stepper
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, Frictionless, Isotropic, Skin
from pushpoint.model.joints import Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot

DT = 1e-3
G = 9.81
N_STATES = 12
CREEP = TIGHT.tolerance * G * DT  # m/s: how far a law may be missed, as a velocity


def short_aiko(axis_distance: float) -> SpatialRobot:
    """The first six links of Aiko."""
    whole = aiko(axis_distance)
    return SpatialRobot(links=whole.links[:6], joints=whole.chain[:5])


def alternating() -> SpatialRobot:
    """Six slim links, yaw and pitch in turn."""
    link = SpatialLink(length=0.1, mass=0.5, inertia=(2e-4, 5e-4, 6e-4), radius=0.04, side_length=0.06)
    return SpatialRobot.uniform(6, link, (Yaw(SOFT), Pitch(SOFT)))


@dataclass(frozen=True, kw_only=True)
class Case:
    """A robot on a ground; below `depth` [m] it lies in it and falls at `speed` [m/s]."""

    robot: SpatialRobot
    ground: Ground = Ground(gravity=G)
    depth: float | None = None
    speed: float = 1.0
    driven: bool = True

    @property
    def dense(self) -> DenseRobot:
        return DenseRobot.of(self.robot)

    def states(self, count: int = N_STATES) -> list[tuple[Pose, Array]]:
        """Random states; pressed ones approach the ground so fast that no contact is led out of it."""
        if self.depth is None:
            high = np.array([0.0, 0.0, 3.0])
            return [(pose.shifted(high), u) for pose, u in (moving_state(self.dense, seed) for seed in range(count))]
        found = []
        for seed in range(count):
            pose, u = pressed_state(self.dense, seed, depth=self.depth)
            normal = ground_normal(self.ground)
            lying = self.dense.put_down(pose, -self.depth, normal)
            found.append((lying, u - self.speed * np.array([*normal, 0.0, 0.0, 0.0])))
        return found

    def reference(self, pose: Pose) -> Array:
        return 0.95 * self.dense.joint_angles(pose)


LITTLE = Isotropic(0.1)
CASES = {
    "free flight": Case(robot=mixed_robot(), driven=False),
    "servos": Case(robot=mixed_robot(Motor(stiffness=800.0, damping=2.0))),
    "axis distance": Case(robot=short_aiko(0.022)),
    "frictionless": Case(robot=short_aiko(0.022), ground=Ground(friction=Frictionless()), depth=0.02),
    "isotropic": Case(robot=short_aiko(0.022), ground=Ground(friction=LITTLE), depth=0.02),
    "elliptic": Case(robot=short_aiko(0.022), ground=Ground(friction=Elliptic(along=0.05, across=0.2)), depth=0.02),
    "skin": Case(
        robot=short_aiko(0.022), ground=Ground(friction=Skin(forward=0.05, backward=0.15, across=0.2)), depth=0.02
    ),
    "rolling and spin": Case(
        robot=short_aiko(0.022), ground=Ground(friction=LITTLE, rolling=0.05, spin=1e-3), depth=0.02
    ),
    "restitution": Case(robot=short_aiko(0.022), ground=Ground(friction=LITTLE, restitution=0.4), depth=0.02),
    "single axes": Case(robot=alternating(), ground=Ground(friction=LITTLE, rolling=0.02), depth=0.015),
    "mixed joints, square link": Case(robot=mixed_robot(), ground=Ground(friction=LITTLE, spin=1e-3), depth=0.01),
    "slope": Case(
        robot=short_aiko(0.022), ground=Ground(friction=LITTLE, rolling=0.02, slope=0.4, slope_direction=2), depth=0.02
    ),
}


def run_step(case: Case, settings: Settings = TIGHT) -> tuple[Stepper, SpatialState, list[Array]]:
    """The stepper after one step from all states of a case, the state before it and the references."""
    states = case.states()
    stepper = stepper_in(
        case.robot,
        Environment(ground=case.ground),
        [engine_start(case.dense, pose, u) for pose, u in states],
        settings,
    )
    references = [case.reference(pose) for pose, _ in states]
    if case.driven:
        stepper.use_command(Command(joint_angle=np.array(references)), 1)
    else:
        stepper.use_command(Command(joint_torque=np.zeros((len(states), case.robot.n_joints))), 1)
    before = stepper.state()
    stepper.advance(1)
    return stepper, before, references


@pytest.mark.parametrize("name", CASES)
def test_both_find_the_one_solution(name: str) -> None:
    case = CASES[name]
    stepper, before, references = run_step(case)
    after, solved = stepper.state(), stepper.totals("unconverged") == 0
    compared, touching = 0, []
    for w in np.flatnonzero(solved):
        u = np.hstack([before.v[w], before.omega[w]])
        mid = midpoint(case.dense, before, w, DT)
        behind, way = mid.advanced(u, -DT / 2), way_of(stepper, case.dense, mid, w)
        wanted = (references[w], np.zeros(case.robot.n_joints)) if case.driven else None
        arguments = {"ground": case.ground, "references": wanted, "way": Way(before.rate[w], *way)}
        try:
            spread = 0.0 if case.depth is None else velocity_spread(case.dense, behind, u, DT, tries=1, **arguments)
        except RuntimeError:  # the dense solver gives up where the engine does not
            continue
        if spread > 1e-10:
            continue
        result = step(case.dense, behind, u, DT, **arguments)
        compared += 1
        touching.append(len(result.active))
        # What a contact misses by r CREEP turns a link by a r/I CREEP, some 60 /m for Aiko's about its long axis; along
        # the short axis of an ellipse the solver measures creep times (0.05/0.2)^2. Without contacts: round-off.
        tolerance = 1e-12 if case.depth is None else 1000 * CREEP
        np.testing.assert_allclose(np.hstack([after.v[w], after.omega[w]]), result.u, rtol=0, atol=tolerance)
        assert np.abs(result.u - u).max() > 1e-3  # m/s: the step changes something
    assert solved.mean() > 0.9 and compared >= N_STATES // 2
    if case.depth is not None:
        assert max(touching) >= 4


def test_paper_midpoint_differs_in_second_order() -> None:
    case = CASES["servos"]
    differences = []
    for dt in (2e-3, 1e-3, 5e-4):
        stepper, before, references = run_step(case, Settings(dt=dt, tolerance=1e-8))
        after, worst = stepper.state(), 0.0
        for w, wanted in enumerate(references):
            (pose, u), mid = present(case.dense, before, w), midpoint(case.dense, before, w, dt)
            told = {
                "references": (wanted, 0.0 * wanted),
                "way": Way(before.rate[w], *way_of(stepper, case.dense, mid, w)),
            }
            result = step(case.dense, pose, u, dt, ground=case.ground, **told)
            worst = max(worst, float(np.abs(result.u - np.hstack([after.v[w], after.omega[w]])).max()))
        differences.append(worst)
    ratios = np.array(differences[:-1]) / np.array(differences[1:])
    np.testing.assert_allclose(ratios, 4.0, atol=0.5)  # the third order's share is some w dt = 0.1 at 2 ms

"""Boxes, their edges and corners against links: no nose of a step passes between the spheres of a link.

The oracle is the distance between two convex bodies as a bounded least-squares problem, solved by SciPy: the nearest
points of a capsule's axis (or of a square link's core) and of the box.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

from oracles.controllers import Always
from oracles.spatial.engine import Contact, contacts, stepper_in
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.engine.stepper import Stepper
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.joints import Cardan
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box, Stairs
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

G, DT = 9.81, 1e-3
RADIUS, HALF = 0.03, 0.15
WEIGHTLESS = Ground(gravity=0.0)


def rod(radius: float = RADIUS) -> SpatialRobot:
    """One long round link."""
    link = SpatialLink(length=2 * HALF, mass=1.0, inertia=(5e-4, 8e-3, 8e-3), radius=radius)
    return SpatialRobot(links=(link,), joints=())


def bar() -> SpatialRobot:
    """One long square link."""
    link = SpatialLink(length=0.3, mass=1.0, inertia=(2e-3, 8e-3, 8e-3), radius=0.03, side_length=0.28, shape="square")
    return SpatialRobot(links=(link,), joints=())


def nearest_points(center: np.ndarray, spans: np.ndarray, box: Box) -> tuple[np.ndarray, np.ndarray]:
    """Nearest points of center + sum s_k spans_k with |s_k| <= 1 and of a box, shape (3,) each [m]."""
    half, R = np.array(box.size) / 2, box.rotation
    A = np.hstack([spans.T, -R])
    bounds = np.concatenate([np.ones(len(spans)), half])
    x = lsq_linear(A, np.array(box.center) - center, (-bounds, bounds), method="bvls", tol=1e-15).x
    return center + x[: len(spans)] @ spans, np.array(box.center) + R @ x[len(spans) :]


CORES = {
    "round": (rod(), RADIUS, np.diag([HALF, 0.0, 0.0])[:1]),
    "square": (bar(), 0.003, np.diag([0.14, 0.027, 0.027])),
}
"""A link, the radius by which its core is rounded [m], and half the edges of that core in the link's axes [m]."""


def pressed(random: np.random.Generator, shape: str, depth: float) -> tuple[np.ndarray, Rotation, np.ndarray]:
    """Centre and turn of a link that is `depth` deep in BOX, with the normal there toward the link."""
    _, rounding, core = CORES[shape]
    while True:
        turn = Rotation.random(rng=random)
        center = np.array(BOX.center) + random.uniform(-0.25, 0.25, 3)
        p, q = nearest_points(center, turn.apply(core), BOX)
        distance = float(np.linalg.norm(p - q))
        if distance > 1e-3:
            n = (p - q) / distance
            return center + (rounding - depth - distance) * n, turn, n


def start_at(center: np.ndarray, turn: Rotation, v: np.ndarray, omega: np.ndarray) -> dict[str, np.ndarray]:
    """In the words of `SpatialStart.pose`; omega in the link's axes."""
    none = np.zeros(0)
    tail = turn.as_quat(scalar_first=True)
    return {"center": center, "tail": tail, "angle": none, "rate": none, "v": v[None], "omega": omega[None]}


BOX = Box(center=(0.0, 0.0, 5.0), size=(0.2, 0.12, 0.08), yaw=0.4, pitch=0.3, roll=-0.2)


@pytest.fixture(scope="module", params=CORES)
def touching(request: pytest.FixtureRequest) -> tuple[Stepper, list[np.ndarray]]:
    """Links in random poses, pressed 0.1 mm into a tilted box, after their first step, and the normals there."""
    random = np.random.default_rng(1)
    poses = [pressed(random, request.param, 1e-4) for _ in range(200)]
    rest = [start_at(center, turn, np.zeros(3), np.zeros(3)) for center, turn, _ in poses]
    place = Environment(ground=WEIGHTLESS, obstacles=[BOX])
    stepper = stepper_in(CORES[request.param][0], place, rest)
    stepper.advance(1)
    return stepper, [n for _, _, n in poses]


class TestGeometry:
    def test_depth_is_that_of_the_convex_bodies(self, touching: tuple[Stepper, list[np.ndarray]]) -> None:
        np.testing.assert_allclose(touching[0].totals("penetration"), 1e-4, rtol=0, atol=1e-9)  # m: SciPy's accuracy

    def test_a_contact_has_their_normal(self, touching: tuple[Stepper, list[np.ndarray]]) -> None:
        stepper, normals = touching
        found: list[list[Contact]] = [[] for _ in normals]
        for contact in contacts(stepper):
            found[contact.world].append(contact)
        features = set()
        for mine, n in zip(found, normals, strict=True):
            best = max(mine, key=lambda contact: contact.normal @ n)
            np.testing.assert_allclose(best.normal, n, rtol=0, atol=1e-6)  # SciPy's accuracy over 30 mm
            features.add(best.feature)
        assert len(features) > 15  # spheres, edges and corners all take part

    def test_square_link_edge_on_edge(self) -> None:
        # The bar's long edge lies across the box's: both are turned about the axis that they share as their normal.
        box = Box(center=(0.0, 0.0, 5.0), size=(0.2, 0.2, 0.2), roll=np.pi / 4)  # a ridge along x
        ridge = 5.0 + 0.1 * np.sqrt(2)
        corner = 0.003 + (0.03 - 0.003) * np.sqrt(2)  # axis to the surface over a rounded edge, below the bar
        turn = Rotation.from_euler("ZYX", [1.2, 0.0, np.pi / 4])
        center = np.array([0.01, 0.0, ridge + corner - 1e-4])
        stepper = stepper_in(
            bar(), Environment(ground=WEIGHTLESS, obstacles=[box]), [start_at(center, turn, np.zeros(3), np.zeros(3))]
        )
        stepper.advance(1)
        (contact,) = contacts(stepper)
        np.testing.assert_allclose(contact.normal, [0.0, 0.0, 1.0], atol=1e-12)  # across both edges
        np.testing.assert_allclose(contact.point, [0.01, 0.0, ridge - 1e-4], atol=1e-9)
        assert stepper.totals("penetration")[0] == pytest.approx(1e-4, abs=1e-9)


HOLD = Always(Command())


def rail(x: float, thickness: float) -> Box:
    """An upright wall across x, 0.1 m high."""
    return Box(center=(x, 0.0, 0.05), size=(thickness, 0.4, 0.1), friction=0.3)


class TestStatics:
    @pytest.mark.parametrize("heading", [0.0, 0.3])
    @pytest.mark.parametrize("robot", [rod(), bar()], ids=["round", "square"])
    def test_beam_on_two_knife_edges(self, robot: SpatialRobot, heading: float) -> None:
        rails = [rail(-0.1, 1e-4), rail(0.05, 1e-4)]
        run = simulate(
            robot, Environment(obstacles=rails), HOLD, duration=0.3, settings=Settings(tolerance=1e-6),
            start=SpatialStart(heading=heading, position=(0.0, 0.0, 0.13)),
        )  # fmt: skip
        # The lever rule, whatever the heading; a knife is 0.1 mm thick on 50 mm.
        np.testing.assert_allclose(run.obstacle_load.values[-1], [G * 0.05 / 0.15, G * 0.1 / 0.15], rtol=2e-3)
        assert run.obstacle_load.values[-1].sum() == pytest.approx(G, rel=1e-6)  # the tolerance
        np.testing.assert_allclose(run.center_of_mass.values[-1], [0.0, 0.0, 0.13], atol=1e-6)  # m: it stays

    def test_leans_on_a_nose(self) -> None:
        # The rear sphere on the ground, the nose of the step between the spheres.
        step = Box(center=(0.5, 0.0, 0.05), size=(0.6, 0.4, 0.1), friction=0.8)
        forward, upward = np.array([np.cos(0.6), 0.0, np.sin(0.6)]), np.array([-np.sin(0.6), 0.0, np.cos(0.6)])
        over = np.array([0.2, 0.0, 0.1]) + RADIUS * upward
        share = (over[2] - RADIUS) / forward[2]  # m: from the rear sphere along the axis to the nose
        assert 0.1 < share < 0.2
        start = SpatialStart(
            orientation=Rotation.from_euler("y", -0.6).as_quat(scalar_first=True),
            position=over - (share - HALF) * forward,
        )
        place = Environment(ground=Ground(friction=Isotropic(0.8)), obstacles=[step])
        run = simulate(rod(), place, HOLD, start=start, duration=1.0, settings=Settings(tolerance=1e-6))
        np.testing.assert_allclose(run.center_of_mass.values[-1], start.position, rtol=0, atol=1e-6)  # m: it stays
        # Forces of the nose and of the ground balance the weight and each other's moment about the centre of mass.
        nose, ground = run.obstacle_force.values[-1, 0], run.ground_force.values[-1, 0]
        np.testing.assert_allclose(nose + ground, [0.0, 0.0, G], rtol=0, atol=1e-5 * G)
        at = [over - RADIUS * upward, over - share * forward - [0.0, 0.0, RADIUS]]
        moment = sum(np.cross(p - np.array(start.position), f) for p, f in zip(at, (nose, ground), strict=True))
        np.testing.assert_allclose(moment, 0.0, atol=1e-5)  # N m: tolerance times weight times 0.15 m
        assert nose @ upward > 0.2 * G

    def test_normal_on_a_nose_is_square_to_edge_and_link(self) -> None:
        turn = Rotation.from_euler("ZY", [0.5, -0.4])
        forward = turn.apply([1.0, 0.0, 0.0])
        n = np.cross(forward, [0.0, 1.0, 0.0])
        n = n / np.linalg.norm(n) * np.sign(n[2])
        step = Box(center=(0.3, 0.0, 4.95), size=(0.6, 1.0, 0.1))
        center = np.array([0.0, 0.1, 5.0]) + (RADIUS - 1e-5) * n + 0.06 * forward
        stepper = stepper_in(
            rod(), Environment(ground=WEIGHTLESS, obstacles=[step]), [start_at(center, turn, np.zeros(3), np.zeros(3))]
        )
        stepper.advance(1)
        (contact,) = contacts(stepper)
        np.testing.assert_allclose(contact.normal, n, rtol=0, atol=1e-12)
        np.testing.assert_allclose(contact.point, [0.0, 0.1, 5.0] - 1e-5 * n, rtol=0, atol=1e-12)


class TestImpacts:
    @pytest.mark.parametrize("speed", [0.0, 1.0, 3.0])
    @pytest.mark.parametrize("robot", [rod(), bar()], ids=["round", "square"])
    def test_nose_stops_what_falls_on_it(self, robot: SpatialRobot, speed: float) -> None:
        place = Environment(ground=Ground(friction=Isotropic(0.5)), obstacles=[rail(0.0, 0.04)])
        run = simulate(
            robot, place, HOLD, duration=1.0, record=Record(rate=1 / DT),
            start=SpatialStart(heading=0.4, position=(0.0, 0.0, 0.15), velocity=(0.0, 0.0, -speed)),
        )  # fmt: skip
        fastest = np.hypot(speed, np.sqrt(2 * G * 0.02))
        assert float(run.penetration.max()) < fastest * DT + 1e-3  # m, required
        assert run.center_of_mass.values[-1, 2] == pytest.approx(0.13, abs=1e-4)  # led out at 5 mm/s, 3 mm at most
        assert np.abs(run.link_velocity.values[-1]).max() < 1e-3  # balanced on its middle, where it fell

    def test_upright_edge_is_a_peg_without_a_radius(self) -> None:
        # Rods that hit the edge of a box that stands upright, and a peg inside the edge with their surfaces in common.
        random = np.random.default_rng(2)
        box = Box(
            center=(0.1 * np.sqrt(2), 0.0, 5.0), size=(0.2, 0.2, 1.0), yaw=np.pi / 4, friction=0.3, restitution=0.4
        )
        starts = []
        for _ in range(40):
            turn = Rotation.from_euler("Z", np.pi / 2 + random.uniform(-0.5, 0.5))
            forward = turn.apply([1.0, 0.0, 0.0])
            n = np.array([-forward[1], forward[0], 0.0])
            center = np.array([0.0, 0.0, 5.0]) + (RADIUS - 2e-4) * n + random.uniform(-0.12, 0.12) * forward
            v = np.array([*random.normal(scale=0.3, size=2), 0.0]) - 1.0 * n
            starts.append(start_at(center, turn, v, np.array([0.0, 0.0, random.normal()])))

        def after(obstacle: Box | Peg) -> np.ndarray:
            stepper = stepper_in(rod(), Environment(ground=WEIGHTLESS, obstacles=[obstacle]), starts)
            stepper.advance(1)
            assert {contact.world for contact in contacts(stepper)} == set(range(40))
            state = stepper.state()
            return np.concatenate([state.v, state.omega], axis=-1)

        edge = after(box)
        differences = []
        for radius in (8e-4, 4e-4, 2e-4):
            peg = Peg(x=radius, y=0.0, radius=radius, friction=0.3, restitution=0.4)
            differences.append(float(np.abs(after(peg) - edge).max()))
        np.testing.assert_allclose(np.array(differences[:-1]) / differences[1:], 2.0, atol=0.05)  # first order
        assert (
            differences[-1] < 1.4 * 1.5 / 8e-3 * 2e-4
        )  # rad/s: (1 + e) m v/I = 1.4 x 1.5/8e-3 per shift of the contact


class TestStairs:
    def test_robot_thrown_on_stairs_comes_to_rest_on_them(self) -> None:
        stairs = Stairs(foot=(0.0, 0.0), steps=4, rise=0.06, run=0.15, friction=0.8)
        robot = aiko()
        limp = replace(robot, joints=Cardan(yaw=Motor(damping=0.05), pitch=Motor(damping=0.05)))
        start = SpatialStart(heading=0.2, position=(0.3, 0.0, 0.45))
        place = Environment(ground=Ground(friction=Isotropic(0.8), rolling=0.05), obstacles=[stairs])
        run = simulate(limp, place, HOLD, start=start, duration=2.0)
        fastest = float(np.abs(run.link_velocity).max())
        assert float(run.penetration.max()) < fastest * DT + 1e-3  # m, required
        assert np.abs(run.link_velocity.values[-1]).max() < 0.02  # m/s
        assert run.sizes["obstacle"] == 1  # stairs count as one
        load = float(run.obstacle_load.values[-1, 0])
        assert load > 0.3 * robot.mass * G
        carried = (run.obstacle_force + run.ground_force).sum("link").values[-20:, 2].mean()
        assert carried == pytest.approx(robot.mass * G, rel=0.02)  # what still moves has m dv/dt
        half = robot.links[0].side_length / 2
        gaps = []
        for place_, turn in zip(run.link_position.values[-1], run.link_orientation.values[-1], strict=True):
            axis = half * Rotation.from_quat(turn, scalar_first=True).apply([[1.0, 0.0, 0.0]])
            for box in stairs.boxes:
                p, q = nearest_points(place_, axis, box)
                gaps.append(float(np.linalg.norm(p - q)) - robot.links[0].radius)
        assert min(gaps) > -1e-4  # m: nothing is inside a step, between the spheres or at them
        assert sum(gap < 1e-4 for gap in gaps) >= 5  # and several links lie on noses and treads


class TestPassedWithinAStep:
    @pytest.mark.parametrize("above", np.linspace(0.0, 8e-3, 9).tolist())
    def test_thin_edge_of_a_link_is_led_back_over_the_edge_that_it_has_passed(self, above: float) -> None:
        """At 4 m/s and 2 ms the edge of a square link, 3 mm round, passes that of a rail between two midpoints."""
        lowest = 0.03 * np.sqrt(2) - 0.003 * (np.sqrt(2) - 1)  # m: of a bar that stands on its edge, below its middle
        start = SpatialStart(
            orientation=Rotation.from_euler("x", 45, degrees=True).as_quat(scalar_first=True),
            position=(0.0, 0.0, 0.1 + lowest + 0.01 + above),
            velocity=(0.0, 0.0, -4.0),
        )
        place = Environment(ground=Ground(friction=Isotropic(0.3)), obstacles=[rail(0.0, 0.02)])
        run = simulate(bar(), place, HOLD, start=start, duration=0.04, settings=Settings(dt=2e-3))
        assert float(run.penetration.max()) < 4.1 * 2e-3 + 1e-3  # m: what a step of the fall can make, and 1 mm
        assert float(run.center_of_mass.values[-1, 2]) > 0.1 + lowest - 0.01  # m: it lies on the rail


class TestAxisOnAnEdge:
    @pytest.mark.parametrize("heading", [0.0, 0.3, np.pi])
    def test_a_link_whose_axis_crosses_an_edge_is_led_out_between_its_faces(self, heading: float) -> None:
        # Its distance from the edge is exactly zero, and has no direction.
        link = SpatialLink(length=0.3, mass=1.0, inertia=(5e-4, 8e-3, 8e-3), radius=0.03)
        box = Box(center=(0.0, 0.0, 0.125), size=(0.5, 0.5, 0.25))  # powers of two: crossing is exact
        turn = np.array([np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)])
        still = np.zeros((1, 3))
        pose = {"center": np.array([0.25, 0.0, 0.25]), "tail": turn, "angle": np.zeros(0), "rate": np.zeros(0)}
        place = Environment(ground=Ground(gravity=0.0), obstacles=[box])
        robot = SpatialRobot(links=(link,), joints=())
        stepper = stepper_in(robot, place, [pose | {"v": still, "omega": still}], Settings(dt=1e-3))
        stepper.advance(20)
        state = stepper.state()
        assert stepper.statuses() == [Status.RUNNING]
        assert np.isfinite(state.center).all() and np.isfinite(state.v).all()
        assert state.center[0, 2] > 0.25

"""Force mapping beside shape propagation on the same course: how near to the path, how hard, with which torques.

Shape propagation is the usual way through pegs: servos follow the joint angles of the body on its path. Both were tuned
by one rule on the course of holden2014_course with the robot of fifteen links: of the gains tried, those with the least
squared torque that keep the speed within 5 % and the links within 0.05 rad of the path, at 100 Hz. Tried were
TUNING_GRID for the servos, and (400, 40), (200, 40), (200, 30), (150, 40), (100, 40), (100, 20) and (30, 20) for the
mapping. Where pegs are not where they are thought to be, softer servos push less hard than stiff ones, and stray more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.control.force_mapping_controller import RailGains, reduced
from pushpoint.engine.settings import Settings
from pushpoint.mapping.rails.path import Path
from pushpoint.mapping.rails.table import lay_rails
from pushpoint.model.checks import members
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.holden2014.courses import flank_pegs
from pushpoint.reduced.friction import GroundFriction
from pushpoint.reduced.smooth import smooth_terms
from pushpoint.reduced.state import ReducedState
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray as xr

GROUND_FRICTION = 0.2
"""Of the course for the robot of fifteen links [-]."""
STIFFNESSES = (5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0)
"""Tried for the servos of shape propagation [N m/rad]."""
DAMPING_TIMES = (0.005, 0.01, 0.02, 0.05)
"""Damping over stiffness, tried with each [s]."""
TUNING_GRID = tuple((p, p * d) for p in STIFFNESSES for d in DAMPING_TIMES)
"""Stiffness [N m/rad] and damping [N m s/rad]; tuned: (80, 4), which the motors of fifteen_links have."""
TUNED_MAPPING = RailGains(stiffness=100.0, damping=20.0)
"""The gains of the mapping by the same rule."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tracking:
    """A run along a path, sample by sample."""

    time: np.ndarray
    """Time [s], shape (n_samples,)."""
    head: np.ndarray
    """Arc length of the head's front end, where the body on the path is nearest [m], shape (n_samples,)."""
    center_error: np.ndarray
    """Distance of the centre of mass from that of the body on the path [m], shape (n_samples,)."""
    shape_error: np.ndarray
    """Largest difference between a link's angle and that on the path [rad], shape (n_samples,)."""
    joint_torque: np.ndarray
    """Motor torques, means over a sample [N m], shape (n_samples, n_joints)."""
    peg_force: np.ndarray
    """Normal force on every peg, means over a sample [N], shape (n_samples, n_pegs)."""

    @property
    def advance(self) -> float:
        """Way of the head along the path [m]."""
        return float(self.head[-1] - self.head[0])

    @property
    def squared_torque(self) -> float:
        """Mean sum of squared torques [(N m)^2]."""
        return float(np.square(self.joint_torque[1:]).sum(axis=1).mean())

    @property
    def summary(self) -> dict[str, float]:
        """The figures by which runs are compared; a name ends in its unit."""
        return {
            "advance_m": self.advance,
            "speed_after_2_s_m_per_s": self.speed(2.0),
            "center_error_mm": 1e3 * float(self.center_error.max()),
            "shape_error_rad": float(self.shape_error.max()),
            "squared_torque_N2m2": self.squared_torque,
            "largest_torque_Nm": float(np.abs(self.joint_torque[1:]).max()),
            "peak_peg_force_N": float(self.peg_force[1:].max()),
        }

    def speed(self, since: float) -> float:
        """Mean speed of the head along the path from a time on [m/s]."""
        k = int(np.searchsorted(self.time, since))
        return float((self.head[-1] - self.head[k]) / (self.time[-1] - self.time[k]))


def tracking(run: xr.Dataset, robot: PlanarRobot, controller: Any) -> Tracking:
    """What became of one world whose controller has a path and a head to start from."""
    rails = lay_rails(reduced(robot), controller.path)
    head = robot.length if controller.head is None else controller.head
    angle, center = run.link_angle.values, run.center_of_mass.values
    heads, errors = np.empty(len(angle)), np.empty((len(angle), robot.n_links + 2))
    for k, (theta, p) in enumerate(zip(angle, center, strict=True)):
        rest = ReducedState(center=p, velocity=np.zeros(2), link_angle=theta, link_rate=np.zeros(len(theta)))
        M = smooth_terms(rails.robot, GroundFriction(), rest).mass_matrix
        q = np.concatenate((theta, p))
        head = rails.fit(q, M, head, 3 if k else 30)
        heads[k], errors[k] = head, rails.error(q, head)
    return Tracking(
        time=run.time.values,
        head=heads,
        center_error=np.linalg.norm(errors[:, -2:], axis=1),
        shape_error=np.abs(errors[:, :-2]).max(axis=1),
        joint_torque=run.joint_torque.values,
        peg_force=run.obstacle_load.values,
    )


def course(robot: PlanarRobot, *, ground: float = GROUND_FRICTION, **pegs: float) -> Environment:
    """The sine course for a robot; further arguments are those of flank_pegs."""
    radius = float(robot.column("radius").max())
    return Environment(ground=Ground(friction=Isotropic(ground)), obstacles=flank_pegs(radius, **pegs))


def disturbed(environment: Environment, path: Path, amplitude: float, seed: int, clear: float) -> Environment:
    """The pegs shifted away from the path or toward it by up to an amplitude [m], up to an x of `clear` [m] only away.

    So the robot at its start, which lies before `clear`, is not hit.
    """
    rng = np.random.default_rng(seed)
    points = path.at(np.linspace(0.0, path.length, 2000))[0]
    pegs = []
    for peg in members("environment.obstacles", environment.obstacles, Peg, "a Peg"):
        place = np.array((peg.x, peg.y))
        away = place - points[np.argmin(np.linalg.norm(points - place, axis=1))]
        shift = rng.uniform(0.0 if peg.x < clear else -amplitude, amplitude)
        x, y = (place + shift * away / np.linalg.norm(away)).tolist()
        pegs.append(replace(peg, x=x, y=y))
    return replace(environment, obstacles=tuple(pegs))


def drive(
    robots: Sequence[PlanarRobot],
    controllers: Sequence[Any],
    environment: Environment | Sequence[Environment],
    duration: float = 20.0,
) -> list[Tracking]:
    """Runs side by side, in one environment or each in its own.

    The controllers are of one kind and rate and know where their robots start: those of paths do.
    """
    places = [environment] * len(robots) if isinstance(environment, Environment) else environment
    worlds = [
        World(robot, place, controller, controller.start(robot))
        for robot, place, controller in zip(robots, places, controllers, strict=True)
    ]
    # Forces of rigid contacts have peaks as high as the time step is short: what is compared are means over 10 ms.
    variables = ("link_angle", "center_of_mass", "joint_torque", "obstacle_load")
    run = simulate(
        worlds,
        duration=duration,
        settings=Settings(on_failure="record"),
        record=Record(rate=100.0, variables=variables),
    )
    return [
        tracking(run.isel(world=w), robot, controller)
        for w, (robot, controller) in enumerate(zip(robots, controllers, strict=True))
    ]


def tune_propagation(
    robot: PlanarRobot, controller: Any, environment: Environment, grid: Sequence[tuple[float, float]] = TUNING_GRID
) -> list[tuple[float, float, Tracking]]:
    """Shape propagation with every pair of gains: stiffness [N m/rad], damping [N m s/rad] and what became of it."""
    limit = float(robot.motor_column("torque_limit").min())
    robots = [replace(robot, motors=Motor(stiffness=p, damping=d, torque_limit=limit)) for p, d in grid]
    found = drive(robots, [controller] * len(grid), environment)
    return [(p, d, one) for (p, d), one in zip(grid, found, strict=True)]

"""Force mapping in a closed loop: the robot pushes itself along a path through pegs.

The robot is a train on rails (Holden2014, VI-A): its joints belong on the path, one link apart, so that the arc length
of its head says where every link should be. At every command that arc length is fitted to the measured pose, and the
force mapping is asked for the accelerations

    q_ddot = q' (k_v (v_d - v) + I) + q'' v^2 - k_p (q - q_ref) - k_d (q_dot - q' v),    I_dot = k_i (v_d - v),

with v the speed along the rails, v = q'^T M q_dot / q'^T M q', and v_d falling to zero at the end of the path. The
links behind a peg turn in time to take it over, as the path itself prepares them. I makes up for friction that is not
known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from pushpoint.control.force_mapping_contacts import ContactRule, along_the_way, felt_contacts
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.mapping.bounds import MappingBounds
from pushpoint.mapping.rails.mapping import RailCosts, RailSolution, build_rail_mapping, solve_rail_mapping
from pushpoint.mapping.rails.path import Path
from pushpoint.mapping.rails.table import Rails, lay_rails
from pushpoint.model.checks import instance, members, non_negative, positive, store
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.friction import GroundFriction
from pushpoint.reduced.robot import ReducedRobot, reduce_robot
from pushpoint.reduced.smooth import smooth_terms
from pushpoint.reduced.state import ReducedState

FIRST_FIT = 30
"""Steps of the first fit, for which nothing is known but about where the head is [-]."""
BRAKING = 1.0
"""Speed per distance to the end of the path, where the robot stops [1/s]."""


@dataclass(frozen=True, kw_only=True)
class RailGains:
    """Gains of the law above."""

    stiffness: float = 400.0
    """k_p of the pose [1/s^2]."""
    damping: float = 40.0
    """k_d of the pose [1/s]."""
    speed: float = 10.0
    """k_v of the speed along the rails [1/s]."""
    integral: float = 10.0
    """k_i of the speed along the rails [1/s^2]."""
    most: float = 5.0
    """Largest acceleration that the integral gathers, either way [m/s^2]."""

    def __post_init__(self) -> None:
        store(
            self,
            stiffness=positive("gains.stiffness", self.stiffness, "1/s^2"),
            damping=positive("gains.damping", self.damping, "1/s"),
            speed=positive("gains.speed", self.speed, "1/s"),
            integral=non_negative("gains.integral", self.integral, "1/s^2"),
            most=non_negative("gains.most", self.most, "m/s^2"),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Plant:
    """What the controller knows of one world."""

    robot: ReducedRobot
    rails: Rails
    pegs: tuple[Peg, ...]
    ground: GroundFriction
    bounds: MappingBounds


@dataclass(frozen=True, kw_only=True, eq=False)
class RailMemory:
    """What the controller remembers of one world, and what it found last."""

    plant: _Plant
    """What it knows of the world."""
    head: float
    """Arc length of the head's front end along the path [m]."""
    gathered: float = 0.0
    """The integral, I [m/s^2]."""
    pose: np.ndarray | None = None
    """Pose at the last command, q = (theta, p) [rad, then m]; None before the first."""
    speed: float = 0.0
    """Speed along the rails [m/s]."""
    contacts: Contacts | None = None
    """Contacts of the last mapping."""
    solution: RailSolution | None = None
    """Its solution."""
    failures: int = 0
    """Mappings so far that were not solved, or not in their own form as contacts depended on each other [-]."""


@dataclass(frozen=True, kw_only=True)
class ForceMappingController:
    """Pushes a robot along a path through pegs with joint torques; it reads pose, joint rates and touch."""

    path: Path
    """Where the robot should go."""
    pegs: Sequence[Peg] | None = None
    """Where the pegs are, as far as known, and their friction; default: those of the environment."""
    ground: GroundFriction | None = None
    """Friction of the ground, as far as known; default: that of the environment."""
    speed: float = 0.1
    """Speed of the head along the path, v_d [m/s]."""
    head: float | None = None
    """Arc length of the head's front end at the start, about [m]; default: the robot's length."""
    rate: float = 100.0
    """Commands per second [Hz]."""
    gains: RailGains = RailGains()
    """How errors are answered."""
    bounds: MappingBounds | None = None
    """Largest torques and peg forces; default: torques of the motors, any peg force."""
    costs: RailCosts = RailCosts()  # noqa: RUF009
    """Costs and form of the mapping."""
    contacts: ContactRule = ContactRule()  # noqa: RUF009
    """Which pegs are pushed on."""
    free_link_weight: float = 1.0
    """Weight of links that are neither at a peg, nor next to take one over, nor the head [-]; the others have 1."""
    soft_start: float = 0.5
    """Time in which the speed and the push against the ground's friction grow from nothing [s]."""
    needs_pose: bool = True
    """It reads where the robot is."""

    def __post_init__(self) -> None:
        instance("controller.path", self.path, Path, "a Path")
        if self.pegs is not None:
            store(self, pegs=members("controller.pegs", self.pegs, Peg, "a Peg"))
        for name, kind in (("gains", RailGains), ("costs", RailCosts), ("contacts", ContactRule)):
            instance(f"controller.{name}", getattr(self, name), kind, f"a {kind.__name__}")
        store(
            self,
            speed=positive("controller.speed", self.speed, "m/s"),
            rate=positive("controller.rate", self.rate, "Hz"),
            soft_start=non_negative("controller.soft_start", self.soft_start, "s"),
            free_link_weight=non_negative("controller.free_link_weight", self.free_link_weight, "-"),
        )
        if self.head is not None:
            store(self, head=non_negative("controller.head", self.head, "m"))

    def start(self, robot: PlanarRobot) -> Start:
        """A robot at rest on the path."""
        return lay_rails(reduced(robot), self.path).start(self._first(robot))

    def _first(self, robot: PlanarRobot) -> float:
        return robot.length if self.head is None else self.head

    def init(self, robot: PlanarRobot, environment: Environment) -> np.ndarray:
        """Memory of one world: a RailMemory."""
        pegs = self.pegs
        if pegs is None:
            pegs = members("environment.obstacles", environment.obstacles, Peg, "a Peg, for a force mapping")
        if not pegs:
            raise InvalidModel("controller.pegs", 0, "at least one: without a peg there is nothing to push against")
        model = reduced(robot)
        rails = lay_rails(model, self.path)
        plant = _Plant(
            robot=model,
            rails=rails,
            pegs=along_the_way(rails, pegs, self.contacts.reach),
            ground=self.ground or GroundFriction.of(environment.ground),
            bounds=self.bounds or MappingBounds(torque_limit=robot.motor_column("torque_limit")),
        )
        return _boxed(RailMemory(plant=plant, head=self._first(robot)))

    def command(self, t: np.ndarray, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """The torques of the force mapping, world by world."""
        kept = np.empty(len(t), dtype=object)
        for w in range(len(t)):
            kept[w] = self._step(float(t[w]), _Seen.of(measurement, w), memory[w])
        return Command(joint_torque=np.stack([one.solution.joint_torque for one in kept])), kept

    def _step(self, t: float, seen: _Seen, memory: RailMemory) -> RailMemory:
        """One command for one world; the torques are those of the solution that it remembers."""
        plant = memory.plant
        robot, rails = plant.robot, plant.rails
        state = seen.state(memory.pose, self.rate)
        q, q_dot = seen.q, np.concatenate((state.link_rate, state.velocity))
        M = smooth_terms(robot, _FRICTIONLESS, state).mass_matrix
        head = rails.fit(q, M, memory.head, FIRST_FIT if memory.pose is None else 3)
        on_path, slope, bend = rails.at(head)
        pull = M @ slope
        speed = float(pull @ q_dot) / float(pull @ slope)
        share = ramp(t, self.soft_start)
        g, lag = self.gains, min(share * self.speed, BRAKING * (self.path.length - head)) - speed
        gathered = min(max(memory.gathered + g.integral * lag / self.rate, -g.most), g.most)
        wish = slope * (g.speed * lag + gathered) + bend * speed**2
        wish -= g.stiffness * rails.error(q, head) + g.damping * (q_dot - slope * speed)
        contacts = felt_contacts(robot, plant.pegs, self.contacts, on_path, q, seen.force)
        # Friction acts against the motion that is wanted: against the measured one it would vanish at rest.
        going = ReducedState(
            center=q[-2:], link_angle=q[:-2], velocity=self.speed * slope[-2:], link_rate=self.speed * slope[:-2]
        )
        ground = plant.ground if share == 1.0 else replace(plant.ground, gravity=share * plant.ground.gravity)
        weight = self._link_weights(robot.n_links, contacts)
        known = (robot, ground, going, contacts, wish, plant.bounds)
        try:
            problem, refused = build_rail_mapping(*known, self.costs, weight), False
        except InvalidModel:  # contacts that depend on each other, which only the eliminated form minds
            problem, refused = build_rail_mapping(*known, replace(self.costs, form="free"), weight), True
        solution = solve_rail_mapping(problem)
        return RailMemory(
            plant=plant,
            head=head,
            gathered=gathered,
            pose=q,
            speed=speed,
            contacts=contacts,
            solution=solution,
            failures=memory.failures + (refused or not solution.solved),
        )

    def _link_weights(self, n_links: int, contacts: Contacts) -> np.ndarray | None:
        if self.free_link_weight == 1.0:
            return None
        weight = np.full(n_links, self.free_link_weight)
        weight[contacts.link] = weight[np.maximum(contacts.link - 1, 0)] = weight[-1] = 1.0
        return weight


def ramp(t: float, duration: float) -> float:
    """Grows smoothly from 0 to 1 in a duration [s]."""
    s = min(t / duration, 1.0) if duration > 0.0 else 1.0
    return s * s * (3.0 - 2.0 * s)


_FRICTIONLESS = GroundFriction()


@dataclass(frozen=True, eq=False)
class _Seen:
    """What is measured of one world."""

    q: np.ndarray
    joint_rate: np.ndarray
    force: np.ndarray

    @staticmethod
    def of(measurement: Measurement, w: int) -> _Seen:
        assert measurement.link_angle is not None and measurement.center_of_mass is not None  # needs_pose
        return _Seen(
            np.concatenate((measurement.link_angle[w], measurement.center_of_mass[w])),
            measurement.joint_rate[w],
            measurement.contact_normal_force[w],
        )

    def state(self, last: np.ndarray | None, rate: float) -> ReducedState:
        """Pose and velocity: joint rates as measured, the motion of the whole from the pose at the last command."""
        change = np.zeros(len(self.q)) if last is None else (self.q - last) * rate
        turn = np.concatenate(([0.0], np.cumsum(self.joint_rate)))
        spin = change[:-2].mean() - turn.mean() if last is not None else 0.0
        return ReducedState(center=self.q[-2:], velocity=change[-2:], link_angle=self.q[:-2], link_rate=turn + spin)


def reduced(robot: PlanarRobot) -> ReducedRobot:
    """The reduced model of a robot: one for all robots with the same links, so that rails are laid once."""
    instance("robot", robot, PlanarRobot, "a PlanarRobot")
    return _of_links(tuple(robot.links))


@lru_cache(maxsize=32)
def _of_links(links: tuple[PlanarLink, ...]) -> ReducedRobot:
    return reduce_robot(PlanarRobot(links=links, motors=Motor()))


def _boxed(memory: RailMemory) -> np.ndarray:
    box = np.empty((), dtype=object)
    box[()] = memory
    return box

"""Controllers that follow a path through pegs: force mapping, and shape propagation as its baseline.

The robot moves like a train on rails. Its joints belong on the path, one link apart, so the arc length of its head says
where every link should be. At every command, force mapping fits that arc length to the measured pose and asks for

    q_ddot = q' (k_v (v_d - v) + I) + q'' v^2 - k_p (q - q_ref) - k_d (q_dot - q' v),    I_dot = k_i (v_d - v),

where v is the speed along the rails, v = q'^T M q_dot / q'^T M q', and v_d falls to zero at the end of the path. I
compensates unknown friction. The robot pushes on the pegs that it expects on its path, where it feels them. Shape
propagation knows neither pegs nor friction. See docs/theory/force-mapping.md, sections 9 to 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.peg_contacts import ContactRule, along_the_way, felt_contacts
from pushpoint.engine.batching import form, pick, stack
from pushpoint.engine.controller import Bindable, Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command, Measurement, soft_step
from pushpoint.errors import InvalidModel
from pushpoint.mapping.force_mapping import build_force_mapping
from pushpoint.mapping.limits import MappingBounds, MappingWeights
from pushpoint.mapping.path_quality import task_links
from pushpoint.mapping.rails import Path, RailCosts, Rails, lay_rails, solve_rail_mapping, state_of
from pushpoint.mapping.solution import solve_force_mapping
from pushpoint.mapping.wishes import MotionWish
from pushpoint.model.checks import Many, above, at_least, check_fields, instance, members, real
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.kinds import register
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.quantities import Duration, Extent, Frequency, Length
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.robot import ReducedRobot, ReducedState, reduce_robot
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

Memory = TypeVar("Memory")
FIRST_FIT = 30
"""Iterations of the first fit, when only a rough position of the head is known [-]."""
BRAKING = 1.0
"""Speed per distance to the end of the path, where the robot stops [1/s]."""
_FRICTIONLESS = GroundFriction()
LOAD = "three numbers: force x, y and moment"


@dataclass(frozen=True, kw_only=True)
class RailGains:
    """Gains of the control law of force mapping."""

    __repr__ = brief

    stiffness: Annotated[float, above(0, "1/s^2")] = 400.0
    """Gain k_p of the pose [1/s^2]."""
    damping: Annotated[float, above(0, "1/s")] = 40.0
    """Gain k_d of the pose rate [1/s]."""
    speed: Annotated[float, above(0, "1/s")] = 10.0
    """Gain k_v of the speed along the rails [1/s]."""
    integral: Annotated[float, at_least(0, "1/s^2")] = 10.0
    """Gain k_i of the integral of the speed error [1/s^2]."""
    most: Annotated[float, at_least(0, "m/s^2")] = 5.0
    """Largest acceleration of the integral term, either way [m/s^2]."""

    def __post_init__(self) -> None:
        check_fields(self, "gains")


class RailMemory(NamedTuple):
    """What the controller remembers of a world, and its last result."""

    begun: np.ndarray
    """Whether a command has been given."""
    head: np.ndarray
    """Arc length of the head's front end along the path [m]."""
    gathered: np.ndarray
    """The integral term I [m/s^2]."""
    pose: np.ndarray
    """Pose at the last command, q = (theta, p) [rad, then m], (n_links + 2,)."""
    miss: np.ndarray
    """By how much the last mapping fell short of the wanted accelerations; see RailSolution.

    For (53)-(56) it is the norm of the slack.
    """
    failures: np.ndarray
    """Mappings so far that were unconverged, or not solved in their own form because contacts were dependent [-]."""
    feasible: np.ndarray
    """Whether the last wish was fulfilled, for (53)-(56)."""


@dataclass(frozen=True, kw_only=True)
class OnRails(Bindable[Memory]):
    """Base class of controllers that follow a path. They use the robot's pose."""

    path: Path
    """The path that the robot should follow."""
    speed: Annotated[float, above(0, "m/s")] = 0.1
    """Wanted speed of the head along the path, v_d [m/s]."""
    head: Extent | None = None
    """Approximate arc length of the head's front end at the start [m]; default: the robot's length."""
    rate: Frequency = 100.0
    """Commands per second [Hz]."""
    soft_start: Duration = 0.5
    """Time in which the speed and the known resistance grow from zero [s]."""

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    def laid(self, robot: AnyRobot) -> tuple[Rails, float]:
        """The robot's poses on the path (its rails), and the arc length of its head's front end at the start [m]."""
        return lay_rails(reduced(robot), self.path), robot.length if self.head is None else self.head

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> Start:
        """A start at rest on the path."""
        rails, head = self.laid(robot)
        return rails.start(head)

    def adopt(self, memory: Any, of: Controller[Any]) -> Memory:
        """Continues from another controller of its kind on the same path."""
        fresh = self.memory()
        known = isinstance(of, type(self)) and np.array_equal(of.path.points, self.path.points)
        return memory if known and form(memory) == form(fresh) else fresh


@register("force-mapping")
@dataclass(frozen=True, kw_only=True)
class ForceMappingController(OnRails[RailMemory]):
    """Pushes a robot along a path through pegs with joint torques: the force mapping of Holden2014.

    It uses the pose, the joint rates and the contact forces.
    """

    __repr__ = brief

    pegs: Sequence[Peg] | None = None
    """The known pegs, with their friction; default: those of the environment."""
    ground: GroundFriction | None = None
    """The known friction of the ground; default: that of the environment."""
    gains: RailGains = RailGains()
    """Gains of the control law."""
    bounds: MappingBounds | None = None
    """Largest torques and peg forces; default: the motors' torque limits, any peg force."""
    costs: RailCosts = RailCosts()  # noqa: RUF009
    """Costs and form of the mapping."""
    contacts: ContactRule = ContactRule()  # noqa: RUF009
    """Which pegs are pushed on."""
    program: MappingWeights | None = None
    """Weights of Holden2014 (53)-(56), solved instead of the mapping on rails; None: on rails.

    `MappingWeights()` is the paper's program; `MappingWeights(posture=0.4)` also holds links that it leaves free. If
    contacts depend on each other, or none is expected, it has no solution, and torques are zero.
    """
    forward_only: bool = False
    """Whether the centre of mass is controlled along the path only, and not across it; needs a `program`."""
    load: Sequence[Annotated[Sequence[float], real("N, N m"), Many(3, LOAD)]] | None = None
    """Known loads on the links from tail to head, such as a tether's pull; default: none.

    Each is a force x, y at the link's centre of mass [N] and a moment [N m].
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.forward_only and self.program is None:
            raise InvalidModel("controller.forward_only", True, "given with a program only: rails hold the whole pose")

    @property
    def needs(self) -> frozenset[str]:
        """It needs the pose, and the environment for what is not given."""
        told = self.pegs is not None and self.ground is not None
        return frozenset({"pose"} if told else {"pose", "environment"})

    @property
    def modes(self) -> tuple[str, ...]:
        """For (53)-(56), whether the wish was fulfilled; on rails there is always a solution."""
        return ("infeasible", "feasible") if self.program else ()

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundForceMapping:
        """Returns the controller bound to one robot in one environment."""
        rails, head = self.laid(robot)
        pegs, ground = self.pegs, self.ground
        if pegs is None:
            obstacles = None if environment is None else environment.obstacles
            pegs = members("environment.obstacles", obstacles, Peg, "a Peg, for a force mapping")
        if not pegs:
            raise InvalidModel("controller.pegs", 0, "at least one: without pegs there is nothing to push against")
        if ground is None:
            ground = GroundFriction.of(instance("environment", environment, Environment, "an Environment").ground)
        if self.load is not None and len(self.load) != robot.n_links:
            raise InvalidModel("controller.load", len(self.load), f"{robot.n_links} loads for {robot.n_links} links")
        limits = self.bounds or MappingBounds(torque_limit=robot.motor_column("torque_limit"))
        known = {"pegs": along_the_way(rails, pegs, self.contacts.reach), "ground": ground, "bounds": limits}
        return BoundForceMapping(**vars(self) | known | {"rails": rails, "head": head})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundForceMapping(ForceMappingController):
    """A force mapping bound to its robot and environment. It keeps only the pegs near its path."""

    rails: Rails
    """The robot's poses on the path."""
    pegs: tuple[Peg, ...]
    ground: GroundFriction
    head: float
    bounds: MappingBounds

    def memory(self) -> RailMemory:
        """The initial memory, before any command."""
        nowhere = np.full(self.rails.robot.n_links + 2, np.nan)
        return RailMemory(*map(np.array, (False, self.head, 0.0, nowhere, 0.0, 0, True)))

    def mode_of(self, memory: RailMemory) -> np.ndarray:
        """Whether the last wishes were fulfilled, shape (n_worlds,)."""
        return memory.feasible.astype(int)

    def command(self, measurement: Measurement, memory: RailMemory) -> tuple[Command, RailMemory]:
        """The torques of the force mapping, world by world."""
        worlds = range(len(measurement.time))
        found = [self._step(pick(measurement, w), pick(memory, w)) for w in worlds]
        return Command(joint_torque=np.stack([torque for torque, _ in found])), stack([kept for _, kept in found])

    def _step(self, seen: Measurement, memory: RailMemory) -> tuple[np.ndarray, RailMemory]:
        """Torques for one world [N m], and its new memory."""
        robot, q = self.rails.robot, _pose(seen)
        # Joint rates are measured; the motion of the whole robot follows from the pose at the last command.
        change = (q - memory.pose) * self.rate if memory.begun else np.zeros(len(q))
        turn = np.concatenate(([0.0], np.cumsum(seen.joint_rate)))
        spin = change[:-2].mean() - turn.mean() if memory.begun else 0.0
        q_dot = np.concatenate((turn + spin, change[-2:]))
        M = smooth_terms(robot, _FRICTIONLESS, state_of(q, q_dot)).mass_matrix
        head = float(self.rails.fit(q, M, float(memory.head), 3 if memory.begun else FIRST_FIT))
        on_path, slope, bend = self.rails.at(head)
        pull = M @ slope
        speed = float(pull @ q_dot) / float(pull @ slope)
        share = float(soft_step(seen.time, self.soft_start)[0])
        g, lag = self.gains, min(share * self.speed, BRAKING * (self.path.length - head)) - speed
        gathered = min(max(float(memory.gathered) + g.integral * lag / self.rate, -g.most), g.most)
        wish = slope * (g.speed * lag + gathered) + bend * speed**2
        wish -= g.stiffness * self.rails.error(q, head) + g.damping * (q_dot - slope * speed)
        contacts = felt_contacts(robot, self.pegs, self.contacts, on_path, q, seen.contact_normal_force)
        ground = self.ground if share == 1.0 else replace(self.ground, gravity=share * self.ground.gravity)
        # On rails, friction acts against the wanted motion: against the measured one it would vanish at rest.
        going = state_of(q, self.speed * slope if self.program is None else q_dot)
        if self.load is not None:
            going = replace(going, load=share * np.array(self.load))
        torque, miss, solved, feasible = self._mapped(ground, going, contacts, wish, slope[-2:])
        kept = (True, head, gathered, q, miss, int(memory.failures) + (not solved), feasible)
        return torque, RailMemory(*map(np.array, kept))

    def _mapped(
        self, ground: GroundFriction, state: ReducedState, contacts: Contacts, wish: np.ndarray, forward: np.ndarray
    ) -> tuple[np.ndarray, float, bool, bool]:
        """Torques for one state [N m], the miss, and whether the mapping was solved in its own form and feasible."""
        links = task_links(self.rails.robot, contacts)
        known = (self.rails.robot, ground, state, contacts)
        try:
            if self.program is not None:
                asked = MotionWish(
                    center_acceleration=wish[-2:],
                    links=links,
                    link_acceleration=wish[links],
                    posture=wish[:-2],
                    direction=forward if self.forward_only else None,
                )
                found = solve_force_mapping(build_force_mapping(*known, asked, self.bounds, self.program))
                return found.joint_torque, float(np.linalg.norm(found.slack)), found.solved, found.feasible
            solution = solve_rail_mapping(*known, wish, self.bounds, self.costs, links)
            return solution.joint_torque, solution.miss, solution.solved, True
        except InvalidModel:  # dependent contacts, or none: only the free form allows them
            if self.program is not None:  # (54) then has no solution
                return np.zeros(self.rails.robot.n_joints), np.inf, False, False
            solution = solve_rail_mapping(*known, wish, self.bounds, replace(self.costs, form="free"), links)
            return solution.joint_torque, solution.miss, False, False


def _pose(seen: Measurement) -> np.ndarray:
    """The measured pose, q = (theta, p) [rad, then m], shape (..., n_links + 2)."""
    assert seen.link_angle is not None and seen.center_of_mass is not None  # `needs` includes the pose
    return np.concatenate((seen.link_angle, seen.center_of_mass), axis=-1)


def reduced(robot: AnyRobot) -> ReducedRobot:
    """The reduced model of a robot, shared by all robots with the same links, so that rails are computed once."""
    return _of_links(tuple(instance("robot", robot, PlanarRobot, "a PlanarRobot").links))


@lru_cache(maxsize=32)
def _of_links(links: tuple[PlanarLink, ...]) -> ReducedRobot:
    return reduce_robot(PlanarRobot(links=links, motors=Motor()))


class Heads(NamedTuple):
    """What shape propagation remembers of a world: the arc lengths of the heads' front ends."""

    virtual: np.ndarray
    """Arc length of the virtual robot's head [m]."""
    real: np.ndarray
    """Arc length of the real robot's head [m]."""


@register("shape-propagation")
@dataclass(frozen=True, kw_only=True)
class ShapePropagation(OnRails[Heads]):
    """Commands the joint angles of a virtual robot that moves along a path at a given speed."""

    __repr__ = brief

    lead: Length = 0.1
    """How far the virtual robot may be ahead of the real one before it waits [m]."""

    needs = frozenset({"pose"})

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundPropagation:
        """Returns shape propagation bound to one robot."""
        rails, head = self.laid(robot)
        return BoundPropagation(**vars(self) | {"rails": rails, "head": head})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundPropagation(ShapePropagation):
    """Shape propagation of one robot, or of several with the same links."""

    batches = True

    rails: Rails
    """The robot's poses on the path."""
    head: float

    def memory(self) -> Heads:
        """Both robots at the start."""
        return Heads(np.array(self.head), np.array(self.head))

    def command(self, measurement: Measurement, memory: Heads) -> tuple[Command, Heads]:
        """Joint angles and rates of the virtual robots, each advanced by one period."""
        q = _pose(measurement)
        M = smooth_terms(self.rails.robot, _FRICTIONLESS, state_of(q, np.zeros_like(q))).mass_matrix
        real = self.rails.fit(q, M, memory.real)
        speed = soft_step(measurement.time, self.soft_start)[0] * self.speed
        ahead = np.minimum(memory.virtual + speed / self.rate, np.maximum(real + self.lead, memory.virtual))
        q, slope, _ = self.rails.at(ahead)
        rates = np.diff(slope[:, :-2]) * ((ahead - memory.virtual) * self.rate)[:, None]
        return Command(joint_angle=np.diff(q[:, :-2]), joint_rate=rates), Heads(ahead, real)

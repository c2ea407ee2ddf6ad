"""Holden2014, VI-B: the force mapping solved again and again, with errors that decay as (50)-(52) say.

The robot of the paper, in the pose of Table II and held by five fixed pegs, follows a goal that moves along the path of
that pose. It is integrated in the reduced model and compared with the closed solution of e_ddot + k_d e_dot + k_p e =
0. The goal has to move: to brake at a fixed goal, pegs would have to pull.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.engine.planar.kinematics import directions
from pushpoint.mapping.force_mapping import ForceMapping, build_force_mapping
from pushpoint.mapping.limits import MappingBounds, MappingWeights
from pushpoint.mapping.path_quality import beside_links
from pushpoint.mapping.rails import Path, Rails, lay_rails, state_of
from pushpoint.mapping.solution import solve_force_mapping
from pushpoint.mapping.wishes import Gains, MotionReference, PostureReference, tracking_wish
from pushpoint.model.catalogue import holden2014
from pushpoint.model.environment import Peg
from pushpoint.papers.holden2014.tables import FRICTION, LINK_ANGLE, PEG_RADIUS, SIDE, TOUCHED, simulated_instant
from pushpoint.reduced.contacts import Contacts, contact_terms
from pushpoint.reduced.robot import ReducedRobot, reduce_robot
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

GAINS = Gains(center_stiffness=4.0, center_damping=3.0, link_stiffness=25.0, link_damping=10.0)
LINKS = np.append(TOUCHED, 19)
"""The controlled links: those at the pegs, and the head."""
SPEED, DURATION = 0.04, 1.25
"""Speed of the goal along the path [m/s], and duration [s]: the links slide past their pegs by 5 cm."""
SHIFT, TURN = np.array((0.005, 0.002)), 0.02
"""Offset of the goal from the path: the centre of mass [m], the links [rad]."""
STEP = 2.5e-3
"""Time step of the Runge-Kutta integration [s]."""
PEG_FRICTION = 0.1
"""Friction coefficient of the pegs [-]."""
LIMIT = 40.0
"""Torque limit [N m]: large, because the law is tested and not the motors."""
SMOOTHING = 0.02
"""Speed below which Coulomb friction fades [m/s]; the integrator needs smooth forces."""
WAVE_LINKS = 9
"""Links per wave of Table II."""
POSTURE = 0.4
"""Weight of the posture term, if there is one [kg m^2]."""


@dataclass(frozen=True, kw_only=True)
class Decay:
    """How the errors evolved while every mapping was feasible."""

    feasible_for: float
    """Time until the first infeasible mapping, or the whole duration [s]."""
    off: float
    """Largest difference between an error and the closed solution until then [rad, m]."""
    moved: float
    """Displacement of the centre of mass until then [m]."""
    decayed: float
    """Largest change of an error until then [rad, m]."""
    largest_rate: float
    """Largest angular velocity of a link until then [rad/s]."""
    strayed: float
    """Largest angle between a free link and the path until then [rad]."""


def path_of_the_pose() -> tuple[Rails, float]:
    """The wave of Table II, continued ahead of the robot, and the arc length of its head's front end [m]."""
    whole, robot = holden2014(), reduce_robot(holden2014())
    ahead = [LINK_ANGLE[-WAVE_LINKS + k] for k in range(WAVE_LINKS)]
    angle, length = (
        np.append(LINK_ANGLE, ahead),
        np.append(whole.column("length"), [whole.links[0].length] * len(ahead)),
    )
    steps = length[:, None] * directions(angle)
    tail = robot.lever[0] @ directions(LINK_ANGLE) - robot.to_rear[0] * directions(LINK_ANGLE)[0]
    rails = lay_rails(robot, Path(tail + np.vstack((np.zeros(2), np.cumsum(steps, axis=0)))))
    q = np.concatenate((LINK_ANGLE, np.zeros(2)))
    M = smooth_terms(robot, GroundFriction(), state_of(q, np.zeros_like(q))).mass_matrix
    return rails, float(rails.fit(q, M, whole.length, 30))


@dataclass(frozen=True, kw_only=True, eq=False)
class MovingGoal:
    """The robot, its pegs, and the law by which it follows a moving goal."""

    robot: ReducedRobot
    pegs: tuple[Peg, ...]
    rails: Rails
    head: float
    friction: float
    weights: MappingWeights
    ground = GroundFriction(coefficient=FRICTION, smoothing=SMOOTHING)

    @staticmethod
    def of(posture: float, friction: float) -> MovingGoal:
        """With a friction of the pegs [-] and a posture term of the law [kg m^2]."""
        rails, head = path_of_the_pose()
        return MovingGoal(
            robot=rails.robot,
            pegs=simulated_instant()[0],
            rails=rails,
            head=head,
            friction=friction,
            weights=MappingWeights(posture=posture),
        )

    def goal(self, time: float) -> np.ndarray:
        """q, its rate and its acceleration on the path, shape (3, 22)."""
        q, slope, bend = self.rails.at(np.array(self.head + SPEED * time))
        return np.stack((q, SPEED * slope, SPEED**2 * bend))

    def contacts(self, q: np.ndarray) -> Contacts:
        """The pegs at their current positions along the links."""
        along = beside_links(self.robot, q[20:], q[:20], self.pegs)[0][TOUCHED, range(5)]
        surface = self.robot.radius[TOUCHED]
        return Contacts(
            link=TOUCHED, side=SIDE, along=along, surface=surface, standoff=surface + PEG_RADIUS, friction=self.friction
        )

    def problem(self, time: float, x: np.ndarray) -> ForceMapping:
        """The quadratic program for a state x = (q, its rate)."""
        now, contacts, (q, rate, change) = state_of(x[:22], x[22:]), self.contacts(x[:22]), self.goal(time)
        target = MotionReference(
            center=q[20:] + SHIFT,
            velocity=rate[20:],
            acceleration=change[20:],
            links=LINKS,
            link_angle=q[LINKS] + TURN,
            link_rate=rate[LINKS],
            link_acceleration=change[LINKS],
            posture=PostureReference(link_angle=q[:20], link_rate=rate[:20], link_acceleration=change[:20]),
        )
        wish, bounds = tracking_wish(now, target, GAINS), MappingBounds(torque_limit=LIMIT)
        return build_force_mapping(self.robot, self.ground, now, contacts, wish, bounds, self.weights)

    def mapped(self, time: float, x: np.ndarray) -> tuple[np.ndarray, bool]:
        """Rate of change of x, and whether the wish is feasible."""
        found = solve_force_mapping(self.problem(time, x))
        return np.concatenate((x[22:], found.problem.closed.acceleration(found.joint_torque))), found.feasible

    def start(self) -> np.ndarray:
        """The robot on the path, with the speed of the goal as far as the pegs allow."""
        q = np.concatenate((LINK_ANGLE, np.zeros(2)))
        rate = self.goal(0.0)[1]
        terms = smooth_terms(self.robot, self.ground, state_of(q, rate))
        J = contact_terms(self.robot, state_of(q, rate), self.contacts(q), terms).J
        return np.concatenate((q, rate - np.linalg.lstsq(J, J @ rate)[0]))


def decay(posture: float = 0.0, friction: float = PEG_FRICTION, duration: float = DURATION) -> Decay:
    """Integrates the robot and compares, until a mapping is infeasible or the time is over.

    posture: `MappingWeights.posture` [kg m^2], 0 for the paper's law. friction: That of the pegs [-].
    """
    loop = MovingGoal.of(posture, friction)
    x, time, kept = loop.start(), 0.0, [(0.0, loop.start())]
    while time < duration - STEP / 2:
        slopes: list[np.ndarray] = []
        feasible = True
        for share, k in ((0.0, 0), (0.5, 0), (0.5, 1), (1.0, 2)):
            slope, fulfilled = loop.mapped(time + share * STEP, x + share * STEP * slopes[k] if slopes else x)
            slopes.append(slope)
            feasible = feasible and fulfilled
        if not feasible:
            break
        x = x + STEP / 6 * (slopes[0] + 2 * slopes[1] + 2 * slopes[2] + slopes[3])
        time += STEP
        kept.append((time, x))
    return _judged(loop, kept)


def _judged(loop: MovingGoal, kept: list[tuple[float, np.ndarray]]) -> Decay:
    rows = np.append(LINKS, (20, 21))
    p = np.array([GAINS.link_stiffness] * len(LINKS) + [GAINS.center_stiffness] * 2)
    d = np.array([GAINS.link_damping] * len(LINKS) + [GAINS.center_damping] * 2)
    times, states = np.array([t for t, _ in kept]), np.array([x for _, x in kept])
    goals = np.array([loop.goal(t) for t in times])
    goals[:, 0, LINKS] += TURN
    goals[:, 0, 20:] += SHIFT
    error, rate = states[:, rows] - goals[:, 0, rows], states[0, 22 + rows] - goals[0, 1, rows]
    expected = np.array([closed_decay(error[0], rate, p, d, t) for t in times])
    return Decay(
        feasible_for=float(times[-1]),
        off=float(np.abs(error - expected).max()),
        moved=float(np.linalg.norm(states[-1, 20:22] - states[0, 20:22])),
        decayed=float(np.abs(error - error[0]).max()),
        largest_rate=float(np.abs(states[:, 22:42]).max()),
        strayed=float(np.abs(np.delete(states[:, :20] - goals[:, 0, :20], LINKS, axis=1)).max()),
    )


def closed_decay(e: np.ndarray, rate: np.ndarray, p: np.ndarray, d: np.ndarray, t: float) -> np.ndarray:
    """e(t) of e_ddot + d e_dot + p e = 0, from its two roots; equal roots are moved slightly apart."""
    root = np.sqrt((d**2 / 4 - p).astype(complex))
    root = np.where(np.abs(root) < 1e-6, 1e-4, root)
    fast, slow = -d / 2 - root, -d / 2 + root
    b = (rate - fast * e) / (slow - fast)
    return np.asarray(np.real(b * np.exp(slow * t) + (e - b) * np.exp(fast * t)))

"""The virtual robot on a shape curve: the joint angles that lay a robot along it (Liljeback2014, section III-D).

The head's tip lies on the curve. From there backwards, each link is turned, as far as its joint's axes allow, toward a
reference point on the curve at the look-ahead distance from the joint. A cardan joint turns both axes toward one point,
seen from its second axis. If its axes are apart, this follows curves 1 to 16 % more closely (rms) than treating the
piece between them as a link, and needs half the searches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import warp as wp

from pushpoint.brief import brief
from pushpoint.engine.compiled import launch
from pushpoint.engine.devices import check_device
from pushpoint.engine.spatial.kinematics import product
from pushpoint.engine.spatial.start import SpatialStart, level_tail
from pushpoint.errors import InvalidModel
from pushpoint.kernels.curves import align as code
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import array
from pushpoint.model.checks import Whole, above
from pushpoint.model.joints import LEFT, UP
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.hermite import slopes_of
from pushpoint.planning.curves.skeleton import AnyBody, Skeleton

LOOK_AHEAD_LINKS = 2.0
"""Default look-ahead distance in mean link lengths: the paper's 2 a [-]."""
JOINT_CODES = {
    (UP,): int(code.YAW),
    (LEFT,): int(code.PITCH),
    (LEFT, UP): int(code.CARDAN),
    (UP, LEFT): int(code.YAW_FIRST),
}
"""The kernel's codes of joints that turn about these directions, from tail to head."""
MOST_AT_ONCE = 10_000_000
"""Most numbers in one array of an aligner [-]."""
ROUNDING = 1e-9
"""Relative round-off allowed when a look-ahead distance is compared with the longest link [-]."""
ANY_TURN = -1.0
"""What the kernel takes for a side that may turn all the way to level."""
POSE = {
    "joint_angles": "q",
    "joint_points": "O",
    "link_orientations": "p",
    "references": "s_ref",
    "center": "center",
    "side": "y_h",
}
"""The results of an alignment, with the kernel's letters."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Alignment:
    """The pose of an aligned robot. Arrays have the leading dimensions of the given head positions."""

    __repr__ = brief

    robot: AnyBody
    """The robot, or the skeleton."""
    joint_angles: np.ndarray
    """Angles of all axes, from tail to head [rad], shape (..., n_joints)."""
    joint_points: np.ndarray
    """Rear ends of the links, then the head's tip [m], shape (..., n_links + 1, 3).

    If the axes of the cardan joint behind a link are apart, the link's rear end is the second axis.
    """
    link_orientations: np.ndarray
    """Quaternions (w, x, y, z) of the links, from tail to head, shape (..., n_links, 4)."""
    center: np.ndarray
    """Centre of mass [m], shape (..., 3); of a skeleton, the centre of its links as lines."""
    references: np.ndarray
    """The curve's parameter s_ref that each link is aimed at, from tail to head [-], shape (..., n_links).

    Negative values lie on the straight line before the curve's first point.
    """
    side: np.ndarray
    """The head's y axis before its roll, a unit vector, shape (..., 3). Hand it on to the next alignment."""

    def each(self, change: Callable[[np.ndarray], np.ndarray]) -> Alignment:
        """The same alignment with a change applied to every array."""
        return Alignment(robot=self.robot, **{name: change(getattr(self, name)) for name in POSE})

    @property
    def tail_orientation(self) -> np.ndarray:
        """Quaternion of the tail, shape (..., 4)."""
        return self.link_orientations[..., 0, :]

    @property
    def head_orientation(self) -> np.ndarray:
        """Quaternion of the head, shape (..., 4)."""
        return self.link_orientations[..., -1, :]

    def start(self) -> SpatialStart:
        """A start in this pose, at rest; for a single alignment of a robot."""
        if isinstance(self.robot, Skeleton):
            raise InvalidModel(
                "alignment.robot", "a Skeleton", "a SpatialRobot: a skeleton has no masses to start with"
            )
        if self.joint_angles.ndim != 1:
            raise InvalidModel("alignment", f"{self.joint_angles.shape[:-1]} poses", "one pose to start from")
        level = level_tail(self.robot, self.joint_angles, None)
        whole = product(self.tail_orientation, level * (1.0, -1.0, -1.0, -1.0))
        return SpatialStart(
            joint_angles=self.joint_angles.tolist(), orientation=whole.tolist(), position=self.center.tolist()
        )


@checked_arguments
def default_look_ahead(robot: AnyBody) -> float:
    """Two mean link lengths, but at least the longest link [m]."""
    return max(LOOK_AHEAD_LINKS * robot.length / robot.n_links, longest_link(robot))


def longest_link(robot: AnyBody) -> float:
    """The longest distance from a joint to the next one behind it, or between the axes of a cardan joint [m]."""
    gaps = [*(joint.axis_distance for joint in robot.chain), 0.0]
    return float(np.max(robot.column("length") + gaps))


def checked_look_ahead(robot: AnyBody, look_ahead: Any, allow_overshoot: bool) -> np.ndarray:
    """Returns look-ahead distances [m]; raises InvalidModel if a link would reach beyond its reference point."""
    if look_ahead is None:
        return np.array(default_look_ahead(robot))
    wanted = array("look_ahead", look_ahead, above(0, "m"))
    least = 0.0 if allow_overshoot else longest_link(robot)
    if wanted.min(initial=np.inf) < least * (1.0 - ROUNDING):
        allowed = f"at least the longest link, {least:g} [m], or links reach beyond their reference points"
        raise InvalidModel("look_ahead", float(wanted.min()), allowed)
    return wanted


def check_room(robot: AnyBody, curve: ShapeCurve, head: float) -> None:
    """Raises InvalidModel if the curve behind the head is shorter than the robot."""
    room = float(curve.arc_length(head))
    if room < robot.length:
        allowed = f"at least the robot's length, {robot.length:.4g} [m], or the tail would lie before the curve"
        raise InvalidModel("the curve's length up to the head", round(room, 4), allowed)


class Aligner:
    """Lays one robot along many shape curves at once, with `per_curve` head positions on each.

    Arrays are allocated once; `load` takes the curves, `solve` the head positions. On the CPU nothing is copied: the
    next call overwrites what `solve` returned. Values are not checked: NaN in gives NaN out.

    Args:
        robot: The robot.
        n_points: Control points per curve, at least 2.
        n_curves: Number of curves.
        per_curve: Head positions per curve.
        look_ahead: Distance from a joint to its link's reference point [m]; default: two mean link lengths.
        allow_overshoot: Whether to allow a look-ahead shorter than the longest link.
        device: Warp device: "cpu", "cuda:0" and so on.
    """

    pose: Alignment
    """The poses after the last call, with one leading dimension."""

    @checked_arguments
    def __init__(
        self,
        robot: AnyBody,
        n_points: Annotated[int, Whole(2, MOST_AT_ONCE)],
        *,
        n_curves: Annotated[int, Whole(1, MOST_AT_ONCE)] = 1,
        per_curve: Annotated[int, Whole(1, MOST_AT_ONCE)] = 1,
        look_ahead: Any = None,
        allow_overshoot: bool = False,
        device: str = "cpu",
    ) -> None:
        check_device(device)
        self.device, count = device, n_curves * per_curve
        if max(count * (robot.n_links + robot.n_joints), n_curves * n_points) > MOST_AT_ONCE:
            raise InvalidModel("n_curves * per_curve", count, f"such that there are at most {MOST_AT_ONCE} numbers")
        self._host: dict[str, np.ndarray] = {}
        self._copies: dict[str, tuple[Any, Any]] = {}
        Chain, Request, Answer = code.family(wp.float64)
        request, answer, n_links = Request(), Answer(), robot.n_links
        request.per_curve = per_curve
        for owner, name, shape, dtype in (
            (request, "P", (n_curves, n_points), wp.vec3d),
            (request, "m", (n_curves, n_points), wp.vec3d),
            (request, "s_h", (count,), wp.float64),
            (request, "phi", (count,), wp.float64),
            (request, "L", (count,), wp.float64),
            (request, "y_s", (count,), wp.vec3d),
            (request, "z_s", (count,), wp.vec3d),
            (request, "most", (count,), wp.float64),
            (answer, "q", (count, robot.n_joints), wp.float64),
            (answer, "O", (count, n_links + 1), wp.vec3d),
            (answer, "p", (count, n_links), wp.vec4d),
            (answer, "s_ref", (count, n_links), wp.float64),
            (answer, "center", (count,), wp.vec3d),
            (answer, "y_h", (count,), wp.vec3d),
        ):
            setattr(owner, name, self._room(name, shape, dtype))
        wanted = checked_look_ahead(robot, look_ahead, allow_overshoot)
        if wanted.shape not in ((), (1,), (count,)):
            raise InvalidModel("look_ahead", wanted.shape, f"one distance, or one for each of {count} heads")
        self._host["L"][:] = wanted
        self._host["y_s"][:] = (0.0, 1.0, 0.0)
        self._host["z_s"][:] = (0.0, 0.0, 1.0)
        self.pose = Alignment(robot=robot, **{name: self._host[letter] for name, letter in POSE.items()})
        inputs = [_chain(Chain, robot, device), request, answer]
        self._launch = launch(code.kernel(wp.float64), dim=count, inputs=inputs, device=device, record_cmd=True).launch

    def __repr__(self) -> str:
        return f"<Aligner of {len(self.pose.joint_angles)} poses of {self.pose.robot.n_links} links>"

    def _room(self, name: str, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array on the device, and a view or a copy of it here."""
        there = wp.zeros(shape, dtype=dtype, device=self.device)
        here = there
        if self.device != "cpu":
            here = wp.zeros(shape, dtype=dtype, device="cpu", pinned=True)
            self._copies[name] = (here, there)
        self._host[name] = here.numpy()
        return there

    def load(self, points: np.ndarray, slopes: np.ndarray | None = None, *, kind: str = "pchip") -> None:
        """Takes the curves: control points [m] and dS/ds there, shape (n_curves, n_points, 3) or that of one curve."""
        self._host["P"][:] = points
        self._host["m"][:] = slopes_of(points, kind) if slopes is None else slopes
        self._send("P", "m")

    def solve(
        self, head: Any, roll: Any = 0.0, side: Any = None, *, up: Any = None, side_turn: Any = None
    ) -> np.ndarray:
        """Returns joint angles [rad], shape (count, n_joints), with the heads at given parameters of their curves.

        Each argument is one value for all, or one per alignment, grouped by curve; `side` and `up` keep the last value
        given.

        Args:
            head: Parameters of the heads' tips [-].
            roll: Rotation of the robot about its curve [rad].
            side: Without a `side_turn` the y axis of the shape frame, used by a vertical head; otherwise the
                `pose.side` of the moment before.
            up: The z axis of the shape frame; the head's y axis is level across it.
            side_turn: How far the side may turn at most from `side` [rad], infinite for a side that never turns over;
                < 0 or None: to wherever it is level.
        """
        given = {"s_h": head, "phi": roll, "y_s": side, "z_s": up, "most": ANY_TURN if side_turn is None else side_turn}
        for letter, values in given.items():
            if values is not None:
                self._host[letter][:] = values
        self._send("L", *given)
        self._launch()
        if self._copies:
            for letter in POSE.values():
                wp.copy(*self._copies[letter])
            wp.synchronize_device(self.device)
        return self.pose.joint_angles

    def _send(self, *names: str) -> None:
        if self._copies:
            for name in names:
                here, there = self._copies[name]
                wp.copy(there, here)


def _chain(Chain: Any, robot: AnyBody, device: str) -> Any:
    """The robot in the kernel's letters."""
    kinds = [tuple(hinge.direction for hinge in joint.hinges) for joint in robot.chain]
    if strange := [k for k, kind in enumerate(kinds) if kind not in JOINT_CODES]:
        what = "a Yaw, Pitch or Cardan, along a curve"
        raise InvalidModel(f"robot.joints[{strange[0]}]", type(robot.chain[strange[0]]).__name__, what)
    length = robot.column("length")
    if isinstance(robot, Skeleton):
        to_mass, share = length / 2, length / length.sum()
    else:
        to_mass, share = length / 2 + robot.column("mass_offset"), robot.column("mass") / robot.mass
    chain = Chain()
    for name, values, dtype in (
        ("joint", [JOINT_CODES[kind] for kind in kinds], int),
        ("d", [joint.axis_distance for joint in robot.chain], wp.float64),
        ("a", length, wp.float64),
        ("to_mass", to_mass, wp.float64),
        ("share", share, wp.float64),
    ):
        setattr(chain, name, wp.array(values, dtype=dtype, device=device))
    return chain

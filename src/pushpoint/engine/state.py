"""The changing part of a simulation: pose, velocities, and the impulses that the next step starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeVar

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.settings import Status
from pushpoint.errors import Bounds, InvalidModel
from pushpoint.model.arrays import MOST_MAGNITUDE, Axes, array, array_of_numbers, check_range
from pushpoint.model.checks import declared, parts_of, real

Whole = Annotated[np.ndarray, Bounds("-", low=0)]
"""Whole numbers; their upper limit depends on the batch."""
Meters = Annotated[np.ndarray, real("m")]
Velocity = Annotated[np.ndarray, real("m/s")]
Radians = Annotated[np.ndarray, real("rad")]
Rate = Annotated[np.ndarray, real("rad/s")]
Impulse = Annotated[np.ndarray, real("N s")]
Twist = Annotated[np.ndarray, real("N m s")]

MOST_STEPS = 2**31 - 1
"""The most steps of a world [-]: the kernels count them in 32 bits."""
LARGEST_SINGLE = 1e15
"""Numbers of a state in single precision must be smaller than this, so that their squares stay finite."""
OFF_UNIT = {"float64": 1e-6, "float32": 1e-3}
"""How far the length of a unit quaternion may differ from one [-], by precision."""


@dataclass(frozen=True, kw_only=True)
class AnyState:
    """What planar and spatial states have in common. Vectors have two components in the plane, three in space."""

    step: Whole
    """Time steps done [-], shape (n_worlds,)."""
    status: Whole
    """Status codes of the kernels [-], shape (n_worlds,)."""
    center: Meters
    """Centre of mass of the robot [m], shape (n_worlds, 2 or 3)."""
    v: Velocity
    """Velocities of the links' centres of mass [m/s], shape (n_worlds, n_links, 2 or 3)."""
    n_contacts: Whole
    """Number of contacts in the last step [-], shape (n_worlds, n_links); in the plane those with obstacles."""
    contact_key: Whole
    """What these contacts belong to [-], shape (n_worlds, n_links, n_slots); in the plane a feature of an obstacle."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of all fields."""
        return tuple(field.name for field in fields(cls))


@dataclass(frozen=True, kw_only=True)
class State(AnyState):
    """The state of all planar worlds at one time. A run restored from it continues bit for bit the same.

    The pose is the robot's centre of mass and the link angles, so the joints are always closed. Velocities are stored
    per link, as the time stepping of Transeth2008a needs them.
    """

    __repr__ = brief

    theta: Radians
    """Link angles [rad], shape (n_worlds, n_links)."""
    omega: Rate
    """Angular velocities of the links [rad/s], shape (n_worlds, n_links)."""
    P_ground: Impulse
    """Friction impulses of the last step, in the law's coordinates [N s], shape (n_worlds, n_links, n_points, 2)."""
    P_spin: Twist
    """Spin-friction impulses of the last step [N m s], shape (n_worlds, n_links)."""
    P_stop: Twist
    """Impulses of the end stops in the last step, of the joint in front of each link [N m s], same shape."""
    P_contact: Impulse
    """Normal and tangential impulses of the contacts [N s], shape (n_worlds, n_links, n_slots, 2)."""
    n_self: Whole
    """Number of contacts between links of the robot in the last step [-], shape (n_worlds,)."""
    self_key: Whole
    """Which ends of which two links each of them belongs to [-], shape (n_worlds, n_self_slots)."""
    P_self: Impulse
    """Their normal and tangential impulses [N s], shape (n_worlds, n_self_slots, 2)."""


@dataclass(frozen=True, kw_only=True)
class SpatialState(AnyState):
    """The state of all spatial worlds at one time. A run restored from it continues bit for bit the same.

    The pose is the robot's centre of mass, the tail's orientation and the joint angles, so the joints are always
    closed. Velocities are stored per link, as the time stepping of Transeth2008b needs them.
    """

    __repr__ = brief

    tail: Annotated[np.ndarray, real("-")]
    """Orientation of the tail link, unit quaternions w, x, y, z, shape (n_worlds, 4)."""
    angle: Radians
    """Joint angles [rad], shape (n_worlds, n_joints)."""
    rate: Rate
    """Joint rates [rad/s], same shape."""
    omega: Rate
    """Angular velocities of the links in their own frames [rad/s], shape (n_worlds, n_links, 3)."""
    v_change: Velocity
    """Change of the velocities of the links' rear joints in the last step [m/s], shape (n_worlds, n_links, 3)."""
    w_change: Rate
    """Change of their angular velocities in the last step, world axes [rad/s], same shape."""
    P_stop: Twist
    """Impulses of the end stops in the last step [N m s], shape (n_worlds, n_joints)."""
    P_contact: Impulse
    """Normal and friction impulses of contacts, in the law's coordinates [N s], (n_worlds, n_links, n_slots, 3)."""
    Q_contact: Twist
    """Their spin and rolling impulses [N m s], same shape."""
    n_self: Whole
    """Number of contacts between links of the robot in the last step [-], shape (n_worlds,)."""
    self_key: Whole
    """Which two links each of them belongs to [-], shape (n_worlds, n_self_slots)."""
    P_self: Impulse
    """Their normal and tangential impulses [N s], shape (n_worlds, n_self_slots, 3)."""


AState = TypeVar("AState", bound=AnyState)


def checked_state(state: Any, like: AState, most: Mapping[str, int]) -> AState:
    """Copies and checks a state for the batch whose current state is `like`.

    `most` gives the largest contact counts and keys. Worlds that have ended may hold anything, as they do not move any
    more.
    """
    if not isinstance(state, type(like)):
        raise InvalidModel("state", type(state).__name__, f"a {type(like).__name__}")
    kind: Any = type(like)
    most = {"step": MOST_STEPS, "status": Status.ENDED.code, **most}
    units = {name: parts_of(hint)[1][Bounds].unit for name, hint in declared(kind).items()}
    made: dict[str, np.ndarray] = {}
    for name in type(like).names():
        fits, value = getattr(like, name), getattr(state, name)
        if fits.dtype.kind in "iu":
            made[name] = array(f"state.{name}", value, _up_to(most[name]), Axes(*fits.shape), whole=True)
        else:
            made[name] = array_of_numbers(f"state.{name}", value, Axes(*fits.shape), unit=units[name])
    running = made["status"] == Status.RUNNING.code
    single = like.center.dtype == np.float32
    numbers = {name: values for name, values in made.items() if values.dtype.kind == "f"}
    if not running.all():
        rows = {name: running.reshape(-1, *[1] * (values.ndim - 1)) for name, values in numbers.items()}
        numbers = {name: np.where(rows[name], values, 0.0) for name, values in numbers.items()}
    check_numbers(kind, numbers, single=single)
    if "tail" in made:
        _check_unit(made["tail"][running], OFF_UNIT["float32" if single else "float64"])
        _check_pairs(made["self_key"], made["n_contacts"].shape[1])
    return type(like)(**made)


def check_numbers(kind: Any, numbers: Mapping[str, np.ndarray], *, single: bool) -> None:
    """Raises InvalidModel for numbers of a state that are not finite or too large; in single precision sooner."""
    hints = declared(kind)
    for name, values in numbers.items():
        unit = parts_of(hints[name])[1][Bounds].unit
        check_range(f"state.{name}", values, real(unit), LARGEST_SINGLE if single else MOST_MAGNITUDE)


def _up_to(most: int) -> Bounds:
    return Bounds("-", low=0, high=most)


def _check_unit(quaternions: np.ndarray, off: float) -> None:
    length = np.linalg.norm(quaternions, axis=1)
    if (np.abs(length - 1.0) > off).any():
        odd = float(length[np.argmax(np.abs(length - 1.0))])
        raise InvalidModel("state.tail: length of a quaternion", odd, f"1 to within {off:g}")


def _check_pairs(keys: np.ndarray, n_links: int) -> None:
    """A key is 1 + i n_links + j for the links i and j, or 0 where there has been no contact yet."""
    one, other = np.divmod(keys - 1, n_links)
    bad = (keys > 0) & (one == other)
    if bad.any():
        raise InvalidModel("state.self_key", int(keys[bad][0]), "of two different links")

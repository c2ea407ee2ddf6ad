"""What the robot is asked to do: accelerations of its centre of mass and of chosen links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import above, check_fields, store
from pushpoint.reduced.state import ReducedState, finite_array

_CENTER = np.array([-2, -1])


def _chosen(field: str, links: Any) -> np.ndarray:
    chosen = np.asarray(links)
    if chosen.size == 0:
        return np.zeros(0, dtype=int)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or (chosen < 0).any():
        raise InvalidModel(field, links, "a list of link numbers, from 0")
    if len(set(chosen.tolist())) < len(chosen):
        raise InvalidModel(field, links, "a list without repetitions")
    return chosen


def _vector(field: str, value: Any, size: int, unit: str) -> np.ndarray:
    array = finite_array(field, value, unit)
    if array.shape == (size,):
        return array
    if array.ndim:
        raise InvalidModel(f"{field}: shape", array.shape, f"({size},)")
    return np.full(size, float(array))


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionWish:
    """Accelerations asked for, the right sides of Holden2014 (40)-(42)."""

    center_acceleration: np.ndarray
    """Of the robot's centre of mass [m/s^2], shape (2,)."""
    links: np.ndarray
    """Links whose angles are asked for [-], shape (n_d,)."""
    link_acceleration: np.ndarray
    """Their angular accelerations [rad/s^2], shape (n_d,)."""

    rows: np.ndarray = field(init=False, repr=False)
    """Where these stand in q = (theta, p), the centre of mass first: -2, -1, links [-], shape (2 + n_d,)."""
    acceleration: np.ndarray = field(init=False, repr=False)
    """All of them, in this order [m/s^2, then rad/s^2], shape (2 + n_d,)."""

    def __post_init__(self) -> None:
        links = _chosen("wish.links", self.links)
        center = _vector("wish.center_acceleration", self.center_acceleration, 2, "m/s^2")
        turn = _vector("wish.link_acceleration", self.link_acceleration, len(links), "rad/s^2")
        store(
            self,
            center_acceleration=center,
            links=links,
            link_acceleration=turn,
            rows=np.concatenate((_CENTER, links)),
            acceleration=np.concatenate((center, turn)),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionReference:
    """Where the centre of mass and the chosen links should be; single numbers serve all links."""

    center: np.ndarray
    """Centre of mass, p_d [m], shape (2,)."""
    links: np.ndarray
    """Links whose angles are controlled [-], shape (n_d,)."""
    link_angle: np.ndarray
    """Their angles, theta_d [rad], shape (n_d,)."""
    velocity: np.ndarray | float = 0.0
    """Velocity of the centre of mass [m/s], shape (2,)."""
    acceleration: np.ndarray | float = 0.0
    """Acceleration of the centre of mass [m/s^2], shape (2,)."""
    link_rate: np.ndarray | float = 0.0
    """Angular velocities [rad/s], shape (n_d,)."""
    link_acceleration: np.ndarray | float = 0.0
    """Angular accelerations [rad/s^2], shape (n_d,)."""

    def __post_init__(self) -> None:
        links = _chosen("reference.links", self.links)
        count = len(links)
        store(
            self,
            center=_vector("reference.center", self.center, 2, "m"),
            links=links,
            link_angle=_vector("reference.link_angle", self.link_angle, count, "rad"),
            velocity=_vector("reference.velocity", self.velocity, 2, "m/s"),
            acceleration=_vector("reference.acceleration", self.acceleration, 2, "m/s^2"),
            link_rate=_vector("reference.link_rate", self.link_rate, count, "rad/s"),
            link_acceleration=_vector("reference.link_acceleration", self.link_acceleration, count, "rad/s^2"),
        )


@dataclass(frozen=True, kw_only=True)
class Gains:
    """Gains of the law (47)-(49); all errors then decay as e_ddot + damping e_dot + stiffness e = 0."""

    center_stiffness: Annotated[float, above(0, "1/s^2")] = 1.0
    """k_p of the centre of mass [1/s^2]."""
    center_damping: Annotated[float, above(0, "1/s")] = 1.0
    """k_d of the centre of mass [1/s]."""
    link_stiffness: Annotated[float, above(0, "1/s^2")] = 1.0
    """K_p of the link angles [1/s^2]."""
    link_damping: Annotated[float, above(0, "1/s")] = 1.0
    """K_d of the link angles [1/s]."""

    def __post_init__(self) -> None:
        check_fields(self, "gains")


def tracking_wish(state: ReducedState, reference: MotionReference, gains: Gains = Gains()) -> MotionWish:  # noqa: B008
    """The accelerations by which errors decay, Holden2014 (47)-(49)."""
    links = reference.links
    if links.size and int(links.max()) >= state.link_angle.shape[-1]:
        raise InvalidModel("reference.links", int(links.max()), f"below {state.link_angle.shape[-1]}")
    return MotionWish(
        center_acceleration=reference.acceleration
        - gains.center_stiffness * (state.center - reference.center)
        - gains.center_damping * (state.velocity - reference.velocity),
        links=links,
        link_acceleration=reference.link_acceleration
        - gains.link_stiffness * (state.link_angle[links] - reference.link_angle)
        - gains.link_damping * (state.link_rate[links] - reference.link_rate),
    )

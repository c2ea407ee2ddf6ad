"""The wanted motion: what the force mapping is asked for, Holden2014 (40)-(49)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import above, check_fields, instance, store
from pushpoint.reduced.robot import ReducedState, finite_array, link_numbers


def _store_vectors(owner: Any, name: str, **units: str) -> None:
    """Checks and stores `links` and the given fields: one number per link for fields named after links, else two."""
    links = link_numbers(f"{name}.links", owner.links)
    if links.ndim != 1:
        raise InvalidModel(f"{name}.links", owner.links, "a list of link numbers, from 0")
    if len(set(links.tolist())) < len(links):
        raise InvalidModel(f"{name}.links", owner.links, "a list without repetitions")
    store(owner, links=links)
    for field, unit in units.items():
        size = len(links) if field.startswith("link") else 2
        array = finite_array(f"{name}.{field}", getattr(owner, field), unit)
        if array.ndim and array.shape != (size,):
            raise InvalidModel(f"{name}.{field}: shape", array.shape, f"({size},)")
        store(owner, **{field: array if array.ndim else np.full(size, float(array))})


def _store_direction(owner: Any, name: str) -> None:
    """Checks `direction` and stores it as a unit vector."""
    if owner.direction is None:
        return
    given = finite_array(f"{name}.direction", owner.direction, "-")
    size = float(np.linalg.norm(given))
    if given.shape != (2,) or not size > 0.0:
        raise InvalidModel(f"{name}.direction", owner.direction, "two numbers x, y, not both zero")
    store(owner, direction=given / size)


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionWish:
    """The wanted accelerations: the right-hand sides of Holden2014 (40)-(42)."""

    __repr__ = brief

    center_acceleration: np.ndarray
    """Wanted acceleration of the robot's centre of mass [m/s^2], shape (2,)."""
    links: np.ndarray
    """Indices of the links whose angles are controlled [-], shape (n_d,)."""
    link_acceleration: np.ndarray
    """Their angular accelerations [rad/s^2], shape (n_d,)."""
    posture: np.ndarray | None = None
    """Angular accelerations with which free links keep their posture, a_f [rad/s^2], shape (n_links,).

    It lists all links; the entries of the controlled links are not used. None: no posture is kept.
    """
    direction: np.ndarray | None = None
    """The only direction in which the centre of mass is controlled, shape (2,), of any length; None: in both.

    The part of center_acceleration across it is not asked for.
    """

    def __post_init__(self) -> None:
        _store_vectors(self, "wish", center_acceleration="m/s^2", link_acceleration="rad/s^2")
        _store_direction(self, "wish")
        if self.posture is not None:
            store(self, posture=finite_array("wish.posture", self.posture, "rad/s^2"))


@dataclass(frozen=True, kw_only=True, eq=False)
class PostureReference:
    """Wanted posture of the links that are left free. A single number applies to all links."""

    __repr__ = brief

    link_angle: np.ndarray
    """Angles [rad], shape (n_links,)."""
    link_rate: np.ndarray | float = 0.0
    """Angular velocities [rad/s], shape (n_links,)."""
    link_acceleration: np.ndarray | float = 0.0
    """Angular accelerations [rad/s^2], shape (n_links,)."""

    def __post_init__(self) -> None:
        for name, unit in (("link_angle", "rad"), ("link_rate", "rad/s"), ("link_acceleration", "rad/s^2")):
            store(self, **{name: finite_array(f"posture.{name}", getattr(self, name), unit)})


@dataclass(frozen=True, kw_only=True, eq=False)
class MotionReference:
    """Wanted motion of the centre of mass and of the chosen links. A single number applies to all links."""

    __repr__ = brief

    center: np.ndarray
    """Position of the centre of mass, p_d [m], shape (2,)."""
    links: np.ndarray
    """Indices of the links whose angles are controlled [-], shape (n_d,)."""
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
    posture: PostureReference | None = None
    """Wanted posture of the other links; None: no posture is kept."""
    direction: np.ndarray | None = None
    """The only direction in which the centre of mass is controlled, shape (2,), of any length; None: in both."""

    def __post_init__(self) -> None:
        of_center = {"center": "m", "velocity": "m/s", "acceleration": "m/s^2"}
        of_links = {"link_angle": "rad", "link_rate": "rad/s", "link_acceleration": "rad/s^2"}
        _store_vectors(self, "reference", **of_center, **of_links)
        _store_direction(self, "reference")
        if self.posture is not None:
            instance("reference.posture", self.posture, PostureReference, "a PostureReference")


@dataclass(frozen=True, kw_only=True)
class Gains:
    """Gains of the law (47)-(49). All errors then decay as e_ddot + damping e_dot + stiffness e = 0."""

    __repr__ = brief

    center_stiffness: Annotated[float, above(0, "1/s^2")] = 1.0
    """Gain k_p of the centre of mass [1/s^2]."""
    center_damping: Annotated[float, above(0, "1/s")] = 1.0
    """Gain k_d of the centre of mass [1/s]."""
    link_stiffness: Annotated[float, above(0, "1/s^2")] = 1.0
    """Gain K_p of the link angles [1/s^2]."""
    link_damping: Annotated[float, above(0, "1/s")] = 1.0
    """Gain K_d of the link angles [1/s]."""
    posture_stiffness: Annotated[float, above(0, "1/s^2")] = 400.0
    """Gain k_p of the free links [1/s^2]; times `MappingWeights.posture` it is a stiffness [N m/rad]."""
    posture_damping: Annotated[float, above(0, "1/s")] = 40.0
    """Gain k_d of the free links [1/s]."""

    def __post_init__(self) -> None:
        check_fields(self, "gains")


@checked_arguments
def tracking_wish(state: ReducedState, reference: MotionReference, gains: Gains = Gains()) -> MotionWish:  # noqa: B008
    """The wanted accelerations with which errors decay, Holden2014 (47)-(49).

    Args:
        state: Pose and velocities of the robot.
        reference: The wanted motion.
        gains: How fast errors decay.
    """
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
        posture=None if reference.posture is None else _kept(state, reference.posture, gains),
        direction=reference.direction,
    )


def _kept(state: ReducedState, posture: PostureReference, gains: Gains) -> np.ndarray:
    """The posture accelerations a_f for all links [rad/s^2]."""
    off, rate_off = state.link_angle - posture.link_angle, state.link_rate - posture.link_rate
    return np.asarray(posture.link_acceleration - gains.posture_stiffness * off - gains.posture_damping * rate_off)

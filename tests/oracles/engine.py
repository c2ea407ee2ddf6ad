"""The one place where tests look inside the engine: its scratch arrays, its force directions, its projections.

Everything here reads private names of `dynamics.stepper` or calls functions of `kernels`; the tests themselves do not.
Annotations are values in Warp's language, so this file does not postpone them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.devices import start_warp
from pushpoint.engine.packing import law_of
from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.kernels import laws
from pushpoint.kernels.planar import geometry, structs
from pushpoint.model.environment import Environment
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.worlds.world import World

FAMILY = structs.family(wp.float64)
VEC2 = wp.types.vector(2, wp.float64)
VEC3 = wp.types.vector(3, wp.float64)


def stepper_at_start(worlds: Sequence[World], settings: Settings) -> Stepper:
    """A stepper whose worlds stand at their starts, driven by their gaits if they have any."""
    stepper = Stepper([w.robot for w in worlds], [w.environment for w in worlds], settings)
    stepper.load(stepper.initial([world.pose(k) for k, world in enumerate(worlds)]))
    if all(hasattr(world.controller, "wave") for world in worlds):
        waves = [world.controller.wave(world.robot) for world in worlds]
        stepper.use_waves(waves, [world.controller.prescribed for world in worlds])
    return stepper


def stepper_in_poses(
    robots: Sequence[PlanarRobot],
    environments: Sequence[Environment],
    poses: Sequence[dict[str, Any]],
    settings: Settings,
) -> Stepper:
    """A stepper in given poses (see Start.pose), which may overlap obstacles; its motors hold a straight body."""
    stepper = Stepper(robots, environments, settings)
    stepper.load(stepper.initial(poses))
    return stepper


def ground_impulses(stepper: Stepper) -> np.ndarray:
    """Friction impulses of the last step, link frame at its midpoint [N s], shape (n_worlds, n_links, n_points, 2)."""
    z, S = (stepper._records.read(stepper._work, "points", name, several=True) for name in ("z", "S"))
    return S * z


def spin_impulses(stepper: Stepper) -> np.ndarray:
    """Spin-friction impulses of the last step [N m s], shape (n_worlds, n_links)."""
    return stepper._records.read(stepper._work, "links", "spin_P")


def drift_made_of(stepper: Stepper) -> np.ndarray:
    """dt/2 omega^2 with the turning that the last step's drift was made of [1/s], shape (n_worlds, n_links)."""
    return stepper._records.read(stepper._work, "links", "inward")


def motor_impulses(stepper: Stepper) -> np.ndarray:
    """Motor impulses of the last step [N m s], shape (n_worlds, n_joints)."""
    return stepper._records.read(stepper._work, "joints", "P")[:, : stepper.n_joints]


@dataclass(frozen=True, kw_only=True)
class Contact:
    """One contact of the last step, directions taken at its midpoint about the link's rear joint J."""

    world: int
    link: int
    peg: int
    """Row of the obstacle in the batch."""
    rear_joint: np.ndarray
    """J [m], shape (2,)."""
    angle: float
    """Link angle [rad]."""
    W_N: np.ndarray
    W_T: np.ndarray
    P: np.ndarray
    """Impulses (normal, tangential) [N s]."""
    target: float
    """Normal velocity that the contact aims at [m/s]."""
    to_axis: float
    """From J to the point of the axis through which the normal acts [m]."""
    inward: float
    """dt/2 omega^2 with the turning that the drift of the link's velocities was made of [1/s]."""


def contacts(stepper: Stepper) -> list[Contact]:
    """All contacts of the last step."""
    read, work = stepper._records.read, stepper._work
    count, e, J = read(work, "n_contacts"), read(work, "links", "e"), read(work, "links", "J")
    inwards = drift_made_of(stepper)
    fields = {name: read(work, "contacts", name, several=True) for name in _CONTACT_FIELDS}
    found = []
    for w, i in np.argwhere(count > 0):
        for c in range(count[w, i]):
            values = {name: fields[name][w, i, c] for name in _CONTACT_FIELDS}
            found.append(
                Contact(
                    world=int(w),
                    link=int(i),
                    peg=int(values["key"]) // int(structs.FEATURES),
                    rear_joint=J[w, i],
                    angle=float(np.arctan2(e[w, i, 1], e[w, i, 0])),
                    W_N=values["W_N"],
                    W_T=values["W_T"],
                    P=values["P"],
                    target=float(values["target"]),
                    to_axis=float(values["to_axis"]),
                    inward=float(inwards[w, i]),
                )
            )
    return found


_CONTACT_FIELDS = ("key", "W_N", "W_T", "P", "target", "to_axis")


@wp.kernel(module="unique", enable_backward=False)
def _gaps(
    link: int,
    radii: wp.float64,
    model: FAMILY.Model,
    J: wp.array(dtype=VEC2),
    e: wp.array(dtype=VEC2),
    H: wp.array(dtype=VEC2),
    normal: wp.array(dtype=VEC2),
    gap: wp.array(dtype=wp.float64),
):
    k = wp.tid()
    s = geometry.axis_point(J[k], e[k], H[k], model.links[link])
    n, g = geometry.normal_and_gap(J[k] + s * e[k], H[k], e[k], radii)
    normal[k] = n
    gap[k] = g


def gaps(stepper: Stepper, link: int, J: np.ndarray, angle: np.ndarray, pegs: np.ndarray) -> tuple[Any, Any]:
    """Normals (n, 2) and gaps (n,) [m] between a link of world 0 in given places and point-like pegs (n, 2)."""
    e = np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    normal, gap = wp.zeros(len(pegs), dtype=VEC2), wp.zeros(len(pegs), dtype=wp.float64)
    radius = float(stepper._records.read(stepper._model, "links", "radius")[0, link])
    places = [wp.array(np.broadcast_to(a, pegs.shape).copy(), dtype=VEC2) for a in (J, e, pegs)]
    wp.launch(_gaps, dim=len(pegs), inputs=[link, radius, stepper._model, *places, normal, gap])
    return normal.numpy(), gap.numpy()


@wp.kernel(module="unique", enable_backward=False)
def _disc(y: wp.array(dtype=VEC2), bound: wp.float64, result: wp.array(dtype=VEC2)):
    k = wp.tid()
    result[k] = laws.disc_projection(y[k], bound)


def disc_projection(y: np.ndarray, bound: float) -> np.ndarray:
    """The kernels' map onto the disc, shape (n, 2)."""
    start_warp()
    result = wp.zeros(len(y), dtype=VEC2, device="cpu")
    wp.launch(_disc, dim=len(y), inputs=[wp.array(y, dtype=VEC2, device="cpu"), bound, result], device="cpu")
    return np.array(result.numpy())


@wp.kernel(module="unique", enable_backward=False)
def _interval(y: wp.array(dtype=wp.float64), bound: wp.float64, result: wp.array(dtype=wp.float64)):
    k = wp.tid()
    result[k] = laws.interval_projection(y[k], bound)


def interval_projection(y: np.ndarray, bound: float) -> np.ndarray:
    """The kernels' map onto an interval, shape (n,)."""
    start_warp()
    result = wp.zeros(len(y), dtype=wp.float64, device="cpu")
    wp.launch(_interval, dim=len(y), inputs=[wp.array(y, device="cpu"), bound, result], device="cpu")
    return np.array(result.numpy())


@wp.kernel(module="unique", enable_backward=False)
def _iterate(  # noqa: PLR0913  (a kernel takes no bundles)
    law: int,
    directional: int,
    scale: VEC3,
    bound: wp.float64,
    r: wp.float64,
    rounds: int,
    z: wp.array(dtype=VEC2),
    gamma: wp.array(dtype=VEC2),
    P: wp.array(dtype=VEC2),
):
    k = wp.tid()
    y = z[k]
    used = scale[1]
    if y[0] < wp.float64(0.0):
        used = scale[0]
    for _ in range(rounds):
        S, y = laws.ground_half(law, directional, scale, used, y, gamma[k], r)
        y = laws.ground_projection(law, directional, scale, S, y, gamma[k], bound, r)
        used = S[0]
        P[k] = wp.cw_mul(S, y)
    z[k] = y


def apply_law(
    law: FrictionLaw, normal_force: float, z: np.ndarray, gamma: np.ndarray, *, r: float = 1.0, rounds: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """The kernels' fixed-point map of a law, applied `rounds` times at given slip: (scaled force z, force P) [N]."""
    start_warp()
    made = law_of(law)
    scaled, P = wp.array(z, dtype=VEC2, device="cpu"), wp.zeros(len(z), dtype=VEC2, device="cpu")
    slip = wp.array(gamma, dtype=VEC2, device="cpu")
    wp.launch(
        _iterate,
        dim=len(z),
        inputs=[
            made.code, made.directional, VEC3(*made.scale), made.largest * normal_force, r, rounds,
            scaled, slip, P,
        ],
        device="cpu",
    )  # fmt: skip
    return np.array(scaled.numpy()), np.array(P.numpy())

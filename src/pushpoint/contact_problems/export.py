"""The last time step of a world as a dense contact problem, with the impulses that the engine found.

The degrees of freedom of a chain are the tail's twist at its rear joint and the rates of the joints' axes. Each contact
and joint stop of a step becomes a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pushpoint.contact_problems.problem import Problem
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import InvalidModel
from pushpoint.kernels.spatial.structs import FEATURES, MOST_SELF
from pushpoint.kernels.structs import DRIVE_PRESCRIBED, LAW_CONE, LAW_NONE, LAW_RECTANGLE

Fields = dict[str, np.ndarray]

UP = np.array([0.0, 0.0, 1.0])
LEAST_SPEED = 1e-4
"""Velocity in which a step's tolerance is measured if gravity gives less [m/s], as in the kernels."""


@dataclass(frozen=True, kw_only=True)
class _Row:
    """One contact of a step."""

    kind: str
    """"ground", "obstacle", "self" or "stop"."""
    link: int
    """Index of the link [-]."""
    directions: np.ndarray
    """Velocities of the contact per velocity of the chain, shape (3, n_freedoms); zero rows where nothing can move."""
    target: float
    """Normal velocity that the contact aims for [m/s]."""
    mu: np.ndarray
    """Coefficients for sliding forward, backward and across [-], shape (3,)."""
    impulse: np.ndarray
    """Impulses on the links: normal, tangential [N s], shape (3,)."""
    frame: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    """Normal and tangents as rows, world axes."""
    point: np.ndarray = field(default_factory=lambda: np.zeros(3))
    """Where it touches [m]."""
    drift: np.ndarray = field(default_factory=lambda: np.zeros(3))
    """Change of the velocity from rotating axes and arms in half a step [m/s], shape (3,)."""
    load: tuple[float, float] | None = None
    """Mass [kg] and impulse [N s] that press on the contact, where the plane has no degree of freedom for it."""


def _coefficients(code: int, directional: int, largest: float, scale: np.ndarray) -> np.ndarray:
    """A law as coefficients forward, backward and across; raises InvalidModel unless it is an associated cone."""
    if code == int(LAW_NONE):
        return np.zeros(3)
    if code != int(LAW_CONE):
        name = "Rectangular" if code == int(LAW_RECTANGLE) else "Viscous"
        raise InvalidModel("contact problem: friction", name, "Isotropic, Elliptic or Skin")
    if directional == 1 and np.ptp(scale) > 0.0:
        raise InvalidModel("contact problem: flow of the friction", "directional", "'associated'")
    return np.asarray(largest * np.asarray(scale, dtype=float))


@dataclass(frozen=True, kw_only=True)
class _Chain:
    """The equation A nu = f of a chain's free velocities, without contacts."""

    A: np.ndarray
    """Mass matrix with the motors' lines, shape (n_freedoms, n_freedoms)."""
    f: np.ndarray
    """Impulses, shape (n_freedoms,)."""
    given: np.ndarray
    """Prescribed velocities, NaN where free, shape (n_freedoms,)."""

    def problem(self, rows: list[_Row]) -> tuple[np.ndarray, np.ndarray]:
        """W and q of the contacts."""
        free = np.isnan(self.given)
        nu = np.where(free, 0.0, self.given)
        H = np.concatenate([row.directions for row in rows]) if rows else np.zeros((0, len(nu)))
        push = (self.f - self.A @ nu)[free]
        inner = self.A[np.ix_(free, free)]
        W = H[:, free] @ np.linalg.solve(inner, H[:, free].T)
        q = H[:, free] @ np.linalg.solve(inner, push) + H @ nu
        for k, row in enumerate(rows):
            q[3 * k : 3 * k + 3] += row.drift
            q[3 * k] -= row.target
            if row.load is not None:
                W[3 * k, 3 * k], q[3 * k] = 1.0 / row.load[0], -row.load[1] / row.load[0]
        return (W + W.T) / 2, q


def _joint_fields(stepper: Stepper, world: int) -> Fields:
    """The laws of the axes in the last step, shape (n_joints,) each."""
    read, work = partial(stepper._records.read, per="axis"), stepper._work
    names = ("b", "kappa", "stop_F", "stop_G", "stop_target", "stopped", "rate")
    found = {name: read(work, "joints", name)[world] for name in names}
    prescribed = read(stepper._drive, "joints", "mode")[world] == int(DRIVE_PRESCRIBED)
    found["given"] = np.where(prescribed, found["b"], np.nan)
    found["b"] = np.where(prescribed, 0.0, found["b"])
    found["kappa"] = np.where(prescribed, 0.0, found["kappa"])
    found["stopped"] = np.where(prescribed, 0, found["stopped"])
    return found


def _stop_rows(joints: Fields, link_behind: list[int], lengths: np.ndarray, first: int) -> Iterator[_Row]:
    """Joints at their end stops: contacts without friction, rates times the length of the link in front.

    `first` is the index of the first joint rate among the degrees of freedom.
    """
    count = len(joints["rate"])
    for j in np.flatnonzero(joints["stopped"]):
        inward, length = -float(joints["stopped"][j]), float(lengths[link_behind[j] + 1])
        directions = np.zeros((3, first + count))
        directions[0, first + j] = inward * length
        felt = joints["stop_F"][j] - joints["stop_G"][j] * joints["rate"][j]
        yield _Row(
            kind="stop",
            link=link_behind[j],
            directions=directions,
            target=inward * length * float(joints["stop_target"][j]),
            mu=np.zeros(3),
            impulse=np.array([inward * felt / length, 0.0, 0.0]),
        )


def _planar_step(stepper: Stepper, world: int) -> tuple[_Chain, list[_Row]]:
    """The chain without contacts, and its contacts as they were found."""
    read, work, model = stepper._records.read, stepper._work, stepper._model
    links = {name: read(work, "links", name)[world] for name in ("e", "J", "f_smooth", "spin_P", "x")}
    body = {name: read(model, "links", name)[world] for name in ("length", "to_mass", "mass", "inertia", "radius")}
    joints = _joint_fields(stepper, world)
    X = _planar_twists(links["e"], body["length"])
    A, f = np.zeros((X.shape[2],) * 2), np.zeros(X.shape[2])
    for i in range(stepper.n_links):
        m, c, e = body["mass"][i], body["to_mass"][i], links["e"][i]
        M = np.diag([m, m, body["inertia"][i] + m * c * c])
        M[:2, 2] = M[2, :2] = m * c * np.array([-e[1], e[0]])
        A += X[i].T @ M @ X[i]
        # Friction against turning on the spot cannot be a contact: it acts with its known value.
        f += X[i].T @ (links["f_smooth"][i] + np.array([0.0, 0.0, links["spin_P"][i]]))
    A[3:, 3:] += np.diag(joints["kappa"])
    f[3:] += joints["b"]
    given = np.concatenate([np.full(3, np.nan), joints["given"]])
    behind = list(range(stepper.n_joints))
    rows = [*_ground(stepper, world, links, X), *_obstacles(stepper, world, links, body, X)]
    return _Chain(A=A, f=f, given=given), [*rows, *_stop_rows(joints, behind, body["length"], 3)]


def _planar_twists(e: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Twists of all links at their rear joints per degree of freedom, shape (n_links, 3, 2 + n_links)."""
    X = np.zeros((len(e), 3, 2 + len(e)))
    X[0, :, :3] = np.eye(3)
    for i in range(1, len(e)):
        X[i] = X[i - 1]
        X[i, :2] += np.outer(length[i - 1] * np.array([-e[i - 1, 1], e[i - 1, 0]]), X[i - 1, 2])
        X[i, 2, 2 + i] += 1.0
    return X


def _ground(stepper: Stepper, world: int, links: Fields, X: np.ndarray) -> Iterator[_Row]:
    """Support points: each is pressed down by its weight through a vertical degree of freedom of its own."""
    read, model, most = stepper._records.read, stepper._model, stepper._model.most_points
    names = ("law", "S", "z", "d", "drift", "bound")
    law, S, z, d, drift, bound = (read(stepper._work, "points", name, several=True)[world] for name in names)
    place, arm, weight = (read(model, "points", name, several=True)[world] for name in ("to_point", "arm", "weight"))
    count, laws = read(model, "links", "n_points")[world], model.laws.numpy()
    gravity, dt = float(model.worlds.numpy()["gravity"][world]), stepper.settings.dt
    for i, p in np.argwhere((np.arange(most) < count[:, None]) & (weight > 0.0)):
        made = laws[law[i, p]]
        largest = float(bound[i, p] / (dt * weight[i, p])) if made["stick_surplus"] else float(made["largest"])
        mu = _coefficients(int(made["code"]), int(made["directional"]), largest, made["scale"])
        if not mu.any():
            continue
        along, left = np.array([*d[i, p], 0.0]), np.array([-d[i, p, 1], d[i, p, 0], 0.0])
        moments = np.outer(arm[i, p], X[i, 2])
        directions = np.vstack([np.zeros(X.shape[2]), along @ X[i] + moments[0], left @ X[i] + moments[1]])
        pressed = dt * float(weight[i, p])
        yield _Row(
            kind="ground",
            link=int(i),
            directions=directions,
            target=0.0,
            mu=mu,
            impulse=np.concatenate([[pressed], S[i, p] * z[i, p]]),
            frame=np.array([UP, along, left]),
            point=np.append(links["J"][i] + float(place[i, p]) * links["e"][i], 0.0),
            drift=np.concatenate([[0.0], drift[i, p]]),
            load=(float(weight[i, p]) / gravity, pressed),
        )


def _obstacles(stepper: Stepper, world: int, links: Fields, body: Fields, X: np.ndarray) -> Iterator[_Row]:
    """Contacts with pegs, walls and polygons; nothing moves along their second tangent, out of the plane."""
    read, work = stepper._records.read, stepper._work
    names = ("W_N", "W_T", "P", "target", "drift", "mu")
    fields = {name: read(work, "contacts", name, several=True)[world] for name in names}
    for i, c in [(i, c) for i, n in enumerate(read(work, "n_contacts")[world]) for c in range(n)]:
        W_N, W_T = fields["W_N"][i, c], fields["W_T"][i, c]
        n, e = W_N[:2], links["e"][i]
        # The normal's moment arm about J gives the point on the axis, unless the link points at the obstacle.
        across = e[0] * n[1] - e[1] * n[0]
        s = W_N[2] / across if abs(across) > 1e-9 else body["to_mass"][i]
        yield _Row(
            kind="obstacle",
            link=i,
            directions=np.vstack([W_N @ X[i], W_T @ X[i], np.zeros(X.shape[2])]),
            target=float(fields["target"][i, c]),
            mu=np.full(3, float(fields["mu"][i, c])),
            impulse=np.append(fields["P"][i, c], 0.0),
            frame=np.array([np.append(n, 0.0), np.append(W_T[:2], 0.0), UP]),
            point=np.append(links["J"][i] + s * e - body["radius"][i] * n, 0.0),
            drift=np.append(fields["drift"][i, c], 0.0),
        )


def _spatial_step(stepper: Stepper, world: int) -> tuple[_Chain, list[_Row]]:
    """The chain without contacts, and its contacts as they were found."""
    read, work, model = stepper._records.read, stepper._work, stepper._model
    links = {name: read(work, "links", name)[world] for name in ("R", "J", "along", "between", "inertia", "f_v", "f_w")}
    body = {name: read(model, "links", name)[world] for name in ("length", "to_mass", "mass", "n_axes")}
    joints = _joint_fields(stepper, world)
    joints["s"] = read(work, "joints", "s", per="axis")[world]
    behind = [i for i in range(stepper.n_links - 1) for _ in range(body["n_axes"][i])]
    X = _spatial_twists(links, joints["s"], behind)
    contacts, turning = _contacts(stepper, world, links, X)
    selves = list(_selves(stepper, world, links, X))
    A, f = np.zeros((X.shape[2],) * 2), np.zeros(X.shape[2])
    for i in range(stepper.n_links):
        m, lever = body["mass"][i], body["mass"][i] * _skew(body["to_mass"][i] * links["R"][i, :, 0])
        A += X[i].T @ np.block([[m * np.eye(3), -lever], [lever, links["inertia"][i]]]) @ X[i]
        # Rolling and spin friction cannot be contacts: they act with their known values.
        f += X[i].T @ np.concatenate([links["f_v"][i], links["f_w"][i] + turning[i]])
    for row in selves:  # their impulses are included in the smooth ones
        f -= row.directions.T @ row.impulse
    A[6:, 6:] += np.diag(joints["kappa"])
    f[6:] += joints["b"]
    given = np.concatenate([np.full(6, np.nan), joints["given"]])
    return _Chain(A=A, f=f, given=given), [*contacts, *selves, *_stop_rows(joints, behind, body["length"], 6)]


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _spatial_twists(links: Fields, s: np.ndarray, behind: list[int]) -> np.ndarray:
    """Twists of all links at their rear joints per degree of freedom, shape (n_links, 6, 6 + n_joints)."""
    n_links = len(links["J"])
    X = np.zeros((n_links, 6, 6 + len(behind)))
    X[0, :, :6] = np.eye(6)
    for i in range(1, n_links):
        X[i] = X[i - 1]
        X[i, :3] -= _skew(links["along"][i - 1]) @ X[i, 3:]
        for a, j in enumerate(j for j, link in enumerate(behind) if link == i - 1):
            if a == 1:
                X[i, :3] -= _skew(links["between"][i - 1]) @ X[i, 3:]
            X[i, 3:, 6 + j] += s[j]
    return X


def _directions(frame: np.ndarray, arm: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Velocity, along the rows of a frame, of a point at `arm` from a link's rear joint, per degree of freedom."""
    return np.asarray(np.hstack([frame, np.cross(arm, frame)]) @ X)


def _contacts(stepper: Stepper, world: int, links: Fields, X: np.ndarray) -> tuple[list[_Row], np.ndarray]:
    """Contacts with ground and obstacles, and the torques of rolling and spin friction on every link [N m s]."""
    read, work, laws = stepper._records.read, stepper._work, stepper._model.laws.numpy()
    names = ("n", "t", "arm", "P", "Q", "S", "target", "drift", "largest", "rolling", "spin", "law", "key")
    fields = {name: read(work, "contacts", name, several=True)[world] for name in names}
    rows, turning = [], np.zeros((len(X), 3))
    for i, c in [(i, c) for i, n in enumerate(read(work, "n_contacts")[world]) for c in range(n)]:
        at = {name: values[i, c] for name, values in fields.items()}
        frame = np.array([at["n"], at["t"], np.cross(at["n"], at["t"])])
        law = laws[at["law"]]
        if at["rolling"] + at["spin"] > 0.0:
            turning[i] += at["Q"] @ frame
        row = _Row(
            kind="ground" if at["key"] < int(FEATURES) else "obstacle",
            link=i,
            directions=_directions(frame, at["arm"], X[i]),
            target=float(at["target"]),
            mu=_coefficients(int(law["code"]), int(law["directional"]), float(at["largest"]), law["scale"]),
            impulse=at["P"] * np.array([1.0, *at["S"]]),
            frame=frame,
            point=links["J"][i] + at["arm"],
            drift=at["drift"],
        )
        rows.append(row)
    return rows, turning


def _selves(stepper: Stepper, world: int, links: Fields, X: np.ndarray) -> Iterator[_Row]:
    """Contacts between two links of the robot."""
    work, strides = stepper._work, stepper._records.strides
    friction = float(stepper._model.worlds.numpy()["self_friction"][world])
    for slot in range(int(work.n_self.numpy()[world])):
        at = work.selves.numpy()[world * int(MOST_SELF) + slot]
        a, b = (
            (int(at[name]) - world * strides["world_stride"]) // strides["link_stride"] for name in ("link_a", "link_b")
        )
        frame = np.array([at["n"], at["t"], np.cross(at["n"], at["t"])])
        yield _Row(
            kind="self",
            link=min(a, b),
            directions=_directions(frame, at["arm_a"], X[a]) - _directions(frame, at["arm_b"], X[b]),
            target=float(at["target"]),
            mu=np.full(3, friction),
            impulse=np.asarray(at["P"]),
            frame=frame,
            point=links["J"][a] + at["arm_a"],
            drift=np.asarray(at["drift"]),
        )


def problem_of_step(stepper: Stepper, world: int = 0) -> Problem:
    """The contacts of the step that led to the current state of a stepper's world, three rows each, with impulses.

    Motors act by the lines on which the step ended, prescribed joints as constraints, joints at their end stops as
    contacts without friction. Rolling and spin friction act with their known values. In the plane, the ground's support
    points are contacts pressed down by their share of the weight, and links act on each other with known values.
    """
    if isinstance(world, bool) or not isinstance(world, int) or not 0 <= world < stepper.n_worlds:
        raise InvalidModel("world", world, f"a whole number from 0 to {stepper.n_worlds - 1}")
    state = stepper.state()
    spatial = isinstance(state, SpatialState)
    _refuse_stale(stepper, state, world, spatial=spatial)
    chain, rows = (_spatial_step if spatial else _planar_step)(stepper, world)
    W, q = chain.problem(rows)
    gravity = float(stepper._model.worlds.numpy()["gravity"][world])
    settings = stepper.settings
    return Problem(
        W=W,
        q=q,
        mu=np.array([row.mu for row in rows]).reshape(-1, 3),
        impulses=np.array([row.impulse for row in rows]).reshape(-1, 3),
        frames=np.array([row.frame for row in rows]).reshape(-1, 3, 3),
        points=np.array([row.point for row in rows]).reshape(-1, 3),
        kinds=np.array([row.kind for row in rows], dtype=np.str_),
        links=np.array([row.link for row in rows], dtype=int),
        tolerance=settings.tolerance * max(gravity * settings.dt, LEAST_SPEED),
    )


def _refuse_stale(stepper: Stepper, state: State | SpatialState, world: int, *, spatial: bool) -> None:
    """Raises InvalidModel if the last step does not belong to the state: before any step, or after a restore."""
    read, work = stepper._records.read, stepper._work
    now = state.omega[world]
    if not spatial:
        omega = read(work, "links", "x")[world][:, 2]
    else:
        omega = read(work, "links", "w")[world] + read(work, "links", "drift_w")[world]
        omega = np.einsum("ikj,ik->ij", read(work, "links", "R")[world], omega)
    close = np.allclose(omega, now, rtol=1e-4, atol=1e-6 * (1.0 + np.abs(now).max(initial=0.0)))
    if state.step[world] == 0 or not close:
        raise InvalidModel("contact problem: state", "not reached by a step", "the end of a step")

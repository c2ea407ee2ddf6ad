"""The last step of a planar world: freedoms are the tail's twist at its rear joint and the joint rates."""

from __future__ import annotations

import numpy as np

from pushpoint.contact_problems.export.rows import UP, Chain, Row, coefficients, joint_fields, stop_rows
from pushpoint.engine.stepper import Stepper


def planar_step(stepper: Stepper, world: int) -> tuple[Chain, list[Row]]:
    """The chain without contacts, and its contacts as they were found."""
    read, work, model = stepper._records.read, stepper._work, stepper._model
    links = {name: read(work.links, name)[world] for name in ("e", "J", "f_smooth", "spin_P", "x")}
    body = {name: read(model.links, name)[world] for name in ("length", "to_mass", "mass", "inertia", "radius")}
    joints = joint_fields(stepper, world)
    X = _twists(links["e"], body["length"])
    A, f = np.zeros((X.shape[2],) * 2), np.zeros(X.shape[2])
    for i in range(stepper.n_links):
        m, c, e = body["mass"][i], body["to_mass"][i], links["e"][i]
        M = np.diag([m, m, body["inertia"][i] + m * c * c])
        M[:2, 2] = M[2, :2] = m * c * np.array([-e[1], e[0]])
        A += X[i].T @ M @ X[i]
        # Friction against turning on the spot has no place among the contacts: it acts as it was found.
        f += X[i].T @ (links["f_smooth"][i] + np.array([0.0, 0.0, links["spin_P"][i]]))
    A[3:, 3:] += np.diag(joints["kappa"])
    f[3:] += joints["b"]
    given = np.concatenate([np.full(3, np.nan), joints["given"]])
    behind = list(range(stepper.n_joints))
    rows = _ground(stepper, world, links, X) + _obstacles(stepper, world, links, body, X)
    return Chain(A=A, f=f, given=given), rows + stop_rows(joints, behind, body["length"], 3)


def _twists(e: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Twists of all links at their rear joints per freedom, shape (n_links, 3, 2 + n_links)."""
    X = np.zeros((len(e), 3, 2 + len(e)))
    X[0, :, :3] = np.eye(3)
    for i in range(1, len(e)):
        X[i] = X[i - 1]
        X[i, :2] += np.outer(length[i - 1] * np.array([-e[i - 1, 1], e[i - 1, 0]]), X[i - 1, 2])
        X[i, 2, 2 + i] += 1.0
    return X


def _ground(stepper: Stepper, world: int, links: dict[str, np.ndarray], X: np.ndarray) -> list[Row]:
    """Support points: their weight presses them down through a vertical freedom of its own."""
    read, model, most = stepper._records.read, stepper._model, stepper._model.most_points
    law, S, z = (read(stepper._work.points, name, several=True)[world] for name in ("law", "S", "z"))
    place, weight = (read(model.points, name, several=True)[world] for name in ("to_point", "weight"))
    count, laws = read(model.links, "n_points")[world], model.laws.numpy()
    gravity, dt = float(model.worlds.numpy()["gravity"][world]), stepper.settings.dt
    rows = []
    for i, p in np.argwhere((np.arange(most) < count[:, None]) & (weight > 0.0)):
        made = laws[law[i, p]]
        mu = coefficients(int(made["code"]), int(made["directional"]), float(made["largest"]), made["scale"])
        if not mu.any():
            continue
        e, s = links["e"][i], float(place[i, p])
        along, left = np.array([e[0], e[1], 0.0]), np.array([-e[1], e[0], 0.0])
        W_across = np.array([-e[1], e[0], s])
        directions = np.vstack([np.zeros(X.shape[2]), along @ X[i], W_across @ X[i]])
        pressed = dt * float(weight[i, p])
        rows.append(
            Row(
                kind="ground",
                link=int(i),
                directions=directions,
                target=0.0,
                mu=mu,
                impulse=np.concatenate([[pressed], S[i, p] * z[i, p]]),
                frame=np.array([UP, along, left]),
                point=np.append(links["J"][i] + s * e, 0.0),
                load=(float(weight[i, p]) / gravity, pressed),
            )
        )
    return rows


def _obstacles(
    stepper: Stepper, world: int, links: dict[str, np.ndarray], body: dict[str, np.ndarray], X: np.ndarray
) -> list[Row]:
    """Contacts with pegs, walls and polygons; nothing moves along their second tangent, out of the plane."""
    read, work = stepper._records.read, stepper._work
    names = ("W_N", "W_T", "P", "target", "mu")
    fields = {name: read(work.contacts, name, several=True)[world] for name in names}
    rows = []
    for i, c in [(i, c) for i, n in enumerate(read(work.n_contacts)[world]) for c in range(n)]:
        W_N, W_T = fields["W_N"][i, c], fields["W_T"][i, c]
        n, e = W_N[:2], links["e"][i]
        # The normal's moment arm about J gives the axis point, unless the link points at the obstacle.
        across = e[0] * n[1] - e[1] * n[0]
        s = W_N[2] / across if abs(across) > 1e-9 else body["to_mass"][i]
        rows.append(
            Row(
                kind="obstacle",
                link=i,
                directions=np.vstack([W_N @ X[i], W_T @ X[i], np.zeros(X.shape[2])]),
                target=float(fields["target"][i, c]),
                mu=np.full(3, float(fields["mu"][i, c])),
                impulse=np.append(fields["P"][i, c], 0.0),
                frame=np.array([np.append(n, 0.0), np.append(W_T[:2], 0.0), UP]),
                point=np.append(links["J"][i] + s * e - body["radius"][i] * n, 0.0),
            )
        )
    return rows

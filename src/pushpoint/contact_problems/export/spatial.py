"""The last step of a spatial world: freedoms are the tail's twist at its rear joint and the rates of the axes."""

from __future__ import annotations

import numpy as np

from pushpoint.contact_problems.export.rows import Chain, Row, coefficients, joint_fields, stop_rows
from pushpoint.engine.stepper import Stepper
from pushpoint.kernels.spatial.structs import FEATURES, MOST_SELF

Fields = dict[str, np.ndarray]


def spatial_step(stepper: Stepper, world: int) -> tuple[Chain, list[Row]]:
    """The chain without contacts, and its contacts as they were found."""
    read, work, model = stepper._records.read, stepper._work, stepper._model
    links = {name: read(work.links, name)[world] for name in ("R", "J", "along", "between", "inertia", "f_v", "f_w")}
    body = {name: read(model.links, name)[world] for name in ("length", "to_mass", "mass", "n_axes")}
    joints = joint_fields(stepper, world)
    joints["s"] = read(work.joints, "s", per="axis")[world]
    behind = [i for i in range(stepper.n_links - 1) for _ in range(body["n_axes"][i])]
    X = _twists(links, joints["s"], behind)
    contacts, turning = _contacts(stepper, world, links, X)
    selves = _selves(stepper, world, links, X)
    A, f = np.zeros((X.shape[2],) * 2), np.zeros(X.shape[2])
    for i in range(stepper.n_links):
        m, lever = body["mass"][i], body["mass"][i] * _skew(body["to_mass"][i] * links["R"][i, :, 0])
        A += X[i].T @ np.block([[m * np.eye(3), -lever], [lever, links["inertia"][i]]]) @ X[i]
        # Rolling and spin friction have no place among the contacts: they act as they were found.
        f += X[i].T @ np.concatenate([links["f_v"][i], links["f_w"][i] + turning[i]])
    for row in selves:  # their impulses stand among the smooth ones
        f -= row.directions.T @ row.impulse
    A[6:, 6:] += np.diag(joints["kappa"])
    f[6:] += joints["b"]
    given = np.concatenate([np.full(6, np.nan), joints["given"]])
    return Chain(A=A, f=f, given=given), contacts + selves + stop_rows(joints, behind, body["length"], 6)


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _twists(links: Fields, s: np.ndarray, behind: list[int]) -> np.ndarray:
    """Twists of all links at their rear joints per freedom, shape (n_links, 6, 6 + n_joints)."""
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
    """Velocity along the rows of a frame of a point at `arm` from a link's rear joint, per freedom."""
    return np.asarray(np.hstack([frame, np.cross(arm, frame)]) @ X)


def _contacts(stepper: Stepper, world: int, links: Fields, X: np.ndarray) -> tuple[list[Row], np.ndarray]:
    """Contacts with ground and obstacles, and the torques of rolling and spin friction on every link [N m s]."""
    read, work, laws = stepper._records.read, stepper._work, stepper._model.laws.numpy()
    names = ("n", "t", "arm", "P", "Q", "S", "target", "largest", "rolling", "spin", "law", "key")
    fields = {name: read(work.contacts, name, several=True)[world] for name in names}
    rows, turning = [], np.zeros((len(X), 3))
    for i, c in [(i, c) for i, n in enumerate(read(work.n_contacts)[world]) for c in range(n)]:
        at = {name: values[i, c] for name, values in fields.items()}
        frame = np.array([at["n"], at["t"], np.cross(at["n"], at["t"])])
        law = laws[at["law"]]
        if at["rolling"] + at["spin"] > 0.0:
            turning[i] += at["Q"] @ frame
        rows.append(
            Row(
                kind="ground" if at["key"] < int(FEATURES) else "obstacle",
                link=i,
                directions=_directions(frame, at["arm"], X[i]),
                target=float(at["target"]),
                mu=coefficients(int(law["code"]), int(law["directional"]), float(at["largest"]), law["scale"]),
                impulse=at["P"] * np.array([1.0, *at["S"]]),
                frame=frame,
                point=links["J"][i] + at["arm"],
            )
        )
    return rows, turning


def _selves(stepper: Stepper, world: int, links: Fields, X: np.ndarray) -> list[Row]:
    """Contacts between two links of the robot."""
    work, strides = stepper._work, stepper._records.strides
    friction = float(stepper._model.worlds.numpy()["self_friction"][world])
    rows = []
    for slot in range(int(work.n_self.numpy()[world])):
        at = work.selves.numpy()[world * int(MOST_SELF) + slot]
        a, b = ((int(at[name]) - world * strides["world_stride"]) // strides["link_stride"] for name in _BOTH)
        frame = np.array([at["n"], at["t"], np.cross(at["n"], at["t"])])
        rows.append(
            Row(
                kind="self",
                link=min(a, b),
                directions=_directions(frame, at["arm_a"], X[a]) - _directions(frame, at["arm_b"], X[b]),
                target=float(at["target"]),
                mu=np.full(3, friction),
                impulse=np.asarray(at["P"]),
                frame=frame,
                point=links["J"][a] + at["arm_a"],
            )
        )
    return rows


_BOTH = ("link_a", "link_b")

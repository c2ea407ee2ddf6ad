"""Motors and end stops of the last step as lines and contacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.contact_problems.export.rows import Row
from pushpoint.kernels.structs import DRIVE_PRESCRIBED


def joint_fields(stepper: Any, world: int) -> dict[str, np.ndarray]:
    """What the axes' laws were in the last step, shape (n_joints,) each."""
    read, work = stepper._records.read_joints, stepper._work.joints
    names = ("b", "kappa", "stop_F", "stop_G", "stop_target", "stopped", "rate")
    found = {name: read(work, name)[world] for name in names}
    prescribed = read(stepper._drive.joints, "mode")[world] == int(DRIVE_PRESCRIBED)
    found["given"] = np.where(prescribed, found["b"], np.nan)
    found["b"] = np.where(prescribed, 0.0, found["b"])
    found["kappa"] = np.where(prescribed, 0.0, found["kappa"])
    found["stopped"] = np.where(prescribed, 0, found["stopped"])
    return found


def stop_rows(joints: dict[str, np.ndarray], link_behind: list[int], lengths: np.ndarray, first: int) -> list[Row]:
    """Joints at their ends: contacts without friction, rates times the length of the link in front.

    `first` is the place of the first joint rate among the freedoms.
    """
    rows = []
    count = len(joints["rate"])
    for j in np.flatnonzero(joints["stopped"]):
        inward, length = -float(joints["stopped"][j]), float(lengths[link_behind[j] + 1])
        directions = np.zeros((3, first + count))
        directions[0, first + j] = inward * length
        felt = joints["stop_F"][j] - joints["stop_G"][j] * joints["rate"][j]
        rows.append(
            Row(
                kind="stop",
                link=link_behind[j],
                directions=directions,
                target=inward * length * float(joints["stop_target"][j]),
                mu=np.zeros(3),
                impulse=np.array([inward * felt / length, 0.0, 0.0]),
            )
        )
    return rows

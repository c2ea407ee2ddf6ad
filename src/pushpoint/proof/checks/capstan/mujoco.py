"""The chain drawn around a peg, in MuJoCo: the same links, masses, hold-back force and heavy head.

The peg is a sphere whose middle lies in the plane of the chain, for which MuJoCo has exact contacts with capsules. The
chain hangs on the heavy head as a tree; what the head loses of its speed is the tension ahead of the peg.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.proof.checks.capstan.chain import HEAD_MASS, HOLD, PEG_RADIUS, CapstanChain

DT = 1e-3
SETTLE, LOOK = 0.3, 0.7
"""Time to sink into the peg, and time over which the mean is taken [s]."""
NOTE = (
    "48 links per half turn, mean over 0.7 s; MuJoCo's default contacts, elliptic friction cones, implicitfast "
    "integrator, steps of 1 ms"
)


def tension_ratio(mujoco: Any, chain: CapstanChain, mu: float) -> float:
    """Tension ahead of the peg over that behind it [-]."""
    model = mujoco.MjModel.from_xml_string(_mjcf(chain, mu))
    data = mujoco.MjData(model)
    pose, robot = chain.world(mu).pose(), chain.robot
    data.qpos[:2] = link_positions(robot, pose["center"], pose["theta"])[-1]
    data.qpos[2:] = np.concatenate((pose["theta"][-1:], -np.diff(pose["theta"])[::-1]))
    data.qvel[:2] = pose["v"][-1]
    data.qvel[2:] = np.concatenate((pose["omega"][-1:], -np.diff(pose["omega"])[::-1]))
    data.xfrc_applied[model.body("link0").id, 1] = -HOLD
    for _ in range(round(SETTLE / DT)):
        mujoco.mj_step(model, data)
    before = np.array(data.qvel[:2])
    for _ in range(round(LOOK / DT)):
        mujoco.mj_step(model, data)
    return float(np.linalg.norm(data.qvel[:2] - before) / LOOK * HEAD_MASS / HOLD)


def _mjcf(chain: CapstanChain, mu: float) -> str:
    """The chain as a tree from the head to the tail, each joint at the rear end of the link ahead."""
    links, length = chain.robot.links, chain.link_length
    rough = f'friction="{mu} 0 0"'
    parts = [
        f'<mujoco><option timestep="{DT}" gravity="0 0 0" cone="elliptic" integrator="implicitfast"/><worldbody>'
        f'<geom type="sphere" size="{PEG_RADIUS}" contype="1" conaffinity="0" {rough}/>'
    ]
    for k in reversed(range(len(links))):
        link, first = links[k], k == len(links) - 1
        parts.append(f'<body name="link{k}" pos="{0 if first else -length} 0 0">')
        if first:
            parts.append('<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>')
        parts.append(f'<joint type="hinge" axis="0 0 1" pos="{0 if first else length / 2} 0 0"/>')
        parts.append(f'<inertial pos="0 0 0" mass="{link.mass}" diaginertia="{" ".join([str(link.inertia)] * 3)}"/>')
        parts.append(
            f'<geom type="capsule" size="{link.radius}" fromto="{-length / 2} 0 0 {length / 2} 0 0" contype="0" '
            f'conaffinity="1" {rough}/>'
        )
    return "".join(parts) + "</body>" * len(links) + "</worldbody></mujoco>"

"""How heavy the joints of a floating robot are to turn, here and in MuJoCo.

T = 1/2 q' A(q) q' for joint rates q' when the whole robot has neither momentum nor spin. A does not depend on which
link is the root, nor on the frames of links, so that it compares a file with the robot that was read from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

import pushpoint as pp
from pushpoint.engine.spatial.kinematics import link_velocities


def without_base(whole: np.ndarray, base: int) -> np.ndarray:
    """The inertia of the joints, with the first so many velocities left to themselves."""
    coupled = np.linalg.solve(whole[:base, :base], whole[:base, base:])
    return np.asarray(whole[base:, base:] - whole[base:, :base] @ coupled)


def inertia_here(robot: pp.SpatialRobot, angles: np.ndarray) -> np.ndarray:
    """A(q) from the velocities of links that the engine works out, shape (n_joints, n_joints)."""
    roots = np.sqrt(robot.column("mass"))[:, None], np.sqrt(robot.column("inertia"))
    columns = []
    for unit in np.eye(3 + robot.n_joints):
        tail, still = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
        speeds, turns = link_velocities(robot, tail, angles, unit[3:], still, unit[:3])
        columns.append(np.concatenate([(roots[0] * speeds).ravel(), (roots[1] * turns).ravel()]))
    velocities = np.stack(columns, axis=1)
    return without_base(velocities.T @ velocities, 3)


def inertia_in_mujoco(model: Any, joints: Sequence[pp.interchange.JointOfFile], angles: np.ndarray) -> np.ndarray:
    """A(q) from the Jacobians of MuJoCo's bodies, for the joints of the file in the order and the signs of the robot.

    The base is set free, whatever the file says, and rotors (armature) are left out.
    """
    data = mujoco.MjData(model)
    places = [model.joint(each.name).dofadr[0] for each in joints]
    for each, angle in zip(joints, angles, strict=True):
        data.joint(each.name).qpos[0] = each.sign * angle + each.drawn_at
    mujoco.mj_forward(model, data)
    rows = []
    for body in np.flatnonzero(model.body_mass > 0.0):
        moves, turns = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBodyCom(model, data, moves, turns, int(body))
        x, y, z = data.xipos[body]
        arm = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        rows.append(np.sqrt(model.body_mass[body]) * np.hstack([np.eye(3), arm, moves[:, places]]))
        own = data.ximat[body].reshape(3, 3).T @ np.hstack([np.zeros((3, 3)), np.eye(3), turns[:, places]])
        rows.append(np.sqrt(model.body_inertia[body])[:, None] * own)
    velocities = np.vstack(rows)
    signs = np.array([each.sign for each in joints])
    return without_base(velocities.T @ velocities, 6) * np.outer(signs, signs)


def set_free(urdf: str) -> str:
    """A URDF with a floating joint above its first link, which MuJoCo would make a part of the world."""
    first = urdf[urdf.index('<link name="') :].split('"')[1]
    joint = f'<joint name="free" type="floating"><parent link="the world"/><child link="{first}"/></joint>'
    return urdf.replace("<link", f'<link name="the world"/>{joint}<link', 1)


def difference(file: Any, posture: int = 0) -> float:
    """Largest difference of both, relative to the largest entry, in a random posture."""
    robot, _report, joints = pp.interchange.robot_of_file(file)
    assert isinstance(robot, pp.SpatialRobot)
    text = file.read_text()
    model = (
        mujoco.MjModel.from_xml_string(set_free(text)) if "<robot" in text else mujoco.MjModel.from_xml_path(str(file))
    )
    angles = np.random.default_rng(posture).uniform(-0.8, 0.8, robot.n_joints)
    theirs = inertia_in_mujoco(model, joints, angles)
    return float(np.abs(inertia_here(robot, angles) - theirs).max() / np.abs(theirs).max())

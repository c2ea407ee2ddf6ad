"""Single bodies on a plane in MuJoCo, as a user writes them first: its own defaults, elliptic cones, steps of 1 ms.

A slope is tilted gravity. Every function takes the module `mujoco`, so that nothing here needs it to be installed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pushpoint.proof.checks.bodies import BLOCK, ROUND, G

DT = 1e-3
SETTLE = 0.5
"""Time for a body to sink to its rest before anything is measured [s]."""
DEFAULTS = "MuJoCo's default contacts, elliptic friction cones, implicitfast integrator, steps of 1 ms"

BODIES = {
    "block": f"""<inertial pos="0 0 0" mass="{BLOCK.mass}" diaginertia="1.7e-3 4.2e-3 4.2e-3"/>
      <geom type="box" size="0.09 0.05 0.05" CONTACT/>""",
    "round": f"""<inertial pos="0 0 0" mass="{ROUND.mass}" diaginertia="2.35e-4 9.63e-4 9.63e-4"/>
      <geom type="capsule" size="0.0525" fromto="-0.0393 0 0 0.0393 0 0" CONTACT/>""",
}
HEIGHTS = {"block": 0.05, "round": 0.0525}


class MujocoBody:
    """One body on a plane, settled; its own x axis points to `heading`."""

    def __init__(self, mujoco: Any, body: str, friction: float, **more: Any) -> None:
        """`more`: slope [rad], rolling and spin friction [m], heading [rad], gap [m], solref."""
        slope, heading, gap = (float(more.get(name, 0.0)) for name in ("slope", "heading", "gap"))
        rolling, spin = (float(more.get(name, 0.0)) for name in ("rolling", "spin"))
        contact = f'condim="6" friction="{friction} {spin} {rolling}" solref="{more.get("solref", "0.02 1")}"'
        gravity = f"{-G * math.sin(slope)} 0 {-G * math.cos(slope)}"
        turned = f"{math.cos(heading / 2)} 0 0 {math.sin(heading / 2)}"
        text = f"""<mujoco>
          <option timestep="{DT}" gravity="{gravity}" cone="elliptic" integrator="implicitfast"/>
          <worldbody>
            <geom type="plane" size="0 0 1" {contact}/>
            <body pos="0 0 {HEIGHTS[body] + gap}" quat="{turned}"><freejoint/>
              {BODIES[body].replace("CONTACT", contact)}
            </body>
          </worldbody>
        </mujoco>"""
        self._mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def go(self, duration: float) -> np.ndarray:
        """Runs on; returns the velocities of its centre at every step [m/s], shape (n_steps, 3)."""
        found = []
        for _ in range(round(duration / DT)):
            self._mujoco.mj_step(self.model, self.data)
            found.append(np.array(self.data.qvel[:3]))
        return np.array(found)

    def push(self, velocity: Any, spin: Any = (0.0, 0.0, 0.0)) -> None:
        """Gives it a velocity [m/s] and an angular velocity in its own axes [rad/s]."""
        self.data.qvel[:3] = velocity
        self.data.qvel[3:] = spin

    @property
    def place(self) -> np.ndarray:
        """Where its centre is [m]."""
        return np.array(self.data.qpos[:3])


def incline_creep(mujoco: Any, friction: float, slope: float, duration: float) -> float:
    """How far a block that should stick has crept down a slope [m]."""
    body = MujocoBody(mujoco, "block", friction, slope=slope)
    body.go(SETTLE)
    begin = body.place
    body.go(duration)
    return float(np.linalg.norm(body.place - begin))


def incline_acceleration(mujoco: Any, friction: float, slope: float) -> float:
    """Downhill acceleration of a sliding block [m/s^2]."""
    body = MujocoBody(mujoco, "block", friction, slope=slope)
    body.go(0.1)
    speed = -body.go(0.4)[:, 0]
    return float((speed[-1] - speed[0]) / (DT * (len(speed) - 1)))


def stop_distance(mujoco: Any, friction: float, speed: float) -> float:
    """How far a block slides [m]."""
    body = MujocoBody(mujoco, "block", friction)
    body.go(SETTLE)
    begin = body.place
    body.push((speed, 0.0, 0.0))
    body.go(speed / (friction * G) + 0.5)
    return float(body.place[0] - begin[0])


def rolling_speed(mujoco: Any, friction: float, speed: float) -> float:
    """Speed at which a capsule that was pushed across itself rolls in the end [m/s]."""
    body = MujocoBody(mujoco, "round", friction)
    body.go(SETTLE)
    body.push((0.0, speed, 0.0))
    return float(body.go(0.5)[-1, 1])


def rolling_deceleration(mujoco: Any, friction: float, rolling: float, speed: float, duration: float) -> float:
    """How a rolling capsule slows down [m/s^2]; `rolling` is torque per normal force [m]."""
    body = MujocoBody(mujoco, "round", friction, rolling=rolling)
    body.go(SETTLE)
    body.push((0.0, speed, 0.0), (-speed / HEIGHTS["round"], 0.0, 0.0))
    found = body.go(duration)[:, 1]
    return float((found[0] - found[-1]) / (DT * (len(found) - 1)))


def rebound(mujoco: Any, restitution: float, speed: float) -> float:
    """Speed of a block after it fell on the plane, over that before [-].

    MuJoCo has no coefficient of restitution: its contact is a spring and a damper. A linear one of damping ratio z
    gives back exp(-pi z/sqrt(1 - z^2)) of the speed; that z is used, with the default's time constant of 20 ms.
    """
    part = math.log(max(restitution, 1e-3)) / math.pi
    ratio = min(1.0, -part / math.sqrt(1.0 + part**2)) if restitution > 0.0 else 1.0
    body = MujocoBody(mujoco, "block", 0.0, gap=speed**2 / (2 * G), solref=f"0.02 {max(ratio, 1e-6)}")
    found = body.go(speed / G + 0.15)[:, 2]
    return float(found[int(found.argmin()) :].max() / speed)

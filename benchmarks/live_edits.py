"""What changes of a running simulation cost: jumps of the references and peaks of torque, at once and blended.

Usage: python benchmarks/live_edits.py > found.json
       python benchmarks/front_table.py live-edits=found.json   writes the table of docs/how-to

Each edit is made at the same moment of the same run: with `over=0`, with the usual time to take over, and with more.
Jumps are those of the references at that moment. Torques are means over single time steps, until a second after the
change. With the largest torque it tells what holds the joint back: how far it is from its reference, and how hard an
obstacle presses a link then.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.worlds.edits import OVER

MOMENT, AFTER, SLOWLY = 3.0, 1.0, 2.0
"""When edits are made, for how long torques are looked at afterwards, and a longer time to take over [s]."""
SCENARIOS = {
    "flat": "transeth2008a/flat",
    "pegs": "transeth2008a/obstacle-aided",
    "space": "transeth2008b/sidewinding",
}
Edit = Callable[[Any, float], None]


def _gait(**changes: Any) -> Edit:
    return lambda live, over: live.change(controller=replace(live.world.controller, **changes), over=over)


def _more(name: str, by: float) -> Edit:
    def edit(live: Any, over: float) -> None:
        gait = live.world.controller
        live.change(controller=replace(gait, **{name: getattr(gait, name) + by}), over=over)

    return edit


def _friction(live: Any, over: float) -> None:
    place = live.world.environment
    live.change(environment=replace(place, ground=replace(place.ground, friction=pp.Isotropic(0.5))), over=over)


def _limits(live: Any, over: float) -> None:
    robot = live.world.robot
    limited = [replace(motor, torque_limit=1.0) for motor in robot.motors]
    live.change(robot=replace(robot, motors=limited), over=over)


HOLD = pp.gaits.Hold()
IN_THE_PLANE: dict[str, Edit] = {
    "nothing": lambda live, over: None,
    "amplitude, 40 to 50 deg": _gait(amplitude=np.radians(50.0)),
    "frequency, 80 to 115 deg/s": _gait(angular_frequency=np.radians(115.0)),
    "phase shift, -50 to -30 deg": _more("phase_shift", np.radians(20.0)),
    "offset, 0 to 10 deg": _gait(offset=np.radians(10.0)),
    "phase, 30 deg more": _more("phase", np.radians(30.0)),
    "soft start, 0 to 6 s": _gait(soft_start=6.0),
    "another gait: hold straight": lambda live, over: live.change(controller=HOLD, over=over),
    "feedback: the hybrid controller": lambda live, over: live.change(
        controller=pp.control.HybridController(), over=over
    ),
    "ground friction, to 0.5": _friction,
    "torque limits, to 1 N m": _limits,
}
IN_SPACE: dict[str, Edit] = {
    "nothing": lambda live, over: None,
    "yaw amplitude, 10 deg more": _more("yaw_amplitude", np.radians(10.0)),
    "frequency, 45 deg/s more": _more("angular_frequency", np.radians(45.0)),
    "phase shift, 20 deg more": _more("phase_shift", np.radians(20.0)),
    "yaw offset, 5 deg more": _more("yaw_offset", np.radians(5.0)),
    "ground friction, to 0.5": _friction,
}
EDITS = {"flat": IN_THE_PLANE, "pegs": IN_THE_PLANE, "space": IN_SPACE}


def measured(where: str, edit: Edit, over: float) -> dict[str, float]:
    """Jumps of angle [deg] and rate [deg/s] of the references, and the largest torque after the edit [N m].

    With it, how far the joint is then from its reference [deg], and the largest force of obstacles on a link [N].
    """
    scenario = pp.scenario(SCENARIOS[where])
    names = ["joint_torque", "joint_angle", "joint_reference", "obstacle_force"]
    with pp.Live(
        scenario.world, settings=scenario.settings, record=pp.Record(rate=1.0 / scenario.settings.dt, variables=names)
    ) as live:
        live.advance(round(MOMENT / scenario.settings.dt))
        before = _references(live)
        edit(live, over)
        after = _references(live)
        live.advance(round((over + AFTER) / scenario.settings.dt))
        found = {name: values[1:] for name, values in live.history(over + AFTER).items()}
    angle, rate = (float(np.degrees(np.abs(b - a).max())) for a, b in zip(before, after, strict=True))
    torque = np.abs(found["joint_torque"])
    row, joint = np.unravel_index(int(torque.argmax()), torque.shape)
    short = abs(found["joint_reference"][row, joint] - found["joint_angle"][row, joint])
    press = float(np.linalg.norm(found["obstacle_force"][row], axis=-1).max())
    return {
        "angle": angle, "rate": rate, "torque": float(torque.max()), "short": float(np.degrees(short)), "press": press,
    }  # fmt: skip


def _references(live: Any) -> tuple[np.ndarray, np.ndarray]:
    """Angles and rates of the references now; those of a controller that gives them by steps follow one step later."""
    moving = live._rollout.moving
    found: tuple[np.ndarray, np.ndarray] | None = moving.references()
    if found is None:  # a controller is asked at the next step
        ahead = live.state
        live.advance(1)
        found = moving.references()
        live.restore(ahead)
    assert found is not None
    return found


def main() -> None:
    """Prints what was found as JSON."""
    found = {
        where: {
            name: {
                "at_once": measured(where, edit, 0.0),
                "blended": measured(where, edit, OVER),
                "slowly": measured(where, edit, SLOWLY),
            }
            for name, edit in edits.items()
        }
        for where, edits in EDITS.items()
    }
    about = {"scenarios": SCENARIOS, "moment": MOMENT, "after": AFTER, "over": OVER, "slowly": SLOWLY}
    print(json.dumps(about | {"edits": found}, indent=1))


if __name__ == "__main__":
    main()

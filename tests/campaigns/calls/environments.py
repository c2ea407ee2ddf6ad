"""Calls of environments and of the policies that are learned in them."""

from __future__ import annotations

from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.calls import things
from campaigns.calls.running import method, place
from campaigns.calls.table import CALLS, Call, made
from pushpoint.control.neural.observing import Asked


@made
def single() -> pp.envs.SnakeEnv:
    """One world, begun."""
    env = pp.envs.SnakeEnv("Slither")
    env.reset(seed=0)
    return env


@made
def vector() -> pp.envs.SnakeVectorEnv:
    """Two worlds, begun."""
    envs = pp.envs.SnakeVectorEnv("Slither", 2)
    envs.reset(seed=0)
    return envs


@made
def stay() -> pp.envs.DeviceVectorEnv:
    """Two worlds of a pool of three that stay on their device, begun."""
    envs = pp.envs.DeviceVectorEnv("Slither", 2, arrays="numpy", pool=3)
    envs.reset(seed=0)
    return envs


@made
def pooled() -> pp.DeviceSimulator:
    """Three worlds of a pool of two that stay on their device."""
    return pp.DeviceSimulator([things.WORLD, things.WORLD], slots=3, arrays="numpy")


TASK = pp.envs.Slither()
LAYERS = [(np.zeros((4, 43)), np.zeros(4))]
ASKED = Asked(np.zeros(2), np.ones(2))
COMMON: dict[str, Any] = {
    "rate": 20.0,
    "dt": 5e-3,
    "device": "cpu",
    "precision": "float32",
    "energy_weight": 0.01,
    "sensors": pp.Sensors(),
    "randomised": pp.envs.Randomised(mass=(0.9, 1.1)),
}
SPEEDS: dict[str, Any] = {"speed": (0.1, 0.2), "direction": (0.0, 0.1), "memory": 1.0, "width": 0.1}
GOAL: dict[str, Any] = {"way": 0.5, "progress_weight": 1.0, "goal_reward": 1.0, "patience": 3.0}

POLICY = pp.envs.policy_from(TASK, LAYERS)
"""A network that knows nothing."""

CALLS |= {
    "control.NeuralPolicy": Call(pp.control.NeuralPolicy, **vars(POLICY)),
    "control.write_policy": Call(pp.control.write_policy, POLICY, place("policy.npz")),
    "envs.Randomised": Call(pp.envs.Randomised, friction=(0.5, 2.0), obstacle_friction=(0.5, 2.0), mass=(0.9, 1.1),
                            stiffness=(0.9, 1.1), torque_limit=None),
    "envs.Slither": Call(pp.envs.Slither, robot="liljeback2011", action="wave", friction_along=0.1,
                         friction_across=0.5, **COMMON, **SPEEDS),
    "envs.Sidewind": Call(pp.envs.Sidewind, robot="yaw-pitch-16", action="wave", friction=0.4, **COMMON, **SPEEDS),
    "envs.PegField": Call(pp.envs.PegField, robot="liljeback2011", action="bends", friction=0.3, courses=[1, 2],
                          **COMMON, **GOAL),
    "envs.Rubble": Call(pp.envs.Rubble, robot="yaw-pitch-16", action="bends", friction=0.6, boxes=3, height=0.04,
                        **COMMON, **GOAL),
    "envs.SnakeEnv": Call(pp.envs.SnakeEnv, "Slither", render_mode="rgb_array", width=320, action="joints"),
    "envs.SnakeEnv.reset": Call(method(single, "reset"), seed=1, options=None),
    "envs.SnakeEnv.step": Call(method(single, "step"), np.zeros(4)),
    "envs.SnakeVectorEnv": Call(pp.envs.SnakeVectorEnv, "Slither", 2, autoreset_mode="SameStep", max_episode_steps=3,
                                render_mode=None, width=320, action="joints"),
    "envs.SnakeVectorEnv.reset": Call(method(vector, "reset"), seed=1, options={"reset_mask": np.array([True, False])}),
    "envs.SnakeVectorEnv.step": Call(method(vector, "step"), np.zeros((2, 4))),
    "envs.DeviceVectorEnv": Call(pp.envs.DeviceVectorEnv, "Slither", 2, arrays="numpy", autoreset_mode="NextStep",
                                 max_episode_steps=3, pool=3, action="joints"),
    "envs.DeviceVectorEnv.reset": Call(method(stay, "reset"), seed=[1, None],
                                       options={"reset_mask": np.array([True, False])}),
    "envs.DeviceVectorEnv.step": Call(method(stay, "step"), np.zeros((2, 4))),
    "DeviceSimulator": Call(pp.DeviceSimulator, [things.WORLD], slots=2, rate=100.0, settings=pp.Settings(),
                            arrays="numpy"),
    "DeviceSimulator.reset": Call(method(pooled, "reset"), None, np.array([0, 1, 1]), np.array([3, 4, 5])),
    "DeviceSimulator.step": Call(method(pooled, "step"), pp.Command(joint_angle=np.zeros((3, things.PLANAR.n_joints))),
                                 np.array([True, False, True])),
    "envs.Episode": Call(pp.envs.Episode, things.WORLD, 0.0, 1.0, {}),
    "envs.Turn": Call(pp.envs.Turn, np.zeros((2, 2)), np.zeros(2), ASKED),
    "envs.StepOutcome": Call(pp.envs.StepOutcome, {}, np.zeros(2, bool), np.zeros(2, bool), {}),
    "envs.policy_from": Call(pp.envs.policy_from, TASK, LAYERS, mean=np.zeros(43), deviation=np.ones(43),
                             direction=0.1, size=0.2, source="here"),
}  # fmt: skip

"""Joint references: gaits that kernels evaluate themselves, and tables of what others computed."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import GAIT, TABLE_HELD


@wp.func
def gait_wave(w: int, t: Any, drive: Any):
    """Factors of the gait's sine and cosine parts at time t, and their rates."""
    zero = type(t)(0.0)
    omega = drive.worlds[w].angular_frequency
    sine = wp.sin(omega * t)
    cosine = wp.cos(omega * t)
    ramp = type(t)(1.0)
    ramp_dot = zero
    duration = drive.worlds[w].soft_start
    if t < duration:
        # Smooth step s^2 (3 - 2 s): angle and rate begin and end without a jump.
        s = t / duration
        ramp = s * s * (type(t)(3.0) - s - s)
        ramp_dot = type(t)(6.0) * s * (type(t)(1.0) - s) / duration
    value = wp.vector(ramp * sine, ramp * cosine)
    rate = wp.vector(ramp_dot * sine + ramp * omega * cosine, ramp_dot * cosine - ramp * omega * sine)
    return value, rate


@wp.func
def table_reference(w: int, j: int, at: int, dt: Any, drive: Any):
    """Reference from the table, `at` steps after its first node: held, or a cubic between nodes."""
    spacing = drive.steps_per_node
    if drive.source == TABLE_HELD:
        held = (at - 1) / spacing
        return drive.table_angle[w, held, j], drive.table_rate[w, held, j]
    node = wp.min(at / spacing, drive.table_angle.shape[1] - 2)
    h = dt * type(dt)(spacing)
    s = type(dt)(at - node * spacing) / type(dt)(spacing)
    p0 = drive.table_angle[w, node, j]
    p1 = drive.table_angle[w, node + 1, j]
    m0 = h * drive.table_rate[w, node, j]
    m1 = h * drive.table_rate[w, node + 1, j]
    # Cubic Hermite p0 + s (m0 + s (c2 + s c3)).
    c3 = m0 + m1 - type(dt)(2.0) * (p1 - p0)
    c2 = p1 - p0 - m0 - c3
    angle = p0 + s * (m0 + s * (c2 + s * c3))
    rate = (m0 + s * (c2 + c2 + type(dt)(3.0) * s * c3)) / h
    return angle, rate


@wp.func
def joint_reference(w: int, j: int, k: int, at: int, value: Any, rate: Any, dt: Any, drive: Any):
    """Reference angle and rate of joint j; value and rate are the gait's wave at the same time."""
    if drive.source == GAIT:
        a = wp.vector(drive.joints[k].sine, drive.joints[k].cosine)
        return drive.joints[k].offset + wp.dot(a, value), wp.dot(a, rate)
    angle, slope = table_reference(w, j, at, dt, drive)
    return angle, slope

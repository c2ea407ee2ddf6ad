"""Joint references: gaits that kernels evaluate themselves, and tables of what others computed."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import GAIT, TABLE_HELD


@wp.func
def gait_wave(w: int, t: Any, drive: Any):
    """Ramped sine and cosine of both of the gait's frequencies at time t, (s_0, c_0, s_1, c_1), and their rates."""
    zero = type(t)(0.0)
    omega = drive.worlds[w].angular_frequency
    sine = wp.sin(omega[0] * t)
    cosine = wp.cos(omega[0] * t)
    sine_1 = sine
    cosine_1 = cosine
    if omega[1] != omega[0]:
        sine_1 = wp.sin(omega[1] * t)
        cosine_1 = wp.cos(omega[1] * t)
    ramp = type(t)(1.0)
    slope = zero
    duration = drive.worlds[w].soft_start
    if t < duration:
        # Smooth step s^2 (3 - 2 s): angle and rate begin and end without a jump.
        s = t / duration
        ramp = s * s * (type(t)(3.0) - s - s)
        slope = type(t)(6.0) * s * (type(t)(1.0) - s) / duration
    value = wp.vector(sine, cosine, sine_1, cosine_1)
    swing = wp.vector(omega[0] * cosine, -omega[0] * sine, omega[1] * cosine_1, -omega[1] * sine_1)
    return ramp * value, slope * value + ramp * swing


@wp.func
def waves_around(w: int, at: int, t: Any, t_next: Any, drive: Any, work: Any):
    """The same at the start and at the end of a step: the end of one is the start of the next."""
    value_start = work.worlds[w].wave
    rate_start = work.worlds[w].wave_rate
    if at == 1:
        value_start, rate_start = gait_wave(w, t, drive)
    value, rate = gait_wave(w, t_next, drive)
    work.worlds[w].wave = value
    work.worlds[w].wave_rate = rate
    return value_start, rate_start, value, rate


@wp.func
def table_reference(w: int, j: int, at: int, dt: Any, drive: Any):
    """Reference from the table, `at` steps after where this launch begins in it: held, or a cubic between nodes."""
    spacing = drive.steps_per_node
    past = at + drive.steps_past
    if drive.source == TABLE_HELD:
        held = (past - 1) / spacing
        return drive.table_angle[w, held, j], drive.table_rate[w, held, j]
    node = wp.min(past / spacing, drive.table_angle.shape[1] - 2)
    h = dt * type(dt)(spacing)
    s = type(dt)(past - node * spacing) / type(dt)(spacing)
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
def joint_reference(w: int, j: int, q: int, at: int, t: Any, value: Any, rate: Any, dt: Any, drive: Any):
    """Reference angle and rate at time t of axis j, whose record is q; value and rate are the gait's waves then."""
    if drive.source == GAIT:
        zero = type(t)(0.0)
        if t < drive.joints[q].from_time:
            return zero, zero
        sine = drive.joints[q].sine
        cosine = drive.joints[q].cosine
        angle = drive.joints[q].offset + sine * value[0] + cosine * value[1]
        slope = sine * rate[0] + cosine * rate[1]
        if drive.joints[q].wave == 1:  # named one by one: an index known only at run time would keep them in memory
            angle = drive.joints[q].offset + sine * value[2] + cosine * value[3]
            slope = sine * rate[2] + cosine * rate[3]
        return angle, slope
    table_angle, table_slope = table_reference(w, j, at, dt, drive)
    return table_angle, table_slope


@wp.func
def start_reference(w: int, j: int, q: int, at: int, t: Any, value: Any, rate: Any, dt: Any, drive: Any, work: Any):
    """The same at the start t of the step `at`: that of the end of the step before; what is held was the same then."""
    angle = work.joints[q].ref
    slope = work.joints[q].ref_rate
    if at == 1 or drive.source == TABLE_HELD:
        before = at - 1
        if drive.source == TABLE_HELD:
            before = at
        angle, slope = joint_reference(w, j, q, before, t, value, rate, dt, drive)
    return angle, slope

"""Joint references and the motors' rows: impulse on the front link = b - kappa rate, within its bound.

Symbols: alpha_mid joint angle at the midpoint, ref and ref_rate the reference at the end of the step.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import DRIVE_PRESCRIBED, DRIVE_SERVO, DRIVE_TORQUE, GAIT, TABLE_HELD, place


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


@wp.func
def set_motor_rows(w: int, at: int, t_next: Any, numerics: Any, model: Any, drive: Any, motion: Any, work: Any):
    """Rows of all joints for this step: Transeth2008a (42), (43) with the joint rate, taken at the end of the step."""
    dt = numerics.dt
    half = type(dt)(0.5)
    value, wave_rate = gait_wave(w, t_next, drive)
    for j in range(model.n_links - 1):
        k = place(w, j, model)
        front = place(w, j + 1, model)
        rate_now = motion.links[front].omega - motion.links[k].omega
        alpha_mid = motion.links[front].theta - motion.links[k].theta + half * dt * rate_now
        mode = drive.joints[k].mode
        b = dt * drive.joints[k].torque
        kappa = type(dt)(0.0)
        if mode != DRIVE_TORQUE:
            ref, ref_rate = joint_reference(w, j, k, at, value, wave_rate, dt, drive)
            if mode == DRIVE_SERVO:
                kappa = dt * (half * dt * drive.joints[k].stiffness + drive.joints[k].damping)
                b = dt * (drive.joints[k].stiffness * (ref - alpha_mid) + drive.joints[k].damping * ref_rate)
            else:
                # Half of the angle error that the reference rate would leave: the next step finds none, docs/theory.md.
                b = half * ref_rate + (ref - alpha_mid) / dt
        bound = dt * drive.joints[k].torque_limit
        work.joints[k].b = b
        work.joints[k].kappa = kappa
        work.joints[k].bound = bound
        work.joints[k].side = motor_side(b - kappa * rate_now, bound, mode)


@wp.func
def motor_side(impulse: Any, bound: Any, mode: int):
    """Which bound of its torque a motor has reached: -1, 0 or 1."""
    if mode != DRIVE_PRESCRIBED:
        if impulse > bound:
            return 1
        if impulse < -bound:
            return -1
    return 0


@wp.func
def hold_motors(w: int, model: Any, drive: Any, work: Any):
    """Fixes the impulses of limited motors within their bounds, for a step that was not solved."""
    for j in range(model.n_links - 1):
        k = place(w, j, model)
        bound = work.joints[k].bound
        if drive.joints[k].mode != DRIVE_PRESCRIBED and wp.isfinite(bound):
            free = work.joints[k].b - work.joints[k].kappa * work.joints[k].rate
            work.joints[k].b = wp.clamp(free, -bound, bound)
            work.joints[k].kappa = type(bound)(0.0)
            work.joints[k].side = 0


@wp.func
def respond_motor(k: int, x_front: Any, length: Any, drive: Any, work: Any):
    """Motor impulse at the new rate; returns how far it is from its law, as a velocity [m/s]."""
    mode = drive.joints[k].mode
    bound = work.joints[k].bound
    free = work.joints[k].b - work.joints[k].kappa * work.joints[k].rate
    if mode == DRIVE_PRESCRIBED:
        free = wp.dot(work.joints[k].row, x_front) - work.joints[k].moment
    felt = free
    if work.joints[k].side != 0:
        felt = type(bound)(work.joints[k].side) * bound
    side = motor_side(free, bound, mode)
    wanted = free
    if side != 0:
        wanted = type(bound)(side) * bound
    work.joints[k].side = side
    work.joints[k].P = felt
    return wp.abs(wanted - felt) * work.joints[k].inverse_D * length

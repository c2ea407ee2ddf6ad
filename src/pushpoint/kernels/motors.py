"""Joint references and the laws of a joint: motor and end stops, each a line, impulse = b - kappa rate.

Symbols: alpha_mid joint angle at the midpoint, ref and ref_rate the reference at the end of the step. Impulses act
on the front link, and against the rear one.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.references import gait_wave, joint_reference
from pushpoint.kernels.structs import DRIVE_PRESCRIBED, DRIVE_SERVO, DRIVE_TORQUE, place

STOP_SLOP = wp.constant(1.0e-7)
"""A stop is met from this far before it, and left alone as far beyond it [rad]: resting on it does not flicker."""


@wp.func
def set_motor_rows(w: int, at: int, t_next: Any, numerics: Any, model: Any, drive: Any, motion: Any, work: Any):
    """What the joints' laws need in this step: the unlimited motor's line, and the end stop that was met."""
    dt = numerics.dt
    half = type(dt)(0.5)
    value, wave_rate = gait_wave(w, t_next, drive)
    for j in range(model.n_links - 1):
        k = place(w, j, model)
        front = place(w, j + 1, model)
        rate = motion.links[front].omega - motion.links[k].omega
        alpha_mid = motion.links[front].theta - motion.links[k].theta + half * dt * rate
        mode = drive.joints[k].mode
        b = dt * drive.joints[k].torque
        kappa = type(dt)(0.0)
        if mode != DRIVE_TORQUE:
            ref, ref_rate = joint_reference(w, j, k, at, value, wave_rate, dt, drive)
            if mode == DRIVE_SERVO:
                # Transeth2008a (43) with the joint rate, taken at the end of the step.
                kappa = dt * (half * dt * drive.joints[k].stiffness + drive.joints[k].damping)
                b = dt * (drive.joints[k].stiffness * (ref - alpha_mid) + drive.joints[k].damping * ref_rate)
            else:
                # The rate itself. Half of the angle error that ref_rate would leave: the next step finds none.
                b = half * ref_rate + (ref - alpha_mid) / dt
        work.joints[k].free_b = b
        work.joints[k].free_kappa = kappa
        work.joints[k].rate = rate
        work.joints[k].stop_F = type(dt)(0.0)
        work.joints[k].stop_G = type(dt)(0.0)
        work.joints[k].stopped = 0
        reach = type(dt)(STOP_SLOP)
        if alpha_mid >= drive.joints[k].upper - reach or alpha_mid <= drive.joints[k].lower + reach:
            meet_stop(k, alpha_mid, numerics, drive, motion, work)


@wp.func
def meet_stop(k: int, alpha_mid: Any, numerics: Any, drive: Any, motion: Any, work: Any):
    """Notes that a joint is at an end stop, and the rate that leads it back if it has passed it: a tenth per step."""
    side = type(alpha_mid)(1.0)
    beyond = alpha_mid - drive.joints[k].upper
    if drive.joints[k].lower - alpha_mid > beyond:
        side = type(alpha_mid)(-1.0)
        beyond = drive.joints[k].lower - alpha_mid
    work.joints[k].stopped = int(side)
    deep = wp.max(beyond - type(beyond)(STOP_SLOP), type(beyond)(0.0))
    back = wp.min(numerics.feedback * deep / numerics.dt, numerics.feedback_speed * type(beyond)(10.0))
    work.joints[k].stop_target = -side * back
    work.joints[k].stop_P = motion.links[k].P_stop


@wp.func
def motor_line(k: int, rate: Any, dt: Any, drive: Any, work: Any):
    """b and kappa of the motor at this rate: with its play, and within its torque-speed line."""
    b = work.joints[k].free_b
    kappa = work.joints[k].free_kappa
    mode = drive.joints[k].mode
    if mode == DRIVE_PRESCRIBED:
        return b, kappa
    play = drive.joints[k].play
    if play > type(dt)(0.0) and mode == DRIVE_SERVO:
        # Within the play the servo has no hold; beyond it, it pushes on a flank, which cannot pull back.
        slack = dt * drive.joints[k].stiffness * play
        free = b - kappa * rate
        b -= wp.sign(free) * slack
        if wp.abs(free) <= slack:
            b = type(dt)(0.0)
            kappa = type(dt)(0.0)
    bound = dt * drive.joints[k].torque_limit
    slowing = drive.joints[k].slowing
    impulse = b - kappa * rate
    if slowing == type(dt)(0.0):
        if wp.abs(impulse) > bound:
            b = wp.sign(impulse) * bound
            kappa = type(dt)(0.0)
    elif impulse > bound - bound * slowing * rate:
        b = bound
        kappa = bound * slowing
    elif impulse < -bound - bound * slowing * rate:
        b = -bound
        kappa = bound * slowing
    return b, kappa


@wp.func
def stop_projection(k: int, P: Any, rate: Any, drive: Any, work: Any):
    """Impulse of the end stop that the joint has met: only inward."""
    zero = type(rate)(0.0)
    y = P - drive.joints[k].r * (rate - work.joints[k].stop_target)
    if work.joints[k].stopped == 1:
        return wp.min(y, zero)
    return wp.max(y, zero)


@wp.func
def linearise_joint(k: int, rho: Any, given_up: int, numerics: Any, drive: Any, work: Any):
    """Writes the joint's lines at its present rate; a step that is given up gets constants within the bounds."""
    rate = work.joints[k].rate
    b, kappa = motor_line(k, rate, numerics.dt, drive, work)
    if given_up == 1 and wp.isfinite(drive.joints[k].torque_limit) and drive.joints[k].mode != DRIVE_PRESCRIBED:
        b -= kappa * rate
        kappa = type(rate)(0.0)
    elif rho != numerics.stiffness:
        # Safeguard: a chord as steep as the free servo. It overshoots no kink, where the exact slope may circle.
        steep = work.joints[k].free_kappa
        b += (steep - kappa) * rate
        kappa = steep
    work.joints[k].b = b
    work.joints[k].kappa = kappa
    if work.joints[k].stopped != 0:
        P = work.joints[k].stop_P
        F = stop_projection(k, P, rate, drive, work)
        G = type(rate)(0.0)
        if given_up == 0 and F != type(rate)(0.0):
            G = rho * drive.joints[k].r
            F = P + G * work.joints[k].stop_target
        work.joints[k].stop_F = F
        work.joints[k].stop_G = G


@wp.func
def respond_joint(k: int, x_front: Any, length: Any, numerics: Any, drive: Any, motion: Any, work: Any):
    """Impulses of motor and stop at the new rate; returns how far they are from their laws, as a velocity [m/s]."""
    rate = work.joints[k].rate
    if drive.joints[k].mode == DRIVE_PRESCRIBED:
        work.joints[k].P = wp.dot(work.joints[k].row, x_front) - work.joints[k].moment
        return type(rate)(0.0)
    felt = work.joints[k].b - work.joints[k].kappa * rate
    work.joints[k].P = felt
    b, kappa = motor_line(k, rate, numerics.dt, drive, work)
    error = wp.abs(b - kappa * rate - felt)
    if work.joints[k].stopped != 0:
        P = work.joints[k].stop_F - work.joints[k].stop_G * rate
        P_next = stop_projection(k, P, rate, drive, work)
        work.joints[k].stop_P = P
        motion.links[k].P_stop = P_next
        error += wp.abs(P_next - P)
    else:
        motion.links[k].P_stop = type(rate)(0.0)
    return error * length / drive.joints[k].r

"""The laws of a joint axis, planar or spatial: motor and end stops, each a line, impulse = b - kappa rate.

Symbols: alpha_mid joint angle at the midpoint, ref and ref_rate the reference at the end of the step, ref_start and
ref_rate_start that at its start, share the weight of the end in a motor's impulse. Impulses act on the front link, and
against the rear one.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import DRIVE_PRESCRIBED, DRIVE_SERVO
from pushpoint.kernels.traits import LIMITS

LIGHT = wp.constant(0.1)
"""Share of the lines' usual stiffness at which the safeguard takes a joint to be as heavy as its two links [-]."""
MOST_OF_STALL = wp.constant(2.0)
"""Largest torque of a motor with a torque-speed line, in those at standstill [-]: braking from its no-load speed."""
STOP_SLOP = wp.constant(1.0e-7)
"""A stop is met from this far before it, and left alone as far beyond it [rad]: resting on it does not flicker."""


@wp.func
def servo_line(
    q: int, rate: Any, ref: Any, ref_rate: Any, ref_start: Any, ref_rate_start: Any, alpha_mid: Any,
    numerics: Any, drive: Any,
):  # fmt: skip
    """b and kappa of a servo without limits at the end of the step, their share, and what the start adds."""
    dt = numerics.dt
    half = type(dt)(0.5)
    one = type(dt)(1.0)
    # Transeth2008a (43) with the joint rate.
    stiffness = drive.motors[q].stiffness
    damping = drive.motors[q].damping
    kappa = dt * (half * dt * stiffness + damping)
    b = dt * (stiffness * (ref - alpha_mid) + damping * ref_rate)
    share = drive.motors[q].share
    past = dt - dt
    if share < one:
        past = dt * (stiffness * (ref_start - alpha_mid + half * dt * rate) + damping * (ref_rate_start - rate))
        if LIMITS:
            bound = dt * drive.motors[q].torque_limit
            past = wp.clamp(past, -bound, bound)
        past = (one - share) * past
    return b, kappa, share, past


@wp.func
def set_motor_row(
    q: int, rate: Any, ref: Any, ref_rate: Any, ref_start: Any, ref_rate_start: Any, alpha_mid: Any,
    numerics: Any, drive: Any, work: Any,
):  # fmt: skip
    """What the motor's law needs in this step: the line of a motor without limits, and what is known of its start."""
    b, kappa, share, past = servo_line(q, rate, ref, ref_rate, ref_start, ref_rate_start, alpha_mid, numerics, drive)
    if LIMITS:
        dt = numerics.dt
        mode = drive.joints[q].mode
        work.joints[q].plain = drive.motors[q].unlimited
        if mode != DRIVE_SERVO:
            kappa = dt - dt
            share = type(dt)(1.0)
            past = kappa
            b = dt * drive.joints[q].torque
        if mode == DRIVE_PRESCRIBED:
            # The rate itself. Half of the angle error that ref_rate would leave: the next step finds none.
            b = type(dt)(0.5) * ref_rate + (ref - alpha_mid) / dt
            work.joints[q].plain = 1
        work.joints[q].free_b = b
        work.joints[q].free_kappa = kappa
        work.joints[q].share = share
        work.joints[q].past = past
    work.joints[q].b = share * b + past
    work.joints[q].kappa = share * kappa


@wp.func
def set_stop(q: int, alpha_mid: Any, P_before: Any, numerics: Any, drive: Any, work: Any):
    """Notes whether a joint is at an end stop, and the rate that leads it back from beyond it: a tenth per step."""
    zero = type(alpha_mid)(0.0)
    reach = type(alpha_mid)(STOP_SLOP)
    work.joints[q].stop_F = zero
    work.joints[q].stop_G = zero
    work.joints[q].stop_next = zero
    work.joints[q].stopped = 0
    if alpha_mid >= drive.motors[q].upper - reach or alpha_mid <= drive.motors[q].lower + reach:
        side = type(alpha_mid)(1.0)
        beyond = alpha_mid - drive.motors[q].upper
        if drive.motors[q].lower - alpha_mid > beyond:
            side = type(alpha_mid)(-1.0)
            beyond = drive.motors[q].lower - alpha_mid
        work.joints[q].stopped = int(side)
        work.joints[q].plain = 0
        deep = wp.max(beyond - reach, zero)
        back = wp.min(numerics.feedback * deep / numerics.dt, numerics.feedback_speed * type(beyond)(10.0))
        work.joints[q].stop_target = -side * back
        work.joints[q].stop_P = P_before


@wp.func
def motor_line(k: int, rate: Any, dt: Any, drive: Any, work: Any):
    """b and kappa of the motor's impulse in the step if its rate ends like this."""
    b = work.joints[k].free_b
    kappa = work.joints[k].free_kappa
    if drive.joints[k].mode != DRIVE_PRESCRIBED:
        b_end, kappa_end = limited_line(k, b, kappa, rate, dt, drive)
        b = work.joints[k].share * b_end + work.joints[k].past
        kappa = work.joints[k].share * kappa_end
    return b, kappa


@wp.func
def limited_line(k: int, b: Any, kappa: Any, rate: Any, dt: Any, drive: Any):
    """b and kappa of a motor's line at this rate: with its play, within its torque limit and its torque-speed line."""
    mode = drive.joints[k].mode
    play = drive.motors[k].play
    if play > type(dt)(0.0) and mode == DRIVE_SERVO:
        # Within the play the servo has no hold; beyond it, it pushes on a flank, which cannot pull back.
        slack = dt * drive.motors[k].stiffness * play
        free = b - kappa * rate
        b -= wp.sign(free) * slack
        if wp.abs(free) <= slack:
            b = type(dt)(0.0)
            kappa = type(dt)(0.0)
    bound = dt * drive.motors[k].torque_limit
    slowing = drive.motors[k].slowing
    impulse = b - kappa * rate
    if slowing == type(dt)(0.0):
        if wp.abs(impulse) > bound:
            b = wp.sign(impulse) * bound
            kappa = type(dt)(0.0)
        return b, kappa
    # What the rate takes from the torque at standstill, or adds to it where the motor brakes.
    drop = bound * slowing * rate
    most = type(dt)(MOST_OF_STALL) * bound
    side = bound
    if impulse < wp.clamp(-bound - drop, -most, most):
        side = -bound
    elif impulse <= wp.clamp(bound - drop, -most, most):
        return b, kappa
    if wp.abs(side - drop) > most:
        return wp.sign(side - drop) * most, type(dt)(0.0)
    return side, bound * slowing


@wp.func
def meeting_rate(k: int, rate: Any, r: Any, numerics: Any, drive: Any, work: Any):
    """Rate at which the law meets a line that rises with an inertia r through the present rate and impulse.

    A joint of that inertia, alone, would end there. Every part of the law falls with the rate, so that the smaller of
    two parts is met first and the larger last.
    """
    zero = type(rate)(0.0)
    dt = numerics.dt
    share = work.joints[k].share
    start = work.joints[k].P - work.joints[k].past - r * rate
    b = share * work.joints[k].free_b
    kappa = share * work.joints[k].free_kappa
    servo = (b - start) / (r + kappa)
    play = drive.motors[k].play
    if play > zero and drive.joints[k].mode == DRIVE_SERVO:
        slack = dt * drive.motors[k].stiffness * play
        servo = wp.max(wp.min((b + slack - start) / (r + kappa), -start / r), (b - slack - start) / (r + kappa))
    bound = share * dt * drive.motors[k].torque_limit
    if not wp.isfinite(bound):
        return servo
    steep = bound * drive.motors[k].slowing
    most = type(rate)(MOST_OF_STALL) * bound
    high = (most - start) / r
    low = (-most - start) / r
    upper = wp.clamp((bound - start) / (r + steep), low, high)
    lower = wp.clamp((-bound - start) / (r + steep), low, high)
    return wp.max(wp.min(servo, upper), lower)


@wp.func
def stop_projection(k: int, P: Any, rate: Any, r: Any, work: Any):
    """Impulse of the end stop that the joint has met: only inward."""
    zero = type(rate)(0.0)
    y = P - r * (rate - work.joints[k].stop_target)
    if work.joints[k].stopped == 1:
        return wp.min(y, zero)
    return wp.max(y, zero)


@wp.func
def linearise_joint(k: int, rho: Any, given_up: int, numerics: Any, drive: Any, work: Any):
    """Writes the joint's lines at its present rate; a step that is given up gets constants that lie on the law."""
    if work.joints[k].plain == 1:
        return
    rate = work.joints[k].rate
    slows = drive.motors[k].slowing > type(rate)(0.0) and drive.joints[k].mode != DRIVE_PRESCRIBED
    held = given_up == 1 and wp.isfinite(drive.motors[k].torque_limit) and drive.joints[k].mode != DRIVE_PRESCRIBED
    if held or (slows and rho != numerics.stiffness):
        # Safeguard: a steep servo under a steep line has its corners too close together to hit them by rates alone.
        # What the whole chain opposes is not known: the stiffer the lines, the lighter the joint is taken to be.
        r = drive.motors[k].r * (type(rate)(LIGHT) * numerics.stiffness / rho)
        rate = meeting_rate(k, rate, r, numerics, drive, work)
    b, kappa = motor_line(k, rate, numerics.dt, drive, work)
    if held:
        b -= kappa * rate
        kappa = type(rate)(0.0)
    elif rho != numerics.stiffness and not slows:
        # Safeguard: a chord as steep as the free servo. It overshoots no kink, where the exact slope may circle.
        steep = work.joints[k].share * work.joints[k].free_kappa
        b += (steep - kappa) * rate
        kappa = steep
    work.joints[k].b = b
    work.joints[k].kappa = kappa
    if work.joints[k].stopped != 0:
        P = work.joints[k].stop_P
        F = stop_projection(k, P, work.joints[k].rate, drive.motors[k].r, work)
        G = type(rate)(0.0)
        if given_up == 0 and F != type(rate)(0.0):
            G = rho * drive.motors[k].r
            F = P + G * work.joints[k].stop_target
        work.joints[k].stop_F = F
        work.joints[k].stop_G = G


@wp.func
def split_joint(k: int, rho: Any, numerics: Any, drive: Any, work: Any):
    """Writes lines as steep as rho r through the points of motor and stop that are nearest in that measure."""
    if work.joints[k].plain == 1:
        return
    rate = work.joints[k].rate
    r = rho * drive.motors[k].r
    if drive.motors[k].unlimited == 0 and drive.joints[k].mode != DRIVE_PRESCRIBED:
        met = meeting_rate(k, rate, r, numerics, drive, work)
        work.joints[k].b = work.joints[k].P + r * met
        work.joints[k].kappa = r
    if work.joints[k].stopped != 0:
        work.joints[k].stop_F = stop_projection(k, work.joints[k].stop_P, rate, r, work) + r * rate
        work.joints[k].stop_G = r


@wp.func
def respond_joint(k: int, length: Any, numerics: Any, drive: Any, work: Any):
    """Impulses of motor and stop at the new rate; returns how far they are from their laws, as a velocity [m/s]."""
    rate = work.joints[k].rate
    if work.joints[k].plain == 1 or drive.joints[k].mode == DRIVE_PRESCRIBED:
        return type(rate)(0.0)
    felt = work.joints[k].b - work.joints[k].kappa * rate
    work.joints[k].P = felt
    b, kappa = motor_line(k, rate, numerics.dt, drive, work)
    error = wp.abs(b - kappa * rate - felt)
    if work.joints[k].stopped != 0:
        P = work.joints[k].stop_F - work.joints[k].stop_G * rate
        P_next = stop_projection(k, P, rate, drive.motors[k].r, work)
        work.joints[k].stop_P = P
        work.joints[k].stop_next = P_next
        error += wp.abs(P_next - P)
    return error * length / drive.motors[k].r


@wp.func
def motor_impulse(k: int, drive: Any, work: Any):
    """The motor's impulse that the links felt in the step."""
    felt = work.joints[k].b - work.joints[k].kappa * work.joints[k].rate
    if LIMITS:
        if work.joints[k].plain == 0 or drive.joints[k].mode == DRIVE_PRESCRIBED:
            felt = work.joints[k].P
    return felt

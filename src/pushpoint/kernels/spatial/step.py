"""One time step of the spatial model: Moreau's midpoint scheme of Transeth2008b, section VII.

Symbols as in the planar step; poses are kept as the robot's centre of mass, the tail's orientation and the joint
angles, so that joints never come apart and the projections of section VII-C have nothing to do.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.motors import (
    respond_joint,
    set_motor_row,
    set_stop,
)
from pushpoint.kernels.references import joint_reference, start_reference, waves_around
from pushpoint.kernels.safeguard import (
    FALLBACK,
    FORGO_AT,
    LOST,
    REFINED,
    SPLIT_STIFFNESS,
    line_stiffness,
    note_jam,
)
from pushpoint.kernels.spatial.algebra.frames import (
    about_rear_joint,
    column,
    drifted,
    pitched,
    rotation,
    turned,
    yawed,
)
from pushpoint.kernels.spatial.chain import (
    carry_to_next,
    linearise_contacts,
    linearise_joints,
    sweep_to_tail,
    tail_twist,
)
from pushpoint.kernels.spatial.contacts import HELD, PROX, SPLIT, respond_link
from pushpoint.kernels.spatial.counting import count_contacts, end_joint
from pushpoint.kernels.spatial.energy import contact_work, give_way
from pushpoint.kernels.spatial.foresight import (
    drift_along,
    drift_off,
    drift_over,
    foresee_anew,
    momenta_of,
    trusted,
    twist_before,
)
from pushpoint.kernels.spatial.neighbours import watch_neighbours
from pushpoint.kernels.spatial.selves.impulses import forgo_lead_out, hear_laws, settle_selves
from pushpoint.kernels.spatial.selves.touches import count_selves, find_self_contacts
from pushpoint.kernels.spatial.structs import MOST_AXES, PITCH
from pushpoint.kernels.spatial.surfaces import touch_ground, touch_obstacles
from pushpoint.kernels.spatial.touching import forgo_push_out, share_weight
from pushpoint.kernels.structs import DIVERGED, RUNNING, nth, place
from pushpoint.kernels.traits import JOINTS, LIMITS, LOADS, OBSTACLES, SELVES


@wp.func
def time_step(
    w: int, at: int, numerics: Any, model: Any, obstacles: Any, drive: Any, motion: Any, work: Any, tally: Any
):
    """Advances world w by dt; `at` counts the steps of this launch, from 1."""
    tail, momentum = to_midpoint(w, at, numerics, model, drive, motion, work, tally)  # (72), h of (75), (68), (69)
    find_contacts(w, tail, numerics, model, obstacles, motion, work, tally)  # (49)
    solve_impulses(w, numerics, model, drive, motion, work, tally)  # (75)-(82)
    if SELVES:
        count_selves(w, motion, work, tally)
    to_end(w, momentum, numerics, model, obstacles, drive, motion, work, tally)  # (83)
    motion.worlds[w].step = motion.worlds[w].step + 1


@wp.func
def to_midpoint(w: int, at: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Poses at the midpoint, and what each link and the joint in front of it bring to the step: impulses, drift,
    servos, and twists to begin the search for the new ones with.

    In one pass from the tail on, because a GPU reads and writes its memory in every one. Joint points are seen from the
    tail's rear joint. Returns where that joint is, and the momentum that the robot ends with if nothing touches it.
    """
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    zero = numerics.dt - numerics.dt
    t = type(numerics.dt)(motion.worlds[w].step) * numerics.dt  # as the step before had it, to the last bit
    t_next = type(numerics.dt)(motion.worlds[w].step + 1) * numerics.dt
    value_start, wave_start, value, wave_rate = waves_around(w, at, t, t_next, drive, work)
    tail_omega = motion.links[place(w, 0, model)].omega
    tail = turned(motion.worlds[w].tail, tail_omega * half_dt)
    motion.worlds[w].tail = tail
    R = rotation(tail)
    joint = wp.vector(zero, zero, zero)  # of the link at hand, seen from the tail's rear joint
    mass_point = joint
    momentum = joint
    total = joint
    drift_v = joint
    drift_w = joint
    way_w = R * tail_omega  # without drift
    j = int(0)
    for i in range(model.n_links):
        k = place(w, i, model)
        m = model.links[k].mass
        e = column(R, 0)
        along = model.links[k].length * e
        v = motion.links[k].v  # read before anything is written, so that a GPU asks for all at once
        omega = motion.links[k].omega
        v_change = motion.links[k].v_change
        w_change = motion.links[k].w_change
        mass_point += m * (joint + model.links[k].to_mass * e)
        momentum += m * v
        work.links[k].R = R
        work.links[k].J = joint
        work.links[k].along = along
        P, L, inertia = smooth_impulses(w, k, R, v, omega, w_change, numerics, model, drive, work, tally)
        # The search for the new twist, without its drift, begins where the last step's change, made once more, leads.
        omega = R * omega
        work.links[k].v = v - model.links[k].to_mass * wp.cross(omega, e) - drift_v + v_change
        work.links[k].w = omega - drift_w + w_change
        drift_mass, drift_v_next = drift_along(k, e, drift_v, drift_w, way_w, half_dt, model, work)
        lost_v, lost_w = momenta_of(k, e, inertia, drift_mass, drift_w, model)
        work.links[k].f_v = P - lost_v
        work.links[k].f_w = L - lost_w
        total += P
        drift_v = drift_v_next
        joint += along
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            if JOINTS:
                if a == 1:
                    between = model.links[k].gap * column(R, 0)
                    work.links[k].between = between
                    joint += between
                    drift_v = drifted(drift_v, drift_w, way_w, between, half_dt)
            rate = motion.joints[q].rate
            angle = motion.joints[q].angle + half_dt * rate
            ref_start, rate_start = start_reference(w, j, q, at, t, value_start, wave_start, numerics.dt, drive, work)
            ref, ref_rate = joint_reference(w, j, q, at, t_next, value, wave_rate, numerics.dt, drive)
            motion.joints[q].angle = angle
            s = column(R, 2)
            if model.axes[q] == PITCH:
                s = column(R, 1)
                R = pitched(R, angle)
            else:
                R = yawed(R, angle)
            work.joints[q].s = s
            drift_w, way_w = drift_over(rate * s, drift_w, way_w, half_dt)
            set_joint(q, angle, rate, ref, ref_rate, ref_start, rate_start, numerics, drive, motion, work)
            j += 1
    inverse_mass = type(zero)(1.0) / model.worlds[w].mass
    center = motion.worlds[w].center + (half_dt * inverse_mass) * momentum
    motion.worlds[w].center = center
    return center - mass_point * inverse_mass, total


@wp.func
def smooth_impulses(
    w: int, k: int, R: Any, v: Any, omega: Any, w_change: Any,
    numerics: Any, model: Any, drive: Any, work: Any, tally: Any,
):  # fmt: skip
    """A link's momentum, with gravity, gyroscopic torque and loads, the moment of it about the rear joint, and the
    inertia about that joint, which it keeps."""
    dt = numerics.dt
    m = model.links[k].mass
    c = model.links[k].to_mass * column(R, 0)
    spin = wp.cw_mul(model.links[k].inertia, omega)
    P = m * v
    P[2] -= dt * m * model.worlds[w].gravity
    # The gyroscopic torque, carried on from the last step's to the middle of this one.
    before = omega - wp.transpose(R) * w_change
    gyro = wp.cross(omega, type(dt)(1.5) * spin)
    gyro -= wp.cross(before, type(dt)(0.5) * wp.cw_mul(model.links[k].inertia, before))
    L = R * (spin - dt * gyro)
    if LOADS:
        if drive.loaded == 1:
            push = drive.loads[k].force * dt
            P += push
            L += drive.loads[k].torque * dt
            tally.links[k].load = tally.links[k].load + push
    inertia = about_rear_joint(model.links[k].inertia, R, m, c)
    work.links[k].inertia = inertia
    return P, L + wp.cross(c, P), inertia


@wp.func
def set_joint(
    q: int, alpha_mid: Any, rate: Any, ref: Any, ref_rate: Any, ref_start: Any, rate_start: Any,
    numerics: Any, drive: Any, motion: Any, work: Any,
):  # fmt: skip
    """What the law of an axis needs in this step, from its angle at the midpoint and the references around it."""
    work.joints[q].rate = rate
    work.joints[q].ref = ref
    work.joints[q].ref_rate = ref_rate
    set_motor_row(q, rate, ref, ref_rate, ref_start, rate_start, alpha_mid, numerics, drive, work)
    if LIMITS:
        set_stop(q, alpha_mid, motion.joints[q].P_stop, numerics, drive, work)


@wp.func
def find_contacts(w: int, tail: Any, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any, tally: Any):
    """Active contacts of every link at the midpoint.

    `tail` is where the tail's rear joint is; the others were seen from there up to now.
    """
    if SELVES:
        find_self_contacts(w, numerics, model, motion, work)
    deepest = numerics.dt - numerics.dt
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].J = work.links[k].J + tail
        work.n_contacts[k] = 0
        deepest = wp.max(deepest, touch_ground(w, k, numerics, model, motion, work))
        if OBSTACLES:
            if obstacles.grids[w].first < obstacles.grids[w].last:
                watch_neighbours(w, k, numerics, model, obstacles, motion, work)
                deepest = wp.max(deepest, touch_obstacles(w, k, numerics, model, obstacles, motion, work))
        if motion.worlds[w].step == 0:
            share_weight(w, k, numerics.dt, model, work)
    tally.worlds[w].penetration = wp.max(tally.worlds[w].penetration, deepest)


@wp.func
def solve_impulses(w: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Finds the velocities u_E and impulses that satisfy every law together; Newton's method or the prox iteration."""
    dt = numerics.dt
    enough = numerics.tolerance * wp.max(model.worlds[w].gravity * dt, type(dt)(1.0e-4))
    residual = enough + enough
    iterations = int(0)
    mode = int(numerics.newton)
    given_up = int(0)
    done = dt - dt  # by contacts [J]
    halved = int(0)  # how often the impulses of a step given up were
    last = numerics.max_iterations + numerics.newton * FALLBACK
    off = residual
    fastest = residual  # square of the angular velocity of a link
    refined = wp.min(int(REFINED), numerics.max_iterations)
    while iterations <= last and (residual > enough or (iterations < refined and off > enough)):
        if numerics.newton == 1 and iterations == numerics.max_iterations:
            # Newton's method is lost: a slower way that seldom is, from the last step on.
            mode = SPLIT
            start_anew(w, numerics, model, motion, work)
        elif iterations > 0 and iterations < last and off > enough:
            if trusted(w, residual, fastest, dt, model, motion):
                foresee_anew(w, numerics, model, work)
        if iterations == last and given_up == 0:
            # Not solved: admissible impulses as they stand, and the velocities that follow from them.
            given_up = 1
            mode = PROX
            tally.worlds[w].unconverged = tally.worlds[w].unconverged + 1
        if numerics.newton == 1 and iterations == FORGO_AT:
            for i in range(model.n_links):
                forgo_push_out(place(w, i, model), model, motion, work)
            if SELVES:
                forgo_lead_out(w, work)
        rho = line_stiffness(iterations, numerics)
        if mode == SPLIT:
            rho = type(rho)(SPLIT_STIFFNESS)
        if LIMITS:
            linearise_joints(w, mode, rho, given_up, numerics, model, drive, work)
        residual, off_now, fastest = solve_velocities(w, mode, rho, numerics, model, drive, work)
        if SELVES:
            if work.n_self[w] > 0:
                settle_selves(w, enough, model, work)
                residual, off_now, fastest = hear_laws(w, mode, numerics, model, drive, work)
        if iterations < refined:
            off = off_now
        iterations += 1
        if residual <= enough or given_up == 1:
            done, gains = contact_work(w, given_up, enough, numerics, model, motion, work)
            if gains == 1 and give_way(w, given_up, halved, numerics, model, work) == 1:
                residual = enough + enough
                if given_up == 1:
                    mode = HELD
                    halved += 1
                    iterations -= 1
    lost = int(given_up == 1 and residual > type(dt)(LOST) * enough)
    note_jam(w, lost, drive.joints[nth(place(w, 0, model), 0, MOST_AXES, model)].mode, motion, tally)
    tally.worlds[w].gained = tally.worlds[w].gained + wp.max(done, dt - dt)
    tally.worlds[w].taken = tally.worlds[w].taken - wp.min(done, dt - dt)
    tally.worlds[w].iterations = wp.max(tally.worlds[w].iterations, iterations)
    tally.worlds[w].residual = wp.max(tally.worlds[w].residual, residual)


@wp.func
def start_anew(w: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Puts twists, drift and impulses back to where the step began, without pushing out of penetration."""
    for i in range(model.n_links):
        k = place(w, i, model)
        v, omega = twist_before(k, model, motion, work)
        work.links[k].v = v - work.links[k].drift_v
        work.links[k].w = omega - work.links[k].drift_w
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            work.joints[q].rate = motion.joints[q].rate
        forgo_push_out(k, model, motion, work)
    foresee_anew(w, numerics, model, work)


@wp.func
def solve_velocities(w: int, mode: int, rho: Any, numerics: Any, model: Any, drive: Any, work: Any):
    """Both sweeps with the laws as lines.

    Returns over all links the largest violation of a law, how far the drift is off [m/s], and omega^2 [rad^2/s^2]: in
    one pass, because a long robot does not fit into the first cache.
    """
    linearise_contacts(w, mode, rho, numerics, model, work)
    A, B, C, D, f_v, f_w = sweep_to_tail(w, numerics, model, drive, work)
    v, omega = tail_twist(w, A, B, C, D, f_v, f_w, work)
    k = place(w, 0, model)
    work.links[k].v = v
    work.links[k].w = omega
    residual = respond_link(k, mode, v, omega, numerics, model, work)
    off = drift_off(k, omega, numerics.dt, model, work)
    fastest = wp.dot(omega, omega)
    for i in range(model.n_links - 1):
        behind = place(w, i, model)
        front = place(w, i + 1, model)
        v, omega = carry_to_next(behind, v, omega, model, work)
        off = wp.max(off, drift_off(front, omega, numerics.dt, model, work))
        work.links[front].v = v
        work.links[front].w = omega
        if LIMITS:
            for a in range(model.links[behind].n_axes):
                q = nth(behind, a, MOST_AXES, model)
                residual = wp.max(residual, respond_joint(q, model.links[front].length, numerics, drive, work))
        residual = wp.max(residual, respond_link(front, mode, v, omega, numerics, model, work))
        fastest = wp.max(fastest, wp.dot(omega, omega))
    return residual, off, fastest


@wp.func
def to_end(
    w: int,
    smooth: Any,
    numerics: Any,
    model: Any,
    obstacles: Any,
    drive: Any,
    motion: Any,
    work: Any,
    tally: Any,
):
    """Velocities at the centres of mass and the pose at the end of the step; a world that left reason is stopped.

    What is missing of the momentum expected, smooth impulses and contacts, counts as a violation: lines that nearly
    cancel make the sweeps inexact.
    """
    dt = numerics.dt
    half_dt = type(dt)(0.5) * dt
    expected = smooth
    momentum = smooth - smooth
    fastest = dt - dt
    for i in range(model.n_links):
        k = place(w, i, model)
        expected += count_contacts(k, model, obstacles, motion, work, tally)
        R = work.links[k].R
        twist_v = work.links[k].v
        twist_w = work.links[k].w
        drift_w = work.links[k].drift_w
        v_before, w_before = twist_before(k, model, motion, work)
        v = twist_v + wp.cross(twist_w, model.links[k].to_mass * column(R, 0)) + work.links[k].drift_mass
        omega = twist_w + drift_w
        motion.links[k].v_change = twist_v - v_before + work.links[k].drift_v
        motion.links[k].w_change = twist_w - w_before + drift_w
        motion.links[k].v = v
        motion.links[k].omega = wp.transpose(R) * omega
        momentum += model.links[k].mass * v
        fastest = wp.max(fastest, wp.dot(omega, omega))
        for a in range(model.links[k].n_axes):
            end_joint(nth(k, a, MOST_AXES, model), half_dt, drive, motion, work, tally)
    motion.worlds[w].tail = turned(motion.worlds[w].tail, motion.links[place(w, 0, model)].omega * half_dt)
    center = motion.worlds[w].center + (half_dt / model.worlds[w].mass) * momentum
    motion.worlds[w].center = center
    motion.worlds[w].turn = wp.max(motion.worlds[w].turn, wp.sqrt(fastest) * dt)
    missing = wp.length(momentum - expected) / model.worlds[w].mass
    tally.worlds[w].residual = wp.max(tally.worlds[w].residual, missing)
    # A link that turns by more than a radian per step, or is not a number, has left what the scheme can follow.
    finite = wp.isfinite(wp.dot(momentum, momentum)) and wp.isfinite(wp.dot(center, center))
    sane = fastest * dt * dt < type(dt)(1.0) and finite
    if motion.worlds[w].status == RUNNING and not sane:
        motion.worlds[w].status = DIVERGED

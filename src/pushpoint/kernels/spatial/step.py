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
from pushpoint.kernels.spatial.algebra.frames import about_rear_joint, column, pitched, rotation, turned, yawed
from pushpoint.kernels.spatial.chain import carry_to_next, linearise_joints, sweep_to_tail, tail_twist
from pushpoint.kernels.spatial.contacts import HELD, PROX, SPLIT, respond_link
from pushpoint.kernels.spatial.counting import count_contacts, end_joint
from pushpoint.kernels.spatial.energy import contact_work, give_way
from pushpoint.kernels.spatial.foresight import drift_off, drift_on, foresee_anew, foresee_twist, momenta_of, trusted
from pushpoint.kernels.spatial.neighbours import watch_neighbours
from pushpoint.kernels.spatial.selves.impulses import forgo_lead_out, hear_laws, settle_selves
from pushpoint.kernels.spatial.selves.touches import count_selves, find_self_contacts
from pushpoint.kernels.spatial.structs import MOST_AXES, PITCH
from pushpoint.kernels.spatial.surfaces import touch_ground, touch_obstacles
from pushpoint.kernels.spatial.touching import forgo_push_out, share_weight
from pushpoint.kernels.structs import DIVERGED, RUNNING, nth, place
from pushpoint.kernels.traits import LIMITS, LOADS, OBSTACLES, SELVES


@wp.func
def time_step(
    w: int, at: int, numerics: Any, model: Any, obstacles: Any, drive: Any, motion: Any, work: Any, tally: Any
):
    """Advances world w by dt; `at` counts the steps of this launch, from 1."""
    shift = to_midpoint(w, numerics, model, motion, work)  # (72)
    momentum = set_links(w, at, shift, numerics, model, drive, motion, work, tally)  # h of (75), (68), (69)
    find_contacts(w, numerics, model, obstacles, motion, work, tally)  # (49)
    solve_impulses(w, numerics, model, drive, motion, work, tally)  # (75)-(82)
    if SELVES:
        count_selves(w, motion, work, tally)
    to_end(w, momentum, numerics, model, obstacles, drive, motion, work, tally)  # (83)
    motion.worlds[w].step = motion.worlds[w].step + 1


@wp.func
def to_midpoint(w: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Poses at the midpoint: orientations from the tail on, joint axes, joint points seen from the tail's rear joint.

    Returns where that joint is.
    """
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    zero = numerics.dt - numerics.dt
    tail = turned(motion.worlds[w].tail, motion.links[place(w, 0, model)].omega * half_dt)
    motion.worlds[w].tail = tail
    R = rotation(tail)
    joint = wp.vector(zero, zero, zero)  # of the link at hand, seen from the tail's rear joint
    mass_point = joint
    momentum = joint
    for i in range(model.n_links):
        k = place(w, i, model)
        m = model.links[k].mass
        e = column(R, 0)
        along = model.links[k].length * e
        mass_point += m * (joint + model.links[k].to_mass * e)
        momentum += m * motion.links[k].v
        work.links[k].R = R
        work.links[k].J = joint
        work.links[k].along = along
        joint += along
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            angle = motion.joints[q].angle + half_dt * motion.joints[q].rate
            motion.joints[q].angle = angle
            if a == 1:
                between = model.links[k].gap * column(R, 0)
                work.links[k].between = between
                joint += between
            if model.axes[q] == PITCH:
                work.joints[q].s = column(R, 1)
                R = pitched(R, angle)
            else:
                work.joints[q].s = column(R, 2)
                R = yawed(R, angle)
    inverse_mass = type(zero)(1.0) / model.worlds[w].mass
    center = motion.worlds[w].center + (half_dt * inverse_mass) * momentum
    motion.worlds[w].center = center
    return center - mass_point * inverse_mass


@wp.func
def set_links(w: int, at: int, shift: Any, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """What each link and the joint in front of it bring to the step, from the tail on: twists, impulses, drift, servos.

    In one pass, because a GPU reads and writes its memory in every one. Returns the momentum that the robot would end
    with if nothing touched it.
    """
    half_dt = type(shift[0])(0.5) * numerics.dt
    t = type(numerics.dt)(motion.worlds[w].step) * numerics.dt  # as the step before had it, to the last bit
    t_next = type(numerics.dt)(motion.worlds[w].step + 1) * numerics.dt
    value_start, wave_start, value, wave_rate = waves_around(w, at, t, t_next, drive, work)
    total = shift - shift
    drift_v = total
    drift_w = total
    way_w = work.links[place(w, 0, model)].R * motion.links[place(w, 0, model)].omega  # without drift
    j = int(0)
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].J = work.links[k].J + shift
        P, L = smooth_impulses(w, k, numerics, model, drive, motion, work, tally)
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            ref_start, rate_start = start_reference(w, j, q, at, t, value_start, wave_start, numerics.dt, drive, work)
            ref, ref_rate = joint_reference(w, j, q, at, t_next, value, wave_rate, numerics.dt, drive)
            set_joint(q, ref, ref_rate, ref_start, rate_start, numerics, drive, motion, work)
            j += 1
        drift_mass, v_next, w_next, way_next = drift_on(k, drift_v, drift_w, way_w, half_dt, model, work)
        lost_v, lost_w = momenta_of(k, drift_mass, drift_w, model, work)
        work.links[k].f_v = P - lost_v
        work.links[k].f_w = L - lost_w
        total += P
        drift_v = v_next
        drift_w = w_next
        way_w = way_next
    return total


@wp.func
def smooth_impulses(w: int, k: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Sets a link's inertia and twist at its rear joint; returns its momentum, with gravity, gyroscopic torque, loads,
    and the moment of momentum about that joint."""
    dt = numerics.dt
    m = model.links[k].mass
    R = work.links[k].R
    c = model.links[k].to_mass * column(R, 0)
    v = motion.links[k].v
    omega = motion.links[k].omega
    spin = wp.cw_mul(model.links[k].inertia, omega)
    P = m * v
    P[2] -= dt * m * model.worlds[w].gravity
    # The gyroscopic torque, carried on from the last step's to the middle of this one.
    before = omega - wp.transpose(R) * motion.links[k].w_change
    gyro = wp.cross(omega, type(dt)(1.5) * spin)
    gyro -= wp.cross(before, type(dt)(0.5) * wp.cw_mul(model.links[k].inertia, before))
    L = R * (spin - dt * gyro)
    if LOADS:
        if drive.loaded == 1:
            push = drive.loads[k].force * dt
            P += push
            L += drive.loads[k].torque * dt
            tally.links[k].load = tally.links[k].load + push
    w_world = R * omega
    work.links[k].inertia = about_rear_joint(model.links[k].inertia, R, m, c)
    work.links[k].v = v - wp.cross(w_world, c)
    work.links[k].w = w_world
    return P, L + wp.cross(c, P)


@wp.func
def set_joint(
    q: int, ref: Any, ref_rate: Any, ref_start: Any, rate_start: Any, numerics: Any, drive: Any, motion: Any, work: Any
):
    """What the law of an axis needs in this step, from its angle at the midpoint and the references around it."""
    alpha_mid = motion.joints[q].angle
    work.joints[q].rate = motion.joints[q].rate
    work.joints[q].ref = ref
    work.joints[q].ref_rate = ref_rate
    set_motor_row(q, ref, ref_rate, ref_start, rate_start, alpha_mid, numerics, drive, work)
    if LIMITS:
        set_stop(q, alpha_mid, motion.joints[q].P_stop, numerics, drive, work)


@wp.func
def find_contacts(w: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any, tally: Any):
    """Active contacts of every link at the midpoint, and twists to begin the search for the new ones with."""
    if SELVES:
        find_self_contacts(w, numerics, model, motion, work)
    deepest = numerics.dt - numerics.dt
    for i in range(model.n_links):
        k = place(w, i, model)
        work.n_contacts[k] = 0
        deepest = wp.max(deepest, touch_ground(w, k, numerics, model, motion, work))
        if OBSTACLES:
            if obstacles.grids[w].first < obstacles.grids[w].last:
                watch_neighbours(w, k, numerics, model, obstacles, motion, work)
                deepest = wp.max(deepest, touch_obstacles(w, k, numerics, model, obstacles, motion, work))
        if motion.worlds[w].step == 0:
            share_weight(w, k, numerics.dt, model, work)
        foresee_twist(k, motion, work)
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
            done, gains = contact_work(w, given_up, enough, numerics, model, work)
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
        work.links[k].v = work.links[k].v_start
        work.links[k].w = work.links[k].w_start
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
    A, B, C, D, f_v, f_w = sweep_to_tail(w, mode, rho, numerics, model, drive, work)
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
        work.links[front].v = v
        work.links[front].w = omega
        if LIMITS:
            for a in range(model.links[behind].n_axes):
                q = nth(behind, a, MOST_AXES, model)
                residual = wp.max(residual, respond_joint(q, model.links[front].length, numerics, drive, work))
        residual = wp.max(residual, respond_link(front, mode, v, omega, numerics, model, work))
        off = wp.max(off, drift_off(front, omega, numerics.dt, model, work))
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
        motion.links[k].v_change = work.links[k].v - work.links[k].v_start
        motion.links[k].w_change = work.links[k].w - work.links[k].w_start
        R = work.links[k].R
        c = model.links[k].to_mass * column(R, 0)
        v = work.links[k].v + wp.cross(work.links[k].w, c) + work.links[k].drift_mass
        omega = work.links[k].w + work.links[k].drift_w
        work.links[k].w = omega
        work.links[k].v = v - wp.cross(omega, c)
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

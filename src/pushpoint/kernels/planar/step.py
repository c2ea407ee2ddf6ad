"""One time step of the planar model: Moreau's midpoint scheme of Transeth2008a, section VI.

Symbols: q = (r, theta) pose, u = (v, omega) velocity at the centres of mass, x_i = (v, omega) twist of link i at its
rear joint J_i; index A start, M midpoint, E end of the step. Poses are kept as the robot's centre of mass and the
link angles, so joints never drift apart and projection about the centre of mass (section VI-C does it about link 1)
is exact.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.angles import sine_cosine
from pushpoint.kernels.motors import linearise_joint, motor_impulse, respond_joint, set_motor_row, set_stop
from pushpoint.kernels.planar.chain import carry_to_next, sweep_to_tail
from pushpoint.kernels.planar.contacts import HELD, PROX, recall_impulses, respond_link
from pushpoint.kernels.planar.energy import contact_work, give_way
from pushpoint.kernels.planar.foresight import begin_drift, drift_off, drift_on, foresee_anew, trusted
from pushpoint.kernels.planar.neighbours import list_neighbours
from pushpoint.kernels.planar.selves.impulses import forgo_lead_out, respond_selves, settle_selves
from pushpoint.kernels.planar.selves.touches import count_selves, find_self_contacts
from pushpoint.kernels.planar.structs import FEATURES, MOST_CONTACTS
from pushpoint.kernels.planar.touching import forgo_push_out, touch
from pushpoint.kernels.references import joint_reference, start_reference, waves_around
from pushpoint.kernels.safeguard import FORGO_AT, LOST, REFINED, line_stiffness, note_jam
from pushpoint.kernels.structs import DIVERGED, RUNNING, nth, place
from pushpoint.kernels.traits import LIMITS, LOADS, SELVES


@wp.func
def to_midpoint(w: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Poses at the midpoint, twists of the start, their drift and smooth impulses, all at the rear joints.

    Returns the momentum that the robot would end with if nothing touched it.
    """
    dt = numerics.dt
    half_dt = type(dt)(0.5) * dt
    zero = type(dt)(0.0)
    joint = wp.vector(zero, zero)  # of the link at hand, seen from the tail's rear joint
    mass_point = wp.vector(zero, zero)
    momentum = wp.vector(zero, zero)
    pushed = wp.vector(zero, zero)
    drift = wp.vector(zero, zero)  # of the link at hand
    for i in range(model.n_links):
        k = place(w, i, model)
        m = model.links[k].mass
        c = model.links[k].to_mass
        v = motion.links[k].v
        omega = motion.links[k].omega
        angle = motion.links[k].theta + half_dt * omega
        sine, cosine = sine_cosine(angle)
        e = wp.vector(cosine, sine)
        left = wp.vector(-e[1], e[0])
        P = m * v
        spin = model.links[k].inertia * omega
        if LOADS:
            if drive.loaded == 1:
                load = drive.loads[k] * dt
                P += wp.vector(load[0], load[1])
                spin += load[2]
                tally.links[k].load = tally.links[k].load + wp.vector(load[0], load[1])
        v_joint = v - (omega * c) * left
        work.links[k].e = e
        work.links[k].J = joint
        drift_next = drift_on(k, drift, e, omega, half_dt, model, work)
        kept = P - m * (drift - (half_dt * omega * omega * c) * e)  # less the momentum of the drift
        work.links[k].f_smooth = wp.vector(kept[0], kept[1], spin + c * wp.dot(left, kept))
        work.links[k].x = wp.vector(v_joint[0], v_joint[1], omega)
        mass_point += m * (joint + c * e)
        momentum += m * v
        pushed += P
        joint += model.links[k].length * e
        drift = drift_next
    inverse_mass = type(dt)(1.0) / model.worlds[w].mass
    center = motion.worlds[w].center + (half_dt * inverse_mass) * momentum
    motion.worlds[w].center = center
    shift = center - mass_point * inverse_mass
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].J = work.links[k].J + shift
    return pushed


@wp.func
def set_joints(w: int, at: int, t_next: Any, numerics: Any, model: Any, drive: Any, motion: Any, work: Any):
    """What the joints' laws need in this step, from their angles at the midpoint and the references around it."""
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    t = type(t_next)(motion.worlds[w].step) * numerics.dt  # as the step before had it, to the last bit
    value_start, wave_start, value, wave_rate = waves_around(w, at, t, t_next, drive, work)
    for j in range(model.n_links - 1):
        k = place(w, j, model)
        front = place(w, j + 1, model)
        rate = motion.links[front].omega - motion.links[k].omega
        alpha_mid = motion.links[front].theta - motion.links[k].theta + half_dt * rate
        work.joints[k].rate = rate
        ref_start, ref_rate_start = start_reference(w, j, k, at, t, value_start, wave_start, numerics.dt, drive, work)
        ref, ref_rate = joint_reference(w, j, k, at, t_next, value, wave_rate, numerics.dt, drive)
        work.joints[k].ref = ref
        work.joints[k].ref_rate = ref_rate
        set_motor_row(k, rate, ref, ref_rate, ref_start, ref_rate_start, alpha_mid, numerics, drive, work)
        if LIMITS:
            set_stop(k, alpha_mid, motion.links[k].P_stop, numerics, drive, work)


@wp.func
def find_contacts(w: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any, tally: Any):
    """Active contacts with obstacles; refreshes a link's list of neighbours when it has moved through its margin."""
    if obstacles.grids[w].first == obstacles.grids[w].last:
        return
    deepest = type(numerics.dt)(0.0)
    for i in range(model.n_links):
        k = place(w, i, model)
        link = model.links[k]
        J = work.links[k].J
        e = work.links[k].e
        swing = wp.max(wp.abs(link.side_front - link.to_mass), wp.abs(link.side_rear - link.to_mass))
        # From midpoint to midpoint a link moves by dt u_A; a hundredth more covers the closing of joint gaps.
        v = motion.links[k].v
        moved = numerics.dt * (wp.abs(v[0]) + wp.abs(v[1]) + wp.abs(motion.links[k].omega) * swing)
        slack = motion.links[k].near_slack - moved * type(moved)(1.01)
        motion.links[k].near_slack = slack
        if slack < type(slack)(0.0):
            list_neighbours(w, k, J, e, numerics, model, link, obstacles, motion)
        deepest = wp.max(deepest, touch(w, k, J, e, numerics, model, link, obstacles, motion, work))
    tally.worlds[w].penetration = wp.max(tally.worlds[w].penetration, deepest)


@wp.func
def solve_velocities(w: int, mode: int, rho: Any, numerics: Any, model: Any, drive: Any, motion: Any, work: Any):
    """Both sweeps with the laws as lines; returns the largest violation of a law and how far the drift is off [m/s]."""
    K, f = sweep_to_tail(w, mode, rho, numerics, model, drive, work)
    x = wp.inverse(K) * f
    k = place(w, 0, model)
    work.links[k].x = x
    residual = respond_link(k, mode, x, numerics, model, motion, work)
    off = drift_off(k, x[2], numerics.dt, model, work)
    for j in range(model.n_links - 1):
        front = place(w, j + 1, model)
        behind = place(w, j, model)
        x = carry_to_next(behind, x, model, work)
        work.links[front].x = x
        if LIMITS:
            residual = wp.max(residual, respond_joint(behind, model.links[front].length, numerics, drive, work))
        residual = wp.max(residual, respond_link(front, mode, x, numerics, model, motion, work))
        off = wp.max(off, drift_off(front, x[2], numerics.dt, model, work))
    return residual, off


@wp.func
def hear_laws(w: int, mode: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any):
    """What all laws say to velocities that links pushing each other have changed; returns the same two."""
    residual = respond_selves(w, model, motion, work)
    off = residual - residual
    for i in range(model.n_links):
        k = place(w, i, model)
        x = work.links[k].x
        residual = wp.max(residual, respond_link(k, mode, x, numerics, model, motion, work))
        off = wp.max(off, drift_off(k, x[2], numerics.dt, model, work))
    for j in range(model.n_links - 1):
        length = model.links[place(w, j + 1, model)].length
        residual = wp.max(residual, respond_joint(place(w, j, model), length, numerics, drive, work))
    return residual, off


@wp.func
def count_impulses(w: int, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Adds what every link felt to the tallies and keeps the contacts for the next step; returns all impulses' sum."""
    first = place(w, 0, model)
    total = motion.links[first].v - motion.links[first].v
    for i in range(model.n_links):
        k = place(w, i, model)
        e = work.links[k].e
        left = wp.vector(-e[1], e[0])
        turned = work.links[k].spin_P
        rubbed = total - total
        for p in range(model.links[k].n_points):
            at = nth(k, p, model.most_points, model)
            P = wp.cw_mul(work.points[at].S, work.points[at].z)
            d = work.points[at].d
            mass_arm = model.links[k].to_mass * model.points[at].direction
            rubbed += P[0] * d + P[1] * wp.vector(-d[1], d[0])
            turned += P[0] * (model.points[at].arm[0] - mass_arm[1]) + P[1] * (model.points[at].arm[1] - mass_arm[0])
        total += rubbed
        tally.links[k].ground = tally.links[k].ground + rubbed
        tally.links[k].ground_torque = tally.links[k].ground_torque + turned
        motion.links[k].n_contacts = work.n_contacts[k]
        for c in range(work.n_contacts[k]):
            at = nth(k, c, MOST_CONTACTS, model)
            contact = work.contacts[at]
            felt = contact.W_N * contact.P[0] + contact.W_T * contact.P[1]
            force = wp.vector(felt[0], felt[1])
            sideways = wp.dot(left, force)
            total += force
            tally.links[k].obstacle = tally.links[k].obstacle + force
            tally.links[k].obstacle_torque = (
                tally.links[k].obstacle_torque + felt[2] - model.links[k].to_mass * sideways
            )
            tally.links[k].side = tally.links[k].side + sideways
            tally.obstacles[contact.key / FEATURES] = tally.obstacles[contact.key / FEATURES] + contact.P[0]
            motion.contacts[at].contact_key = contact.key
            motion.contacts[at].P_contact = contact.P_next
    for j in range(model.n_links - 1):
        k = place(w, j, model)
        rate_before = motion.links[place(w, j + 1, model)].omega - motion.links[k].omega
        turn = motor_impulse(k, drive, work)
        work.joints[k].P = turn
        if LIMITS:
            motion.links[k].P_stop = work.joints[k].stop_next
        mean_rate = type(turn)(0.5) * (rate_before + work.joints[k].rate)
        tally.joints[k].motor = tally.joints[k].motor + turn
        tally.joints[k].motor_work = tally.joints[k].motor_work + turn * mean_rate
    return total


@wp.func
def to_end(w: int, expected: Any, numerics: Any, model: Any, motion: Any, work: Any, tally: Any):
    """Velocities at the centres of mass and the pose at the end of the step; a world that left reason is stopped.

    What is missing of the momentum expected counts as a violation: lines that nearly cancel make the sweeps inexact.
    """
    dt = numerics.dt
    half_dt = type(dt)(0.5) * dt
    zero = type(dt)(0.0)
    momentum = wp.vector(zero, zero)
    fastest = zero
    for i in range(model.n_links):
        k = place(w, i, model)
        x = work.links[k].x
        e = work.links[k].e
        c = model.links[k].to_mass
        swing = x[2] * c
        turning = work.links[k].drift - (work.links[k].inward * c) * e
        v = wp.vector(x[0] - swing * e[1], x[1] + swing * e[0]) + turning
        motion.links[k].theta = motion.links[k].theta + half_dt * (motion.links[k].omega + x[2])
        motion.links[k].v = v
        motion.links[k].omega = x[2]
        momentum += model.links[k].mass * v
        fastest = wp.max(fastest, wp.abs(x[2]))
    center = motion.worlds[w].center + (half_dt / model.worlds[w].mass) * momentum
    motion.worlds[w].center = center
    motion.worlds[w].turn = wp.max(motion.worlds[w].turn, fastest * dt)
    missing = wp.length(momentum - expected) / model.worlds[w].mass
    tally.worlds[w].residual = wp.max(tally.worlds[w].residual, missing)
    # A link that turns by more than a radian per step, or is not a number, has left what the scheme can follow.
    finite = wp.isfinite(wp.dot(momentum, momentum)) and wp.isfinite(wp.dot(center, center))
    sane = fastest * dt < type(dt)(1.0) and finite
    if motion.worlds[w].status == RUNNING and not sane:
        motion.worlds[w].status = DIVERGED


@wp.func
def solve_impulses(w: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Finds velocities x_E and impulses that satisfy every law together; Newton's method or the prox iteration."""
    dt = numerics.dt
    enough = numerics.tolerance * wp.max(model.worlds[w].gravity * dt, type(dt)(1.0e-4))
    residual = enough + enough
    iterations = int(0)
    mode = int(numerics.newton)
    given_up = int(0)
    done = dt - dt  # by contacts [J]
    halved = int(0)  # how often the impulses of a step given up were
    for i in range(model.n_links):
        recall_impulses(w, place(w, i, model), dt, model, motion, work)
    begin_drift(w, numerics, model, work)
    off = residual
    refined = wp.min(int(REFINED), numerics.max_iterations)
    while iterations <= numerics.max_iterations and (residual > enough or (iterations < refined and off > enough)):
        if iterations > 0 and iterations < numerics.max_iterations and off > enough:
            if trusted(w, residual, dt, model, motion, work):
                foresee_anew(w, numerics, model, work)
        if iterations == numerics.max_iterations and given_up == 0:
            # Not solved: admissible impulses as they stand, and the velocities that follow from them.
            mode = PROX
            given_up = 1
            tally.worlds[w].unconverged = tally.worlds[w].unconverged + 1
        if numerics.newton == 1 and iterations == FORGO_AT:
            for i in range(model.n_links):
                forgo_push_out(place(w, i, model), model, motion, work)
            if SELVES:
                forgo_lead_out(w, motion)
        rho = line_stiffness(iterations, numerics)
        if LIMITS:
            for j in range(model.n_links - 1):
                # The prox iteration concerns contacts: joints are solved exactly, unless the step is given up.
                linearise_joint(place(w, j, model), rho, given_up, numerics, drive, work)
        residual, off_now = solve_velocities(w, mode, rho, numerics, model, drive, motion, work)
        if SELVES:
            if motion.worlds[w].touching > 0:
                settle_selves(w, iterations, rho, enough, model, motion, work)
                residual, off_now = hear_laws(w, mode, numerics, model, drive, motion, work)
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
    note_jam(w, lost, drive.joints[place(w, 0, model)].mode, motion, tally)
    tally.worlds[w].gained = tally.worlds[w].gained + wp.max(done, dt - dt)
    tally.worlds[w].taken = tally.worlds[w].taken - wp.min(done, dt - dt)
    tally.worlds[w].iterations = wp.max(tally.worlds[w].iterations, iterations)
    tally.worlds[w].residual = wp.max(tally.worlds[w].residual, residual)


@wp.func
def time_step(
    w: int, at: int, numerics: Any, model: Any, obstacles: Any, drive: Any, motion: Any, work: Any, tally: Any
):
    """Advances world w by dt; `at` counts the steps of this launch, from 1."""
    t_next = type(numerics.dt)(motion.worlds[w].step + 1) * numerics.dt
    momentum = to_midpoint(w, numerics, model, drive, motion, work, tally)  # (54)
    set_joints(w, at, t_next, numerics, model, drive, motion, work)  # (42), (43)
    find_contacts(w, numerics, model, obstacles, motion, work, tally)  # (39)
    if SELVES:
        find_self_contacts(w, numerics, model, motion, work)
    solve_impulses(w, numerics, model, drive, motion, work, tally)  # (55)-(62)
    momentum += count_impulses(w, model, drive, motion, work, tally)
    if SELVES:
        count_selves(w, motion, tally)
    to_end(w, momentum, numerics, model, motion, work, tally)  # (63)
    motion.worlds[w].step = motion.worlds[w].step + 1

"""One time step of the planar model: Moreau's midpoint scheme of Transeth2008a, section VI.

Symbols: q = (r, theta) pose, u = (v, omega) velocity at the centres of mass, x_i = (v, omega) twist of link i at its rear
joint J_i; index A start, M midpoint, E end of the step. Poses are kept as the robot's centre of mass and the link angles,
so joints never drift apart and projection about the centre of mass (section VI-C does it about link 1) is exact.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.chain import add_law, carry_to_next, mass_block, sweep_to_tail
from pushpoint.kernels.geometry import list_neighbours, touch
from pushpoint.kernels.laws import ground_law, peg_law, spin_law
from pushpoint.kernels.motors import respond_motor, set_motor_rows
from pushpoint.kernels.structs import DIVERGED, LAW_NONE, RUNNING

FULL_NEWTON = wp.constant(12)
"""Iterations after which friction at pegs takes an averaged bound and leaves its coupling out."""
PROX = wp.constant(0)
NEWTON = wp.constant(1)
LAGGED = wp.constant(2)


@wp.func
def time_step(
    w: int, at: int, numerics: Any, chain: Any, ground: Any, pegs: Any, drive: Any, motion: Any, work: Any, tally: Any
):
    """Advances world w by dt; `at` counts the steps of this launch, from 1."""
    t_next = type(numerics.dt)(motion.step[w] + 1) * numerics.dt
    to_midpoint(w, numerics, chain, drive, motion, work, tally)  # (54)
    set_motor_rows(w, at, t_next, numerics, chain, drive, motion, work)  # (42), (43)
    find_contacts(w, numerics, chain, pegs, motion, work, tally)  # (39)
    solve_impulses(w, numerics, chain, ground, pegs, drive, motion, work, tally)  # (55)-(62)
    count_impulses(w, numerics, chain, ground, pegs, motion, work, tally)
    to_end(w, numerics, chain, motion, work)  # (63)
    motion.step[w] = motion.step[w] + 1


@wp.func
def to_midpoint(w: int, numerics: Any, chain: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Poses at the midpoint, twists of the start and smooth impulses, all at the rear joints."""
    dt = numerics.dt
    half_dt = type(dt)(0.5) * dt
    zero = type(dt)(0.0)
    joint = wp.vector(zero, zero)  # of the link at hand, seen from the tail's rear joint
    mass_point = wp.vector(zero, zero)
    momentum = wp.vector(zero, zero)
    for i in range(chain.n_links):
        m = chain.mass[w, i]
        c = chain.to_mass[w, i]
        v = motion.v[w, i]
        omega = motion.omega[w, i]
        angle = motion.theta[w, i] + half_dt * omega
        e = wp.vector(wp.cos(angle), wp.sin(angle))
        left = wp.vector(-e[1], e[0])
        load = drive.load[w, i] * dt
        pushed = wp.vector(load[0], load[1])
        P = m * v + pushed
        tally.load[w, i] = tally.load[w, i] + pushed
        v_joint = v - (omega * c) * left
        work.e[w, i] = e
        work.J[w, i] = joint
        work.f_smooth[w, i] = wp.vector(
            P[0], P[1], chain.inertia[w, i] * omega + load[2] + c * wp.dot(left, P)
        )
        work.x[w, i] = wp.vector(v_joint[0], v_joint[1], omega)
        mass_point += m * (joint + c * e)
        momentum += m * v
        joint += chain.length[w, i] * e
    inverse_mass = type(dt)(1.0) / chain.total_mass[w]
    center = motion.center[w] + (half_dt * inverse_mass) * momentum
    motion.center[w] = center
    shift = center - mass_point * inverse_mass
    for i in range(chain.n_links):
        work.J[w, i] = work.J[w, i] + shift


@wp.func
def find_contacts(w: int, numerics: Any, chain: Any, pegs: Any, motion: Any, work: Any, tally: Any):
    """Active contacts with pegs; refreshes a link's list of neighbours when it has moved through its margin."""
    if pegs.first[w] == pegs.first[w + 1]:
        return
    deepest = type(numerics.dt)(0.0)
    for i in range(chain.n_links):
        J = work.J[w, i]
        e = work.e[w, i]
        swing = wp.max(
            wp.abs(chain.side_front[w, i] - chain.to_mass[w, i]), wp.abs(chain.side_rear[w, i] - chain.to_mass[w, i])
        )
        # From midpoint to midpoint a link moves by dt u_A; a hundredth more covers the closing of joint gaps.
        moved = numerics.dt * (wp.length(motion.v[w, i]) + wp.abs(motion.omega[w, i]) * swing)
        slack = motion.near_slack[w, i] - moved * type(moved)(1.01)
        motion.near_slack[w, i] = slack
        if slack < type(slack)(0.0):
            list_neighbours(w, i, J, e, numerics, chain, pegs, motion)
        deepest = wp.max(deepest, touch(w, i, J, e, work.x[w, i], numerics, chain, pegs, motion, work))
    tally.penetration[w] = wp.max(tally.penetration[w], deepest)


@wp.func
def solve_impulses(
    w: int, numerics: Any, chain: Any, ground: Any, pegs: Any, drive: Any, motion: Any, work: Any, tally: Any
):
    """Finds the velocities x_E and impulses that satisfy every law together; Newton's method or the prox iteration."""
    dt = numerics.dt
    enough = numerics.tolerance * wp.max(ground.gravity[w] * dt, type(dt)(1.0e-4))
    for i in range(chain.n_links):
        linearise_link(w, i, 0, work.x[w, i], numerics.newton, numerics, chain, ground, pegs, motion, work)
    residual = enough + enough
    iterations = int(0)
    mode = int(numerics.newton)
    while iterations < numerics.max_iterations and residual > enough:
        iterations += 1
        if iterations > FULL_NEWTON and mode == NEWTON:
            mode = LAGGED
        if iterations == numerics.max_iterations:
            mode = PROX
        residual = solve_velocities(w, mode, numerics, chain, ground, pegs, drive, motion, work)
    if residual > enough:
        # The last iteration left admissible impulses: the velocities that follow from them are the answer.
        solve_velocities(w, PROX, numerics, chain, ground, pegs, drive, motion, work)
        tally.unconverged[w] = tally.unconverged[w] + 1
    tally.iterations[w] = wp.max(tally.iterations[w], iterations)
    tally.residual[w] = wp.max(tally.residual[w], residual)


@wp.func
def solve_velocities(
    w: int, mode: int, numerics: Any, chain: Any, ground: Any, pegs: Any, drive: Any, motion: Any, work: Any
):
    """Both sweeps with the laws as linearised; linearises them anew and returns the largest violation [m/s]."""
    K, f = sweep_to_tail(w, chain, drive, work)
    x = wp.inverse(K) * f
    work.x[w, 0] = x
    residual = linearise_link(w, 0, 1, x, mode, numerics, chain, ground, pegs, motion, work)
    for j in range(chain.n_links - 1):
        x = carry_to_next(w, j, x, chain, work)
        i = j + 1
        work.x[w, i] = x
        residual = wp.max(residual, respond_motor(w, j, x, chain, drive, work))
        residual = wp.max(residual, linearise_link(w, i, 1, x, mode, numerics, chain, ground, pegs, motion, work))
    return residual


@wp.func
def linearise_link(
    w: int, i: int, solved: int, x: Any, mode: int,
    numerics: Any, chain: Any, ground: Any, pegs: Any, motion: Any, work: Any,
):  # fmt: skip
    """Evaluates the laws of link i at twist x and writes its equation K x = f; returns the largest violation [m/s]."""
    e = work.e[w, i]
    K = mass_block(chain.mass[w, i], chain.inertia[w, i], chain.to_mass[w, i], e)
    f = work.f_smooth[w, i]
    residual = type(numerics.dt)(0.0)
    newton = wp.min(mode, 1)
    share = law_share(w, i, mode, ground, work, residual)
    if ground.law[w, i] != LAW_NONE:
        W_along = wp.vector(e[0], e[1], residual)
        for p in range(ground.n_points[w, i]):
            W_across = wp.vector(-e[1], e[0], ground.to_point[w, i, p])
            gamma = wp.vector(wp.dot(W_along, x), wp.dot(W_across, x))
            error = respond_point(w, i, p, solved, gamma, newton, share, numerics, ground, motion, work)
            residual = wp.max(residual, error)
            F = wp.cw_mul(work.point_S[w, i, p], work.point_F[w, i, p])
            G = work.point_G[w, i, p]
            S = work.point_S[w, i, p]
            f += W_along * F[0] + W_across * F[1]
            K = add_law(K, W_along, W_across, wp.matrix_from_rows(G[0] * S[0], G[1] * S[1]))
    if ground.spin_bound[w, i] > type(numerics.dt)(0.0):
        residual = wp.max(residual, respond_spin(w, i, solved, x[2], newton, share, numerics, chain, ground, motion, work))
        K[2, 2] += work.spin_G[w, i]
        f[2] += work.spin_F[w, i]
    for c in range(work.n_contacts[w, i]):
        W_N = work.contact_N[w, i, c]
        W_T = work.contact_T[w, i, c]
        gamma = wp.vector(wp.dot(W_N, x), wp.dot(W_T, x))
        residual = wp.max(residual, respond_contact(w, i, c, solved, gamma, mode, share, numerics, pegs, motion, work))
        F = work.contact_F[w, i, c]
        f += W_N * F[0] + W_T * F[1]
        K = add_law(K, W_N, W_T, work.contact_G[w, i, c])
    work.K[w, i] = K
    work.f[w, i] = f
    return residual


@wp.func
def law_share(w: int, i: int, mode: int, ground: Any, work: Any, zero: Any):
    """Part of the augmentation each law may use: the prox iteration contracts only if a link's laws share its mass."""
    laws = int(1)
    if mode == PROX:
        laws = wp.max(1, ground.n_points[w, i] + 2 * work.n_contacts[w, i])
        if ground.spin_bound[w, i] > zero:
            laws += 1
    return type(zero)(1.0) / type(zero)(laws)


@wp.func
def respond_point(
    w: int, i: int, p: int, solved: int, gamma: Any, newton: int, share: Any,
    numerics: Any, ground: Any, motion: Any, work: Any,
):  # fmt: skip
    """Friction of one support point; stores what the link felt, the projection and the new line."""
    scale = ground.scale[w, i]
    r = share * ground.r[w, i, p]
    z = motion.P_ground[w, i, p]
    used = scale[1]
    if z[0] < type(r)(0.0):
        used = scale[0]
    if solved == 1:
        z = work.point_F[w, i, p] - work.point_G[w, i, p] * gamma
        used = work.point_S[w, i, p][0]
        work.point_P[w, i, p] = wp.cw_mul(work.point_S[w, i, p], z)
    z_next, F, G, S = ground_law(
        ground.law[w, i], ground.directional[w, i], scale, used, z, gamma,
        numerics.dt * ground.bound[w, i, p], r, numerics.stiffness, newton,
    )  # fmt: skip
    motion.P_ground[w, i, p] = z_next
    work.point_F[w, i, p] = F
    work.point_G[w, i, p] = G
    work.point_S[w, i, p] = S
    return wp.length(wp.cw_mul(S, z_next - z)) / r


@wp.func
def respond_spin(
    w: int, i: int, solved: int, gamma: Any, newton: int, share: Any,
    numerics: Any, chain: Any, ground: Any, motion: Any, work: Any,
):  # fmt: skip
    """Spin friction of link i, likewise."""
    r = share * chain.inertia[w, i]
    z = motion.P_spin[w, i]
    if solved == 1:
        z = work.spin_F[w, i] - work.spin_G[w, i] * gamma
        work.spin_P[w, i] = z
    z_next, F, G = spin_law(z, gamma, numerics.dt * ground.spin_bound[w, i], r, numerics.stiffness, newton)
    motion.P_spin[w, i] = z_next
    work.spin_F[w, i] = F
    work.spin_G[w, i] = G
    return wp.abs(z_next - z) / r * chain.length[w, i]


@wp.func
def respond_contact(
    w: int, i: int, c: int, solved: int, gamma: Any, mode: int, share: Any,
    numerics: Any, pegs: Any, motion: Any, work: Any,
):  # fmt: skip
    """Contact c of link i with its peg, likewise; the projection waits in the motion's slot c."""
    r = share * work.contact_r[w, i, c]
    P = work.contact_P[w, i, c]
    if solved == 1:
        P = work.contact_F[w, i, c] - work.contact_G[w, i, c] * gamma
        work.contact_P[w, i, c] = P
    lagged = -r[0]
    if mode == LAGGED:
        lagged = (work.contact_radius[w, i, c] + wp.max(P[0], r[0] * type(r[0])(0.0))) * type(r[0])(0.5)
        work.contact_radius[w, i, c] = lagged
    mu = pegs.friction[work.contact_peg[w, i, c]]
    P_next, F, G = peg_law(
        P, gamma, work.contact_target[w, i, c], mu, lagged, r, numerics.stiffness, wp.min(mode, 1)
    )
    work.contact_next[w, i, c] = P_next
    work.contact_F[w, i, c] = F
    work.contact_G[w, i, c] = G
    change = P_next - P
    return wp.max(wp.abs(change[0]) / r[0], wp.abs(change[1]) / r[1])


@wp.func
def count_impulses(w: int, numerics: Any, chain: Any, ground: Any, pegs: Any, motion: Any, work: Any, tally: Any):
    """Adds what every link felt to the tallies and keeps the contacts for the next step."""
    for i in range(chain.n_links):
        e = work.e[w, i]
        left = wp.vector(-e[1], e[0])
        if ground.law[w, i] != LAW_NONE:
            for p in range(ground.n_points[w, i]):
                P = work.point_P[w, i, p]
                tally.ground[w, i] = tally.ground[w, i] + P[0] * e + P[1] * left
                tally.ground_torque[w, i] += P[1] * (ground.to_point[w, i, p] - chain.to_mass[w, i])
        tally.ground_torque[w, i] += work.spin_P[w, i]
        for c in range(work.n_contacts[w, i]):
            P = work.contact_P[w, i, c]
            felt = work.contact_N[w, i, c] * P[0] + work.contact_T[w, i, c] * P[1]
            force = wp.vector(felt[0], felt[1])
            tally.obstacle[w, i] = tally.obstacle[w, i] + force
            tally.obstacle_torque[w, i] += felt[2] - chain.to_mass[w, i] * wp.dot(left, force)
            tally.side[w, i] += wp.dot(left, force)
            tally.peg[work.contact_peg[w, i, c]] += P[0]
            motion.contact_peg[w, i, c] = work.contact_peg[w, i, c]
            motion.P_contact[w, i, c] = work.contact_next[w, i, c]
        motion.n_contacts[w, i] = work.n_contacts[w, i]
    for j in range(chain.n_links - 1):
        turn = work.P_motor[w, j]
        mean_rate = type(turn)(0.5) * (motion.omega[w, j + 1] - motion.omega[w, j] + work.rate[w, j])
        tally.motor[w, j] += turn
        tally.motor_work[w, j] += turn * mean_rate


@wp.func
def to_end(w: int, numerics: Any, chain: Any, motion: Any, work: Any):
    """Velocities at the centres of mass and the pose at the end of the step; a world that left reason is stopped."""
    dt = numerics.dt
    half_dt = type(dt)(0.5) * dt
    zero = type(dt)(0.0)
    momentum = wp.vector(zero, zero)
    fastest = zero
    for i in range(chain.n_links):
        x = work.x[w, i]
        e = work.e[w, i]
        swing = x[2] * chain.to_mass[w, i]
        v = wp.vector(x[0] - swing * e[1], x[1] + swing * e[0])
        motion.theta[w, i] += half_dt * (motion.omega[w, i] + x[2])
        motion.v[w, i] = v
        motion.omega[w, i] = x[2]
        momentum += chain.mass[w, i] * v
        fastest = wp.max(fastest, wp.abs(x[2]))
    motion.center[w] = motion.center[w] + (half_dt / chain.total_mass[w]) * momentum
    # A link that turns by more than a radian per step, or is not a number, has left what the scheme can follow.
    sane = fastest * dt < type(dt)(1.0) and wp.isfinite(momentum[0]) and wp.isfinite(momentum[1])
    if motion.status[w] == RUNNING and not sane:
        motion.status[w] = DIVERGED

"""All laws as lines of one slope through their projections: where Newton's method fails, Douglas and Rachford's way."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.motors import split_joint
from pushpoint.kernels.spatial.contacts import contact_projection, friction_bound
from pushpoint.kernels.spatial.frames import scaled_identity
from pushpoint.kernels.spatial.laws import turning_projection
from pushpoint.kernels.spatial.structs import MOST_AXES, MOST_CONTACTS
from pushpoint.kernels.structs import LAW_VISCOUS, place


@wp.func
def split_laws(w: int, rho: Any, numerics: Any, model: Any, drive: Any, work: Any):
    """Writes the lines of all axes and contacts at the present twists and impulses."""
    for i in range(model.n_links):
        k = place(w, i, model)
        for a in range(model.links[k].n_axes):
            split_joint(k * MOST_AXES + a, rho, numerics, drive, work)
        for slot in range(work.n_contacts[k]):
            c = k * MOST_CONTACTS + slot
            n = work.contacts[c].n
            t = work.contacts[c].t
            u = wp.cross(n, t)
            omega = work.links[k].w
            at = work.links[k].v + wp.cross(omega, work.contacts[c].arm)
            gamma = wp.vector(wp.dot(n, at), wp.dot(t, at), wp.dot(u, at))
            w_local = wp.vector(wp.dot(n, omega), wp.dot(t, omega), wp.dot(u, omega))
            split_contact(c, gamma, w_local, rho, numerics, model, work)


@wp.func
def split_contact(c: int, gamma: Any, w_local: Any, rho: Any, numerics: Any, model: Any, work: Any):
    """Writes lines as steep as rho r through the projections: the splitting of Douglas and Rachford."""
    law = model.laws[work.contacts[c].law]
    zero = rho - rho
    one = type(rho)(1.0)
    P, S = contact_projection(c, work.contacts[c].P, gamma, rho, numerics, model, work)
    r = rho * work.contacts[c].r
    drive = S
    if law.directional == 1:
        drive = wp.vector(one, one)
    G = wp.vector(r[0], r[1] * drive[0], r[1] * drive[1])
    F = P + wp.cw_mul(G, gamma)
    if law.code == LAW_VISCOUS:
        bound = friction_bound(law.code, work.contacts[c].largest, P[0], numerics)
        G = wp.vector(r[0], bound * law.scale[0], bound * law.scale[2])
        F = wp.vector(F[0], zero, zero)
    Q = turning_projection(work.contacts[c].Q, w_local, P[0], work.contacts[c].rolling, work.contacts[c].spin, r[2])
    work.contacts[c].F = F
    work.contacts[c].S = S
    work.contacts[c].G = wp.diag(G)
    work.contacts[c].turn_F = Q + r[2] * w_local
    work.contacts[c].turn_G = scaled_identity(r[2])
    work.contacts[c].turn_h = wp.vector(zero, zero, zero)

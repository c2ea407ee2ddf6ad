"""What can be known of a step before its impulses are: where twists will go, and how the ways of the links bend."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.frames import bent, column
from pushpoint.kernels.spatial.structs import MOST_AXES
from pushpoint.kernels.structs import place

WHIRL = wp.constant(0.05)
"""Turn of a link per step above which the bend of its way counts [rad]."""


@wp.func
def foresee_twists(w: int, model: Any, motion: Any, work: Any):
    """Lets the search for the new twists begin where the last step's change, made once more, would lead."""
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].v_start = work.links[k].v
        work.links[k].w_start = work.links[k].w
        work.links[k].v = work.links[k].v + motion.links[k].v_change
        work.links[k].w = work.links[k].w + motion.links[k].w_change


@wp.func
def whirls(w: int, numerics: Any, model: Any, work: Any):
    """Whether a link turns so fast that it leaves its tangent within the step by more than rounding: 1 or 0."""
    fastest = numerics.dt - numerics.dt
    for i in range(model.n_links):
        k = place(w, i, model)
        fastest = wp.max(fastest, wp.dot(work.links[k].w, work.links[k].w))
    if wp.sqrt(fastest) * numerics.dt > type(fastest)(WHIRL):
        return 1
    return 0


@wp.func
def foresee_bend(w: int, numerics: Any, model: Any, motion: Any, work: Any):
    """How the ways of the links bend if tail, joints and centre of mass go on as the last step's change foretells.

    A contact asks for a velocity along a tangent, but poses follow the joints: a link that whirls strays from its
    tangent by the square of the step, step after step into the same side.
    """
    tail = place(w, 0, model)
    zero = numerics.dt - numerics.dt
    bend_v = wp.vector(zero, zero, zero)
    bend_w = bend_v
    drift = bend_v
    omega = work.links[tail].w + motion.links[tail].w_change
    work.whirls[w] = whirls(w, numerics, model, work)
    if work.whirls[w] == 0:
        return
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].way_w = omega
        work.links[k].bend_v = bend_v
        work.links[k].bend_w = bend_w
        c = model.links[k].to_mass * column(work.links[k].R, 0)
        drift += model.links[k].mass * bent(bend_v, bend_w, omega, c)
        bend_v = bent(bend_v, bend_w, omega, work.links[k].along)
        for a in range(model.links[k].n_axes):
            q = k * MOST_AXES + a
            if a == 1:
                bend_v = bent(bend_v, bend_w, omega, work.links[k].between)
            s = work.joints[q].s
            change = motion.links[place(w, i + 1, model)].w_change - motion.links[k].w_change
            turn = (motion.joints[q].rate + wp.dot(s, change)) * s
            bend_w += wp.cross(omega, turn)
            omega += turn
    # The centre of mass goes straight on.
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].bend_v = work.links[k].bend_v - drift / model.worlds[w].mass

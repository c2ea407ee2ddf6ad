"""The virtual robot laid along a shape curve from its head backwards: Liljeback2014, section III-D."""

from functools import cache
from typing import Any

import warp as wp

from pushpoint.kernels.curves.look_ahead import point, reference
from pushpoint.kernels.spatial.algebra.frames import column, pitched, yawed

YAW = wp.constant(1)
PITCH = wp.constant(2)
CARDAN = wp.constant(3)
YAW_FIRST = wp.constant(4)
"""A cardan joint whose yaw axis is on the rear link."""
VERTICAL = wp.constant(1.0e-6)


@wp.func
def fresh_side(x: Any, y_s: Any, z_s: Any):
    """A head's y axis before its roll, (6): across x and level, z_s being up.

    A head that points up or down has no level y of its own; it takes y_s, as far as that lies across x.
    """
    zero = x[0] - x[0]
    y = wp.cross(z_s, x)
    if wp.length(y) < type(zero)(VERTICAL):
        y = y_s - wp.dot(y_s, x) * x
    if wp.length(y) < type(zero)(VERTICAL):
        y = wp.vector(x[2], zero, -x[0])
    return wp.normalize(y)


@wp.func
def handed_side(x: Any, y_s: Any, z_s: Any, most: Any):
    """The same where y_s is the side a moment ago: level, or that upside down, whichever is nearer.

    It turns by at most `most` about x, so that it passes the vertical, where level swings round, without a jump. With
    most < 0 nothing is handed on.
    """
    y = y_s - wp.dot(y_s, x) * x
    level = wp.cross(z_s, x)
    if most < type(most)(0.0) or wp.length(y) < type(most)(VERTICAL):
        return fresh_side(x, y_s, z_s)
    y = wp.normalize(y)
    if wp.length(level) < type(most)(VERTICAL):
        return y
    level = wp.normalize(level)
    if wp.dot(level, y) < type(most)(0.0):
        level = -level
    turn = wp.atan2(wp.dot(wp.cross(y, level), x), wp.dot(y, level))
    if wp.abs(turn) <= most:
        return level
    held = wp.clamp(turn, -most, most)
    return wp.cos(held) * y + wp.sin(held) * wp.cross(x, y)


@wp.func
def head_frame(x: Any, y: Any, roll: Any):
    """Orientation of a head that points along x with its y axis on a side, turned about x by its roll, (7) to (9)."""
    z = wp.cross(x, y)
    c = wp.cos(roll)
    s = wp.sin(roll)
    return wp.matrix_from_cols(x, c * y + s * z, c * z - s * y)


@wp.func
def quaternion(R: Any):
    """Unit quaternion (w, x, y, z) of a rotation matrix."""
    q = wp.quat_from_matrix(R)
    return wp.vector(q[3], q[0], q[1], q[2])


@cache
def family(real: Any) -> Any:
    """Records for one scalar type."""
    vec3 = wp.types.vector(3, real)
    vec4 = wp.types.vector(4, real)

    @wp.struct
    class Chain:
        """The robot, tail to head. Symbols: a link length, d from the first axis to the second."""

        joint: wp.array(dtype=int)  # YAW, PITCH, CARDAN or YAW_FIRST, per joint
        d: wp.array(dtype=real)  # per joint
        a: wp.array(dtype=real)  # per link
        to_mass: wp.array(dtype=real)  # from the rear joint to the centre of mass, per link
        share: wp.array(dtype=real)  # of the robot's mass, per link

    @wp.struct
    class Request:
        """What is asked for, per alignment.

        Symbols: s_h head, phi roll angle, L look-ahead, y_s side, z_s up, most the largest turn of the side; < 0: any.
        """

        P: wp.array2d(dtype=vec3)  # control points, per curve
        m: wp.array2d(dtype=vec3)  # slopes, per curve
        per_curve: int  # alignments on each curve
        s_h: wp.array(dtype=real)
        phi: wp.array(dtype=real)
        L: wp.array(dtype=real)
        y_s: wp.array(dtype=vec3)
        z_s: wp.array(dtype=vec3)
        most: wp.array(dtype=real)

    @wp.struct
    class Answer:
        """The aligned robot, per alignment. Symbols: q joint angles, O rear ends and the head's tip, p quaternions."""

        q: wp.array2d(dtype=real)
        O: wp.array2d(dtype=vec3)
        p: wp.array2d(dtype=vec4)
        s_ref: wp.array2d(dtype=real)  # per link, toward which it is aimed
        center: wp.array(dtype=vec3)
        y_h: wp.array(dtype=vec3)  # of the head, before its roll

    return Chain, Request, Answer


@cache
def kernel(real: Any) -> Any:
    """The kernel for one scalar type: one thread per alignment."""
    Chain, Request, Answer = family(real)

    @wp.kernel(module="unique", enable_backward=False)
    def align(chain: Chain, request: Request, answer: Answer):
        w = wp.tid()
        c = w // request.per_curve
        L = request.L[w]
        s = request.s_h[w]
        last = chain.a.shape[0] - 1
        q = int(answer.q.shape[1])

        # The head: its tip on the curve, its link aimed along r_ref, (5).
        O = point(request.P, request.m, c, s)
        answer.O[w, last + 1] = O
        s = reference(request.P, request.m, c, s, O, L)
        x = wp.normalize(O - point(request.P, request.m, c, s))
        y = handed_side(x, request.y_s[w], request.z_s[w], request.most[w])
        R = head_frame(x, y, request.phi[w])
        answer.y_h[w] = y
        O = O - chain.a[last] * column(R, 0)
        center = chain.share[last] * (O + chain.to_mass[last] * column(R, 0))
        answer.O[w, last] = O
        answer.p[w, last] = quaternion(R)
        answer.s_ref[w, last] = s

        # Each link behind a joint turns as far toward its reference point as the joint's axes let it, (10) to (15).
        # Both axes of a cardan turn toward one point, also where they lie apart.
        for step in range(last):
            j = last - 1 - step
            s = reference(request.P, request.m, c, s, O, L)
            r = point(request.P, request.m, c, s) - O
            for turn in range(2):
                # From the front: the second axis, then the first.
                if turn == 1:
                    O = O - chain.d[j] * column(R, 0)
                    r = r + chain.d[j] * column(R, 0)
                kind = chain.joint[j]
                if (turn == 0 and (kind == YAW or kind == CARDAN)) or (turn == 1 and kind == YAW_FIRST):
                    yaw = wp.atan2(wp.dot(column(R, 1), r), -wp.dot(column(R, 0), r))
                    q -= 1
                    answer.q[w, q] = yaw
                    R = yawed(R, -yaw)
                if (turn == 1 and (kind == PITCH or kind == CARDAN)) or (turn == 0 and kind == YAW_FIRST):
                    pitch = wp.atan2(-wp.dot(column(R, 2), r), -wp.dot(column(R, 0), r))
                    q -= 1
                    answer.q[w, q] = pitch
                    R = pitched(R, -pitch)
            O = O - chain.a[j] * column(R, 0)
            center = center + chain.share[j] * (O + chain.to_mass[j] * column(R, 0))
            answer.O[w, j] = O
            answer.p[w, j] = quaternion(R)
            answer.s_ref[w, j] = s
        answer.center[w] = center

    return align

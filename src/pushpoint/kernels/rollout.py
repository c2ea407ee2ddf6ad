"""The kernel: many worlds, many steps, samples on the way."""

from functools import cache
from typing import Any

import warp as wp

from pushpoint.kernels.motors import gait_wave, joint_reference
from pushpoint.kernels.planar import time_step
from pushpoint.kernels.structs import RUNNING, family


@wp.func
def record_sample(
    w: int, at: int, numerics: Any, chain: Any, pegs: Any, drive: Any, motion: Any, tally: Any, samples: Any
):
    """Writes the present state and the tallies as the sample of this step, and starts the next interval."""
    s = motion.step[w] / samples.every
    t = type(numerics.dt)(motion.step[w]) * numerics.dt
    samples.center[w, s] = motion.center[w]
    for i in range(chain.n_links):
        samples.theta[w, s, i] = motion.theta[w, i]
        samples.v[w, s, i] = motion.v[w, i]
        samples.omega[w, s, i] = motion.omega[w, i]
        samples.ground[w, s, i] = tally.ground[w, i]
        samples.obstacle[w, s, i] = tally.obstacle[w, i]
        samples.side[w, s, i] = tally.side[w, i]
        samples.load[w, s, i] = tally.load[w, i]
    value, rate = gait_wave(w, t, drive)
    for j in range(chain.n_links - 1):
        angle, slope = joint_reference(w, j, at, value, rate, numerics.dt, drive)
        samples.reference[w, s, j] = angle
        samples.motor[w, s, j] = tally.motor[w, j]
        samples.motor_work[w, s, j] = tally.motor_work[w, j]
    if samples.with_pegs == 1:
        for k in range(pegs.first[w], pegs.first[w + 1]):
            samples.peg[s, k] = tally.peg[k]
    samples.iterations[w, s] = tally.iterations[w]
    samples.residual[w, s] = tally.residual[w]
    samples.penetration[w, s] = tally.penetration[w]
    samples.unconverged[w, s] = tally.unconverged[w]
    tally.iterations[w] = 0
    tally.residual[w] = type(numerics.dt)(0.0)
    tally.penetration[w] = type(numerics.dt)(0.0)


@cache
def kernel(real: Any) -> Any:
    """The rollout kernel for one scalar type: each thread advances one world by `steps` steps."""
    s = family(real)

    @wp.kernel(module="unique", enable_backward=False, module_options={"max_unroll": 1})
    def rollout(
        first: int,
        steps: int,
        numerics: s.Numerics,
        chain: s.Chain,
        ground: s.Ground,
        pegs: s.Pegs,
        drive: s.Drive,
        motion: s.Motion,
        work: s.Work,
        tally: s.Tally,
        samples: s.Samples,
    ):
        w = first + wp.tid()
        for done in range(steps):
            if motion.status[w] != RUNNING:
                break
            time_step(w, done + 1, numerics, chain, ground, pegs, drive, motion, work, tally)
            if samples.every > 0:
                if motion.step[w] % samples.every == 0:
                    record_sample(w, done + 1, numerics, chain, pegs, drive, motion, tally, samples)

    return rollout

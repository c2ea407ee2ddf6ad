"""The kernel: many worlds, many steps, samples on the way."""

from functools import cache
from typing import Any

import warp as wp

from pushpoint.kernels.planar.step import time_step
from pushpoint.kernels.planar.structs import family
from pushpoint.kernels.references import gait_wave, joint_reference
from pushpoint.kernels.structs import DRIVE_TORQUE, RUNNING, place


@wp.func
def record_sample(
    w: int, at: int, numerics: Any, model: Any, obstacles: Any, drive: Any, motion: Any, tally: Any, samples: Any
):
    """Writes the present state and the tallies as the sample of this step, and starts the next interval."""
    s = motion.worlds[w].step / samples.every
    t = type(numerics.dt)(motion.worlds[w].step) * numerics.dt
    samples.center[w, s] = motion.worlds[w].center
    for i in range(model.n_links):
        k = place(w, i, model)
        samples.theta[w, s, i] = motion.links[k].theta
        samples.v[w, s, i] = motion.links[k].v
        samples.omega[w, s, i] = motion.links[k].omega
        samples.ground[w, s, i] = tally.links[k].ground
        samples.obstacle[w, s, i] = tally.links[k].obstacle
        samples.side[w, s, i] = tally.links[k].side
        samples.load[w, s, i] = tally.links[k].load
    value, rate = gait_wave(w, t, drive)
    for j in range(model.n_links - 1):
        k = place(w, j, model)
        angle, _slope = joint_reference(w, j, k, at, t, value, rate, numerics.dt, drive)
        if drive.joints[k].mode == DRIVE_TORQUE:
            angle = type(t)(wp.nan)
        samples.reference[w, s, j] = angle
        samples.motor[w, s, j] = tally.joints[k].motor
        samples.motor_work[w, s, j] = tally.joints[k].motor_work
    if samples.with_obstacles == 1:
        for o in range(obstacles.grids[w].first, obstacles.grids[w].last):
            samples.load_on[s, o] = tally.obstacles[o]
    samples.iterations[w, s] = tally.worlds[w].iterations
    samples.residual[w, s] = tally.worlds[w].residual
    samples.penetration[w, s] = tally.worlds[w].penetration
    samples.unconverged[w, s] = tally.worlds[w].unconverged
    tally.worlds[w].iterations = 0
    tally.worlds[w].residual = type(t)(0.0)
    tally.worlds[w].penetration = type(t)(0.0)


@cache
def kernel(real: Any) -> Any:
    """The rollout kernel for one scalar type: each thread advances one world by `steps` steps."""
    s = family(real)

    @wp.kernel(module="unique", enable_backward=False, module_options={"max_unroll": 1})
    def rollout(
        first: int,
        steps: int,
        numerics: s.Numerics,
        model: s.Model,
        obstacles: s.Obstacles,
        drive: s.Drive,
        motion: s.Motion,
        work: s.Work,
        tally: s.Tally,
        samples: s.Samples,
    ):
        w = first + wp.tid()
        for done in range(steps):
            if motion.worlds[w].status != RUNNING:
                break
            time_step(w, done + 1, numerics, model, obstacles, drive, motion, work, tally)
            if samples.every > 0:
                if motion.worlds[w].step % samples.every == 0:
                    record_sample(w, done + 1, numerics, model, obstacles, drive, motion, tally, samples)

    return rollout

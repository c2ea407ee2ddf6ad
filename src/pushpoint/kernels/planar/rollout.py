"""What the planar kernel samples."""

from typing import Any

import warp as wp

from pushpoint.kernels.references import gait_wave, joint_reference
from pushpoint.kernels.rollouts import record_health
from pushpoint.kernels.structs import DRIVE_TORQUE, place


@wp.func
def record_sample(
    w: int, at: int, numerics: Any, model: Any, obstacles: Any, drive: Any, motion: Any, tally: Any, samples: Any
):
    """Writes the present state and the tallies as the sample of this step, and starts the next interval.

    Arrays that nobody wants are empty.
    """
    s = motion.worlds[w].step / samples.every - samples.first
    t = type(numerics.dt)(motion.worlds[w].step) * numerics.dt
    samples.center[w, s] = motion.worlds[w].center
    for i in range(model.n_links):
        k = place(w, i, model)
        if samples.theta.shape[1] > 0:
            samples.theta[w, s, i] = motion.links[k].theta
        if samples.v.shape[1] > 0:
            samples.v[w, s, i] = motion.links[k].v
        if samples.omega.shape[1] > 0:
            samples.omega[w, s, i] = motion.links[k].omega
        if samples.ground.shape[1] > 0:
            samples.ground[w, s, i] = tally.links[k].ground
        if samples.obstacle.shape[1] > 0:
            samples.obstacle[w, s, i] = tally.links[k].obstacle
        if samples.side.shape[1] > 0:
            samples.side[w, s, i] = tally.links[k].side
        if samples.load.shape[1] > 0:
            samples.load[w, s, i] = tally.links[k].load
        if samples.own.shape[1] > 0:
            samples.own[w, s, i] = tally.links[k].own
    value, rate = gait_wave(w, t, drive)
    for j in range(model.n_links - 1):
        k = place(w, j, model)
        angle, _slope = joint_reference(w, j, k, at, t, value, rate, numerics.dt, drive)
        if drive.joints[k].mode == DRIVE_TORQUE:
            angle = type(t)(wp.nan)
        if samples.reference.shape[1] > 0:
            samples.reference[w, s, j] = angle
        if samples.motor.shape[1] > 0:
            samples.motor[w, s, j] = tally.joints[k].motor
        if samples.motor_work.shape[1] > 0:
            samples.motor_work[w, s, j] = tally.joints[k].motor_work
    if samples.with_obstacles == 1:
        for o in range(obstacles.grids[w].first, obstacles.grids[w].last):
            samples.load_on[s, o] = tally.obstacles[o]
    record_health(w, s, t - t, tally, samples)

"""What the spatial kernel samples."""

from typing import Any

import warp as wp

from pushpoint.kernels.references import gait_wave, joint_reference
from pushpoint.kernels.rollouts import record_health
from pushpoint.kernels.spatial.structs import MOST_AXES
from pushpoint.kernels.structs import DRIVE_TORQUE, nth, place


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
    if samples.tail.shape[1] > 0:
        samples.tail[w, s] = motion.worlds[w].tail
    value, rate = gait_wave(w, t, drive)
    j = int(0)
    for i in range(model.n_links):
        k = place(w, i, model)
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
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            angle, _slope = joint_reference(w, j, q, at, t, value, rate, numerics.dt, drive)
            if drive.joints[q].mode == DRIVE_TORQUE:
                angle = type(t)(wp.nan)
            if samples.reference.shape[1] > 0:
                samples.reference[w, s, j] = angle
            if samples.angle.shape[1] > 0:
                samples.angle[w, s, j] = motion.joints[q].angle
            if samples.rate.shape[1] > 0:
                samples.rate[w, s, j] = motion.joints[q].rate
            if samples.motor.shape[1] > 0:
                samples.motor[w, s, j] = tally.joints[q].motor
            if samples.motor_work.shape[1] > 0:
                samples.motor_work[w, s, j] = tally.joints[q].motor_work
            j += 1
    if samples.with_obstacles == 1:
        for o in range(obstacles.owners[w], obstacles.owners[w + 1]):
            samples.load_on[s, o] = tally.obstacles[o]
    record_health(w, s, t - t, tally, samples)

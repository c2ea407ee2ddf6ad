"""Stepping: one command in, one measurement out.

A Simulator waits for commands, as learning and hand-written control loops want it. Here sixteen robots search for a
fast gait at random: each tries a wave for two periods, notes its speed, and goes back to the start alone, with
another wave, while the others go on. Usage: python examples/06_stepping.py [--seconds 60]
"""

import argparse

import numpy as np

import pushpoint as pp

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=float, default=60.0, help="simulated time per robot")
seconds = parser.parse_args().seconds

N = 16
RATE = 50.0  # commands per second [Hz]
random = np.random.default_rng(4)
robot = pp.catalogue.yaw_pitch_16_planar()  # 9 links, 1.17 m, motors of 7 N m
floor = pp.Ground(friction=pp.Skin(forward=0.1, backward=0.2, across=0.4))
simulator = pp.Simulator([pp.World(robot, pp.Environment(ground=floor))] * N, rate=RATE)


def new_waves(count: int) -> np.ndarray:
    """Amplitude [rad], angular frequency [rad/s] and phase shift [rad] of some waves, shape (count, 3)."""
    return np.radians(random.uniform((10.0, 60.0, -100.0), (60.0, 240.0, -20.0), (count, 3)))


waves = new_waves(N)
tried = []  # the wave and its speed, of every trial
measured = simulator.reset()
for _ in range(round(seconds * RATE)):
    amplitude, frequency, shift = waves.T[:, :, None]
    t = measured.time[:, None]  # since each robot's own start [s]
    swelling = np.minimum(1.0, t / 0.5)  # from straight to the full wave in half a second
    phase = frequency * t + np.arange(robot.n_joints)[::-1] * shift
    measured = simulator.step(pp.Command(joint_angle=swelling * amplitude * np.sin(phase)))

    over = measured.time >= 2.0 * (2.0 * np.pi / waves[:, 1])
    if over.any():
        speed = np.hypot(*measured.center_of_mass[over].T) / measured.time[over]
        tried += [(*wave, each) for wave, each in zip(waves[over], speed, strict=True)]
        waves[over] = new_waves(int(over.sum()))
        measured = simulator.reset(mask=over)

amplitude, frequency, shift, speed = np.array(sorted(tried, key=lambda trial: -trial[3])).T
print(
    f"{N} robots, {seconds:g} s each: {len(speed)} trials, {100 * np.median(speed):.1f} cm/s in the median; the best:"
)
print("  speed       amplitude  frequency   phase shift")
for k in range(min(5, len(speed))):
    angles = np.degrees((amplitude[k], frequency[k], shift[k]))
    print(f"  {100 * speed[k]:4.1f} cm/s  {angles[0]:5.0f} deg  {angles[1]:5.0f} deg/s  {angles[2]:5.0f} deg")

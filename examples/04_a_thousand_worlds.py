"""A thousand worlds at once.

The same robot with the same gait in a thousand random peg fields. On this floor, which rubs the same in every
direction, the gait alone creeps backward; whatever way the robot makes, it makes by pushing against pegs. How fast is
it, in which fields, and how often does it get stuck? Usage: python examples/04_a_thousand_worlds.py [--worlds 1000]
"""

import argparse
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--worlds", type=int, default=1000, help="how many peg fields")
count = parser.parse_args().worlds

aiko = pp.catalogue.aiko_planar()
# Motors of limited torque: a robot that is stuck gives in, as a real one does.
robot = pp.PlanarRobot(links=aiko.links, motors=pp.Motor(stiffness=800.0, damping=2.0, torque_limit=4.0))
gait = pp.gaits.LateralUndulation(
    amplitude=np.radians(40), angular_frequency=np.radians(80), phase_shift=np.radians(-50), phase=np.pi
)
floor = pp.Ground(friction=pp.Isotropic(0.2))
body = gait.link_angles(robot)
field = pp.courses.Rectangle(x=(-0.8, 2.2), y=(-0.6, 0.6))  # [m]


def peg_field(seed: int) -> pp.Environment:
    """Pegs of 3 to 8 cm radius, 4 to 10 per square metre, none closer than 1 cm to the robot at its start."""
    pegs = pp.courses.random_pegs(
        density=np.random.default_rng(seed).uniform(4.0, 10.0),
        radius=(0.03, 0.08),
        area=field,
        seed=seed,
        clearance=0.12,
        keep_out=pp.courses.Posture(robot=robot, link_angles=body, gap=0.01),
    )
    return pp.Environment(ground=floor, obstacles=pegs)


begun = time.perf_counter()
worlds = [pp.World(robot, peg_field(seed), gait, pp.Start(link_angles=body)) for seed in range(count)]
built = time.perf_counter()
# One world in trouble should not end all others; only the path is kept.
runs = pp.simulate(
    worlds,
    duration=9.0,  # two periods of the gait
    settings=pp.Settings(on_failure="record"),
    record=pp.Record(rate=10.0, variables=["center_of_mass"]),
)
done = time.perf_counter()

flat = pp.simulate(robot, pp.Environment(ground=floor), gait, duration=9.0)
flat_speed = 100 * float(pp.measures.mean_velocity(flat).sel(axis="x"))
speed = 100 * pp.measures.mean_velocity(runs).sel(axis="x").values  # [cm/s]; NaN for a world that ended early
pegs = np.array([len(world.environment.obstacles) for world in worlds])[np.isfinite(speed)]
speed = speed[np.isfinite(speed)]

print(f"{count} peg fields laid out in {built - begun:.1f} s, {count} x 9 s simulated in {done - built:.1f} s")
print(
    f"without pegs {flat_speed:.1f} cm/s; with pegs {speed.min():.1f} to {speed.max():.1f} cm/s in {len(speed)} fields"
)
few = pegs <= np.median(pegs)
groups = {f"up to {pegs[few].max()} pegs": speed[few], "more pegs": speed[~few]}
for name, values in groups.items():
    print(f"  {name:14} {values.mean():4.1f} cm/s in the mean; {np.mean(values > 5.0):.0%} faster than 5 cm/s")

figure, axes = plt.subplots(figsize=(6.0, 3.0), layout="constrained")
axes.hist(list(groups.values()), bins=30, stacked=True, color=["#56b4e9", "#0072b2"], label=list(groups))
axes.axvline(flat_speed, color="#d55e00", linestyle="--", label="without pegs")
axes.set(xlabel="forward speed [cm/s]", ylabel="peg fields")
axes.legend(frameon=False)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/a_thousand_worlds.png", dpi=150)
print("wrote out/a_thousand_worlds.png")

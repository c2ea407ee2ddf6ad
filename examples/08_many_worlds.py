# %% [markdown]
# # Many worlds
#
# A batch of worlds runs side by side on all cores, and gives one result with a leading `world` dimension.
#
# **You will see** five floors in one call, then the same robot with the same gait in five hundred random peg fields.
# On this floor the gait alone creeps backward; whatever way the robot makes, it makes by pushing against pegs.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

# %% [markdown]
# ## Five floors
#
# The robot is AIKO of Transeth2008a with weaker motors: a robot that is stuck gives in, as a real one does.

# %%
aiko = pp.catalogue.aiko_planar()
robot = pp.PlanarRobot(
    links=aiko.links,
    motors=pp.Motor(stiffness=800.0, damping=2.0, torque_limit=4.0),
)
gait = pp.gaits.LateralUndulation(
    amplitude=np.radians(40),
    angular_frequency=np.radians(80),
    phase_shift=np.radians(-50),
    phase=np.pi,
)
frictions = [0.1, 0.2, 0.3, 0.4, 0.5]
worlds = [
    pp.World(
        robot, pp.Environment(ground=pp.Ground(friction=pp.Isotropic(mu))), gait
    )
    for mu in frictions
]
runs = pp.simulate(worlds, duration=9.0)
print(dict(runs.sizes))
for mu, speed in zip(
    frictions,
    100 * pp.measures.mean_velocity(runs).sel(axis="x").values,
    strict=True,
):
    print(f"friction {mu}: {speed:5.2f} cm/s")

# %% [markdown]
# ## Five hundred peg fields
#
# Pegs of 3 to 8 cm radius, 4 to 10 per square metre, none closer than 1 cm to the robot at its start. The seed makes
# each field, so each can be made again.

# %%
WORLDS = 500
floor = pp.Ground(friction=pp.Isotropic(0.2))
body = gait.link_angles(robot)
area = pp.courses.Rectangle(x=(-0.8, 2.2), y=(-0.6, 0.6))  # [m]


def peg_field(seed: int) -> pp.Environment:
    """A random field."""
    pegs = pp.courses.random_pegs(
        density=np.random.default_rng(seed).uniform(4.0, 10.0),
        radius=(0.03, 0.08),
        area=area,
        seed=seed,
        clearance=0.12,
        keep_out=pp.courses.Posture(robot=robot, link_angles=body, gap=0.01),
    )
    return pp.Environment(ground=floor, obstacles=pegs)


worlds = [
    pp.World(robot, peg_field(seed), gait, pp.Start(link_angles=body))
    for seed in range(WORLDS)
]

# %% [markdown]
# One world in trouble should not end all others: `on_failure="record"` lets the rest go on. Only the path and the
# loads on the pegs are kept, ten times per second. `pp.estimate(worlds, 9.0)` says beforehand what a batch takes.

# %%
record = pp.Record(rate=10.0, variables=["center_of_mass", "obstacle_load"])
print(pp.estimate(worlds, 9.0, record=record))
runs = pp.simulate(
    worlds, duration=9.0, settings=pp.Settings(on_failure="record"), record=record
)

# %%
flat = pp.simulate(pp.World(robot, pp.Environment(ground=floor), gait), 9.0)
flat_speed = 100 * float(pp.measures.mean_velocity(flat).sel(axis="x"))
# In cm/s; NaN for a world that ended early.
speed = 100 * pp.measures.mean_velocity(runs).sel(axis="x").values
finished = np.isfinite(speed)
pegs = np.array([len(world.environment.obstacles) for world in worlds])[finished]
touched = (runs.obstacle_load.max("time") > 0).sum("obstacle").values[finished]
speed = speed[finished]
print(
    f"without pegs {flat_speed:.1f} cm/s; with pegs {speed.min():.1f} to "
    f"{speed.max():.1f} cm/s in {len(speed)} fields"
)
print(
    f"pegs touched per field: {touched.min()} to {touched.max()}, "
    f"{touched.mean():.1f} in the mean"
)
few = pegs <= np.median(pegs)
groups = {f"up to {pegs[few].max()} pegs": speed[few], "more pegs": speed[~few]}
for name, values in groups.items():
    print(
        f"{name:14} {values.mean():4.1f} cm/s in the mean; "
        f"{np.mean(values > 5.0):.0%} faster than 5 cm/s"
    )

# %%
figure, axes = plt.subplots(figsize=(7.2, 3.0), layout="constrained")
axes.hist(
    list(groups.values()),
    bins=30,
    stacked=True,
    color=["#56b4e9", "#0072b2"],
    label=list(groups),
)
axes.axvline(flat_speed, color="#d55e00", linestyle="--", label="without pegs")
axes.set(xlabel="forward speed [cm/s]", ylabel="peg fields")
axes.legend(frameon=False)
print("wrote", pp.plots.save_figure(figure, "out/many_worlds.png"))

# %% [markdown]
# The fastest field, run again with everything recorded.

# %%
best = int(np.flatnonzero(finished)[speed.argmax()])
pp.plots.course(pp.simulate(worlds[best], 9.0))

# %% [markdown]
# ## Try next
#
# - Look at the slowest field in the same way. What holds the robot?
# - One number changed from world to world is a sweep: `pushpoint sweep transeth2008a/speed-over-friction`.
# - More worlds: [on the GPU](09-on-the-gpu.ipynb), and [use a cluster](../how-to/use-a-cluster.md). Runs of hours:
#   [long runs](../how-to/long-runs.md).

# %% [markdown]
# # On the GPU
#
# The kernels that run on the CPU also run on a GPU that CUDA can use, one thread per world;
# `Settings(device="cuda:0")` is all that changes. This program takes the GPU if there is one.
#
# **You will see** ten thousand waves tried at once: a map of how far a robot gets through three pegs, over the
# amplitude and the phase shift of its wave. The outputs kept on this page were made on the device that they name.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

# %% [markdown]
# ## Ten thousand worlds
#
# 100 amplitudes times 100 phase shifts. Robot and course are shared; only the waves differ. All start straight, and
# the waves grow in half a second.

# %%
link = pp.PlanarLink(length=0.10, mass=0.5, inertia=6e-4, radius=0.04)
robot = pp.PlanarRobot.uniform(
    10, link, pp.Motor(stiffness=60.0, damping=1.0, torque_limit=4.0)
)
floor = pp.Ground(friction=pp.Skin(forward=0.1, backward=0.3, across=0.4))
pegs = [
    pp.Peg(x=0.62 + 0.22 * k, y=0.09 * (-1) ** k, radius=0.05) for k in range(3)
]
course = pp.Environment(ground=floor, obstacles=pegs)
straight = pp.Start(link_angles=[0.0] * robot.n_links)
amplitudes, shifts = (
    np.radians(np.linspace(5, 60, 100)),
    np.radians(np.linspace(-110, -15, 100)),
)


def world(amplitude: float, shift: float) -> pp.World:
    """One wave."""
    gait = pp.gaits.LateralUndulation(
        amplitude=amplitude,
        angular_frequency=np.radians(180),
        phase_shift=shift,
        soft_start=0.5,
    )
    return pp.World(robot, course, gait, straight)


worlds = [world(amplitude, shift) for amplitude in amplitudes for shift in shifts]

# %% [markdown]
# ## Which device
#
# A short run of one world tells whether there is a GPU, and compiles the kernels if this machine has not run them
# before.


# %%
def works(device: str) -> bool:
    """Whether a device can be used; if not, prints why."""
    try:
        pp.simulate(worlds[0], 0.1, settings=pp.Settings(device=device))
    except pp.errors.PushpointError as error:
        print(error)
        return False
    return True


device = "cuda:0" if works("cuda:0") else "cpu"
print("device:", device)

# %% [markdown]
# ## The run
#
# Four seconds, two periods of the wave. A time step of 4 ms will do for a map; only the path and the pegs' loads are
# kept. A world-step is one time step of one world.

# %%
settings = pp.Settings(device=device, dt=4e-3, on_failure="record")
record = pp.Record(rate=10.0, variables=["center_of_mass", "obstacle_load"])
begun = time.perf_counter()
runs = pp.simulate(worlds, duration=4.0, settings=settings, record=record)
rate = len(worlds) * 1000 / (time.perf_counter() - begun)
print(
    f"{len(worlds)} worlds, 1000 steps each: {rate / 1e6:.2g} million world-steps "
    "per second"
)

# %%
shape = (len(amplitudes), len(shifts))
moved = runs.center_of_mass[:, -1, 0] - runs.center_of_mass[:, 0, 0]
way = moved.values.reshape(shape)  # [m]
touched = (
    (runs.obstacle_load.max("time") > 0.1).sum("obstacle").values.reshape(shape)
)
best = np.unravel_index(np.nanargmax(way), way.shape)
print(
    f"the best wave goes {way[best]:.2f} m: {np.degrees(amplitudes[best[0]]):.0f} "
    "deg, shift "
    f"{np.degrees(shifts[best[1]]):.0f} deg; it touches {touched[best]} of 3 pegs"
)
print(
    f"{(touched > 0).mean():.0%} of the waves reach the pegs; "
    f"{np.isnan(way).sum()} worlds ended early"
)

# %%
figure, (left, right) = plt.subplots(
    1, 2, figsize=(7.2, 3.2), layout="constrained", sharey=True
)
extent = (*np.degrees(shifts[[0, -1]]), *np.degrees(amplitudes[[0, -1]]))
look = {"origin": "lower", "extent": extent, "aspect": "auto"}
figure.colorbar(left.imshow(way, cmap="viridis", **look), label="way [m]")
counts = right.imshow(
    touched, cmap=plt.get_cmap("viridis", 4), vmin=-0.5, vmax=3.5, **look
)
figure.colorbar(counts, label="pegs touched", ticks=range(4))
for axes in (left, right):
    axes.set(xlabel="phase shift [deg]")
left.set(ylabel="amplitude [deg]")
print("wrote", pp.plots.save_figure(figure, "out/ten_thousand_waves.png"))

# %% [markdown]
# The best wave once more, on the CPU, with everything recorded. Device and batch make no difference to a world beyond
# rounding.

# %%
chosen = worlds[best[0] * 100 + best[1]]
again = pp.simulate(chosen, 4.0, settings=pp.Settings(dt=4e-3))
print(
    "alone on the CPU it goes "
    f"{float(again.center_of_mass[-1, 0] - again.center_of_mass[0, 0]):.2f} m"
)
pp.plots.course(again)

# %% [markdown]
# ## Try next
#
# - `Settings(precision="float32")` computes in single precision. Does the map change?
# - What a GPU gives is measured in [speed](../proof/speed.md#on-a-gpu); how to set one up is in [run on a
#   GPU](../how-to/run-on-a-gpu.md).
# - Many machines: [use a cluster](../how-to/use-a-cluster.md).

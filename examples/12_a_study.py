# %% [markdown]
# # A study
#
# How does the best amplitude depend on the ground? A study asks many worlds at once and keeps what it finds: stop it,
# and the same program goes on; add a value, and only the new worlds are run.
#
# **You will see** sixty worlds of lateral undulation on ground that grips more across than along, their table, and
# where the robot is fastest.

# %%
import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

# %% [markdown]
# ## What is asked
#
# The base is a published scenario on other ground. What varies is named by the keys of scenario files, so that
# everything a file can hold can vary: numbers, whole controllers, robots and courses.

# %%
base = pp.scenario(
    "transeth2008a/flat",
    [
        "duration=4.0",
        "settings.dt=2e-3",
        "ground.friction={law: elliptic, along: 0.1, across: 0.5}",
    ],
)
study = pp.studies.Study(
    name="amplitude-and-grip",
    base=base,
    varies=[
        pp.studies.Values(field="ground.friction.across", values=[0.2, 0.4, 0.8]),
        pp.studies.Range(
            field="controller.amplitude_deg", low=10.0, high=70.0, count=20
        ),
    ],
    measures=["mean_speed", "motor_work"],
)

# %% [markdown]
# ## Run it, twice
#
# The store is a folder. The second call finds everything there.

# %%
for _ in range(2):
    standing = study.run("out/amplitude-and-grip").standing
    print(f"{standing.simulated} simulated, {standing.reused} reused")

# %% [markdown]
# ## What it found
#
# The table is a Dataset with one row per world: what varied, how the world ended, and the measures.

# %%
table = pp.studies.load_table("out/amplitude-and-grip")
print(sorted(set(table.status.values.tolist())))
figure, axes = plt.subplots(figsize=(6.0, 3.2), layout="constrained")
for grip in np.unique(table["ground.friction.across"]):
    rows = table.isel(world=table["ground.friction.across"].values == grip)
    amplitude, speed = (
        rows["controller.amplitude_deg"].values,
        100 * rows.mean_speed.values,
    )
    axes.plot(amplitude, speed, label=f"friction across {grip:g}")
    print(
        f"friction across {grip:g}: fastest at {amplitude[speed.argmax()]:.0f} degrees, "
        f"{speed.max():.1f} cm/s"
    )
axes.set(xlabel="amplitude [deg]", ylabel="speed [cm/s]")
axes.legend(frameon=False)
print("wrote", pp.plots.save_figure(figure, "out/a_study.png"))

# %% [markdown]
# ## Try next
#
# - Add `0.6` to the values and run again: how many worlds are simulated?
# - The same as a file, with `pushpoint study`: [run a study](../how-to/run-a-study.md).
# - More cores and machines: [use a cluster](../how-to/use-a-cluster.md).

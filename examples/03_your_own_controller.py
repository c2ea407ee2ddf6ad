# %% [markdown]
# # Your own controller
#
# A snake in a room. With a wave alone it crawls into a wall and stays there. A controller of a few lines lets it feel
# the wall with noisy, coarse and late touch sensors, and bend away.
#
# **You will see** what a controller must have, how sensors are made imperfect, two controllers in one batch, and how a
# kind of your own gets a name that files can use.

# %%
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

# %% [markdown]
# ## The controller
#
# A controller derives from `pp.Controller` and has `command`: measurement and memory in, command and memory out.
# Arrays have a leading world axis, so that one controller serves a whole batch. What it remembers is handed in and out
# and never kept in the object; a state can then be restored exactly. `bind` is called before a run, with the robot.
#
# This one adds a bend to a wave. A force on the front half toward the left asks for a left turn; the bend grows with
# the force and is slowly forgotten.


# %%
@dataclass(frozen=True, kw_only=True)
class BendAway(pp.Controller):
    """Lateral undulation that turns away from contact."""

    gait: pp.Controller  # a gait is one
    least: float = 1.5  # smaller forces are taken for noise [N]
    most: float = 6.0  # larger forces count as this [N]
    gain: float = 0.05  # bend per force and time [rad/(N s)]
    forget: float = 2.0  # time after which a touch is forgotten [s]
    limit: float = np.radians(12)  # of the bend of every joint [rad]
    rate: float = 50.0  # commands per second [Hz]

    def bind(self, robot, environment=None):
        """The same with a wave that knows its robot."""
        return replace(self, gait=self.gait.bind(robot))

    def memory(self):
        """The bend of every joint at the start [rad]."""
        return 0.0

    def command(self, measurement, bend):
        """The wave plus a bend."""
        front = measurement.contact_normal_force[:, -5:]
        felt = np.where(abs(front) > self.least, front, 0.0).sum(axis=1)
        growth = self.gain * felt.clip(-self.most, self.most) - bend / self.forget
        bend = (bend + growth / self.rate).clip(-self.limit, self.limit)
        wave, _ = self.gait.command(measurement, None)
        return replace(wave, joint_angle=wave.joint_angle + bend[:, None]), bend


# %% [markdown]
# ## The room and the sensors
#
# Four walls. The touch sensors have noise, show steps of 0.1 N and answer 40 ms late; the seed makes the noise the
# same every time.

# %%
robot = pp.catalogue.aiko_planar()
wave = pp.gaits.LateralUndulation(
    amplitude=np.radians(35),
    angular_frequency=np.radians(150),
    phase_shift=np.radians(-45),
)
corners = np.array([(-1.2, -1.0), (2.2, -1.0), (2.2, 1.4), (-1.2, 1.4)])  # [m]
room = pp.Environment(
    ground=pp.Ground(friction=pp.Skin(forward=0.1, backward=0.3, across=0.6)),
    obstacles=[
        pp.Wall(start=corners[k - 1], end=corners[k], thickness=0.04, friction=0.2)
        for k in range(4)
    ],
)
start = pp.Start(link_angles=wave.link_angles(robot))
# Noise and quantum [N], delay [s]
sensors = pp.Sensors(
    contact_normal_force=pp.Channel(noise=0.3, quantum=0.1, delay=0.04), seed=7
)

# %% [markdown]
# ## Blind and feeling, side by side
#
# Two worlds in one batch; the result has a leading `world` dimension.

# %%
controllers = {"blind": wave, "feeling": BendAway(gait=wave)}
worlds = [
    pp.World(robot, room, controller, start, sensors)
    for controller in controllers.values()
]
runs = pp.simulate(worlds, duration=25.0)

for w, name in enumerate(controllers):
    run = runs.isel(world=w)
    # The way in steps of half a second [m]
    way = float(np.hypot(*np.diff(run.center_of_mass[::50].values, axis=0).T).sum())
    moved = run.center_of_mass.sel(time=25.0) - run.center_of_mass.sel(time=20.0)
    speed = np.hypot(*moved.values) / 5.0
    push = float(np.sqrt((run.obstacle_force**2).sum("axis")).sum("link").mean())
    print(
        f"{name:8} {way:4.1f} m of way; {100 * speed:4.1f} cm/s in the last 5 s; "
        f"mean force on the walls {push:4.1f} N"
    )

# %% [markdown]
# The feeling snake at four moments. It meets the right wall, then the lower one, and turns away from both.

# %%
pp.plots.course(runs, world=1)

# %% [markdown]
# The force on all walls, as a mean over the last second. The blind snake pushes on; the feeling one gets free.

# %%
figure, axes = plt.subplots(figsize=(7.2, 2.4), layout="constrained")
for w, name in enumerate(controllers):
    # A mean over 100 samples of 10 ms.
    force = (
        runs.obstacle_load.isel(world=w).sum("obstacle").rolling(time=100).mean()
    )
    axes.plot(runs.time, force, label=name)
axes.set(xlabel="time [s]", ylabel="force on the walls [N]")
axes.legend(frameon=False)
print("wrote", pp.plots.save_figure(figure, "out/force_on_the_walls.png"))

# %% [markdown]
# ## A name for files
#
# `@pp.register` gives a gait, controller, friction law, obstacle or joint of your own a name. It is then used like
# ours: in files (`controller: {kind: flap, amplitude_deg: 20}`), in error messages, and in what a run says of itself.
# The type `Angle` of `pp.quantities` makes the field degrees in files and radians in Python.


# %%
@pp.register("flap")
@dataclass(frozen=True, kw_only=True)
class Flap(pp.Gait):
    """All joints swing together, once a second."""

    amplitude: pp.quantities.Angle
    """How far [rad]."""

    def references(self, time, robot):
        """Joint angles [rad] and rates [rad/s]."""
        w, each = 2 * np.pi, np.ones(robot.n_joints)
        angles = np.outer(self.amplitude * np.sin(w * time), each)
        rates = np.outer(self.amplitude * w * np.cos(w * time), each)
        return angles, rates


run = pp.simulate(pp.World(robot, room, Flap(amplitude=np.radians(20))), 2.0)
print(pp.world_of(run).controller)

# %% [markdown]
# A run knows its world, so it can be written as a scenario file, and the file repeats it bit for bit. On the command
# line the module that registers the kind is named first: `pushpoint --import my_gaits run flap.yaml`.

# %%
file = pp.write_scenario(pp.scenario_of(run), "out/flap.yaml")
again = pp.scenario(file).run()
print(
    "the file repeats the run: "
    f"{bool((again.link_position == run.link_position).all())}"
)
print(
    *(
        line
        for line in file.read_text(encoding="utf-8").splitlines()
        if "flap" in line
    ),
    sep="\n",
)

# %% [markdown]
# ## Try next
#
# - Make the sensors later (`delay=0.3`) or noisier. When does the snake no longer get away?
# - A controller written for one world, without any world axis, is wrapped: `pp.per_world(controller)`.
# - Controllers that feel their way between pegs are in [feeling the way](07-feeling-the-way.ipynb). For a loop of your
#   own around the simulator see [stepping](11-stepping.ipynb).

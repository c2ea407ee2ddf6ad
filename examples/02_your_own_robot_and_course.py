# %% [markdown]
# # Your own robot and course
#
# A snake with a thin tail, a heavy head and small, imperfect servos crawls through a corridor, past a wall, over a
# patch of ice and past a block.
#
# **You will see** how to build links, motors, ground and obstacles, how hard each obstacle was touched, a picture and
# a film; then a second course whose obstacles are generated. Angles are in radians, everything else in SI units.

# %%
import numpy as np
from PIL import Image

import pushpoint as pp


def link(length: float, radius: float, density: float = 700.0) -> pp.PlanarLink:
    """A uniform cylinder [m], [kg/m^3]."""
    mass = density * np.pi * radius**2 * length
    return pp.PlanarLink(
        length=length,
        mass=mass,
        inertia=mass * (3 * radius**2 + length**2) / 12,
        radius=radius,
    )


# %% [markdown]
# ## The robot
#
# Links are listed from tail to head: six that grow thicker, seven equal ones and a head. A motor is a servo: stiffness
# and damping pull the joint toward its reference, and the rest makes it a real one. A robot of equal links is shorter:
# `pp.PlanarRobot.uniform(12, link, motor)`.

# %%
tail = [link(0.08, radius) for radius in np.linspace(0.015, 0.028, 6)]
motor = pp.Motor(
    stiffness=20.0,  # [N m/rad]
    damping=0.2,  # [N m s/rad]
    torque_limit=1.2,  # at standstill [N m] ...
    speed_limit=6.0,  # ... falling to zero at this joint rate [rad/s]
    backlash=np.radians(1.0),  # free play in the gear
    lower=np.radians(-60),  # stops
    upper=np.radians(60),
)
robot = pp.PlanarRobot(
    links=(*tail, *[link(0.08, 0.03)] * 7, link(0.10, 0.035)),
    motors=motor,
    name="my-snake",
)
print(
    f"{robot.name}: {robot.n_links} links, {robot.length:.2f} m, "
    f"{1e3 * robot.mass:.0f} g"
)

# %% [markdown]
# ## The course
#
# The ground has one friction law, and regions of it may have others. The laws are `Frictionless`, `Isotropic`,
# `Elliptic`, `Skin`, `Rectangular` and `Viscous`; a link can have its own. Obstacles are pegs, walls and convex
# polygons.

# %%
# Glides forward, grips sideways.
scales = pp.Skin(forward=0.15, backward=0.35, across=0.6)
ice = pp.Region.rectangle(x=(0.9, 1.3), y=(-0.6, 0.6), friction=pp.Isotropic(0.03))
left_wall, right_wall = pp.courses.corridor(
    (-0.8, 0.0), (0.7, 0.0), width=0.18, friction=0.1
)
obstacles = {
    "left side of the corridor": left_wall,
    "right side of the corridor": right_wall,
    "wall": pp.Wall(
        start=(0.7, -0.1), end=(1.2, -0.5), thickness=0.02, friction=0.1
    ),
    "block": pp.Polygon(
        vertices=[(1.6, -0.05), (2.0, 0.25), (1.6, 0.30)], friction=0.1
    ),
}
course = pp.Environment(
    ground=pp.Ground(friction=scales, regions=[ice]),
    obstacles=list(obstacles.values()),
)

# %% [markdown]
# A start that overlaps an obstacle is not simulated; the error says which link, which obstacle and how deep.

# %%
try:
    pp.World(robot, course, start=pp.Start(position=(0.0, 0.07))).pose()
except pp.errors.PushpointError as error:
    print(error)

# %% [markdown]
# ## The run
#
# `soft_start` lets the wave grow from a straight body, which fits into the corridor.

# %%
gait = pp.gaits.LateralUndulation(
    amplitude=np.radians(30),
    angular_frequency=np.radians(180),
    phase_shift=np.radians(-45),
    soft_start=0.5,
)
run = pp.simulate(robot, course, gait, duration=15.0)

x = run.center_of_mass.sel(axis="x")
for place, begin, end in (
    ("in the corridor", 0.1, 0.5),
    ("on the ice", 0.9, 1.3),
    ("beyond it", 1.5, 1.9),
):
    there = x.time[(x > begin) & (x < end)]
    print(
        f"{place:16} x = {begin} to {end} m: "
        f"{100 * (end - begin) / float(there[-1] - there[0]):5.1f} cm/s"
    )

# %% [markdown]
# Motors stay within their limits, and lag behind their references, because they are soft and have play.

# %%
torque, limit = float(abs(run.joint_torque).max()), robot.motors[0].torque_limit
late = float(np.degrees(abs(run.joint_reference - run.joint_angle).max()))
print(
    f"torques up to {torque:.2f} of {limit:.2f} N m; joints up to {late:.1f} deg "
    "off their references"
)

# %% [markdown]
# Each obstacle was met. Forces are means over the recording interval, 10 ms unless `record=pp.Record(rate=...)` says
# otherwise.

# %%
for number, name in enumerate(obstacles):
    load = run.obstacle_load.sel(obstacle=number)
    print(
        f"{name:26} touched for {float((load > 0).mean()):4.0%} of the time, up to "
        f"{float(load.max()):4.1f} N"
    )

# %%
pp.plots.course(run)

# %% [markdown]
# ## A film and a page to turn
#
# `pp.film` needs the extra `film`, and `pp.replay`, which writes a page that plays the run in 3D in any browser, the
# extra `studio`. `pp.still` is one frame of the film.

# %%
print("wrote", pp.film(run, "out/my_snake.mp4", start=3.0, stop=9.0))
print("wrote", pp.replay(run, "out/my_snake.html"))
Image.open(pp.still(run, "out/my_snake.png", time=5.0, width=800)).copy()

# %% [markdown]
# ## Generated courses
#
# A winding channel, made of many short walls, and beyond it pegs scattered at random. This gait is sent as a real robot
# gets it: as 50 references per second, the first of them 0.1 s late.

# %%
bends = pp.courses.sine(
    length=1.8, amplitude=0.03, wavelength=0.9, start=(-0.8, 0.0)
)
channel = pp.courses.channel(bends, width=0.18, friction=0.1)
field = pp.courses.Rectangle(x=(1.15, 2.4), y=(-0.45, 0.45))
pegs = pp.courses.random_pegs(
    density=14.0, radius=(0.03, 0.06), area=field, seed=4, clearance=0.14
)
second = pp.Environment(
    ground=pp.Ground(friction=scales), obstacles=[*channel, *pegs]
)
late_gait = pp.gaits.Sampled(gait=gait, rate=50.0, delay=0.1)
run = pp.simulate(robot, second, late_gait, duration=16.0)
touched = (run.obstacle_load.max("time") > 0).values
walls, field_pegs = touched[: len(channel)], touched[len(channel) :]
print(
    f"touched: {walls.sum()} of {len(walls)} pieces of the channel, "
    f"{field_pegs.sum()} of {len(field_pegs)} pegs"
)
pp.plots.course(run)

# %% [markdown]
# ## Try next
#
# - Make the ice larger, or the motors weaker. When does the snake no longer get through?
# - Change `seed`, and see in which fields it gets stuck.
# - The same course as a file: `pp.write_scenario(pp.scenario_of(run), "mine.yaml")`, then `pushpoint run mine.yaml`.
#   All keys are in [scenario files](../reference/scenario-files.md).
# - [Your own controller](03-your-own-controller.ipynb) is the next tutorial. More on forces is in [read contact
#   forces](../how-to/read-contact-forces.md), on films in [make a film](../how-to/make-a-film.md), and on the model in
#   [the planar model](../theory/planar.md).

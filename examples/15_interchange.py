# %% [markdown]
# # In and out of other tools
#
# Robots come as URDF and MJCF files and leave as such files. No other tool has all laws of pushpoint, so that each way
# comes with a report: what is exact, what is approximated and how well, what is lost. Runs leave as logs and tables,
# and recordings come in.
#
# **You will see** a robot written and read back, a course in MuJoCo beside the same course here, and a swimmer of
# rods that crawls.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pushpoint as pp

# %% [markdown]
# ## A robot out and in
#
# The ending of the file says what it becomes. URDF is a robot alone; it has links, joints and limits, but neither
# servos nor friction.

# %%
robot = pp.catalogue.yaw_pitch_16()
report = pp.export(robot, "sea-snake.urdf")
print(report)

back, _, joints = pp.interchange.robot_of_file("sea-snake.urdf")
same = np.allclose(back.column("inertia"), robot.column("inertia"), rtol=1e-9)
print(f"{len(joints)} axes came back, same inertias: {same}")

# %% [markdown]
# ## Somebody else's robot
#
# Here is a swimmer as reinforcement learning knows it: three rods, the head first, held in a plane. Read as a planar
# robot it crawls on a floor that slides along and grips across.

# %%
rod = '<geom type="capsule" fromto="0 0 0 -1 0 0" size="0.1"/>'
hinge = '<joint name="{}" axis="0 0 1" range="-100 100"/>'
text = f"""<mujoco model="swimmer">
  <worldbody>
    <body name="head"><freejoint/>{rod}
      <body name="middle" pos="-1 0 0">{hinge.format("front")}{rod}
        <body name="tail" pos="-1 0 0">{hinge.format("rear")}{rod}
    </body></body></body>
  </worldbody>
  <actuator>
    <position joint="front" kp="3000" kv="300"/>
    <position joint="rear" kp="3000" kv="300"/>
  </actuator>
</mujoco>"""
Path("swimmer.xml").write_text(text, encoding="utf-8")
swimmer = pp.read_robot("swimmer.xml", planar=True)
print(f"{swimmer.n_links} links, {swimmer.mass:.1f} kg, {swimmer.length:.1f} m")

floor = pp.Ground(friction=pp.Elliptic(along=0.1, across=0.8))
gait = pp.gaits.LateralUndulation(
    amplitude=0.7, angular_frequency=2.0, phase_shift=-1.4
)
run = pp.simulate(
    pp.World(swimmer, pp.Environment(ground=floor), gait), duration=12.0
)
print(f"it crawls {float(pp.measures.distance(run)):.2f} m in 12 s")

# %% [markdown]
# ## Beside MuJoCo
#
# A whole course goes out, too. With MuJoCo installed, both sides run for a gait period, and the report says how far
# the paths are apart, and how far they will be at most.

# %%
course = pp.scenario("transeth2008a/obstacle-aided")
for law in pp.export(course, "course.xml").laws:
    if law.kept != "exact":
        print(law)

first = pp.interchange.run_beside_mujoco(course)
beside = pp.interchange.run_beside_mujoco(course, periods=3)
apart = 1e3 * float(beside.distance.max())
print(
    f"{apart:.2f} mm apart over three periods, predicted from the first: at most "
    f"{1e3 * first.predicted(3):.2f} mm"
)

figure, axes = plt.subplots(figsize=(8, 3))
axes.plot(*beside.path.T, linewidth=4, alpha=0.4, label="pushpoint")
axes.plot(*beside.mujoco_path.T, linewidth=1, label="MuJoCo")
axes.set(xlabel="x [m]", ylabel="y [m]", title="centre of mass among pegs")
axes.legend()
plt.show()

# %% [markdown]
# ## A run as a log, and logs from elsewhere
#
# A run becomes a log that Foxglove and the tools of ROS 2 open, or one table. Logs and tables come in the same way, as
# recordings of a robot: to lay over a run, or to fit a model to. What was lost on the way is said.

# %%
pp.export(run, "crawl.mcap")
pp.export(run, "crawl.csv")
for name in ("crawl.mcap", "crawl.csv"):
    found = pp.interchange.import_recording(name)
    angle = found.recorded.channels["joint_angle[0]"]
    off = np.abs(angle - run.joint_angle.values[:, 0]).max()
    kept, dropped = found.losses[0].kept, found.losses[0].dropped
    print(f"{name}: {kept} samples, {dropped} dropped, {off:.0f} rad off")

# %% [markdown]
# ## Try next
#
# - Read a robot of yours: [bring a robot](../how-to/bring-a-robot.md).
# - Take a run elsewhere: [export a run](../how-to/export-a-run.md).
# - Let a controller command your robot: [export to hardware](../how-to/export-to-hardware.md).
# - Send a robot to a colleague: [take a robot elsewhere](../how-to/take-a-robot-elsewhere.md).

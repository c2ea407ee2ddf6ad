"""A first slither.

A published robot lies on a floor that grips sideways and lets it glide forward, as scales do. A wave runs along its
body from head to tail, and the robot moves. The results are an xarray.Dataset, a file and a picture.
"""

import numpy as np

import pushpoint as pp

robot = pp.catalogue.aiko_planar()  # 11 links, 1.34 m, 7.5 kg
floor = pp.Ground(friction=pp.Skin(forward=0.1, backward=0.3, across=0.5))
gait = pp.gaits.LateralUndulation(
    amplitude=np.radians(40), angular_frequency=np.radians(80), phase_shift=np.radians(-50)
)  # phase_shift < 0: the wave runs from head to tail

run = pp.simulate(robot, pp.Environment(ground=floor), gait, duration=9.0)

forward, sideways = pp.measures.mean_velocity(run).values
print(f"robot: {robot.n_links} links, {robot.length:.2f} m long, {robot.mass:.1f} kg")
print(f"mean velocity: {100 * forward:.1f} cm/s forward, {100 * sideways:+.1f} cm/s to the left")
print(f"largest motor torque: {float(abs(run.joint_torque).max()):.2f} N m")
print(f"cost of transport: {float(pp.measures.cost_of_transport(run)):.2f} (work per weight and distance)")

# Every variable knows its unit; `print(run)` lists them all.
head = run.link_position.isel(link=-1)
print(f"the head went from x = {float(head[0, 0]):.2f} to {float(head[-1, 0]):.2f} {head.attrs['units']}")

print("wrote", pp.save(run, "out/first_slither.nc"))
print("wrote", pp.plots.save_figure(pp.plots.course(run), "out/first_slither.png"))

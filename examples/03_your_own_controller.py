"""Your own controller: a snake that feels its way.

A controller is a class with a rate, a memory and `command` (measurement and memory in, command and memory out).
Arrays have a leading world axis, so that one controller serves a whole batch. Before a run it is bound to its robot.
This one lets a wave run along the body and bends away from what its front half touches; its touch sensors are noisy,
coarse and late.
"""

from dataclasses import dataclass, replace

import numpy as np

import pushpoint as pp


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
        """The wave plus a bend; a force toward the left asks for a left turn."""
        front = measurement.contact_normal_force[:, -5:]
        felt = np.where(abs(front) > self.least, front, 0.0).sum(axis=1).clip(-self.most, self.most)
        bend = (bend + (self.gain * felt - bend / self.forget) / self.rate).clip(-self.limit, self.limit)
        wave, _ = self.gait.command(measurement, None)
        return replace(wave, joint_angle=wave.joint_angle + bend[:, None]), bend


robot = pp.catalogue.aiko_planar()
wave = pp.gaits.LateralUndulation(
    amplitude=np.radians(35), angular_frequency=np.radians(150), phase_shift=np.radians(-45)
)
corners = np.array([(-1.2, -1.0), (2.2, -1.0), (2.2, 1.4), (-1.2, 1.4)])  # of a room [m]
room = pp.Environment(
    ground=pp.Ground(friction=pp.Skin(forward=0.1, backward=0.3, across=0.6)),
    obstacles=[pp.Wall(start=corners[k - 1], end=corners[k], thickness=0.04, friction=0.2) for k in range(4)],
)
start = pp.Start(link_angles=wave.link_angles(robot))
sensors = pp.Sensors(contact_normal_force=pp.Channel(noise=0.3, quantum=0.1, delay=0.04), seed=7)  # [N], [N], [s]

controllers = {"blind": wave, "feeling": BendAway(gait=wave)}
worlds = [pp.World(robot, room, controller, start, sensors) for controller in controllers.values()]
runs = pp.simulate(worlds, duration=25.0)

for w, name in enumerate(controllers):
    run = runs.isel(world=w)
    way = float(np.hypot(*np.diff(run.center_of_mass[::50].values, axis=0).T).sum())  # in steps of half a second
    speed = np.hypot(*(run.center_of_mass.sel(time=25.0) - run.center_of_mass.sel(time=20.0)).values) / 5.0
    push = float(np.sqrt((run.obstacle_force**2).sum("axis")).sum("link").mean())
    print(
        f"{name:8} {way:4.1f} m of way; {100 * speed:4.1f} cm/s in the last 5 s; mean force on the walls {push:4.1f} N"
    )
print("wrote", pp.plots.save_figure(pp.plots.course(runs.isel(world=1)), "out/your_own_controller.png"))

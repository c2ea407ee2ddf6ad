"""Valid things that calls need: runs of every sort, robots, curves, problems; each made once."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import pushpoint as pp
from campaigns.calls.table import made

PEGS = tuple(pp.Peg(x=0.2 * k, y=0.13 * (-1) ** k, radius=0.05, friction=0.2) for k in range(4))
COURSE = pp.Environment(ground=pp.Ground(friction=pp.Elliptic(along=0.1, across=0.3)), obstacles=PEGS)
GAIT = pp.gaits.LateralUndulation(amplitude=0.3, angular_frequency=6.0, phase_shift=-0.6)
PLANAR = pp.catalogue.aiko_planar()
SPATIAL = pp.catalogue.liljeback2014()
WORLD = pp.World(PLANAR, pp.Environment(ground=COURSE.ground), GAIT)


@made
def folder() -> Path:
    """A folder of this process alone."""
    return Path(tempfile.mkdtemp(prefix="calls."))


@made
def long_robot() -> pp.PlanarRobot:
    """More links than anybody wants to read about."""
    link = pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
    return pp.PlanarRobot.uniform(176, link, pp.Motor(stiffness=50.0, damping=1.0))


@made
def large_course() -> pp.Environment:
    """As many pegs."""
    return pp.Environment(obstacles=[pp.Peg(x=0.5 * k, y=7.5, radius=0.1) for k in range(7000)])


@made
def run() -> Any:
    return pp.simulate(WORLD, 0.05)


@made
def live() -> pp.Live:
    """A simulation that goes on."""
    return pp.Live(WORLD)


@made
def balanced() -> Any:
    """A run that recorded where its energy went, and what it did to obstacles."""
    asked = (*pp.measures.BALANCE, "obstacle_reaction", "obstacle_friction")
    return pp.simulate(WORLD, 0.05, record=pp.Record(also=asked))


@made
def batch() -> Any:
    return pp.simulate([WORLD, WORLD], 0.03)


@made
def segment() -> Any:
    return pp.planning.sidewinding(SPATIAL)


@made
def follower() -> Any:
    motion = pp.planning.AlongCurve(segment=segment.make(), speed=0.3)
    return pp.control.ShapeCurveFollower(motion=motion)


@made
def spatial_run() -> Any:
    return pp.simulate(SPATIAL, pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.3))), follower.make(),
    duration=0.04,
                       settings=pp.Settings(dt=1 / 600))  # fmt: skip


@made
def run_with_modes() -> Any:
    world = pp.World(pp.catalogue.liljeback2011(), pp.Environment(), pp.control.HybridController())
    run = pp.simulate(world, 0.1)
    codes = dict(
        zip(run.controller_mode.attrs["flag_meanings"].split(), run.controller_mode.attrs["flag_values"], strict=True)
    )
    run["controller_mode"][2:4] = codes["jam-resolution"]  # it stays there for a while
    return run


@made
def mapping_run() -> Any:
    return pp.scenario("holden2014/closed-loop").with_changes(duration=0.05).run()


@made
def path_run() -> Any:
    return pp.scenario("paths/straight-line").with_changes(duration=0.2).run()


@made
def scenario() -> Any:
    return pp.Scenario(name="a/b", worlds=WORLD, duration=0.02)


@made
def sweep() -> Any:
    varies = pp.Variation(parameter="speed", unit="m/s", values=(1.0, 2.0))
    return pp.Scenario(name="sweep", worlds=[WORLD, WORLD], duration=0.02, varies=varies, claims=(claim.make(),))


@made
def claim() -> Any:
    return pp.scenario("transeth2008a/obstacle-aided").claims[0]


@made
def verdict() -> Any:
    from pushpoint.scenarios.claim import Verdict

    return Verdict(verdict="reproduced", measured={"speed_cm_per_s": 1.0})


@made
def labelled() -> Any:
    varies = pp.Variation(
        parameter="p", unit="1", values=(0, 1), labels=("a", "b"), measures=lambda run: {"x [m]": np.zeros(2)}
    )
    return pp.Scenario(name="sweep", worlds=[WORLD, WORLD], duration=0.02, varies=varies, claims=(claim.make(),))


@made
def recording() -> Path:
    path = folder.make() / "recorded.csv"
    path.write_text("t,x,y\n" + "".join(f"{0.01 * k},{0.001 * k},0.0\n" for k in range(6)))
    return path


@made
def comparison() -> Any:
    return pp.compare_recording(run.make(), recording.make())


@made
def run_file() -> Path:
    return pp.save(run.make(), folder.make() / "run.nc")


@made
def simulator() -> Any:
    return pp.Simulator([WORLD, WORLD])


@made
def problem() -> Any:
    simulator.make().step(pp.Command(joint_angle=np.zeros((2, PLANAR.n_joints))))
    return simulator.make().contact_problem()


@made
def problem_file() -> Path:
    path = folder.make() / "step.npz"
    problem.make().save(path)
    return path


@made
def solution() -> Any:
    return problem.make().solve()


@made
def curve() -> Any:
    return pp.planning.ShapeCurve([(0, 0, 0), (0.5, 0.3, 0.2), (1.0, -0.2, 0.1), (1.8, 0.1, 0.3)])


@made
def alignment() -> Any:
    return pp.planning.align(SPATIAL, curve.make(), curve.make().end)


@made
def measurement() -> Any:
    return simulator.make().reset()


@made
def wave() -> Any:
    return GAIT.wave(PLANAR)


os.environ.setdefault("MPLBACKEND", "agg")

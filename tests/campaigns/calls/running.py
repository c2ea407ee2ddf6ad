"""Calls of what runs, measures, keeps and compares: worlds, scenarios, simulations, results, controllers."""

from __future__ import annotations

import numpy as np

import pushpoint as pp
from campaigns.calls import things
from campaigns.calls.table import CALLS, Call, Made, fields_of, rebuilt
from campaigns.calls.things import COURSE, GAIT, PLANAR, WORLD

ANGLES = np.zeros((2, 10))
STATE = Made(lambda: things.simulator.make().state)
LOOK = Made(lambda: things.live.make().look())
HEALTH = Made(lambda: pp.health_of(things.run.make())[0])
COUNTS = (
    "steps",
    "unconverged_steps",
    "largest_residual",
    "deepest_penetration",
    "deepest_self_overlap",
    "largest_turn",
)
MEASURED = Made(lambda: pp.Simulator([WORLD, WORLD]).reset())
CONTROLLERS = Made(lambda: pp.Controllers([WORLD, WORLD]))
ESTIMATE = Made(lambda: pp.estimate(WORLD, 0.02))
SETTINGS = {
    "settings": pp.Settings(on_failure="record"),
    "record": pp.Record(variables=["link_angle"]),
    "progress": False,
}


def over(measurement: pp.Measurement) -> np.ndarray:
    """Ends worlds after a hundredth of a second."""
    return measurement.time > 0.01


def method(thing: Made, name: str) -> Made:
    """A method of something that is made when it is needed."""
    return Made(lambda: getattr(thing.make(), name))


def place(name: str) -> Made:
    """Where something is written."""
    return Made(lambda: things.folder.make() / name)


CALLS |= {
    "Command": Call(pp.Command, joint_angle=ANGLES, joint_rate=ANGLES, joint_torque=None, prescribed=False,
            link_load=None),
    "Measurement": Call(pp.Measurement, **fields_of(things.measurement, "time", "joint_angle", "joint_rate",
            "joint_torque",
                        "contact_normal_force", "imu_angular_rate", "imu_acceleration", "imu_heading")),
    "gaits.Wave": Call(rebuilt(things.wave), **fields_of(things.wave, "offset", "sine", "cosine", "angular_frequency",
                       "soft_start", "from_time")),
    "Health": Call(pp.Health, **fields_of(HEALTH, *COUNTS, "refused_contacts", "energy_gained", "energy_taken")),
    "Record": Call(pp.Record, rate=50.0, variables=["link_angle"]),
    "Settings": Call(pp.Settings, dt=1e-3, solver="newton", tolerance=1e-3, max_iterations=50, precision="float64",
                     device="cpu", on_failure="raise"),
    "State": Call(pp.State, **{name: Made(lambda name=name: getattr(STATE.make(),
            name)) for name in pp.State.names()}),  # type: ignore[misc]
    "SpatialState": Call(lambda: pp.Simulator([pp.World(things.SPATIAL, pp.Environment())]).state),
    "World": Call(pp.World, PLANAR, COURSE, GAIT, start=pp.Start(), sensors=pp.Sensors()),
    "World.pose": Call(WORLD.pose, 0),
    "Variation": Call(pp.Variation, parameter="p", unit="m", values=(1.0, 2.0), labels=(), measures=None),
    "Scenario": Call(pp.Scenario, name="a/b", worlds=WORLD, duration=0.02, settings=pp.Settings(), record=pp.Record(),
                     until=None, title="t", source="s", claims=(), varies=None),
    "Scenario.with_changes": Call(method(things.scenario, "with_changes"), duration=0.01, dt=1e-3, controller=GAIT),
    "estimate": Call(pp.estimate, WORLD, 0.02, settings=pp.Settings(), record=pp.Record()),
    "Estimate": Call(pp.Estimate, **fields_of(ESTIMATE, "steps", "every", "samples", "portion", "engine", "portions",
                     "recording")),
    "simulate": Call(pp.simulate, WORLD, duration=0.02, until=over, **SETTINGS),
    "simulate a robot": Call(pp.simulate, PLANAR, pp.Environment(), GAIT, duration=0.01, start=pp.Start(),
                             sensors=pp.Sensors(), **SETTINGS),
    "simulate a batch": Call(pp.simulate, [WORLD, WORLD], duration=0.01, **SETTINGS),
    "Simulator": Call(pp.Simulator, [WORLD], rate=100.0, settings=pp.Settings()),
    "Simulator.reset": Call(method(things.simulator, "reset"), np.array([True, False])),
    "Simulator.reset, with another world": Call(method(things.simulator, "reset"), np.array([True, False]), [WORLD]),
    "Simulator.step": Call(method(things.simulator, "step"), pp.Command(joint_angle=ANGLES)),
    "Controllers": Call(pp.Controllers, [WORLD, WORLD]),
    "Controllers.reset": Call(method(CONTROLLERS, "reset"), np.array([True, False]), [WORLD]),
    "Controllers.command": Call(method(CONTROLLERS, "command"), MEASURED, np.array([True, False])),
    "Simulator.restore": Call(method(things.simulator, "restore"), STATE),
    "Simulator.contact_problem": Call(method(things.simulator, "contact_problem"), 0),
    "Live": Call(pp.Live, WORLD, settings=pp.Settings(), record=pp.Record(), memory=5.0, file_limit=10**7, name="n"),
    "Live.advance": Call(method(things.live, "advance"), 3),
    "Live.change": Call(method(things.live, "change"), environment=WORLD.environment, controller=GAIT, robot=PLANAR,
                        over=0.1),
    "Live.push": Call(method(things.live, "push"), 2, (0.0, 1.0), duration=0.01),
    "Live.look_back": Call(method(things.live, "look_back"), 0.0),
    "Live.history": Call(method(things.live, "history"), 1.0),
    "Live.go_to": Call(method(things.live, "go_to"), 0.0),
    "Live.restore": Call(method(things.live, "restore"), Made(lambda: things.live.make().state)),
    "Live.world_at": Call(method(things.live, "world_at"), 3),
    "Look": Call(pp.Look, **fields_of(LOOK, *pp.Look.__dataclass_fields__)),
    "Moment": Call(pp.Moment, step=0, edits=()),
    "edits.ChangeController": Call(pp.edits.ChangeController, step=3, controller=GAIT, over=0.1),
    "edits.ChangeGround": Call(pp.edits.ChangeGround, step=3, ground=pp.Ground()),
    "edits.ChangeMotors": Call(pp.edits.ChangeMotors, step=3, robot=PLANAR),
    "edits.ChangeObstacles": Call(pp.edits.ChangeObstacles, step=3, first=0, removed=1,
                                  obstacles=[pp.Peg(x=0.0, y=1.0, radius=0.1)]),
    "edits.Push": Call(pp.edits.Push, step=3, link=2, force=(0.0, 1.0), duration=0.01),
    "compare_recording": Call(pp.compare_recording, things.run, things.recording, link=2, columns=("t", "x", "y"),
                              align=("time", "frame"), time_offset=0.0, world=0),
    "health_of": Call(pp.health_of, things.run),
    "warnings_of": Call(pp.warnings_of, things.run),
    "world_of": Call(pp.world_of, things.run),
    "load": Call(pp.load, things.run_file),
    "save": Call(pp.save, things.run, place("saved.nc")),
    "scenario": Call(pp.scenario, "transeth2008a/obstacle-aided", ("duration=0.1",)),
    "scenario_of": Call(pp.scenario_of, things.run),
    "write_scenario": Call(pp.write_scenario, WORLD, place("written.yaml"), duration=1.0),
    "per_world": Call(pp.per_world, GAIT),
    "control.ConstantTorque": Call(pp.control.ConstantTorque, torque=[0.0] * 10, rate=100.0),
    "control.ContactRule": Call(pp.control.ContactRule, reach=0.02, touch=0.05, one_per_peg=True),
    "control.ContinuousResolution": Call(pp.control.ContinuousResolution, amplitude=0.6, phase_shift=0.6, speed=0.06,
            gain=0.4),
    "control.Learned": Call(pp.control.Learned, policy="touch-v1", checksum=None),
    "control.TouchPolicy": Call(pp.control.TouchPolicy, gain=0.4, neighbour_share=1.0, forward_bias=0.2,
            least_force=1.0, starvation_time=2.0, patience=8.0, starved_amplitude=0.1, starved_phase_shift=-0.2,
            starved_speed=0.5, starved_head_angle=0.2),
    "control.learned": Call(pp.control.learned, "touch-v1"),
    "control.policy_names": Call(pp.control.policy_names),
    "control.PushedAside": Call(pp.control.PushedAside, smoothing=0.01, rate=200.0),
    "control.RaySteering": Call(pp.control.RaySteering, gait=GAIT, gain=0.2, largest=0.1, smoothing=0.5, rate=50.0),
    "control.HeadingController": Call(pp.control.HeadingController, direction=0.1, gain=0.6, response=0.3, delay=0.6,
            drift_time=3.0, fastest=0.4, axis=(0, 0, 1)),
    "control.CombinedSteering": Call(pp.control.CombinedSteering, steerings=(pp.control.TurnSchedule(rates=(0.1,)),)),
    "control.HybridController": Call(pp.control.HybridController, follower=pp.control.LeaderFollower(), jam_angle=0.3,
                                     jam_time=1.0, resolution_time=1.0, gain=0.05),
    "control.LeaderFollower": Call(pp.control.LeaderFollower, head_angle=0.8, swing=0.14, head_point="centre",
            speed=0.05,
                                   rate=20.0),
    "control.RailGains": Call(pp.control.RailGains, stiffness=400.0, damping=40.0, speed=10.0, integral=10.0, most=5.0),
    "control.ShapeCurveFollower": Call(pp.control.ShapeCurveFollower, look_ahead=None, rate=30.0, prescribed=False,
                                       motion=Made(lambda: things.follower.make().motion),
                                       steering=pp.control.TurnSchedule(), rolling=pp.control.TurnSchedule()),
    "control.TurnSchedule": Call(pp.control.TurnSchedule, until=(1.0,), rates=(0.0, 0.1), axis=(0, -1, 0)),
    "contact_problems.Problem": Call(pp.contact_problems.Problem, **fields_of(things.problem, "W", "q", "mu",
            "dimension",
                                     "impulses", "frames", "points", "kinds", "links", "tolerance")),
    "contact_problems.Residuals": Call(pp.contact_problems.Residuals,
            **fields_of(Made(lambda: things.solution.make().residuals),
                                       "signorini", "coulomb", "dissipation", "velocity_scale", "impulse_scale")),
    "contact_problems.Solution": Call(pp.contact_problems.Solution, **fields_of(things.solution, "impulses",
            "velocities",
                                      "residuals", "converged", "iterations", "sweeps", "asymmetry")),
    "contact_problems.load": Call(pp.contact_problems.load, things.problem_file),
    "contact_problems.residuals": Call(pp.contact_problems.residuals, np.eye(3), [-1.0, 0.0, 0.0], 0.3, [[1.0, 0.0,
            0.0]],
                                       dimension=3),
    "contact_problems.solve": Call(pp.contact_problems.solve, np.eye(3), [-1.0, 0.0, 0.0], 0.3, dimension=3,
            tolerance=1e-9,
                                   start=[[1.0, 0.0, 0.0]], rounds=2),
    "Problem.solve": Call(method(things.problem, "solve"), tolerance=1e-9, start=None),
    "Problem.residuals": Call(method(things.problem, "residuals"), Made(lambda: things.problem.make().impulses)),
    "Problem.save": Call(method(things.problem, "save"), place("problem.npz")),
    "film": Call(pp.film, things.run, place("film.mp4"), world=0, width=320, speed=1.0, start=0.0, stop=0.05,
                 progress=False),
    "still": Call(pp.still, things.run, place("still.png"), time=0.05, world=0, width=320, key=True),
    "replay": Call(pp.replay, things.run, place("replay.html"), world=0),
    "show": Call(pp.show, things.run, world=0),
    "papers.reported": Call(pp.papers.reported, "transeth2008a"),
    "measures.curve_fit": Call(pp.measures.curve_fit, things.spatial_run, follower=things.follower, in_place=False),
}  # fmt: skip
CALLS |= {
    f"measures.{name}": Call(getattr(pp.measures, name), things.path_run, **more)
    for name, more in (("cross_track_error", {"averaged": True}), ("course_error", {}),
                       ("settling_distance", {"within": 0.02, "averaged": False}))
}  # fmt: skip
CALLS |= {
    f"measures.{name}": Call(getattr(pp.measures, name), things.run)
    for name in ("averaging_window", "cost_of_transport", "detected_period", "distance", "drag_efficiency",
                 "friction_froude_number", "froude_number", "gait_period", "head_distance", "heading", "mean_velocity",
                 "motor_work", "notes", "path_length", "per_motor", "propulsive_efficiency", "slip_ratio", "summary",
                 "wave_efficiency", "wave_speed", "whole_periods")
}  # fmt: skip
CALLS |= {
    "measures.stops": Call(pp.measures.stops, things.run, speed=0.01, window=0.02),
    "measures.energy_budget": Call(pp.measures.energy_budget, things.balanced),
    "measures.workspace": Call(pp.measures.workspace, things.run, seen_from="tail"),
}

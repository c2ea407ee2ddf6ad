"""Calls of planning, force mapping and the second models."""

from __future__ import annotations

import numpy as np

import pushpoint as pp
from campaigns.calls import things
from campaigns.calls.running import method, place
from campaigns.calls.table import CALLS, Call, Made, fields_of, made, rebuilt
from campaigns.calls.things import GAIT, PLANAR, SPATIAL
from pushpoint import event_driven, interchange, mapping, planning, reduced
from pushpoint.papers.holden2014 import courses

POINTS = np.array([(0, 0, 0), (0.5, 0.3, 0.2), (1.0, -0.2, 0.1), (1.8, 0.1, 0.3)])
ROBOT = reduced.reduce_robot(courses.fifteen_links())
GROUND = reduced.GroundFriction(coefficient=0.2)
ANGLE = 0.7 * np.cos(2 * np.pi * np.arange(15) / 8)
STATE = reduced.ReducedState(center=[0.0, 0.0], velocity=[0.0, 0.0], link_angle=ANGLE, link_rate=np.zeros(15))
TOUCHED = np.array([0, 4, 8, 12])
CONTACTS = reduced.Contacts(link=TOUCHED, side=-np.sign(ANGLE[TOUCHED]), friction=0.1)
BOUNDS = mapping.MappingBounds(torque_limit=4.0)
REFERENCE = mapping.MotionReference(center=[0.2, 0.0], links=TOUCHED, link_angle=ANGLE[TOUCHED])
WISH = mapping.tracking_wish(STATE, REFERENCE)
PEGS = courses.flank_pegs(0.03)
WOUND = pp.gaits.Sidewinding(yaw_amplitude=0.87, pitch_amplitude=0.14, angular_frequency=2.1, phase_shift=-0.52)
STEERED = {"gait": GAIT, "gain": 0.3, "damping": 0.1, "largest_offset": 0.2, "filter_frequency": 5.0, "rate": 50.0,
           "speed": pp.control.SpeedController(speed=0.1)}  # fmt: skip


@made
def path() -> mapping.Path:
    return courses.sine_path()


@made
def problem() -> mapping.ForceMapping:
    return mapping.build_force_mapping(ROBOT, GROUND, STATE, CONTACTS, WISH, BOUNDS)


@made
def result() -> mapping.ForceMappingResult:
    return mapping.solve_force_mapping(problem.make())


@made
def travel() -> mapping.Travel:
    return mapping.Travel(ROBOT, GROUND, path.make(), PEGS, np.array([2.0, 2.1]), 0.1)


@made
def quality() -> mapping.PathQuality:
    return mapping.path_quality(travel.make(), BOUNDS)


@made
def stability() -> mapping.PathStability:
    return mapping.path_stability(travel.make())


@made
def solvability() -> mapping.PathSolvability:
    return mapping.path_solvability(travel.make(), BOUNDS)


@made
def pose() -> mapping.PathPose:
    return mapping.pose_on_path(ROBOT, path.make(), np.array([2.0]))


AREA = pp.courses.Rectangle(x=(-0.2, 1.9), y=(-0.5, 0.5))
WAY = planning.peg_field(spacing=0.3, area=AREA, seed=1, keep_out=pp.courses.Disc(x=0.0, y=0.0, radius=0.05))
PUSHER = pp.PlanarRobot.uniform(
    5, pp.PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03), pp.Motor(torque_limit=4.0)
)


@made
def plan() -> planning.PegPlan:
    return planning.plan_path(PUSHER, WAY, (0.0, 0.0), (0.8, 0.0), ground=GROUND)


TERMS = reduced.smooth_terms(ROBOT, GROUND, STATE)
TOUCH = reduced.contact_terms(ROBOT, STATE, CONTACTS, TERMS)
RELATION = reduced.force_relation(ROBOT, TERMS, TOUCH)
CLOSED = reduced.closed_dynamics(CONTACTS, RELATION)
RAIL_WISH = np.zeros(17)


@made
def rails() -> mapping.RailSolution:
    return mapping.solve_rail_mapping(ROBOT, GROUND, STATE, CONTACTS, RAIL_WISH, BOUNDS)


@made
def model() -> event_driven.HybridModel:
    return event_driven.hybrid_model(PLANAR, pp.Environment(obstacles=[pp.Peg(x=0, y=1, radius=0.1)]))


@made
def trajectory() -> event_driven.Trajectory:
    return event_driven.integrate(model.make(), pp.Start(), duration=0.01)


@made
def references() -> interchange.JointReferences:
    return interchange.joint_references(GAIT, PLANAR, duration=0.1, rate=50.0)


MOVING = planning.TravellingWave(length=0.5, width=0.1, period=1.0)
BLEND = planning.SegmentBlend(first=planning.GaitSegment(POINTS), second=planning.GaitSegment(POINTS), duration=1.0)
SIZES = {"length": 0.6, "width": 0.2, "height": 0.02}

CALLS |= {
    "planning.Aligner": Call(planning.Aligner, SPATIAL, 4, n_curves=1, per_curve=1, look_ahead=None,
            allow_overshoot=False,
                             device="cpu"),
    "planning.Alignment": Call(planning.Alignment, **fields_of(things.alignment, "robot", "joint_angles",
            "joint_points",
                               "link_orientations", "center", "references", "side")),
    "planning.AlongMovingCurve": Call(planning.AlongMovingCurve, roll=0.0, roll_rate=0.0, segment=BLEND, speed=0.1,
                                      phase=0.0, curve="pchip", origin=(0, 0, 0)),
    "planning.CurveFit": Call(planning.CurveFit, joint_max=0.1, joint_rms=0.1, link_max=0.1, link_rms=0.1),
    "planning.SegmentBlend": Call(planning.SegmentBlend, first=things.segment, second=things.segment, begin=1.0,
                                  duration=2.0),
    "planning.Skeleton": Call(planning.Skeleton, lengths=(0.1, 0.2), joints=pp.Yaw()),
    "planning.align_sequence": Call(planning.align_sequence, SPATIAL, things.curve, [2.8, 2.9], 0.1, 0.15,
                                    side=(0, 1, 0), side_turn=0.5, allow_short=False),
    "planning.fit_to_curve": Call(planning.fit_to_curve, things.alignment, things.curve),
    "planning.AlongCurve": Call(planning.AlongCurve, roll=0.0, roll_rate=0.0, segment=things.segment, speed=0.1,
            phase=0.0,
                                lead=None, curve="pchip", origin=(0, 0, 0)),
    "planning.ClosingHelix": Call(planning.ClosingHelix, outer=0.3, inner=0.1, closing=1.0, rise=0.1, turns=2.0,
            bottom=0.0,
                                  per_turn=12, look_ahead=0.1, link=0.05),
    "planning.GaitSegment": Call(planning.GaitSegment, POINTS, "s"),
    "planning.MovingPoints": Call(planning.MovingPoints, points=MOVING, head=4.0, curve="pchip", pace=2.0),
    "planning.OnCurve": Call(planning.OnCurve, roll=0.0, roll_rate=0.0, points=POINTS.tolist(), curve="pchip",
            head=None),
    "planning.OnMovingPoints": Call(planning.OnMovingPoints, roll=0.0, roll_rate=0.0, speed=0.1, period=1.0,
                                    moving=planning.MovingPoints(points=MOVING, head=4.0)),
    "planning.Progress": Call(planning.Progress, POINTS, np.zeros(1), POINTS, POINTS),
    "planning.ShapeCurve": Call(planning.ShapeCurve, POINTS, "pchip"),
    "planning.ShapeProgress": Call(planning.ShapeProgress, segment=things.segment, reach=1.0, kind="pchip", lead=None),
    "planning.TravellingWave": Call(planning.TravellingWave, length=0.5, width=0.1, height=0.0, period=1.0, behind=2,
                                    per_cycle=8, ahead=3),
    "planning.advance_head": Call(planning.advance_head, POINTS[None], planning.slopes_of(POINTS)[None], [0.5], [0.1]),
    "planning.align": Call(planning.align, SPATIAL, things.curve, 2.9, 0.1, 0.15, side=(0, 1, 0), allow_overshoot=False,
                           allow_short=False),
    "planning.concatenated": Call(planning.concatenated, things.segment, [np.eye(3)] * 2, np.zeros(3)),
    "planning.default_look_ahead": Call(planning.default_look_ahead, SPATIAL),
    "planning.PegPlan": Call(rebuilt(plan), **fields_of(plan, "path", "pegs", "touches", "quality", "reaches_goal",
                             "clearance", "bend", "joint_limit", "planning_time", "judged")),
    "planning.peg_field": Call(planning.peg_field, spacing=0.3, area=AREA, seed=1, radius=0.02, friction=0.1,
                               keep_out=()),
    "planning.plan_path": Call(planning.plan_path, PUSHER, WAY, (0.0, 0.0), (0.8, 0.0), seed=0, ground=GROUND,
                               bounds=None, settings=None),
    "planning.helix": Call(planning.helix, 0.1, 0.2, axis="z", handed="right", n_points=9),
    "planning.joined": Call(planning.joined, things.segment, things.segment, name="two"),
    "planning.rolling_arc": Call(planning.rolling_arc, SPATIAL, span=0.6, depth=0.1),
    "planning.segment_from_function": Call(planning.segment_from_function, lambda s: (s, 0.0, 0.0), 9, "s"),
    "planning.segment_from_points": Call(planning.segment_from_points, POINTS, "s"),
    "planning.sidewinding": Call(planning.sidewinding, SPATIAL, **SIZES, n_points=9),
    "planning.slopes_of": Call(planning.slopes_of, POINTS, "pchip"),
    "planning.stairs_down": Call(planning.stairs_down, 0.1, 0.2, half_height=0.03, chamfer=0.02, nose_chamfer=0.02),
    "planning.stairs_up": Call(planning.stairs_up, 0.1, 0.2, half_height=0.03, chamfer=0.02, nose_chamfer=0.02),
    "planning.vertical_wave": Call(planning.vertical_wave, SPATIAL, length=0.6, height=0.02, n_points=9),
    "control.ForceMappingController": Call(pp.control.ForceMappingController, path=path, speed=0.1, head=1.5,
            rate=100.0,
                                           soft_start=0.5, pegs=PEGS, ground=GROUND),
    "control.Loaded": Call(pp.control.Loaded, controller=GAIT, load=[(0.0, 0.1, 0.0)], begin=0.5, end=1.5),
    "control.HeadingHold": Call(pp.control.HeadingHold, **STEERED, direction=0.3),
    "control.LineOfSight": Call(pp.control.LineOfSight, **STEERED, path=path, look_ahead=1.0, integral_gain=0.1,
            switching_radius=0.2),
    "control.PathSteering": Call(pp.control.PathSteering, path=path, look_ahead=1.0, integral_gain=0.1,
            switching_radius=0.2, gain=0.6, response=0.3, delay=0.6, drift_time=3.0, fastest=0.4),
    "control.SidewindingLineOfSight": Call(pp.control.SidewindingLineOfSight, gait=WOUND, path=path, look_ahead=1.0,
            switching_radius=0.2, gain=2.0, drift_distance=1.0, largest_curvature=0.4, filter_frequency=8.0, rate=50.0),
    "control.SpeedController": Call(pp.control.SpeedController, speed=0.1, gain=0.3, integral_time=2.0, slowest=0.5,
            fastest=2.0),
    "control.ShapePropagation": Call(pp.control.ShapePropagation, path=path, speed=0.1, head=1.5, rate=100.0,
            soft_start=0.5,
                                     lead=0.1),
    "mapping.ForceMapping": Call(rebuilt(problem), **fields_of(problem, "closed", "side", "links", "direction", "A_e",
                                 "b_e", "scale", "torque_limit", "least_force", "force_limit", "torque_cost",
                                 "posture_pull", "weights")),
    "mapping.ForceMappingResult": Call(rebuilt(result), **fields_of(result, "problem", "joint_torque", "contact_force",
                                       "slack", "pull", "solved", "iterations")),
    "mapping.Gains": Call(mapping.Gains, center_stiffness=1.0, center_damping=1.0, link_stiffness=1.0,
            link_damping=1.0),
    "mapping.MappingBounds": Call(mapping.MappingBounds, torque_limit=4.0, force_limit=10.0, least_force=0.5),
    "mapping.MappingWeights": Call(mapping.MappingWeights, torque=1.0, slack=1e12, posture=0.0, center_scale=None,
                                   link_scale=1.0, tolerance=1e-6),
    "mapping.MotionReference": Call(mapping.MotionReference, center=[0.2, 0.0], links=TOUCHED,
            link_angle=ANGLE[TOUCHED],
                                    velocity=0.0, acceleration=0.0, link_rate=0.0, link_acceleration=0.0, posture=None,
                                    direction=[1.0, 0.0]),
    "mapping.MotionWish": Call(mapping.MotionWish, **fields_of(Made(lambda: WISH), "center_acceleration", "links",
                               "link_acceleration", "posture", "direction")),
    "mapping.Path": Call(mapping.Path, POINTS[:, :2]),
    "mapping.PathPose": Call(rebuilt(pose), **fields_of(pose, "head", "center", "link_angle", "center_slope",
            "link_slope")),
    "mapping.PathQuality": Call(rebuilt(quality), **fields_of(quality, "head", "feasible", "cost", "residual",
            "joint_torque",
                                "peg_force", "peg_link")),
    "mapping.PathSolvability": Call(rebuilt(solvability), **fields_of(solvability, "head", "feasible", "cost",
            "solvable")),
    "mapping.PathStability": Call(rebuilt(stability), **fields_of(stability, "head", "growth", "offset", "free")),
    "mapping.PostureReference": Call(mapping.PostureReference, link_angle=ANGLE, link_rate=0.0, link_acceleration=0.0),
    "mapping.RailCosts": Call(mapping.RailCosts, torque=0.01, force=0.001, posture=None, form="free"),
    "mapping.RailSolution": Call(rebuilt(rails), **fields_of(rails, "joint_torque", "push", "miss", "solved")),
    "mapping.Rails": Call(mapping.Rails, robot=ROBOT, path=path),
    "mapping.Travel": Call(mapping.Travel, ROBOT, GROUND, path, PEGS, np.array([2.0]), 0.1),
    "mapping.build_force_mapping": Call(mapping.build_force_mapping, ROBOT, GROUND, STATE, CONTACTS, WISH, BOUNDS,
                                        mapping.MappingWeights()),
    "mapping.lay_rails": Call(mapping.lay_rails, ROBOT, path),
    "mapping.least_stiffness": Call(mapping.least_stiffness, travel, mapping.Gains()),
    "mapping.path_quality": Call(mapping.path_quality, travel, BOUNDS),
    "mapping.path_solvability": Call(mapping.path_solvability, travel, BOUNDS),
    "mapping.path_stability": Call(mapping.path_stability, travel, mapping.MappingWeights(), mapping.Gains()),
    "mapping.pose_on_path": Call(mapping.pose_on_path, ROBOT, path, np.array([2.0])),
    "mapping.solve_force_mapping": Call(mapping.solve_force_mapping, problem),
    "mapping.solve_rail_mapping": Call(mapping.solve_rail_mapping, ROBOT, GROUND, STATE, CONTACTS, RAIL_WISH, BOUNDS,
                                       mapping.RailCosts(), None),
    "mapping.tracking_wish": Call(mapping.tracking_wish, STATE, REFERENCE, mapping.Gains()),
    "reduced.ClosedDynamics": Call(type(CLOSED), **{n: getattr(CLOSED, n) for n in CLOSED.__dataclass_fields__}),
    "reduced.ContactTerms": Call(type(TOUCH), **{n: getattr(TOUCH, n) for n in TOUCH.__dataclass_fields__}),
    "reduced.ForceRelation": Call(type(RELATION), **{n: getattr(RELATION, n) for n in RELATION.__dataclass_fields__}),
    "reduced.SmoothTerms": Call(type(TERMS), **{n: getattr(TERMS, n) for n in TERMS.__dataclass_fields__}),
    "reduced.ReducedRobot": Call(type(ROBOT), **{n: getattr(ROBOT, n) for n in ROBOT.__dataclass_fields__}),
    "reduced.Contacts": Call(reduced.Contacts, link=[0, 3], side=[1.0, -1.0], along=0.0, surface=0.0, standoff=0.0,
            friction=0.1),
    "reduced.GroundFriction": Call(reduced.GroundFriction, coefficient=0.2, viscous_along=0.1, viscous_across=0.1,
            spin=0.0),
    "reduced.ReducedState": Call(reduced.ReducedState, center=[0, 0], velocity=[0, 0], link_angle=ANGLE,
            link_rate=ANGLE, load=None),
    "reduced.centrifugal_matrix": Call(reduced.centrifugal_matrix, ROBOT, TERMS),
    "reduced.close": Call(reduced.close, ROBOT, GROUND, STATE, CONTACTS),
    "reduced.closed_dynamics": Call(reduced.closed_dynamics, CONTACTS, RELATION),
    "reduced.contact_terms": Call(reduced.contact_terms, ROBOT, STATE, CONTACTS, TERMS),
    "reduced.force_relation": Call(reduced.force_relation, ROBOT, TERMS, TOUCH),
    "reduced.reduce_robot": Call(reduced.reduce_robot, PLANAR, paper_table=False),
    "reduced.smooth_terms": Call(reduced.smooth_terms, ROBOT, GROUND, STATE),
    "event_driven.Accuracy": Call(event_driven.Accuracy, relative=1e-8, absolute=1e-10, first_step=1e-4,
            longest_step=0.01),
    "event_driven.Event": Call(event_driven.Event, time=0.0, name="impact", link=0, peg=0),
    "event_driven.HybridModel": Call(rebuilt(model), **fields_of(model, "source", "robot", "ground", "drive",
                                     "torque_limit", "slowing", "stops", "ground_bound", "ground_scale", "spin_bound",
                                     "side", "peg_center", "peg_radius", "peg_friction", "peg_restitution", "load")),
    "event_driven.Feedback": Call(event_driven.Feedback, robot=PLANAR, controller=GAIT, environment=None),
    "event_driven.Servo": Call(event_driven.Servo, robot=PLANAR, gait=GAIT),
    "event_driven.SteadyTorque": Call(event_driven.SteadyTorque, torque=[0.0] * 10),
    "event_driven.Trajectory": Call(rebuilt(trajectory), **fields_of(trajectory, "time", "center", "link_angle",
                                    "velocity", "link_rate", "link_position", "kinetic_energy", "events", "mode",
                                    "controller_mode", "contact_force", "joint_torque")),
    "event_driven.hybrid_model": Call(event_driven.hybrid_model, PLANAR, pp.Environment(), None, smoothing=0.0),
    "event_driven.integrate": Call(event_driven.integrate, model, pp.Start(), duration=0.01, times=[0.0, 0.01],
                                   accuracy=event_driven.Accuracy()),
    "interchange.JointReferences": Call(rebuilt(references), **fields_of(references, "times", "angles", "rates", "rate",
                                        "names", "link_behind")),
    "interchange.Violation": Call(interchange.Violation, joint=0, name="yaw", link_behind=0, quantity="angle",
            limit=1.0,
                                  above=True, first_time=0.0, duration=1.0, excess=0.1),
    "interchange.column_names": Call(interchange.column_names, references, radians=False),
    "interchange.joint_references": Call(interchange.joint_references, GAIT, PLANAR, duration=0.1, rate=50.0),
    "interchange.limit_violations": Call(interchange.limit_violations, references, PLANAR),
    "interchange.write_csv": Call(interchange.write_csv, references, place("references.csv"), radians=False),
    "Path.at": Call(method(path, "at"), np.array([0.1, 0.2])),
}  # fmt: skip

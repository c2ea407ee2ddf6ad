"""The sections of a file: the keys that the documents promise, each with a description, degrees for angles alone."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest

from pushpoint.control import (
    ConstantTorque,
    ContinuousResolution,
    HybridController,
    LeaderFollower,
    RaySteering,
    ShapeCurveFollower,
)
from pushpoint.control.steering import CombinedSteering, HeadingController, TurnSchedule
from pushpoint.description.entries import REQUIRED, docs_of, entries_of
from pushpoint.description.shapes import READY_MADE, VARYING, keys_of
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import (
    CompoundSerpenoid,
    ConicalSidewinding,
    HelicalRolling,
    LateralUndulation,
    LiftedSlithering,
    PatternChange,
    PatternGenerator,
    PipeCrawling,
    Rolling,
    Sampled,
    Sidewinding,
    SinusLifting,
    TurningSidewinding,
    VerticalWave,
)
from pushpoint.model import friction
from pushpoint.model.checks import declared
from pushpoint.model.environment import Ground, Peg, Polygon, Region, Wall
from pushpoint.model.joints import Cardan, Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, Support
from pushpoint.model.sensors import Channel, RangeSensor, Sensors
from pushpoint.model.spatial_robot import SpatialLink
from pushpoint.model.terrain import Box, HeightField, Pipe, Ramp, Stairs
from pushpoint.model.wheels import Wheels
from pushpoint.planning.curves.motion import AlongCurve, OnCurve
from pushpoint.planning.curves.moving import AlongMovingCurve, OnMovingPoints
from pushpoint.planning.curves.moving_points import MovingPoints, SegmentBlend
from pushpoint.worlds.record import Record

WAVE = "angular_frequency_deg phase_shift_deg phase_deg soft_start release_deg prescribed"
ROLLS = "angular_frequency_deg phase_deg soft_start release_deg prescribed"
PATTERN = (
    "angular_frequency_deg amplitude_deg phase_shift_deg offset_deg pitch_amplitude_deg pitch_lead_deg pitch_offset_deg"
)
SURFACE = "friction restitution"
ROLL = "roll_deg roll_rate_deg"
KEYS = {  # of the files that users have: a key may be added, none may go
    LateralUndulation: f"amplitude_deg offset_deg envelope {WAVE}",
    Sidewinding: f"yaw_amplitude_deg pitch_amplitude_deg pitch_lead_deg yaw_offset_deg {WAVE}",
    VerticalWave: f"amplitude_deg yaw_offset_deg {WAVE}",
    Rolling: "amplitude_deg angular_frequency_deg taper phase_deg soft_start release_deg prescribed",
    SinusLifting: f"yaw_amplitude_deg pitch_amplitude_deg yaw_offset_deg {WAVE}",
    CompoundSerpenoid: "yaw_amplitude_deg pitch_amplitude_deg pitch_angular_frequency_deg pitch_phase_shift_deg "
    f"pitch_phase_deg yaw_offset_deg pitch_offset_deg yaw_envelope pitch_envelope {WAVE}",
    ConicalSidewinding: f"yaw_amplitude_deg pitch_amplitude_deg pitch_lead_deg yaw_offset_deg taper {WAVE}",
    TurningSidewinding: f"yaw_amplitude_deg pitch_amplitude_deg pitch_lead_deg yaw_offset_deg radius {WAVE}",
    LiftedSlithering: f"amplitude_deg lift_deg lifted end offset_deg {WAVE}",
    HelicalRolling: f"helix_radius helix_rise {ROLLS}",
    PipeCrawling: f"pipe_radius helix_rise side squeeze clearance {ROLLS}",
    PatternGenerator: f"{PATTERN} phase_deg changes gain coupling rate prescribed",
    PatternChange: f"time {PATTERN}",
    Sampled: "gait rate hold delay",
    ConstantTorque: "torque rate",
    RaySteering: "gait gain largest_deg smoothing rate",
    LeaderFollower: "head_angle_deg swing head_point speed rate",
    HybridController: "follower jam_angle_deg jam_time resolution_time gain clock",
    ContinuousResolution: "amplitude_deg phase_shift_deg speed gain reflex_limit_deg head_share heading_gain "
    "head_angle_deg swing longest_travel rate",
    ShapeCurveFollower: "motion steering rolling look_ahead rate prescribed",
    AlongCurve: f"segment speed phase lead curve origin {ROLL}",
    OnCurve: f"points curve head {ROLL}",
    OnMovingPoints: f"moving speed period {ROLL}",
    AlongMovingCurve: f"segment speed phase curve origin {ROLL}",
    MovingPoints: "points head curve pace",
    SegmentBlend: "first second begin duration",
    TurnSchedule: "until rates_deg axis",
    HeadingController: "direction_deg gain response delay drift_time fastest_deg axis",
    CombinedSteering: "steerings",
    Peg: f"x y radius height {SURFACE}",
    Wall: f"start end thickness {SURFACE}",
    Polygon: f"vertices holes {SURFACE}",
    Box: f"center size yaw_deg pitch_deg roll_deg {SURFACE}",
    Ramp: f"foot heading_deg length rise width landing {SURFACE}",
    Pipe: f"start end radius thickness {SURFACE}",
    Stairs: f"foot heading_deg steps rise run width landing {SURFACE}",
    friction.Frictionless: "",
    friction.Isotropic: "coefficient",
    friction.Elliptic: "along across flow",
    friction.Skin: "forward backward across flow",
    friction.Rectangular: "along across",
    friction.Viscous: "along across",
    Ground: "friction spin gravity regions rolling restitution slope_deg slope_direction_deg heights",
    Region: "vertices friction",
    HeightField: "heights spacing origin",
    Motor: "stiffness damping torque_limit speed_limit_deg backlash_deg lower_deg upper_deg",
    Support: "offset share",
    PlanarLink: "length mass inertia radius side_length mass_offset supports wheels contact_force",
    SpatialLink: "length mass inertia radius side_length mass_offset shape corner_radius wheels",
    Wheels: "offset axle_angle_deg rolling_resistance side_limit track radius clearance",
    Cardan: "yaw pitch axis_distance first",
    Yaw: "motor",
    Pitch: "motor",
    Start: "link_angles_deg joint_angles_deg heading_deg link link_angle_deg position velocity spin_deg "
    "joint_rates_deg",
    SpatialStart: "joint_angles_deg heading_deg orientation link link_orientation yaw_pitch_roll_deg position "
    "velocity angular_velocity_deg "
    "joint_rates_deg",
    Sensors: "joint_angle joint_rate joint_torque contact_normal_force imu_angular_rate imu_acceleration imu_heading "
    "imu_tilt center_of_mass range rays ray_range imu_link max_range seed stream",
    Channel: "gain noise bias quantum rate delay",
    RangeSensor: "link position azimuth_deg elevation_deg reach",
    Settings: "dt solver tolerance max_iterations precision device on_failure",
    Record: "rate variables also",
}
SEGMENTS = {
    "sidewinding": "length width height n_points",
    "vertical-wave": "length height n_points",
    "stairs-down": "rise run half_height chamfer nose_chamfer",
    "stairs-up": "rise run half_height chamfer nose_chamfer",
    "helix": "radius pitch axis handed n_points",
}


@pytest.mark.parametrize("kind", KEYS)
def test_sections_have_the_keys_that_files_use(kind: type) -> None:
    assert {entry.key for entry in entries_of(kind).values()} == set(KEYS[kind].split())


def test_channels_of_angles_are_in_degrees() -> None:
    keys = {entry.key for entry in entries_of(Channel, "rad/s").values()}
    assert keys == {"gain", "noise_deg", "bias_deg", "quantum_deg", "rate", "delay"}


def test_what_makes_a_law_vary() -> None:
    assert set(VARYING) == {"stick_ratio", "stribeck_speed", "around"}


@pytest.mark.parametrize("name", SEGMENTS)
def test_ready_made_segments_have_the_keys_that_files_use(name: str) -> None:
    assert set(keys_of(READY_MADE[name])) == set(SEGMENTS[name].split())
    assert set(READY_MADE) == set(SEGMENTS)


@pytest.mark.parametrize("kind", KEYS)
def test_every_key_is_described_with_the_unit_that_the_file_has(kind: type) -> None:
    for entry in entries_of(kind).values():
        assert entry.doc, f"{kind.__name__}.{entry.name} has no description"
        assert "[rad]" not in entry.doc and "[rad/s]" not in entry.doc
        if entry.angular:
            assert f"[{entry.unit.replace('rad', 'deg')}" in entry.doc or entry.unit.replace("rad", "deg") in entry.doc


@pytest.mark.parametrize("kind", KEYS)
def test_the_unit_of_a_field_is_that_of_its_description(kind: type) -> None:
    for name, hint in declared(kind).items():
        entry, told = entries_of(kind)[name], re.findall(r"\[([^\]]*)\]", docs_of(kind)[name])
        if entry.unit and told and entry.unit != "the quantity's unit":
            assert entry.unit in [unit.replace(" / ", "/") for unit in told], (kind.__name__, name, hint)


@pytest.mark.parametrize("kind", KEYS)
def test_defaults_are_those_of_the_class(kind: type) -> None:
    for field in dataclasses.fields(kind):
        default = entries_of(kind)[field.name].default
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            assert default is REQUIRED
        elif isinstance(default, float) and not math.isnan(default):
            assert default == field.default

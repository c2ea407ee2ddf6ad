"""The shape of a scenario document: its sections, their keys and the types of their values.

What a value may be is decided by the dataclasses that the sections become; here stand types and descriptions, which
editors show through `document_schema`. A key ending in `_deg` holds degrees of the field without the ending.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from pushpoint.dynamics.settings import ON_FAILURE, PRECISIONS, SOLVERS
from pushpoint.scenarios.document_ground import GroundSection
from pushpoint.scenarios.document_obstacles import ObstacleValue
from pushpoint.scenarios.document_robot import RobotValue
from pushpoint.scenarios.document_section import Pair, Section
from pushpoint.scenarios.document_sensors import SensorsSection


class LateralUndulationSection(Section):
    """A serpenoid wave that runs along the body."""

    kind: Literal["lateral-undulation"]
    amplitude_deg: float
    """Amplitude of the joint angles [deg]."""
    angular_frequency_deg: float
    """Angular frequency [deg/s]."""
    phase_shift_deg: float
    """Phase from joint to joint, counted from the head [deg]; < 0 sends the wave from head to tail."""
    offset_deg: float = 0.0
    """Mean joint angle [deg]; > 0 turns left."""
    phase_deg: float = 0.0
    """Phase of the joint next to the head at time zero [deg]."""
    envelope: list[float] | None = None
    """Multipliers of the amplitude, two or more, spread evenly from tail to head [-]; default: 1."""
    soft_start: float = 0.0
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""


class SampledSection(Section):
    """A gait sent at a finite rate and late, as to a real robot."""

    kind: Literal["sampled"]
    gait: LateralUndulationSection
    """The gait that is sent."""
    rate: float
    """References per second [Hz]."""
    hold: bool = False
    """Whether the motors hold each reference until the next; otherwise they follow a cubic between them."""
    delay: float = 0.0
    """Time for which the first reference is held before the gait begins [s]."""


class ConstantTorqueSection(Section):
    """The same torques all the time."""

    kind: Literal["constant-torque"]
    torque: list[float]
    """Torques, tail to head [N m]; > 0 pushes the front link to its left."""
    rate: float = 100.0
    """Commands per second [Hz]."""


CUSTOM = "custom"


class CustomGait(BaseModel):
    """A controller written in Python: results name it, but a file cannot hold it."""

    kind: Literal["custom"]
    name: str = ""
    """What the controller is called in Python."""


class StartSection(Section):
    """Posture, place and velocity at time zero."""

    link_angles_deg: list[float] | None = None
    """Angles of all links, tail to head [deg]; with these, joint_angles_deg and heading_deg are not used."""
    joint_angles_deg: list[float] | None = None
    """Joint angles, tail to head [deg]; default: what the gait asks for at time zero."""
    heading_deg: float = 0.0
    """Mean link angle, weighted by length [deg]."""
    link: int | None = None
    """The link, counted from the tail = 0, that `position` places; default: the robot's centre of mass."""
    position: Pair = Field(default=[0.0, 0.0])
    """Where that point is [m]."""
    velocity: Pair = Field(default=[0.0, 0.0])
    """Velocity of the robot's centre of mass [m/s]."""
    spin_deg: float = 0.0
    """Angular velocity of all links [deg/s]."""
    joint_rates_deg: list[float] | None = None
    """Joint rates, tail to head [deg/s]; default: at rest."""


class SettingsSection(Section):
    """Numerical choices."""

    dt: float = 1e-3
    """Time step [s]."""
    solver: Annotated[str, Field(json_schema_extra={"enum": list(SOLVERS)})] = "newton"
    """Semi-smooth Newton, or the papers' fixed point for reference."""
    tolerance: float = 1e-3
    """Largest violation of a law, as a velocity, over what gravity gives in one step [-]."""
    max_iterations: int | None = None
    """Iterations per step before it counts as unconverged [-]; default: 60 (newton) or 20000 (prox)."""
    precision: Annotated[str, Field(json_schema_extra={"enum": list(PRECISIONS)})] = "float64"
    """Floating-point numbers of the engine."""
    device: str = "cpu"
    """Where to compute: cpu or cuda:0."""
    on_failure: Annotated[str, Field(json_schema_extra={"enum": list(ON_FAILURE)})] = "raise"
    """What to do when a world ends early: raise an error, or record it as its status."""


class RecordSection(Section):
    """What is kept of a run."""

    rate: float = 100.0
    """Samples per second [Hz]."""
    variables: list[str] | None = None
    """Names of the variables to keep; default: all."""


class ScenarioSection(Section):
    """A pushpoint scenario: a robot, a course, a gait and a start."""

    name: str
    """Short name: letters, digits and . _ - /"""
    title: str = ""
    """One line that says what happens."""
    source: str = ""
    """Where the experiment comes from."""
    robot: RobotValue
    """The robot: a name from the catalogue, or one's own."""
    ground: GroundSection = GroundSection()
    """What carries the robot."""
    obstacles: list[ObstacleValue] = Field(default=[])
    """What it pushes against."""
    gait: Annotated[
        LateralUndulationSection | SampledSection | ConstantTorqueSection | CustomGait, Field(discriminator="kind")
    ]
    """What the joints are told to do."""
    start: StartSection = StartSection()
    """Where and how the robot starts."""
    sensors: SensorsSection = SensorsSection()
    """What the controller is told."""
    duration: float
    """Simulated time [s]."""
    settings: SettingsSection = SettingsSection()
    """Numerical choices."""
    record: RecordSection = RecordSection()
    """What is kept of the run."""


def document_schema() -> dict[str, Any]:
    """The JSON schema of a scenario document, for editors."""
    schema = ScenarioSection.model_json_schema()
    # A file without a name is called by its own.
    schema["required"].remove("name")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "pushpoint scenario"}

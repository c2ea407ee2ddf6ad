"""The shape of a scenario document: its sections, their keys and the types of their values.

What a value may be is decided by the dataclasses that the sections become; here stand types and descriptions, which
editors show through `document_schema`. A key ending in `_deg` holds degrees of the field without the ending.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from pushpoint.dynamics.settings import ON_FAILURE, PRECISIONS, SOLVERS
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.friction import FLOW_RULES

Flow = Annotated[str, Field(json_schema_extra={"enum": list(FLOW_RULES)})]
Pair = Annotated[list[float], Field(json_schema_extra={"minItems": 2, "maxItems": 2})]


class Section(BaseModel):
    """A mapping of the document; refuses unknown keys by naming the known ones."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)

    expected: ClassVar[str] = "a mapping of keys and values"

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            raise PydanticCustomError("not_a_section", "{expected}", {"expected": cls.expected})
        for key in data:
            if key not in cls.model_fields:
                raise PydanticCustomError("unknown_key", "{key}", {"key": key, "known": list(cls.model_fields)})
        return data


class SupportSection(Section):
    """A point of a link where the ground rubs on it."""

    offset: float
    """Position along the link, from the middle toward the head [m]."""
    share: float = 1.0
    """Share of the link's weight carried here [-]; the shares of a link sum to 1."""


class LinkSection(Section):
    """A rigid link, its surface a capsule."""

    length: float
    """Distance from the rear joint axis to the front joint axis [m]."""
    mass: float
    """Mass [kg]."""
    inertia: float
    """Moment of inertia about the centre of mass [kg m^2]."""
    radius: float
    """Radius of the capsule [m]."""
    side_length: float | None = None
    """Length of the capsule's straight side [m]; default: the link's length."""
    mass_offset: float = 0.0
    """Position of the centre of mass, from the middle toward the head [m]."""
    supports: list[SupportSection] | None = None
    """Where the ground rubs on the link; default: one point at the centre of mass."""


class MotorSection(Section):
    """A compliant PD servo."""

    stiffness: float = 0.0
    """Torque per error of the joint angle [N m/rad]."""
    damping: float = 0.0
    """Torque per error of the joint rate [N m s/rad]."""
    torque_limit: float | None = None
    """Largest torque, either way [N m]; default: unlimited."""


class UniformRobot(Section):
    """A robot of equal links and motors."""

    expected: ClassVar[str] = "a robot's name, or a mapping with n_links, link and motor, or with links and motors"

    n_links: int
    """Number of links, 2 to 500."""
    link: LinkSection
    """Every link."""
    motor: MotorSection = MotorSection()
    """Every motor."""
    name: str = "robot"
    """What results call it."""
    source: str = ""
    """Where the figures come from."""


def _one_or_many(value: Any) -> str:
    return "many" if isinstance(value, list) else "one"


class ListedRobot(Section):
    """A robot whose links differ."""

    links: list[LinkSection]
    """The links, from tail to head."""
    motors: Annotated[
        Annotated[MotorSection, Tag("one")] | Annotated[list[MotorSection], Tag("many")], Discriminator(_one_or_many)
    ] = MotorSection()
    """One motor per joint, from tail to head, or one for all."""
    name: str = "robot"
    """What results call it."""
    source: str = ""
    """Where the figures come from."""


def _robot_kind(value: Any) -> str:
    if isinstance(value, str):
        return "catalogue"
    return "listed" if isinstance(value, dict) and "links" in value else "uniform"


CatalogueRobot = Annotated[str, Field(json_schema_extra={"enum": sorted(ROBOTS)})]
RobotValue = Annotated[
    Annotated[CatalogueRobot, Tag("catalogue")]
    | Annotated[UniformRobot, Tag("uniform")]
    | Annotated[ListedRobot, Tag("listed")],
    Discriminator(_robot_kind),
]


class FrictionlessLaw(Section):
    """No force along the ground."""

    law: Literal["frictionless"]


class IsotropicLaw(Section):
    """Coulomb friction in a disc."""

    law: Literal["isotropic"]
    coefficient: float
    """Friction coefficient, every direction [-]."""


class EllipticLaw(Section):
    """Coulomb friction in an ellipse."""

    law: Literal["elliptic"]
    along: float
    """Friction coefficient along the link [-]."""
    across: float
    """Friction coefficient across the link [-]."""
    flow: Flow = "associated"
    """Flow rule."""


class SkinLaw(Section):
    """Scales: forward, backward and sideways differ."""

    law: Literal["skin"]
    forward: float
    """Friction coefficient while sliding forward [-]."""
    backward: float
    """Friction coefficient while sliding backward [-]."""
    across: float
    """Friction coefficient across the link [-]."""
    flow: Flow = "associated"
    """Flow rule."""


class RectangularLaw(Section):
    """Two independent sign functions."""

    law: Literal["rectangular"]
    along: float
    """Friction coefficient along the link [-]."""
    across: float
    """Friction coefficient across the link [-]."""


class ViscousLaw(Section):
    """Force proportional to velocity."""

    law: Literal["viscous"]
    along: float
    """Force per speed along the link [N s/m]."""
    across: float
    """Force per speed across the link [N s/m]."""


FrictionValue = Annotated[
    FrictionlessLaw | IsotropicLaw | EllipticLaw | SkinLaw | RectangularLaw | ViscousLaw, Field(discriminator="law")
]


class GroundSection(Section):
    """Flat ground."""

    friction: Annotated[
        Annotated[FrictionValue, Tag("one")] | Annotated[list[FrictionValue], Tag("many")], Discriminator(_one_or_many)
    ] = FrictionlessLaw(law="frictionless")
    """One law for all links, or one per link from tail to head."""
    spin: float = 0.0
    """Friction against turning on the spot: largest torque per normal force [m]."""
    gravity: float = 9.81
    """Acceleration that presses the links on the ground [m/s^2]."""


class PegSection(Section):
    """A round, fixed obstacle."""

    x: float
    """Centre, x [m]."""
    y: float
    """Centre, y [m]."""
    radius: float
    """Radius [m]."""
    friction: float = 0.0
    """Coulomb coefficient between peg and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""


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
    position: Pair = [0.0, 0.0]
    """Where that point is [m]."""
    velocity: Pair = [0.0, 0.0]
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
    obstacles: list[PegSection] = []
    """What it pushes against."""
    gait: Annotated[LateralUndulationSection | ConstantTorqueSection | CustomGait, Field(discriminator="kind")]
    """What the joints are told to do."""
    start: StartSection = StartSection()
    """Where and how the robot starts."""
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

"""The shape of a scenario document: its sections, their keys and the types of their values.

What a value may be is decided by the dataclasses that the sections become; here stand types and descriptions, which
editors show through `document_schema`. A key ending in `_deg` holds degrees of the field without the ending.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from pushpoint.description.document_gaits import (
    LateralUndulationSection,
    RollingSection,
    SampledSection,
    SidewindingSection,
    SinusLiftingSection,
    VerticalWaveSection,
)
from pushpoint.description.document_ground import GroundSection
from pushpoint.description.document_obstacles import ObstacleValue
from pushpoint.description.document_robot import RobotValue, is_spatial
from pushpoint.description.document_section import Section
from pushpoint.description.document_sensors import SensorsSection
from pushpoint.description.document_shape import ShapeCurveSection
from pushpoint.description.document_start import SpatialStartSection, StartSection
from pushpoint.description.document_touch import ContinuousResolutionSection, HybridSection, LeaderFollowerSection
from pushpoint.engine.settings import ON_FAILURE, PRECISIONS, SOLVERS


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
        LateralUndulationSection
        | SidewindingSection
        | VerticalWaveSection
        | RollingSection
        | SinusLiftingSection
        | SampledSection
        | ShapeCurveSection
        | ConstantTorqueSection
        | LeaderFollowerSection
        | HybridSection
        | ContinuousResolutionSection
        | CustomGait,
        Field(discriminator="kind"),
    ]
    """What the joints are told to do."""
    start: StartSection | SpatialStartSection = StartSection()
    """Where and how the robot starts: that of a planar robot or that of a spatial one."""
    sensors: SensorsSection = SensorsSection()
    """What the controller is told."""
    duration: float
    """Simulated time [s]."""
    settings: SettingsSection = SettingsSection()
    """Numerical choices."""
    record: RecordSection = RecordSection()
    """What is kept of the run."""


class PlanarScenario(ScenarioSection):
    """A scenario with a planar robot."""

    start: StartSection = StartSection()


class SpatialScenario(ScenarioSection):
    """A scenario with a spatial robot."""

    start: SpatialStartSection = SpatialStartSection()


def shape_of(document: Any) -> type[ScenarioSection]:
    """The shape that a document must have, which depends on its robot."""
    return SpatialScenario if isinstance(document, dict) and is_spatial(document.get("robot")) else PlanarScenario


def document_schema() -> dict[str, Any]:
    """The JSON schema of a scenario document, for editors."""
    schema = ScenarioSection.model_json_schema()
    # A file without a name is called by its own.
    schema["required"].remove("name")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "pushpoint scenario"}

"""pushpoint simulates, plans and controls snake robots that push against the world.

Units are SI and angles are radians. Link 0 is the tail, the last link the head. A published experiment, and one of your
own:

    import pushpoint as pp

    run = pp.scenario("transeth2008a/obstacle-aided").run()
    course = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2)), obstacles=[pp.Peg(x=0.5, y=0.2, radius=0.1)])
    gait = pp.gaits.LateralUndulation(amplitude=0.7, angular_frequency=1.4, phase_shift=-0.87)
    run = pp.simulate(pp.World(pp.catalogue.aiko_planar(), course, gait), 10.0)  # an xarray.Dataset
    print(pp.measures.mean_velocity(run))

Importing pushpoint is fast: each name below loads its module on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

_NAMES = {
    "engine.controller": ("Controller", "Gait", "per_world"),
    "engine.planar.start": ("Start",),
    "engine.settings": ("Settings", "Status"),
    "engine.signals": ("Command", "Measurement"),
    "engine.spatial.start": ("SpatialStart",),
    "engine.state": ("SpatialState", "State"),
    "films.film": ("film", "still"),
    "interchange.exporting": ("export",),
    "interchange.robots.reading": ("read_robot",),
    "model.environment": ("Environment", "Ground", "Peg", "Polygon", "Region", "Wall"),
    "model.friction": (
        "Elliptic",
        "FrictionLaw",
        "Frictionless",
        "Isotropic",
        "Rectangular",
        "Skin",
        "Varying",
        "Viscous",
    ),
    "model.joints": ("Axis", "Cardan", "Hinge", "Joint", "Pitch", "Yaw"),
    "model.kinds": ("register",),
    "model.motor": ("Motor",),
    "model.obstacle": ("Hull", "Obstacle", "Solid"),
    "model.planar_robot": ("PlanarLink", "PlanarRobot", "Support"),
    "model.sensors": ("Channel", "RangeSensor", "Sensors"),
    "model.spatial_robot": ("SpatialLink", "SpatialRobot"),
    "model.terrain": ("Box", "HeightField", "Pipe", "Ramp", "Stairs"),
    "model.wheels": ("Wheels",),
    "papers.registry": ("scenario",),
    "replays.replay": ("replay",),
    "scenarios.files": ("write_scenario",),
    "scenarios.scenario": ("Scenario", "Variation", "scenario_of"),
    "simulation.estimate": ("Estimate", "estimate"),
    "simulation.health": ("Health", "health_of", "warnings_of"),
    "simulation.joining": ("concat",),
    "simulation.live.live": ("Live", "Moment"),
    "simulation.live.look": ("Look",),
    "simulation.provenance": ("world_of",),
    "simulation.recordings": ("compare_recording",),
    "simulation.simulate": ("simulate",),
    "simulation.stepping.controllers": ("Controllers",),
    "simulation.stepping.on_device": ("DeviceSimulator",),
    "simulation.stepping.simulator": ("Simulator",),
    "simulation.storage": ("load", "save"),
    "studio.showing": ("show",),
    "worlds.goals": ("Goal",),
    "worlds.record": ("Record",),
    "worlds.world": ("World",),
}
_MODULES = {
    "catalogue": "model.catalogue",
    "contact_problems": "contact_problems",
    "control": "control",
    "courses": "model.courses",
    "edits": "worlds.edits",
    "envs": "envs",
    "errors": "errors",
    "event_driven": "event_driven",
    "gaits": "gaits",
    "goals": "worlds.goals",
    "inertia": "model.inertia",
    "interchange": "interchange",
    "mapping": "mapping",
    "measures": "simulation.measures",
    "papers": "papers",
    "planning": "planning",
    "plots": "plots",
    "quantities": "model.quantities",
    "reduced": "reduced",
    "studies": "studies",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted([*_HOME, *_MODULES, "__version__"])

if TYPE_CHECKING:
    from pushpoint import (
        contact_problems as contact_problems,
        control as control,
        envs as envs,
        errors as errors,
        event_driven as event_driven,
        gaits as gaits,
        interchange as interchange,
        mapping as mapping,
        papers as papers,
        planning as planning,
        plots as plots,
        reduced as reduced,
        studies as studies,
    )
    from pushpoint.engine.controller import Controller as Controller, Gait as Gait, per_world as per_world
    from pushpoint.engine.planar.start import Start as Start
    from pushpoint.engine.settings import Settings as Settings, Status as Status
    from pushpoint.engine.signals import Command as Command, Measurement as Measurement
    from pushpoint.engine.spatial.start import SpatialStart as SpatialStart
    from pushpoint.engine.state import SpatialState as SpatialState, State as State
    from pushpoint.films.film import film as film, still as still
    from pushpoint.interchange.exporting import export as export
    from pushpoint.interchange.robots.reading import read_robot as read_robot
    from pushpoint.model import (
        catalogue as catalogue,
        courses as courses,
        inertia as inertia,
        quantities as quantities,
    )
    from pushpoint.model.environment import (
        Environment as Environment,
        Ground as Ground,
        Peg as Peg,
        Polygon as Polygon,
        Region as Region,
        Wall as Wall,
    )
    from pushpoint.model.friction import (
        Elliptic as Elliptic,
        FrictionLaw as FrictionLaw,
        Frictionless as Frictionless,
        Isotropic as Isotropic,
        Rectangular as Rectangular,
        Skin as Skin,
        Varying as Varying,
        Viscous as Viscous,
    )
    from pushpoint.model.joints import (
        Axis as Axis,
        Cardan as Cardan,
        Hinge as Hinge,
        Joint as Joint,
        Pitch as Pitch,
        Yaw as Yaw,
    )
    from pushpoint.model.kinds import register as register
    from pushpoint.model.motor import Motor as Motor
    from pushpoint.model.obstacle import Hull as Hull, Obstacle as Obstacle, Solid as Solid
    from pushpoint.model.planar_robot import PlanarLink as PlanarLink, PlanarRobot as PlanarRobot, Support as Support
    from pushpoint.model.sensors import Channel as Channel, RangeSensor as RangeSensor, Sensors as Sensors
    from pushpoint.model.spatial_robot import SpatialLink as SpatialLink, SpatialRobot as SpatialRobot
    from pushpoint.model.terrain import (
        Box as Box,
        HeightField as HeightField,
        Pipe as Pipe,
        Ramp as Ramp,
        Stairs as Stairs,
    )
    from pushpoint.model.wheels import Wheels as Wheels
    from pushpoint.papers.registry import scenario as scenario
    from pushpoint.replays.replay import replay as replay
    from pushpoint.scenarios.files import write_scenario as write_scenario
    from pushpoint.scenarios.scenario import Scenario as Scenario, Variation as Variation, scenario_of as scenario_of
    from pushpoint.simulation import measures as measures
    from pushpoint.simulation.estimate import Estimate as Estimate, estimate as estimate
    from pushpoint.simulation.health import Health as Health, health_of as health_of, warnings_of as warnings_of
    from pushpoint.simulation.joining import concat as concat
    from pushpoint.simulation.live.live import Live as Live, Moment as Moment
    from pushpoint.simulation.live.look import Look as Look
    from pushpoint.simulation.provenance import world_of as world_of
    from pushpoint.simulation.recordings import compare_recording as compare_recording
    from pushpoint.simulation.simulate import simulate as simulate
    from pushpoint.simulation.stepping.controllers import Controllers as Controllers
    from pushpoint.simulation.stepping.on_device import DeviceSimulator as DeviceSimulator
    from pushpoint.simulation.stepping.simulator import Simulator as Simulator
    from pushpoint.simulation.storage import load as load, save as save
    from pushpoint.studio.showing import show as show
    from pushpoint.worlds import edits as edits, goals as goals
    from pushpoint.worlds.goals import Goal as Goal
    from pushpoint.worlds.record import Record as Record
    from pushpoint.worlds.world import World as World

    __version__: str

else:
    # Hidden from the type checker, which would otherwise accept any misspelt name.

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _HOME:
            value = getattr(import_module(f"pushpoint.{_HOME[name]}"), name)
        elif name in _MODULES:
            value = import_module(f"pushpoint.{_MODULES[name]}")
        elif name == "__version__":
            value = _installed_version()
        else:
            raise AttributeError(f"module 'pushpoint' has no attribute '{name}'")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__]


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pushpoint")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+source"

"""Documents of every kind become scenarios and come back: no loss, the same text the second time."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

from hypothesis import given, settings, strategies as st

from pushpoint.scenarios.files import document_of, scenario_from

numbers = st.floats(-1e3, 1e3)
angles = st.floats(-360, 360)
positives = st.floats(1e-3, 1e3)
coefficients = st.floats(0, 10)
flows = st.sampled_from(["associated", "directional"])
links = st.fixed_dictionaries(
    {"length": positives, "mass": positives, "inertia": positives, "radius": positives},
    optional={
        "side_length": positives,
        "mass_offset": numbers,
        "supports": st.just([{"offset": 0.1, "share": 0.25}, {"offset": -0.1, "share": 0.75}]),
    },
)
motors = st.fixed_dictionaries(
    {},
    optional={
        "stiffness": coefficients,
        "damping": coefficients,
        "torque_limit": coefficients | st.none(),
        "backlash_deg": st.floats(0, 10) | st.none(),
        "lower_deg": st.floats(-180, -6) | st.none(),
        "upper_deg": st.floats(6, 180) | st.none(),
    },
) | st.fixed_dictionaries({"torque_limit": coefficients, "speed_limit_deg": positives | st.none()})
laws = st.one_of(
    st.just({"law": "frictionless"}),
    st.fixed_dictionaries({"law": st.just("isotropic"), "coefficient": coefficients}),
    st.fixed_dictionaries({"law": st.just("elliptic"), "along": coefficients, "across": coefficients, "flow": flows}),
    st.fixed_dictionaries(
        {"law": st.just("skin"), "forward": coefficients, "backward": coefficients, "across": coefficients}
    ),
    st.fixed_dictionaries(
        {"law": st.sampled_from(["rectangular", "viscous"]), "along": coefficients, "across": coefficients}
    ),
)
points = st.tuples(numbers, numbers).map(list)


def regular(corners: int, radius: float, center: list[float], clockwise: bool) -> list[list[float]]:
    """A convex outline."""
    turns = [2 * math.pi * k / corners for k in range(corners)]
    outline = [[center[0] + radius * math.cos(turn), center[1] + radius * math.sin(turn)] for turn in turns]
    return outline[::-1] if clockwise else outline


outlines = st.builds(regular, st.integers(3, 12), st.floats(0.1, 100), points, st.booleans())
hollow = st.just([[0, 0], [2, 0], [0.5, 0.5], [0, 2]])
sides = st.lists(numbers, min_size=2, max_size=2, unique=True).map(sorted).filter(lambda side: side[1] - side[0] > 1e-6)
regions = st.fixed_dictionaries({"vertices": outlines | hollow, "friction": laws}) | st.fixed_dictionaries(
    {"x": sides, "y": sides, "friction": laws}
)
surface = {"friction": coefficients, "restitution": st.floats(0, 1)}
walls = st.fixed_dictionaries(
    {"kind": st.just("wall"), "start": points, "end": points}, optional={"thickness": positives, **surface}
).filter(lambda wall: wall["start"] != wall["end"])
obstacles = st.one_of(
    st.fixed_dictionaries(
        {"x": numbers, "y": numbers, "radius": positives}, optional={"kind": st.just("peg"), **surface}
    ),
    walls,
    st.fixed_dictionaries({"kind": st.just("polygon"), "vertices": outlines}, optional=surface),
)
waves = st.fixed_dictionaries(
    {
        "kind": st.just("lateral-undulation"),
        "amplitude_deg": angles,
        "angular_frequency_deg": numbers,
        "phase_shift_deg": angles,
    },
    optional={
        "offset_deg": angles,
        "phase_deg": numbers,
        "envelope": st.just([1.0, 0.5]),
        "prescribed": st.booleans(),
    },
)
gaits = st.one_of(
    waves,
    st.fixed_dictionaries(
        {"kind": st.just("sampled"), "gait": waves, "rate": positives}, optional={"hold": st.booleans()}
    ),
    st.fixed_dictionaries({"kind": st.just("constant-torque"), "torque": st.lists(numbers, min_size=2, max_size=2)}),
    st.fixed_dictionaries({"kind": st.just("leader-follower")}, optional={"speed": positives}),
    st.fixed_dictionaries(
        {"kind": st.just("hybrid")},
        optional={"gain": positives, "follower": st.fixed_dictionaries({}, optional={"swing": positives})},
    ),
    st.fixed_dictionaries(
        {"kind": st.just("continuous-resolution")}, optional={"amplitude_deg": st.floats(0, 360), "gain": numbers}
    ),
)
three = st.lists(numbers, min_size=3, max_size=3)
starts = st.fixed_dictionaries(
    {},
    optional={
        "link_angles_deg": three | st.none(),
        "heading_deg": angles,
        "link": st.integers(0, 2),
        "position": points,
        "spin_deg": numbers,
        "joint_rates_deg": points,
    },
)
channels = st.fixed_dictionaries({}, optional={"noise": coefficients, "rate": positives | st.none()})
angular_channels = st.fixed_dictionaries({}, optional={"noise_deg": coefficients, "delay": coefficients})
sensors = st.fixed_dictionaries(
    {},
    optional={
        "joint_angle": angular_channels,
        "imu_heading": angular_channels,
        "joint_torque": channels,
        "range": channels | st.none(),
        "imu_link": st.integers(0, 2),
        "seed": st.integers(0, 2**64 - 1),
    },
)
robots = st.one_of(
    st.just("aiko-planar"),
    st.fixed_dictionaries({"n_links": st.just(3), "link": links}, optional={"motor": motors}),
    st.fixed_dictionaries(
        {"links": st.lists(links, min_size=3, max_size=3)},
        optional={"motors": motors | st.lists(motors, min_size=2, max_size=2), "name": st.just("mine")},
    ),
)


def fitting(document: dict[str, Any]) -> dict[str, Any]:
    """The document with as many torques as its robot has joints."""
    controller = document["controller"]
    if controller["kind"] != "constant-torque" or document["robot"] != "aiko-planar":
        return document
    return document | {"controller": controller | {"torque": 5 * controller["torque"]}}


documents = st.fixed_dictionaries(
    {"name": st.just("any"), "robot": robots, "controller": gaits, "duration": positives},
    optional={
        "title": st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cn", "Zl", "Zp"]), max_size=60),
        "ground": st.fixed_dictionaries(
            {},
            optional={
                "friction": laws,
                "spin": coefficients,
                "gravity": coefficients,
                "regions": st.lists(regions, max_size=2),
            },
        ),
        "obstacles": st.lists(obstacles, max_size=3),
        "start": starts,
        "sensors": sensors,
        "settings": st.fixed_dictionaries(
            {}, optional={"dt": positives, "solver": st.sampled_from(["newton", "prox"])}
        ),
        "record": st.fixed_dictionaries({}, optional={"rate": positives, "variables": st.just(["link_angle"])}),
    },
).map(fitting)


inertias = st.tuples(positives, positives, positives).map(lambda d: [d[1] + d[2], d[0] + d[2], d[0] + d[1]])
body = {"length": st.floats(0.1, 1e3), "mass": positives, "inertia": inertias, "radius": st.floats(0.1, 1e3)}
round_links = st.fixed_dictionaries(
    body, optional={"side_length": positives | st.none(), "mass_offset": numbers, "shape": st.just("round")}
)
square_links = st.fixed_dictionaries(
    {**body, "shape": st.just("square")}, optional={"corner_radius": st.floats(1e-3, 0.1) | st.none()}
)
spatial_links = round_links | square_links
joints = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.just("cardan")}, optional={"yaw": motors, "pitch": motors, "axis_distance": st.floats(0, 0.09)}
    ),
    st.fixed_dictionaries({"kind": st.sampled_from(["yaw", "pitch"])}, optional={"motor": motors}),
)
touching = {"self_contact": st.booleans(), "self_friction": coefficients}
spatial_robots = st.one_of(
    st.just("aiko"),
    st.fixed_dictionaries(
        {"n_links": st.integers(1, 6), "link": spatial_links},
        optional={"joints": joints | st.lists(joints, min_size=1, max_size=4), **touching},
    ),
    st.fixed_dictionaries(
        {"links": st.lists(spatial_links, min_size=3, max_size=3)},
        optional={"joints": joints | st.lists(joints, min_size=2, max_size=2), "name": st.just("mine"), **touching},
    ),
)
varying = {
    "stick_ratio": coefficients | st.none(),
    "stribeck_speed": positives | st.none(),
    "around": st.lists(coefficients, min_size=1, max_size=4) | st.none(),
}
spatial_laws = st.builds(lambda law, keys: law | keys, laws, st.fixed_dictionaries({}, optional=varying))
spatial_grounds = st.fixed_dictionaries(
    {},
    optional={
        "friction": spatial_laws,
        "regions": st.lists(st.fixed_dictionaries({"x": sides, "y": sides, "friction": spatial_laws}), max_size=2),
        "rolling": coefficients,
        "restitution": st.floats(0, 1),
        "slope_deg": st.floats(-60, 60),
        "slope_direction_deg": angles,
    },
)
triples = st.lists(numbers, min_size=3, max_size=3)
spatial_obstacles = st.one_of(
    st.fixed_dictionaries({"x": numbers, "y": numbers, "radius": positives}, optional=surface),
    st.fixed_dictionaries(
        {"kind": st.just("box"), "center": triples, "size": st.lists(positives, min_size=3, max_size=3)},
        optional={"yaw_deg": angles, "pitch_deg": angles, "roll_deg": angles, **surface},
    ),
    st.fixed_dictionaries(
        {"kind": st.just("ramp"), "foot": points, "length": positives, "rise": positives},
        optional={"heading_deg": angles, "width": positives, "landing": positives, **surface},
    ),
    st.fixed_dictionaries({"x": numbers, "y": numbers, "radius": positives}, optional={"height": positives, **surface}),
    st.fixed_dictionaries(
        {"kind": st.just("stairs"), "foot": points, "steps": st.integers(1, 5), "rise": positives, "run": positives},
        optional={"heading_deg": angles, "width": positives, "landing": positives, **surface},
    ),
)
wave = {"angular_frequency_deg": numbers}
shifted = {**wave, "phase_shift_deg": angles}
two = {"yaw_amplitude_deg": angles, "pitch_amplitude_deg": angles}
begun = {"phase_deg": numbers, "soft_start": positives, "prescribed": st.booleans()}
spatial_waves = st.one_of(
    waves,
    st.fixed_dictionaries(
        {"kind": st.just("sidewinding"), **shifted, **two},
        optional={"pitch_lead_deg": angles, "yaw_offset_deg": angles, **begun},
    ),
    st.fixed_dictionaries({"kind": st.just("sidewinding"), **shifted, **two, "release_deg": st.just(360.0)}),
    st.fixed_dictionaries(
        {"kind": st.just("conical-sidewinding"), **shifted, **two}, optional={"taper": st.floats(-1, 1), **begun}
    ),
    st.fixed_dictionaries(
        {"kind": st.just("compound-serpenoid"), **shifted, **two},
        optional={
            "pitch_angular_frequency_deg": numbers,
            "pitch_phase_shift_deg": angles,
            "pitch_phase_deg": numbers,
            "pitch_offset_deg": angles,
            **begun,
        },
    ),
    st.fixed_dictionaries(
        {"kind": st.just("vertical-wave"), "amplitude_deg": angles, **shifted},
        optional={"yaw_offset_deg": angles, **begun},
    ),
    st.fixed_dictionaries(
        {"kind": st.just("rolling"), "amplitude_deg": angles, **wave}, optional={"taper": st.floats(-1, 1), **begun}
    ),
    st.fixed_dictionaries(
        {"kind": st.just("sinus-lifting"), **shifted, **two}, optional={"yaw_offset_deg": angles, **begun}
    ),
)
spatial_gaits = spatial_waves | st.fixed_dictionaries(
    {"kind": st.just("sampled"), "gait": spatial_waves, "rate": positives}
)
spatial_starts = st.fixed_dictionaries(
    {"position": triples},
    optional={
        "heading_deg": angles,
        "link": st.just(0),
        "velocity": triples,
        "angular_velocity_deg": triples,
    },
)
spatial_documents = st.fixed_dictionaries(
    {"name": st.just("any"), "robot": spatial_robots, "controller": spatial_gaits, "duration": positives},
    optional={
        "ground": spatial_grounds,
        "obstacles": st.lists(spatial_obstacles, max_size=3),
        "sensors": st.fixed_dictionaries({}, optional={"imu_tilt": angular_channels}),
    },
)


@settings(max_examples=150, deadline=None)
@given(spatial_documents, spatial_starts)
def test_spatial_document_to_scenario_to_document_is_stable(document: dict[str, Any], start: dict[str, Any]) -> None:
    document = document | {"start": start}
    before = copy.deepcopy(document)
    made = scenario_from(document)
    written = document_of(made)
    assert document == before
    assert scenario_from(written) == made  # degrees included: exactly the same radians
    assert document_of(scenario_from(json.loads(json.dumps(written, allow_nan=False)))) == written


@settings(max_examples=150, deadline=None)
@given(documents)
def test_document_to_scenario_to_document_is_stable(document: dict[str, Any]) -> None:
    if document["robot"] == "aiko-planar":
        document = {key: value for key, value in document.items() if key != "start"}
    before = copy.deepcopy(document)
    made = scenario_from(document)
    written = document_of(made)
    assert document == before
    assert scenario_from(written) == made  # degrees included: exactly the same radians
    assert document_of(scenario_from(json.loads(json.dumps(written, allow_nan=False)))) == written

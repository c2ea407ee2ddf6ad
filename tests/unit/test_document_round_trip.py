"""Documents of every kind become scenarios and come back: no loss, the same text the second time."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

from hypothesis import given, settings, strategies as st

from pushpoint.model import friction
from pushpoint.scenarios.from_document import scenario_of
from pushpoint.scenarios.to_document import document_of

numbers = st.floats(-1e3, 1e3)
positives = st.floats(1e-3, 1e3)
coefficients = st.floats(0, 10)
flows = st.sampled_from(friction.FLOW_RULES)
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
        "amplitude_deg": numbers,
        "angular_frequency_deg": numbers,
        "phase_shift_deg": numbers,
    },
    optional={
        "offset_deg": numbers,
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
)
three = st.lists(numbers, min_size=3, max_size=3)
starts = st.fixed_dictionaries(
    {},
    optional={
        "link_angles_deg": three | st.none(),
        "heading_deg": numbers,
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
documents = st.fixed_dictionaries(
    {"name": st.just("any"), "robot": robots, "gait": gaits, "duration": positives},
    optional={
        "title": st.text(),
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
)


@settings(max_examples=150, deadline=None)
@given(documents)
def test_document_to_scenario_to_document_is_stable(document: dict[str, Any]) -> None:
    if document["robot"] == "aiko-planar":
        document = {key: value for key, value in document.items() if key != "start"}
    before = copy.deepcopy(document)
    made = scenario_of(document)
    written = document_of(made)
    assert document == before
    assert scenario_of(written) == made  # degrees included: exactly the same radians
    assert document_of(scenario_of(json.loads(json.dumps(written, allow_nan=False)))) == written

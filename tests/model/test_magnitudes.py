"""Numbers that the arithmetic cannot carry are refused at birth; nothing that passes finishes without being numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from oracles.course import course
from pushpoint.description.schema import document_schema
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import Bounds, InvalidModel
from pushpoint.model.arrays import MAGNITUDES, OTHERS
from pushpoint.model.checks import above, any_number, at_least, between, number, real

PLANAR, SPATIAL = pp.catalogue.aiko_planar(), pp.catalogue.aiko()
BEYOND: dict[str, tuple[Callable[[float], Any], tuple[float, ...]]] = {
    "mass": (lambda value: replace(PLANAR.links[0], mass=value), (1e-320, 1e308)),
    "spatial mass": (lambda value: replace(SPATIAL.links[0], mass=value), (1e-320, 1e308)),
    "inertia": (lambda value: replace(PLANAR.links[0], inertia=value), (1e-320, 1e308)),
    "length": (lambda value: replace(PLANAR.links[0], length=value), (1e-300, 1e308)),
    "radius": (lambda value: replace(PLANAR.links[0], radius=value), (1e-300, 1e308)),
    "stiffness": (lambda value: pp.Motor(stiffness=value, damping=0.0), (1e308,)),
    "time step": (lambda value: pp.Settings(dt=value), (1e-300, 1e300)),
    "gravity": (lambda value: pp.Ground(friction=pp.Isotropic(0.1), gravity=value), (1e300,)),
    "friction": (lambda value: pp.Isotropic(value), (1e300,)),
    "place": (lambda value: pp.Peg(x=value, y=0.0, radius=0.1), (1e300, -1e300)),
    "frequency": (
        lambda value: pp.gaits.LateralUndulation(amplitude=0.1, angular_frequency=value, phase_shift=0.1),
        (1e300,),
    ),
}


@pytest.mark.parametrize("what", BEYOND)
def test_what_arithmetic_cannot_carry_is_refused(what: str) -> None:
    make, values = BEYOND[what]
    for value in values:
        with pytest.raises(InvalidModel, match=r" = \S+, must be in \[\S+, \S+\] \[[^\]]*\](: [a-z ]+)?$"):
            make(value)


def test_bounds_speak_of_what_is_broken() -> None:
    mass = above(0, "kg")
    for value, said in ((0.0, "finite and > 0"), (-1.0, "finite and > 0"), (1e-320, "in [1e-09, 1000000000]")):
        assert not mass.hold(value) and str(mass.broken_by(value)) == f"{said} [kg]"
    assert all(mass.hold(value) for value in MAGNITUDES["kg"])
    assert at_least(0, "m").hold(1e-300) and at_least(0, "m").hold(0.0)  # next to nothing is as good as nothing
    assert real("m").hold(-1e-17) and not real("m").hold(-1e300)
    assert any_number("rad").hold(np.inf) and not any_number("rad").hold(1e300)
    assert above(0, "1/day").narrowed == Bounds("1/day", *OTHERS, least=OTHERS[0], largest=OTHERS[1])


@pytest.mark.parametrize(
    "bounds",
    [
        real("m"),
        above(0, "m"),
        at_least(0, "-"),
        between(-1.5, 2.0, "rad"),
        any_number("rad"),
        above(-3, "-"),
        Bounds("-"),
    ],
    ids=str,
)
def test_what_needs_no_check_is_allowed(bounds: Bounds) -> None:
    """Numbers around the ends and far from them: none that is refused lies between the ends, and those are allowed."""
    low, high = bounds.ends
    assert bounds.hold(low) and bounds.hold(high) and low < high
    ends = [low, high, 0.0, -0.0, 1.0, -1.0, 1e-300, -1e-300, 1e300, -1e300, np.inf, -np.inf, np.nan]
    near = [math.nextafter(end, way) for end in ends for way in (-math.inf, math.inf)]
    assert all(bounds.hold(value) for value in [*ends, *near] if low <= value <= high)


def test_degrees_are_bounded_alike() -> None:
    with pytest.raises(InvalidModel) as caught:
        number("gait.amplitude", 1e300, real("rad"))
    assert caught.value.words_about(lambda name, value: (name, value), degrees=True).endswith("[deg]")


def test_schema_has_the_same_ends() -> None:
    text = str(document_schema())
    least, largest = MAGNITUDES["kg"]
    assert f"'minimum': {least!r}, 'maximum': {largest!r}" in text


def test_numbers_that_are_none_never_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lets one pass the kernels: the world is said to have diverged."""
    samples = Stepper.samples

    def spoiled(self: Stepper, only: Collection[str] | None = None) -> dict[str, np.ndarray]:
        found = {name: np.array(values) for name, values in samples(self, only).items()}
        if only is None:
            found["motor"][1, 5, 0] = np.nan
        return found

    monkeypatch.setattr(Stepper, "samples", spoiled)
    world = course(obstacles=False)
    run = pp.simulate([world] * 3, 0.2, settings=pp.Settings(on_failure="record"))
    assert run.attrs["world_status"] == '["finished", "diverged", "finished"]'


def test_documents_have_the_same_table() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reference" / "scenario-files.md").read_text(encoding="utf-8")
    for unit, (least, largest) in {**MAGNITUDES, "others": OTHERS}.items():
        assert f"| {unit} | {least:g} | {largest:g} |\n" in text

"""How far a run can be trusted: unconverged steps, residuals, overlaps and energy gains.

A run that ends normally may still be wrong. Totals of every world are kept with the results, and each exceeded limit is
reported in one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.description.runs import figures_text, read_figures
from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.errors import UnknownName
from pushpoint.model.arguments import checked_arguments
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray

MOST_UNCONVERGED = 0.01
"""Share of a world's steps that may be unconverged without a warning [-]."""
MOST_RESIDUAL = 100.0
"""Largest violation of a force law without a warning, in tolerances [-]."""
MOST_GAINED = 0.1
"""Energy that contacts may add without a warning [-].

It is a share of the energy they take out, or of the energy that lifts the robot by one radius, whichever is larger.
"""
DEEPEST = 0.1
"""Deepest overlap without a warning, in radii of the thinnest link [-]."""
MOST_TURN = 0.1
"""Largest turn of a link in one time step without a warning [rad]. Beyond it, energy is wrong by percents."""
LEAST_STEP = 1e-4
"""Without gravity, a change of velocity in one step that counts as zero [m/s]; as in the kernels."""


@dataclass(frozen=True, kw_only=True)
class Health:
    """Totals over the steps of one world that show how far it can be trusted."""

    __repr__ = brief

    steps: int
    """Time steps done [-]."""
    unconverged_steps: int
    """Steps in which the solver did not converge [-]."""
    largest_residual: float
    """Largest violation of a force law after a step, as a velocity [m/s]."""
    deepest_penetration: float
    """Deepest overlap of a link with an obstacle or the ground [m]."""
    deepest_self_overlap: float
    """Deepest overlap of two links, for robots with self-contact [m]."""
    largest_turn: float
    """Largest turn of a link in one time step [rad]."""
    refused_contacts: int
    """Contacts that were dropped because a link had too many at once, summed over the steps [-]."""
    energy_gained: float
    """Total work that contacts with fixed things did on the robot, in the steps where it is positive [J].

    Fixed things can do no work. The gain comes from pushing out links that sank in, and from the order in which a time
    step applies its forces. Only steps where this can happen are watched: those with a rebound, with a link that is
    pushed out, or that are unconverged.
    """
    energy_taken: float
    """Total work that the robot did on fixed things in the other watched steps [J]: friction and impacts."""


TOTALS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "unconverged_steps": sum,
    "largest_residual": max,
    "deepest_penetration": max,
    "deepest_self_overlap": max,
    "largest_turn": max,
    "refused_contacts": sum,
    "energy_gained": sum,
    "energy_taken": sum,
}
"""The totals that become attributes of a run, and how they are combined over worlds."""


def tolerance_of(world: World, settings: Settings) -> float:
    """Violation of a force law below which a step counts as converged [m/s]."""
    return settings.tolerance * max(world.environment.ground.gravity * settings.dt, LEAST_STEP)


def look_at(stepper: Stepper, samples: Mapping[str, np.ndarray], first: np.ndarray | int = 0) -> list[Health]:
    """The health of all worlds since their first step: the largest values up to the last sample, and since."""

    def largest(name: str) -> np.ndarray:
        now = stepper.totals(name)
        return np.maximum(now, samples[name].max(axis=1, initial=0.0)) if name in samples else now

    columns = (
        stepper.since_start("step") - first,
        stepper.totals("unconverged"),
        largest("residual"),
        largest("penetration"),
        stepper.since_start("overlap"),
        stepper.since_start("turn"),
        stepper.since_start("refused"),
        stepper.totals("gained"),
        stepper.totals("taken"),
    )
    kinds = [int if field.type == "int" else float for field in fields(Health)]
    numbers = [column.astype(kind).tolist() for column, kind in zip(columns, kinds, strict=True)]
    names = [field.name for field in fields(Health)]
    return [Health(**dict(zip(names, row, strict=True))) for row in zip(*numbers, strict=True)]


def health_attributes(
    found: Sequence[Health], worlds: Sequence[World], settings: Settings, remarks: Sequence[str] = ()
) -> dict[str, Any]:
    """Attributes of a run: totals over all worlds, those of each world as JSON, and warnings, one per line.

    `remarks` are further sentences about the run.
    """
    return {
        **{name: over_all(getattr(each, name) for each in found) for name, over_all in TOTALS.items()},
        "world_health": figures_text([vars(each) for each in found]),
        "warnings": "\n".join([*remarks, *warnings_about(found, worlds, settings)]),
    }


def read_health(text: Any) -> list[Health]:
    """Reads the health of every world from the text that a run keeps."""
    names = {field.name for field in fields(Health)}
    found = read_figures(text)
    for strange in (names ^ set(each) for each in found):
        if strange:
            raise UnknownName("number of a run's health", min(strange), names)
    return [Health(**each) for each in found]


@checked_arguments
def health_of(run: xarray.Dataset) -> list[Health]:
    """Returns the health of each world of a run.

    For a world taken out of a batch, the list holds that world alone. It is empty if the run has no record of its
    health.
    """
    found = read_health(run.attrs.get("world_health", "[]"))
    numbers = np.atleast_1d(run["world"].values).tolist() if "world" in run.coords else range(len(found))
    return [found[number] for number in numbers if number < len(found)]


@checked_arguments
def warnings_of(run: xarray.Dataset) -> list[str]:
    """Returns the warnings of a run, or of the batch it was taken from; one sentence each."""
    return [line for line in str(run.attrs.get("warnings", "")).splitlines() if line]


def warnings_about(found: Sequence[Health], worlds: Sequence[World], settings: Settings) -> list[str]:
    """One sentence for every exceeded limit, about the worst world, with the number of other worlds."""
    sentences, scales = [], _scales(worlds, settings)
    for excess, sentence in _LIMITS:
        beyond = [excess(each, scale) for each, scale in zip(found, scales, strict=True)]
        worst = int(np.argmax(beyond))
        if beyond[worst] > 1.0:
            others = sum(value > 1.0 for value in beyond) - 1
            told = sentence(found[worst], scales[worst])
            where = f"world {worst}: " if len(worlds) > 1 else ""
            also = f"; the same in {others} other world{'s' if others > 1 else ''}" if others else ""
            sentences.append(f"{where}{told}{also}")
    return sentences


class Scale(NamedTuple):
    """What the totals of a world are compared with."""

    radius: float
    """Radius of the thinnest link [m]."""
    weight: float
    """Weight of the robot [N]."""
    tolerance: float
    """Violation of a force law below which a step counts as converged [m/s]."""


def _scales(worlds: Sequence[World], settings: Settings) -> list[Scale]:
    """The scales of all worlds, once for each robot under each gravity."""
    known: dict[tuple[int, float], Scale] = {}
    found = []
    for world in worlds:
        gravity = world.environment.ground.gravity
        key = (id(world.robot), gravity)
        if key not in known:
            radius = float(world.robot.column("radius").min())
            known[key] = Scale(radius, world.robot.mass * gravity, tolerance_of(world, settings))
        found.append(known[key])
    return found


def _unconverged(health: Health, scale: Scale) -> float:
    return health.unconverged_steps / (MOST_UNCONVERGED * max(health.steps, 1))


def _unconverged_sentence(health: Health, scale: Scale) -> str:
    share = f"{100.0 * health.unconverged_steps / health.steps:.3g} %"
    return f"{health.unconverged_steps} of {health.steps} steps ({share}) are unconverged, more than 1 %"


def _violated(health: Health, scale: Scale) -> float:
    return health.largest_residual / (MOST_RESIDUAL * scale.tolerance)


def _violated_sentence(health: Health, scale: Scale) -> str:
    return (
        f"a force law is violated by up to {health.largest_residual:.3g} m/s, more than 100 times the tolerance of "
        f"{scale.tolerance:.3g} m/s"
    )


def _sunk(health: Health, scale: Scale) -> float:
    return health.deepest_penetration / (DEEPEST * scale.radius)


def _sunk_sentence(health: Health, scale: Scale) -> str:
    limit = "more than" if health.deepest_penetration > scale.radius else "more than a tenth of"
    depth = f"{1e3 * health.deepest_penetration:.3g} mm"
    return f"a link sank in by up to {depth}, {limit} a link's radius of {1e3 * scale.radius:.3g} mm"


def _overlapped(health: Health, scale: Scale) -> float:
    return health.deepest_self_overlap / (DEEPEST * scale.radius)


def _overlapped_sentence(health: Health, scale: Scale) -> str:
    depth, radius = (f"{1e3 * length:.3g} mm" for length in (health.deepest_self_overlap, scale.radius))
    return f"two links overlapped by up to {depth}, more than a tenth of a link's radius of {radius}"


def _turned(health: Health, scale: Scale) -> float:
    return health.largest_turn / MOST_TURN


def _turned_sentence(health: Health, scale: Scale) -> str:
    return (
        f"a link turned by up to {health.largest_turn:.3g} rad in one time step, more than {MOST_TURN} rad: "
        "use a smaller time step"
    )


def _refused(health: Health, scale: Scale) -> float:
    return 2.0 * health.refused_contacts


def _refused_sentence(health: Health, scale: Scale) -> str:
    return f"{health.refused_contacts} contacts were dropped, because a link touched more at once than the engine holds"


def _gained(health: Health, scale: Scale) -> float:
    lifted = scale.weight * scale.radius
    limit = MOST_GAINED * max(health.energy_taken, lifted)
    return health.energy_gained / limit if limit else float(health.energy_gained > 0.0) * 2.0


def _gained_sentence(health: Health, scale: Scale) -> str:
    taken = f"{health.energy_taken:.3g} J"
    return f"contacts added {health.energy_gained:.3g} J to the robot, more than a tenth of what they took, {taken}"


_Limit = tuple[Callable[[Health, Scale], float], Callable[[Health, Scale], str]]
_LIMITS: tuple[_Limit, ...] = (
    (_unconverged, _unconverged_sentence),
    (_violated, _violated_sentence),
    (_sunk, _sunk_sentence),
    (_overlapped, _overlapped_sentence),
    (_turned, _turned_sentence),
    (_refused, _refused_sentence),
    (_gained, _gained_sentence),
)
"""How many times a limit is exceeded (above 1 if it is), and the sentence that says so."""

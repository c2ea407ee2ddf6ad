"""How far a run can be trusted: what its solver left open, how deep links sank in, and what of it is too much.

A run that ended as it should may still be wrong. Totals of every world are kept with its results, and those beyond a
limit are said in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

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
"""Share of a world's steps that may stay unsolved without a word [-]."""
MOST_RESIDUAL = 100.0
"""Largest violation of a law without a word, in tolerances [-]."""
MOST_GAINED = 0.1
"""Energy that contacts may add without a word, as a share of what they take [-], and of lifting all by a radius [-]."""
DEEPEST = 0.1
"""Deepest overlap without a word, in radii of the thinnest link [-]."""
MOST_TURN = 0.1
"""Largest turn of a link in one time step without a word [rad]; beyond it energy is off by percents."""
LEAST_STEP = 1e-4
"""Without gravity, a change of velocity in one step that counts as none [m/s]; as in the kernels."""


@dataclass(frozen=True, kw_only=True)
class Health:
    """What the steps of one world came to, from its start on."""

    __repr__ = brief

    steps: int
    """Time steps done [-]."""
    unconverged_steps: int
    """Those that the solver gave up [-]."""
    largest_residual: float
    """Largest violation of a law after a step, as a velocity [m/s]."""
    deepest_penetration: float
    """Deepest overlap of a link with an obstacle or the ground [m]."""
    deepest_self_overlap: float
    """Deepest overlap of two links, of a robot with self-contact [m]."""
    largest_turn: float
    """Largest turn of a link in one time step [rad]."""
    refused_contacts: int
    """Contacts that their links had no room for, summed over the steps [-]."""
    energy_gained: float
    """Work that contacts with things at rest did on the robot, of the steps in which they did any, in all [J].

    Things at rest can do none: it is what leads links out of where they sank in, and what a time step makes of forces
    that act within it one after the other. Watched are the steps in which it can be: those with an impact that gives
    back, with a link that is led out, or given up."""
    energy_taken: float
    """Work that the robot did on them in the other steps that are watched, in all [J]: friction and impacts."""


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
"""What of it a run has as attributes, and how worlds are put together."""


def tolerance_of(world: World, settings: Settings) -> float:
    """Violation of a law up to which a step counts as solved [m/s]."""
    return settings.tolerance * max(world.environment.ground.gravity * settings.dt, LEAST_STEP)


def look_at(stepper: Stepper, samples: Mapping[str, np.ndarray], first: np.ndarray | int = 0) -> list[Health]:
    """The health of all worlds from their first step on: what was largest until the last sample, and since."""

    def largest(name: str) -> np.ndarray:
        now = stepper.totals(name)
        return np.maximum(now, samples[name].max(axis=1, initial=0.0)) if name in samples else now

    columns = (
        stepper.state().step - first,
        stepper.totals("unconverged"),
        largest("residual"),
        largest("penetration"),
        stepper.since_start("overlap"),
        stepper.since_start("turn"),
        stepper.since_start("refused"),
        stepper.totals("gained"),
        stepper.totals("taken"),
    )
    return [
        Health(
            steps=int(steps),
            unconverged_steps=int(unconverged),
            largest_residual=float(residual),
            deepest_penetration=float(depth),
            deepest_self_overlap=float(overlap),
            largest_turn=float(turn),
            refused_contacts=int(refused),
            energy_gained=float(gained),
            energy_taken=float(taken),
        )
        for steps, unconverged, residual, depth, overlap, turn, refused, gained, taken in zip(*columns, strict=True)
    ]


def health_attributes(
    found: Sequence[Health], worlds: Sequence[World], settings: Settings, remarks: Sequence[str] = ()
) -> dict[str, Any]:
    """Attributes of a run: totals over all worlds, those of each as JSON, and warnings, one per line.

    `remarks` are what else is to be said of the run.
    """
    return {
        **{name: over_all(getattr(each, name) for each in found) for name, over_all in TOTALS.items()},
        "world_health": figures_text([asdict(each) for each in found]),
        "warnings": "\n".join([*remarks, *warnings_about(found, worlds, settings)]),
    }


def read_health(text: Any) -> list[Health]:
    """The health of every world, from the text that a run keeps."""
    names = {field.name for field in fields(Health)}
    found = read_figures(text)
    for strange in (names ^ set(each) for each in found):
        if strange:
            raise UnknownName("figure of a run's health", min(strange), names)
    return [Health(**each) for each in found]


@checked_arguments
def health_of(run: xarray.Dataset) -> list[Health]:
    """The health of each world of a run, or of the one that was taken out of a batch; none of a run that has none."""
    found = read_health(run.attrs.get("world_health", "[]"))
    numbers = np.atleast_1d(run["world"].values).tolist() if "world" in run.coords else range(len(found))
    return [found[number] for number in numbers if number < len(found)]


@checked_arguments
def warnings_of(run: xarray.Dataset) -> list[str]:
    """What a run, or the batch that it was taken from, says against itself: one sentence each."""
    return [line for line in str(run.attrs.get("warnings", "")).splitlines() if line]


def warnings_about(found: Sequence[Health], worlds: Sequence[World], settings: Settings) -> list[str]:
    """One sentence for every limit that is exceeded, about the worst world, and how many others are beyond it."""
    sentences = []
    for excess, sentence in _LIMITS:
        beyond = [excess(each, world, settings) for each, world in zip(found, worlds, strict=True)]
        worst = int(np.argmax(beyond))
        if beyond[worst] > 1.0:
            others = sum(value > 1.0 for value in beyond) - 1
            told = sentence(found[worst], worlds[worst], settings)
            where = f"world {worst}: " if len(worlds) > 1 else ""
            also = f"; so it is in {others} other world{'s' if others > 1 else ''}" if others else ""
            sentences.append(f"{where}{told}{also}")
    return sentences


def _thinnest(world: World) -> float:
    return float(world.robot.column("radius").min())


def _unsolved(health: Health, world: World, settings: Settings) -> float:
    return health.unconverged_steps / (MOST_UNCONVERGED * max(health.steps, 1))


def _unsolved_sentence(health: Health, world: World, settings: Settings) -> str:
    share = f"{100.0 * health.unconverged_steps / health.steps:.3g} %"
    return f"{health.unconverged_steps} of {health.steps} steps ({share}) are unconverged, more than 1 %"


def _violated(health: Health, world: World, settings: Settings) -> float:
    return health.largest_residual / (MOST_RESIDUAL * tolerance_of(world, settings))


def _violated_sentence(health: Health, world: World, settings: Settings) -> str:
    allowed = tolerance_of(world, settings)
    return (
        f"a law is violated by up to {health.largest_residual:.3g} m/s, more than 100 times the tolerance of "
        f"{allowed:.3g} m/s"
    )


def _sunk(health: Health, world: World, settings: Settings) -> float:
    return health.deepest_penetration / (DEEPEST * _thinnest(world))


def _sunk_sentence(health: Health, world: World, settings: Settings) -> str:
    radius = _thinnest(world)
    limit = "more than" if health.deepest_penetration > radius else "more than a tenth of"
    depth = f"{1e3 * health.deepest_penetration:.3g} mm"
    return f"a link sank in by up to {depth}, {limit} a link's radius of {1e3 * radius:.3g} mm"


def _overlapped(health: Health, world: World, settings: Settings) -> float:
    return health.deepest_self_overlap / (DEEPEST * _thinnest(world))


def _overlapped_sentence(health: Health, world: World, settings: Settings) -> str:
    depth, radius = (f"{1e3 * length:.3g} mm" for length in (health.deepest_self_overlap, _thinnest(world)))
    return f"two links overlapped by up to {depth}, more than a tenth of a link's radius of {radius}"


def _turned(health: Health, world: World, settings: Settings) -> float:
    return health.largest_turn / MOST_TURN


def _turned_sentence(health: Health, world: World, settings: Settings) -> str:
    return (
        f"a link turned by up to {health.largest_turn:.3g} rad in one time step, more than {MOST_TURN} rad: "
        "take a smaller one"
    )


def _refused(health: Health, world: World, settings: Settings) -> float:
    return 2.0 * health.refused_contacts


def _refused_sentence(health: Health, world: World, settings: Settings) -> str:
    return f"{health.refused_contacts} contacts were refused, because a link touched more at once than the engine holds"


def _gained(health: Health, world: World, settings: Settings) -> float:
    lifted = world.robot.mass * world.environment.ground.gravity * _thinnest(world)
    limit = MOST_GAINED * max(health.energy_taken, lifted)
    return health.energy_gained / limit if limit else float(health.energy_gained > 0.0) * 2.0


def _gained_sentence(health: Health, world: World, settings: Settings) -> str:
    taken = f"{health.energy_taken:.3g} J"
    return f"contacts added {health.energy_gained:.3g} J to the robot, more than a tenth of what they took, {taken}"


_Limit = tuple[Callable[[Health, World, Settings], float], Callable[[Health, World, Settings], str]]
_LIMITS: tuple[_Limit, ...] = (
    (_unsolved, _unsolved_sentence),
    (_violated, _violated_sentence),
    (_sunk, _sunk_sentence),
    (_overlapped, _overlapped_sentence),
    (_turned, _turned_sentence),
    (_refused, _refused_sentence),
    (_gained, _gained_sentence),
)
"""How many times a limit is exceeded, above 1 where it is, and the sentence that says so."""

"""Estimates the steps, samples and memory of a run before it starts, and rejects runs that are too large."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

from pushpoint.brief import brief
from pushpoint.engine.memory import allowed_memory, allowed_on
from pushpoint.engine.samples import USUAL
from pushpoint.engine.settings import Settings
from pushpoint.engine.sizes import LARGEST_INDEX, BatchSizes, sizes_of
from pushpoint.errors import InvalidModel, TooLarge, in_bytes
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import instance, positive
from pushpoint.simulation.driving import PORTION, evaluated_in_kernels
from pushpoint.simulation.on_request import most_spheres
from pushpoint.simulation.sampled import wanted_samples
from pushpoint.worlds.record import Record
from pushpoint.worlds.variables import VARIABLES, dims_of
from pushpoint.worlds.world import Experiment, World, checked, feels_itself

PORTION_BYTES = 4_000_000
"""Memory for the samples that are turned into results together [bytes].

Small enough to save memory, large enough to be fast.
"""
PORTION_SAMPLES = (8, 1024)
"""Fewest and most samples of a portion [-]."""
COPIES = 4
"""How many copies of a portion's samples are in memory while they are turned into results [-]."""
PER_WORLD = 10_000
"""Memory that Python uses per world: its start, its state and the places of its records [bytes]."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a run needs: steps, samples and memory."""

    __repr__ = brief

    steps: int
    """Time steps [-]."""
    every: int
    """Time steps between samples [-]."""
    samples: int
    """Samples per world [-]."""
    portion: int
    """Samples that are turned into results together [-]."""
    engine: int
    """Memory of the kernels' arrays on the device [bytes]."""
    portions: int
    """Memory of samples in transit and of Python's data about the worlds [bytes]."""
    recording: int
    """Size of the results [bytes]: in memory, or in a file."""

    @property
    def memory(self) -> int:
        """Memory of the run including its results [bytes]."""
        return self.engine + self.portions + self.recording

    @property
    def memory_with_file(self) -> int:
        """Memory of the run if its results go to a file [bytes]."""
        return self.engine + self.portions

    def __str__(self) -> str:
        return (
            f"{self.steps} steps, {self.samples} samples: {in_bytes(self.memory)} of memory, "
            f"or {in_bytes(self.memory_with_file)} and a file of up to {in_bytes(self.recording)}"
        )


@checked_arguments
def estimate(
    worlds: World | Sequence[World], duration: float, *, settings: Settings = Settings(), record: Record = Record()
) -> Estimate:
    """Estimates the steps, samples and memory that `simulate(worlds, duration, ...)` needs, without running it.

        print(pp.estimate(world, 3600.0))  # steps, samples and memory in words

    Args:
        worlds: The worlds to be run.
        duration: Simulated time [s].
        settings: Numerical settings.
        record: How often and which variables are recorded.

    Raises:
        InvalidModel: There are more steps or samples than the kernels can count. A lack of memory is not an error here.
    """
    batch = checked([worlds] if isinstance(worlds, World) else worlds)
    return estimate_of(Experiment(batch, duration, settings, record))


def estimate_of(experiment: Experiment) -> Estimate:
    """Estimates what an experiment needs."""
    worlds, duration, settings, record = experiment[:4]
    instance("settings", settings, Settings, "Settings")
    instance("record", record, Record, "a Record")
    steps, every = _steps(duration, settings.dt), min(record.steps(settings.dt), LARGEST_INDEX)
    wanted = wanted_samples(kept_variables(worlds, record), spatial=worlds[0].spatial)
    batch = batch_of(worlds, settings, wanted)
    row, samples = row_bytes(worlds, record), steps // every + 1
    fewest, most = PORTION_SAMPLES
    portion = min(samples, max(fewest, min(most, PORTION_BYTES // max(row, 1))))
    held = min(samples, portion + 1 + _ahead(worlds, settings.dt) // every)
    samples_at_once = held * batch.per_sample
    if samples_at_once // len(worlds) > LARGEST_INDEX:
        raise InvalidModel("record.rate", record.rate, "lower: too many samples of one world come at once")
    return Estimate(
        steps=steps,
        every=every,
        samples=samples,
        portion=portion,
        engine=batch.kernels + samples_at_once,
        portions=COPIES * portion * max(row, batch.per_sample) + PER_WORLD * len(worlds),
        recording=samples * row,
    )


def _steps(duration: float, dt: float) -> int:
    steps = positive("duration", duration, "s") / dt
    if not steps < LARGEST_INDEX:
        allowed = f"at most {LARGEST_INDEX * dt:.6g} s, {LARGEST_INDEX} time steps of {dt:.6g} s"
        raise InvalidModel("duration", duration, allowed)
    if round(steps) < 1:
        raise InvalidModel("duration", duration, f"at least one time step of {dt} s")
    return round(steps)


def _ahead(worlds: Sequence[World], dt: float) -> int:
    """Steps that must be done before samples can be taken, where references do not come from the kernels [-]."""
    return 0 if evaluated_in_kernels(worlds) else round(PORTION / dt) + 1


def _obstacles(worlds: Sequence[World]) -> int:
    return max(len(world.environment.obstacles) for world in worlds)


def kept_variables(worlds: Sequence[World], record: Record) -> list[str]:
    """Names of the variables in a run's Dataset."""
    other = "plane" if worlds[0].spatial else "space"
    absent = {name for name, entry in VARIABLES.items() if entry.engine == other}
    if not any(world.controller is not None and world.controller.modes for world in worlds):
        absent.add("controller_mode")
    if not feels_itself(worlds):
        absent.add("self_force")
    most = _obstacles(worlds)
    return [name for name in VARIABLES if name not in absent and record.wants(name, most)]


def row_bytes(worlds: Sequence[World], record: Record) -> int:
    """Size of one sample of all worlds in the results [bytes]."""
    robot, spatial = worlds[0].robot, worlds[0].spatial
    sizes = {"time": 1, "link": robot.n_links, "joint": robot.n_joints, "link_gap": robot.n_links - 1}
    sizes |= {"axis": 3 if spatial else 2, "quaternion": 4, "obstacle": _obstacles(worlds)}
    sizes["sphere"] = most_spheres(worlds) if spatial else 0
    return (
        8
        * len(worlds)
        * sum(prod(sizes[dim] for dim in dims_of(name, spatial)) for name in kept_variables(worlds, record))
    )


def refuse_too_large(experiment: Experiment, found: Estimate, *, to_file: bool) -> None:
    """Raises TooLarge if a run does not fit on its device or on this machine."""
    worlds, duration, settings, record = experiment[:4]
    refuse_too_many(len(worlds), worlds[0].robot.n_links, settings, found.engine)
    needed, allowed = found.memory_with_file if to_file else found.memory, allowed_memory()
    if settings.device != "cpu":
        needed -= found.engine
    if needed <= allowed:
        return
    batch, fewer = ("", "") if len(worlds) == 1 else (f" in each of {len(worlds)} worlds", "fewer worlds, ")
    what = f"duration = {duration:.6g} s at record.rate = {record.rate:.6g} Hz is {found.samples:.6g} samples{batch}"
    file = "" if to_file or found.memory_with_file > allowed else ", or to a file"
    raise TooLarge(what, needed, allowed, f"record {fewer}less often, fewer variables{file}")


def refuse_too_many(n_worlds: int, n_links: int, settings: Settings, needed: int) -> None:
    """Raises TooLarge if the kernels' arrays of `needed` bytes do not fit on their device."""
    allowed = allowed_on(settings.device)
    if needed > allowed:
        fit = n_worlds * allowed // needed
        what, where = f"{n_worlds} worlds of {n_links} links", "this machine"
        where = where if settings.device == "cpu" else settings.device
        raise TooLarge(
            what, needed, allowed, f"use fewer worlds, {fit} fit" if fit else "not even one fits", where=where
        )


def batch_of(worlds: Sequence[World], settings: Settings, wanted: Collection[str] = USUAL) -> BatchSizes:
    """The array sizes of worlds, with the samples that are wanted."""
    return sizes_of([world.robot for world in worlds], [world.environment for world in worlds], settings, wanted)

"""The published experiments, by name: single runs and sweeps."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pushpoint.errors import UnknownName
from pushpoint.scenarios.scenario import Scenario


def _builders() -> Mapping[str, Callable[[], Scenario]]:
    # Here, because building blocks of scenarios may want to look others up.
    from pushpoint.papers import ours
    from pushpoint.papers.holden2014 import scenarios as holden2014
    from pushpoint.papers.liljeback2011 import scenarios as liljeback2011
    from pushpoint.papers.liljeback2014 import scenarios as liljeback2014, terrain
    from pushpoint.papers.transeth2008a import scenarios as transeth2008a
    from pushpoint.papers.transeth2008b import scenarios as transeth2008b

    rooms = (transeth2008a, transeth2008b, liljeback2014, terrain, holden2014, liljeback2011, ours)
    return {name: build for room in rooms for name, build in room.SCENARIOS.items()}


def _sweep_builders() -> Mapping[str, Callable[[], Scenario]]:
    from pushpoint.papers.liljeback2014 import scenarios as liljeback2014
    from pushpoint.papers.transeth2008a import sweeps as transeth2008a
    from pushpoint.papers.transeth2008b import sweeps as transeth2008b

    return transeth2008a.SWEEPS | transeth2008b.SWEEPS | liljeback2014.SWEEPS


def scenario_names() -> list[str]:
    """Names of all published experiments."""
    return list(_builders())


def sweep_names() -> list[str]:
    """Names of all published sweeps."""
    return list(_sweep_builders())


def scenario_titles() -> dict[str, str]:
    """Name and one line about every published experiment, without building any."""
    return _titles(_builders())


def sweep_titles() -> dict[str, str]:
    """Name and one line about every published sweep, without building any."""
    return _titles(_sweep_builders())


def scenario(target: str | os.PathLike[str], changes: Sequence[str] = ()) -> Scenario:
    """A published experiment, such as transeth2008a/obstacle-aided, or one's own from a YAML file.

    Changes are given by their keys in the file: "controller.amplitude_deg=30", "obstacles[2].x=1.1".
    """
    name = os.fspath(target)
    builders = {**_builders(), **_sweep_builders()}
    if name in builders and not changes:
        return builders[name]()
    from pushpoint.scenarios import files  # here, because YAML takes time to load

    if name in builders:
        return files.changed(builders[name](), changes)
    if files.is_file(name):
        return files.read_scenario(name, changes)
    raise UnknownName("scenario", name, builders)


def _titles(builders: Mapping[str, Callable[[], Any]]) -> dict[str, str]:
    return {name: (inspect.getdoc(build) or "").partition("\n")[0] for name, build in builders.items()}

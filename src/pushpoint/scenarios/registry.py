"""The published experiments, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from pushpoint.errors import UnknownName
from pushpoint.scenarios.scenario import Scenario


def _builders() -> Mapping[str, Callable[[], Scenario]]:
    # Here, because building blocks of scenarios may want to look others up.
    from pushpoint.scenarios.transeth2008a import SCENARIOS

    return SCENARIOS


def scenario_names() -> list[str]:
    """Names of all published experiments."""
    return list(_builders())


def scenario_titles() -> dict[str, str]:
    """Name and one line about every published experiment, without building any."""
    return {name: (inspect.getdoc(build) or "").partition("\n")[0] for name, build in _builders().items()}


def scenario(name: str) -> Scenario:
    """A published experiment, such as transeth2008a/obstacle-aided."""
    builders = _builders()
    if name not in builders:
        raise UnknownName("scenario", name, builders)
    return builders[name]()

"""Controllers with touch, by name and parameters: `continuous`, or `continuous:gain=0.1,speed=0.12`.

A trained policy is one of them, by its name or by its file: `touch-v1`, or `mine.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import HybridController, LeaderFollower
from pushpoint.control.policy_files import SUFFIXES, Learned, learned, policy_names
from pushpoint.engine.controller import Controller
from pushpoint.errors import InvalidModel, UnknownName

FOLLOWER = tuple(field.name for field in fields(LeaderFollower))
"""Parameters that the hybrid controller passes on to its leader-following; no other parameter has these names."""


def hybrid(**parameters: Any) -> HybridController:
    """The hybrid controller with its own parameters and those of its leader-following together."""
    following = {name: parameters.pop(name) for name in FOLLOWER if name in parameters}
    return HybridController(follower=LeaderFollower(**following), **parameters)


TUNED_HYBRID: Mapping[str, float] = {
    "speed": 0.109,
    "head_angle": 1.2,
    "swing": 0.132,
    "gain": 0.389,
    "jam_angle": 0.148,
    "jam_time": 0.116,
    "resolution_time": 0.103,
}
"""The hybrid controller's best parameters in the tuning study."""


def trained(policy: str, **parameters: Any) -> Controller[Any]:
    """A trained policy by its name or file, as it is or with some of its parameters changed."""
    return replace(learned(policy), **parameters) if parameters else Learned(policy=policy)  # type: ignore[type-var]


WITHOUT_TOUCH = ("sidewind-",)
"""How the names of policies begin that feel no obstacles."""
BUILDERS: dict[str, Callable[..., Any]] = {
    "continuous": ContinuousResolution,
    "hybrid": hybrid,
    "hybrid-tuned": lambda **parameters: hybrid(**{**TUNED_HYBRID, **parameters}),
    "leader-follower": LeaderFollower,
    **{policy: partial(trained, policy) for policy in policy_names() if not policy.startswith(WITHOUT_TOUCH)},
}
"""How each controller is made. Hybrid and leader-following have the paper's parameters, except the tuned one."""
_HYBRID = (*FOLLOWER, *(field.name for field in fields(HybridController) if field.name != "follower"))
PARAMETERS: dict[str, tuple[str, ...]] = dict.fromkeys(BUILDERS, _HYBRID) | {
    "continuous": tuple(field.name for field in fields(ContinuousResolution)),
    "leader-follower": FOLLOWER,
}
"""The parameters of each controller."""
WORDS = ("head_point", "clock")
"""Parameters whose values are words; all others are numbers."""


def controller_of(text: str) -> Any:
    """The controller named by a text such as `hybrid` or `continuous:gain=0.1,speed=0.12`; in SI and radians."""
    name, colon, listed = text.partition(":")
    own = Path(name).suffix in SUFFIXES
    if name not in BUILDERS and not own:
        raise UnknownName("controller", name, BUILDERS)
    if colon and not listed:
        raise InvalidModel("controller", text, f"{name}, or {name}:PARAMETER=VALUE,...")
    known = _parameters(name)
    given: dict[str, float | str] = {}
    for item in filter(None, listed.split(",")):
        parameter, _, value = item.partition("=")
        if parameter not in known:
            raise UnknownName(f"parameter of {name}", parameter, known)
        if parameter in given:
            raise InvalidModel(f"{name}: {parameter}", value, "given once")
        try:
            given[parameter] = value if parameter in WORDS else float(value)
        except ValueError:
            raise InvalidModel(f"{name}: {parameter}", value, "a number") from None
    return trained(name, **given) if own else BUILDERS[name](**given)


def _parameters(name: str) -> tuple[str, ...]:
    """The parameters of a controller; of a trained policy, its fields that are numbers."""
    if name in PARAMETERS:
        return PARAMETERS[name]
    policy = learned(name)
    held: dict[str, Any] = (
        {each.name: getattr(policy, each.name) for each in fields(policy)} if is_dataclass(policy) else {}
    )
    return tuple(each for each, value in held.items() if isinstance(value, float))

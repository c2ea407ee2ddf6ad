"""Names of a package that load their modules on first use, so that importing the package is light."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Returns `__getattr__`, `__dir__` and `__all__` for a package.

    Call it where a type checker does not look, and import the same names where it does:

        if TYPE_CHECKING:
            from pushpoint.control.hybrid import HybridController as HybridController
        else:
            __getattr__, __dir__, __all__ = lazy_names(__name__, {"hybrid": ("HybridController",)})

    Args:
        package: Its full name.
        homes: By module within the package, the names that it defines. None of them may be that of a module directly
            in the package, which would take its place.
    """
    home = {name: module for module, names in homes.items() for name in names}
    listed = sorted(home)

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: [*listed], listed

"""Placeholder of the contract."""

from __future__ import annotations

from pushpoint.model.kinds import family


@family
class Controller:
    """Closes the loop."""

"""What all obstacles are."""

from __future__ import annotations

from pushpoint.model.kinds import family


@family
class Obstacle:
    """A fixed body that the robot pushes against."""

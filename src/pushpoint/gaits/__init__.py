"""Open-loop joint references."""

from pushpoint.gaits.function_of_time import FunctionOfTime
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.gaits.sampled import Sampled

__all__ = ["FunctionOfTime", "LateralUndulation", "Sampled"]

"""Open-loop joint references."""

from pushpoint.gaits.function_of_time import FunctionOfTime
from pushpoint.gaits.lateral_undulation import LateralUndulation

__all__ = ["FunctionOfTime", "LateralUndulation"]

"""Open-loop joint references."""

from pushpoint.gaits.sampled import FunctionOfTime, Sampled
from pushpoint.gaits.waves import LateralUndulation, Rolling, Sidewinding, SinusLifting, VerticalWave

__all__ = ["FunctionOfTime", "LateralUndulation", "Rolling", "Sampled", "Sidewinding", "SinusLifting", "VerticalWave"]

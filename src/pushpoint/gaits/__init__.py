"""Open-loop joint references."""

from pushpoint.gaits.function_of_time import FunctionOfTime
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.gaits.rolling import Rolling
from pushpoint.gaits.sampled import Sampled
from pushpoint.gaits.sidewinding import Sidewinding
from pushpoint.gaits.sinus_lifting import SinusLifting
from pushpoint.gaits.vertical_wave import VerticalWave

__all__ = [
    "FunctionOfTime",
    "LateralUndulation",
    "Rolling",
    "Sampled",
    "Sidewinding",
    "SinusLifting",
    "VerticalWave",
]

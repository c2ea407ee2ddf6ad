"""Gaits: open-loop joint references, as sine waves or as functions of time.

In a wave, the yaw axes follow one sine and the pitch axes another. Other gaits are sampled in time: a gait as it
reaches the motors of a real robot, and any function of time. A pattern generator remembers where it is, so that its
parameters can change on the way. Angles are in radians.

    gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
    angles, rates = gait.references(np.linspace(0.0, 5.0, 100), pp.catalogue.aiko_planar())
"""

from pushpoint.gaits.classic import (
    LateralUndulation as LateralUndulation,
    Rolling as Rolling,
    SinusLifting as SinusLifting,
    VerticalWave as VerticalWave,
)
from pushpoint.gaits.helices import HelicalRolling as HelicalRolling, PipeCrawling as PipeCrawling
from pushpoint.gaits.hold import Hold as Hold
from pushpoint.gaits.pattern_generator import PatternChange as PatternChange, PatternGenerator as PatternGenerator
from pushpoint.gaits.sampled import FunctionOfTime as FunctionOfTime, Sampled as Sampled
from pushpoint.gaits.slithering import LiftedSlithering as LiftedSlithering
from pushpoint.gaits.waves import Swing as Swing, WaveGait as WaveGait
from pushpoint.gaits.winding import (
    CompoundSerpenoid as CompoundSerpenoid,
    ConicalSidewinding as ConicalSidewinding,
    Sidewinding as Sidewinding,
    TurningSidewinding as TurningSidewinding,
)

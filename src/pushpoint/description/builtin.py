"""TEMPORARY registration of built-in kinds until the contract is merged."""

from pushpoint import control, gaits
from pushpoint.engine.controller import Controller
from pushpoint.model import kinds

kinds._FAMILIES[Controller] |= {
    "lateral-undulation": gaits.LateralUndulation,
    "sidewinding": gaits.Sidewinding,
    "vertical-wave": gaits.VerticalWave,
    "rolling": gaits.Rolling,
    "sinus-lifting": gaits.SinusLifting,
    "sampled": gaits.Sampled,
    "constant-torque": control.ConstantTorque,
    "leader-follower": control.LeaderFollower,
    "hybrid": control.HybridController,
    "continuous-resolution": control.ContinuousResolution,
    "shape-curve": control.ShapeCurveFollower,
}

"""Differences from Transeth2008b."""

from __future__ import annotations

from pushpoint.papers.deviations import Deviation


def _of(number: str, kind: str, sentence: str, *claims: str) -> Deviation:
    return Deviation(number=number, paper="transeth2008b", kind=kind, sentence=sentence, claims=claims)


DEVIATIONS = (
    _of(
        "D24",
        "left open",
        "Which end is the head follows from the direction of the wave: link 1 leads, and of the two angles of a joint "
        "only yaw changes its sign.",
    ),
    _of(
        "D25",
        "erratum",
        "Misprints: the velocity in (24) is that of the rear contact point, (84) diverges as printed, 'u_E = 0' after "
        "(82), the yaw rate in (67), gaps of exactly zero in (49).",
    ),
    _of(
        "D26",
        "erratum",
        "The printed moments of inertia are those of half the radius that the text names; we keep them, and neither "
        "gait can tell.",
    ),
    _of(
        "D27",
        "left open",
        "Rolling friction, tolerance, initial velocity and the time of the torque are not stated; for rolling "
        "friction we take 0.02, and 0.01 to 0.1 give the same gaits.",
    ),
    _of(
        "D28",
        "left open",
        "Normal forces of a robot that lies flat are not unique: ours are those nearest to the last step's.",
    ),
    _of(
        "D29",
        "how it is measured",
        "The text gives directions and no speeds; the ranges come from independent prototypes of its equations.",
        "TB1",
        "TB2",
        "TB3",
        "TB4",
    ),
    _of(
        "D30",
        "outcome",
        "Sixteen times the friction makes the robot creep a fifth faster, 3 cm in 15 s; in the plane it makes no "
        "difference beyond a twentieth.",
        "TB3",
    ),
    _of(
        "D31",
        "how it is measured",
        "A link is down if the ground carries it with more than 0.5 N; two or three of eleven are, never more than "
        "four.",
        "TB5",
    ),
    _of(
        "D32",
        "how it is measured",
        "The rule as printed lets an axis jump from zero to 3 deg when it begins, and so does ours; the last of "
        "twenty begins at 2.05 s.",
        "TB6",
    ),
    _of(
        "D33",
        "outcome",
        "Machines and languages differ, so that only the order of magnitude counts; here contacts are what costs, and "
        "the sidewinder, mostly in the air, costs less than the undulating robot.",
        "TB7",
    ),
    _of(
        "D34",
        "outcome",
        "Free play alone does what all errors together do; distance between the axes and Stribeck effect move little. "
        "Torque limit, Stribeck curve, varnish and spreads are our choice, and the exoskeleton is not modelled.",
        "TB8",
    ),
    _of(
        "D35",
        "how it is measured",
        "Stick and slip are shown with a brick on a slope, just below the friction angle and half above it.",
        "TB9",
    ),
    _of("D36", "beyond the paper", "The planar course in space, stairs and rubble: scenarios that no paper has."),
)

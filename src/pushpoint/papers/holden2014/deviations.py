"""Differences from Holden2014 and from Liljeback2011."""

from __future__ import annotations

from pushpoint.papers.deviations import Deviation


def _holden(number: str, kind: str, sentence: str, *claims: str) -> Deviation:
    return Deviation(number=number, paper="holden2014", kind=kind, sentence=sentence, claims=claims)


def _liljeback(number: str, kind: str, sentence: str, *claims: str) -> Deviation:
    return Deviation(number=number, paper="liljeback2011", kind=kind, sentence=sentence, claims=claims)


DEVIATIONS = (
    _holden(
        "D49",
        "outcome",
        "Table V is met to 0.08 N m and 2 N, not to its digits, and only with the paper's K_l, which forgets that the "
        "head weighs twice as much as the other links; the library's own levers are exact.",
        "HA2",
        "HA3",
    ),
    _holden(
        "D50",
        "erratum",
        "K_l in (1)-(2); a Coriolis term once in place of twice in (32); x_ddot for x_dot in (33); the sign of an "
        "unknown force in (21); friction against turning without a lever; mixed units of the slack; the head missing "
        "from Table IV; 20 torques for 19 joints in Table V.",
        "HA1",
        "HA2",
    ),
    _holden(
        "D51",
        "how it is measured",
        "Decay is shown with a peg friction of 0.1 and a torque limit of 40 N m: with the paper's 0.3 our goal is not "
        "feasible all the way, and the claim is about those that are.",
        "HA9",
    ),
    _holden(
        "D52",
        "how it is measured",
        "The instant in the engine is not quite that of the tables: pegs are 1 cm thick and touch the links' sides, "
        "rates are changed by the least that makes all contacts hold, and nothing brakes turning.",
        "HA1",
    ),
    _holden(
        "D53",
        "beyond the paper",
        "The loop closed, beside plain servos: a tie on the ideal course; on disturbed ones a path four times nearer, "
        "and less torque than servos tuned on the ideal course need, but hardly less than softer ones.",
        "HA8",
    ),
    _holden(
        "D54", "beyond the paper", "Paths through fields of pegs, planned so that they can be travelled by pushing."
    ),
    _holden(
        "D65",
        "beyond the paper",
        "A bound on the pushes: a touch of rigid bodies is an impulse and no force, so that contacts that last and "
        "touches are told apart; with a bound of 6 N lasting contacts stay below 8 N on the known course.",
    ),
    _holden(
        "D66",
        "outcome",
        "A peg taken for two contacts stops the paper's eliminated form of the mapping only; the free form shares the "
        "push between the two and goes on.",
    ),
    _holden(
        "D67",
        "beyond the paper",
        "Planned paths driven on held-out fields: 72 of 75 that are bad nowhere, none of 20 that are bad at more than "
        "a fifth of the places, and 0.67 of the squared torque per metre of tuned servos.",
        "HA8",
    ),
    _liljeback(
        "D55",
        "left open",
        "Missing from the text are the head rule (3), friction, the gains of (11) and the delays of (5) before the "
        "robot has a past: ours are a hysteresis, 0.3 on the ground and 0.2 at the obstacles, 20 N m/rad and 1 N m "
        "s/rad, set once and not tuned.",
        "LB1",
        "LB2",
        "LB3",
    ),
    _liljeback(
        "D56",
        "erratum",
        "The listed starts overlap the obstacles by 41, 84 and 10 mm, and environment 3 has four positions for five "
        "diameters: the robot stands in the nearest free pose, and the fifth obstacle is left out.",
        "LB1",
        "LB2",
        "LB3",
    ),
    _liljeback(
        "D57",
        "outcome",
        "In environment 3 the head comes to rest inside its band, the body copies one angle, and as nothing is off "
        "its reference there is no jam to resolve.",
        "LB3",
    ),
    _liljeback(
        "D58",
        "outcome",
        "Friction decides: without jam resolution the robot is stuck; with it nothing jams at a friction of 0.1, and "
        "at 0.5 no trial of six passes.",
        "LB1",
        "LB2",
        "LB5",
    ),
    _liljeback(
        "D59",
        "computed differently",
        "The robot's own servos are proportional, not (11); with them, and a torque-speed line of 4 rad/s, 4 of 5 and "
        "5 of 5 trials pass the first two environments.",
        "LB1",
        "LB2",
    ),
    _liljeback(
        "D60", "beyond the paper", "Jam resolution as a continuous action, which the paper asks for at its end."
    ),
)

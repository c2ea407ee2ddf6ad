"""Differences from Transeth2008a."""

from __future__ import annotations

from pushpoint.papers.deviations import Deviation


def _of(number: str, kind: str, sentence: str, *claims: str) -> Deviation:
    return Deviation(number=number, paper="transeth2008a", kind=kind, sentence=sentence, claims=claims)


DEVIATIONS = (
    _of(
        "D1",
        "erratum",
        "The obstacle radius is 0.125 m, printed as 0.0125 m: the obstacles are cut from pipe of 0.25 m diameter, and "
        "the start posture fits between them at that size.",
        "TA2",
    ),
    _of(
        "D2",
        "left open",
        "Where the robot lies at the start is not printed: ours is the posture of (71) with heading zero and link 6 "
        "at (0.52, 0.16) m, which is clear of all obstacles; mirrored or reversed it would overlap them.",
        "TA2",
    ),
    _of(
        "D3",
        "left open",
        "The mean link angle is not the heading, because the body holds no whole number of waves: it is off by 7.17 "
        "deg, and a robot posed by it starts inside an obstacle.",
        "TA2",
    ),
    _of(
        "D4",
        "erratum",
        "The rate in the servo law (43) is that of the joint, not omega_i, which would feed energy in; K_D is 2 N m "
        "s, printed as N m.",
    ),
    _of(
        "D5",
        "erratum",
        "Small misprints: a stray factor in (14), a missing transpose in (16), the size of (34), '= 0' for '<= 0' in "
        "(39), the missing time step in (58), q_E for q_M in (61), two letters for the inertia.",
    ),
    _of(
        "D6",
        "left open",
        "Gravity (9.81 m/s2), initial velocity (zero), time step (1 ms) and tolerance are not stated; verdicts are "
        "the same from 0.25 to 2 ms.",
    ),
    _of(
        "D7",
        "computed differently",
        "Motors act at the end of a time step, as a compliant row of the joint: as a torque from its start the "
        "published gains need a step below 0.5 ms.",
    ),
    _of(
        "D8",
        "computed differently",
        "Joint gaps are closed about the centre of mass, not about link 1, which would act like an outer force.",
    ),
    _of(
        "D9",
        "computed differently",
        "Contacts are active from a gap of 1e-6 m, so that round-off does not open them, and overlaps are slowly "
        "pushed out; the paper lets penetration stand.",
    ),
    _of(
        "D10",
        "computed differently",
        "A semi-smooth Newton method replaces the paper's fixed point, which is there as a second solver and gives "
        "the same paths within 5e-6 m.",
    ),
    _of(
        "D11",
        "computed differently",
        "Side and ends of a link are one formula in place of (9) and (10); the gap is the same.",
    ),
    _of(
        "D12",
        "how it is measured",
        "Speed is that of the centre of mass over whole gait periods, where the paper reads it off link 6, which "
        "swings with the body; the flat run lasts 18 s in place of 10 s.",
        "TA1",
        "TA2",
        "TA3",
    ),
    _of(
        "D13",
        "left open",
        "Positions of the small obstacles are not printed and eight radii are listed for seven: the last is dropped, "
        "and each touches the track where the large one does.",
        "TA4",
        "TA5",
    ),
    _of(
        "D14",
        "outcome",
        "At 5.2 s the middle contact pushes toward +y where the paper's pushes toward -y; half a period earlier or "
        "later the signs are the paper's, as the obstacles' unprinted positions decide which one is in the middle.",
        "TA5",
    ),
    _of(
        "D15",
        "left open",
        "Where obstacles stand for another phase shift is not said; small ones at the same phase of the wave stop the "
        "robot at -30 deg wherever they are placed, large ones need not.",
        "TA6",
        "TA7",
    ),
    _of(
        "D16",
        "outcome",
        "At -70 deg the robot needs more contact force for its push, as the paper says, but less rms joint torque, "
        "not more.",
        "TA7",
    ),
    _of(
        "D17",
        "how it is measured",
        "Removing and moving obstacle 3 is shown with the large obstacles, whose positions are printed; the small "
        "ones give the same outcome.",
        "TA8",
        "TA9",
    ),
    _of(
        "D18",
        "left open",
        "Gray's three links have no numbers in the paper: ours are links of the robot, bends of 50 and 30 deg and 1 N "
        "m in both joints; which end leads is inferred from Gray's rule.",
        "TA10",
    ),
    _of(
        "D19",
        "how it is measured",
        "The paper argues from a sketch: obstacles stand on the centre line and a quarter of a half-wave ahead of it; "
        "behind it the effect is smaller (1.15 times the torque).",
        "TA11",
    ),
    _of(
        "D20",
        "how it is measured",
        "What the speed depends on is said in words: one number is changed at a time, over the first two gait "
        "periods, before the robots leave the course.",
        "TA12",
        "TA13",
        "TA14",
    ),
    _of(
        "D21",
        "outcome",
        "The middle of the paper's ranges leaves the robot 2.6 cm behind, only their upper end 3.5 cm; no torque "
        "limit is printed, 4 N m is our choice and changes nothing in the mean.",
        "TA16",
    ),
    _of(
        "D22",
        "left open",
        "Free play has no model in the paper: ours is a dead zone of the whole servo, continuous in the joint rate.",
        "TA16",
    ),
    _of(
        "D23",
        "left open",
        "The paper simulates no channel: ours follows the track of the gait, 14 cm wide for a robot of 10.5 cm, and "
        "is longer than the way of 10 s.",
        "TA17",
    ),
)

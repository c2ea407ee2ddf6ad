"""Differences from Liljeback2014."""

from __future__ import annotations

from pushpoint.papers.deviations import Deviation


def _of(number: str, kind: str, sentence: str, *claims: str) -> Deviation:
    return Deviation(number=number, paper="liljeback2014", kind=kind, sentence=sentence, claims=claims)


DEVIATIONS = (
    _of(
        "D37",
        "left open",
        "The text that we have begins in III-D: kinematics, (1) to (4), and the curve are reconstructed so that they "
        "fit what follows; the points of Fig. 4(a) are ours.",
        "LA1",
        "LA2",
    ),
    _of(
        "D38",
        "left open",
        "Masses, servos, friction, time step and the staircase's points are not stated; ours are uniform boxes, "
        "servos of 100 N m/rad and a friction of 0.5.",
    ),
    _of(
        "D39",
        "computed differently",
        "The paper's interpolation per coordinate does not turn with its points, so that steering changes the body's "
        "shape a little; a smooth curve that does is there as well.",
        "LA2",
        "LA4",
    ),
    _of(
        "D40",
        "computed differently",
        "For a vertical head (6) has no answer and the shape frame's axis takes its place; reference points never go "
        "back, and a look-ahead below a link is refused unless asked for.",
        "LA3",
    ),
    _of(
        "D41",
        "how it is measured",
        "The paper shows a turn and gives no number: the robot drifts clockwise by itself, as the body holds 0.97 of "
        "a cycle, so that the steered one is compared with the unsteered one.",
        "LA4",
    ),
    _of("D42", "beyond the paper", "A heading controller closes the loop that the paper names and does not have."),
    _of(
        "D43",
        "outcome",
        "A turn rolls the robot by 0.21 m, prototypes by 0.25 m; a square that does not slip would go 0.28 m. The way "
        "grows with friction and servo stiffness, which the text does not give.",
        "LA6",
    ),
    _of(
        "D44",
        "left open",
        "Only the size of the steps is named; the staircase works at a friction of 0.5 to 0.8, with corners cut by "
        "0.4 of a step and a robot that begins on the steps.",
        "LA7",
    ),
    _of(
        "D45",
        "how it is measured",
        "The three ways are three programs for one shape; way 3, half of each of the others, is compared by joint "
        "angles.",
        "LA8",
    ),
    _of("D46", "beyond the paper", "The same references in MuJoCo: speeds within 1 %, directions within 6 deg."),
    _of("D47", "beyond the paper", "Up the stairs it does not work: the weight pulls all links back along the curve."),
    _of("D48", "beyond the paper", "Up a pole it works, with another robot, from a friction of 0.3 on."),
)

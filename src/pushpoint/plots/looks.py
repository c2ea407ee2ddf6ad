"""One colour and dash per meaning: what is compared looks the same in every figure that compares it.

Controllers, laws and bodies that this package compares have a look by their name. Whatever else is compared gets a look
that none of them has in that figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pushpoint.model.arguments import checked_arguments
from pushpoint.scenery.palette import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION


class CurveLook(NamedTuple):
    """How a curve is drawn."""

    color: str
    """As #rrggbb."""
    dash: str
    """As matplotlib writes it, such as "--"."""


LOOKS = tuple(
    CurveLook(*look)
    for look in (
        (BLUE, "-"),
        (VERMILION, "--"),
        (GREEN, "-."),
        (INK, ":"),
        (ORANGE, "-"),
        (PURPLE, "--"),
        (SKY, "-."),
    )
)
"""In the order in which they are given away."""
KNOWN = {
    # Controllers that feel their way.
    "continuous": LOOKS[0],
    "hybrid-tuned": LOOKS[1],
    "hybrid": LOOKS[2],
    "leader-follower": LOOKS[3],
    "touch-v1": LOOKS[4],
    # Laws that drive a robot along a path.
    "force mapping": LOOKS[0],
    "mapping": LOOKS[0],
    "servos": LOOKS[1],
    "the paper's law": LOOKS[1],
    "with posture": LOOKS[2],
    # Bodies of one robot.
    "tube": LOOKS[0],
    "balls": LOOKS[1],
    "centre": LOOKS[2],
    # Where numbers come from.
    "simulated": LOOKS[0],
    "the model": LOOKS[0],
    "recorded": LOOKS[1],
}
"""Looks that belong to a name in every figure."""
TAIL_COLOR, MIDDLE_COLOR, HEAD_COLOR = SKY, BLUE, ORANGE
"""Parts of a body, and what belongs to them."""
YAW_COLOR, PITCH_COLOR = BLUE, VERMILION
"""Kinds of joints."""
PRINTED_COLOR = PURPLE
"""What papers print, beside our curves."""
LIMIT_COLOR = INK
"""Limits, tolerances and fits: dashed lines beside what was found."""
OUTCOMES = {
    "passed": ("#4d4d4d", ""),
    "late": ("#9c9c9c", ""),
    "jammed": ("#d9c3a5", "////"),
    "starved": ("#efe6d8", ""),
    "ended early": ("#ffffff", "...."),
}
"""How a trial ended: greys and hatches, since colours tell controllers apart."""


@checked_arguments
def looks_of(names: Sequence[str]) -> dict[str, CurveLook]:
    """A colour and a dash for each name, no two alike as long as there are enough.

    A known name, such as "hybrid" or "force mapping", has the same look in every figure, whatever stands beside it.
    Of a name with options, such as "continuous:gain=0.1", the part before the colon counts; the first one has the look.

    Args:
        names: What is compared.
    """
    found: dict[str, CurveLook] = {}
    for name in names:
        known = KNOWN.get(name) or KNOWN.get(name.partition(":")[0])
        if known is not None and known not in found.values():
            found[name] = known
    for name in names:
        if name not in found:
            free = [look for look in LOOKS if look not in found.values()] or [LOOKS[len(found) % len(LOOKS)]]
            found[name] = free[0]
    return {name: found[name] for name in names}

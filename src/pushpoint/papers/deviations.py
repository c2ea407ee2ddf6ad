"""Every difference from the papers in a sentence, by the number under which docs/deviations.md has its evidence."""

from __future__ import annotations

from dataclasses import dataclass

from pushpoint.model.checks import one_of, store

KINDS = ("erratum", "left open", "computed differently", "how it is measured", "outcome", "beyond the paper")


@dataclass(frozen=True, kw_only=True)
class Deviation:
    """One difference from a paper, or one thing that the paper misprints or leaves open."""

    number: str
    """Its heading in docs/deviations.md, such as D1."""
    paper: str
    """The paper it is about, such as transeth2008a."""
    kind: str
    """One of KINDS."""
    sentence: str
    """What differs and why."""
    claims: tuple[str, ...] = ()
    """Claims that it bears on, such as TA1; none if it bears on all of them or on none in particular."""

    def __post_init__(self) -> None:
        store(self, kind=one_of(f"deviation {self.number}: kind", self.kind, KINDS))


def deviations() -> tuple[Deviation, ...]:
    """All of them, by number."""
    from pushpoint.papers.holden2014 import deviations as deviations_pushing
    from pushpoint.papers.liljeback2014 import deviations as deviations_planning
    from pushpoint.papers.transeth2008a import deviations as deviations_planar
    from pushpoint.papers.transeth2008b import deviations as deviations_spatial

    modules = (deviations_planar, deviations_spatial, deviations_planning, deviations_pushing)
    found = [deviation for module in modules for deviation in module.DEVIATIONS]
    return tuple(sorted(found, key=lambda deviation: int(deviation.number[1:])))

"""What a release check found, in sentences: what is in order, what is wrong, what is left to do before publishing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Report:
    """Sentences, printed as they come, and facts for the JSON document."""

    goods: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    lefts: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def good(self, sentence: str) -> None:
        self._say("ok", sentence, self.goods)

    def fault(self, sentence: str) -> None:
        self._say("fault", sentence, self.faults)

    def left(self, sentence: str) -> None:
        """Something that does not stop work, but must be done before a release is published."""
        self._say("left", sentence, self.lefts)

    def judge(self, faults: list[str], good: str) -> None:
        """All faults, or that there is none."""
        for one in faults:
            self.fault(one)
        if not faults:
            self.good(good)

    def _say(self, word: str, sentence: str, where: list[str]) -> None:
        where.append(sentence)
        print(f"{word:6} {sentence}", flush=True)

    def status(self, *, publish: bool) -> int:
        """Exit status; to publish nothing may be left."""
        return int(bool(self.faults or (publish and self.lefts)))

    def document(self) -> dict[str, Any]:
        return {"passed": not self.faults, "faults": self.faults, "before_publishing": self.lefts, **self.facts}

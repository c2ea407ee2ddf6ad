"""Random documents that a JSON schema allows: from the whole space of kinds and options that it describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from campaigns.broken_texts import Random, any_of

DEEPEST = 7


def _points(random: Random) -> list[list[float]]:
    return np.cumsum(
        random.uniform(0.02, 0.2, (int(random.integers(2, 6)), int(random.integers(2, 4)))), axis=0
    ).tolist()


SENSE: dict[str, tuple[str, Callable[[Random], Any]]] = {
    "inertia": ("array", lambda random: (float(random.uniform(1e-4, 1e-2)) * np.array([0.9, 1.0, 1.1])).tolist()),
    "points": ("array", _points),
    "supports": ("array", lambda random: None),
    "duration": ("number", lambda random: float(random.uniform(0.01, 20.0))),
}
"""Keys whose values must fit together more than a schema can say; most are drawn so that they do."""


class Documents:
    """Draws documents from a schema."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema

    def draw(self, random: Random) -> Any:
        """One document."""
        return self._value(random, self._schema, "", 0)

    def _value(self, random: Random, schema: dict[str, Any], key: str, depth: int) -> Any:
        if "$ref" in schema:
            schema = self._schema["$defs"][schema["$ref"].rpartition("/")[2]]
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                if "enum" in schema[choice][0] and random.random() < 0.5:  # a name instead of something drawn
                    return any_of(random, schema[choice][0]["enum"])
                return self._value(random, any_of(random, schema[choice]), key, depth)
        if "const" in schema or "enum" in schema:
            return schema["const"] if "const" in schema else any_of(random, schema["enum"])
        kind, sense = schema.get("type", "null"), SENSE.get(key)
        if sense is not None and sense[0] == kind and random.random() < 0.8:
            return sense[1](random)
        draw = getattr(self, f"_{kind}")
        return draw(random, schema, key, depth)

    def _object(self, random: Random, schema: dict[str, Any], key: str, depth: int) -> dict[str, Any]:
        required, share = schema.get("required", ()), 0.35 if depth < DEEPEST else 0.0
        return {
            name: self._value(random, part, name, depth + 1)
            for name, part in schema["properties"].items()
            if name in required or "const" in part or random.random() < share
        }

    def _array(self, random: Random, schema: dict[str, Any], key: str, depth: int) -> list[Any]:
        least, most = schema.get("minItems", 0), schema.get("maxItems", 5)
        items = schema.get("items", {"type": "number"})
        count = int(random.integers(least, max(least, most) + 1))
        return [self._value(random, items, key, depth + 1) for _ in range(count)]

    def _number(self, random: Random, schema: dict[str, Any], key: str, depth: int) -> float:
        low = schema.get("minimum", schema.get("exclusiveMinimum", -np.inf))
        high = schema.get("maximum", np.inf)
        if np.isfinite(low) and np.isfinite(high):
            return float(random.uniform(low, high))
        size = float(np.exp(random.normal(-1.5, 1.5)))
        if random.random() < 0.02:
            size = float(any_of(random, (1e-12, 1e-6, 1e6, 1e12, 1e-300, 1e300)))
        if key.endswith("_deg"):
            size = float(random.uniform(0, 90))
        value = low + size if np.isfinite(low) else (-size if random.random() < 0.15 else size)
        return round(value, 4) or value

    def _integer(self, random: Random, schema: dict[str, Any], key: str, depth: int) -> int:
        low = schema.get("minimum", 2 if key == "n_links" else 0)
        return int(random.integers(low, min(schema.get("maximum", low + 8), low + 8) + 1))

    def _boolean(self, random: Random, schema: dict[str, Any], key: str, depth: int) -> bool:
        return bool(random.random() < 0.5)

    def _string(self, random: Random, schema: dict[str, Any], key: str, depth: int) -> str:
        return str(any_of(random, ("a", "my-course", "x.npy", "Liljebäck 2011", "y/z")))

    def _null(self, random: Random, schema: dict[str, Any], key: str, depth: int) -> None:
        return None

"""What the sections of a scenario document share."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError


def _listed(value: Any) -> Any:
    if not isinstance(value, list):
        raise PydanticCustomError("not_a_list", "{expected}", {"expected": "three numbers"})
    return value


Pair = Annotated[list[float], Field(json_schema_extra={"minItems": 2, "maxItems": 2})]
Triple = Annotated[list[float], BeforeValidator(_listed), Field(json_schema_extra={"minItems": 3, "maxItems": 3})]
Outline = Annotated[list[Pair], Field(json_schema_extra={"minItems": 3})]


def _title(section: type) -> str:
    """The class's name in words, by which editors tell the members of a union apart: wall, isotropic law."""
    words = re.findall(r"[A-Z][a-z]*", section.__name__.removesuffix("Section"))
    return " ".join(words).lower()


class Section(BaseModel):
    """A mapping of the document; refuses unknown keys by naming the known ones."""

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True, model_title_generator=_title)

    expected: ClassVar[str] = "a mapping of keys and values"

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            raise PydanticCustomError("not_a_section", "{expected}", {"expected": cls.expected})
        for key in data:
            if key not in cls.model_fields:
                raise PydanticCustomError("unknown_key", "{key}", {"key": key, "known": list(cls.model_fields)})
        return data


def one_or_many(value: Any) -> str:
    """Tells a single section from a list of them; tags of a union."""
    return "many" if isinstance(value, list) else "one"

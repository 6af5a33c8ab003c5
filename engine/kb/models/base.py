"""What all models of the knowledge base share."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
)

NAMESPACES = (
    "act", "checkpoint", "code", "config", "data", "dist", "env", "gpu", "grad", "log", "loss",
    "model", "process", "symptom", "test",
)  # fmt: skip
"""The first part of every fact's name."""


PROVEN = {"proven": True}
"""The context of entries whose patterns and examples were checked when they were released."""


def is_proven(info: ValidationInfo) -> bool:
    """Whether patterns need not be tried again, which takes longer than all other validation."""
    return info.context is PROVEN


def _compiles(pattern: str, info: ValidationInfo) -> str:
    if is_proven(info):
        return pattern
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
"""Lower case with hyphens; never changes once released."""
FactName = Annotated[str, StringConstraints(pattern=rf"^({'|'.join(NAMESPACES)})(\.[a-z0-9_]+)+$")]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Regex = Annotated[str, StringConstraints(min_length=1), AfterValidator(_compiles)]
Wordings = Annotated[
    Regex,
    BeforeValidator(lambda value: "|".join(value) if isinstance(value, list) else value),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""One regular expression, or a list of alternatives, which become one."""
Scalar = bool | int | float | str
Minutes = Annotated[float, Field(ge=0, le=10_000)]

Strength = Literal["decisive", "strong", "moderate", "weak"]
Prior = Literal["usual", "common", "occasional", "rare"]
FactType = Literal["bool", "int", "float", "str", "list", "version"]


class Model(BaseModel):
    """A strict, closed model: an unknown key is a mistake, a number in quotes is no number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Entry(Model):
    """Anything that has an id."""

    id: Id = Field(description="One kebab-case name, the same everywhere; it never changes once released.")


class Evidence(Model):
    """A condition over facts, and how much it says."""

    if_: Text = Field(alias="if", description='A condition over facts, e.g. `config.precision == "fp16"`.')
    supports: Strength | None = Field(None, description="How much it says for it when the condition is true.")
    against: Strength | None = Field(
        None, description="How much it says against it when the condition is true."
    )
    absent: Strength | None = Field(
        None, description="How much it says against it when the condition is known to be false."
    )
    because: Text = Field(
        description="What a person reads when the condition is true; `{grad.norm.max}` is filled in."
    )
    otherwise: Text | None = Field(
        None, description="What a person reads when it is false and `absent` counts."
    )
    is_mistake: bool = Field(
        False,
        description="Settings that show this are mostly a mistake: it is worth a look where nothing is seen to go wrong.",
    )

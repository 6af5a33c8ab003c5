"""What is known about machines: accelerators by name, packages and variables worth reading."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from .base import Entry, FactName, Model, Scalar, Text

Gib = Annotated[float, Field(gt=0, le=4096)]


class Device(Entry):
    """Accelerators that share what they can do, told apart by name."""

    title: Text
    brand: list[Text] = Field(
        default_factory=list,
        description="Words before the model that people leave out, in order: GeForce, RTX.",
    )
    facts: dict[FactName, Scalar] = Field(min_length=1, description="What holds for all of them.")
    memory: dict[Text, Gib | list[Gib]] = Field(
        min_length=1,
        description="Model -> GiB as sold; several where it was sold with several, none where it varies.",
    )
    laptop: dict[Text, Gib | list[Gib]] = Field(
        default_factory=dict, description="The same for the mobile version, where it differs."
    )
    sources: list[Text] = Field(min_length=1)

    @model_validator(mode="after")
    def _models_exist(self) -> Self:
        if unknown := sorted(set(self.laptop) - set(self.memory)):
            raise ValueError(f"`laptop` names models that `memory` does not: {', '.join(unknown)}")
        return self


class Package(Entry):
    """A distribution whose installed version is worth knowing; it becomes the fact `env.package.<id>`."""

    means: Text


class Variable(Model):
    """An environment variable that changes how training runs."""

    name: str = Field(
        pattern=r"^[A-Z][A-Z0-9_]*\*?$", description="With a star at the end: all that begin so."
    )
    means: Text
    fact: FactName | None = Field(None, description="The fact that holds its value.")
    facts: dict[FactName, Scalar] = Field(
        default_factory=dict, description="What follows where it is set at all."
    )

    @model_validator(mode="after")
    def _one_variable_one_fact(self) -> Self:
        if self.fact and self.name.endswith("*"):
            raise ValueError("several variables cannot share one `fact`")
        return self


__all__ = ["Device", "Package", "Variable"]

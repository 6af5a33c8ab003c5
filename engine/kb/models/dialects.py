"""How each trainer names and spells its settings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Entry, Model, Scalar, Text

Format = Literal["yaml", "json", "toml", "python", "shell", "arguments"]
Spelling = Scalar | None | list[Scalar] | dict[str, Scalar | None]


class Spelled(Model):
    """One canonical setting as one trainer writes it."""

    key: str | list[str] = Field(
        description="The dotted path in the file; several keys where any of them may hold it, the preferred first."
    )
    old: list[str] = Field(default_factory=list, description="Former names that are still read.")
    values: dict[str, Spelling] = Field(
        default_factory=dict,
        description="Canonical value -> how it is spelled; a mapping sets several keys together.",
    )
    inverted: bool = Field(False, description="True where the key says the opposite: `disable_shuffling`.")
    exponent: bool = Field(False, description="True where the key holds the power of two.")
    scale: float = Field(1.0, gt=0, description="Canonical value = value in the file times this.")
    ratio_below: float | None = Field(
        None, description="A value below this is a share of all steps, read as `ratio_as`."
    )
    ratio_as: str | None = None
    index: int | None = Field(None, ge=0, description="Which element, where the key holds a list.")
    default: Scalar | None = Field(None, description="What the trainer takes where the key is not given.")
    note: Text | None = None


class Renamed(Model):
    """A key that was renamed or removed."""

    to: str | None = Field(None, description="The new key; None where it was removed.")
    since: Text | None = None
    then: Literal["ignored", "refused", "still read"] = "ignored"


class Dialect(Entry):
    """A trainer's language of settings."""

    title: Text
    package: str | None = Field(None, description="The distribution it belongs to.")
    formats: list[Format] = Field(min_length=1)
    markers: list[str] = Field(
        min_length=1, description="Keys that give it away. The dialect with the most of its markers is taken."
    )
    needs: list[str] = Field(default_factory=list, description="Keys of which at least one must be there.")
    excludes: list[str] = Field(default_factory=list, description="Keys that rule it out.")
    style: Literal["underscore", "hyphen"] = Field("underscore", description="How flags are joined: --max_steps.")
    settings: dict[str, Spelled]
    renamed: dict[str, Renamed] = Field(default_factory=dict)
    known: list[str] = Field(
        default_factory=list, description="Other keys it knows, so that a misspelt one is noticed."
    )
    sources: list[Text] = Field(default_factory=list)

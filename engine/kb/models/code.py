"""How scripts are read: structural patterns over Python source."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from .base import Entry, Model, Scalar, Text, is_proven

_BEYOND = re.compile(r"(?<!\\)(?:\(\?<?[=!]|\(\?P=\w+\)|\\[1-9])")
"""What Python's regular expressions have and those of ast-grep, which are Rust's, have not."""


def _with_expressions(rule: Any, info: ValidationInfo) -> Any:
    """A code rule whose regular expressions Python takes as ast-grep does."""
    if is_proven(info):
        return rule
    for part in rule.values() if isinstance(rule, dict) else rule if isinstance(rule, list) else ():
        _with_expressions(part, info)
    if isinstance(rule, dict) and isinstance(pattern := rule.get("regex"), str):
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}: {pattern}") from None
        if beyond := _BEYOND.search(pattern):
            raise ValueError(
                f"ast-grep knows no look-around and no back-reference, as {beyond[0]} here: {pattern}"
            )
    return rule


Code = Annotated[dict[str, Any], AfterValidator(_with_expressions)]
"""An ast-grep rule (https://ast-grep.github.io), with our short words `named`, `calls`, `reads`, `contains` and `within`."""


class Idiom(Entry):
    """A piece of code that patterns share, written there as `matches: <id>`."""

    means: Text
    rule: Code


class Flow(Model):
    """A value on its way through the code: through names, tuples, attributes, functions and modules of the files read.

    A place is a call. Where a rule matches the construction of an object (`nn.Softmax(dim=1)`), calls of that
    object are meant.
    """

    from_: Code = Field(alias="from", description="Whose result is followed.")
    element: int | None = Field(
        None, description="Which element of the result is followed, where it is a tuple."
    )
    from_argument: list[int | str] | None = Field(
        None, description="Not the result but what is handed over is followed; written like `argument`."
    )
    into: Code = Field(description="Where it must arrive.")
    argument: list[int | str] = Field(
        min_length=1,
        description="As which argument: a position from 0, a keyword, `self` for the object before the dot, or a "
        "metavariable of `into` such as `$X`. The first that is there counts.",
    )
    through: Code | Literal["everything"] | None = Field(
        None, description="Calls that pass the value on; `everything`: any computation with it."
    )
    unless: Code | None = Field(None, description="What ends the way.")
    objects: bool = Field(
        False, description="True where constructed objects are followed, not what calls of them give."
    )
    only: bool = Field(
        False, description="True where nothing else that could carry a gradient may arrive together with it."
    )


class CodePattern(Entry):
    """A structural pattern over Python source; it becomes the fact `code.<id>` with underscores."""

    means: Text
    rule: Code | None = Field(None, description="Where it matches, the fact is true.")
    flow: Flow | None = Field(None, description="Where the value arrives, the fact is true.")
    constraints: dict[str, Code] = Field(
        default_factory=dict, description="Metavariable -> rule it must match."
    )
    scope: Code | None = Field(
        None,
        description="Where this is seen and the pattern is not, the fact is false; else it stays unknown. "
        "A flow without a scope is false where every way to its end was followed.",
    )
    unless: Code | None = Field(None, description="A file in which this matches says nothing.")
    absent: bool = Field(
        False,
        description="True turns it round: the fact is true where `scope` is seen and `rule` matches in no file.",
    )
    captures: dict[str, str] = Field(
        default_factory=dict, description="Metavariable -> fact that holds its text."
    )
    facts: dict[str, Scalar] = Field(default_factory=dict, description="Other facts it establishes.")
    finds: list[Text] = Field(min_length=1, description="Code it must find.")
    passes: list[Text] = Field(min_length=1, description="Code it must not find.")
    sources: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.rule is None) == (self.flow is None):
            raise ValueError("give `rule` or `flow`, and not both")
        if self.absent and (self.rule is None or self.scope is None):
            raise ValueError("`absent` needs `rule` and `scope`")
        if self.captures and self.rule is None:
            raise ValueError("`captures` needs `rule`")
        return self


__all__ = ["CodePattern", "Flow", "Idiom"]

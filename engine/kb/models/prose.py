"""How what a person writes about a run is read: word groups, and what was tried."""

from __future__ import annotations

from pydantic import Field

from .base import Entry, FactName, Regex, Text


class Phrase(Entry):
    """A group of words that patterns share, written there as `{id}`."""

    means: Text
    any: list[Regex] = Field(
        min_length=1,
        description="Its wordings: regular expressions without named groups, which may use earlier phrases.",
    )

    @property
    def pattern(self) -> str:
        """All wordings as one regular expression."""
        return "|".join(self.any)


class Trial(Entry):
    """Something people try to see whether it helps; how it went becomes a fact."""

    means: Text = Field(description="What was tried: `in FP32`, `with a smaller batch`.")
    gives: FactName = Field(
        description="True where it is said to have gone well, false where it is said to have failed."
    )
    any: list[Regex] = Field(
        min_length=1, description="How people name it: regular expressions, which may use phrases."
    )
    otherwise: list[Regex] = Field(
        default_factory=list,
        description="How people name the opposite: trouble that comes only with it says that the trial went well.",
    )
    trouble_counts: bool = Field(
        True,
        description="False where people also name it as what they have: trouble beside it then says nothing.",
    )
    one_is_enough: bool = Field(
        False,
        description="Many can be tried, one after the other, and one that works counts before those that did not.",
    )
    values_of: Regex | None = Field(
        None,
        description="The setting it changes, as it is named before a number: of two values with a figure each, or of which one worked and one did not, the better one tells.",
    )
    raised: bool = Field(False, description="It raises that setting, and does not lower it.")
    worked: list[Text] = Field(min_length=1, description="Sentences that say it went well.")
    failed: list[Text] = Field(min_length=1, description="Sentences that say it did not.")
    silent: list[Text] = Field(default_factory=list, description="Sentences that say neither.")


__all__ = ["Phrase", "Trial"]

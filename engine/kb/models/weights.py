"""What the words of the rules weigh."""

from __future__ import annotations

from pydantic import Field

from .base import Id, Model, Prior, Strength


class Weights(Model):
    """Words to numbers. Decibans: ten times the decimal logarithm of a likelihood ratio."""

    strengths: dict[Strength, float] = Field(description="Decibans of each word of strength.")
    priors: dict[Prior, float] = Field(description="Probability of each word of frequency.")
    word_is_worth: float = Field(
        default=100.0, gt=0, description="How many reports the word of a frequency counts as much as."
    )
    unlisted: float = Field(gt=0, lt=1, description="Probability of a cause that does not list the symptom.")
    symptom: float = Field(gt=0, lt=1, description="Probability of a symptom before any evidence.")
    trust: dict[str, float] = Field(description="Origin of a fact -> share of the weight that counts.")
    something_else: float = Field(
        gt=0, lt=1, description="Probability that what causes a symptom is no cause that is listed here."
    )
    rivals: float = Field(
        0.0,
        ge=0,
        le=1,
        description="The share of its confidence that a cause which is not confirmed loses to another one that is sure: by the square of how sure that is.",
    )
    leads: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="Share of what is missing to certainty that the first cause gains, as evidence put it before all others.",
    )
    resemblance: float = Field(
        ge=0,
        description="Decibans of what a person tells, or an exception says, reading most like a cause, where none is confirmed.",
    )
    resemblance_of_files: float = Field(
        default=0.0,
        ge=0,
        description="The same of settings and scripts alone, where no cause is likely.",
    )
    words_tell: float = Field(
        default=0.0,
        ge=0,
        description="Weight of the words that a sentence shares with how people tell of a symptom, below which it is of none.",
    )
    words_in_full: float = Field(
        default=0.0,
        ge=0,
        description="Weight of the words shared with the nearest cause from which on they count in full; of less the share counts, by its root.",
    )
    by_words_alone: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="The confidence of a cause for which nothing speaks but words, at most.",
    )
    worth_mending: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Share of the first cause's confidence that another needs, unless it is likely, for its fixes to be shown.",
    )
    confirmed: float = Field(gt=0, lt=1)
    likely: float = Field(gt=0, lt=1)
    possible: float = Field(gt=0, lt=1)


class Reports(Model):
    """What was behind the failures that people reported with a symptom: it corrects the words of frequency."""

    symptom: Id
    reports: int = Field(ge=1, description="How many such failures were counted.")
    causes: dict[Id, int] = Field(description="Cause -> how many of them it was behind.")

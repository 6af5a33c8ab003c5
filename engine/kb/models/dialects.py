"""How each trainer names and spells its settings."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from .base import Entry, Id, Model, Scalar, Text

Format = Literal["yaml", "json", "toml", "ini", "python", "shell"]
Spelling = Scalar | list[Scalar] | dict[str, Scalar | list[Scalar]]


class Spelled(Model):
    """One way in which a trainer writes one canonical setting. A plain text stands for its key alone."""

    key: str | list[str] = Field(
        default_factory=list,
        description="The dotted path in the file; several where any of them may hold it, the preferred first. "
        "In Python `DataLoader.num_workers` is a keyword, `DataLoader.1` the second argument, `half.()` the call itself.",
    )
    flag: str | None = Field(None, description="The command-line option, where it is named differently.")
    old: list[str] = Field(default_factory=list, description="Former names that are still read.")
    values: dict[str, Spelling] = Field(
        default_factory=dict,
        description="Canonical value -> how it is spelled; a list gives alternatives, the preferred first; a mapping "
        "sets several keys together, and a switch of them that is missing counts as off.",
    )
    implied: dict[str, Scalar] = Field(
        default_factory=dict, description="Key -> what its presence alone says, where `key` is not there."
    )
    inverted: bool = Field(False, description="True where the key says the opposite: `disable_shuffling`.")
    exponent: bool = Field(False, description="True where the key holds the power of two.")
    scale: float = Field(1.0, gt=0, description="Canonical value = value in the file times this.")
    reads: Literal["size", "duration", "count", "last-number", "port"] | None = Field(
        None,
        description="How a text is read: `16G` as GiB (bare numbers are GiB times `scale`), `1-12:00:00` as minutes, "
        "`0,1` as the number of its parts, `gpu:a100:2` as its last number, `node0:29500` as the port behind its colon.",
    )
    over: str | None = Field(None, description="Another key whose number divides this one's.")
    times: str | None = Field(
        None, description="Another key whose number is multiplied in, 1 where it is not there."
    )
    ratio_below: float | None = Field(
        None,
        description="A value above 0 and below this is a share of all steps: read as `ratio_as`, and where that "
        "is left out, the only value that is read.",
    )
    ratio_as: str | None = None
    index: int | None = Field(None, ge=0, description="Which element, where the key holds a list.")
    each: bool = Field(False, description="The key may hold several alike (`512,512`); all are set together.")
    only_with: dict[str, Scalar | list[Scalar]] = Field(
        default_factory=dict,
        description="Other keys and the values with which this one counts. Where one of them stands otherwise, it is passed over "
        "by the trainer, and so neither read nor written.",
    )
    beside: list[str] = Field(
        default_factory=list,
        description="Other keys without which the trainer passes this one over: it is neither read nor written where they are missing.",
    )
    unset: list[Scalar] = Field(default_factory=list, description="Values that mean `not given`: -1.")
    default: Scalar | None = Field(None, description="What the trainer takes where the key is not given.")
    note: Text | None = None

    @model_validator(mode="after")
    def _stands_somewhere(self) -> Self:
        if not self.key and not self.implied:
            raise ValueError("give a `key`, or what is `implied`")
        return self


def _spelled(value: Any) -> Any:
    """One way or several; `lr` stands for `{key: lr}`."""
    ways = value if isinstance(value, list) else [value]
    return [{"key": one} if isinstance(one, str) else one for one in ways]


Ways = Annotated[list[Spelled], BeforeValidator(_spelled), Field(min_length=1)]


class Renamed(Model):
    """A key that was renamed or removed."""

    to: str | None = Field(None, description="The new key; None where it was removed.")
    since: Text | None = Field(None, description="The first version of `package` that acts as `then` says.")
    then: Literal["ignored", "refused", "still read"] = "ignored"
    note: Text | None = None


class Dialect(Entry):
    """A trainer's language of settings."""

    title: Text
    package: str | None = Field(None, description="The distribution it belongs to.")
    since: Text | None = Field(None, description="The first version of the package that speaks it.")
    base: Id | None = Field(None, description="A dialect whose keys it also reads.")
    formats: list[Format] = Field(min_length=1)
    markers: list[str] = Field(
        default_factory=list,
        description="Keys that give it away; `name()` is a call in Python or a program on a command line. "
        "The dialect with the most and the rarest of its markers is taken.",
    )
    needs: list[str] = Field(default_factory=list, description="Keys of which at least one must be there.")
    excludes: list[str] = Field(default_factory=list, description="Keys that rule it out.")
    always: bool = Field(
        False, description="Read beside whichever trainer is recognised: torch calls, Slurm."
    )
    loose: bool = Field(False, description="`batchSize`, `batch-size` and `BATCH_SIZE` are one key.")
    flat: bool = Field(False, description="Names of sections do not count.")
    not_under: list[str] = Field(
        default_factory=list,
        description="Words in the name of a section that is not about training: eval, test.",
    )
    parts: list[str] = Field(
        default_factory=list,
        description="Sections that make one object: a new key goes in there only where it is listed as `part.key`.",
    )
    everyday: list[str] = Field(
        default_factory=list,
        description="Names that are settings in a file, and everyday variables in a script.",
    )
    calls: list[str] = Field(
        default_factory=list, description="Python callables whose keyword arguments are its keys."
    )
    style: Literal["underscore", "hyphen", "assign", "pair"] = Field(
        "underscore",
        description="How options are written: `--max_steps 9`, `--max-steps 9`, `max_steps=9`, `max_steps 9`.",
    )
    bare_flags: bool = Field(
        False, description="A switch on the command line takes no value: it is there or not."
    )
    never_added: list[str] = Field(
        default_factory=list, description="Settings that are changed where they stand, and never added."
    )
    follows: dict[str, Text] = Field(
        default_factory=dict,
        description="Settings it has no key for, or whose key must stay as it is, each with what it follows from, "
        "in words: they are neither read nor changed.",
    )
    added_beside: list[str] = Field(
        default_factory=list,
        description="Where nothing tells the trainer: new keys go only into a file that holds one of these settings.",
    )
    casts_numbers: bool = Field(
        False, description="A number in quotes, or `1e-5` in YAML 1.1, is read as a number."
    )
    casts_with: list[str] = Field(
        default_factory=list,
        description="Keys that tell of a loader (OmegaConf, jsonargparse) which takes a bare `1e-5` for a number.",
    )
    filled_in: str | None = Field(
        None,
        description="A value that the trainer which is given the file replaces by its own arguments: it is left as it is.",
    )
    loose_json: bool = Field(False, description="Its JSON may hold comments and trailing commas.")
    includes: list[str] = Field(default_factory=list, description="Keys that name another file to read.")
    agrees: list[str] = Field(
        default_factory=list,
        description="Settings that must be the same in every file of the run; `auto` agrees.",
    )
    settings: dict[str, Ways] = Field(default_factory=dict)
    renamed: dict[str, Renamed] = Field(default_factory=dict)
    known: list[str] = Field(
        default_factory=list,
        description="Other keys it knows, so that a misspelt one is noticed. They mean what it says they mean: a common "
        "name among them is no setting.",
    )
    complete: bool = Field(
        False,
        description="Every key it reads is listed: only then is one that is not listed, and almost one that is, a mistake.",
    )
    sources: list[Text] = Field(default_factory=list)

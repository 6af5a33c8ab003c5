"""Which runs lie side by side in a directory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from traindx.engine.regex import regex

from .inputs import Input, Kind

_STATE = regex(
    r"(?i)(?:checkpoints?|ckpts?|weights|(?:checkpoint|ckpt|global_?step|step|iter(?:ation)?|epoch)[-_=]?\d+|(?:last|latest|best|final)(?:[-_](?:checkpoint|model))?)$"
)
"""What folders are called in which a run saves its state."""
_PART = regex(
    r"(?i)(?:.*[-_.])?(?:train(?:ing)?|val(?:id(?:ation)?)?|test(?:ing)?|eval(?:uation)?|dev|(?:rank|worker|gpu|proc(?:ess)?|node|local_rank)[-_]?\d+|tb|tensorboard|events|logs?|runs)"
)
"""What folders are called in which one run keeps a part of its events."""
_LOGS = {Kind.LOG, Kind.RECORDS, Kind.EVENTS}


def runs_in(inputs: Iterable[Input]) -> list[Path]:
    """The folders with a log and a configuration of their own, or each with its own TensorBoard events, none of them inside another.

    What a tool keeps of a run in a hidden folder, such as Hydra in `.hydra`, is the run's own, and so are the states that it
    saves: each `checkpoint-500` of transformers holds a configuration and all that was logged up to there.
    """
    kinds: dict[Path, set[Kind]] = {}
    for one in inputs:
        if one.path is not None:
            folder = one.path.parent
            while folder.name[:1] == "." or _STATE.match(folder.name):
                folder = folder.parent
            kinds.setdefault(folder, set()).add(one.kind)
    whole = [folder for folder, held in kinds.items() if Kind.CONFIG in held and held & _LOGS]
    apart = [one for one in whole if not any(other in one.parents for other in whole)]
    return sorted(apart or _of_events(kinds))


def _of_events(kinds: Mapping[Path, set[Kind]]) -> list[Path]:
    """The folders that nothing but events of a run lie in, one beside the other, each with a name of its own.

    Events of the folder above belong to the same run as these, and so do those that are called after a split or a rank.
    """
    alone = [
        folder
        for folder, held in kinds.items()
        if held <= {Kind.EVENTS, Kind.CHECKPOINT} and Kind.EVENTS in held
    ]
    return [
        folder
        for folder in alone
        if not _PART.fullmatch(folder.name)
        and not any(kinds.get(above, set()) & _LOGS for above in folder.parents)
        and not any(_PART.fullmatch(one.name) for one in alone if one.parent == folder.parent)
    ]

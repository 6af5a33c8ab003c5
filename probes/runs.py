"""Which runs lie side by side in a directory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from traindx.engine.regex import regex

from .inputs import Input, Kind

_STATE = regex(
    r"(?i)(?:checkpoints?|ckpts?|weights|(?:checkpoint|ckpt|global_?step|step|iter(?:ation)?|epoch)[-_=]?\d+|(?:last|latest|best|final)(?:[-_](?:checkpoint|model))?)$"
)
"""What folders are called in which a run saves its state."""


def runs_in(inputs: Iterable[Input]) -> list[Path]:
    """The folders with a log and a configuration of their own, none of them inside another.

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
    logs = {Kind.LOG, Kind.RECORDS, Kind.EVENTS}
    whole = [folder for folder, held in kinds.items() if Kind.CONFIG in held and held & logs]
    return sorted(one for one in whole if not any(other in one.parents for other in whole))

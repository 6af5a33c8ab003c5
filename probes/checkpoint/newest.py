"""Which saved state would a resume take? States by their step, the newest first, with the files that belong to each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ..inputs import Input

_STEP = re.compile(
    r"(?:checkpoint|ckpt|global_?step|step|iter(?:ation)?)[-_=]?0*(\d{1,12})(?!\d)", re.IGNORECASE
)
_EPOCH = re.compile(r"(?:epoch|ep)[-_=]?0*(\d{1,6})(?!\d)", re.IGNORECASE)
_OF_TRAINING = re.compile(
    r"^(?:optimizer|scheduler|scaler|rng_state|random_states|training_args|lr_scheduler)", re.IGNORECASE
)


@dataclass(slots=True)
class Saved:
    """One saved state: a file, or the files of one folder that belong together."""

    name: str
    step: int | None
    epoch: int | None
    time: float
    """When it was written last."""
    files: list[Input] = field(default_factory=list)

    @property
    def order(self) -> tuple[int, int, float]:
        """Later ones are greater: by step, else by epoch, else by time."""
        return (
            self.step if self.step is not None else -1,
            self.epoch if self.epoch is not None else -1,
            self.time,
        )


def saved_states(files: Iterable[Input]) -> list[Saved]:
    """The saved states among some files, the newest first."""
    found: dict[str, Saved] = {}
    files = [one for one in files if one.path is not None]
    folders = {one.path.parent for one in files if one.path is not None and _OF_TRAINING.match(one.path.name)}
    for one in files:
        assert one.path is not None
        together = one.path.parent in folders
        name = str(one.path.parent) if together else one.name
        state = found.setdefault(name, _state(one.path, name, together=together))
        state.files.append(one)
        state.time = max(state.time, _time(one.path))
    return sorted(found.values(), key=lambda one: one.order, reverse=True)


def _state(path: Path, name: str, *, together: bool) -> Saved:
    """The step stands in the file's name or, for a folder of files, in the folder's."""
    texts = [path.parent.name] if together else [path.name, path.parent.name]
    step = next((int(found[1]) for text in texts if (found := _STEP.search(text))), None)
    epoch = next((int(found[1]) for text in texts if (found := _EPOCH.search(text))), None)
    return Saved(name, step, epoch, 0.0)


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0

"""What a trainer writes beside each state that it saves: all that was logged so far, so that the newest tells all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .inputs import Kind

_STATE = "checkpoint-"
"""What the folders begin with in which transformers numbers the states of a run by their steps."""
_HISTORY = "trainer_state.json"

Files = list[tuple[Path, Kind]]


def without_older_states(files: Sequence[tuple[Path, Kind]], notes: list[str]) -> Files:
    """The files without the histories and the settings beside older states; the states themselves stay. What is left out is noted."""
    steps: dict[Path, dict[int, Path]] = {}
    for path, _ in files:
        if path.name == _HISTORY and (step := _step(path.parent)) is not None:
            steps.setdefault(path.parent.parent, {})[step] = path.parent
    there = {path for path, _ in files}
    left: set[Path] = set()
    for folder, states in sorted(steps.items()):
        # The trainer writes it beside the states as well, when it saves itself in the end.
        newest = None if folder / _HISTORY in there else states[max(states)]
        older = [one for one in states.values() if one != newest]
        if older:
            left.update(older)
            read = f"{newest.name}/{_HISTORY}" if newest else _HISTORY
            notes.append(
                f"{folder}: {read} was read, and not {len(older)} older, whose history it goes on with"
            )
    return [one for one in files if one[0].parent not in left or one[1] is Kind.CHECKPOINT]


def _step(folder: Path) -> int | None:
    """After which step a state was saved; None for another folder."""
    number = folder.name.removeprefix(_STATE)
    return int(number) if number != folder.name and number.isdecimal() else None

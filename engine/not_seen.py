"""What a diagnosis could not see. Without it, "nothing wrong found" would say too much."""

from __future__ import annotations

from collections.abc import Iterable

from .gather import Gathered
from .probe import InputSeen

_MOST = 8
_LOGS = frozenset({"log", "records", "events"})
_WATCHED = frozenset({"live"})
_KINDS = (
    (_LOGS | _WATCHED, "no log was handed in: losses, errors and speed were not seen"),
    (
        _WATCHED | {"config"},
        "no configuration was handed in: settings are only known where the log prints them",
    ),
    (_WATCHED | {"code"}, "no script was handed in: the training loop was not seen"),
)


def not_seen(gathered: Gathered) -> tuple[str, ...]:
    """Inputs that could not be read, or not all of them, kinds of input that are missing, and facts no probe could give."""
    read = {one.kind for one in gathered.inputs if not one.bad}
    missing = [text for kinds, text in _KINDS if not kinds & read]
    return (*unread(gathered.inputs), *missing, *gathered.facts.reasons()[:_MOST])


def unread(inputs: Iterable[InputSeen]) -> tuple[str, ...]:
    """What could not be read of the inputs, or was left out. The note of a watched run says what was seen."""
    return tuple(f"{one.name}: {one.note}" for one in inputs if one.note and one.kind not in _WATCHED)

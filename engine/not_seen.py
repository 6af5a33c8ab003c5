"""What a diagnosis could not see. Without it, "nothing wrong found" would say too much."""

from __future__ import annotations

from .gather import Gathered

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
    """Inputs that could not be read, kinds of input that are missing, and facts no probe could give."""
    read = {one.kind for one in gathered.inputs if not one.bad}
    bad = [f"{one.name}: {one.note}" for one in gathered.inputs if one.bad]
    missing = [text for kinds, text in _KINDS if not kinds & read]
    return (*bad, *missing, *gathered.facts.reasons()[:_MOST])
